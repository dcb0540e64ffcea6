"""Numbers, dates and amounts in one spelling: 1.5 million = 1,500,000, July 14, 1889 = 14 июля 1889."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from workbench.text.lists import by_key, listed, sections, valued

# A year may be followed by its own word, which says nothing.
_WORDS = sections(__name__)
_YEAR_WORDS = listed("год года году годом годе г р рік року році year 年 년 년에")
_CENTURY = r"(?=\s+(?i:век|столет|ст\.|в\.|вв|centur|jahrh|siècle|siglo|secolo|século|wiek))"
# Roman numerals up to 39, as kings, wars and centuries need them: capitals, after another word.
_ROMAN = re.compile(r"(?<=\w\s)(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})(?![\w'’&]|\.\s*\w)")
_ROMAN_CENTURY = re.compile(r"(?<![\w.])(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})" + _CENTURY)
_ROMAN_DIGIT = {"I": 1, "V": 5, "X": 10}


def romans(text: str) -> str:
    """The text with Roman numerals as digits, where a name is likely to mean a number."""
    if not any(letter in text for letter in "IVX"):
        return text
    text = _ROMAN_CENTURY.sub(_arabic, text)
    return _ROMAN.sub(_arabic, text)


def _arabic(match: re.Match[str]) -> str:
    total = previous = 0
    for letter in reversed(match.group().upper()):
        value = _ROMAN_DIGIT[letter]
        total += value if value >= previous else -value
        previous = max(previous, value)
    return str(total)


_UNITS = valued(_WORDS["units"]) | {
    stem + ending: value
    for stem, value in valued(_WORDS["ordinal stems"]).items()
    for ending in _WORDS["ordinal endings"].split()
}
_TENS = frozenset(range(20, 100, 10))
_MAGNITUDES = valued(_WORDS["magnitudes"])
MONTHS = valued(_WORDS["months"])
_AMOUNTS = {word: name for name, words in by_key(_WORDS["amounts"]).items() for word in words}
_DATE = re.compile(r"(\d{3,4})?(m\d\d)?(d\d\d)?(?<=.)")
SYMBOLS = "$€£¥₽%"
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*")
_LITERAL = re.compile(r"\d+(?:\.\d+)?")
_DOT_THOUSANDS = listed("de es it pt nl tr id da")


def number(literal: str, lang: str | None) -> str:
    """One spelling for a number as written: separators of thousands go, the decimal sign is a dot.

    With both signs the last one is decimal. 1.000 is a thousand where `lang` writes it so. What is no
    number (3.10.2, 1,2,3) stays as written.
    """
    plain = literal.replace(" ", "").replace("'", "")
    dots, commas = plain.count("."), plain.count(",")
    if dots and commas:
        decimal = "." if plain.rindex(".") > plain.rindex(",") else ","
        plain = plain.replace("," if decimal == "." else ".", "").replace(decimal, ".")
    elif _THOUSANDS.fullmatch(plain) and (commas or dots > 1 or lang in _DOT_THOUSANDS):
        plain = plain.replace(",", "").replace(".", "")
    else:
        plain = plain.replace(",", ".", 1)
    if not _LITERAL.fullmatch(plain):
        return literal
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def date(year: int | None, month: int, day: int | None) -> str:
    """A date as one word: 1889m07d14, 1889m07, m07d14."""
    return ("" if year is None else f"{year:04}") + f"m{month:02}" + ("" if day is None else f"d{day:02}")


def iso_date(literal: str) -> str:
    """1889-07-14 as a date; anything impossible stays as written."""
    year, month, day = map(int, literal.split("-"))
    return date(year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else literal


def short_date(literal: str) -> str:
    """14.07.1889 or 14/07/1889 as a date; 03/04/1999 has two readings and stays as written."""
    separator = "." if "." in literal else "/"
    first, second, year = map(int, literal.split(separator))
    dotted = separator == "."
    if 1 <= second <= 12 and 1 <= first <= 31 and (dotted or first > 12 or first == second):
        return date(year, second, first)
    if 1 <= first <= 12 < second <= 31:
        return date(year, first, second)
    return literal


def readings(word: str) -> tuple[str, ...]:
    """The dates that 03/04/1999 can mean; nothing for any other word."""
    parts = word.split("/")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        return ()
    first, second, year = map(int, parts)
    if not (1 <= first <= 12 and 1 <= second <= 12):
        return ()
    return date(year, first, second), date(year, second, first)


def date_parts(word: str) -> tuple[str, ...]:
    """What dates have in common that agree as far as they go: year, year and month, month and day."""
    if match := _DATE.fullmatch(word):
        year, month, day = match.groups()
        parts = (year, year and month and year + month, month and day and month + day)
        return tuple(f"date {part}" for part in parts if part)
    return tuple(part for reading in readings(word) for part in date_parts(reading))


def canonical(words: Sequence[str]) -> list[str]:
    """Words with their numbers composed, dates joined and amounts named, order kept."""
    return list(_dates(list(_compose(words))))


def _compose(words: Sequence[str]) -> Iterator[str]:
    """Number words and magnitudes as digits; a currency sign moves behind its number."""
    index, sign = 0, ""
    while index < len(words):
        word = words[index]
        if word in SYMBOLS and word != "%" and index + 1 < len(words):
            sign = _AMOUNTS[word]
            index += 1
            continue
        value, used = _value(words, index)
        if used:
            yield value
            index += used
        else:
            yield _AMOUNTS.get(word, word)
            index += 1
        if sign:
            yield sign
            sign = ""


def _value(words: Sequence[str], index: int) -> tuple[str, int]:
    """The number that starts at a word and how many words it takes; 0 words when none does."""
    word = words[index]
    if _LITERAL.fullmatch(word):
        total, used = Decimal(word), 1
    elif word in _UNITS:
        total, used = Decimal(_UNITS[word]), 1
        if _UNITS[word] in _TENS and index + 1 < len(words) and 0 < _UNITS.get(words[index + 1], 0) < 10:
            total, used = total + _UNITS[words[index + 1]], 2
    elif word in _MAGNITUDES and word.isalpha() and len(word) > 4:
        return str(_MAGNITUDES[word]), 1
    else:
        return "", 0
    scaled = False
    while index + used < len(words) and words[index + used] in _MAGNITUDES:
        total *= _MAGNITUDES[words[index + used]]
        used += 1
        scaled = True
    if not scaled and _LITERAL.fullmatch(word):
        return word, 1
    return f"{total.normalize():f}", used


def _dates(words: list[str]) -> Iterator[str]:
    """Day, month and year beside each other as one date; the word for year goes."""
    index = 0
    while index < len(words):
        found, used = _date_at(words, index)
        yield found
        index += used
        if index < len(words) and words[index] in _YEAR_WORDS and _is_year_like(found):
            index += 1


def _is_year_like(word: str) -> bool:
    return (word.isdecimal() and 3 <= len(word) <= 4) or bool(re.fullmatch(r"\d{4}m\d\d(?:d\d\d)?", word))


def _date_at(words: list[str], index: int) -> tuple[str, int]:
    """The word at an index, or the date that starts there, and how many words it takes."""
    first, second, third = [*words[index : index + 3], "", "", ""][:3]
    if second in MONTHS and _is_day(first):
        day, month = int(first), MONTHS[second]
    elif first in MONTHS and _is_day(second):
        day, month = int(second), MONTHS[first]
    elif first in MONTHS and _is_year(second):
        return date(int(second), MONTHS[first], None), 2
    else:
        return first, 1
    return (date(int(third), month, day), 3) if _is_year(third) else (date(None, month, day), 2)


def _is_day(word: str) -> bool:
    return word.isdecimal() and len(word) <= 2 and 1 <= int(word) <= 31


def _is_year(word: str) -> bool:
    return word.isdecimal() and 3 <= len(word) <= 4
