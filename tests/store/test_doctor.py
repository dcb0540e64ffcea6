"""Checking a database: each kind of damage is named with its row, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench, accepted, past
from tests.postgres import Server, ask
from tests.stages.test_purge import fill, leave, row, run_purge
from workbench.reviewing.edits import Comment
from workbench.stages.desk import undo
from workbench.stages.upkeep import doctor
from workbench.store.copying import copy_into
from workbench.store.engine import Store, open_store
from workbench.store.tables import METADATA


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


DAMAGE = {
    # what happens past the program, and a line that names it
    "DELETE FROM dataset WHERE name = 'first'": "sample 3: dataset 2 is not there",
    "DELETE FROM policy WHERE dataset_id = 1": "dataset data: a version of its policy is not there",
    "UPDATE dataset SET run_id = 99 WHERE id = 1": "dataset data: run 99 is not there",
    "UPDATE dataset SET calibration_id = 9 WHERE id = 1": "dataset data: calibration 9 is not there",
    "DELETE FROM sample WHERE key = 'open'": "review 2: sample 2 is not there",
    "UPDATE sample SET reference = replace(reference, 'Ada', 'Ida') WHERE key = 'open'":
        "sample 2: the text of open has another hash than it was stored with",
    "UPDATE sample SET meta = '{' WHERE id = 2": "sample 2: cannot be read",
    "UPDATE sample SET holdout = 1 WHERE id = 2":
        "dataset 1: samples are kept back, and their plan is not there",
    "DELETE FROM run WHERE id = 1": "proposal 1: run 1 is not there",
    "UPDATE proposal SET document = 'x' || document WHERE id = 1": "proposal 1: cannot be read",
    "DELETE FROM review WHERE id = 2": "gold_unit 2: review 2 is not there",
    "UPDATE review SET entity = 'todo' WHERE id = 2":
        "review 2 (open, ann): entity is 'todo', its journal says 'verified'",
    "UPDATE review SET flag = 'x' WHERE id = 2": "review 2 (open, ann): flag is 'x', its journal says",
    "DELETE FROM review_event WHERE review_id = 2 AND seq = 1": "review 2 (open, ann): its journal lacks 1",
    "UPDATE review_event SET data = CAST(x'22ff22' AS TEXT) WHERE id = 3": "review_event 3: cannot be read",
    "DELETE FROM gold_unit WHERE review_id = 2":
        "review 2 (open, ann): its entity 'Ada Lovelace' is not in gold_unit",
    "UPDATE gold_unit SET text = 'Ada LovelacE' WHERE review_id = 2":
        "review 2 (open, ann): gold_unit 2 is not what its journal says",
    "INSERT INTO gold_unit SELECT 99, dataset_id, sample_id, 3, annotator, kind, 7, unit, text, label, "
    "start, \"end\", verdict, reason, rule, alias, document FROM gold_unit WHERE id = 2":
        "review 3 (secret, Böb): gold_unit 99 is none of its verified units",
    "UPDATE counted SET run_id = 77": "counted 1 77 ",
    "UPDATE score SET found = found + 1": "is not the recall of its counts",
    "UPDATE external_score SET digits = '0.6'": "0.6 is stored as 0.5",
    "DELETE FROM score_column": "score_column 2 m: is not there",
    "DELETE FROM call WHERE id = 2": "proposal 2: call 2 is not there",
    "UPDATE answer SET document = '[' WHERE key = 'k1'": "answer k1: cannot be read",
    "UPDATE failed SET content_hash = 'g' || substr(content_hash, 2)": "failed 1 1: content_hash is no hash",
    "UPDATE purged SET key = 'open'": "purged 1: the sample open is there",
    "UPDATE export_log SET manifest_sha256 = 'x' || substr(manifest_sha256, 2)":
        "export_log 1: manifest_sha256 is no hash",
    "INSERT INTO batch VALUES ('b', 1, '[]', 0, 'x')": "batch b: cannot be read",
    "INSERT INTO plan VALUES (1, 9, 'simple', 'entity', 1, 1, '{}', 'ann', '2026-01-01 00:00:00')":
        "plan 1: dataset 9 is not there",
    "INSERT INTO calibration VALUES (1, 9, 'c', '{}', 'ann')": "calibration 1: dataset 9 is not there",
    "INSERT INTO holdout_opening VALUES (1, 9, 'x', 'ann', '2026-01-01 00:00:00')":
        "holdout_opening 1: dataset 9 is not there",
    "INSERT INTO person VALUES ('bo', 'annotator', 0, 0, CAST(x'ff' AS TEXT))": "person bo: cannot be read",
    "INSERT INTO session VALUES ('k', 'bo', 1)": "session k: key is no hash",
    "INSERT INTO passed VALUES (9, 'bo', 'ann')": "passed 9 bo: dataset 9 is not there",
    "INSERT INTO assignment VALUES (1, 1, 1, 1, .5, 'bo', NULL, 1, 0)":
        "assignment 1: it is done, and its person has not decided the sample",
    "INSERT INTO dispute VALUES (9, 'entity', 'a~b', 'open', '', 'ann', '2026-01-01 00:00:00')":
        "dispute 9 entity a~b: sample 9 is not there",
    "INSERT INTO assignment (id, dataset_id, sample_id, slot, rank, done, extra) "
    "VALUES (1, 1, 99, 1, 0.5, 0, 0)":
        "assignment 1: sample 99 is not there",
}  # fmt: skip


def test_damage_is_told_of_every_table() -> None:
    told = {name for name in METADATA.tables if any(f" {name}" in one for one in DAMAGE)}
    assert set(METADATA.tables) == told


def damaged(bench: Bench, *statements: str) -> None:
    """A database whose rows somebody changed while nobody had it open."""
    bench.store.close()
    past(bench.db, *statements)
    bench.reopen()


@pytest.mark.parametrize(("damage", "line"), DAMAGE.items())
def test_a_damaged_row_is_named(filled: Bench, damage: str, line: str) -> None:
    damaged(filled, damage)

    assert [line] == [line for one in found(filled.store) if line in one][:1], found(filled.store)


def test_a_row_that_a_rule_cannot_read_ends_nothing(filled: Bench) -> None:
    """The row is named, so is the rule, and the rules behind it are checked."""
    damaged(
        filled,
        "UPDATE dataset SET overlap = 1",
        "UPDATE sample SET key = CAST(x'22ff22' AS TEXT) WHERE id = 2",
        "DELETE FROM review WHERE sample_id IN (2, 3)",
    )

    lines = found(filled.store)

    assert "sample 2: cannot be read" in lines
    lacking = "its place 1 of the assignments is not there"
    assert [
        f"not checked, for a row that cannot be read: sample …: {lacking.replace('1', '…')}",
        f"sample other: {lacking}",
    ] == [line for line in lines if "of the assignments" in line]


def test_on_a_server_the_numbers_of_rows_and_the_journal_are_checked_too(filled: Any, postgres: Any) -> None:
    with postgres.database() as url:
        copy_into(filled.store, url, None, lambda _done: None)
        with closing(open_store(url)) as server:
            assert [] == found(server)
            ask(url, "SELECT setval('review_id_seq', 2)")
            ask(url, "DELETE FROM review_event WHERE review_id = 2 AND seq = 1")
            ask(url, "UPDATE gold_unit SET label = 'place' WHERE review_id = 1")
            highest = ask(url, "SELECT max(id) FROM review")[0][0]
            expected = [
                f"review: its next number is 3, and there is {highest} already",
                "review 1 (secret, ann): gold_unit 1 is not what its journal says",
                "review 2 (open, ann): its journal lacks 1",
            ]
            assert expected == found(server)


def test_a_server_whose_clock_is_another_one_is_told(monkeypatch: Any, postgres: Server) -> None:
    """A clock that is exactly ours is too far away here: leases run by the server's."""
    monkeypatch.setattr("workbench.store.database.SKEW", -1.0)
    with postgres.database() as url, closing(open_store(url)) as server:
        assert ["the server: its clock and the one here are 0 s apart"] == found(server)
