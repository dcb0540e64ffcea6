"""The samples behind one figure of Compare, the largest share first."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from workbench.text.figures import many
from workbench.tui.figures_rows import Sample
from workbench.tui.figures_text import sample_head
from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.why import open_why
from workbench.tui.widgets.bars import DIM, Head, KeyBar, Status
from workbench.tui.widgets.compare_sections import SampleRows
from workbench.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from workbench.model import Kind
    from workbench.tui.desk import Desk


class CompareSamplesScreen(BaseScreen):
    """Enter shows why a sample differs, escape goes back to the figure."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter w", "why", "Why automatic and verified differ", "comparesamples.why", "Samples", "why"),
        key("j down", "move(1)", "Next sample", "comparesamples.down", "Moving"),
        key("k up", "move(-1)", "Previous sample", "comparesamples.up", "Moving"),
        key("pagedown space", "move(10)", "Ten further", "comparesamples.page_down", "Moving"),
        key("pageup", "move(-10)", "Ten back", "comparesamples.page_up", "Moving"),
        key("escape b", "back", "Back to the figures", "comparesamples.back", "Samples", "back"),
        key("q", "app.quit", "Quit", "comparesamples.quit", "Samples"),
    ]

    def __init__(
        self, desk: Desk, title: str, samples: list[Sample], kind: Kind, scorer: str | None, *, shares: bool
    ) -> None:
        super().__init__()
        self.desk = desk
        self._title, self._samples, self._kind, self._scorer = title, samples, kind, scorer
        self._shares = shares

    def compose(self) -> ComposeResult:
        """The samples."""
        yield Head(id="head")
        yield Static(id="columns")
        yield SampleRows(share=self._shares, id="samples")
        yield Status(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """They are known already."""
        self.query_one(Head).show(
            (("Compare", "bold"), (f"  {flat(self._title)}", DIM)),
            ((many(len(self._samples), "sample"), DIM),),
        )
        self.query_one(SampleRows).show(self._samples)
        self._follow_columns()
        self.bench.open_gate()

    def on_resize(self, event: events.Resize) -> None:
        """Other columns; the list has taken its own by now."""
        super().on_resize(event)
        self.call_after_refresh(self._follow_columns)

    def _follow_columns(self) -> None:
        size = self.query_one(SampleRows).scrollable_content_region.width
        self.query_one("#columns", Static).update(
            f"  {sample_head(size - 2, 'share' if self._shares else '')}"
        )

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """A click opens the sample."""
        event.stop()
        if event.clicked:
            self.app.call_later(self.bench.gate.enter, self.action_why)

    def action_move(self, step: int) -> None:
        """To another sample."""
        self.query_one(SampleRows).move(int(step))

    async def action_why(self) -> None:
        """Both assessments of the sample side by side."""
        row = self.query_one(SampleRows).verified
        if row is not None:
            await open_why(self, self.desk, row.sample_id, self._kind, self._scorer)

    def action_back(self) -> None:
        """To the figures."""
        self.app.pop_screen()
