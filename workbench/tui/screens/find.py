"""One line to search in a sample: the places are marked in the texts above while one types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input
from textual.widgets.input import Selection

from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import DIM, Bar, Part
from workbench.tui.widgets.field import Field


@dataclass(frozen=True, slots=True)
class Finding:
    """What a search does to the screen below.

    `look` is told what is typed now, `step` goes to another place, `take` ends the search where it stands
    and `drop` as if it had not begun. `enter` is what Enter does, in one word or two.
    """

    look: Callable[[str], None]
    step: Callable[[int], None]
    take: Callable[[], Awaitable[None]]
    drop: Callable[[], Awaitable[None]]
    enter: str = "stay there"


class FindField(Field):
    """A field whose arrows go to other places: an input scrolls by them, and takes them first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("f3 down", "screen.step(1)", "Next place", "find.next", "Find"),
        key("shift+f3 f15 up", "screen.step(-1)", "Place before", "find.previous", "Find"),
    ]


class FindScreen(Dialog):
    """Two lines over the lowest two, so that the texts stay in sight."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("escape", "cancel", "Close, as if nothing was searched for", "find.cancel", "Find"),
    ]

    def __init__(self, title: str, typed: str, finding: Finding) -> None:
        super().__init__()
        self._title = title
        self._looked_for = flat(typed)
        self._unchanged = True
        self._finding = finding

    def compose(self) -> ComposeResult:
        """What to find, how many there are; the keys."""
        with Vertical(id="box"):
            with Horizontal():
                yield Bar(id="title")
                yield FindField(self._looked_for, id="field")
                yield Bar(id="count")
            yield Bar(id="hint")

    def opened(self) -> None:
        """Type at once; what stands there is replaced by the first letter."""
        title = f"{self._title} "
        self.query_one("#title", Bar).show(((title, "bold"),))
        self.query_one("#title", Bar).styles.width = len(title)
        field = self.query_one(Field)
        self.set_focus(field)
        field.selection = Selection(0, len(field.value))
        self.query_one("#hint", Bar).show(self._keys())

    def _keys(self) -> tuple[Part, ...]:
        parts: list[Part] = []
        for name, word in (
            ("enter", self._finding.enter), ("F3 ↓", "next"), ("↑", "back"), ("esc", "cancel"),
        ):  # fmt: skip
            parts += [("  " if parts else "", ""), (name, "$accent"), (f" {word}", DIM)]
        return tuple(parts)

    def count(self, words: str, *, none: bool = False) -> None:
        """Say how many places there are."""
        self.query_one("#count", Bar).show((), ((words, "$warning" if none else DIM),))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while typing."""
        event.stop()
        self._look()

    def _look(self) -> None:
        typed = self.query_one(Field).value
        if typed != self._looked_for:
            self._looked_for, self._unchanged = typed, False
            self._finding.look(typed)

    def action_step(self, by: int) -> None:
        """Another place; of what is typed now, though its own message may not be here yet."""
        self._look()
        self._unchanged = False
        self._finding.step(int(by))

    async def action_submit(self) -> None:
        """Enter; with the text of the search before, as it is, to the next place."""
        self._look()
        if self._unchanged:
            self._finding.step(1)
        self.app.pop_screen()
        await self._finding.take()

    async def action_cancel(self) -> None:  # type: ignore[override]  # the app awaits what can be awaited
        """Escape."""
        self.app.pop_screen()
        await self._finding.drop()
