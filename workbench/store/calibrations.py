"""Calibrations as they were saved, and the one that a dataset uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select, update

from workbench.errors import NotFoundError, UsageError
from workbench.scoring.doubt import doubt
from workbench.store.engine import Store
from workbench.store.samples import chunked, counted_in
from workbench.store.scores import counted_of, judge_of
from workbench.store.tables import (
    CALIBRATION,
    COUNTED,
    DATASET,
    SAMPLE,
    CalibrationRow,
    CountedRow,
    Dataset,
    among,
    table_of,
)


class KeyRow(NamedTuple):
    """A sample as calibration sees it: no text."""

    key: str
    group: str | None
    reference_hash: str


def rows_of(store: Store, sample_ids: Sequence[int]) -> dict[int, KeyRow]:
    """Some samples by number."""
    query = select(SAMPLE.id, SAMPLE.key, SAMPLE.group_key, SAMPLE.reference_hash)
    rows = store.rows(query.where(among(SAMPLE.id, sample_ids)))
    return {number: KeyRow(*row) for number, *row in rows}


def save_calibration(
    store: Store, dataset_id: int, name: str, document: dict[str, Any], annotator: str
) -> None:
    """Keep a calibration. Raises UsageError when there is one of that name: a saved one never changes."""
    calibration = CalibrationRow(dataset_id=dataset_id, name=name, document=document, annotator=annotator)
    with store.writing() as session:
        store.hold(DATASET.id, dataset_id)
        refuse_taken(store, dataset_id, name)
        session.add(calibration)


def refuse_taken(store: Store, dataset_id: int, name: str) -> None:
    """Raise UsageError when there is a calibration of that name."""
    if any(name == saved.name for saved in list_calibrations(store, dataset_id)):
        raise UsageError(f"there is a calibration {name!r} already, and it does not change: another name")


def list_calibrations(store: Store, dataset_id: int) -> Sequence[CalibrationRow]:
    """The calibrations of a dataset, oldest first."""
    query = select(CalibrationRow).where(CALIBRATION.dataset_id == dataset_id)
    return store.column(query.order_by(CALIBRATION.id))


def find_calibration(store: Store, dataset_id: int, name: str) -> CalibrationRow:
    """The calibration of that name. Raises NotFoundError that lists those there are."""
    known = {saved.name: saved for saved in list_calibrations(store, dataset_id)}
    if name not in known:
        names = ", ".join(known) or "none yet (workbench calibrate --save NAME)"
        raise NotFoundError(f"no calibration {name!r}; there is: {names}")
    return known[name]


def calibration_in_use(store: Store, dataset_id: int) -> CalibrationRow | None:
    """The calibration that a dataset uses."""
    used = CALIBRATION.id == DATASET.calibration_id, DATASET.id == dataset_id
    return store.value(select(CalibrationRow).where(*used))


def similarities(store: Store, run_id: int, scorer: str) -> dict[int, bytes]:
    """Those of a run's samples that a scorer with a threshold could count; 100,000 take half a second."""
    query = select(COUNTED.sample_id, COUNTED[scorer])
    return dict(store.rows(query.where(*counted_in(run_id), COUNTED[scorer].is_not(None))))


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
        judge = judge_of(store, dataset_id)
        own = ("sample_id", "run_id", "matcher")
        same = (COUNTED[name] == bindparam(f"of_{name}") for name in own)
        change = update(table_of(CountedRow)).where(*same).values(doubt=bindparam("new"))
        of_dataset = SAMPLE.id == COUNTED.sample_id, SAMPLE.dataset_id == dataset_id
        ids = store.numbers(select(SAMPLE.id).where(*of_dataset).distinct().order_by(SAMPLE.id))
        for some in chunked(ids):
            counted = session.scalars(select(CountedRow).where(among(COUNTED.sample_id, some))).all()
            new = [
                {"new": doubt(counted_of(row), judge), **{f"of_{name}": getattr(row, name) for name in own}}
                for row in counted
            ]
            session.connection().execute(change, new)
            for counted_row in counted:
                session.expunge(counted_row)
