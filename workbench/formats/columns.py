"""Names of columns across tools and those that a person gave; lists and numbers inside cells."""

from __future__ import annotations

import json
import math
import re
import shlex
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from workbench.errors import RowError, UsageError
from workbench.formats.json_lines import Fractional, loads
from workbench.formats.rows import NAMED, Notes, as_object, excerpt, shown
from workbench.model import KINDS, JsonObject, Kind
from workbench.scoring.names import SCORERS, metric_of

_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

NAMES: dict[str, tuple[str, ...]] = {field: tuple(names) for field, names in _DATA["fields"].items()}
FIELD_OF = {name: field for field, names in NAMES.items() for name in names}
LISTS_OF_REFERENCES = frozenset(
    {"ground_truth", "groundTruth", "ground_truths", "groundTruths", "ground_truth_answers"}
)
OTHER_FIELDS, METRICS, RECALLS = (frozenset(_DATA[key]) for key in ("other_fields", "metrics", "recalls"))
CONTEXT_TEXTS: list[str] = _DATA["context_texts"]
CONTEXT_WRAPS: list[str] = _DATA["context_wraps"]
CONTEXT_LISTS = (*NAMES["retrieved_contexts"], *_DATA["context_lists"])  # inside objects of a tool
LIKELY: dict[str, list[str]] = _DATA["likely"]
LEFT_OUT: dict[str, frozenset[str]] = {name: frozenset(names) for name, names in _DATA["left_out"].items()}
"""Columns or keys that have no place in the dataset, by the format that has them."""

LIST_CELLS = frozenset({*NAMES["retrieved_contexts"], "ground_truths", "groundTruths"})
KIND_ENDS = (" (entity)", " (statement)")  # what ends the name of a score whose kind a person gave

JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_EMPTY = frozenset({"", "nan", "none", "null", "n/a", "na", "<na>"})
_LIST = re.compile(r"""\s*\[\s*(?:[uUrR]?['"]|[\]{]|\.\.\.)""")
_SHARE_WITH_COMMA = re.compile(r"[01],[0-9]+")
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)

_PIECE = re.compile(
    r"""\s*(?:
        (?P<comma>,)
      | (?P<string>[uUrR]?(?:'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+"))
      | (?P<dots>\.\.\.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(
    rf"""\\(?:x{_HEX}{{2}}|u{_HEX}{{4}}|U00(?:0{_HEX}|10){_HEX}{{4}}|[0-3]?[0-7]{{1,2}}|[ntrabfv\\'"\n])"""
)


def is_metric(name: str) -> bool:
    """Whether a column name is a metric's: `factual_correctness(mode=f1)` is, so is a run with its day."""
    name = metric_of(name)
    return name in METRICS or (
        "(" in name and (name.partition("(")[0] in METRICS or name.endswith(KIND_ENDS))
    )


def no_recall(name: str) -> bool:
    """Whether a column is a metric's that is known and no recall, such as faithfulness."""
    return is_metric(name) and not names_recall(name)


def names_recall(name: str) -> bool:
    """Whether a column is a recall, which lies between 0 and 1."""
    name = metric_of(name)
    return name.removeprefix("external.") in RECALLS or name.endswith(KIND_ENDS)


def number_cell(cell: Any, column: str) -> Any:
    """A cell, or a score that JSON has as text, as the number that it is; None when it says *no value*; any
    other value as it is.

    In a metric's column 0,5 is a number too: many spreadsheets write a decimal comma. Raises RowError for an
    infinite number in such a column.
    """
    if type(cell) is not str:
        return cell
    text = cell.strip()
    if _SHARE_WITH_COMMA.fullmatch(text) and is_metric(column):
        text = text.replace(",", ".")
    if text.lower() in _EMPTY:
        return None
    known = _NUMBER.fullmatch(text)
    if math.isinf(float(text)) if known else _INFINITE.fullmatch(text) and is_metric(column):
        raise RowError(excerpt(column), excerpt(text), "a finite number or nothing")
    if not known:
        return cell
    number: int | float = loads(text if JSON_NUMBER.fullmatch(text) else repr(float(text)))
    return number


def share_of(value: Any) -> float | None:
    """A number from 0 to 1 that may be a score, also with a decimal comma; None for any other value."""
    if type(value) is str and _SHARE_WITH_COMMA.fullmatch(value):
        value = float(value.replace(",", "."))
    return value if is_number(value) and 0 <= value <= 1 else None


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number; true and false are not."""
    return type(value) is int or isinstance(value, float)


def number_texts(numbers: Mapping[str, int | float], others: Collection[str] = ()) -> dict[str, str]:
    """Each number as the file wrote it, which has `others` too. Raises RowError for a recall that is not
    between 0 and 1."""
    texts = {}
    for name, number in numbers.items():
        if type(number) is int and number.bit_length() > 1_000:
            raise RowError(excerpt(name), "a number of many digits", "a score")
        text = number.digits if type(number) is Fractional else str(number)
        if names_recall(name) and not 0 <= number <= 1:
            raise RowError(excerpt(name), excerpt(text), "a number from 0 to 1")
        texts[kept_as(name, others)] = text
    return texts


def kept_as(name: str, others: Collection[str] = ()) -> str:
    """Under which name a score is kept: deepeval's as deepeval writes it, and none under that of a scorer,
    which means what Workbench counts."""
    metric = metric_of(name)
    day = name[len(metric) :]
    if metric == "contextual_recall" and f"Contextual Recall{day}" not in others:
        return f"Contextual Recall{day}"
    return f"{metric}_{day}" if metric in SCORERS else name


def list_cell(cell: str, column: str) -> list[Any]:
    """A list written into one cell: as JSON, by Python's `repr`, or printed by numpy without commas.

    The cell is cut into string literals, because Python itself joins two adjacent ones: a list that
    numpy printed as `['a' 'b']` has two items, `ast.literal_eval` gives one. Raises RowError for
    anything else, and for the `...` numpy prints in place of items: they are lost.
    """
    text = cell.strip()
    if text.startswith("["):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return _literals(text, column)
        if type(value) is list:
            return value
    each = f"retrieved_contexts={excerpt(column)}"
    hint = (
        f"; for one context in a cell: --map {each}, for several by line: --map '{each}|\\n'"
        if column
        else ""
    )
    expected = f"a list such as ['first context', 'second context']{hint}"
    raise RowError(column, f'"{excerpt(text)}"', expected)


def listed(row: JsonObject, names: Collection[str] = LIST_CELLS) -> JsonObject:
    """A row as it is; what stands under some of its names as the text of a list is one.

    Raises RowError for a text that begins as a list of texts and is none.
    """
    texts = {name: row[name] for name in row.keys() & names if type(row[name]) is str}
    lists = {name: list_cell(text, name) for name, text in texts.items() if _LIST.match(text)}
    return row | lists if lists else row


def _literals(text: str, column: str) -> list[Any]:
    if not text.endswith("]"):
        raise RowError(column, f'"{excerpt(text)}"', "a list that ends in ]")
    items: list[Any] = []
    position, end = 1, len(text) - 1
    while piece := _PIECE.match(text, position, end):
        if piece["dots"]:
            expected = "every item: numpy printed ... in place of some, export the lists again"
            raise RowError(column, f"... after {len(items):,} items", expected)
        if literal := piece["string"]:
            content = literal.lstrip("uUrR")[1:-1]
            if literal[0] not in "rR" and "\\" in content:
                content = _ESCAPE.sub(lambda escape: escape[0].encode().decode("unicode_escape"), content)
            items.append(content)
        position = piece.end()
    if rest := text[position : min(end, position + 200)].strip():
        raise RowError(column, f"{excerpt(rest, 30)} after {len(items):,} items", "strings in quotes")
    return items


REQUIRED = ("user_input", "reference", "retrieved_contexts")
FIELDS = (*REQUIRED, "response", "id", "group")
_TEXTS = frozenset(name for field in REQUIRED for name in NAMES[field])
_INSIDE = ("data", "meta", "fields", "metadata")  # where annotation tools keep what belongs to a text


@dataclass(frozen=True, slots=True)
class NamedColumns:
    """The field of each named column, in the order given, and the kind of each named score.

    `separators`: what stands between the contexts in a text of a column, as given: `\\n` is a line end.
    `rows` is the list of a JSON document in which the rows stand, by the keys that lead to it. `command`: how
    the command began that a message may tell to run again; empty for a call of Python.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    external: Mapping[str, Kind] = field(default_factory=dict)
    rows: str = ""
    command: Sequence[str] = ()
    separators: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.fields or self.external)

    def options(self) -> list[str]:
        """The options that name the columns, as they were given."""
        ends = {name: f"{name}|{separator}" for name, separator in self.separators.items()}
        given = ((field, ends.get(name, name)) for name, field in self.fields.items())
        maps = [part for field, name in given for part in ("--map", f"{field}={name}")]
        kinds = [part for name, kind in self.external.items() for part in ("--external", f"{name}={kind}")]
        return maps + kinds


NO_COLUMNS = NamedColumns()


def scores_alone(names: Collection[str]) -> bool:
    """Whether these columns or keys are an id and scores, without any text."""
    return (
        "id" in names
        and _TEXTS.isdisjoint(names)
        and ("scores" in names or any(is_metric(name) for name in names))
    )


def columns_of(
    fields: Iterable[str], external: Iterable[str], rows: str = "", command: Sequence[str] = ()
) -> NamedColumns:
    """The columns of `reference=answer_gold` and `my_recall=entity`. Raises UsageError.

    Several columns may be contexts; every other field has one. `retrieved_contexts=texts|---` cuts each text.
    """
    mapped: dict[str, str] = {}
    separators: dict[str, str] = {}
    for option in fields:
        name, equals, column = option.partition("=")
        if name == "retrieved_contexts" and "|" in column:
            column, _, separator = column.partition("|")
            separators[column] = separator
        named = name in FIELDS or is_metric(name)
        if not equals or not column or "" in separators.values() or not named:
            known = f"{', '.join(FIELDS)}, or a metric, as context_entity_recall"
            raise UsageError(f"--map {excerpt(option)}: say FIELD=COLUMN, where FIELD is one of {known}")
        if column in mapped or (name != "retrieved_contexts" and name in mapped.values()):
            raise UsageError(
                f"--map {excerpt(option)}: {name if column not in mapped else column} is named twice"
            )
        mapped[column] = name
    kinds: dict[str, Kind] = {}
    for option in external:
        column, equals, kind = option.rpartition("=")
        matches = [known for known in KINDS if known == kind]
        if not equals or not column or not matches:
            raise UsageError(f"--external {excerpt(option)}: say COLUMN=entity or COLUMN=statement")
        if column in mapped:
            raise UsageError(f"--external {excerpt(option)}: {excerpt(column)} is named by --map too")
        if no_recall(column):
            raise UsageError(f"--external {excerpt(option)}: {excerpt(column)!r} is no recall")
        kinds[column] = matches[0]
    return NamedColumns(mapped, kinds, rows, command, separators)


def check_named(columns: NamedColumns, there: Collection[str], source: str, *, whole: bool) -> None:
    """Raise UsageError for a named column that is not in the file, of whose rows the first have these names
    and paths (`whole`: all rows have been looked at). A later row may have one that it can do without.

    Also for a column that would take the name of another column of scores.
    """
    fields = {field for name, field in columns.fields.items() if name in there}
    for name in (*columns.fields, *columns.external):
        field = columns.fields.get(name)
        if there and name not in there and (whole or (field in REQUIRED and field not in fields)):
            option = f"--map {field}={name}" if field else f"--external {name}={columns.external[name]}"
            raise UsageError(f"{source}: {excerpt(option)}: {names_nothing(name, there)}")
        if field != name and field in there and field not in FIELDS:
            both = f"{field} is a column too; to keep both: --external {shlex.quote(name)}=KIND"
            raise UsageError(f"{source}: --map {field}={excerpt(name)}: {both}")


def names_nothing(name: str, there: Collection[str]) -> str:
    """That a column, or a key inside objects, is not among these names and paths, and which are."""
    last = name.rpartition(".")[2]
    alike = [path for path in there if path.rpartition(".")[2] == last]
    near = alike or get_close_matches(name, there, n=1)
    message = f"no column {excerpt(name)}; there is: {excerpt(', '.join(there), 200)}"
    return f"{message}; did you mean {excerpt(near[0])}?" if near else message


def note_missing(row: JsonObject, columns: NamedColumns, notes: Notes) -> None:
    """Note each named column that a row, or an item of a list in it, has nothing in.

    Raises RowError where it is the question or the reference, and nothing else stands for it.
    """
    for name in (*columns.fields, *columns.external):
        field, value, outer = columns.fields.get(name), value_at(row, name), name.rpartition(".")[0]
        items = value_at(row, outer) if outer and type(value) is list else None
        if value is None and field in REQUIRED[:2] and set(NAMES[field]).isdisjoint(row):
            raise RowError(field, "nothing", f"a string: {names_nothing(name, dict.fromkeys(paths(row)))}")
        if value is None:
            notes.example("missing", name)
        elif type(items) is list and len(value) < len(items):
            notes.example("missing", f"{name}, {len(items) - len(value):,} of {len(items):,} items")


def paths(value: Any, outer: str = "", depth: int = 6) -> Iterator[str]:
    """Every key inside a row by the keys that lead to it; of a list those of its items."""
    if type(value) is list:
        for item in value[:NAMED]:
            yield from paths(item, outer, depth)
    elif type(value) is dict and depth:
        for key, inner in value.items():
            yield f"{outer}{key}"
            yield from paths(inner, f"{outer}{key}.", depth - 1)


def try_this(path: Path, row: JsonObject, columns: NamedColumns, rows: str = "") -> str:
    """The end of a message: the whole command that may read a file, by the names in one of its rows. Empty
    where no name is like those of a question and a reference, or nothing is to be named.
    """
    options = []
    for wanted in without(row, columns):
        if likely := likely_column(wanted, row):
            options += ["--map", f"{wanted}={likely}"]
        elif wanted != "retrieved_contexts":
            return ""
    if not columns.command or not (options or rows):
        return ""
    rows = rows or columns.rows
    named = [*(["--rows", rows] if rows else []), *columns.options(), *options]
    return f"; try\n  {shlex.join([*columns.command, str(path), *named])}"


_NO_FIELD = re.compile(
    r"(?:^|\.)[0-9]+(?:\.|$)|(?:\b|_)(?:ids?|type|score|reason|relevance|recall|precision)$", re.IGNORECASE
)


def without(row: JsonObject, columns: NamedColumns) -> list[str]:
    """The fields that no name in a row, and no name that a person gave, stands for; an object is no text."""
    known = (FIELD_OF[name] for name in row if name in FIELD_OF and type(row[name]) is not dict)
    there = {*columns.fields.values(), *known}
    return [field for field in REQUIRED if field not in there]


def name_yours(path: Path, row: JsonObject, columns: NamedColumns) -> str:
    """The same, and how to name columns where no name tells."""
    yours = "".join(f" --map {field}=COLUMN" for field in without(row, columns))
    return try_this(path, row, columns) or f"; name yours with{yours}"


def likely_column(wanted: str, row: JsonObject) -> str:
    """The path in a row to a text, or a list of texts, that sounds most like a field; empty for none."""
    values = {column: value_at(row, column) for column in dict.fromkeys(paths(row))}
    return likeliest(wanted, [column for column, value in values.items() if _fits(wanted, value)])


def _fits(wanted: str, value: Any) -> bool:
    """Whether a value could be that of a field: a text, or a list of texts."""
    texts = value if type(value) is list and wanted != "user_input" else [value]
    return bool(texts) and all(type(text) is str for text in texts)


def likeliest(wanted: str, among: Sequence[str]) -> str:
    """The path whose names sound most like a field, of several the one with a text's name; empty for none."""
    for pattern in (f"^({'|'.join(NAMES[wanted])})$", *LIKELY[wanted]):
        sounding = (path for path in among if any(re.search(pattern, key, re.I) for key in path.split(".")))
        alike = [path for path in sounding if not _NO_FIELD.search(path)]
        if alike:
            return min(alike, key=lambda path: path.rpartition(".")[2] not in ("answer", *CONTEXT_TEXTS))
    return ""


def value_at(value: Any, path: str, *, take: bool = False) -> Any:
    """What stands under a key, or under keys and numbers of items with dots between; None for nothing there.

    Without a number a list gives what each of its items has there. With `take` the value under a last key is
    taken out, and so is what holds nothing then; a numbered item stays, and with it the numbers of others.
    """
    head, dot, rest = path.partition(".")
    if type(value) is list:
        if head.isdecimal() and len(head) < 6:
            item = value[int(head)] if int(head) < len(value) else None
            return value_at(item, rest, take=take) if dot else item
        values = [value_at(item, path, take=take) for item in value]
        return [inner for inner in values if inner is not None] or None
    if type(value) is not dict:
        return None
    if path in value:
        return value.pop(path) if take else value[path]
    while dot:  # a key may have dots of its own
        if head in value:
            found = value_at(value[head], rest, take=take)
            if take and found is not None and not any(value[head]):
                del value[head]
            return found
        more, dot, rest = rest.partition(".")
        head = f"{head}.{more}"
    return None


def renamed(row: JsonObject, columns: NamedColumns, *, deep: bool = False) -> JsonObject:
    """A row under the names of fields; another column that stands for one of these fields gets `_` behind it.

    What is named inside an object is taken out of it. With `deep` also the objects that annotation tools keep
    next to a text. Raises RowError for a context that is no text.
    """
    given = {name: row[name] for name in columns.fields if name in row}
    for path in columns.fields:
        if "." in path and path not in row and (value := value_at(row, path, take=True)) is not None:
            given[path] = value
    for path, kind in columns.external.items():
        if "." in path and path not in row and (value := value_at(row, path, take=True)) is not None:
            scores = as_object(row.get("scores") or {}, "scores", "an object of numbers")
            row = {**row, "scores": {**scores, f"{path.removeprefix('scores.')} ({kind})": value}}
    wanted = {columns.fields[name] for name in given}
    result: JsonObject = {}
    for name, value in given.items():
        target = columns.fields[name]
        if target == "retrieved_contexts":
            if name in columns.separators and type(value) is str:
                parts = value.split(columns.separators[name].replace("\\n", "\n").replace("\\t", "\t"))
                value = [part.strip() for part in parts if part.strip()]
            result.setdefault(target, []).extend(
                [] if value is None else as_contexts(value, name, "a context, or a list of them")
            )
        elif target == "reference" and type(value) is list:
            result["ground_truths"] = value  # the first is scored, the others are alternatives
        else:
            result[target] = value
    for name, value in row.items():
        if name in given:
            continue
        if name in columns.external:
            result[f"{name} ({columns.external[name]})"] = value  # the kind stays with it
        elif deep and name in _INSIDE and type(value) is dict:
            result[name] = renamed(value, columns)
        else:
            result[f"{name}_" if name in wanted or FIELD_OF.get(name) in wanted else name] = value
    return result


def as_contexts(value: Any, name: str, expected: str = "a list of strings") -> list[Any]:
    """Contexts as a list, also one alone. Raises RowError."""
    if type(value) is list:
        return value
    if type(value) in (str, dict):
        return [value]
    raise RowError(excerpt(name), shown(value), expected)


def context_texts(value: list[Any], notes: Notes) -> list[Any]:
    """Contexts as texts, of texts and of objects that hold one. Raises RowError for an object without a text.

    What else such an object has is left out, and named.
    """
    texts, others = [], set[str]()
    for index, item in enumerate(value):
        if type(item) is not dict:
            texts.append(item)
            continue
        while inner := next((item[key] for key in CONTEXT_WRAPS if type(item.get(key)) is dict), None):
            others.update(key for key in item if item[key] is not inner)
            item = inner
        known = next((key for key in CONTEXT_TEXTS if type(item.get(key)) is str), None)
        if known is None:
            where, names = f"retrieved_contexts[{index}]", ", ".join(CONTEXT_TEXTS[:6])
            expected = (
                f"a string, or an object with one under {names}, … (--map retrieved_contexts=COLUMN.KEY)"
            )
            raise RowError(where, shown(item), expected)
        texts.append(item[known])
        others.update(key for key in item if key != known)
    if others:
        notes.ignored.update(f"retrieved_contexts.{name}" for name in others)
    return texts
