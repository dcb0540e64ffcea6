"""What every test stands on: a clean environment, and real databases in the test's own folder."""

import gc
import json
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import cache, wraps
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main
from hypothesis import settings
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.util import LRUCache

from tests.postgres import Server, ask, running
from tests.rows import Row, write_rows
from workbench import cli
from workbench.model import KINDS, Kind, Matching, Policy, Record, Span, Unit, count
from workbench.reviewing.edits import Edit, Put
from workbench.reviewing.fold import ReviewState
from workbench.scoring.scorers import assess_all
from workbench.settings import STATE, State, read_state, write_state
from workbench.stages import editing, midnight
from workbench.stages.desk import redo, undo
from workbench.stages.editing import add_span
from workbench.stages.import_ import ImportOptions, ImportReport, import_file, load_demo
from workbench.stages.people import Person, add_person
from workbench.stages.recompute import score_dataset
from workbench.stages.review import Opened, act, open_sample
from workbench.store import database
from workbench.store.datasets import DatasetInfo, find_dataset
from workbench.store.engine import Store, open_store
from workbench.store.journal import load_reviews
from workbench.store.samples import sample_ids
from workbench.store.tables import METADATA

FIXTURES = Path(__file__).parents[1] / "fixtures"
TABLES = (
    "dataset", "policy", "sample", "run", "proposal", "review", "review_event", "gold_unit",
    "counted", "score", "external_score", "export_log",
)  # fmt: skip

# Compiled and rewritten modules are kept, also where the environment says not to: they take two thirds of the
# time in which tests are collected.
sys.dont_write_bytecode = False

# A shell that begins the tests behind `&` has Ctrl-C ignored; programs that are tested are not begun so.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No property depends on how fast the machine is: the first example of a busy one once took .4 s.
settings.register_profile("any machine", deadline=None, max_examples=50)
settings.load_profile("any machine")

pytest.register_assert_rewrite("tests.sessions")  # else a session that fails shows no difference

TOUR_SEEN = State(tour_seen=True)
Tables = dict[str, list[tuple[Any, ...]]]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: two more than there are cores; terminals, services and screens are waited for."""
    return (os.cpu_count() or 1) + 2


def pytest_collection_finish() -> None:
    """Spare the garbage collector what was imported: it took a quarter of the processor time of tests/tui."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No setting, key, editor or home of the person who runs the tests reaches them, nor a test before."""
    monkeypatch.setattr("workbench.reports.given", dict)
    for name in list(os.environ):
        if name.startswith(("WORKBENCH_", "ANTHROPIC_", "OPENAI_", "AWS_", "XDG_")):
            monkeypatch.delenv(name)
    for name in ("EDITOR", "VISUAL", "FORCE_COLOR", "CLICOLOR_FORCE", "NO_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    # A program that ends soon leaves all that it has out of collections; here it would stay for ever: a
    # process that ran the tests of the command line kept 2.4 million objects of them, and 5 GB at the end.
    monkeypatch.setattr(gc, "freeze", lambda: None)
    # Programs that tests start would compile the whole package each time.
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    home = tmp_path_factory.getbasetemp() / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    state = home / "state.json"
    if read_state(state) != TOUR_SEEN:  # no first steps over the screens of a test
        write_state(state, TOUR_SEEN)
    monkeypatch.setenv(STATE, str(state))


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> str:
    """The day after which runs are named that come now: it does not end in the middle of a test."""
    last = midnight() + timedelta(days=1, microseconds=-1)

    class Today(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return min(datetime.now(tz), last.astimezone(tz))

    monkeypatch.setattr("workbench.store.scores.datetime", Today)
    return f"{last:%Y-%m-%d}"


class ByDialect(LRUCache[Any, Any]):
    """Compiled statements of all engines of a kind of database; usually each engine has its own."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get((key[0].name, *key[1:]), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__((key[0].name, *key[1:]), value)


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> Iterator[None]:
    """Statements become SQL once, not again for each database that a test opens, and no commit waits."""
    make_tables = database.make_tables
    compiled = ByDialect(5_000)
    made: dict[str, list[Any]] = {}

    def engine(*args: Any, **own: Any) -> Engine:
        found = create_engine(*args, **own)
        found._compiled_cache = compiled
        return found

    def tables(connection: Connection) -> None:
        for statement, values in made.get(connection.dialect.name, []):
            connection.exec_driver_sql(statement, values)
        if connection.dialect.name not in made:
            asked: list[Any] = []

            def keep(*given: Any) -> None:
                asked.append(given[2:4])

            event.listen(connection, "before_cursor_execute", keep)
            make_tables(connection)
            event.remove(connection, "before_cursor_execute", keep)  # rows may follow on this connection
            made[connection.dialect.name] = asked

    prepare = database._prepare_sqlite

    @wraps(prepare)
    def unsynchronised(raw: Any, record: object) -> None:
        prepare(raw, record)
        raw.execute("PRAGMA synchronous=OFF")  # no test cuts the power; a commit waits 5 ms for the disk

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "create_engine", engine)
        patch.setattr(database, "make_tables", tables)
        patch.setattr(database, "_prepare_sqlite", unsynchronised)
        yield


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database without rows; copying it saves a migration per test."""
    path = tmp_path_factory.mktemp("database") / "empty.db"
    open_store(str(path)).close()
    return path


@pytest.fixture(scope="session")
def demo_database(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packaged demo in a database, scored; to be copied, never opened."""
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    shutil.copy(empty_database, path)
    store = open_store(str(path))
    score_dataset(store, load_demo(store, "ann"))
    store.close()
    return path


Wish = Callable[[Opened], Edit]


def unit_of(opened: Opened, which: str | int, kind: Kind | None = None) -> Unit:
    """The unit with a text, or at a place; entities are looked at before statements."""
    kinds = (kind,) if kind else KINDS
    units = [one for each in kinds for one in opened.state.of(each).assessment.units]
    return units[which] if isinstance(which, int) else next(one for one in units if one.text == which)


def do(which: str | int, change: Callable[..., Edit], *more: object) -> Wish:
    """A change of one unit, as `do("Rome", editing.toggle)`."""
    return lambda opened: change(opened, unit_of(opened, which), *more)


def accepted(kind: Kind = "entity", **more: bool) -> Wish:
    return lambda opened: editing.accept(opened, kind, **more)


class Review(NamedTuple):
    """What a review folds to."""

    state: ReviewState


@dataclass
class Bench:
    """A database in a folder, and the short ways in which tests use it."""

    folder: Path
    store: Store

    @property
    def db(self) -> Path:
        """The file of a SQLite database."""
        assert not self.on_server, "this test is about a file: mark it sqlite"
        return self.folder / "workbench.db"

    @property
    def on_server(self) -> bool:
        return self.store.engine.dialect.name == "postgresql"

    def reopen(self) -> None:
        """Close the database and open it again, as a new process would."""
        self.store.close()
        self.store = open_store(self.store.url)

    def write(self, rows: Iterable[Row | str], name: str = "data.jsonl") -> Path:
        """A file of rows; a string is a line as it is."""
        return write_rows(self.folder / name, rows)

    def load(self, rows: Any, name: str = "data.jsonl", annotator: str = "ann", **how: Any) -> ImportReport:
        """Import rows, or a file that is there."""
        path = rows if isinstance(rows, Path) else self.write(rows, name)
        return import_file(self.store, path, ImportOptions(**how), annotator=annotator)

    def info(self, name: str | None = None) -> DatasetInfo:
        return find_dataset(self.store, name)

    def id(self, key: str, dataset: str | None = None) -> int:
        return sample_ids(self.store, self.info(dataset).id)[key]

    @property
    def in_order(self) -> list[str]:
        """The ids of all samples in the order of the queue."""
        return [key for (key,) in self.query("SELECT key FROM sample ORDER BY rank")]

    def open(self, key: str, annotator: str = "ann", dataset: str | None = None) -> Opened:
        return open_sample(self.store, self.id(key, dataset), annotator)

    def act(self, key: str, *edits: Any, who: str = "ann", dataset: str | None = None, **more: Any) -> Opened:
        """Edit a sample, one act after the other; a wish makes its edit of the sample as it stands then."""
        opened = self.open(key, who, dataset)
        for one in edits:
            opened = act(self.store, opened, one(opened) if callable(one) else one, **more)
        return opened

    def verify(self, key: str, who: str = "ann", dataset: str | None = None, **edits: Any) -> Opened:
        """Accept a sample, after edits of the units that are named."""
        return verify(self.store, self.id(key, dataset), who, **edits)

    def people(self, **roles: str) -> None:
        """Name people with their roles, first the owner; after that ann does it. Adjudicators settle."""
        by = "ann" if self.query("SELECT name FROM person") else next(iter(roles))
        for who, role in roles.items():
            person = Person(who, role.replace("adjudicator", "annotator"), role == "adjudicator", False)
            add_person(self.store, by, person)

    def undo(self, who: str = "ann") -> Any:
        """Take back what a person did last; where that was."""
        return undo(self.store, self.info().id, who)

    def redo(self, who: str = "ann") -> Any:
        return redo(self.store, self.info().id, who)

    def review(self, key: str, annotator: str = "ann", dataset: str | None = None) -> Review | None:
        number = self.id(key, dataset)
        state = load_reviews(self.store, {number: annotator}).get(number)
        return None if state is None else Review(state)

    def meanwhile(self, first: Callable[[Store], object], second: Callable[[Store], object]) -> None:
        """Do the second in another window while the first is done and not stored yet; what it raises."""
        other = open_store(self.store.url)
        try:
            with ThreadPoolExecutor(1) as pool:
                with self.store.writing():
                    first(self.store)
                    done = pool.submit(second, other)
                    while self.on_server and not done.done():
                        if self.query("SELECT 1 FROM pg_locks WHERE NOT granted"):
                            break
                done.result()
        finally:
            other.close()

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows by plain SQL, past everything that is tested."""
        if self.on_server:
            return ask(self.store.url, sql, *values)
        with closing(sqlite3.connect(self.db)) as raw:
            return raw.execute(sql, values).fetchall()

    def change(self, *statements: str) -> None:
        """Change rows by plain SQL, past everything that is tested."""
        with self.store.writing() as session:
            for one in statements:
                session.connection().exec_driver_sql(one)

    @contextmanager
    def asked(self) -> Iterator[list[tuple[str, str]]]:
        """The statements that are sent to the database meanwhile, with their values."""
        sent: list[tuple[str, str]] = []

        def note(*call: Any) -> None:
            sent.append((call[2], str(call[3])))

        event.listen(self.store.engine, "before_cursor_execute", note)
        yield sent
        event.remove(self.store.engine, "before_cursor_execute", note)

    def tables(self, *names: str, without: Mapping[str, Iterable[str]] | None = None) -> Tables:
        """Every row of some tables (all by default) with every stored byte; `without` leaves columns out."""
        found: Tables = {}
        for name in names or TABLES:
            table, hidden = METADATA.tables[name], set((without or {}).get(name, ()))
            form = 'CAST("{}" AS text)' if self.on_server else '"{}"'
            chosen = ", ".join(form.format(one.name) for one in table.c if one.name not in hidden)
            keys = ", ".join(f'"{column.name}"' for column in table.primary_key)
            found[name] = self.query(f'SELECT {chosen} FROM "{name}" ORDER BY {keys}')
        return found


def past(path: Path, *statements: str) -> None:
    """Change rows that are there past all rules, as damage does."""
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("PRAGMA writable_schema = ON")
        assert all(raw.execute(one).rowcount for one in statements)


Fill = Callable[[Bench], object]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests marked `databases` run on both; of these one marked `sqlite` is about a file."""
    marks = {mark.name for mark in metafunc.definition.iter_markers()}
    if "databases" in marks and "sqlite" not in marks:  # an error where a fixture hides `on`
        metafunc.parametrize("on", ["sqlite", "postgresql"])


@pytest.fixture
def on() -> str:
    """The kind of database that the test runs on."""
    return "sqlite"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server; a skip where there is none."""
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def mortal(postgres: Server) -> Iterator[Server]:
    """A server that a test may kill; it starts it again."""
    if postgres.control:
        yield postgres
    else:
        with running("") as server:
            yield server


@pytest.fixture(scope="session")
def shared_on_server(postgres: Server) -> Iterator[str]:
    """The URL of a database that tests share one after the other."""
    with postgres.database() as url:
        open_store(url).close()
        yield url


@pytest.fixture
def on_server(request: pytest.FixtureRequest, on: str) -> str:
    """The URL of an empty database on a server; nothing where the test runs on SQLite."""
    if on == "sqlite":
        return ""
    url: str = request.getfixturevalue("shared_on_server")
    # TRUNCATE makes every file of the tables anew, which takes a hundred times as long.
    empty = [f'DELETE FROM "{table.name}"' for table in reversed(METADATA.sorted_tables)]
    ask(url, f"{'; '.join(empty)}; SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S'")
    return url


@pytest.fixture
def bench(on_server: str, tmp_path: Path, empty_database: Path) -> Iterator[Bench]:
    """A fresh database."""
    url = on_server
    if not url:
        url = str(tmp_path / "workbench.db")
        shutil.copy(empty_database, url)
    bench = Bench(tmp_path, open_store(url))
    yield bench
    bench.store.close()


@pytest.fixture(scope="session")
def made_once(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Fill], Path]:
    """The folder in which a function filled a database, once; to be copied, never opened."""

    @cache
    def make(fill: Fill) -> Path:
        folder = tmp_path_factory.mktemp("made")
        bench = Bench(folder, open_store(str(shutil.copy(empty_database, folder / "workbench.db"))))
        fill(bench)
        bench.store.close()
        return folder

    return make


@pytest.fixture
def filled_by(bench: Bench, made_once: Callable[[Fill], Path]) -> Callable[[Fill], Bench]:
    """A fresh database as a function fills it: a copy of what it made once, but on a server."""

    def start(fill: Fill) -> Bench:
        if bench.on_server:
            fill(bench)
        else:
            bench.store.close()
            shutil.copytree(made_once(fill), bench.folder, dirs_exist_ok=True)
            bench.reopen()
        return bench

    return start


@pytest.fixture
def demo(tmp_path: Path, demo_database: Path) -> Iterator[Bench]:
    """A database with the packaged demo."""
    shutil.copy(demo_database, tmp_path / "workbench.db")
    bench = Bench(tmp_path, open_store(str(tmp_path / "workbench.db")))
    yield bench
    bench.store.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a tenth of a second for other writers, not five."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)


def statement_recall(record: Record) -> float:
    """The recall that the statements of a record count to."""
    assert record.proposal is not None
    found = assess_all(record.sample, record.proposal, Matching(Policy(), 85), only=("contextual_recall",))
    return float(count(found["contextual_recall"].units).recall or 0)


def verify(
    store: Store,
    number: int,
    who: str,
    *,
    kind: Kind = "entity",
    reject: Collection[str | int] = (),
    toggle: Collection[str | int] = (),
    label: Collection[str | int] = (),
    fast: bool = False,
) -> Opened:
    """Accept a sample, after units were rejected, turned round or labelled "other": by text or place."""
    opened = open_sample(store, number, who)
    units = opened.state.of(kind).assessment.units
    assert {*reject, *toggle, *label} <= {*(unit.text for unit in units), *range(len(units))}
    for place, unit in enumerate(units):
        if not {place, unit.text}.isdisjoint(reject):
            opened = act(store, opened, editing.reject(opened, unit))
        if not {place, unit.text}.isdisjoint(toggle):
            opened = act(store, opened, editing.toggle(opened, unit))
        if not {place, unit.text}.isdisjoint(label):
            opened = act(store, opened, editing.relabel(opened, unit, "other"))
    return act(store, opened, editing.accept(opened, kind, fast=fast))


def add_text(opened: Opened, kind: Kind, text: str, label: str = "") -> Put:
    """A new unit at the first place of a text in the reference."""
    start = opened.sample.reference.index(text)
    return add_span(opened, kind, Span(start, start + len(text)), label)


@pytest.fixture
def quick_claude(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that a local service takes, a rate without a warm-up, and hardly a wait for another try."""
    from workbench.proposing.claude import run as claude_run
    from workbench.proposing.claude.call import CallPace

    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-key")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-key")
    monkeypatch.setattr(claude_run, "CallPace", lambda: CallPace(500.0))
    monkeypatch.setattr(claude_run.LiveRun, "_backoff", lambda run, attempts: 0.01)


@pytest.fixture
def service(quick_claude: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Starts a local service with some options; ANTHROPIC_BASE_URL and OPENAI_BASE_URL name it."""
    from tests.proposing.claude.server import Options, running

    with ExitStack() as stack:

        def start(**options: Any) -> Any:
            found, url = stack.enter_context(running(Options(**options)))
            monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
            monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
            return found

        yield start


build_once = cache(typer.main.get_command)
"""The commands of the program as they are parsed; building them took as long as running them."""


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)

    def refuses(self, *said: str) -> None:
        """Bad usage: nothing is on standard output, and these words are on the other."""
        assert (2, "") == (self.code, self.out)
        assert [] == [one for one in said if one not in self.err], self.err


Run = Callable[..., Ended]


@pytest.fixture
def run(on_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Run:
    """Run the command line in a folder of its own, as a person called ann."""
    monkeypatch.chdir(tmp_path)
    if on_server:
        monkeypatch.setenv("WORKBENCH_DB", on_server)
    monkeypatch.setenv("WORKBENCH_AS", "ann")
    monkeypatch.setattr(typer.main, "get_command", build_once)

    def runner(*arguments: object) -> Ended:
        capsys.readouterr()
        code = cli._run([str(argument) for argument in arguments])
        return Ended(code, *capsys.readouterr())

    return runner
