"""The pictures of Compare: automatic against verified, and the differences counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message
from textual_plot import HiResMode
from textual_plot.axis_formatter import NumericAxisFormatter

from workbench.text.figures import number
from workbench.tui.figures_rows import Place, place
from workbench.tui.widgets.threshold_plot import Plot, Shares, ink

if TYPE_CHECKING:
    from workbench.comparing.figures import Bin, Row

DOTS = ((1, "•"), (2, "●"), (5, "■"))
"""Samples at one place from which this sign stands for them."""

EDGES = -0.04, 1.04
"""Of both axes: what lies on the frame itself would not be drawn."""


class Minus(NumericAxisFormatter):
    """`−.5` instead of `-0.5`."""

    def get_labels_for_ticks(self, ticks: Sequence[float]) -> list[str]:
        """A text a tick."""
        labels = super().get_labels_for_ticks(ticks)
        return [number(tick, len(label.partition(".")[2])) for tick, label in zip(ticks, labels, strict=True)]


class Whole(NumericAxisFormatter):
    """Counts."""

    def get_labels_for_ticks(self, ticks: Sequence[float]) -> list[str]:
        """A text a tick."""
        return [f"{tick:,.0f}" for tick in ticks]


class ScatterPlot(Plot):
    """Verified values across, automatic ones up, with the line on which both agree; the wheel zooms."""

    class Chosen(Message):
        """A sample was clicked."""

        def __init__(self, row: Row) -> None:
            super().__init__()
            self.row = row

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._allow_pan_and_zoom = True
        self.set_x_formatter(Shares())
        self._places: Mapping[Place, tuple[int, Row]] = {}
        self._at: Row | None = None

    def show(self, places: Mapping[Place, tuple[int, Row]], at: Row | None) -> None:
        """Samples by place, one of them chosen, the whole square in view."""
        self._places, self._at = places, at
        self.set_xlimits(*EDGES)
        self.set_ylimits(*EDGES)
        self.draw()

    def choose(self, at: Row | None) -> None:
        """Another one is chosen."""
        self._at = at
        self.draw()

    def draw(self) -> None:
        """The line, the samples by how many are at a place, the chosen one on top."""
        self.clear()
        self.plot([0, 1], [0, 1], ink(self.app, "secondary"), HiResMode.BRAILLE)
        for (fewest, sign), most in zip(DOTS, (2, 5, inf), strict=True):
            at = [one for one, (count, _) in self._places.items() if fewest <= count < most]
            if at:
                self.scatter([x for x, _ in at], [y for _, y in at], sign, f"bold {ink(self.app, 'accent')}")
        here = place(self._at) if self._at is not None else None
        if here is not None:
            self.scatter([here[0]], [here[1]], "◆", f"bold {ink(self.app, 'warning')}")

    def on_click(self, event: events.Click) -> None:
        """The sample nearest to the pointer, if one is near."""
        canvas = self.query_one("#plot")
        offset = event.screen_offset - canvas.region.offset
        if not (self._places and 0 <= offset.x < canvas.size.width and 0 <= offset.y < canvas.size.height):
            return

        def apart(at: Place) -> float:
            x, y = self.get_pixel_from_coordinate(*at)
            return float((x - offset.x) ** 2 + (2 * (y - offset.y)) ** 2)  # a cell is twice as high as wide

        nearest = min(self._places, key=apart)
        if apart(nearest) <= 16:
            self.post_message(self.Chosen(self._places[nearest][1]))


class DeltaPlot(Plot):
    """How many samples have which difference; equal ones stand apart at 0, ▼ is over the bias."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.set_x_formatter(Minus())
        self.set_y_formatter(Whole())
        self._bins: tuple[Bin[Row], ...] = ()
        self._bias: float | None = None
        self._at = -1

    def show(self, bins: Sequence[Bin[Row]], bias: float | None, at: int) -> None:
        """These bins, one of them chosen."""
        self._bins, self._bias, self._at = tuple(bins), bias, at
        self.draw()

    def choose(self, at: int) -> None:
        """Another bin is chosen."""
        self._at = at
        self.draw()

    def draw(self) -> None:
        """A bar a bin, the chosen one in the accent."""
        self.clear()
        if not self._bins:
            return
        widest = max(0.3, *(max(abs(one.low), abs(one.high)) for one in self._bins))
        self.set_xlimits(-widest, widest)
        top = max(len(one.samples) for one in self._bins) * 1.1
        self.set_ylimits(0, top)
        step = max(1, round(top / 5, -max(0, len(str(int(top / 5))) - 1)))
        self.set_yticks([float(count) for count in range(0, int(top) + 1, int(step))])
        for index, one in sorted(enumerate(self._bins), key=lambda numbered: numbered[1].equal):
            if not one.samples:
                continue
            tone = "accent" if index == self._at else "success" if one.equal else "secondary"
            middle, wide = (one.low + one.high) / 2, 0.03 if one.equal else 0.085
            self.bar([middle], [len(one.samples)], wide, ink(self.app, tone), HiResMode.HALFBLOCK)
        if self._bias is not None:
            self.scatter([self._bias], [top * 0.97], "▼", f"bold {ink(self.app, 'warning')}")
