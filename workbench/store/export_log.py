"""The log of what left: where every export was written, and whose texts it holds.

An export is noted with the numbers of its samples, as ranges: the whole of a dataset is one. SQLite gives
the number of a deleted row to the next one, so a purge takes the numbers out of the log and notes the exports
with what it leaves of the sample.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy
from sqlmodel import Session, col, select

from workbench.store.engine import Store
from workbench.store.file_order import ids_of
from workbench.store.tables import SampleRow
from workbench.store.tables_plans import ExportRow, PurgedRow

Ranges = list[list[int]]
CHUNK = 500


class Held(NamedTuple):
    """An export that held a sample. `certain`: else it may have, for a format leaves out what does not fit
    it, and what was exported before schema 0005 says nothing."""

    path: str
    manifest_sha256: str
    certain: bool


def ranges_of(numbers: Iterable[int]) -> Ranges:
    """Rising numbers as ranges, both ends inside."""
    found: Ranges = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def inside(ranges: Sequence[Sequence[int]], number: int) -> bool:
    """Whether a number stands in one of the ranges."""
    place = bisect_right(ranges, number, key=lambda one: one[0]) - 1
    return place >= 0 and number <= ranges[place][1]


def without(ranges: Sequence[Sequence[int]], numbers: Collection[int]) -> Ranges:
    """The ranges without some numbers."""
    left: Ranges = []
    going = sorted(numbers)
    for first, last in ranges:
        start = first
        for number in going[bisect_right(going, first - 1) : bisect_right(going, last)]:
            if start < number:
                left.append([start, number - 1])
            start = number + 1
        if start <= last:
            left.append([start, last])
    return left


def numbers_of(store: Store, dataset_id: int, wanted: Collection[int] | None) -> Sequence[int]:
    """The samples of a dataset, or the `wanted` ones, in rising order."""
    if wanted is not None:
        return sorted(wanted)
    query = sqlalchemy.select(col(SampleRow.id)).where(col(SampleRow.dataset_id) == dataset_id)
    with store.reading() as session:
        return ids_of(session, query.order_by(col(SampleRow.id)))


def log_export(
    store: Store,
    dataset_id: int,
    path: str,
    manifest_sha256: str,
    annotator: str,
    numbers: Iterable[int],
    *,
    whole: bool,
    begun: datetime,
    at: datetime,
    replaced: str = "",
) -> None:
    """Note a finished export and the samples whose texts it holds, rising.

    `whole`: some format of it holds every one of them. `replaced`: the manifest's hash of the export that
    stood at its place and is gone. What was purged since it was `begun` may be in it, and is noted so.
    """
    with store.writing() as session:
        if replaced:
            earlier = select(ExportRow).where(
                ExportRow.path == path, ExportRow.manifest_sha256 == replaced, ExportRow.path != ""
            )
            for one in session.exec(earlier):
                one.held = {"samples": [], "whole": True, "replaced": True}
        row = ExportRow(
            dataset_id=dataset_id,
            path=path,
            manifest_sha256=manifest_sha256,
            annotator=annotator,
            created_at=at,
            held={"samples": ranges_of(numbers), "whole": whole},
        )
        session.add(row)
        session.flush()
        meanwhile = select(PurgedRow).where(PurgedRow.dataset_id == dataset_id, col(PurgedRow.at) >= begun)
        for gone in session.exec(meanwhile):
            gone.exports = [*(gone.exports or []), row.id or 0]


def list_exports(store: Store, dataset_id: int) -> list[ExportRow]:
    """Where exports of a dataset were written, oldest first."""
    with store.reading() as session:
        return _rows(session, dataset_id)


def held_by(store: Store, dataset_id: int, ids: Collection[int], purged: Collection[str]) -> list[Held]:
    """The exports that hold one of some samples, by number, or of those purged before, by id; oldest first.

    One that another took the place of holds nothing.
    """
    wanted = set(purged)
    with store.reading() as session:
        rows = [row for row in _rows(session, dataset_id) if not (row.held or {}).get("replaced")]
        before: set[int] = set()
        unknown = False
        if wanted and rows:
            gone = select(PurgedRow.key, PurgedRow.exports).where(PurgedRow.dataset_id == dataset_id)
            for key, numbers in session.exec(gone):
                if key in wanted:
                    before.update(numbers or ())
                    unknown = unknown or numbers is None
    found = []
    for row in rows:
        if row.held is None:
            if ids or unknown or row.id in before:
                found.append(Held(row.path, row.manifest_sha256, certain=False))
        elif row.id in before or any(inside(row.held["samples"], number) for number in ids):
            found.append(Held(row.path, row.manifest_sha256, certain=bool(row.held["whole"])))
    return found


class Leaving:
    """Samples on their way out of the log, inside the transaction of their purge."""

    def __init__(self, session: Session, dataset_id: int) -> None:
        self.rows = [row for row in _rows(session, dataset_id) if not (row.held or {}).get("replaced")]

    def exports_of(self, number: int) -> list[int]:
        """The exports that held, or may have held, a sample."""
        return [row.id or 0 for row in self.rows if row.held is None or inside(row.held["samples"], number)]

    def take_out(self, session: Session, numbers: Collection[int]) -> None:
        """Forget the numbers of what is gone."""
        for row in self.rows:
            if row.held is not None:
                left: dict[str, Any] = {**row.held, "samples": without(row.held["samples"], numbers)}
                session.merge(row).held = left


def _rows(session: Session, dataset_id: int) -> list[ExportRow]:
    query = select(ExportRow).where(ExportRow.dataset_id == dataset_id, ExportRow.path != "")
    return list(session.exec(query.order_by(col(ExportRow.id))))
