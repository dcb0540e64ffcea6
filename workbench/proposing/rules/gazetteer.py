"""Countries, regions, big cities and peoples in five languages, written from general knowledge.

Entries are separated by `|` or a line end. Looked up casefolded; Russian ones by stem, since a name has up to
twelve case forms.
"""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.proposing.rules.lexicon import stem, words
from workbench.text.lists import sections

_WORDS = sections(__name__)


def entries(*blocks: str) -> frozenset[str]:
    """The casefolded entries of all blocks."""
    parts = (part.strip().casefold() for block in blocks for part in re.split(r"[|\n]", block))
    return frozenset(part for part in parts if part)


_COUNTRIES_EN = _WORDS["countries-en"]
_REGIONS_EN = _WORDS["regions-en"]
_DEMONYMS_EN = _WORDS["demonyms-en"]
_FAITHS_EN = _WORDS["faiths-en"]
_DE = _WORDS["de"]
_FR = _WORDS["fr"]
_ES = _WORDS["es"]
_OTHER = _WORDS["other"]
_RU = _WORDS["ru"]
_UK = _WORDS["uk"]

_ORGANISATIONS = _WORDS["organisations"]

LATIN_PLACES = entries(_COUNTRIES_EN, _REGIONS_EN, _DE, _FR, _ES, _OTHER)
ORGANISATIONS = entries(_ORGANISATIONS)
ORGANISATION_STEMS = frozenset(stem(entry) for entry in ORGANISATIONS if entry > "а")
DEMONYMS = entries(_DEMONYMS_EN)
FAITHS = entries(_FAITHS_EN)
CYRILLIC_PLACES = frozenset(stem(entry) for entry in entries(_RU, _UK))
# Words that are also common nouns in German or names of people: no evidence there.
COMMON_IN_GERMAN = entries("Essen|Kiel|Linz|Bern|Hessen|Mainz|Amazon")


@lru_cache(maxsize=16384)
def is_place(name: str) -> bool:
    """Whether a name as it stands in a text is a known country, region or city."""
    if name.islower():
        return False
    folded = name.casefold()
    if folded in LATIN_PLACES:
        return True
    return "\u0400" <= folded[:1] < "\u0530" and stem(folded) in CYRILLIC_PLACES


@lru_cache(maxsize=16384)
def is_people(name: str) -> bool:
    """Whether a name, or each part of a hyphenated one, is a known demonym or language."""
    folded = name.casefold()
    if name.islower():
        return False
    return folded in DEMONYMS or ("-" in folded and all(part in DEMONYMS for part in folded.split("-")))


@lru_cache(maxsize=16384)
def is_organisation(name: str) -> bool:
    """Whether a name is a widely known organisation."""
    folded = name.casefold()
    if name.islower():
        return False
    return folded in ORGANISATIONS or (
        "\u0400" <= folded[:1] < "\u0530" and stem(folded) in ORGANISATION_STEMS
    )


def is_faith(name: str) -> bool:
    """Whether a name is a known faith, party adjective or the like."""
    return not name.islower() and name.casefold() in FAITHS


_LATIN = words(_WORDS["latin"])
_CYRILLIC = words(_WORDS["cyrillic"])

FIRST_LATIN = _LATIN
FIRST_CYRILLIC = frozenset(stem(name) for name in _CYRILLIC)


@lru_cache(maxsize=16384)
def is_first_name(word: str) -> bool:
    """Whether a word as it stands in a text, or the first half of a hyphenated one, is a known first name."""
    folded = word.casefold()
    if word.islower():
        return False
    if folded in FIRST_LATIN:
        return True
    if "\u0400" <= folded[:1] < "\u0530":
        return stem(folded) in FIRST_CYRILLIC
    head, _, tail = folded.partition("-")
    return bool(tail) and head in FIRST_LATIN
