"""`workbench audit FILE` without a terminal: the answer as text, Markdown and JSON."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.conftest import Run
from workbench.reports.answer import code

HOSTILE = "`x` @team <img src=x> [l](http://e.x) | \x1b[31mred\u202e"


def results(folder: Path, column: str = "context_entity_recall", score: float = 0.0, n: int = 4) -> Path:
    """A file of ragas scores without traces; the text names everybody by the last name."""
    path = folder / "results.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["user_input", "retrieved_contexts", "reference", column])
        for number in range(n):
            context = f"It rained in {number} when Walther came. {HOSTILE} Later Meyer came too."
            rows.writerow(
                [f"Who met in {number}? {HOSTILE}", json.dumps([context]),
                 "Anna Walther met Karl Meyer.", score]
            )  # fmt: skip
    return path


def test_texts_of_the_dataset_steer_no_terminal_and_fit_80_columns(run: Run, tmp_path: Path) -> None:
    ended = run("audit", results(tmp_path))

    assert 0 == ended.code
    assert 80 >= max(map(cell_len, ended.out.splitlines()))
    assert "Who met in" in ended.out
    assert not re.findall("[\x00-\x09\x0b-\x1f\x7f\u202e]", ended.out + ended.err)  # that steers a terminal


def test_markdown_keeps_text_of_the_dataset_in_code_spans(run: Run, tmp_path: Path) -> None:
    ended = run("audit", results(tmp_path), "--format", "markdown")

    assert ended.out.startswith("### `results`: 4 samples, 0 reviewed")
    assert "**Your `context_entity_recall` is .00.**" in ended.out
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", ended.out)
    assert not [bad for bad in ("@team", "<img", "](", "\x1b", "Who met", "in a terminal") if bad in outside]


@pytest.mark.parametrize("text", ["a", "`", "a `` b", "```", "", "x`"])
def test_a_code_span_ends_where_its_text_does(text: str) -> None:
    span = code(text)
    fence: Any = re.match("`+", span)
    inner = span[len(fence[0]) : -len(fence[0])]
    assert span.endswith(fence[0])
    assert fence[0] not in re.findall("`+", inner)
