"""Why the automatic and the verified value of a sample differ: both assessments, unit by unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from workbench.comparing.causes import Extracted, Row, Total, difference
from workbench.comparing.links import descends
from workbench.errors import InputError
from workbench.matching.units import entity_units, language_of
from workbench.model import Assessment, Evidence, Kind, ProposedEntity, Sample, Tally, Unit
from workbench.scoring.linked import places_of
from workbench.scoring.scorers import MATCHER, SCORERS, assess_all, value_of
from workbench.stages.differences import default_scorer
from workbench.stages.fixes import mend
from workbench.stages.review import Opened, open_sample
from workbench.store import queue
from workbench.store.engine import Store
from workbench.store.samples import Stored, load_sample
from workbench.text.ground import ground

RAGAS = ("ragas", "ragas_legacy")
BY_ENTITIES = (*RAGAS, "linked")
"""Scorers that compare extracted context entities; the others read the text of the contexts."""


@dataclass(frozen=True, slots=True)
class WhyRow:
    """One unit of either side or two that are linked, and what would mend the difference ("" for none)."""

    row: Row
    mend: str


@dataclass(frozen=True, slots=True)
class Why:
    """One sample and kind: both tallies, their difference, and what it is made of.

    `source` names scorer and run, `verified_by` whose units stand on the other side. `value` is the number
    the scorer itself reports; Δ and shares rest on exact fractions. `scorers` are those one can ask for.
    """

    opened: Opened
    kind: Kind
    scorer: str
    scorers: tuple[str, ...]
    source: str
    verified_by: str
    automatic: Tally
    verified: Tally
    value: float | None
    delta: Fraction | None
    rows: tuple[WhyRow, ...]
    totals: tuple[Total, ...]


def explain(store: Store, sample_id: int, annotator: str, *, kind: Kind, scorer: str | None = None) -> Why:
    """Set an automatic assessment beside the verified one of this annotator, else beside imported gold.

    Raises InputError while the kind is not decided and its automatic score is hidden, for an excluded
    sample, and where there is no (such) automatic score.
    """
    opened = open_sample(store, sample_id, annotator)
    stored = load_sample(store, sample_id, opened.dataset.run_id)
    verified, based = _verified(store, opened, stored, kind)
    if stored.proposal is None:
        raise InputError("there is no automatic score: nothing was proposed for this sample")
    info, sample = opened.dataset, opened.sample
    assessments = assess_all(sample, stored.proposal, info.policy, threshold=info.threshold)
    names = tuple(name for name in assessments if SCORERS[name] == kind)
    name = scorer or default_scorer(names, kind)
    if name not in names:
        have = ", ".join(names) or "none"
        raise InputError(f"the proposal holds nothing that {name or 'a scorer'} can count; there is: {have}")
    automatic = assessments[name]
    if name in RAGAS:
        automatic = _grounded(automatic, opened, stored)
    entities = stored.proposal.context_entities if name in BY_ENTITIES else None
    found = difference(
        automatic,
        verified,
        based=based,
        lang=language_of(sample, info.policy),
        extracted=None if entities is None else _extracted(sample, entities),
    )
    return Why(
        opened=opened,
        kind=kind,
        scorer=name,
        scorers=names,
        source=f"{name} · {info.run}",
        verified_by=verified.source,
        automatic=found.automatic,
        verified=found.verified,
        value=value_of(name, found.automatic),
        delta=found.delta,
        rows=tuple(WhyRow(row, mend(row, kind, name)) for row in found.rows),
        totals=found.totals,
    )


def _verified(store: Store, opened: Opened, stored: Stored, kind: Kind) -> tuple[Assessment, bool]:
    """What the automatic side is compared with, and whether its units came out of this proposal."""
    own = opened.state.of(kind)
    based = descends(opened.opening, own, stored.proposal_id)
    if own.disposition == "verified":
        return own.assessment, based
    if own.disposition == "excluded":
        raise InputError("this sample is excluded: there is no verified value to compare with")
    (row,) = queue.page(
        store, opened.dataset.id, [opened.sample_id], opened.annotator, (kind,),
        scorer="", run_id=None, matcher=MATCHER, threshold=0,
    )  # fmt: skip
    gold = row.gold
    given = gold is not None and gold.origin in ("imported", "adjudicated") and not opened.blind
    if own.disposition == "todo" and given and gold and gold.assessment:
        return gold.assessment, False
    if opened.opening.auto_shown:
        return replace(own.assessment, source="not verified yet"), based
    raise InputError("automatic and verified show once this sample is decided")


def _grounded(automatic: Assessment, opened: Opened, stored: Stored) -> Assessment:
    """The names that ragas compared, with their places: ragas itself knows none."""
    assert stored.proposal is not None  # it made the assessment
    sample, policy, entities = opened.sample, opened.policy, stored.proposal.context_entities or ()
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
