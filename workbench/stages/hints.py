"""Hints at what looks like a name in a reference and is no unit yet.

Importing this module loads the rules, .1 s that nothing but a sample on the screen needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from workbench.model import Span, Unit
from workbench.proposing.rules import entities
from workbench.stages.review import Opened
from workbench.text.lists import has_digit
from workbench.text.normalise import key
from workbench.text.tokens import Token, sentences, tokens

LONGEST = 20_000
"""Characters of a reference that are looked at, from its start: 150 ms in a thread at most."""


@dataclass(frozen=True)
class NamePlaces:
    """The places of a text that look like names, in order, each with the normalised key of its wording.

    `labels`: what the rules take it for, empty for a run of capitalized words and for a bare number.
    """

    lang: str
    places: tuple[tuple[Span, str], ...] = ()
    labels: Mapping[Span, str] = field(default_factory=dict)


NO_NAMES = NamePlaces("")


def names_of(opened: Opened) -> NamePlaces:
    """What may be a name in a sample's reference; none when it is reviewed blind.

    That is what the rules find, further runs of capitalized words, and numbers.

    About 1 ms for 500 characters and .2 s more the first time, so this belongs in a thread.
    """
    if opened.blind:
        return NO_NAMES
    return _names(opened.sample.reference[:LONGEST], opened.lang)


@lru_cache(maxsize=64)
def _names(text: str, lang: str) -> NamePlaces:
    names: dict[Span, str] = {}
    for entity in entities(text, lang):
        assert entity.start is not None
        assert entity.end is not None
        names[Span(entity.start, entity.end)] = entity.label
    labels, covered = dict(names), sorted((span.start, span.end) for span in names)
    for span in runs(text):
        if not any(start < span.end and span.start < end for start, end in covered):
            names[span] = ""
    places: list[tuple[Span, str]] = []
    for span in sorted(names, key=lambda span: (span.start, -span.end)):
        if not places or span.start >= places[-1][0].end:  # a name inside another one is picked by its token
            surface = span.of(text)
            places.append((span, key(surface, lang) or surface))
    return NamePlaces(lang, tuple(places), labels)


def runs(text: str) -> Iterator[Span]:
    """Runs of capitalized words with one blank or hyphen between them, and words with a digit.

    A single word at the beginning of a sentence is capitalized for that alone.
    """
    begins = {span.start for span in sentences(text)}
    run: list[Token] = []
    for token in (*tokens(text), Token("", len(text), len(text))):
        capital = token.text[:1].isupper() and any(letter.islower() for letter in token.text)
        if run and not (capital and text[run[-1].end : token.start] in (" ", "-")):
            if len(run) > 1 or run[0].start not in begins:
                yield Span(run[0].start, run[-1].end)
            run = []
        if capital:
            run.append(token)
        elif has_digit(token.text):
            yield Span(token.start, token.end)


def unmarked(names: NamePlaces, units: Sequence[Unit]) -> tuple[Span, ...]:
    """The names that no unit covers, touches or equals, whether it counts or is rejected."""
    if not names.places:
        return ()
    known = {key(unit.text, names.lang) or unit.text for unit in units}
    spans = sorted((span.start, span.end) for unit in units for span in unit.spans)
    free: list[Span] = []
    at, covered = 0, 0  # `covered`: how far the spans that begin before this name reach
    for name, same in names.places:
        while at < len(spans) and spans[at][0] < name.end:
            covered = max(covered, spans[at][1])
            at += 1
        if covered <= name.start and same not in known:
            free.append(name)
    return tuple(free)
