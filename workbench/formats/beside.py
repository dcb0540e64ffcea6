"""A file that stands beside a dataset of ragas and holds the native rows that its keys have no place for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.errors import RowError
from workbench.formats import ragas
from workbench.formats.columns import NAMES
from workbench.formats.lines import decoded, lines
from workbench.formats.mapping import Columns, renamed
from workbench.formats.native import Build
from workbench.formats.objects import parse
from workbench.formats.rows import Notes
from workbench.model import Record

SUFFIX = ".workbench.jsonl"


def beside_path(path: Path) -> Path:
    """Where the native rows of a file stand: `dataset.workbench.jsonl` beside `dataset.jsonl`."""
    return path.with_name(path.stem + SUFFIX)


def beside(path: Path, build: Build, columns: Columns) -> Build:
    """`build`, with the native row that stands on the same line of the other file where there is one.

    A line of it that cannot be read, or that is of another text, is left aside and counted.
    """
    other = beside_path(path)
    if not other.is_file() or path.name.endswith(SUFFIX):
        return build
    waiting = lines(other)
    at = 0

    def joined(row: dict[str, Any], raw: str, notes: Notes) -> Record:
        nonlocal at
        found: tuple[int, int, bytes] | None = None
        while at < notes.line and (found := next(waiting, None)) is not None:
            at = found[0]
        if found is None or at != notes.line:
            notes.counted[f"no line beside it in {other.name}"] += 1
            return build(row, raw, notes)
        try:
            text = decoded(found[2], found[1])
            if _of_this_text(parse(text), renamed(row, columns)):
                return ragas.joined_record(row, raw, text, columns, notes)
            why = f"a line of {other.name} for another text, left aside"
        except (RowError, RecursionError):
            why = f"a line of {other.name} that cannot be read"
        plain = build(row, raw, notes)  # raises where it is the row itself that is wrong
        notes.counted[why] += 1
        return plain

    return joined


def _of_this_text(exported: dict[str, Any], row: dict[str, Any]) -> bool:
    """Whether a native row has the question and contexts of a row, and its reference if any."""

    def said(field: str) -> Any:
        return next((row[name] for name in NAMES[field] if name in row), None)

    same = all(exported.get(field) == said(field) for field in ("user_input", "retrieved_contexts"))
    return same and exported.get("reference") in (None, said("reference"))
