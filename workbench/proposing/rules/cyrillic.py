"""Russian names go on in small letters: Министерство внутренних дел, Верховный суд, Восточная Сибирь."""

from __future__ import annotations

import re

from workbench.proposing.rules.lexicon import WORDS, function_words, is_place, russian_head, stem, words
from workbench.proposing.rules.runs import Reading, Run

_LANGUAGES = words("ru uk be bg")
_ADJECTIVE = re.compile(f"(?<![ае]н)(?<!ст)(?<!ци)(?:{'|'.join(WORDS['russian-adjectives'].split())})$")
_GENITIVE = re.compile(
    r"(?:[^аиыуея]а|[бвгджзклмнпрстфхцчшщь]я|[еои]я|ии|ы|[гкхжшчщьнлртсд]и|ов|ев|ей|ий|ого|его|ой|ых|их)$"
)
_VERB = re.compile(r"(?:[аиыуея]л[аио]?|[сзгкшр]л[аио]|ся|лась|лись|лось|ет|ит|ют|ят|ут|ат)$")
_BARE = words("дел прав войск наук лиц сил связей связи людей стран")
# Bodies that Russian writes with a small letter before the name of their country or city.
_BODIES = frozenset(map(stem, words(WORDS["russian-bodies"])))
_CHAIN = 6
_DATIVE = re.compile(r"(?:ам|ям|ым|им|ому|ему|ой|ей|у|ю|ию|е|и)$")


def adjective(reading: Reading, index: int) -> bool:
    """Whether a capitalised Russian word is an adjective of the small word after it: no name alone."""
    word = reading.words[index]
    if reading.lang not in _LANGUAGES or not _ADJECTIVE.search(word) or len(word) < 5:
        return False
    if is_place(word) or not word[1:].islower():
        return False
    following = _small(reading, index + 1)
    if not following or following in function_words("ru"):
        return False
    return not (_VERB.search(following) and word.casefold().endswith(("ий", "ой", "ая")))


def widen(reading: Reading, run: Run) -> Run:
    """The run with the small-letter words that belong to its name."""
    if reading.lang not in _LANGUAGES:
        return run
    last = run.last
    word = reading.words[last]
    if run.first == last and _ADJECTIVE.search(word.casefold()) and not russian_head(word):
        noun = _head_after(reading, last)
        if noun is None:
            return run
        last = noun
    if russian_head(reading.words[last]) == "organisation":
        last = _complement(reading, last)
    return Run(run.first, last)


def reach_back(reading: Reading, run: Run) -> Run:
    """The run with the small-letter body that governs it: правительство Израиля, Москвы."""
    if reading.lang not in _LANGUAGES or not _closes(reading.words[run.first]):
        return run
    for head in range(run.first - 1, max(-1, run.first - 1 - _CHAIN), -1):
        word = reading.words[head]
        if not _spaced(reading, head + 1) or not word.islower():
            return run
        if stem(word) in _BODIES or word.startswith("мэри"):
            return Run(head, max(run.last, _complement(reading, head)))
        if not _is_genitive(word):
            return run
    return run


def _small(reading: Reading, index: int) -> str:
    """The small-letter word one space after the token before it, or ""."""
    if not _spaced(reading, index):
        return ""
    word = reading.words[index]
    return word if word.islower() and word.replace("-", "").isalpha() else ""


def _head_after(reading: Reading, last: int) -> int | None:
    """The head noun that a capitalised adjective (and up to three small ones) leads to."""
    for index in range(last + 1, last + 5):
        word = _small(reading, index)
        if russian_head(word):
            return index
        if word != "и" and not _ADJECTIVE.search(word):
            return None
    return None


def _spaced(reading: Reading, index: int) -> bool:
    """Whether one space parts a token from the one before."""
    return reading.gap(index - 1, index) == " "


def _complement(reading: Reading, last: int) -> int:
    """The last token of the genitive chain after an organisation's head noun.

    Совет | Европы, Министерство | внутренних дел Пакистана, Комитет | по иностранным делам.
    """
    end = index = last
    while (index := index + 1) <= last + _CHAIN and _spaced(reading, index):
        word = reading.words[index]
        following = reading.words[index + 1] if _spaced(reading, index + 1) else ""
        if reading.capital[index]:
            if not _closes(word):
                return end
            end = index
            if not russian_head(word):
                return end  # Пакистана | и правительства Индии
        elif word == "по" and following.islower() and _DATIVE.search(following):
            end = index = index + 1
            noun = _small(reading, index + 1)
            if _ADJECTIVE.search(following) and _DATIVE.search(noun):
                end = index = index + 1
        elif word == "и" and _is_genitive(following):
            continue
        elif _is_genitive(word):
            end = index
        else:
            return end
    return end


def _closes(word: str) -> bool:
    """Whether a capital may end a chain: a country, a city, an acronym or another body."""
    return is_place(word) or bool(russian_head(word)) or (len(word) > 1 and word.isupper())


def _is_genitive(word: str) -> bool:
    if not word.islower() or not word.replace("-", "").isalpha() or word in function_words("ru"):
        return False
    return word in _BARE or bool(_GENITIVE.search(word) and not _VERB.search(word))
