"""CSV, Parquet and Arrow files as streams of rows. Parquet and Arrow need pyarrow, the extra `parquet`."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from workbench.errors import InputError, RowError, UsageError
from workbench.formats.columns import FIELD_OF, NO_COLUMNS, NamedColumns, is_metric, scores_alone
from workbench.formats.json_lines import RawRow, lines, not_utf8, parse
from workbench.formats.parquet import load_pyarrow, pieces
from workbench.formats.rows import LINE_LIMIT, TEXT_LIMIT, Refusal, check_texts, excerpt
from workbench.model import JsonObject, Progress, silent

DELIMITERS = (",", ";", "\t")
UNNAMED = "Unnamed: "


@dataclass(frozen=True, slots=True)
class Cells:
    """One record of a table: its cells, or why there are none. `raw` is the text as it stood."""

    line: int
    cells: list[str]
    error: RowError | None
    raw: str


class _Feed:
    """Gives csv.reader its lines and remembers those of the record under way.

    One record may span lines; an unclosed quote would swallow the rest of the file, so that a record is
    cut at `LINE_LIMIT`.
    """

    def __init__(self, source: Iterator[tuple[int, int, bytes]]) -> None:
        self._source = source
        self.reset()

    def reset(self) -> None:
        self.line = self.size = 0
        self.taken: list[str] = []
        self.error: RowError | None = None

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        number, offset, data = next(self._source)
        self.line = self.line or number
        self.size += len(data)
        if self.size > LINE_LIMIT:
            self.taken = self.taken[:1]
            raise RowError("row", f"more than {LINE_LIMIT:,} bytes in one row", "a quote that is closed")
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            self.error = self.error or not_utf8(data[error.start], offset + error.start)
            text = data.decode("utf-8", "backslashreplace")
        self.taken.append(text)
        return text


def records(path: Path, delimiter: str, progress: Progress = silent) -> Generator[Cells]:
    """Every record of a table, the header among them; blank lines are left out."""
    # The limit is one of the whole process and stands at 131,072 characters: only ever raised here.
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    with closing(lines(path, progress)) as source:
        feed = _Feed(source)
        reader = csv.reader(feed, delimiter=delimiter, strict=True)
        while True:
            feed.reset()
            cells: list[str] = []
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                feed.error = feed.error or RowError("row", _malformed(feed, str(error)), "a row of CSV")
            except RowError as error:
                feed.error = error
            blank = not cells or (len(cells) == 1 and not cells[0].strip())
            if feed.error or not blank:
                yield Cells(feed.line, cells, feed.error, "".join(feed.taken).rstrip("\r\n"))


def csv_objects(
    path: Path,
    delimiter: str,
    to_object: Callable[[JsonObject], JsonObject],
    progress: Progress,
    *,
    mapped: bool,
) -> Generator[RawRow]:
    """The rows of a table as objects; `to_object` makes one of the cells of a row, by their columns. With
    `mapped` it renames them, and a row that is put aside keeps its own names."""
    rows = records(path, delimiter, progress)
    names = column_names(next(rows).cells)
    for row in rows:
        value: JsonObject = {}
        raw = row.raw
        error: Refusal | None = row.error
        try:
            if error is None and len(row.cells) != len(names):
                raise RowError("row", f"{len(row.cells)} cells", f"{len(names)} as in the header")
            if error is None:
                cells = dict(zip(names, row.cells, strict=True))
                raw = _encode(cells)
                value = to_object(cells)
                # Only an escape inside a list brings half a surrogate pair into a text of a table.
                if "\\" in row.raw or "\0" in row.raw or len(row.raw) > TEXT_LIMIT:
                    check_texts(value)
                raw = raw if mapped else _encode(value)
        except (RowError, RecursionError) as failure:
            value, error = {}, failure
        yield RawRow(row.line, value or None, raw, error)


def column_names(cells: list[str]) -> list[str]:
    """The names of the columns; a column without one is called as pandas calls it."""
    return [cell.strip() or f"{UNNAMED}{index}" for index, cell in enumerate(cells)]


def _malformed(feed: _Feed, message: str) -> str:
    last = feed.line + len(feed.taken) - 1
    where = f" in lines {feed.line:,}–{last:,}" if last > feed.line else ""
    return f"{excerpt(message)}{where}"


def header(path: Path, known: frozenset[str]) -> tuple[list[str], str, int]:
    """The names of the columns, the delimiter that gives most of the `known` ones, else most columns, and the
    header's line.

    Raises InputError for a header that cannot be read, or has a name twice, and for a table without rows.
    """
    failure: RowError | None = None
    readings: list[tuple[tuple[int, int], list[str], str, int, bool]] = []
    for delimiter in DELIMITERS:
        with closing(records(path, delimiter)) as rows:
            first, second = next(rows, None), next(rows, None)
        if first is None:
            raise InputError(f"{path}: no rows: it is empty")
        if first.error is not None:  # quotes end before the right delimiter only
            failure = failure or first.error
        else:
            names = column_names(first.cells)
            ours = sum(name in known or name.partition(".")[0] in known for name in names)
            fitness = ours, 0 if ours else len(names)
            readings.append((fitness, names, delimiter, first.line, second is not None))
    if failure is not None and not readings:
        raise InputError(f"{path}: header: got {failure.got}, expected {failure.expected}")

    (ours, _), names, delimiter, line, has_rows = max(readings, key=itemgetter(0))
    if not ours and not scores_alone(names):
        return names, delimiter, line  # no table of ours: the caller names what it has
    if twice := _twice(name for name in names if not name.startswith(UNNAMED)):
        raise InputError(f"{path}: header: {twice}")
    if not has_rows:
        raise InputError(f"{path}: no rows under the header")
    return names, delimiter, line


def objects(path: Path, container: Literal["parquet", "arrow"], progress: Progress) -> Generator[RawRow]:
    """The rows of a file as objects, numbered from 1. Raises UsageError without pyarrow, InputError for a
    file that is damaged or unpacks to more than any dataset."""
    arrow = load_pyarrow(str(path))
    number = 0
    try:
        for batch in pieces(path, container):
            # An empty cell of one of these is counted as NaN is: no score there.
            scores = {
                field.name
                for field in batch.schema
                if arrow.types.is_floating(field.type) or is_metric(field.name)
            }
            for row in as_python(batch, str(path)):
                number += 1
                yield _raw_row(
                    {name: cell for name, cell in row.items() if cell is not None or name in scores}, number
                )
            progress(number)
    except (arrow.ArrowException, OSError, ValueError, UnicodeDecodeError) as error:
        what = excerpt(str(error).split("\n")[0], 200) or type(error).__name__
        if not number:
            raise InputError(f"{path}: a damaged {container} file: {what}") from error
        failure = RowError("file", what, f"a whole {container} file")
        yield RawRow(number + 1, None, "{}", failure)


def _twice(names: Iterable[str]) -> str:
    """What to say of a column that appears twice, of the first by name; "" where none does."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    return f"column {excerpt(min(twice))} appears twice" if twice else ""


def as_python(batch: Any, what: str) -> list[JsonObject]:
    """The rows of a batch as dictionaries. Raises InputError, which begins with `what`, for a column that
    appears twice, and for one with values that Python cannot hold, such as a part of a microsecond."""
    if twice := _twice(batch.schema.names):
        raise InputError(f"{what}: {twice}")
    arrow, columns = load_pyarrow(what), []
    for field, column in zip(batch.schema, batch.columns, strict=True):
        kind = field.type
        try:
            if str(kind).startswith("timestamp[ns"):  # of which pyarrow makes values of pandas where that is
                column = column.cast(arrow.timestamp("us", kind.tz))
            elif str(kind) == "duration[ns]":
                column = column.cast(arrow.duration("us"))
            columns.append(column.to_pylist())
        except UnicodeDecodeError:
            raise
        except (ValueError, OverflowError) as error:
            raise InputError(
                f"{what}: column {excerpt(field.name)} of type {kind}: its values cannot be read: write it "
                "as text, or leave it out"
            ) from error
    return [dict(zip(batch.schema.names, cells, strict=True)) for cells in zip(*columns, strict=True)]


def _raw_row(row: JsonObject, number: int) -> RawRow:
    """A row as the JSON object that says the same."""
    raw = "{}"
    try:
        raw = _encode(row)
        return RawRow(number, parse(raw), raw)
    except (RowError, RecursionError) as error:
        return RawRow(number, None, raw, error)


def is_frame(given: object) -> bool:
    """Whether it is a DataFrame of pandas or polars."""
    return hasattr(given, "columns") and hasattr(given, "to_dict")


def given_rows(given: Any, expected: str, named: NamedColumns = NO_COLUMNS) -> Iterable[Any]:
    """The rows of a DataFrame or a list. Raises UsageError, which says what is `expected`, for neither."""
    rows = _frame_rows(given, named) if is_frame(given) else given
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise UsageError(f"{expected}; got {type(rows).__name__}")
    return rows


def _frame_rows(frame: Any, named: NamedColumns) -> list[JsonObject]:
    """The rows of a DataFrame as JSON has them; None and NaN are nothing.

    In a question, a reference, an id or a group a number is its text. Raises UsageError for a column that
    appears twice.
    """
    names = [str(name) for name in frame.columns]
    if twice := _twice(names):
        raise UsageError(twice)
    fields = {name: FIELD_OF.get(field, field) for name in names for field in [named.fields.get(name, name)]}
    texts = {name for name in names if fields[name] in ("user_input", "reference", "response", "id", "group")}
    rows = []
    for cells in frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records"):
        row = plain({str(name): cell for name, cell in cells.items()})
        row |= {name: str(row[name]) for name in texts if isinstance(row[name], int | float)}
        rows.append(row)
    return rows


@contextmanager
def frame_file(frame: Any, named: NamedColumns = NO_COLUMNS) -> Iterator[Path]:
    """A DataFrame of pandas or polars, or a list of dictionaries, as a JSON Lines file that import reads."""
    rows = given_rows(frame, "give a DataFrame of pandas or polars, or a list of dictionaries", named)
    with TemporaryDirectory() as folder:
        path = Path(folder, "frame.jsonl")
        # half a surrogate pair becomes an escape of JSON, which the reader names
        with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            for number, row in enumerate(rows, 1):
                try:
                    file.write(_encode(plain(row)) + "\n")
                except RowError as error:
                    error.path, error.item = "the frame", number
                    raise
        yield path


def plain(value: Any) -> Any:
    """A value of numpy, pandas or LangChain as JSON has it, also inside lists and mappings; NaN is nothing.

    What JSON does not have stays as it is.
    """
    if hasattr(value, "page_content"):  # a document of LangChain
        return value.page_content
    if hasattr(value, "tolist"):  # of numpy, and a column of pandas
        return plain(value.tolist())
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    empty = type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    return None if empty else value


def _plain(value: Any) -> Any:
    """A value that JSON does not have."""
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, bytes):
        raise RowError("row", f"{len(value):,} bytes in a column", "text")
    return str(value)


_encode = json.JSONEncoder(ensure_ascii=False, default=_plain).encode
