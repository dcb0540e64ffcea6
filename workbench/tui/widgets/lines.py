"""The shared ground of the line-drawn widgets: lists with a cursor that draw only what is visible."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar, Generic, Self, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.css.styles import RenderStyles
from textual.dom import DOMNode
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from workbench.text.cells import cut_words, wrap

REVERSED = Style(reverse=True, dim=False)

Toned = list[tuple[str, str]]
"""Texts of a line with their tones, which the style sheets give a style; "" is that of the row."""


@dataclass
class Painted(Message):
    """The picture of this generation has been drawn by the widget with this id."""

    part: str | None
    generation: int


class LineView(ScrollView, can_focus=False):
    """Lines that are drawn when they are seen."""

    DEFAULT_CSS = """
    LineView { overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }
    """

    virtual_size = Reactive(Size(0, 0), repaint=False)
    """Other lines cost another scroll bar, no layout (15 ms) of a screen whose panes stay where they are."""

    generation = 0
    """The number of the picture; once it is drawn, `Painted` says so."""
    _told = 0

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._looks: dict[str, Style] = {}
        self._seen: dict[int, Strip] = {}
        self._unpainted: dict[int, Strip] = {}  # drawn to see what is different, not yet painted

    def watch_virtual_size(self, size: Size) -> None:
        """Fit the scroll bar, and the widget where it is as high as its lines."""
        self._scroll_update(size)
        if self.styles.auto_dimensions:
            self.refresh(layout=True)

    def look(self, component: str) -> Style:
        """The style of a component; the library finds it anew, in 0.1 ms, after every refresh."""
        if component not in self._looks:
            self._looks[component] = self.get_component_rich_style(component)
        return self._looks[component]

    def get_component_styles(self, *names: str) -> RenderStyles:
        """The styles of components, found when they are first asked for.

        The library finds those in COMPONENT_CLASSES at every change of a class: 28 of a passage, of which
        a screen shows five, took a sixth of the processor time of a review.
        """
        for name in names:
            if name not in self._component_styles:
                node = DOMNode(classes=name)
                node._attach(self)
                self.app.stylesheet.apply(node)
                self._component_styles[name] = node.styles
        return super().get_component_styles(*names)

    def notify_style_update(self) -> None:
        """Another theme has other colours."""
        super().notify_style_update()
        self._looks.clear()
        self._component_styles.clear()

    def drawn_line(self, line: int, size: int) -> Strip:
        """A line, `size` cells wide. A subclass draws it."""
        raise NotImplementedError

    def entitle(self, title: Content) -> None:
        """Set the title in the upper border, and paint that line alone: `border_title` paints the widget."""
        if title != self._border_title:
            self._border_title = title
            self.refresh(Region(-1, -1, self.outer_size.width, 1))  # places count from inside the border

    def redraw(self) -> None:
        """Paint the visible lines that look different now: a frame of all is 4 to 10 KB on a slow line."""
        top, size = self.scroll_offset.y, self.scrollable_content_region.width
        drawn = {y: self.drawn_line(top + y, size) for y in range(self.size.height)}
        changed = {y: strip for y, strip in drawn.items() if self._seen.get(y) != strip}
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))
            self._unpainted = changed

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Paint again: what was drawn before may be out of date."""
        self._unpainted = {}
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_line(self, y: int) -> Strip:
        """One visible line."""
        if self._told != self.generation:
            self._told = self.generation
            self.post_message(Painted(self.id, self.generation))
        line = y + self.scroll_offset.y
        strip = self._unpainted.pop(y, None) or self.drawn_line(line, self.scrollable_content_region.width)
        self._seen[y] = strip
        return strip


Row = TypeVar("Row")


class Lines(LineView, Generic[Row]):
    """Rows of one or more lines each, with a cursor on one of them.

    A subclass says how many lines each takes (`lay`, if not one), and draws a row (`drawn`) or each line
    (`parts`). Moving costs O(visible), whatever the number of rows.
    """

    AT_CURSOR: ClassVar[frozenset[str]] = frozenset()
    """Tones with a style of their own under the cursor; the others stand on its ground there."""

    @dataclass
    class Chosen(Message):
        """The cursor moved to another row by a key or a click; `clicked` says which."""

        clicked: bool

    cursor = 0
    lines = 0
    """How many there are."""
    _firsts: Sequence[int] = ()
    """The first line of each row, and the line behind the last one."""

    def __init__(self, rows: Sequence[Row] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows = rows
        self.lines = len(rows)

    # What a subclass gives.

    def lay(self, heights: Iterable[int], further: int = 0) -> None:
        """Say how many lines each row takes, and how many more there are behind the last one."""
        self._firsts = [0, *accumulate(heights)]
        self.resized(self._firsts[-1] + further)

    def lay_out(self) -> None:
        """Fit columns and wrapped rows to the width there is."""

    def place(self, index: int) -> tuple[int, int]:
        """The first line of a row and how many lines it takes."""
        if not self._firsts:
            return index, 1
        if index >= len(self._firsts) - 1:
            return 0, 1
        return self._firsts[index], self._firsts[index + 1] - self._firsts[index]

    def entry_at(self, line: int) -> int:
        """The row that a line belongs to; -1 behind the last one."""
        if not self._firsts:
            return line if line < self.count else -1
        return bisect_right(self._firsts, line) - 1 if line < self._firsts[-1] else -1

    def drawn(self, row: Row, size: int) -> Toned:
        """The parts of a row behind the two cells for the cursor; `size` counts those too."""
        raise NotImplementedError

    def parts(self, line: int, size: int) -> Toned:
        """The parts of a line of `size` cells, which are padded and cut to it; below the last row nothing."""
        if line >= self.count:
            return []
        return [("▸ " if line == self.cursor else "  ", ""), *self.drawn(self.rows[line], size)]

    # What all of them share.

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

    def resized(self, lines: int) -> None:
        """Say how many lines there are now."""
        self.lines = lines
        self.virtual_size = Size(0, lines)

    def move_to(self, index: int, *, tell: bool = True, clicked: bool = False) -> None:
        """Put the cursor on a row (the nearest there is) and scroll it into view."""
        index = max(0, min(index, self.count - 1))
        before, self.cursor = self.cursor, index
        for changed in {before, index}:
            self.refresh_lines(*self.place(changed))
        self.reveal(index)
        if tell and self.count:
            self.post_message(self.Chosen(clicked))

    def move(self, step: int) -> None:
        """Put the cursor so many rows further, or as far as there are."""
        self.move_to(self.cursor + step)

    def move_page(self, step: int) -> None:
        """Put the cursor a page further, less one line."""
        self.move(step * max(1, self.size.height - 1))

    def move_to_next(self, step: int, wanted: Callable[[Row], object]) -> bool:
        """Put the cursor on the next other row that is wanted, round the end; False where there is none."""
        for distance in range(1, self.count):
            index = (self.cursor + step * distance) % self.count
            if wanted(self.rows[index]):
                self.move_to(index)
                return True
        return False

    def reveal(self, index: int) -> None:
        """Scroll a row into view."""
        if 0 <= index < self.count:
            line, height = self.place(index)
            self.scroll_to_region(Region(0, line, 1, height), animate=False, force=True)

    def drawn_line(self, line: int, size: int) -> Strip:
        """A line, padded and cut to its size."""
        first, height = self.place(self.cursor)
        here = self.count > 0 and first <= line < first + height
        segments = [Segment(text, self._style(tone, here)) for text, tone in self.parts(line, size)]
        strip = Strip(segments).adjust_cell_length(size, self._style("", here))
        if self.app.native_ansi_color and here:  # no shade to lay behind the cursor
            strip = Strip(Segment.apply_style(strip, post_style=REVERSED), size)
        return strip

    def _style(self, tone: str, here: bool) -> Style:
        style = self.look(f"lines--{tone or 'row'}")
        if not here:
            return style
        if tone in self.AT_CURSOR:
            return self.look(f"lines--cursor-{tone}")
        cursor = self.look("lines--cursor")
        return style + cursor.background_style if tone else cursor

    def on_resize(self) -> None:
        """Another width is another picture."""
        self.lay_out()
        self.resized(self.lines)
        self.reveal(self.cursor)

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor there."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = self.entry_at(offset.y + self.scroll_offset.y)
        if 0 <= index < self.count:
            self.move_to(index, clicked=True)


MOST_LINES = 3
"""Lines that a statement takes in a list; its whole text stands elsewhere."""


def in_lines(text: str, size: int, most: int = MOST_LINES) -> list[str]:
    """A text in lines of `size` cells, the last one with an ellipsis where there would be more."""
    places = wrap(text, size)
    lines = [text[start:end] for start, end in places[:most]]
    return lines if len(places) <= most else [*lines[:-1], cut_words(text[places[most - 1][0] :], size)]
