"""The subject of a definition: what stands before "is a …" is one name, small words and all."""

from __future__ import annotations

from workbench.proposing.rules.gazetteer import is_first_name, is_people, is_place
from workbench.proposing.rules.lexicon import function_words, words
from workbench.proposing.rules.runs import Reading, Run

_IS = frozenset({"is", "was"})
_ARTICLES = frozenset({"a", "an", "the", "one"})
_NOT_FIRST = words(
    """a an in on at by for from of with after before since during this that these those it he she they there
    here although while when if as but and or so however both each all"""
)
_LONGEST = 12


def subject(reading: Reading, run: Run) -> Run | None:
    """The whole subject that starts with this run when it opens a sentence "X and Y: Z is a …", else None.

    English only. Applies when the subject holds small words or a colon that a run would break at.
    """
    if reading.lang != "en":
        return None
    start = run.first
    if start not in reading.opening:
        return None
    first = reading.tokens[start].text.casefold()
    if first in _NOT_FIRST:
        return None
    if first == "the":
        start += 1
    end = _before_verb(reading, start)
    if end is None or end <= run.last or not reading.capital[end]:
        return None
    listed = reading.tokens[start : end + 1]
    if any(token.text in {"and", "&"} for token in listed) and _two_names(reading, start, end):
        return None
    return Run(start, end)


def _before_verb(reading: Reading, start: int) -> int | None:
    """The last token before "is a", "(1954) is a" or "(", when all before are capitals and small words."""
    function = function_words(reading.lang)
    for index in range(start, min(start + _LONGEST, len(reading.tokens))):
        word = reading.tokens[index].text
        if word in _IS and index > start:
            after = reading.tokens[index + 1].text if index + 1 < len(reading.tokens) else ""
            return index - 1 if after in _ARTICLES else None
        if word == "(" and index > start:
            return index - 1
        if word == "?" and index > start and reading.tokens[index + 1 : index + 2]:
            return index - 1 if reading.tokens[index + 1].text in _IS else None
        if not (
            reading.capital[index] or word in {":", ",", "'", "’", "-", "!"} or word.casefold() in function
        ):
            return None
    return None


def _two_names(reading: Reading, start: int, end: int) -> bool:
    """France and Germany, Anna and Tom: two names, not one title."""
    ends = (reading.tokens[start].text, reading.tokens[end].text)
    return all(is_place(word) or is_people(word) or is_first_name(word) for word in ends)
