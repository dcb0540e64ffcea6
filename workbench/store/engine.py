"""An open database: reading, writing, and the thread that writes."""

from __future__ import annotations

import asyncio
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import URL, ColumnElement, Engine, QueuePool, Table, delete, func, insert, select, update
from sqlalchemy.event import listen
from sqlmodel import Session, SQLModel

from workbench.errors import AwayError, DiskError, NoDatabaseError, OtherFileError, StoreError, UsageError
from workbench.store import database
from workbench.store.tables import table_of

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Store:
    """An open database: the engine, the one thread that writes, and the file where it is SQLite's.

    `read_only`: the file or its folder is, and the file is read as if nobody else could change it.
    """

    url: str
    engine: Engine
    writer: ThreadPoolExecutor
    file: database.OpenFile | None = None
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
        self.check_file()
        with (
            _explaining(database.FAILURES),
            Session(self.engine.execution_options(write=True), expire_on_commit=False) as session,
            session.begin(),
        ):
            self._thread.writing = session
            try:
                yield session
            finally:
                self._thread.writing = None
        self.check_file()

    def check_file(self) -> None:
        """Raise OtherFileError when the path does not lead to the open file any more."""
        if self.file is None:
            return
        try:
            self.file.check()
        except OtherFileError:
            # the old file's log has the name of the new one's: the next program would copy it into that
            with suppress(*database.FAILURES, OtherFileError):
                database.run_pragma(self.engine, "PRAGMA wal_checkpoint(TRUNCATE)")
            raise

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Make values of rows, on a snapshot. Raises StoreError for a stored value that cannot be read.

        Whatever is raised inside counts as that: nothing but the reading belongs there.
        """
        with _explaining((*database.FAILURES, *database.UNREADABLE)), self.snapshot() as session:
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
            outer.flush()  # SQLAlchemy 2.0 writes what is pending for queries of objects only
            yield outer
            return
        engine = self.engine
        if engine.dialect.name == "postgresql":  # whose usual transaction sees what others commit meanwhile
            engine = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with _explaining(database.FAILURES), Session(engine, expire_on_commit=False) as session:
            thread.session = session
            try:
                yield session
            finally:
                thread.session = None

    @contextmanager
    def claimed(self, number: int) -> Iterator[bool]:
        """Whether no other process has claimed this number; none can until this ends, be it by a kill."""
        with ExitStack() as stack:
            with _explaining(database.FAILURES):
                file = self.file.path.resolve() if self.file else None
                free = stack.enter_context(database.claimed(self.engine, file, number))
            yield free

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

    def value(self, query: Any, **given: object) -> Any | None:
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

    def has(self, column: Any, *where: ColumnElement[bool]) -> bool:
        """Whether there is a row where all of this holds; `column` is never empty."""
        return self.value(select(column).where(*where).limit(1)) is not None

    def ids(self, column: Any, *where: ColumnElement[bool]) -> set[int]:
        """The whole numbers that a column has in the rows where all of this holds."""
        return set(self.numbers(select(column).where(*where)))

    def count(self, column: Any, *where: ColumnElement[bool]) -> int:
        """How many values a column has in the rows where all of this holds."""
        return self.numbers(select(func.count(column)).where(*where))[0]

    def insert(self, table: type[SQLModel], rows: Sequence[dict[str, Any]]) -> None:
        """Add rows with equal keys."""
        if rows:
            with self.writing() as session:
                session.connection().execute(insert(table_of(table)), rows)

    def update(self, table: type[SQLModel] | Table, *where: ColumnElement[bool], **values: object) -> int:
        """Give columns these values in the rows where all of this holds; how many these are."""
        with self.writing() as session:
            changed: Any = session.execute(update(table).where(*where).values(values))
        return int(changed.rowcount)

    def delete(self, table: type[SQLModel] | Table, *where: ColumnElement[bool]) -> None:
        """Delete the rows where all of this holds."""
        with self.writing() as session:
            session.execute(delete(table).where(*where))

    def check_writable(self, name: str) -> None:
        """Raise StoreError, which calls the database so, where it may only be read."""
        if self.read_only:
            raise StoreError(f"{name}: read-only, so no decision could be saved: {database.COPY}")

    def check_whole(self, error: Exception) -> None:
        """Raise StoreError when what went wrong met a damaged SQLite file."""
        if self.file is None:
            return
        with self.snapshot() as session:
            verdict = session.connection().exec_driver_sql("PRAGMA integrity_check(1)").scalar()
        if verdict != "ok":
            raise StoreError(database.DAMAGED) from error

    async def read(self, fn: Callable[Concatenate[Store, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a read beside the event loop, on one snapshot."""

        def run() -> R:
            with self.snapshot():
                return fn(self, *args, **kwargs)

        return await asyncio.to_thread(run)

    async def write(self, fn: Callable[Concatenate[Store, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a write on the one writer thread: in order, and finished even if nobody waits any more.

        Where one waited for a lock in vain, those that came meanwhile have waited as well, and fail with it.
        """
        came = monotonic()

        def run() -> R:
            ended, locked = getattr(self._thread, "locked", (came, None))
            if locked is not None and came < ended:
                raise type(locked)(*locked.args)
            try:
                return fn(self, *args, **kwargs)
            except StoreError as error:
                if database.is_locked(error):
                    self._thread.locked = monotonic(), error
                raise

        done = asyncio.get_running_loop().run_in_executor(self.writer, run)
        # shield: a cancelled waiter (a closed screen) must not take back a decision that is on its way
        try:
            return await asyncio.shield(done)
        except AwayError as error:
            error.writing = True
            raise

    def close(self) -> None:
        """Finish waiting writes and reads under way, and let go of the database."""
        self.writer.shutdown(wait=True)
        with suppress(OtherFileError):
            self.check_file()
        pool, until = self.engine.pool, monotonic() + database.BUSY_SECONDS
        while isinstance(pool, QueuePool) and pool.checkedout() and monotonic() < until:
            sleep(0.01)
        listen(pool, "checkin", lambda _, record: record.close())  # else what comes later would stay open
        self.engine.dispose()


def open_store(url: str, *, create: bool = True, migrate: bool = True) -> Store:
    """Open (and migrate) the database at an SQLAlchemy URL or a file path.

    One that needs a migration is backed up first. A file that may only be read is opened for that. Raises
    NewerSchemaError for a database of a newer Workbench, StoreError when it is too old, cannot be opened or
    backed up, or with `migrate=False` needs a migration, UsageError for an unusable URL or, with
    `create=False`, NoDatabaseError when there is no such file or nothing in it.
    """
    full = database.full_url(url)
    path = database.sqlite_path(full)
    if path is not None:
        if not create and not path.exists():
            raise NoDatabaseError(f"{path}: no such database; import a file first: workbench import FILE")
        if not path.parent.is_dir():
            raise UsageError(f"{path.parent}: no such folder, so the database cannot be made there")
        try:
            database.make_private(path)
        except OSError as error:
            if not path.exists():
                why = "the folder is read-only" if isinstance(error, PermissionError) else error.strerror
                raise StoreError(
                    f"{path}: the database cannot be made: {why}; name another place with --db"
                ) from error
    read_only = path is not None and database.only_readable(path)
    file = None if path is None else database.OpenFile(path)
    engine = database.make_engine(full if path is None or not read_only else _immutable(path), file)
    try:
        database.check_schema(engine, path, create=create, migrate=migrate and not read_only)
        if file is not None:
            if not read_only:
                database.run_pragma(engine, database.WRITE_AHEAD)
            file.note()
    except database.FAILURES as error:
        engine.dispose()
        kind = DiskError if "disk I/O" in str(error) else database.kind_of_error(error)
        raise kind(f"{database.shown_url(full)}: {database.explained(error)}") from error
    except BaseException:
        engine.dispose()
        raise
    return Store(
        full, engine, ThreadPoolExecutor(max_workers=1, thread_name_prefix="writer"), file, read_only
    )


def _immutable(path: Path) -> URL:
    query = {"mode": "ro", "immutable": "1", "uri": "true"}
    return URL.create("sqlite", database=path.absolute().as_uri(), query=query)


@contextmanager
def _explaining(errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Errors of the database, and of stored values that cannot be read, as StoreError."""
    try:
        yield
    except errors as error:
        raise database.kind_of_error(error)(database.explained(error)) from error
