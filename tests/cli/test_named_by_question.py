"""On the command line a sample without an id of its own is named by its question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.rows import gold, proposal, sample, write_rows

HASH = "0123456789abcdef0123456789abcdef"
ROW = sample(
    HASH, "Rome and Oslo.", "Rome", user_input="Who built\nit?", scores={"context_entity_recall": 0.25},
    gold=gold({"Rome": "found"}), proposal=proposal(["Rome", "Oslo"], ["Rome"]),
)  # fmt: skip


def loaded(run: Any, tmp_path: Path) -> None:
    assert 0 == run("import", write_rows(tmp_path / "a.jsonl", [ROW]), "--gold").code


def test_score_and_compare_print_the_question_and_the_column_first(run: Any, tmp_path: Path) -> None:
    loaded(run, tmp_path)

    for text, first, last in (
        (run("score").out, "entities context_entity_recall ragas", "−.75"),
        (run("compare", "--samples").out, "sample context_entity_recall verified", "invented unit"),
    ):
        assert HASH not in text
        lines = text.splitlines()
        head, row = (
            next(line for line in lines if line.startswith(word)) for word in (first.split()[0], "Who")
        )
        assert first.split() == head.split()[:3]
        assert row.startswith("Who built it?")
        assert "−.75" in row
        assert row.endswith(last)
    assert HASH == json.loads(run("score", "--json").out)["samples"][0]["id"]


def test_the_gate_names_what_is_below_by_its_question(run: Any, tmp_path: Path) -> None:
    loaded(run, tmp_path)

    assert "  below: Who built it?" in run("score", "--threshold", "0.9").out.splitlines()
