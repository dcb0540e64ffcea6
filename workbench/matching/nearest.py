"""The passages of the contexts that are most like a text: where a person looks before saying missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from math import log
from typing import NamedTuple

from workbench.model import Evidence, Span, Unit
from workbench.text.lists import has_digit, listed, sections
from workbench.text.normalise import stands_in
from workbench.text.tokens import UNSPACED, sentences, snap

PASSAGE = 300  # code points of a passage at most; a longer sentence is cut around its hits
_HITS = 400  # places of one word in one context that are looked at
MOST_INITIALS = 8
FIRST = 100.0  # weighs more than all words of a text that a passage has
_COMMON = listed(sections(__name__)["common"])
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(f"[{UNSPACED}]+")


def overlooked(unit: Unit, contexts: Sequence[str]) -> bool:
    """Whether the matcher calls a name missing that a context has letter by letter, as whole words."""
    by_matcher = unit.match.rule not in ("human", "carried") and unit.origin != "imported"
    missing = unit.kind == "entity" and unit.match.verdict == "missing"
    return missing and by_matcher and stands_in(unit.text, contexts)


class _TermHit(NamedTuple):
    """A place in a context where a word of the text begins."""

    start: int
    term: int


def nearest(text: str, contexts: Sequence[str], n: int = 3) -> list[Evidence]:
    """The n passages most like a text, best first, over all contexts; fewer when less is alike.

    A passage is a sentence, or 300 code points of a long one. It is the better the rarer the words it
    shares with the text; words count from their beginnings, so endings and cases do not matter. One with the
    initials of a name, or the name for initials, comes first. Searches 20 MB in some tenths of a second.
    """
    other = _initials_or_name(text)
    terms = [_spellings(term) for term in _terms(text)]
    counts = [sum(context.count(spelling) for context in contexts for spelling in term) for term in terms]
    weights = [log(1 + 1_000 / count) if count else 0.0 for count in counts]
    passages: list[tuple[float, int, int, int]] = []
    for index, context in enumerate(contexts):
        hits = sorted(hit for number, term in enumerate(terms) for hit in _places(context, term, number))
        stretches = _clusters(hits, weights, n)
        stretches += [hit.span() for hit in islice(other.finditer(context), n)] if other else []
        for start, end in stretches:
            for first, last in _passages(context, start, end):
                passage = context[first:last]
                is_other = other is not None and other.search(passage) is not None
                passages.append((-_worth(passage, terms, weights) - FIRST * is_other, index, first, last))
    chosen: list[Evidence] = []
    for _, index, first, last in sorted(passages):
        apart = not any(c.context == index and c.start < last and first < c.end for c in chosen)
        if apart and shared(text, contexts[index][first:last]):  # a sentence between two hits may have none
            chosen.append(Evidence(index, first, last))
        if len(chosen) == n:
            break
    return chosen


def shared(text: str, passage: str) -> list[Span]:
    """The words of a passage that make it like a text, in order."""
    ends: dict[int, int] = {}
    for number, term in enumerate(map(_spellings, _terms(text))):
        for hit in _places(passage, term, number):
            word = None if _UNSPACED.match(passage, hit.start) else _WORD.match(passage, hit.start)
            end = word.end() if word else hit.start + len(term[0])
            ends[hit.start] = max(end, ends.get(hit.start, 0))
    other = _initials_or_name(text)
    ends |= {hit.start(): hit.end() for hit in (other.finditer(passage) if other else ())}
    return [Span(start, end) for start, end in sorted(ends.items())]


def _initials_or_name(text: str) -> re.Pattern[str] | None:
    """How a name of several words is written by its initials (UN, U.N., BoE), and the words of initials."""
    words = _WORD.findall(text)
    big = [word for word in words if word.lower() not in _COMMON]
    if len(big) == 1 and big[0].isupper() and 2 <= len(big[0]) <= MOST_INITIALS:
        # two letters begin any two words: only those of a name
        like = "(?i:{})" if len(big[0]) > 2 else "{}"
        name = r"\s+(?:\w{1,3}\s+)?".join(like.format(letter) + r"\w{2,}" for letter in big[0])
        return re.compile(rf"(?<!\w){name}")
    initials = ["".join(word[0] for word in each) for each in (words, big)]
    forms = {form for own in initials for form in (own, own.upper()) if 2 <= len(own) <= MOST_INITIALS}
    written = [r"\.?".join(form) for form in sorted(forms) if form[0].isupper() and form[-1].isupper()]
    return re.compile(rf"(?<!\w)(?:{'|'.join(written)})(?![^\W_])") if len(big) > 1 and written else None


def _terms(text: str) -> list[str]:
    """The beginnings of the words of a text that say something; pairs of characters without spaces."""
    low = text.lower()
    runs = _UNSPACED.findall(low)
    terms = [run[i : i + 2] for run in runs for i in range(len(run) - 1)]
    words = _WORD.findall(_UNSPACED.sub(" ", text))
    short = [word for word in words if len(word) == 2 and word.isupper()]
    words = [word.lower() for word in words if word not in short]
    telling = [word for word in words if word not in _COMMON and (len(word) > 2 or word.isdigit())]
    terms += [*short, *(_beginning(word) for word in telling or words * (not short))]
    return list(dict.fromkeys(terms or runs))  # 年 alone says nothing next to 1930


def _beginning(word: str) -> str:
    """What most forms of a word share; all of a short word or a number."""
    return word if len(word) <= 4 or has_digit(word) else word[: max(4, round(len(word) * 0.7))]


def _spellings(term: str) -> tuple[str, ...]:
    """A term as it stands in texts: small, capitalised, in capitals. Lowering 20 MB would cost a second.

    Two capitals (EU) are no other word.
    """
    return (term,) if term.isupper() else tuple(dict.fromkeys((term, term.capitalize(), term.upper())))


def _places(context: str, term: tuple[str, ...], number: int) -> Iterator[_TermHit]:
    """The places where a word begins with a term; a number is the whole number."""
    for spelling in term:
        start = context.find(spelling)
        hits = 0
        while start >= 0 and hits < _HITS:
            end = start + len(spelling)
            begins = not start or not context[start - 1].isalnum() or _UNSPACED.match(spelling)
            if begins and not (spelling[-1].isdigit() and context[end : end + 1].isdigit()):
                hits += 1
                yield _TermHit(start, number)
            start = context.find(spelling, start + len(spelling))


def _clusters(hits: list[_TermHit], weights: list[float], n: int) -> list[tuple[int, int]]:
    """The n stretches of a passage's length whose distinct words weigh most, apart from each other."""
    scored = []
    seen: dict[int, int] = {}
    total, left = 0.0, 0
    for right, hit in enumerate(hits):
        seen[hit.term] = seen.get(hit.term, 0) + 1
        total += weights[hit.term] if seen[hit.term] == 1 else 0.0
        while hit.start - hits[left].start > PASSAGE:
            term = hits[left].term
            seen[term] -= 1
            total -= weights[term] if not seen[term] else 0.0
            left += 1
        scored.append((-round(total, 9), hits[left].start, hits[right].start))
    chosen: list[tuple[int, int]] = []
    for _, start, end in sorted(scored):
        if all(end < a or b < start for a, b in chosen):
            chosen.append((start, end))
        if len(chosen) == n:
            break
    return chosen


def _passages(context: str, start: int, end: int) -> list[tuple[int, int]]:
    """What could be shown around a stretch: its sentences, all of them, or a window of a long one."""
    low, high = max(0, start - PASSAGE), min(len(context), end + PASSAGE)
    around = [
        (span.start + low, span.end + low)
        for span in sentences(context[low:high])
        if span.start + low <= end and span.end + low > start
    ]
    passages = [(around[0][0], around[-1][1]), *around] if around else []
    margin = max(0, PASSAGE - (end - start)) // 2
    window = snap(context, max(0, start - margin), min(len(context), end + margin))
    return [span for span in passages if span[1] - span[0] <= PASSAGE] or [(window.start, window.end)]


def _worth(passage: str, terms: list[tuple[str, ...]], weights: list[float]) -> float:
    """What the words of a text that stand in a passage weigh; a shorter passage wins among equals."""
    shared = sum(
        w for term, w in zip(terms, weights, strict=True) if any(spelling in passage for spelling in term)
    )
    return shared - len(passage) * 1e-5
