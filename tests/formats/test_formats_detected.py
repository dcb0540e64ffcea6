"""Finding out what a file is, and what a person may say instead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.formats.conftest import load_path
from workbench.errors import AmbiguousError, UsageError
from workbench.formats.columns import columns_of
from workbench.formats.detect import READERS
from workbench.formats.reading import read
from workbench.formats.rows import Notes

ROW = {"user_input": "q", "reference": "Ann", "retrieved_contexts": ["c"]}


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        ([ROW], "a.jsonl", "native"),
        (json.dumps([ROW]), "a.json", "native"),
        (json.dumps([ROW], indent=2), "a.json", "native"),
        ("\ufeff" + json.dumps([ROW]), "a.json", "native"),
        ("[\n" + json.dumps(ROW) + "\n]\n", "a.jsonl", "native"),
        ([{"question": "q", "ground_truth": "r", "contexts": []}], "a.jsonl", "ragas"),
        ([{"question": "q", "ground_truth": "r", "contexts": [], "id": "x"}], "a.jsonl", "ragas"),
        # a column of a result table without a native key
        ([{**ROW, "context_recall": None}], "a.jsonl", "ragas"),
        ([{**ROW, "my_metric": 0.5}], "a.jsonl", "ragas"),
        ([{**ROW, "reference_contexts": []}], "a.jsonl", "ragas"),
        ([{**ROW, "my_metric": 0.5, "id": "x"}], "a.jsonl", "native"),
        ([{**ROW, "question": "another column"}], "a.jsonl", "native"),
        ([{"input": "q", "expected_output": "r", "retrieval_context": []}], "a.jsonl", "deepeval"),
        (json.dumps({"results": [{"input": "q", "expected_output": "r"}]}, indent=1), "a.json", "deepeval"),
        (
            json.dumps({"n": 1, "tasks": [{"data": {"text": "t"}, "predictions": []}]}),
            "a.json",
            "label-studio",
        ),
        ("input,actual_output,expected_output,retrieval_context\nq,a,r,c\n", "a.csv", "deepeval"),
        ("question,ground_truth,contexts\nq,r,[]\n", "a.csv", "ragas"),
        ([{"text": "t", "_task_hash": 1}], "a.jsonl", "prodigy"),
        ([{"data": {"text": "t"}, "predictions": []}], "a.jsonl", "label-studio"),
        ([{"fields": {"text": "t"}, "metadata": {}}], "a.jsonl", "argilla"),
        ([{"text": "t", "label": []}, {"text": "t", "label": [[0, 1, "x"]]}], "a.jsonl", "doccano"),
    ],
)
def test_the_format_is_found_by_what_the_rows_hold(load: Any, content: Any, name: str, expected: str) -> None:
    """Not by the name of the file; one row that tells is enough."""
    loaded = load(content, name)

    assert loaded.errors == []
    assert loaded.notes.format == expected


def test_a_row_that_two_formats_claim_is_not_guessed(tmp_path: Path) -> None:
    """The message names both, and how to say which."""
    path = tmp_path / "a.jsonl"
    row = {"text": "Ann", "spans": [{"start": 0, "end": 3}], "label": [[0, 3, "x"]]}
    path.write_text(json.dumps(row))

    with pytest.raises(AmbiguousError) as caught:
        read(path, notes=Notes())
    assert str(caught.value) == f"{path}: could be prodigy or doccano: say which with --format"
    assert load_path(path, "doccano").notes.format == "doccano"


def test_an_unknown_format_lists_the_known_ones(tmp_path: Path) -> None:
    """In one line."""
    with pytest.raises(UsageError) as caught:
        read(tmp_path, format="xml", notes=Notes())
    assert str(caught.value) == f"no format xml: there are {', '.join(READERS)}"


def test_columns_that_nobody_knows_can_be_named(tmp_path: Path) -> None:
    """Several may be contexts; a column of the field's own name is kept under another."""
    path = tmp_path / "a.csv"
    path.write_text(
        "ask;answer_gold;one;two;reference;my_recall\nq;Ann;c1;;old;0.50\nq2;Bob;['x', 'y'];c2;;\n"
    )
    columns = columns_of(
        ["user_input=ask", "reference=answer_gold", "retrieved_contexts=one", "retrieved_contexts=two"],
        ["my_recall=entity"],
    )
    loaded = load_path(path, columns=columns)
    records = loaded.records

    assert loaded.errors == []
    assert [(r.sample.user_input, r.sample.reference, r.sample.retrieved_contexts) for r in records] == [
        ("q", "Ann", ("c1",)),
        ("q2", "Bob", ("x", "y", "c2")),
    ]
    assert [(r.sample.meta, r.scores) for r in records] == [
        ({"reference_": "old"}, {"my_recall (entity)": "0.50"}),
        ({}, {}),
    ]
    assert "no score, the metric failed there: my_recall (entity) (1 row)" in loaded.notes.messages()


def test_keys_of_json_rows_can_be_named(load: Any, tmp_path: Path) -> None:
    """At the top and inside the objects of annotation tools."""
    columns = columns_of(
        ["reference=gold_answer", "user_input=ask", "retrieved_contexts=docs"], ["mine=statement"]
    )
    plain = tmp_path / "plain.jsonl"
    plain.write_text('{"ask": "q", "gold_answer": "Ann", "docs": [{"text": "c"}, "d"], "mine": 0.250}')
    task = tmp_path / "task.jsonl"
    task.write_text(
        json.dumps({"data": {"gold_answer": "Ann", "docs": ["c"], "other": "x"}, "annotations": []})
    )

    record, other = load_path(plain, columns=columns).record, load_path(task, columns=columns)

    assert (record.sample.reference, record.sample.retrieved_contexts) == ("Ann", ("c", "d"))
    assert record.scores == {"mine (statement)": "0.250"}
    assert (other.record.sample.reference, other.record.sample.retrieved_contexts) == ("Ann", ("c",))
    assert other.notes.format == "label-studio"


@pytest.mark.parametrize(
    ("fields", "external", "message"),
    [
        (["answer"], [], "--map answer: say FIELD=COLUMN"),
        (["gold=x"], [], "--map gold=x: say FIELD=COLUMN, where FIELD is one of user_input"),
        (["reference=a", "reference=b"], [], "--map reference=b: reference is named twice"),
        (["reference=a", "user_input=a"], [], "--map user_input=a: a is named twice"),
        ([], ["x=both"], "--external x=both: say COLUMN=entity or COLUMN=statement"),
    ],
)
def test_a_mapping_that_says_nothing_is_refused(fields: list[str], external: list[str], message: str) -> None:
    """Before any file is looked at."""
    with pytest.raises(UsageError) as caught:
        columns_of(fields, external)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("recall", ["context_recall", "context_entity_recall", "Contextual Recall"])
@pytest.mark.parametrize("value", ["3", "-0.1", "1.5"])
def test_a_recall_lies_between_0_and_1(load: Any, recall: str, value: str) -> None:
    """Another column of numbers may hold anything."""
    line = f'{{"user_input": "q", "reference": "r", "retrieved_contexts": [], "{recall}": {value}, "ms": 30}}'

    assert load(line).errors == [f"1: {recall}: got {value}, expected a number from 0 to 1"]
    assert load(line.replace(value, "1.0", 1)).record.scores == {recall: "1.0", "ms": "30"}


def test_a_document_that_breaks_off_gives_what_stood_before(load: Any) -> None:
    """And says where it broke."""
    whole = json.dumps([{**ROW, "id": str(number)} for number in range(3)], indent=1)
    loaded = load(whole[: whole.rindex("user_input")], "a.json")

    assert [record.sample.id for record in loaded.records] == ["0", "1"]
    (error,) = loaded.errors
    assert error.startswith("18: file: got its end in the middle of a value, expected the rest")


def test_lines_of_a_document_are_those_of_the_file(load: Any) -> None:
    """Also of a bad item between good ones, and a mended one is one line."""
    text = json.dumps([ROW, {**ROW, "reference": 3}, ROW], indent=1)
    loaded = load(text, "a.json")

    assert loaded.errors == ["9: reference: got number 3, expected a string"]
    assert [row.line for row in loaded.rows] == [2, 9, 16]
    assert "\n" not in loaded.rows[1].raw


def test_large_documents_are_read_in_pieces(tmp_path: Path) -> None:
    """Items lie across the pieces in which the file is read; multi-byte characters too."""
    path = tmp_path / "a.json"
    given = [{**ROW, "id": str(n), "response": "мир " * (n % 700)} for n in range(3_000)]
    path.write_text(json.dumps(given, ensure_ascii=False), "utf-8")

    assert [one.sample.response for one in load_path(path).records] == [one["response"] for one in given]


def test_an_infinite_number_in_a_document_is_a_bad_item(load: Any) -> None:
    """The items behind it go on."""
    text = (
        '[{"user_input": "q", "reference": "r", "retrieved_contexts": [], "m": Infinity},'
        + json.dumps(ROW)
        + "]"
    )
    loaded = load(text, "a.json")

    assert loaded.errors == [" item 1: m: got Infinity, expected a finite number or null"]
    assert len(loaded.records) == 1


def test_a_folder_with_one_dataset_is_that_dataset(tmp_path: Path) -> None:
    """With several it is not guessed which; the hidden ones that macOS writes beside files are none."""
    (tmp_path / "a.jsonl").write_text(json.dumps(ROW))
    for hidden in ("._a.jsonl", "._a.parquet"):
        (tmp_path / hidden).write_bytes(b"\0\5\x16\7")
    assert len(load_path(tmp_path).records) == 1

    (tmp_path / "b.jsonl").write_text(json.dumps(ROW))
    with pytest.raises(AmbiguousError, match=r"a folder: name a file: a.jsonl, b.jsonl"):
        read(tmp_path, notes=Notes())
