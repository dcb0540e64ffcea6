"""Tokens a person can walk over when moving the edge of a span, and sentences by punctuation."""

from __future__ import annotations

import itertools
import re
import unicodedata
from functools import lru_cache
from operator import add
from typing import NamedTuple

from workbench.model import Span
from workbench.text.lists import listed, sections

# Scripts written without spaces: each character (with its marks) is a token. Han, kana, Bopomofo,
# Thai, Lao, Myanmar, Khmer. Hangul is written with spaces and is not among them.
UNSPACED = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6"
    "\u1000-\u102a\u103f\u1780-\u17b3\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)

# BB+, A-: grades and groups; the sign belongs to them, but not in "A- and B-levels". C++ and C# are not C.
GRADE = r"(?<![\w&-])(?:[A-C]{2,3}[+−–-]|[A-DO](?:\+|[−–-](?! (?:and|or|und|oder|et|y) )))(?![\w+−–-])"

_ELISION = re.compile(r"(?:[ldcjmnst]|qu|dell|nell|sull|all|un)['’](?=[^\W\d_])")
_POSSESSIVE = re.compile(r"['’]s$")
# Turkish case endings after an apostrophe; four letters have to stand before it.
_TURKISH = re.compile(
    r"(?<=[^\W\d_]{4})['’](?:n?[ıiuü]n|[dt][ae]n?|y?[ae]|[yn]?[ıiuü]|[yn]?l[ae]|l[ae]r\w*|d[ae]ki\w*)$"
)
_JOINER = re.compile("[-‐‑]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_AFTER_WORDS = frozenset(",.;:!?)»")


class Token(NamedTuple):
    """A token and where it stands, in code points."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=1)
def marks() -> str:
    """All combining marks and joiners as the inside of a character class; `\\w` lacks them (8 ms once)."""
    codes = [code for code in range(0x300, 0x20000) if unicodedata.category(chr(code))[0] == "M"]
    ranges: list[tuple[int, int]] = []
    for code in [0xAD, *codes, 0x200C, 0x200D]:  # the first is a soft hyphen
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return "".join(chr(a) if a == b else f"{chr(a)}-{chr(b)}" for a, b in ranges)


# All combining marks and joiners and all scripts without spaces are in these few ranges.
_MARKED = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u1dff\u200c\u200d\u20d0-\u20ff\u2cef-\U0010ffff]"
)


def plain(text: str) -> bool:
    """Whether a text has neither combining marks nor scripts without spaces: it needs a simpler pattern."""
    return text.isascii() or _MARKED.search(text) is None


@lru_cache(maxsize=2)
def _token_pattern(plain: bool) -> re.Pattern[str]:
    """The pattern for any text, and the same for a plain one, which is faster."""
    mark = f"[{marks()}]"
    # Possessive: letters and marks never give back, so no text can make the pattern slow.
    letters = "[^\\W_]++" if plain else f"(?:[^\\W_{UNSPACED}]++{mark}*+)++"
    start = (
        f"{GRADE}|(?:[^\\W\\d_]\\.){{2,10}}(?![^\\W_])"  # U.S.
        "|\\d+(?:[.,]\\d+){1,10}(?![^\\W_])"  # 1,000.5
        f"|{letters}(?:['’ʼ＇&·‐‑_-]{letters})*"  # O'Brien, Jean-Luc, AT&T
    )
    if plain:
        return re.compile(f"{start}|[^\\w\\s]|_")
    return re.compile(
        f"{start}|[{UNSPACED}]{mark}*"
        f"|[^\\w\\s]{mark}*(?:(?<=\u200d)[^\\w\\s]{mark}*)*"  # punctuation; a joined emoji is one
        f"|_|{mark}+"
    )


@lru_cache(maxsize=1)
def word_pattern() -> re.Pattern[str]:
    """Words as names share them: hyphens and apostrophes part them, a possessive 's is none of them.

    Finds no words of scripts written without spaces.
    """
    letters = f"(?:[^\\W_{UNSPACED}]++[{marks()}]*+)++(?:(?:\\+\\+|#)(?![\\w+#]))?"
    number = f"\\d++(?:[.,]\\d++){{0,10}}+(?![^\\W\\d_{UNSPACED}\uac00-\ud7af])"  # 123명
    return re.compile(f"(?<=\\w)['’]s(?!\\w)|{GRADE}|(?:[^\\W\\d_]\\.){{2,10}}|{number}|{letters}")


class Cut(NamedTuple):
    """The tokens of a text: their surfaces and where each begins and ends, in code points."""

    words: list[str]
    starts: list[int]
    ends: list[int]


def tokens(text: str) -> list[Token]:
    """The tokens of a text, in order, each by itself; see `cut`."""
    return list(map(Token, *cut(text)))


def cut(text: str) -> Cut:
    """The tokens of a text, in order; everything but white space belongs to exactly one.

    A word keeps inner apostrophes and hyphens (O'Brien, Jean-Luc, Ростов-на-Дону) but not a possessive
    (France|'s), an elided article (l'|Arc), a lower-case tail (Paris|-|based) or the parts of a range
    (1997|-|98). Scripts without spaces give a token a character; a punctuation mark is a token.
    """
    words: list[str] = []
    starts: list[int] = []
    findall = _token_pattern(plain(text)).findall
    spaced = text.isascii() or _UNSPACED.search(text) is None
    end = 0
    for chunk in text.split():  # most are one word, or one and a mark: no pattern is needed
        start = text.index(chunk, end)
        end = start + len(chunk)
        if spaced and chunk.isalnum():
            words.append(chunk)
            starts.append(start)
        elif spaced and chunk[-1] in _AFTER_WORDS and chunk[:-1].isalnum():
            words += (chunk[:-1], chunk[-1])
            starts += (start, end - 1)
        else:
            for surface in findall(chunk):
                for piece in (surface,) if len(surface) < 3 or surface.isalnum() else _split(surface):
                    words.append(piece)
                    starts.append(start)
                    start += len(piece)
    return Cut(words, starts, list(map(add, starts, map(len, words))))


def _split(surface: str) -> list[str]:
    """The parts of a word whose apostrophes and hyphens are edges of names."""
    cuts = {0, len(surface)}
    if "'" in surface or "’" in surface:
        if elision := _ELISION.match(surface):
            cuts.add(elision.end())
        if suffix := _POSSESSIVE.search(surface) or _TURKISH.search(surface):
            cuts.add(suffix.start())
    pieces = _JOINER.split(surface)
    if len(pieces) > 1 and _falls_apart(pieces):
        for joiner in _JOINER.finditer(surface):
            cuts.update(joiner.span())
    if len(cuts) <= 2:
        return [surface]
    return [surface[a:b] for a, b in itertools.pairwise(sorted(cuts))]


def _falls_apart(pieces: list[str]) -> bool:
    """Whether a hyphenated word is a range (1997-98) or a name with a common tail (Paris-based)."""
    if all(piece.isdigit() for piece in pieces):
        return True
    return pieces[0][:1].isupper() and pieces[-1][:1].islower()


LONGEST = 500
"""Characters of a word, an address or a row of signs, at most: what is longer is no word."""


def snap(text: str, start: int, end: int) -> Span:
    """The smallest stretch of whole tokens that covers text[start:end].

    Outer white space is left out; a stretch that touches no token comes back clamped and unchanged.
    Looks only at the neighbourhood, `LONGEST` characters without a space, so it is fast in any text.
    """
    start = max(0, min(start, len(text)))
    end = max(start, min(end, len(text)))
    low, high = start, end
    while low > max(0, start - LONGEST) and not text[low - 1].isspace():
        low -= 1
    while high < min(len(text), end + LONGEST) and not text[high].isspace():
        high += 1
    touched = [
        token for token in tokens(text[low:high]) if token.start + low < end and token.end + low > start
    ]
    if not touched:
        return Span(start, end)
    return Span(touched[0].start + low, touched[-1].end + low)


_WORDS = sections(__name__)
_ABBREVIATIONS = listed(_WORDS["abbreviations"])
# Abbreviations only before a number: "No. 5", but 'He said "no."'
_NUMBERED = listed(_WORDS["before a number"])
_NUMBER = re.compile(r"\s+[\divxlc]")
_INITIAL = re.compile(r"\s*[^\W\d_]\.")
# A number and a dot before or after one of these is a German ordinal, not an end.
_ORDINAL_NOUNS = re.compile(rf"\s+(?:{'|'.join(_WORDS['ordinal nouns'].split())})")
_BEFORE_ORDINALS = listed(_WORDS["before an ordinal"])
_END = re.compile(
    "[.!?…؟۔।॥።。！？｡\n]"  # a search jumps to these
    "(?:(?<=[.!?…؟۔।॥።])(?<![.!?…؟۔।॥።]{2})[.!?…؟۔।॥።]*+[\"'»”’)\\]›]*+"
    r"(?:[¹²³⁰-⁹]++|\[\d[\d,–-]*+\])*+(?=\s)"  # behind marks of notes; an end needs white space …
    "|(?<=[。！？｡])[。！？｡]*[」』”’）〉》]*"  # … except in East Asia
    r"|(?<=\n)[^\S\n]*\n\s*"  # an empty line
    r"|(?<=\n)(?=\s*(?:[-*•–—]|\d+[.)])\s)"  # a list item
    r"|(?<=\|\n)|(?<=[^|]\n)(?=\|))"  # behind and before a row of a table
)
_LAST_WORD = re.compile(r"(?<![^\W_])([^\W_]++)\.$")
_CLOSERS = "\"'»”’)]›[¹²³⁰⁴⁵⁶⁷⁸⁹0123456789,–-"
# 2,4 г. and 30 руб. may end a sentence, 2020 г. does not.
_MEASURES = listed("г мин руб коп")
_MEASURE = re.compile(
    r"(?:(?:(?<!\d)\d{1,3}|\d[.,]\d+)[ \u00a0](?:г|мин)"
    r"|(?:\d|тыс\.?|мл(?:н|рд)\.?|трлн\.?)[ \u00a0](?:руб|коп)"
    r"|л(?:ся|[аио]сь) \d\d? [а-я]+ \d{4}[ \u00a0]г)\.$"  # начался 22 июля 1829 г.
)
# Abbreviations that end a sentence before one of these words: at 8 a.m. Her TSH fell.
_BEFORE_OPENERS = listed(_WORDS["before an opener"])
_OPENER = re.compile(rf"\s+(?:{'|'.join(_WORDS['openers'].split())})(?=\s)")


def sentences(text: str) -> list[Span]:
    """The sentences of a text as spans without outer white space, in order; "" has none.

    Together they cover everything but white space.
    """
    return list(_sentences(text))


@lru_cache(maxsize=16)
def _sentences(text: str) -> tuple[Span, ...]:
    """Remembered for the texts of one sample: names and statements both ask."""
    ends = [match.end() for match in _END.finditer(text) if _ends(text, match)]
    return tuple(
        Span(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
        for start, end in itertools.pairwise([0, *ends, len(text)])
        if (piece := text[start:end]).strip()
    )


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
    if word is None or (word[1] in _MEASURES and _MEASURE.search(before)):
        return True
    if before.rpartition(" ")[2] in _BEFORE_OPENERS and _OPENER.match(text, match.end()):
        return True
    last, head = word.group(1), before[: word.start()].rstrip()
    if last.isdigit():
        ordinal = head.rpartition(" ")[2].lower() in _BEFORE_ORDINALS
        return not (len(last) <= 2 and (ordinal or _ORDINAL_NOUNS.match(text, match.end())))
    if len(last) == 1 and (last.isupper() or head.endswith(".")):
        return head.endswith("°")  # no initial, nor the second letter of т.е., z. B., U.S.
    if len(last) == 1 and _INITIAL.match(text, match.end()):
        return head.endswith("/")  # km/h. M. Dupont, but not the first letter of z. B.
    if last.lower() in _NUMBERED:
        return not _NUMBER.match(text, match.end())
    return last.lower() not in _ABBREVIATIONS
