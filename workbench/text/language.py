"""Which language a text is in: by script, then by a few very common words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from workbench.text.lists import by_key, sections

SAMPLE = 4000  # code points looked at: enough for stop words to speak, 1 ms
_WORDS = sections(__name__)
_SCRIPTS = [line.split() for line in _WORDS["scripts"].splitlines() if line]
_RUNS = re.compile("|".join(f"(?P<{name}>[{chars}]+)" for name, chars in _SCRIPTS))
_WORD = re.compile(r"[^\W\d_]+")
_ASCII = bytes(range(128))
_SPACED = {code: " " for code in range(128) if not chr(code).isalpha()}
_NO_LETTERS = bytes(code for code in range(256) if not (code < 128 and chr(code).isalpha()))

# Stop words that few other languages of the script share.
_STOP = {script: by_key(_WORDS[script]) for script in ("latin", "cyrillic")}
# Integers, so that no order of adding matters: 12 for a word of one language, 12 / n for one of n.
_WEIGHTS = {
    script: {
        word: max(1, 12 // sum(word in other for other in lists.values())) // (4 if len(word) == 1 else 1)
        for words in lists.values()
        for word in words
    }
    for script, lists in _STOP.items()
}
# By word: a text has fewer distinct words than the lists have (.02 ms instead of .09 for 240 code points).
_LANGUAGES = {
    script: {
        word: [(name, weight) for name, words in lists.items() if word in words]
        for word, weight in _WEIGHTS[script].items()
    }
    for script, lists in _STOP.items()
}
# Letters that no other language of the lists writes, or hardly.
_LATIN_LETTERS: dict[str, list[str]] = {}
for _language, _letters in (line.split() for line in _WORDS["latin letters"].splitlines() if line):
    for _letter in _letters:
        _LATIN_LETTERS.setdefault(_letter, []).append(_language)
# Letters that decide alone, in this order.
_LETTERS = [line.split() for line in _WORDS["cyrillic letters"].splitlines() if line]


def detect(*texts: str) -> str:
    """The ISO 639-1 code of the main language of a text, or of several together; "" when nothing tells.

    A script of one language decides alone; Latin and Cyrillic texts are told apart by stop words.
    """
    if len(texts) - 1 + sum(map(len, texts)) > SAMPLE:
        texts = ("\n".join(texts)[:SAMPLE],)
    return _detected(texts)


@lru_cache(maxsize=8)
def _detected(texts: tuple[str, ...]) -> str:
    """The same for samples of texts; remembered, for one reference is asked several times in a row."""
    if all(map(str.isascii, texts)):  # no other script: it would be counted letter by letter
        return _by_words(texts, "latin")
    sizes: Counter[str] = Counter()
    for text in texts:
        for name, size in _sizes(text).items():
            sizes[name] += size
    if not sizes:
        return ""
    # A Han character says about as much as three letters.
    sizes["han"] *= 3
    sizes["kana"] *= 3
    script = max(sorted(sizes), key=lambda name: sizes[name])
    if script in {"han", "kana"}:
        return "ja" if sizes["kana"] * 10 > sizes["han"] else "zh"
    if script == "arabic":
        return _arabic("\n".join(texts))
    if script == "latin":
        return _by_words(texts, "latin")
    if script == "cyrillic":
        return _cyrillic(texts)
    return script


@lru_cache(maxsize=16)
def _sizes(text: str) -> Mapping[str, int]:
    """How many letters of each script a text has; remembered for the texts of one sample."""
    sizes: Counter[str] = Counter()
    encoded = text.encode("utf-8", "surrogatepass")
    if latin := len(encoded.translate(None, _NO_LETTERS)):
        sizes["latin"] = latin
    for match in _RUNS.finditer(encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")):
        sizes[match.lastgroup or ""] += match.end() - match.start()
    return sizes


def _arabic(text: str) -> str:
    if re.search("[ٹڈڑںے]", text):
        return "ur"
    return "fa" if re.search("[پچژگ]", text) else "ar"


def _cyrillic(texts: tuple[str, ...]) -> str:
    lowered = "\n".join(texts).lower()
    for language, letters in _LETTERS:
        if sum(map(lowered.count, letters)) * 200 > len(lowered):
            return language
    return _by_words(texts, "cyrillic") or ("uk" if "і" in lowered and "ы" not in lowered else "ru")


@lru_cache(maxsize=8)
def word_counts(lowered: str) -> Mapping[str, int]:
    """How often each word stands in a text in small letters; remembered, for the rules ask as well."""
    return Counter(lowered.translate(_SPACED).split() if lowered.isascii() else _WORD.findall(lowered))


def _by_words(texts: tuple[str, ...], script: str) -> str:
    """The language whose stop words and letters weigh most; "" when none does or two weigh the same."""
    scores: dict[str, int] = {}
    for text in texts:
        for language, score in _scores(text, script).items():
            scores[language] = scores.get(language, 0) + score
    most = max(scores.values(), default=0)
    first = [language for language, score in scores.items() if score == most]
    return first[0] if most and len(first) == 1 else ""


@lru_cache(maxsize=16)
def _scores(text: str, script: str) -> Mapping[str, int]:
    """What the stop words and letters of each language weigh in a text; remembered for those of one sample.

    A word of several languages weighs the less, a word of one letter a quarter.
    """
    lowered = text.lower()
    known = _LANGUAGES[script]
    scores: dict[str, int] = {}
    counts = word_counts(lowered)
    for word in counts.keys() & known.keys():
        for language, weight in known[word]:
            scores[language] = scores.get(language, 0) + weight * counts[word]
    if script == "latin" and not text.isascii():
        for letter in set(lowered).intersection(_LATIN_LETTERS):
            for language in _LATIN_LETTERS[letter]:
                scores[language] = scores.get(language, 0) + 3 * lowered.count(letter)
    return scores
