"""Verified samples with both values, their difference and its main cause; Enter leads to the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment

from workbench.tui.figures_rows import Sample
from workbench.tui.figures_text import sample_parts
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.picks import Picks, fitted

if TYPE_CHECKING:
    from workbench.comparing.figures import Row


class SampleRows(Lines):
    """Any number of samples; only visible ones are drawn."""

    BASE = "picks--row"
    COMPONENT_CLASSES = Picks.COMPONENT_CLASSES

    def __init__(self, *, share: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.samples: Sequence[Sample] = ()
        self._share = share

    @property
    def count(self) -> int:
        """How many samples."""
        return len(self.samples)

    @property
    def chosen(self) -> Row | None:
        """The sample under the cursor."""
        return self.samples[self.cursor][0] if self.samples else None

    def show(self, samples: Sequence[Sample]) -> None:
        """Show these, the cursor on the first."""
        self.samples = samples
        self.cursor = 0
        self._drawn.clear()
        self.resized(self.count)
        self.refresh()
        self.reveal(0)

    def segments(self, line: int, size: int) -> list[Segment]:
        """One sample."""
        if line >= self.count:
            return []
        cursor = self.part("picks--cursor") if line == self.cursor else None
        parts = [("▸ " if cursor else "  ", ""), *sample_parts(self.samples[line], self._share, size - 2)]
        return [
            Segment(text, cursor or self.part(f"picks--{tone or 'row'}"))
            for text, tone in fitted(parts, size)
        ]
