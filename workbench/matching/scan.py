"""Where the words of some names stand in a text: one pass, only the words that are asked for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from workbench.text.inflection import forms
from workbench.text.lists import listed
from workbench.text.normalise import fold
from workbench.text.numbers import MONTHS, number
from workbench.text.tokens import UNSPACED, word_pattern

# Words between the words of a name that do not count as a gap.
FILLERS = listed("of the a an and de la le les du des der die das von van y e и")


_AROUND = '.,;:!?()[]{}"“”„«»…'
_UNSPACED = re.compile(f"[{UNSPACED}]")
_APART = 4  # a name has at most one other word between two of its words


class WordPlace(NamedTuple):
    """A word of a text: its offsets, and its number among the words that are no fillers.

    The numbers of near words are right to each other; far from each other they are only far apart.
    """

    start: int
    end: int
    order: int


def pieces(text: str) -> list[str]:
    """The words of a name, folded, without possessives."""
    found = (match.group() for match in word_pattern().finditer(text))
    return [folded(word) for word in found if word[0] not in "'’"]


@lru_cache(maxsize=262_144)
def folded(word: str) -> str:
    """A word of a text in the spelling of keys: 1,000 as 1000, 14th as 14, U.S. as us."""
    if word[0].isdigit():
        bare = re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", fold(word))
        return number(bare, None) if bare[-1].isdigit() else bare
    return fold(word.replace(".", ""))


@lru_cache(maxsize=262_144)
def traits(word: str, lang: str | None) -> frozenset[str]:
    """The forms of a folded word; months have a common one in all languages."""
    if word in MONTHS:
        return forms(word, lang) | {f"month {MONTHS[word]}"}
    return forms(word, lang)


def opening(word: str) -> str:
    """The letters that all forms of a word begin with: Льва and Лев have one, Париже and Париж three."""
    return word[: 1 if len(word) <= 3 else 2 if len(word) <= 5 else 3]


class Words:
    """Looks some forms up in one text after another.

    The forms of a word cost up to 250 µs, so only words that begin like a wanted one are looked up. No word
    holds a blank: each run between blanks is read once, however often and in however many texts it stands.
    """

    def __init__(self, wanted: Iterable[str], lang: str | None) -> None:
        self._wanted = frozenset(wanted)
        self._lang = lang
        self._openings = tuple({opening(form.rsplit("+", 1)[0]) for form in self._wanted})
        self._months = any(form.startswith("month ") for form in self._wanted)
        self._read: set[str] = set()
        self._hits: dict[str, list[str]] = {}  # a word of the texts -> the wanted forms it has
        self._runs: dict[str, list[str]] = {}  # a run -> its words that are hits; others are left out

    def find(self, text: str) -> dict[str, list[WordPlace]]:
        """All places of every wanted form in a text."""
        runs = set(text.split())
        for run in runs - self._read:
            if hits := [word for word in _words(run) if self._is_wanted(word)]:
                self._runs[run] = hits
        self._read |= runs
        here = {word for run in runs & self._runs.keys() for word in self._runs[run]}
        return _places({word: self._hits[word] for word in here}, text)

    def _is_wanted(self, word: str) -> bool:
        if word in self._hits:
            return True
        if word[0] in "'’":
            return False
        low = folded(word)
        if low.startswith(self._openings) or _takes_prefixes(low) or (self._months and low in MONTHS):
            shared = traits(low, self._lang) & self._wanted
            if shared:
                self._hits[word] = sorted(shared)
        return word in self._hits


def _words(run: str) -> list[str]:
    """The words of a run between blanks; most runs are one word and a comma, and need no pattern."""
    bare = run.strip(_AROUND)
    if bare.isalpha() and (bare.isascii() or not _UNSPACED.search(bare)):
        return [bare]
    return word_pattern().findall(run)


def _places(hits: dict[str, list[str]], text: str) -> dict[str, list[WordPlace]]:
    """Where the words stand. Only the runs around them are read, and what lies between two near ones."""
    found: dict[str, list[WordPlace]] = defaultdict(list)
    order = last = 0
    for start, end in _runs(hits, text):
        order += _between(text, last, start)
        for match in word_pattern().finditer(text, start, end):
            word = match.group()
            if word in hits:
                place = WordPlace(match.start(), match.end(), order)
                for form in hits[word]:
                    found[form].append(place)
            order += _counts(word)
        last = end
    return found


def _runs(words: Iterable[str], text: str) -> list[tuple[int, int]]:
    """The runs between blanks in which one of the words occurs, in order."""
    runs: set[tuple[int, int]] = set()
    for word in words:
        start = text.find(word)
        while start >= 0:
            low, high = start, start + len(word)
            while low > 0 and not text[low - 1].isspace():
                low -= 1
            while high < len(text) and not text[high].isspace():
                high += 1
            runs.add((low, high))
            start = text.find(word, high)
    return sorted(runs)


def _between(text: str, start: int, end: int) -> int:
    """How many words count in a stretch, at most `_APART`: more are all the same."""
    counted = 0
    for match in word_pattern().finditer(text, start, end):
        counted += _counts(match.group())
        if counted == _APART:
            break
    return counted


def _counts(word: str) -> bool:
    return word[0] not in "'’" and word.lower() not in FILLERS


def _takes_prefixes(word: str) -> bool:
    """Whether the script writes prepositions together with the word (Arabic, Hebrew)."""
    return "\u0590" <= word[0] <= "\u06ff"


def in_order(
    sequence: Sequence[frozenset[str]], found: dict[str, list[WordPlace]], text: str
) -> list[tuple[int, int]]:
    """The stretches where the words of a name stand in order, at most one other word between two."""
    columns = []
    for wanted in sequence:
        places = {place for form in wanted for place in found.get(form, ())}
        if not places:
            return []
        columns.append(sorted(places))
    stretches = []
    for first in columns[0]:
        last: WordPlace | None = first
        for column in columns[1:]:
            last = last and _next(last, column, text)
        if last is not None:
            stretches.append((first.start, last.end))
    return stretches


_BREAK = re.compile(r"[.!?](?=\s)|[()。！？]|\n\s*\n")


def _next(place: WordPlace, column: list[WordPlace], text: str) -> WordPlace | None:
    """The first place in a column that continues a name."""
    index = bisect_left(column, (place.end, 0, 0))
    if index == len(column):
        return None
    candidate = column[index]
    between = text[place.end : candidate.start] if candidate.start - place.end < 60 else "\n"
    short = place.end - place.start <= 2
    if candidate.order - place.order > 2 or (_BREAK.search(between) and not (short and between[:1] == ".")):
        return None
    return candidate
