"""The two sides of a difference: what a scorer counted of a sample, and how one compares it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from workbench.comparing.causes import Difference, Extracted, difference, imported
from workbench.comparing.triage import Suspicion, suspect
from workbench.matching.units import entity_units, language_of
from workbench.model import Assessment, Evidence, Kind, ProposedEntity, Sample, Unit
from workbench.scoring.linked import places_of
from workbench.scoring.names import RECOUNT
from workbench.scoring.scorers import assess_all
from workbench.store.datasets import DatasetInfo
from workbench.store.samples import Stored
from workbench.text.ground import ground

RAGAS = ("ragas", "ragas_legacy")
BY_ENTITIES = (*RAGAS, "linked")
"""Scorers that compare extracted context entities; the others read the text of the contexts."""


def automatic_sides(
    info: DatasetInfo, stored: Stored, threshold: int, only: str = ""
) -> Mapping[str, Assessment]:
    """The assessments of all scorers that the proposal allows, or of one, with evidence."""
    if stored.proposal is None:
        return {}
    return assess_all(stored.sample, stored.proposal, info.policy, threshold=threshold, only=only)


def compared(
    info: DatasetInfo, stored: Stored, scorer: str, automatic: Assessment, verified: Assessment, based: bool
) -> Difference:
    """The difference of a scorer's assessment to the verified one, by the names that were extracted."""
    assert stored.proposal is not None  # it made the assessment
    if scorer in RAGAS:
        automatic = _grounded(automatic, info, stored)
    entities = stored.proposal.context_entities if scorer in BY_ENTITIES else None
    return difference(
        automatic,
        verified,
        based=based,
        lang=language_of(stored.sample, info.policy),
        extracted=None if entities is None else _extracted(stored.sample, entities),
    )


def imported_side(
    info: DatasetInfo, stored: Stored, column: str, digits: str, within: float, verified: Assessment,
    based: bool,
) -> Difference:  # fmt: skip
    """The difference of a file's number to the verified value: what the recount explains, and the rest.

    `digits` is the number as written, `within` the precision of its column (`precision_of`).
    Statements that rules proposed are no recount: overlap of words is another measure than a judge's.
    """
    kind = verified.kind
    scorer = RECOUNT[kind]
    sides: Mapping[str, Assessment] = {}
    if stored.proposal is not None and (kind == "entity" or stored.proposal.proposer != "rules"):
        sides = automatic_sides(info, stored, info.threshold, scorer)
    if scorer in sides:
        recount = compared(info, stored, scorer, sides[scorer], verified, based)
    else:
        recount = difference(Assessment(kind, column, ()), verified, based=False)
    value, counted, human = Fraction(digits), recount.automatic.recall, recount.verified.recall
    beside = human if counted is None else counted
    return imported(recount, value, same=beside is not None and abs(value - beside) < within)


def suspicion(
    info: DatasetInfo, stored: Stored, score: float, kind: Kind, *, wanted: bool = True
) -> Suspicion | None:
    """What speaks against a score of this sample, each proposed name looked up in the text of its contexts.

    `wanted`: whether the names are worth looking up; other signals need none.
    """

    def names() -> Sequence[Unit] | None:
        found = automatic_sides(info, stored, info.threshold, "presence").get("presence") if wanted else None
        return None if found is None else found.units

    return suspect(stored.sample, score, kind, names)


def _grounded(automatic: Assessment, info: DatasetInfo, stored: Stored) -> Assessment:
    """The names that ragas compared, with their places: ragas itself knows none."""
    assert stored.proposal is not None  # it made the assessment
    sample, policy, entities = stored.sample, info.policy, stored.proposal.context_entities or ()
    listed = entity_units(
        sample, stored.proposal.reference_entities or (), policy, language_of(sample, policy)
    )
    known = {unit.id: unit for unit in listed}

    def placed(unit: Unit) -> Unit:
        same = known.get(unit.id, unit)
        match = unit.match
        if match.verdict == "found":
            match = replace(match, evidence=places_of(unit.text, entities, sample.retrieved_contexts))
        return replace(unit, label=same.label, spans=same.spans, match=match)

    return replace(automatic, units=tuple(map(placed, automatic.units)))


def _extracted(sample: Sample, entities: Sequence[Sequence[ProposedEntity]]) -> Extracted:
    def overlaps(evidence: Evidence) -> bool:
        if evidence.context >= len(entities):
            return False
        text = sample.retrieved_contexts[evidence.context]
        return any(
            span.start < evidence.end and evidence.start < span.end
            for entity in entities[evidence.context]
            for span in ground(entity.text, text)
        )

    return overlaps
