"""Where a quote stands in a text: exactly, in another spelling, or nearly; never by invention."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from workbench.model import Span
from workbench.text.inflection import forms
from workbench.text.lists import has_digit
from workbench.text.normalise import bounded, cuts_letter, find_folded, fold, occurrences
from workbench.text.tokens import UNSPACED, snap, word_pattern

GOOD_ENOUGH = 85  # of 100: a quoted sentence with one word in ten retold still reaches it
_SHORT = 4  # words up to which each word has to be found: names, not sentences
_COMMON = 2000  # words more frequent than this say nothing about where a quote stands
_WINDOWS = 20  # places looked at closely
_LONG = 150  # words above which edges are not searched


class _Words(NamedTuple):
    """The words of a text: folded, their edges, and the places of each."""

    words: list[str]
    edges: list[tuple[int, int]]
    places: dict[str, list[int]]


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    return re.compile(f"{word_pattern().pattern}|[{UNSPACED}]")


def _folded_words(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    pairs = [(match.group(), match.span()) for match in _pattern().finditer(text)]
    level = {word: fold(word).replace(".", "") for word in {word for word, _ in pairs}}
    return [level[word] for word, _ in pairs], [edges for _, edges in pairs]


@lru_cache(maxsize=8)
def _known_words(text: str) -> _Words:
    words, edges = _folded_words(text)
    places: dict[str, list[int]] = defaultdict(list)
    for index, word in enumerate(words):
        places[word].append(index)
    return _Words(words, edges, dict(places))


def find_nearly(quote: str, text: str) -> list[Span]:
    """The places where a text says a quote but for typos and endings; [] when none is good enough.

    All numbers have to be the same. Up to four words, each one has to be found, as a form of the same
    word or with one letter in five changed; longer quotes need 85 % of their letters.
    """
    wanted, _ = _folded_words(quote)
    known = _known_words(text)
    scored = [best for start in _starts(wanted, known) if (best := _best_window(wanted, known, start))]
    top = max((score for score, _, _ in scored), default=0.0)
    spans: list[Span] = []
    for _, first, last in sorted((s for s in scored if s[0] >= top - 3), key=lambda s: s[1:]):
        span = snap(text, known.edges[first][0], known.edges[last - 1][1])
        if not spans or span.start >= spans[-1].end:
            spans.append(span)
    return spans


def _starts(wanted: list[str], known: _Words) -> list[int]:
    """Where in the words of a text the quote could begin, the most likely first."""
    votes: Counter[int] = Counter()
    for index, word in enumerate(wanted):
        for alike in _alike(word, known):
            places = known.places[alike]
            if len(places) <= _COMMON:
                for position in places:
                    votes[max(0, position - index)] += 1
    # A word more or less moves what follows by one.
    near = {start: sum(votes[start + shift] for shift in (-2, -1, 0, 1, 2)) for start in votes}
    ranked = sorted(near, key=lambda start: (-near[start], -votes[start], start))
    needed = max(near.values(), default=0) * 0.8
    return [start for start in ranked[:_WINDOWS] if near[start] >= needed]


def _alike(word: str, known: _Words) -> list[str]:
    """The words of a text that are a word or nearly."""
    exact = [word] if word in known.places else []
    if has_digit(word) or len(word) < 4:
        return exact
    near = process.extract(word, known.places.keys(), scorer=fuzz.ratio, score_cutoff=70, limit=8)
    return [*exact, *(other for other, _, _ in near if other != word)]


def _best_window(wanted: list[str], known: _Words, start: int) -> tuple[float, int, int] | None:
    """The best stretch of words near a start: its score and its edges; None when not good enough."""
    reach = range(-2, 3) if len(wanted) <= _LONG else range(1)
    windows = []
    joined = " ".join(wanted)
    numbers = _numbers(wanted)
    for first in {max(0, start + shift) for shift in reach}:
        for last in {min(len(known.words), first + len(wanted) + shift) for shift in reach}:
            words = known.words[first:last]
            score = fuzz.ratio(joined, " ".join(words))
            near = score >= GOOD_ENOUGH if len(wanted) > _SHORT else _each_found(wanted, words)
            if near and _numbers(words) == numbers:
                windows.append((score, first, last))
    # the higher score, then the earlier place
    return max(windows, key=lambda window: (window[0], -window[1], -window[2]), default=None)


def _numbers(words: list[str]) -> Counter[str]:
    return Counter(word for word in words if has_digit(word))


def _each_found(wanted: list[str], words: list[str]) -> bool:
    """Whether every word of a short quote stands in the words in order, with at most one more between."""
    if len(words) > len(wanted) + 1:
        return False
    rest = iter(words)
    return all(any(same_word(word, other) for other in rest) for word in wanted)


def same_word(a: str, b: str) -> bool:
    """Whether two folded words are one: equal, forms of one word, or one letter in five mistyped."""
    if a == b or not forms(a).isdisjoint(forms(b)):
        return True
    if has_digit(a + b) or min(len(a), len(b)) < 5 or a.startswith(b) or b.startswith(a):
        return False
    return OSA.normalized_similarity(a, b) >= 0.8


_ELLIPSIS = re.compile(r"\s*[\[(]?(?:…|\.{3,})[\])]?\s*")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_EDGES = "\"'“”„«»‘’.,;:!?…()[] \t\n"


def ground(quote: str, text: str) -> tuple[Span, ...]:
    """All places where a text has a quote, in order, from the best of these tiers that has any.

    1. exact, bounded by words; 2. exact, of whole letters; 3. up to case, accents, white space, dashes
    and quotation marks, bounded first; 4. without the punctuation around the quote; 5. the parts of a
    quote with an ellipsis; 6. nearly: the same words but for typos and endings, with the same numbers,
    as whole words. () when the text does not have it. 1 MB takes milliseconds, the first quote that
    comes to tier 6 up to a second.
    """
    quote = quote.strip()
    if not quote or not text:
        return ()
    exact = [Span(*edges) for edges in occurrences(quote, text)]
    whole = [span for span in exact if not cuts_letter(text, span.end)]
    if spans := whole or find_folded(quote, text) or find_folded(quote.strip(_EDGES), text):
        free = [span for span in spans if bounded(text, span.start, span.end)]
        return tuple(free or [_whole_form(text, span) for span in spans])
    return tuple(exact) or _parts(quote, text) or tuple(find_nearly(quote, text))


def _whole_form(text: str, span: Span) -> Span:
    """A Russian quote that the text has in another case («Париж» in «Париже») as the whole word."""
    inside = text[max(0, span.start - 1) : span.start].isalnum()  # begins in the middle of a word
    if inside or not _CYRILLIC.match(text[span.end - 1]):
        return span
    grown = snap(text, span.start, span.end)
    if grown.start != span.start:
        return span
    last = snap(text, span.end - 1, span.end).start
    same = same_word(fold(text[last : span.end]), fold(text[last : grown.end]))
    return grown if same else span


def _parts(quote: str, text: str) -> tuple[Span, ...]:
    """The parts of a quote with an ellipsis, when all of them stand in the text in order."""
    parts = [part for part in _ELLIPSIS.split(quote) if part.strip(_EDGES)]
    if len(parts) < 2:
        return ()
    spans: list[Span] = []
    for part in parts:
        last = spans[-1].end if spans else 0
        following = [span for span in find_folded(part.strip(_EDGES), text) if span.start >= last]
        if not following:
            return ()
        spans.append(following[0])
    return tuple(spans)
