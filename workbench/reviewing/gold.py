"""Gold: which verified assessment of a sample stands, when there are several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.model import Assessment, Unit

GoldOrigin = Literal["reviewed", "imported", "adjudicated"]


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


def resolve(verified: Sequence[Verified]) -> Verified | None:
    """The gold: the adjudicated one, else the only one, else None (unresolved).

    Verified assessments that say the same (units, labels, verdicts) are one. They come in the order in which
    the reviews were begun: an order by name would be another one where names left as pseudonyms.
    """
    adjudicated = [one for one in verified if one.origin == "adjudicated"]
    if adjudicated:
        return adjudicated[-1]
    if len({_meaning(one.assessment) for one in verified}) == 1:
        return verified[0]
    return None


def _meaning(assessment: Assessment) -> frozenset[object]:
    return frozenset(
        (unit.text, unit.label, unit.spans[:1], unit.match.verdict) for unit in gold_units(assessment.units)
    )
