"""What is drawn over a line of text: the letters of hints, and what is selected with the mouse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from workbench.tui.cells import clusters, index_at, width
from workbench.tui.keys import Hint


def lettered(
    strip: Strip, text: str, start: int, end: int, hints: Sequence[Hint], style: Callable[[str], Style]
) -> Strip:
    """The line `text[start:end]`, drawn as `strip`, with the codes of the hints that begin on it, in order.

    A code takes the cells of its stretch and one blank behind it, never those of the next hint, and covers
    a wide character whole: nothing moves. `style` gives the style of a component of the passage.
    """
    columns = [width(text[start : hint.start]) for hint in hints] + [strip.cell_length]
    parts: list[Strip] = []
    done, odd, group = 0, False, ""
    for hint, (column, following) in zip(hints, pairwise(columns), strict=True):
        stop = min(hint.end, end)
        blank = text[stop : stop + 1] in ("", " ", "\n")
        letters = _shown(hint, group)[: min(width(text[hint.start : stop]) + blank, following - column)]
        group = hint.code[0]
        if not letters:
            continue
        cells = _covered(text[hint.start : stop], len(letters))
        odd = not odd and bool(parts) and done == column  # or two codes side by side would read as one
        name = ("passage--hint" if len(hint.code) == 1 else "passage--code") + ("-odd" if odd else "")
        parts += [strip.crop(done, column), Strip([Segment(letters.ljust(cells), style(name))])]
        done = column + cells
    return Strip.join([*parts, strip.crop(done, strip.cell_length)])


def _shown(hint: Hint, group: str) -> str:
    """The letters to draw; `group` is the first letter of the hint before it on the line."""
    if not hint.quiet or hint.typed:
        return hint.left
    return "" if hint.code[0] == group else hint.code[0]


def _covered(text: str, least: int) -> int:
    """The cells of as many whole characters as it takes to cover `least` cells."""
    cells = 0
    for _, _, wide in clusters(text):
        if cells >= least:
            break
        cells += wide
    return max(cells, least)


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
