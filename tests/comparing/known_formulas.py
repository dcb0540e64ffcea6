"""Formulas of the textbooks that no report shows, built on the product's own and held to the same answers.

What they are for: the known answers of the statistics are published for them, and they stand beside the
estimates of the reports in the checks of their quality.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from math import atanh, fsum, sqrt, tanh
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from workbench.comparing.agreement import Share
from workbench.comparing.bounds import rare
from workbench.comparing.causes import difference
from workbench.comparing.caveats import BADGE, FEWEST
from workbench.comparing.correlation import pearson
from workbench.comparing.estimators import clusters
from workbench.comparing.intervals import LEVEL, UNIT, Interval, around, z_quantile
from workbench.comparing.paired import Floats, MeanOf, Pair
from workbench.comparing.shares import Counts
from workbench.comparing.survey import moments
from workbench.model import Assessment, count

Value = TypeVar("Value", bound=Hashable)
Distance = Callable[[Value, Value], float]
Scheme = Literal["strict", "exact", "partial", "type"]

BOOTSTRAP_TO = 2_000
"""Clusters up to which a bootstrap is worth its time; beyond, a t interval is as good."""


def weighted_kappa(table: Sequence[Sequence[int]]) -> float | None:
    """Cohen's κ with quadratic weights for ordered categories (1968); None where it is undefined."""
    n = sum(map(sum, table))
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    size = range(len(table))
    seen = sum(table[i][j] * (i - j) ** 2 for i in size for j in size) * n
    expected = sum(rows[i] * columns[j] * (i - j) ** 2 for i in size for j in size)
    return 1 - seen / expected if expected else None


@dataclass(frozen=True, slots=True)
class Corrected:
    """A share of found verdicts freed of the machine's known errors, None where they tell nothing apart."""

    value: float | None
    interval: Interval


def rogan_gladen(machine: Share, tpr: Share, tnr: Share) -> Corrected:
    """(p + TNR − 1)/(TPR + TNR − 1) for a share of binary verdicts (Rogan, Gladen 1978), kept within [0, 1].

    The interval is by the delta method and becomes [0, 1] as TPR + TNR nears 1.
    """
    p, one, other = machine.value, tpr.value, tnr.value
    if p is None or one is None or other is None or one + other <= 1:
        return Corrected(None, UNIT)
    apart = one + other - 1
    value = min(1.0, max(0.0, (p + other - 1) / apart))
    variance = p * (1 - p) / machine.n
    variance += value**2 * one * (1 - one) / tpr.n + (1 - value) ** 2 * other * (1 - other) / tnr.n
    return Corrected(value, around(value, sqrt(variance) / apart).clipped())


@dataclass(frozen=True, slots=True)
class Alpha:
    """`value` = 1 − observed / expected disagreement; None where all values are equal."""

    value: float | None
    observed: float
    expected: float


def alpha(items: Sequence[Sequence[Value | None]], distance: Distance[Value]) -> Alpha:
    """α over items, each with the values that its judges gave (None: not judged) (Krippendorff 2011).

    An item with fewer than two values says nothing and stays out. Pairs are counted by distinct value, so
    that many items with few values are cheap.
    """
    judged = [[value for value in item if value is not None] for item in items]
    judged = [item for item in judged if len(item) > 1]
    pooled = Counter(value for item in judged for value in item)
    n = pooled.total()
    if n < 2:
        return Alpha(None, 0.0, 0.0)
    observed = fsum(_within(Counter(item), distance) / (len(item) - 1) for item in judged) / n
    expected = _within(pooled, distance) / (n * (n - 1))
    return Alpha(1 - observed / expected if expected else None, observed, expected)


def _within(counts: Mapping[Value, int], distance: Distance[Value]) -> float:
    """The distances of all ordered pairs of different entries."""
    values = list(counts.items())
    return 2 * fsum(
        n * m * distance(one, other) for i, (one, n) in enumerate(values) for other, m in values[i + 1 :]
    )


def nominal(one: Hashable, other: Hashable) -> float:
    """0 for equal values, 1 for others."""
    return float(one != other)


def interval(one: float, other: float) -> float:
    """The squared difference of two numbers."""
    return (one - other) ** 2


def ordinal(items: Sequence[Sequence[Value | None]]) -> Distance[Value]:
    """The distance of ranks: the squared number of values between two, half of each end counted.

    It depends on how often each value was given, so it is made from the same items.
    """
    counts = Counter(
        value
        for item in items
        if sum(value is not None for value in item) > 1
        for value in item
        if value is not None
    )
    below: dict[Value, float] = {}
    passed = 0.0
    for value in sorted(counts):  # type: ignore[type-var]
        below[value] = passed + counts[value] / 2
        passed += counts[value]
    return lambda one, other: (below[one] - below[other]) ** 2


def jaccard(one: AbstractSet[Hashable], other: AbstractSet[Hashable]) -> float:
    """1 − shared / all; two empty sets are equal, so 0."""
    every = len(one | other)
    return 1 - len(one & other) / every if every else 0.0


def masi(one: AbstractSet[Hashable], other: AbstractSet[Hashable]) -> float:
    """Jaccard weighed by how the sets overlap: equal 1, one within the other 2/3, partly 1/3 (Passonneau)."""
    if one == other:
        return 0.0
    shared = one & other
    weight = 0.0 if not shared else 2 / 3 if shared in (one, other) else 1 / 3
    return 1 - (1 - jaccard(one, other)) * weight


def disorder(judges: Sequence[Value | None], distance: Distance[Value], empty: float) -> float:
    """How far apart the units are that judges set at one place, `empty` for a judge who set none.

    The mean distance over all pairs of judges, by the mean number of units a judge set (Mathet, Widlöcher,
    Métivier, "The unified and holistic method gamma", 2015).
    """
    n = len(judges)
    total = 0.0
    for i, one in enumerate(judges):
        for other in judges[i + 1 :]:
            total += empty if one is None or other is None else distance(one, other)
    units = sum(one is not None for one in judges) / n
    return total / (n * (n - 1) / 2) / units


class Marked(NamedTuple):
    """A span with its label; `end` is inclusive."""

    start: int
    end: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class SpanCounts:
    """Spans that are right, wrong, half right, left out and made up."""

    correct: int = 0
    incorrect: int = 0
    partial: int = 0
    missed: int = 0
    spurious: int = 0

    @property
    def f1(self) -> float | None:
        """2 · right / (all spans of both sides), a half right one counting half."""
        every = 2 * (self.correct + self.incorrect + self.partial) + self.missed + self.spurious
        return 2 * (self.correct + self.partial / 2) / every if every else None

    def plus(self, other: SpanCounts) -> SpanCounts:
        """The counts of two texts together."""
        return SpanCounts(*(getattr(self, name) + getattr(other, name) for name in SpanCounts.__slots__))


def count_spans(gold: Sequence[Marked], found: Sequence[Marked], scheme: Scheme) -> SpanCounts:
    """Count under one scheme: `strict` span and label, `exact` span, `partial` overlap, `type` label.

    Equal spans are paired first, those with an equal label before the others, then overlapping ones alike.
    """
    pairs, left, free = _pairs(gold, found)
    good = half = 0
    for one, other in pairs:
        same = one[:2] == other[:2]
        if scheme == "partial":
            good, half = good + same, half + (not same)
        elif scheme == "type":
            good += one.label == other.label
        else:
            good += same and (scheme == "exact" or one.label == other.label)
    return SpanCounts(good, len(pairs) - good - half, half, len(left), len(free))


def _pairs(
    gold: Sequence[Marked], found: Sequence[Marked]
) -> tuple[list[tuple[Marked, Marked]], list[Marked], list[Marked]]:
    left, free = list(gold), list(found)
    pairs = []
    for same_span in (True, False):
        for same_label in (True, False):
            for other in list(free):
                one = next((g for g in left if _fit(g, other, same_span, same_label)), None)
                if one is not None:
                    left.remove(one)
                    free.remove(other)
                    pairs.append((one, other))
    return pairs, left, free


def _fit(one: Marked, other: Marked, same_span: bool, same_label: bool) -> bool:
    if same_label and one.label != other.label:
        return False
    if same_span:
        return one[:2] == other[:2]
    return one.start <= other.end and other.start <= one.end


@dataclass(frozen=True, slots=True)
class Ratio:
    """Recall pooled over all units with its linearised standard error, and the mean over samples."""

    micro: float
    se: float | None
    macro: float


def micro_macro(found: Sequence[int], units: Sequence[int]) -> Ratio:
    """Σk/Σm with SE = sqrt(s_e²/n) / mean(m), e = k − R m; and mean k/m. Samples without units stay out.

    Raises ZeroDivisionError when no sample has units.
    """
    pairs = [(k, m) for k, m in zip(found, units, strict=True) if m]
    micro = Fraction(sum(k for k, _ in pairs), sum(m for _, m in pairs))
    macro = sum((Fraction(k, m) for k, m in pairs), Fraction(0)) / len(pairs)
    errors = [float(k - micro * m) for k, m in pairs]
    n = len(pairs)
    se = None
    if n > 1:
        se = sqrt(moments(errors).variance(1) / n) / (sum(m for _, m in pairs) / n)
    return Ratio(float(micro), se, float(macro))


def horvitz_thompson(values: Sequence[float], chances: Sequence[float]) -> float:
    """The total Σ y / pi (Horvitz, Thompson 1952)."""
    return fsum(y / pi for y, pi in zip(values, chances, strict=True))


def horvitz_thompson_variance(
    values: Sequence[float], chances: Sequence[float], pairs: Sequence[Sequence[float]] | None = None
) -> float:
    """The variance of that total: Σ (1 − pi) (y/pi)² and, with joint chances, the pairs' part.

    Without `pairs` the samples are drawn independently of each other (Poisson sampling).
    """
    scaled = [y / pi for y, pi in zip(values, chances, strict=True)]
    total = fsum((1 - pi) * e * e for e, pi in zip(scaled, chances, strict=True))
    if pairs is None:
        return total
    return total + fsum(
        (1 - chances[i] * chances[j] / pairs[i][j]) * scaled[i] * scaled[j]
        for i in range(len(values))
        for j in range(len(values))
        if i != j
    )


def sequential_variance(values: Sequence[float], chances: Sequence[float]) -> float:
    """The variance of that total under sequential Poisson sampling, whose size is fixed.

    n/(n − 1) Σ (1 − pi) (e − ebar)² with e = y / pi and ebar their mean weighted by 1 − pi.
    """
    n = len(values)
    scaled = [y / pi for y, pi in zip(values, chances, strict=True)]
    rest = fsum(1 - pi for pi in chances)
    if n < 2 or not rest:
        return 0.0
    middle = fsum((1 - pi) * e for e, pi in zip(scaled, chances, strict=True)) / rest
    squares = fsum((1 - pi) * (e - middle) ** 2 for e, pi in zip(scaled, chances, strict=True))
    return n / (n - 1) * squares


def hansen_hurwitz(values: Sequence[float], draws: Sequence[float]) -> tuple[float, float]:
    """The total and its variance from draws with replacement of known chances (Hansen, Hurwitz 1943)."""
    scaled = moments([y / p for y, p in zip(values, draws, strict=True)])
    return scaled.mean, scaled.variance(1) / scaled.n


def corrected(assisted: MeanOf, twice: MeanOf) -> MeanOf:
    """An estimate from assisted gold, corrected by samples reviewed blind first and assisted later.

    `twice` is the mean of y_blind − y_assisted over those; its variance is added.
    """
    point, se = assisted.mean + twice.mean, sqrt(assisted.se**2 + twice.se**2)
    df = min(assisted.df, twice.df)
    interval = around(point, se, df) if df + 1 >= FEWEST else None
    return MeanOf(assisted.n, point, se, df, interval)


def bias_by_bootstrap(pairs: Sequence[Pair], *, seed: int, resamples: int = 9_999) -> Interval | None:
    """The BCa interval of the bias, whole groups resampled.

    None below 30 groups, beyond 2,000, and where the differences are equal or nearly all 0.
    """
    off = [one.automatic - one.verified for one in pairs]
    group = clusters([one.group for one in pairs])
    sums: Floats = np.bincount(group, off).astype(float)
    sizes: Floats = np.bincount(group).astype(float)
    if rare(off) is not None:
        return None
    return ratio_by_bootstrap(sums, sizes, seed=seed, resamples=resamples)


def ratio_by_bootstrap(sums: Floats, sizes: Floats, *, seed: int, resamples: int = 9_999) -> Interval | None:
    """The BCa interval of Σ sums / Σ sizes over clusters: a bias by group, a rate of verdicts by sample.

    None below 30 clusters and beyond 2,000.
    """
    if not BADGE <= len(sums) <= BOOTSTRAP_TO:
        return None

    def ratio(total: Floats, size: Floats, axis: int = -1) -> Floats:
        value: Floats = total.sum(axis=axis) / size.sum(axis=axis)
        return value

    return bca((sums, sizes), ratio, seed=seed, resamples=resamples)


def bca(
    columns: tuple[Floats, ...],
    statistic: Callable[..., Floats],
    *,
    seed: int,
    resamples: int = 9_999,
    level: float = LEVEL,
) -> Interval | None:
    """The bias-corrected accelerated bootstrap interval (Efron 1987); rows are drawn whole.

    None where the statistic hardly varies, for then the interval does not exist.
    """
    import warnings

    from scipy.stats import DegenerateDataWarning, bootstrap

    if all((one == one[0]).all() for one in columns):
        return None
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", DegenerateDataWarning)
        found = bootstrap(
            columns,
            statistic,
            paired=len(columns) > 1,
            vectorized=True,
            n_resamples=resamples,
            batch=max(1, 2_000_000 // len(columns[0])),
            confidence_level=level,
            method="BCa",
            rng=seed,
        ).confidence_interval
    low, high = float(found.low), float(found.high)
    return None if np.isnan(low) or np.isnan(high) or low == high else Interval(low, high)


def clopper_pearson(hits: int, n: int, level: float = LEVEL) -> Interval:
    """The exact interval for a share, from the binomial law (Clopper, Pearson 1934)."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(hits, n - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, n - hits, 1 - tail)) if hits < n else 1.0
    return Interval(low, high)


@dataclass(frozen=True, slots=True)
class Corners:
    """Recall under either side's units and either side's verdicts, carried where only one side has the unit.

    `interaction` is what the two steps owe to each other: Δ = (own − verdicts) + (own − units) − interaction.
    """

    own: Fraction
    verdicts: Fraction
    units: Fraction
    both: Fraction

    @property
    def interaction(self) -> Fraction:
        """By how much the verdicts weigh more among the automatic units than among the verified ones."""
        return (self.own - self.verdicts) - (self.units - self.both)


def corners(n: Counts) -> Corners | None:
    """Automatic; with verified verdicts; with verified units; with both. None when one side has no units."""
    ours, theirs = n.links + n.invented, n.links + n.lacking
    if not ours or not theirs:
        return None
    return Corners(
        own=Fraction(n.both + n.false + n.invented_found, ours),
        verdicts=Fraction(n.both + n.missed + n.invented_found, ours),
        units=Fraction(n.both + n.false + n.lacking_found, theirs),
        both=Fraction(n.both + n.missed + n.lacking_found, theirs),
    )


def main_cause(automatic: Assessment, verified: Assessment, based: bool) -> str:
    """The cause with the largest share in Δ, net, whichever its sign; "" when Δ is 0 or undefined.

    At most 13 characters. `based`: the verified units came out of the automatic ones, with their ids.
    """
    one, other = count(automatic.units).recall, count(verified.units).recall
    if one is None or other is None or one == other:
        return ""
    return difference(automatic, verified, based=based).totals[0].cause


def effective_n(n: int, rest: int, correlation: float) -> float:
    """How many labels are worth n labels with `rest` predictions, weighed in the best way."""
    return n * (n + rest) / (n + (1 - correlation**2) * rest)


@dataclass(frozen=True, slots=True)
class Concordance:
    """Lin's concordance (1989) with its interval; `accuracy` is C_b, concordance / Pearson.

    The interval is None where Pearson is 0 or concordance ±1; it depends on the range of the values.
    """

    value: float
    interval: Interval | None
    accuracy: float | None


def concordance(x: Floats, y: Floats, level: float = LEVEL) -> Concordance | None:
    """2 s_xy / (s_x² + s_y² + (x̄ − ȳ)²) with moments by n; None where both columns are constant and equal.

    The interval is by Fisher's z with Lin's variance as corrected in 2000, divided by n − 2.
    """
    n = len(x)
    apart = float(x.mean() - y.mean())
    vx, vy = float(x.var()), float(y.var())
    whole = vx + vy + apart**2
    if not whole or (not vx and not vy):
        return None
    value = 2 * float(((x - x.mean()) * (y - y.mean())).mean()) / whole
    r = pearson(x, y)
    accuracy = value / r if r else None
    if not r or abs(value) >= 1 - 1e-12 or n < 3:
        return Concordance(value, None, accuracy)
    u2 = apart**2 / sqrt(vx * vy)
    rest = 1 - value**2
    variance = (1 - r**2) * value**2 / (rest * r**2) + 2 * value**3 * (1 - value) * u2 / (r * rest**2)
    variance = (variance - value**4 * u2**2 / (2 * r**2 * rest**2)) / (n - 2)
    half = z_quantile(level) * sqrt(max(variance, 0.0))
    middle = atanh(value)
    return Concordance(value, Interval(tanh(middle - half), tanh(middle + half)), accuracy)
