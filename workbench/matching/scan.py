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
from workbench.text.tokens import word_pattern

# Words between the words of a name that do not count as a gap.
FILLERS = listed("of the a an and de la le les du des der die das von van y e и")


class Place(NamedTuple):
    """A word of a text: its offsets, and how many words that are no fillers stand before it."""

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


def find_words(wanted: Iterable[str], text: str, lang: str | None) -> dict[str, list[Place]]:
    """All places of every wanted form in a text.

    The forms of a word cost up to 250 µs, so only words of the text that begin like a wanted one are
    looked up, each once.
    """
    needed = set(wanted)
    openings = tuple({opening(form.rsplit("+", 1)[0]) for form in needed})
    months = any(form.startswith("month ") for form in needed)
    hits: dict[str, list[str]] = {}
    for word in set(word_pattern().findall(text)):
        if word[0] in "'’":
            continue
        low = folded(word)
        if low.startswith(openings) or _takes_prefixes(low) or (months and low in MONTHS):
            shared = traits(low, lang) & needed
            if shared:
                hits[word] = sorted(shared)
    return _places(hits, text)


def _places(hits: dict[str, list[str]], text: str) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = defaultdict(list)
    if not hits:
        return found
    order = 0
    for match in word_pattern().finditer(text):
        word = match.group()
        if word in hits:
            place = Place(match.start(), match.end(), order)
            for form in hits[word]:
                found[form].append(place)
        if word[0] not in "'’" and word.lower() not in FILLERS:
            order += 1
    return found


def _takes_prefixes(word: str) -> bool:
    """Whether the script writes prepositions together with the word (Arabic, Hebrew)."""
    return "\u0590" <= word[0] <= "\u06ff"


def in_order(
    sequence: Sequence[frozenset[str]], found: dict[str, list[Place]], text: str
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
        last: Place | None = first
        for column in columns[1:]:
            last = last and _next(last, column, text)
        if last is not None:
            stretches.append((first.start, last.end))
    return stretches


_BREAK = re.compile(r"[.!?](?=\s)|[()。！？]|\n\s*\n")


def _next(place: Place, column: list[Place], text: str) -> Place | None:
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
