"""How many samples an interval of a wanted width takes at the end of a simple random plan."""

from __future__ import annotations

import math

from workbench.comparing.intervals import t_quantile

WIDEST = 0.5
"""The largest standard deviation of a recall: values of 0 and 1 in equal parts."""


def half_width(variance: float, n: int, population: int) -> float:
    """t(n-1) · sqrt(s² (1/n - 1/N)): half of the 95 % interval around a mean of n of N."""
    return t_quantile(n - 1) * math.sqrt(max(0.0, variance * (1 / n - 1 / population)))


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
