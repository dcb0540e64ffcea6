"""The first steps: five lines over the first queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from workbench.tui.cells import fit, width
from workbench.tui.keys import key, shown
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import DIM, Bar, Part

ROOM = (60, 16)
"""Columns and lines below which the tour would cover all there is: it waits for a larger window."""

STEPS = (
    ("enter", "queue.open", "opens the sample under the cursor"),
    ("a", "review.accept", "accepts all of it and goes on to the next"),
    ("x", "review.reject", "rejects a unit; once more restores it"),
    ("n", "review.new", "adds a unit that was missed"),
    ("question_mark", "app.help", "shows every key of where you are"),
)
"""The key, the action whose key it is, and what it does."""


class TourScreen(Dialog):
    """Enter, Space and Esc close it; any other key closes it and does what it does in the queue."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter escape space", "cancel", "Close", "tour.close", "Tour"),
    ]

    def __init__(self, keymap: Mapping[str, str]) -> None:
        super().__init__()
        self._keys = [shown(keymap.get(name, key).split(",")[0]) for key, name, _ in STEPS]

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        size = max(map(width, self._keys))
        parts: list[Part] = []
        for its_key, (*_, what) in zip(self._keys, STEPS, strict=True):
            parts += [(fit(its_key, size), "bold $accent"), (f"  {what}\n", "")]
        with Vertical(id="box"):
            yield Bar(id="title")
            yield Static(Content.assemble(*parts).rstrip("\n"), id="steps")
            yield Static(Content("Every decision is on disk at once; undo takes it back."), id="note")

    def opened(self) -> None:
        """The title."""
        title = ("Five keys to begin with", "bold")
        self.query_one("#title", Bar).show((title,), (("enter starts", DIM),))
