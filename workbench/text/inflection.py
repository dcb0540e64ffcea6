"""Forms of a word: two words with a common form are one word in two cases.

Russian uses the dictionary of the extra `russian` (pymorphy3) when it is installed, else the paradigms
below, as Ukrainian, Polish and Finnish always do. Other languages use Snowball stems.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from workbench.text.lists import by_word, has_digit, listed, sections

_WORDS = sections(__name__)
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_UKRAINIAN_LETTER = re.compile("[іїєґ]")

# Each line is one paradigm: the endings one stem can take ("-" is no ending). Two words are forms of
# one only within a line: Нигер and Нигерия, Иван and Иванов never meet.
_PARADIGMS = {
    lang: [listed(line.partition("#")[0]) for line in _WORDS[lang].strip().splitlines()]
    for lang in ("ru", "uk", "pl")
}
_OF_PLACE = re.compile("(?P<stem>.{3,}?)(?P<suffix>[сц]к)(?:ий|ого|ому|им|ом|ая|ой|ую|ое|ие|их|ими)$")
_GREEK_LAND = re.compile("ια[ςν]?$|ιων$")
_FINNISH = re.compile(r"(?<=\w{3})(?:ssa|sta|lla|lta|lle|ksi|tta|na|an|en|in|on|un|yn|n)$")
_SNOWBALL = dict(line.split() for line in _WORDS["snowball"].splitlines())
_INFLECTING = frozenset({*_SNOWBALL, "pl", "fi", "el", "uk", "be", "bg", "sr", "mk", "fa"})  # forms differ
# What a word of a script may lose: the kind of a place, a particle, or what is written together with it.
_AFFIXES = [[*map(re.compile, line.split())] for line in _WORDS["affixes"].strip().splitlines()]


@lru_cache(maxsize=1)
def analyser() -> Any:
    """The Russian dictionary of the extra `russian` (0.2 s once), or None where it is not installed."""
    if importlib.util.find_spec("pymorphy3") is None:
        return None
    import pymorphy3

    # Every parse counts, the likeliest no more.
    return pymorphy3.MorphAnalyzer(probability_estimator_cls=None)


@lru_cache(maxsize=32)
def _stemmer(name: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(name)


@lru_cache(maxsize=16_384)
def forms(word: str, lang: str | None = None) -> frozenset[str]:
    """The word and the stems or lemmas it can belong to; two words with a common form may be one.

    `word` is folded (see `normalise.fold`). Words with a digit have no other form. All parses of the
    dictionary count: the first alone takes Рыжиков for рыжик.
    """
    if lang in (None, "en"):
        word = spelled(word)
    if lang not in _INFLECTING:
        lang = None
    if not word or (lang is None and word.isascii() and word[-1] != "s") or has_digit(word):
        return frozenset((word,))
    return frozenset((word, *_others(word, lang)))


_SPELLED = by_word(_WORDS["spelled"])
_BRITISH = tuple(
    (re.compile(british), american)
    for british, american in map(str.split, _WORDS["british"].strip().splitlines())
)
_MAY_BE_BRITISH = re.compile("[iy]s[eia]|our|ll[ei]|ogue|[ao]e")  # every one of them: one search spares six


@lru_cache(maxsize=16_384)
def spelled(word: str) -> str:
    """A folded English word in American spelling, or in the singular where the plural is irregular.

    Colour is color, children is child. Both sides of a comparison are spelled so: promise may be promize.
    """
    if word in _SPELLED:
        return _SPELLED[word]
    for british, american in _BRITISH if _MAY_BE_BRITISH.search(word) else ():
        word = british.sub(american, word)
    return word


LETTERS_STAY = listed("de fr es it pt sv da no ro hu cs ca")
"""Languages whose stems begin as their words do."""


def first_letters(word: str, lang: str | None) -> str:
    """What all forms of a folded word begin with: words that begin otherwise have no common form.

    Two letters, in French one; of German ü, which is written ue as well, only u. "" where none is sure.
    """
    if lang not in LETTERS_STAY or not word.isascii():
        return ""
    if lang == "de" and word[1:2] == "e" and word[0] in "aou":
        return word[0] + word[1:].lstrip("e")[:1]
    return word[: 1 if lang == "fr" else 2]


def places_of(word: str, variants: frozenset[str]) -> frozenset[str]:
    """What a Russian place and its adjective have in common: Москва, московский; Прага, пражский.

    `variants` are the forms of the word. No surname may come here: Чайковский is no adjective of Чайка.
    """
    if not _CYRILLIC.match(word):
        return frozenset()
    if adjective := _OF_PLACE.match(word):
        stem = adjective["stem"]
        stems = {stem, stem + adjective["suffix"], *(stem.removesuffix(link) for link in ("ин", "н", "й"))}
    else:
        bare = {re.sub("[аяоеуьй]$", "", form.partition("+")[0]) for form in variants}
        # г is ж before the suffix, and о or е parts two consonants.
        stems = {stem[:-1] + "ж" if stem.endswith("г") else stem for stem in bare}
        stems |= {stem[:-1] + vowel + stem[-1] for stem in bare if len(stem) > 3 for vowel in "ое"}
        stems |= {stem[:-1] for stem in bare if stem[-1:] == stem[-2:-1]}
    return frozenset(f"place {stem}" for stem in stems if len(stem) > 2)


def _others(word: str, lang: str | None) -> Iterator[str]:
    if word.isascii():
        return _alphabetic(word, lang)
    if _CYRILLIC.search(word):
        return _cyrillic(word, lang)
    for script, *affixes in _AFFIXES:
        if script.search(word) and lang != "fa":
            return (affix.sub("", word, count=1) for affix in affixes)
    return _alphabetic(word, lang)


def _cyrillic(word: str, lang: str | None) -> Iterator[str]:
    if lang in {"uk", "be"} or _UKRAINIAN_LETTER.search(word):
        return _by_paradigm(word, "uk")
    if lang not in {"bg", "sr", "mk"} and (dictionary := analyser()) is not None:
        return iter({parse.normal_form.replace("ё", "е") for parse in dictionary.parse(word)})
    return _by_paradigm(word, "ru")


def _alphabetic(word: str, lang: str | None) -> Iterator[str]:
    """Forms of Latin, Greek and Indic words."""
    if lang == "pl":
        yield from _by_paradigm(word, "pl")
    elif lang == "fi":
        # Helsinki, Helsingissä: the case ending goes, the consonant steps back, the last vowel is free.
        yield _FINNISH.sub("", word).replace("ng", "nk").rstrip("aeiouy")
    elif lang == "el":  # Μακεδονία is no form of Μακεδόνας
        yield _stemmer("greek").stemWord(word) + "ι" * (_GREEK_LAND.search(word) is not None)
    elif lang in _SNOWBALL:
        yield _stemmer(_SNOWBALL[lang]).stemWord(word)
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        # Names of English inflect in the plural only; a full stemmer takes university for universal.
        yield word[:-1]
        if word.endswith("ies"):
            yield word[:-3] + "y"
        elif word.endswith(("ches", "shes", "xes", "sses", "zes")):
            yield word[:-2]


def _by_paradigm(word: str, lang: str) -> Iterator[str]:
    """One form for each paradigm whose ending the word has: its stem and the paradigm's number."""
    for number, endings in enumerate(_PARADIGMS[lang]):
        for ending in endings:
            if ending == "-":
                if word[-1] not in "аеиоуыэюяйьіїєaeiouy":
                    yield f"{word}+{number}"
                    for stem in _fleeting(word, lang):
                        yield f"{stem}+{number}"
            elif word.endswith(ending) and len(word) - len(ending) >= 2:
                stem = word[: -len(ending)]
                yield f"{stem}+{number}"


def _fleeting(word: str, lang: str) -> Iterator[str]:
    """Stems of a word that loses or changes its last vowel: Орёл, Орла; Лев, Льва; Київ, Києва."""
    if len(word) < 3 or word[-1] in "аеиоуыэюя":
        return
    vowel, head, last = word[-2], word[:-2], word[-1]
    if lang == "uk" and vowel in "ії":
        yield head + ("о" if vowel == "і" else "є") + last
        yield head + "е" + last
    if vowel in "ео":
        yield head + last
        if head.endswith("л"):
            yield head + "ь" + last
