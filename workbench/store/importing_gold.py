"""The gold of samples that had none: reviews, their journal and their gold units, each table written once.

What the journal of a new review folds to is known beforehand, so nothing is read back or folded.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Session, col, select

from workbench.model import KINDS, Assessment, GoldRecord, Kind, Marks, Record
from workbench.reviewing.documents import edit_document
from workbench.reviewing.edits import Accept, Comment, Dispose, Edit, Flag, Open
from workbench.reviewing.gold import gold_units
from workbench.store.engine import insert_many
from workbench.store.gold_rows import GoldRow, gold_rows, insert_gold
from workbench.store.intake import Intake
from workbench.store.journal import events_of
from workbench.store.tables import METADATA, ReviewRow
from workbench.text.json_text import stored

Row = dict[str, Any]


def assessments_of(gold: GoldRecord) -> list[Assessment]:
    """What gold says, one assessment for each kind that it has."""
    parts: list[tuple[Kind, Any]] = [("entity", gold.entities), ("statement", gold.statements)]
    source = f"imported from {gold.annotator}"
    return [Assessment(kind, source, units) for kind, units in parts if units is not None]


def write_reviews(session: Session, intake: Intake, gold: Sequence[tuple[int, GoldRecord, Record]]) -> None:
    """Write reviews of samples, given by their numbers, that the annotators have not reviewed yet."""
    now = datetime.now(UTC)
    heads = [_head(intake, sample_id, record, now) for sample_id, record, _ in gold]
    insert_many(session, METADATA.tables["review"], heads)
    numbers = _review_ids(session, [sample_id for sample_id, _, _ in gold])
    events: list[Row] = []
    units: list[GoldRow] = []
    for sample_id, record, whole in gold:
        review_id = numbers[sample_id, record.annotator]
        rows: list[tuple[str, str]] = [_row(opening_of(record.marks, intake.policy_version))]
        for assessment in assessments_of(record):
            rows.append(_row(Accept(assessment)))
            units += gold_rows(
                gold_units(assessment.units),
                whole.sample,
                intake.dataset_id,
                sample_id,
                review_id,
                record.annotator,
            )
        rows += map(_row, marks_edits(record.marks))
        events += _events(intake, record, review_id, rows, now)
    insert_many(session, METADATA.tables["review_event"], events, encoded=True)
    insert_gold(session, units)
    intake.reviews += sum(
        record.entities is not None or record.statements is not None for _, record, _ in gold
    )
    intake.units += len(units)


def _head(intake: Intake, sample_id: int, record: GoldRecord, now: datetime) -> Row:
    said = record.marks.dispositions
    kinds = (record.entities is not None) + (record.statements is not None)
    return {
        "dataset_id": intake.dataset_id,
        "sample_id": sample_id,
        "annotator": record.annotator,
        "origin": "adjudicated" if record.marks.adjudicated else "imported",
        "policy_version": intake.policy_version,
        "shown": record.marks.shown or "import",
        "seq": kinds + len(marks_edits(record.marks)),
        "entity": said.get("entity", "todo") if record.entities is None else "verified",
        "statement": said.get("statement", "todo") if record.statements is None else "verified",
        "flag": record.marks.flag,
        "updated_at": now,
        "off_plan": record.marks.off_plan,
    }


def _row(edit: Edit) -> tuple[str, str]:
    """The operation and its data."""
    op, data = edit_document(edit)
    return op, stored(data)


def _events(
    intake: Intake, record: GoldRecord, review_id: int, rows: Sequence[tuple[str, str]], now: datetime
) -> list[Row]:
    spent = record.effort
    return [
        {
            "review_id": review_id,
            "seq": seq,
            "dataset_id": intake.dataset_id,
            "annotator": record.annotator,
            "action": intake.action,
            "op": op,
            "data": data,
            "at": now,
            "seconds": spent.seconds if spent and seq == 1 else None,
            "presses": spent.presses if spent and seq == 1 else None,
        }
        for seq, (op, data) in enumerate(rows)
    ]


def _review_ids(session: Session, sample_ids: Sequence[int]) -> dict[tuple[int, str], int]:
    rows = session.exec(
        select(ReviewRow.sample_id, ReviewRow.annotator, ReviewRow.id).where(
            col(ReviewRow.sample_id).in_(sample_ids)
        )
    )
    return {(sample_id, annotator): number for sample_id, annotator, number in rows if number is not None}


def opening_of(marks: Marks, policy_version: int) -> Open:
    """The first row of a review that came with a file."""
    return Open(None, "", 0, policy_version, marks.shown or "import", False, (), off_plan=marks.off_plan)


def marks_edits(marks: Marks) -> list[Edit]:
    """The edits that say what the marks say, in a review that is new."""
    edits: list[Edit] = [
        Dispose(marks.dispositions[kind], (kind,), reason=marks.reasons.get(kind, ""))
        for kind in KINDS
        if kind in marks.dispositions
    ]
    if marks.flag:
        edits.append(Flag(marks.flag))
    return [*edits, *(Comment(text) for text in marks.comments)]


def new_marks(session: Session, review: ReviewRow, marks: Marks) -> list[Edit]:
    """The edits for what a review that is there does not say yet."""
    edits: list[Edit] = [
        Dispose(said, (kind,), reason=marks.reasons.get(kind, ""))
        for kind, said in marks.dispositions.items()
        if said != (review.entity if kind == "entity" else review.statement)
    ]
    if marks.flag and marks.flag != review.flag:
        edits.append(Flag(marks.flag))
    if marks.comments:
        assert review.id is not None
        there = {
            event.edit.text for event in events_of(session, review.id) if isinstance(event.edit, Comment)
        }
        edits += [Comment(text) for text in marks.comments if text not in there]
    return edits


def differing_mark(review: ReviewRow, marks: Marks) -> str | None:
    """A disposition or flag that contradicts what the review says; None when nothing does."""
    for kind, said in marks.dispositions.items():
        before = review.entity if kind == "entity" else review.statement
        if before not in (said, "todo", "skipped"):
            return f"{said}, where it is {before},"
    if marks.flag and review.flag and marks.flag != review.flag:
        return "another flag"
    return None
