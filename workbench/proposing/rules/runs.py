"""Runs of capitalised words: which tokens stand together as one name."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import NamedTuple

from workbench.proposing.rules.lexicon import (
    ABBREVIATIONS,
    COMPANY_ENDINGS,
    EPITHETS,
    HYPHEN_TAILS,
    ORGANISATION,
    PARTICLES,
    POSSESSED,
    TOPICS,
    WEAK_PARTICLES,
    Claims,
    function_words,
    is_people,
    is_place,
)
from workbench.text.tokens import Cut, cut, sentences

ROMANCE = frozenset({"es", "pt", "it", "fr", "ro", "ca"})
ARTICLES = frozenset({"el", "la", "los", "las", "le", "les", "lo", "o", "a", "os", "as"})
_LONGEST = 24  # tokens; no name is longer, a page in capitals is
_SCORES = 6  # tokens around a number in which another one makes it a result
_MARKS = frozenset(",;()-–|")
_OPENING = re.compile("[“«„•*@]")
_NICKNAME = frozenset("\"“”'‘’«»")


class Run(NamedTuple):
    """Tokens `first`–`last` (inclusive) that stand together as one name."""

    first: int
    last: int


class Reading(NamedTuple):
    """A text cut into tokens, with what the name rules ask of each."""

    text: str
    lang: str
    words: Sequence[str]  # the tokens, with the offsets of each
    starts: Sequence[int]
    ends: Sequence[int]
    capital: Sequence[bool]
    opening: frozenset[int]  # tokens that open a sentence: their capital says nothing
    capitalised: frozenset[str]  # folded words with a capital elsewhere than at an opening
    lowered: frozenset[str]  # words that also stand in lower case


def read(text: str, lang: str, claims: Claims) -> Reading:
    """Tokens of the text; those in a claimed stretch can be part of no name."""
    found = cut(text)
    words = found.words
    opening = _opening(text, words, found.starts)
    capital = [word[0].isupper() or (not word.islower() and is_capital(word)) for word in words]
    _block(capital, found, claims)
    capitalised = frozenset(
        words[index].casefold()
        for index in compress(range(len(words)), capital)
        if index not in opening and len(words[index]) > 1
    )
    return Reading(text, lang, *found, capital, opening, capitalised, frozenset(filter(str.islower, words)))


def is_capital(word: str) -> bool:
    """Paris, iPhone, al-Qaeda: a capital first, or after one to three small letters or a hyphen."""
    if word[0].isupper():
        return True
    if not word[0].islower() or word.islower():
        return False
    head, _, tail = word.replace("’", "-").replace("'", "-").partition("-")
    if tail:
        return len(head) <= 3 and tail[0].isupper()
    return any(letter.isupper() for letter in word[1:4])


def _block(capital: list[bool], found: Cut, claims: Claims) -> None:
    """Claimed tokens count as no capitals."""
    for item in claims.items:
        at = bisect_right(found.ends, item.start)
        while at < len(capital) and found.starts[at] < item.end:
            capital[at] = False
            at += 1


def _opening(text: str, words: Sequence[str], starts: Sequence[int]) -> frozenset[int]:
    """The first word of every sentence, and of every quotation or item in it; the one after a handle."""
    opening: set[int] = set()
    for span in sentences(text):
        _open(opening, words, bisect_left(starts, span.start))
    if _OPENING.search(text):
        for index, word in enumerate(words):
            if word in {"“", "«", "„", "•", "*"}:
                _open(opening, words, index)
            elif word == "@" and index + 1 not in opening:
                _open(opening, words, index + 2)
    return frozenset(opening)


def _open(opening: set[int], words: Sequence[str], index: int) -> None:
    """Add the first word from a token on."""
    while index < len(words) and not words[index][0].isalnum():
        index += 1
    if index < len(words):
        opening.add(index)


def runs(reading: Reading) -> Iterator[Run]:
    """Every run of joined capitalised tokens, untrimmed, as long as can be up to a bound."""
    index = 0
    for first, capital in enumerate(reading.capital):
        if not capital or first < index:
            continue
        last = first
        while last - first < _LONGEST and (following := _joined(reading, first, last)) is not None:
            last = following
        yield Run(first, last)
        index = last + 1


def _folded(reading: Reading, index: int) -> str:
    return reading.words[index].casefold() if index < len(reading.words) else ""


def gap(reading: Reading, left: int, right: int) -> str:
    """What stands between two tokens."""
    return reading.text[reading.ends[left] : reading.starts[right]]


def _near(reading: Reading, left: int, right: int) -> bool:
    """Whether only a few spaces of one line stand between two tokens."""
    between = gap(reading, left, right)
    return between == " " or (len(between) <= 3 and not between.strip() and "\n" not in between)


def _is_capital(reading: Reading, index: int) -> bool:
    return index < len(reading.words) and reading.capital[index]


def _joined(reading: Reading, first: int, last: int) -> int | None:
    """The token that continues the run after `last`, or None."""
    after = last + 1
    if after >= len(reading.words) or not _near(reading, last, after):
        return None
    if reading.capital[after]:
        if gap(reading, last, after) == "" and not reading.words[last].endswith((".", "'", "’")):
            return None
        return after
    folded = _folded(reading, after)
    return (
        (None if folded[0].isalnum() else _after_mark(reading, first, last, after, folded))
        or _after_particle(reading, first, last, after)
        or (_after_number(reading, first, last, after) if folded.isdecimal() else None)
        or (_after_syllable(reading, after) if reading.lang == "vi" else None)
    )


def _after_mark(reading: Reading, first: int, last: int, after: int, mark: str) -> int | None:
    """J. Smith, St. Louis, Apple, Inc., King's College, John "Jack" Smith, Procter & Gamble."""
    touching = gap(reading, last, after) == ""
    follower = after + 1
    word = reading.words[last]
    if mark == "-" and touching:
        return _tail(reading, first, last, follower)
    if not _is_capital(reading, follower):
        return None
    if mark == "." and touching:
        initial = len(word) == 1 or word.casefold() in ABBREVIATIONS
        return follower if initial and _near(reading, after, follower) else None
    if mark == "," and _folded(reading, follower) in COMPANY_ENDINGS:
        return follower
    if mark in {"'s", "’s"}:
        wanted = _folded(reading, follower) in POSSESSED and not is_place(word)
        saint = _folded(reading, first) in {"st", "saint"}
        return follower if (wanted or saint) and _near(reading, after, follower) else None
    if mark in {"&", "‐", "‑"} and touching and gap(reading, after, follower) == "":
        return follower
    if mark == "&" and _near(reading, after, follower):
        return follower
    if mark in _NICKNAME and not touching and gap(reading, after, follower) == "":
        return _nickname(reading, follower)
    return None


def _tail(reading: Reading, first: int, last: int, follower: int) -> int | None:
    """Kim Jong-un and Гран-при keep a small tail, Paris-based and Tokyo-born do not."""
    if follower >= len(reading.words) or gap(reading, last + 1, follower) != "":
        return None
    tail = reading.words[follower]
    if reading.capital[follower]:
        return follower
    cyrillic = "\u0400" <= tail[0] < "\u0530"
    short = tail.islower() and len(tail) <= 4 and tail not in HYPHEN_TAILS
    return follower if short and (first < last or cyrillic) else None


def _nickname(reading: Reading, opened: int) -> int | None:
    """The name after a quoted nickname of one or two words."""
    for closed in (opened + 1, opened + 2):
        if closed + 1 < len(reading.words) and reading.words[closed] in _NICKNAME:
            known = _is_capital(reading, closed + 1) and _near(reading, closed, closed + 1)
            return closed + 1 if known and gap(reading, closed, closed + 1) else None
    return None


def _after_particle(reading: Reading, first: int, last: int, after: int) -> int | None:
    """Bank of the West, Ludwig van der Rohe, Department of Health and Social Care."""
    index = after
    kinds = set()
    while index < len(reading.words) and index - after < 3 and not reading.capital[index]:
        word = reading.words[index].casefold()
        if word == "the":
            kinds.add("the")
        elif reading.lang in ROMANCE and (word in {"y", "e"} or (index == after and word in ARTICLES)):
            kinds.add("weak")
        elif word.rstrip("'’") in PARTICLES:
            kinds.add("strong")
        elif word in WEAK_PARTICLES:
            kinds.add("weak")
        else:
            return None
        if index + 1 < len(reading.words) and not (_near(reading, index, index + 1)):
            return None
        index += 1
    if (
        index == after
        or not _is_capital(reading, index)
        or _folded(reading, index) in function_words(reading.lang)
    ):
        return None
    if "weak" in kinds:
        return index if _binds(reading, first, last, index) else None
    if kinds == {"the"}:
        bound = _folded(reading, last) in function_words(reading.lang) or _folded(reading, index) in EPITHETS
        return index if bound and last > first - 1 else None
    if _folded(reading, after) in {"of", "y", "e"} and is_people(reading.words[last]):
        return None
    return index


def _binds(reading: Reading, first: int, last: int, follower: int) -> bool:
    """Whether "and", "for" and the like stand inside one organisation's name here."""
    left = [_folded(reading, index) for index in range(first, last + 1)]
    right = [_folded(reading, follower)]
    index = follower
    while _is_capital(reading, index + 1) and _near(reading, index, index + 1) and len(right) < 6:
        index += 1
        right.append(_folded(reading, index))
    joint = _folded(reading, last + 1)
    heads = [word for word in left if word in ORGANISATION]
    if joint in {"and", "und", "et", "y", "e"}:
        if heads and ("of" in left or "for" in left) and left[-1] not in ORGANISATION:
            return not any(word in ORGANISATION for word in right[:-1]) and "of" not in right
        return left[-1] in TOPICS and right[-1] in ORGANISATION
    if joint in {"for", "für", "pour", "para", "per"}:
        return bool(heads)
    return False


def _after_syllable(reading: Reading, after: int) -> int | None:
    """Đại học Michigan: Vietnamese writes the later syllables of a word small."""
    if not is_syllable(reading, after):
        return None
    return after + 1 if _is_capital(reading, after + 1) and _near(reading, after, after + 1) else None


def is_syllable(reading: Reading, index: int) -> bool:
    """Whether a Vietnamese token is a small syllable that says something and follows a space."""
    if index >= len(reading.words) or not _near(reading, index - 1, index):
        return False
    word = reading.words[index]
    return word.islower() and word.isalpha() and word not in function_words(reading.lang)


def _after_number(reading: Reading, first: int, last: int, after: int) -> int | None:
    """Boeing 737, Apollo 11: a short number after a name, when nothing is counted with it; no result."""
    if len(reading.words[after]) > 3 or _folded(reading, last) in function_words(reading.lang):
        return None
    if reading.text[reading.ends[after] :][:2].strip()[:1] in {"%", "°", "-", "–", ":", "/", "$", "€"}:
        return None
    person = len(reading.words[first]) == 1 and last > first
    if person or is_place(reading.words[last]) or is_score(reading, first, last, after):
        return None
    following = _folded(reading, after + 1)
    if (
        following.isalpha()
        and not reading.capital[after + 1]
        and following not in function_words(reading.lang)
    ):
        return None
    return after


def is_score(reading: Reading, first: int, last: int, number: int) -> bool:
    """Whether a number after a name is a result: Leeds 1 Newcastle 0; Ajax 34 22 8 4.

    Then another number, or another name with its number, stands in the same line with nothing but names
    and marks between. Apollo 11, Apollo 12 are names.
    """
    head = reading.words[last]
    before = range(first - 1, max(-1, first - 1 - _SCORES), -1)
    return _counts(reading, range(number + 1, number + 1 + _SCORES), head) or _counts(reading, before, head)


def _counts(reading: Reading, around: range, head: str) -> bool:
    """Whether a number that is no part of a name with the same head is met on the way along a line."""
    words = reading.words
    for index in around:
        if not 0 <= index < len(words) or "\n" in gap(reading, index - (index > 0), index):
            return False
        word = words[index]
        if word.isdecimal() and len(word) <= 3:
            return not index or words[index - 1] != head
        if not (reading.capital[index] or word in _MARKS):
            return False
    return False
