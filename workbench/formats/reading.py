"""Reading a dataset file or folder: find out what it is, then stream its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.formats import (
    annotated,
    argilla,
    deepeval,
    doccano,
    label_studio,
    metric_annotations,
    native,
    prodigy,
    ragas,
    traces,
)
from workbench.formats.beside import beside
from workbench.formats.columns import FIELD_OF, is_metric
from workbench.formats.detect import ANNOTATED, FORMATS, Source, check_format, document, look
from workbench.formats.directory import files_of
from workbench.formats.lines import Progress
from workbench.formats.mapping import NO_COLUMNS, Columns, absent, renamed
from workbench.formats.native import Build
from workbench.formats.objects import as_written
from workbench.formats.rows import Notes, Row
from workbench.formats.stream import Given, of_lines, of_members
from workbench.model import Record

_CONTEXTS = "retrieved_contexts"
_LIKELY = re.compile(r"^(?!reference|.*ids?$).*(context|passage|chunk|document|docs|evidence)", re.IGNORECASE)

__all__ = ["FORMATS", "Columns", "Notes", "Progress", "Row", "read", "sources"]

_BUILD: dict[str, Build] = {
    "native": native.record_of,
    "ragas": ragas.record_of,
    "deepeval": deepeval.record_of,
    "prodigy": prodigy.record_of,
    "label-studio": label_studio.record_of,
    "argilla": argilla.record_of,
    "doccano": doccano.record_of,
}


def read(
    path: Path,
    *,
    format: str | None = None,  # noqa: A002
    notes: Notes,
    progress: Progress | None = None,
    columns: Columns = NO_COLUMNS,
) -> Iterator[Row]:
    """Stream the rows of a file or of the files of a folder, good and bad; `notes` fills meanwhile.

    `format` is one of `FORMATS` or None to find out. `columns` are names that a person gave. `progress` is
    called now and then with the bytes read so far, the last time with the size of the file. A row that
    cannot be used carries its RowError and the others go on.

    Raises, before the first row: NotFoundError for no such file, UsageError for an unknown format or a
    missing package, AmbiguousError where two formats fit, InputError for a file that no row can be read from.
    """
    found = sources(path, format, columns)
    notes.format = found[0].format
    for source in found:
        notes.columns.update(dict.fromkeys(source.names))
    if not any(FIELD_OF.get(columns.fields.get(one, one)) == _CONTEXTS for one in notes.columns):
        likely = (name for name in notes.columns if _LIKELY.search(name) and not is_metric(name))
        notes.for_contexts = tuple(likely) or ("COLUMN",)
    if notes.format not in ANNOTATED:  # these have names inside objects too
        notes.absent += absent(
            columns, notes.columns, str(found[0].path), whole=found[0].container == "table"
        )
    return _rows(found, notes, progress, columns)


def sources(path: Path, format: str | None, columns: Columns) -> list[Source]:  # noqa: A002
    """The files to read, each with what it is. Raises as `read`."""
    check_format(format)
    return [look(file, format, columns) for file in files_of(path)]


def _rows(found: list[Source], notes: Notes, progress: Progress | None, columns: Columns) -> Iterator[Row]:
    before = 0

    def on(read_so_far: int) -> None:
        if progress is not None:
            progress(before + read_so_far)

    for source in found:
        for row in _of(source, notes, on if progress is not None else None, columns):
            notes.without_contexts += row.record is not None and not row.record.sample.retrieved_contexts
            yield row
        before += source.path.stat().st_size


def _of(source: Source, notes: Notes, progress: Progress | None, columns: Columns) -> Iterator[Row]:
    path = source.path
    if source.container == "table":
        return ragas.csv_rows(source, notes, progress, columns)
    if source.format == "ragas-traces":
        runs = of_members(path, progress) if source.key == "*" else _given(source, progress)
        return traces.rows(runs, path, notes)
    if source.container == "lines" and source.format in ("native", "ragas"):
        build = _mapped(source.format, columns)
        return native.rows(path, notes, progress, beside(path, build, columns))
    given = _given(source, progress)
    if source.format == "ragas-annotations":
        metric = source.key if source.key not in (None, "samples") else None
        return metric_annotations.rows(given, path, metric or "context_entity_recall", notes)
    return annotated.rows(given, path, notes, _mapped(source.format, columns))


def _given(source: Source, progress: Progress | None) -> Iterator[Given]:
    if source.container == "lines":
        return of_lines(source.path, progress)
    if source.container == "document":
        return document(source.path, source.key, progress)
    from workbench.formats import parquet

    assert source.container != "table"
    return parquet.objects(source.path, source.container, progress)


def _mapped(format: str, columns: Columns) -> Build:  # noqa: A002
    build = _BUILD[format]
    if not columns:
        return build

    def mapped(row: dict[str, Any], raw: str, notes: Notes) -> Record:
        named = renamed(row, columns, deep=format in ANNOTATED)
        if format == "ragas":
            return ragas.mapped_record(named, raw, columns, notes)
        if format == "native":
            return native.mapped_record(named, lambda: renamed(as_written(raw), columns), notes)
        return build(named, raw, notes)

    return mapped
