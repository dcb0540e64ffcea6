"""Lines of names and numbers that change often: only those that change are drawn anew, and nothing moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from workbench.tui.cells import cut
from workbench.tui.widgets.bars import DIM, Part

_CLASS = {
    "": "numbers--row",
    "bold": "numbers--strong",
    "bold $accent": "numbers--accent",
    DIM: "numbers--dim",
}
"""The styles of parts that it knows, as classes of the style sheet."""


class Numbers(Widget):
    """A block of lines; what does not fit is cut."""

    DEFAULT_CSS = """
    Numbers { height: 1fr; }
    Numbers > .numbers--row { color: $foreground; background: $background; }
    Numbers > .numbers--dim { color: $foreground 68%; background: $background; }
    Numbers > .numbers--strong { color: $foreground; background: $background; text-style: bold; }
    Numbers > .numbers--accent { color: $accent; background: $background; text-style: bold; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = set(_CLASS.values())

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines: list[list[Part]] = []

    def show(self, lines: Sequence[Sequence[Part]]) -> None:
        """Put these lines there."""
        before, self._lines = self._lines, [list(line) for line in lines]
        width = self.size.width
        for y in range(max(len(before), len(self._lines))):
            if before[y : y + 1] != self._lines[y : y + 1]:
                self.refresh(Region(0, y + self.gutter.top, width, 1))

    @property
    def text(self) -> str:
        """What the lines say, for tests and for copying."""
        return "\n".join("".join(text for text, _ in line) for line in self._lines)

    def render_line(self, y: int) -> Strip:
        """One line, cut and padded by cells."""
        room = self.content_size.width
        row = self.get_component_rich_style(_CLASS[""])
        segments, left = [], room
        for text, style in self._lines[y] if y < len(self._lines) else ():
            text = cut(text, left) if left > 0 else ""
            segments.append(Segment(text, self.get_component_rich_style(_CLASS[style])))
            left -= segments[-1].cell_length
        return Strip(segments).adjust_cell_length(room, row)
