"""`export`, `verify` and `purge` as commands: options, documents, exit codes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.conftest import Bench
from workbench.stages import upkeep


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
