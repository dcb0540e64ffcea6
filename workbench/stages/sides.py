"""The two sides of a difference: what a scorer counted of a sample, how it is compared, why they differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from workbench.comparing.causes import Difference, Extracted, difference, imported, precision_of
from workbench.comparing.explained import Explained, explained
from workbench.comparing.links import descends
from workbench.comparing.triage import Suspicion, suspect
from workbench.errors import StoreError
from workbench.matching import MATCHER
from workbench.matching.units import entity_units, language_of
from workbench.model import KINDS, Assessment, Evidence, Kind, ProposedEntity, Sample, Unit
from workbench.reviewing.edits import Open
from workbench.reviewing.fold import ReviewState
from workbench.scoring.names import RECOUNT, SCORERS, first_scorer, kind_of
from workbench.scoring.scorers import assess_all, places_of
from workbench.stages.progress import Progress, silent
from workbench.store import explained as kept
from workbench.store import gold as gold_store
from workbench.store import journal, scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.explained import Key, Reviewed
from workbench.store.samples import CHUNK, Stored, load_samples
from workbench.text.ground import ground

__all__ = ["Explained", "Reviewed"]

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


def causes_of(
    info: DatasetInfo,
    stored: Stored,
    assessments: Mapping[str, Assessment],
    state: ReviewState,
    opening: Open,
    lang: str,
    written: Mapping[Kind, tuple[str, str]],
) -> dict[Kind, Difference]:
    """The difference of every verified kind to the score shown first; a few ms.

    That is the number of the file where it has one (`written`: column and digits), else a scorer.
    """
    found = {}
    for kind in KINDS:
        own, name = state.of(kind), first_scorer(assessments, kind)
        if own.disposition != "verified":
            continue
        based = descends(opening, own, stored.proposal_id)
        if kind in written:
            column, digits = written[kind]
            within = precision_of([digits])
            found[kind] = imported_side(info, stored, column, digits, within, own.assessment, based)
        elif name is not None:
            found[kind] = difference(assessments[name], own.assessment, based=based, lang=lang)
    return found


@dataclass(frozen=True, slots=True)
class Known:
    """The verified samples of a kind, and those of them that a scorer could count, with the reasons."""

    reviewed: Mapping[int, Reviewed]
    explained: Mapping[int, Explained]


def explain_all(
    store: Store, info: DatasetInfo, run_id: int | None, scorer: str, threshold: int,
    *, reviewed: Mapping[int, Reviewed] | None = None, only: Collection[int] | None = None,
    progress: Progress = silent,
) -> Known:  # fmt: skip
    """Explain every verified sample under a run and a scorer or an imported column.

    It takes 4 ms for each sample whose gold or text is new.

    Unresolved samples have no gold to be compared with. Without a proposal there is only a column to compare;
    without a run nothing is kept.
    `reviewed`: the verified samples, where they are read already; `only` some of them are explained.
    """
    kind = kind_of(scorer)
    assert kind is not None  # the caller checked the name
    written = {} if scorer in SCORERS else scores.external_digits(store, info.id, scorer)
    within = precision_of(written.values())
    if reviewed is None:
        reviewed = kept.reviewed(store, info.id, kind, info.policy.version)
    if only is not None:
        reviewed = {number: one for number, one in reviewed.items() if number in only}
    stamps = {
        number: f"{one.stamp}.{written[number]}.{within}" if number in written else one.stamp
        for number, one in reviewed.items()
    }
    at = None if run_id is None else Key(run_id, scorer, MATCHER, threshold)
    before = {} if at is None else kept.load_explained(store, info.id, at)
    found = {
        number: before[number][1]
        for number in reviewed
        if number in before and before[number][0] == stamps[number]
    }
    due = [one for number, one in reviewed.items() if number not in found and one.review_id is not None]
    if run_id is None:
        due = [one for one in due if one.sample_id in written]
    for start in range(0, len(due), CHUNK):
        fresh = _explain(
            store, info, run_id, scorer, threshold, kind, due[start : start + CHUNK], written, within
        )
        found |= fresh
        rows = {number: (stamps[number], one) for number, one in fresh.items()}
        if at is not None:
            with suppress(StoreError):  # a database that takes no writing: it is worked out again next time
                kept.save_explained(store, at, rows)
        progress(min(start + CHUNK, len(due)))
    return Known(reviewed, found)


def _explain(
    store: Store,
    info: DatasetInfo,
    run_id: int | None,
    scorer: str,
    threshold: int,
    kind: Kind,
    due: Sequence[Reviewed],
    written: Mapping[int, str],
    within: float,
) -> dict[int, Explained]:
    of = {one.sample_id: one for one in due}
    gold = gold_store.load_some(store, list(of), kind)
    found = {}
    for stored in load_samples(store, list(of), run_id):
        verified, based = _verified(store, of[stored.sample_id], stored, kind, gold)
        if verified is None:
            continue
        digits = written.get(stored.sample_id)
        automatic = automatic_sides(info, stored, threshold, scorer).get(scorer)
        if digits is not None:
            gap = imported_side(info, stored, scorer, digits, within, verified, based)
        elif automatic is not None:
            gap = compared(info, stored, scorer, automatic, verified, based)
        else:
            continue
        found[stored.sample_id] = explained(gap)
    return found


def _verified(
    store: Store, one: Reviewed, stored: Stored, kind: Kind, gold: Mapping[int, gold_store.Gold]
) -> tuple[Assessment | None, bool]:
    """The gold of a sample, and whether its units came out of this proposal with their ids."""
    if one.origin == "reviewed":
        review = journal.load_review(store, one.sample_id, one.annotator)
        if review is not None and review.state.opened is not None:
            own = review.state.of(kind)
            return own.assessment, descends(review.state.opened, own, stored.proposal_id)
    known = gold.get(one.sample_id)
    return (known.assessment if known else None), False
