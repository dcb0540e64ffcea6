"""One session from a file of scores to what changed since, on a terminal of 80 columns."""

import csv
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def test_scores_come_back_and_steps_are_told(run: Any, tmp_path: Path, monkeypatch: Any, today: str) -> None:
    """Audit, export, a second run of the judge, import, compare with the first run, diff with the export."""
    for name, value in (("COLUMNS", "80"), ("LINES", "60"), ("NO_COLOR", "1"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr("workbench.reports.columns_of", lambda _stream: 80)

    def shown(*words: str) -> list[str]:
        ended = run(*words)
        assert 0 == ended.code, ended.err
        return str(ended.out).splitlines()

    earlier, later = f"context_entity_recall@{today}", f"context_entity_recall@{today}.2"
    (tmp_path / "results.csv").write_bytes((ROOT / "examples" / "results.csv").read_bytes())

    audited = shown("audit", "results.csv")
    shown("export", "out", "--format", "native", "--format", "ragas")
    again = [json.loads(line) for line in Path("out/ragas/dataset.jsonl").read_text("utf-8").splitlines()]
    with Path("again.csv").open("w", encoding="utf-8", newline="") as file:  # any program that adds a column
        writer = csv.DictWriter(file, [*again[0], "context_entity_recall"])
        writer.writeheader()
        writer.writerows({**row, "context_entity_recall": 0.5 + n % 2 / 4} for n, row in enumerate(again))
    imported = shown("import", "again.csv", "--dataset", "results")
    taj = next(row for row in again if row["user_input"] == "What is the Taj Mahal?")
    names = [{"text": "Taj Mahal", "verdict": "found"}, {"text": "Yamuna", "verdict": "missing"}]
    Path("zoe.jsonl").write_text(
        json.dumps({**taj, "gold": {"annotator": "zoe", "entities": names}}), "utf-8"
    )
    shown("import", "zoe.jsonl", "--dataset", "results", "--gold")
    compared = shown("compare", "--scorer", later, "--against", earlier)
    differing = shown("diff", "out", "now")

    assert f"  a new run of context_entity_recall, kept next to the earlier as @{today}.2" in imported
    assert "results · 12 samples with both values" in compared
    assert "  What is the Taj Mahal?  – → .50  verified by zoe" in differing
    for lines in (audited, imported, compared, differing):
        assert 80 >= max(map(len, lines)), max(lines, key=len)
