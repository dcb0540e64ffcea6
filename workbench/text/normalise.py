"""Keys for comparing names: one spelling per name; the text itself is never touched."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from workbench.text import numbers
from workbench.text.lists import by_key, has_digit, listed, sections
from workbench.text.tokens import UNSPACED, marks

# Dashes and apostrophes become one of each; the rest of punctuation separates words later on.
_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹘﹣－־", "-"),
        **dict.fromkeys("’‘ʼʹ`´＇ʻʾʿ׳", "'"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff\u0640", ""),
    }
)
_LETTERS = str.maketrans(
    dict(
        zip(
            "łøđßæœðþıəħŋё" + "أإآٱىةیک",
            ["l", "o", "d", "ss", "ae", "oe", "d", "th", "i", "e", "h", "n", "е", *"ااااي" + "هيك"],
            strict=True,
        )
    )
)
# After decomposition: marks on Latin and Greek letters, the Cyrillic stress mark, Hebrew points, Arabic
# vowels. й, ї, ў and the signs of Devanagari and Thai keep their marks: they are letters.
_ACCENTS = re.compile(
    "(?<=[a-z\u0370-\u03ff])[\u0300-\u036f]+|\u0301|[\u0591-\u05bd\u05bf\u05c1-\u05c7]|[\u064b-\u065f\u0670]"
)
_FOREIGN_DIGIT = re.compile(r"[^\D0-9]")
_ROUNDS = 4  # folding settles in two rounds on all of Unicode; the rest is margin

_WORDS = sections(__name__)
# Fillers are dropped wherever they stand: a name says the same without them. Prepositions are dropped at the
# start: spans of inflecting languages often begin with the preposition of the case.
_LISTS = {name: by_key(_WORDS[name]) for name in ("articles", "fillers", "prepositions")}
# Cut from a start that leaves a name of two words: "Queen" and "General" often belong to the name.
_HONORIFICS = listed(_WORDS["honorifics"])
# Endings of numerals, after a hyphen (1930-х, 14-го) and written together (1930er, 14th).
_DECADE = re.compile(r"(?<=\d0)(?:-(?:ых|ми|х|е|er)|'s)\b")
_ORDINAL = re.compile(r"(?<=\d)-(?:го|му|ого|ому|ой|ый|ий|й|ая|я|ое|ым|м)\b")
_DECADE_WORD = re.compile(r"(\d+0)(?:er|х|е)")
_ORDINAL_WORD = re.compile(r"(\d+)(?:st|nd|rd|th|й|я|го)")
_ELISION = re.compile(r"(?:l|d|qu|dell|nell|sull|all|dall|un|c|j|m|n|s|t)'(?=\w)")
_TURKISH = re.compile(r"(?<=\w{4})'[a-z]{1,6}$")
_ELIDING = frozenset({"fr", "it", "ca"})


@lru_cache(maxsize=1)
def _word_pattern() -> re.Pattern[str]:
    unspaced = UNSPACED + "\uac00-\ud7af"
    letter = f"[^\\W_{unspaced}][{marks()}]*"
    return re.compile(
        rf"(?P<iso>\d{{4}}-\d{{1,2}}-\d{{1,2}}(?!{letter}|\d))"
        rf"|(?P<short>\d{{1,2}}(?P<sep>[./])\d{{1,2}}(?P=sep)\d{{4}}(?!{letter}|\d))"
        rf"|(?P<number>(?:\d{{1,3}}(?:[ ']\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*)(?!{letter}|\d))"
        rf"|(?P<initial>{letter}\.(?!\d))"
        rf"|(?P<word>(?:{letter})+(?:['&](?:{letter})+)*)"
        rf"|(?P<run>(?:[{unspaced}][{marks()}]*)+)"
        rf"|(?P<sign>[{re.escape(numbers.SYMBOLS)}])"
    )


def _fold_once(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).translate(_PUNCTUATION).casefold().translate(_LETTERS)
    folded = _FOREIGN_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit.group())), folded)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", folded)))


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Case, compatibility forms, accents, digits, dashes and apostrophes levelled; idempotent.

    Keeps what tells words apart: й and ї, the vowel signs of Indic scripts, the points of kana.
    """
    if text.isascii():
        return text.replace("`", "'").lower()
    for _ in range(_ROUNDS):
        folded = _fold_once(text)
        if folded == text:
            break
        text = folded
    return text


def words(text: str, lang: str | None = None) -> list[str]:
    """All words of a name in one spelling, in order; initials keep their dot ("j.", "k.", "rowling")."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    folded = fold(numbers.romans(plain))
    if has_digit(folded):
        folded = _ORDINAL.sub("", _DECADE.sub("s", folded))
    found = []
    for match in _word_pattern().finditer(folded):
        word, kind = match.group(), match.lastgroup
        if kind == "number":
            word = numbers.number(word, lang)
        elif kind == "iso":
            word = numbers.iso_date(word)
        elif kind == "short":
            word = numbers.short_date(word)
        elif kind == "word":
            word = _numeral(word) if word[0].isdigit() else _apostrophes(word, lang)
        if word:
            found.append(word)
    return numbers.canonical(found)


def _apostrophes(word: str, lang: str | None) -> str:
    """A word without possessive, elided article or Turkish case ending, and without apostrophes."""
    if "'" not in word:
        return word.replace("&", "")
    word = word.removesuffix("'s")
    if lang in _ELIDING:
        word = _ELISION.sub("", word, count=1)
    elif lang == "tr":
        word = _TURKISH.sub("", word)
    return word.replace("'", "").replace("&", "")


def _numeral(word: str) -> str:
    """A word that begins with a digit without the ending of an ordinal; decades end in s: 1930s."""
    word = word.replace("'", "").replace("&", "")
    if decade := _DECADE_WORD.fullmatch(word):
        return decade.group(1) + "s"
    ordinal = _ORDINAL_WORD.fullmatch(word)
    return ordinal.group(1) if ordinal else word


def joined_initials(found: Sequence[str], lang: str | None = None) -> list[str]:
    """Words with runs of single letters made one (U. S. → us); a lone initial loses its dot.

    It keeps the dot where it would read as an article or preposition ("A. Smith", «С. Петров»).
    """
    result: list[str] = []
    run: list[str] = []
    droppable = _small(lang, *_LISTS)
    for word in [*found, ""]:
        if len(word.removesuffix(".")) == 1 and word[0].upper() != word[0]:
            run.append(word)
            continue
        if len(run) == 1 and run[0][0] in droppable:
            result.append(run[0])
        elif run:
            result.append("".join(letter[0] for letter in run))
        run = []
        if word:
            result.append(word)
    return result


def content(found: Sequence[str], lang: str | None = None) -> list[str]:
    """Words without articles, leading prepositions and honorifics, and fillers, unless nothing is left."""
    kept = list(found)
    leading, fillers = _small(lang, "articles", "prepositions"), _small(lang, "fillers")
    while kept and (kept[0] in leading or (len(kept) > 2 and kept[0] in _HONORIFICS)):
        del kept[0]
    kept = [word for word in kept if word not in fillers]
    return kept or list(found)


def settled(found: Sequence[str], lang: str | None = None) -> list[str]:
    """The content of a name with its initials joined, until nothing changes any more."""
    before: list[str] = []
    after = list(found)
    while after != before:
        before, after = after, content(numbers.canonical(joined_initials(after, lang)), lang)
    return after


@lru_cache(maxsize=64)
def _small(lang: str | None, *lists: str) -> frozenset[str]:
    """The words of a language in some lists; of English and Russian where it is not known or has no list."""
    words: frozenset[str] = frozenset()
    for table in (_LISTS[name] for name in lists):
        if lang is not None and lang in table and lang not in {"ru", "uk"}:
            words |= table[lang]
        else:
            words |= table.get("en", frozenset()) | table.get("uk" if lang == "uk" else "ru", frozenset())
    return words


@lru_cache(maxsize=65536)
def key(text: str, lang: str | None = None) -> str:
    """The normalised key of a name: two mentions with equal non-empty keys are one entity.

    Levels case, compatibility forms, accents, punctuation, articles, possessives, the writing of numbers
    (1.5 million, 1,500,000), dates (July 14, 1889, 1889-07-14) and amounts ($5, 5 dollars). `lang`
    is an ISO 639-1 code and sharpens the lists of articles and the reading of 1.000. Idempotent; ""
    for a text without letters and digits. Offsets and texts are never touched: a key is only compared.
    """
    found = settled(words(text, lang), lang)
    # Two numbers are parted by a comma, or "1 000" would be one when the key is normalised again.
    return "".join(
        word if not index else f", {word}" if _ends_meet(found[index - 1], word) else f" {word}"
        for index, word in enumerate(found)
    )


def _ends_meet(left: str, right: str) -> bool:
    return left[-1].isdigit() and right[0].isdigit()
