"""Finding one's way in the texts of a sample: the search, and contexts by what they mention."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from workbench.errors import InputError
from workbench.model import Evidence, Span, Unit
from workbench.text.folding import bounded, pattern_of, places
from workbench.tui.found import MOST, NOWHERE, Found, Place, parts, search
from workbench.tui.marks import Mark
from workbench.tui.screens.find import Finding, FindScreen
from workbench.tui.widgets.passage import Passage
from workbench.tui.work import on_stage, start

if TYPE_CHECKING:
    from workbench.tui.screens.sample import SampleScreen

FIND_DELAY = 0.06
"""Seconds of quiet before a search runs: fast typing runs one search, not one a letter."""

TELL = 0.05
"""Seconds between two counts of a search that runs."""

BATCH = 400_000
"""Characters that are searched in one turn of a thread: about 20 ms."""


class Finder:
    """The search over the texts of the sample shown: what was found, and at which place a person is."""

    def __init__(self, screen: SampleScreen) -> None:
        self.screen = screen
        self.found: Found | None = None
        self._begin: Place = NOWHERE
        self._before: tuple[int, float] = (0, 0.0)

    # The marks.

    def draw(self) -> None:
        """Mark the places found in every text."""
        last = len(self.screen.now.sample.retrieved_contexts) + 1
        for name, part in (("#reference", 0), ("#context", self.screen.context_no + 1), ("#question", last)):
            self.screen.query_one(name, Passage).mark_places(self._marks_of(part))

    def draw_context(self) -> None:
        """Mark the places found in the context shown."""
        self.screen.query_one("#context", Passage).mark_places(self._marks_of(self.screen.context_no + 1))

    def _marks_of(self, part: int) -> list[Mark]:
        # without contexts part 1 is the question, and the context pane holds no text
        return self.found.marks(part) if self.found is not None else []

    # Search.

    async def ask(self) -> None:
        """Search in reference, contexts and question."""
        await self._ask("find", Finding(self._look_for, self._step, self._take, self._drop))

    async def ask_for_place(self, title: str, take: Callable[[], Awaitable[None]]) -> None:
        """Search the contexts from their beginning for a place to take."""
        self.found, self._begin = None, NOWHERE
        look = partial(self._look_for, contexts_only=True)
        await self._ask(title, Finding(look, self._step, take, self._drop, enter="take it"))

    async def _ask(self, title: str, finding: Finding) -> None:
        found = self.found
        self._begin = (found.here or found.begin) if found else NOWHERE
        self._before = self.screen.context_no, self.screen.query_one("#context", Passage).scroll_y
        await self.screen.bench.ask(FindScreen(title, found.typed if found else "", finding))
        self._tell()

    async def taken(self) -> Place | None:
        """The place where the search stands, once it has one; the search ends."""
        found = self.found
        while found is not None and found.here is None and not found.whole:
            await asyncio.sleep(0.01)  # the search that Enter overtook
        place = found.here if found is not None else None
        self.clear()
        return place

    def _look_for(self, typed: str, *, contexts_only: bool = False) -> None:
        self.found = search(typed, self._begin)
        self.draw()
        self._tell()
        if self.found is not None:
            run = partial(self._search, self.found, contexts_only)
            start(self.screen, run, group="find", only_newest=True, failed=self._not_searched)

    def _not_searched(self, error: Exception) -> None:
        self.screen.say(f"could not search: {error}", tone="warn")

    async def _search(self, found: Found, contexts_only: bool) -> None:
        """Search part by part beside the event loop; what is visible is marked as it comes."""
        await asyncio.sleep(FIND_DELAY)
        sample = self.screen.now.sample
        texts = list(enumerate(parts(sample)))
        told = 0.0
        for batch in _batches(texts[1:-1] if contexts_only else texts):
            hits = await asyncio.to_thread(_hits, found.pattern, batch, found.room)
            if found is not self.found or not on_stage(self.screen):
                return
            for part, spans in hits:
                if found.add(part, spans):
                    self._go()
            self.draw()
            if monotonic() - told > TELL:
                told = monotonic()
                self._tell()
            if not found.room:
                break
        if found.finish():
            self._go()
        self._tell()

    def _go(self) -> None:
        place = self.found.here if self.found else None
        if place is None:
            return
        if 0 < place.part <= len(self.screen.now.sample.retrieved_contexts):
            self.screen.go_to_context(place.part - 1)
            name = "#context"
        else:
            name = "#question" if place.part else "#reference"
        self.draw()
        self.screen.query_one(name, Passage).reveal(place.start, place.end)

    def _tell(self) -> None:
        found, top = self.found, self.screen.app.screen
        words = found.words(self.screen.now.sample) if found else ""
        none = found is not None and found.whole and not found.places
        if isinstance(top, FindScreen):
            top.count(words, none=none)
        elif found is not None:
            said = f"{words}   F3 next, esc clears" if found.places else words
            self.screen.say(said, tone="warn" if none else "")

    async def _take(self) -> None:
        self._tell()

    async def _drop(self) -> None:
        self.clear()
        context, at = self._before
        self.screen.go_to_context(context)
        self.screen.query_one("#context", Passage).scroll_to(y=at, animate=False, force=True)

    def clear(self) -> None:
        """Take the marks of the search away."""
        self.found = None
        self.draw()
        self.screen.say("")
        self._tell()

    def _step(self, by: int) -> None:
        if self.found is not None:
            self.found.step(by)
            self._go()
            self._tell()

    async def step(self, by: int) -> None:
        """To the next place of the search, or the one before; without a search ask for one."""
        if self.found is None:
            await self.ask()
        else:
            self._step(by)


async def mention(unit: Unit, contexts: Sequence[str], at: int, step: int) -> Evidence:
    """The place of a unit in the next context that has its evidence or its wording.

    Raises InputError when no other context has.
    """
    order = [(at + step * distance) % len(contexts) for distance in range(1, len(contexts))]
    place = await asyncio.to_thread(_mention, unit.text, unit.match.evidence, contexts, order)
    if place is None:
        raise InputError("no other context mentions it")
    return place


def _batches(texts: Sequence[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    batch: list[tuple[int, str]] = []
    size = 0
    for part, text in texts:
        batch.append((part, text))
        size += len(text)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    yield batch


def _hits(
    pattern: re.Pattern[str], batch: Sequence[tuple[int, str]], room: int
) -> list[tuple[int, list[Span]]]:
    """The places of a pattern in some texts, `room` at most. Runs in a thread."""
    found = []
    for part, text in batch:
        if room > 0 and (spans := list(places(pattern, text, room))):
            found.append((part, spans))
            room -= len(spans)
    return found


def _mention(
    text: str, evidence: Sequence[Evidence], contexts: Sequence[str], order: Sequence[int]
) -> Evidence | None:
    """The first place in the first of these contexts that has one. Runs in a thread."""
    pattern = pattern_of(text)
    for context in order:
        held = [place for place in evidence if place.context == context]
        if held:
            return held[0]
        if pattern is not None:
            for span in places(pattern, contexts[context], MOST):
                if bounded(contexts[context], span.start, span.end):
                    return Evidence(context, span.start, span.end)
    return None
