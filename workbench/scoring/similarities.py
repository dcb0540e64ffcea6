"""One byte a unit: how alike its best match is. Enough to count a sample under any match threshold."""

from __future__ import annotations

from workbench.matching.link import best
from workbench.matching.presence import presence
from workbench.matching.units import distinct_names, language_of
from workbench.matching.version import FLOOR
from workbench.model import Policy, Proposal, Sample
from workbench.scoring import contextual_recall, ragas
from workbench.scoring.counted import Counted
from workbench.scoring.linked import candidate_names


def counted(sample: Sample, proposal: Proposal, policy: Policy) -> Counted:
    """Match one sample once, for every threshold. The tallies are those of the scorers' assessments."""
    lang = language_of(sample, policy)
    both = ragas.tallies(proposal)
    linked = present = statements = None
    if proposal.reference_entities is not None:
        names = distinct_names(sample, proposal.reference_entities, policy, lang)
        if proposal.context_entities is not None:
            candidates, _ = candidate_names(proposal.context_entities, sample.retrieved_contexts, lang)
            links = best(names, candidates, lang=lang)
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
