"""The search in the texts of a sample: what was found is marked while one types, and can be gone through."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input
from textual.widgets.input import Selection

from workbench.model import Evidence, Sample
from workbench.stages.intents import Intent
from workbench.text.marks import Mark
from workbench.text.normalise import find_folded
from workbench.text.safe import flat
from workbench.text.tokens import snap
from workbench.tui.keys import bindings
from workbench.tui.screens.base import BaseScreen, Dialog
from workbench.tui.widgets.bars import DIM, Bar, Field, choice_parts
from workbench.tui.widgets.sample_pane import SamplePane
from workbench.tui.work import on_stage, start

FIND_DELAY = 0.06
"""Seconds of quiet before a search runs: fast typing runs one search, not one a letter."""

MOST = 10_000
"""Places that are kept of one search; what is typed first is often a single letter."""

Scope = Literal["all", "reference", "contexts"]

NOT_THERE = {"reference": "the reference has no such text", "contexts": "no context has such text"}
"""What Enter says to a search for a place that found none."""


class TextPlace(NamedTuple):
    """A place of a sample: part 0 is the reference, then each context, the question is the last part."""

    part: int
    start: int
    end: int


Take = Callable[[TextPlace], Awaitable[None]]


NOWHERE = TextPlace(0, -1, -1)
"""Before everything."""


@dataclass
class Search:
    """One search in a sample: its places in reading order, and the one where the person stands.

    `begin` is where the person stood: the first place behind it is gone to, round the end, and `steps` are
    made from there, some of them before the places are known.
    """

    typed: str
    sample: Sample
    scope: Scope
    begin: TextPlace
    steps: int = 0
    found: list[TextPlace] = field(default_factory=list)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    def look(self) -> list[TextPlace]:
        """The places of what is typed, `MOST` at most. Runs in a thread.

        Those of a search for a place to take are whole words; it begins at the first that is typed as it
        stands there, else at the first in another case.
        """
        places: list[TextPlace] = []
        parts = list(enumerate(texts(self.sample)))
        for part, text in {"all": parts, "reference": parts[:1], "contexts": parts[1:-1]}[self.scope]:
            spans = find_folded(self.typed, text, MOST - len(places))
            if self.scope != "all":
                spans = [*dict.fromkeys(snap(text, span.start, span.end) for span in spans)]
            places += [TextPlace(part, span.start, span.end) for span in spans]
            if len(places) == MOST:
                break
        if self.scope != "all" and places:
            self.begin = min(places, key=lambda place: self._unlike(place, parts))
        return places

    def _unlike(self, place: TextPlace, parts: list[tuple[int, str]]) -> tuple[bool, bool]:
        """Whether the words of a place are more than what is typed, and whether in another case."""
        words, typed = parts[place.part][1][place.start : place.end], self.typed.strip()
        return len(words) > len(typed), words != typed

    @property
    def at(self) -> int:
        """The number of the place where the person stands; there is one."""
        return (bisect_left(self.found, self.begin) % len(self.found) + self.steps) % len(self.found)

    @property
    def here(self) -> TextPlace | None:
        """Where the person stands."""
        return self.found[self.at] if self.found else None

    def marks(self, part: int) -> list[Mark]:
        """The places of a part as marks, the one where the person stands as `here`."""
        first, last = (bisect_left(self.found, (edge, -1, -1)) for edge in (part, part + 1))
        here = self.here
        return [
            Mark(hit.start, hit.end, "here" if hit == here else "place") for hit in self.found[first:last]
        ]

    def words(self) -> str:
        """`3 of 12 · context 7`."""
        if self.here is None:
            return "nothing found" if self.done.is_set() else "searching …"
        more = "+" if len(self.found) == MOST else ""
        return f"{self.at + 1} of {len(self.found):,}{more} · {part_name(self.here.part, self.sample)}"


def texts(sample: Sample) -> tuple[str, ...]:
    """The texts of a sample in reading order: reference, contexts, question."""
    return (sample.reference, *sample.retrieved_contexts, sample.user_input)


def part_name(part: int, sample: Sample) -> str:
    """What a part is called."""
    if part == 0:
        return "reference"
    return f"context {part}" if part <= len(sample.retrieved_contexts) else "question"


class Finder:
    """The search over the sample that a pane shows: what was found, and at which place a person is."""

    _search: Search | None = None
    _begin = NOWHERE
    _before: tuple[int, float] = 0, 0.0

    def __init__(self, screen: BaseScreen, pane: SamplePane) -> None:
        self._screen = screen
        self._pane = pane
        pane.searched = self._marks

    @property
    def search(self) -> Search | None:
        """The search in the sample that is shown."""
        search = self._search
        same = search is not None and self._pane.now.sample.content_hash == search.sample.content_hash
        return search if same else None

    def _marks(self, part: int) -> list[Mark]:
        return self.search.marks(part) if self.search is not None else []

    async def ask(
        self, title: str = "find", scope: Scope = "all", take: Take | None = None, begun: str = ""
    ) -> None:
        """Search in reference, contexts and question; or in some from their beginning for a place to take."""
        if take is not None:
            self._search = None
        search = self.search
        self._begin = (search.here or search.begin) if search else NOWHERE
        self._before = self._pane.context_no, self._pane.context.scroll_y
        typed = search.typed if search else ""
        await self._screen.bench.ask(FindScreen(self, title, typed, scope, take, begun))
        self.tell()

    async def place(self) -> TextPlace | None:
        """The place where the search stands, once it is done."""
        search = self.search
        if search is not None:
            await search.done.wait()  # Enter may have overtaken it
        return search.here if search is not None else None

    def look_for(self, typed: str, scope: Scope) -> None:
        """Begin to search for what is typed now."""
        sample = self._pane.now.sample
        self._search = Search(typed, sample, scope, self._begin) if typed.strip() else None
        self._pane.mark_searched()
        self.tell()
        if self._search is not None:
            run = partial(self._look, self._search)
            start(self._screen, run, group="find", only_newest=True, failed=self._failed)

    def _failed(self, error: Exception) -> None:
        self._screen.warn(f"could not search: {error}")

    async def _look(self, search: Search) -> None:
        try:
            await asyncio.sleep(FIND_DELAY)
            places = await asyncio.to_thread(search.look)
            if search is self.search and on_stage(self._screen):
                search.found = places
        finally:
            search.done.set()
        if search is self.search and on_stage(self._screen):
            self._go()
            self.tell()

    def _go(self) -> None:
        hit = self.search.here if self.search else None
        if hit is None:
            return
        if 0 < hit.part <= len(self._pane.contexts):
            evidence = Evidence(hit.part - 1, hit.start, hit.end)
            self._pane.look_at(evidence, "here")
            self._pane.mark_searched()
            return
        self._pane.mark_searched()
        (self._pane.reference if hit.part == 0 else self._pane.question).reveal(hit.start, hit.end)

    def tell(self) -> None:
        """Say what was found, in the dialog or on the status line."""
        search, top = self.search, self._screen.app.screen
        words = search.words() if search else ""
        none = search is not None and search.done.is_set() and not search.found
        if isinstance(top, FindScreen):
            top.count(words, none=none)
        elif search is not None:
            more = "   F3 next, esc clears" if search.found else ""
            self._screen.say(words + more, tone="warn" if none else "")

    def drop(self) -> None:
        """As if nothing had been searched for."""
        self.clear()
        context, at = self._before
        self._pane.go_to_context(context)
        self._pane.context.scroll_to(y=at, animate=False, force=True)

    def clear(self) -> None:
        """Take the marks of the search away."""
        self._search = None
        self._pane.mark_searched()
        self._screen.say("")

    async def step(self, by: int) -> None:
        """To the next place of the search, or the one before; without a search ask for one."""
        if self.search is None:
            await self.ask()
        else:
            self.go_on(by)

    def go_on(self, by: int) -> None:
        """To the next place or the one before, round the end."""
        if self.search is not None:
            self.search.steps += by
            self._go()
            self.tell()


OVER = 6
"""Lines of a dialog over the units at least: its title, four lines and its keys."""


@dataclass(frozen=True)
class Chooser:
    """Lets a person choose places of a sample; `want` writes what comes of it."""

    screen: BaseScreen
    pane: SamplePane
    finder: Finder
    want: Callable[[Intent], None]


class OverUnits(Dialog):
    """A dialog over the list of units of the screen below, whose texts stay in sight."""

    def __init__(self, pane: SamplePane) -> None:
        super().__init__()
        self._pane = pane

    def on_mount(self) -> None:
        """Take the place of the units; the first line is under the cursor."""
        self.resized()
        self.moved()

    def resized(self) -> None:
        """Lie where the units of the screen below lie now, over the line below them where they have few."""
        box, region = self.query_one("#box"), self._pane.body.list_region
        box.styles.offset = region.offset
        box.styles.width, box.styles.height = region.width, max(region.height, OVER)


class FindField(Field):
    """A field whose arrows go to other places: an input scrolls by them, and takes them first."""

    BINDINGS = bindings("find field")


class FindScreen(Dialog):
    """Two lines over the lowest two, so that the texts stay in sight.

    Enter ends the search where it stands; a search for a place gives it to `take`, and stays while there is
    none.
    """

    BINDINGS = bindings("find")

    def __init__(
        self, finder: Finder, title: str, typed: str, scope: Scope, take: Take | None, begun: str
    ) -> None:
        """`begun`: typed already, and to be gone on with."""
        super().__init__()
        self._begun = flat(begun)
        self._finder = finder
        self._title = f"{flat(title)} "
        self._looked_for = flat(typed)
        self._field = FindField(self._looked_for, id="field")
        self._unchanged = True
        self._scope: Scope = scope
        self._take = take

    def body(self) -> ComposeResult:
        """What to find, how many there are; the keys."""
        with Horizontal():
            yield Bar(id="title")
            yield self._field
            yield Bar(id="count")
        yield Bar(id="hint")

    def on_mount(self) -> None:
        """Type at once; what stands there is replaced by the first letter."""
        title, field = self.query_one("#title", Bar), self._field
        title.show([(self._title, "bold")])
        title.styles.width = len(self._title)
        self.set_focus(field)
        field.selection = Selection(0, len(field.value))
        self._show_keys()
        if self._begun:
            field.value, field.cursor_position = self._begun, len(self._begun)

    def _show_keys(self) -> None:
        enter = "take it" if self._take else "stay there"
        keys = choice_parts([("enter", enter), ("F3 ↓", "next"), ("↑", "back"), ("esc", "cancel")])
        self.query_one("#hint", Bar).show(keys)

    def count(self, words: str, *, none: bool = False) -> None:
        """Say how many places there are."""
        self.query_one("#count", Bar).show((), [(words, "$warning" if none else DIM)])

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while typing."""
        event.stop()
        self._look()

    def _look(self) -> None:
        typed = self._field.value
        if typed != self._looked_for:
            self._looked_for, self._unchanged = typed, False
            self._show_keys()
            self._finder.look_for(typed, self._scope)

    def action_step(self, by: int) -> None:
        """Another place; of what is typed now, though its own message may not be here yet."""
        self._look()
        self._unchanged = False
        self._finder.go_on(by)

    async def action_submit(self) -> None:
        """Enter; with the text of the search before, as it is, to the next place."""
        self._look()
        if self._unchanged:
            self._finder.go_on(1)
        if self._take is None:
            self.app.pop_screen()
            self._finder.tell()
        elif hit := await self._finder.place():
            self.app.pop_screen()
            self._finder.clear()
            await self._take(hit)
        else:
            why = NOT_THERE[self._scope] if self._looked_for.strip() else "type what to look for"
            cancel = choice_parts([("esc", "cancel")])
            self.query_one("#hint", Bar).show([(f"{why}   ", "$warning"), *cancel])

    def action_cancel(self) -> None:
        """Escape."""
        self.app.pop_screen()
        self._finder.drop()
