"""The prediction-powered estimate for the process behind the samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from workbench.comparing.intervals import Interval, around


@dataclass(frozen=True, slots=True)
class Moments:
    """How many values, their mean, and their squared deviations summed."""

    n: int
    mean: float
    squares: float

    def variance(self, ddof: int) -> float:
        """Squared deviations by n − ddof; 0 without so many values."""
        return self.squares / (self.n - ddof) if self.n > ddof else 0.0


@dataclass(frozen=True, slots=True)
class PowerTuned:
    """A PPI++ estimate: the weight `lam` of the automatic values, the point, its standard error."""

    lam: float
    point: float
    se: float
    interval: Interval


def moments(values: Sequence[float]) -> Moments:
    """The moments of some values."""
    mean = fsum(values) / len(values) if values else 0.0
    return Moments(len(values), mean, fsum((value - mean) ** 2 for value in values))


def without(all_: Moments, part: Moments) -> Moments:
    """The moments of the values of `all_` that are not in `part`."""
    n = all_.n - part.n
    if not n:
        return Moments(0, 0.0, 0.0)
    mean = (all_.n * all_.mean - part.n * part.mean) / n
    between = part.n * n / all_.n * (part.mean - mean) ** 2
    return Moments(n, mean, max(0.0, all_.squares - part.squares - between))


def ppi(
    verified: Sequence[float],
    automatic: Sequence[float],
    rest: Moments,
    *,
    lam: float | None = None,
    weights: Sequence[float] | None = None,
    ddof: int = 1,
    student: bool = True,
) -> PowerTuned:
    """Prediction-powered mean of the process (Angelopoulos, Duchi, Zrnic, "PPI++", 2023).

    lam · mean(rest) + mean(verified − lam · automatic), where `rest` are the automatic values of samples that
    nobody verified. `lam` None is tuned: Cov0(Y, F) / ((1 + n/N) Var1(all F)), kept within 0 and 1.
    `ddof` 0 and no `student` give ppi_py's interval.
    """
    n = len(verified)
    if lam is None:
        lam = _tuned(verified, automatic, rest)
    errors = [y - lam * f for y, f in zip(verified, automatic, strict=True)]
    spread = moments(errors)
    each = [1.0] * n if weights is None else weights
    middle = fsum(w * e for w, e in zip(each, errors, strict=True)) / fsum(each)
    point = lam * rest.mean + middle
    variance = spread.variance(ddof) / n + (lam**2 * rest.variance(ddof) / rest.n if rest.n else 0.0)
    se = sqrt(variance)
    return PowerTuned(lam, point, se, around(point, se, n - 1) if student else around(point, se))


def _tuned(verified: Sequence[float], automatic: Sequence[float], rest: Moments) -> float:
    n, ours, theirs = len(verified), moments(verified), moments(automatic)
    together = fsum((y - ours.mean) * (f - theirs.mean) for y, f in zip(verified, automatic, strict=True)) / n
    between = n * rest.n / (n + rest.n) * (theirs.mean - rest.mean) ** 2
    variance = (theirs.squares + rest.squares + between) / (n + rest.n - 1)
    if not rest.n or not variance:
        return 0.0
    return min(1.0, max(0.0, together / ((1 + n / rest.n) * variance)))


def least_correlation(n: int) -> float:
    """The |correlation| above which tuned automatic values help at all: 1 / sqrt(n − 2), for n > 2."""
    return 1 / sqrt(n - 2) if n > 2 else 1.0
