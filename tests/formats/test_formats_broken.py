"""Broken rows and files: each is named, none is a crash, and no good row is lost with them."""

from __future__ import annotations

import codecs
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.errors import InputError, WorkbenchError
from workbench.formats.exports.item import to_line
from workbench.formats.json_lines import _PIECE
from workbench.formats.readers import native
from workbench.formats.reading import read
from workbench.formats.rows import FileRow, Notes

BASE = {"user_input": "q", "reference": "Agra, Agra.", "retrieved_contexts": ["In Agra."]}
ENTITY = {"text": "Agra", "start": 0, "end": 4, "verdict": "found"}


def row(**more: Any) -> str:
    return json.dumps({**BASE, **more})


def gold(**more: Any) -> str:
    return row(gold={"annotator": "ana", "entities": [{**ENTITY, **more}]})


def proposal(**more: Any) -> str:
    return row(proposal={"proposer": "p", **more})


# (a line, what the error says); every one stands between two good rows.
LINES = [
    # not an object
    (
        "{",
        '"{" (expecting property name enclosed in double quotes at column 2), expected a whole JSON object: '
        "this one is cut off",
    ),
    ("[]", "row: got a list of 0, expected a JSON object"),
    ('"text"', 'row: got "text", expected a JSON object'),
    ("null", "row: got nothing, expected a JSON object"),
    ("true", "row: got true, expected a JSON object"),
    ("12", "row: got number 12, expected a JSON object"),
    ("plain text", "(expecting value at column 1), expected a JSON object"),
    ('{"user_input": tru}', '"{"user_input": tru}" (expecting value at column 16)'),
    (row()[:-1], "(expecting ',' delimiter at column"),
    (row() + row(), "(extra data at column"),
    (row() + ",", "(extra data at column"),
    ('{"user_input": "a\tb"}', '"{"user_input": "a\\tb"}" (invalid control character'),
    ('{"user_input": "a\x00b"}', '"{"user_input": "a\\u0000b"}" (invalid control character'),
    ("{'user_input': 'q'}", "(expecting property name enclosed in double quotes at column 2)"),
    ("[" * 100_000, "row: got lists or objects nested too deep to read, expected a flatter object"),
    ('{"a":' * 100_000, "row: got lists or objects nested too deep to read, expected a flatter object"),
    (row(n=1).replace("1}", "9" * 5_000 + "}"), "row: got a number of too many digits"),
    # required fields
    ("{}", "user_input: got nothing, expected a string (missing)"),
    ('{"user_input": "q"}', "reference: got nothing, expected a string (missing)"),
    (row(user_input=3), "user_input: got number 3, expected a string"),
    (row(user_input=["hi"]), "user_input: got a list of messages, expected a string: multi-turn"),
    (row(reference=None), "reference: got nothing, expected a string (missing)"),
    (row(reference=["a"]), "reference: got a list of 1, expected a string"),
    (row(retrieved_contexts="c"), 'retrieved_contexts: got "c", expected a list of strings'),
    (row(retrieved_contexts=["c", 3]), "retrieved_contexts[1]: got number 3, expected a string"),
    (row(retrieved_contexts=[None]), "retrieved_contexts[0]: got nothing, expected a string"),
    (row(retrieved_contexts=[{"id": "c"}]), "retrieved_contexts[0]: got an object with id, expected"),
    # optional fields
    (row(id=True), "id: got true, expected a string"),
    (row(id=1.5), "id: got number 1.5, expected a string"),
    (row(id=[]), "id: got a list of 0, expected a string"),
    (row(response=1), "response: got number 1, expected a string"),
    (row(group={}), "group: got an object with no keys, expected a string"),
    (row(meta=[1]), "meta: got a list of 1, expected an object"),
    (row(meta={"a": json.loads("[" * 120 + "]" * 120)}), "meta: got more than 100 levels of nesting"),
    (row(deep=json.loads("[" * 120 + "]" * 120)), "row: got more than 100 levels of nesting"),
    (row(alternatives="a"), 'alternatives: got "a", expected a list of strings'),
    (row(alternatives=["a", 1]), "alternatives[1]: got number 1, expected a string"),
    (row(scores=[1]), "scores: got a list of 1, expected an object of numbers"),
    (row(scores={"a": "1"}), 'scores.a: got "1", expected a number or null'),
    (row(scores={"a": True}), "scores.a: got true, expected a number or null"),
    (row(scores={"a": float("inf")}), "a: got Infinity, expected a finite number or null"),
    (row(scores={"a": float("-inf")}), "a: got -Infinity, expected a finite number or null"),
    (row()[:-1] + ', "reference": "other"}', "reference: got two values, expected one"),
    (row(scores={"a": 1}).replace("1}", "1e999}"), "a: got 1e999, expected a finite number or null"),
    (row(scores={"a": 10**400}), "a: got a number of many digits, expected a score"),
    # texts
    (row(user_input="a\ud800b"), "user_input: got a lone surrogate \\ud800 at offset 1, expected text that"),
    (row(meta={"k": ["\udfff"]}), "meta.k[0]: got a lone surrogate \\udfff at offset 0, expected text that"),
    (row(meta={"\ud800": 1}), "the key meta.\\ud800: got a lone surrogate \\ud800 at offset 0"),
    (row(retrieved_contexts=["", "a\x00"]), "retrieved_contexts[1]: got a NUL character at offset 1"),
    (row(reference="x" * 2_000_001), "reference: got 2,000,001 characters, expected at most 2,000,000"),
    (row(retrieved_contexts=["c"] * 10_001), "retrieved_contexts: got 10,001 contexts, expected at most"),
    # proposal
    (row(proposal={"model": "m"}), "proposal.proposer: got nothing, expected a string (missing)"),
    (proposal(model=3), "proposal.model: got number 3, expected a string"),
    (proposal(reference_entities="a"), 'proposal.reference_entities: got "a", expected a list'),
    (proposal(reference_entities=[3]), "proposal.reference_entities[0]: got number 3, expected an object"),
    (proposal(reference_entities=[" "]), 'proposal.reference_entities[0]: got " ", expected an object'),
    (proposal(reference_entities=[{}]), "proposal.reference_entities[0].text: got nothing, expected"),
    (proposal(reference_entities=[{"text": "a", "label": 1}]), "reference_entities[0].label: got number 1"),
    (proposal(reference_entities=[{"text": "a", "start": "0"}]), 'reference_entities[0].start: got "0"'),
    (proposal(context_entities=[]), "proposal.context_entities: got 0 lists, expected 1, one for each"),
    (proposal(context_entities=[{}]), "proposal.context_entities[0]: got an object with no keys, expected"),
    (proposal(statements=["a"]), 'proposal.statements[0]: got "a", expected an object with text'),
    (proposal(statements=[{"text": "a", "context": "0"}]), 'statements[0].context: got "0", expected the'),
    (proposal(statements=[{"text": "a", "verdict": True}]), "statements[0].verdict: got true, expected"),
    (proposal(statements=[{"text": "a", "verdict": "idk"}]), 'verdict: got "idk", expected found or yes'),
    # gold
    (row(gold={"annotator": ""}), 'gold.annotator: got "", expected a string that is not empty'),
    (row(gold={"annotator": "a", "x": 1}), "gold: got an object with annotator, x, expected entities or"),
    # a review that no export brings back
    (row(gold={"annotator": "a"}), "expected entities or statements"),
    (row(gold={"annotator": "a", "shown": "blind"}), "expected entities or statements"),
    (row(gold={"annotator": "a", "off_plan": True}), "expected entities or statements"),
    (row(gold={"annotator": "a", "reason": {"entity": "why"}}), "expected entities or statements"),
    (row(gold=[{"annotator": "a", "entities": []}, 3]), "gold[1]: got number 3, expected an object with"),
    (row(gold=[{"annotator": "a", "entities": []}] * 2), 'gold[1].annotator: got "a" again, expected one'),
    (row(gold={"annotator": "a", "entities": {}}), "gold.entities: got an object with no keys, expected a"),
    (
        row(gold={"annotator": "a", "entities": [], "effort": 3}),
        "gold.effort: got number 3, expected an object",
    ),
    (
        row(gold={"annotator": "a", "entities": [], "effort": {"seconds": 1, "presses": 2**31}}),
        "gold.effort: got an object with seconds, presses, expected an object with seconds and presses, both",
    ),
    (
        row(gold={"annotator": "a", "entities": [], "effort": {"seconds": -1, "presses": 2}}),
        "gold.effort: got an object with seconds, presses, expected an object with seconds and presses, both",
    ),
    (row(gold={"annotator": "a", "statements": [1]}), "gold.statements[0]: got number 1, expected an"),
    (gold(verdict=None), "gold.entities[0].verdict: got nothing, expected found or missing or unsure"),
    (gold(verdict="yes"), 'gold.entities[0].verdict: got "yes", expected found or missing or unsure'),
    (gold(reason="why"), 'gold.entities[0].reason: got "why", expected absent or partial or contradicted'),
    (gold(text=""), 'gold.entities[0].text: got "", expected a string that is not empty'),
    (
        gold(start=1, end=5),
        'gold.entities[0]: got "Agra" at 1:5 which reads "gra,", expected the quoted text',
    ),
    (gold(end=400), 'gold.entities[0]: got "Agra" at 0:400 in a reference of 11 characters, expected the'),
    (gold(end=None), 'gold.entities[0]: got "Agra" at 0:? in a reference of 11 characters, expected the'),
    (gold(start=0.5), "gold.entities[0].start: got number 0.5, expected an offset in characters"),
    (gold(text="Delhi"), 'gold.entities[0]: got "Delhi" at 0:4 which reads "Agra", expected the quoted text'),
    (gold(start=None, end=None, spans=[{"start": 4, "end": 8}]), 'got "Agra" at 4:8 which reads ", Ag"'),
    (gold(spans=[{"start": 6, "end": 6}]), "gold.entities[0].spans[0]: got 6:6, expected start < end within"),
    (gold(spans=[3]), "gold.entities[0].spans[0]: got number 3, expected an object with start and end"),
    (gold(nested="no"), 'gold.entities[0].nested: got "no", expected true or false'),
    (gold(note=1), "gold.entities[0].note: got number 1, expected a string"),
    (gold(evidence=[3]), "gold.entities[0].evidence[0]: got number 3, expected an object with context"),
    (gold(evidence=[{}]), "gold.entities[0].evidence[0].context: got nothing, expected the number of a"),
    (gold(evidence=[{"context": 1}]), "gold.entities[0].evidence[0].context: got number 1, expected 0 to 0"),
    (gold(evidence=[{"context": 0, "start": 3}]), "gold.entities[0].evidence[0].end: got nothing, expected"),
    (
        gold(evidence=[{"context": 0, "start": 3, "end": 9}]),
        "gold.entities[0].evidence[0]: got 3:9, expected start < end within 0:8",
    ),
    (
        gold(start=10**30),
        'gold.entities[0]: got "Agra" at …:4 in a reference of 11 characters, expected the quoted text',
    ),
    (
        row(gold={"annotator": "a", "entities": [ENTITY, {**ENTITY, "id": "g1"}]}),
        'gold.entities[1].id: got "g1" again, expected an id of its own',
    ),
]


@pytest.mark.parametrize(("line", "message"), LINES, ids=range(len(LINES)))
def test_a_broken_line_is_one_error_between_good_rows(load: Any, line: str, message: str) -> None:
    """It says what stood there and what was expected, in one line of bounded length."""
    loaded = load("\n".join([row(), line, row()]))

    (error,) = loaded.errors
    assert error.startswith("2: ")
    assert message in error
    assert len(error) < 250
    assert error.isprintable()
    assert [r.line for r in loaded.rows if r.record] == [1, 3]


FILES = [
    (b"", "a.jsonl", "no rows: it is empty"),
    (b"\xef\xbb\xbf", "a.jsonl", "no rows: it is empty"),
    (b"\n \r\n\t\n", "a.jsonl", "no rows: it is empty"),
    (b"\n" * 100_000, "a.jsonl", "no rows: every line is blank"),
    (b"", "a.csv", "no rows: it is empty"),
    (b"\n" * 100_000, "a.csv", "no rows: it is empty"),
    ('{"user_input": "q"}\n'.encode("utf-16"), "a.jsonl", "UTF-16: save it as UTF-8"),
    ('{"user_input": "q"}\n'.encode("utf-16-le"), "a.jsonl", "not a text file (or UTF-16"),
    ('{"user_input": "q"}\n'.encode("utf-32"), "a.jsonl", "UTF-32: save it as UTF-8"),
    (codecs.BOM_UTF32_BE + '{"user_input": "q"}\n'.encode("utf-32-be"), "a.jsonl", "a.jsonl: UTF-32: save"),
    ('{"user_input": "q"}\n'.encode("utf-32-be"), "a.jsonl", "not a text file (or UTF-32"),
    (b"\x1f\x8b\x08\x00", "a.jsonl.gz", "a gzip archive: unpack it first"),
    (b"PK\x03\x04abc", "a.xlsx", "a zip archive or an Excel workbook"),
    (b"PAR1abc", "a.parquet", "a damaged parquet file"),
    (b"ARROW1abc", "a.arrow", "a damaged arrow file"),
    (b"SQLite format 3\x00" + b"x" * 100, "workbench.db", "a SQLite database"),
    (bytes(range(256)) * 10, "a.jsonl", "not a text file"),
    (b"\x00" * 1_000, "a.jsonl", "not a text file"),
    (b"\xc3(", "a.jsonl", "not UTF-8: byte 0xc3 at offset 0"),
    ('{"a": "мир"}\n{"a": "мир"}\n'.encode("cp1251"), "a.jsonl", "not UTF-8: byte 0xec at offset 7"),
    ("вопрос,ответ\n".encode("cp1251"), "a.csv", "not UTF-8: byte 0xe2 at offset 0"),
    (b"[]", "a.json", "no rows"),
    (b"[1, 2]", "a.txt", "no rows that can be read: "),
    (b'[{"user_input": "q"', "a.json", "no rows that can be read: "),
    (b'{\n  "runs": {"n": 1}\n}', "a.json", "no columns of a known format: runs"),
    (
        b'{"who": "me", "what": 3}',
        "a.jsonl",
        "no columns of a known format: who, what; name yours with --map",
    ),
    (b"Dear reader,\nwe\n", "a.txt", "the header has Dear reader, Unnamed: 1: no column for user_input"),
    (b"%PDF-1.7\n1 0 obj\n", "a.pdf", "the header has %PDF-1.7: no column for user_input (one of"),
    (b"a\rb\r", "a.csv", "header: got new-line character seen in unquoted field"),
]


@pytest.mark.parametrize(("data", "name", "message"), FILES, ids=range(len(FILES)))
def test_an_unreadable_file_is_refused_before_any_row(
    tmp_path: Path, data: bytes, name: str, message: str
) -> None:
    """With what it is, and what to do."""
    path = tmp_path / name
    path.write_bytes(data)

    with pytest.raises(InputError) as caught:
        read(path, notes=Notes())
    assert message in str(caught.value)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    """With a hint to name a file."""
    with pytest.raises(InputError, match="a folder: name a file"):
        read(tmp_path, notes=Notes())


def test_one_bad_line_of_another_encoding_does_not_refuse_the_file(load: Any) -> None:
    """A file whose only row is bad is a file with one bad row."""
    assert load('{"a": "мир"}\n'.encode("cp1251")).errors == [
        "1: row: got byte 0xec at offset 7 of the file, expected UTF-8"
    ]


def test_half_a_character_behind_a_document_is_named(load: Any) -> None:
    """Also where the last read of the file holds nothing else."""
    for size in (_PIECE - 1, _PIECE, _PIECE + 1):
        loaded = load(b"[" + row().encode().ljust(size - 2) + b"]\xd0", name="rows.json")

        assert [f"1: row: got byte 0xd0 at offset {size:,} of the file, expected UTF-8"] == loaded.errors
        assert 1 == len(loaded.records)


@pytest.mark.parametrize("size", [1, _PIECE, 3 * _PIECE])
def test_rows_of_a_document_before_a_foreign_byte_come_in(load: Any, size: int) -> None:
    """Also those that are read together with the end of a long one."""
    text = f"[{row(response='x' * size)},{row()},\n{row(response='?')}]".encode().replace(b"?", b"\xe0")
    loaded = load(text, name="rows.json")

    assert [
        f"2: row: got byte 0xe0 at offset {text.index(0xE0):,} of the file, expected UTF-8"
    ] == loaded.errors
    assert 2 == len(loaded.records)


@pytest.mark.parametrize(
    ("number", "got"),
    [("-1.5e+03", "number -1500.0"), ("1e4000", "1e4000"), ("NaN", "nothing"), ("[]", "a list of 0")],
)
def test_a_value_that_a_read_cuts_is_read_whole(load: Any, number: str, got: str) -> None:
    for part in range(len(number) + 1):
        loaded = load(f"[{row()},".ljust(_PIECE - part) + f"{number}]", name="rows.json")

        assert 1 == len(loaded.records) == len(loaded.errors)
        assert f": row: got {got}, expected " in loaded.errors[0]


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
GOOD = {
    "user_input": st.just("q"),
    "reference": st.just("Agra is Agra"),
    "retrieved_contexts": st.just(["Agra", ""]),
}
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


def is_record_or_error(row: FileRow) -> bool:
    return (row.record is None) != (row.error is None)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100, deadline=None)
@given(
    st.binary(max_size=300),
    st.sampled_from([b"", row().encode() + b"\n", b"question,contexts,ground_truth\n"]),
    st.sampled_from(["a.jsonl", "a.csv", "a.txt"]),
)
def test_any_bytes_are_rows_or_a_refused_file(tmp_path: Path, data: bytes, start: bytes, name: str) -> None:
    """Also after a good beginning."""
    assert all(is_record_or_error(row) for row in rows_of(start + data, tmp_path / name))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100, deadline=None)
@given(st.lists(st.lists(st.text("ab'\"[],;\\\n\r\té…\x00", max_size=12), max_size=5), max_size=5))
def test_any_cells_are_rows_or_errors(tmp_path: Path, table: list[list[str]]) -> None:
    """Written with and without the quotes they need."""
    text = "\n".join(",".join(cells) for cells in table)
    quoted = "\n".join(",".join('"' + c.replace('"', '""') + '"' for c in cells) for cells in table)

    for body in (text, quoted):
        rows = rows_of(f"question,contexts,ground_truth,m\n{body}".encode(), tmp_path / "a.csv")
        assert all(is_record_or_error(row) for row in rows)
