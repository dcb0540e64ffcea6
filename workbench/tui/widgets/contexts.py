"""All contexts of a sample in one scroll: headings between them, evidence marked in the margin."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from rich.segment import Segment
from textual.strip import Strip

from workbench.model import Evidence, Span
from workbench.tui.cells import cut
from workbench.tui.marks import Mark
from workbench.tui.widgets.passage import Passage

MOST = 100_000
"""Code points that are wrapped at once: of larger samples only the contexts around the one in sight."""

BETWEEN = "\n\n"
"""The empty line between two contexts is where a heading is drawn."""


class Contexts(Passage):
    """The contexts below each other; `offset_of` and `place_of` lead to its own text and back."""

    MARGIN = 1

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.first = 0
        """The first context that is in the text, counted from 0."""
        self.current = 0
        self._contexts: tuple[str, ...] = ()
        self._starts: list[int] = [0]
        self._headings: tuple[str, ...] = ()

    def take(self, contexts: tuple[str, ...], current: int) -> None:
        """These contexts, or those around the current one; `put` shows them."""
        if contexts is not self._contexts or not self.first <= current <= self.last:
            self._contexts = contexts
            self.first, last = window([len(text) for text in contexts], current)
            self._starts = [0]
            for text in contexts[self.first : last - 1]:
                self._starts.append(self._starts[-1] + len(text) + len(BETWEEN))

    def put(self, headings: tuple[str, ...], current: int, marks: Sequence[Mark], nothing: str) -> None:
        """Show what was taken, each context below its heading."""
        other = (headings, current) != (self._headings, self.current)
        self._headings, self.current = headings, current
        self.show(BETWEEN.join(self._contexts[self.first : self.last + 1]), marks, nothing=nothing)
        if other:
            self.redraw()

    @property
    def last(self) -> int:
        """The last context that is in the text."""
        return self.first + len(self._starts) - 1

    def offset_of(self, context: int, start: int = 0) -> int | None:
        """Where a place of a context is in the text; None while that context is not in it."""
        number = context - self.first
        return self._starts[number] + start if 0 <= number < len(self._starts) else None

    def place_of(self, span: Span) -> Evidence:
        """A stretch of the text as a place of the context that it begins in."""
        number = self._number_at(span.start)
        context, start = self.first + number, self._starts[number]
        end = min(span.end - start, len(self._contexts[context]))
        return Evidence(context, span.start - start, end)

    def _number_at(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def _lines_of(self, number: int) -> tuple[int, int]:
        """The first line of a context and the one behind its last."""
        end = self._starts[number + 1] - len(BETWEEN) + 1 if number + 1 < len(self._starts) else None
        first = self._line_of(self._starts[number])
        return first, len(self._lines) if end is None else self._line_of(end)

    @property
    def in_sight(self) -> range:
        """The contexts that are on the screen, at least in part."""
        start, end = self.visible_span()
        return range(self.first + self._number_at(start), self.first + self._number_at(end) + 1)

    def seen(self, context: int) -> tuple[int, int, int]:
        """Of the lines of a context the first and the last that are visible, and how many it has."""
        first, end = self._lines_of(context - self.first)
        top = self.scroll_offset.y
        return max(top, first) - first + 1, min(top + self.size.height, end) - first, end - first

    def go_to(self, context: int) -> None:
        """Scroll to the beginning of a context that is in the text."""
        line = self._lines_of(context - self.first)[0]
        self.scroll_to(y=line, animate=False, force=True, immediate=True)

    def drawn_line(self, line: int, size: int) -> Strip:
        """A heading, or a line of text behind its margin."""
        if line < len(self._lines) and self._headings:
            start, end = self._lines[line]
            number = self._number_at(start + len(BETWEEN) - 1)
            if start == end and number and start == self._starts[number] - 1:
                return self._heading(self.first + number, size)
        strip = super().drawn_line(line, size - self.MARGIN)
        marks = self._marked.of_line(line) if self._marked is not None else []
        roles = {mark.chosen for mark in marks if mark.role == "mention"}
        name = "passage--edge-chosen" if True in roles else "passage--edge"
        return Strip.join([Strip([Segment("▌" if roles else " ", self.part(name))]), strip])

    def _heading(self, context: int, size: int) -> Strip:
        here = "-here" if context == self.current else ""
        text = cut(self._headings[context], size - 4)
        parts = [
            Segment(" ", self.part("passage--text")),
            Segment(text, self.part(f"passage--heading{here}")),
            Segment(" " + "─" * size, self.part("passage--rule")),
        ]
        return Strip(parts).adjust_cell_length(size, self.part("passage--text"))


def window(sizes: Sequence[int], at: int) -> tuple[int, int]:
    """The contexts around one that are shown with it: the first, and the one behind the last."""
    if not sizes:
        return 0, 0
    first, last, room = at, at + 1, MOST - sizes[at]
    grew = True
    while grew:
        grew = False
        if last < len(sizes) and sizes[last] <= room:
            room, last, grew = room - sizes[last], last + 1, True
        if first and sizes[first - 1] <= room:
            room, first, grew = room - sizes[first - 1], first - 1, True
    return first, last
