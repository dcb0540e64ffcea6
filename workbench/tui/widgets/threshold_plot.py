"""The threshold of Calibrate: means over thresholds as a picture."""

from __future__ import annotations

from collections.abc import Sequence

from textual_hires_canvas import Canvas
from textual_plot import HiResMode, PlotWidget
from textual_plot.axis_formatter import NumericAxisFormatter

from workbench.comparing.calibration import Calibrated
from workbench.comparing.curve import Moves

LOW, HIGH = 60, 100
"""Below 60 no link is kept: every threshold there is as 60."""
EVEN = 0.01
"""A curve that moves less is drawn as flat: the ticks of its own range would have one text."""


class Shares(NumericAxisFormatter):
    """`.25` instead of `0.25`, as everywhere else."""

    def get_labels_for_ticks(self, ticks: Sequence[float]) -> list[str]:
        """A text a tick."""
        return [
            label.removeprefix("0") if label.startswith("0.") else label
            for label in super().get_labels_for_ticks(ticks)
        ]


class Plot(PlotWidget, can_focus=False):
    """A plot that follows the theme and leaves keys and the wheel to its screen."""

    def __init__(self, id: str) -> None:  # noqa: A002
        super().__init__(id=id, allow_pan_and_zoom=False)
        for margin, cells in (
            (PlotWidget.margin_top, 0),
            (PlotWidget.margin_bottom, 1),
            (PlotWidget.margin_left, 6),
        ):
            self.set_reactive(margin, cells)
        self.set_y_formatter(Shares())

    def draw(self) -> None:
        """Draw everything anew."""

    def ink(self, name: str) -> str:
        """A colour of the theme as the drawing understands it."""
        return self.app.theme_variables.get(name, "").removeprefix("ansi_") or "default"

    def notify_style_update(self) -> None:
        """Another theme has other colours."""
        super().notify_style_update()
        if self.is_mounted:
            self.draw()


class ThresholdPlot(Plot):
    """The automatic mean over thresholds beside the verified one."""

    _found: Calibrated | None = None
    _moves: Moves | None = None
    _at = _now = 85

    def __init__(self) -> None:
        super().__init__("curve")
        self.set_xticks(list(range(LOW, HIGH + 1, 10)))

    def show(self, moves: Moves, calibration: Calibrated | None, at: int) -> None:
        """A dataset at a threshold."""
        self._moves, self._found, self._at, self._now = moves, calibration, at, moves.now
        self.draw()

    def move(self, at: int) -> None:
        """The same at another threshold."""
        self._at = at
        self.draw()

    def draw(self) -> None:
        """The curves, the verified mean and the best threshold where there are any, and the one in use."""
        if self._moves is None:
            return
        self.clear()
        self.set_xlimits(LOW, HIGH)
        means = self._moves.curve[LOW : HIGH + 1]
        even = max(means) - min(means) < EVEN and self._found is None
        self.set_ylimits(*(max(0.0, min(means) - EVEN), max(means) + EVEN) if even else (None, None))
        xs = list(range(LOW, HIGH + 1))
        braille = HiResMode.BRAILLE
        if self._found is None:
            self.plot(xs, means, self.ink("accent"), braille)
        else:
            points = self._found.curve[LOW : HIGH + 1]
            # dots: without colours the two lines are still two
            self.scatter(xs, [self._found.verified] * len(xs), "·", self.ink("success"), braille)
            self.plot(xs, [point.automatic for point in points], self.ink("accent"), braille)
            best = max(self._found.threshold, LOW)
            at = self._found.curve[best].automatic
            self.scatter([best], [at], "◆", f"bold {self.ink('foreground')}")
        self.add_v_line(max(self._now, LOW), self.ink("secondary"))

    def _render_plot(self) -> None:
        """As the library draws it, and the threshold over it: one column of the picture."""
        super()._render_plot()
        canvas, rows = self.query_one("#plot", Canvas), range(1, self._scale_rectangle.bottom)
        x, _ = self.get_pixel_from_coordinate(max(self._at, LOW), 0)
        if self._moves is None or x >= canvas.size.width or not rows or rows[-1] >= canvas.size.height:
            return  # nothing to show, or between two sizes; the next drawing has it
        for y in rows:
            canvas.set_pixel(x, y, "┃", f"bold {self.ink('accent')}")
