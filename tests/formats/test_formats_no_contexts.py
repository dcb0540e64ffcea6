"""Missing contexts are an empty list in every format, and the import says so before anything else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Bench
from tests.rows import lines
from workbench.reports.files import import_text
from workbench.stages.import_ import ImportOptions, preview_import

WARNING = (
    "warning: no contexts in 2 rows. Recall counts every unit there as missing. You can still annotate the "
    "references."
)
NAME_IT = f"{WARNING} If a column holds the contexts, name it: --map retrieved_contexts="
GOLDEN = {"input": "q", "expected_output": "Rome", "actual_output": "a"}
V1 = {"question": "q", "ground_truth": "Rome"}
ROW = {"user_input": "q", "reference": "Rome"}


def twice(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Two samples without contexts."""
    return [row, {name: "Oslo" if value == "Rome" else value for name, value in row.items()}]


FILES: dict[str, tuple[str, str, str]] = {
    "CSV without the column": ("a.csv", "user_input,reference\nq,Rome\nq,Oslo\n", f"{NAME_IT}COLUMN"),
    "CSV with empty cells": ("a.csv", "question,contexts,ground_truth\nq,,Rome\nq,,Oslo\n", WARNING),
    "CSV with an unknown name": (
        "a.csv", "question,ground_truth,my_passages\nq,Rome,c\nq,Oslo,c\n", f"{NAME_IT}my_passages",
    ),
    "JSON Lines": ("a.jsonl", lines(twice(V1)), f"{NAME_IT}COLUMN"),
    "JSON Lines with null": ("a.jsonl", lines(twice({**V1, "contexts": None})), WARNING),
    "JSON Lines, another name": (
        "a.jsonl", lines(twice({**V1, "chunks": ["c"]})), f"{NAME_IT}chunks"
    ),
    "native": ("a.jsonl", lines(twice({**ROW, "group": "g"})), f"{NAME_IT}COLUMN"),
    "native, an empty list": ("a.jsonl", lines(twice({**ROW, "retrieved_contexts": []})), WARNING),
    "a JSON list": ("a.json", json.dumps(twice(ROW), indent=1), f"{NAME_IT}COLUMN"),
    "goldens as JSON": ("a.json", json.dumps(twice(GOLDEN)), f"{NAME_IT}COLUMN"),
    "goldens as JSON with null": (
        "a.json", json.dumps(twice({**GOLDEN, "retrieval_context": None})), WARNING
    ),
    "goldens with other contexts": (
        "a.json", json.dumps(twice({**GOLDEN, "context": ["c"]})), f"{NAME_IT}context"
    ),
    "goldens as CSV": (
        "a.csv", "input,actual_output,expected_output,retrieval_context\nq,a,Rome,\nq,a,Oslo,\n", WARNING,
    ),
    "doccano": ("a.jsonl", lines([{"text": "Rome", "label": [[0, 4, "p"]]},
                                 {"text": "Oslo", "label": [[0, 4, "p"]]}]), f"{NAME_IT}COLUMN"),
    "ragas annotations": (
        "a.json",
        json.dumps({"context_entity_recall": [
            {"metric_input": {"reference": name}, "metric_output": 0.5} for name in ("Rome", "Oslo")
        ]}),
        f"{NAME_IT}COLUMN",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", FILES)
def test_missing_contexts_are_an_empty_list_and_the_first_thing_that_is_said(bench: Bench, what: str) -> None:
    """Behind the line of counts; the preview says the same."""
    name, text, warning = FILES[what]
    path = bench.folder / name
    path.write_text(text, "utf-8")
    looked = preview_import(path, ImportOptions(dataset="d"), store=bench.store)
    report = bench.load(path, dataset="d")

    assert (2, 0, 2) == (report.new, report.rejected, report.without_contexts)
    assert [("Oslo", "[]"), ("Rome", "[]")] == bench.query(
        "SELECT reference, retrieved_contexts FROM sample ORDER BY 1"
    )
    assert warning == report.notes[0] == looked.notes[0]
    assert f"  {warning}" == import_text(report).splitlines()[1] == import_text(looked).splitlines()[1]


def test_parquet_without_contexts_is_read_by_the_same_rule(bench: Bench) -> None:
    from pyarrow import Table
    from pyarrow import parquet as packed

    path = bench.folder / "a.parquet"
    packed.write_table(Table.from_pylist(twice(ROW)), path)
    report = bench.load(path)

    assert (2, 2) == (report.new, report.without_contexts)
    assert f"{NAME_IT}COLUMN" == report.notes[0]


def test_a_file_with_contexts_says_nothing_of_them(bench: Bench) -> None:
    report = bench.load([{**ROW, "retrieved_contexts": ["c"]}])

    assert (0, ()) == (report.without_contexts, report.notes)


@pytest.mark.parametrize("update", [False, True])
def test_a_row_without_contexts_takes_none_away_from_a_stored_sample(bench: Bench, update: bool) -> None:
    """A table of scores by id is not the next retriever."""
    bench.load([{**ROW, "id": "a", "retrieved_contexts": ["c"]}], name="set.jsonl")
    report = bench.load([{**ROW, "id": "a", "faithfulness": 0.5}], dataset="set", update=update)

    assert (1, 0) == (report.rejected, report.updated)
    assert "retrieved_contexts: got nothing for id 'a', expected its contexts" in report.errors[0]
    assert [('["c"]',)] == bench.query("SELECT retrieved_contexts FROM sample")


def test_a_retriever_that_found_nothing_is_taken_with_update(bench: Bench) -> None:
    bench.load([{**ROW, "id": "a", "retrieved_contexts": ["c"]}], name="set.jsonl")
    report = bench.load([{**ROW, "id": "a", "retrieved_contexts": []}], dataset="set", update=True)

    assert (0, 1, 1) == (report.rejected, report.updated, report.without_contexts)
