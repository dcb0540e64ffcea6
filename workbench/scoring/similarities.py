"""One byte a unit: how alike its best match is. Enough to count a sample under any match threshold."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.matching.link import FLOOR, best
from workbench.matching.presence import presence
from workbench.matching.units import distinct_names, language_of
from workbench.model import Policy, Proposal, Sample, Tally
from workbench.scoring import contextual_recall, ragas
from workbench.scoring.linked import candidate_names


@dataclass(frozen=True, slots=True)
class Counted:
    """What bulk counting keeps of one sample: similarities 0-100 by unit, and what has no threshold.

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


def counted(sample: Sample, proposal: Proposal, policy: Policy) -> Counted:
    """Match one sample once, for every threshold. The tallies are those of the scorers' assessments."""
    lang = language_of(sample, policy)
    both = ragas.tallies(proposal)
    linked = present = statements = None
    if proposal.reference_entities is not None:
        names = distinct_names(sample, proposal.reference_entities, policy, lang)
        if proposal.context_entities is not None:
            links = best(names, candidate_names(proposal.context_entities), lang=lang)
            linked = bytes(near.similarity if near else 0 for near in links)
        places = presence(
            names,
            sample.retrieved_contexts,
            lang=lang,
            nested_found=policy.nested == "found",
            threshold=FLOOR,
        )
        present = bytes(place.similarity if place.found else 0 for place in places)
    if proposal.statements is not None:
        statements = contextual_recall.tally(proposal.statements)
    return Counted(linked, present, both[0] if both else None, both[1] if both else None, statements)
