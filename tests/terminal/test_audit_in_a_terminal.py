"""`workbench audit` in a real terminal: the answer, a review, and the answer that it changed."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.terminal
Run = Callable[..., Any]


def test_the_answer_changes_with_a_review(terminal: Run, tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["user_input", "retrieved_contexts", "reference", "context_entity_recall"])
        for number in range(3):
            context = json.dumps([f"On day {number} it rained when Walther came."])
            rows.writerow([f"Who met on day {number}?", context, "Anna Walther met Karl Meyer.", 0.0])
    window = terminal("--db", str(tmp_path / "wb.db"), "--as", "ann", "audit", str(path), size=(60, 100))

    answer = window.wait_for("then Enter:")  # no word is broken
    assert "q to leave" in " ".join(answer.split())
    assert "Your context_entity_recall is .00." in answer
    window.press("z", "Enter")
    window.wait_for("It takes c, r, q, then Enter:")
    window.press("r", "Enter")
    window.wait_for("Entities 2")  # the queue, which comes first, says that 0 of 3 are verified too
    window.press("a")
    window.wait_for("1 of 3 verified")
    window.press("q")
    answer = " ".join(window.wait_for("Check 2 samples").split())
    assert "A mean needs 10" in answer
    assert "1 sample is reviewed" in answer

    def asked() -> int:
        return " ".join(window.screen().split()).count("q to leave")

    window.until(lambda: asked() == 2, "it is not asked again")
    window.press("q", "Enter")
    assert 0 == window.exit_code()
