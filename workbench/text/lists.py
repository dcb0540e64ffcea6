"""Small tools: word lists in files or strings, whether a word has a digit, values as JSON text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pkgutil import get_data


def sections(module: str) -> dict[str, str]:
    """The word lists in the text file of the same name as a module, by the `[name]` above each."""
    package, _, name = module.rpartition(".")
    text = (get_data(package, f"{name}.txt") or b"").decode()
    named = (section.partition("]\n") for section in f"\n{text}".split("\n[")[1:])
    return {section: words for section, _, words in named}


def listed(words: str) -> frozenset[str]:
    """The words of a string as a set."""
    return frozenset(words.split())


def by_key(section: str) -> dict[str, frozenset[str]]:
    """The words of each line of a section by the first word of the line, such as its language."""
    lines = (line.split() for line in section.strip().splitlines())
    return {first: frozenset(words) for first, *words in lines}


def by_word(section: str) -> dict[str, str]:
    """The first word of a line of a section, for every other word of the line."""
    return {word: first for first, words in by_key(section).items() for word in words}


def valued(section: str) -> dict[str, int]:
    """The same where a line begins with a number."""
    return {word: int(number) for word, number in by_word(section).items()}


def pairs(section: str) -> dict[str, str]:
    """What each line of a section says behind the first colon of the words before it."""
    return dict(line.split(": ", 1) for line in section.strip().splitlines())


has_digit = re.compile(r"\d").search
"""What tells whether a word has a digit: a number, a date or a code."""


stored = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""A value as the database stores it."""

compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""A value on one line of a file, characters as they are."""


def object_text(pairs: Iterable[tuple[str, str]]) -> str:
    """A JSON object of keys and values that are JSON texts already."""
    return "{" + ", ".join(f'"{key}": {value}' for key, value in pairs) + "}"
