"""The journal of reviews: append, undo, redo, load. One act is one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, cast

import sqlalchemy
from sqlalchemy import Table, bindparam, case, delete, exists
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from workbench.errors import ConflictError
from workbench.model import KINDS, Assessment, Effort, Kind, Sample, Unit
from workbench.reviewing.documents import edit_document, edit_of
from workbench.reviewing.edits import IMPORT_ACTION, Accept, Edit, Event, Open, Put, Redo, Undo
from workbench.reviewing.fold import ReviewState, fold, followed, newest_effective, newest_undone
from workbench.reviewing.gold import gold_units
from workbench.store.engine import Store
from workbench.store.gold import check_spans, gold_rows, insert_gold
from workbench.store.samples import sample_of
from workbench.store.tables import GoldUnitRow, ReviewEventRow, ReviewRow, SampleRow

_EVENTS: Table = ReviewEventRow.__table__  # type: ignore[attr-defined]
LAST = 2**63 - 1
"""Behind every row's number."""

_GOLD: Table = GoldUnitRow.__table__  # type: ignore[attr-defined]

# Statements that every key asks are made once (`@cache`): making one takes longer than asking it.


@dataclass(frozen=True, slots=True)
class Review:
    """A review of the database."""

    id: int
    sample_id: int
    annotator: str
    origin: str
    shown: str
    state: ReviewState


@dataclass(frozen=True, slots=True)
class Act:
    """What a person does to one sample at once.

    `sample` and `state` are what the person had seen: the text, and the review up to its newest row, `seq`
    -1 for one that does not exist yet; `opening` is then written first. `reopening` is written first where a
    review of which nothing was touched was shown anew. `effort` is what the act cost.
    """

    sample_id: int
    sample: Sample
    state: ReviewState
    opening: Open
    edits: Sequence[Edit]
    reopening: Open | None = None
    effort: Effort | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """What undo or redo touched: where to go and what to say.

    `unit` is the id of the unit whose place it is, empty when it was about the sample; `edit` the first
    edit of the act, which reached over so many `samples`; `state` what the review of the first is now.
    """

    sample_id: int
    what: str
    kind: Kind | None
    edit: Edit
    state: ReviewState
    unit: str = ""
    samples: int = 1


def load_review(store: Store, sample_id: int, annotator: str) -> Review | None:
    """The folded review of one annotator, None when there is none."""
    with store.reading() as session:
        row = _review_row(session, sample_id, annotator)
        return None if row is None else _review(session, row)


def load_events(store: Store, review_id: int) -> list[Event]:
    """The journal of one review, oldest first."""
    with store.reading() as session:
        return events_of(session, review_id)


def record(store: Store, act: Act, annotator: str, *, origin: str = "reviewed") -> ReviewState:
    """Append one act to a review and project what it changed; returns the new state.

    Raises ConflictError when the journal has moved on or the text was replaced, SpanError for a unit that
    does not quote the reference; nothing is written in either case.
    """
    with store.writing() as session:
        return _append_act(session, act, annotator, uuid.uuid4().hex, origin)


def record_bulk(store: Store, acts: Sequence[Act], annotator: str) -> None:
    """One act over many samples: all or nothing, one undo. Raises as `record`."""
    action = uuid.uuid4().hex
    with store.writing() as session:
        for act in acts:
            _append_act(session, act, annotator, action, "reviewed")


def _append_act(session: Session, act: Act, annotator: str, action: str, origin: str) -> ReviewState:
    # beside the journal only the hash is read: it says that the text is the one the person saw
    dataset_id, name, content_hash = session.exec(_text_of(), params={"sample": act.sample_id}).one()
    if act.sample.content_hash != content_hash:
        raise ConflictError(f"the text of {name} was replaced; it is shown as it is now")
    row = _review_row(session, act.sample_id, annotator)
    if (row.seq if row else -1) != act.state.seq:
        raise ConflictError(f"{name} was changed in another window; it is shown as it is now")
    edits = list(act.edits)
    if row is None:
        edits.insert(0, act.opening)
        row = _new_review(dataset_id, act.sample_id, annotator, act.opening, origin)
        session.add(row)
    elif act.reopening is not None:
        edits.insert(0, act.reopening)
    named = [(action, edit) for edit in edits]
    return append_edits(session, row, lambda: act.sample, named, act.effort, before=act.state)


def undo(store: Store, dataset_id: int, annotator: str) -> Moved | None:
    """Take back the newest effective act of this annotator in this dataset; None when there is none."""
    with store.writing() as session:
        action = newest_effective(_history(session, dataset_id, annotator))
        return None if action is None else _mark(session, action, Undo(action))


def redo(store: Store, dataset_id: int, annotator: str) -> Moved | None:
    """Restore the act that was undone last; None when a new edit came since."""
    with store.writing() as session:
        action = newest_undone(_history(session, dataset_id, annotator))
        return None if action is None else _mark(session, action, Redo(action))


def reviewed_before(store: Store, dataset_id: int, policy_version: int) -> tuple[str, ...]:
    """The ids of samples whose reviews used an older policy."""
    with store.reading() as session:
        return tuple(
            session.exec(
                select(SampleRow.key)
                .join(ReviewRow, col(ReviewRow.sample_id) == SampleRow.id)
                .where(ReviewRow.dataset_id == dataset_id, ReviewRow.policy_version < policy_version)
                .order_by(col(SampleRow.id))
                .distinct()
            )
        )


def _history(session: Session, dataset_id: int, annotator: str) -> Iterator[tuple[str, object]]:
    known: dict[str, object] = {"dataset": dataset_id, "annotator": annotator, "before": LAST}
    while rows := session.connection().execute(_acts(), known).all():
        for _, action, op, data in rows:
            yield action, edit_of(op, data) if data is not None else None
        known["before"] = rows[-1][0]


@cache
def _acts() -> Any:
    """The acts of an annotator, newest first; with data only undo and redo: an accept holds an assessment."""
    moves = col(ReviewEventRow.op).in_(("undo", "redo"))
    return (
        sqlalchemy.select(
            col(ReviewEventRow.id),
            col(ReviewEventRow.action),
            col(ReviewEventRow.op),
            case((moves, col(ReviewEventRow.data))),
        )
        .where(
            col(ReviewEventRow.dataset_id) == bindparam("dataset"),
            col(ReviewEventRow.annotator) == bindparam("annotator"),
            col(ReviewEventRow.id) < bindparam("before"),
            col(ReviewEventRow.op) != "open",
            col(ReviewEventRow.action).not_like(f"{IMPORT_ACTION}%"),
            ~_imported_since(),
        )
        .order_by(col(ReviewEventRow.id).desc())
        .limit(5)  # mostly the first is the one; each costs a look for later imports
    )


def _imported_since() -> Any:
    """Whether an import rewrote the review after an event: what came before quotes another text or gold."""
    later: Any = aliased(ReviewEventRow)
    return exists().where(
        later.review_id == ReviewEventRow.review_id,
        later.seq > ReviewEventRow.seq,
        later.action.like(f"{IMPORT_ACTION}%"),
    )


def _mark(session: Session, target: str, edit: Undo | Redo) -> Moved:
    own = uuid.uuid4().hex
    touched = session.exec(_rows_of_act(), params={"action": target}).all()
    reviews = {row.id: row for row, _, _ in touched}
    states = [
        append_edits(session, row, partial(_sample, session, row.sample_id), [(own, edit)])
        for row in reviews.values()
    ]
    first, op, data = touched[0]
    done = edit_of(op, data)
    moved = Moved(first.sample_id, op, None, done, states[0], samples=len(states))
    match done:
        case Put():
            return replace(moved, kind=done.kind, unit=done.units[0].id)
        case Accept():
            return replace(moved, kind=done.assessment.kind)
        case _:
            return moved


@cache
def _rows_of_act() -> Any:
    return (
        select(ReviewRow, ReviewEventRow.op, ReviewEventRow.data)
        .join(ReviewRow, col(ReviewRow.id) == ReviewEventRow.review_id)
        .where(ReviewEventRow.action == bindparam("action"), ReviewEventRow.op != "open", ~_imported_since())
        .order_by(col(ReviewEventRow.id))
    )


@cache
def _text_of() -> Any:
    return select(SampleRow.dataset_id, SampleRow.key, SampleRow.content_hash).where(
        SampleRow.id == bindparam("sample")
    )


def _sample(session: Session, sample_id: int) -> Sample:
    return sample_of(session.get_one(SampleRow, sample_id))


def _review_row(session: Session, sample_id: int, annotator: str) -> ReviewRow | None:
    found = session.exec(_review_of(), params={"sample": sample_id, "annotator": annotator}).first()
    return cast("ReviewRow | None", found)


@cache
def _review_of() -> Any:
    return select(ReviewRow).where(
        ReviewRow.sample_id == bindparam("sample"), ReviewRow.annotator == bindparam("annotator")
    )


def _new_review(dataset_id: int, sample_id: int, annotator: str, opening: Open, origin: str) -> ReviewRow:
    return ReviewRow(
        dataset_id=dataset_id,
        sample_id=sample_id,
        annotator=annotator,
        origin=origin,
        policy_version=opening.policy,
        shown=opening.shown,
        off_plan=opening.off_plan,
        seq=-1,
        updated_at=datetime.now(UTC),
    )


def append_edits(
    session: Session,
    row: ReviewRow,
    text: Callable[[], Sample],
    edits: Sequence[tuple[str, Edit]],
    effort: Effort | None = None,
    *,
    before: ReviewState | None = None,
) -> ReviewState:
    """Add rows to a review's journal inside an open transaction and project what they change.

    `text` gives the sample as it stands; it is called when units have to be checked against it. `effort` is
    kept with the first row that is an act of the person. `before` is the state up to the review's newest
    row, where it is known: the journal is then not read again.

    Raises SpanError for a unit that does not quote the sample's text, ConflictError when another writer
    added the same row.
    """
    now = datetime.now(UTC)
    was = {kind: getattr(row, kind) for kind in KINDS}
    for _, edit in edits:
        for unit in _units_of(edit):
            check_spans(unit, text())
    first = row.seq + 1
    state = followed(before, edits) if before is not None else None
    if state is None:
        assert row.id is not None  # a review that is not there yet has no rows to take back
        added = [
            Event(seq, action, row.annotator, "", edit) for seq, (action, edit) in enumerate(edits, first)
        ]
        state = fold([*events_of(session, row.id), *added])
    row.seq = state.seq
    row.entity = state.entity.disposition
    row.statement = state.statement.disposition
    row.flag = state.flag
    row.policy_version = state.policy
    accepted = [state.of(kind).imported for kind in KINDS if state.of(kind).disposition == "verified"]
    if accepted and row.origin != "adjudicated":
        row.origin = "imported" if all(accepted) else "reviewed"
    row.updated_at = now
    rows = []
    try:
        session.flush()
        for number, (action, edit) in enumerate(edits, first):
            op, data = edit_document(edit)
            spent, effort = (effort, None) if op != "open" else (None, effort)
            rows.append(
                {
                    "review_id": row.id,
                    "seq": number,
                    "dataset_id": row.dataset_id,
                    "annotator": row.annotator,
                    "action": action,
                    "op": op,
                    "data": data,
                    "at": now,
                    "seconds": round(spent.seconds, 1) if spent else None,
                    "presses": spent.presses if spent else None,
                }
            )
        session.execute(_EVENTS.insert(), rows)
    except IntegrityError as error:
        raise ConflictError("this sample was changed in another window meanwhile") from error
    for kind in KINDS:
        if was[kind] == "verified":
            session.execute(_forget_gold(), {"review": row.id, "of_kind": kind})
        if state.of(kind).disposition == "verified":
            _keep_gold(session, row, text(), state.of(kind).assessment)
    return state


def _keep_gold(session: Session, row: ReviewRow, sample: Sample, verified: Assessment) -> None:
    assert row.id is not None
    units = gold_units(verified.units)
    insert_gold(session, gold_rows(units, sample, row.dataset_id, row.sample_id, row.id, row.annotator))


@cache
def _forget_gold() -> Any:
    return delete(_GOLD).where(_GOLD.c.review_id == bindparam("review"), _GOLD.c.kind == bindparam("of_kind"))


def _review(session: Session, row: ReviewRow) -> Review:
    assert row.id is not None
    return Review(
        row.id, row.sample_id, row.annotator, row.origin, row.shown, fold(events_of(session, row.id))
    )


def _units_of(edit: Edit) -> Iterator[Unit]:
    """Every unit that an edit carries."""
    match edit:
        case Put():
            yield from edit.units
        case Accept():
            yield from edit.assessment.units
        case Open():
            for assessment in edit.assessments:
                yield from assessment.units
        case _:
            pass


def events_of(session: Session, review_id: int) -> list[Event]:
    """The journal of one review inside an open transaction, oldest first."""
    rows = session.exec(_journal(), params={"review": review_id})
    return [
        Event(
            row.seq,
            row.action,
            row.annotator,
            row.at.isoformat(),
            edit_of(row.op, row.data),
            None if row.seconds is None else Effort(row.seconds, row.presses or 0),
        )
        for row in rows
    ]


@cache
def _journal() -> Any:
    row = ReviewEventRow
    return (
        select(row.seq, row.action, row.annotator, row.at, row.op, row.data, row.seconds, row.presses)  # type: ignore[call-overload]
        .where(row.review_id == bindparam("review"))
        .order_by(col(row.seq))
    )
