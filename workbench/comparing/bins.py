"""Differences counted in steps, equal values apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from workbench.comparing.bounds import EQUAL
from workbench.comparing.figures import Row

R = TypeVar("R", bound=Row)

STEPS = 10
"""Bins of a difference of 1."""


@dataclass(frozen=True, slots=True)
class Bin(Generic[R]):
    """Samples with `low` < Δ ≤ `high` above 0, `low` ≤ Δ < `high` below; both ends 0: the equal ones."""

    low: float
    high: float
    samples: tuple[R, ...]

    @property
    def equal(self) -> bool:
        """Whether it is the bin of equal samples."""
        return self.low == self.high


def bins(rows: Iterable[R]) -> list[Bin[R]]:
    """The differences in steps of .1 from the lowest to the highest that occurs, 0 among them."""
    filled: dict[int, list[R]] = {}
    for row in rows:
        if row.delta is not None:
            filled.setdefault(_place(row.delta), []).append(row)
    if not filled:
        return []
    places = range(min(*filled, 0), max(*filled, 0) + 1)
    return [Bin(*_ends(place), tuple(filled.get(place, ()))) for place in places]


def _place(delta: float) -> int:
    """0 for equal ones, ±1 for up to a step, ±2 for up to two; a step's end belongs to it."""
    if abs(delta) < EQUAL:
        return 0
    steps = int(abs(delta) * STEPS - 1e-9) + 1
    return steps if delta > 0 else -steps


def _ends(place: int) -> tuple[float, float]:
    if not place:
        return 0.0, 0.0
    near, far = (abs(place) - 1) / STEPS, abs(place) / STEPS
    return (near, far) if place > 0 else (-far, -near)
