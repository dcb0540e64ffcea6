"""How many reviews an interval of a wanted width takes, from the differences seen so far."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

LEVEL = 0.95
FEWEST_PAIRS = 10
"""Below, a variance says next to nothing."""

FEWEST_DIFFERING = 5
"""Differences other than 0 below which their variance is not believed."""

WIDEST = 0.5
"""The largest standard deviation of a recall: values of 0 and 1 in equal parts."""


class Pair(NamedTuple):
    """A reviewed sample: verified minus automatic, its inclusion probability and its stratum."""

    difference: float
    pi: float
    stratum: str = ""


def unit_variance(pairs: Sequence[Pair], population: int, strata: Mapping[str, int] | None = None) -> float:
    """V · n / (1 - n/N): the variance with which simple random sampling would be as precise as this design.

    V is the Hájek form for sequential Poisson sampling, n/(n-1) · Σ o (q - q̄)² / W² with o = 1 - π and
    q = w (d - d̄); with strata the sum of their parts, each at least 2 pairs, else with the pooled variance.
    """
    n = len(pairs)
    if n >= population:
        return 0.0
    v = _stratified(pairs, strata) if strata else _hajek(pairs)
    return v * n / (1 - n / population)


def _hajek(pairs: Sequence[Pair]) -> float:
    weights = [1 / one.pi for one in pairs]
    whole = sum(weights)
    mean = sum(w * one.difference for w, one in zip(weights, pairs, strict=True)) / whole
    open_ = [1 - one.pi for one in pairs]
    if not sum(open_):
        return 0.0
    q = [w * (one.difference - mean) for w, one in zip(weights, pairs, strict=True)]
    centre = sum(o * one for o, one in zip(open_, q, strict=True)) / sum(open_)
    n = len(pairs)
    return n / (n - 1) * sum(o * (one - centre) ** 2 for o, one in zip(open_, q, strict=True)) / whole**2


def _stratified(pairs: Sequence[Pair], strata: Mapping[str, int]) -> float:
    members: dict[str, list[float]] = defaultdict(list)
    for one in pairs:
        members[one.stratum].append(one.difference)
    pooled = _variance([one.difference for one in pairs])
    total = sum(strata[name] for name in members)
    parts = 0.0
    for name, found in members.items():
        n, size = len(found), strata[name]
        spread = _variance(found) if n > 1 else pooled
        parts += (size / total) ** 2 * max(0.0, 1 - n / size) * spread / n
    return parts


def _variance(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((one - mean) ** 2 for one in values) / (len(values) - 1)


def most_differing(differing: int, n: int) -> float:
    """The upper 95 % bound on the share that differs (Clopper and Pearson 1934, one-sided)."""
    if differing >= n:
        return 1.0
    if not differing:
        return float(1 - (1 - LEVEL) ** (1 / n))
    from scipy.special import betaincinv

    return float(betaincinv(differing + 1, n - differing, LEVEL))


def half_width(variance: float, n: int, population: int) -> float:
    """t(n-1) · sqrt(s² (1/n - 1/N)): half of the 95 % interval around a mean of n of N."""
    from scipy.special import stdtrit

    open_ = max(0.0, variance * (1 / n - 1 / population))
    return float(stdtrit(n - 1, (1 + LEVEL) / 2)) * math.sqrt(open_)


def needed(variance: float, population: int, wanted: float) -> int:
    """The smallest n, 2 to N, whose half-width is at most the wanted one."""
    low, high = 2, max(2, population)
    while low < high:
        middle = (low + high) // 2
        if half_width(variance, middle, population) <= wanted:
            high = middle
        else:
            low = middle + 1
    return low
