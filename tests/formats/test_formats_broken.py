"""Broken rows and files: each is named, none is a crash, and no good row is lost with them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.lists import from_cases
from workbench.errors import InputError, WorkbenchError
from workbench.formats.exports.item import to_line
from workbench.formats.json_lines import _PIECE
from workbench.formats.readers import native
from workbench.formats.reading import read
from workbench.formats.rows import FileRow, Notes

BASE = {"user_input": "q", "reference": "Agra, Agra.", "retrieved_contexts": ["In Agra."]}


def row(**more: Any) -> str:
    return json.dumps({**BASE, **more})


LARGE = [
    ("[" * 100_000, "row: got lists or objects nested too deep to read, expected a flatter object"),
    ('{"a":' * 100_000, "row: got lists or objects nested too deep to read, expected a flatter object"),
    (row(n=1).replace("1}", "9" * 5_000 + "}"), "row: got a number of too many digits"),
    (row(scores={"a": 10**400}), "a: got a number of many digits, expected a score"),
    (row(reference="x" * 2_000_001), "reference: got 2,000,001 characters, expected at most 2,000,000"),
    (row(retrieved_contexts=["c"] * 10_001), "retrieved_contexts: got 10,001 contexts, expected at most"),
    ('{"user_input": "a\x00b"}', '"{"user_input": "a\\u0000b"}" (invalid control character'),
]


def test_a_large_value_is_one_error_between_good_rows(load: Any) -> None:
    """It says what stood there and what was expected, in one line of bounded length."""
    loaded = load("\n".join([row(), *(line for line, _ in LARGE), row()]))

    for number, (error, (_, message)) in enumerate(zip(loaded.errors, LARGE, strict=True), 2):
        assert error.startswith(f"{number}: ")
        assert message in error
        assert len(error) < 250
        assert error.isprintable()
    assert [one.line for one in loaded.rows if one.record] == [1, len(LARGE) + 2]


def test_a_native_row_in_a_cell_is_longer_than_any_of_its_texts(load: Any) -> None:
    """Such a cell of our own tables comes back."""
    native_row = row(id="a", response="x" * 1_500_000, meta={"a": "y" * 1_500_000})
    cell = native_row.replace('"', '""')

    assert "a" == load(f'reference,workbench\n"Agra, Agra.","{cell}"\n', name="a.csv").record.sample.id


@from_cases
def test_an_unreadable_file_is_refused_at_once(tmp_path: Path, data: bytes, name: str, message: str) -> None:
    """With what it is, and what to do."""
    path = tmp_path / name
    path.write_bytes(data.replace(b"<100,000 lines>", b"\n" * 100_000))

    with pytest.raises(InputError) as caught:
        read(path, notes=Notes())
    assert message in str(caught.value)


def test_one_bad_line_of_another_encoding_does_not_refuse_the_file(load: Any) -> None:
    """A file whose only row is bad is a file with one bad row."""
    said = "1: row: got byte 0xec at offset 7 of the file, expected UTF-8"
    assert [said] == load('{"a": "мир"}\n'.encode("cp1251")).errors


def test_half_a_character_behind_a_document_is_named(load: Any) -> None:
    """Also where the last read of the file holds nothing else."""
    for size in (_PIECE - 1, _PIECE, _PIECE + 1):
        loaded = load(b"[" + row().encode().ljust(size - 2) + b"]\xd0", name="rows.json")

        said = f"1: row: got byte 0xd0 at offset {size:,} of the file, expected UTF-8"
        assert ([said], 1) == (loaded.errors, len(loaded.records))


@pytest.mark.parametrize("size", [1, _PIECE, 3 * _PIECE])
def test_rows_of_a_document_before_a_foreign_byte_come_in(load: Any, size: int) -> None:
    """Also those that are read together with the end of a long one."""
    text = f"[{row(response='x' * size)},{row()},\n{row(response='?')}]".encode().replace(b"?", b"\xe0")
    loaded = load(text, name="rows.json")

    said = f"2: row: got byte 0xe0 at offset {text.index(0xE0):,} of the file, expected UTF-8"
    assert ([said], 2) == (loaded.errors, len(loaded.records))


@from_cases
def test_a_value_that_a_read_cuts_is_read_whole(load: Any, number: str, got: str) -> None:
    for part in range(len(number) + 1):
        loaded = load(f"[{row()},".ljust(_PIECE - part) + f"{number}]", name="rows.json")

        assert 1 == len(loaded.records) == len(loaded.errors)
        assert f": row: got {got}, expected " in loaded.errors[0]


def test_large_documents_are_read_in_pieces(load: Any) -> None:
    """Items lie across the pieces in which the file is read; multi-byte characters too."""
    given = [{**BASE, "id": str(n), "response": "мир " * (n % 700)} for n in range(3_000)]
    loaded = load(json.dumps(given, ensure_ascii=False), "a.json")

    assert [one.sample.response for one in loaded.records] == [one["response"] for one in given]


def test_a_character_cut_by_the_end_of_the_head_is_no_foreign_byte(load: Any) -> None:
    """Only the first 64 KB are looked at before reading."""
    for shift in range(4):
        loaded = load(row(response="x" * shift + "мир" * 40_000).encode().decode("unicode_escape"))

        assert loaded.errors == []


# What JSON can say, with the keys of the format, right and wrong values mixed.
KEYS = sorted(
    {*native.KEYS, "question", "contexts", "ground_truths", "context_recall", "_extra"}
    | {"proposer", "reference_entities", "context_entities", "statements", "annotator", "entities"}
    | {*"text label start end spans verdict reason evidence context quote nested".split()}
)
LEAF = (
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.floats()
    | st.sampled_from(["found", "missing", "absent", "Agra", "", "a\x00", "\ud800", "Agra is Agra"])
)
VALUE = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)
UNIT = st.fixed_dictionaries(
    {"text": st.sampled_from(["Agra", "is", "Taj"]), "verdict": st.sampled_from(["found", "missing"])},
    optional={
        "start": st.integers(-1, 12),
        "end": st.integers(-1, 13),
        "spans": st.lists(st.fixed_dictionaries({"start": st.integers(0, 9), "end": st.integers(1, 12)})),
        "id": st.sampled_from(["g1", "g2", "x", ""]),
        "reason": LEAF,
    },
)
ROWS = {"user_input": "q", "reference": "Agra is Agra", "retrieved_contexts": ["Agra", ""]}
GOOD = {name: st.just(value) for name, value in ROWS.items()}
ROW = st.dictionaries(st.sampled_from(KEYS), VALUE, max_size=10) | st.fixed_dictionaries(
    GOOD,
    optional={
        **{key: VALUE for key in KEYS if key not in GOOD},
        "gold": VALUE | st.fixed_dictionaries({"annotator": st.just("a"), "entities": st.lists(UNIT)}),
        "proposal": st.fixed_dictionaries({"proposer": st.just("p"), "reference_entities": st.lists(UNIT)}),
    },
)


def rows_of(data: bytes, path: Path, format: str | None = None) -> list[FileRow]:  # noqa: A002
    """All rows; a refused file has none. Any other exception is a failure."""
    path.write_bytes(data)
    try:
        return list(read(path, format=format, notes=Notes()))
    except WorkbenchError:
        return []


ANYTHING = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def is_record_or_error(row: FileRow) -> bool:
    return (row.record is None) != (row.error is None)


@settings(ANYTHING, max_examples=150)
@given(ROW, st.sampled_from(["native", "ragas", None]), st.booleans())
def test_any_object_is_a_record_or_an_error_and_a_record_comes_back(
    tmp_path: Path, value: dict[str, Any], form: str | None, escaped: bool
) -> None:
    """What was read once is written and read again without a change."""
    line = json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass")

    for row in rows_of(line, tmp_path / "a.jsonl", form):
        assert is_record_or_error(row)
        if row.record is None:
            continue
        again = to_line(row.record).encode()
        (back,) = rows_of(again, tmp_path / "b.jsonl")
        assert back.record == replace(row.record, contexts_given=True)  # a native row always says them


@settings(ANYTHING, max_examples=100)
@given(
    st.binary(max_size=300),
    st.sampled_from([b"", row().encode() + b"\n", b"question,contexts,ground_truth\n"]),
    st.sampled_from(["a.jsonl", "a.csv", "a.txt"]),
)
def test_any_bytes_are_rows_or_a_refused_file(tmp_path: Path, data: bytes, start: bytes, name: str) -> None:
    """Also after a good beginning."""
    assert all(is_record_or_error(row) for row in rows_of(start + data, tmp_path / name))


@settings(ANYTHING, max_examples=100)
@given(st.lists(st.lists(st.text("ab'\"[],;\\\n\r\té…\x00", max_size=12), max_size=5), max_size=5))
def test_any_cells_are_rows_or_errors(tmp_path: Path, table: list[list[str]]) -> None:
    """Written with and without the quotes they need."""
    text = "\n".join(",".join(cells) for cells in table)
    quoted = "\n".join(",".join('"' + c.replace('"', '""') + '"' for c in cells) for cells in table)

    for body in (text, quoted):
        rows = rows_of(f"question,contexts,ground_truth,m\n{body}".encode(), tmp_path / "a.csv")
        assert all(is_record_or_error(row) for row in rows)
