"""A track for one number: moved by keys of its screen, by a click, by dragging and by the wheel."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from workbench.tui.widgets.bars import DIM, Part

LOW, HIGH = 60, 100
"""Below 60 no link is kept: every threshold there is as 60."""


class Slider(Widget):
    """`60 ───◆───●──┊── 100`: the thumb, the threshold in use, the chosen one."""

    DEFAULT_CSS = """
    Slider { height: 1; width: 1fr; }
    """

    class Moved(Message):
        """The thumb was put somewhere."""

        def __init__(self, value: int) -> None:
            super().__init__()
            self.value = value

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.value = 85
        self._marks: dict[int, str] = {}
        self._dragged = False

    def show(self, value: int, marks: dict[int, str]) -> None:
        """Put the thumb and the signs of other values."""
        self.value, self._marks = value, marks
        self.refresh()

    @property
    def track(self) -> tuple[int, int]:
        """The first cell of the track and how many it has."""
        return 3, max(2, self.content_size.width - 7)

    def cell(self, value: int) -> int:
        """The cell of the track where a value stands."""
        _, size = self.track
        place = (min(max(value, LOW), HIGH) - LOW) / (HIGH - LOW)
        return round(place * (size - 1))

    def value_at(self, x: int) -> int:
        """The value at a cell of the widget."""
        start, size = self.track
        return round(LOW + (HIGH - LOW) * min(max(x - start, 0), size - 1) / (size - 1))

    def render(self) -> Content:
        """The track with its signs; the thumb hides what it stands on."""
        _, size = self.track
        signs = {self.cell(value): sign for value, sign in self._marks.items()}
        thumb = self.cell(self.value)
        signs[thumb] = "●"
        parts: list[Part] = [(f"{LOW} ", DIM)]
        past = 0
        for place, sign in sorted(signs.items()):
            parts.append(("─" * (place - past), "$foreground 40%"))
            parts.append((sign, "bold $accent" if place == thumb else "bold"))
            past = place + 1
        parts += [("─" * (size - past), "$foreground 40%"), (f" {HIGH}", DIM)]
        return Content.assemble(*parts)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take the thumb there."""
        event.stop()
        self._dragged = True
        self.capture_mouse()
        self.post_message(self.Moved(self.value_at(event.x - self.gutter.left)))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The thumb follows."""
        if self._dragged:
            event.stop()
            value = self.value_at(event.x - self.gutter.left)
            if value != self.value:
                self.post_message(self.Moved(value))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go."""
        event.stop()
        self._dragged = False
        self.release_mouse()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """One less."""
        event.stop()
        self.post_message(self.Moved(max(LOW, self.value - 1)))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """One more."""
        event.stop()
        self.post_message(self.Moved(min(HIGH, self.value + 1)))
