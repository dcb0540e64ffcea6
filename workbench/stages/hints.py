"""What in a reference looks like a name: a faint hint for a person, never a unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from workbench.matching.units import language_of
from workbench.model import Span, Unit
from workbench.stages.review import Opened
from workbench.text.normalise import key

LONGEST = 20_000
"""Characters of a reference that are looked at, from its start: 150 ms in a thread at most."""


@dataclass(frozen=True, slots=True)
class Names:
    """The places of a text that look like names, in order, each with the normalised key of its wording."""

    lang: str
    places: tuple[tuple[Span, str], ...] = ()


NO_NAMES = Names("")


def names_of(opened: Opened) -> Names:
    """The names of a sample's reference as the rules see them; none when it is reviewed blind.

    About 1 ms for 500 characters and .2 s more the first time, so this belongs in a thread.
    """
    if opened.blind:
        return NO_NAMES
    return _names(opened.sample.reference[:LONGEST], language_of(opened.sample, opened.policy))


@lru_cache(maxsize=64)
def _names(text: str, lang: str) -> Names:
    from workbench.proposing.rules import entities  # .1 s: only where a sample is opened

    places: list[tuple[Span, str]] = []
    for entity in entities(text, lang):
        assert entity.start is not None
        assert entity.end is not None
        span = Span(entity.start, entity.end)
        if not places or span.start >= places[-1][0].end:  # a name inside another one is picked by its token
            places.append((span, key(entity.text, lang) or entity.text))
    return Names(lang, tuple(places))


def unmarked(names: Names, units: Sequence[Unit]) -> tuple[Span, ...]:
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
