"""Finding what a person types in texts of any length, whatever the case, accents and spacing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from workbench.model import Span
from workbench.text.normalise import fold

_FOLDED = (
    *range(0x21, 0x7F),
    *range(0x80, 0x590),  # Latin, Greek, Cyrillic, Armenian
    *range(0x620, 0x6E0),  # Arabic
    *range(0x1E00, 0x2000),  # more Latin and Greek
    *range(0x2010, 0x2030),
    *range(0xFB00, 0xFB07),  # ﬁ and its like
    *range(0xFF01, 0xFFA0),  # full and half width
)
_QUOTES = '"“”„‟″«»〝〞'
_MARKS = "[\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0670\u0640\u00ad]"


@lru_cache(maxsize=1)
def _spellings() -> tuple[dict[str, str], dict[str, str]]:
    """The characters that fold to one letter, and to two (ß to ss), by what they fold to (10 ms once)."""
    one: defaultdict[str, str] = defaultdict(str)
    two: defaultdict[str, str] = defaultdict(str)
    for code in _FOLDED:
        low = fold(chr(code))
        (one if len(low) == 1 else two)[low] += chr(code)
    two.pop("", None)
    return one, two


def pattern_of(typed: str) -> re.Pattern[str] | None:
    """A pattern for the places that say what was typed; None for nothing but blanks.

    Case, accents, the width of letters, and the kind of dashes, quotes and blanks do not matter.
    """
    one, two = _spellings()
    words = fold(typed).split()
    if not words:
        return None
    found = r"\s+".join(_word(word, one, two) for word in words)
    typed = typed.strip()
    if not re.fullmatch(found, typed):  # letters of a kind that the table leaves out
        found = f"{found}|{re.escape(typed)}"
    return re.compile(found)


def _word(word: str, one: dict[str, str], two: dict[str, str]) -> str:
    parts = []
    index = 0
    while index < len(word):
        pair, letter = word[index : index + 2], word[index]
        single = _letter(letter, one)
        if len(pair) == 2 and pair in two:
            parts.append(f"(?:{single}{_letter(pair[1], one)}|[{re.escape(two[pair])}])")
            index += 1
        else:
            parts.append(single)
        index += 1
    return "".join(parts)


def _letter(letter: str, one: dict[str, str]) -> str:
    same = {letter, letter.upper() if len(letter.upper()) == 1 else letter, *one.get(letter, "")}
    if letter in _QUOTES:
        same |= set(_QUOTES)
    inside = "".join(re.escape(other) for other in sorted(same))
    own = f"[{inside}]" if len(same) > 1 else re.escape(letter)
    return own + f"{_MARKS}*" if letter.isalpha() else own


def places(pattern: re.Pattern[str], text: str, most: int) -> Iterator[Span]:
    """The first places of a pattern in a text, in order, `most` at most."""
    for number, match in enumerate(pattern.finditer(text)):
        if number == most:
            return
        yield Span(match.start(), match.end())
