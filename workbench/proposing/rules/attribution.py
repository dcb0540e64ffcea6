"""Attribution by weighed words: which passage of the contexts carries a statement, and is it enough?

A baseline, not a judge: it sees shared words and numbers, never meaning. On statements judged by experts it
agrees little better than chance (κ .23, 95 % interval .14 to .33); tests/quality/statements.py measures it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from itertools import pairwise
from math import log
from operator import or_
from typing import NamedTuple

from workbench.comparing.triage import CITATION, negations
from workbench.model import ProposedStatement
from workbench.proposing.rules.lexicon import function_words
from workbench.text.inflection import LETTERS_STAY, first_letters, forms
from workbench.text.normalise import fold, words
from workbench.text.numbers import OFTEN, counting, measured, opposed
from workbench.text.tokens import UNSPACED, sentences

# Share of the weight of the content words that the contexts have to hold. Chosen on one half of three sets
# of statements, measured on the other. Names that weigh more, single sentences and beginnings of words were
# tried and gained nothing; a "not" on one side only says nothing unless the sentence is nearly the same.
FOUND = 0.35
WINDOW = 3  # sentences: support is often spread over neighbours
SAME = 2 / 3  # of the content words: from here on a sentence says the statement, or its contrary
_UNSPACED = re.compile(f"[{UNSPACED}]")
_PERIODS = "_per_day", "_per_week", "_per_month", "_per_year"  # the weekly dose is 5 mg: 5 mg a week
_OFTEN = re.compile(rf"\b(?:{'|'.join(OFTEN)})\b")


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
    if (
        found
        and _mask(held, best).bit_count() >= SAME * len(wanted)
        and (turned := _turned(statement, quote))
    ):
        found, reason = False, f"{turned}; {reason}"
    return ProposedStatement(statement, "found" if found else "missing", context, quote, reason)


def _turned(statement: str, quote: str) -> str:
    """What turns only the statement round, or only a quote that says little more; "" if nothing does."""
    if figure := opposed(statement, quote):
        return f"only one says that {figure} is the most"
    often = _OFTEN.findall(statement.lower())
    other = often and _OFTEN.findall(quote.lower())
    if other and {OFTEN[word] for word in often}.isdisjoint(OFTEN[word] for word in other):
        return f"only the statement says “{often[0]}”"
    said, there = negations(statement), negations(quote)
    if said and not there:
        return f"only the statement says “{said[0]}”"
    longer = len(quote) > 2 * len(statement)
    return f"only the context says “{there[0]}”" if there and not (said or longer) else ""


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
