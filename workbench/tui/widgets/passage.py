"""A text with marked stretches that draws only its visible lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from workbench.text.safe import clean
from workbench.tui.cells import clusters, index_at, steady, width, wrap
from workbench.tui.keys import Hint
from workbench.tui.marks import Mark, MarkedLines, Piece
from workbench.tui.widgets.lines import LineView

LONG = 60
"""Characters from which the chosen stretch is tinted instead of inverted: a whole sentence would shout."""

Stretch = tuple[int, int]
"""From the first code point to behind the last."""


class Passage(LineView):
    """Wrapped text with marks, scrolled by whole lines.

    The text is wrapped once for a width; a mark that moves costs the drawing of the visible lines
    (about 3 ms for 2,000 marks in 50 KB, where one big label takes 180).
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"passage--{role}"
        for role in (
            "text under nothing name mention rejected nested like place here passage chosen chosen-long "
            "found found-odd missing missing-odd open open-odd hint hint-odd code code-odd "
            "heading heading-here rule edge edge-chosen key key-here"
        ).split()
    }

    MARGIN: ClassVar = 0
    """Cells before the text, which a subclass draws."""

    class Clicked(Message):
        """A marked stretch was clicked."""

        def __init__(self, mark: Mark) -> None:
            super().__init__()
            self.mark = mark

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.text = ""
        self._given = ""  # before it was cleaned: cleaning 200 KB anew for every mark costs 4 ms
        self._nothing = ""
        self._marks: tuple[Mark, ...] = ()
        self._places: tuple[Mark, ...] = ()
        self._lines: list[tuple[int, int]] = []
        self._size = Size(0, 0)
        self._wrapped_at = -1
        self._marked: MarkedLines | None = None
        self.hints: tuple[Hint, ...] = ()
        self._hints_by_line: dict[int, list[Hint]] | None = None
        self.selected: tuple[int, int] | None = None
        self._anchor = (0, 0)

    def show(
        self, text: str, marks: Sequence[Mark] = (), *, nothing: str = "", generation: int | None = None
    ) -> None:
        """Show a text (cleaned here) with its marks; `nothing` is said in place of an empty one."""
        marks = tuple(marks)
        if (text, nothing) != (self._given, self._nothing):
            lettered = bool(self.hints or self.selected)
            before = self._drawn
            self._given, self._nothing = text, nothing
            self.text = clean(text)
            self._wrapped_at = -1
            self.hints = ()
            self.selected = None
            self._places = ()
            self._marks, self._marked = marks, None
            self.scroll_to(y=0, animate=False, force=True)
            self._layout(self._room)
            self._drawn = before
            self.redraw()
            if lettered:
                self.refresh()
        else:
            self.mark(marks)
        if generation is not None:
            self.generation = generation
            self.refresh(Region(0, 0, self.size.width, 1))  # drawing it says that this generation is painted

    def mark(self, marks: Sequence[Mark]) -> None:
        """Other marks on the same text."""
        if tuple(marks) != self._marks:
            self._marks, self._marked = tuple(marks), None
            self.redraw()

    @property
    def marks(self) -> tuple[Mark, ...]:
        """What is marked, places apart."""
        return self._marks

    def mark_places(self, places: Sequence[Mark]) -> None:
        """Draw what was searched for over the other marks, until another text is shown."""
        if tuple(places) != self._places:
            self._places, self._marked = tuple(places), None
            self._drawn.clear()
            self.refresh()

    def show_hints(self, hints: Sequence[Hint]) -> None:
        """Draw the codes over the first cells of their stretches; nothing else moves.

        A code is drawn as far as there is room for it before the next one, over the stretch and the blank
        behind it; of a two-letter code on a narrow stretch the second letter shows when the first is typed.
        """
        self.hints, self._hints_by_line = tuple(sorted(hints)), None
        self._drawn.clear()
        self.refresh()

    def visible_span(self) -> tuple[int, int]:
        """The stretch of the text that is on the screen, in code points."""
        top = self.scroll_offset.y
        seen = self._lines[top : top + max(1, self.size.height)]
        return (seen[0][0], seen[-1][1]) if seen and self.text else (0, 0)

    def reveal(self, start: int, end: int) -> None:
        """Scroll so that a stretch can be seen, with some text above it; not at all when it can be."""
        if not self._lines:
            return
        first, last = self._line_of(start), self._line_of(max(start, end - 1))
        top, height = self.scroll_offset.y, self.size.height
        if first < top or last >= top + height:
            self.scroll_to(y=max(0, first - height // 3), animate=False, force=True)

    def page(self, step: int) -> None:
        """Scroll by a page less one line, at once."""
        self.line(step * max(1, self.size.height - 1))

    def line(self, step: int) -> None:
        """Scroll by lines, at once: what is visible then is known before it is drawn."""
        self.scroll_relative(y=step, animate=False, force=True, immediate=True)

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
        self._marked = self._hints_by_line = None
        self._drawn = {}
        self._extend()

    def _extend(self) -> None:
        # Never less than what is visible: as long as all fits, another text costs no layout (15 ms).
        self.virtual_size = Size(0, max(len(self._lines), self.size.height))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The lines of the text at that width, for panes that are as high as their text."""
        return len(wrap(self.text or self._nothing, width))

    def lines_at(self, size: int, most: int) -> int:
        """How many lines the text takes at a width; a text of more lines than `most` is not counted out."""
        if self._wrapped_at == size:
            return min(most, len(self._lines))
        return min(most, len(wrap((self.text or self._nothing)[: most * size], size)))

    def on_resize(self, _event: events.Resize) -> None:
        """Wrap again for another width; a text that fits without the scroll bar gets its column too."""
        size, most = self._room, self.size.width - self.MARGIN
        if size < most and len(wrap(self.text, most)) <= self.size.height:
            size = most
        self._layout(size)
        self._extend()

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width - self.MARGIN

    # What is selected with the mouse: in code points, because the library counts what is drawn.

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A selection may begin here."""
        self._anchor = self._stretch_at(event.screen_offset)

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw what is selected; the characters under the pointer are in it, at both ends."""
        self.selected = None
        if selection is not None and self.text:
            place = self.app.mouse_position
            inside = self.region.contains_point(place)
            self.selected = chosen(
                selection, self._anchor, self._stretch_at(place), len(self.text), inside=inside
            )
        self._drawn.clear()
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that is selected with the mouse, without the line breaks of the wrapping."""
        return (self.text[slice(*self.selected)], "\n") if self.selected else None

    def _stretch_at(self, place: Offset) -> tuple[int, int]:
        """The code points of the character that is drawn at a place of the screen, or nearest to it."""
        corner = self.content_region.offset
        line = max(0, min(place.y - corner.y + self.scroll_offset.y, len(self._lines) - 1))
        return character_at(self.text, *self._lines[line], place.x - corner.x - self.MARGIN)

    def render_line(self, y: int) -> Strip:
        """One visible line."""
        self._layout(self._room)
        return super().render_line(y).apply_offsets(0, y + self.scroll_offset.y)

    @property
    def _base(self) -> Style:
        return self.part("passage--under" if self.hints else "passage--text")

    def drawn_line(self, line: int, size: int) -> Strip:
        """A line with its marks; blank behind the end of the text."""
        base = self._base
        if line >= len(self._lines):
            return Strip.blank(size, base)
        start, end = self._lines[line]
        if not self.text:
            text = clean(self._nothing)[start:end]
            return Strip([Segment(text, self.part("passage--nothing"))]).adjust_cell_length(size, base)
        if self._marked is None:
            self._marked = MarkedLines(self._lines, (*self._marks, *self._places))
        segments = [
            Segment(steady(self.text[piece.start : piece.end]).replace("\t", " "), self._style(piece, base))
            for piece in self._marked.pieces(line, start, end)
        ]
        strip = Strip(segments).adjust_cell_length(size, base)
        if self.hints:
            strip = self._hinted(strip, line)
        if self.selected is not None and self.selected[0] < end and start < self.selected[1]:
            style = self.screen.get_component_rich_style("screen--selection")
            strip = tinted(strip, self.text, start, end, self.selected, style)
        return strip

    def _hinted(self, strip: Strip, line: int) -> Strip:
        if self._hints_by_line is None:
            self._hints_by_line = {}
            for hint in self.hints:
                self._hints_by_line.setdefault(self._line_of(hint.start), []).append(hint)
        start, end = self._lines[line]
        return lettered(strip, self.text, start, end, self._hints_by_line.get(line, ()), self.part)

    def _style(self, piece: Piece, base: Style) -> Style:
        if piece.mark is None:
            return base
        name = f"passage--{piece.mark.role}"
        if piece.mark.chosen and not (self.hints and piece.mark.owner):  # letters are what shines now
            name = "passage--chosen" if piece.mark.end - piece.mark.start <= LONG else "passage--chosen-long"
        elif piece.odd and f"{name}-odd" in self.COMPONENT_CLASSES:
            name += "-odd"
        style = self.part(name)
        if self.hints and piece.mark.role != "here":
            style += Style(color=base.color, bold=False)  # what is left of a word steps back
        if piece.depth:
            nested = self.part("passage--nested")
            style += Style(underline=nested.underline, italic=nested.italic or None)
        return style

    def on_click(self, event: events.Click) -> None:
        """A click on a mark chooses its unit."""
        offset = event.get_content_offset(self)
        if offset is None or self._marked is None:
            return
        line = offset.y + self.scroll_offset.y
        if line < len(self._lines):
            start, end = self._lines[line]
            at = start + index_at(self.text[start:end], max(0, offset.x - self.MARGIN))
            mark = self._marked.mark_at(line, at)
            if mark is not None:
                self.post_message(self.Clicked(mark))


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
