"""Purging a sample: its text is in no table, no page of the file, no log and no backup; hashes stay."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from workbench.errors import NotFoundError, StoreError
from workbench.formats.folder import read_manifest
from workbench.stages import editing
from workbench.stages.demo import load_demo
from workbench.stages.export import export
from workbench.stages.purge import PurgeReport, plan_purge, purge
from workbench.stages.recompute import score_dataset
from workbench.stages.review import act
from workbench.store.backup import backup_file
from workbench.store.purge import _BY_SAMPLE
from workbench.store.tables import METADATA
from workbench.store.tables_calls import AnswerRow, CallRow, FailedRow
from workbench.store.tables_plans import PlanRow

SECRET = "Xyzzyplugh Quuxford"


def row(name: str, text: str, **more: Any) -> dict[str, Any]:
    reference = f"{text} lives in Rome."
    return {
        "id": name, "user_input": f"Where does {text} live?", "reference": reference,
        "retrieved_contexts": [f"{text} moved to Rome."], "response": f"{text}: Rome",
        "alternatives": [f"{text}!"], "meta": {"note": text}, "group": f"group {name}",
        "proposal": {"proposer": "p", "reference_entities": [text, "Rome"], "context_entities": [[text]],
                     "statements": [{"text": reference, "verdict": "found", "quote": text}]},
        "gold": {"annotator": "ann", "comments": [text], "flag": text, "entities": [
            {"text": text, "label": "person", "start": 0, "end": len(text), "verdict": "found", "note": text}
        ]},
        "scores": {"context_entity_recall": 0.5},
        **more,
    }  # fmt: skip


@pytest.fixture
def filled(bench: Bench) -> Bench:
    """Two samples, one of them secret, with everything a sample can have."""
    bench.load([row("secret", SECRET), row("open", "Ada Lovelace")], gold="given", seed=1)
    score_dataset(bench.store, bench.info())
    opened = bench.open("secret", "Böb")
    act(bench.store, opened, editing.add_text(opened, "entity", "Quuxford lives"))
    run_id = bench.info().run_id or 0
    with bench.store.writing() as session:
        from datetime import UTC, datetime

        now = datetime.now(UTC)
        for number, text in ((1, SECRET), (2, "Ada Lovelace")):
            session.add(CallRow(id=number, run_id=run_id, task="t", keys=[f"k{number}"], detail=text, at=now))
            session.flush()
            session.add(AnswerRow(key=f"k{number}", call_id=number, task="t", document=[text]))
            key = "secret" if number == 1 else "open"
            sample = bench.id(key)
            session.connection().exec_driver_sql(
                "UPDATE proposal SET calls = ? WHERE sample_id = ?", (json.dumps([number]), sample)
            )
        session.add(FailedRow(run_id=run_id, sample_id=bench.id("secret"), content_hash="h",
                              failure="f", message=SECRET))  # fmt: skip
    return bench


def run_purge(bench: Bench, *keys: str) -> PurgeReport:
    plan = plan_purge(bench.store, bench.info(), keys)
    return purge(bench.store, bench.info(), plan, "ann")


def in_files(bench: Bench, text: str) -> list[str]:
    """The files of the folder in which a text stands, in any of the forms in which it was written."""
    forms = (text.encode(), json.dumps(text)[1:-1].encode(), text.split()[-1].encode())
    return sorted(
        path.name
        for path in bench.folder.iterdir()
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    )


def test_the_bytes_are_gone_from_the_file_and_its_log(filled: Bench) -> None:
    (filled.folder / "data.jsonl").unlink()
    assert {"workbench.db", "workbench.db-wal"} & set(in_files(filled, SECRET))
    report = run_purge(filled, "secret")

    assert [] == in_files(filled, SECRET)
    assert (1, (), ()) == (report.samples, report.by_hand, report.rewritten)
    assert "workbench.db" in in_files(filled, "Ada Lovelace")


def test_hashes_and_the_other_sample_stay(filled: Bench) -> None:
    before = filled.query("SELECT key, reference_hash, content_hash FROM sample WHERE key = 'secret'")
    run_purge(filled, "secret")

    assert before == filled.query("SELECT key, reference_hash, content_hash FROM purged")
    assert [("ann",)] == filled.query("SELECT annotator FROM purged")
    assert [("open",)] == filled.query("SELECT key FROM sample")
    assert [("Ada Lovelace",)] == filled.query("SELECT text FROM gold_unit")
    assert [('["Ada Lovelace"]',)] == filled.query("SELECT document FROM answer")
    assert [] == filled.query("PRAGMA foreign_key_check")
    assert "verified" == filled.open("open").state.entity.disposition
    filled.reopen()
    assert ["open"] == [one for (one,) in filled.query("SELECT key FROM sample")]


def test_no_table_that_belongs_to_a_sample_is_forgotten() -> None:
    """A table that is added later must be named."""
    assert PlanRow.__tablename__ in METADATA.tables  # all of them are loaded
    owned = {name for name, table in METADATA.tables.items() if "sample_id" in table.columns}

    assert owned == set(_BY_SAMPLE)


def test_a_purged_id_or_text_does_not_come_in_again(filled: Bench) -> None:
    """Under its own name or another; other rows of the file do."""
    run_purge(filled, "secret")
    again = [row("secret", "Somebody Else"), row("renamed", SECRET), row("new", "Grace Hopper")]
    again[1] = {**again[1], "reference": row("secret", SECRET)["reference"]}
    report = filled.load(again, name="again.jsonl", dataset="data", gold="given")

    assert (2, 1) == (report.rejected, report.new)
    assert "'secret', purged on 20" in report.errors[0]
    assert "'renamed', purged on 20" in report.errors[1]
    assert [("open",), ("new",)] == filled.query("SELECT key FROM sample ORDER BY id")


def test_a_purged_dataset_stays_empty_and_its_rows_out(filled: Bench) -> None:
    """--all takes every sample; an import that finds the dataset empty looks all the same."""
    report = run_purge(filled)
    (filled.folder / "data.jsonl").unlink()

    assert 2 == report.samples
    assert [] == in_files(filled, SECRET) == in_files(filled, "Ada Lovelace")
    assert 1 == filled.load([row("open", "Ada Lovelace")], name="x.jsonl", dataset="data").rejected


def test_known_backups_are_rewritten_and_others_named(filled: Bench) -> None:
    """A copy of an earlier schema too; one that is no database has to be deleted by hand."""
    own = backup_file(filled.db, "20260101-000000")
    older = backup_file(filled.db, "before-0004")
    with closing(sqlite3.connect(older)) as raw:
        for name in ("dispute", "explained", "purged", "answer", "call"):
            raw.execute(f"DROP TABLE {name}")
    broken = filled.folder / "workbench.broken.db"
    broken.write_text(f"no database, {SECRET}")
    (filled.folder / "data.jsonl").unlink()
    report = run_purge(filled, "secret")

    assert (str(own), str(older)) == report.rewritten
    assert [str(broken)] == [line.partition(":")[0] for line in report.by_hand]
    assert ["workbench.broken.db"] == in_files(filled, SECRET)
    with closing(sqlite3.connect(own)) as raw:
        assert [("open",)] == raw.execute("SELECT key FROM sample").fetchall()


def test_a_copy_without_the_sample_is_left_alone(filled: Bench, demo_database: Path) -> None:
    shutil.copy(demo_database, filled.folder / "workbench.other.db")
    before = (filled.folder / "workbench.other.db").read_bytes()

    assert () == run_purge(filled, "secret").rewritten
    assert before == (filled.folder / "workbench.other.db").read_bytes()


def test_exports_that_held_it_are_listed_as_long_as_they_are_there(filled: Bench) -> None:
    for name in ("one", "two"):
        export(filled.store, filled.info(), filled.folder / name, annotator="ann")
    shutil.rmtree(filled.folder / "two")
    report = run_purge(filled, "secret")
    export(filled.store, filled.info(), filled.folder / "three", annotator="ann")

    assert (str(filled.folder / "one"),) == report.exports
    assert 1 == read_manifest(filled.folder / "three")["purged"]


def test_a_sibling_with_the_same_reference_is_named(bench: Bench) -> None:
    """Another retriever's sample keeps the text: purging one of them says so."""
    load_demo(bench.store, "ann")
    plan = plan_purge(bench.store, bench.info(), ["taj-high"])

    assert ("taj-low",) == plan.sharing


def test_an_unknown_id_changes_nothing(filled: Bench) -> None:
    before = filled.tables()
    with pytest.raises(NotFoundError, match="no sample 'nobody' in this dataset"):
        run_purge(filled, "secret", "nobody")
    assert before == filled.tables()


def test_a_file_that_is_in_use_is_said_and_the_purge_can_be_run_again(filled: Bench) -> None:
    """The rows are gone at once; their bytes when nobody reads any more."""
    (filled.folder / "data.jsonl").unlink()
    with closing(sqlite3.connect(filled.db, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sample").fetchone()
        with pytest.raises(StoreError, match="still holds their bytes"):
            run_purge(filled, "secret")
        reader.execute("COMMIT")
    assert [("open",)] == filled.query("SELECT key FROM sample")
    again = run_purge(filled, "secret")

    assert 0 == again.samples
    assert [] == in_files(filled, SECRET)
