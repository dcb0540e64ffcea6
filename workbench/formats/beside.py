"""A file that stands beside a dataset of ragas and holds the native rows that its keys have no place for."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from workbench.errors import RowError
from workbench.formats import ours
from workbench.formats.lines import decoded, lines
from workbench.formats.native import Build
from workbench.formats.objects import as_written, parse
from workbench.formats.rows import Notes
from workbench.model import Record

SUFFIX = ".workbench.jsonl"


def beside_path(path: Path) -> Path:
    """Where the native rows of a file stand: `dataset.workbench.jsonl` beside `dataset.jsonl`."""
    return path.with_name(path.stem + SUFFIX)


def beside(path: Path, build: Build) -> Build:
    """`build`, which gives the native row that stands on the same line beside where there is one.

    A line beside that cannot be read, or that is of another text, is left aside and counted.
    """
    other = beside_path(path)
    if not other.is_file() or path.name.endswith(SUFFIX):
        return build
    waiting = lines(other)
    at = 0

    def joined(row: dict[str, Any], raw: str, notes: Notes) -> Record:
        nonlocal at
        plain = build(row, raw, notes)
        found: tuple[int, int, bytes] | None = None
        while at < notes.line and (found := next(waiting, None)) is not None:
            at = found[0]
        if found is None or at != notes.line:
            notes.counted[f"no line beside it in {other.name}"] += 1
            return plain
        try:
            text = decoded(found[2], found[1])
            fields = {"reference": plain.sample.reference, "response": plain.sample.response}
            mine = ours.record(parse(text), fields, partial(as_written, text), notes).record
        except (RowError, RecursionError):
            notes.counted[f"a line of {other.name} that cannot be read"] += 1
            return plain
        if mine.sample.content_hash != plain.sample.content_hash:
            notes.counted[f"a line of {other.name} for another text, left aside"] += 1
            return plain
        return mine

    return joined
