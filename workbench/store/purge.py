"""Removing the text of samples for good: rows, bytes of the file, and copies beside it."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import text
from sqlmodel import Session, col, select

from workbench.errors import NotFoundError, StoreError
from workbench.store.engine import FAILURES, Store, explained, sqlite_path
from workbench.store.samples import CHUNK
from workbench.store.tables import Dataset, SampleRow
from workbench.store.tables_plans import PurgedRow

Document = dict[str, Any]
GONE = "purged-"
"""What a stratum without samples is called, with a number behind."""


class Execute(Protocol):
    """Run a statement with its values by name."""

    def __call__(self, sql: str, **values: Any) -> Iterable[Any]: ...


# Tables with a row for a sample, those that point to others first.
_BY_SAMPLE = (
    "dispute", "explained", "failed", "external_score", "score", "counted", "gold_unit", "review", "proposal",
)  # fmt: skip


def purged_among(
    session: Session, dataset_id: int, keys: Collection[str], hashes: Collection[str]
) -> dict[str, str]:
    """What of some ids and texts was purged, each with the day; inside an open transaction."""
    of_dataset = PurgedRow.dataset_id == dataset_id
    if session.exec(select(PurgedRow.id).where(of_dataset).limit(1)).first() is None:
        return {}
    wanted = {*keys, *hashes}
    found: dict[str, str] = {}
    for row in session.exec(select(PurgedRow).where(of_dataset)):
        day = row.at.date().isoformat()
        found |= {name: day for name in (row.key, row.content_hash) if name in wanted}
    return found


def purged_names(store: Store, dataset_id: int) -> dict[str, str]:
    """The ids and hashes of all that was purged from a dataset, each with the day."""
    with store.reading() as session:
        rows = session.exec(select(PurgedRow).where(PurgedRow.dataset_id == dataset_id))
        return {name: row.at.date().isoformat() for row in rows for name in (row.key, row.content_hash)}


def find_keys(store: Store, dataset_id: int, keys: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    """The samples of some ids (all without any) with their numbers, and the ids that were purged before.

    Those that were purged are named again, for their purge may have been kept from finishing. Raises
    NotFoundError for ids that are neither.
    """
    query = select(SampleRow.key, SampleRow.id).where(SampleRow.dataset_id == dataset_id)
    gone = select(PurgedRow.key).where(PurgedRow.dataset_id == dataset_id)
    with store.reading() as session:
        if not keys:
            every = session.exec(query.order_by(col(SampleRow.id)))
            there = {key: number for key, number in every if number is not None}
            return there, [key for key in session.exec(gone.distinct()) if key not in there]
        found: dict[str, int] = {}
        before: list[str] = []
        for chunk in _chunks(list(dict.fromkeys(keys))):
            rows = session.exec(query.where(col(SampleRow.key).in_(chunk)))
            found |= {key: number for key, number in rows if number is not None}
            before += session.exec(gone.where(col(PurgedRow.key).in_(chunk)).distinct())
    unknown = [key for key in keys if key not in found and key not in before]
    if unknown:
        more = f" and {len(unknown) - 1:,} more that are not" if unknown[1:] else ""
        raise NotFoundError(f"no sample {unknown[0]!r} in this dataset{more}")
    return found, [key for key in before if key not in found]


def same_references(store: Store, dataset_id: int, ids: Collection[int]) -> list[str]:
    """The ids of other samples with a reference that is purged: their text stays.

    Those of another dataset than the purged ones have its name behind them.
    """
    own = set(ids)
    found: list[str] = []
    with store.reading() as session:
        hashes: set[str] = set()
        for chunk in _chunks(sorted(own)):
            hashes |= set(session.exec(select(SampleRow.reference_hash).where(col(SampleRow.id).in_(chunk))))
        for piece in _chunks(sorted(hashes)):
            query = (
                select(SampleRow.id, SampleRow.key, SampleRow.dataset_id, Dataset.name)
                .join(Dataset, col(Dataset.id) == SampleRow.dataset_id)
                .where(col(SampleRow.reference_hash).in_(piece))
            )
            found += [
                key if of == dataset_id else f"{key} (in the dataset {name})"
                for number, key, of, name in session.exec(query)
                if number not in own
            ]
    return found


def remove(store: Store, dataset_id: int, ids: Sequence[int], annotator: str) -> None:
    """Remove all rows of some samples and leave their hashes, in one transaction."""
    now = datetime.now(UTC)
    with store.writing() as session:
        connection = session.connection()
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA secure_delete=ON")
        for chunk in _chunks(ids):
            for row in session.exec(select(SampleRow).where(col(SampleRow.id).in_(chunk))):
                session.add(
                    PurgedRow(
                        dataset_id=dataset_id,
                        key=row.key,
                        reference_hash=row.reference_hash,
                        content_hash=row.content_hash,
                        annotator=annotator,
                        at=now,
                    )
                )
            session.flush()
            session.expunge_all()
        session.flush()
        _delete(lambda sql, **values: connection.execute(text(sql), values), ids, dataset_id)


def _delete(execute: Execute, ids: Sequence[int], dataset_id: int) -> None:
    """Delete the rows of some samples by plain SQL, for a copy has no session."""
    for chunk in _chunks(ids):
        inside = ", ".join(str(int(number)) for number in chunk)
        reviews = f"(SELECT id FROM review WHERE sample_id IN ({inside}))"  # noqa: S608 - whole numbers
        execute(f"DELETE FROM review_event WHERE review_id IN {reviews}")  # noqa: S608
        for table in _BY_SAMPLE:
            execute(f"DELETE FROM {table} WHERE sample_id IN ({inside})")  # noqa: S608
        execute(f"DELETE FROM sample WHERE id IN ({inside})")  # noqa: S608
    _delete_answers(execute, dataset_id)
    forget_names(execute, dataset_id)


def _delete_answers(execute: Execute, dataset_id: int) -> None:
    """Delete what was paid for and no proposal is made of any more: it may be of the text that went.

    What failed calls said of it goes too.
    """
    used: set[int] = set()
    for (calls,) in execute("SELECT calls FROM proposal WHERE calls IS NOT NULL"):
        used.update(json.loads(calls) if isinstance(calls, str) else calls)
    runs = f"(SELECT id FROM run WHERE dataset_id = {int(dataset_id)})"  # noqa: S608
    every = [row[0] for row in execute(f"SELECT id FROM call WHERE run_id IN {runs}")]  # noqa: S608
    for chunk in _chunks([number for number in every if number not in used]):
        inside = ", ".join(str(int(number)) for number in chunk)
        execute(f"DELETE FROM answer WHERE call_id IN ({inside})")  # noqa: S608
    execute(f"UPDATE call SET detail = '' WHERE detail != '' AND run_id IN {runs}")  # noqa: S608


def scrub(store: Store) -> None:
    """Rewrite a SQLite file, so that no page of it or of its log holds what was deleted.

    Raises StoreError while another program has it open; the rows are gone then, their bytes are not.
    """
    path = sqlite_path(store.url)
    if path is None:
        return
    store.engine.dispose()
    try:
        _rewrite(path)
    except FAILURES as error:
        raise StoreError(
            f"the rows are gone, but {path} still holds their bytes ({explained(error)}): close every other "
            "window that has it open and run the same purge again"
        ) from error


def _rewrite(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None, timeout=5)) as raw:
        raw.execute("PRAGMA secure_delete=ON")
        raw.execute("VACUUM")
        busy, *_ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise sqlite3.OperationalError("its log is in use")


def backups_of(store: Store) -> list[Path]:
    """The copies beside a SQLite file that `backup` and migrations made: NAME.TAG.db."""
    path = sqlite_path(store.url)
    if path is None:
        return []
    return sorted(one for one in path.parent.glob(f"{path.stem}.*.db") if one.is_file() and one != path)


def holds(path: Path, dataset: str, keys: Collection[str]) -> bool:
    """Whether a copy has one of the samples. Raises StoreError when it cannot be read."""
    try:
        with closing(sqlite3.connect(path)) as raw:
            return bool(_found(raw, dataset, keys))
    except FAILURES as error:
        raise StoreError(f"{path}: {explained(error)}") from error


def remove_from_copy(path: Path, dataset: str, keys: Collection[str]) -> None:
    """Remove samples from a copy and rewrite it. Raises StoreError when that cannot be done."""
    try:
        _remove_from_copy(path, dataset, keys)
    except FAILURES as error:
        why = explained(error)
        if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            why = "another program has it open: close that and run the same purge again, or delete the copy"
        raise StoreError(why) from error


def _remove_from_copy(path: Path, dataset: str, keys: Collection[str]) -> None:
    """All or nothing: a copy whose rows are gone and whose bytes are not would pass for done the next time.

    So nobody else may have it open; without a log there is one file to rewrite.
    """
    with closing(sqlite3.connect(path, isolation_level=None, timeout=5)) as raw:
        raw.execute("PRAGMA locking_mode=EXCLUSIVE")
        raw.execute("PRAGMA journal_mode=DELETE").fetchone()
        raw.execute("PRAGMA secure_delete=ON")
        raw.execute("BEGIN EXCLUSIVE")
        ids = _found(raw, dataset, keys)
        if ids:
            number = raw.execute("SELECT id FROM dataset WHERE name = ?", (dataset,)).fetchone()[0]
            _delete(lambda sql, **values: raw.execute(sql, values), ids, number)
        raw.execute("COMMIT")
        raw.execute("VACUUM")


def _found(raw: sqlite3.Connection, dataset: str, keys: Collection[str]) -> list[int]:
    wanted = set(keys)
    rows = raw.execute(
        "SELECT sample.id, sample.key FROM sample JOIN dataset ON dataset.id = sample.dataset_id "
        "WHERE dataset.name = ?",
        (dataset,),
    )
    return [number for number, key in rows if key in wanted]


def _chunks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]


def forget_names(execute: Execute, dataset_id: int) -> None:
    """Take the names of groups and strata that no sample has any more out of a dataset's documents.

    A calibration and a run name the groups whose gold they saw, a stratified plan the values of a field.
    """
    groups = _values(execute, "group_key", dataset_id)

    def calibration(document: Document) -> bool:
        return _forget_groups(document.get("gold", {}).get("samples", []), groups)

    def run(parameters: Document) -> bool:
        return _forget_groups(parameters.get("examples", []), groups)

    _change(execute, "calibration", "document", dataset_id, calibration)
    _change(execute, "run", "parameters", dataset_id, run)
    strata = _values(execute, "stratum", dataset_id)
    _change(execute, "plan", "parameters", dataset_id, lambda one: _forget_strata(one, strata))


def _values(execute: Execute, column: str, dataset_id: int) -> set[str | None]:
    sql = f"SELECT DISTINCT {column} FROM sample WHERE dataset_id = :dataset"  # noqa: S608 - a word of ours
    return {row[0] for row in execute(sql, dataset=dataset_id)}


def _forget_groups(seen: list[Document], groups: Collection[str | None]) -> bool:
    gone = [one for one in seen if one.get("group") is not None and one["group"] not in groups]
    for one in gone:
        one["group"] = None
    return bool(gone)


def _forget_strata(parameters: Document, strata: Collection[str | None]) -> bool:
    stored = parameters.get("strata", {})
    known = [int(said[1]) for name in stored if (said := re.fullmatch(f"{GONE}([0-9]+)", name))]
    number = max(known, default=0)
    named: Document = {}
    for name, counts in stored.items():
        if name and name not in strata and not re.fullmatch(f"{GONE}[0-9]+", name):
            number += 1
            name = f"{GONE}{number}"
        named[name] = counts
    if named.keys() == stored.keys():
        return False
    parameters["strata"] = named
    return True


def _change(
    execute: Execute, table: str, column: str, dataset_id: int, change: Callable[[Document], bool]
) -> None:
    select = f"SELECT id, {column} FROM {table} WHERE dataset_id = :dataset"  # noqa: S608 - words of ours
    update = f"UPDATE {table} SET {column} = :document WHERE id = :id"  # noqa: S608
    for number, stored in list(execute(select, dataset=dataset_id)):
        document = json.loads(stored) if isinstance(stored, str) else stored
        if change(document):
            execute(update, id=number, document=json.dumps(document, ensure_ascii=False))
