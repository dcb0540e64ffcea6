"""What is kept of a counted sample: one byte a unit, from which every match threshold is counted."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.matching import FLOOR
from workbench.model import Tally


@dataclass(frozen=True, slots=True)
class Counted:
    """What is kept of one sample: similarities 0-100 by unit, and what has no threshold.

    None where the proposal was not asked for it. A name that stands only inside longer names has
    presence 0, unless the policy counts it.
    """

    linked: bytes | None
    presence: bytes | None
    ragas: Tally | None
    ragas_legacy: Tally | None
    contextual_recall: Tally | None

    def tallies(self, threshold: int) -> dict[str, Tally]:
        """The tally of every scorer under a match threshold, in report order."""
        found = {
            "ragas": self.ragas,
            "ragas_legacy": self.ragas_legacy,
            "linked": at(self.linked, threshold),
            "presence": at(self.presence, threshold),
            "contextual_recall": self.contextual_recall,
        }
        return {name: tally for name, tally in found.items() if tally is not None}


def at(similarities: bytes | None, threshold: int) -> Tally | None:
    """Found and missing units at a match threshold: the links at a higher one are a prefix of these."""
    if similarities is None:
        return None
    limit = max(threshold, FLOOR)
    found = sum(value >= limit for value in similarities)
    return Tally(found, len(similarities) - found)
