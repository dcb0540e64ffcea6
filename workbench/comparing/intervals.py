"""Intervals: t, Wilson, exact bounds, one that may be looked at as often as one likes; means with their n."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf, lgamma, log, sqrt

from workbench.model import Tally

LEVEL = 0.95
UNPLANNED = 100
"""The sample size that a confidence sequence is tuned for when no plan names one."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A lower and an upper end, both included."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """From end to end."""
        return self.high - self.low

    def clipped(self, low: float = 0.0, high: float = 1.0) -> Interval:
        """The part of it that lies between `low` and `high`; an end outside moves to the nearer of them."""
        return Interval(min(max(self.low, low), high), min(max(self.high, low), high))

    def mirrored(self, value: float) -> Interval:
        """`value` minus everything in it."""
        return Interval(value - self.high, value - self.low)


UNIT = Interval(0.0, 1.0)


def z_quantile(level: float = LEVEL) -> float:
    """The two-sided normal quantile: 1.959964 for 95 %."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def t_quantile(df: float, level: float = LEVEL) -> float:
    """The two-sided Student quantile; the normal one for infinitely many degrees of freedom."""
    from scipy.special import stdtrit

    return z_quantile(level) if df == inf else float(stdtrit(df, (1 + level) / 2))


def around(point: float, se: float, df: float = inf, level: float = LEVEL) -> Interval:
    """point ± t(df) · se."""
    half = t_quantile(df, level) * se
    return Interval(point - half, point + half)


def wilson(hits: int, n: int, level: float = LEVEL) -> Interval:
    """Wilson's score interval for a share (1927); the whole of [0, 1] without observations."""
    if not n:
        return UNIT
    z, share = z_quantile(level), hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


def at_most(hits: int, n: int, level: float = LEVEL) -> float:
    """The exact one-sided upper bound on a share; 1 − .05^(1/n) when none of n was hit (near 3/n)."""
    from scipy.special import betaincinv

    return float(betaincinv(hits + 1, n - hits, level)) if hits < n else 1.0


def at_most_always(hits: int, n: int, level: float = LEVEL) -> float:
    """`at_most` for one who looks after every observation: it holds at all n at once, so it is wider.

    The upper end of the shares p at which the uniform mixture ∫ q^k (1 − q)^(n − k) dq stays below
    p^k (1 − p)^(n − k) / (1 − level) (Robbins 1970), found by halving.
    """
    wanted = log(1 - level) + lgamma(hits + 1) + lgamma(n - hits + 1) - lgamma(n + 2)
    low, high = hits / n, 1.0
    while high - low > 1e-12:
        share = (low + high) / 2
        seen = (hits * log(share) if hits else 0.0) + (n - hits) * log(1 - share)
        low, high = (share, high) if seen > wanted else (low, share)
    return high if hits < n else 1.0


def sequence_factor(n: int, planned: int | None, level: float = LEVEL) -> float:
    """How many standard errors a confidence sequence reaches at n, whenever one looks.

    The asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas ("Time-uniform
    central limit theory and asymptotic confidence sequences", 2024): the mean of n values with variance v is
    within sqrt((n v r² + 1) / (n² r²) · log((n v r² + 1) / a²)) at all n at once. Divided by sqrt(v / n) it
    depends on s = v r² alone, and s = (−2 log a + log(−2 log a) + 1) / planned makes it narrowest near the
    planned n.
    """
    error = 1 - level
    tuned = (-2 * log(error) + log(-2 * log(error)) + 1) / (planned or UNPLANNED)
    grown = n * tuned + 1
    return sqrt(grown / (n * tuned) * log(grown / error**2))


def welch(means: tuple[float, float], ses: tuple[float, float], dfs: tuple[float, float]) -> Interval:
    """The t interval of the difference first − second of two independent means (Welch 1947)."""
    one, other = ses[0] ** 2, ses[1] ** 2
    spread = one**2 / dfs[0] + other**2 / dfs[1]
    df = (one + other) ** 2 / spread if spread else inf
    return around(means[0] - means[1], sqrt(one + other), df)


FEWEST = 10
"""Samples below which counts are given and no figures; groups, and units of a label, likewise."""
BADGE = 30
"""Samples from which figures stand without a caution."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over `n` values; `undefined` values were left out and counted. None without values."""

    value: float | None
    n: int
    undefined: int


def mean(values: Iterable[float | Fraction | None]) -> Mean:
    """The mean of the defined values; summed with `fsum`, so the order of samples cannot matter."""
    every = list(values)
    defined = [float(value) for value in every if value is not None]
    n = len(defined)
    return Mean(fsum(defined) / n if n else None, n, len(every) - n)


def summed(tallies: Iterable[Tally]) -> Tally:
    """All counts added up."""
    counts = [(tally.found, tally.missing, tally.unsure) for tally in tallies]
    return Tally(*map(sum, zip((0, 0, 0), *counts, strict=True)))
