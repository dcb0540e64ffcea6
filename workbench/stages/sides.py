"""The two sides of a difference: what a scorer counted of a sample, how it is compared, why they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple, Self

from workbench.comparing.causes import FINEST, Difference, Extracted, difference, imported, precision_of
from workbench.comparing.explained import Explained, explained
from workbench.comparing.links import descends
from workbench.comparing.triage import Suspicion, suspect
from workbench.matching.units import entity_units, language_of
from workbench.model import Assessment, Evidence, Kind, Progress, ProposedEntity, Sample, Unit, silent
from workbench.reviewing.fold import ReviewState
from workbench.scoring.names import RECOUNT, SCORERS, first_scorer, kind_of, metric_of
from workbench.scoring.scorers import assess_all, places_of
from workbench.store import gold as gold_store, journal, scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.gold import Reviewed
from workbench.store.samples import Stored, chunked, load_samples
from workbench.text.ground import ground

RAGAS = ("ragas", "ragas_legacy")
JUDGES = {"deepeval": "Contextual Recall"}
"""The metric whose score is counted from the verdicts that a proposal of this name has."""
BY_ENTITIES = (*RAGAS, "linked")
"""Scorers that compare extracted context entities; the others read the text of the contexts."""


class VerifiedSide(NamedTuple):
    """What a score is compared with. `based`: its units came out of the stored proposal, with their ids."""

    assessment: Assessment
    based: bool = False

    @classmethod
    def of(cls, review: ReviewState, kind: Kind, stored: Stored) -> Self:
        """What a review says of a kind."""
        return cls(review.of(kind).assessment, descends(review, kind, stored.proposal_id))


class FileNumber(NamedTuple):
    """A number of a file as written, and `within` which others of its column equal it (`precision_of`)."""

    digits: str
    within: float


def numbers_of(store: Store, info: DatasetInfo, column: str) -> dict[int, FileNumber]:
    """The numbers of a column of the file by sample; none without a column."""
    written = scores.external_digits(store, info.id, column) if column else {}
    within = precision_of(written.values())
    return {number: FileNumber(digits, within) for number, digits in written.items()}


def automatic_sides(info: DatasetInfo, stored: Stored, only: str = "") -> Mapping[str, Assessment]:
    """The assessments of all scorers that the proposal allows, or of one, with evidence."""
    if stored.proposal is None:
        return {}
    names = (only,) if only else tuple(SCORERS)
    return assess_all(stored.sample, stored.proposal, info.matching, only=names)


def judged_side(info: DatasetInfo, stored: Stored, scorer: str) -> Assessment | None:
    """The assessment of one scorer that stands for a judge's; None where it could not count the sample.

    Statements that rules proposed do not: overlap of words is another measure.
    """
    by_rules = stored.proposal is not None and stored.proposal.proposer == "rules"
    if by_rules and SCORERS[scorer] == "statement":
        return None
    return automatic_sides(info, stored, scorer).get(scorer)


def compared(
    info: DatasetInfo, stored: Stored, scorer: str, automatic: Assessment, verified: VerifiedSide
) -> Difference:
    """The difference of a scorer's assessment to the verified one, by the names that were extracted."""
    assert stored.proposal is not None  # it made the assessment
    if scorer in RAGAS:
        automatic = _grounded(automatic, info, stored)
    entities = stored.proposal.context_entities if scorer in BY_ENTITIES else None
    return difference(
        automatic,
        verified.assessment,
        based=verified.based,
        lang=language_of(stored.sample, info.policy),
        extracted=None if entities is None else _extracted(stored.sample, entities),
    )


def against(
    info: DatasetInfo, stored: Stored, scorer: str, number: FileNumber | None, verified: VerifiedSide
) -> Difference | None:
    """The difference of a scorer, or of a file's number where there is one, to the verified value.

    None where the scorer could not count this sample.
    """
    if number is not None:
        return imported_side(info, stored, scorer, number, verified)
    automatic = automatic_sides(info, stored, scorer).get(scorer)
    return None if automatic is None else compared(info, stored, scorer, automatic, verified)


def imported_side(
    info: DatasetInfo, stored: Stored, column: str, number: FileNumber, verified: VerifiedSide
) -> Difference:
    """The difference of a file's number to the verified value: what the recount explains, and the rest."""
    kind = verified.assessment.kind
    scorer = RECOUNT[kind]
    automatic = judged_side(info, stored, scorer)
    if automatic is not None:
        recount = compared(info, stored, scorer, automatic, verified)
    else:
        nothing = difference(Assessment(kind, column, ()), verified.assessment, based=False)
        recount = replace(nothing, rows=())
    return imported(recount, Fraction(number.digits), within=number.within)


def suspicion(
    info: DatasetInfo, stored: Stored, name: str, score: float, kind: Kind, *, wanted: bool = True
) -> Suspicion | None:
    """What speaks against the score of a scorer or column, each proposed name looked up in the contexts.

    `wanted`: whether the names are worth looking up; other signals need none.
    """

    def names() -> Sequence[Unit] | None:
        assessment = automatic_sides(info, stored, "presence").get("presence") if wanted else None
        return None if assessment is None else assessment.units

    judge = stored.proposal.proposer if stored.proposal is not None else ""
    own = judged_side(info, stored, RECOUNT["statement"]) if JUDGES.get(judge) == metric_of(name) else None
    return suspect(stored.sample, score, kind, names, own)


def _grounded(automatic: Assessment, info: DatasetInfo, stored: Stored) -> Assessment:
    """The names that ragas compared, all of them, with their places and labels: ragas itself knows none."""
    assert stored.proposal is not None  # it made the assessment
    sample, policy, entities = stored.sample, info.policy, stored.proposal.context_entities or ()
    every = replace(policy, counted_labels=())
    listed = entity_units(sample, stored.proposal.reference_entities or (), every)
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
    store: Store,
    info: DatasetInfo,
    stored: Stored,
    assessments: Mapping[str, Assessment],
    written: Mapping[Kind, tuple[str, str]],
    standing: Mapping[Kind, VerifiedSide],
) -> dict[Kind, Difference]:
    """The difference of every kind, as it is `standing`, to the score shown first; a few ms.

    That is the number of the file where it has one (`written`: column and digits), else a scorer.
    """
    differences = {}
    for kind, side in standing.items():
        name = first_scorer(assessments, kind)
        if kind in written:
            column, digits = written[kind]
            number = FileNumber(digits, precision_of([digits]))
            gap = imported_side(info, stored, column, number, side)
            if number.within > FINEST and any(row.cause == "rounding" for row in gap.rows):
                # others of the column may have more digits; reading it takes .2 s for 100,000
                within = precision_of(scores.external_digits(store, info.id, column).values())
                gap = imported_side(info, stored, column, FileNumber(digits, within), side)
            differences[kind] = gap
        elif name is not None:
            lang = language_of(stored.sample, info.policy)
            differences[kind] = difference(assessments[name], side.assessment, based=side.based, lang=lang)
    return differences


def explain_all(
    store: Store, info: DatasetInfo, scorer: str, reviewed: Mapping[int, Reviewed],
    progress: Progress = silent,
) -> dict[int, Explained]:  # fmt: skip
    """Explain the verified samples that a scorer of the dataset's run or an imported column has a value of.

    Unresolved samples have no gold to be compared with.
    """
    kind = kind_of(scorer)
    assert kind is not None  # the caller checked the name
    written = numbers_of(store, info, "" if scorer in SCORERS else scorer)
    due = [sample for sample in reviewed.values() if sample.review_id is not None]
    by_sample: dict[int, Explained] = {}
    for done, (stored, verified) in enumerate(each_verified(store, info.run_id, kind, due), start=1):
        gap = against(info, stored, scorer, written.get(stored.sample_id), verified)
        if gap is not None:
            by_sample[stored.sample_id] = explained(gap)
        progress(done)
    return by_sample


def each_verified(
    store: Store, run_id: int | None, kind: Kind, due: Sequence[Reviewed]
) -> Iterator[tuple[Stored, VerifiedSide]]:
    """Some samples with their `verified_side`."""
    for chunk in chunked(due):
        ids = [sample.sample_id for sample in chunk]
        own = {sample.sample_id: sample.annotator for sample in chunk if sample.origin == "reviewed"}
        reviews = journal.load_reviews(store, own)
        gold = gold_store.load_some(store, [number for number in ids if number not in reviews], kind)
        for stored in load_samples(store, ids, run_id):
            number = stored.sample_id
            verified = verified_side(stored, kind, reviews.get(number), gold.get(number))
            if verified is not None:
                yield stored, verified


def verified_side(
    stored: Stored, kind: Kind, review: ReviewState | None, gold: gold_store.Gold | None
) -> VerifiedSide | None:
    """What this review verified, else the gold; None where there is neither."""
    if review is not None and review.of(kind).disposition == "verified":
        return VerifiedSide.of(review, kind, stored)
    return VerifiedSide(gold.assessment) if gold and gold.assessment else None
