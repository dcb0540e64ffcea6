"""The rows that reading a file gives, the notes on them, and the checks of one value.

In checks, `where` is the path of an object, so that an error names its field: `gold.entities[3].verdict`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from workbench.errors import RowError
from workbench.model import JsonObject, Record, Span
from workbench.text.figures import many
from workbench.text.lists import pairs, sections

LINE_LIMIT = 64 * 1024 * 1024  # bytes
TEXT_LIMIT = 2_000_000  # characters in one text
CONTEXTS_LIMIT = 10_000
DEPTH_LIMIT = 100  # levels of lists and objects inside `meta`: each later writer recurses over them

SHOWN = 60  # characters of a value in a message
NAMED = 5  # moved and lost spans that a report names

OBJECT = "workbench"
"""The key under which the formats of other tools carry the native row."""

_COUNTS = ("kept", "numbers", "shares", "ignored", "failed", "counted", "seen")  # of Notes, row by row


@dataclass(frozen=True, slots=True)
class FileRow:
    """One row of a file: a record, or why it is not one.

    `line` counts from 1; a CSV row stands at its first line. `raw` is the row as given, for a CSV row
    as a JSON object of its cells. `item` is its number where several rows stand on one line, else 0.
    """

    path: Path
    line: int
    record: Record | None
    error: RowError | None
    raw: str
    item: int = 0


@dataclass(slots=True)
class Notes:
    """What a reader has to say of a whole file, filled while its rows are read."""

    format: str = ""
    files: tuple[str, ...] = ()
    """The files that are read."""
    kept: Counter[str] = field(default_factory=Counter)
    """Columns without a meaning here, kept in `meta`, with the rows they were in."""
    kept_first: dict[str, tuple[bool, str]] = field(default_factory=dict)
    """Of each of these whether a metric has its name, and its first value with the line."""
    numbers: Counter[str] = field(default_factory=Counter)
    """Those of them that hold a number."""
    shares: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """Those that hold a number from 0 to 1, and whether it is neither."""
    scores: Counter[str] = field(default_factory=Counter)
    """Columns of scores that came with the file, with the rows that have one and were taken."""
    ignored: Counter[str] = field(default_factory=Counter)
    """Keys that have no place and were left out: of rows, and inside `gold` and `proposal`."""
    failed: Counter[str] = field(default_factory=Counter)
    """Columns of scores with the rows that have none there, which is not 0."""
    counted: Counter[str] = field(default_factory=Counter)
    """Sentences that hold for a number of rows."""
    seen: Counter[str] = field(default_factory=Counter)
    """How often each of `EXAMPLES` was seen."""
    first: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The first few of them, each with its line."""
    without_contexts: int = 0
    """Rows that have no contexts."""
    for_contexts: str = ""
    """Where no column is known as that of the contexts: the one that may be it, by its name."""
    advice: str = ""
    """A command that may read a file of which the question or the reference has no known name."""
    columns: dict[str, None] = field(default_factory=dict)
    """The columns or keys of the first rows, in the order of the file."""
    around: dict[str, None] = field(default_factory=dict)
    """The keys of a document next to its list of rows."""
    first_meta: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """What the first tasks on a text have besides the text, by the sample's id."""
    texts_of: Callable[[str], Mapping[str, Any] | None] = lambda _: None
    """The texts of the sample in the dataset that has an id, for rows of scores alone."""
    line: int = 0
    """The row under way."""
    item: int = 0
    """Its number in a JSON document that has several rows on one line, else 0."""

    def example(self, kind: str, what: str) -> None:
        """Count one of `EXAMPLES`, and name the first few."""
        self.seen[kind] += 1
        if len(self.first[kind]) < NAMED:
            self.first[kind].append(f"{self._place()}: {what}")

    def keep(self, name: str, value: Any, *, metric: bool) -> None:
        """Count a column that goes to `meta`."""
        self.kept[name] += 1
        self.kept_first.setdefault(name, (metric, f"{self._place()} {shown(value)}"))

    def of_row(self) -> Notes:
        """The same with nothing counted, for one row after another: see `take`."""
        counts: dict[str, Any] = {name: Counter() for name in _COUNTS}
        return replace(self, **counts, kept_first={}, first=defaultdict(list))

    def take(self, row: Notes, *, good: bool) -> None:
        """Take out what a row has to say, and add it to what the file has unless the row was refused."""
        for name in _COUNTS:
            if counted := getattr(row, name):
                getattr(self, name).update(counted if good else ())
                counted.clear()
        for name in row.kept_first if good else ():
            self.kept_first.setdefault(name, row.kept_first[name])
        for kind in row.first if good else ():
            self.first[kind] = [*self.first[kind], *row.first[kind]][:NAMED]
        row.kept_first.clear()
        row.first.clear()

    def _place(self) -> str:
        return f"item {self.item:,}" if self.item else f"line {self.line:,}"

    def messages(self) -> list[str]:
        """One sentence for each thing worth saying, in a fixed order."""
        told = []
        if self.without_contexts:
            told.append(SENTENCES["without contexts"].format(rows=many(self.without_contexts, "row")))
            if self.for_contexts:
                told[-1] += SENTENCES["for contexts"].format(column=excerpt(self.for_contexts))
        odd = {name for name, (metric, _) in self.kept_first.items() if metric or self.scores[name]}
        told += _counted("kept in meta", Counter({n: rows for n, rows in self.kept.items() if n not in odd}))
        for name, rows in () if self.scores else sorted(self.kept.items()):
            if self.shares[name, True] and self.shares[name, True] + self.shares[name, False] == rows:
                told.append(SENTENCES["perhaps"].format(column=excerpt(name)))
        for name in sorted(odd):
            words = many(self.kept[name], "value is not a number", "values are not numbers")
            first = f"(first: {self.kept_first[name][1]})"
            then = "no score is a number such as 0.5, so the column is kept in meta"
            if self.scores[name]:
                then = "no score in such a row, the others keep theirs; correct it and import the file again"
            told.append(f"{excerpt(name)}: {words} {first}: {then}")
        told += _counted("your scores", self.scores)
        told += _counted("no score there", self.failed)
        for kind, sentence in EXAMPLES.items():
            if number := self.seen[kind]:
                named = f" ({'; '.join(self.first[kind])})" if self.first[kind] else ""
                told.append(sentence.format(rows=many(number, "row"), number=f"{number:,}") + named)
        told += _counted("left out, no place for them", self.ignored)
        if self.around:
            told.append(f"around the rows, left out: {excerpt(', '.join(self.around), 400)}")
        return told + [
            f"{sentence}: {many(number, 'row')}" for sentence, number in sorted(self.counted.items())
        ]


EXAMPLES = pairs(sections(__name__)["examples"])
"""What `Notes.example` counts, with the sentence that tells it."""
SENTENCES = pairs(sections(__name__)["sentences"])
"""Other things that an import may have to say."""


def _counted(sentence: str, names: Counter[str]) -> list[str]:
    listed = ", ".join(
        f"{excerpt(name)} ({many(number, 'row')})" for name, number in sorted(names.items()) if number > 0
    )
    return [f"{sentence}: {listed}"] if listed else []


def excerpt(text: str, limit: int = SHOWN) -> str:
    """A text cut to `limit` characters, with what cannot be printed as an escape."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in cut)


def shown(value: Any) -> str:
    """A value of a file, short enough for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{excerpt(value)}"'
    if isinstance(value, int | float):
        prints = isinstance(value, float) or value.bit_length() < 1_000  # Python refuses over 4,300 digits
        return f"number {excerpt(repr(value))}" if prints else "a number of many digits"
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    if isinstance(value, Mapping):
        return f"an object with {excerpt(', '.join(map(str, value))) or 'no keys'}"
    # of Python: a caller's object, not one of a file
    return f"an instance of {excerpt(type(value).__name__)}"


Refusal = RowError | RecursionError
"""What is raised for a row: its error, still without a place, or that it is nested too deep."""


def wrong(field: str, value: Any, expected: str) -> RowError:
    """The error for a value of the wrong kind; nothing at all reads as *missing*."""
    return RowError(field, "nothing" if value is None else shown(value), expected)


def check_text(text: str, field: str) -> None:
    """Refuse a text that no database and no file could hold.

    Raises RowError with the offset (in characters, from 0) of a NUL or of half a surrogate pair, and for
    a text over `TEXT_LIMIT`.
    """
    if len(text) > TEXT_LIMIT and field != OBJECT:  # in a cell, a row of many texts
        raise RowError(field, f"{len(text):,} characters", f"at most {TEXT_LIMIT:,}")
    if "\x00" in text:
        raise RowError(field, f"a NUL character at offset {text.index(chr(0)):,}", "text without it")
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(text[error.start]):04x}"
        got = f"a lone surrogate {half} at offset {error.start:,}"
        raise RowError(field, got, "text that UTF-8 can hold") from None


def refused(error: Refusal, path: Path, line: int, item: int) -> RowError:
    """The error of a row with its place in the file."""
    if isinstance(error, RecursionError):
        error = RowError("row", "lists or objects nested too deep to read", "a flatter object")
    error.path, error.line, error.item = str(path), line, item
    return error


def check_texts(value: Any, field: str = "") -> None:
    """`check_text` for every text in a parsed value, keys included."""
    if type(value) is str:
        check_text(value, field)
    elif type(value) is dict:
        for key, inner in value.items():
            path = f"{field}.{excerpt(key)}" if field else excerpt(key)
            check_text(key, f"the key {path}")
            check_texts(inner, path)
    elif type(value) is list:
        for index, inner in enumerate(value):
            check_texts(inner, f"{field}[{index}]")


def check_depth(value: Any, field: str) -> None:
    """Refuse lists and objects nested deeper than `DEPTH_LIMIT`."""
    level: list[Any] = [value]
    for _ in range(DEPTH_LIMIT):
        inner: list[Any] = []
        for item in level:
            parts: Iterable[Any] = item.values() if type(item) is dict else item
            inner.extend(part for part in parts if type(part) is dict or type(part) is list)
        if not inner:
            return
        level = inner
    raise RowError(field, f"more than {DEPTH_LIMIT} levels of nesting", "a flatter value")


_T = TypeVar("_T", bound=str)


class RowPart(NamedTuple):
    """An object inside a row, and its path there, which errors name: `gold.entities[3]`."""

    value: JsonObject
    where: str

    def ends(self) -> tuple[int, int]:
        """`start` and `end`, not yet checked against a text. Raises RowError."""
        return self.whole_number("start"), self.whole_number("end")

    def offsets(self) -> tuple[int | None, int | None]:
        """The same, None for one that is not there. Raises RowError."""
        get = self.value.get
        return (
            None if get("start") is None else self.whole_number("start"),
            None if get("end") is None else self.whole_number("end"),
        )

    def whole_number(self, key: str, expected: str = "an offset in characters") -> int:
        """A whole number; a float without a fraction is one (data frames write them). Raises RowError."""
        value = self.value.get(key)
        if type(value) is int:
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
        raise self.wrong(key, expected)

    def required(self, key: str) -> str:
        """A string that says something. Raises RowError."""
        value = self.value.get(key)
        if type(value) is str and value.strip():
            return value
        raise self.wrong(key, "a string (missing)" if value is None else "a string that is not empty")

    def optional(self, key: str) -> str | None:
        """A string; None when there is none. Raises RowError."""
        value = self.value.get(key)
        if value is None or type(value) is str:
            return value
        raise self.wrong(key, "a string")

    def flag(self, key: str) -> bool:
        """True or false, false when absent. Raises RowError."""
        value = self.value.get(key)
        if value is None or type(value) is bool:
            return bool(value)
        raise self.wrong(key, "true or false")

    def list_of(self, key: str) -> list[Any] | None:
        """A list; None when there is none. Raises RowError."""
        value = self.value.get(key)
        return None if value is None else as_list(value, f"{self.where}.{key}")

    def one_of(self, key: str, known: Sequence[_T]) -> _T:
        """One of the known words. Raises RowError for any other."""
        return one_of(self.value.get(key), known, f"{self.where}.{key}")

    def quoting(self, surface: str, text: str) -> Span | None:
        """Its place, where it names one and the text reads there as the surface."""
        start, end = self.value.get("start"), self.value.get("end")
        if type(start) is not int or type(end) is not int or start < 0 or end != start + len(surface):
            return None
        return Span(start, end) if text.startswith(surface, start) else None

    def ignore(self, known: frozenset[str], notes: Notes) -> None:
        """Count keys that have no place, under their path without the numbers of list items."""
        if not known.issuperset(self.value):
            path = ".".join(part.partition("[")[0] for part in self.where.split("."))
            start = f"{path}." if path else ""
            notes.ignored.update(f"{start}{key}" for key in self.value if key not in known)

    def wrong(self, key: str, expected: str) -> RowError:
        """The error for what stands under a key."""
        return wrong(f"{self.where}.{key}", self.value.get(key), expected)


def part(value: Any, where: str, expected: str) -> RowPart:
    """A value, which has to be an object. Raises RowError."""
    return RowPart(as_object(value, where, expected), where)


def one_of(value: Any, known: Sequence[_T], where: str) -> _T:
    """One of the known words. Raises RowError for any other."""
    if type(value) is str and value in known:
        return known[known.index(value)]
    raise wrong(where, value, " or ".join(known))


def as_list(value: Any, where: str) -> list[Any]:
    """The value, which has to be a list. Raises RowError."""
    if type(value) is list:
        return value
    raise wrong(where, value, "a list")


def as_object(value: Any, where: str, expected: str = "an object") -> JsonObject:
    """The value, which has to be an object. Raises RowError."""
    if type(value) is dict:
        return value
    raise wrong(where, value, expected)


def optional_object(item: JsonObject, key: str, where: str = "") -> JsonObject:
    """An object; an empty one when there is none. Raises RowError."""
    value = item.get(key)
    return {} if value is None else as_object(value, where or key)


def rest_of(row: Mapping[str, Any], names: Collection[str]) -> JsonObject:
    """An object without some of its keys."""
    return {name: value for name, value in row.items() if name not in names}


def strings(value: Any, where: str) -> list[str]:
    """The value, which has to be a list of strings. Raises RowError."""
    for index, text in enumerate(given := as_list(value, where)):
        if type(text) is not str:
            raise wrong(f"{where}[{index}]", text, "a string")
    return given


def places(surface: str, text: str) -> list[Span]:
    """Where a text has a surface exactly; only whole words when there are any."""
    spans = []
    start = text.find(surface)
    while start >= 0:
        spans.append(Span(start, start + len(surface)))
        start = text.find(surface, start + len(surface))
    return [span for span in spans if is_whole(span, text)] or spans


def is_whole(span: Span, text: str) -> bool:
    """Whether a span begins and ends at the edge of a word."""
    before, after = text[max(span.start - 1, 0) : span.start + 1], text[span.end - 1 : span.end + 1]
    return not (span.start and before.isalnum()) and not (len(after) == 2 and after.isalnum())


def number(value: int | None) -> str:
    """An offset for a message."""
    return "?" if value is None else excerpt(str(value), 20) if abs(value) < 10**19 else "…"
