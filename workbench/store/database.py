"""A database as such: its URL and connections, its schema, backups of it, and what its errors mean.

Every dialect-specific line of the store is here.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import shutil
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, MultipleResultsFound, NoResultFound

from workbench.errors import (
    AwayError,
    LockedError,
    NewerSchemaError,
    NoDatabaseError,
    OtherFileError,
    StoreError,
    UsageError,
    to_install,
)
from workbench.store.tables import METADATA
from workbench.text.lists import pairs, sections, stored

OLDEST = "0010"
"""The baseline: a database of an older version is refused."""

SCHEMA = "0010"
"""The newest migration; opening a database that stands there imports no migration code."""

MIGRATIONS = Path(__file__).with_name("migrations")

BUSY_SECONDS = 5.0
"""Seconds that a change, on a server also a read, waits for what another program has locked."""
SAY_WAITING = 2.0
"""Seconds after which whoever waits for a lock says so, as a warning of this module's logger."""
CONNECT_SECONDS = 10
"""Seconds that a server has to take a connection, unless its URL or PGCONNECT_TIMEOUT says otherwise."""
SKEW = 60.0
"""Seconds by which the clock of a server may differ from ours."""
CLAIMS = 0x776F726B
"""Tells our locks of a server from those of other programs."""
CACHE = 4_000
"""Kilobytes of pages that each connection to SQLite may keep: a screen has five connections."""

DAMAGED = "the database is damaged: go on with its newest backup"
COPY = "copy the database to where you may write"
WRITE_AHEAD = "PRAGMA journal_mode=WAL"
"""Readers and the writer do not wait for each other. Kept in the file, so asked only of our own."""

SILENT = "it does not answer"
RUNNING = "is the server running, and are host, port, user, password and database right?"
_PASSWORD = re.compile(r"""(?i)(:)(?![/\\]).*(?=@)|(password\s*=\s*)('[^']*'|[^\s&]*)""")
"""Where one stands, also in what is no URL: up to the last @, or in the words of libpq."""

_SAID = sections(__name__)
_SCHEMAS = pairs(_SAID["schemas"])
AWAY = pairs(_SAID["away"]) | dict.fromkeys(_SAID["no server"].strip().splitlines(), RUNNING)
"""Parts of the messages about a server that may answer again in a moment, and what to do."""

LOCKED = "another program has locked what this needs; try again when it is done"

HINTS = pairs(_SAID["hints"]) | AWAY | {"onnection": RUNNING}
"""Parts of messages, and what the person can do."""

FAILURES = (DBAPIError, sqlite3.Error, UnicodeError, json.JSONDecodeError)
"""What a database raises: the last three come past SQLAlchemy, from rows and messages of a damaged one, and
from a text that it does not take."""

UNREADABLE = (
    ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError,
    MultipleResultsFound, NoResultFound,
)  # fmt: skip
"""Raised where rows become values and one is not what was stored: SQLite has no checksums. Anywhere else it
is an error of the program's own."""


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


def make_private(path: Path) -> None:
    """Make a new file that only its owner may read; SQLite gives its log the same mode. Raises OSError."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def only_readable(path: Path) -> bool:
    """Whether a file may only be read, for itself or for its folder, in which SQLite makes its log.

    Raises StoreError where the log holds something: SQLite reads that only where it may write.
    """
    if not path.is_file() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return False
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreError(f"{path}: read-only, and its newest rows are in {log.name}: {COPY}")
    return True


def full_url(url: str) -> str:
    """An SQLAlchemy URL: a plain path becomes a SQLite file. Raises UsageError for other databases."""
    shown = shown_url(url)
    if "://" not in url:
        path = Path(url).expanduser().absolute()
        if shown == url or path.exists():  # else a mistyped URL: its password would become a file's name
            return f"sqlite:///{path}"
    else:
        with suppress(ArgumentError, ValueError):  # ValueError: of the port
            parsed = make_url(url)
            kind = parsed.drivername.partition("+")[0]
            if kind in ("postgres", "postgresql") and "@" not in (parsed.host or ""):
                # as others write it; there is one driver that we use
                return parsed.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
            if kind == "sqlite":
                return url
    raise UsageError(f"{shown}: give a path, or postgresql://USER@HOST/NAME (an @ in a password is %40)")


def shown_url(url: str | URL) -> str:
    """What was given as a database or a file, without a password: also of a URL that is mistyped."""
    with suppress(ArgumentError, ValueError):
        url = make_url(url).difference_update_query(["password"]).render_as_string(hide_password=True)
    return _PASSWORD.sub(r"\1\2***", str(url))


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
        needs = f"needs the package {error.name!r}, which is not installed: {to_install('postgres')}"
        raise UsageError(f"{shown_url(url)} {needs}") from error
    except ArgumentError as error:
        raise UsageError(f"{shown_url(url)}: {error}") from error
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # of a lost connection we tell ourselves
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    elif engine.dialect.name == "postgresql":
        _attend(engine)
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
        raw.execute("SET TIME ZONE 'UTC'")  # for columns without a time zone
        unset = "FROM pg_settings WHERE name = 'lock_timeout' AND setting = '0'"  # a role may have its own
        raw.execute(f"SELECT set_config(name, %s, false) {unset}", [_patience()])
        raw.autocommit = False


def run_pragma(engine: Engine, pragma: str) -> None:
    """Run a pragma outside of any transaction. For some locks SQLite does not wait by itself."""
    until = monotonic() + BUSY_SECONDS
    with closing(engine.raw_connection()) as raw:
        while True:
            try:
                raw.cursor().execute(pragma)
                return
            except sqlite3.OperationalError as error:
                if "is locked" not in str(error) or monotonic() > until:
                    raise
            sleep(0.01)


@contextmanager
def claimed(engine: Engine, path: Path | None, number: int) -> Iterator[bool]:
    """Whether nobody else has claimed this number; nobody else can until this ends, be it by a kill.

    Next to an SQLite file an empty one of the same mode is locked for it: in a file that may only be read
    SQLite takes a lock that others can share.
    """
    if path is None:
        with engine.connect() as own:
            raw: Any = own.connection.driver_connection
            own.detach()  # a connection of its own, which ends with the claim
            raw.autocommit = True
            yield raw.execute("SELECT pg_try_advisory_lock(%s, %s)", [CLAIMS, number]).fetchone() == (True,)
        return
    aside = path.with_name(f"{path.name}-run-{number}")
    with closing(sqlite3.connect(aside, timeout=0, isolation_level=None)) as own:
        with suppress(OSError):  # another person's
            shutil.copymode(path, aside)
        try:
            own.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            yield False
            return
        try:
            yield aside.exists()  # else it was removed by who had it before, and is nobody's any more
        finally:
            with suppress(OSError):
                aside.unlink()


_TELLING = threading.Lock()
_told: set[object] = set()
"""Who waits for a database; the first of them said so."""


def _say_once(who: object, what: str) -> None:
    with _TELLING:
        if not _told:
            logging.getLogger(__name__).warning("waiting for %s …", what)
        _told.add(who)


@contextmanager
def _aloud(what: str) -> Iterator[None]:
    """Say what is waited for, after a while."""
    who = object()
    timer = threading.Timer(SAY_WAITING, _say_once, [who, what])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        _told.discard(who)


def _begin_sqlite(connection: Connection) -> None:
    if not connection.get_execution_options().get("write", False):
        connection.exec_driver_sql("BEGIN")
        return
    with _aloud(f"another program that is writing to {connection.engine.url.database}"):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _patience() -> str:
    return f"{BUSY_SECONDS * 1000:.0f}"  # ms


def _attend(engine: Engine) -> None:
    """Let connections to a server say what they wait for, and give the server up when it does not answer.

    A statement that waits looks by a second connection whether others have locked something. A server that
    does not take that one is given up, so no statement ends that a server still works on.
    """
    from psycopg import Connection, Error, OperationalError, errors

    name, silent = engine.url.database, -inf

    class Attended(Connection[Any]):
        given: dict[str, Any]

        def wait(self, gen: Any, *given: Any, **more: Any) -> Any:
            try:
                return super().wait(_looking(gen, self.look), *given, **more)
            finally:
                _told.discard(self)

        def look(self) -> None:
            try:
                with closing(connect(self.given | {"connect_timeout": BUSY_SECONDS})) as other:
                    other.look = other.give_up
                    query = "SELECT cardinality(pg_blocking_pids(%s))"
                    if other.execute(query, [self.info.backend_pid]).fetchone() != (0,):
                        _say_once(self, f"another program that has locked a part of {name}")
            except errors.ConnectionTimeout:
                self.give_up()
            except Error:  # an answer as well
                pass

        def give_up(self) -> None:
            self.close()
            raise OperationalError(SILENT)

    def connect(given: dict[str, Any]) -> Any:
        nonlocal silent
        if monotonic() - silent < 1:  # whoever asks has waited already
            raise errors.ConnectionTimeout(SILENT)
        try:
            with _aloud(f"the server of {name}"):
                made = Attended.connect(**given)
        except errors.ConnectionTimeout:
            silent = monotonic()
            raise
        made.given = given
        return made

    limit = {} if "PGCONNECT_TIMEOUT" in os.environ else {"connect_timeout": CONNECT_SECONDS}
    event.listen(engine, "do_connect", lambda _dialect, _record, _, given: connect(limit | given))


def _looking(waiting: Any, look: Callable[[], None]) -> Generator[Any, Any, Any]:
    """What waits for a server, with a look after every `SAY_WAITING` seconds without an answer."""
    begun = monotonic()
    try:
        state = next(waiting)
        while True:
            if not (ready := (yield state)) and monotonic() - begun > SAY_WAITING:
                look()
                begun = monotonic()
            state = waiting.send(ready)
    except StopIteration as answer:
        return answer.value


def check_schema(engine: Engine, path: Path | None, *, create: bool, migrate: bool) -> None:
    """Give an empty database its tables, and one of an earlier version those of today, after a backup.

    Raises NewerSchemaError, StoreError for one that is too old, or with `migrate=False` not of today, and
    NoDatabaseError for an empty one with `create=False`.
    """
    name = path or shown_url(engine.url)
    with engine.connect() as connection:
        if connection.dialect.name == "postgresql" and not connection.scalar(
            text("SELECT lower('ЖÄ') = 'жä'")
        ):
            raise StoreError(_SCHEMAS["locale"].format(name=name))
        version = schema_of(connection)
    if version == SCHEMA:
        return
    if version is None:
        if not create:
            raise NoDatabaseError(f"{name}: an empty database; import a file first: workbench import FILE")
        with engine.execution_options(write=True).begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SET LOCAL lock_timeout = 0"))  # who copies in may take long
                # any number: one at a time
                connection.execute(text("SELECT pg_advisory_xact_lock(20260707)"))
            if not inspect(connection).get_table_names():  # else another process made them meanwhile
                make_tables(connection)
        return
    if version > SCHEMA:
        raise NewerSchemaError(_SCHEMAS["newer"].format(name=name, version=version, newest=SCHEMA))
    if version < OLDEST:
        raise StoreError(_SCHEMAS["older"].format(name=name, version=version, oldest=OLDEST))
    if not migrate:
        raise StoreError(f"{name} was made by an older Workbench: open it once first")
    try:
        backup(engine.url.render_as_string(hide_password=False), f"before-{SCHEMA}")
    except UsageError as error:
        raise StoreError(f"{name} was made by an older Workbench; before it is upgraded, {error}") from error
    _upgrade(engine)


def _upgrade(engine: Engine) -> None:
    """Bring a database to the newest schema, in one transaction.

    Foreign keys are off meanwhile: rebuilding a table drops the old one, which with ON DELETE CASCADE would
    delete its children.
    """
    from alembic import command, config as alembic

    config = alembic.Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    sqlite = engine.dialect.name == "sqlite"
    try:
        with engine.execution_options(write=True).connect() as connection:
            if sqlite:
                connection.connection.cursor().execute("PRAGMA foreign_keys=OFF")
            with connection.begin():
                config.attributes["connection"] = connection
                command.upgrade(config, SCHEMA)
                if sqlite and connection.execute(text("PRAGMA foreign_key_check")).first():
                    raise StoreError("the migration would break references between rows; nothing was changed")
    finally:
        engine.dispose()  # the connection checks no foreign keys


def make_tables(connection: Connection) -> None:
    """Make all tables in an empty database, and note their version.

    Without Alembic, which takes .2 s of CPU and 13 MB to be loaded, before the first row of a first import.
    """
    if connection.dialect.name == "postgresql":
        for table in METADATA.sorted_tables:
            for index in table.indexes:
                index.dialect_options["postgresql"].update(index.info)
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
        return
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


def kind_of_error(error: BaseException) -> type[StoreError]:
    """AwayError where the same may work when the server is back, LockedError when others let go."""
    if getattr(getattr(error, "orig", None), "sqlstate", None) in ("55P03", "40P01"):  # too long, a deadlock
        return LockedError
    lost = isinstance(error, DBAPIError) and (
        error.connection_invalidated or any(sign in str(error) for sign in AWAY)
    )
    return AwayError if lost else StoreError


_PASSING = "is full", "No space left"


def is_locked(error: StoreError) -> bool:
    """Whether another program did not let go in time."""
    return isinstance(error, LockedError) or "is locked" in str(error)


def may_pass(error: StoreError) -> bool:
    """Whether the same may work later: the server is away, another program writes, the disk is full."""
    return isinstance(error, AwayError) or is_locked(error) or any(sign in str(error) for sign in _PASSING)


def explained(error: BaseException) -> str:
    """What the person can do about a database error; never the statement or its data."""
    message = str(getattr(error, "orig", None) or error)
    if isinstance(error, OSError):
        return error.strerror or message
    if isinstance(error, UnicodeEncodeError):
        return "a text holds half a character (a lone surrogate), which no database takes"
    if isinstance(error, UNREADABLE) or any(sign in message for sign in ("malformed", "decode to UTF-8")):
        return DAMAGED  # the error quotes what was not read
    kind = kind_of_error(error)
    if kind is LockedError:
        return LOCKED
    cause = next(iter(message.splitlines()), type(error).__name__)
    hint = next((hint for sign, hint in HINTS.items() if sign in cause), "")
    if kind is AwayError:
        cause = f"the server is away: {cause}"
    return f"{cause} ({hint})" if hint else cause


def backup(url: str, tag: str, target: Path | None = None) -> Path:
    """Copy the database at a URL or path while it is in use to a new file, whole or not at all; its path.

    A SQLite file is copied next to itself as NAME.TAG.db, a PostgreSQL database dumped into this folder as
    NAME.TAG.dump, under a number where one is there, or to a `target`. Raises UsageError when that exists or
    the database cannot be copied, StoreError when the copy fails or does not read back.
    """
    url = full_url(url)
    path, usual = sqlite_path(url), usual_backup(url, tag)
    target = target or _free(usual)
    if target.exists():
        raise UsageError(f"{target} exists already: name another file")
    # one that a killed process leaves is a copy too for `backups_of`, so that a purge reaches it
    part = target.with_name(f"{target.stem}.{secrets.token_hex(4)}.part{usual.suffix}")
    try:
        make_private(part)
        if path is None:
            _dump(url, part)
        else:
            source_uri = path.absolute().as_uri() + ("?immutable=1" if only_readable(path) else "")
            with (
                closing(sqlite3.connect(source_uri, uri=True)) as source,
                closing(sqlite3.connect(part)) as copy,
            ):
                source.backup(copy)
                if copy.execute("PRAGMA quick_check").fetchone() != ("ok",):
                    raise StoreError(f"no backup was made at {target}: {path} is damaged")
        part.rename(target)
    except (*FAILURES, OSError, subprocess.CalledProcessError) as error:
        raise StoreError(f"no backup was made at {target}: {_reason(error)}") from error
    finally:
        with suppress(OSError):  # a read-only folder: there is nothing to remove either
            remove_made(part)
    return target


def usual_backup(url: str, tag: str) -> Path:
    """Where a backup goes that nobody names."""
    path = sqlite_path(url)
    return Path(f"{make_url(url).database}.{tag}.dump") if path is None else path.with_suffix(f".{tag}.db")


def remove_made(path: Path) -> None:
    """Delete an unfinished file and its journal. SQLite leaves the journal behind on a full disk."""
    for file in (path, path.with_name(f"{path.name}-journal")):
        file.unlink(missing_ok=True)


def _free(target: Path) -> Path:
    """The path, with a number where something is there."""
    free, number = target, 1
    while free.exists():
        number += 1
        free = target.with_stem(f"{target.stem}-{number}")
    return free


def _dump(url: str, part: Path) -> None:
    """Dump a PostgreSQL database by pg_dump; pg_restore has to read it."""
    if shutil.which("pg_dump") is None or shutil.which("pg_restore") is None:
        raise UsageError("pg_dump copies a PostgreSQL database: install PostgreSQL's client programs")
    given = make_url(url)
    # a password among the words of a command is seen by everybody on the machine
    plain = URL.create(
        "postgresql", given.username, None, given.host, given.port, given.database, given.query
    )
    secret = {"PGPASSWORD": str(given.password)} if given.password else {}
    dump = ["pg_dump", "-Fc", "-f", str(part), "-d", str(plain), "--lock-wait-timeout", _patience()]
    for words in (dump, ["pg_restore", "-l", str(part)]):
        subprocess.run(words, check=True, capture_output=True, text=True, env={**os.environ, **secret})


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        why = next(iter(error.stderr.splitlines()), "it failed")
        return f"{why} ({LOCKED})" if "statement timeout" in why else why  # so pg_dump ends its waiting
    return explained(error)
