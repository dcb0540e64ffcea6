"""The line with the parts of a screen: which ones there are, which one is shown; a click is its key."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from workbench.tui.cells import width
from workbench.tui.widgets.bars import DIM


class SectionBar(Widget):
    """`1 overview  2 scatter …`, the one shown in bold and underlined."""

    DEFAULT_CSS = """
    SectionBar { height: 1; width: 1fr; }
    """

    class Pressed(Message):
        """A part was clicked; they count from 1."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, names: Sequence[str], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._names = tuple(names)
        self._at = 1

    def show(self, number: int) -> None:
        """This one is shown."""
        self._at = number
        self.refresh()

    def render(self) -> Content:
        """The line."""
        parts: list[tuple[str, str]] = []
        for number, name in enumerate(self._names, 1):
            here = number == self._at
            parts.append((f"{number} {name}", "bold underline $accent" if here else DIM))
            parts.append(("  ", ""))
        return Content.assemble(*parts[:-1])

    def on_click(self, event: events.Click) -> None:
        """Show what was clicked."""
        left = event.x - self.gutter.left
        for number, name in enumerate(self._names, 1):
            size = width(f"{number} {name}")
            if 0 <= left < size:
                self.post_message(self.Pressed(number))
                return
            left -= size + 2
