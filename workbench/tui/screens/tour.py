"""The first steps: the task and five keys, over the first queue."""

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

TASK = (
    "You see a question, its reference answer and the retrieved text.\n"
    "Is each name right? Does the retrieved text contain it?"
)
START = ("enter", "queue.open")
STEPS = (
    ("a", "review.accept", "accept: all of it is right; opens the next sample"),
    ("x", "review.reject", "drop a name that is wrong, or take it back"),
    ("m", "review.match", "change found ● to missing ○, or back"),
    ("n", "review.new", "add a name that is not in the list"),
    ("question_mark", "app.help", "show every key of the screen"),
)
"""The key, the action whose key it is, and what it does."""


class TourScreen(Dialog):
    """Esc closes it; any other key closes it and does what it does below: Enter opens the first sample."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("escape", "cancel", "Close", "tour.close", "Tour"),
    ]

    def __init__(self, keymap: Mapping[str, str]) -> None:
        super().__init__()

        def chosen(key: str, name: str) -> str:
            return shown(keymap.get(name, key).split(",")[0])

        self._start = chosen(*START)
        self._keys = [chosen(key, name) for key, name, _ in STEPS]

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        size = max(map(width, self._keys))
        parts: list[Part] = []
        for its_key, (*_, what) in zip(self._keys, STEPS, strict=True):
            parts += [(fit(its_key, size), "bold $accent"), (f"  {what}\n", "")]
        with Vertical(id="box"):
            yield Bar(id="title")
            yield Static(Content(TASK), id="task")
            yield Static(Content.assemble(*parts).rstrip("\n"), id="steps")
            yield Static(Content("Every decision is saved at once; undo takes it back."), id="note")

    def opened(self) -> None:
        """The title."""
        self.query_one("#title", Bar).show(
            (("Five keys to begin with", "bold"),), ((f"{self._start} starts", DIM),)
        )
