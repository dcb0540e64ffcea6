"""Where a quote stands in a text: exactly, in another spelling, or nearly; never by invention."""

from __future__ import annotations

import re

from workbench.model import Span
from workbench.text.folding import bounded, cuts_letter, find_folded, occurrences
from workbench.text.fuzzy import find_nearly, same_word
from workbench.text.normalise import fold
from workbench.text.tokens import snap

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
    if found := whole or find_folded(quote, text) or find_folded(quote.strip(_EDGES), text):
        free = [span for span in found if bounded(text, span.start, span.end)]
        return tuple(free or [_whole_form(text, span) for span in found])
    return tuple(exact) or _parts(quote, text) or tuple(find_nearly(quote, text))


def _whole_form(text: str, span: Span) -> Span:
    """A Russian quote that the text has in another case («Париж» in «Париже») as the whole word."""
    start, end = snap(text, span.start, span.end)
    if start != span.start or not _CYRILLIC.match(text[span.end - 1]):
        return span
    last = snap(text, span.end - 1, span.end)[0]
    same = same_word(fold(text[last : span.end]), fold(text[last:end]))
    return Span(start, end) if same else span


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
