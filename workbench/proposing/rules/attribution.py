"""Attribution by weighed words: which passage of the contexts carries a statement, and is it enough?

A baseline, not a judge: it sees shared words and numbers, never meaning. On statements judged by experts it
agrees little better than chance (κ .23, 95 % interval .14 to .33); tests/quality/statements.py measures it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log
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
        self.sentences = [
            ContextSentence(number, span.start, span.end)
            for number, context in enumerate(contexts)
            for span in sentences(context)
        ]
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

    def holding(self, word: str) -> set[int]:
        """The sentences that hold a form of a word. A stem is 50 µs: only of words that may have its own."""
        letters = first_letters(word, self._lang)
        known = self._forms.get(letters)
        if known is None:
            known = self._forms[letters] = defaultdict(list)
            for other, indices in self._words[letters].items():
                for form in forms(other, self._lang):
                    known[form] += indices
        return set().union(*(known[form] for form in forms(word, self._lang) if form in known))

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
    held: dict[int, int] = defaultdict(int)  # sentence -> bit mask of the wanted words it holds
    anywhere = 0
    weights: list[float] = []
    absent: list[str] = []
    for bit, word in enumerate(wanted):
        hits = known.holding(word)
        for index in hits:
            held[index] |= 1 << bit
        anywhere |= bool(hits) << bit
        weights.append(log(1 + len(known.sentences) / (len(hits) + 0.5)))
        if not (hits or word[0].isalpha()):  # a number
            absent.append(_as_written(word, statement, lang))
    if not held:
        return ProposedStatement(statement, "missing", reason="none of its words is in the contexts")
    start, together = _best_window(held, known.sentences, weights)
    context = known.sentences[start].context
    window = [index for index in range(start, start + WINDOW) if index in held]
    inside = [index for index in window if known.sentences[index].context == context]
    best = max(inside, key=lambda index: (_weight(held[index], weights), -index))
    weight = (_weight(together, weights) + _weight(anywhere, weights)) / 2
    found = weight >= FOUND * sum(weights) and not absent
    reason = f"{together.bit_count()} of {len(wanted)} content words stand together in context {context + 1}"
    if absent:
        reason += f"; {', '.join(dict.fromkeys(absent))} in none"
    quote = known.quote(best)
    if found and held[best].bit_count() >= SAME * len(wanted) and (turned := _turned(statement, quote)):
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
    held: Mapping[int, int], cut: Sequence[ContextSentence], weights: Sequence[float]
) -> tuple[int, int]:
    """The first sentence of the window whose words weigh most, and these words; the earliest of equals."""
    best = (-1, 0)
    most = 0.0
    weighed = {0}
    for start in sorted({max(0, index - back) for index in held for back in range(WINDOW)}):
        mask = 0
        for index in range(start, min(start + WINDOW, len(cut))):
            if cut[index].context == cut[start].context:
                mask |= held.get(index, 0)
        if mask not in weighed and (weight := _weight(mask, weights)) > most:
            best, most = (start, mask), weight
        weighed.add(mask)
    return best


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
