"""The last wall between a dataset and the terminal, and single-line text for rows and titles."""

from __future__ import annotations

from pathlib import Path
from traceback import walk_tb

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from workbench.text.safe import flat


class TerminalGuard(LineFilter):
    """Strips from every drawn line what could steer the terminal.

    Widgets clean their text themselves; this catches what a widget of the library, a toast or a future
    screen forgets. A break or tab inside a line would tear the layout as well, so both become a space.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments, without control and bidirectional characters."""
        return [
            segment
            if segment.control or (text := flat(segment.text)) == segment.text
            else Segment(text, segment.style)
            for segment in segments
        ]


GUARD = TerminalGuard()
"""The one of the app: the library keeps a filtered line by its filter, and paints it from there."""


def crash_text(error: BaseException | None) -> str:
    """The error and its causes by their types and places; no message, no local values."""
    lines = ["Workbench stopped because of an error of its own. What was shown as saved is saved."]
    while error is not None:
        lines.append(f"{type(error).__module__}.{type(error).__qualname__} at")
        lines += [
            f"  {Path(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}"
            for frame, line in walk_tb(error.__traceback__)
        ][-12:]
        error = getattr(error, "error", None) or error.__cause__
    return "\n".join(lines)
