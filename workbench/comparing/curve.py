"""Recall under every match threshold, from one byte a unit, and the threshold that others would choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from workbench.matching import FLOOR

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]

UNLINKED, FOUND, MISSING, UNSURE = range(4)


@dataclass(frozen=True)
class Vectors:
    """All units of a dataset in one row of memory.

    `similarity` has a byte a unit; sample i has the `sizes[i]` units from `starts[i]` on, each of them with
    the weight 1 / (units of its sample). A sample without units is undefined and stands in no mean.
    """

    similarity: Bytes
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    weights: Floats


def vectors(similarities: Sequence[bytes]) -> Vectors:
    """The vectors of samples given as bytes."""
    sizes = np.array([len(similarity) for similarity in similarities], dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    weights = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
    return Vectors(np.frombuffer(b"".join(similarities), dtype=np.uint8), starts, sizes, weights)


def mean_curve(given: Vectors) -> Floats:
    """The mean recall of the defined samples at each threshold 0 to 100; NaN without any.

    One pass: the weights are summed by similarity and added up from above.
    """
    defined = int(np.count_nonzero(given.sizes))
    if not defined:
        return np.full(101, np.nan)
    shares = np.bincount(given.similarity, weights=given.weights, minlength=101)
    return np.cumsum(shares[::-1])[::-1] / defined


def recalls_at(given: Vectors, threshold: int) -> Floats:
    """Every sample's recall at one threshold; NaN where undefined. Below 60 no link is kept."""
    passed = np.concatenate(([0], np.cumsum(given.similarity >= max(threshold, FLOOR))))
    hits = passed[given.starts[1:]] - passed[given.starts[:-1]]
    with np.errstate(invalid="ignore"):
        return np.where(given.sizes > 0, hits / given.sizes, np.nan)


@dataclass(frozen=True)
class Moves:
    """A dataset to be scored at any threshold: the mean recall at each, each sample's at the one in use."""

    given: Vectors
    curve: Floats
    now: int
    recalls: Floats


@dataclass(frozen=True)
class MovedCurve:
    """A dataset at one threshold, and against the one in use.

    `mean` is over `defined` samples, None without any. `flipped` units change their verdict, `risen` samples
    score higher and `fallen` ones lower.
    """

    threshold: int
    mean: float | None
    defined: int
    flipped: int
    risen: int
    fallen: int


def moves(similarities: Sequence[bytes], now: int) -> Moves:
    """Prepare samples, a byte a unit, for thresholds other than the one in use."""
    given = vectors(similarities)
    return Moves(given, mean_curve(given), now, recalls_at(given, now))


def move_to(prepared: Moves, threshold: int) -> MovedCurve:
    """Score every sample at a threshold. 100,000 samples of eight units take 10 ms."""
    given, (low, high) = prepared.given, sorted(max(cut, FLOOR) for cut in (threshold, prepared.now))
    recalls, mean = recalls_at(given, threshold), float(prepared.curve[max(threshold, FLOOR)])
    return MovedCurve(
        threshold=threshold,
        mean=None if np.isnan(mean) else mean,
        defined=int(np.count_nonzero(given.sizes)),
        flipped=int(np.count_nonzero((given.similarity >= low) & (given.similarity < high))),
        risen=int(np.count_nonzero(recalls > prepared.recalls)),
        fallen=int(np.count_nonzero(recalls < prepared.recalls)),
    )


Ints = NDArray[np.int64]

Objective = Literal["bias", "f1"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
"""Zero bias of recall, or the most right verdicts by F1: the two ask for different thresholds."""

FOLDS = 5
FEW_GROUPS = 50
"""Below so many groups each is a fold of its own."""

RESAMPLES = 2_000
_EQUAL = 1e-12
_CELLS = 2_000_000  # of a block of resamples: 16 MB


@dataclass(frozen=True)
class Sums:
    """All that choosing needs: three sums by group and cut.

    `values` are the K distinct scores, ascending; cut k counts what scores `values[k]` or more, cut K
    nothing. `there` (groups × K) says which scores a group has. `parts` (3 × groups × (K + 1)) are for `f1`
    true positives, false positives and positives; for `bias` the automatic recalls, the verified ones and
    the weights.
    """

    values: Floats
    there: NDArray[np.bool_]
    parts: Floats


@dataclass(frozen=True)
class Validated:
    """The threshold of all groups, one for each fold without that fold, and what those did on their folds.

    `by_group` (3 × groups) are the parts of each group at the threshold of its fold.
    """

    threshold: float
    folds: tuple[float, ...]
    by_group: Floats


def sums_of(
    scores: Floats, groups: Ints, number: int, counted: Sequence[Floats], fixed: Sequence[Floats]
) -> Sums:
    """The sums of units, each with a score and one of the `number` groups, counted from 0.

    `counted` are parts of an objective by unit, counted from their score on, `fixed` are those by group.
    """
    values, column = np.unique(scores, return_inverse=True)

    def by_score(of_units: Floats) -> Floats:
        summed = by_number(groups * len(values) + column, of_units, number * len(values))
        return summed.reshape(number, len(values))

    parts = np.zeros((len(counted) + len(fixed), number, len(values) + 1))
    for part, of_units in zip(parts, counted, strict=False):
        part[:, :-1] = np.cumsum(by_score(of_units)[:, ::-1], axis=1)[:, ::-1]
    for part, of_groups in zip(parts[len(counted) :], fixed, strict=True):
        part[:] = of_groups[:, None]
    return Sums(values, by_score(np.ones(len(scores))) > 0, parts)


def by_number(numbers: Ints, values: Floats, size: int) -> Floats:
    """The sums of the values that have each number from 0 to `size` − 1."""
    return np.asarray(np.bincount(numbers, values, minlength=size), dtype=np.float64)


def figure(parts: Floats, objective: Objective) -> Floats:
    """F1, or the signed bias, of parts summed over groups (3 × …); NaN where nothing is counted."""
    first, second, third = parts
    top, bottom = (2 * first, first + second + third) if objective == "f1" else (first - second, third)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(top / bottom)


def quality(parts: Floats, objective: Objective) -> Floats:
    """The larger the better: F1, or minus the size of the bias."""
    value = figure(parts, objective)
    return value if objective == "f1" else -np.abs(value)


def best_threshold(sums: Sums, objective: Objective, *, without: NDArray[np.bool_] | None = None) -> float:
    """The best cut of some groups: their lowest score or halfway between two; ties go to the highest.

    `without` marks groups that are left out. Some score has to be left.
    """
    groups = slice(None) if without is None else ~without
    usable = np.flatnonzero(sums.there[groups].any(axis=0))
    qualities = quality(sums.parts[:, groups].sum(axis=1), objective)[usable]
    index = int(np.flatnonzero(qualities >= np.nanmax(qualities) - _EQUAL)[-1])
    here = sums.values[usable[index]]
    return float(here if index == 0 else (sums.values[usable[index - 1]] + here) / 2)


def draw_folds(groups: int, seed: int) -> Ints:
    """The fold of every group: five at random, or each its own below fifty groups."""
    if groups < FEW_GROUPS:
        return np.arange(groups)
    folds = np.empty(groups, dtype=np.int64)
    folds[np.random.default_rng(seed).permutation(groups)] = np.arange(groups) % FOLDS
    return folds


def validate(sums: Sums, objective: Objective, folds: Ints, *, whole: bool = True) -> Validated:
    """Choose the threshold without each fold and apply it there; `whole` rounds thresholds up to integers.

    Rounding up keeps what a cut between two whole scores says. A fold whose rest has no scores keeps the
    threshold of all groups.
    """

    def rounded(threshold: float) -> float:
        return float(np.ceil(threshold)) if whole else threshold

    everything = rounded(best_threshold(sums, objective))
    thresholds = []
    by_group = np.zeros((3, len(sums.there)))
    for fold in range(int(folds.max(initial=-1)) + 1):
        inside = folds == fold
        rest = bool(sums.there[~inside].any())
        chosen = rounded(best_threshold(sums, objective, without=inside)) if rest else everything
        thresholds.append(chosen)
        by_group[:, inside] = at_threshold(sums, chosen)[:, inside]
    return Validated(everything, tuple(thresholds), by_group)


def at_threshold(sums: Sums, threshold: float) -> Floats:
    """The parts of every group (3 × groups) at one threshold."""
    return sums.parts[:, :, int(np.searchsorted(sums.values, threshold))]


def resampled(by_group: Sequence[Floats], objective: Objective, seed: int) -> list[Floats]:
    """The quality of each set of parts (3 × groups) over the same bootstrap samples of whole groups."""
    groups = by_group[0].shape[1]
    chance = np.random.default_rng(seed)
    qualities: list[list[Floats]] = [[] for _ in by_group]
    step = max(1, _CELLS // max(groups, 1))
    for start in range(0, RESAMPLES, step):
        size = min(step, RESAMPLES - start)
        times = chance.multinomial(groups, np.full(groups, 1 / groups), size=size).astype(np.float64)
        for index, parts in enumerate(by_group):
            qualities[index].append(quality(parts @ times.T, objective))
    return [np.concatenate(values) for values in qualities]
