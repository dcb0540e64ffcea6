"""Disputes in the database: whole columns of recalls to find them in, who may see them, and their states."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import sqlalchemy
from sqlmodel import col

from workbench.comparing.disputes import State
from workbench.errors import ConflictError
from workbench.model import Kind
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.gold import verified_by
from workbench.store.samples import CHUNK, ids_of
from workbench.store.tables import ReviewRow, SampleRow, is_blind, state_of
from workbench.store.tables_plans import DisputeRow


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


class Head(NamedTuple):
    """Where one annotator's review of a sample stands in one kind, and the reason of a flag."""

    sample_id: int
    annotator: str
    origin: str
    disposition: str
    flag: str


class Said(NamedTuple):
    """What one annotator verified: how many units were found, of how many; None without units."""

    annotator: str
    found: int
    units: int

    @property
    def recall(self) -> float | None:
        """The verified recall."""
        return self.found / self.units if self.units else None


def heads(store: Store, dataset_id: int, kind: Kind) -> list[Head]:
    """Every review of a dataset in which something was begun or flagged, in the order they were begun.

    Not by name: the stamp of a dispute over flags follows this order.
    """
    state = state_of(kind)
    query = sqlalchemy.select(
        col(ReviewRow.sample_id), col(ReviewRow.annotator), col(ReviewRow.origin), state, col(ReviewRow.flag)
    ).where(
        col(ReviewRow.dataset_id) == dataset_id,
        (state != "todo") | (col(ReviewRow.flag) != ""),
    )
    with store.reading() as session:
        return [Head(*row) for row in session.execute(query.order_by(col(ReviewRow.id)))]


def blind_ids(store: Store, info: DatasetInfo) -> set[int]:
    """The samples that are reviewed blind."""
    query = sqlalchemy.select(col(SampleRow.id)).where(
        col(SampleRow.dataset_id) == info.id, is_blind(info.blind_share)
    )
    with store.reading() as session:
        return set(ids_of(session, query))


def said_of(store: Store, sample_ids: Sequence[int], kind: Kind) -> dict[int, list[Said]]:
    """What every annotator verified of some samples, by name."""
    found: dict[int, list[Said]] = {}
    with store.reading() as session:
        for start in range(0, len(sample_ids), CHUNK):
            for number, verified in verified_by(session, sample_ids[start : start + CHUNK], kind).items():
                for one in verified:
                    counted = [unit for unit in one.assessment.units if unit.counted]
                    hits = sum(unit.match.verdict == "found" for unit in counted)
                    found.setdefault(number, []).append(Said(one.annotator, hits, len(counted)))
    return found


def states(store: Store, dataset_id: int) -> dict[Key, Kept]:
    """The states of a dataset's disputes; one without a state is open."""
    row = DisputeRow
    query = (
        sqlalchemy.select(
            col(row.sample_id), col(row.kind), col(row.between),
            col(row.state), col(row.note), col(row.annotator), col(row.at),
        )
        .join(SampleRow, col(SampleRow.id) == row.sample_id)
        .where(col(SampleRow.dataset_id) == dataset_id)
    )  # fmt: skip
    with store.reading() as session:
        return {Key(*found[:3]): Kept(*found[3:]) for found in session.execute(query)}


def save_state(
    store: Store, key: Key, state: State, note: str, annotator: str, *, expected: Kept | None
) -> Kept:  # fmt: skip
    """Say where a dispute stands, in the place of `expected`, None for nothing; returns what is kept.

    Raises ConflictError when somebody said something else meanwhile, StoreError.
    """
    kept = Kept(state, note, annotator, datetime.now(UTC))
    with store.writing() as session:
        row = session.get(DisputeRow, tuple(key))
        now = Kept(row.state, row.note, row.annotator, row.at) if row is not None else None  # type: ignore[arg-type]
        if now != expected:
            said = f"{now.annotator} called it {now.state}" if now else "what was said of it was taken back"
            raise ConflictError(f"{said} meanwhile; look at it again")
        if row is None:
            session.add(DisputeRow(**key._asdict(), **kept._asdict()))
        else:
            row.state, row.note, row.annotator, row.at = kept
            session.add(row)
    return kept
