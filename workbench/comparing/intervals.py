"""Intervals: t, Wilson, exact bounds, one that may be looked at as often as one likes; means with their n."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf, sqrt
from typing import Any

LEVEL = 0.95


@dataclass(frozen=True)
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


UNIT = Interval(0.0, 1.0)


def _special() -> Any:
    """scipy's functions, which take most of a second to load."""
    from scipy import special

    return special


def z_quantile(level: float = LEVEL) -> float:
    """The two-sided normal quantile: 1.959964 for 95 %."""
    return float(_special().ndtri((1 + level) / 2))


def t_quantile(df: float, level: float = LEVEL) -> float:
    """The two-sided Student quantile; the normal one for infinitely many degrees of freedom."""
    return z_quantile(level) if df == inf else float(_special().stdtrit(df, (1 + level) / 2))


def around(point: float, se: float, df: float = inf) -> Interval:
    """point ± t(df) · se."""
    half = t_quantile(df) * se
    return Interval(point - half, point + half)


def wilson(hits: float, n: float, quantile: float | None = None) -> Interval:
    """Wilson's score interval for a share (1927), 95 %; n > 0."""
    z, share = quantile or z_quantile(), hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


FEWEST_EITHER = 5
"""Groups with either outcome below which every group counts as one observation."""


def wilson_by_group(counts: Sequence[tuple[int, int]]) -> Interval | None:
    """Wilson's interval for a share of units that come in groups, as (hits, units) of each group.

    The units count as so many independent ones as the linearized variance between the groups says (Kish 1965;
    Korn, Graubard 1998), and t has G − 1 degrees of freedom. None below ten groups with units.
    """
    known = [(hits, n) for hits, n in counts if n]
    groups, hits, total = len(known), sum(hit for hit, _ in known), sum(n for _, n in known)
    if groups < FEWEST:
        return None
    share = hits / total
    variance = groups / (groups - 1) * fsum((hit - share * n) ** 2 for hit, n in known) / total**2
    worth = min(total, share * (1 - share) / variance) if variance else total
    either = min(sum(hit > 0 for hit, _ in known), sum(hit < n for hit, n in known))
    if either < FEWEST_EITHER:
        worth = min(worth, groups)
    return wilson(share * worth, worth, t_quantile(groups - 1))


def at_most(hits: int, n: int) -> float:
    """The exact one-sided upper bound on a share; 1 − .05^(1/n) when none of n was hit (near 3/n)."""
    return float(_special().betaincinv(hits + 1, n - hits, LEVEL)) if hits < n else 1.0


FEWEST = 10
"""Samples below which counts are given and no figures; groups, and units of a label, likewise."""
BADGE = 30
"""Samples from which figures stand without a caution."""


@dataclass(frozen=True)
class Mean:
    """A mean over `n` values; `undefined` values were left out and counted. None without values."""

    value: float | None
    n: int
    undefined: int


def mean(values: Iterable[float | Fraction | None], times: Sequence[int] = ()) -> Mean:
    """The mean of the defined values; summed with `fsum`, so the order of samples cannot matter.

    Each value counts as often as `times` says.
    """
    every = list(values)
    each = times or [1] * len(every)
    defined = [(float(value), often) for value, often in zip(every, each, strict=True) if value is not None]
    n = sum(often for _, often in defined)
    return Mean(fsum(value * often for value, often in defined) / n if n else None, n, sum(each) - n)
