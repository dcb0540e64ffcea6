"""Lists of figures that lead somewhere: every line is drawn for its width, and some open samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment

from workbench.tui.cells import fit, width
from workbench.tui.figures_rows import Sample
from workbench.tui.widgets.lines import Lines

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


class Picks(Lines):
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

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.picks: tuple[Pick, ...] = ()

    @property
    def count(self) -> int:
        """How many lines."""
        return len(self.picks)

    @property
    def chosen(self) -> Pick | None:
        """The line under the cursor."""
        return self.picks[self.cursor] if self.picks else None

    def show(self, picks: Sequence[Pick], *, at: int = 0) -> None:
        """Show these lines, the cursor on one of them."""
        self.picks = tuple(picks)
        self.cursor = max(0, min(at, self.count - 1))
        self._drawn.clear()
        self.resized(self.count)
        self.refresh()
        self.reveal(self.cursor)

    def segments(self, line: int, size: int) -> list[Segment]:
        """One line; under the cursor all of it in one style."""
        if line >= self.count:
            return []
        cursor = self.part("picks--cursor") if line == self.cursor else None
        parts = [("▸ " if cursor else "  ", ""), *self.picks[line].draw(size - 2)]
        return [
            Segment(text, cursor or self.part(f"picks--{tone or 'row'}"))
            for text, tone in fitted(parts, size)
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
