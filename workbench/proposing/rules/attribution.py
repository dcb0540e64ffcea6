"""Attribution by weighed words: which passage of the contexts carries a statement, and is it enough?

A baseline, not a judge: it sees shared words and numbers, never meaning. On statements judged by experts it
agrees little better than chance (κ .23, 95 % interval .14 to .33); tests/quality/statements.py measures it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import groupby, pairwise
from math import log
from operator import or_
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from workbench.comparing.triage import CITATION, negations
from workbench.matching.analysis import PERSON
from workbench.matching.names import MODELS, SUGGESTED, Name, similarity
from workbench.model import ProposedStatement
from workbench.proposing.rules.lexicon import function_words
from workbench.text.inflection import LETTERS_STAY, first_letters, forms
from workbench.text.lists import has_digit
from workbench.text.normalise import differ, fold, stands_in, words
from workbench.text.numbers import BOUND, OFTEN, counting, measured, opposed
from workbench.text.tokens import UNSPACED, sentences

# Share of the weight of the content words that the contexts have to hold. Chosen on one half of three sets
# of statements, measured on the other. Names that weigh more, single sentences and beginnings of words were
# tried and gained nothing; a "not" on one side only says nothing unless the sentence is nearly the same.
FOUND = 0.35
WINDOW = 3  # sentences: support is often spread over neighbours
_LONG = 2000  # characters: names and amounts are compared in their places in shorter sentences
SAME = 2 / 3  # of the content words: from here on a sentence says the statement, or its contrary
_UNSPACED = re.compile(f"[{UNSPACED}]")
_PERIODS = "_per_day", "_per_week", "_per_month", "_per_year"  # the weekly dose is 5 mg: 5 mg a week
_PER = "|".join(sorted({*OFTEN.values()}))
_OFTEN = re.compile(rf"(?<!\S)(?:(\d+ times )?per ({_PER})|({'|'.join(OFTEN)}))(?!\S)")
_NAMED = re.compile(r"(?=.*[A-ZÀ-ÞА-ЯЁ])(?:(?:\S*[A-ZÀ-ÞА-ЯЁ]\S*|am|an|der|of|de|\d\S*|[^\w\s]+)(?: |$))+")
_EDGES = ".,;:!?()[]«»“”„\"'"


class ContextSentence(NamedTuple):
    """One sentence of one context, in code points."""

    context: int
    start: int
    end: int


class Passages:
    """The contexts cut into sentences, and which of these hold a form of a word; once for many statements."""

    def __init__(self, contexts: Sequence[str], lang: str) -> None:
        self.contexts = contexts
        self.sentences: list[ContextSentence] = []
        self.windows: list[range] = []  # the sentences from each one on that may support it together
        for number, context in enumerate(contexts):
            first = len(self.sentences)
            self.sentences += [ContextSentence(number, span.start, span.end) for span in sentences(context)]
            end = len(self.sentences)
            self.windows += [range(at, min(at + WINDOW, end)) for at in range(first, end)]
        self._lang = lang
        stays = lang in LETTERS_STAY
        self._words: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for index in range(len(self.sentences)):
            found = _words(self.quote(index), lang)
            amounts = measured(found, lists=True)
            doses = (word.rpartition("_per_")[0] for word in amounts if word.endswith(_PERIODS))
            for word in {*found, *amounts, *doses}:
                self._words[first_letters(word, lang) if stays else ""][word].append(index)
        self._forms: dict[str, dict[str, list[int]]] = {}
        self._held: dict[str, Mapping[int, None]] = {}  # of the words that sentences have in common

    def holding(self, word: str) -> Mapping[int, None]:
        """The sentences that hold a form of a word, in order.

        A stem is 50 µs: only of words that may have its own.
        """
        if (held := self._held.get(word)) is None:
            letters = first_letters(word, self._lang)
            known = self._forms.get(letters)
            if known is None:
                known = self._forms[letters] = defaultdict(list)
                for other, indices in self._words[letters].items():
                    for form in forms(other, self._lang):
                        known[form] += indices
            listed = (known[form] for form in forms(word, self._lang) if form in known)
            held = self._held[word] = dict.fromkeys(sorted(set().union(*listed)))
        return held

    def quote(self, index: int) -> str:
        """The sentence as it stands in its context."""
        passage = self.sentences[index]
        return self.contexts[passage.context][passage.start : passage.end]


def judge(statement: str, known: Passages, lang: str) -> ProposedStatement:
    """Judge one statement, which may be in no text, against indexed contexts.

    A word weighs the more the fewer sentences hold it, so names and numbers count most. Found when the
    contexts hold a good third of the weight and all numbers, each with its measure: half of it for the best
    three neighbouring sentences of one context, half for all contexts. The quote is the best sentence of the
    best three, verbatim; without a single shared word there is none. Citation marks like [3] count as no
    words. Not found when the quote holds two thirds of the words and only one of it and the statement has a
    negation.
    """
    wanted = _content(statement, lang)
    held = [*map(known.holding, wanted)]
    if not any(held):
        return ProposedStatement(statement, "missing", reason="none of its words is in the contexts")
    weights = [log(1 + len(known.sentences) / (len(hits) + 0.5)) for hits in held]
    window, together = _best_window(held, known.windows, weights)
    best = max(window, key=lambda index: (_weight(_mask(held, index), weights), -index))
    context = known.sentences[best].context
    anywhere = sum(bool(hits) << bit for bit, hits in enumerate(held))
    numbers = (word for word, hits in zip(wanted, held, strict=True) if not (hits or word[0].isalpha()))
    absent = [_as_written(word, statement, lang) for word in numbers]
    weight = (_weight(together, weights) + _weight(anywhere, weights)) / 2
    found = weight >= FOUND * sum(weights) and not absent
    reason = f"{together.bit_count()} of {len(wanted)} content words stand together in context {context + 1}"
    if absent:
        reason += f"; {', '.join(dict.fromkeys(absent))} in none"
    quote = known.quote(best)
    if found and _mask(held, best).bit_count() >= SAME * len(wanted):
        turned = _turned(statement, quote, known, lang)
        found, reason = not turned, f"{turned}; {reason}" if turned else reason
    return ProposedStatement(statement, "found" if found else "missing", context, quote, reason)


def _turned(statement: str, quote: str, known: Passages, lang: str) -> str:
    """What turns only the statement round, or only a quote that says little more; "" if nothing does."""
    if figure := opposed(_words(statement, lang), _words(quote, lang)):
        return f"only one says that {figure} is the most"
    often, other = (
        {(one[1], one[2] or OFTEN[one[3]]): one[0] for one in _OFTEN.finditer(" ".join(_words(text, lang)))}
        for text in (statement, quote)
    )
    if often and other and often.keys().isdisjoint(other):
        return f"only the statement says “{next(iter(often.values()))}”"
    said, there = (negations(BOUND.sub("", text)) for text in (statement, quote))  # no less than
    if said and not there:
        return f"only the statement says “{said[0]}”"
    compared = len(statement + quote) < _LONG and not _UNSPACED.search(statement)
    for own, instead in _replaced(statement, quote, lang) if compared else ():
        elsewhere = (context.replace(instead, " ") for context in known.contexts)
        if not (all(map(known.holding, _words(own, lang))) and stands_in(own, elsewhere)):
            return f"the context says “{instead}” and not “{own}”"
    longer = len(quote) > 2 * len(statement)
    return f"only the context says “{there[0]}”" if there and not (said or longer) else ""


def _replaced(statement: str, quote: str, lang: str) -> Iterator[tuple[str, str]]:
    """Names and amounts of a statement where a quote has others in their place.

    They are others where the matcher tells them apart.
    """
    a, b = ([word.strip(_EDGES) for word in CITATION.sub("", text).split()] for text in (statement, quote))
    for same, some in groupby(Levenshtein.opcodes(a, b), key=lambda edit: edit.tag == "equal"):
        edits = list(some)
        i, j, k, m = edits[0].src_start, edits[-1].src_end, edits[0].dest_start, edits[-1].dest_end
        own, other = " ".join(a[i:j]), " ".join(b[k:m])
        # Of what only one has: George H. W. Bush, iPhone 15 Plus.
        telling = (own and other) or all(len(word) == 1 or word.lower() in MODELS for word in a[i:j] + b[k:m])
        elsewhere = not {*a[i:j]}.isdisjoint(b)
        if same or not telling or elsewhere or max(j - i, m - k) > 3:
            continue
        near = " ".join(a[max(0, i - 1) : j + 1]), " ".join(b[max(0, k - 1) : m + 1])
        x, y = (_words(text, lang) for text in near)
        converted = x != y and measured(x) == measured(y)  # 500 µg/kg, 0.5 mg/kg
        if all(map(has_digit, near)) and not converted and differ(*near, lang):
            yield near
        while i > 1 and k > 1 and a[i - 1] == b[k - 1] and not a[i - 1].islower():
            i, k = i - 1, k - 1
        while j < len(a) and m < len(b) and a[j] == b[m] and not a[j].islower():
            j, m = j + 1, m + 1
        names = " ".join(a[i:j]), " ".join(b[k:m])
        if i and k and not (lang == "de" and _is_noun(own, other)) and all(map(_NAMED.fullmatch, names)):
            kinds = ([Name(name, label) for name in names] for label in ("", PERSON))
            if max(similarity(one, instead, lang) for one, instead in kinds)[0] < SUGGESTED:
                yield names


def _is_noun(own: str, other: str) -> bool:
    """Whether words of a German text, where every noun has a capital, may be no name."""
    return not (own.isupper() or " am " in f" {own} {other}" or fuzz.ratio(own, other) > 75)


def _best_window(
    held: Sequence[Mapping[int, None]], windows: Sequence[range], weights: Sequence[float]
) -> tuple[range, int]:
    """The window whose words weigh most, and these words; the first of equals.

    The heaviest words are asked first, up to a window that no window without them can outweigh: where
    sentences are alike all of them hold the light ones.
    """
    best, most, mask = range(0), 0.0, 0
    asked: set[int] = set()
    every = left = sum(bool(hits) << bit for bit, hits in enumerate(held))
    for bit in sorted(range(len(held)), key=weights.__getitem__, reverse=True):
        for start in (max(0, index + back) for index in held[bit] for back in range(1 - WINDOW, 1)):
            if start not in asked:
                asked.add(start)
                words = reduce(or_, (_mask(held, index) for index in windows[start]))
                weight = _weight(words, weights)
                if weight > most or (weight == most and start < best.start):
                    best, most, mask = windows[start], weight, words
                if words == every:
                    return best, mask
        left &= ~(1 << bit)
        if most > _weight(left, weights):
            break
    return best, mask


def _mask(held: Sequence[Mapping[int, None]], index: int) -> int:
    """The words that a sentence holds, as the bits of a number."""
    return sum((index in hits) << bit for bit, hits in enumerate(held))


def _weight(mask: int, weights: Sequence[float]) -> float:
    """What the words of a bit mask weigh together."""
    return sum(weight for bit, weight in enumerate(weights) if mask >> bit & 1)


@lru_cache(maxsize=64)
def _words(text: str, lang: str) -> Sequence[str]:
    """The normalised words of a text; where none are parted by spaces, pairs of characters."""
    listed = words(text, lang)
    if (joined := "".join(listed)).isascii() or not _UNSPACED.search(joined):
        return listed
    cut = (map("".join, pairwise(word)) if _UNSPACED.match(word) and word[2:] else [word] for word in listed)
    return [term for terms in cut for term in terms]


def _content(statement: str, lang: str) -> list[str]:
    """The distinct words of a statement that say something, in order; all of them when none does."""
    terms = list(dict.fromkeys(measured(_words(CITATION.sub(" ", statement), lang))))
    small = _folded_function_words(lang)
    return [word for word in terms if not word[0].isalpha() or (len(word) > 1 and word not in small)] or terms


def _as_written(term: str, statement: str, lang: str) -> str:
    """The fewest words of a statement that say a term: 1er février 2020 of 2020m02d01."""
    parts, plain = statement.split(), {*_words(statement, lang)} - counting(lang)
    runs = (" ".join(parts[i : i + size]) for size in range(1, 8) for i in range(len(parts) - size + 1))
    telling = (run for run in runs if not (run.isalpha() and run.lower() in plain))  # few words say a number
    return next((run.strip(".,;:!?()") for run in telling if term in measured(_words(run, lang))), term)


@lru_cache(maxsize=32)
def _folded_function_words(lang: str) -> frozenset[str]:
    return frozenset(fold(word) for word in function_words(lang))
