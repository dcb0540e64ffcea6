"""A list to choose from in groups, and a question with one way on: the queue's small dialogs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from workbench.tui.cells import fit, width
from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import DIM, Bar, KeyBar
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.rows import Rows


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a menu: a name, what stands at its right, whether it is on; without `take` a heading."""

    name: str
    right: str = ""
    on: bool = False
    take: Callable[[], None] | None = None


class Choices(Rows[Choice]):
    """Choices under headings; the cursor stands on choices only."""

    BASE = "choices--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "choices--row",
        "choices--dim",
        "choices--cursor",
        "choices--cursor-dim",
        "choices--heading",
    }

    def on_mount(self) -> None:
        """The cursor stands on what is on, else on the first choice."""
        self.resized(self.count)
        takeable = [index for index, one in enumerate(self.rows) if one.take]
        on = [index for index in takeable if self.rows[index].on]
        self.move_to((on or takeable or [0])[0], tell=False)

    def move(self, step: int) -> None:
        """To the next choice in a direction, as many times as `step` says; stops at the ends."""
        way = 1 if step > 0 else -1
        for _ in range(abs(step)):
            index = self.cursor + way
            while 0 <= index < self.count and self.rows[index].take is None:
                index += way
            if not 0 <= index < self.count:
                break
            self.move_to(index, tell=False)
        if way < 0 and not any(one.take for one in self.rows[: self.cursor]):
            self.reveal(0)  # the heading above the first choice

    def drawn(self, one: Choice, size: int, *, here: bool) -> list[Segment]:
        """A heading or a choice."""
        if one.take is None:
            return [Segment(fit(flat(one.name), size), self.part("choices--heading"))]
        style = self.part("choices--cursor" if here else "choices--row")
        dim = self.part("choices--cursor-dim" if here else "choices--dim")
        right = flat(one.right)
        room = size - 4 - width(right)
        return [
            Segment("▸ " if here else "  ", style),
            Segment("✓ " if one.on else "  ", style),
            Segment(fit(flat(one.name), room), style),
            Segment(right, dim),
        ]


class MenuScreen(Dialog):
    """A title and choices; Enter or a click takes one and closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter space", "take", "Take it", "menu.take", "Menu"),
        key("j down", "move(1)", "Next", "menu.down", "Menu"),
        key("k up", "move(-1)", "Previous", "menu.up", "Menu"),
        key("pagedown", "move(10)", "Ten further", "menu.page_down", "Menu"),
        key("pageup", "move(-10)", "Ten back", "menu.page_up", "Menu"),
        key("escape q", "cancel", "Close without doing anything", "menu.cancel", "Menu"),
    ]

    def __init__(self, title: str, choices: Sequence[Choice], hint: str = "enter takes  esc closes") -> None:
        super().__init__()
        self._title, self._choices, self._hint = title, tuple(choices), hint

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        with Vertical(id="box"):
            yield Bar(id="title")
            yield Choices(self._choices, id="choices")

    def opened(self) -> None:
        """The title."""
        self.query_one("#title", Bar).show(((self._title, "bold"),), ((self._hint, DIM),))

    def action_move(self, step: int) -> None:
        """Up or down."""
        self.query_one(Choices).move(int(step))

    async def action_take(self) -> None:
        """Close, then do it."""
        take = self._choices[self.query_one(Choices).cursor].take
        if take is not None:
            self.app.pop_screen()
            take()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """A click takes it."""
        event.stop()
        if event.clicked:
            self.app.call_later(self.bench.gate.enter, self.action_take)


class ConfirmScreen(Dialog):
    """A question: y goes on, Escape stays."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("y", "go_on", "Go on", "confirm.yes", "Question", "go on"),
        key("escape n q", "cancel", "Stay", "confirm.no", "Question", "stay"),
    ]

    def __init__(self, title: str, text: str, go_on: Callable[[], None]) -> None:
        super().__init__()
        self._title, self._text, self._go_on = title, text, go_on

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        with Vertical(id="box"):
            yield Bar(id="title")
            yield Static(Content(self._text), id="text")
            yield KeyBar(id="answers")

    def opened(self) -> None:
        """The question."""
        self.query_one("#title", Bar).show(((self._title, "bold"),))

    def action_go_on(self) -> None:
        """Close, then do it."""
        self.app.pop_screen()
        self._go_on()
