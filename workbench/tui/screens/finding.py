"""Finding one's way in the texts of a sample: search, contexts by number and by what they mention."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from functools import partial
from time import monotonic

from workbench.errors import InputError
from workbench.model import Evidence, Kind, Span
from workbench.stages.review import Opened
from workbench.text.finding import pattern_of, places
from workbench.text.folding import bounded
from workbench.tui.found import MOST, NOWHERE, Found, Place, parts, search
from workbench.tui.marks import Mark
from workbench.tui.screens.find import Finding, FindScreen
from workbench.tui.screens.prompt import PromptScreen
from workbench.tui.screens.sample import SampleScreen, entitle
from workbench.tui.view import context_title
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList
from workbench.tui.work import on_stage, start

FIND_DELAY = 0.06
"""Seconds of quiet before a search runs: fast typing runs one search, not one a letter."""

TELL = 0.05
"""Seconds between two counts of a search that runs."""

BATCH = 400_000
"""Characters that are searched in one turn of a thread: about 20 ms."""


class FindingScreen(SampleScreen):
    """Keys that go to places in the texts and change nothing."""

    _found: Found | None = None
    _begin: Place = NOWHERE
    _before: tuple[int, float] = (0, 0.0)

    def on_mount(self) -> None:
        """The title of the context says which of its lines are seen."""
        context = self.query_one("#context", Passage)
        for name in ("scroll_y", "virtual_size"):
            self.watch(context, name, self._title_context, init=False)

    # What is on the screen.

    def show(self, opened: Opened, kind: Kind | None = None) -> None:
        """Another sample: what was searched for in the one before is forgotten."""
        if self.opened is not None and self.opened.sample_id != opened.sample_id:
            self._found = None
        super().show(opened, kind)
        self._draw_found()

    def _draw_context(self) -> None:
        super()._draw_context()
        self.query_one("#context", Passage).mark_places(self._marks_of(self._context_no + 1))

    def _title_context(self) -> None:
        """Say which context it is, and which of its lines are seen."""
        if self.opened is None:
            return
        passage = self.query_one("#context", Passage)
        contexts = self.now.sample.retrieved_contexts
        height = passage.size.height
        top = min(passage.scroll_offset.y, max(0, passage.lines - height))
        long = contexts and 0 < height < passage.lines
        seen = (top + 1, top + height, passage.lines) if long else None
        unit = self.query_one(UnitList).chosen
        entitle(passage, context_title(self._context_no, len(contexts), unit, seen))

    def _draw_found(self) -> None:
        last = len(self.now.sample.retrieved_contexts) + 1
        for name, part in (("#reference", 0), ("#context", self._context_no + 1), ("#question", last)):
            self.query_one(name, Passage).mark_places(self._marks_of(part))

    def _marks_of(self, part: int) -> list[Mark]:
        # without contexts part 1 is the question, and the context pane holds no text
        return self._found.marks(part) if self._found is not None else []

    # Search.

    async def action_find(self) -> None:
        """Search in reference, contexts and question."""
        finding = Finding(self._look_for, self._step, self._take_found, self._drop_found)
        await self.ask_to_find("find", finding)

    async def ask_to_find(self, title: str, finding: Finding) -> None:
        """Open the search line over the screen."""
        found = self._found
        self._begin = (found.here or found.begin) if found else NOWHERE
        self._before = self._context_no, self.query_one("#context", Passage).scroll_y
        await self.bench.ask(FindScreen(title, found.typed if found else "", finding))
        self._tell_found()

    def _look_for(self, typed: str, *, contexts_only: bool = False) -> None:
        self._found = search(typed, self._begin)
        self._draw_found()
        self._tell_found()
        if self._found is not None:
            run = partial(self._search, self._found, contexts_only)
            start(self, run, group="find", only_newest=True, failed=self._not_searched)

    def _not_searched(self, error: Exception) -> None:
        self.say(f"could not search: {error}", tone="warn")

    async def _search(self, found: Found, contexts_only: bool) -> None:
        """Search part by part beside the event loop; what is visible is marked as it comes."""
        await asyncio.sleep(FIND_DELAY)
        sample = self.now.sample
        texts = list(enumerate(parts(sample)))
        told = 0.0
        for batch in _batches(texts[1:-1] if contexts_only else texts):
            hits = await asyncio.to_thread(_hits, found.pattern, batch, found.room)
            if found is not self._found or not on_stage(self):
                return
            for part, spans in hits:
                if found.add(part, spans):
                    self._go_to_found()
            self._draw_found()
            if monotonic() - told > TELL:
                told = monotonic()
                self._tell_found()
            if not found.room:
                break
        if found.finish():
            self._go_to_found()
        self._tell_found()

    def _go_to_found(self) -> None:
        place = self._found.here if self._found else None
        if place is None:
            return
        if 0 < place.part <= len(self.now.sample.retrieved_contexts):
            self._context_no = place.part - 1
            self._draw_context()
            name = "#context"
        else:
            name = "#question" if place.part else "#reference"
        self._draw_found()
        self.query_one(name, Passage).reveal(place.start, place.end)

    def _tell_found(self) -> None:
        found, top = self._found, self.app.screen
        words = found.words(self.now.sample) if found else ""
        none = found is not None and found.whole and not found.places
        if isinstance(top, FindScreen):
            top.count(words, none=none)
        elif found is not None:
            self.say(f"{words}   F3 next, esc clears" if found.places else words, tone="warn" if none else "")

    async def _take_found(self) -> None:
        self._tell_found()

    async def _drop_found(self) -> None:
        self.clear_found()
        self._context_no, at = self._before
        self._draw_context()
        self.query_one("#context", Passage).scroll_to(y=at, animate=False, force=True)

    def clear_found(self) -> None:
        """Take the marks of the search away."""
        self._found = None
        self._draw_found()
        self.say("")
        self._tell_found()

    def _step(self, by: int) -> None:
        if self._found is not None:
            self._found.step(by)
            self._go_to_found()
            self._tell_found()

    async def action_find_step(self, by: int) -> None:
        """The next place of the search, or the one before; without a search it asks for one."""
        if self._found is None:
            await self.action_find()
        else:
            self._step(int(by))

    def key_escape(self) -> None:
        """Clear the marks of a search; while something is not saved Escape is bound to letting that go."""
        if self.failure is None and self._found is not None:
            self.clear_found()

    # Contexts.

    async def action_context_number(self) -> None:
        """To the context of a number."""
        count = len(self.now.sample.retrieved_contexts)

        def answer(typed: str) -> str | None:
            if not typed.isdecimal() or not 1 <= int(typed) <= count:
                return f"a number from 1 to {count}"
            self.go_to_context(int(typed) - 1)
            return None

        if count:
            await self.bench.ask(PromptScreen(f"go to context (1–{count})", answer))
        else:
            self.say("no context was retrieved")

    def go_to_context(self, context: int) -> None:
        """Show a context."""
        self._context_no = context
        self._draw_context()

    def action_mention(self, step: int) -> None:
        """To the next context with evidence of the unit, or where its wording stands."""
        self.load("look for mentions", partial(self._to_mention, int(step)))

    async def _to_mention(self, step: int) -> None:
        unit, contexts = self.unit, self.now.sample.retrieved_contexts
        order = [(self._context_no + step * distance) % len(contexts) for distance in range(1, len(contexts))]
        place = await asyncio.to_thread(_mention, unit.text, unit.match.evidence, contexts, order)
        if place is None:
            raise InputError("no other context mentions it")
        self.go_to_context(place.context)
        context = self.query_one("#context", Passage)
        context.reveal(place.start, place.end)
        if place not in unit.match.evidence:
            context.mark_places([Mark(place.start, place.end, "here")])
        self.bench.open_gate()


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
