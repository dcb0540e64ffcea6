"""German writes every noun with a capital: a run is a name only with evidence of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from workbench.proposing.rules.lexicon import (
    COMMON_IN_GERMAN,
    HEADS,
    LEGAL_FORMS,
    function_words,
    is_first_name,
    is_organisation,
    is_place,
    is_title,
    words,
)
from workbench.proposing.rules.runs import Reading, Run
from workbench.text.lists import sections

_WORDS = sections(__name__)

_NOUN = re.compile(f"(?:{'|'.join(_WORDS['noun-endings'].split())})$")
# Adjectives are written small unless they open a name: Deutsche Bank, Zweiter Weltkrieg, Berliner Mauer.
_ADJECTIVE = re.compile(f"^(?:{'|'.join(_WORDS['adjectives'].split())})(?:e|er|es|en|em)$")
_ENGLISH_LINKS = words("of the and for")
_ENGLISH_HEADS = words(_WORDS["english-heads"])
_NOBLE = words("von van vom zu de da di du del bin ibn")  # before a surname
_PLACE_BEFORE = words("in nach aus bei nahe")
# "in Kraft", "aus Angst": nouns that stand after a bare preposition.
_BARE = words(_WORDS["bare"])


def german(reading: Reading, runs: Sequence[Run]) -> Iterator[Run]:
    """The parts of the runs of a German text that are names, in text order."""
    names = [list(_names_of(reading, run, frozenset())) for run in runs]
    surnames = {
        reading.words[last]
        for parts in names
        for first, last in parts
        if last > first and is_first_name(reading.words[first])
    }
    for run, parts in zip(runs, names, strict=True):  # a surname may stand before the full name
        known = not surnames.isdisjoint(reading.words[run.first : run.last + 1])
        yield from _names_of(reading, run, surnames) if known else parts


def _names_of(reading: Reading, run: Run, surnames: Set[str]) -> Iterator[Run]:
    index = run.first
    while index <= run.last:
        end = _name_from(reading, run, index, surnames)
        if end is not None:
            yield Run(index, end)
        index = index + 1 if end is None else end + 1


def _name_from(reading: Reading, run: Run, index: int, surnames: Set[str]) -> int | None:
    """The last token of the name that starts at `index`, or None when none does."""
    word = reading.words[index]
    folded = word.casefold()
    small = folded in reading.lowered and len(word) > 1
    if small or not reading.capital[index] or folded in function_words("de") or word in LEGAL_FORMS:
        return None
    if (company := _company_end(reading, run, index)) is not None:
        return company
    for end in range(min(run.last, index + 3), index - 1, -1):
        name = reading.name(index, end)
        if (is_place(name) or is_organisation(name)) and name.casefold() not in COMMON_IN_GERMAN:
            more = is_first_name(word) and index == end < run.last
            return _person_end(reading, run, end) if more else end  # Jordan Peterson
    if (foreign := _foreign(reading, run, index)) is not None:
        return foreign
    if is_title(word):
        return None
    if len(word) > 4 and word.endswith("s") and is_place(word[:-1]):
        return index
    if is_first_name(word) or word in surnames:
        return _person_end(reading, run, index)
    second = index < run.last and reading.capital[index + 1]
    if (_ADJECTIVE.match(folded) and index not in reading.opening and second) or _of_a_place(word, second):
        return index + 1 if not _ADJECTIVE.match(reading.folded(index + 1)) else min(run.last, index + 2)
    if len(word) > 1 and (
        word.isupper() or (any(letter.isupper() for letter in word[1:]) and "-" not in word)
    ):
        return index
    if second and folded in HEADS and not is_title(word):
        return run.last
    return _bare(reading, run, index, second)


def _company_end(reading: Reading, run: Run, index: int) -> int | None:
    """The legal form that ends the name of a company: Siemens AG, Siemens Energy GmbH."""
    found = None
    for end in range(index + 1, run.last + 1):
        word = reading.words[end]
        if word in LEGAL_FORMS:
            found = end
        elif word in {"&", ".", "Co"}:
            continue
        elif found or end > index + 3 or not reading.capital[end] or is_organisation(word):
            break
    return found


def _foreign(reading: Reading, run: Run, index: int) -> int | None:
    """National Science Foundation, University of Michigan: English words that no German run holds."""
    listed = [reading.folded(at) for at in range(index, run.last + 1)]
    linked = any(word in _ENGLISH_LINKS for word in listed)
    return run.last if len(listed) > 1 and (linked or listed[-1] in _ENGLISH_HEADS) else None


def _bare(reading: Reading, run: Run, index: int, second: bool) -> int | None:
    """An unknown word: a place after "in" or "nach", or two words behind a title that are no nouns."""
    word = reading.words[index]
    before = reading.folded(index - 1)
    if _NOUN.search(word.casefold()) or word.casefold() in _BARE or len(word) < 3:
        return None
    if before in _PLACE_BEFORE and not second:
        noun = word.endswith(("en", "er", "el", "e")) and not word.endswith(("ingen", "hausen", "hofen"))
        return None if noun else index
    title = reading.word(index - 2) if before == "." else before
    if second and index + 1 == run.last and index not in reading.opening and is_title(title):
        return None if _NOUN.search(reading.folded(index + 1)) else index + 1
    return None


def _of_a_place(word: str, second: bool) -> bool:
    """Berliner Mauer, Frankfurter Allgemeine."""
    place = word.removesuffix("er")
    return second and 3 < len(place) < len(word) and (is_place(place) or is_place(f"{place}en"))


def _person_end(reading: Reading, run: Run, index: int) -> int:
    """First names, particles and one surname; the nouns of the run that follow are no part of it."""
    end, first = index, index - 1  # `first`: the last first name or initial
    while end < run.last and end - index < 6:
        word, follower, capital = reading.words[end], reading.folded(end + 1), reading.capital[end + 1]
        if is_first_name(word) or len(word) == 1:
            first = end
        noble = reading.words[first + 1] in _NOBLE and word.islower() and not _NOUN.search(follower)
        if capital and first < end and (not noble or is_first_name(reading.words[end + 1])):
            break
        if is_title(follower) and capital:
            break
        end += 1
    while end > index and not reading.capital[end]:
        end -= 1
    return end
