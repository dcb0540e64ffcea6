"""Purging a sample: its text is in no table, no page of the file, no log and no backup; hashes stay."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.stages.purging import SECRET, fill, in_files, leave, row, run_purge
from workbench.errors import NotFoundError, StoreError
from workbench.reports.import_ import import_text
from workbench.stages import plan as planning
from workbench.stages.import_ import ImportOptions, import_file, load_demo
from workbench.stages.plan import Wish
from workbench.stages.plan import report as plan_report
from workbench.stages.upkeep import plan_purge
from workbench.store.calibrations import save_calibration
from workbench.store.copying import backup_file
from workbench.store.runs import create_run


@pytest.fixture
def filled(bench: Bench) -> Bench:
    """Two samples, one of them secret, with everything a sample can have."""
    fill(bench)
    return bench


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
    """One that is no database of this schema, or no database, has to be deleted by hand."""
    own = backup_file(filled.db, "20260101-000000")
    other = backup_file(filled.db, "before-0006")
    with closing(sqlite3.connect(other)) as raw:
        raw.execute("DROP TABLE dispute")
    broken = filled.folder / "workbench.broken.db"
    broken.write_text(f"no database, {SECRET}")
    (filled.folder / "data.jsonl").unlink()
    report = run_purge(filled, "secret")

    assert (str(own),) == report.rewritten
    assert [str(other), str(broken)] == [line.partition(":")[0] for line in report.by_hand]
    assert [other.name, broken.name] == in_files(filled, SECRET)
    with closing(sqlite3.connect(own)) as raw:
        assert [("open",)] == raw.execute("SELECT key FROM sample").fetchall()


def test_a_copy_without_the_sample_is_left_alone(filled: Bench, demo_database: Path) -> None:
    shutil.copy(demo_database, filled.folder / "workbench.other.db")
    before = (filled.folder / "workbench.other.db").read_bytes()

    assert () == run_purge(filled, "secret").rewritten
    assert before == (filled.folder / "workbench.other.db").read_bytes()


def test_an_interrupted_purge_of_all_is_finished_by_the_same_one(impatient: None, filled: Bench) -> None:
    """The first took the rows and could not rewrite the file; backups were not reached."""
    backup = backup_file(filled.db, "20260101-000000")
    (filled.folder / "data.jsonl").unlink()
    with closing(sqlite3.connect(filled.db, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sample").fetchone()
        with pytest.raises(StoreError, match="run the same purge again"):
            run_purge(filled)
        reader.execute("COMMIT")
    assert backup.name in in_files(filled, SECRET)
    again = run_purge(filled)

    assert (0, (str(backup),)) == (again.samples, again.rewritten)
    assert [] == in_files(filled, SECRET) == in_files(filled, "Ada Lovelace")
    assert () == run_purge(filled).rewritten


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_backup_in_use_keeps_its_rows_until_the_next_purge(
    impatient: None, filled: Bench, mode: str
) -> None:
    """Not half: rows that are gone and bytes that are not would pass for done."""
    backup = backup_file(filled.db, "20260101-000000")
    (filled.folder / "data.jsonl").unlink()
    with closing(sqlite3.connect(backup, isolation_level=None)) as reader:
        reader.execute(f"PRAGMA journal_mode={mode}")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sample").fetchone()
        first = run_purge(filled, "secret")
        reader.execute("COMMIT")
    second = run_purge(filled, "secret")

    assert [f"{backup}: another program has it open"] == [line.split(": close")[0] for line in first.by_hand]
    assert ((str(backup),), ()) == (second.rewritten, second.by_hand)
    assert [] == in_files(filled, SECRET)


def planned_by_group(bench: Bench) -> None:
    """Five samples of three groups with a stratified plan, a calibration and a run that saw two of them."""
    names = {"a1": "Alpha", "a2": "Alpha", "b1": "Beta", "c1": "Gamma", "c2": "Gamma"}
    bench.load([row(key, f"Text {key}", group=group, gold=None) for key, group in names.items()], seed=1)
    info = bench.info()
    planning.make(
        bench.store, info, planning.draft(bench.store, info, Wish(5, design="stratified", by="group"), "ann")
    )
    seen = [
        {"id": key, "group": group, "reference_hash": "h", "fold": 0}
        for key, group in (("a1", "Alpha"), ("b1", "Beta"))
    ]
    document = {"scorer": "linked", "gold": {"samples": seen}}
    save_calibration(
        bench.store, info.id, "c", run_id=None, document=document, annotator="ann", at=datetime.now(UTC)
    )
    create_run(bench.store, info.id, "claude", "m", {"examples": seen}, "ann")


def in_rows(bench: Bench) -> tuple[list[str], list[Any], list[Any]]:
    """Strata of the plan, groups in the calibration, groups in the run."""
    (plan,) = bench.query("SELECT parameters FROM plan")
    (document,) = bench.query("SELECT document FROM calibration")
    (run,) = bench.query("SELECT parameters FROM run WHERE proposer = 'claude'")
    return (
        list(json.loads(plan[0])["strata"]),
        [one["group"] for one in json.loads(document[0])["gold"]["samples"]],
        [one["group"] for one in json.loads(run[0])["examples"]],
    )


def test_names_of_groups_and_strata_go_with_their_last_sample(bench: Bench) -> None:
    planned_by_group(bench)
    backup = backup_file(bench.db, "20260101-000000")
    (bench.folder / "data.jsonl").unlink()
    run_purge(bench, "a1")
    assert (["Alpha", "Beta", "Gamma"], ["Alpha", "Beta"], ["Alpha", "Beta"]) == in_rows(bench)
    run_purge(bench, "b1", "a2")
    assert (["purged-1", "purged-2", "Gamma"], [None, None], [None, None]) == in_rows(bench)
    assert [] == in_files(bench, "Alpha") == in_files(bench, "Beta")
    assert "Gamma" in [one.name for one in plan_report(bench.store, bench.info()).strata]
    run_purge(bench)

    assert ["purged-1", "purged-2", "purged-3"] == in_rows(bench)[0]
    assert [] == in_files(bench, "Gamma")
    assert backup.exists()


@pytest.mark.parametrize("gold", ["ignore", "given", "require"])
def test_the_text_of_a_purged_row_is_not_put_aside(filled: Bench, gold: Any) -> None:
    """By id or by text, also when something else is off with the row; other bad rows are."""
    run_purge(filled, "secret")
    rows = [
        row("secret", SECRET), {**row("renamed", SECRET), "gold": None},
        {"id": "secret", "reference": SECRET},
        row("secret", SECRET, gold=None), {"id": "bad", "reference": "Mend me"},
    ]  # fmt: skip
    report = filled.load(rows, name="again.jsonl", dataset="data", gold=gold)
    (filled.folder / "data.jsonl").unlink()
    (filled.folder / "again.jsonl").unlink()
    aside = Path(report.rejected_path).read_text("utf-8")

    assert (5, 4) == (report.rejected, report.purged)
    assert [] == in_files(filled, SECRET)
    assert "Mend me" in aside
    read = [json.loads(line) for line in aside.splitlines() if "Mend me" not in line]
    assert ["secret", "renamed", "secret", "secret"] == [one.pop("id") for one in read]
    assert {"_error"} == {key for one in read for key in one}
    assert all("purged on 20" in one["_error"] for one in read)
    assert "4 rows are of purged samples: only ids and reasons were put aside" in import_text(report)
    assert "rejected rows are in" in import_text(report)


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


def test_a_file_that_is_in_use_is_said_and_the_purge_can_be_run_again(impatient: None, filled: Bench) -> None:
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


@pytest.mark.parametrize("inside", ["native", "native/samples.jsonl", "deepeval-goldens", "label-studio"])
def test_an_export_from_before_brings_no_purged_sample_back(filled: Bench, inside: str) -> None:
    """Also one format of several: the manifest above says which dataset it is of."""
    folder = Path(leave(filled, "out", "native", "deepeval-goldens", "label-studio"))
    run_purge(filled, "secret")

    report = import_file(filled.store, folder / inside, ImportOptions(gold="given"), annotator="ann")

    assert ("data", 1) == (report.dataset, report.purged)
    assert [("open",)] == filled.query("SELECT key FROM sample")
