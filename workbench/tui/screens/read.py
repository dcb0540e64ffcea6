"""A text to read over the screen: the guidelines."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import DIM, Bar
from workbench.tui.widgets.passage import Passage


class ReadScreen(Dialog):
    """A title and a text of any length."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("escape g q w", "cancel", "Close", "read.close", "Reading"),
        key("j down", "scroll(1)", "Down", "read.down", "Reading"),
        key("k up", "scroll(-1)", "Up", "read.up", "Reading"),
        key("pagedown space", "page(1)", "Page down", "read.page_down", "Reading"),
        key("pageup", "page(-1)", "Page up", "read.page_up", "Reading"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = flat(title), text

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        with Vertical(id="box"):
            yield Bar(id="title")
            yield Passage(id="text")

    def opened(self) -> None:
        """The text."""
        self.query_one("#title", Bar).show(((self._title, "bold"),), (("esc closes", DIM),))
        self.query_one(Passage).show(self._text, nothing="no text")

    def action_scroll(self, lines: int) -> None:
        """Up and down."""
        self.query_one(Passage).scroll_relative(y=int(lines), animate=False)

    def action_page(self, step: int) -> None:
        """A page up and down."""
        self.query_one(Passage).page(int(step))
