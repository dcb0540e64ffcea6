"""What moving the match threshold does to a whole dataset: prepared once, then a few array passes a move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.comparing.curve import Floats, Vectors, mean_curve, recalls_at, vectors
from workbench.matching import FLOOR


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
