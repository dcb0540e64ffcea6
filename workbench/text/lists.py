"""Small tools for words: lists in files or strings, and whether a word has a digit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pkgutil import get_data

_DIGIT = re.compile(r"\d")


def sections(module: str) -> dict[str, str]:
    """The word lists in the text file of the same name as a module, by the `[name]` above each."""
    package, _, name = module.rpartition(".")
    text = (get_data(package, f"{name}.txt") or b"").decode()
    named = (section.partition("]\n") for section in f"\n{text}".split("\n[")[1:])
    return {section: words for section, _, words in named}


def listed(words: str) -> frozenset[str]:
    """The words of a string as a set."""
    return frozenset(words.split())


def by_language(table: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """A set of words for each language."""
    return {language: listed(words) for language, words in table.items()}


def valued(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    """A value for every word: all words of a string share the one that stands next to it."""
    return {word: value for words, value in pairs for word in words.split()}


def counted(words: str, start: int = 0, step: int = 1) -> list[tuple[str, int]]:
    """The words of a string with start, start + step, start + 2·step, …"""
    return [(word, start + step * index) for index, word in enumerate(words.split())]


def has_digit(word: str) -> bool:
    """Whether a word has a digit: a number, a date or a code."""
    return _DIGIT.search(word) is not None
