"""What stands there when the terminal is too small to show anything else honestly."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

TINY = "-tiny"
"""The class of a screen while the terminal is too small for it; keys do nothing then."""

NEEDED = (60, 16)
"""Columns and lines that every screen can do with."""


def too_small(size: Size) -> bool:
    """Whether a window of this size shows the notice."""
    return size.width < NEEDED[0] or size.height < NEEDED[1]


class TooSmall(Widget):
    """Covers its screen, which keeps its state, its focus and what was typed below."""

    def render(self) -> Content:
        """What there is, and what is needed."""
        have = self.app.size
        lines = (
            f"This window has {have.width} × {have.height} characters.",
            f"Workbench needs {NEEDED[0]} × {NEEDED[1]}: make it larger.",
            "Nothing is lost. ctrl+q quits.",
        )
        return Content("\n".join(lines))
