"""Opening a database: engine, pragmas, transactions, schema check.

Every dialect-specific line of the store is in this module and in `copying`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Engine,
    Table,
    create_engine,
    event,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, MultipleResultsFound, NoResultFound
from sqlmodel import Session, SQLModel

from workbench.errors import AwayError, NewerSchemaError, OtherFileError, StoreError, UsageError
from workbench.store.tables import METADATA, table_of
from workbench.text.lists import stored

OLDEST = "0008"
"""The baseline: a database of an older version is refused."""

SCHEMA = "0008"
"""The newest migration; opening a database that stands there imports no migration code."""

WRITE_AHEAD = "PRAGMA journal_mode=WAL"
"""Readers and the writer do not wait for each other. Kept in the file, so asked only of our own."""

BUSY_SECONDS = 5.0
SKEW = 60.0
"""Seconds by which the clock of a server may differ from ours."""
CACHE = 4_000
"""Kilobytes of pages that each connection to SQLite may keep: a screen has five connections."""

DAMAGED = "the database is damaged: go on with its newest backup"
COPY = "copy the database to where you may write"

AWAY = (
    "starting up", "not yet accepting", "shutting down", "recovery mode", "refused", "closed the connection",
    "No such file", "terminating connection", "connection is closed", "connection is lost", "timeout expired",
    "timed out", "unreachable", "too many clients",
)  # fmt: skip
"""Parts of the messages about a server that may answer again in a moment."""

FAILURES = (DBAPIError, sqlite3.Error, UnicodeError, json.JSONDecodeError)
"""What a database raises: the last three come past SQLAlchemy, from rows and messages of a damaged one, and
from a text that it does not take."""

UNREADABLE = (
    ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError,
    MultipleResultsFound, NoResultFound,
)  # fmt: skip
"""Raised where rows become values and one is not what was stored: SQLite has no checksums. Anywhere else it
is an error of the program's own."""

P = ParamSpec("P")
R = TypeVar("R")


class OpenFile:
    """Which SQLite file is open, by device and inode: its path may lead to another one later."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened: tuple[int, int] | None = None

    def note(self) -> None:
        """What the path leads to now is the file that was opened."""
        self._opened = self._now()

    def check(self) -> None:
        """Raise OtherFileError when the path does not lead to the open file any more."""
        if self._opened is None or (now := self._now()) == self._opened:
            return
        what = "deleted or moved" if now is None else "replaced by another file"
        raise OtherFileError(f"{self.path} was {what} while it was open", there=now is not None)

    def _now(self) -> tuple[int, int] | None:
        try:
            stat = os.stat(self.path)
        except OSError:
            return None
        return stat.st_dev, stat.st_ino


@dataclass(frozen=True, eq=False)
class Store:
    """An open database: the engine, the one thread that writes, and the file where it is SQLite's.

    `read_only`: the file or its folder is, and the file is read as if nobody else could change it.
    """

    url: str
    engine: Engine
    writer: ThreadPoolExecutor
    file: OpenFile | None = None
    read_only: bool = False
    _thread: threading.local = field(default_factory=threading.local, repr=False)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """The one way to write: BEGIN IMMEDIATE, commit as a whole or roll back.

        Inside another one of the same thread it is a part of that. Raises StoreError when the database
        refuses (locked, full, lost, read-only), OtherFileError when its file was deleted or replaced: what
        SQLite writes then is found by nobody.
        """
        outer: Session | None = getattr(self._thread, "writing", None)
        if outer is not None:
            yield outer
            return
        self._check_file()
        with (
            _explaining(FAILURES),
            Session(self.engine.execution_options(write=True), expire_on_commit=False) as session,
            session.begin(),
        ):
            self._thread.writing = session
            try:
                yield session
            finally:
                self._thread.writing = None
        self._check_file()

    def _check_file(self) -> None:
        if self.file is None:
            return
        try:
            self.file.check()
        except OtherFileError:
            # the old file's log has the name of the new one's: the next program would copy it into that
            with suppress(DBAPIError, sqlite3.Error, OtherFileError):
                _run(self.engine, "PRAGMA wal_checkpoint(TRUNCATE)")
            raise

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Make values of rows, on a snapshot. Raises StoreError for a stored value that cannot be read.

        Whatever is raised inside counts as that: nothing but the reading belongs there.
        """
        with _explaining((*FAILURES, *UNREADABLE)), self.snapshot() as session:
            yield session

    @contextmanager
    def snapshot(self) -> Iterator[Session]:
        """A stable snapshot; never write here (a snapshot cannot be upgraded).

        Inside a change or another snapshot of the same thread it is that one, so that what is read together
        fits together, and a row that several of them need is read once.
        """
        thread = self._thread
        outer: Session | None = getattr(thread, "writing", None) or getattr(thread, "session", None)
        if outer is not None:
            yield outer
            return
        engine = self.engine
        if engine.dialect.name == "postgresql":  # whose usual transaction sees what others commit meanwhile
            engine = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with _explaining(FAILURES), Session(engine, expire_on_commit=False) as session:
            thread.session = session
            try:
                yield session
            finally:
                thread.session = None

    def rows(self, query: Any, **given: object) -> Sequence[Any]:
        """The rows of a query; `given` are the values of its parameters.

        A query that each accept asks is made once, with parameters: making it takes longer than its answer.
        """
        with self.reading() as session:
            return session.execute(query, given).all()

    def column(self, query: Any) -> Sequence[Any]:
        """The first value of every row of a query."""
        with self.reading() as session:
            return session.scalars(query).all()

    def value(self, query: Any, **given: object) -> Any:
        """The first value of the first row of a query; None without rows."""
        with self.reading() as session:
            return session.scalars(query, given).first()

    def hold(self, key: ColumnElement[int], number: int) -> None:
        """On a server others who hold the same row wait until this change ends; SQLite lets one write."""
        if self.engine.dialect.name != "sqlite":
            self.value(select(key).where(key == number).with_for_update(key_share=True))

    def numbers(self, query: Any, **given: object) -> array[int]:
        """The whole numbers of a query's one column; a million take .6 s of CPU, 1.5 s by `column`."""
        numbers = array("q")
        with self.reading() as session:
            cursor = session.connection().execute(query, given).cursor
            while rows := cursor.fetchmany(10_000):
                numbers.extend(number for (number,) in rows)
        return numbers

    def ids(self, column: Any, *where: ColumnElement[bool]) -> set[int]:
        """The whole numbers that a column has in the rows where all of this holds."""
        return set(self.numbers(select(column).where(*where)))

    def count(self, column: Any, *where: ColumnElement[bool]) -> int:
        """How many values a column has in the rows where all of this holds."""
        return int(self.value(select(func.count(column)).where(*where)))

    def insert(self, table: type[SQLModel], rows: Sequence[dict[str, Any]]) -> None:
        """Add rows with equal keys."""
        if rows:
            with self.writing() as session:
                session.connection().execute(insert(table_of(table)), rows)

    def check_whole(self, error: Exception) -> None:
        """Raise StoreError when what went wrong met a damaged SQLite file."""
        if self.file is None:
            return
        with self.snapshot() as session:
            verdict = session.connection().exec_driver_sql("PRAGMA integrity_check(1)").scalar()
        if verdict != "ok":
            raise StoreError(DAMAGED) from error

    async def read(self, fn: Callable[Concatenate[Store, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a read beside the event loop, on one snapshot."""

        def run() -> R:
            with self.snapshot():
                return fn(self, *args, **kwargs)

        return await asyncio.to_thread(run)

    async def write(self, fn: Callable[Concatenate[Store, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a write on the one writer thread: in order, and finished even if nobody waits any more."""
        done = asyncio.get_running_loop().run_in_executor(self.writer, partial(fn, self, *args, **kwargs))
        # shield: a cancelled waiter (a closed screen) must not take back a decision that is on its way
        try:
            return await asyncio.shield(done)
        except AwayError as error:
            error.writing = True
            raise

    def close(self) -> None:
        """Finish waiting writes and let go of the database."""
        self.writer.shutdown(wait=True)
        with suppress(OtherFileError):
            self._check_file()
        self.engine.dispose()


def open_store(url: str, *, create: bool = True, migrate: bool = True, backup: bool = True) -> Store:
    """Open (and migrate) the database at an SQLAlchemy URL or a file path.

    One that needs a migration is backed up first, on a server only with `backup`. A file that may only be
    read is opened for that. Raises NewerSchemaError for a database of a newer Workbench, StoreError when it
    is too old, cannot be opened, or with `migrate=False` needs a migration, UsageError for an unusable URL
    or, with `create=False`, when there is no such file.
    """
    full = full_url(url)
    path = sqlite_path(full)
    if path is not None:
        if not create and not path.exists():
            raise UsageError(f"{path}: no such database; import a file first: workbench import FILE")
        if not path.parent.is_dir():
            raise UsageError(f"{path.parent}: no such folder, so the database cannot be made there")
        with suppress(OSError):  # there already, or refused below
            make_private(path)
    read_only = path is not None and _only_readable(path)
    file = None if path is None else OpenFile(path)
    engine = make_engine(full if path is None or not read_only else _immutable(path), file)
    try:
        _check_schema(engine, path, migrate and not read_only, backup)
        if file is not None:
            if not read_only:
                _run(engine, WRITE_AHEAD)
            file.note()
    except FAILURES as error:
        engine.dispose()
        raise _kind(error)(f"{shown_url(full)}: {explained(error)}") from error
    except BaseException:
        engine.dispose()
        raise
    return Store(
        full, engine, ThreadPoolExecutor(max_workers=1, thread_name_prefix="writer"), file, read_only
    )


def make_private(path: Path) -> None:
    """Make a new file that only its owner may read; SQLite gives its log the same mode. Raises OSError."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _only_readable(path: Path) -> bool:
    """Whether a file may only be read, for itself or for its folder, in which SQLite makes its log.

    Raises StoreError where the log holds something: SQLite reads that only where it may write.
    """
    if not path.is_file() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return False
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreError(f"{path}: read-only, and its newest rows are in {log.name}: {COPY}")
    return True


def _immutable(path: Path) -> URL:
    query = {"mode": "ro", "immutable": "1", "uri": "true"}
    return URL.create("sqlite", database=path.absolute().as_uri(), query=query)


def full_url(url: str) -> str:
    """An SQLAlchemy URL: a plain path becomes a SQLite file."""
    if "://" not in url:
        return f"sqlite:///{Path(url).expanduser().absolute()}"
    try:
        make_url(url)
    except ArgumentError as error:
        raise UsageError(f"--db {url!r} is no path and no database URL") from error
    return url


def shown_url(url: str | URL) -> str:
    """The URL without its password."""
    return make_url(url).render_as_string(hide_password=True)


def sqlite_path(url: str) -> Path | None:
    """The file of a SQLite URL; None for memory and for other databases."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    return Path(parsed.database or "")


def make_engine(url: str | URL, file: OpenFile | None = None) -> Engine:
    """An engine with the settings that every connection needs. Raises UsageError for an unusable URL."""
    try:
        # a server may have been restarted since the connection was used last
        # by the connection that was used last: a server has planned on it before what is asked again
        lifo: dict[str, Any] = {} if make_url(url).get_backend_name() == "sqlite" else {"pool_use_lifo": True}
        engine = create_engine(url, json_serializer=stored, pool_pre_ping=True, **lifo)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{shown_url(url)} needs the package {error.name!r}, which is not installed"
        ) from error
    except ArgumentError as error:
        raise UsageError(f"{shown_url(url)}: {error}") from error
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # of a lost connection we tell ourselves
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    elif engine.dialect.name == "postgresql":
        event.listen(engine, "connect", _prepare_server)
    if file is not None:
        event.listen(engine, "do_connect", lambda *_: file.check())  # all lead to one file
    return engine


def _prepare_sqlite(raw: Any, _record: object) -> None:
    raw.isolation_level = None  # we say BEGIN ourselves
    # SQLite's own knows A-Z only
    lower = lambda value: value.lower() if isinstance(value, str) else value  # noqa: E731
    raw.create_function("lower", 1, lower, deterministic=True)
    raw.execute(f"PRAGMA busy_timeout={int(BUSY_SECONDS * 1000)}")
    for setting in ("foreign_keys=ON", "synchronous=FULL", f"cache_size=-{CACHE}"):
        raw.execute(f"PRAGMA {setting}")


def _prepare_server(raw: Any, _record: object) -> None:
    with suppress(Exception):  # where the connection is lost again, the next statement says so
        raw.autocommit = True  # else a rollback would take the setting back
        raw.cursor().execute("SET TIME ZONE 'UTC'")  # for columns without a time zone
        raw.autocommit = False


def _run(engine: Engine, pragma: str) -> None:
    """Run a pragma outside of any transaction."""
    with closing(engine.raw_connection()) as raw:
        raw.cursor().execute(pragma)


def _begin_sqlite(connection: Connection) -> None:
    write = connection.get_execution_options().get("write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _check_schema(engine: Engine, path: Path | None, migrate: bool, backup: bool) -> None:
    with engine.connect() as connection:
        if connection.dialect.name == "postgresql" and not connection.scalar(
            text("SELECT lower('ЖÄ') = 'жä'")
        ):
            raise StoreError(
                f"{shown_url(engine.url)}: its locale knows no letters but a to z, so a search would miss "
                "others: make one with createdb -T template0 -E UTF8 -l C.UTF-8 NAME"
            )
        version = schema_of(connection)
    if version == SCHEMA:
        return
    if version is None:
        if path is not None:
            _run(engine, WRITE_AHEAD)  # while nobody else has it open: several may be making it
        with engine.execution_options(write=True).begin() as connection:
            if connection.dialect.name == "postgresql":
                # any number: one at a time
                connection.execute(text("SELECT pg_advisory_xact_lock(20260707)"))
            if not inspect(connection).get_table_names():  # else another process made them meanwhile
                make_tables(connection)
        return
    name = path or shown_url(engine.url)
    if version > SCHEMA:
        raise NewerSchemaError(
            f"{name} was made by a newer Workbench (schema {version}, "
            f"this one knows up to {SCHEMA}): upgrade with pip install -U gold-workbench"
        )
    if version < OLDEST:
        raise StoreError(
            f"{name} was made by an older Workbench (schema {version}, this one reads from {OLDEST}): export "
            "its datasets with the version that made it and import them here, or start a new one with --db"
        )
    if not migrate:
        raise StoreError(f"{name} was made by an older Workbench: open it once first")
    from workbench.store import copying
    from workbench.store.migrations import upgrade

    tag = f"before-{SCHEMA}"
    if path is not None:
        copying.backup_file(path, tag)
    elif backup and engine.dialect.name == "postgresql":
        try:
            copying.dump(engine.url.render_as_string(hide_password=False), tag)
        except UsageError as error:
            raise StoreError(
                f"{name}: {error}, or upgrade it without a copy: workbench status --no-backup"
            ) from error
    upgrade(engine, SCHEMA)


def make_tables(connection: Connection) -> None:
    """Make all tables in an empty database, and note their version.

    Without Alembic, which takes .2 s of CPU and 13 MB to be loaded, before the first row of a first import.
    """
    METADATA.create_all(connection, checkfirst=False)
    connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    connection.execute(text("INSERT INTO alembic_version VALUES (:schema)"), {"schema": SCHEMA})


def number_on(connection: Connection, tables: Iterable[Table]) -> None:
    """Let the next rows have higher numbers than those that were copied; SQLite does so by itself."""
    if connection.dialect.name == "postgresql":
        for table in tables:
            if table.autoincrement_column is not None:
                sequence = f"pg_get_serial_sequence('{table.name}', 'id')"
                connection.execute(text(f"SELECT setval({sequence}, max(id)) FROM {table.name}"))  # noqa: S608


def self_check(connection: Connection) -> Iterator[str]:
    """What is wrong with a database as such: pages of a file; settings and numbers of a server."""
    if connection.dialect.name == "sqlite":
        lines = connection.execute(text("PRAGMA integrity_check")).scalars()
        yield from (f"the file: {line}" for line in lines if line != "ok")
    if connection.dialect.name != "postgresql":
        return
    encoding = connection.scalar(text("SHOW server_encoding"))
    if encoding != "UTF8":
        yield f"the server: its encoding is {encoding}, not UTF8"
    now: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
    if (skew := abs((now - datetime.now(UTC)).total_seconds())) > SKEW:
        yield f"the server: its clock and the one here are {skew:,.0f} s apart"
    for table in METADATA.sorted_tables:
        if table.autoincrement_column is not None:
            sequence = connection.scalar(text(f"SELECT pg_get_serial_sequence('{table.name}', 'id')"))
            query = f"SELECT max(id), (SELECT last_value FROM {sequence}) FROM {table.name}"  # noqa: S608
            highest, last = connection.execute(text(query)).one()
            if (highest or 0) > last:
                yield f"{table.name}: its next number is {last + 1:,}, and there is {highest:,} already"


def schema_of(connection: Connection) -> str | None:
    """The schema's version; None for an empty database."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    # other programs version their tables by Alembic too: theirs is no newer Workbench
    if {"alembic_version", "review_event"} <= set(tables):
        version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        if version is not None:
            return str(version)
    names = ", ".join(sorted(tables)[:3])
    raise StoreError(f"this is not a Workbench database (it holds {names}…): name another with --db")


@contextmanager
def _explaining(errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Errors of the database, and of stored values that cannot be read, as StoreError."""
    try:
        yield
    except errors as error:
        raise _kind(error)(explained(error)) from error


def _kind(error: BaseException) -> type[StoreError]:
    """AwayError where the same may work when the server is back."""
    signs = any(sign in str(error) for sign in AWAY)
    return (
        AwayError if isinstance(error, DBAPIError) and (signs or error.connection_invalidated) else StoreError
    )


def explained(error: BaseException) -> str:
    """What the person can do about a database error; never the statement or its data."""
    message = str(getattr(error, "orig", None) or error)
    if isinstance(error, UnicodeEncodeError):
        return "a text holds half a character (a lone surrogate), which no database takes"
    if isinstance(error, UNREADABLE) or any(sign in message for sign in ("malformed", "decode to UTF-8")):
        return DAMAGED  # the error quotes what was not read
    cause = next(iter(message.splitlines()), type(error).__name__)
    hints = {
        "locked": "another program is writing to it; try again when it is done",
        "full": "the disk is full; make room and try again, what was shown as saved is saved",
        "readonly": f"the file or its folder is read-only: {COPY}",
        "not a database": "name another with --db",
        "unable to open": "check the path and its permissions",
        "starting up": "try again in a moment",
        "not yet accepting": "try again in a moment",
        "shutting down": "try again when it is back",
        "closed the connection": "it was stopped or restarted: try again when it is back",
        "terminating connection": "it was stopped or restarted: try again when it is back",
        "too many clients": "try again when others have left",
        "onnection": "is the server running, and are host, port, user, password and database right?",
        "disk I/O": "the disk failed or is full; what was shown as saved is saved",
    }
    hint = next((hint for sign, hint in hints.items() if sign in cause), "")
    if _kind(error) is AwayError:
        cause = f"the server is away: {cause}"
    return f"{cause} ({hint})" if hint else cause
