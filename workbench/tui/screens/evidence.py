"""Evidence for a unit: the passages most like it, letters in the context that is shown, or a search."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Region

from workbench.matching.nearest import shared
from workbench.model import Evidence
from workbench.tui.cells import cut, steady, wrap
from workbench.tui.keys import key
from workbench.tui.marks import Mark, MarkedLines
from workbench.tui.safe import flat
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import DIM, Bar, Part
from workbench.tui.widgets.lines import Lines

MOST_LINES = 8
"""Lines a passage takes at most; a passage has at most 300 characters."""


class Offer(NamedTuple):
    """A passage to choose: where it stands, its text, and which of its words make it like the unit."""

    place: Evidence
    text: str
    likes: tuple[tuple[int, int], ...]


def offers(text: str, near: Sequence[Evidence], contexts: Sequence[str]) -> list[Offer]:
    """The passages with their text, which is made safe to show."""
    found = []
    for place in near:
        passage = flat(contexts[place.context][place.start : place.end])
        found.append(Offer(place, passage, tuple((span.start, span.end) for span in shared(text, passage))))
    return found


@dataclass(frozen=True, slots=True)
class Choosing:
    """What the screen below does: `where` it leaves room, and what each choice means there."""

    where: Callable[[], Region]
    take: Callable[[Evidence], None]
    remove: Callable[[], None]
    look: Callable[[Evidence | None], None]
    page: Callable[[int], None]
    scroll: Callable[[int], None]
    letters: Callable[[], Awaitable[None]]
    search: Callable[[], Awaitable[None]]


class Offers(Lines):
    """The passages one below the other, each with its number and its context."""

    BASE = "offers--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "offers--row",
        "offers--cursor",
        "offers--like",
        "offers--number",
    }

    def __init__(self, offered: Sequence[Offer], nothing: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._offers = list(offered)
        self._nothing = nothing
        self._places: list[tuple[int, int]] = []
        self._wrapped: list[list[tuple[int, int]]] = []

    @property
    def count(self) -> int:
        """How many passages."""
        return len(self._offers)

    def on_mount(self) -> None:
        """All of them are there from the start."""
        self._plan()

    def on_resize(self, _event: events.Resize) -> None:
        """Another width wraps differently; another height leaves room for other lines."""
        self._plan()

    def _plan(self) -> None:
        size, height = self.scrollable_content_region.width - len("▸ 1 "), self.size.height
        room = max(2, min(MOST_LINES, height // max(1, self.count)))
        self._wrapped = [wrap(self._head(offer) + offer.text, size)[:room] for offer in self._offers]
        self._places = []
        for lines in self._wrapped:
            self._places.append((sum(self._places[-1]) if self._places else 0, len(lines)))
        self.resized(sum(map(len, self._wrapped)))
        self.redraw()

    @staticmethod
    def _head(offer: Offer) -> str:
        return f"context {offer.place.context + 1}  "

    def place(self, index: int) -> tuple[int, int]:
        """The lines of a passage."""
        return self._places[index] if index < len(self._places) else (0, 1)

    def entry_at(self, line: int) -> int:
        """The passage of a line."""
        return next((n for n, (start, size) in enumerate(self._places) if start <= line < start + size), -1)

    def segments(self, line: int, size: int) -> list[Segment]:
        """One line of a passage, the words that are like the unit in bold."""
        index = self.entry_at(line)
        if index < 0:
            text = self._nothing if not self._offers and line == 0 else ""
            return [Segment(cut(text, size), self.part("offers--row"))]
        offer, part = self._offers[index], line - self._places[index][0]
        base = self.part("offers--cursor" if index == self.cursor else "offers--row")
        lead = f"{'▸' if index == self.cursor else ' '} {index + 1} " if part == 0 else "    "
        head = self._head(offer)
        text = head + offer.text
        start, end = self._wrapped[index][part]
        more = end < len(text) and part == len(self._wrapped[index]) - 1
        marks = [Mark(a + len(head), b + len(head), "like") for a, b in offer.likes]
        marks.append(Mark(0, len(head) - 2, "number"))
        pieces = MarkedLines([(0, len(text))], marks).pieces(0, start, end - 2 if more else end)
        background = base.background_style
        parts = [Segment(lead, base if part else self.part("offers--number") + background)]
        for piece in pieces:
            style = self.part(f"offers--{piece.mark.role}") + background if piece.mark else base
            parts.append(Segment(steady(text[piece.start : piece.end]), style))
        return [*parts, Segment(" …" if more else "", base), Segment(" " * size, base)]


class EvidenceScreen(Dialog):
    """Over the list of units: reference and context stay in sight, and can be paged and scrolled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            key(
                str(n), f"take_number({n})", "The passage of that number", f"evidence.take_{n}",
                "Evidence", "take" if n == 1 else "",
            )
            for n in (1, 2, 3)
        ),
        key("e", "letters", "Letters in the context", "evidence.letters", "Evidence", "letters"),
        key("/ ctrl+f", "search", "Search in the contexts", "evidence.search", "Evidence", "search"),
        key("0 backspace delete", "remove", "Take the evidence away", "evidence.none", "Evidence", "none"),
        key("j down", "move(1)", "Next passage, in its context", "evidence.down", "Evidence"),
        key("k up", "move(-1)", "Passage before", "evidence.up", "Evidence"),
        key("enter", "take", "The passage under the cursor", "evidence.take", "Evidence"),
        key("] right", "page(1)", "Next context", "evidence.next_context", "Moving"),
        key("[ left", "page(-1)", "Previous context", "evidence.previous_context", "Moving"),
        key("space pagedown", "scroll(1)", "Scroll the context", "evidence.page_down", "Moving"),
        key("pageup", "scroll(-1)", "Scroll the context back", "evidence.page_up", "Moving"),
        key("escape q", "cancel", "Close without doing anything", "evidence.cancel", "Evidence"),
    ]  # fmt: skip

    def __init__(self, title: str, offered: Sequence[Offer], nothing: str, choosing: Choosing) -> None:
        super().__init__()
        self._title = flat(title)
        self._offers = list(offered)
        self._nothing = nothing
        self._choosing = choosing

    def compose(self) -> ComposeResult:
        """The passages, and below them what else can be done."""
        with Vertical(id="box"):
            yield Bar(id="title")
            yield Offers(self._offers, self._nothing, id="offers")
            yield Bar(id="hint")

    def opened(self) -> None:
        """Take the place of the units."""
        self._fit()
        self.query_one("#title", Bar).show(((self._title, "bold"),), (("esc", "$accent"), (" cancel", DIM)))
        self.query_one("#hint", Bar).show(self._keys())

    def on_resize(self, event: events.Resize) -> None:
        """The screen below has another layout now."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        region, box = self._choosing.where(), self.query_one("#box")
        box.styles.offset = (region.x, region.y)
        box.styles.width, box.styles.height = region.width, region.height

    def _keys(self) -> tuple[Part, ...]:
        parts: list[Part] = []
        numbers = (("1" if len(self._offers) == 1 else f"1–{len(self._offers)}", "take"),)
        for name, word in (
            *(numbers if self._offers else ()),
            ("e", "letters"), ("/", "find"), ("0", "none"), ("[ ]", "page"),
        ):  # fmt: skip
            parts += [("  " if parts else "", ""), (name, "$accent"), (f" {word}", DIM)]
        return tuple(parts)

    def action_take_number(self, number: int) -> None:
        """A digit."""
        if int(number) <= len(self._offers):
            self.app.pop_screen()
            self._choosing.take(self._offers[int(number) - 1].place)

    def action_take(self) -> None:
        """Enter."""
        self.action_take_number(self.query_one(Offers).cursor + 1)

    def action_move(self, step: int) -> None:
        """Another passage; its context comes forward."""
        offered = self.query_one(Offers)
        if self._offers:
            offered.move_to(offered.cursor + int(step), tell=False)
            self._choosing.look(self._offers[offered.cursor].place)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """A click takes the passage."""
        event.stop()
        self.app.call_later(self.bench.gate.enter, self._take_clicked)

    async def _take_clicked(self) -> None:
        if self.app.screen is self:
            self.action_take()

    def action_remove(self) -> None:
        """No evidence."""
        self.app.pop_screen()
        self._choosing.remove()

    def action_page(self, step: int) -> None:
        """Another context."""
        self._choosing.page(int(step))

    def action_scroll(self, step: int) -> None:
        """A page of the context."""
        self._choosing.scroll(int(step))

    async def action_letters(self) -> None:
        """First and last token by letters."""
        self.app.pop_screen()
        await self._choosing.letters()

    async def action_search(self) -> None:
        """Search, and take what is found."""
        self.app.pop_screen()
        await self._choosing.search()

    def action_cancel(self) -> None:
        """Escape: the context as it was."""
        super().action_cancel()
        self._choosing.look(None)
