"""Parquet and Arrow files as a stream of objects. Needs pyarrow, the extra `parquet`."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from workbench.errors import InputError, RowError, UsageError
from workbench.formats.lines import Progress
from workbench.formats.objects import checked
from workbench.formats.rows import excerpt, refused, shown
from workbench.formats.stream import Given

FIRST = 16  # rows of the first piece; later ones are as many as fit in `PIECE`
ROWS = 100  # rows of a piece at most: 1,000 with gold of eight units hold 14 MB more and are no faster
PIECE = 8 << 20  # bytes of unpacked columns held at a time
BUFFER = 1 << 16  # packed bytes of a column held at a time
UNPACKED_LIMIT = 8 << 30  # bytes of one group of rows
RATIO_LIMIT = 2_000  # unpacked against packed; text packs to a tenth, a made-up bomb to a hundred-thousandth


def objects(
    path: Path, container: Literal["parquet", "arrow"], progress: Progress | None = None
) -> Generator[Given]:
    """The rows of a file as objects, numbered from 1. Raises UsageError without pyarrow, InputError for a
    file that is damaged or unpacks to more than any dataset."""
    arrow = _pyarrow(path)
    number = 0
    try:
        for batch in _batches(path, container, arrow):
            odd = [field.name for field in batch.schema if not _is_plain(field.type, arrow.types)]
            for value in batch.to_pylist():
                number += 1
                yield _given(value, odd, number, path)
            if progress is not None:
                progress(number)
    except (arrow.ArrowException, OSError, ValueError, UnicodeDecodeError) as error:
        what = excerpt(str(error).split("\n")[0], 200) or type(error).__name__
        if not number:
            raise InputError(f"{path}: a damaged {container} file: {what}") from error
        failure = RowError("file", what, f"a whole {container} file")
        yield Given(number + 1, None, "{}", refused(failure, path, number + 1))


def _pyarrow(path: Path) -> Any:
    # Arrow's own pools keep 7 MB more than the system's, and one of them is chosen when it is loaded.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        import pyarrow
        import pyarrow.parquet

        pyarrow.set_cpu_count(1)  # rows are taken one by one: threads only hold more of the file
        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    except ModuleNotFoundError:
        raise UsageError(
            f"{path}: Parquet and Arrow files need the package pyarrow: pip install 'gold-workbench[parquet]'"
        ) from None
    return pyarrow


def _batches(path: Path, container: str, arrow: Any) -> Generator[Any]:
    if container == "arrow":
        yield from _arrow_batches(path, arrow)
        return
    # Without a buffer a whole column of a group is read at once: 31 MB for 100,000 rows of one kilobyte.
    with arrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=BUFFER) as file:
        _refuse_bomb(path, file.metadata)
        rows = FIRST
        start = 0
        for group in range(file.metadata.num_row_groups):
            for batch in file.iter_batches(batch_size=rows if start else FIRST, row_groups=[group]):
                yield from _pieces(batch)
                start += batch.num_rows
                rows = max(FIRST, min(ROWS, PIECE * batch.num_rows // max(batch.nbytes, 1)))


def _pieces(batch: Any) -> Generator[Any]:
    """A batch in parts that fit in memory as Python objects."""
    step = max(1, min(batch.num_rows, PIECE * batch.num_rows // max(batch.nbytes, 1)))
    for start in range(0, batch.num_rows, step):
        yield batch.slice(start, step)


def _arrow_batches(path: Path, arrow: Any) -> Generator[Any]:
    """The batches of a stream or a file of Arrow, each checked: a made-up offset would read other memory."""
    with path.open("rb") as file:
        has_index = file.read(6) == b"ARROW1"
    with arrow.OSFile(str(path)) as source:
        if has_index:
            opened = arrow.ipc.open_file(source)
            batches = (opened.get_batch(index) for index in range(opened.num_record_batches))
        else:
            batches = iter(arrow.ipc.open_stream(source))
        for batch in batches:
            batch.validate(full=True)
            yield from _pieces(batch)


def _refuse_bomb(path: Path, metadata: Any) -> None:
    """Raise InputError for groups of rows that unpack to more than memory holds."""
    for index in range(metadata.num_row_groups):
        group = metadata.row_group(index)
        parts = [group.column(i) for i in range(group.num_columns)]
        packed = sum(part.total_compressed_size for part in parts)
        unpacked = max(group.total_byte_size, sum(part.total_uncompressed_size for part in parts))
        if unpacked > UNPACKED_LIMIT or unpacked > max(packed, 1 << 16) * RATIO_LIMIT or unpacked < 0:
            raise InputError(
                f"{path}: {packed:,} bytes that unpack to {unpacked:,} in one group of rows: "
                "write it again with smaller groups"
            )


def _is_plain(kind: Any, types: Any) -> bool:
    """Whether every value of a column is as JSON has it: texts, whole numbers, and lists of them."""
    if types.is_list(kind) or types.is_large_list(kind):
        return _is_plain(kind.value_type, types)
    return any(is_one(kind) for is_one in (types.is_string, types.is_large_string, types.is_integer))


_encode = json.JSONEncoder(ensure_ascii=False).encode


def _given(value: dict[str, Any], odd: list[str], number: int, path: Path) -> Given:
    """A row as an object; `odd` are the columns with values that JSON has otherwise, or not at all."""
    raw = "{}"
    try:
        plain = {name: one for name, one in value.items() if one is not None}
        for name in odd:
            if name in plain:
                plain[name] = _plain(plain[name])
        raw = _encode(plain)
        checked(plain, raw)
        return Given(number, plain, raw)
    except (RowError, RecursionError) as error:
        return Given(number, None, raw, refused(error, path, number))
    except (TypeError, ValueError):
        other = RowError("row", shown(value), "columns of texts, numbers and lists")
        return Given(number, None, raw, refused(other, path, number))


def _plain(value: Any) -> Any:
    """A value as JSON has it; what a data frame calls NaN is nothing."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is float:
        return _number(value)
    if kind is list:
        # as nearly all are; a call for each takes a tenth of the time of a row with gold
        return [one if one is None or type(one) is str or type(one) is int else _plain(one) for one in value]
    if kind is dict:
        return {str(name): _plain(one) for name, one in value.items()}
    if kind is tuple:
        return [_plain(one) for one in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return _number(float(value))
    if isinstance(value, bytes):
        raise RowError("row", f"{len(value):,} bytes in a column", "text")
    return str(value)


def _number(value: float) -> float | None:
    if value != value:
        return None
    if value in (float("inf"), float("-inf")):
        raise RowError("row", "an infinite number", "a finite number or nothing")
    return value
