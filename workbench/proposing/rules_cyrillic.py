"""Russian names go on in small letters: Министерство внутренних дел, Верховный суд, Восточная Сибирь."""

from __future__ import annotations

import re

from workbench.proposing.gazetteer import is_place
from workbench.proposing.lexicon import RUSSIAN_EVENT, RUSSIAN_ORGANISATION, RUSSIAN_PLACE
from workbench.proposing.lexicon_function import function_words
from workbench.proposing.rules_runs import Reading, Run

_LANGUAGES = frozenset({"ru", "uk", "be", "bg"})
_ADJECTIVE = re.compile(
    r"(?<![ае]н)(?<!ст)(?<!ци)(?:ый|ий|ой|ая|яя|ое|ее|ого|его|ому|ему|ым|им|ом|ем|ую|юю|ые|ие|ых|их|ыми|ими|ей)$"
)
_GENITIVE = re.compile(
    r"(?:[^аиыуея]а|[бвгджзклмнпрстфхцчшщь]я|ия|ии|ы|[гкхжшчщьнлртсд]и|ов|ев|ей|ий|ого|его|ой|ых|их|дел|прав|войск|наук|лиц)$"
)
_VERB = re.compile(r"(?:[аиыуея]л[аио]?|лся|лась|лись|лось|ет|ит|ют|ят|ут|ат)$")
_DATIVE = re.compile(r"(?:ам|ям|ым|им|ому|ему|ой|ей|у|ю|ию|е|и)$")


def adjective(reading: Reading, index: int) -> bool:
    """Whether a capitalised Russian word is an adjective of the small word after it: no name alone."""
    word = reading.tokens[index].text
    if reading.lang not in _LANGUAGES or not _ADJECTIVE.search(word) or len(word) < 5 or is_place(word):
        return False
    following = _small(reading, index + 1)
    if not following or following in function_words("ru"):
        return False
    return not (_VERB.search(following) and word.casefold().endswith(("ий", "ой", "ая")))


def heads(word: str) -> str:
    """The label a Russian head noun gives its name, or ""."""
    folded = word.casefold()
    for label, stems in (
        ("organisation", RUSSIAN_ORGANISATION),
        ("place", RUSSIAN_PLACE),
        ("event", RUSSIAN_EVENT),
    ):
        if any(folded.startswith(stem) and len(folded) - len(stem) <= 3 for stem in stems):
            return label
    return ""


def widen(reading: Reading, run: Run) -> Run:
    """The run with the small-letter words that belong to its name."""
    if reading.lang not in _LANGUAGES:
        return run
    last = run.last
    word = reading.tokens[last].text
    if run.first == last and _ADJECTIVE.search(word.casefold()) and not heads(word):
        noun = _head_after(reading, last)
        if noun is None:
            return run
        last = noun
    if heads(reading.tokens[last].text) == "organisation":
        last = _complement(reading, last)
    return Run(run.first, last)


def _small(reading: Reading, index: int) -> str:
    """The small-letter word right after the token before it, or ""."""
    if (
        index >= len(reading.tokens)
        or reading.text[reading.tokens[index - 1].end : reading.tokens[index].start] != " "
    ):
        return ""
    word = reading.tokens[index].text
    return word if word.islower() and word.replace("-", "").isalpha() else ""


def _head_after(reading: Reading, last: int) -> int | None:
    """The head noun that a capitalised adjective (and up to three small ones) leads to."""
    for index in range(last + 1, last + 5):
        word = _small(reading, index)
        if not word:
            return None
        if heads(word):
            return index
        if word != "и" and not _ADJECTIVE.search(word):
            return None
    return None


def _complement(reading: Reading, last: int) -> int:
    """The last token of the genitive chain after an organisation's head noun."""
    end = last
    index = last + 1
    while index < len(reading.tokens) and index - last <= 6:
        word = _small(reading, index)
        if not word:
            if (
                index < len(reading.tokens)
                and reading.capital[index]
                and reading.text[reading.tokens[index - 1].end : reading.tokens[index].start] == " "
            ):
                return index
            return end
        if word == "по":
            following = _small(reading, index + 1)
            if not following or not _DATIVE.search(following):
                return end
            index += 1
            end = index
            if _ADJECTIVE.search(following) and _small(reading, index + 1):
                index += 1
                end = index
        elif word == "и":
            if not _GENITIVE.search(_small(reading, index + 1) or "-"):
                return end
        elif _GENITIVE.search(word) and not _VERB.search(word):
            end = index
        else:
            return end
        index += 1
    return end
