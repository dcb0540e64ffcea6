"""Two assessments side by side: a row for every unit, with the cause of a difference and its share."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style

from workbench.comparing.explained import shows
from workbench.model import Unit
from workbench.text.figures import UNDEFINED
from workbench.tui.cells import fit, width, wrap
from workbench.tui.figures import ROUND
from workbench.tui.safe import flat
from workbench.tui.why_text import adding_up, cause_of
from workbench.tui.widgets.lines import RowList

if TYPE_CHECKING:
    from workbench.comparing.causes import UnitRow
    from workbench.stages.why import Why

MOST_LINES = 3
"""Lines a statement takes; its whole text stands below the list."""

SHARE = 5
UNITLESS = {"untraced": "(your number − our recount)", "rounding": "(rounding in the file)"}
"""The rows about the number of a file as a whole, in the place of two units."""

LONG = 100
"""Cells of the list from which a cause is written with its part."""


class CauseColumns(NamedTuple):
    """Cells for the wording on each side and for the cause; `long` when the cause has its part."""

    text: int
    cause: int
    long: bool


class CauseList(RowList["UnitRow"]):
    """One row for two linked units or one without a link, the cursor on the one that is explained below."""

    BASE = "causes--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "causes--row",
        "causes--cursor",
        "causes--dim",
        "causes--good",
        "causes--warn",
        "causes--cause",
    }

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.shares: list[str] = []
        self.columns = CauseColumns(8, 8, False)
        self._statements = False
        self._wrapped: dict[tuple[int, bool], list[str]] = {}

    def show(self, why: Why) -> None:
        """Show these rows, the cursor on the largest share."""
        self.rows = tuple(one for one in why.rows if shows(one.cause, one.share))
        self._statements = why.kind == "statement"
        known = [one.share or Fraction(0) for one in self.rows]
        self.shares = [UNDEFINED for _ in self.rows] if why.delta is None else adding_up(known, why.delta)
        self.cursor = max(range(len(known)), key=lambda index: abs(known[index]), default=0)
        self.lay_out()
        self.redraw()
        self.reveal(self.cursor)

    def next_difference(self, step: int) -> None:
        """To the next row that has a cause, round the end."""
        for distance in range(1, self.count + 1):
            index = (self.cursor + step * distance) % self.count
            if self.rows[index].cause:
                self.move_to(index)
                return

    def lay_out(self) -> None:
        """Columns for what there is, and the wordings in their lines."""
        size = self.scrollable_content_region.width
        self.columns = plan(size, self.rows)
        self._wrapped = {}
        for index, one in enumerate(self.rows):
            for ours, unit in ((True, one.automatic), (False, one.verified)):
                self._wrapped[index, ours] = self._wrap(unit)
        self.lay(
            max(len(self._wrapped[index, True]), len(self._wrapped[index, False]))
            for index in range(len(self.rows))
        )

    def _wrap(self, unit: Unit | None) -> list[str]:
        text, size = flat(unit.text) if unit else "—", self.columns.text
        if not self._statements:
            return [fit(text, size)]
        lines = [text[start:end] for start, end in wrap(text, size)]
        if len(lines) > MOST_LINES:
            lines = [*lines[: MOST_LINES - 1], lines[MOST_LINES - 1] + " …"]
        return [fit(line, size) for line in lines]

    def segments(self, line: int, size: int) -> list[Segment]:
        """A line of a row."""
        index = self.entry_at(line)
        if index < 0:
            return []
        part = line - self._firsts[index]
        one, here = self.rows[index], index == self.cursor
        base = self.part("causes--cursor" if here else "causes--row")
        back = base.background_style
        words = base if one.cause or here else self.part("causes--dim") + back
        parts = [Segment("▸ " if here and not part else "  ", base)]
        unitless = one.automatic is None and one.verified is None
        if unitless:
            room = 2 * (len("● ") + self.columns.text + len("  "))
            parts.append(Segment(fit(UNITLESS[one.cause], room), words))
        for ours, unit in () if unitless else ((True, one.automatic), (False, one.verified)):
            wrapped = self._wrapped[index, ours]
            text = wrapped[part] if part < len(wrapped) else " " * self.columns.text
            sign = ROUND.get(unit.match.verdict or "", "·") if unit and not part else " "
            dim = self.part("causes--dim") + back
            parts += [
                Segment(f"{sign} ", self._tone(unit) + back),
                Segment(text, words if unit else dim),
                Segment("  ", base),
            ]
        cause = "" if part else cause_of(one, long=self.columns.long)
        share = self.shares[index] if one.cause and not part else ""
        return [
            *parts,
            Segment(fit(cause, self.columns.cause), self.part("causes--cause") + back),
            Segment("  " + fit(share, SHARE, right=True), base),
        ]

    def _tone(self, unit: Unit | None) -> Style:
        return self.part("causes--good" if unit and unit.match.verdict == "found" else "causes--warn")


def column_names(columns: CauseColumns) -> str:
    """The line above the rows."""
    text, cause, _ = columns
    names = f"    {fit('automatic', text)}    {fit('verified', text)}  {fit('cause', cause)}"
    return f"{names}  {fit('share', SHARE, right=True)}"


def plan(size: int, rows: Sequence[UnitRow]) -> CauseColumns:
    """What the causes need, the rest in two halves for the wordings, at most 44 cells each.

    What is left over goes to the causes, so that the shares stand at the right edge.
    """
    long = size >= LONG
    cause = max((width(cause_of(one, long=long)) for one in rows), default=0)
    room = size - len("▸ ") - 2 * len("● ") - 3 * len("  ") - SHARE
    text = max(8, min(44, (room - max(cause, len("cause"))) // 2))
    return CauseColumns(text, room - 2 * text, long)
