"""The objects of a file, one at a time, in bounded memory: one a line, or the items of one JSON document."""

from __future__ import annotations

import codecs
import json
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import InputError, RowError
from workbench.formats.lines import BOM, Progress, as_given, decoded, lines, not_utf8
from workbench.formats.objects import checked, parse, scanned
from workbench.formats.rows import LINE_LIMIT, excerpt, refused, wrong

_PIECE = 1 << 18  # characters taken from the file at a time
_SPACE = " \t\n\r"


@dataclass(frozen=True, slots=True)
class Given:
    """One object of a file with the line it starts at, or why it is none. `raw` is one line of JSON.

    `item` is its number in a document where another stands on the same line, else 0.
    """

    line: int
    value: dict[str, Any] | None
    raw: str
    error: RowError | None = None
    item: int = 0


def of_lines(path: Path, progress: Progress | None = None) -> Iterator[Given]:
    """The objects of a JSON Lines file; blank lines are left out."""
    for number, offset, data in lines(path, progress):
        if data.isspace():
            continue
        raw = ""
        try:
            raw = decoded(data, offset).rstrip("\r\n")
            item = Given(number, parse(raw), raw)
        except (RowError, RecursionError) as error:
            item = Given(number, None, raw or as_given(data), refused(error, path, number))
        yield item


def of_document(
    path: Path, keys: frozenset[str], progress: Progress | None = None, *, within: str = ""
) -> Generator[Given]:
    """The objects of the list that a JSON file is, or of the lists under `keys` of the object that it is,
    or of an object under `within` there.

    A document that breaks off or is no JSON ends with one item that says where: what stood before it is
    whole. Raises InputError for a file that cannot be read, or that is no list.
    """
    text = _Text(path, progress)
    try:
        start = text.peek()
        if keys:
            if start != "{":
                raise RowError("file", excerpt(text.near(), 20), "a JSON object")
            yield from _inside(text, keys, within)
        elif start == "[":
            yield from _listed(text)
        else:
            raise InputError(f"{path}: got {start or 'nothing'}, expected a list of objects")
        if text.peek():
            raise RowError("file", f'"{excerpt(text.near(), 40)}" behind the document', "one JSON document")
    except (RowError, RecursionError) as error:
        yield Given(text.line, None, text.near(), refused(error, path, text.line))


def of_members(path: Path, progress: Progress | None = None) -> Iterator[Given]:
    """The objects under the keys of the object that a JSON file is; what breaks off ends with an error."""
    text = _Text(path, progress)
    try:
        if text.peek() != "{":
            raise InputError(f"{path}: got {text.peek() or 'nothing'}, expected an object")
        text.at += 1
        while text.peek() == '"':
            text.take()
            if text.peek() != ":":
                raise RowError(
                    "file", excerpt(text.near(), 40) or "the end of the file", "a colon after a key"
                )
            text.at += 1
            line = text.line
            value, raw = text.take()
            yield _given(value, raw, line, text)
            if text.peek() != ",":
                break
            text.at += 1
        if text.peek() != "}":
            raise RowError("file", excerpt(text.near(), 40) or "the end of the file", "a whole JSON document")
    except (RowError, RecursionError) as error:
        yield Given(text.line, None, text.near(), refused(error, path, text.line))


def first_keys(head: str) -> Iterator[tuple[str, str]]:
    """The keys of a document that is an object, in order, each with `[`, `{` or its plain value.

    Only what stands in the first piece of the file, `head`, is looked at; a long list ends it.
    """
    decoder = json.JSONDecoder()
    at = head.find("{") + 1
    while True:
        while head[at : at + 1] in tuple(_SPACE + ","):
            at += 1
        try:
            name, at = decoder.raw_decode(head, at)
            while head[at : at + 1] in tuple(_SPACE + ":"):
                at += 1
            opening = head[at : at + 1]
            yield str(name), opening
            _, at = decoder.raw_decode(head, at)
        except (ValueError, RecursionError):
            return


class _Text:
    """A file as text, of which only what is under way is held."""

    def __init__(self, path: Path, progress: Progress | None) -> None:
        self.path = path
        self._pieces = self._decoded(progress)
        self.text = ""
        self.at = 0
        self.line = 1
        self.ended = False

    def _decoded(self, progress: Progress | None) -> Generator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            with self.path.open("rb") as file:
                offset = 0
                while data := file.read(_PIECE):
                    held = len(decoder.getstate()[0])
                    if offset == 0 and data.startswith(BOM):
                        data, offset = data[len(BOM) :], len(BOM)
                    try:
                        yield decoder.decode(data)
                    except UnicodeDecodeError as error:
                        raise not_utf8(error.object[error.start], offset - held + error.start) from None
                    offset += len(data)
                    if progress is not None:
                        progress(offset)
                if decoder.getstate()[0]:
                    raise not_utf8(decoder.getstate()[0][0], offset - len(decoder.getstate()[0]))
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from error

    def more(self, size: int = 1) -> bool:
        """Take at least `size` further characters; what was passed is forgotten. False at the end."""
        self.text = self.text[self.at :]
        self.at = 0
        pieces, taken = [self.text], 0
        while taken < size and not self.ended:
            piece = next(self._pieces, "")
            self.ended = not piece
            pieces.append(piece)
            taken += len(piece)
        self.text = "".join(pieces)
        return taken > 0

    def peek(self) -> str:
        """The next character that is no white space, not yet passed; empty at the end."""
        while True:
            while self.at < len(self.text):
                one = self.text[self.at]
                if one not in _SPACE:
                    return one
                self.line += one == "\n"
                self.at += 1
            if not self.more():
                return ""

    def take(self) -> tuple[Any, str]:
        """The JSON value that stands here, and its text. Raises RowError, or RecursionError."""
        self.peek()
        while True:
            found = scanned(self.text, self.at, whole=self.ended)
            if found is not None:
                value, end = found
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


def _inside(text: _Text, keys: frozenset[str], within: str) -> Iterator[Given]:
    """The items of the lists under `keys` of the object that begins here; the rest of it is passed."""
    text.at += 1
    while text.peek() == '"':
        name, _ = text.take()
        if text.peek() != ":":
            break
        text.at += 1
        opening = text.peek()
        if name in keys and opening == "[":
            yield from _listed(text)
        elif name == within and opening == "{":
            yield from _inside(text, keys, "")
        else:
            text.take()
        if text.peek() != ",":
            break
        text.at += 1
    if text.peek() != "}":
        raise RowError("file", excerpt(text.near(), 40) or "the end of the file", "a whole JSON document")
    text.at += 1


def _listed(text: _Text) -> Iterator[Given]:
    text.at += 1  # the bracket
    number = before = 0
    while (one := text.peek()) != "]":
        if not one:
            raise RowError("file", "the end of the file inside the list", "a whole JSON document")
        line = text.line
        value, raw = text.take()
        number += 1
        yield _given(value, raw, line, text, number if line in (1, before) else 0)
        before = line
        following = text.peek()
        if following == ",":
            text.at += 1
            if text.peek() == "]":
                raise RowError("file", "a comma before ]", "JSON")
        elif following != "]":
            near = excerpt(text.near(), 40)
            got = f'"{near}"' if near else "the end of the file inside the list"
            raise RowError("file", got, "a comma or ] after an item, in a whole JSON document")
    text.at += 1


def _given(value: Any, raw: str, line: int, text: _Text, item: int = 0) -> Given:
    try:
        if isinstance(value, RowError):
            raise value
        if type(value) is not dict:
            raise wrong("row", value, "a JSON object")
        checked(value, raw)
    except RowError as error:
        return Given(line, None, _one_line(raw), refused(error, text.path, line, item), item)
    return Given(line, value, _one_line(raw), None, item)


def _one_line(raw: str) -> str:
    """The same JSON on one line: a line break stands between its parts only, never in a text."""
    return raw.replace("\r", " ").replace("\n", " ") if "\n" in raw or "\r" in raw else raw
