"""Text measured in terminal cells: wrap, cut and pad so that columns stay in line.

Terminals disagree about joined emoji, skin tones and variation selectors. `steady` draws those in the
one form that every terminal gives the same width, so a family emoji in a row cannot shift the columns
to its right; the data is untouched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from unicodedata import bidirectional

from rich.cells import cell_len, get_character_cell_size

from workbench.text.lists import pairs, sections
from workbench.text.safe import HASH, flat, is_hash

_EMOJI = "\u2190-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
_TONE = "\U0001f3fb-\U0001f3ff"
# A joiner that begins a text joins nothing: the picture after it stays.
_UNSTEADY = re.compile(
    f"^\u200d|\u200d(?:[{_EMOJI}][\ufe0e\ufe0f{_TONE}]*)?|[\ufe00-\ufe0f]|(?<=[{_EMOJI}])[{_TONE}]"
)
_JOINED = re.compile(f"(?:\u200d[{_EMOJI}]|[\ufe0e\ufe0f\u200d{_TONE}])+")

# Characters that are one cell in every terminal: Latin, Greek, Cyrillic and common punctuation.
_NARROW = re.compile("[ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f‐-‗“-„…′″€№−]*")

# Scripts without spaces may break anywhere but before a closing and after an opening mark.
_NEVER_FIRST = frozenset("、。，．：；！？）］｝〉》」』】〕・ー々…‥%％,.!?:;)]}»”’")
_NEVER_LAST = frozenset("（［｛〈《「『【〔([{«“‘")


def steady(text: str) -> str:
    """The text as it is drawn: joined and toned emoji reduced to their first picture."""
    return text if text.isascii() else _UNSTEADY.sub("", text)


def width(text: str) -> int:
    """How many cells `steady(text)` takes."""
    return cell_len(steady(text))


def fit(text: str, size: int, *, right: bool = False) -> str:
    """The text cut (with an ellipsis) or padded to exactly `size` cells."""
    if size <= 0:
        return ""
    text = steady(text)
    length = cell_len(text)
    if length > size:
        text = text[: index_at(text, size - 1)] + "…"
        length = cell_len(text)
    pad = " " * (size - length)
    return pad + text if right else text + pad


def cut(text: str, size: int) -> str:
    """The text, with an ellipsis when it is longer than `size` cells."""
    return text if width(text) <= size else fit(text, size).rstrip()


def cut_words(text: str, size: int) -> str:
    """A sentence cut behind a word; within one where less than half of the cells would be left."""
    short = cut(text, size)
    whole = short.rpartition(" ")[0].rstrip(" ,;:·(")
    return short if short == text or 2 * width(whole) < size else f"{whole} …"


def cut_middle(text: str, size: int) -> str:
    """The text without its middle when it is longer than `size` cells: names differ at both ends."""
    if width(text) <= size:
        return text
    tail = cut_front(text, max(1, (size + 1) // 2))
    return fit(text, size - width(tail) + 1).rstrip("…") + tail


def cut_front(text: str, size: int) -> str:
    """The end of the text, with an ellipsis before it when the text is longer than `size` cells."""
    text = steady(text)
    spare = cell_len(text) - size
    if spare <= 0:
        return text
    for _, end, cells in clusters(text):
        spare -= cells
        if spare < 0:  # one cell more than is spare: the ellipsis takes it
            return f"…{text[end:]}"
    return "…"


def clusters(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, cells) of each user-visible character; marks and joined emoji belong to their base."""
    start, size = 0, 0
    index, length = 0, len(text)
    while index < length:
        if index > start and (joined := _JOINED.match(text, index)):
            index = joined.end()
            continue
        cells = get_character_cell_size(text[index])
        if cells and index > start:
            yield start, index, size
            start, size = index, cells
        elif cells:
            size = cells
        index += 1
    if length > start:
        yield start, length, size


_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def other_direction(text: str) -> str:
    """A text with letters that run from right to left, in the other order; empty for one without.

    Words and numbers that run from left to right stay as they are, so that a terminal which draws all from
    left to right draws this as it is read. One that knows the directions itself draws the text so already.
    """
    pieces = [text[start:end] for start, end, _ in clusters(text)]
    if not any(bidirectional(piece[0]) in ("R", "AL") for piece in pieces):
        return ""
    runs = groupby(pieces, key=lambda piece: bidirectional(piece[0]) in ("L", "EN", "AN"))
    ordered = [[*run] if plain else [*run][::-1] for plain, run in runs]
    return "".join(piece for run in reversed(ordered) for piece in run).translate(_MIRRORED)


def index_at(text: str, column: int) -> int:
    """The code point drawn at a cell column; len(text) behind the end."""
    used = 0
    for start, _, cells in clusters(text):
        used += cells
        if used > column:
            return start
    return len(text)


def wrapped(text: str, size: int, lead: str = "", indent: str = "") -> list[str]:
    """The lines of `wrap`, the first behind `lead`, the others behind `indent`; a longer word stays whole."""
    _, end = wrap(text, size - len(lead), whole=True)[0]
    rest = text[end:].lstrip()
    lines = [(start, end) for start, end in wrap(rest, size - len(indent), whole=True) if rest]
    return [lead + text[:end].rstrip(), *(indent + rest[start:end].rstrip() for start, end in lines)]


def wrap(text: str, size: int, *, whole: bool = False) -> list[tuple[int, int]]:
    """Lines of at most `size` cells as (start, end) into the text; the blank at a break is in no line.

    Breaks at line breaks, then at spaces, then (scripts without spaces, over-long words) anywhere a
    character ends; `whole`: not in an over-long word. 50 KB of Latin or Cyrillic take about 2 ms, of Chinese
    about 40.
    """
    size = max(size, 2)
    lines: list[tuple[int, int]] = []
    start = 0
    while True:
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        wrapping = _wrap_narrow if _NARROW.fullmatch(text, start, end) else _wrap_mixed
        lines += wrapping(text, start, end, size, whole=whole)
        if end >= len(text):
            return lines
        start = end + 1


def _wrap_narrow(text: str, start: int, end: int, size: int, *, whole: bool) -> Iterator[tuple[int, int]]:
    while end - start > size:
        cut_at = text.rfind(" ", start + 1, start + size + 1)
        if cut_at < 0:
            cut_at = text.find(" ", start + size, end) if whole else start + size
        if cut_at < 0:
            break
        yield start, cut_at
        start = cut_at
        while start < end and text[start] == " ":
            start += 1
        if start >= end:
            return
    yield start, end


def _wrap_mixed(text: str, start: int, end: int, size: int, *, whole: bool) -> Iterator[tuple[int, int]]:
    pieces = [(a + start, b + start, cells) for a, b, cells in clusters(text[start:end])]
    line, used, soft = start, 0, -1  # soft: index of the piece a line may begin with
    index = 0
    while index < len(pieces):
        a, _, cells = pieces[index]
        blank = text[a] == " "
        may_break = soft > 0 and pieces[soft][0] > line
        if used + cells > size and not blank and (may_break or not whole):
            back = soft if may_break else index
            yield line, line + len(text[line : pieces[back][0]].rstrip(" "))
            line, used, soft, index = pieces[back][0], 0, -1, back
            continue
        used += cells
        following = pieces[index + 1] if index + 1 < len(pieces) else None
        if following and (blank or _breakable(text, a, cells, following)):
            soft = index + 1
        index += 1
    yield line, end


def _breakable(text: str, at: int, cells: int, following: tuple[int, int, int]) -> bool:
    if cells < 2 and following[2] < 2:
        return False
    return text[at] not in _NEVER_LAST and text[following[0]] not in _NEVER_FIRST


DISPOSITION_SYMBOL = pairs(sections(__name__)["signs"])
STATE_NAME = pairs(sections(__name__)["names"])
"""What a disposition is called where a person reads it."""

LEAST = 8
"""Cells that an id keeps in a sentence, however long the rest is."""
QUESTION = 32
"""Cells that a question takes in a sentence at most."""


def short(key: str, size: int, question: str = "") -> str:
    """An id in at most `size` cells, cut before its end, where ids differ.

    In the place of a hash stands the beginning of the question, or of the hash where there is none.
    """
    key, question = flat(key), flat(question).strip()
    if is_hash(key):
        return cut(question, size) if question else key[: min(HASH, max(size, 0))]
    if width(key) <= size:
        return key
    head = fit(key, size // 3 + 1).removesuffix("…").rstrip()
    return head + cut_front(key, size - width(head))


def in_table(key: str, question: str, size: int = 0) -> str:
    """The same at the head of a table's row, with the beginning of the hash: questions may be alike.

    Without a size it is whole.
    """
    named = f"{' '.join(question.split())} {key[:HASH]}" if is_hash(key) and question else key
    return short(named, size) if size else flat(named)


def told_of(key: str, message: str, size: int, question: str = "") -> str:
    """A sample and a message about it in `size` cells: an id is cut first, few letters of a question go."""
    room = max(LEAST, size - 1 - width(message))
    if question.strip() and is_hash(key) and room < 2 * LEAST:
        return message
    return f"{short(key, min(room, QUESTION) if is_hash(key) else room, question)} {message}"
