"""Which language a text is in: by script, then by a few very common words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import lru_cache

from workbench.text.lists import by_key, sections

SAMPLE = 4000  # code points looked at: enough for stop words to speak, 1 ms
_WORDS = sections(__name__)
_SCRIPTS = [line.split() for line in _WORDS["scripts"].splitlines() if line]
_RUNS = re.compile("|".join(f"(?P<{name}>[{chars}]+)" for name, chars in _SCRIPTS))
_WORD = re.compile(r"[^\W\d_]+")
_ASCII = bytes(range(128))
_NO_LETTERS = bytes(code for code in range(256) if not (code < 128 and chr(code).isalpha()))
_SPACED = {code: " " for code in range(128) if not chr(code).isalpha()}


def _languages_of(section: str) -> dict[str, list[str]]:
    languages: dict[str, list[str]] = defaultdict(list)
    for language, words in by_key(section).items():
        for word in words:
            languages[word].append(language)
    return languages


def _weighed(section: str) -> dict[str, list[tuple[str, int]]]:
    """Each stop word with its languages and what it weighs for each: 12 in one language, 12 / n in n.

    Integers, so that no order of adding matters; a word of one letter weighs a quarter.
    """
    return {
        word: [(name, max(1, 12 // len(names)) // (4 if len(word) == 1 else 1)) for name in names]
        for word, names in _languages_of(section).items()
    }


# Stop words that few other languages of the script share.
_LANGUAGES = {script: _weighed(_WORDS[script]) for script in ("latin", "cyrillic")}
# Letters that no other language of the lists writes, or hardly.
_LATIN_LETTERS = _languages_of(_WORDS["latin letters"])
# Letters that decide alone, in this order.
_LETTERS = [line.split() for line in _WORDS["cyrillic letters"].splitlines() if line]


def detect(*texts: str) -> str:
    """The ISO 639-1 code of the main language of a text, or of several together; "" when nothing tells.

    A script of one language decides alone; Latin and Cyrillic texts are told apart by stop words.
    """
    return _detected("\n".join(texts)[:SAMPLE])


@lru_cache(maxsize=16)
def _detected(text: str) -> str:
    """The same for a sample of texts; remembered, for one reference is asked several times in a row."""
    if text.isascii():  # no other script: it would be counted letter by letter
        return _by_words(text, "latin")
    sizes: dict[str, int] = defaultdict(int)
    encoded = text.encode("utf-8", "surrogatepass")
    if latin := len(encoded.translate(None, _NO_LETTERS)):
        sizes["latin"] = latin
    for match in _RUNS.finditer(encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")):
        sizes[match.lastgroup or ""] += match.end() - match.start()
    if not sizes:
        return ""
    # A Han character says about as much as three letters.
    sizes["han"] *= 3
    sizes["kana"] *= 3
    script = max(sorted(sizes), key=lambda name: sizes[name])
    if script in {"han", "kana"}:
        return "ja" if sizes["kana"] * 10 > sizes["han"] else "zh"
    if script == "arabic":
        return "ur" if re.search("[ٹڈڑںے]", text) else "fa" if re.search("[پچژگ]", text) else "ar"
    if script == "latin":
        return _by_words(text, "latin")
    return _cyrillic(text.lower()) if script == "cyrillic" else script


def _cyrillic(lowered: str) -> str:
    for language, letters in _LETTERS:
        if sum(map(lowered.count, letters)) * 200 > len(lowered):
            return language
    return _by_words(lowered, "cyrillic") or ("uk" if "і" in lowered and "ы" not in lowered else "ru")


@lru_cache(maxsize=8)
def word_counts(lowered: str) -> Mapping[str, int]:
    """How often each word stands in a text in small letters; remembered, for the rules ask as well."""
    return Counter(lowered.translate(_SPACED).split() if lowered.isascii() else _WORD.findall(lowered))


def _by_words(text: str, script: str) -> str:
    """The language whose stop words and letters weigh most; "" when none does or two weigh the same.

    A word of several languages weighs the less, a word of one letter a quarter.
    """
    lowered = text.lower()
    known = _LANGUAGES[script]
    scores: dict[str, int] = defaultdict(int)
    counts = word_counts(lowered)
    for word in counts.keys() & known.keys():
        for language, weight in known[word]:
            scores[language] += weight * counts[word]
    if script == "latin" and not text.isascii():
        for letter in set(lowered).intersection(_LATIN_LETTERS):
            for language in _LATIN_LETTERS[letter]:
                scores[language] += 3 * lowered.count(letter)
    most = max(scores.values(), default=0)
    first = [language for language, score in scores.items() if score == most]
    return first[0] if most and len(first) == 1 else ""
