"""Titles between quotation marks, addresses, and standards by their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from workbench.proposing.rules.lexicon import (
    NOUNS,
    WORDS,
    Found,
    either,
    function_words,
    is_organisation,
    is_place,
    russian_head,
)
from workbench.text.language import word_counts
from workbench.text.numbers import CODE

# No nesting and a bounded length: a lost closing mark costs 90 characters, never the rest of the text.
_QUOTED = either("quoted")
_TRAILING = re.compile(r"[\s,.]+\Z")
_MARK = re.compile('[«“„"‘《〈『「]')
_WORD = re.compile(r"[^\W_]+(?:['’\-.&][^\W_]+)*")
_WORD_BEFORE = re.compile(r"([^\W\d_][\w.'’-]*) $")
_WORD_AFTER = re.compile(r" [A-ZÀ-ÞА-ЯЁ]")
_LAST_WORD = re.compile(r"([^\W\d_]+)[ \u00a0]$")
_SPEECH = re.compile(rf"(?:\b(?:{'|'.join(WORDS['speech'].split())})\b[^.\n]{{0,25}}|[:,])\s?$")


def titles(text: str, lang: str) -> Iterator[Found]:
    """Every quoted stretch that reads as a title, without its marks.

    《》 and 『』 hold titles only; 「」 and the others also hold speech and emphasis: there the words decide.
    """
    for match in _QUOTED.finditer(text if _MARK.search(text) else ""):
        group = match.lastgroup or ""
        begun = match[group].lstrip()
        inside = _TRAILING.sub("", begun)
        if not inside:
            continue
        start = match.end(group) - len(begun)
        end = start + len(inside)
        if group == "f":
            if text[match.start()] in "《『〈" or len(inside) <= 12:
                yield Found(start, end, "work")
        elif _is_nickname(text, match.start(), match.end(), inside):
            continue
        elif group == "a" and inside[0].isalpha() and inside[0].lower() == inside[0].upper():
            if inside.count(" ") < 4:
                yield Found(start, end, "work")
        elif _reads_as_title(inside, lang) and not _SPEECH.search(
            text, max(0, match.start() - 60), match.start()
        ):
            yield Found(start, end, _label(text, match.start(), inside))


def _label(text: str, quoted: int, inside: str) -> str:
    """What the word before the marks says (концерн «…», the film "…"); a work when it says nothing."""
    first, _, second = inside.partition(" ")  # «Лаборатория Касперского»
    if is_organisation(inside) or (second.istitle() and russian_head(first) == "organisation"):
        return "organisation"
    if is_place(inside):
        return "place"
    before = _LAST_WORD.search(text, max(0, quoted - 40), quoted)
    if before is None:
        return "work"
    word = before[1].casefold()
    return russian_head(word) or NOUNS.get(word) or "work"


# The last letters of generic names, which tell what a drug does; behind them stand endings of a language.
_DRUG_STEMS = tuple(WORDS["drug-stems"].split())
_LAST_LETTERS = frozenset(stem[-4:] for stem in _DRUG_STEMS)


def drugs(text: str) -> Iterator[Found]:
    """Every drug with a generic name, in small letters too: ramipril, Metformin, амоксициллина."""
    for word in word_counts(text.lower()):
        stem = word.rstrip("esаеуоыми")
        if stem[-4:] in _LAST_LETTERS and len(word) > 6 and stem.endswith(_DRUG_STEMS):
            places = re.finditer(rf"(?<!\w){word}(?!\w)", text, re.IGNORECASE)
            yield from (Found(*place.span(), "other") for place in places)


# Addresses on the web and of people, whole, without the mark of the sentence; a handle is no unit.
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>\"»)\]]*[^\s<>\"»)\].,;:!?'’*|]"
    r"|(?<![\w.])@\w+|(?<![\w.@])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
)
_ENDING = re.compile(r"\.(?:com|org|net|edu|gov|info|ru|de|fr|es|it|uk|eu|io|ру|рф)(?![\w/@-])")
_SITE = re.compile(rf"(?<![\w./@-])(?:[^\W_][\w-]{{0,40}}\.){{0,2}}[^\W_][\w-]{{0,40}}{_ENDING.pattern}")


# A bare EN is a word of French and Spanish: only DIN EN 1992, EN ISO 9001. Few places of a text need a look.
@lru_cache(maxsize=2)
def _whole(*, rare: bool) -> re.Pattern[str]:
    """The sections in their order: what comes first is found; German laws and cases are tried everywhere."""
    names = (name for name in WORDS if name.startswith("whole-") and (rare or name != "whole-other_rare"))
    kinds = [
        *(f"(?P<{name[6:]}>{either(name).pattern})" for name in names),
        f"(?P<other_code>{CODE.pattern})",
    ]
    return re.compile(rf"(?<![\w-])(?={either('start of a whole').pattern})(?:{'|'.join(kinds)})")


def wholes(text: str) -> Iterator[Found]:
    """What other rules would cut: ISO 13849-1, article 311-1, Cour de cassation, Staphylococcus aureus."""
    found = _whole(rare=" v. " in text or "gesetz" in text or "ordnung" in text).finditer(text)
    return (Found(*one.span(), (one.lastgroup or "").partition("_")[0]) for one in found)


def addresses(text: str) -> Iterator[Found]:
    """Addresses, in which no name is looked for; a bare site is itself one."""
    for match in _ADDRESS.finditer(text if "@" in text or "www." in text or "://" in text else ""):
        yield Found(*match.span(), "" if match[0][0] == "@" else "other")
    for match in _SITE.finditer(text if _ENDING.search(text) else ""):
        yield Found(*match.span(), "organisation")


def _reads_as_title(inside: str, lang: str) -> bool:
    """Whether the words look like a title: it opens with a capital and is short or capitalised throughout."""
    listed: list[str] = _WORD.findall(inside)
    function = function_words(lang)
    if not listed or len(listed) > 12 or not (inside[0].isupper() or inside[0].isdigit()):
        return False
    if not any(word[0].isalpha() for word in listed):
        return False
    if len(listed) == 1:
        return listed[0].casefold() not in function
    if all(word.casefold() in function and (not at or word.islower()) for at, word in enumerate(listed)):
        return False  # "It is," he said
    heavy = [word for word in listed[1:] if len(word) > 3 and word.casefold() not in function]
    capital = sum(word[0].isupper() or word[0].isdigit() for word in heavy)
    if lang == "en":
        return capital * 5 >= len(heavy) * 3
    return len(listed) <= 5 or capital * 2 >= len(heavy)


def _is_nickname(text: str, start: int, end: int, inside: str) -> bool:
    """Wilfried "Willi" Schneider: a quoted word or two between capitals is part of the name around it."""
    before, after = _WORD_BEFORE.search(text, max(0, start - 30), start), _WORD_AFTER.match(text, end)
    return after is not None and before is not None and before[1][0].isupper() and inside.count(" ") <= 1
