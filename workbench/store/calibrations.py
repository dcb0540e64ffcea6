"""Calibrations as they were saved, and the one that a dataset uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy
from sqlmodel import col, select

from workbench.errors import NotFoundError, UsageError
from workbench.scoring.counted import doubt
from workbench.store.engine import Store
from workbench.store.samples import CHUNK
from workbench.store.scores import counted_of, judge_of
from workbench.store.tables import METADATA, CalibrationRow, CountedRow, Dataset, SampleRow

_COUNTED = METADATA.tables["counted"]


@dataclass(frozen=True, slots=True)
class Saved:
    """A calibration of the database; its document is that of `calibration.json`."""

    id: int
    name: str
    document: Mapping[str, Any]
    annotator: str
    created_at: datetime


class Row(NamedTuple):
    """A sample as calibration sees it: no text."""

    sample_id: int
    key: str
    group: str | None
    reference_hash: str


def rows_of(store: Store, sample_ids: Sequence[int]) -> dict[int, Row]:
    """Some samples by number."""
    found: dict[int, Row] = {}
    with store.reading() as session:
        for start in range(0, len(sample_ids), CHUNK):
            query = sqlalchemy.select(
                col(SampleRow.id),
                col(SampleRow.key),
                col(SampleRow.group_key),
                col(SampleRow.reference_hash),
            ).where(col(SampleRow.id).in_(sample_ids[start : start + CHUNK]))
            found |= {row[0]: Row(*row) for row in session.execute(query)}
    return found


def save_calibration(
    store: Store,
    dataset_id: int,
    name: str,
    *,
    run_id: int | None,
    document: Mapping[str, Any],
    annotator: str,
    at: datetime,
) -> None:
    """Keep a calibration. Raises UsageError when there is one of that name: a saved one never changes."""
    with store.writing() as session:
        known = CalibrationRow.dataset_id == dataset_id, CalibrationRow.name == name
        if session.exec(select(CalibrationRow.id).where(*known)).first() is not None:
            raise UsageError(f"there is a calibration {name!r} already, and it does not change: another name")
        session.add(
            CalibrationRow(
                dataset_id=dataset_id,
                name=name,
                run_id=run_id,
                scorer=document["scorer"],
                document=dict(document),
                annotator=annotator,
                created_at=at,
            )
        )


def list_calibrations(store: Store, dataset_id: int) -> list[Saved]:
    """The calibrations of a dataset, oldest first."""
    with store.reading() as session:
        rows = session.exec(
            select(CalibrationRow)
            .where(CalibrationRow.dataset_id == dataset_id)
            .order_by(col(CalibrationRow.id))
        )
        return [_saved(row) for row in rows]


def find_calibration(store: Store, dataset_id: int, name: str) -> Saved:
    """The calibration of that name. Raises NotFoundError that lists those there are."""
    known = list_calibrations(store, dataset_id)
    for one in known:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in known) or "none yet (workbench calibrate --save NAME)"
    raise NotFoundError(f"no calibration {name!r}; there is: {names}")


def calibration_in_use(store: Store, dataset_id: int) -> Saved | None:
    """The calibration that a dataset uses."""
    with store.reading() as session:
        row = session.exec(
            select(CalibrationRow)
            .join(Dataset, col(Dataset.calibration_id) == CalibrationRow.id)
            .where(Dataset.id == dataset_id)
        ).first()
        return None if row is None else _saved(row)


def similarities(store: Store, run_id: int, matcher: str) -> list[tuple[int, bytes | None, bytes | None]]:
    """(sample, linked, presence) of every sample that a run was counted for; 100,000 take half a second."""
    query = sqlalchemy.select(
        col(CountedRow.sample_id), col(CountedRow.linked), col(CountedRow.presence)
    ).where(col(CountedRow.run_id) == run_id, col(CountedRow.matcher) == matcher)
    with store.reading() as session:
        return [(int(number), linked, presence) for number, linked, presence in session.execute(query)]


def use_calibration(store: Store, dataset_id: int, calibration_id: int | None, threshold: int) -> None:
    """Make a calibration (or none) and a match threshold the dataset's, and order by its doubt.

    One transaction; 100,000 counted samples take two seconds.
    """
    with store.writing() as session:
        row = session.get_one(Dataset, dataset_id)
        changed = row.calibration_id != calibration_id
        row.calibration_id, row.threshold = calibration_id, threshold
        session.flush()
        if not changed:
            return
        judge = judge_of(session, dataset_id)
        key = (col(CountedRow.sample_id), col(CountedRow.run_id), col(CountedRow.matcher))
        last: tuple[Any, ...] = (0, 0, "")
        while True:
            rows = session.exec(
                select(CountedRow)
                .join(SampleRow, col(SampleRow.id) == CountedRow.sample_id)
                # + 0: by the index of datasets SQLite would read and sort them all for every thousand
                .where(col(SampleRow.dataset_id) + 0 == dataset_id, sqlalchemy.tuple_(*key) > last)
                .order_by(*key)
                .limit(CHUNK)
            ).all()
            if not rows:
                return
            last = (rows[-1].sample_id, rows[-1].run_id, rows[-1].matcher)
            session.connection().execute(_new_doubt(), [_doubted(one, judge) for one in rows])
            for one in rows:
                session.expunge(one)


def _new_doubt() -> Any:
    names = ("sample_id", "run_id", "matcher")
    return (
        _COUNTED.update()
        .where(*(_COUNTED.c[name] == sqlalchemy.bindparam(f"of_{name}") for name in names))
        .values(doubt=sqlalchemy.bindparam("new"))
    )


def _doubted(row: CountedRow, judge: Any) -> dict[str, Any]:
    return {
        "of_sample_id": row.sample_id,
        "of_run_id": row.run_id,
        "of_matcher": row.matcher,
        "new": doubt(counted_of(row), judge),
    }


def _saved(row: CalibrationRow) -> Saved:
    assert row.id is not None
    return Saved(row.id, row.name, row.document, row.annotator, row.created_at)
