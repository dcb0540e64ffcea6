"""All scorers over one sample: the one path from a proposal to automatic scores."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.matching import FLOOR
from workbench.matching.units import entity_units, language_of, statement_units
from workbench.model import Assessment, Policy, Proposal, Sample, Score, Tally, Unit, count
from workbench.scoring import contextual_recall, linked, presence, ragas
from workbench.scoring.counted import Counted
from workbench.scoring.names import SCORERS


def assess_all(
    sample: Sample,
    proposal: Proposal,
    policy: Policy,
    *,
    threshold: int,
    evidence: bool = True,
    only: str = "",
) -> dict[str, Assessment]:
    """The automatic assessment of every scorer that this proposal allows.

    A scorer is left out when the proposal was not asked for what it counts. `threshold` is the
    match threshold, 0-100. `only` one scorer: the others are not worked out.
    """
    wanted = (only,) if only else tuple(SCORERS)
    found: dict[str, Assessment | None] = {}
    if "ragas" in wanted:
        found["ragas"] = ragas.assess(proposal)
    if "ragas_legacy" in wanted:
        found["ragas_legacy"] = ragas.assess_legacy(proposal)
    if proposal.reference_entities is not None and {"linked", "presence"} & {*wanted}:
        lang = language_of(sample, policy)
        units = entity_units(sample, proposal.reference_entities, policy, lang)
        if proposal.context_entities is not None and "linked" in wanted:
            found["linked"] = linked.assess(
                sample, units, proposal.context_entities, threshold=threshold, lang=lang, evidence=evidence
            )
        if "presence" in wanted:
            found["presence"] = presence.assess(sample, units, policy=policy, threshold=threshold, lang=lang)
    if proposal.statements is not None and "contextual_recall" in wanted:
        statements = statement_units(sample, proposal.statements, proposal.proposer)
        found["contextual_recall"] = contextual_recall.assess(statements)
    return {name: assessment for name, assessment in found.items() if assessment is not None}


def counted(sample: Sample, proposal: Proposal, policy: Policy) -> Counted:
    """What is kept of a sample's assessments so that they can be counted again under any match threshold."""
    found = assess_all(sample, proposal, policy, threshold=FLOOR, evidence=False)

    def tally(scorer: str) -> Tally | None:
        return count(found[scorer].units) if scorer in found else None

    def similarities(scorer: str) -> bytes | None:
        if scorer not in found:
            return None
        matches = [unit.match for unit in found[scorer].units if unit.counted]
        return bytes(match.similarity if match.verdict == "found" else 0 for match in matches)

    return Counted(
        linked=similarities("linked"),
        presence=similarities("presence"),
        ragas=tally("ragas"),
        ragas_legacy=tally("ragas_legacy"),
        contextual_recall=tally("contextual_recall"),
    )


def machine(
    sample: Sample,
    units: Sequence[Unit],
    proposal: Proposal | None,
    policy: Policy,
    *,
    threshold: int,
    among: Sequence[Unit] = (),
) -> Assessment:
    """Entities with the machine's verdicts: those of `linked`, or of `presence` without context entities.

    The one matcher of a review, for what it opens with and for every unit that is made or edited later; that
    one is linked `among` the units that are there.
    """
    lang = language_of(sample, policy)
    if proposal is not None and proposal.context_entities is not None:
        return linked.assess(
            sample, units, proposal.context_entities, threshold=threshold, lang=lang, among=among
        )
    return presence.assess(sample, units, policy=policy, threshold=threshold, lang=lang)


def score(scorer: str, assessment: Assessment) -> Score:
    """Count an assessment as that scorer does."""
    tally = count(assessment.units)
    return Score(scorer, tally, value_of(scorer, tally))


def value_of(scorer: str, tally: Tally) -> float | None:
    """The scorer's value of a tally: the exact recall as a float, ragas's own formula for ragas."""
    if scorer in ("ragas", "ragas_legacy"):
        return ragas.value(tally)
    recall = tally.recall
    return None if recall is None else float(recall)
