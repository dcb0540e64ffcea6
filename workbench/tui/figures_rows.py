"""Which verified samples stand behind a figure: the way from a number to what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.comparing.figures import Bin, bins

if TYPE_CHECKING:
    from workbench.comparing.explained import Share
    from workbench.comparing.figures import Figures, Row

Sample = tuple["Row", "float | None"]
"""A sample and its part of the figure: a share of the causes, or the whole Δ."""


Place = tuple[float, float]
"""Verified and automatic value, to three digits."""

WAYS: tuple[tuple[str, Callable[[Row], bool]], ...] = (
    ("without suggestions", lambda row: row.shown == "blind"),
    ("with suggestions", lambda row: row.shown == "assisted"),
    ("imported", lambda row: row.shown == "import"),
    ("accepted in under a second", lambda row: row.fast),
)
"""How a sample can have been reviewed."""


@dataclass(frozen=True, slots=True)
class Look:
    """The figures with what takes long to find for many samples: it is worked out outside the event loop.

    `largest` has every sample by size of Δ; `places` how many have the same two values, with the first of
    them; `ways` how many were reviewed in which way. `said` are the sentences of the answer.
    """

    found: Figures
    largest: Sequence[Sample]
    bins: Sequence[Bin[Row]]
    places: Mapping[Place, tuple[int, Row]]
    ways: Mapping[str, int]
    said: tuple[str, ...] = ()


def look(found: Figures, said: tuple[str, ...] = ()) -> Look:
    """Prepare figures for the screen; .2 s for 100,000 verified samples."""
    largest = by_size(found.rows)
    places: dict[Place, tuple[int, Row]] = {}
    for row, _ in largest:
        at = place(row)
        if at is not None:
            count, first = places.get(at, (0, row))
            places[at] = count + 1, first
    ways = {name: sum(map(wanted, found.rows)) for name, wanted in WAYS}
    return Look(found, largest, bins(found.rows), places, ways, said)


def place(row: Row) -> Place | None:
    """Where a sample stands in the scatter picture; None where one of its values is undefined."""
    if row.verified is None or row.automatic is None:
        return None
    return round(row.verified, 3), round(row.automatic, 3)


def by_size(rows: Sequence[Row]) -> list[Sample]:
    """All samples, the largest difference first, undefined ones last."""
    return sorted(((row, row.delta) for row in rows), key=_largest)


def of_cause(rows: Sequence[Row], cause: str, *, label: str = "", language: str = "") -> list[Sample]:
    """The samples with a cause, the largest share first; with a label only its units count."""
    found: list[Sample] = []
    for row in rows:
        if row.delta is None or (language and row.language != language):
            continue
        own = [one for one in row.shares if one.cause == cause and (not label or label in one.labels)]
        if own:
            found.append((row, sum(_part(one, label) for one in own)))
    return sorted(found, key=_largest)


def of_label(rows: Sequence[Row], label: str) -> list[Sample]:
    """The samples in which units of a label differ, by what these units come to."""
    found: list[Sample] = []
    for row in rows:
        own = [one for one in row.shares if label in one.labels]
        if own and row.delta is not None:
            found.append((row, sum(_part(one, label) for one in own)))
    return sorted(found, key=_largest)


def _part(one: Share, label: str) -> float:
    """A share of Δ, or the part of it that units of a label have: units of one share weigh alike."""
    units = one.labels.count(label) if label else one.units
    return float(one.share or 0) * units / one.units


def where(rows: Sequence[Row], wanted: Callable[[Row], bool]) -> list[Sample]:
    """Some samples, the largest difference first."""
    return by_size([row for row in rows if wanted(row)])


def _largest(one: Sample) -> tuple[bool, float, str]:
    row, part = one
    return part is None, -abs(part or 0.0), row.id
