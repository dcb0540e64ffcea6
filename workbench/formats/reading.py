"""Reading a dataset file or folder: find out what it is, stream its rows, say what became of each column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from workbench.formats.columns import BECOMES, FIELD_OF, NO_COLUMNS, NamedColumns, absent, is_metric, renamed
from workbench.formats.detect import ANNOTATED, FORMATS, DatasetFile, check_format, document, files_of, look
from workbench.formats.json_lines import Given, Progress, as_written, of_lines, of_members
from workbench.formats.readers import annotation_tools, deepeval, native, ours, ragas, ragas_runs
from workbench.formats.readers.native import Build
from workbench.formats.readers.ragas import beside
from workbench.formats.rows import FileRow, Notes
from workbench.model import Record

_CONTEXTS = "retrieved_contexts"
_LIKELY = re.compile(r"^(?!reference|.*ids?$).*(context|passage|chunk|document|docs|evidence)", re.IGNORECASE)

__all__ = ["FORMATS", "FileRow", "NamedColumns", "Notes", "Progress", "read", "sources"]

_BUILD: dict[str, Build] = {
    "native": native.record_of,
    "ragas": ragas.record_of,
    "deepeval": deepeval.record_of,
    "prodigy": annotation_tools.prodigy_record,
    "label-studio": annotation_tools.label_studio_record,
    "argilla": annotation_tools.argilla_record,
    "doccano": annotation_tools.doccano_record,
}


def read(
    path: Path,
    *,
    format: str | None = None,  # noqa: A002
    notes: Notes,
    progress: Progress | None = None,
    columns: NamedColumns = NO_COLUMNS,
) -> Iterator[FileRow]:
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


def sources(path: Path, format: str | None, columns: NamedColumns) -> list[DatasetFile]:  # noqa: A002
    """The files to read, each with what it is. Raises as `read`."""
    check_format(format)
    return [look(file, format, columns) for file in files_of(path)]


def _rows(
    found: list[DatasetFile], notes: Notes, progress: Progress | None, columns: NamedColumns
) -> Iterator[FileRow]:
    before = 0

    def on(read_so_far: int) -> None:
        if progress is not None:
            progress(before + read_so_far)

    for source in found:
        for row in _of(source, notes, on if progress is not None else None, columns):
            notes.without_contexts += row.record is not None and not row.record.sample.retrieved_contexts
            yield row
        before += source.path.stat().st_size


def _of(
    source: DatasetFile, notes: Notes, progress: Progress | None, columns: NamedColumns
) -> Iterator[FileRow]:
    path = source.path
    if source.container == "table":
        return ragas.csv_rows(source, notes, progress, columns)
    if source.format == "ragas-traces" and source.key == "*":
        return ragas_runs.trace_rows(of_members(path, progress), path, notes)
    given = _given(source, progress)
    if source.format == "ragas-traces":
        return ragas_runs.trace_rows(given, path, notes)
    if source.format == "ragas-annotations":
        metric = source.key if source.key not in (None, "samples") else None
        return ragas_runs.annotation_rows(given, path, metric or "context_entity_recall", notes)
    build = _mapped(source.format, columns)
    if source.container == "lines" and source.format in ("native", "ragas"):
        build = beside(path, build, columns)
    return native.rows(given, path, notes, build)


def _given(source: DatasetFile, progress: Progress | None) -> Iterator[Given]:
    if source.container == "lines":
        return of_lines(source.path, progress)
    if source.container == "document":
        return document(source.path, source.key, progress)
    from workbench.formats import tables

    assert source.container != "table"
    return tables.objects(source.path, source.container, progress)


def _mapped(format: str, columns: NamedColumns) -> Build:  # noqa: A002
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


def becomes(names: Iterable[str], notes: Notes, columns: NamedColumns) -> dict[str, str]:
    """What each column or key becomes in the dataset, in the order of the file."""
    there = list(names)
    exported = {name for name in there if ours.OBJECT in there and ours.is_exported(name)}
    return {
        name: "as it was exported" if name in exported else _becomes(name, notes, columns)
        for name in there
        if name != "_error"
    }


def _becomes(name: str, notes: Notes, columns: NamedColumns) -> str:
    if name in columns.fields:
        return columns.fields[name]
    if name in columns.external:
        return f"external score ({columns.external[name]})"
    if name in columns.fields.values():
        return "meta (another column was named for it)"
    if name == ours.OBJECT:
        return "the row as it was exported"
    if (told := BECOMES.get(notes.format, {}).get(name)) is not None:
        return told
    if name in notes.ignored or (notes.format == "ragas" and ragas.is_index(name)):
        return "left out"
    if name.removeprefix(ours.EXTERNAL) in notes.scores or is_metric(name):
        return "external score"
    return FIELD_OF.get(name) or BECOMES["every"].get(name, "meta") if name not in native.REQUIRED else name
