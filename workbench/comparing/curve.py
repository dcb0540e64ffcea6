"""Recall under every match threshold, from one byte a unit, and what moves between two thresholds.

Two vectors describe a dataset: the similarity of each unit's best match, never overwritten, and the human
verdict on it. Overlaid, they give the verified curve by the code that gives the automatic one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.matching import FLOOR

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]

UNLINKED, FOUND, MISSING, UNSURE = range(4)
THRESHOLDS = 102
"""Rows of a curve: thresholds 0 to 100, and 101, which only a person's `found` reaches."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """All units of a dataset in one row of memory.

    `similarity` and `human` have a byte a unit; sample i has the units from `starts[i]` to
    `starts[i + 1]`, and each of them the weight 1 / (units of its sample). A sample without units is
    undefined and stands in no mean.
    """

    similarity: Bytes
    human: Bytes
    starts: NDArray[np.int64]
    weights: Floats

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Units of each sample."""
        return np.diff(self.starts)


def vectors(similarities: Sequence[bytes], human: Sequence[bytes | None] | None = None) -> Vectors:
    """The vectors of samples given as bytes; `human` None, or None for a sample, means nobody judged it.

    Raises ValueError when the two differ in length for a sample.
    """
    verdicts = [
        bytes(len(one)) if said is None else said
        for one, said in zip(similarities, human or [None] * len(similarities), strict=True)
    ]
    if any(len(one) != len(said) for one, said in zip(similarities, verdicts, strict=True)):
        raise ValueError("a sample has another number of verdicts than of units")
    starts = np.zeros(len(similarities) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in similarities], out=starts[1:])
    sizes = np.diff(starts)
    return Vectors(
        np.frombuffer(b"".join(similarities), dtype=np.uint8),
        np.frombuffer(b"".join(verdicts), dtype=np.uint8),
        starts,
        np.repeat(1.0 / np.maximum(sizes, 1), sizes),
    )


def overlay(given: Vectors) -> Bytes:
    """Similarities under the human verdicts: found passes every threshold, the others none above 0."""
    values = given.similarity.copy()
    values[given.human == FOUND] = THRESHOLDS - 1
    values[given.human > FOUND] = 0
    return values


def mean_curve(values: Bytes, given: Vectors) -> Floats:
    """The mean recall of the defined samples at each threshold 0 to 101; NaN without any.

    One pass: the weights are summed by similarity and added up from above.
    """
    defined = int(np.count_nonzero(given.sizes))
    if not defined:
        return np.full(THRESHOLDS, np.nan)
    shares = np.bincount(values, weights=given.weights, minlength=THRESHOLDS)
    return np.cumsum(shares[::-1])[::-1] / defined


def recalls_at(values: Bytes, given: Vectors, threshold: int) -> Floats:
    """Every sample's recall at one threshold; NaN where undefined."""
    sizes = given.sizes
    passed = np.concatenate(([0], np.cumsum(values >= threshold)))
    found = passed[given.starts[1:]] - passed[given.starts[:-1]]
    with np.errstate(invalid="ignore"):
        return np.where(sizes > 0, found / sizes, np.nan)


@dataclass(frozen=True, slots=True)
class Moves:
    """A dataset ready to be scored at any threshold.

    `curve` has the mean recall at each threshold, `at_least` how many units are that alike or more;
    `recalls` are every sample's at the threshold in use.
    """

    given: Vectors
    curve: Floats
    at_least: NDArray[np.int64]
    now: int
    recalls: Floats


@dataclass(frozen=True, slots=True)
class Moved:
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
    counts = np.bincount(given.similarity, minlength=102)
    return Moves(
        given=given,
        curve=mean_curve(given.similarity, given),
        at_least=np.cumsum(counts[::-1])[::-1].astype(np.int64),
        now=now,
        recalls=recalls_at(given.similarity, given, max(now, FLOOR)),
    )


def move_to(prepared: Moves, threshold: int) -> Moved:
    """Score every sample at a threshold. 100,000 samples of eight units take 10 ms."""
    cut, now = max(threshold, FLOOR), max(prepared.now, FLOOR)
    recalls = recalls_at(prepared.given.similarity, prepared.given, cut)
    mean = float(prepared.curve[cut])
    return Moved(
        threshold=threshold,
        mean=None if np.isnan(mean) else mean,
        defined=int(np.count_nonzero(prepared.given.sizes)),
        flipped=abs(int(prepared.at_least[cut] - prepared.at_least[now])),
        risen=int(np.count_nonzero(recalls > prepared.recalls)),
        fallen=int(np.count_nonzero(recalls < prepared.recalls)),
    )
