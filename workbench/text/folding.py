"""Texts with case, accents, dashes, quotes and white space levelled, and the way back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from workbench.model import Span
from workbench.text.normalise import fold
from workbench.text.tokens import UNSPACED

_QUOTES = dict.fromkeys("“”„‟″«»‹›〝〞「」『』", '"')
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\ufe0e\ufe0f]")
_UNSPACED = re.compile(f"[{UNSPACED}]")


class Folded(NamedTuple):
    """A folded text; `back[i]` is the offset of the character that gave folded[i], None for the same."""

    text: str
    back: list[int] | None


class _Letters(dict[int, str]):
    """Each code point folded once, then looked up by `str.translate`."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        level = " " if letter.isspace() else _MARKS.sub("", _QUOTES.get(letter) or fold(letter))
        if level.isspace() and not letter.isspace():
            level = letter  # a mark that stands by itself, as ¯
        self[code] = level
        return level


_LETTERS = _Letters()


@lru_cache(maxsize=8)
def folded(text: str) -> Folded:
    """Fold a text letter by letter (1 MB: 60–300 ms); remembered for the next quote of the same text."""
    level = text.translate(_LETTERS)
    if "  " not in level and all(len(_LETTERS[ord(letter)]) == 1 for letter in set(text)):
        return Folded(level, None)
    letters: list[str] = []
    back: list[int] = []
    for index, letter in enumerate(text):
        level = _LETTERS[ord(letter)]
        if level == " " and letters and letters[-1] == " ":
            continue
        for part in level:
            letters.append(part)
            back.append(index)
    return Folded("".join(letters), back)


def occurrences(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """All places of a string in another that do not overlap; linear in both."""
    start = text.find(quote)
    while start >= 0:
        yield start, start + len(quote)
        start = text.find(quote, start + len(quote))


def find_folded(quote: str, text: str, most: int | None = None) -> list[Span]:
    """The places that say the quote up to case, accents, width, white space, dashes and quotation marks.

    All of them, or the first `most`. Spans are whole characters of the text, combining marks included.
    """
    wanted = " ".join(quote.translate(_LETTERS).split())
    if not wanted:
        return []
    level, back = folded(text)
    spans = []
    for start, end in islice(occurrences(wanted, level), most):
        if back is None:
            spans.append(Span(start, end))
        elif not _inside(back, start) and not _inside(back, end):
            stop = back[end] if end < len(back) else len(text)
            spans.append(Span(back[start], _with_marks(text, back[end - 1] + 1, stop)))
    return spans


def _inside(back: list[int], index: int) -> bool:
    """Whether an edge falls inside what one character became (ﬁ as fi)."""
    return 0 < index < len(back) and back[index - 1] == back[index]


def _with_marks(text: str, end: int, stop: int) -> int:
    """The end of a span that takes in the marks of its last letter and nothing else."""
    while end < stop and _MARKS.match(text[end]):
        end += 1
    return end


def cuts_letter(text: str, end: int) -> bool:
    """Whether an edge parts a letter from its combining mark."""
    return end < len(text) and text[end] > "\u02ff" and _MARKS.match(text[end]) is not None


def bounded(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] does not begin or end inside a word or a number."""
    return not _joins(text, start) and not _joins(text, end)


def _joins(text: str, edge: int) -> bool:
    """Whether a word or number goes on across an edge."""
    if not 0 < edge < len(text):
        return False
    left, right = text[edge - 1], text[edge]
    if right == " " or (left == " " and right.isascii()):  # most edges; the rest takes four times as long
        return False
    if left.isdigit() and right in ".," and text[edge + 1 : edge + 2].isdigit():
        return True
    if right.isdigit() and left in ".," and text[max(0, edge - 2) : edge - 1].isdigit():
        return True
    if _MARKS.match(right):
        return True
    if _UNSPACED.match(left) or _UNSPACED.match(right):
        return False
    return left.isalnum() and right.isalnum()
