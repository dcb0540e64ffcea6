"""Letters that stand for places of a text: which code each place gets, and what typed letters leave of them.

Codes have one or two letters, and no one-letter code begins a two-letter one, so that a code is complete as
soon as its last letter is typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, product
from math import ceil, sqrt
from typing import NamedTuple

from workbench.text.tokens import UNSPACED
from workbench.tui.keys import TWINS

LETTERS = "asdfghjklqwertyuiopzxcvbnm"
"""The letters of codes, the home row first."""

SURE = 6
"""One-letter codes that are kept however many places ask for two letters."""

_LATIN = {twin: latin for latin, twin in TWINS.items() if latin.isalpha()}
_DENSE = re.compile(f"[{UNSPACED}]")


class Hint(NamedTuple):
    """The code of a stretch of a text; its first `typed` letters have been typed already.

    `quiet`: part of a run of short tokens without blanks (Chinese, Thai). Until the first letter is typed
    only the first of those that share it shows it: the text under them stays readable.
    """

    start: int
    end: int
    code: str
    typed: int = 0
    quiet: bool = False

    @property
    def left(self) -> str:
        """The letters that are still to be typed."""
        return self.code[self.typed :]


def codes(singles: int, doubles: int) -> tuple[list[str], list[str]]:
    """One-letter codes for the first of `singles` places, two-letter codes for the first of `doubles`.

    As few letters as can be are in use, so that most codes lie on the home row. 520 two-letter codes
    leave six letters for the others; places beyond get no code.
    """
    firsts = min(max(ceil(sqrt(doubles)), ceil(doubles / len(LETTERS))), len(LETTERS) - min(singles, SURE))
    single = LETTERS[: min(singles, len(LETTERS) - firsts)]
    begin = LETTERS[len(single) : len(single) + firsts]
    seconds = LETTERS[: ceil(doubles / firsts)] if firsts else ""
    return list(single), ["".join(pair) for pair in islice(product(begin, seconds), doubles)]


def hints(text: str, stretches: Sequence[tuple[int, int]], given: Sequence[str]) -> list[Hint]:
    """The stretches with their codes, as far as there are codes."""
    found: list[Hint] = []
    for (start, end), code in zip(stretches, given, strict=False):
        touches = bool(found) and found[-1].quiet and found[-1].end == start
        quiet = len(code) > 1 and (bool(_DENSE.match(text, start)) or (touches and end - start == 1))
        found.append(Hint(start, end, code, quiet=quiet))
    return found


def letter(character: str) -> str:
    """The Latin letter of a typed character, also on the Russian layout; empty for anything else."""
    latin = _LATIN.get(character, character)
    return latin if latin.lower() in LETTERS and len(latin) == 1 else ""


def after(offered: Iterable[Hint], typed: str) -> list[Hint]:
    """The hints whose code begins with what was typed."""
    return [hint._replace(typed=len(typed)) for hint in offered if hint.code.startswith(typed)]
