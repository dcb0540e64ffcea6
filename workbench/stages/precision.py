"""How many samples a plan needs for an interval of a wanted width, before reviewing begins."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.comparing.precision import WIDEST, needed
from workbench.errors import UsageError
from workbench.stages.plan import prefix
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store

WITHHELD = (
    "Once reviewing has begun no number is given: it would not be about the interval that compare shows."
)


@dataclass(frozen=True, slots=True)
class Precision:
    """A simple random plan of `needed` samples gives a half-width of at most `half_width`.

    `needed` is None once reviewing has begun. `basis` says what the answer rests on, or why there is none.
    """

    half_width: float
    needed: int | None
    population: int
    basis: str


def precision(store: Store, info: DatasetInfo, half_width: float) -> Precision:
    """The answer for the first kind of the policy. Raises UsageError for a width that no interval has."""
    if not 0 < half_width < 1:
        raise UsageError(f"a half-width is a number between 0 and 1, as 0.03; {half_width:g} is none")
    found = prefix(store, info, info.kinds[0])
    if not found.population:
        raise UsageError("there is no sample to review")
    if found.rows or found.beyond:
        return Precision(half_width, None, found.population, WITHHELD)
    enough = needed(WIDEST**2, found.population, half_width)
    basis = "Nothing is reviewed yet, so this takes every recall for 0 or 1."
    return Precision(half_width, enough, found.population, basis)
