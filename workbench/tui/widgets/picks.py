"""Lists of figures that lead somewhere: every line is drawn for its width, and some open samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment

from workbench.tui.cells import fit, width
from workbench.tui.figures_rows import Sample
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.rows import Rows

Part = tuple[str, str]
"""A text and its tone: "", dim, good, warn or accent."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A line: `draw` gives its parts for a number of cells; `title` and `samples` are what it opens.

    `shares`: what the samples come with is their part of the line's figure. `said` is the line in full.
    """

    draw: Callable[[int], Sequence[Part]]
    title: str = ""
    samples: Callable[[], list[Sample]] | None = None
    shares: bool = False
    said: str = ""


class Picks(Rows[Pick]):
    """Lines with a cursor; a line that opens nothing may be stood on and says nothing."""

    BASE = "picks--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "picks--row",
        "picks--dim",
        "picks--good",
        "picks--warn",
        "picks--accent",
        "picks--cursor",
    }

    def show(self, picks: Sequence[Pick], *, at: int = 0) -> None:
        """Show these lines, the cursor on one of them."""
        self.put(picks, at)

    def drawn(self, pick: Pick, size: int, *, here: bool) -> list[Segment]:
        """One line."""
        return painted(self, pick.draw(size - 2), size, here=here)


def painted(listed: Lines, parts: Sequence[Part], size: int, *, here: bool) -> list[Segment]:
    """The parts of a line in the styles of their tones; under the cursor all of it in one."""
    cursor = listed.part("picks--cursor") if here else None
    return [
        Segment(text, cursor or listed.part(f"picks--{tone or 'row'}"))
        for text, tone in fitted([("▸ " if here else "  ", ""), *parts], size)
    ]


def fitted(parts: Sequence[Part], size: int) -> list[Part]:
    """The parts in exactly `size` cells, the last one cut with an ellipsis or the line filled up."""
    kept: list[Part] = []
    for text, tone in parts:
        if size <= 0:
            break
        text = text if width(text) <= size else fit(text, size)
        kept.append((text, tone))
        size -= width(text)
    return [*kept, (" " * size, "")] if size > 0 else kept


def bar(value: float, most: float, half: int) -> str:
    """A bar from the middle to the left or right, `2 · half + 1` cells; its full length stands for `most`."""
    steps = round(2 * half * abs(value) / most) if most else 0
    if value and not steps:
        steps = 1
    blocks = "█" * (steps // 2) + ("▌" if value > 0 else "▐") * (steps % 2)
    if value > 0:
        return " " * half + "│" + blocks.ljust(half)
    if value < 0:
        blocks = blocks[::-1]
    return blocks.rjust(half) + "│" + " " * half


def level(count: int, most: int, size: int) -> str:
    """A bar from the left, `size` cells for `most`."""
    steps = round(2 * size * count / most) if most else 0
    steps = steps or int(count > 0)
    return ("█" * (steps // 2) + "▌" * (steps % 2)).ljust(size)
