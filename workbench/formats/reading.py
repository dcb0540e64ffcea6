"""Reading a dataset file or folder: find out what it is, and stream its rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

from workbench.errors import RowError, UsageError
from workbench.formats import tables
from workbench.formats.columns import (
    FIELD_OF,
    NO_COLUMNS,
    NamedColumns,
    check_named,
    is_metric,
    likeliest,
    listed,
    note_missing,
    renamed,
)
from workbench.formats.detect import READERS, DatasetFile, files_of, look, objects
from workbench.formats.json_lines import RawRow
from workbench.formats.readers import native, ragas
from workbench.formats.rows import SENTENCES, FileRow, Notes, excerpt
from workbench.model import Progress, silent

_CONTEXTS = "retrieved_contexts"
_SEPARATOR = re.compile(r"\|{2,}|\n\n?(?:-{3,}|={3,}|\*{3,}|#{3,})\n\n?|<\|?sep\|?>|\[SEP\]", re.IGNORECASE)
"""What may stand between several contexts in one text."""


def read(
    path: Path,
    *,
    format: str | None = None,  # noqa: A002
    notes: Notes,
    progress: Progress = silent,
    columns: NamedColumns = NO_COLUMNS,
) -> Iterator[FileRow]:
    """Stream the rows of a file or of the files of a folder, good and bad; `notes` fills meanwhile.

    `format` is one of `READERS` or None to find out. `columns` are names that a person gave. `progress` is
    called now and then with the bytes read so far, the last time with the size of the file. A row that
    cannot be used carries its RowError and the others go on.

    Raises, before the first row: NotFoundError for no such file, UsageError for an unknown format or a
    missing package, AmbiguousError where two formats fit, InputError for a file that no row can be read from.
    """
    if format is not None and format not in READERS:
        raise UsageError(f"no format {excerpt(format)}: there are {', '.join(READERS)}")
    files = [look(file, format, columns) for file in files_of(path)]
    notes.format, notes.files = files[0].format, tuple(str(source.path) for source in files)
    for source in files:
        notes.columns.update(dict.fromkeys(source.names))
        notes.advice = notes.advice or source.advice
    if not any(FIELD_OF.get(columns.fields.get(column, column)) == _CONTEXTS for column in notes.columns):
        others = [name for name in notes.columns if not is_metric(name) and name not in FIELD_OF]
        notes.for_contexts = likeliest(_CONTEXTS, others) or "COLUMN"
    if not READERS[notes.format].nested and READERS[notes.format].joins is None:  # names inside objects too
        there = dict.fromkeys(name for source in files for name in source.inside)
        check_named(columns, there, str(files[0].path), whole=all(source.whole for source in files))
    return _rows(files, notes, progress, columns)


def _rows(
    files: list[DatasetFile], notes: Notes, progress: Progress, columns: NamedColumns
) -> Iterator[FileRow]:
    before = 0

    def on(read_so_far: int) -> None:
        progress(before + read_so_far)

    whole = {name for name, field in columns.fields.items() if field == _CONTEXTS} - {*columns.separators}
    texts, between = 0, Counter[str]()
    for source in files:
        for row in _of(source, notes, on, columns):
            if row.record is not None:
                contexts = row.record.sample.retrieved_contexts
                notes.without_contexts += not contexts
                if whole and len(contexts) == 1:
                    texts += 1
                    between.update({*_SEPARATOR.findall(contexts[0])})
                if row.record.scores:
                    notes.scores.update(row.record.scores.keys())
            yield row
        before += source.path.stat().st_size
    for separator, number in between.most_common(1):
        if 10 * number >= 9 * texts:
            option = f"{_CONTEXTS}={min(whole)}|" + separator.replace("\n", "\\n")
            notes.counted[SENTENCES["one context"].format(option=option)] = number


def _of(source: DatasetFile, notes: Notes, progress: Progress, columns: NamedColumns) -> Iterator[FileRow]:
    """The rows of one file: its objects under the names of fields, then the record of each."""
    path, reader = source.path, READERS[source.format]
    contexts = {name for name, field in columns.fields.items() if field == _CONTEXTS}
    if source.container == "table":
        assert reader.cells is not None
        to_object = reader.cells
        raw_rows: Iterator[RawRow] = tables.csv_objects(
            path,
            source.delimiter,
            lambda cells: to_object(renamed(listed(cells, contexts), columns)),
            progress,
            mapped=bool(columns),
        )
    else:
        raw_rows = objects(source, progress, lambda name: notes.around.setdefault(name))
        if reader.joins is not None:
            raw_rows = reader.joins(raw_rows, notes)
        if columns:
            raw_rows = _renamed(raw_rows, columns, contexts, notes, deep=reader.nested)
    if reader.rows is not None:
        return reader.rows(raw_rows, path, notes)
    build = reader.record
    if source.container == "lines" and source.format in ("native", "ragas"):
        build = ragas.with_file_beside(path, build)
    return native.rows(raw_rows, path, notes, build)


def _renamed(
    raw_rows: Iterator[RawRow], columns: NamedColumns, contexts: Collection[str], notes: Notes, *, deep: bool
) -> Iterator[RawRow]:
    for raw in raw_rows:
        if raw.value is not None:
            notes.line, notes.item = raw.line, raw.item
            try:
                value = listed(raw.value, contexts)
                if not deep:
                    note_missing(value, columns, notes)
                raw = raw._replace(value=renamed(value, columns, deep=deep))
            except RowError as error:
                raw = raw._replace(value=None, error=error)
        yield raw
