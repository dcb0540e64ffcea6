"""Spans as tools for spans want them: exact tokens, and which spans one row of tags can hold."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.formats.item import Item
from workbench.model import Span, Unit
from workbench.text.tokens import Token, tokens

DEFAULT_LABEL = "other"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def label_out(name: str) -> str:
    """A label as tools for spans have it: never empty, and with U+FFFD for what their XML cannot hold."""
    return _NOT_XML.sub("\ufffd", name) or DEFAULT_LABEL


@dataclass(frozen=True, slots=True)
class Tagged:
    """One stretch of a reference with its label and the unit that it belongs to."""

    start: int
    end: int
    label: str
    unit: Unit


@dataclass(frozen=True, slots=True)
class Conflict:
    """A stretch that the format cannot hold exactly, and why; `beside` is what stands there."""

    tagged: Tagged
    why: str
    beside: Tagged | None = None


def tagged_of(units: Iterable[Unit]) -> list[Tagged]:
    """Every place of every entity, in order of the text; a longer one before a shorter."""
    found = [
        Tagged(span.start, span.end, label_out(unit.label), unit) for unit in units for span in unit.spans
    ]
    return sorted(found, key=lambda one: (one.start, -one.end, one.label))


def written_of(tagged: Iterable[Tagged]) -> list[tuple[Span, str]]:
    """The spans and labels, for a reader that wants to know what was written."""
    return [(Span(one.start, one.end), one.label) for one in tagged]


def flat(found: Sequence[Tagged], text: str) -> tuple[list[Tagged], list[Conflict]]:
    """Those that one row of tags holds exactly, and those that it cannot.

    Of two that overlap the longer one stays, of equal ones the first. A stretch that begins or ends with
    white space has no token at that edge.
    """
    kept: list[Tagged] = []
    conflicts: list[Conflict] = []
    seen: dict[tuple[int, int], Tagged] = {}
    for one in sorted(found, key=lambda one: (one.start - one.end, one.start)):
        surface = text[one.start : one.end]
        same = seen.get((one.start, one.end))
        if same is not None:
            if same.label != one.label or same.unit.text != one.unit.text:
                conflicts.append(Conflict(one, "the same place twice", same))
            continue
        if surface != surface.strip():
            conflicts.append(Conflict(one, "begins or ends with white space"))
            continue
        other = _over(kept, one)
        if other is not None:
            nested = other.start <= one.start and one.end <= other.end
            conflicts.append(Conflict(one, "nested" if nested else "overlapping", other))
            continue
        insort(kept, one, key=_start)
        seen[one.start, one.end] = one
    return kept, conflicts


def _start(one: Tagged) -> int:
    return one.start


def _over(kept: Sequence[Tagged], one: Tagged) -> Tagged | None:
    """The stretch that shares a character with one; those that are kept share none among themselves."""
    place = bisect_right(kept, one.start, key=_start)
    if place and kept[place - 1].end > one.start:
        return kept[place - 1]
    return kept[place] if place < len(kept) and kept[place].start < one.end else None


def exact_tokens(text: str, found: Iterable[Tagged]) -> list[Token]:
    """The tokens of a text, cut further where a stretch begins or ends inside one.

    So that every stretch without white space at its edges is a run of whole tokens.
    """
    whole = tokens(text)
    edges = {token.start for token in whole} | {token.end for token in whole}
    cuts = sorted({edge for one in found for edge in (one.start, one.end)} - edges)
    if not cuts:
        return whole
    parts: list[Token] = []
    place = 0
    for token in whole:
        start = token.start
        while place < len(cuts) and cuts[place] <= start:
            place += 1
        while place < len(cuts) and cuts[place] < token.end:
            parts.append(Token(text[start : cuts[place]], start, cuts[place]))
            start = cuts[place]
            place += 1
        parts.append(token if start == token.start else Token(text[start : token.end], start, token.end))
    return parts


def has_gold(item: Item) -> bool:
    """Whether the entities of a sample stand verified."""
    return "entity" in item.gold
