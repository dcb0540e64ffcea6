"""A score corrected by what verified samples say, and how likely a match is right by its similarity."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, exp, log, sqrt
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from workbench.comparing.intervals import LEVEL, Interval, t_quantile

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Corrected:
    """A corrected value with its 95 % interval; None where too few samples were seen for one."""

    value: float
    interval: Interval | None

    def __str__(self) -> str:
        if self.interval is None:
            return f"{self.value:.2f} [too few verified]"
        return f"{self.value:.2f} [{self.interval.low:.2f}, {self.interval.high:.2f}]"


ROUNDED = 0.0051
"""How far a score may be from found / units: who has rounded it kept two places."""


@dataclass(frozen=True)
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

        Raises ValueError for a score outside 0-1, without units, or that so many units cannot have.
        """
        known = is_recall(score) and _is_number(units) and units >= 1 and units % 1 == 0
        if not known or abs(score - round(score * units) / units) > ROUNDED:
            raise ValueError(f"score {score!r} of {units!r} units: a recall from 0 to 1 of whole units")
        return self._corrected(score, None if self.spread is None else self.spread / sqrt(units))

    def correct_mean(self, mean: float, samples: int) -> Corrected:
        """The mean of that many new scores. The interval holds for samples like those that were verified."""
        if self.covariance is None or samples < 1:
            return self._corrected(mean, None)
        a, b, both = self.covariance
        variance = a + 2 * mean * both + mean**2 * b + self.residual / samples
        off = self.quantile * sqrt(max(variance, 0.0))
        return self._corrected(mean, off if off > 1e-9 else None)  # no errors: nothing to tell the width from

    def _corrected(self, score: float, off: float | None) -> Corrected:
        value = min(1.0, max(0.0, self.intercept + self.slope * score))  # `spread` is about this one
        return Corrected(value, None if off is None else Interval(value - off, value + off).clipped())


def is_recall(value: Any) -> bool:
    """Whether a value is a recall: a number from 0 to 1, with what the rounding of a sum adds."""
    return _is_number(value) and 0 <= value <= 1.0000001


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
        rest = ~inside if (~inside).any() else inside
        a, b = _least_squares(automatic[rest], verified[rest], weights[rest])
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
    covariance = bread @ (summed @ summed.T) @ bread * there / (there - 1)
    return float(covariance[0, 0]), float(covariance[1, 1]), float(covariance[0, 1])


ENOUGH = 1_000
"""Pairs from which the isotonic model is fitted; below it overfits, and a sigmoid is fitted."""

BAND = (0.2, 0.8)
"""Between these a verdict is worth a look: one in five is wrong or more."""

_SURE = 0.001  # the log loss of a step model that says 0 or 1 would be infinite
_EDGES = (60, 70, 75, 80, 85, 90, 95, 100)  # of the rows of a reliability table, after "no near name"


@dataclass(frozen=True)
class Model:
    """The probability that a person finds a unit, by the similarity (0-100) of its best match.

    `none` is that of a unit without a near name, similarity 0, which is no small likeness but none at all:
    with those in the fit a sigmoid said .85 where .96 was so. `platt`: 1 / (1 + exp(a s + b)). `isotonic`:
    straight lines between the points (`similarities`, `probabilities`), level outside.
    """

    kind: Literal["platt", "isotonic"]
    none: float
    a: float = 0.0
    b: float = 0.0
    similarities: tuple[float, ...] = ()
    probabilities: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.kind == "isotonic" and not 0 < len(self.similarities) == len(self.probabilities):
            raise ValueError("an isotonic model has a probability for each of its similarities")
        if not all(0 <= value <= 1 for value in (self.none, *self.probabilities)):
            raise ValueError("a probability lies between 0 and 1")

    def probability(self, similarity: float) -> float:
        """The probability at one similarity."""
        if similarity <= 0:
            return self.none
        if self.kind == "platt":
            # 1 / (1 + e^z) without overflow
            z = self.a * similarity + self.b
            return 1 / (1 + exp(z)) if z < 0 else exp(-z) / (1 + exp(-z))
        xs, ys = self.similarities, self.probabilities
        index = bisect_left(xs, similarity)
        if index == 0 or index == len(xs):
            return ys[min(index, len(ys) - 1)]
        share = (similarity - xs[index - 1]) / (xs[index] - xs[index - 1])
        return ys[index - 1] + share * (ys[index] - ys[index - 1])


@dataclass(frozen=True)
class ReliabilityBin:
    """The pairs with similarities from `low` to `high`: how many, what was said of them and what is so."""

    low: int
    high: int
    pairs: int
    predicted: float
    found: float


@dataclass(frozen=True)
class Reliability:
    """Brier score, log loss (probabilities kept .001 from 0 and 1) and the table behind them."""

    brier: float
    log_loss: float
    bins: tuple[ReliabilityBin, ...]


def fit(scores: Floats, positive: Floats, weights: Floats, pairs: int = 0) -> Model:
    """The model that so many pairs allow. Raises ValueError without pairs.

    `pairs`: how many the whole fit has, where these are those of some folds; it decides the kind of model.
    The rate of units without a near name is smoothed as Platt's targets are, and never above the others.
    """
    if not len(scores):
        raise ValueError("no pairs to fit")
    near = scores > 0
    hits, missing = (float(weights[~near] @ outcome[~near]) for outcome in (positive, 1 - positive))
    none = (hits + 1) / (hits + missing + 2)
    if not near.any():
        return Model("platt", none, 0.0, -log(none / (1 - none)))
    rest = scores[near], positive[near], weights[near]
    if max(pairs, len(scores)) < ENOUGH:
        a, b = platt(*rest)
        hits, total = float(rest[2] @ rest[1]), float(rest[2].sum())
        level = log((total - hits + 1) / (hits + 1))  # a level sigmoid, where likeness says nothing
        model = Model("platt", none, min(a, 0.0), b if a < 0 else level)
    else:
        xs, ys = isotonic(*rest)
        model = Model("isotonic", none, 0.0, 0.0, tuple(xs.tolist()), tuple(ys.tolist()))
    return replace(model, none=min(none, model.probability(float(rest[0].min()))))


def isotonic(scores: Floats, positive: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The distinct scores and the best rising values at them, equal scores pooled first."""
    from scipy.optimize import isotonic_regression

    values, where = np.unique(scores, return_inverse=True)
    weight = np.bincount(where, weights)
    means = np.bincount(where, weights * positive) / weight
    return values, np.asarray(isotonic_regression(means, weights=weight).x, dtype=np.float64)


def platt(scores: Floats, positive: Floats, w: Floats) -> tuple[float, float]:
    """(a, b) of p = 1 / (1 + exp(a s + b)), with Platt's targets (P + 1)/(P + 2) and 1/(M + 2).

    Newton steps with a line search on the log loss (Lin, Lin and Weng 2007).
    """
    plus, minus = float(w @ positive), float(w @ (1 - positive))
    target = np.where(positive > 0, (plus + 1) / (plus + 2), 1 / (minus + 2))
    scale = float(np.abs(scores).max()) or 1.0  # similarities to 100 make the Hessian ill-conditioned
    design = np.column_stack([scores / scale, np.ones(len(scores))])
    point = np.array([0.0, np.log((minus + 1) / (plus + 1))])

    def loss(at: Floats) -> float:
        z = design @ at
        return float(w @ (target * z + np.logaddexp(0, -z)))

    value = loss(point)
    for _ in range(100):
        p = 1 / (1 + np.exp(design @ point))
        slope = design.T @ (w * (target - p))
        if np.abs(slope).max() < 1e-10:
            break
        bend = (design * (w * p * (1 - p))[:, None]).T @ design + 1e-12 * np.eye(2)
        step, size = np.linalg.solve(bend, slope), 1.0
        while size > 1e-10 and loss(point - size * step) > value + 1e-15:
            size /= 2
        point = point - size * step
        value = loss(point)
    return float(point[0] / scale), float(point[1])


def predict(model: Model, scores: Floats) -> Floats:
    """The probabilities of many similarities."""
    values, where = np.unique(scores, return_inverse=True)
    return np.array([model.probability(value) for value in values.tolist()])[where]


def reliability(predicted: Floats, scores: Floats, positive: Floats, weights: Floats) -> Reliability:
    """How far probabilities are from what people said; counts are of pairs, means are weighted."""
    clipped = np.clip(predicted, _SURE, 1 - _SURE)
    loss = -(positive * np.log(clipped) + (1 - positive) * np.log(1 - clipped))
    total = weights.sum()
    edges = np.array([0, *_EDGES])
    row = np.searchsorted(edges, scores, side="right") - 1
    bins = []
    for index in range(len(edges)):
        inside = row == index
        if inside.any():
            share = weights[inside] / weights[inside].sum()
            high = 100 if index == len(edges) - 1 else int(edges[index + 1]) - 1
            forecast, so = float(share @ predicted[inside]), float(share @ positive[inside])
            bins.append(ReliabilityBin(int(edges[index]), high, int(inside.sum()), forecast, so))
    brier = float(weights @ (predicted - positive) ** 2 / total)
    return Reliability(brier, float(weights @ loss / total), tuple(bins))


def band(probabilities: Sequence[float], low: int) -> tuple[int, int] | None:
    """The first and last whole similarity from `low` on whose probability lies in `BAND`; None without one.

    `probabilities` are those of similarities 0 to 100. 0 stands for no near name and is never in a band.
    """
    inside = [at for at in range(low, 101) if BAND[0] <= probabilities[at] <= BAND[1]]
    return (inside[0], inside[-1]) if inside else None
