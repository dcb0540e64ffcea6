"""Which files of a folder hold rows, and what a file is; `READERS` are the formats.

What is guessed, in this order. What a person says, with --format or --rows, is not guessed.

1. Of a folder, the file that holds most of an export, or the only one with rows (`files_of`).
2. The container, by the first bytes: Parquet, Arrow, JSON; else lines or a table, by the name (`_contained`).
3. Of a file that begins with an object, which lists hold the rows (`_object`): the keys of a known tool;
   an object under each key, which a format claims; columns and data, as pandas splits them; objects by
   line; the file as one row; the only list of rows; at last every object in it.
4. The format of a table, by its header (`_table`): the first with tables that claims it, else ragas.
5. The format of objects, by the first that tells among a hundred (`_by_rows`, `_format_of`): native or
   ragas where our names, or a person's by --map, give a reference and contexts; the one format that
   claims it; native or ragas where it has any of these names, or an id and scores alone.
6. Of native and ragas, ragas by names of another version and by columns of results (`_sample_format`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from workbench.errors import AmbiguousError, InputError, NotFoundError, RowError, UsageError, disk_errors
from workbench.formats import json_lines, tables
from workbench.formats.calibration import NAME as CALIBRATION
from workbench.formats.columns import (
    FIELD_OF,
    NAMES,
    OTHER_FIELDS,
    REQUIRED,
    NamedColumns,
    check_named,
    is_metric,
    is_number,
    name_yours,
    paths,
    renamed,
    scores_alone,
    try_this,
    value_at,
)
from workbench.formats.exports.folder import MANIFEST, home_of, read_manifest
from workbench.formats.readers import annotation_tools, deepeval, native, ragas, ragas_runs, tools
from workbench.formats.rejects import SUFFIX as REJECTED
from workbench.formats.rows import OBJECT, FileRow, Notes, excerpt, refused
from workbench.model import JsonObject, Progress, silent

Container = Literal["lines", "document", "table", "parquet", "arrow"]

KNOWN_PARTS = ("inputs", "outputs", "record_id")
"""Columns of tools, or what begins their names."""

_LINES = (".jsonl", ".ndjson")
_LARGEST_ROW = 1 << 20  # bytes of a document that may be one row

_LOOK = 100  # objects looked at for one that tells


class DatasetFile(NamedTuple):
    """A file whose rows can be read: from which container, from which lists of a document, and as what.

    `format` is empty until it is known. `names` are the columns or keys of its first rows, in the order in
    which they came up, and `inside` these with the paths inside objects; `whole`: no further row can have
    others. `advice`: a command that may read it, where a question or a reference has no known name.
    """

    path: Path
    container: Container
    lists: frozenset[str] = frozenset()
    format: str = ""
    names: tuple[str, ...] = ()
    delimiter: str = ","
    inside: tuple[str, ...] = ()
    whole: bool = False
    advice: str = ""


# What our exports call the file that holds every sample, in the order of how much it holds.
OURS = (
    "samples.jsonl", "dataset.jsonl", "goldens.json", "data/*.parquet", "tasks.json", "samples.csv",
    "tasks.jsonl", "annotations.json", "test_cases.json",
)  # fmt: skip
_BESIDE = frozenset({"verdicts.jsonl", "units.csv", "dataset.workbench.jsonl", "single.json"})
"""Files that our exports write beside these, where one of several formats stands in a folder of its own."""
_ROWS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
_NO_ROWS = frozenset(
    {MANIFEST, CALIBRATION, "dataset_info.json", "state.json", "dataset_dict.json", "dataset_infos.json"}
)


DEPTHS = ("", "[!.]*/", "[!.]*/[!.]*/", "data/[!.]*/[!.]*/")
"""Where the files of a dataset stand below its folder, as in `data/en/train/0.parquet`: in no hidden folder,
and two folders down only where the folder itself has no rows."""


def files_of(path: Path) -> list[Path]:
    """The files to read of a file or folder. Raises InputError for a folder without a dataset, AmbiguousError
    for one with several."""
    if not path.is_dir():
        return [path]
    with disk_errors(InputError, f"{path}: cannot be read"):
        plain = sorted(path for path in path.iterdir() if path.is_file() and path.suffix.lower() in _ROWS)
        known = [
            path
            for path in plain
            if path.name not in _NO_ROWS and path.name[0] != "." and not path.name.endswith(REJECTED)
        ]
        depths = DEPTHS[:2] if known else DEPTHS
        packed, arrow = (
            sorted(file for depth in depths for file in path.glob(depth + name) if file.is_file())
            for name in ("[!.]*.parquet", "data-*.arrow")
        )
    if (path / MANIFEST).is_file():
        for name in OURS:
            if files := sorted(path.glob(name)) or sorted(path.glob(f"*/{name}")):
                return files
    shards = packed or arrow
    known = [file for file in known if file not in shards]
    if not known and shards:
        return shards
    known += shards
    own = [path for path in known if path.name not in _BESIDE]
    if len(known) == 1 or (len(own) == 1 and own[0].name in OURS):
        return own or known
    for name in () if known else (".latest_run_full.json", ".latest_test_run.json"):  # the folder .deepeval
        if (path / name).is_file():
            return [path / name]
    if not known:
        raise InputError(f"{path}: a folder: name a file (there is no dataset in it)")
    names = [file.relative_to(path).as_posix() for file in known]
    raise AmbiguousError(f"{path}: a folder: name a file: {excerpt(', '.join(names), 200)}", choices=names)


def settings_of(path: Path, file: str | None = None) -> tuple[str, JsonObject]:
    """The name and the settings of the dataset that a folder was exported from; empty where it says none.

    The folder may be that of one format of several. With `file` only where the manifest names that file as
    one of the export's.
    """
    home = home_of(path)
    try:
        manifest = read_manifest(home)
    except (NotFoundError, InputError):
        return "", {}
    if file is not None:
        listed = (path.resolve() / file).relative_to(home.resolve()).as_posix()
        if all(entry.get("path") != listed for entry in manifest["files"]):
            return "", {}
    given, settings = manifest.get("dataset"), manifest.get("settings")
    name = given if type(given) is str else given.get("id", "") if type(given) is dict else ""
    return str(name), settings if type(settings) is dict else {}


def look(path: Path, format: str | None, columns: NamedColumns) -> DatasetFile:  # noqa: A002
    """Find out what a file is, reading its beginning.

    Raises NotFoundError for no such file, AmbiguousError where two formats fit, InputError for a file that
    no row can be read from, or that an export has for other tools alone.
    """
    if settings_of(path.parent, path.name)[0] and not any(map(path.absolute().match, (*OURS, "single.json"))):
        raise InputError(f"{path}: this file of an export does not come back by import; native does")
    source = _contained(path, columns)
    source = source._replace(format=format or source.format)
    return _table(source, columns) if source.container == "table" else _by_rows(source, columns)


def _contained(path: Path, columns: NamedColumns) -> DatasetFile:
    """The container, the lists inside a document, and the format that claims them."""
    data = json_lines.beginning(path)
    if data.startswith(b"PAR1"):
        return DatasetFile(path, "parquet")
    # An Arrow stream has no name of its own: a continuation mark and a small length, little-endian.
    if data.startswith(b"ARROW1") or (data[:4] == b"\xff" * 4 and data[6:8] == b"\0\0"):
        return DatasetFile(path, "arrow")
    first = json_lines.first_lines(path, data)
    start = first[0].lstrip()[:1] if first else b""
    if start == b"{":
        return _object(path, data, columns)
    if columns.rows:
        raise UsageError(f"--rows {excerpt(columns.rows)}: {path} is no JSON document with lists inside")
    if start == b"[":
        return DatasetFile(path, "document")
    return DatasetFile(path, "lines" if path.suffix.lower() in (*_LINES, ".json") else "table")


def _object(path: Path, data: bytes, columns: NamedColumns) -> DatasetFile:
    """A file that begins with an object: rows by line, a document with lists inside, or one that is a row.

    The list that a person named comes first, then the keys of a known tool, then an object under each key;
    at last the document is read to its end. Where several lists of it could be meant, a person has to say.
    """

    def document(*lists: str, format: str = "") -> DatasetFile:  # noqa: A002
        return DatasetFile(path, "document", frozenset(lists), format)

    if columns.rows:
        return document(columns.rows)
    names = dict(json_lines.first_keys(data.removeprefix(json_lines.BOM).decode("utf-8", "replace")))
    for format, reader in READERS.items():  # noqa: A001
        for key in reader.lists:
            name, dot, _ = key.partition(".")
            if names.get(name) == ("{" if dot else "["):
                return document(*reader.lists, format=format)
    if deepeval.LINK in names:
        raise InputError(
            f"{path}: holds only the link to a test run on Confident AI; the run itself is in "
            ".deepeval/.latest_run_full.json, or in the folder of DEEPEVAL_RESULTS_FOLDER"
        )
    if set(names.values()) == {"{"} and (row := _first_row(document(json_lines.MEMBERS))) is not None:
        for format, reader in READERS.items():  # noqa: A001
            if json_lines.MEMBERS in reader.lists and reader.claims(row):
                return document(json_lines.MEMBERS, format=format)
        if "0" in row and all(key.isdigit() for key in row):
            records = f'to_json("{path.name}", orient="records")'
            raise InputError(f"{path}: columns, as pandas writes by default; write rows: {records}")
    if names.get("columns") == names.get("data") == "[":
        return document(json_lines.SPLIT)
    by_line = path.suffix.lower() in _LINES
    lists, end, more = json_lines.inner_lists(path, by_line=by_line)
    by_lines = DatasetFile(path, "lines")
    # a broken document of which the second line alone is a row is lines of which the first is broken
    if (end == 1 and (more or by_line)) or (more is None and _first_row(by_lines, _LOOK if by_line else 2)):
        return by_lines
    whole = _first_row(document(json_lines.OBJECTS)) if path.stat().st_size < _LARGEST_ROW else None
    if not more and not (whole is not None and _is_row(whole, columns)):
        fit = [key for key, row in lists.items() if _is_row(row, columns)]
        if len(fit) == 1:
            return document(*fit)
        if fit or lists:
            what = "one JSON document with several lists of rows" if fit else "one JSON document"
            listed = "; ".join(f"{excerpt(key)} ({excerpt(', '.join(lists[key]))})" for key in fit or lists)
            advice = (try_this(path, lists[key], columns, key) for key in fit or lists)
            raise InputError(
                f"{path}: {what}: say which list with --rows LIST, and with --map which of its columns are "
                f"reference, user_input and retrieved_contexts; there is {excerpt(listed, 400)}"
                f"{next(filter(None, advice), '')}"
            )
    return document(json_lines.OBJECTS) if end > 1 else by_lines


def _first_row(source: DatasetFile, of: int = _LOOK) -> JsonObject | None:
    """The first object that can be read, of the first hundred or so many; None when there is none."""
    with closing(objects(source)) as given:
        return next((raw.value for raw in islice(given, of) if raw.value), None)


def _is_row(row: JsonObject, columns: NamedColumns) -> bool:
    """Whether an object is a row: one that a format claims, or that has a question and a reference."""
    if any(reader.claims(row) for reader in READERS.values()):
        return True
    try:
        given = renamed(row, columns, deep=True)
    except RowError:
        return False
    return all(set(NAMES[field]).intersection(given) for field in ("user_input", "reference"))


def _table(source: DatasetFile, columns: NamedColumns) -> DatasetFile:
    path, format = source.path, source.format  # noqa: A001
    if format == "native":
        raise InputError(f"{path}: a table; the native format is JSON Lines: read it as ragas")
    if format and READERS[format].cells is None:
        raise InputError(f"{path}: a table; {format} is read from JSON: say --format ragas, with --map")
    known = frozenset({*FIELD_OF, *columns.fields, OBJECT, *KNOWN_PARTS})
    names, delimiter, line = tables.header(path, known)
    check_named(columns, names, f"{path}:{line}", whole=True)
    header: JsonObject = dict.fromkeys(names)
    given = renamed(header, columns)
    if not format:
        claims = (name for name, reader in READERS.items() if reader.cells and reader.claims(header))
        format = next(claims, "ragas")  # noqa: A001
    names_fields = format in ("ragas", "deepeval") and OBJECT not in given and not scores_alone(given)
    missing = [field for field in REQUIRED if names_fields and not set(NAMES[field]).intersection(given)]
    if missing and missing != ["retrieved_contexts"]:
        advice = name_yours(path, dict.fromkeys(names, ""), columns)
        if "retrieved_contexts" in missing and "retrieved_contexts=" not in advice:
            advice += "\nadd --map retrieved_contexts=COLUMN if a column holds the contexts"
        there = excerpt(", ".join(names), 200)
        raise InputError(f"{path}: the header has {there}: no column for {', '.join(missing)}{advice}")
    return source._replace(
        format=format, names=tuple(names), delimiter=delimiter, inside=tuple(names), whole=True
    )


def _by_rows(source: DatasetFile, columns: NamedColumns) -> DatasetFile:
    """The format by the first objects, which also give the names of columns."""
    path, format, by_line = source.path, source.format, source.container == "lines"  # noqa: A001
    names: dict[str, None] = {}
    inside: dict[str, None] = {}
    number = 0
    row: JsonObject | None = None
    bad: RowError | None = None
    with closing(objects(source)) as given:
        for number, raw in enumerate(islice(given, _LOOK), start=1):
            if raw.error is not None:
                bad = bad or refused(raw.error, path, raw.line, raw.item)
            if raw.value is None:
                continue
            names |= dict.fromkeys(raw.value)
            inside |= dict.fromkeys(paths(raw.value))
            inside |= {name: None for name in columns.fields if value_at(raw.value, name) is not None}
            row = row or raw.value
            try:
                format = format or _format_of(path, raw.value, columns) or ""  # noqa: A001
            except RowError:
                continue  # reading the row says so, with its line
            if format and len(inside) > 2_000:
                number = _LOOK
                break
    if row is None and bad is None and columns.rows:
        there = excerpt(", ".join(json_lines.inner_lists(path)[0]), 200) or "none"
        raise InputError(f"{path}: --rows {excerpt(columns.rows)}: no list of objects; there is: {there}")
    if row is None and bad is None:
        raise InputError(f"{path}: no rows{': every line is blank' if by_line else ''}")
    if row is None and not by_line:
        raise InputError(f"{path}: no rows that can be read: {bad}")
    known = native.KEYS | FIELD_OF.keys()
    if not format and row and not columns.fields and known.isdisjoint(row):  # no name of ours at all
        raise InputError(
            f"{path}: no columns of a known format: {excerpt(', '.join(names), 200)}"
            f"{name_yours(path, row, columns)}"
        )
    format = format or (_sample_format(row) if row else "native")  # noqa: A001
    advice = try_this(path, row, columns) if row and format in ("native", "ragas") else ""
    return source._replace(
        format=format, names=tuple(names), inside=tuple(inside), whole=number < _LOOK, advice=advice
    )


def _format_of(path: Path, row: JsonObject, columns: NamedColumns) -> str | None:
    """The one format that claims a row; None when none does. Raises AmbiguousError for several."""
    ours = not columns and "reference" in row and "retrieved_contexts" in row
    claims = [] if ours else [name for name, reader in READERS.items() if reader.claims(row)]
    given = renamed(row, columns, deep=True)  # takes out what is named inside an object
    if "reference" in given and "retrieved_contexts" in given:
        return _sample_format(given)
    if len(claims) > 1:
        raise AmbiguousError(f"{path}: could be {' or '.join(claims)}: give --format", choices=claims)
    if claims:
        return claims[0]
    return None if FIELD_OF.keys().isdisjoint(given) and not scores_alone(given) else _sample_format(given)


def _sample_format(row: JsonObject) -> str:
    """ragas where a field has a name of another version, or where a row with no native key has a column
    of ragas or a column of numbers; every other row reads the same as native."""
    another = any(name in row and name != field and field not in row for name, field in FIELD_OF.items())
    of_results = native.ONLY_HERE.isdisjoint(row) and any(
        name in OTHER_FIELDS or is_metric(name) or is_number(value) for name, value in row.items()
    )
    return "ragas" if another or of_results or type(row.get(OBJECT)) in (str, dict) else "native"


def objects(
    source: DatasetFile, progress: Progress = silent, passed: Callable[[str], object] = lambda _: None
) -> Generator[json_lines.RawRow]:
    """The objects of a file that is no CSV table; `passed` gets the keys of a document next to them."""
    path, container = source.path, source.container
    if container == "lines":
        return json_lines.of_lines(path, progress)
    if container == "document":
        return json_lines.of_document(path, source.lists, progress, passed)
    assert container != "table"
    return tables.objects(path, container, progress)


class Reader(NamedTuple):
    """How the rows of one format are read: most formats are `record` and `claims` alone.

    `record` makes the record of an object, which has a person's names for columns (`--map`) already: a field
    of ours in it wins over the tool's own. `claims`: whether an object has what no other format has; it
    gets the object as it stands in the file.
    `lists` are those of a document that hold rows, each by the keys that lead to it: a document with such a
    list is taken for this format without a look at its rows, so a list of a common name needs `claims`.
    `cells` makes an object of a row of a table, for a format that has tables. `rows` reads the whole stream,
    for a format that spreads a row over several objects. `joins` makes objects of rows of a stream of others,
    before a person's names for columns are looked at. `nested`: what belongs to a text stands in objects
    next to it.
    """

    record: native.Build = native.record_of
    claims: Callable[[JsonObject], bool] = lambda _: False
    lists: frozenset[str] = frozenset()
    cells: Callable[[JsonObject], JsonObject] | None = None
    rows: Callable[[Iterator[json_lines.RawRow], Path, Notes], Iterator[FileRow]] | None = None
    joins: Callable[[Iterator[json_lines.RawRow], Notes], Iterator[json_lines.RawRow]] | None = None
    nested: bool = False


READERS: dict[str, Reader] = {
    "native": Reader(),
    "ragas": Reader(ragas.record_of, cells=ragas.row_of_cells),
    "ragas-annotations": Reader(claims=ragas_runs.is_annotation, rows=ragas_runs.annotation_rows),
    "ragas-traces": Reader(
        claims=ragas_runs.is_trace, rows=ragas_runs.trace_rows, lists=frozenset({json_lines.MEMBERS})
    ),
    "promptfoo": Reader(tools.promptfoo_record, tools.is_promptfoo),
    "mlflow": Reader(tools.mlflow_record, tools.is_mlflow, cells=tools.cells_opened),
    "langfuse": Reader(tools.langfuse_record, tools.is_langfuse, cells=tools.cells_opened),
    "langsmith": Reader(tools.langsmith_record, tools.is_langsmith, cells=tools.cells_opened),
    "trulens": Reader(tools.trulens_record, tools.is_trulens, cells=tools.cells_opened),
    "traces": Reader(tools.trace_record, tools.is_span, joins=tools.trace_rows),
    "deepeval": Reader(
        deepeval.record_of, deepeval.claims, lists=deepeval.LISTS, cells=deepeval.row_of_cells
    ),
    "prodigy": Reader(annotation_tools.prodigy_record, annotation_tools.is_prodigy, nested=True),
    "label-studio": Reader(
        annotation_tools.label_studio_record, annotation_tools.is_label_studio, nested=True
    ),
    "argilla": Reader(annotation_tools.argilla_record, annotation_tools.is_argilla, nested=True),
    "doccano": Reader(annotation_tools.doccano_record, annotation_tools.is_doccano, nested=True),
}
