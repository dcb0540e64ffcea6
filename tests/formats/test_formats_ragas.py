"""ragas datasets and result tables: names of every version, lists in cells, external scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import InputError, RowError
from workbench.formats import columns
from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.model import Sample, text_hash

V1 = {"question": "q", "contexts": ["c"], "ground_truth": "r", "answer": "a"}
V2 = {"user_input": "q", "retrieved_contexts": ["c"], "reference": "r", "response": "a"}
NAME = text_hash("q", "r", "c")


@pytest.mark.parametrize(
    "row",
    [
        V1,
        V2,
        {"userInput": "q", "retrievedContexts": ["c"], "groundTruth": "r", "response": "a"},
        {"input": "q", "retrieval_context": ["c"], "expected_output": "r", "actual_output": "a"},
        {"input": "q", "retrievalContext": ["c"], "expectedOutput": "r", "actualOutput": "a"},
        {**V1, "user_input": "q", "response": None, "ground_truths": ["r"]},
    ],
    ids=["v1", "v2", "camelCase", "deepeval", "deepeval camelCase", "two names, equal values"],
)
def test_every_version_of_a_name_is_the_same_field(load: Any, row: dict[str, Any]) -> None:
    """ragas itself gives empty samples for version 1 names, without a word."""
    loaded = load(row)

    assert loaded.record.sample == Sample(NAME, "q", "r", ("c",), "a")
    assert loaded.notes.messages() == []


def test_the_first_object_decides_the_format_not_the_first_line(load: Any) -> None:
    """A broken first row must not turn the file into another format."""
    loaded = load("{broken\n[]\n" + json.dumps(V1))

    assert loaded.notes.format == "ragas"
    assert [record.sample.id for record in loaded.records] == [NAME]


def test_ragas_can_be_asked_for(load: Any) -> None:
    """Then a number is a score although the row has an id."""
    record = load({**V2, "id": "x", "mine": 2}, format="ragas").record

    assert record.scores == {"mine": "2"}


def test_two_names_with_different_values_name_both(load: Any) -> None:
    """Neither is silently preferred."""
    assert load({**V1, "reference": "s"}).errors == [
        '1: ground_truth and reference: got "r" and "s", expected the same in both, or only one of them'
    ]


def test_several_ground_truths_are_alternatives(fixture: Any) -> None:
    """The first is the reference; a list of one is just a reference."""
    loaded = fixture("ragas_v1.jsonl")

    assert [(r.sample.reference, r.sample.alternatives) for r in loaded.records] == [
        ("Paris", ("The capital is Paris.",)),
        ("Париж", ()),
    ]
    assert loaded.notes.seen["alternatives"] == 1


@pytest.mark.parametrize(("truths", "reference"), [([], ""), (["a"], "a"), ("a", "a")])
def test_ground_truths_may_be_a_list_or_a_string(load: Any, truths: Any, reference: str) -> None:
    """An empty list is an empty reference: undefined later."""
    row = {"question": "q", "contexts": [], "ground_truths": truths}

    assert load(row).record.sample.reference == reference


def test_alternatives_of_both_kinds_are_joined(load: Any) -> None:
    """Native keys work in rows with ragas names."""
    row = {"question": "q", "contexts": [], "ground_truths": ["a", "b"], "alternatives": ["c"]}

    assert load(row).record.sample.alternatives == ("b", "c")


def test_native_keys_work_under_ragas_names(load: Any) -> None:
    """One row builder reads both."""
    gold = {"annotator": "ana", "entities": []}
    record = load({**V1, "gold": gold, "proposal": {"proposer": "p"}, "scores": {"x": 0.5}}).record

    assert record.gold[0].annotator == "ana"
    assert record.proposal is not None
    assert record.scores == {"x": "0.5"}


def test_a_native_name_over_another_shape_is_just_a_column(load: Any) -> None:
    """Nothing else could be meant."""
    record = load({**V1, "meta": "wiki", "alternatives": "none"}).record

    assert record.sample.meta == {"meta": "wiki", "alternatives": "none"}


def test_numbers_of_a_json_result_table_are_scores(load: Any) -> None:
    """Digits are kept; null, NaN and the fields of ragas that hold numbers are none."""
    line = (
        '{"user_input": "q", "reference": "r", "retrieved_contexts": ["c"], "context_entity_recall": 0.50, '
        '"mine": 3, "broken": NaN, "context_recall": null, "faithfulness": "0.25", "flag": true, '
        '"factual_correctness(mode=f1)": "oops", "query_length": 7, "persona_name": null}'
    )
    loaded = load(line)

    assert loaded.record.scores == {"context_entity_recall": "0.50", "mine": "3", "faithfulness": "0.25"}
    assert loaded.record.sample.meta == {
        "flag": True,
        "factual_correctness(mode=f1)": "oops",
        "query_length": 7,
    }
    assert loaded.notes.messages() == [
        "kept in meta: flag (1 row), query_length (1 row)",
        'factual_correctness(mode=f1): 1 value is not a number (first: line 1 "oops"): no score is a '
        "number such as 0.5, so the column is kept in meta",
        "your scores: context_entity_recall (1 row), faithfulness (1 row), mine (1 row)",
        "no score, the metric failed there: context_recall (1 row)",
    ]


@pytest.mark.parametrize("value", ['[{"content": "hi", "type": "human"}]', "[]"])
def test_multi_turn_samples_are_refused(load: Any, value: str) -> None:
    """In both formats."""
    line = f'{{"user_input": {value}, "reference": "r", "retrieved_contexts": []}}'
    expected = [
        "1: user_input: got a list of messages, "
        "expected a string: multi-turn samples are not scored by recall"
    ]

    assert load(line).errors == expected
    assert load(line, format="ragas").errors == expected


# CSV


def test_a_result_table_is_read_as_pandas_wrote_it(fixture: Any) -> None:
    """Index column, lists by repr, empty and NaN cells, digits, cells over lines, non-English text."""
    loaded = fixture("ragas_results.csv")
    samples = [record.sample for record in loaded.records]

    assert loaded.errors == []
    assert loaded.notes.format == "ragas"
    assert [(s.user_input, s.retrieved_contexts, s.response, s.reference) for s in samples] == [
        ("Capital of France?", ("France is a country.", 'it\'s a | "quoted" line\nend'), "Paris", "Paris"),
        ("Столица Франции?", ("Париж", "столица"), None, "Париж, столица"),
        ("Empty?", (), None, ""),
    ]
    assert [s.meta for s in samples] == [{"reference_contexts": ["gold passage"], "note": "first"}, {}, {}]
    assert [record.scores for record in loaded.records] == [
        {"context_entity_recall": "0.9999999900000002", "my_metric": "0.50"},
        {"my_metric": "3"},
        {},
    ]


def test_lists_printed_by_numpy_have_no_commas(fixture: Any) -> None:
    """Python would join two adjacent literals to one item. Lines count from the start of a row."""
    loaded = fixture("ragas_numpy.csv")

    assert [record.sample.retrieved_contexts for record in loaded.records] == [
        ("France is a country.", "it's small", "Paris is its capital."),
        ("one",),
        (),
    ]
    assert [row.line for row in loaded.rows] == [2, 4, 5]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("quoted", [True, False])
def test_delimiters_and_a_bom_are_found(load: Any, delimiter: str, start: str, quoted: bool) -> None:
    """Spreadsheets write semicolons where the comma is the decimal sign."""
    names = [f'"{name}"' if quoted else name for name in ("question", "contexts", "ground_truth")]
    text = start + "\r\n".join([delimiter.join(names), delimiter.join(["q", "['c']", "r"]), "", ""])

    assert load(text, "a.csv").record.sample == Sample(NAME, "q", "r", ("c",))


@pytest.mark.parametrize(
    ("cell", "items"),
    [
        ("[]", []),
        ("[ ]", []),
        ("['a', 'b']", ["a", "b"]),
        ("['a' 'b']", ["a", "b"]),
        ("['a'\n \"b'c\"]", ["a", "b'c"]),
        ('["a", "b"]', ["a", "b"]),
        ('[\'it\\\'s\', "say \\"x\\""]', ["it's", 'say "x"']),
        ("['\\xe9\\u0416\\U0001f600\\n\\t\\\\ \\101 \\d']", ["éЖ😀\n\t\\ A \\d"]),
        ('["\\ud83d\\ude00"]', ["😀"]),
        ("[r'a\\n', u'b']", ["a\\n", "b"]),
        ("['a,] [', 'b']", ["a,] [", "b"]),
        ("['line\nbreak']", ["line\nbreak"]),
        ('[1, "a"]', [1, "a"]),
    ],
)
def test_a_list_cell_is_read_whoever_wrote_it(cell: str, items: list[Any]) -> None:
    """JSON, Python's repr, or numpy's print."""
    assert columns.list_cell(cell, "contexts") == items


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("plain text", 'got "plain text", expected a list such as'),
        ("['a'", "got \"['a'\", expected a list that ends in ]"),
        ("['a' ... 'b']", "got ... after 1 items, expected every item: numpy printed ..."),
        ("['a', b]", "got b after 1 items, expected strings in quotes"),
        ("['a', 'b]", "got 'b after 1 items, expected strings in quotes"),
        ("['a', None]", "got None after 1 items, expected strings in quotes"),
        ("{}", 'got "{}", expected a list such as'),
    ],
)
def test_a_list_cell_that_lost_something_is_refused(cell: str, message: str) -> None:
    """With what stands there."""
    with pytest.raises(RowError) as caught:
        columns.list_cell(cell, "contexts")

    assert message in str(caught.value)


@given(st.lists(st.text()))
def test_every_list_python_writes_is_read_back(items: list[str]) -> None:
    """By repr, with and without commas, and by JSON with and without escapes."""
    numpy = "[" + "\n ".join(map(repr, items)) + "]"
    python = repr(items)

    assert columns.list_cell(python, "c") == items
    assert columns.list_cell(numpy, "c") == items
    assert columns.list_cell(json.dumps(items), "c") == items
    assert columns.list_cell(json.dumps(items, ensure_ascii=False), "c") == items


@pytest.mark.parametrize(
    ("cell", "scores", "meta"),
    [
        ("0.5", {"m": "0.5"}, {}),
        (" 1 ", {"m": "1"}, {}),
        ("+.5", {"m": "0.5"}, {}),
        ("5.", {"m": "5.0"}, {}),
        ("1e-05", {"m": "1e-05"}, {}),
        ("NaN", {}, {}),
        ("None", {}, {}),
        ("", {}, {}),
        ("high", {}, {"m": "high"}),
        ("1_000", {}, {"m": "1_000"}),
        ("0,5", {}, {"m": "0,5"}),
        ("inf", {}, {"m": "inf"}),
    ],
)
def test_a_cell_of_an_unknown_column_is_a_score_when_it_is_a_number(
    load: Any, cell: str, scores: dict[str, str], meta: dict[str, str]
) -> None:
    """Decided cell by cell, since rows are streamed."""
    record = load(f'question,contexts,ground_truth,m\nq,[],r,"{cell}"\n', "a.csv").record

    assert (record.scores, record.sample.meta) == (scores, meta)


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
def test_an_infinite_score_is_refused(load: Any, cell: str) -> None:
    """No number is behind it."""
    loaded = load(f"question,contexts,ground_truth,faithfulness\nq,[],r,{cell}\n", "a.csv")

    assert loaded.errors == [f"2: faithfulness: got {cell}, expected a finite number or nothing"]


def test_index_columns_are_left_out_and_other_nameless_ones_kept(load: Any) -> None:
    """`to_csv` writes its index without a name; saved twice it comes back as Unnamed: 0."""
    text = ",Unnamed: 0,question,contexts,ground_truth,\n0,0,q,[],r,x\n"

    assert load(text, "a.csv").record.sample.meta == {"Unnamed: 5": "x"}


def test_objects_in_cells_are_read(load: Any) -> None:
    """Native keys in a table are JSON in a cell; what is not JSON is a column like any other."""
    cells = ['{"annotator": "ana", "entities": []}', '{"proposer": "p"}', '{"x": 0.50}', "{oops"]
    quoted = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    record = load(
        f"question,contexts,ground_truth,gold,proposal,scores,meta,id\nq,[],r,{quoted},7\n", "a.csv"
    )

    assert record.record.gold[0].annotator == "ana"
    assert record.record.proposal is not None
    assert record.record.scores == {"x": "0.50"}
    assert record.record.sample.meta == {"meta": "{oops"}
    assert record.record.sample.id == "7"


def test_a_conversation_in_a_cell_is_refused(load: Any) -> None:
    """It is a list of messages by repr."""
    loaded = load("user_input,retrieved_contexts,reference\n\"[{'content': 'hi'}]\",[],r\n", "a.csv")

    assert loaded.errors == [
        "2: user_input: got a list of messages, "
        "expected a string: multi-turn samples are not scored by recall"
    ]


def test_a_good_csv_row_is_given_as_the_json_row_it_stands_for(load: Any) -> None:
    """So that a row refused later can be mended and imported by itself."""
    (row,) = load("question,contexts,ground_truth,m\nq,\"['a', 'b']\",r,\n", "a.csv").rows

    assert json.loads(row.raw) == {"question": "q", "contexts": ["a", "b"], "ground_truth": "r"}
    assert load(row.raw).record == row.record


def test_bad_csv_rows_are_named_by_line_and_the_others_go_on(load: Any) -> None:
    """Length, quotes, bytes, lists; the line is where the row starts."""
    text = (
        b"question,contexts,ground_truth\nq,\"['one',\n'two']\",r\nq,[]\nq,\"x\"y,r\nq,,r\nq,[1],r\n"
        b"q,['a\\x00b'],r\n" + b"caf\xe9,[],r\n\n" + b'q,[],r\nq,"[],r\nq,[],r\n'
    )
    loaded = load(text, "a.csv")

    assert [row.line for row in loaded.rows] == [2, 4, 5, 6, 7, 8, 9, 11, 12]
    assert loaded.rows[3].record.sample.retrieved_contexts == ()  # an empty cell
    assert loaded.errors == [
        "4: row: got 2 cells, expected 3 as in the header",
        "5: row: got ',' expected after '\"', expected a row of CSV",
        "7: retrieved_contexts[0]: got number 1, expected a string",
        "8: contexts[0]: got a NUL character at offset 1, expected text without it",
        f"9: row: got byte 0xe9 at offset {text.index(0xE9)} of the file, expected UTF-8",
        "12: row: got unexpected end of data in lines 12–13, expected a row of CSV",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question,contexts\nq,[]\n", "no column for reference (one of reference, ground_truth,"),
        ("question;gold;text\nq;r;[]\n", ", none for retrieved_contexts (one of retrieved_contexts,"),
        ("a,b\n1,2\n", "the header has a, b: no column for user_input (one of user_input,"),
        ("question,contexts,ground_truth\n", "no rows under the header"),
        ("question,contexts,ground_truth\n\n  \n", "no rows under the header"),
        ("question,question,contexts,ground_truth\nq,q,[],r\n", "column question appears twice"),
        ('"question,contexts\nq,[]\n', "header: got unexpected end of data"),
    ],
)
def test_a_table_with_a_bad_header_is_refused_at_once(tmp_path: Path, text: str, message: str) -> None:
    """Not once for every row."""
    path = tmp_path / "a.csv"
    path.write_text(text)

    with pytest.raises(InputError) as caught:
        read(path, notes=Notes())
    assert message in str(caught.value)


def test_a_large_cell_is_no_hindrance(load: Any) -> None:
    """The csv module's own limit is 131,072 characters."""
    record = load(f"question,contexts,ground_truth\nq,['{'x' * 300_000}'],r\n", "a.csv").record

    assert len(record.sample.retrieved_contexts[0]) == 300_000


def test_progress_of_a_table_ends_at_the_size_of_the_file(tmp_path: Path) -> None:
    """As for JSON Lines."""
    path = tmp_path / "a.csv"
    path.write_text("question,contexts,ground_truth\nq,[],r\n")
    seen: list[int] = []

    assert sum(1 for _ in read(path, notes=Notes(), progress=seen.append)) == 1
    assert seen == [path.stat().st_size]
