"""Automatic against verified values of the same samples: by how much they differ, and how regularly.

Differences here are automatic − verified. Below ten samples only counts are given, as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from workbench.comparing.agreement import Rate
from workbench.comparing.estimators import EQUAL, clusters, rare
from workbench.comparing.intervals import BADGE, FEWEST, LEVEL, Interval, around, at_most, welch, z_quantile

Floats = NDArray[np.float64]


def pearson(x: Floats, y: Floats) -> float | None:
    """The product-moment correlation; None where a column is constant."""
    return float(np.corrcoef(x, y)[0, 1]) if np.ptp(x) and np.ptp(y) else None


def spearman(x: Floats, y: Floats) -> float | None:
    """Pearson of the ranks, tied values sharing the mean of theirs."""
    return pearson(_ranks(x), _ranks(y))


def _ranks(values: Floats) -> Floats:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Floats = (last - (counts - 1) / 2)[place]
    return ranks


QUANTILES_FROM = 40
"""Samples from which the empirical 2.5 and 97.5 % quantiles of the differences are given."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One sample with both values defined; values less than `within` apart are equal."""

    id: str
    automatic: float
    verified: float
    group: str | None = None
    within: float = EQUAL


@dataclass(frozen=True, slots=True)
class AgreementLimits:
    """Limits of agreement (Bland, Altman 1986): bias ± z · sd, each limit with its interval."""

    low: float
    high: float
    low_interval: Interval
    high_interval: Interval


@dataclass(frozen=True, slots=True)
class Paired:
    """The figures of `n` pairs; below ten all but the counts are None.

    `equal` counts samples without a difference, `largest` is the id and difference of the one farthest off.
    `bias_interval` is by group where `groups` is not None; it is None where all differences are equal or
    all but four at most: then at most `may_differ` of the samples do. `headline`: enough samples for a
    correlation to stand alone. `early`: before the end of a plan, where neither is given.
    """

    n: int
    equal: Rate
    largest: tuple[str, float] | None
    groups: int | None = None
    headline: bool = False
    early: bool = False
    bias: float | None = None
    bias_interval: Interval | None = None
    may_differ: float | None = None
    sd: float | None = None
    limits: AgreementLimits | None = None
    quantiles: Interval | None = None
    mae: float | None = None
    rmse: float | None = None
    pearson: float | None = None
    spearman: float | None = None


@dataclass(frozen=True, slots=True)
class MeanOf:
    """A mean of some values with its standard error and t interval; groups give the degrees of freedom.

    One observation has neither.
    """

    n: int
    mean: float
    se: float | None
    df: int
    interval: Interval | None


def paired(pairs: Sequence[Pair], *, early: bool = False) -> Paired:
    """Compare two columns; ties for the largest difference go to the id that sorts first.

    `early`: without the intervals that hold at the end of a plan only.
    """
    if not pairs:
        return Paired(0, Rate(0, 0), None, early=early)
    x, y = (
        np.array(side, dtype=float) for side in zip(*((p.automatic, p.verified) for p in pairs), strict=True)
    )
    d = x - y
    size = np.abs(d)
    equal = Rate(int((size < [one.within for one in pairs]).sum()), len(pairs))
    worst = min(np.flatnonzero(size == size.max()).tolist(), key=lambda place: pairs[place].id)
    largest = pairs[worst].id, float(d[worst])
    if len(pairs) < FEWEST:
        return Paired(len(pairs), equal, largest, early=early)
    off = d.tolist()
    names = [one.group for one in pairs]
    average = mean_of(off, names)
    usual = rare(off, within=max(one.within for one in pairs))
    n = len(off)
    grouped = average.df + 1 < n
    return Paired(
        n=n,
        equal=equal,
        largest=largest,
        groups=average.df + 1 if grouped else None,
        headline=n >= BADGE,
        early=early,
        bias=average.mean,
        bias_interval=average.interval if not early and usual is None and average.df + 1 >= FEWEST else None,
        may_differ=None if early or usual is None else at_most(usual[1], n),
        sd=float(d.std(ddof=1)),
        limits=limits(d) if usual is None else None,
        quantiles=Interval(*map(float, np.quantile(d, [0.025, 0.975]))) if n >= QUANTILES_FROM else None,
        mae=float(size.mean()),
        rmse=sqrt(float((d**2).mean())),
        pearson=pearson(x, y),
        spearman=spearman(x, y),
    )


def limits(d: Floats, *, covered: float = LEVEL, level: float = LEVEL) -> AgreementLimits:
    """bias ± z · s; a limit's interval is ± t · s · sqrt(1/n + z² / (2 (n − 1))) (Bland, Altman 1999).

    The 95 % limits are at 1.96 s, as printed there.
    """
    n, bias, s = len(d), float(d.mean()), float(d.std(ddof=1))
    z = z_quantile(covered)
    se = s * sqrt(1 / n + z * z / (2 * (n - 1)))
    half = s * (1.96 if covered == LEVEL else z)
    low, high = bias - half, bias + half
    return AgreementLimits(low, high, around(low, se, n - 1, level), around(high, se, n - 1, level))


def mean_of(values: Sequence[float], groups: Sequence[str | None] = ()) -> MeanOf:
    """A mean and its t interval; values of one group are one observation, None is a group of its own.

    With G groups V = G/(G − 1) Σ_g (Σ_{i in g} (d_i − dbar))² / n² and t(G − 1), which is s²/n for groups of
    one. The interval is None below two groups. Raises ValueError without values.
    """
    if not values:
        raise ValueError("no values")
    d = np.array(values, dtype=float)
    n, middle = len(d), float(d.mean())
    sums = np.bincount(clusters(groups or [None] * n), d - middle)
    count = len(sums)
    if count < 2:
        return MeanOf(n, middle, None, 0, None)
    se = sqrt(count / (count - 1) * float((sums**2).sum())) / n
    return MeanOf(n, middle, se, count - 1, around(middle, se, count - 1))


def two_arms(first: MeanOf, second: MeanOf) -> tuple[float, Interval | None]:
    """first − second of two independent arms, blind and assisted ones, with Welch's interval.

    None below ten groups in either arm.
    """
    interval = None
    enough = min(first.df, second.df) + 1 >= FEWEST
    if enough and first.se is not None and second.se is not None and first.se + second.se:
        interval = welch((first.mean, second.mean), (first.se, second.se), (first.df, second.df))
    return first.mean - second.mean, interval
