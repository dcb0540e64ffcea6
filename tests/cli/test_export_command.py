"""`export`, `verify` and `purge` as commands: options, documents, exit codes."""

from __future__ import annotations

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
