"""A score corrected by what verified samples say: the line from automatic to verified, and its error."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.comparing.intervals import LEVEL, Interval, t_quantile

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected value with its 95 % interval; None where too few samples were seen for one."""

    value: float
    interval: Interval | None

    def __str__(self) -> str:
        if self.interval is None:
            return f"{self.value:.2f} [too few verified]"
        return f"{self.value:.2f} [{self.interval.low:.2f}, {self.interval.high:.2f}]"


@dataclass(frozen=True, slots=True)
class Line:
    """verified ≈ intercept + slope · automatic, for scores at one match threshold.

    `covariance` is of (intercept, slope), summed by group; None below ten groups. `spread`: 95 % of the
    samples lay within spread / √units of the line that was fitted without them; None below 19 samples, and
    where it would be 0. `residual` is their mean square error, `quantile` Student's t for groups − 1, 0
    without a covariance.
    """

    intercept: float
    slope: float
    covariance: tuple[float, float, float] | None
    spread: float | None
    residual: float
    quantile: float
    samples: int
    groups: int

    def correct(self, score: float, units: int) -> Corrected:
        """One sample's score. The interval is for the verified value of such a sample, not for its mean.

        Raises ValueError for a score outside 0-1 or without units.
        """
        if not is_recall(score) or not (_is_number(units) and units >= 1 and units % 1 == 0):
            raise ValueError(f"score {score!r} of {units!r} units: a recall from 0 to 1 of at least one unit")
        value = self.intercept + self.slope * score
        if self.spread is None:
            return Corrected(_clip(value), None)
        off = self.spread / sqrt(units)
        return Corrected(_clip(value), Interval(value - off, value + off).clipped())

    def correct_mean(self, mean: float, samples: int) -> Corrected:
        """The mean of that many new scores. The interval holds for samples like those that were verified.

        Raises ValueError for a mean outside 0-1.
        """
        if not is_recall(mean):
            raise ValueError(f"mean {mean!r}: a mean of recalls from 0 to 1")
        value = self.intercept + self.slope * mean
        if self.covariance is None or samples < 1:
            return Corrected(_clip(value), None)
        a, b, both = self.covariance
        variance = a + 2 * mean * both + mean**2 * b + self.residual / samples
        off = self.quantile * sqrt(max(variance, 0.0))
        return Corrected(_clip(value), Interval(value - off, value + off).clipped())


def is_recall(value: Any) -> bool:
    """Whether a value is a recall: a number from 0 to 1, with what the rounding of a sum adds."""
    return _is_number(value) and 0 <= value <= 1.0000001


def is_similarity(value: Any) -> bool:
    """Whether a value is a similarity: a number from 0 to 100."""
    return _is_number(value) and 0 <= value <= 100


def _is_number(value: Any) -> bool:
    """Numbers of numpy too; True is none, and NaN fails every comparison that follows."""
    return isinstance(value, Real) and not isinstance(value, bool)


def fit_line(
    automatic: Floats, verified: Floats, units: Ints, groups: Ints, weights: Floats, folds: Ints
) -> tuple[Line, Floats]:
    """The line of some samples, and the values corrected by lines of the other folds.

    `groups` numbers from 0, `folds` is by group. Where all automatic values are equal the line is a shift.
    The spread is the conformal quantile of |error| · √units out of fold (Papadopoulos, Gammerman and Vovk
    2008), the covariance the sandwich by group (Liang and Zeger 1986) with G/(G − 1).
    """
    intercept, slope = _least_squares(automatic, verified, weights)
    held = np.empty(len(automatic))
    for fold in np.unique(folds[groups]):
        inside = folds[groups] == fold
        a, b = (
            _least_squares(automatic[~inside], verified[~inside], weights[~inside])
            if (~inside).any()
            else (intercept, slope)
        )
        held[inside] = a + b * automatic[inside]
    held = np.clip(held, 0, 1)
    number, count = len(automatic), len(np.unique(groups))
    error = np.sort(np.abs(held - verified) * np.sqrt(units))
    rank = ceil((number + 1) * LEVEL)
    covariance, quantile = None, 0.0
    if count >= 10:
        covariance = _sandwich(automatic, verified - intercept - slope * automatic, groups, weights)
        quantile = t_quantile(count - 1)
    line = Line(
        intercept=intercept,
        slope=slope,
        covariance=covariance,
        spread=float(error[rank - 1]) if rank <= number and error[rank - 1] > 1e-9 else None,
        residual=float(weights @ (held - verified) ** 2 / weights.sum()),
        quantile=quantile,
        samples=number,
        groups=count,
    )
    return line, held


def _least_squares(x: Floats, y: Floats, w: Floats) -> tuple[float, float]:
    mean_x, mean_y = float(w @ x / w.sum()), float(w @ y / w.sum())
    around = x - mean_x
    square = float(w @ around**2)
    if square < 1e-12:
        return mean_y - mean_x, 1.0
    slope = float(w @ (around * (y - mean_y))) / square
    return mean_y - slope * mean_x, slope


def _sandwich(x: Floats, error: Floats, groups: Ints, w: Floats) -> tuple[float, float, float] | None:
    """(var intercept, var slope, covariance); None where all x are equal."""
    design = np.column_stack([np.ones(len(x)), x])
    inner = (design * w[:, None]).T @ design
    if np.linalg.cond(inner) > 1e12:
        return None
    scores = design * (w * error)[:, None]
    count = int(groups.max()) + 1
    summed = np.stack([np.bincount(groups, scores[:, k], minlength=count) for k in range(2)])
    bread = np.linalg.inv(inner)
    there = len(np.unique(groups))
    found = bread @ (summed @ summed.T) @ bread * there / (there - 1)
    return float(found[0, 0]), float(found[1, 1]), float(found[0, 1])


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
