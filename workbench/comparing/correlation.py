"""How closely two columns of numbers go together: Pearson, Spearman, Kendall, Lin's concordance."""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, sqrt, tanh

import numpy as np
from numpy.typing import NDArray

from workbench.comparing.intervals import LEVEL, Interval, z_quantile

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Concordance:
    """Lin's concordance (1989) with its interval; `accuracy` is C_b, concordance / Pearson.

    The interval is None where Pearson is 0 or concordance ±1; it depends on the range of the values.
    """

    value: float
    interval: Interval | None
    accuracy: float | None


def pearson(x: Floats, y: Floats) -> float | None:
    """The product-moment correlation; None where a column is constant."""
    a, b = x - x.mean(), y - y.mean()
    scale = sqrt(float(a @ a) * float(b @ b))
    return max(-1.0, min(1.0, float(a @ b) / scale)) if scale else None


def spearman(x: Floats, y: Floats) -> float | None:
    """Pearson of the ranks, tied values sharing the mean of theirs."""
    return pearson(_ranks(x), _ranks(y))


def _ranks(values: Floats) -> Floats:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Floats = (last - (counts - 1) / 2)[place]
    return ranks


def kendall(x: Floats, y: Floats) -> tuple[float, float] | None:
    """Kendall's tau-b and its two-sided p by the normal law, ties counted (Kendall 1945).

    None where a column is constant or there are fewer than three values.
    """
    from scipy.special import ndtr

    n = len(x)
    first, second = (np.unique(column, return_inverse=True)[1] for column in (x, y))
    one, other = np.bincount(first), np.bincount(second)
    both = np.unique(first * len(other) + second, return_counts=True)[1]
    every = n * (n - 1) / 2
    tied_one, tied_other, tied_both = (float((c * (c - 1) / 2).sum()) for c in (one, other, both))
    if n < 3 or tied_one == every or tied_other == every:
        return None
    order = np.lexsort((second, first))
    against = _inversions(second[order])
    balance = every - tied_one - tied_other + tied_both - 2 * against  # concordant − discordant pairs
    tau = balance / sqrt(every - tied_one) / sqrt(every - tied_other)
    pairs = n * (n - 1.0)
    weights = [float((c * (c - 1.0) * (2 * c + 5)).sum()) for c in (one, other)]
    triples = [float((c * (c - 1.0) * (c - 2)).sum()) for c in (one, other)]
    variance = (pairs * (2 * n + 5) - sum(weights)) / 18
    variance += 2 * tied_one * tied_other / pairs + triples[0] * triples[1] / (9 * pairs * (n - 2))
    return max(-1.0, min(1.0, tau)), 2 * float(ndtr(-abs(balance) / sqrt(variance)))


def _inversions(values: Ints) -> int:
    """How many pairs stand in falling order; merge sort, all blocks of a width at once."""
    n = len(values)
    scale = int(values.max()) + 2
    total, width = 0, 1
    while width < n:
        place = np.arange(n)
        block, left = place // (2 * width), place // width % 2 == 0
        keys = block * scale + values
        before = np.sort(keys[left])
        after, of = keys[~left], block[~left]
        ends = np.cumsum(np.bincount(block[left], minlength=int(block[-1]) + 1))
        total += int((ends[of] - np.searchsorted(before, after, side="right")).sum())
        width *= 2
    return total


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
