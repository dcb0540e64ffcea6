"""Copying whole rows into another database, and reading them back."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, false, func, inspect, select, true

from workbench.errors import StoreError, UsageError
from workbench.store import database
from workbench.store.engine import Store
from workbench.store.tables import METADATA

CHUNK = 1_000
HALF = re.compile("[\ud800-\udfff]")


def _plain(value: Any) -> str:
    """A value as either database gives it: times in UTC, bytes as digits."""
    if isinstance(value, datetime):
        return (value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)).isoformat()
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    raise TypeError(type(value).__name__)


_encode = json.JSONEncoder(sort_keys=True, default=_plain).encode


@dataclass(slots=True)
class Rows:
    """The rows of a table: how many, and the sum of their SHA-256, which does not depend on their order."""

    table: str
    number: int = 0
    sha256: str = "0" * 64

    def add(self, rows: list[dict[str, Any]]) -> None:
        """Count some more."""
        total = int(self.sha256, 16)
        for row in rows:
            total += int.from_bytes(hashlib.sha256(_encode(row).encode()).digest())
        self.number += len(rows)
        self.sha256 = f"{total % (1 << 256):064x}"


@dataclass(frozen=True, slots=True)
class CopyReport:
    """A database that was copied: where to, and its tables, which are the same in both."""

    target: str
    tables: tuple[Rows, ...]


def count_rows(store: Store, dataset_id: int | None) -> int:
    """How many rows of a database, or of one dataset of it, a copy would hold."""
    with store.snapshot() as session:
        return _count(session.connection(), dataset_id)


def _count(connection: Connection, dataset_id: int | None = None) -> int:
    queries = (_of(table, dataset_id, func.count()) for table in METADATA.sorted_tables)
    return sum(connection.execute(query).scalar_one() for query in queries)


def copy_into(store: Store, url: str, dataset_id: int | None, progress: Callable[[int], None]) -> CopyReport:
    """Copy every row, or those of one dataset, and read them back.

    All or nothing. Raises UsageError for a target that holds something or is this database, StoreError when
    it cannot be reached, refuses a row, or gives other rows back.
    """
    target = database.full_url(url)
    path, own = database.sqlite_path(target), database.sqlite_path(store.url)
    same = path.exists() and path.samefile(own) if path and own else target == store.url
    if same:
        raise UsageError(f"{database.shown_url(target)} is the database to copy from: name another one")
    copied: list[Rows] = []
    calls: set[int] = set()
    with store.snapshot() as session, _empty(target, path) as connection:
        done = 0
        for table in METADATA.sorted_tables:
            given, stored = Rows(table.name), Rows(table.name)
            for rows in _chunks(session.connection(), _of(table, dataset_id, table)):
                if table.name == "call":
                    calls.update(row["id"] for row in rows)
                if table.name == "proposal" and dataset_id is not None:
                    # Of their own dataset alone: an answer may have been paid for by another one, whose calls
                    # stay behind. Their numbers will be given to other calls, and a purge keeps the answers
                    # of every call that a proposal names.
                    for row in rows:
                        row["calls"] = row["calls"] and [n for n in row["calls"] if n in calls]
                given.add(rows)
                if connection.dialect.name == "postgresql":
                    _refuse_halves(table, rows)
                connection.execute(table.insert(), rows)
                done += len(rows)
                progress(done)
            for rows in _chunks(connection, select(table)):
                stored.add(rows)
            if given != stored:
                raise StoreError(
                    f"{database.shown_url(target)} has other rows of {table.name}: nothing was copied"
                )
            copied.append(stored)
        database.number_on(connection, METADATA.sorted_tables)
    return CopyReport(str(path or database.shown_url(target)), tuple(copied))


def _refuse_halves(table: Table, rows: list[dict[str, Any]]) -> None:
    """Raise StoreError for a text that PostgreSQL does not take: one with NUL, or half a character."""
    for row in rows:
        for name, value in row.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=_plain)
            if "\0" in text or HALF.search(text):
                what = "NUL" if "\0" in text else "half a character (a lone surrogate)"
                key = " ".join(str(row[column.name]) for column in table.primary_key)
                raise StoreError(
                    f"{table.name} {key}: {name} holds {what}, which PostgreSQL does not take; "
                    "nothing was copied"
                )


@contextmanager
def _empty(url: str, path: Path | None) -> Iterator[Connection]:
    """A transaction on an empty database, with its tables; a file that is made for it goes when it fails."""
    if path is not None and not path.parent.is_dir():
        raise UsageError(f"{path.parent}: no such folder, so the database cannot be made there")
    name, ended = path or database.shown_url(url), False
    made = path is not None and not path.exists()
    engine = database.make_engine(url)
    try:
        if made and path is not None:
            database.make_private(path)
        with engine.execution_options(write=True).begin() as connection:
            there = set(inspect(connection).get_table_names())
            if not there:
                database.make_tables(connection)
            elif (
                not there <= {*METADATA.tables, "alembic_version"}
                or database.schema_of(connection) != database.SCHEMA
                or _count(connection)
            ):
                raise UsageError(f"{name} is not empty: name a database that holds nothing")
            yield connection
        ended = True
    except (*database.FAILURES, OSError) as error:
        message = database.explained(error).replace("--db", "--to")
        raise StoreError(f"{name}: {message}; nothing was copied") from error
    finally:
        engine.dispose()
        if made and not ended and path is not None:
            database.remove_made(path)


def _of(table: Table, dataset_id: int | None, what: Any) -> Select[Any]:
    """A query of a table, or of the rows that belong to a dataset."""
    query = select(what).select_from(table)
    if table.name == "session":  # who is logged in here is not logged in there
        return query.where(false())
    return query if dataset_id is None else query.where(_belongs(table, dataset_id))


def _belongs(table: Table, dataset_id: int) -> ColumnElement[bool]:
    """Whether a row is of a dataset: by its own column, else by the row it points to; people go along."""
    if table.name == "dataset":
        return table.c.id == dataset_id
    if table.name == "person":
        return true()
    if "dataset_id" in table.c:
        return table.c.dataset_id == dataset_id
    key = min(table.foreign_keys, key=lambda foreign: foreign.parent.name)
    parent = key.column.table
    return key.parent.in_(select(key.column).where(_belongs(parent, dataset_id)))


def _chunks(connection: Connection, query: Select[Any]) -> Iterator[list[dict[str, Any]]]:
    mappings = connection.execute(query, execution_options={"yield_per": CHUNK}).mappings()
    for rows in mappings.partitions():
        yield [dict(row) for row in rows]
