"""The best threshold, and how good it is on groups that did not choose it.

Groups (documents) stay whole: what one unit of a document says of a threshold, its neighbours say again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
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


@dataclass(frozen=True, slots=True)
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

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.there.shape[0])


@dataclass(frozen=True, slots=True)
class Validated:
    """The threshold of all groups, one for each fold without that fold, and what those did on their folds.

    `by_group` (3 × groups) are the parts of each group at the threshold of its fold.
    """

    threshold: float
    folds: tuple[float, ...]
    by_group: Floats


def sums_of_pairs(scores: Floats, positive: Floats, groups: Ints, weights: Floats) -> Sums:
    """The sums for F1: one score and verdict (1 or 0) a unit, groups numbered from 0."""
    values, column = np.unique(scores, return_inverse=True)
    shape = (int(groups.max(initial=-1)) + 1, len(values))
    positives = _table(groups, column, weights * positive, shape)
    negatives = _table(groups, column, weights * (1 - positive), shape)
    there = _table(groups, column, np.ones(len(scores)), shape) > 0
    total = np.broadcast_to(positives.sum(axis=1)[:, None], (shape[0], shape[1] + 1))
    return Sums(values, there, np.stack([_from_above(positives), _from_above(negatives), total]))


def sums_of_recalls(
    scores: Floats, units: Floats, of: Ints, *, groups: Ints, verified: Floats, weights: Floats
) -> Sums:
    """The sums for bias: unit j scores `scores[j]`, is of sample `of[j]` and `units[j]` of its recall.

    `groups`, `verified` (recalls) and `weights` are by sample.
    """
    values, column = np.unique(scores, return_inverse=True)
    shape = (int(groups.max(initial=-1)) + 1, len(values))
    shares = _table(groups[of], column, units * weights[of], shape)
    there = _table(groups[of], column, np.ones(len(scores)), shape) > 0
    wide = (shape[0], shape[1] + 1)
    wanted = np.bincount(groups, weights * verified, minlength=shape[0])[:, None]
    weight = np.bincount(groups, weights, minlength=shape[0])[:, None]
    parts = [_from_above(shares), np.broadcast_to(wanted, wide), np.broadcast_to(weight, wide)]
    return Sums(values, there, np.stack(parts))


def figure(parts: Floats, objective: Objective) -> Floats:
    """F1, or the signed bias, of parts summed over groups (3 × …); NaN where nothing is counted."""
    one, two, three = parts
    top, bottom = (2 * one, one + two + three) if objective == "f1" else (one - two, three)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(top / bottom)


def quality(parts: Floats, objective: Objective) -> Floats:
    """The larger the better: F1, or minus the size of the bias."""
    value = figure(parts, objective)
    return value if objective == "f1" else -np.abs(value)


def best_threshold(sums: Sums, objective: Objective, *, without: NDArray[np.bool_] | None = None) -> float:
    """The best cut of some groups: their lowest score or halfway between two; ties go to the highest.

    `without` marks groups that are left out. Raises ValueError when no score is left.
    """
    kept = slice(None) if without is None else ~without
    usable = np.flatnonzero(sums.there[kept].any(axis=0))
    if not len(usable):
        raise ValueError("no scores to choose a threshold from")
    found = quality(sums.parts[:, kept].sum(axis=1), objective)[usable]
    place = int(np.flatnonzero(found >= np.nanmax(found) - _EQUAL)[-1])
    here = sums.values[usable[place]]
    return float(here if place == 0 else (sums.values[usable[place - 1]] + here) / 2)


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
    by_group = np.zeros((3, sums.groups))
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


def resampled(
    by_group: Sequence[Floats], objective: Objective, seed: int, *, resamples: int = RESAMPLES
) -> list[Floats]:
    """The quality of each set of parts (3 × groups) over the same bootstrap samples of whole groups."""
    groups = by_group[0].shape[1]
    chance = np.random.default_rng(seed)
    found: list[list[Floats]] = [[] for _ in by_group]
    step = max(1, _CELLS // max(groups, 1))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        times = chance.multinomial(groups, np.full(groups, 1 / groups), size=size).astype(np.float64)
        for place, parts in enumerate(by_group):
            found[place].append(quality(parts @ times.T, objective))
    return [np.concatenate(one) for one in found]


def _table(rows: Ints, columns: Ints, values: Floats, shape: tuple[int, int]) -> Floats:
    """Values added up by row and column."""
    summed = np.bincount(rows * shape[1] + columns, values, minlength=shape[0] * shape[1])
    return np.asarray(summed, dtype=np.float64).reshape(shape)


def _from_above(table: Floats) -> Floats:
    """Sums of each column and all above it; a last column of zeros."""
    summed = np.cumsum(table[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([summed, np.zeros((len(table), 1))], axis=1)
