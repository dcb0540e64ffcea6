"""ragas datasets and result tables, JSON Lines and CSV, under the column names of every version.

A row is brought to the native names and then read like a native one, so that `gold`, `proposal` and the
other native keys work here too. `dataset.workbench.jsonl` next to a dataset holds the native rows that the
keys of ragas have no place for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

from workbench.errors import RowError
from workbench.formats import tables
from workbench.formats.columns import (
    FIELD_OF,
    LISTS_OF_REFERENCES,
    NAMES,
    OTHER_FIELDS,
    Digits,
    NamedColumns,
    is_metric,
    list_cell,
    number_cell,
    number_texts,
    renamed,
    score_name,
)
from workbench.formats.detect import DatasetFile
from workbench.formats.exports.tables import original
from workbench.formats.json_lines import Progress, as_written, decoded, lines, loads, parse
from workbench.formats.readers import deepeval, native, ours
from workbench.formats.readers.native import Build
from workbench.formats.rows import (
    TEXT_LIMIT,
    FileRow,
    Notes,
    check_depth,
    check_texts,
    excerpt,
    refused,
    shown,
)
from workbench.model import Record

# What a column is: a field of a sample, a native key, a metric, kept as it is, a score when it holds a
# number and kept otherwise, or not looked at.
Role = Literal["field", "native", "metric", "kept", "other", "nothing"]

# A native name over a value of another shape is a column like any other.
_SHAPES: dict[str, tuple[type, ...]] = {"meta": (dict,), "scores": (dict,), "alternatives": (list,)}
_INDEX = re.compile(r"Unnamed: 0(?:\.\d+)?|")  # what to_csv() without index=False puts first
_MESSAGES = re.compile(r"""\[\s*\{\s*['"](?:content|role|type|metadata)['"]""")
_TEXTS = (*native.REQUIRED, "response")
_REFERENCE_LIST_CELLS = frozenset({"ground_truths", "groundTruths"})


def record_of(row: dict[str, Any], raw: str, notes: Notes) -> Record:
    """The record of a JSON row with ragas names."""
    return _record(row, partial(as_written, raw), notes)


def mapped_record(row: dict[str, Any], raw: str, columns: NamedColumns, notes: Notes) -> Record:
    """The record of a row whose columns a person named; `raw` has them as they were."""
    return _record(row, lambda: renamed(as_written(raw), columns), notes)


def csv_rows(
    source: DatasetFile, notes: Notes, progress: Progress | None, columns: NamedColumns
) -> Iterator[FileRow]:
    """Every row of a table."""
    names = [name or (f"Unnamed: {index}" if index else "") for index, name in enumerate(source.names)]
    return _table_rows(source, names, notes, progress, columns)


def _table_rows(
    source: DatasetFile, names: list[str], notes: Notes, progress: Progress | None, columns: NamedColumns
) -> Iterator[FileRow]:
    path = source.path
    found = tables.records(path, source.delimiter, progress)
    next(found)  # the header
    for one in found:
        record = error = None
        stands: dict[str, Any] = {}
        notes.line = one.line
        try:
            if one.error is not None:
                raise one.error
            if len(one.cells) != len(names):
                raise RowError("row", f"{len(one.cells)} cells", f"{len(names)} as in the header")
            stands = cells = dict(zip(names, one.cells, strict=True))
            read = deepeval.row_of(cells) if source.format == "deepeval" else _from_cells(cells, columns)
            # Only an escape inside a list brings half a surrogate pair into a text of a table.
            if "\\" in one.raw or "\0" in one.raw or len(one.raw) > TEXT_LIMIT:
                check_texts(read)
            stands = read
            if source.format == "deepeval":
                record = deepeval.record_of(renamed(read, columns), _json(read), notes)
            else:
                record = _record(read, partial(_scores_cell, cells), notes)
        except (RowError, RecursionError) as failure:
            error = refused(failure, path, one.line)
        yield FileRow(one.line, record, error, _json(stands) if stands else one.raw)


def _json(cells: dict[str, Any]) -> str:
    """The row as JSON Lines would have it."""
    plain = {name: loads(cell) if type(cell) is Digits else cell for name, cell in cells.items()}
    return json.dumps(plain, ensure_ascii=False)


def _from_cells(cells: dict[str, str], columns: NamedColumns) -> dict[str, Any]:
    """A row of cells as the JSON row it was written from; an empty cell is nothing."""
    row: dict[str, Any] = {}
    exported = bool(cells.get(ours.OBJECT))
    if exported:
        row = _exported_cells(cells)
        cells = {name: cell for name, cell in cells.items() if name not in row and not ours.is_exported(name)}
    if columns:
        row |= _named_cells(cells, columns)
        cells = {name: cell for name, cell in cells.items() if not _is_named(name, columns)}
        cells = {f"{name}_" if name in row else name: cell for name, cell in cells.items()}
    for name, role in _roles(tuple(cells)):
        cell = cells[name]
        if role == "nothing" or not cell.strip():
            if role == "metric" or name in row:
                row.setdefault(name, None)
            continue
        field = FIELD_OF.get(name)
        if field == "user_input" and _MESSAGES.match(cell):
            raise native.multi_turn()
        if field == "retrieved_contexts" or name in _REFERENCE_LIST_CELLS:
            row[name] = list_cell(cell, name)
        elif field is not None or name in ("id", "group"):
            row[name] = cell
        elif role == "native" or name in OTHER_FIELDS:
            row[name] = _value(cell)
        else:
            row[name] = number_cell(cell, name)
    for field in ("user_input", "reference") if not exported else ():
        if not any(name in row for name in NAMES[field]):
            row[field] = ""
    check_depth(row, "row")
    return row


def _exported_cells(cells: dict[str, str]) -> dict[str, Any]:
    """The texts of a row that we exported.

    `samples.csv` has an apostrophe before what a spreadsheet would run, and the column `contexts`; a
    Hugging Face dataset that was written as CSV has neither.
    """
    text = original if "contexts" in cells else str
    row: dict[str, Any] = {ours.OBJECT: cells[ours.OBJECT]}
    for name in native.REQUIRED:
        if (cell := cells.get(name)) is not None:
            row[name] = list_cell(cell, name) if name == "retrieved_contexts" else text(cell)
    if response := cells.get("response"):
        row["response"] = text(response)
    return row


def _is_named(name: str, columns: NamedColumns) -> bool:
    return name in columns.fields or name in columns.external


def _named_cells(cells: dict[str, str], columns: NamedColumns) -> dict[str, Any]:
    """The fields and scores of the columns that a person named. Raises RowError."""
    row: dict[str, Any] = {}
    for name, cell in cells.items():
        field = columns.fields.get(name)
        if field == "retrieved_contexts":
            listed = cell.strip().startswith("[")
            found = list_cell(cell, name) if listed else [cell] if cell.strip() else []
            row.setdefault(field, []).extend(found)
        elif field is not None:
            row[field] = cell
        elif name in columns.external:
            number = number_cell(cell, name)
            if number is not None and type(number) is not Digits:
                raise RowError(excerpt(name), shown(cell), "a number from 0 to 1")
            row[score_name(name, columns.external[name])] = number
    return row


def _value(cell: str) -> Any:
    """A list or object written into a cell, else the cell."""
    try:
        return loads(cell) if cell.startswith("{") else list_cell(cell, "")
    except (RowError, RecursionError):
        return cell


def _scores_cell(cells: dict[str, str]) -> dict[str, Any]:
    """The one cell of a table whose numbers are not text already."""
    return {"scores": as_written(cells["scores"])}


def _record(
    row: dict[str, Any],
    again: Callable[[], Mapping[str, Any]],
    notes: Notes,
    exported: Any = None,
    *,
    beside: bool = False,
) -> Record:
    """The record of a row under any names; `again` gives the row with its fractions as text.

    `exported`: the native row that an export of ours left of it, in the row itself unless `beside`.
    """
    if not beside and type(row.get(ours.OBJECT)) in (str, dict):
        exported = row[ours.OBJECT]
        row = {
            name: value for name, value in row.items() if name != ours.OBJECT and not ours.is_exported(name)
        }
    given: dict[str, Any] = {}
    named: dict[str, str] = {}
    numbers: dict[str, int | float | Digits] = {}
    other: dict[str, Any] = {}
    alternatives: list[Any] = []
    for name, role in _roles(tuple(row)):
        value = row[name]
        if value is None or role == "nothing":
            if value is None and (role == "metric" or name in notes.scores):
                notes.failed[name] += 1
            continue
        if role == "field":
            if name in LISTS_OF_REFERENCES and type(value) is list:
                alternatives += value[1:]
                value = value[0] if value else ""
            field = FIELD_OF[name]
            if field in named and given[field] != value:
                got = f"{shown(given[field])} and {shown(value)}"
                raise RowError(f"{named[field]} and {name}", got, "the same in both, or only one of them")
            given[field], named[field] = value, name
        elif role == "native" and exported is not None and name not in ("meta", "scores"):
            notes.ignored[name] += 1  # the native row says it
        elif role == "native" and type(value) in _SHAPES.get(name, (type(value),)):
            given[name] = value
        elif (number := _score_number(value, name, role)) is not None:
            numbers[name] = number
        elif role != "metric" or type(value) is not str or number_cell(value, name) is not None:
            other[name] = value
        else:
            notes.failed[name] += 1
    if alternatives:
        given["alternatives"] = [*alternatives, *given.get("alternatives", ())]
    scores = number_texts(numbers, again) if numbers else {}
    if exported is not None:
        texts = {"reference": "", **{name: given[name] for name in _TEXTS if name in given}}
        found = ours.record(exported, texts, lambda: again()[ours.OBJECT], notes)
        scores = {**native.scores_of(given, again, Notes()), **scores} if "scores" in given else scores
        return ours.extended(found, scores, {**given.get("meta", {}), **other}, notes)
    notes.scores.update(numbers.keys())
    if "scores" in given:
        scores = native.scores_of(given, again, notes) | scores
    return native.build(given, notes, scores, other)


def _score_number(value: Any, name: str, role: Role) -> int | float | Digits | None:
    """The number of an external score; None for anything else."""
    if role not in ("metric", "other"):
        return None
    if native.is_number(value) or type(value) is Digits:
        return value  # type: ignore[no-any-return]
    if role == "metric" and type(value) is str:
        number = number_cell(value, name)
        return number if type(number) is Digits else None
    return None


@lru_cache(maxsize=256)
def _roles(names: tuple[str, ...]) -> tuple[tuple[str, Role], ...]:
    """The role of every column of a row; rows of one file have the same few lists of names."""
    return tuple((name, _role(name, index)) for index, name in enumerate(names))


def is_index(name: str) -> bool:
    """Whether a column is the index that a data frame wrote."""
    return bool(_INDEX.fullmatch(name))


def _role(name: str, index: int) -> Role:
    if name == "_error" or (is_index(name) and (name or not index)):
        return "nothing"
    if name in FIELD_OF:
        return "field"
    if name in native.ONLY_HERE:
        return "native"
    return "metric" if is_metric(name) else "kept" if name in OTHER_FIELDS else "other"


SUFFIX = ".workbench.jsonl"


def beside(path: Path, build: Build, columns: NamedColumns) -> Build:
    """`build`, with the native row that stands on the same line of the other file where there is one.

    A line of it that cannot be read, or that is of another text, is left aside and counted.
    """
    other = path.with_name(path.stem + SUFFIX)
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
            notes.counted[f"no line of the same number in {other.name}"] += 1
            return build(row, raw, notes)
        try:
            text = decoded(found[2], found[1])
            if _of_this_text(parse(text), renamed(row, columns)):
                named = renamed(row, columns)
                return _record(named, lambda: renamed(as_written(raw), columns), notes, text, beside=True)
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
