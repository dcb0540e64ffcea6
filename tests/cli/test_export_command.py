"""`export`, `verify` and `purge` as commands: options, documents, exit codes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.conftest import Bench
from workbench.stages import upkeep


def test_several_formats_stand_below_one_folder(demo: Bench, run: Any) -> None:
    done = run("export", "out", "--format", "native", "--format", "csv", "--licence", "CC0-1.0", "--json")

    assert (0, "") == (done.code, done.err)
    assert {"native", "csv", "manifest.json"} == {path.name for path in Path("out").iterdir()}
    assert {"native": 50, "csv": 50} == done.json["rows"]
    assert (50, 13) == (done.json["samples"], done.json["gold"])
    assert "CC0-1.0" == json.loads(Path("out/manifest.json").read_text("utf-8"))["licence"]["annotations"]


def test_verify_lists_a_few_findings_and_counts_the_others(demo: Bench, run: Any, monkeypatch: Any) -> None:
    """A broken export of a million rows must not fill the memory."""
    assert 0 == run("export", "out").code
    rows = Path("out/samples.jsonl")
    rows.write_text(rows.read_text("utf-8").replace('"start":', '"begin":'), "utf-8")
    monkeypatch.setattr(upkeep, "LISTED", 3)
    report = upkeep.verify(Path("out"))
    monkeypatch.setattr(upkeep, "LISTED", 10_000)

    assert len(report.found) == 3
    assert report.more == len(upkeep.verify(Path("out")).found) - 3 > 10


def test_doctor_ends_with_one_and_names_the_row_that_is_damaged(demo: Bench, run: Any) -> None:
    fine = run("doctor")
    with closing(sqlite3.connect(demo.db)) as raw:
        raw.execute("UPDATE sample SET reference = 'x' WHERE id = 7")
        raw.commit()
    damaged = run("doctor")

    assert 0 == fine.code
    assert fine.out.endswith(" rows were checked\n")
    assert 1 == damaged.code
    assert "sample 7: the text of " in damaged.out
    assert damaged.out.splitlines()[1:] == run("doctor", "--json").json["found"]
    assert 2 == run("doctor", "--db", "nowhere.db").code


def test_a_purge_of_all_after_a_lock_finishes_what_was_left(impatient: None, demo: Bench, run: Any) -> None:
    """The second one has no samples to remove, and the backup all the same."""
    assert 0 == run("export", "out").code
    assert 0 == run("backup").code
    Path("out").rename("moved")
    Path(".out.0123abcd.partial").mkdir()
    with closing(sqlite3.connect(demo.db, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sample").fetchone()
        locked = run("purge", "--all", "--yes")
        reader.execute("COMMIT")
    done = run("purge", "--all", "--yes")

    assert 2 == locked.code
    assert "run the same purge again" in locked.err
    assert 0 == done.code
    assert "0 samples of demo purged" in done.out
    assert "removed from the backup " in done.out
    assert f"look yourself: {Path('out').absolute()}: the export there held it and is gone" in done.out
    assert not Path(".out.0123abcd.partial").exists()
    for path in Path().glob("workbench*.db*"):
        assert b"Taj Mahal" not in path.read_bytes()


def test_copy_shows_what_it_copied_and_the_copy_opens(demo: Bench, run: Any) -> None:
    """As text and as JSON; a second copy to the same place is refused."""
    demo.store.close()
    done = run("copy", "--to", "two.db")
    assert 0 == done.code
    assert "rows copied to" in done.out
    sample = next(line for line in done.out.splitlines() if line.startswith("sample "))
    _, rows, digest = sample.split()
    document = json.loads(run("copy", "--to", "three.db", "--json").out)
    (one,) = (table for table in document["tables"] if table["table"] == "sample")
    assert ("50", 50, digest) == (rows, one["number"], one["sha256"][:12])
    assert run("status").out == run("status", "--db", "two.db").out.replace("two.db", "workbench.db")
    run("copy", "--to", "two.db").refuses("two.db is not empty: name a database that holds nothing")
