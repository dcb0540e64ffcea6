"""Result tables as files: their bytes and delimiters, and lists in cells."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.lists import from_cases
from workbench.errors import RowError
from workbench.formats import columns
from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.model import Sample, text_hash

NAME = text_hash("q", "r", "c")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("quoted", [True, False])
def test_delimiters_and_a_bom_are_found(load: Any, delimiter: str, start: str, quoted: bool) -> None:
    """Spreadsheets write semicolons where the comma is the decimal sign."""
    names = [f'"{name}"' if quoted else name for name in ("question", "contexts", "ground_truth")]
    text = start + "\r\n".join([delimiter.join(names), delimiter.join(["q", "['c']", "r"]), "", ""])

    assert load(text, "a.csv").record.sample == Sample(NAME, "q", "r", ("c",))


@from_cases
def test_a_list_cell_is_read_whoever_wrote_it(cell: str, items: list[Any]) -> None:
    """JSON, Python's repr, or numpy's print."""
    assert columns.list_cell(cell, "contexts") == items


@from_cases
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
