"""Countries with their names, adjectives and people, in English and Russian.

A name of a country means the same in each of these forms: United States, USA, American; Россия, РФ,
российский. One line a country: English names, English adjectives and people, Russian names, Russian
adjectives and people. A word that means another country as well (Korean, Congolese, Guinean) is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from workbench.text import inflection
from workbench.text.inflection import forms
from workbench.text.lists import sections
from workbench.text.normalise import key

_WORDS = sections(__name__)

_COUNTRIES = _WORDS["countries"]


class Country(NamedTuple):
    """A country by its English name, and whether it was named by its adjective or its people."""

    name: str
    people: bool


NO_COUNTRY = Country("", False)


@lru_cache(maxsize=2)
def _index(russian: bool) -> dict[str, list[tuple[tuple[str, ...], Country]]]:
    """The names of all countries in one language as words, by every form of their first word.

    English names alone never load the Russian dictionary.
    """
    index: dict[str, list[tuple[tuple[str, ...], Country]]] = defaultdict(list)
    lang = "ru" if russian else "en"
    for line in _COUNTRIES.strip().splitlines():
        columns = [column.split(",") for column in line.split("|")]
        names, people = columns[2:] if russian else columns[:2]
        for name in filter(None, names + people):
            words = tuple(key(name, lang).split())
            # With the dictionary a single word stands here as its own lemma: 300 look-ups less.
            known = russian and len(words) == 1 and inflection.analyser() is not None
            for form in {words[0]} if known else forms(words[0], lang):
                index[form].append((words, Country(columns[0][0], name in people)))
    return dict(index)


def country(words: Sequence[str]) -> Country:
    """The country that normalised words name, in any case; its name is "" when they name none."""
    if not words or len(words) > 5:
        return NO_COUNTRY
    index = _index(_is_cyrillic(words[0]))
    for form in sorted(forms(words[0])):
        for known, named in index.get(form, ()):
            if len(known) == len(words) and all(
                not forms(word).isdisjoint(forms(other))
                for word, other in zip(words[1:], known[1:], strict=True)
            ):
                return named
    return NO_COUNTRY


@lru_cache(maxsize=512)
def other_names(name: str, like: str) -> tuple[tuple[str, ...], ...]:
    """The names of a country in the script of `like`, without those of its people, as normalised words."""
    index = _index(_is_cyrillic(like))
    return tuple(
        dict.fromkeys(words for known in index.values() for words, named in known if named == (name, False))
    )


def _is_cyrillic(word: str) -> bool:
    return not word.isascii() and any("\u0400" <= letter <= "\u04ff" for letter in word)
