"""Gold: which verified assessment of a sample stands, when there are several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.model import Assessment, Span, Unit

GoldOrigin = Literal["reviewed", "imported", "adjudicated"]
Place = tuple[str, tuple[Span, ...]]
"""The text of a unit and its principal place: units of two annotators that have it in common are one."""


@dataclass(frozen=True, slots=True)
class Verified:
    """One annotator's verified assessment."""

    annotator: str
    origin: GoldOrigin
    assessment: Assessment


def gold_units(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """The units that count, in order of their place in the reference, ungrounded ones last."""
    counted = [unit for unit in units if unit.counted]
    return tuple(sorted(counted, key=lambda unit: (not unit.spans, unit.spans[:1] and unit.spans[0].start)))


def resolve(verified: Sequence[Verified], counted_labels: Collection[str] = ()) -> Verified | None:
    """The gold: the adjudicated one, else the only one, else None (unresolved).

    Verified assessments with equal units and verdicts are one, and the first stands with its labels. Labels
    may differ, unless the policy counts only some of them (`counted_labels`) and one counts where the other
    does not. Assessments come in the order in which the reviews were begun: an order by name would change
    where names left as pseudonyms.
    """
    adjudicated = [one for one in verified if one.origin == "adjudicated"]
    if adjudicated:
        return adjudicated[-1]
    if len({_meaning(one.assessment, counted_labels) for one in verified}) == 1:
        return verified[0]
    return None


def same_gold(one: Assessment, other: Assessment) -> bool:
    """Whether two assessments have equal units, labels and verdicts."""
    first, second = (
        Counter((place_of(unit), unit.label, unit.match.verdict) for unit in gold_units(each.units))
        for each in (one, other)
    )
    return first == second


def place_of(unit: Unit) -> Place:
    """By what a unit is known among those of other annotators."""
    return unit.text, unit.spans[:1]


def disputed_labels(each: Iterable[Sequence[Unit]]) -> set[Place]:
    """The units that annotators gave different labels, by `place_of`; `each` has the units of one.

    One annotator may give one place two labels: that alone is no dispute.
    """
    labels: dict[Place, set[frozenset[str]]] = {}
    for units in each:
        own: dict[Place, set[str]] = {}
        for unit in gold_units(units):
            own.setdefault(place_of(unit), set()).add(unit.label)
        for place, given in own.items():
            labels.setdefault(place, set()).add(frozenset(given))
    return {place for place, given in labels.items() if len(given) > 1}


def _meaning(assessment: Assessment, counted_labels: Collection[str]) -> frozenset[object]:
    """Each unit as often as it is there: one place with two labels counts twice in the recall."""
    each = Counter(
        (place_of(unit), unit.match.verdict, not counted_labels or unit.label in counted_labels)
        for unit in gold_units(assessment.units)
    )
    return frozenset(each.items())
