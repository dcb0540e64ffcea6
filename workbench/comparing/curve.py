"""Recall under every match threshold, from one byte a unit.

Two vectors describe a dataset: the similarity of each unit's best match, never overwritten, and the human
verdict on it. Overlaid, they give the verified curve by the code that gives the automatic one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
