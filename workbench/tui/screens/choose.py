"""One of several names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from workbench.tui.cells import fit
from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import DIM, Bar
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.rows import Rows


class Names(Rows[str]):
    """A list of names."""

    BASE = "names--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"names--row", "names--cursor"}

    def drawn(self, name: str, size: int, *, here: bool) -> list[Segment]:
        """One name."""
        style = self.part("names--cursor" if here else "names--row")
        return [Segment("▸ " if here else "  ", style), Segment(fit(flat(name), size - 2), style)]


class ChooseScreen(Dialog):
    """A title and names; Enter or a click takes one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter", "take", "Take it", "choose.take", "Choose"),
        key("j down", "move(1)", "Next", "choose.down", "Choose"),
        key("k up", "move(-1)", "Previous", "choose.up", "Choose"),
        key("q escape", "app.quit", "Quit", "choose.quit", "Choose"),
    ]

    def __init__(self, title: str, names: Sequence[str], take: Callable[[str], None]) -> None:
        super().__init__()
        self._title, self._names, self._take = title, tuple(names), take

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        with Vertical(id="box"):
            yield Bar(id="title")
            yield Names(self._names, id="names")

    def opened(self) -> None:
        """The title; the cursor stands on the first name."""
        self.query_one("#title", Bar).show(((self._title, "bold"),), (("enter opens", DIM),))

    def action_move(self, step: int) -> None:
        """Up or down."""
        self.query_one(Names).move(int(step))

    async def action_take(self) -> None:
        """Close with the one under the cursor."""
        name = self._names[self.query_one(Names).cursor]
        self.app.pop_screen()
        self._take(name)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """A click takes it."""
        event.stop()
        if event.clicked:
            self.app.call_later(self.bench.gate.enter, self.action_take)
