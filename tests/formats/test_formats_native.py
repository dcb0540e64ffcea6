"""Native JSON Lines as a file: its bytes, its lines, its size."""

import gc
import json
import warnings
from pathlib import Path
from typing import Any

from workbench.formats.exports.item import to_line
from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.model import GoldRecord, Span, Unit

REFERENCE = "The Taj Mahal is in Agra. Agra is a city."
CONTEXT = "The Taj Mahal, Agra."


def row(**more: Any) -> dict[str, Any]:
    return {"id": "s", "user_input": "Where?", "reference": REFERENCE, "retrieved_contexts": [CONTEXT]} | more


def test_bom_crlf_blank_lines_and_a_missing_last_newline_are_read(load: Any) -> None:
    """Line numbers count the blank ones."""
    line = json.dumps(row()).encode()
    loaded = load(b"\xef\xbb\xbf\r\n" + line + b"\r\n  \n\n  " + line)

    assert [row.line for row in loaded.rows] == [2, 5]
    assert loaded.rows[0].record == loaded.rows[1].record
    assert loaded.rows[0].raw == line.decode()


def test_foreign_bytes_are_refused_with_their_offset_in_the_file(load: Any) -> None:
    """Of one row; the raw row shows them as escapes."""
    good = json.dumps(row()).encode()
    bad = b'{"user_input": "caf\xe9"' + b" " * 20_000 + b"}"
    loaded = load(good + b"\n" + bad)

    said = f"2: row: got byte 0xe9 at offset {len(good) + 1 + 19} of the file, expected UTF-8"
    assert [said] == loaded.errors
    assert loaded.rows[1].raw == '{"user_input": "caf\\xe9"' + " " * 20_000 + "}"


def test_progress_ends_at_the_size_of_the_file(tmp_path: Path) -> None:
    """It is called about once a megabyte, with bytes."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + (json.dumps(row(response="x" * 10_000)) + "\n").encode() * 300)
    seen: list[int] = []

    assert sum(1 for _ in read(path, notes=Notes(), progress=seen.append)) == 300
    assert seen == sorted(seen)
    assert seen[-1] == path.stat().st_size
    assert len(seen) == 3


def test_a_line_over_the_limit_is_one_bad_row(tmp_path: Path) -> None:
    """The rest of it is skipped and the next row is read."""
    path = tmp_path / "a.jsonl"
    good = json.dumps(row()).encode()
    path.write_bytes(good + b'\n{"id": "' + b"x" * (64 * 1024 * 1024) + b'"}\n' + good)
    seen: list[int] = []
    rows = list(read(path, notes=Notes(), progress=seen.append))

    said = "2: row: got a line of more than 67,108,864 bytes, expected one sample a line, in less"
    assert [(1, None), (3, None)] == [(row.line, row.error) for row in rows[::2]]
    assert (said, 10_000) == (str(rows[1].error).rpartition("a.jsonl:")[2], len(rows[1].raw))
    assert seen[-1] == path.stat().st_size


def test_nothing_is_opened_before_the_first_row_is_asked_for(tmp_path: Path) -> None:
    """A stream that is dropped, or was never started, leaves no open file behind."""
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row()))

    with warnings.catch_warnings(record=True) as unclosed:
        warnings.simplefilter("always")
        started = read(path, notes=Notes())
        next(started)
        del started
        read(path, notes=Notes())
        gc.collect()

    assert [] == [str(one.message) for one in unclosed]


def test_units_that_do_not_count_are_not_written(load: Any) -> None:
    """Gold is what counts; an undecided verdict counts like an unsure one."""
    sample = load(row()).record
    units = tuple(
        Unit(name, "entity", "Agra", spans=(Span(20, 24),), rejected=name == "a", duplicate_of=twin)
        for name, twin in (("a", ""), ("b", ""), ("c", "b"))
    )
    line = to_line(type(sample)(sample.sample, gold=(GoldRecord("ana", entities=units),)))

    assert json.loads(line)["gold"]["entities"] == [
        {"id": "b", "text": "Agra", "start": 20, "end": 24, "verdict": "unsure", "evidence": []}
    ]
