"""JSON as a stream of objects in bounded memory: one a line, or the items of one document.

Numbers and texts that no other program could hold are refused.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from workbench.errors import InputError, NotFoundError, RowError, disk_errors
from workbench.formats.rows import LINE_LIMIT, TEXT_LIMIT, Refusal, check_texts, excerpt, shown, wrong
from workbench.model import JsonObject, Progress, silent

BOM = b"\xef\xbb\xbf"
HEAD = 64 * 1024
_REPORT_EVERY = 1 << 20  # bytes between two calls of a progress callback

_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))

_GIVE = "give the file with the questions, references, contexts and scores (JSON, CSV, Parquet)"
_MAGIC = (
    (b"\xff\xfe\x00\x00", "UTF-32: save it as UTF-8"),
    (b"\x00\x00\xfe\xff", "UTF-32: save it as UTF-8"),
    (b"\xff\xfe", "UTF-16: save it as UTF-8"),
    (b"\xfe\xff", "UTF-16: save it as UTF-8"),
    (b"\x1f\x8b", "a gzip archive: unpack it first"),
    (b"BZh", "a bzip2 archive: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive: unpack it first"),
    (b"PK\x03\x04", "a zip archive or an Excel workbook: unpack it, or save the sheet as CSV"),
    (b"SQLite format 3", "a SQLite database, not a dataset file"),
    (b"%PDF", f"a PDF: {_GIVE}"),
    *((start, f"a web page or XML: {_GIVE}") for start in (b"<!", b"<html", b"<?xml")),
)


def lines(path: Path, progress: Progress = silent) -> Generator[tuple[int, int, bytes]]:
    """(line number from 1, byte offset from 0, bytes) of every line; a leading BOM is left out.

    A line over `LINE_LIMIT` comes cut to one byte more than the limit; the rest of it is skipped in
    pieces. `progress` is called with the bytes read so far, about once a megabyte and at the end.
    """
    with disk_errors(InputError, f"{path}: cannot be read"), path.open("rb", buffering=1 << 18) as file:
        offset = reported = 0
        for number, line in enumerate(iter(partial(file.readline, LINE_LIMIT + 1), b""), start=1):
            data = line
            if number == 1 and data.startswith(BOM):
                data, offset = data[len(BOM) :], len(BOM)
            yield number, offset, data
            offset += len(data)
            if len(line) > LINE_LIMIT:
                rest = line
                while rest and not rest.endswith(b"\n"):
                    rest = file.readline(1 << 20)
                    offset += len(rest)
            if offset - reported >= _REPORT_EVERY:
                progress(offset)
                reported = offset
        progress(offset)


def decoded(data: bytes, offset: int) -> str:
    """The line as text. Raises RowError for a line over the limit or one that is not UTF-8."""
    if len(data) > LINE_LIMIT:
        raise RowError("row", f"a line of more than {LINE_LIMIT:,} bytes", "one sample a line, in less")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(data[error.start], offset + error.start) from None


def not_utf8(byte: int, offset: int) -> RowError:
    """The error for a byte that is not UTF-8; the offset is the byte's, in the file."""
    return RowError("row", f"byte 0x{byte:02x} at offset {offset:,} of the file", "UTF-8")


def as_given(data: bytes) -> str:
    """A line that is no text as one: foreign bytes as \\x escapes; of a line over the limit the start."""
    given = data if len(data) <= LINE_LIMIT else data[:10_000]
    return given.decode("utf-8", "backslashreplace").rstrip("\r\n")


def beginning(path: Path) -> bytes:
    """The first bytes of a plain file. Raises NotFoundError for no such file, InputError for no file."""
    if not path.exists():
        raise NotFoundError(f"no such file: {path}")
    if path.is_dir():
        raise InputError(f"{path}: a folder: name a file")
    if not path.is_file():
        raise InputError(f"{path}: not a plain file: save the rows to a file first")
    with disk_errors(InputError, f"{path}: cannot be read"), path.open("rb") as file:
        return file.read(HEAD + 1)


def first_lines(path: Path, data: bytes) -> list[bytes]:
    """The lines in the beginning of a file that looks like text, without the BOM, blank ones left out.

    Raises InputError for anything no reader could take.
    """
    for magic, what in _MAGIC:
        if data.startswith(magic):
            raise InputError(f"{path}: {what}")
    whole, data = len(data) <= HEAD, data[:HEAD]
    shift = len(BOM) if data.startswith(BOM) else 0
    data = data[shift:]
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls * 20 > len(data):  # random bytes have 11 %, UTF-16 half
        wide = "UTF-32" if data.count(0) * 2 > len(data) else "UTF-16"
        raise InputError(f"{path}: not a text file (or {wide}: save it as UTF-8)")
    rows = [line for line in data.split(b"\n") if line.strip()]
    if len(rows) > 1 and not whole:
        rows.pop()  # cut in the middle
    if not rows and whole:
        raise InputError(f"{path}: no rows: it is empty")
    _refuse_other_encoding(path, rows, shift + data.find(rows[0]) if rows else 0)
    return rows


def _refuse_other_encoding(path: Path, rows: list[bytes], start: int) -> None:
    """A file that starts with a foreign byte, or has no readable line in its head, is not UTF-8."""
    first: UnicodeDecodeError | None = None
    for line in rows:
        try:
            line.decode()
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data" and len(line) > HEAD - 10:
                return  # the head ends inside a character
            first = first or error
        else:
            return
    if first is not None and (len(rows) > 1 or start + first.start == 0):
        raise InputError(
            f"{path}: not UTF-8: byte 0x{first.object[first.start]:02x} at offset {start + first.start:,}, "
            "and no line that can be read: save the file as UTF-8"
        )


_ESCAPED = re.compile(r"\\u")


class _NotFiniteError(ValueError):
    """A number that no other program could read back."""


class Fractional(float):
    """A number with the digits that the file wrote. Raises ValueError for one too large to hold."""

    __slots__ = ("digits",)
    digits: str

    def __new__(cls, digits: str) -> Fractional:
        number = super().__new__(cls, digits)
        if not math.isfinite(number):
            raise _NotFiniteError(digits)
        number.digits = str(digits)
        return number


def _constant(name: str) -> None:
    """NaN is how data frames write *nothing*; the infinities are errors."""
    if name != "NaN":
        raise _NotFiniteError(name)


class _TwiceError(ValueError):
    """A key that an object has twice."""


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _TwiceError(next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1))
    return value


_decoder = json.JSONDecoder(parse_float=Fractional, parse_constant=_constant, object_pairs_hook=_object)
_lenient = json.JSONDecoder(parse_int=str, parse_float=str)
_TAIL = 20  # what a message shows behind a place; a word or an escape that may be cut is shorter


def parse(raw: str) -> JsonObject:
    """The JSON object of a line. Raises RowError for anything else, naming the column from 1, and
    RecursionError for thousands of brackets.

    NaN reads as null; infinite numbers, a key twice, lone surrogates, NUL and texts over the limit are
    errors.
    """
    return checked(loads(raw), raw)


def checked(value: Any, raw: str) -> JsonObject:
    """A parsed value, where it is an object without texts that no database could hold. Raises RowError."""
    if type(value) is not dict:
        raise wrong("row", value, "a JSON object")
    # Only an escape brings a surrogate or NUL into a text: UTF-8 has no surrogates and JSON no raw NUL.
    # One character is found at memory speed; for two a regex is three times as fast as `in` (0.6 against
    # 1.7 µs in 2 KB).
    if ("\\" in raw and _ESCAPED.search(raw)) or len(raw) > TEXT_LIMIT:
        check_texts(value)
    return value


def loads(raw: str) -> Any:
    """Any JSON value; NaN reads as null. Raises RowError, and RecursionError for thousands of brackets."""
    try:
        return _decoder.decode(raw)
    except json.JSONDecodeError as error:
        expected = "a whole JSON object: this one is cut off" if cut_off(error) else "a JSON object"
        raise _no_json(error, 0, " at", f" at column {error.pos + 1:,}", expected) from None
    except ValueError as error:
        raise _bad_value(raw, error) from None


def scanned(text: str, at: int, *, whole: bool) -> tuple[Any, int] | None:
    """The JSON value that begins at a place of a text, and where it ends; a value with a number that is
    none as its RowError. None: the text, of which more is to come (not `whole`), ends inside the value.

    Raises RowError for what is no JSON, and RecursionError for thousands of brackets.
    """
    try:
        value, end = _decoder.raw_decode(text, at)
    except json.JSONDecodeError as error:
        inside = error.pos >= len(text) - _TAIL or error.msg.startswith("Unterminated")
        if inside and not whole:
            return None
        if cut_off(error):
            raise RowError("file", *CUT) from None
        raise _no_json(error, at, " starting at", "", "JSON") from None
    except ValueError as error:
        try:
            end = _lenient.raw_decode(text, at)[1]
        except ValueError:
            if not whole:
                return None
            end = len(text)
        value = _bad_value(text[at:end], error)
    if not whole and len(text) - end <= len("e+") and text[end - 1] not in '"]}':
        return None  # a number may go on
    return value, end


CUT = "its end in the middle of a value", "the rest: the file was cut off, get the whole one"
"""What was got and what was expected where a file breaks off."""
_CUT = re.compile(r"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|\\u?[0-9a-fA-F]{0,3})?\s*\Z")


def cut_off(error: json.JSONDecodeError) -> bool:
    """Whether it is only the end of the text that makes it no JSON."""
    return error.msg.startswith("Unterminated") or _CUT.match(error.doc, error.pos) is not None


def _no_json(error: json.JSONDecodeError, start: int, ending: str, where: str, expected: str) -> RowError:
    near = shown(error.doc[max(error.pos - 40, start) : error.pos + 20])
    what = error.msg.removesuffix(ending)
    return RowError("row", f"{near} ({what[:1].lower()}{what[1:]}{where})", expected)


def _bad_value(raw: str, error: ValueError) -> RowError:
    """What is JSON and no value. Of a number that is not finite the last key before it is named, for the
    decoder does not know it."""
    if isinstance(error, _TwiceError):
        return RowError(excerpt(str(error)), "two values", "one")
    if not isinstance(error, _NotFiniteError):  # an integer of more than 4,300 digits
        return RowError("row", "a number of too many digits", "a JSON object")
    number = str(error)
    keys = re.findall(r'"((?:[^"\\]|\\.)*)"\s*:', raw[: raw.find(number)]) if number in raw else []
    return RowError(excerpt(keys[-1]) if keys else "row", excerpt(number), "a finite number or null")


_PIECE = 1 << 18  # characters taken from the file at a time
_SPACE = re.compile(r"[ \t\n\r]*")
_BETWEEN = re.compile(r"[ \t\n\r,:]*")


class RawRow(NamedTuple):
    """One object of a file with the line it starts at, or why it is none. `raw` is one line of JSON.

    `item` is its number in a document where another stands on the same line, else 0; `within` the path of
    the list of a document in which it stands.
    """

    line: int
    value: JsonObject | None
    raw: str
    error: Refusal | None = None
    item: int = 0
    within: str = ""


def of_lines(path: Path, progress: Progress = silent) -> Generator[RawRow]:
    """The objects of a JSON Lines file; blank lines are left out, and `_raw` of a rejected row is one."""
    for number, offset, data in lines(path, progress):
        if data.isspace():
            continue
        raw = ""
        try:
            raw = decoded(data, offset).rstrip("\r\n")
            value = parse(raw)
            if "_raw" in value and value.keys() <= {"_raw", "_error"}:  # a fixed row of a rejected file
                raw = str(value["_raw"])
                value = parse(raw)
            item = RawRow(number, value, raw)
        except (RowError, RecursionError) as error:
            item = RawRow(number, None, raw or as_given(data), error)
        yield item


MEMBERS = "*"
OBJECTS = ""
SPLIT = "columns, data"


def of_document(
    path: Path, lists: frozenset[str], progress: Progress, passed: Callable[[str], object]
) -> Generator[RawRow]:
    """The objects of the list that a JSON file is, or of the `lists` of the object that it is.

    A list is named by the keys that lead to it, with dots; `MEMBERS` are the objects under the keys of the
    document itself, `OBJECTS` the documents of a file that holds one behind the other, `SPLIT` the rows of a
    table that names its columns once. `passed` gets the other keys. A document that breaks off or is no JSON
    ends with one row that says where: what stood before it is whole. Raises InputError for a file that cannot
    be read, or that is no list.
    """
    text = _Text(path, progress)
    try:
        start = text.peek()
        if start != ("{" if lists else "["):
            expected = "an object" if lists else "a list of objects"
            raise InputError(f"{path}: got {start or 'nothing'}, expected {expected}")
        if OBJECTS in lists:
            while text.peek():
                line = text.line
                yield _raw_row(*text.take(), line)
        elif SPLIT in lists:
            yield from _split(text, passed)
        else:
            yield from _inside(text, lists, "", passed) if lists else _listed(text, "")
        if text.peek():
            raise RowError("file", f'"{excerpt(text.near(), 40)}" behind the document', "one JSON document")
    except (RowError, RecursionError) as error:
        yield RawRow(text.line, None, text.near(), error)


def first_keys(head: str) -> Iterator[tuple[str, str]]:
    """The keys of a document that is an object, in order, each with `[`, `{` or its plain value.

    Only what stands in the first piece of the file, `head`, is looked at; a long list ends it.
    """
    decoder = json.JSONDecoder()
    at = head.find("{") + 1
    try:
        while True:
            name, at = decoder.raw_decode(head, _BETWEEN.match(head, at).end())  # type: ignore[union-attr]
            at = _BETWEEN.match(head, at).end()  # type: ignore[union-attr]
            yield str(name), head[at : at + 1]
            _, at = decoder.raw_decode(head, at)
    except (ValueError, RecursionError):
        return


def _decoded(path: Path, progress: Progress) -> Generator[str]:
    """A file as text in pieces, the last one empty. Raises RowError for a byte that is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    data, offset = BOM, 0
    with disk_errors(InputError, f"{path}: cannot be read"), path.open("rb") as file:
        while data:
            data, held = file.read(_PIECE), len(decoder.getstate()[0])
            if offset == 0 and data.startswith(BOM):
                data, offset = data[len(BOM) :], len(BOM)
            try:
                piece = decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                if error.start:
                    yield error.object[: error.start].decode()
                raise not_utf8(error.object[error.start], offset - held + error.start) from None
            if piece or not data:  # the last read may hold only the beginning of a letter
                yield piece
            offset += len(data)
            progress(offset)


class _Text:
    """A file as text, of which only what is under way is held."""

    def __init__(self, path: Path, progress: Progress = silent) -> None:
        self._pieces = _decoded(path, progress)
        self.text = ""
        self.at = 0
        self.line = 1
        self.ended = False
        self._foreign: RowError | None = None

    def more(self, size: int = 1) -> bool:
        """Take at least `size` further characters; what was passed is forgotten. False at the end.

        Raises RowError for a byte that is not UTF-8 once all before it is taken.
        """
        self.text = self.text[self.at :]
        self.at = 0
        pieces, taken = [self.text], 0
        while taken < size and not self.ended and self._foreign is None:
            try:
                piece = next(self._pieces, "")
            except RowError as error:
                self._foreign = error
                break
            self.ended = not piece
            pieces.append(piece)
            taken += len(piece)
        self.text = "".join(pieces)
        if self._foreign is not None and not taken:
            raise self._foreign
        return taken > 0

    def peek(self) -> str:
        """The next character that is no white space, not yet passed; empty at the end."""
        while True:
            end = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
            self.line += self.text.count("\n", self.at, end)
            self.at = end
            if end < len(self.text):
                return self.text[end]
            if not self.more():
                return ""

    def take(self) -> tuple[Any, str]:
        """The JSON value that stands here, and its text. Raises RowError, or RecursionError."""
        self.peek()
        while True:
            if (scan := scanned(self.text, self.at, whole=self.ended)) is not None:
                value, end = scan
                raw = self.text[self.at : end]
                self.line += raw.count("\n")
                self.at = end
                return value, raw
            held = len(self.text) - self.at
            if held > LINE_LIMIT:
                raise RowError(
                    "row", f"more than {LINE_LIMIT:,} characters in an item", "one sample, in less"
                )
            self.more(held)  # twice as much each time, so that a long item is not read over and over

    def near(self) -> str:
        """The text at the place where reading ended."""
        return self.text[self.at : self.at + 1_000]

    def unexpected(self, expected: str) -> RowError:
        """The error for something else at this place."""
        near = excerpt(self.near(), 40)
        return RowError("file", f'"{near}"', expected) if near else RowError("file", *CUT)


def _keys(text: _Text) -> Iterator[str]:
    """Each key of the object that begins here; the reader takes the value before it asks for the next."""
    text.at += 1
    while text.peek() == '"':
        name, _ = text.take()
        if text.peek() != ":":
            raise text.unexpected("a colon after a key")
        text.at += 1
        text.peek()
        yield name
        if text.peek() != ",":
            break
        text.at += 1
    if text.peek() != "}":
        raise text.unexpected("a whole JSON document")
    text.at += 1


def inner_lists(path: Path, *, by_line: bool = True) -> tuple[dict[str, JsonObject], int, bool | None]:
    """The lists of objects in the document that a file begins with, each with its first object.

    Also on which line the document ends, and whether anything follows. What stands behind a place that is no
    JSON is not looked at: then it ends there, and None says so.
    """
    text = _Text(path)
    lists: dict[str, JsonObject] = {}
    try:
        text.peek()
        for raw in _inside(text, None, "", lambda _: None):
            if raw.value is not None:
                lists.setdefault(raw.within, raw.value)
        return lists, text.line, bool(text.peek())
    except (RowError, RecursionError) as error:
        if isinstance(error, RowError) and (error.got, error.expected) == CUT and not by_line:
            where = f"{path.stat().st_size:,}, before what begins in line {text.line:,} is complete"
            raise InputError(f"{path}: cut off at offset {where}: get the whole file") from None
        return lists, text.line, None


def _split(text: _Text, passed: Callable[[str], object]) -> Iterator[RawRow]:
    """The rows of `{"columns": [...], "data": [[...], ...]}`, as pandas and MLflow write a table."""
    columns: list[str] = []
    for name in _keys(text):
        if name == "columns":
            given, _ = text.take()
            if isinstance(given, RowError):
                raise given
            if type(given) is not list:
                raise wrong(name, given, "a list of names")
            columns = [str(column) for column in given]
        elif name == "data" and text.peek() == "[":
            yield from _listed(text, "", columns)
        else:
            passed(name)
            text.take()


def _inside(
    text: _Text, lists: frozenset[str] | None, outer: str, passed: Callable[[str], object]
) -> Iterator[RawRow]:
    """The items of the `lists` (None: of all) of the object that begins here; the rest of it is passed."""
    for name in _keys(text):
        path, opening = outer + name, text.peek()
        if lists is not None and MEMBERS in lists:
            line = text.line
            yield _raw_row(*text.take(), line, within=name)
        elif opening == "[" and (lists is None or path in lists):
            yield from _listed(text, path)
        elif opening == "{" and (lists is None or any(inner.startswith(f"{path}.") for inner in lists)):
            yield from _inside(text, lists, f"{path}.", passed)
        else:
            passed(path)
            text.take()


def _listed(text: _Text, within: str, columns: list[str] | None = None) -> Iterator[RawRow]:
    """The items of the list that begins here; with `columns` each item is the list of their values."""
    text.at += 1
    number = before = 0
    while text.peek() != "]" or number:
        line = text.line
        value, raw = text.take()
        if columns is not None and type(value) is list and len(value) == len(columns):
            value = dict(zip(columns, value, strict=True))
            raw = json.dumps(value, ensure_ascii=False)
        number += 1
        yield _raw_row(value, raw, line, number if line in (1, before) else 0, within)
        before = line
        if text.peek() != ",":
            break
        text.at += 1
    if text.peek() != "]":
        raise text.unexpected("a comma or ] after an item, in a whole JSON document")
    text.at += 1


def _raw_row(value: Any, raw: str, line: int, item: int = 0, within: str = "") -> RawRow:
    raw = raw.replace("\r", " ").replace("\n", " ")  # a line break stands between its parts, never in a text
    try:
        if isinstance(value, RowError):
            raise value
        checked(value, raw)
    except RowError as error:
        return RawRow(line, None, raw, error, item, within)
    return RawRow(line, value, raw, None, item, within)
