"""Gold: which verified assessment of each sample stands, and verified units as rows of `gold_unit`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from workbench.errors import SpanError
from workbench.model import Assessment, Kind, Sample, Tally, Unit, count
from workbench.reviewing.documents import unit_document, unit_of
from workbench.reviewing.gold import Verified, resolve
from workbench.store.engine import Store, insert_tuples
from workbench.store.tables import METADATA, Dataset, GoldUnitRow, PolicyRow, ReviewRow, SampleRow, state_of
from workbench.text.lists import stored


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
    with store.reading() as session:
        return _gold(session, kind, ReviewRow.dataset_id == dataset_id)


def load_some(store: Store, sample_ids: Sequence[int], kind: Kind) -> dict[int, Gold]:
    """The gold of those of some samples that have a verified review of that kind."""
    with store.reading() as session:
        return gold_of(session, sample_ids, kind)


def load_excluded(store: Store, dataset_id: int, kind: Kind) -> set[int]:
    """The samples that somebody excluded, for one kind."""
    disposition = ReviewRow.entity if kind == "entity" else ReviewRow.statement
    with store.reading() as session:
        return set(
            session.exec(
                select(ReviewRow.sample_id).where(
                    ReviewRow.dataset_id == dataset_id, disposition == "excluded"
                )
            )
        )


def excluded_of(session: Session, sample_ids: Sequence[int], kind: Kind) -> set[int]:
    """Those of some samples that somebody excluded, inside an open transaction."""
    disposition = ReviewRow.entity if kind == "entity" else ReviewRow.statement
    return set(
        session.exec(
            select(ReviewRow.sample_id).where(
                col(ReviewRow.sample_id).in_(sample_ids), disposition == "excluded"
            )
        )
    )


def gold_of(session: Session, sample_ids: Sequence[int], kind: Kind) -> dict[int, Gold]:
    """The gold of some samples, inside an open transaction."""
    return _gold(session, kind, col(ReviewRow.sample_id).in_(sample_ids))


def verified_by(session: Session, sample_ids: Sequence[int], kind: Kind) -> dict[int, list[Verified]]:
    """Every annotator's verified assessment of some samples."""
    return _verified(session, kind, col(ReviewRow.sample_id).in_(sample_ids))


def counted_labels(session: Session, sample_id: int) -> tuple[str, ...]:
    """The labels that the policy of a sample's dataset counts; empty means all."""
    policy = (col(PolicyRow.dataset_id) == Dataset.id) & (col(PolicyRow.version) == Dataset.policy_version)
    query = (
        select(PolicyRow.document)
        .join(Dataset, policy)
        .join(SampleRow, col(SampleRow.dataset_id) == Dataset.id)
        .where(col(SampleRow.id) == sample_id)
    )
    return tuple(session.exec(query).one()["counted_labels"])


def _gold(session: Session, kind: Kind, where: object) -> dict[int, Gold]:
    gold = {}
    found = _verified(session, kind, where)
    several = next((sample_id for sample_id, verified in found.items() if len(verified) > 1), None)
    counted = () if several is None else counted_labels(session, several)
    for sample_id, verified in found.items():
        one = resolve(verified, counted)
        gold[sample_id] = Gold(
            kind=kind,
            annotators=tuple(v.annotator for v in verified),
            origin=one.origin if one else "unresolved",
            assessment=one.assessment if one else None,
        )
    return gold


def _verified(session: Session, kind: Kind, where: object) -> dict[int, list[Verified]]:
    disposition = state_of(kind)
    reviews = session.exec(
        select(ReviewRow)
        .where(disposition == "verified", where)  # type: ignore[arg-type]
        .order_by(col(ReviewRow.sample_id), col(ReviewRow.id))
    ).all()
    if not reviews:
        return {}
    units: dict[int, list[Unit]] = {review.id or 0: [] for review in reviews}
    rows = session.exec(
        select(GoldUnitRow.review_id, GoldUnitRow.document)
        .join(ReviewRow, col(ReviewRow.id) == GoldUnitRow.review_id)
        .where(GoldUnitRow.kind == kind, where)  # type: ignore[arg-type]
        .order_by(col(GoldUnitRow.review_id), col(GoldUnitRow.position))
    )
    for review_id, document in rows:
        units[review_id].append(unit_of(document, kind))
    return _group(reviews, units, kind)


def _group(
    reviews: Iterable[ReviewRow], units: Mapping[int, Sequence[Unit]], kind: Kind
) -> dict[int, list[Verified]]:
    grouped: dict[int, list[Verified]] = {}
    for review in reviews:
        assessment = Assessment(kind, f"verified by {review.annotator}", tuple(units[review.id or 0]))
        origin = review.origin
        assert origin in ("reviewed", "imported", "adjudicated")
        grouped.setdefault(review.sample_id, []).append(Verified(review.annotator, origin, assessment))  # type: ignore[arg-type]
    return grouped


GoldRow = tuple[Any, ...]

_COLUMNS = (
    "dataset_id", "sample_id", "review_id", "annotator", "kind", "position", "unit", "text", "label", "start",
    "end", "verdict", "reason", "rule", "document",
)  # fmt: skip


def insert_gold(session: Session, rows: Sequence[GoldRow]) -> None:
    """Write what `gold_rows` gives."""
    insert_tuples(session, METADATA.tables["gold_unit"], _COLUMNS, rows)


def gold_rows(
    units: Sequence[Unit],
    sample: Sample,
    dataset_id: int,
    sample_id: int,
    review_id: int,
    annotator: str,
) -> list[GoldRow]:
    """The rows of verified units, spans checked against the text.

    Raises SpanError for a span outside the reference, a principal span that does not read as the
    unit's text, or evidence outside its context.
    """
    rows = []
    for position, unit in enumerate(units):
        check_spans(unit, sample)
        match, start, end = unit.match, None, None
        if unit.spans:
            start, end = unit.spans[0].start, unit.spans[0].end
        rows.append(
            (
                dataset_id, sample_id, review_id, annotator, unit.kind, position, unit.id, unit.text,
                unit.label, start, end, match.verdict or "unsure", match.reason, match.rule,
                stored(unit_document(unit)),
            )
        )  # fmt: skip
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
            raise SpanError(f"{_name(unit)} stands at a place that reads {surface[:60]!r}")
    for place in unit.match.evidence:
        contexts = sample.retrieved_contexts
        inside = 0 <= place.context < len(contexts)
        if not inside or not 0 <= place.start < place.end <= len(contexts[place.context]):
            where = f"{place.start}:{place.end} of context {place.context}"
            raise SpanError(f"the evidence of {_name(unit)} lies outside its text: {where}")


def _name(unit: Unit) -> str:
    return repr(unit.text[:60])
