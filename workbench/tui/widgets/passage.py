"""A text with marked stretches that draws only its visible lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from workbench.text.safe import clean
from workbench.tui.cells import index_at, steady, width, wrap
from workbench.tui.marks import Mark, MarkedLines, Piece

LONG = 60
"""Characters from which the chosen stretch is tinted instead of inverted: a whole sentence would shout."""


class Passage(ScrollView, can_focus=False):
    """Wrapped text with marks, scrolled by whole lines.

    The text is wrapped once for a width; a mark that moves costs the drawing of the visible lines
    (about 3 ms for 2,000 marks in 50 KB, where one big label takes 180).
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "passage--text",
        "passage--found",
        "passage--missing",
        "passage--open",
        "passage--found-odd",
        "passage--missing-odd",
        "passage--open-odd",
        "passage--rejected",
        "passage--mention",
        "passage--chosen",
        "passage--chosen-long",
        "passage--nothing",
    }
    DEFAULT_CSS = """
    Passage { overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }
    """

    class Clicked(Message):
        """A marked stretch was clicked."""

        def __init__(self, owner: str) -> None:
            super().__init__()
            self.owner = owner

    class Painted(Message):
        """The text of this generation has been drawn."""

        def __init__(self, generation: int) -> None:
            super().__init__()
            self.generation = generation

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.text = ""
        self.generation = 0
        self._nothing = ""
        self._told = 0
        self._marks: tuple[Mark, ...] = ()
        self._lines: list[tuple[int, int]] = []
        self._size = Size(0, 0)
        self._wrapped_at = -1
        self._marked: MarkedLines | None = None
        self._drawn: dict[int, Strip] = {}

    def show(
        self, text: str, marks: Sequence[Mark] = (), *, nothing: str = "", generation: int | None = None
    ) -> None:
        """Show a text (cleaned here) with its marks; `nothing` is said in place of an empty one."""
        text = clean(text)
        if text != self.text or nothing != self._nothing:
            self.text, self._nothing = text, nothing
            self._wrapped_at = -1
            self.scroll_to(y=0, animate=False, force=True)
        self._marks = tuple(marks)
        self._marked = None
        self._drawn.clear()
        if generation is not None:
            self.generation = generation
        self._layout(self.scrollable_content_region.width)
        self.refresh()

    def mark(self, marks: Sequence[Mark]) -> None:
        """Other marks on the same text."""
        self._marks, self._marked = tuple(marks), None
        self._drawn.clear()
        self.refresh()

    def reveal(self, start: int, end: int) -> None:
        """Scroll so that a stretch can be seen, with some text above it; not at all when it can be."""
        if not self._lines:
            return
        first, last = self._line_of(start), self._line_of(max(start, end - 1))
        top, height = self.scroll_offset.y, self.size.height
        if first < top or last >= top + height:
            self.scroll_to(y=max(0, first - height // 3), animate=False, force=True)

    def page(self, step: int) -> None:
        """Scroll by a page less one line."""
        self.scroll_relative(y=step * max(1, self.size.height - 1), animate=False, force=True)

    @property
    def lines(self) -> int:
        """How many lines the text takes."""
        return len(self._lines)

    def _line_of(self, offset: int) -> int:
        return max(0, bisect_right(self._lines, (offset, len(self.text) + 1)) - 1)

    def _layout(self, size: int) -> None:
        if size <= 0 or self._wrapped_at == size:
            return
        self._wrapped_at = size
        self._lines = wrap(self.text or clean(self._nothing), size)
        self._marked = None
        self._drawn.clear()
        self._extend()

    def _extend(self) -> None:
        # Never less than what is visible: as long as all fits, another text costs no layout (15 ms).
        self.virtual_size = Size(0, max(len(self._lines), self.size.height))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The lines of the text at that width, for panes that are as high as their text."""
        return len(wrap(self.text or self._nothing, width))

    def on_resize(self, _event: events.Resize) -> None:
        """Wrap again for another width."""
        self._layout(self.scrollable_content_region.width)
        self._extend()

    def notify_style_update(self) -> None:
        """A theme change changes every colour."""
        super().notify_style_update()
        self._drawn.clear()

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw what is selected with the mouse."""
        self._drawn.clear()
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that is selected with the mouse, without the line breaks of the wrapping."""
        lines = [steady(self.text[start:end]) for start, end in self._lines]
        return " ".join(selection.extract("\n".join(lines)).split("\n")), "\n"

    def render_line(self, y: int) -> Strip:
        """One visible line."""
        if self._told != self.generation:
            self._told = self.generation
            self.post_message(self.Painted(self.generation))
        size = self.scrollable_content_region.width
        self._layout(size)
        line = y + self.scroll_offset.y
        base = self.get_component_rich_style("passage--text")
        if line >= len(self._lines):
            return Strip.blank(size, base)
        strip = self._drawn.get(line)
        if strip is None:
            strip = self._draw(line, size, base)
            self._drawn[line] = strip
        return strip.apply_offsets(0, line)

    def _draw(self, line: int, size: int, base: Style) -> Strip:
        start, end = self._lines[line]
        if not self.text:
            text = clean(self._nothing)[start:end]
            return Strip(
                [Segment(text, self.get_component_rich_style("passage--nothing"))]
            ).adjust_cell_length(size, base)
        if self._marked is None:
            self._marked = MarkedLines(self._lines, self._marks)
        segments = [
            Segment(steady(self.text[piece.start : piece.end]).replace("\t", " "), self._style(piece, base))
            for piece in self._marked.pieces(line, start, end)
        ]
        strip = Strip(segments).adjust_cell_length(size, base)
        if self.text_selection is not None and (span := self.text_selection.get_span(line)) is not None:
            strip = self._selected(strip, *span)
        return strip

    def _selected(self, strip: Strip, first: int, last: int) -> Strip:
        text = strip.text
        left = width(text[:first])
        right = strip.cell_length if last == -1 else width(text[:last])
        before, chosen, after = (
            strip.crop(0, left),
            strip.crop(left, right),
            strip.crop(right, strip.cell_length),
        )
        return Strip.join(
            [before, chosen.apply_style(self.screen.get_component_rich_style("screen--selection")), after]
        )

    def _style(self, piece: Piece, base: Style) -> Style:
        if piece.mark is None:
            return base
        name = f"passage--{piece.mark.role}"
        if piece.mark.chosen:
            name = "passage--chosen" if piece.mark.end - piece.mark.start <= LONG else "passage--chosen-long"
        elif piece.odd and f"{name}-odd" in self.COMPONENT_CLASSES:
            name += "-odd"
        style = self.get_component_rich_style(name)
        if piece.depth:
            style += Style(underline=True)
        return style

    def on_click(self, event: events.Click) -> None:
        """A click on a mark chooses its unit."""
        offset = event.get_content_offset(self)
        if offset is None or self._marked is None:
            return
        line = offset.y + self.scroll_offset.y
        if line < len(self._lines):
            start, end = self._lines[line]
            owner = self._marked.owner_at(line, start + index_at(self.text[start:end], offset.x))
            if owner:
                self.post_message(self.Clicked(owner))
