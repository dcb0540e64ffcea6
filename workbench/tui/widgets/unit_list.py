"""The units of a sample: what counts, with which label, found or not and by which rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from textual import events
from textual.message import Message

from workbench.model import Unit
from workbench.reports.units import unit_symbol, verdict
from workbench.text.cells import cut_middle, fit, width, wrap
from workbench.text.safe import flat
from workbench.tui.widgets.lines import Lines, Toned, in_lines

RowPart = Literal["sign", "label", "verdict"]
"""The parts of a row that a click acts on."""

LEAST_TEXT = 18
"""Cells of wording below which the labels are shortened."""


class UnitList(Lines[Unit]):
    """One unit a row (a statement up to three lines), the cursor on the one that keys act on."""

    @dataclass
    class Pressed(Message):
        """A part of a unit's row was clicked."""

        index: int
        part: RowPart

    revealed: tuple[Unit, ...] = ()
    _nothing = ""
    _statements = False
    _wrapped: Sequence[Sequence[str]] = ()
    """The lines of each statement."""
    _columns: UnitColumns  # planned before the first line is drawn
    _of_revealed: UnitColumns
    _planned = 0

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
        self.refresh_lines(self.scroll_offset.y)  # drawing it says that this generation is painted
        self.redraw()

    def lay_out(self) -> None:
        """Columns for what there is, and each statement in its lines."""
        size = self.scrollable_content_region.width
        self._planned = size
        self._columns = columns = self.plan(size)
        self._of_revealed = UnitList.plan(self, size)  # however the rows above are planned
        self._wrapped = [in_lines(flat(unit.text), columns.text) for unit in self.rows if self._statements]
        heights = [len(lines) for lines in self._wrapped] or [1] * len(self.rows)
        self.lay(heights, 1 + len(self.revealed) if self.revealed else 0)

    def plan(self, size: int) -> UnitColumns:
        """The columns of `size` cells."""
        return plan(size, (*self.rows, *self.revealed), statements=self._statements)

    def parts(self, line: int, size: int) -> Toned:
        """A line of a unit, of the revealed proposals, or what to do when there is no unit."""
        if size != self._planned:  # a terminal that grows in steps: planned before its last size was known
            self.lay_out()
        if not self.rows and not self.revealed:
            lines = wrap(self._nothing, size)
            text = self._nothing[slice(*lines[line])] if line < len(lines) else ""
            return [(text, "dim")]
        index = self.entry_at(line)
        if index < 0:
            return self._revealed_line(line - self._firsts[-1], size)
        unit, part = self.rows[index], line - self._firsts[index]
        if not part:
            return self._unit_line(unit, index)
        return [("    ", ""), (self._wording(unit, index, part), "" if unit.counted else "struck")]

    def _unit_line(self, unit: Unit, index: int) -> Toned:
        """The first line of a unit."""
        columns = self._columns
        sign = "dim" if not unit.counted else "good" if unit.spans else "warn"
        label = "" if self._statements else fit(flat(unit.label), columns.label) + "  "
        text = flat(verdict(unit.match, words=columns.words)) if unit.counted else ""
        return [
            ("▸ " if index == self.cursor else "  ", ""),
            (unit_symbol(unit) + " ", sign),
            (fit(self._wording(unit, index, 0), columns.text) + "  ", "" if unit.counted else "struck"),
            (label, "dim"),
            (fit(text, columns.verdict), verdict_tone(unit)),
        ]

    def _wording(self, unit: Unit, index: int, part: int) -> str:
        if self._statements:
            return self._wrapped[index][part]
        return cut_middle(flat(unit.text), self._columns.text)

    def _revealed_line(self, line: int, size: int) -> Toned:
        if not self.revealed or line > len(self.revealed):
            return []
        if line == 0:
            return [(fit("  the machine had proposed", size), "dim")]
        unit, columns = self.revealed[line - 1], self._of_revealed
        label = "" if self._statements else fit(flat(unit.label), columns.label) + "  "
        row = f"  · {fit(flat(unit.text), columns.text)}  {label}"
        return [(row + fit(flat(verdict(unit.match, words=columns.words)), columns.verdict), "dim")]

    def on_click(self, event: events.Click) -> None:
        """The base moves the cursor; a click on the sign, the label or the verdict acts on it."""
        offset = event.get_content_offset(self)
        line = offset.y + self.scroll_offset.y if offset else 0
        index = self.entry_at(line)
        if offset is None or index < 0 or line != self._firsts[index]:
            return  # outside, or a further line of a statement
        if (part := self._columns.part_at(offset.x)) is not None:
            self.post_message(self.Pressed(index, part))


def verdict_tone(unit: Unit) -> str:
    """The tone of the verdict on a unit."""
    return "good" if unit.match.verdict == "found" else "warn"


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
