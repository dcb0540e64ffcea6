"""What a file is, by its first bytes, header and rows, and which files of a folder hold rows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from workbench.errors import AmbiguousError, InputError, NotFoundError, RowError, UsageError
from workbench.formats import tables
from workbench.formats.columns import FIELD_OF, NAMES, OTHER_FIELDS, NamedColumns, absent, is_metric, renamed
from workbench.formats.exports.folder import MANIFEST, home_of, read_manifest
from workbench.formats.json_lines import BOM, HEAD, Given, Progress, first_keys, head, of_document, of_lines
from workbench.formats.readers import annotation_tools, deepeval, native, ours
from workbench.formats.rejects import SUFFIX as REJECTED
from workbench.formats.rows import excerpt

Container = Literal["lines", "document", "table", "parquet", "arrow"]

FORMATS = (
    "native", "ragas", "ragas-annotations", "ragas-traces", "deepeval", "prodigy", "label-studio",
    "argilla", "doccano",
)  # fmt: skip
ANNOTATED = frozenset({"prodigy", "label-studio", "argilla", "doccano"})
_TABLES = frozenset({"ragas", "deepeval"})
_LOOK = 100  # objects looked at for one that tells


@dataclass(frozen=True, slots=True)
class DatasetFile:
    """A file whose rows can be read: as what, from which container, from which list of a document.

    `names` are the columns or keys of its first rows, in the order in which they came up.
    """

    path: Path
    format: str
    container: Container
    key: str | None = None
    names: tuple[str, ...] = ()
    delimiter: str = ","


def check_format(format: str | None) -> None:  # noqa: A002
    """Raise UsageError for a format that is not one."""
    if format is not None and format not in FORMATS:
        raise UsageError(f"no format {excerpt(format)}: there are {', '.join(FORMATS)}")


def look(path: Path, format: str | None, columns: NamedColumns) -> DatasetFile:  # noqa: A002
    """Find out what a file is, reading its beginning.

    Raises NotFoundError for no such file, AmbiguousError where two formats fit, InputError for a file that
    no row can be read from.
    """
    magic = _magic(path)
    if magic is not None:
        return _binary(path, magic, format, columns)
    container, key, told = _container(path)
    if container == "table":
        return _table(path, format, columns)
    if told is not None and format in (None, told):
        return DatasetFile(path, told, container, key)
    given = of_lines(path) if container == "lines" else document(path, key)
    return _by_rows(path, format, container, key, given, columns)


def document(path: Path, key: str | None, progress: Progress | None = None) -> Generator[Given]:
    """The objects of a JSON document: of its list, of the list under a key, or of the lists of a test run."""
    keys = deepeval.CASES if key in deepeval.CASES else frozenset({key} if key else ())
    return of_document(path, keys, progress, within=deepeval.RUN)


def _magic(path: Path) -> Literal["parquet", "arrow"] | None:
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            first = file.read(8)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    if first.startswith(b"PAR1"):
        return "parquet"
    # An Arrow stream has no name of its own: a continuation mark and a small length, little-endian.
    return (
        "arrow"
        if first.startswith(b"ARROW1") or (first[:4] == b"\xff" * 4 and first[6:8] == b"\0\0")
        else None
    )


def _binary(
    path: Path,
    container: Literal["parquet", "arrow"],
    format: str | None,  # noqa: A002
    columns: NamedColumns,
) -> DatasetFile:
    from workbench.formats import tables

    with closing(tables.objects(path, container)) as given:
        return _by_rows(path, format, container, None, given, columns)


def _container(path: Path) -> tuple[Container, str | None, str | None]:
    """The container, the list inside a document, and the format where the document tells it."""
    first = head(path)
    suffix = path.suffix.lower()
    start = first[0].lstrip()[:1] if first else b""
    if start == b"[":
        return ("lines", None, None) if _lists_by_line(first) else ("document", None, None)
    if start == b"{":
        return _object(path, first)
    if suffix in (".jsonl", ".ndjson", ".json"):
        return "lines", None, None
    if suffix in (".csv", ".tsv") or not first or any(name.encode() in first[0] for name in FIELD_OF):
        return "table", None, None
    if suffix in (".txt", "") or b"," not in first[0] + b"\t":
        line = excerpt(first[0].decode("utf-8", "backslashreplace").rstrip())
        raise InputError(f"{path}: neither JSON Lines nor a CSV with known columns: the first line is {line}")
    return "table", None, None


def _lists_by_line(first: list[bytes]) -> bool:
    """Whether lists stand line by line, none of which is an object: no document of ours."""
    line = first[0].strip()
    return len(first) > 1 and line.endswith(b"]") and not line[1:].lstrip().startswith(b"{")


_DOCUMENT = "one JSON document: write one object a line (JSON Lines), for instance with jq -c ."


def _object(path: Path, first: list[bytes]) -> tuple[Container, str | None, str | None]:
    """A file that begins with an object: rows by line, or one document with a list inside."""
    with path.open("rb") as file:
        text = file.read(HEAD).removeprefix(BOM).decode("utf-8", "replace")
    names = list(first_keys(text))
    for name, opening in names:
        if (name, opening) in (("testCases", "["), ("conversationalTestCases", "["), (deepeval.RUN, "{")):
            return "document", "testCases", "deepeval"
        if opening != "[":
            continue
        with closing(document(path, name)) as given:
            one = next(given, None)
        if one is not None and one.value is not None and "metric_input" in one.value:
            return "document", name, "ragas-annotations"
        if one is not None and one.value is not None and name in deepeval.CASES and _deepeval(one.value):
            return "document", name, "deepeval"
    if any(name == deepeval.LINK for name, _ in names):
        raise InputError(
            f"{path}: holds only the link to a test run on Confident AI; the run itself is in "
            ".deepeval/.latest_run_full.json, or in the folder of DEEPEVAL_RESULTS_FOLDER"
        )
    if names and all(opening == "{" for _, opening in names) and '"parent_run_id"' in text:
        return "document", "*", "ragas-traces"
    line = first[0].strip()
    if line == b"{" or (not line.endswith(b"}") and len(first) > 1 and first[1][:1] in b' \t"'):
        raise InputError(f"{path}: {_DOCUMENT}")
    return "lines", None, None


def _table(path: Path, format: str | None, columns: NamedColumns) -> DatasetFile:  # noqa: A002
    if format == "native":
        raise InputError(f"{path}: a table; the native format is JSON Lines: read it as ragas")
    if format is not None and format not in _TABLES:
        raise InputError(f"{path}: a table; {format} is read from JSON: say --format ragas, with --map")
    known = frozenset({*FIELD_OF, *columns.fields, ours.OBJECT})
    names, delimiter, line = tables.header(path, known, named=bool(columns))
    absent(columns, names, f"{path}:{line}", whole=True)
    given = renamed(dict.fromkeys(names), columns)
    if format is None:
        format = "deepeval" if "input" in given and not deepeval.NAMES.isdisjoint(given) else "ragas"  # noqa: A001
    for field in ("user_input", "reference") if ours.OBJECT not in given and format != "deepeval" else ():
        if not set(NAMES[field]).intersection(given):
            raise InputError(
                f"{path}: header: no column for {field} (one of {', '.join(NAMES[field])}); "
                f"name yours with --map {field}=COLUMN"
            )
    return DatasetFile(path, format, "table", None, tuple(names), delimiter)


def _by_rows(
    path: Path,
    format: str | None,  # noqa: A002
    container: Container,
    key: str | None,
    given: Iterator[Given],
    columns: NamedColumns,
) -> DatasetFile:
    """The format by the first objects, which also give the names of columns."""
    names: dict[str, None] = {}
    found: str | None = None
    seen: dict[str, Any] | None = None
    bad: Given | None = None
    for one in islice(given, _LOOK):
        if one.value is None:
            bad = bad or one
            continue
        names |= dict.fromkeys(one.value)
        seen = seen or one.value
        try:
            found = found or format or _format_of(path, renamed(one.value, columns, deep=True))
        except RowError:
            continue  # reading the row says so, with its line
        if found and len(names) > 200:
            break
    if seen is None and bad is None:
        raise InputError(
            f"{path}: no rows: every line is blank" if container == "lines" else f"{path}: no rows"
        )
    if seen is None and container != "lines":
        assert bad is not None
        raise InputError(f"{path}: no rows that can be read: {bad.error}")
    if format is None and found is None and seen is not None and _foreign(seen, columns):
        raise InputError(
            f"{path}: no columns of a known format: {excerpt(', '.join(names), 200)}; name them with "
            "--map reference=COLUMN --map user_input=COLUMN --map retrieved_contexts=COLUMN"
        )
    return DatasetFile(path, format or found or "native", container, key, tuple(names))


def _foreign(row: Mapping[str, Any], columns: NamedColumns) -> bool:
    """Whether a row that no format claims has no name of ours at all."""
    return (
        bool(row) and not columns.fields and native.KEYS.isdisjoint(row) and FIELD_OF.keys().isdisjoint(row)
    )


def _format_of(path: Path, row: dict[str, Any]) -> str | None:
    """The one format that claims a row; None when none does. Raises AmbiguousError for several."""
    if "reference" in row and "retrieved_contexts" in row:
        return _sample_format(row)
    claims = [name for name, claimed in _CLAIMS.items() if claimed(row)]
    if len(claims) > 1:
        raise AmbiguousError(
            f"{path}: could be {' or '.join(claims)}: say which with --format", choices=claims
        )
    if claims:
        return claims[0]
    return (
        None if FIELD_OF.keys().isdisjoint(row) and native.ONLY_HERE.isdisjoint(row) else _sample_format(row)
    )


def _sample_format(row: Mapping[str, Any]) -> str:
    """ragas where a field has a name of another version, or where a row with no native key has a column
    of ragas or a column of numbers; every other row reads the same as native."""
    if type(row.get(ours.OBJECT)) in (str, dict):
        return "ragas"
    for name, field in FIELD_OF.items():
        if name in row and name != field and field not in row:
            return "ragas"
    if native.ONLY_HERE.isdisjoint(row):
        for name, value in row.items():
            if name in OTHER_FIELDS or is_metric(name) or native.is_number(value):
                return "ragas"
    return "native"


def _list_of_objects(value: Any, *keys: str) -> bool:
    return type(value) is list and any(type(one) is dict and all(key in one for key in keys) for one in value)


def _prodigy(row: Mapping[str, Any]) -> bool:
    if type(row.get("text")) is not str:
        return False
    return (
        _list_of_objects(row.get("spans"), "start", "end")
        or any(name in row for name in ("_task_hash", "_input_hash", "_view_id"))
        or (row.get("answer") in ("accept", "reject", "ignore") and ("tokens" in row or "spans" in row))
    )


def _label_studio(row: Mapping[str, Any]) -> bool:
    if type(row.get("data")) is dict:
        return any(type(row.get(key)) is list for key in ("annotations", "predictions", "completions"))
    return "annotation_id" in row or any(_list_of_objects(v, "start", "end", "labels") for v in row.values())


def _argilla(row: Mapping[str, Any]) -> bool:
    if type(row.get("fields")) is dict:
        return any(type(row.get(key)) is dict for key in ("suggestions", "responses", "metadata"))
    return annotation_tools.is_flat_argilla(row)


def _doccano(row: Mapping[str, Any]) -> bool:
    if type(row.get("text", row.get("data"))) is not str:
        return False
    for key in annotation_tools.DOCCANO_LISTS:
        value = row.get(key)
        if _list_of_objects(value, "start_offset", "end_offset"):
            return True
        if type(value) is list and all(type(one) is list and len(one) == 3 for one in value):
            return bool(value) or "Comments" in row
    return False


def _deepeval(row: Mapping[str, Any]) -> bool:
    if "scenario" in row and "input" not in row:
        return True
    return "input" in row and not deepeval.NAMES.isdisjoint(row)


_CLAIMS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "ragas-traces": lambda row: "run_id" in row and "parent_run_id" in row,
    "ragas-annotations": lambda row: type(row.get("metric_input")) is dict,
    "deepeval": _deepeval,
    "prodigy": _prodigy,
    "label-studio": _label_studio,
    "argilla": _argilla,
    "doccano": _doccano,
}


# What our exports call the file that holds every sample, in the order of how much it holds.
OURS = (
    "samples.jsonl", "dataset.jsonl", "goldens.json", "data/*.parquet", "tasks.json", "samples.csv",
    "tasks.jsonl", "annotations.json", "test_cases.json",
)  # fmt: skip
_BESIDE = frozenset({"verdicts.jsonl", "units.csv", "dataset.workbench.jsonl", "single.json"})
"""Files that our exports write beside these, where one of several formats stands in a folder of its own."""
_ROWS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
_NO_ROWS = frozenset({MANIFEST, "dataset_info.json", "state.json", "dataset_dict.json", "dataset_infos.json"})


def files_of(path: Path) -> list[Path]:
    """The files to read of a file or folder. Raises InputError for a folder without a dataset, AmbiguousError
    for one with several."""
    if not path.is_dir():
        return [path]
    try:
        packed = sorted(one for one in path.rglob("*.parquet") if one.is_file())
        arrow = sorted(one for one in path.rglob("data-*.arrow") if one.is_file())
        plain = sorted(one for one in path.iterdir() if one.is_file() and one.suffix.lower() in _ROWS)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    if (path / MANIFEST).is_file():
        for name in OURS:
            if found := sorted(path.glob(name)) or sorted(path.glob(f"*/{name}")):
                return found
    if packed or arrow:
        return packed or arrow
    known = [one for one in plain if one.name not in _NO_ROWS and not one.name.endswith(REJECTED)]
    own = [one for one in known if one.name not in _BESIDE]
    if len(known) == 1 or (len(own) == 1 and own[0].name in OURS):
        return own or known
    if not known:
        raise InputError(f"{path}: a folder: name a file (there is no dataset in it)")
    names = [one.name for one in known]
    raise AmbiguousError(f"{path}: a folder: name a file: {excerpt(', '.join(names), 200)}", choices=names)


def settings_of(path: Path, file: str | None = None) -> tuple[str, dict[str, Any]]:
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
        if all(one.get("path") != listed for one in manifest["files"]):
            return "", {}
    given = manifest.get("dataset")
    name = given if type(given) is str else given.get("id", "") if type(given) is dict else ""
    settings = manifest.get("settings")
    return str(name), settings if type(settings) is dict else {}
