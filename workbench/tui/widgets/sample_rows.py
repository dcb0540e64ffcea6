"""Verified samples with both values, their difference and its main cause; Enter leads to the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment

from workbench.tui.figures_rows import Sample
from workbench.tui.figures_text import sample_parts
from workbench.tui.widgets.picks import Picks, painted
from workbench.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from workbench.comparing.figures import Row


class SampleRows(Rows[Sample]):
    """Any number of samples; only visible ones are drawn."""

    BASE = "picks--row"
    COMPONENT_CLASSES = Picks.COMPONENT_CLASSES

    def __init__(self, *, share: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._share = share

    @property
    def verified(self) -> Row | None:
        """The sample under the cursor, without its share."""
        return self.chosen[0] if self.chosen else None

    def show(self, samples: Sequence[Sample]) -> None:
        """Show these, the cursor on the first."""
        self.put(samples, 0)

    def drawn(self, sample: Sample, size: int, *, here: bool) -> list[Segment]:
        """One sample."""
        return painted(self, sample_parts(sample, self._share, size - 2), size, here=here)
