"""A text with marked stretches that draws only its visible lines, and all contexts in one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from workbench.model import Evidence, Span
from workbench.text.cells import clusters, cut, index_at, steady, width, wrap
from workbench.text.marks import Mark, MarkedLines, Piece
from workbench.text.safe import clean
from workbench.tui.keys import Hint
from workbench.tui.widgets.lines import LineView

LONG = 60
"""Characters from which the chosen stretch is tinted instead of inverted: a whole sentence would shout."""

ROOM = "·"
"""Takes the place of a letter while a text is wrapped: a character of one cell that is no blank."""

ODD = ("found", "missing", "open")
"""What looks a little different in every other one of two that touch."""

Stretch = tuple[int, int]
"""From the first code point to behind the last."""


class Passage(LineView):
    """Wrapped text with marks, scrolled by whole lines.

    The text is wrapped once for a width; a mark that moves costs the drawing of the visible lines
    (about 3 ms for 2,000 marks in 50 KB, where one big label takes 180).
    """

    MARGIN: ClassVar = 0
    """Cells before the text, which a subclass draws."""

    @dataclass
    class Clicked(Message):
        """A marked stretch was clicked."""

        mark: Mark

    text = ""
    marks: tuple[Mark, ...] = ()
    """What is marked, places apart."""
    hints: tuple[Hint, ...] = ()
    selected: Stretch | None = None
    _given = ""
    """The text before it was cleaned: cleaning 200 KB anew for every mark costs 4 ms."""
    _nothing = ""
    _places: tuple[Mark, ...] = ()
    _lines: Sequence[Stretch] = ()
    _wrapped_at = -1
    _marked: MarkedLines | None = None
    _hint_at: Mapping[int, Hint] = {}
    _slots: Sequence[int] = ()
    _anchor = 0, 0

    def show(
        self, text: str, marks: Sequence[Mark] = (), *, nothing: str = "", generation: int | None = None
    ) -> None:
        """Show a text (cleaned here) with its marks; `nothing` is said in place of an empty one."""
        if (text, nothing) != (self._given, self._nothing):
            self._given, self._nothing = text, nothing
            self.text = clean(text)
            self._wrapped_at = -1
            self.hints, self._slots = (), []
            self.selected = None
            self._marked, self._places = None, ()
            self._layout(self._room)
            self.scroll_to(y=0, animate=False, force=True, immediate=True)
        if generation is not None:
            self.generation = generation
            self.refresh(Region(0, 0, self.size.width, 1))  # drawing it says that this generation is painted
        self.mark(marks)

    def mark(self, marks: Sequence[Mark]) -> None:
        """Other marks on the same text."""
        if tuple(marks) != self.marks or self._marked is None:
            self.marks, self._marked = tuple(marks), None
            self.redraw()

    def mark_places(self, places: Sequence[Mark]) -> None:
        """Draw what was searched for over the other marks, until another text is shown."""
        if tuple(places) != self._places:
            self._places, self._marked = tuple(places), None
            self.redraw()

    def show_hints(self, hints: Sequence[Hint]) -> None:
        """Draw the next letter of each code before its stretch; the text makes room for it.

        While there are hints the room stays, so that nothing moves from one letter to the next.
        """
        slots = sorted({*self._slots, *(hint.start for hint in hints)}) if hints else []
        self.hints, self._hint_at = tuple(sorted(hints)), {hint.start: hint for hint in hints}
        if slots != self._slots:
            self._slots, self._wrapped_at = slots, -1
            self._layout(self._room)
        self.redraw()

    def visible_span(self) -> Stretch:
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

    def _line_of(self, offset: int) -> int:
        return max(0, bisect_right(self._lines, (offset, len(self.text) + 1)) - 1)

    def _layout(self, size: int) -> None:
        if size <= 0 or self._wrapped_at == size:
            return
        self._wrapped_at = size
        self._lines = self._wrap(size)
        self._marked = None
        self._extend()

    def _wrap(self, size: int) -> list[Stretch]:
        if not self._slots:
            return wrap(self.text or clean(self._nothing), size)
        edges = [0, *self._slots, len(self.text)]
        with_room = ROOM.join(self.text[a:b] for a, b in pairwise(edges))
        places = [slot + number for number, slot in enumerate(self._slots)]
        return [
            (start - bisect_left(places, start), end - bisect_left(places, end))
            for start, end in wrap(with_room, size)
        ]

    def _extend(self) -> None:
        self.virtual_size = Size(0, len(self._lines))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The lines of the text at that width, for panes that are as high as their text."""
        return len(wrap(self.text or self._nothing, width))

    def lines_at(self, size: int, most: int) -> int:
        """How many lines the text takes at a width; a text of more lines than `most` is not counted out."""
        if self._wrapped_at == size:
            return min(most, len(self._lines))
        return min(most, len(wrap((self.text or self._nothing)[: most * size], size)))

    def on_resize(self) -> None:
        """Wrap again for another width; a text that fits without the scroll bar gets its column too."""
        size, most = self._room, self.size.width - self.MARGIN
        auto = self.styles.scrollbar_gutter == "auto"
        if auto and size < most and len(wrap(self.text, most)) <= self.size.height:
            size = most
        if size != self._wrapped_at:
            self._layout(size)
            self.redraw()  # a scroll bar that came leaves the lines of before in sight
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
            point = self.app.mouse_position
            inside = self.region.contains_point(point)
            self.selected = chosen(
                selection, self._anchor, self._stretch_at(point), len(self.text), inside=inside
            )
        self.redraw()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that is selected with the mouse, without the line breaks of the wrapping."""
        return (self.text[slice(*self.selected)], "\n") if self.selected else None

    def _stretch_at(self, point: Offset) -> Stretch:
        """The code points of the character that is drawn at a place of the screen, or nearest to it."""
        corner = self.content_region.offset
        line = max(0, min(point.y - corner.y + self.scroll_offset.y, len(self._lines) - 1))
        return character_at(self.text, *self._lines[line], point.x - corner.x - self.MARGIN)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The visible lines, of the text wrapped for the width that there is by now."""
        self._layout(self._room)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One visible line."""
        return super().render_line(y).apply_offsets(0, y + self.scroll_offset.y)

    def _look(self, name: str) -> Style:
        return self.look(f"passage--{name}")

    @property
    def _base(self) -> Style:
        return self._look("under" if self.hints else "text")

    def drawn_line(self, line: int, size: int) -> Strip:
        """A line with its marks; blank behind the end of the text."""
        base = self._base
        if line >= len(self._lines):
            return Strip.blank(size, base)
        start, end = self._lines[line]
        if not self.text:
            text = clean(self._nothing)[start:end]
            return Strip([Segment(text, self._look("nothing"))]).adjust_cell_length(size, base)
        if self._marked is None:
            self._marked = MarkedLines(self._lines, (*self.marks, *self._places))
        pieces = self._marked.pieces(line, start, end)
        segments = [segment for piece in pieces for segment in self._segments(piece, base)]
        strip = Strip(segments).adjust_cell_length(size, base)
        if self.selected is not None and self.selected[0] < end and start < self.selected[1]:
            style = self.screen.get_component_rich_style("screen--selection")
            strip = tinted(strip, self.text, start, end, self.selected, style)
        return strip

    def _segments(self, piece: Piece, base: Style) -> Iterator[Segment]:
        """A piece in its style, the letters before its tokens in theirs."""
        style, at = self._style(piece, base), piece.start
        first = bisect_left(self._slots, piece.start)
        for slot in self._slots[first : bisect_left(self._slots, piece.end)]:
            hint = self._hint_at.get(slot)
            name = "hint" if hint and len(hint.code) == 1 else "code"
            yield Segment(self._words(at, slot), style)
            yield Segment(hint.left[:1] if hint else " ", self._look(name) if hint else style)
            at = slot
        yield Segment(self._words(at, piece.end), style)

    def _words(self, start: int, end: int) -> str:
        return steady(self.text[start:end]).replace("\t", " ")

    def _style(self, piece: Piece, base: Style) -> Style:
        if piece.mark is None:
            return base
        name = piece.mark.role
        if piece.mark.chosen and not (self.hints and piece.mark.owner):  # letters are what shines now
            name = "chosen" if piece.mark.end - piece.mark.start <= LONG else "chosen-long"
        elif piece.odd and name in ODD:
            name += "-odd"
        style = self._look(name)
        if self.hints and piece.mark.role != "here":
            style += Style(color=base.color, bold=False)  # what is left of a word steps back
        if piece.depth:
            nested = self._look("nested")
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


class Marked:
    """Lines with marks, put together from parts."""

    def __init__(self) -> None:
        self.text = ""
        self.marks: list[Mark] = []

    def add(self, text: str, role: str = "") -> None:
        """More of the last line."""
        if role:
            self.marks.append(Mark(len(self.text), len(self.text) + len(text), role))
        self.text += text

    def line(self, text: str = "", marks: Iterable[Mark] = ()) -> None:
        """Another line; it may be several."""
        self.text += "\n" if self.text else ""
        lead = len(self.text)
        self.marks += [mark._replace(start=mark.start + lead, end=mark.end + lead) for mark in marks]
        self.text += text

    def heading(self, text: str, size: int) -> None:
        """A rule with words in it."""
        self.line()
        self.add("── ", "rule")
        self.add(text, "heading")
        self.add(" " + "─" * (size - width(text) - len("──  ")), "rule")


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


MOST = 100_000
"""Code points that are wrapped at once: of larger samples only the contexts around the one in sight."""

BETWEEN = "\n\n"
"""The empty line between two contexts is where a heading is drawn."""


class Contexts(Passage):
    """The contexts below each other; `offset_of` and `place_of` lead to its own text and back."""

    MARGIN = 1

    first = 0
    """The first context that is in the text, counted from 0."""
    current = 0
    _contexts: tuple[str, ...] = ()
    _starts: Sequence[int] = (0,)
    headings: tuple[str, ...] = ()

    def take(self, contexts: tuple[str, ...], current: int) -> None:
        """These contexts, or those around the current one; `put` shows them."""
        if contexts is not self._contexts or not self.first <= current <= self.last:
            self._contexts = contexts
            self.first, last = window([len(text) for text in contexts], current)
            sizes = (len(text) + len(BETWEEN) for text in contexts[self.first : last - 1])
            self._starts = [*accumulate(sizes, initial=0)]

    def put(self, headings: tuple[str, ...], current: int, marks: Sequence[Mark], nothing: str) -> None:
        """Show what was taken, each context below its heading."""
        if (headings, current) != (self.headings, self.current):
            self.headings, self.current, self._marked = headings, current, None  # drawn with the marks
        self.show(BETWEEN.join(self._contexts[self.first : self.last + 1]), marks, nothing=nothing)

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
        if line < len(self._lines) and self.headings:
            start, end = self._lines[line]
            number = self._number_at(start + len(BETWEEN) - 1)
            if start == end and number and start == self._starts[number] - 1:
                return self._heading(self.first + number, size)
        strip = super().drawn_line(line, size - self.MARGIN)
        marks = self._marked.of_line(line) if self._marked is not None else []
        roles = {mark.chosen for mark in marks if mark.role == "mention"}
        name = "edge-chosen" if True in roles else "edge"
        return Strip.join([Strip([Segment("▌" if roles else " ", self._look(name))]), strip])

    def _heading(self, context: int, size: int) -> Strip:
        here = "-here" if context == self.current else ""
        text = cut(self.headings[context], size - 4)
        parts = [
            Segment(" ", self._look("text")),
            Segment(text, self._look(f"heading{here}")),
            Segment(" " + "─" * size, self._look("rule")),
        ]
        return Strip(parts).adjust_cell_length(size, self._look("text"))


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
