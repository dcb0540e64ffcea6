"""Copying a database: whole rows into an empty one of any kind, all or nothing."""

import itertools
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from sqlalchemy import make_url

from tests.conftest import Bench, past
from tests.formats.test_formats_round_trip import records
from tests.lists import from_cases
from tests.postgres import Server, ask
from tests.rows import sample
from tests.stages.test_purge import fill, leave, row, run_purge
from workbench.errors import InputError, StoreError, UsageError
from workbench.formats.exports.item import to_line
from workbench.model import Effort, Record
from workbench.reviewing.edits import Comment, Flag
from workbench.stages import editing, upkeep
from workbench.stages.desk import redo, undo
from workbench.stages.export import ExportOptions, export
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.review import Opened, act, open_sample
from workbench.store.copying import copy_into
from workbench.store.database import backup, full_url
from workbench.store.datasets import find_dataset, list_datasets
from workbench.store.engine import Store, open_store
from workbench.store.samples import sample_ids
from workbench.store.tables import METADATA

NUMBERS = itertools.count()
DO: dict[str, Callable[[Opened], Any]] = {
    "accept": lambda opened: editing.accept(opened, opened.dataset.kinds[0]),
    "flag": lambda _: Flag("⚑ look"),
    "comment": lambda _: Comment("a\nnote 😀 \x00"),
    "exclude": lambda _: editing.exclude("unanswerable"),
    "skip": editing.skip,
}


def copy(store: Store, target: Path | str, dataset: int | None = None) -> int:
    """Copy; the number of rows."""
    return sum(one.number for one in copy_into(store, str(target), dataset, lambda _done: None).tables)


def every_row(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What SQLite holds, past everything that is tested."""
    with closing(sqlite3.connect(path)) as raw:
        assert [] == raw.execute("PRAGMA foreign_key_check").fetchall()
        query = 'SELECT * FROM "{}" ORDER BY 1, 2'
        return {name: raw.execute(query.format(name)).fetchall() for name in METADATA.tables}


def fill_two(bench: Bench) -> None:
    """Two datasets: one with a purged sample, an export and answers of a service, one with another sample."""
    fill(bench)
    bench.load([row("gone", "Grace Hopper")], name="gone.jsonl", dataset="data")
    run_purge(bench, "gone")
    leave(bench, "out")
    bench.load([row("other", "Grace Hopper")], name="first.jsonl", gold="given")


@pytest.fixture
def filled(filled_by: Callable[..., Bench]) -> Bench:
    return filled_by(fill_two)


ACT = st.tuples(st.integers(0, 3), st.sampled_from(["ann", "Böb"]), st.sampled_from(sorted(DO)))


@settings(suppress_health_check=list(HealthCheck), max_examples=6)
@given(
    st.lists(records(), min_size=1, max_size=4, unique_by=lambda record: record.sample.id),
    st.lists(ACT, max_size=8),
    st.lists(st.sampled_from([undo, redo]), max_size=3),
)
def test_a_copy_has_every_row_whatever_came_in_and_whatever_people_did(
    tmp_path: Path, empty_database: Path, given: list[Record], acts: Any, moves: Any
) -> None:
    """Texts, draws, journal, gold, flags, notes; and undo goes on in the copy where it was."""
    here = tmp_path / str(next(NUMBERS))
    here.mkdir()
    shutil.copy(empty_database, here / "one.db")
    (here / "data.jsonl").write_text("".join(map(to_line, given)), "utf-8", newline="\n")
    with closing(open_store(str(here / "one.db"))) as one:
        import_file(one, here / "data.jsonl", ImportOptions(gold="given"), annotator="ann")
        dataset = find_dataset(one, None).id
        numbers = list(sample_ids(one, dataset).values())
        for place, who, what in acts:
            opened = open_sample(one, numbers[place % len(numbers)], who)
            with suppress(InputError):  # nothing left to skip
                act(one, opened, DO[what](opened), effort=Effort(1.5, 2))
        for move in moves:
            move(one, dataset, "ann")
        copy(one, here / "two.db")
        with closing(open_store(str(here / "two.db"))) as two:
            assert every_row(here / "one.db") == every_row(here / "two.db")
            assert undo(one, dataset, "ann") == undo(two, dataset, "ann")


def test_one_dataset_is_copied_without_rows_of_another(filled: Bench) -> None:
    """By the keys that lead to it; the whole database has both. A call of the other dataset stays there."""
    other = filled.id("other", "first")
    past(filled.db, f"UPDATE proposal SET calls = '[1]' WHERE sample_id = {other}")
    whole = copy(filled.store, filled.folder / "whole.db")
    part = copy(filled.store, filled.folder / "part.db", filled.info("data").id)
    rest = copy(filled.store, filled.folder / "rest.db", filled.info("first").id)

    every, mine = every_row(filled.folder / "whole.db"), every_row(filled.folder / "part.db")
    assert every_row(filled.db) == every
    assert whole == part + rest
    assert ["data", "first"] == sorted(one[1] for one in every["dataset"])
    assert ["data"] == [one[1] for one in mine["dataset"]]
    assert ["open", "secret"] == sorted(one[2] for one in mine["sample"])
    assert (2, 2, 1, 1) == tuple(len(mine[name]) for name in ("call", "answer", "purged", "export_log"))
    little = every_row(filled.folder / "rest.db")
    assert ([], []) == (little["purged"], little["call"])
    assert ["[]"] == [one[-1] for one in little["proposal"]]
    assert ["[1]", "[2]"] == sorted(one[-1] for one in mine["proposal"])


def test_a_target_that_holds_something_is_refused_untouched(filled: Bench, demo_database: Path) -> None:
    """Ours with rows, another program's, a text, this database by any name; a folder that is not there."""
    folder = filled.folder / "targets"
    folder.mkdir()
    shutil.copy(demo_database, folder / "full.db")
    with closing(sqlite3.connect(folder / "other.db")) as raw:
        raw.execute("CREATE TABLE tracks (name TEXT)")
    (folder / "text.db").write_text("no database, but longer than the header of one " * 10)
    (folder / "same.db").symlink_to(filled.db)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    itself = "the database to copy from"
    refused = {"full.db": "not empty", "other.db": "not empty", "text.db": "name another with --to"}
    for name, said in (refused | {"same.db": itself, "nowhere/x.db": "no such folder"}).items():
        with pytest.raises((UsageError, StoreError), match=said):
            copy(filled.store, folder / name)
    with pytest.raises(UsageError, match=itself):
        copy(filled.store, full_url(str(filled.db)))

    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}


def test_an_empty_database_of_ours_is_filled(filled: Bench, empty_database: Path) -> None:
    """And an empty file, as a killed copy leaves it."""
    shutil.copy(empty_database, filled.folder / "empty.db")
    (filled.folder / "touched.db").touch()

    assert copy(filled.store, filled.folder / "empty.db") == copy(filled.store, filled.folder / "touched.db")
    assert every_row(filled.db) == every_row(filled.folder / "empty.db")


def test_a_copy_that_fails_leaves_nothing(filled: Bench, empty_database: Path) -> None:
    """The last rows but some point nowhere, which the target does not take."""
    shutil.copy(empty_database, filled.folder / "empty.db")
    past(filled.db, "UPDATE review_event SET review_id = 999 WHERE id = (SELECT max(id) FROM review_event)")

    for name in ("empty.db", "new.db"):
        with pytest.raises(StoreError, match="FOREIGN KEY constraint failed; nothing was copied"):
            copy(filled.store, filled.folder / name)

    assert not list(filled.folder.glob("new.db*"))
    assert not any(every_row(filled.folder / "empty.db").values())


def test_a_server_that_is_not_there_is_named_without_the_password(filled: Bench) -> None:
    """One line that says what to look at."""
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match="is the server running") as caught:
        copy(filled.store, "postgresql+psycopg://ann:secret@127.0.0.1:1/gold")

    assert "secret" not in str(caught.value)


def test_a_database_goes_to_postgresql_and_comes_back_as_it_was(filled: Bench, postgres: Server) -> None:
    """With a seed and numbers that need 64 bits; the next row there takes the next number."""
    filled.load([row("large", "Ada Byron")], name="large.jsonl", seed=2**53 - 1)
    past(filled.db, "UPDATE export_log SET id = 4294967296")
    with postgres.database() as target:
        rows = copy(filled.store, target)
        with pytest.raises(UsageError, match="not empty"):
            copy(filled.store, target)
        with closing(open_store(target)) as server:
            assert rows == copy(server, filled.folder / "back.db")
            assert every_row(filled.db) == every_row(filled.folder / "back.db")
            next_file = filled.write([row("next", "Alan Turing")], "next.jsonl")
            assert 1 == import_file(server, next_file, ImportOptions(), annotator="ann").new


def test_exports_of_a_database_and_of_its_copies_are_equal(filled: Bench, postgres: Server) -> None:
    """There and back: the rows, and what other tools get of them."""
    outs: list[Path] = []
    with postgres.database() as url, ExitStack() as stack:
        copy(filled.store, url)
        server = stack.enter_context(closing(open_store(url)))
        copy(server, filled.folder / "back.db")
        back = stack.enter_context(closing(open_store(str(filled.folder / "back.db"))))
        for store in (filled.store, server, back):
            outs.append(filled.folder / f"out{len(outs)}")
            options = ExportOptions(formats=("native", "csv"))
            export(store, find_dataset(store, "data"), outs[-1], options, annotator="ann")
    first, *others = ({path.relative_to(out): path.read_bytes() for path in out.rglob("*.*")} for out in outs)
    assert len(first) > 4
    for each in (first, *others):
        assert each.pop(Path("manifest.json"))  # which has the time
    assert [first, first] == others


@from_cases
def test_what_a_server_does_not_take_is_named(filled: Bench, postgres: Any, change: str, said: str) -> None:
    past(filled.db, change)
    with postgres.database() as target:
        with pytest.raises(StoreError, match=said):
            copy(filled.store, target)
        assert [(0,)] == ask(target, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")


def test_a_byte_that_the_target_changes_is_found(filled: Bench, postgres: Server) -> None:
    """Each table is read back; here the server writes another text than it is given."""
    with postgres.database() as target:
        open_store(target).close()
        turn = "'BEGIN NEW.text = upper(NEW.text); RETURN NEW; END'"
        ask(target, f"CREATE FUNCTION turn() RETURNS trigger AS {turn} LANGUAGE plpgsql")
        ask(target, "CREATE TRIGGER turn BEFORE INSERT ON gold_unit FOR EACH ROW EXECUTE FUNCTION turn()")
        with pytest.raises(StoreError, match="has other rows of gold_unit: nothing was copied"):
            copy(filled.store, target)
        assert [(0,)] == ask(target, "SELECT count(*) FROM sample")


def test_a_copy_that_fails_leaves_no_table_on_a_server(filled: Bench, postgres: Server) -> None:
    """Tables and rows are made in one transaction."""
    past(filled.db, "UPDATE review_event SET review_id = 999 WHERE id = (SELECT max(id) FROM review_event)")

    with postgres.database() as target:
        with pytest.raises(StoreError, match="foreign key constraint"):
            copy(filled.store, target)
        assert [(0,)] == ask(target, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")


ROWS = [sample("a", "Rome.", "Rome.")]


def samples(path: Path) -> list[Any]:
    with closing(sqlite3.connect(path)) as raw:
        return raw.execute("SELECT key FROM sample").fetchall()


def test_a_copy_holds_what_is_committed_while_the_database_is_open(bench: Any) -> None:
    """Also what stands in the write-ahead log only."""
    bench.load(ROWS)

    copy = backup(bench.store.url, "", bench.folder / "copy.db")

    assert copy == bench.folder / "copy.db"
    assert samples(copy) == [("a",)]


def test_an_existing_target_is_kept(bench: Any) -> None:
    """A copy never replaces a file; a tagged copy takes the next number."""
    bench.load(ROWS)
    target = bench.folder / "copy.db"
    target.write_text("mine")

    with pytest.raises(UsageError, match=r"copy\.db exists already"):
        backup(bench.store.url, "", target)

    assert target.read_text() == "mine"
    made = [backup(bench.store.url, "before").name for _ in range(3)]
    assert made == ["workbench.before.db", "workbench.before-2.db", "workbench.before-3.db"]


def test_a_copy_that_cannot_be_made_leaves_nothing(bench: Any) -> None:
    """No folder, or a source that is no database: no file, not even a part of one."""
    with pytest.raises(StoreError, match="no backup was made"):
        backup(bench.store.url, "", bench.folder / "nowhere" / "copy.db")
    (bench.folder / "text.db").write_text("not a database " * 100)
    before = sorted(path.name for path in bench.folder.iterdir())
    with pytest.raises(StoreError, match="no backup was made"):
        backup(str(bench.folder / "text.db"), "", bench.folder / "copy.db")

    assert sorted(path.name for path in bench.folder.iterdir()) == before


def test_backup_names_the_copy_after_the_time(bench: Any) -> None:
    """By default beside the database."""
    bench.load(ROWS)

    copy = upkeep.backup(bench.store, None, datetime(2026, 3, 1, 12, 30, 5, tzinfo=UTC), "ann")

    assert copy == bench.folder / "workbench.20260301-123005.db"
    assert samples(copy) == [("a",)]


def test_a_server_is_dumped_with_every_row(filled: Bench, postgres: Server, monkeypatch: Any) -> None:
    """By pg_dump, into a file that is only there when pg_restore can read it."""
    monkeypatch.chdir(filled.folder)
    with postgres.database() as url, postgres.database() as second:
        copy(filled.store, url)
        known = make_url(url).set(password="secret").render_as_string(hide_password=False)
        with closing(open_store(known)) as server:
            name = make_url(url).database
            now = datetime(2026, 3, 1, 12, 30, 5, tzinfo=UTC)
            made = [upkeep.backup(server, None, now, "ann").name for _ in range(2)]
            assert [f"{name}.20260301-123005.dump", f"{name}.20260301-123005-2.dump"] == made
            assert 0o600 == Path(made[0]).stat().st_mode & 0o777
            with pytest.raises(UsageError, match="exists already"):
                upkeep.backup(server, Path(made[0]), now, "ann")
            info = list_datasets(server)[0]
            purged = upkeep.purge(server, info, upkeep.plan_purge(server, info, [], "ann"), "ann")
            told = [f"{Path(one).absolute()}: the dump of a server cannot be rewritten" for one in made]
            assert (set(told), ()) == (set(purged.by_hand), purged.rewritten)
            with pytest.raises(StoreError, match="no backup was made at nowhere"):
                upkeep.backup(server, Path("nowhere/x.dump"), now, "ann")
            plain = make_url(second).set(drivername="postgresql").render_as_string()
            subprocess.run(["pg_restore", "-d", plain, "--no-owner", made[0]], check=True)
            monkeypatch.setenv("PATH", str(filled.folder))
            with pytest.raises(UsageError, match="install PostgreSQL's client programs"):
                upkeep.backup(server, None, now, "ann")
        with closing(open_store(second)) as restored:
            copy(restored, filled.folder / "back.db")
    assert every_row(filled.db) == every_row(filled.folder / "back.db")
    assert not list(filled.folder.glob("*.part*"))
