"""How likely a match is right, by its similarity: the picture, the table, the band worth a look."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.reports.calibrate import probability_lines
from workbench.tui.keys import key
from workbench.tui.screens.base import BaseScreen
from workbench.tui.widgets.bars import DIM, Head, KeyBar
from workbench.tui.widgets.threshold_plot import ReliabilityPlot

if TYPE_CHECKING:
    from workbench.comparing.calibration import Calibrated


class ProbabilityScreen(BaseScreen):
    """One fit's probabilities; nothing to change here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("j down", "scroll(1)", "Down", "probability.down", "Moving"),
        key("k up", "scroll(-1)", "Up", "probability.up", "Moving"),
        key("escape q p", "back", "Back to the threshold", "probability.back", "View", "back"),
    ]

    def __init__(self, found: Calibrated) -> None:
        super().__init__()
        self._found = found

    def compose(self) -> ComposeResult:
        """The picture at the left, numbers at the right."""
        yield Head(id="head")
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield ReliabilityPlot(self._found.reliability.bins, id="curve")
                yield Static(id="legend-line")
            with VerticalScroll(id="numbers", can_focus=False):
                yield Static(id="table")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Fixed content: show it and let the keys run."""
        self.query_one(Head).show((("Probability of a match", "bold"), ("  by similarity", DIM)))
        self.query_one("#legend-line", Static).update(
            Content.assemble(("predicted →  found ↑  ", DIM), ("●", "$accent"), (" a row", DIM))
        )
        self.query_one("#table", Static).update(Content("\n".join(probability_lines(self._found))))
        self.bench.open_gate()

    def action_scroll(self, step: int) -> None:
        """Up and down."""
        self.query_one("#numbers").scroll_relative(y=int(step), animate=False)

    def action_back(self) -> None:
        """Back."""
        self.app.pop_screen()
