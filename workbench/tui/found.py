"""What was searched for in a sample: its places in reading order, and the one where a person stands."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.model import Sample, Span
from workbench.text.folding import pattern_of
from workbench.tui.marks import Mark

MOST = 10_000
"""Places that are kept of one search; what is typed first is often a single letter."""


class Place(NamedTuple):
    """A place of a sample: part 0 is the reference, then each context, the question is the last part."""

    part: int
    start: int
    end: int


NOWHERE = Place(0, -1, -1)
"""Before everything."""


@dataclass
class Found:
    """One search. Parts are added in reading order while it runs.

    `begin` is where the person stood: the `first` place behind it is gone to, round the end. `steps` were
    made from there, some of them before there was anywhere to go.
    """

    typed: str
    pattern: re.Pattern[str]
    begin: Place = NOWHERE
    places: list[Place] = field(default_factory=list)
    first: int = -1
    steps: int = 0
    whole: bool = False
    cut: bool = False

    @property
    def at(self) -> int:
        """The number of the place where the person stands, -1 before there is one."""
        if self.first < 0:
            return -1
        to = self.first + self.steps
        return to % len(self.places) if self.whole else max(0, min(to, len(self.places) - 1))

    @property
    def here(self) -> Place | None:
        """Where the person stands."""
        return self.places[self.at] if self.at >= 0 else None

    @property
    def room(self) -> int:
        """How many more places are kept."""
        return MOST - len(self.places)

    def add(self, part: int, spans: Iterable[Span]) -> bool:
        """Add the places of the next part; True when the person stands elsewhere now."""
        before = self.at
        self.places += [Place(part, span.start, span.end) for span in spans]
        self.cut = self.cut or not self.room
        if self.first < 0:
            first = bisect_left(self.places, self.begin)
            self.first = first if first < len(self.places) else -1
        return self.at != before

    def finish(self) -> bool:
        """All parts were added; True when the person stands elsewhere now."""
        before, self.whole = self.at, True
        if self.first < 0 and self.places:
            self.first = 0
        return self.at != before

    def step(self, by: int) -> None:
        """To the next place or the one before, round the end once all are known."""
        self.steps += by

    def marks(self, part: int) -> list[Mark]:
        """The places of a part as marks, the one where the person stands as `here`."""
        first, last = bisect_left(self.places, (part, -1, -1)), bisect_left(self.places, (part + 1, -1, -1))
        here = self.here
        return [
            Mark(place.start, place.end, "here" if place == here else "place")
            for place in self.places[first:last]
        ]

    def words(self, sample: Sample) -> str:
        """`3 of 12 · context 7`."""
        if not self.places:
            return "nothing found" if self.whole else "searching …"
        more = "+" if self.cut or not self.whole else ""
        where = "" if self.here is None else f" · {part_name(self.here.part, sample)}"
        return f"{self.at + 1 if self.at >= 0 else '…'} of {len(self.places):,}{more}{where}"


def search(typed: str, begin: Place = NOWHERE) -> Found | None:
    """A search that begins; None when nothing but blanks was typed."""
    pattern = pattern_of(typed)
    return None if pattern is None else Found(typed, pattern, begin)


def parts(sample: Sample) -> tuple[str, ...]:
    """The texts of a sample in reading order: reference, contexts, question."""
    return (sample.reference, *sample.retrieved_contexts, sample.user_input)


def part_name(part: int, sample: Sample) -> str:
    """What a part is called."""
    if part == 0:
        return "reference"
    return f"context {part}" if part <= len(sample.retrieved_contexts) else "question"
