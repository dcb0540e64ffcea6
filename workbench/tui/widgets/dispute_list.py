"""The list of the Disputes screen: who disagrees on which sample, by how much, and where it stands."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.segment import Segment

from workbench.text.figures import delta, value
from workbench.tui.cells import fit, width
from workbench.tui.disputes_text import SIGNS, moved, sign
from workbench.tui.ids import short
from workbench.tui.safe import flat
from workbench.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from workbench.stages.disputes import Dispute

VALUE, DELTA, MOVES = 5, 6, 7  # cells of the columns; numbers are right-aligned
LEAST_NAME, MOST_BETWEEN, ROOMY = 10, 32, 100


class Columns(NamedTuple):
    """Cells for rank, sample and between, and for the note (0: left out)."""

    rank: int
    name: int
    between: int
    note: int


def plan(size: int, rows: Sequence[Dispute]) -> Columns:
    """The columns of a row of `size` cells; the note is there in a wide terminal, names are cut last."""
    rank = max(4, len(str(rows[-1].rank)) if rows else 0)
    between = min(max((width(flat(one.between)) for one in rows[:1000]), default=7), MOST_BETWEEN)
    left = size - 2 - rank - 1 - 2 - 2 - 2 * VALUE - DELTA - MOVES - 1
    between = max(7, min(between, left - LEAST_NAME - 1))
    left -= between + 1
    if size < ROOMY:
        return Columns(rank, max(4, left), between, 0)
    longest = max((width(short(one.id, size)) for one in rows[:1000]), default=LEAST_NAME)
    name = max(LEAST_NAME, min(longest, left // 2))
    return Columns(rank, name, between, max(0, left - name - 2))


class DisputeList(Rows["Dispute"]):
    """Disputes in their order; what moves the figure most stands first."""

    BASE = "disputes--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "disputes--row",
        "disputes--dim",
        "disputes--good",
        "disputes--warn",
        "disputes--cursor",
    }

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._columns: tuple[int, Columns] | None = None

    @property
    def columns(self) -> Columns:
        """The columns at this width."""
        return self._planned(self.scrollable_content_region.width)

    def _planned(self, size: int) -> Columns:
        if self._columns is None or self._columns[0] != size:
            self._columns = size, plan(size, self.rows)
        return self._columns[1]

    def show(self, rows: Sequence[Dispute], at: Dispute | None = None) -> None:
        """Show these, the cursor on `at`, else on the line it was on."""
        self._columns = None
        self.put(rows, self.cursor if at is None else self._place(rows, at))

    def _place(self, rows: Sequence[Dispute], at: Dispute) -> int:
        """Its line, by its rank; one that has another rank since it was read is looked for."""
        place = bisect_left(rows, at.rank, key=attrgetter("rank"))
        if place < len(rows) and rows[place].key == at.key:
            return place
        same = (i for i, one in enumerate(rows) if one.sample_id == at.sample_id and one.key == at.key)
        return next(same, self.cursor)

    def drawn(self, one: Dispute, size: int, *, here: bool) -> list[Segment]:
        """One dispute."""
        columns = self._planned(size)
        cursor = self.part("disputes--cursor") if here else None
        row, dim = cursor or self.part("disputes--row"), cursor or self.part("disputes--dim")
        name = fit(short(one.id, columns.name), columns.name)
        numbers = [("·", VALUE), ("·", VALUE), ("·", DELTA), ("·", MOVES)]
        if not one.hidden:
            numbers = [
                (value(one.first), VALUE), (value(one.second), VALUE),
                (delta(one.delta), DELTA), (moved(one.moves), MOVES),
            ]  # fmt: skip
        *values, moves = [fit(text, room, right=True) for text, room in numbers]
        said = flat(one.note or one.says) if columns.note else ""
        return [
            Segment("▸ " if cursor else "  ", row),
            Segment(fit("·" if one.hidden else str(one.rank), columns.rank, right=True) + " ", dim),
            Segment(sign(one) + " ", cursor or self.part(SIGNS[sign(one)].part)),
            Segment(name + " ", row),
            Segment(fit(flat(one.between), columns.between) + " ", dim),
            Segment("".join(values), row),
            Segment(moves + " ", dim),
            Segment(" " + fit(said, columns.note) if columns.note else "", dim),
        ]


def column_names(columns: Columns) -> str:
    """The line above the disputes."""
    rank, name, between, note = columns
    line = f"  {fit('rank', rank)}   {fit('sample', name)} {fit('between', between)} "
    numbers = f"{'1st':>{VALUE}}{'2nd':>{VALUE}}{'Δ':>{DELTA}}{'moves':>{MOVES}}"
    return line + numbers + ("  said" if note else "")
