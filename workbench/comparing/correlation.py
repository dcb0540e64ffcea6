"""How closely two columns of numbers go together: Pearson and Spearman."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
