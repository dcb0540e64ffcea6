"""The units of a sample: what counts, with which label, found or not and by which rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message

from workbench.model import Unit
from workbench.reports.units import unit_symbol, verdict
from workbench.text.cells import cut_middle, fit, width, wrap
from workbench.text.safe import flat
from workbench.tui.widgets.lines import RowList

MOST_LINES = 3
"""Lines a statement takes in the list; its whole text stands in the reference and below the list."""

RowPart = Literal["sign", "label", "verdict"]
"""The parts of a row that a click acts on."""

LEAST_TEXT = 18
"""Cells of wording below which the labels are shortened."""


class UnitList(RowList[Unit]):
    """One unit a row (a statement up to three lines), the cursor on the one that keys act on."""

    BASE = "units--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "units--row",
        "units--cursor",
        "units--dim",
        "units--good",
        "units--warn",
        "units--bad",
        "units--rejected",
        "units--nothing",
    }

    class Pressed(Message):
        """A part of a unit's row was clicked."""

        def __init__(self, index: int, part: RowPart) -> None:
            super().__init__()
            self.index = index
            self.part = part

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.revealed: tuple[Unit, ...] = ()
        self._nothing = ""
        self._statements = False
        self._wrapped: list[list[tuple[int, int]]] = []
        self._columns = UnitColumns(8, 6, 8)
        self._planned = 0

    def show(
        self,
        units: Sequence[Unit],
        *,
        revealed: Sequence[Unit] = (),
        nothing: str = "",
        statements: bool = False,
        generation: int,
    ) -> None:
        """Show these units; the cursor stays in its place, or at the end when there are fewer."""
        self.rows, self.revealed = tuple(units), tuple(revealed)
        self._nothing, self._statements = nothing, statements
        self.generation = generation
        self.cursor = max(0, min(self.cursor, len(self.rows) - 1))
        self.lay_out()
        self.redraw()
        self.refresh_lines(self.scroll_offset.y)  # drawing it says that this generation is painted

    def lay_out(self) -> None:
        """Columns for what there is, and each statement in its lines."""
        size = self.scrollable_content_region.width
        self._planned = size
        self._columns = plan(size, (*self.rows, *self.revealed), statements=self._statements)
        self._wrapped = [wrap(flat(unit.text), self._columns.text) for unit in self.rows if self._statements]
        heights = [min(MOST_LINES, len(lines)) for lines in self._wrapped] or [1] * len(self.rows)
        self.lay(heights, 1 + len(self.revealed) if self.revealed else 0)

    def segments(self, line: int, size: int) -> list[Segment]:
        """A line of a unit, of the revealed proposals, or what to do when there is no unit."""
        if size != self._planned:  # a terminal that grows in steps: planned before its last size was known
            self.lay_out()
        if not self.rows and not self.revealed:
            lines = wrap(self._nothing, size)
            text = self._nothing[slice(*lines[line])] if line < len(lines) else ""
            return [Segment(text, self.part("units--nothing"))]
        index = self.entry_at(line)
        if index < 0:
            return self._revealed_line(line - self._firsts[-1], size)
        return self._unit_line(self.rows[index], index, line - self._firsts[index], size)

    def _unit_line(self, unit: Unit, index: int, part: int, size: int) -> list[Segment]:
        base = self.part("units--cursor" if index == self.cursor else "units--row")
        background = base.background_style
        words = base if unit.counted else self.part("units--rejected") + background
        if part:
            return [
                Segment("    ", base),
                Segment(self._wording(unit, index, part), words),
                Segment(" " * size, base),
            ]
        columns = self._columns
        lead = [
            Segment("▸ " if index == self.cursor else "  ", base),
            Segment(unit_symbol(unit) + " ", self._tone(unit) + background),
            Segment(fit(self._wording(unit, index, 0), columns.text) + "  ", words),
        ]
        if not self._statements:
            label = fit(flat(unit.label), columns.label) + "  "
            lead.append(Segment(label, self.part("units--dim") + background))
        text = flat(verdict(unit.match, words=columns.words)) if unit.counted else ""
        return [
            *lead,
            Segment(fit(text, columns.verdict), self._round(unit) + background),
            Segment(" " * size, base),
        ]

    def _wording(self, unit: Unit, index: int, part: int) -> str:
        text = flat(unit.text)
        if not self._statements:
            return cut_middle(text, self._columns.text)
        lines = self._wrapped[index]
        start, end = lines[part]
        if part == MOST_LINES - 1 and len(lines) > MOST_LINES:
            return fit(text[start:end] + " …", self._columns.text)
        return text[start:end]

    def _revealed_line(self, line: int, size: int) -> list[Segment]:
        dim = self.part("units--dim")
        if not self.revealed or line > len(self.revealed):
            return []
        if line == 0:
            return [Segment(fit("  the machine had proposed", size), dim)]
        unit, columns = self.revealed[line - 1], self._columns
        row = f"  · {fit(flat(unit.text), columns.text)}  {fit(flat(unit.label), columns.label)}  "
        return [Segment(row + fit(flat(verdict(unit.match, words=columns.words)), columns.verdict), dim)]

    def on_click(self, event: events.Click) -> None:
        """The base moves the cursor; a click on the sign, the label or the verdict acts on it."""
        offset = event.get_content_offset(self)
        line = offset.y + self.scroll_offset.y if offset else 0
        index = self.entry_at(line)
        if offset is None or index < 0 or line != self._firsts[index]:
            return  # outside, or a further line of a statement
        if (part := self._columns.part_at(offset.x)) is not None:
            self.post_message(self.Pressed(index, part))

    def _tone(self, unit: Unit) -> Style:
        if not unit.counted:
            return self.part("units--dim")
        return self.part("units--warn" if not unit.grounded else "units--good")

    def _round(self, unit: Unit) -> Style:
        names = {"found": "units--good", "missing": "units--bad"}
        return self.part(names.get(unit.match.verdict or "", "units--warn"))


WORDS = 42
"""Cells of the list from which verdicts are written out."""


class UnitColumns(NamedTuple):
    """Cells for the wording, the label and the verdict of a unit; `words`: with room to write it out."""

    text: int
    label: int
    verdict: int
    words: bool = True

    def part_at(self, x: int) -> RowPart | None:
        """The part of a row that is drawn at a cell."""
        label = len("▸ ✓ ") + self.text + 2
        verdict = label + self.label + 2 if self.label else label
        places: dict[RowPart, tuple[int, int]] = {
            "sign": (len("▸ "), len("▸ ✓")),
            "label": (label, label + self.label),
            "verdict": (verdict, verdict + self.verdict),
        }
        return next((part for part, (start, end) in places.items() if start <= x < end), None)


def plan(size: int, units: Sequence[Unit], *, statements: bool = False) -> UnitColumns:
    """What verdicts and labels need (up to 16 and 14 cells), the rest for the wording.

    An entity's wording gets at most 44 cells, or the eye would lose the row; labels give way first.
    """
    words = size >= WORDS
    verdicts = min(16, max((width(verdict(unit.match, words=words)) for unit in units), default=0))
    room = size - len("▸ ✓ ") - len("  ") - verdicts
    if statements:
        return UnitColumns(max(LEAST_TEXT, room), 0, verdicts, words)
    room -= len("  ")
    label = min(14, max((width(flat(unit.label)) for unit in units), default=0))
    least = min(LEAST_TEXT, max((width(flat(unit.text)) for unit in units), default=0))
    label = max(6, min(label, room - least))
    return UnitColumns(max(8, min(44, room - label)), label, verdicts, words)
