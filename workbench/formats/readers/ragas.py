"""ragas datasets and result tables, JSON Lines and CSV, under the column names of every version.

A row is brought to the native names and then read like a native one, so that `gold`, `proposal` and the
other native keys work here too. `dataset.workbench.jsonl` next to a dataset holds the native rows that the
keys of ragas have no place for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from workbench.errors import RowError
from workbench.formats import columns
from workbench.formats.columns import FIELD_OF, NAMES, OTHER_FIELDS, is_metric, list_cell, number_cell
from workbench.formats.exports.tables import original
from workbench.formats.json_lines import decoded, lines, loads, parse
from workbench.formats.readers import native
from workbench.formats.rows import OBJECT, Notes, check_depth, excerpt, rest_of, shown, wrong
from workbench.model import JsonObject, Record

# What a column is: a field of a sample, a native key, a metric, kept as it is, a score when it holds a
# number and kept otherwise, or not looked at.
Role = Literal["field", "native", "metric", "kept", "other", "nothing"]

# A native name over a value of another shape is a column like any other.
_SHAPES: dict[str, tuple[type, ...]] = {"meta": (dict,), "scores": (dict,), "alternatives": (list,)}
_INDEX = re.compile(r"Unnamed: 0(?:\.\d+)?")  # what to_csv() without index=False puts first
_MESSAGES = re.compile(r"""\[\s*\{\s*['"](?:content|role|type|metadata)['"]""")
_TEXTS = (*columns.REQUIRED, "response")


@lru_cache(maxsize=1024)
def _role(name: str) -> Role:
    if name == "_error" or _INDEX.fullmatch(name):
        return "nothing"
    if name in FIELD_OF:
        return "field"
    if name in native.ONLY_HERE:
        return "native"
    return "metric" if is_metric(name) else "kept" if name in OTHER_FIELDS else "other"


def row_of_cells(cells: JsonObject) -> JsonObject:
    """A row of a table as the JSON row it was written from; an empty cell is nothing.

    In a row that we exported the native row says most columns again. Its `samples.csv`, which has the column
    `contexts`, puts an apostrophe before what a spreadsheet would run; a Hugging Face dataset that was
    written as CSV does not.
    """
    exported = bool(cells.get(OBJECT))
    text = original if exported and "contexts" in cells else str
    row: JsonObject = {}
    for name, cell in cells.items():
        field = FIELD_OF.get(name)
        if exported and native.is_exported(name):
            continue
        if type(cell) is list:  # the contexts of columns that a person named
            row[name] = [part for part in cell if type(part) is not str or part.strip()]
        elif not cell.strip():
            if is_metric(name):
                row[name] = None
        elif field == "user_input" and _MESSAGES.match(cell):
            raise RowError(*native.MULTI_TURN)
        elif name in columns.LIST_CELLS:
            row[name] = list_cell(cell, name)
        elif field is not None or name in ("id", "group"):
            row[name] = text(cell)
        elif name == OBJECT:
            row[name] = cell
        elif cell[0] in "[{" or name in native.ONLY_HERE or name in OTHER_FIELDS:
            row[name] = _value(cell)
        else:
            row[name] = number_cell(cell, name)
    for field in () if exported or columns.scores_alone(cells) else ("user_input", "reference"):
        if all(row.get(name) is None for name in NAMES[field]):
            row[field] = ""
    return row


def _value(cell: str) -> Any:
    """A list or object written into a cell, else the cell."""
    try:
        value = loads(cell) if cell.startswith("{") else list_cell(cell, "")
        check_depth(value, "")
        return value
    except (RowError, RecursionError):
        return cell


def record_of(
    row: JsonObject, notes: Notes, *, exported: Any = None, meta: JsonObject | None = None
) -> Record:
    """The record of a row under any names. Raises RowError.

    `exported` is the native row that an export of ours left elsewhere than in the row itself; `meta` has
    further values for `meta`.
    """
    if exported is None and type(row.get(OBJECT)) in (str, dict):
        exported = row[OBJECT]
        again = {OBJECT, *filter(native.is_exported, row)}
        row = rest_of(row, again)
    values = _Values(notes, dict(meta or {}), exported=exported is not None)
    for name, value in row.items():
        values.add(name, value)
    given = values.given
    if values.alternatives:
        given["alternatives"] = [*values.alternatives, *given.get("alternatives", ())]
    scores = columns.number_texts(values.numbers, {**notes.columns, **row})
    if exported is not None:
        texts = {"reference": "", **{name: given[name] for name in _TEXTS if name in given}}
        ours = native.record(exported, texts, notes)
        scores = {**native.scores_of(given, notes), **scores}
        return native.extended(ours, scores, {**given.get("meta", {}), **values.other}, notes)
    return native.build(given, notes, native.scores_of(given, notes) | scores, values.other)


@dataclass(slots=True)
class _Values:
    """The values of a row by what their names say. `exported`: a native row says what a row of ours has."""

    notes: Notes
    other: JsonObject
    exported: bool
    given: JsonObject = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int | float] = field(default_factory=dict)
    alternatives: list[Any] = field(default_factory=list)

    def add(self, name: str, value: Any) -> None:
        """Put a value where its name says. Raises RowError."""
        role = _role(name)
        if value is None or role == "nothing":
            if value is None and (role == "metric" or name in self.notes.scores):
                self.notes.failed[columns.kept_as(name, self.notes.columns)] += 1
        elif role == "field":
            if name in columns.LISTS_OF_REFERENCES and type(value) is list:
                self.alternatives += value[1:]
                value = value[0] if value else ""
            key = FIELD_OF[name]
            if key in self.named and self.given[key] != value:
                got = f"{shown(self.given[key])} and {shown(value)}"
                raise RowError(f"{self.named[key]} and {name}", got, "the same in both, or only one of them")
            self.given[key], self.named[key] = value, name
        elif role == "native" and self.exported and name not in ("meta", "scores"):
            self.notes.ignored[name] += 1  # the native row says it
        elif role == "native" and type(value) in _SHAPES.get(name, (type(value),)):
            self.given[name] = value
        elif role == "metric" and type(value) is str:
            self._add_cell(name, value)
        elif role in ("metric", "other") and columns.is_number(value):
            self.numbers[name] = value
        else:
            self.other[name] = value

    def _add_cell(self, name: str, value: str) -> None:
        """A metric as text, as a cell has it."""
        number = number_cell(value, name)
        if number is None:
            self.notes.failed[columns.kept_as(name, self.notes.columns)] += 1
        elif not isinstance(number, str):
            self.numbers[name] = number
        elif name.endswith(columns.KIND_ENDS):
            raise wrong(excerpt(name), value, "a number from 0 to 1")
        else:
            self.other[name] = value


SUFFIX = ".workbench.jsonl"


def with_file_beside(path: Path, build: native.Build) -> native.Build:
    """`build`, with the native row that stands on the same line of the other file where there is one.

    A line of it that cannot be read, or that is of another text, is left aside and counted.
    """
    other = path.with_name(path.stem + SUFFIX)
    if not other.is_file() or path.name.endswith(SUFFIX):
        return build
    waiting = lines(other)
    at = 0

    def joined(row: JsonObject, notes: Notes) -> Record:
        nonlocal at
        data, offset = b"", 0
        while at < notes.line and (following := next(waiting, None)) is not None:
            at, offset, data = following
        why = f"no line of the same number in {other.name}"
        if data and at == notes.line:
            try:
                exported = parse(decoded(data, offset))
                if _of_this_text(exported, row):
                    return record_of(row, notes, exported=exported)
                why = f"a line of {other.name} for another text, left aside"
            except (RowError, RecursionError):
                why = f"a line of {other.name} that cannot be read"
        plain = build(row, notes)  # raises where it is the row itself that is wrong
        notes.counted[why] += 1
        return plain

    return joined


def _of_this_text(exported: JsonObject, row: JsonObject) -> bool:
    """Whether a native row has the question and contexts of a row, and its reference if any."""

    def value_of(field: str) -> Any:
        return next((row[name] for name in NAMES[field] if name in row), None)

    same = all(exported.get(field) == value_of(field) for field in ("user_input", "retrieved_contexts"))
    return same and exported.get("reference") in (None, value_of("reference"))
