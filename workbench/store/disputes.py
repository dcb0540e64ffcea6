"""Disputes in the database: whole columns of recalls to find them in, who may see them, and their states."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import or_, select

from workbench.comparing.disputes import State
from workbench.errors import ConflictError
from workbench.model import Kind
from workbench.store.engine import Store
from workbench.store.tables import DISPUTE, REVIEW, SAMPLE, DisputeRow


class Key(NamedTuple):
    """What a state is kept under."""

    sample_id: int
    kind: Kind
    between: str


class Kept(NamedTuple):
    """A state as it is kept; `note` begins with what it was said of, in brackets."""

    state: State
    note: str
    annotator: str
    at: datetime


class ReviewHead(NamedTuple):
    """Where one annotator's review of a sample stands in one kind, and the reason of a flag."""

    sample_id: int
    annotator: str
    disposition: str
    flag: str


def heads(store: Store, dataset_id: int, kind: Kind) -> list[ReviewHead]:
    """Every review of a dataset in which something was begun or flagged, in the order they were begun.

    Not by name: the stamp of a dispute over flags follows this order.
    """
    begun = REVIEW.dataset_id == dataset_id, or_(REVIEW[kind] != "todo", REVIEW.flag != "")
    query = select(REVIEW.sample_id, REVIEW.annotator, REVIEW[kind], REVIEW.flag).where(*begun)
    return [ReviewHead(*row) for row in store.rows(query.order_by(REVIEW.id))]


def states(store: Store, dataset_id: int) -> dict[Key, Kept]:
    """The states of a dataset's disputes; one without a state is open."""
    of_dataset = SAMPLE.id == DISPUTE.sample_id, SAMPLE.dataset_id == dataset_id
    columns = (DISPUTE[name] for name in (*Key._fields, *Kept._fields))
    return {Key(*row[:3]): Kept(*row[3:]) for row in store.rows(select(*columns).where(*of_dataset))}


def save_state(store: Store, key: Key, kept: Kept | None, *, expected: Kept | None) -> None:
    """Keep where a dispute stands in the place of `expected`; None is no state.

    Raises ConflictError when somebody said something else meanwhile, StoreError.
    """
    with store.writing() as session:
        store.hold(SAMPLE.id, key.sample_id)
        row = session.get(DisputeRow, tuple(key))
        now = Kept(row.state, row.note, row.annotator, row.at) if row is not None else None  # type: ignore[arg-type]
        if now != expected:
            event = f"{now.annotator} called it {now.state}" if now else "its state was taken back"
            raise ConflictError(f"{event} meanwhile; look at it again")
        if kept is not None:
            session.merge(DisputeRow(**key._asdict(), **kept._asdict()))
        elif row is not None:
            session.delete(row)
