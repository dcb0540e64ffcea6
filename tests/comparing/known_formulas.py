"""Formulas of the textbooks that no report shows, as small helpers for the published answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import product
from math import atanh, fsum, sqrt, tanh
from statistics import variance
from typing import Literal, NamedTuple, TypeVar

from scipy.stats import bootstrap

from workbench.comparing.agreement import Rate
from workbench.comparing.bounds import Part
from workbench.comparing.intervals import LEVEL, Interval, around, t_quantile, z_quantile
from workbench.comparing.paired import Floats, pearson

Value = TypeVar("Value", bound=Hashable)
Distance = Callable[[Value, Value], float]
Scheme = Literal["strict", "exact", "partial", "type"]


def rogan_gladen(machine: Rate, tpr: Rate, tnr: Rate) -> tuple[float, Interval]:
    """(p + TNR − 1)/(TPR + TNR − 1) for a share of binary verdicts (Rogan, Gladen 1978), kept within [0, 1].

    The interval is by the delta method and becomes [0, 1] as TPR + TNR nears 1.
    """
    p, one, other = machine.value, tpr.value, tnr.value
    assert p is not None
    assert one is not None
    assert other is not None
    apart = one + other - 1
    value = min(1.0, max(0.0, (p + other - 1) / apart))
    spread = p * (1 - p) / machine.n
    spread += value**2 * one * (1 - one) / tpr.n + (1 - value) ** 2 * other * (1 - other) / tnr.n
    return value, around(value, sqrt(spread) / apart).clipped()


def least_correlation(n: int) -> float:
    """The |correlation| above which automatic values can help at all."""
    return 1 / sqrt(n - 2)


def limits(d: Floats, covered: float, level: float) -> tuple[Interval, Interval, Interval]:
    """Bias ± z · s, and the interval of each: ± t · s · sqrt(1/n + z² / (2 (n − 1))) (Bland, Altman 1999)."""
    n, bias, s, z = len(d), float(d.mean()), float(d.std(ddof=1)), z_quantile(covered)
    off = t_quantile(n - 1, level) * s * sqrt(1 / n + z * z / (2 * (n - 1)))
    low, high = bias - z * s, bias + z * s
    return Interval(low, high), Interval(low - off, low + off), Interval(high - off, high + off)


class Alpha(NamedTuple):
    """1 − observed / expected disagreement."""

    value: float
    observed: float
    expected: float


def alpha(items: Sequence[Sequence[Value]], distance: Distance[Value]) -> Alpha:
    """α with a distance between values (Krippendorff 2011); an item has the values that its judges gave."""
    judged = [item for item in items if len(item) > 1]
    pooled = [value for item in judged for value in item]
    n = len(pooled)
    apart = fsum(
        fsum(distance(one, other) for one in item for other in item) / (len(item) - 1) for item in judged
    )
    expected = fsum(distance(one, other) for one in pooled for other in pooled) / (n * (n - 1))
    return Alpha(1 - apart / n / expected, apart / n, expected)


def interval(one: float, other: float) -> float:
    """The squared difference of two numbers."""
    return (one - other) ** 2


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


def count_spans(gold: Sequence[Marked], found: Sequence[Marked], scheme: Scheme) -> Counter[str]:
    """Count under one scheme: `strict` span and label, `exact` span, `partial` overlap, `type` label.

    Equal spans are paired first, those with an equal label before the others, then overlapping ones alike.
    """
    left, free = list(gold), list(found)
    counts: Counter[str] = Counter()
    for alike in product((True, False), repeat=2):
        for other in [*free]:
            one = next((one for one in left if _fit(one, other, *alike)), None)
            if one is None:
                continue
            left.remove(one)
            free.remove(other)
            span, label = one[:2] == other[:2], one.label == other.label
            good = {"strict": span and label, "exact": span, "partial": span, "type": label}[scheme]
            counts["correct" if good else "partial" if scheme == "partial" else "incorrect"] += 1
    return counts + Counter(missed=len(left), spurious=len(free))


def span_f1(counts: Counter[str]) -> float:
    """2 · right / (all spans of both sides), a half right one counting half."""
    every = 2 * (counts["correct"] + counts["incorrect"] + counts["partial"])
    return 2 * (counts["correct"] + counts["partial"] / 2) / (every + counts["missed"] + counts["spurious"])


def _fit(one: Marked, other: Marked, same_span: bool, same_label: bool) -> bool:
    if same_label and one.label != other.label:
        return False
    if same_span:
        return one[:2] == other[:2]
    return one.start <= other.end and other.start <= one.end


def micro_macro(found: Sequence[int], units: Sequence[int]) -> tuple[float, float, float]:
    """Σk/Σm, its SE = sqrt(s_e²/n) / mean(m) with e = k − R m, and mean k/m, of samples with units."""
    pairs = [(k, m) for k, m in zip(found, units, strict=True) if m]
    n, total = len(pairs), sum(m for _, m in pairs)
    micro = Fraction(sum(k for k, _ in pairs), total)
    macro = sum((Fraction(k, m) for k, m in pairs), Fraction(0)) / n
    error = sqrt(variance([float(k - micro * m) for k, m in pairs]) / n) / (total / n)
    return float(micro), error, float(macro)


def horvitz_thompson(values: Sequence[float], chances: Sequence[float]) -> float:
    """The total Σ y / pi (Horvitz, Thompson 1952)."""
    return fsum(y / pi for y, pi in zip(values, chances, strict=True))


def standard_error(parts: Sequence[Part]) -> float:
    """sqrt(Σ (N_h / N)² (1 − n_h / N_h) s_h² / n_h) of a mean by strata (Cochran 1977)."""
    total = sum(one.size for one in parts)
    shares = [(one.size / total, len(one.values), one.open / one.size, one.values) for one in parts]
    return sqrt(sum(part**2 * left * float(values.var(ddof=1)) / n for part, n, left, values in shares))


def horvitz_thompson_variance(
    values: Sequence[float], chances: Sequence[float], pairs: Sequence[Sequence[float]]
) -> float:
    """The variance of that total: Σ (1 − pi) (y/pi)² and, with joint chances, the pairs' part."""
    scaled = [y / pi for y, pi in zip(values, chances, strict=True)]
    total = fsum((1 - pi) * e * e for e, pi in zip(scaled, chances, strict=True))
    return total + fsum(
        (1 - chances[i] * chances[j] / pairs[i][j]) * scaled[i] * scaled[j]
        for i in range(len(values))
        for j in range(len(values))
        if i != j
    )


def hansen_hurwitz(values: Sequence[float], draws: Sequence[float]) -> tuple[float, float]:
    """The total and its variance from draws with replacement of known chances (Hansen, Hurwitz 1943)."""
    scaled = [y / p for y, p in zip(values, draws, strict=True)]
    return fsum(scaled) / len(scaled), variance(scaled) / len(scaled)


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
    if all((one == one[0]).all() for one in columns):
        return None
    ends = bootstrap(
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
    return Interval(float(ends.low), float(ends.high))


def concordance(x: Floats, y: Floats) -> tuple[float, Interval]:
    """Lin's concordance (1989), 2 s_xy / (s_x² + s_y² + (x̄ − ȳ)²) with moments by n, and its interval.

    The interval is by Fisher's z with Lin's variance as corrected in 2000, divided by n − 2.
    """
    n, apart = len(x), float(x.mean() - y.mean())
    vx, vy = float(x.var()), float(y.var())
    value = 2 * float(((x - x.mean()) * (y - y.mean())).mean()) / (vx + vy + apart**2)
    r = pearson(x, y)
    assert r is not None
    u2 = apart**2 / sqrt(vx * vy)
    rest = 1 - value**2
    spread = (1 - r**2) * value**2 / (rest * r**2) + 2 * value**3 * (1 - value) * u2 / (r * rest**2)
    spread = (spread - value**4 * u2**2 / (2 * r**2 * rest**2)) / (n - 2)
    half, middle = z_quantile() * sqrt(max(spread, 0.0)), atanh(value)
    return value, Interval(tanh(middle - half), tanh(middle + half))
