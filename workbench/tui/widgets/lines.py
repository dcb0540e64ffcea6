"""The shared ground of the line-drawn widgets: lists with a cursor that draw only what is visible."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

REVERSED = Style(reverse=True, dim=False)


class Painted(Message):
    """The picture of this generation has been drawn by the widget with this id."""

    def __init__(self, part: str | None, generation: int) -> None:
        super().__init__()
        self.part = part
        self.generation = generation


class LineView(ScrollView, can_focus=False):
    """Lines that are drawn when they are seen, each once until it looks different."""

    DEFAULT_CSS = """
    LineView { overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }
    """

    virtual_size = Reactive(Size(0, 0), repaint=False)
    """Other lines cost another scroll bar, no layout (15 ms) of a screen whose panes stay where they are."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.generation = 0
        """The number of the picture; once it is drawn, `Painted` says so."""
        self._told = 0
        self._room_now = 0
        self._drawn: dict[tuple[int, int], Strip] = {}
        self._parts: dict[str, Style] = {}

    def watch_virtual_size(self, size: Size) -> None:
        """Fit the scroll bar, and the widget where it is as high as its lines."""
        self._scroll_update(size)
        if self.styles.auto_dimensions:
            self.refresh(layout=True)

    def drawn_line(self, line: int, size: int) -> Strip:
        """A line, `size` cells wide. A subclass draws it."""
        raise TypeError(f"{type(self).__name__} does not draw")

    def part(self, name: str) -> Style:
        """The style of a component of the widget, with its background.

        The library finds it anew, in 0.1 ms, after every refresh.
        """
        if name not in self._parts:
            self._parts[name] = self.get_component_rich_style(name)
        return self._parts[name]

    def entitle(self, title: Content) -> None:
        """Set the title in the upper border, and paint that line alone: `border_title` paints the widget."""
        if title != self._border_title:
            self._border_title = title
            self.refresh(Region(-1, -1, self.outer_size.width, 1))  # places count from inside the border

    def redraw(self) -> None:
        """Draw the visible lines again; the library paints those that look different now, at 0.3 ms each."""
        before, self._drawn = self._drawn, {}
        top, size = self.scroll_offset.y, self.scrollable_content_region.width
        # all are compared before one is marked: marking forgets the styles, and finding them takes 0.1 ms
        changed = []
        for y in range(self.size.height):
            old = before.get((top + y, size))
            if old is None or self._line(top + y, size) != old:
                changed.append(Region(0, y, self.size.width, 1))
            else:
                self._drawn[top + y, size] = old  # with what the library keeps of it
        if changed:
            self.refresh(*changed)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Some lines; the library works out anew for each of them how wide it is."""
        self._room_now = self.scrollable_content_region.width
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One visible line, as it was drawn before if it was."""
        if self._told != self.generation:
            self._told = self.generation
            self.post_message(Painted(self.id, self.generation))
        return self._line(y + self.scroll_offset.y, self._room_now)

    def _line(self, line: int, size: int) -> Strip:
        if (line, size) not in self._drawn:
            if len(self._drawn) > 2000:
                self._drawn.clear()
            self._drawn[line, size] = self.drawn_line(line, size)
        return self._drawn[line, size]

    def notify_style_update(self) -> None:
        """A theme change changes every colour."""
        super().notify_style_update()
        self._drawn.clear()
        self._parts.clear()


class Lines(LineView):
    """A column of lines over entries of one or more lines each, with a cursor on one entry.

    A subclass says how many entries there are (`count`), how many lines each takes (`lay`, if not one) and
    draws one line (`segments`). Moving costs O(visible), whatever the number of entries.
    """

    BASE = ""
    """The component that fills a line behind its parts."""

    class Chosen(Message):
        """The cursor moved to an entry by a key or a click; `clicked` says which."""

        def __init__(self, index: int, *, clicked: bool) -> None:
            super().__init__()
            self.index = index
            self.clicked = clicked

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.cursor = 0
        self._lines_now = 0
        self._firsts: list[int] = []  # the first line of each entry, and the line behind the last one

    # What a subclass gives.

    @property
    def count(self) -> int:
        """How many entries there are."""
        raise TypeError(f"{type(self).__name__} does not say its count")

    def lay(self, heights: Iterable[int], further: int = 0) -> None:
        """Say how many lines each entry takes, and how many more there are behind the last one."""
        self._firsts = [0, *accumulate(heights)]
        self.resized(self._firsts[-1] + further)

    def lay_out(self) -> None:
        """Fit columns and wrapped entries to the width there is."""

    def place(self, index: int) -> tuple[int, int]:
        """The first line of an entry and how many lines it takes."""
        if not self._firsts:
            return index, 1
        if index >= len(self._firsts) - 1:
            return 0, 1
        return self._firsts[index], self._firsts[index + 1] - self._firsts[index]

    def entry_at(self, line: int) -> int:
        """The entry that a line belongs to; -1 behind the last one."""
        if not self._firsts:
            return line if line < self.count else -1
        return bisect_right(self._firsts, line) - 1 if line < self._firsts[-1] else -1

    def segments(self, line: int, size: int) -> list[Segment]:
        """The parts of a line, `size` cells in all; they are padded and cut to it."""
        raise TypeError(f"{type(self).__name__} does not draw")

    # What all of them share.

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return self._lines_now

    def resized(self, lines: int) -> None:
        """Say how many lines there are now."""
        self._lines_now = lines
        self.virtual_size = Size(0, lines)

    def move_to(self, index: int, *, tell: bool = True, clicked: bool = False) -> None:
        """Put the cursor on an entry (the nearest there is) and scroll it into view."""
        index = max(0, min(index, self.count - 1))
        before, self.cursor = self.cursor, index
        for changed in {before, index}:
            self._forget(changed)
        self.reveal(index)
        if tell and self.count:
            self.post_message(self.Chosen(index, clicked=clicked))

    def move(self, step: int) -> None:
        """Put the cursor so many entries further, or as far as there are."""
        self.move_to(self.cursor + step)

    def move_page(self, step: int) -> None:
        """Put the cursor a page further, less one line."""
        self.move(step * max(1, self.size.height - 1))

    def reveal(self, index: int) -> None:
        """Scroll an entry into view."""
        if 0 <= index < self.count:
            line, height = self.place(index)
            self.scroll_to_region(Region(0, line, 1, height), animate=False, force=True)

    def _forget(self, index: int) -> None:
        if 0 <= index < self.count:
            line, height = self.place(index)
            for y in range(line, line + height):
                for known in [key for key in self._drawn if key[0] == y]:
                    del self._drawn[known]
            self.refresh_lines(line, height)

    def drawn_line(self, line: int, size: int) -> Strip:
        """A line, padded and cut to its size."""
        strip = Strip(self.segments(line, size)).adjust_cell_length(size, self.part(self.BASE))
        first, height = self.place(self.cursor)
        at_cursor = self.count and first <= line < first + height
        if self.app.native_ansi_color and at_cursor:  # no shade to lay behind the cursor
            strip = Strip(Segment.apply_style(strip, post_style=REVERSED), size)
        return strip

    def on_resize(self, _event: events.Resize) -> None:
        """Another width is another picture."""
        self._drawn.clear()
        self.lay_out()
        self.resized(self._lines_now)
        self.reveal(self.cursor)

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor there."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = self.entry_at(offset.y + self.scroll_offset.y)
        if 0 <= index < self.count:
            self.move_to(index, clicked=True)


Row = TypeVar("Row")


class RowList(Lines, Generic[Row]):
    """Rows, the cursor on one of them. A subclass draws a row (`drawn`), or each line (`segments`)."""

    def __init__(self, rows: Sequence[Row] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows = rows
        self._lines_now = len(rows)

    @property
    def count(self) -> int:
        """How many rows."""
        return len(self.rows)

    @property
    def chosen(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def put(self, rows: Sequence[Row], cursor: int) -> None:
        """Show these, the cursor on the one of that number, or on the nearest there is."""
        self.rows = rows
        self.cursor = max(0, min(cursor, self.count - 1))
        self.resized(self.count)
        self.redraw()
        self.reveal(self.cursor)

    def drawn(self, row: Row, size: int, *, here: bool) -> list[Segment]:
        """The parts of a row, `here` with the cursor on it."""
        raise TypeError(f"{type(self).__name__} does not draw")

    def segments(self, line: int, size: int) -> list[Segment]:
        """The row of a line; below the last one nothing."""
        return self.drawn(self.rows[line], size, here=line == self.cursor) if line < self.count else []
