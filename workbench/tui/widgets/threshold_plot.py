"""The pictures of Calibrate: means over thresholds, and predicted against found."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor

from textual import events
from textual.app import App
from textual.geometry import Region
from textual.message import Message
from textual_hires_canvas import Canvas
from textual_plot import HiResMode, PlotWidget
from textual_plot.axis_formatter import NumericAxisFormatter

from workbench.comparing.calibration import Calibrated
from workbench.comparing.correction import Bin
from workbench.comparing.curve import Moves
from workbench.tui.widgets.slider import HIGH, LOW

EDGE = 0.05
"""How far the picture of the probability goes beyond 0 and 1; at 24 lines a cell is .06 high."""

WIDE = 40
"""Cells from which there is room for a threshold every 5: three digits and a gap, eight times."""


class Shares(NumericAxisFormatter):
    """`.25` instead of `0.25`, as everywhere else."""

    def get_labels_for_ticks(self, ticks: Sequence[float]) -> list[str]:
        """A text a tick."""
        return [
            label.removeprefix("0") if label.startswith("0.") else label
            for label in super().get_labels_for_ticks(ticks)
        ]


def rows_of_steps(low: float, high: float, rows: int) -> tuple[float, float, list[float]]:
    """The limits of an axis of `rows` rows that holds `low` to `high`, and its ticks.

    Ticks are round and the same number of rows apart: of 1, 2 and 5 times a power of ten and 1 to 5 rows,
    those that leave least room beside the values; 2 to 8 of them.
    """
    found: tuple[float, float, float] | None = None  # a row, the lowest, a step
    for step in (unit * 10.0**power for power in (-3, -2, -1) for unit in (1, 2, 5)):
        for apart in (apart for apart in (5, 4, 3, 2, 1) if 2 <= rows // apart <= 8):
            row = step / apart
            lowest = floor(low / row) * row
            if lowest + (rows - 0.01) * row > high and (found is None or row < found[0]):
                found = row, lowest, step
    if found is None:
        return low, high, []
    row, lowest, step = found
    highest = lowest + rows * row
    ticks = [round(step * number, 6) for number in range(ceil(lowest / step - 1e-9), ceil(highest / step))]
    return lowest - row * 1e-6, highest - row * 1e-6, ticks  # rounding must not lift a tick by a row


def ink(app: App[object], name: str) -> str:
    """A colour of the theme as the plot's drawing understands it."""
    return app.theme_variables.get(name, "").removeprefix("ansi_") or "default"


class Plot(PlotWidget, can_focus=False):
    """A plot that follows the theme and leaves keys and the wheel to its screen."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
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

    def notify_style_update(self) -> None:
        """Another theme has other colours."""
        super().notify_style_update()
        if self.is_mounted:
            self.draw()


class ThresholdPlot(Plot):
    """The automatic mean over thresholds beside the verified one; a click or drag moves the threshold."""

    class Moved(Message):
        """The threshold was put somewhere."""

        def __init__(self, value: int) -> None:
            super().__init__()
            self.value = value

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._found: Calibrated | None = None
        self._moves: Moves | None = None
        self._at = self._now = 85
        self._under: tuple[int, list[tuple[str, str]]] | None = None
        self._stepped: tuple[float, float, Region] | None = None

    def show(self, moves: Moves, found: Calibrated | None, at: int) -> None:
        """A dataset at a threshold."""
        self._moves, self._found, self._at, self._now = moves, found, at, moves.now
        self.draw()

    def move(self, at: int) -> None:
        """The same at another threshold; the curves stay as they are drawn, only two columns change."""
        self._at = at
        canvas = self.query_one("#plot", Canvas)
        with canvas.batch_refresh():
            if self._under is not None:
                x, cells = self._under
                for y, (sign, style) in enumerate(cells, 1):
                    canvas.set_pixel(x, y, sign, style)
            self._draw_threshold()

    def draw(self) -> None:
        """The curves, the verified mean where there is one, and the threshold in use."""
        if self._moves is None:
            return
        self.clear()
        self.set_xlimits(LOW, HIGH)
        xs = list(range(LOW, HIGH + 1))
        braille = HiResMode.BRAILLE
        if self._found is None:
            self.plot(xs, self._moves.curve[LOW : HIGH + 1], ink(self.app, "accent"), braille)
        else:
            points = self._found.curve[LOW : HIGH + 1]
            # dots, wider and closer: without colours the three lines are still three
            overlay, verified = ink(self.app, "secondary"), ink(self.app, "success")
            self.scatter(xs[::2], [one.overlay for one in points[::2]], "·", overlay, braille)
            self.scatter(xs, [self._found.verified] * len(xs), "·", verified, braille)
            self.plot(xs, [one.automatic for one in points], ink(self.app, "accent"), braille)
        self.add_v_line(max(self._now, LOW), ink(self.app, "secondary"))

    def _render_plot(self) -> None:
        """As the library draws it, and the threshold over it."""
        self._step()
        super()._render_plot()
        self._under = None
        if self._moves is not None:
            self._draw_threshold()

    def _step(self) -> None:
        """Even steps up the side, for the values and rows there are."""
        values = [y for one in self._datasets for y in getattr(one, "y", ())]
        rows = self._scale_rectangle.height
        if (
            values
            and rows > 2
            and self._stepped != (found := (min(values), max(values), self._scale_rectangle))
        ):
            self._stepped = found
            low, high, ticks = rows_of_steps(float(found[0]), float(found[1]), rows)
            self.set_ylimits(low, high)
            self.set_yticks(ticks)
            apart = 5 if self._scale_rectangle.width >= WIDE else 10
            self.set_xticks(list(range(LOW, HIGH + 1, apart)))

    def _draw_threshold(self) -> None:
        """One column of the picture; what it covers is kept."""
        canvas = self.query_one("#plot", Canvas)
        x, _ = self.get_pixel_from_coordinate(max(self._at, LOW), 0)
        rows = range(1, self._scale_rectangle.bottom)
        if x >= canvas.size.width or not rows or rows[-1] >= canvas.size.height:
            return  # between two sizes; the next drawing has it
        self._under = (x, [canvas.get_pixel(x, y) for y in rows])
        style = f"bold {ink(self.app, 'accent')}"
        for y in rows:
            canvas.set_pixel(x, y, "┃", style)

    def _value_at(self, event: events.MouseEvent) -> int | None:
        """The threshold under the pointer, None beside the picture."""
        canvas = self.query_one("#plot")
        offset = event.screen_offset - canvas.region.offset
        if not (0 <= offset.x < canvas.size.width and 0 <= offset.y < canvas.size.height):
            return None
        x, _ = self.get_coordinate_from_pixel(offset.x, offset.y)
        return round(min(max(x, LOW), HIGH))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Put the threshold there."""
        value = self._value_at(event)
        if value is not None:
            self.post_message(self.Moved(value))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """With the button down the threshold follows."""
        value = self._value_at(event) if event.button else None
        if value is not None and value != self._at:
            self.post_message(self.Moved(value))


class ReliabilityPlot(Plot):
    """What was predicted (across) against what people found (up); on the diagonal both agree."""

    def __init__(self, bins: Sequence[Bin], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._bins = tuple(bins)
        self.set_x_formatter(Shares())

    def on_mount(self) -> None:
        """Draw once there is a place to draw in."""
        super().on_mount()
        self.draw()

    def draw(self) -> None:
        """The diagonal and a sign for every row of the table; lines between would draw the noise of few."""
        self.clear()
        # a sign at the very edge would not be drawn: half a cell more on each side
        self.set_xlimits(-EDGE, 1 + EDGE)
        self.set_ylimits(-EDGE, 1 + EDGE)
        self.plot([0, 1], [0, 1], ink(self.app, "secondary"), HiResMode.BRAILLE)
        predicted = [one.predicted for one in self._bins]
        found = [one.found for one in self._bins]
        self.scatter(predicted, found, "●", f"bold {ink(self.app, 'accent')}")
