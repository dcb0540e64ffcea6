"""What of a text is selected with the mouse: in code points, because the library counts what is drawn."""

from __future__ import annotations

from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from workbench.tui.cells import clusters, index_at, width

Stretch = tuple[int, int]
"""From the first code point to behind the last."""


def character_at(text: str, start: int, end: int, cell: int) -> Stretch:
    """The character that is drawn at a cell of the line `text[start:end]`, or nearest to it."""
    line = text[start:end]
    first = index_at(line, max(0, cell))
    last = next((b for a, b, _ in clusters(line[first:])), 0)
    return start + first, start + first + last


def chosen(
    selection: Selection, anchor: Stretch, pointer: Stretch, size: int, *, inside: bool
) -> Stretch | None:
    """What a selection has of a text of `size`; the characters at both ends are in it.

    It began at `anchor` and goes to `pointer`. One that goes on in another widget has one end here: the
    pointer when that is `inside`, else the anchor.
    """
    edges = sorted((anchor, pointer))
    if None in selection:
        edges = [pointer if inside else anchor] * 2
    start = 0 if selection.start is None else edges[0][0]
    end = size if selection.end is None else edges[1][1]
    return (start, end) if start < end else None


def tinted(strip: Strip, text: str, start: int, end: int, selected: Stretch, style: Style) -> Strip:
    """The line `text[start:end]`, drawn as `strip`, with what is selected of it in another style."""
    first, last = selected
    left = width(text[start : max(start, first)])
    right = strip.cell_length if last > end else width(text[start:last])
    before, within, after = strip.crop(0, left), strip.crop(left, right), strip.crop(right, strip.cell_length)
    return Strip.join([before, within.apply_style(style), after])
