"""The samples that are kept back, and every look at them: who looked, what for, when."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import delete, func
from sqlmodel import col, select

from workbench.store.engine import Store
from workbench.store.plans import HOLDOUT_RANK
from workbench.store.tables import SampleRow
from workbench.store.tables_plans import HoldoutOpeningRow


class Opening(NamedTuple):
    """One look at the holdout."""

    purpose: str
    annotator: str
    at: datetime


def note_opening(store: Store, dataset_id: int, purpose: str, annotator: str, at: datetime) -> int:
    """Write down a look at the holdout; returns how many there were with this one."""
    with store.writing() as session:
        session.add(HoldoutOpeningRow(dataset_id=dataset_id, purpose=purpose, annotator=annotator, at=at))
        session.flush()
        return session.exec(
            select(func.count())
            .select_from(HoldoutOpeningRow)
            .where(HoldoutOpeningRow.dataset_id == dataset_id)
        ).one()


def take_back(store: Store, dataset_id: int, annotator: str, at: datetime) -> None:
    """Take a look at the holdout back: it came to nothing, nobody saw anything."""
    row = HoldoutOpeningRow
    with store.writing() as session:
        session.execute(
            delete(row).where(
                col(row.dataset_id) == dataset_id, col(row.annotator) == annotator, col(row.at) == at
            )
        )


def openings(store: Store, dataset_id: int) -> list[Opening]:
    """Every look at the holdout, oldest first."""
    with store.reading() as session:
        rows = session.exec(
            select(HoldoutOpeningRow)
            .where(HoldoutOpeningRow.dataset_id == dataset_id)
            .order_by(col(HoldoutOpeningRow.id))
        )
        return [Opening(row.purpose, row.annotator, row.at) for row in rows]


def holdout_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples kept back."""
    query = select(SampleRow.id).where(
        SampleRow.dataset_id == dataset_id, col(SampleRow.rank) >= HOLDOUT_RANK, col(SampleRow.holdout)
    )
    with store.reading() as session:
        return {number for number in session.exec(query) if number is not None}
