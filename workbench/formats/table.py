"""CSV files as a stream of records, with the line each starts at; malformed ones named, not fatal."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import InputError, RowError
from workbench.formats.lines import Progress, lines, not_utf8
from workbench.formats.rows import LINE_LIMIT, excerpt

DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True, slots=True)
class Cells:
    """One record of a table: its cells, or why there are none. `raw` is the text as it stood."""

    line: int
    cells: list[str]
    error: RowError | None
    raw: str


class _Feed:
    """Gives csv.reader its lines and remembers those of the record under way.

    One record may span lines; an unclosed quote would swallow the rest of the file, so that a record is
    cut at `LINE_LIMIT`.
    """

    def __init__(self, source: Iterator[tuple[int, int, bytes]]) -> None:
        self._source = source
        self.reset()

    def reset(self) -> None:
        self.line = self.size = 0
        self.taken: list[str] = []
        self.error: RowError | None = None

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        number, offset, data = next(self._source)
        self.line = self.line or number
        self.size += len(data)
        if self.size > LINE_LIMIT:
            self.taken = self.taken[:1]
            raise RowError("row", f"more than {LINE_LIMIT:,} bytes in one row", "a quote that is closed")
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            self.error = self.error or not_utf8(data[error.start], offset + error.start)
            text = data.decode("utf-8", "backslashreplace")
        self.taken.append(text)
        return text


def records(path: Path, delimiter: str, progress: Progress | None = None) -> Generator[Cells]:
    """Every record of a table, the header among them; blank lines are left out."""
    # The limit is one of the whole process and stands at 131,072 characters: only ever raised here.
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    with closing(lines(path, progress)) as source:
        feed = _Feed(source)
        reader = csv.reader(feed, delimiter=delimiter, strict=True)
        while True:
            feed.reset()
            cells: list[str] = []
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                feed.error = feed.error or RowError("row", _malformed(feed, str(error)), "a row of CSV")
            except RowError as error:
                feed.error = error
            blank = not cells or (len(cells) == 1 and not cells[0].strip())
            if feed.error or not blank:
                yield Cells(feed.line, cells, feed.error, "".join(feed.taken).rstrip("\r\n"))


def _malformed(feed: _Feed, message: str) -> str:
    last = feed.line + len(feed.taken) - 1
    where = f" in lines {feed.line:,}–{last:,}" if last > feed.line else ""
    return f"{excerpt(message)}{where}"


def header(path: Path, known: frozenset[str], *, named: bool = False) -> tuple[list[str], str, int]:
    """The names of the columns, the delimiter that gives most of the `known` ones, and the header's line.

    Raises InputError for a header that cannot be read, holds none of the names, or has one twice, and
    for a table without rows. `named`: a person named columns, so that a header without any is not judged.
    """
    best: list[str] = []
    chosen, failure, rows, line = "", None, 0, 0
    for delimiter in DELIMITERS:
        with closing(records(path, delimiter)) as found:
            first, second = next(found, None), next(found, None)
        if first is None:
            raise InputError(f"{path}: no rows: the file is empty")
        if first.error is not None:  # quotes end before the right delimiter only
            failure = failure or first.error
            continue
        names = [name.strip() for name in first.cells]
        better = len(known.intersection(names)) - len(known.intersection(best))
        if not chosen or better > 0 or (better == 0 and known.isdisjoint(names) and len(names) > len(best)):
            best, chosen, rows, line = names, delimiter, 0 if second is None else 1, first.line
    if not chosen and failure is not None:
        raise InputError(f"{path}: header: got {failure.got}, expected {failure.expected}")
    if known.isdisjoint(best) and not named:
        there = excerpt(", ".join(best), 200)
        expected = "user_input, reference, retrieved_contexts (or question, ground_truth, contexts)"
        raise InputError(
            f"{path}: not a dataset: the header has {there}; expected {expected}; name "
            "yours with --map reference=COLUMN --map user_input=COLUMN --map retrieved_contexts=COLUMN"
        )
    twice = sorted(name for name, times in Counter(best).items() if name and times > 1)
    if twice:
        raise InputError(f"{path}: header: column {excerpt(twice[0])} stands there twice")
    if not rows:
        raise InputError(f"{path}: no rows under the header")
    return best, chosen, line
