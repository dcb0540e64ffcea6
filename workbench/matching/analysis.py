"""What the layers of the matcher need to know of a name, worked out once and kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from workbench.matching.countries import Country, country
from workbench.text.inflection import forms
from workbench.text.lists import listed
from workbench.text.normalise import content, fold, joined_initials, words

PERSON, ORGANISATION = "person", "organisation"
_LABELS = {
    "per": PERSON,
    "person": PERSON,
    "people": PERSON,
    "org": ORGANISATION,
    "organisation": ORGANISATION,
    "organization": ORGANISATION,
    "company": ORGANISATION,
}
_CAPITALISED = re.compile(r"[^\W\d_]+")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_ACRONYM = re.compile(r"(?:[^\W\d_]\.?){2,8}$")
_GENERATIONS = frozenset({"jr", "sr", "junior", "senior", "мл", "ст"})
# Small words that an acronym may leave out.
_SMALL = listed("of the and for in on at to a an de la и по на в при de der die und für et du des y del")
_UNSPACED = re.compile("[\u3041-\u30fa\u30fc-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Analysed(NamedTuple):
    """A name taken apart.

    `tokens` are its content words, initials as single letters; `forms` the forms of each. `bag` holds
    the words that an equal name has, in any order; `keys` the same written together, with ä as a and
    as ae. `digits` are the words with a digit (numbers, dates, codes), which have to be equal.
    """

    text: str
    label: str
    tokens: tuple[str, ...]
    forms: tuple[frozenset[str], ...]
    bag: tuple[str, ...]
    keys: frozenset[str]
    digits: tuple[str, ...]
    dotted: frozenset[str]
    letters: int
    acronym: str
    initials: frozenset[str]
    generation: str
    capitals: int
    unspaced: bool
    country: Country


@lru_cache(maxsize=262_144)
def analyse(text: str, label: str = "", lang: str | None = None) -> Analysed:
    """Take a name apart; remembered by text, label and language."""
    everything = words(text, lang)
    merged = content(joined_initials(everything, lang), lang)
    generation, merged = _generation(merged)
    found = [word for word in content(everything, lang) if word not in _GENERATIONS]
    tokens = tuple(word.removesuffix(".") for word in found) or tuple(merged)
    keys = {_joined(merged)}
    spelled_out = text.translate(_UMLAUTS)
    if spelled_out != text:
        keys.add(_joined(_generation(content(joined_initials(words(spelled_out, lang), lang), lang))[1]))
    return Analysed(
        text=text,
        label=_LABELS.get(label.strip().lower(), label.strip().lower()),
        tokens=tokens,
        forms=tuple(forms(token, lang) for token in tokens),
        bag=tuple(sorted(merged)),
        keys=frozenset(keys - {""}),
        digits=tuple(sorted(word for word in merged if any(map(str.isdigit, word)))),
        dotted=frozenset(word[0] for word in found if word.endswith(".")),
        letters=sum(map(len, tokens)),
        acronym=_acronym(text),
        initials=_initials([word.removesuffix(".") for word in everything]),
        generation=generation,
        capitals=_capitals(text),
        unspaced=bool(_UNSPACED.search(text)),
        country=country(merged),
    )


def _generation(merged: list[str]) -> tuple[str, list[str]]:
    """Jr. or Sr. at the end of a name, and the name without it."""
    if len(merged) > 1 and merged[-1] in _GENERATIONS:
        return merged[-1][0], merged[:-1]
    return "", merged


def _joined(merged: Sequence[str]) -> str:
    """Words written together; two numbers stay apart."""
    result = ""
    for word in merged:
        word = word.removesuffix(".")
        result += f" {word}" if result[-1:].isdigit() and word[:1].isdigit() else word
    return result


def _acronym(text: str) -> str:
    """The folded letters of a name that is one acronym (NATO, U.S., МГУ), else ""."""
    bare = text.strip(" \t\n\"'«»“”()")
    if _ACRONYM.match(bare) and bare.isupper():
        return fold(bare.replace(".", ""))
    return ""


def _initials(everything: Sequence[str]) -> frozenset[str]:
    """The acronyms a name of several words can have: with and without its small words."""
    if len(everything) < 2:
        return frozenset()
    big = [word for word in everything if word not in _SMALL]
    return frozenset(
        initials
        for initials in ("".join(word[0] for word in everything), "".join(word[0] for word in big))
        if 2 <= len(initials) <= 8
    )


def _capitals(text: str) -> int:
    """How many words a name has if all of them begin with a capital, else 0."""
    found = _CAPITALISED.findall(text)
    return len(found) if all(word[0].isupper() for word in found) else 0
