"""CSV, Parquet and Arrow files as streams of rows. Parquet and Arrow need pyarrow, the extra `parquet`."""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from workbench.errors import InputError, RowError, UsageError, to_install
from workbench.formats.columns import FIELD_OF, NO_COLUMNS, NamedColumns, is_metric, scores_alone
from workbench.formats.json_lines import RawRow, lines, not_utf8, parse
from workbench.formats.pages import dictionary_values
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


ROWS = 100  # rows of a piece at most: 1,000 with gold of eight units hold 14 MB more and are no faster
READ = 2_000  # rows read at a time: each time the dictionaries of the columns are built anew
FIRST = 10  # rows that show the dictionaries of a row group
PIECE = 8 << 20  # bytes of unpacked columns held at a time
BUFFER = 1 << 16  # packed bytes of a column held at a time
BATCH_VALUES = 1_000_000  # texts of a column held as numbers at a time
ROW_LIMIT = 64 << 20  # bytes of one row, as of one line
# What is more in a file than these, for its size, is made up to fill memory or time.
SMALL = 1 << 16  # bytes that a file counts as at least
UNPACKED = 2_000  # bytes unpacked for each: text packs to a tenth, a made-up bomb to a hundred-thousandth
ROWS_OF_SMALL, VALUES_OF_SMALL = 10_000, 1_000_000  # rows, and values of a column, that any file may have
VALUES = 20  # values of a column for each byte; a row takes some bytes of text


def objects(path: Path, container: Literal["parquet", "arrow"], progress: Progress) -> Generator[RawRow]:
    """The rows of a file as objects, numbered from 1. Raises UsageError without pyarrow, InputError for a
    file that is damaged or unpacks to more than any dataset."""
    arrow = load_pyarrow(str(path))
    batches = _parquet_batches if container == "parquet" else _arrow_batches
    number = 0
    try:
        for batch in _pieces(batches(path), path):
            # An empty cell of one of these is reported as NaN is: the metric failed there.
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


def load_pyarrow(what: str = "") -> Any:
    """pyarrow with its Parquet and compute parts. Raises UsageError, which begins with `what`, without it."""
    # Arrow's own pools keep 7 MB more than the system's, and one of them is chosen when it is loaded.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet

        pyarrow.set_cpu_count(1)  # rows are taken one by one: threads only hold more of the file
        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    except ModuleNotFoundError:
        raise UsageError(
            f"{what and what + ': '}Parquet and Arrow files need the package pyarrow: {to_install('parquet')}"
        ) from None
    return pyarrow


def _parquet_batches(path: Path) -> Generator[Any]:
    """The batches of a Parquet file; one whose index names more than any dataset has is not unpacked."""
    import pyarrow as arrow

    metadata = arrow.parquet.read_metadata(path)
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    columns = [[group.column(index) for index in range(group.num_columns)] for group in groups]
    values = [max((part.num_values for part in parts), default=0) for parts in columns]
    sizes = [group.total_byte_size for group in groups]
    unpacked = [sum(part.total_uncompressed_size for part in parts) for parts in columns]
    _refuse_bomb(path, unpacked=max(sum(sizes), sum(unpacked)))
    _refuse_bomb(path, rows=metadata.num_rows, values=sum(values))
    # Without a buffer a whole column of a group is read at once: 31 MB for 100,000 rows of one kilobyte.
    opened = partial(arrow.parquet.ParquetFile, path, metadata=metadata, pre_buffer=False, buffer_size=BUFFER)
    for index, group in enumerate(groups):
        named = {
            part.path_in_schema: dictionary_values(path, part)  # the index may lie
            for part in columns[index]
            if part.physical_type == "BYTE_ARRAY"
        }
        texts = {name: times for name, times in named.items() if times != 0}
        written_out = {}
        if sizes[index] > PIECE:  # smaller groups have small dictionaries
            written_out = _written_out(path, metadata, index, texts, opened)
        in_memory = PIECE * group.num_rows // max(sizes[index] + sum(written_out.values()), 1)
        as_numbers = BATCH_VALUES * group.num_rows // max(values[index], 1)
        fit = min(READ, in_memory, as_numbers)
        with opened(read_dictionary=sorted(texts.keys() - written_out.keys())) as file:
            yield from file.iter_batches(batch_size=max(fit, 1), row_groups=[index])


def _written_out(
    path: Path, metadata: Any, index: int, texts: Mapping[str, int | None], opened: Any
) -> dict[str, int]:
    """The columns of a row group that may be read as plain texts, with the bytes that each has at most.

    A reader that keeps texts in a dictionary keeps all of a row group that differ. One that writes them out
    may meet a dictionary of which ten kilobytes hold a million texts of a hundred thousand characters. So a
    dictionary is looked at in the first rows: those are written out where its longest text, as often as the
    pages name one of it, is no more than a file of this size may unpack to; of a list, where one row may have
    all of them, no more than a row may be. Not where the first rows have all there is in it: it is small, or
    pages that come later have another.
    """
    import pyarrow as arrow

    with opened(read_dictionary=sorted(texts)) as file:
        first = next(file.iter_batches(batch_size=FIRST, row_groups=[index]), None)
    leaves = [] if first is None else [leaf for column in first.columns for leaf in _leaves(column)]
    if len(leaves) != metadata.num_columns:
        return {}
    sizes = {}
    for number, leaf in enumerate(leaves):
        part = metadata.row_group(index).column(number)
        name = part.path_in_schema
        times, known = texts.get(name), arrow.types.is_dictionary(leaf.type)
        if times and known and len(leaf.dictionary) > len(leaf.indices.unique().drop_null()):
            in_lists = metadata.schema.column(number).max_repetition_level > 0
            size = times * arrow.compute.max(arrow.compute.binary_length(leaf.dictionary)).as_py()
            if size <= (ROW_LIMIT if in_lists else _most_unpacked(path)):
                sizes[name] = size
    return sizes


def _arrow_batches(path: Path) -> Generator[Any]:
    """The batches of a stream or a file of Arrow, each checked: a made-up offset would read other memory."""
    import pyarrow as arrow

    with path.open("rb") as file:
        has_index = file.read(6) == b"ARROW1"
    rows = 0
    with arrow.OSFile(str(path)) as source:
        if has_index:
            opened = arrow.ipc.open_file(source)
            batches = (opened.get_batch(index) for index in range(opened.num_record_batches))
        else:
            batches = iter(arrow.ipc.open_stream(source))
        for batch in batches:
            rows += batch.num_rows
            _refuse_bomb(path, rows=rows)
            batch.validate(full=True)
            yield batch


def _pieces(batches: Iterator[Any], path: Path) -> Generator[Any]:
    """Batches in parts that fit in memory as Python objects."""
    total = 0
    for batch in batches:
        total += _unpacked(batch)
        _refuse_bomb(path, unpacked=total)
        yield from _halves(batch, path)


def _halves(batch: Any, path: Path) -> Generator[Any]:
    size = _unpacked(batch)
    if batch.num_rows > 1 and (batch.num_rows > ROWS or size > PIECE):
        half = batch.num_rows // 2
        yield from _halves(batch.slice(0, half), path)
        yield from _halves(batch.slice(half), path)
    elif size > max(batch.nbytes, ROW_LIMIT):
        raise InputError(f"{path}: a row that unpacks to {size:,} bytes: no sample has so many")
    else:
        yield batch


def _unpacked(batch: Any) -> int:
    """The bytes of a batch with every text of a dictionary written out."""
    import pyarrow as arrow

    size = 0
    for leaf in (leaf for column in batch.columns for leaf in _leaves(column)):
        if arrow.types.is_dictionary(leaf.type) and _is_text(leaf.type.value_type, arrow.types):
            lengths = arrow.compute.binary_length(leaf.dictionary).take(leaf.indices)
            size += int(arrow.compute.sum(lengths).as_py() or 0)
        else:
            size += int(leaf.nbytes)
    return size


def _leaves(array: Any) -> Iterator[Any]:
    """The arrays of values inside lists, maps and structs, in the order of the file's columns."""
    import pyarrow as arrow

    kind, types = array.type, arrow.types
    if types.is_map(kind):  # which has no flatten of its own
        array = array.cast(arrow.list_(arrow.struct([kind.key_field, kind.item_field])))
        kind = array.type
    if types.is_list(kind) or types.is_large_list(kind):
        yield from _leaves(array.flatten())
    elif types.is_struct(kind):
        for inner in array.flatten():
            yield from _leaves(inner)
    else:
        yield array


def _is_text(kind: Any, types: Any) -> bool:
    tests = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(test(kind) for test in tests)


def _most_unpacked(path: Path) -> int:
    return max(path.stat().st_size, SMALL) * UNPACKED


def _refuse_bomb(path: Path, *, rows: int = 0, values: int = 0, unpacked: int = 0) -> None:
    """Raise InputError for rows, values of a column, or unpacked bytes that take next to no bytes."""
    size = path.stat().st_size
    if rows > max(ROWS_OF_SMALL, size):
        raise InputError(f"{path}: {rows:,} rows in {size:,} bytes: no dataset has so little in a row")
    if values > max(VALUES_OF_SMALL, VALUES * size):
        raise InputError(f"{path}: {values:,} values of a column in {size:,} bytes: no dataset has so many")
    if not 0 <= unpacked <= _most_unpacked(path):
        raise InputError(f"{path}: {size:,} bytes that unpack to {unpacked:,}: no dataset repeats so much")


def _twice(names: Iterable[str]) -> str:
    """What to say of a column that appears twice, of the first by name; "" where none does."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    return f"column {excerpt(min(twice))} appears twice" if twice else ""


def as_python(batch: Any, what: str) -> list[JsonObject]:
    """The rows of a batch as dictionaries. Raises InputError, which begins with `what`, for a column that
    appears twice, and for one with values that Python cannot hold, such as a part of a microsecond."""
    if twice := _twice(batch.schema.names):
        raise InputError(f"{what}: {twice}")
    try:
        rows: list[JsonObject] = batch.to_pylist()
        return rows
    except UnicodeDecodeError:
        raise
    except (ValueError, OverflowError) as error:
        for field, column in zip(batch.schema, batch.columns, strict=True):
            try:
                column.to_pylist()
            except (ValueError, OverflowError):
                name, kind = excerpt(field.name), f"{field.type}"
                raise InputError(
                    f"{what}: column {name} of type {kind}: its values cannot be read: write it as text, or "
                    "leave it out"
                ) from error
        raise


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
    """The rows of a DataFrame as JSON has them. An empty cell is nothing, as in a table of a file.

    In a question, a reference, an id or a group a number is its text, and a question or a reference without
    one is blank. Raises UsageError for a column that appears twice.
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
        for field in ("user_input", "reference"):
            there = [name for name in names if fields[name] == field]
            if there and all(row[name] is None for name in there):
                row[there[0]] = ""
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
