"""Parquet and Arrow files in parts that fit in memory: this needs pyarrow, the extra `parquet`."""

from __future__ import annotations

import mmap
import os
from collections.abc import Generator, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

from workbench.errors import InputError, UsageError, to_install

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

_NUMBERED = (2, 8)  # encodings by a dictionary
_DATA_PAGES = {0: (5, 2), 3: (8, 4)}  # by the kind of page, the fields of its own header and of its encoding
_MOST_PAGES = 100_000


def load_pyarrow(what: str = "") -> Any:
    """pyarrow with its Parquet and compute parts. Raises UsageError, which begins with `what`, without it."""
    # Arrow's own pools keep 7 MB more than the system's, and one of them is chosen when it is loaded.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        import pyarrow as arrow
        import pyarrow.compute
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise UsageError(
            f"{what and what + ': '}Parquet and Arrow files need the package pyarrow: {to_install('parquet')}"
        ) from None
    arrow.set_cpu_count(1)  # rows are taken one by one: threads only hold more of the file
    arrow.set_memory_pool(arrow.system_memory_pool())
    return arrow


def pieces(path: Path, container: Literal["parquet", "arrow"]) -> Generator[Any]:
    """The batches of a file in parts that fit in memory as Python objects."""
    total = 0
    for batch in _parquet_batches(path) if container == "parquet" else _arrow_batches(path):
        total += _unpacked(batch)
        _refuse_bomb(path, unpacked=total)
        yield from _halves(batch, path)


def _parquet_batches(path: Path) -> Generator[Any]:
    """The batches of a Parquet file; one whose index names more than any dataset has is not unpacked."""
    arrow = load_pyarrow()
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
    arrow = load_pyarrow()
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
    with path.open("rb") as file:
        has_index = file.read(6) == b"ARROW1"
    arrow, rows = load_pyarrow(), 0
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
    arrow, size = load_pyarrow(), 0
    types = arrow.types
    texts = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    for leaf in (leaf for column in batch.columns for leaf in _leaves(column)):
        if types.is_dictionary(leaf.type) and any(is_text(leaf.type.value_type) for is_text in texts):
            lengths = arrow.compute.binary_length(leaf.dictionary).take(leaf.indices)
            size += int(arrow.compute.sum(lengths).as_py() or 0)
        else:
            size += int(leaf.nbytes)
    return size


def _leaves(array: Any) -> Iterator[Any]:
    """The arrays of values inside lists, maps and structs, in the order of the file's columns."""
    arrow = load_pyarrow()
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


def dictionary_values(path: Path, part: Any) -> int | None:
    """How many values of a column chunk are numbers of a dictionary; None where its pages do not tell.

    `part` is the chunk's entry in the index. Reads the headers of the pages only: structs of Thrift's compact
    protocol, with the fields that parquet.thrift of the format names.
    """
    at = part.data_page_offset
    if part.has_dictionary_page and 0 < part.dictionary_page_offset < at:
        at = part.dictionary_page_offset
    end, seen, numbered = at + part.total_compressed_size, 0, 0
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            pages = 0
            while at < end and (pages := pages + 1) < _MOST_PAGES:
                header, at = _struct(data, at)
                values, size = 0, header[3]
                if header[1] in _DATA_PAGES:
                    own, encoding = _DATA_PAGES[header[1]]
                    values = header[own][1]
                    numbered += values if header[own][encoding] in _NUMBERED else 0
                if not (0 <= size < 1 << 31 and 0 <= values < 1 << 31):
                    return None
                seen, at = seen + values, at + size
    except (IndexError, KeyError, TypeError, ValueError, RecursionError):
        return None
    return numbered if at == end and seen >= part.num_values else None  # else a reader may go on behind it


def _struct(data: mmap.mmap, at: int) -> tuple[dict[int, Any], int]:
    """The whole numbers and structs of a struct by field, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        kind, at = head & 15, at + 1
        number += head >> 4
        if number in fields or not head >> 4 or kind not in (1, 2, 4, 5, 6, 8, 12):
            raise ValueError("no header of a page")
        fields[number] = None
        if kind == 12:
            fields[number], at = _struct(data, at)
        elif kind > 2:  # a truth is in its kind
            value, at = _varint(data, at)
            fields[number] = value >> 1 ^ -(value & 1)
            at += value if kind == 8 else 0  # the size of some bytes
    return fields, at + 1


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    number = 0
    for index in range(10):
        number |= (data[at + index] & 127) << 7 * index
        if data[at + index] < 128:
            return number, at + index + 1
    raise ValueError("a number without end")
