"""Opening: what is ours, what is not, what is newer, and that nothing else is touched."""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect, make_url, text

from tests.conftest import Bench, past
from tests.lists import from_cases
from tests.postgres import Server, ask
from tests.rows import gold, proposal, sample
from workbench.cli.console import Call
from workbench.errors import NewerSchemaError, StoreError, UsageError, WorkbenchError
from workbench.store import database
from workbench.store.database import full_url, shown_url, sqlite_path
from workbench.store.datasets import list_datasets, set_dataset
from workbench.store.engine import open_store
from workbench.store.tables import METADATA


def footprint(folder: Path) -> dict[str, str]:
    """Every file below a folder with a digest of its bytes."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def tables_of(path: Path) -> list[str]:
    engine = create_engine(f"sqlite:///{path}")
    found = set(inspect(engine).get_table_names())
    engine.dispose()
    return sorted(found - {"alembic_version"})


def test_the_schema_version_is_the_newest_migration() -> None:
    """A new migration that nobody runs would be a defect that only old databases show."""
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(database.MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)

    assert database.SCHEMA == scripts.get_current_head()
    assert database.OLDEST == scripts.get_base()


def test_opening_a_database_imports_no_alembic(bench: Any) -> None:
    """Half a second of imports that only a migration needs: one that is up to date, and a new one."""
    code = (
        "import sys\n"
        "from workbench.store.engine import open_store\n"
        "for path in sys.argv[1:]:\n"
        "    open_store(path).close()\n"
        "    print(path, sorted(name for name in sys.modules if name.split('.')[0] == 'alembic'))"
    )
    paths = [str(bench.db), str(bench.folder / "new.db")]

    said = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True)

    assert [f"{path} []" for path in paths] == said.stdout.splitlines()


def test_pragmas_hold_on_every_connection(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write-ahead log, foreign keys, full synchronisation and patience; three connections at once."""
    prepare: Any = database._prepare_sqlite
    monkeypatch.setattr(database, "_prepare_sqlite", prepare.__wrapped__)
    bench.reopen()
    pragmas = ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
    with ExitStack() as stack:
        for connection in [stack.enter_context(bench.store.engine.connect()) for _ in range(3)]:
            found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in pragmas]
            assert found == ["wal", 1, 2, 5000]


NEWER = ("9999", NewerSchemaError, r"newer Workbench \(schema 9999.*upgrade")
OLDER = ("0005", StoreError, r"older Workbench \(schema 0005.*export.*the version that made it")


@pytest.mark.parametrize(("version", "error", "message"), [NEWER, OLDER])
def test_another_schema_is_refused_untouched(bench: Any, version: str, error: Any, message: str) -> None:
    """Not a byte changes, no file appears, and the message says what to do."""
    bench.store.close()
    past(bench.db, f"UPDATE alembic_version SET version_num = '{version}'")
    before = footprint(bench.folder)

    with pytest.raises(error, match=message):
        open_store(str(bench.db))

    assert before == footprint(bench.folder)


TRACKS = "CREATE TABLE tracks (name TEXT); INSERT INTO tracks VALUES ('one');"
ALEMBIC = f"{TRACKS} CREATE TABLE alembic_version (version_num TEXT);"


def made(path: Path, what: str) -> None:
    """A folder, the first half of a database of ours, the database of a script, or a text."""
    if what == "a folder":
        path.mkdir()
    elif what == "cut off":
        open_store(str(path)).close()
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 100])
    elif what.startswith("CREATE"):
        with closing(sqlite3.connect(path)) as raw:
            raw.executescript(what)
    else:
        path.write_text(what)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (TRACKS, "not a Workbench database.*tracks"),
        (f"{ALEMBIC} INSERT INTO alembic_version VALUES ('0001')", "not a Workbench database"),
        (ALEMBIC, "not a Workbench database"),
        ("not a database, but longer than the header of one: " + "x" * 100, "not a database"),
        ("cut off", "malformed|damaged"),
        ("a folder", "unable to open"),
    ],
)
def test_what_is_not_ours_is_refused_untouched(tmp_path: Path, what: str, message: str) -> None:
    """Another program's database, also one with migrations of its own, a text, a damaged file, a folder."""
    made(tmp_path / "other.db", what)
    before = footprint(tmp_path)

    with pytest.raises(StoreError, match=message):
        open_store(str(tmp_path / "other.db")).close()

    assert footprint(tmp_path) == before


def test_a_missing_folder_and_a_missing_file_are_named(tmp_path: Path) -> None:
    """Nothing is made in passing."""
    with pytest.raises(UsageError, match="nowhere: no such folder"):
        open_store(str(tmp_path / "nowhere" / "w.db"))
    with pytest.raises(UsageError, match="no such database; import a file first"):
        open_store(str(tmp_path / "w.db"), create=False)
    assert footprint(tmp_path) == {}


def test_an_empty_file_becomes_a_database_only_where_something_is_to_be_stored(tmp_path: Path) -> None:
    """What `touch` or a killed first start left behind is no obstacle; reading writes nothing."""
    (tmp_path / "w.db").touch()
    before = footprint(tmp_path)

    with pytest.raises(UsageError, match="an empty database; import a file first"):
        open_store(str(tmp_path / "w.db"), create=False)

    assert footprint(tmp_path) == before
    open_store(str(tmp_path / "w.db")).close()
    assert tables_of(tmp_path / "w.db") == sorted(METADATA.tables)


@from_cases
def test_an_unusable_url_is_refused_without_the_password(monkeypatch: Any, url: str, message: str) -> None:
    """A driver that is not installed is named."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(WorkbenchError, match=message) as caught:
        open_store(url)

    assert "secret" not in str(caught.value)


def test_urls_and_paths() -> None:
    """A plain path is a SQLite file; a password is never shown."""
    assert full_url("/tmp/w.db") == "sqlite:////tmp/w.db"
    assert sqlite_path(full_url("w.db")) == Path.cwd() / "w.db"
    assert sqlite_path("sqlite://") is None
    for kind in ("postgres", "postgresql", "postgresql+psycopg"):
        assert "postgresql+psycopg://u:p%40@h/db" == full_url(f"{kind}://u:p%40@h/db")
    assert sqlite_path("postgresql://u:p@h/db") is None
    assert shown_url("postgresql://u:secret@h/db") == "postgresql://u:***@h/db"
    assert shown_url("postgresql://h/db?user=u&password=secret") == "postgresql://h/db?user=u"
    named = Call("postgresql://u@home:secret@h/db", db_given=True, dataset=None, named=None)
    assert {"--db": "postgresql://u%40home:***@h/db"} == named.given()
    assert shown_url("https:/u:sec@secret@h:1/x.csv") == "https:/u:***@h:1/x.csv"
    assert shown_url("/home/ann@work/C:/w.db") == "/home/ann@work/C:/w.db"


@pytest.mark.skipif(os.name == "nt", reason="forks")
def test_four_processes_may_make_one_database_at_once(tmp_path: Path) -> None:
    """The first makes the tables, the others wait and find them."""
    code = (
        "import multiprocessing, sys\n"
        "from workbench.store.engine import open_store\n"
        "fork = multiprocessing.get_context('fork')\n"
        "children = [fork.Process(target=lambda: open_store(sys.argv[1]).close()) for _ in range(4)]\n"
        "[child.start() for child in children]\n"
        "[child.join() for child in children]\n"
        "sys.exit(any(child.exitcode for child in children))\n"
    )
    path = tmp_path / "w.db"

    ended = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert tables_of(path) == sorted(METADATA.tables)


def test_opening_waits_for_another_program_that_writes(tmp_path: Path) -> None:
    """Also where the file has no write-ahead log yet: SQLite itself does not wait then."""
    path = tmp_path / "w.db"
    open_store(str(path)).close()
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("PRAGMA journal_mode=DELETE")
        other.execute("BEGIN IMMEDIATE")
        end = Timer(0.3, other.execute, ["COMMIT"])
        end.start()

        open_store(str(path)).close()

        end.join()
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)


NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{newest}"


def upgrade() -> None:
    with op.batch_alter_table("dataset") as table:
        table.add_column(sa.Column("colour", sa.String(), nullable=True))
        table.alter_column("name", new_column_name="title")
    {then}
"""


@pytest.fixture
def later(bench: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make this program one migration newer than the database; call with what the migration does last."""

    def make(then: str = "pass") -> None:
        folder = bench.folder / "migrations"
        shutil.copytree(database.MIGRATIONS, folder)
        (folder / "versions" / "v9999_next.py").write_text(NEXT.format(then=then, newest=NEWEST))
        monkeypatch.setattr(database, "MIGRATIONS", folder)
        monkeypatch.setattr(database, "SCHEMA", "9999")

    return make


NEWEST = database.SCHEMA
KNOWN = {"gold": gold({"Rome": "found"}), "scores": {"context_entity_recall": 0.5}}
ROWS = [sample("a", "Rome.", "Rome.", proposal=proposal(["Rome"], ["Rome"]), **KNOWN)]


def test_an_older_database_is_copied_and_then_migrated(bench: Any, later: Any) -> None:
    """The copy is the database as it was; rebuilding a parent table loses no child."""
    bench.load(ROWS, gold="given")
    before = bench.tables(without={"dataset": ["name", "colour"]})
    bench.store.close()
    later()

    open_store(str(bench.db)).close()

    assert bench.query("SELECT title, colour FROM dataset") == [("data", None)]
    assert bench.tables(without={"dataset": ["title", "name", "colour"]}) == before
    assert bench.query("PRAGMA foreign_key_check") == []
    copy = bench.folder / "workbench.before-9999.db"
    with closing(sqlite3.connect(copy)) as raw:
        assert raw.execute("SELECT name FROM dataset").fetchall() == [("data",)]
        assert raw.execute("SELECT version_num FROM alembic_version").fetchall() == [(NEWEST,)]
        assert raw.execute("SELECT count(*) FROM gold_unit").fetchall() == [(1,)]


@from_cases
def test_a_migration_that_fails_half_way_changes_nothing(bench: Any, later: Any, sql: str, why: str) -> None:
    """Version, tables and rows stay, and the copy made before is there.

    Foreign keys are off meanwhile, so references are checked before the commit.
    """
    bench.load(ROWS, gold="given")
    before = bench.tables()
    bench.store.close()
    later(f'op.execute("{sql}")')

    with pytest.raises(StoreError, match=why):
        open_store(str(bench.db))

    assert bench.tables() == before
    assert bench.query("SELECT version_num FROM alembic_version") == [(NEWEST,)]
    assert (bench.folder / "workbench.before-9999.db").exists()


def test_a_database_on_a_server_is_migrated(bench: Any, later: Any, postgres: Any, monkeypatch: Any) -> None:
    """Where there is no pg_dump it stays as it is."""
    monkeypatch.chdir(bench.folder)
    with postgres.database() as first, postgres.database() as second:
        for url in (first, second):
            open_store(url).close()
        later()

        open_store(first).close()
        monkeypatch.setenv("PATH", str(bench.folder))
        with pytest.raises(StoreError, match=r"upgraded, .*install PostgreSQL's client programs"):
            open_store(second)
        assert [(NEWEST,)] == ask(second, "SELECT version_num FROM alembic_version")
        assert [("9999",)] == ask(first, "SELECT version_num FROM alembic_version")
    assert 1 == len(list(bench.folder.glob("*.before-9999.dump")))


@pytest.mark.databases
def test_what_is_read_together_is_of_one_moment(bench: Bench) -> None:
    """Whatever another program writes between two reads."""
    bench.load(ROWS)
    dataset = bench.info().id
    with closing(open_store(bench.store.url)) as other, bench.store.reading():
        assert 85 == bench.info().threshold
        set_dataset(other, dataset, threshold=70)
        assert 85 == bench.info().threshold
    assert 70 == bench.info().threshold


def test_several_programs_make_one_database_on_a_server_at_once(postgres: Server) -> None:
    """One makes the tables, the others wait and find them."""
    with postgres.database() as url, ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(open_store, [url] * 4))
        assert [[]] * 4 == [list_datasets(store) for store in stores]
        for store in stores:
            store.close()


def test_a_server_has_partial_indexes_and_the_one_that_holds_the_ids(postgres: Server) -> None:
    """They keep a million samples fast there; the options stand with the tables, without that dialect."""
    with postgres.database() as url:
        open_store(url).close()
        made = "\n".join(row[0] for row in ask(url, "SELECT indexdef FROM pg_indexes"))
    assert "ON public.sample USING btree (dataset_id, rank) INCLUDE (id)" in made
    assert "ON public.gold_unit USING btree (dataset_id) WHERE (alias IS NOT NULL)" in made
    assert 2 == made.count("WHERE (NOT done)")


def test_times_are_those_of_greenwich_whatever_the_time_zone_of_a_server(postgres: Server) -> None:
    """Without a time zone in the column, as with the lowest sqlmodel, they would be the server's."""
    with postgres.database() as url:
        ask(postgres.url, f"ALTER DATABASE {make_url(url).database} SET timezone TO 'Asia/Tokyo'")
        with closing(open_store(url)) as store:
            for _ in range(2):  # the connection is given back between them
                assert "UTC" == store.value(text("SHOW timezone"))


def test_a_database_that_cannot_lower_all_letters_is_refused(postgres: Server) -> None:
    """A search takes no heed of case; in the locale C a server knows a to z alone."""
    ask(postgres.url, "CREATE DATABASE ascii TEMPLATE template0 LOCALE 'C' ENCODING 'UTF8'")
    try:
        with pytest.raises(StoreError, match="createdb -T template0 -E UTF8 -l"):
            open_store(postgres.named("ascii"))
    finally:
        ask(postgres.url, "DROP DATABASE ascii WITH (FORCE)")
