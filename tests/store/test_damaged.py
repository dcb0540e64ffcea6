"""A damaged database is named as damaged: no crash, no text in a message; and what doctor finds in it."""

from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench, accepted, past
from tests.lists import cases, from_cases
from tests.postgres import Server, ask
from tests.rows import naming, sample
from tests.stages.test_purge import fill, leave, row, run_purge
from workbench.cli import _run
from workbench.errors import StoreError
from workbench.reviewing.edits import Comment
from workbench.stages import queue, review
from workbench.stages.desk import undo
from workbench.stages.queue_values import queue_ids
from workbench.stages.recompute import score_dataset
from workbench.stages.upkeep import backup, doctor
from workbench.store import journal, purge, training
from workbench.store.copying import copy_into
from workbench.store.datasets import DatasetInfo, find_dataset
from workbench.store.engine import Store, open_store
from workbench.store.tables import METADATA

SECRET = "Marie Curie"
ROWS = [sample("s", f"{SECRET}.", SECRET)]
BROKEN = f"CAST(X'{SECRET.encode().hex()}FF' AS TEXT)"


def everything(path: Path) -> None:
    """What commands and screens read."""
    with closing(open_store(str(path))) as store:
        info = find_dataset(store, None)
        score_dataset(store, info)
        ids = queue_ids(store, info, "ann")
        queue.queue_rows(store, info, "ann", ids)
        for one in ids:
            review.open_sample(store, one, "ann")


@from_cases
def test_messages_quote_nothing_of_a_damaged_database(bench: Any, statement: str) -> None:
    """SQLite quotes texts and names that it cannot read."""
    bench.load(ROWS)
    bench.store.close()
    past(bench.db, statement.format(broken=BROKEN, secret=SECRET))

    with pytest.raises(StoreError) as refused:
        everything(bench.db)

    assert "the database is damaged: go on with its newest backup" in str(refused.value)
    assert SECRET not in str(refused.value)


@from_cases
def test_a_stored_value_that_is_not_what_was_stored_is_a_damaged_database(
    demo: Any, table: str, column: str, stored: str, damaged: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """SQLite has no checksums: another letter in a name is read as if it had been written."""
    demo.store.close()
    assert 0 == _run(["--db", str(demo.db), "compare", "--samples"])
    change = f"UPDATE {table} SET {column} = replace({column}, '{stored}', '{damaged}')"
    past(demo.db, "PRAGMA ignore_check_constraints = ON", change)
    capsys.readouterr()

    ended = {_run(["--db", str(demo.db), *one]) for one in (["compare", "--samples"], ["calibrate"])}

    said = capsys.readouterr().err
    assert 2 in ended <= {0, 2}, said
    assert "workbench: the database is damaged: go on with its newest backup" in said


READS: dict[str, Callable[[Store, DatasetInfo], object]] = {
    "what several decided": lambda store, info: journal.said_of_several(store, info.id),
    "first accepts": lambda store, info: journal.first_accepts(store, [1, 2], "entity"),
    "the known answers": lambda store, info: training.answers(store, info.id),
}


@pytest.mark.parametrize("what", READS)
def test_evidence_that_is_not_what_was_stored_is_a_damaged_database(bench: Any, what: str) -> None:
    read = READS[what]
    bench.load([naming("s", ["Rome"], ["Rome"])])
    for who in ("ann", "bo"):
        bench.act("s", Comment("before"), accepted(), Comment("behind"), who=who)
    assert read(bench.store, bench.info())
    bench.store.close()
    past(bench.db, """UPDATE review_event SET data = replace(data, '"context"', '"cXntext"')""")

    bench.reopen()
    with pytest.raises(StoreError, match="the database is damaged"):
        read(bench.store, find_dataset(bench.store, None))


def test_no_text_is_quoted_of_a_copy_that_a_purge_cannot_read(bench: Any) -> None:
    bench.load(ROWS)
    copy = backup(bench.store, None, datetime.now().astimezone(), "ann")
    past(copy, f"UPDATE sample SET key = {BROKEN}")

    assert purge.holds(copy, bench.info().name, ["s"]), "it may"
    with pytest.raises(StoreError) as refused:
        purge.remove_from_copy(copy, bench.info().name, ["s"])
    assert SECRET not in str(refused.value)
    assert "is damaged" in str(refused.value)


def test_an_error_of_the_program_is_no_damaged_database(bench: Any) -> None:
    """Whatever it is raised in: nothing but values that cannot be read speak of damage."""
    for part in (bench.store.writing, bench.store.snapshot):
        for error in (KeyError, TypeError, ValueError, AssertionError):
            with pytest.raises(error, match="of ours"), part():
                raise error("of ours")


# Checking a database: each kind of damage is named with its row, and nothing is changed.


def found(store: Store) -> list[str]:
    return [*doctor(store, lambda _done: None).found]


def fill_all(bench: Bench) -> None:
    """Two datasets with scores, gold, a journal with an undo, answers of a service, an export, a purge."""
    fill(bench)
    bench.load([row("gone", "Grace Hopper")], name="gone.jsonl", dataset="data")
    run_purge(bench, "gone")
    leave(bench, "out")
    bench.load([{**row("other", "Grace Hopper"), "scores": {"m": 0.5}}], name="first.jsonl", gold="given")
    bench.act("other", accepted(), Comment("ü"), dataset="first")
    undo(bench.store, bench.info("first").id, "ann")


@pytest.fixture
def filled(filled_by: Callable[..., Bench]) -> Bench:
    return filled_by(fill_all)


def test_a_whole_database_has_nothing_wrong(filled: Bench, demo_database: Path) -> None:
    before = filled.tables()
    report = doctor(filled.store, lambda _done: None)

    assert () == report.found
    rows = [filled.query(f'SELECT count(*) FROM "{name}"')[0][0] for name in METADATA.tables]
    assert sum(rows) == report.rows
    assert before == filled.tables()
    with closing(open_store(str(demo_database))) as demo:
        assert [] == found(demo)


def test_damage_is_told_of_every_table() -> None:
    damage = [one for one, _ in cases(__file__, "a damaged row is named")]
    told = {name for name in METADATA.tables if any(f" {name}" in one for one in damage)}
    assert set(METADATA.tables) == told


def damaged(bench: Bench, *statements: str) -> None:
    """A database whose rows somebody changed while nobody had it open."""
    bench.store.close()
    past(bench.db, *statements)
    bench.reopen()


@from_cases
def test_a_damaged_row_is_named(filled: Bench, damage: str, line: str) -> None:
    damaged(filled, damage)

    assert [line] == [line for one in found(filled.store) if line in one][:1], found(filled.store)


def test_a_row_that_a_rule_cannot_read_ends_nothing(filled: Bench) -> None:
    """The row is named, so is the rule, and the rules behind it are checked."""
    unread = "UPDATE sample SET key = CAST(x'22ff22' AS TEXT) WHERE id = 2"
    without = "DELETE FROM review WHERE sample_id IN (2, 3)"
    damaged(filled, "UPDATE dataset SET overlap = 1", unread, without)

    lines = found(filled.store)

    told = "not checked, for a row that cannot be read: sample …: its place … of the assignments is not there"
    assert "sample 2: cannot be read" in lines
    assert [told, "sample other: its place 1 of the assignments is not there"] == [
        line for line in lines if "of the assignments" in line
    ]


def test_on_a_server_the_numbers_of_rows_and_the_journal_are_checked_too(filled: Any, postgres: Any) -> None:
    with postgres.database() as url:
        copy_into(filled.store, url, None, lambda _done: None)
        with closing(open_store(url)) as server:
            assert [] == found(server)
            ask(url, "SELECT setval('review_id_seq', 2)")
            ask(url, "DELETE FROM review_event WHERE review_id = 2 AND seq = 1")
            ask(url, "UPDATE gold_unit SET label = 'place' WHERE review_id = 1")
            highest = ask(url, "SELECT max(id) FROM review")[0][0]
            assert [
                f"review: its next number is 3, and there is {highest} already",
                "review 1 (secret, ann): gold_unit 1 is not what its journal says",
                "review 2 (open, ann): its journal lacks 1",
            ] == found(server)


def test_a_server_whose_clock_is_another_one_is_told(monkeypatch: Any, postgres: Server) -> None:
    """A clock that is exactly ours is too far away here: leases run by the server's."""
    monkeypatch.setattr("workbench.store.database.SKEW", -1.0)
    with postgres.database() as url, closing(open_store(url)) as server:
        assert ["the server: its clock and the one here are 0 s apart"] == found(server)
