"""Sentences, by punctuation: abbreviations, initials and ordinals do not end one."""

from __future__ import annotations

import re

from workbench.model import Span
from workbench.text.lists import listed, sections

_WORDS = sections(__name__)
_ABBREVIATIONS = listed(_WORDS["abbreviations"])
# Abbreviations only before a number: "No. 5", but 'He said "no."'
_NUMBERED = listed(_WORDS["before a number"])
_NUMBER = re.compile(r"\s+[\divxlc]")
_INITIAL = re.compile(r"\s*[^\W\d_]\.")
# A number and a dot before one of these is a German date or century, not an end.
_ORDINAL_NOUNS = re.compile(
    r"\s+(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
    r"|Jahrhundert|Jh|Auflage|Mal|Platz)"
)
_END = re.compile(
    "(?<![.!?…؟۔।॥።])[.!?…؟۔।॥።]++[\"'»”’)\\]›]*+(?=\\s)"  # an end needs white space …
    "|[。！？｡]+[」』”’）〉》]*"  # … except in East Asia
    r"|\n[^\S\n]*\n\s*"  # an empty line
    r"|\n(?=\s*(?:[-*•–—]|\d+[.)])\s)"  # a list item
)
_LAST_WORD = re.compile(r"([^\W_]+)\.$")
_CLOSERS = "\"'»”’)]›"


def sentences(text: str) -> list[Span]:
    """The sentences of a text as spans without outer white space, in order; "" has none.

    Together they cover everything but white space.
    """
    spans: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if match.end() <= start or not _ends(text, match):
            continue
        _add(spans, text, start, match.end())
        start = match.end()
    _add(spans, text, start, len(text))
    return spans


def _add(spans: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        first = start + len(piece) - len(piece.lstrip())
        spans.append(Span(first, first + len(stripped)))


def _ends(text: str, match: re.Match[str]) -> bool:
    """Whether this punctuation ends a sentence."""
    mark = match.group()
    if mark[0] in "。！？｡\n":
        return True
    following = text[match.end() : match.end() + 40].lstrip()
    if following[:1].islower():
        return False  # "Yahoo! is", "etc. and"
    if mark.rstrip(_CLOSERS) != ".":
        return True
    before = text[max(0, match.start() - 30) : match.start() + 1]
    word = _LAST_WORD.search(before)
    if word is None:
        return True
    last = word.group(1)
    if last.isdigit():
        return not (len(last) <= 2 and _ORDINAL_NOUNS.match(text, match.end()))
    if len(last) == 1 and (last.isupper() or before[: word.start()].endswith(".")):
        return False  # an initial, or the second letter of т.е., z.B., U.S.
    if len(last) == 1 and _INITIAL.match(text, match.end()):
        return False  # the first letter of z. B.
    if last.lower() in _NUMBERED:
        return not _NUMBER.match(text, match.end())
    return last.lower() not in _ABBREVIATIONS
