"""Names of one sound in Latin, Cyrillic and Greek letters: Чайковский, Tchaikovsky."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby

from rapidfuzz.distance import OSA

from workbench.text.lists import sections

_WORDS = sections(__name__)


def _table(section: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in _WORDS[section].split())
    return {left: right for left, _, right in pairs}


_LETTERS = _table("letters")
_LEVELS = _table("levels")
_LETTER = re.compile("|".join(sorted(_LETTERS, key=len, reverse=True)))
_NEAR = 0.8  # one letter in five


def is_foreign(word: str) -> bool:
    """Whether a folded word is in Greek or Cyrillic letters."""
    return "\u0370" <= word[:1] <= "\u04ff"


@lru_cache(maxsize=4_096)
def sound(word: str) -> str:
    """A folded word in Latin letters, in one spelling for what transcriptions spell in several ways."""
    latin = _LETTER.sub(lambda letter: _LETTERS[letter.group()], word).replace("ь", "").replace("ъ", "")
    for spelled, level in _LEVELS.items():
        latin = latin.replace(spelled, level)
    return "".join(letter for letter, _ in groupby(latin))


def first_sound(word: str) -> str:
    """The first letter of `sound`, of a form of a word: no more than four letters decide it."""
    return sound(word.partition("+")[0][:4])[:1]


def alike(foreign: frozenset[str], latin: str) -> float:
    """How alike the forms of a Greek or Cyrillic word sound to a Latin one: 0.8 to 1, or 0.

    Nearly alike are words of six letters or more but for one letter in five, not the first, and no ending:
    Иран is not Iraq, Иванов is not Ivanova.
    """
    wanted = sound(latin)
    best = 0.0
    for form in foreign:
        heard = sound(form.partition("+")[0])
        if heard == wanted:
            return 1.0
        derived = heard.startswith(wanted) or wanted.startswith(heard)
        if min(len(heard), len(wanted)) > 5 and heard[0] == wanted[0] and not derived:
            best = max(best, OSA.normalized_similarity(heard, wanted, score_cutoff=_NEAR))
    return best
