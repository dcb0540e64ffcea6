"""Gold: which verified assessment of each sample stands, and verified units as rows of `gold_unit`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, select

from workbench.errors import SpanError
from workbench.model import Assessment, Kind, Sample, Tally, Unit, count
from workbench.reviewing.documents import unit_document, unit_of
from workbench.reviewing.gold import Verified, resolve
from workbench.store.engine import Store
from workbench.store.tables import DATASET, POLICY, REVIEW, SAMPLE, UNIT, ReviewRow, among


@dataclass(frozen=True, slots=True)
class Gold:
    """What is verified of one kind of one sample.

    `assessment` is None while verified reviews differ (*unresolved*).
    """

    kind: Kind
    annotators: tuple[str, ...]
    origin: str
    assessment: Assessment | None

    @property
    def tally(self) -> Tally | None:
        """The verified tally; None while unresolved."""
        return None if self.assessment is None else count(self.assessment.units)


def load_gold(store: Store, dataset_id: int, kind: Kind) -> dict[int, Gold]:
    """The gold of every sample of a dataset that has a verified review of that kind."""
    return _resolved(store, kind, REVIEW.dataset_id == dataset_id)


def load_some(store: Store, sample_ids: Iterable[int], kind: Kind) -> dict[int, Gold]:
    """The gold of those of some samples that have a verified review of that kind."""
    return _resolved(store, kind, among(REVIEW.sample_id, sample_ids))


def load_excluded(store: Store, dataset_id: int, kind: Kind) -> set[int]:
    """The samples that somebody excluded, for one kind."""
    own = REVIEW.dataset_id == dataset_id
    return set(store.column(select(REVIEW.sample_id).where(own, REVIEW[kind] == "excluded")))


def verified_by(store: Store, sample_ids: Iterable[int], kind: Kind) -> dict[int, list[Verified]]:
    """Every annotator's verified assessment of some samples."""
    return _verified(store, kind, among(REVIEW.sample_id, sample_ids))


def counted_labels(store: Store, sample_id: int) -> tuple[str, ...]:
    """The labels that the policy of a sample's dataset counts; empty means all."""
    query = select(POLICY.document).where(
        SAMPLE.id == sample_id,
        DATASET.id == SAMPLE.dataset_id,
        POLICY.dataset_id == DATASET.id,
        POLICY.version == DATASET.policy_version,
    )
    with store.reading():
        return tuple(store.value(query)["counted_labels"])


def _resolved(store: Store, kind: Kind, where: ColumnElement[bool]) -> dict[int, Gold]:
    gold = {}
    verified = _verified(store, kind, where)
    several = next((sample_id for sample_id, each in verified.items() if len(each) > 1), None)
    counted = () if several is None else counted_labels(store, several)
    for sample_id, each in verified.items():
        standing = resolve(each, counted)
        origin, assessment = (standing.origin, standing.assessment) if standing else ("unresolved", None)
        gold[sample_id] = Gold(kind, tuple(one.annotator for one in each), origin, assessment)
    return gold


def _verified(store: Store, kind: Kind, where: ColumnElement[bool]) -> dict[int, list[Verified]]:
    reviews = select(REVIEW.id, REVIEW.sample_id, REVIEW.annotator, REVIEW.origin).where(
        REVIEW[kind] == "verified", where
    )
    documents = select(UNIT.review_id, UNIT.document).where(
        REVIEW.id == UNIT.review_id, UNIT.kind == kind, where
    )
    verified: dict[int, list[Verified]] = {}
    units: dict[int, list[Unit]] = {}
    with store.reading():
        rows = store.rows(reviews.order_by(REVIEW.sample_id, REVIEW.id))
        if not rows:
            return {}
        for review_id, document in store.rows(documents.order_by(UNIT.review_id, UNIT.position)):
            units.setdefault(review_id, []).append(unit_of(document, kind))
        for review_id, sample_id, annotator, origin in rows:
            assert origin in ("reviewed", "imported", "adjudicated")
            assessment = Assessment(kind, f"verified by {annotator}", tuple(units.get(review_id, ())))
            verified.setdefault(sample_id, []).append(Verified(annotator, origin, assessment))
    return verified


def gold_rows(units: Sequence[Unit], sample: Sample, review: ReviewRow) -> list[dict[str, Any]]:
    """The rows of the verified units of a review, spans checked against the text.

    Raises SpanError for a span outside the reference, a principal span that does not read as the
    unit's text, or evidence outside its context.
    """
    rows = []
    for position, unit in enumerate(units):
        check_spans(unit, sample)
        rows.append(
            {
                "dataset_id": review.dataset_id,
                "sample_id": review.sample_id,
                "review_id": review.id,
                "annotator": review.annotator,
                "kind": unit.kind,
                "position": position,
                "unit": unit.id,
                "text": unit.text,
                "label": unit.label,
                "start": unit.spans[0].start if unit.spans else None,
                "end": unit.spans[0].end if unit.spans else None,
                "verdict": unit.match.verdict or "unsure",
                "reason": unit.match.reason,
                "rule": unit.match.rule,
                "document": unit_document(unit),
            }
        )
    return rows


def check_spans(unit: Unit, sample: Sample) -> None:
    """Check that every span lies in its text and that an entity's principal span reads as its text.

    Raises SpanError otherwise.
    """
    reference = sample.reference
    for span in unit.spans:
        if not 0 <= span.start < span.end <= len(reference):
            raise SpanError(f"{_name(unit)} at {span.start}:{span.end} lies outside the reference")
    if unit.kind == "entity" and unit.spans:
        surface = reference[unit.spans[0].start : unit.spans[0].end]
        if surface != unit.text:
            raise SpanError(f"{_name(unit)} is at a place that reads {surface[:60]!r}")
    for place in unit.match.evidence:
        contexts = sample.retrieved_contexts
        inside = 0 <= place.context < len(contexts)
        if not inside or not 0 <= place.start < place.end <= len(contexts[place.context]):
            where = f"{place.start}:{place.end} of context {place.context}"
            raise SpanError(f"the evidence of {_name(unit)} lies outside its text: {where}")


def _name(unit: Unit) -> str:
    return repr(unit.text[:60])
