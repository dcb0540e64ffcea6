"""Reading a dataset file: find out what it is, then stream its rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

from workbench.errors import InputError, RowError, UsageError
from workbench.formats import native, ragas
from workbench.formats.columns import FIELD_OF, OTHER_FIELDS, is_metric
from workbench.formats.lines import Progress, decoded, head, lines
from workbench.formats.objects import parse
from workbench.formats.rows import Notes, Row, excerpt

__all__ = ["Notes", "Progress", "Row", "read"]

FORMATS = ("native", "ragas")
_LOOK = 100  # rows looked at for a first object


def read(
    path: Path,
    *,
    format: str | None = None,  # noqa: A002
    notes: Notes,
    progress: Progress | None = None,
) -> Iterator[Row]:
    """Stream the rows of a file, good and bad; `notes` fills while they are read.

    `format` is "native", "ragas" or None to find out. `progress` is called now and then with the bytes
    read so far, the last time with the size of the file. A row that cannot be used carries its RowError
    and the others go on.

    Raises, before the first row: NotFoundError for no such file, UsageError for an unknown format,
    InputError for a file that no row can be read from.
    """
    if format is not None and format not in FORMATS:
        raise UsageError(f"no format {excerpt(format)}: there are {', '.join(FORMATS)}")
    if _container(path) == "csv":
        if format == "native":
            raise InputError(f"{path}: a table; the native format is JSON Lines: read it as ragas")
        notes.format = "ragas"
        return ragas.csv_rows(path, notes, progress)
    found = _detected(path)
    notes.format = format or found
    return (native.rows if notes.format == "native" else ragas.rows)(path, notes, progress)


def _container(path: Path) -> Literal["json", "csv"]:
    """By what stands first, then by the file's name. Raises InputError for neither."""
    first = head(path)
    suffix = path.suffix.lower()
    start = first[0].lstrip()[:1] if first else b""
    if start == b"{" or suffix in (".jsonl", ".ndjson", ".json"):
        _refuse_document(path, first)
        return "json"
    if start == b"[":
        raise InputError(f"{path}: {_DOCUMENT}")
    if suffix in (".csv", ".tsv") or not first or any(name.encode() in first[0] for name in FIELD_OF):
        return "csv"
    line = excerpt(first[0].decode("utf-8", "backslashreplace").rstrip())
    raise InputError(f"{path}: neither JSON Lines nor a CSV with known columns: the first line is {line}")


_DOCUMENT = "one JSON document: write one object a line (JSON Lines), for instance with jq -c '.[]'"


def _refuse_document(path: Path, first: list[bytes]) -> None:
    """A list of objects, or an object over several lines, is not JSON Lines."""
    line = first[0].strip() if first else b""
    alone = len(first) == 1
    over_lines = line == b"[" or (line == b"{" and not alone and first[1][:1] in b' \t"')
    one_line = line.startswith(b"[") and line[1:].lstrip().startswith(b"{")
    if over_lines or (one_line and (alone or not line.endswith(b"]"))):
        raise InputError(f"{path}: {_DOCUMENT}")


def _detected(path: Path) -> str:
    """The format of a JSON Lines file by the keys of its first object. Raises InputError without rows."""
    empty = True
    with closing(lines(path)) as found:
        for number, offset, data in found:
            if data.isspace():
                continue
            empty = False
            try:
                return _format_of(parse(decoded(data, offset)))
            except (RowError, RecursionError):
                if number >= _LOOK:
                    break
    if empty:
        raise InputError(f"{path}: no rows: every line is blank")
    return "native"


def _format_of(row: dict[str, Any]) -> str:
    """ragas where a field has a name of another version, or where a row with no native key has a column
    of ragas or a column of numbers; every other row reads the same as native."""
    for name, field in FIELD_OF.items():
        if name in row and name != field and field not in row:
            return "ragas"
    if native.ONLY_HERE.isdisjoint(row):
        for name, value in row.items():
            if name in OTHER_FIELDS or is_metric(name) or native.is_number(value):
                return "ragas"
    return "native"
