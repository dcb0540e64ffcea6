"""Purging a sample: its text is in no table, no page of the file, no log and no backup; hashes stay."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench, add_text
from workbench.errors import NotFoundError, StoreError
from workbench.formats.exports.folder import writing
from workbench.reports.files import purge_text
from workbench.reviewing.edits import Flag
from workbench.stages import plan as planning
from workbench.stages.export import ExportOptions, export
from workbench.stages.plan import Wish, report as plan_report
from workbench.stages.recompute import score_dataset
from workbench.stages.review import act
from workbench.stages.upkeep import PurgeReport, plan_purge, purge
from workbench.store.calibrations import save_calibration
from workbench.store.database import backup
from workbench.store.exports import log_export
from workbench.store.purge import remove, remove_from_copy
from workbench.store.runs import create_run
from workbench.store.tables import AnswerRow, CallRow, ExportLogRow, FailedRow


@pytest.fixture
def filled(filled_by: Callable[..., Bench]) -> Bench:
    """Without the file that its samples came from."""
    bench = filled_by(fill)
    (bench.folder / "data.jsonl").unlink()
    return bench


@contextmanager
def read(path: Path, mode: str = "wal") -> Iterator[None]:
    """Another program reads the database."""
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute(f"PRAGMA journal_mode={mode}")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sample").fetchone()
        yield


def test_the_bytes_are_gone_from_the_file_and_its_log(filled: Bench) -> None:
    assert {"workbench.db", "workbench.db-wal"} & set(in_files(filled, SECRET))
    report = run_purge(filled, "secret")

    assert [] == in_files(filled, SECRET)
    assert (1, (), ()) == (report.samples, report.by_hand, report.rewritten)
    assert "workbench.db" in in_files(filled, "Ada Lovelace")


def test_rows_are_overwritten_where_the_file_cannot_be_rewritten(filled: Bench) -> None:
    """A purge that is cut off before it rewrites the file leaves no text in pages that are free."""
    remove(filled.store, filled.info().id, [filled.id("secret")], "ann")
    with closing(sqlite3.connect(filled.db, isolation_level=None)) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    assert [] == in_files(filled, SECRET)


def test_who_has_the_sample_open_is_told_that_it_was_removed(filled: Bench) -> None:
    mine = filled.open("secret")
    run_purge(filled, "secret")

    with pytest.raises(NotFoundError, match="the sample was removed meanwhile"):
        act(filled.store, mine, Flag("odd"))
    assert [] == filled.query("SELECT id FROM review WHERE flag = 'odd'")


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


def test_known_backups_are_rewritten_and_others_named(filled: Bench) -> None:
    """One that is no database of this schema, or no database, has to be deleted by hand."""
    own = backup(filled.store.url, "20260101-000000")
    other = backup(filled.store.url, "before-0006")
    with closing(sqlite3.connect(other)) as raw:
        raw.execute("DROP TABLE dispute")
    broken = filled.folder / "workbench.broken.db"
    broken.write_text(f"no database, {SECRET}")
    report = run_purge(filled, "secret")

    assert (str(own),) == report.rewritten
    assert f"removed from the backup {own}" in purge_text(report)
    assert [str(other), str(broken)] == [line.partition(":")[0] for line in report.by_hand]
    assert [other.name, broken.name] == in_files(filled, SECRET)
    with closing(sqlite3.connect(own)) as raw:
        assert [("open",)] == raw.execute("SELECT key FROM sample").fetchall()


def test_a_copy_keeps_the_sample_of_another_dataset_that_has_the_same_id(filled: Bench) -> None:
    filled.load([row("secret", "Grace Hopper")], name="other.jsonl")
    copy = backup(filled.store.url, "20260101-000000")
    remove_from_copy(copy, "data", ["secret"])
    with closing(sqlite3.connect(copy)) as raw:
        assert [("open",), ("secret",)] == raw.execute("SELECT key FROM sample ORDER BY key").fetchall()


def test_a_copy_without_the_sample_is_left_alone(filled: Bench, demo_database: Path) -> None:
    shutil.copy(demo_database, filled.folder / "workbench.other.db")
    before = (filled.folder / "workbench.other.db").read_bytes()

    assert () == run_purge(filled, "secret").rewritten
    assert before == (filled.folder / "workbench.other.db").read_bytes()


def test_an_interrupted_purge_of_all_is_finished_by_the_same_one(impatient: None, filled: Bench) -> None:
    """The first took the rows and could not rewrite the file; backups were not reached."""
    copy = backup(filled.store.url, "20260101-000000")
    with read(filled.db), pytest.raises(StoreError, match="run the same purge again"):
        run_purge(filled)
    assert copy.name in in_files(filled, SECRET)
    again = run_purge(filled)

    assert (0, (str(copy),)) == (again.samples, again.rewritten)
    assert [] == in_files(filled, SECRET) == in_files(filled, "Ada Lovelace")
    assert () == run_purge(filled).rewritten


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_backup_in_use_keeps_its_rows_until_the_next_purge(impatient: None, filled: Any, mode: str) -> None:
    """Not half: rows that are gone and bytes that are not would pass for done."""
    copy = backup(filled.store.url, "20260101-000000")
    with read(copy, mode):
        first = run_purge(filled, "secret")
    second = run_purge(filled, "secret")

    assert [f"{copy}: another program has it open"] == [line.split(": close")[0] for line in first.by_hand]
    assert ((str(copy),), ()) == (second.rewritten, second.by_hand)
    assert [] == in_files(filled, SECRET)


def planned_by_group(bench: Bench) -> None:
    """Five samples of three groups with a stratified plan, a calibration and a run that saw two of them."""
    names = {"a1": "Alpha", "a2": "Alpha", "b1": "Beta", "c1": "Gamma", "c2": "Gamma"}
    bench.load([row(key, f"Text {key}", group=group, gold=None) for key, group in names.items()], seed=1)
    info, wish = bench.info(), Wish(5, design="stratified", by="group")
    planning.make(bench.store, info, planning.draft(bench.store, info, wish, "ann"))
    seen = [{"id": key, "group": names[key], "reference_hash": "h", "fold": 0} for key in ("a1", "b1")]
    document = {"scorer": "linked", "gold": {"samples": seen}}
    save_calibration(bench.store, info.id, "c", document, "ann")
    create_run(bench.store, info.id, "claude", "m", {"examples": seen})


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
    copy = backup(bench.store.url, "20260101-000000")
    (bench.folder / "data.jsonl").unlink()
    run_purge(bench, "a1")
    assert (["Alpha", "Beta", "Gamma"], ["Alpha", "Beta"], ["Alpha", "Beta"]) == in_rows(bench)
    assert [1, 1, 2] == [one.samples for one in plan_report(bench.store, bench.info()).strata]
    run_purge(bench, "b1", "a2")
    assert (["purged-1", "purged-2", "Gamma"], [None, None], [None, None]) == in_rows(bench)
    assert [] == in_files(bench, "Alpha") == in_files(bench, "Beta")
    strata = [(one.samples, one.planned) for one in plan_report(bench.store, bench.info()).strata]
    assert [(0, 0), (0, 0), (2, 2)] == strata
    run_purge(bench)

    assert ["purged-1", "purged-2", "purged-3"] == in_rows(bench)[0]
    assert [] == in_files(bench, "Gamma")
    assert copy.exists()


def test_a_file_that_is_in_use_is_said_and_the_purge_can_be_run_again(impatient: None, filled: Bench) -> None:
    """The rows are gone at once; their bytes when nobody reads any more."""
    with read(filled.db), pytest.raises(StoreError, match="still holds their bytes"):
        run_purge(filled, "secret")
    assert [("open",)] == filled.query("SELECT key FROM sample")
    again = run_purge(filled, "secret")

    assert 0 == again.samples
    assert [] == in_files(filled, SECRET)


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


def fill(bench: Bench) -> None:
    """Two samples, one of them secret, with everything a sample can have."""
    bench.load([row("secret", SECRET), row("open", "Ada Lovelace")], gold="given", seed=1)
    score_dataset(bench.store, bench.info())
    bench.act("secret", lambda opened: add_text(opened, "entity", "Quuxford lives"), who="Böb")
    run_id = bench.info().run_id or 0
    with bench.store.writing() as session:
        now = datetime.now(UTC)
        for number, text in ((1, SECRET), (2, "Ada Lovelace")):
            session.add(CallRow(id=number, run_id=run_id, task="t", keys=[f"k{number}"], detail=text, at=now))
            session.flush()
            session.add(AnswerRow(key=f"k{number}", call_id=number, task="t", document=[text]))
        of_secret: Any = {"sample_id": bench.id("secret"), "content_hash": "0" * 32}
        session.add(FailedRow(run_id=run_id, **of_secret, failure="f", message=SECRET))
    for number, key in ((1, "secret"), (2, "open")):
        bench.change(f"UPDATE proposal SET calls = '[{number}]' WHERE sample_id = {bench.id(key)}")


def leave(bench: Bench, name: str) -> str:
    """Export into a folder of that name; its path."""
    export(bench.store, bench.info(), bench.folder / name, ExportOptions(), annotator="ann")
    return str(bench.folder / name)


def run_purge(bench: Bench, *keys: str) -> PurgeReport:
    plan = plan_purge(bench.store, bench.info(), keys, "ann")
    return purge(bench.store, bench.info(), plan, "ann")


def in_files(bench: Bench, text: str) -> list[str]:
    """The files of the folder in which a text stands, in any of the forms in which it was written."""
    forms = (text.encode(), json.dumps(text)[1:-1].encode(), text.split()[-1].encode())
    files = [path for path in bench.folder.iterdir() if path.is_file()]
    return sorted(path.name for path in files if any(form in path.read_bytes() for form in forms))


def test_an_export_that_was_under_way_may_hold_what_went_meanwhile(filled: Bench) -> None:
    """It reads the database as it was when it began."""
    run_purge(filled, "secret")
    path = str(filled.folder / "slow")
    export = ExportLogRow(
        dataset_id=filled.info().id, path=path, manifest_sha256="0" * 64, annotator="ann",
        created_at=datetime.now(UTC), held=["secret"], whole=True,
    )  # fmt: skip
    log_export(filled.store, export, "")

    assert [path] == [line.partition(":")[0] for line in run_purge(filled, "secret").look]


def test_what_exports_and_imports_that_were_cut_off_left_is_removed(filled: Bench) -> None:
    """Beside the database and beside known exports; one that is being written is no leftover."""
    (filled.folder / "far").mkdir()
    leave(filled, "far/out")
    left = [filled.folder / ".first.0123abcd.partial", filled.folder / "far" / ".out.0123abcd.partial"]
    rejects = filled.folder / ".rows.jsonl.rejected.jsonl.0123abcd.partial"
    for one in (*left, rejects):
        one.mkdir()
    earlier = filled.folder / ".first.0123abcd.earlier"
    earlier.mkdir()
    with writing(filled.folder / "now") as aside:
        report = run_purge(filled, "secret")

    assert {str(left[0]), str(rejects), str(left[1])} == set(report.leftovers)
    assert [] == [one for one in (*left, rejects) if one.exists()]
    assert earlier.exists()
    assert {
        f"{aside}: an export is being written there, it may hold it",
        f"{earlier}: it may be all that is left of an export that was cut off, and may hold it",
    } == set(report.look)
    assert f"removed {rejects}" in purge_text(report)
