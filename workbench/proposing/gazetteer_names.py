"""First names, written from general knowledge; casefolded. Russian ones are looked up by stem."""

from __future__ import annotations

from functools import lru_cache

from workbench.proposing.lexicon import stem, words
from workbench.text.lists import sections

_WORDS = sections(__file__)

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
