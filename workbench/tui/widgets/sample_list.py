"""The queue's list: any number of samples, of which only the visible pages are read; its columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, cast

from textual.content import Content
from textual.message import Message

from workbench.model import Imported, Tally
from workbench.reports.units import effect
from workbench.scoring.names import SCORERS, scorer_name
from workbench.text.cells import DISPOSITION_SYMBOL, fit, short, width
from workbench.text.figures import UNDEFINED, delta, value
from workbench.text.query import Order
from workbench.text.safe import flat, is_hash
from workbench.tui.widgets.bars import OneLine
from workbench.tui.widgets.lines import Lines, Toned
from workbench.tui.work import start

if TYPE_CHECKING:
    from workbench.stages.desk import Desk
    from workbench.stages.disputes import Dispute
    from workbench.stages.queue import QueueRow
    from workbench.tui.bench import Bench

MARKS = 5
AUTO, VERIFIED, DELTA = 5, 9, 6
"""Cells of the values, right-aligned under `auto`, or `yours`, and `verified`, and of their difference."""
CAUSE = 13
WHO, ENOUGH = 12, 40
"""Cells of annotators, twice as many at most where a question has more than enough."""
LEAST_TEXT = 28
"""Cells of the question below which other columns give way."""


EFFECT, DISPUTED, STATE = 7, 12, 9
"""Cells of what a dispute changes the mean by, of both its values and of its state without a note."""
SMALL = 70
"""Cells below which a row has no room for who disagrees."""

Sorting = Literal[Order, "disputes"]
"""The orders of the queue, and the view of what disagrees."""


def dispute_columns(size: int) -> tuple[int, int, int]:
    """The cells of a question, of who disagrees (none in a small window) and of a state in `size` cells."""
    who, state = (30, 30) if size >= 110 else (21 if size >= SMALL else 0, STATE)
    return max(4, size - 8 - EFFECT - DISPUTED - who - state), who, state


def sides_of(dispute: Dispute, column: str) -> str:
    """Who disagrees; `column` of the file is yours."""
    names = {column: "yours", "flag": "flagged", "annotators": "people"}
    sides = (side.removeprefix("run:") for side in dispute.between.split("~"))
    return flat(" – ".join(names.get(side) or scorer_name(side) for side in sides))


class Column(NamedTuple):
    """A column of the list: its cells, after a gap, and what a row has in them, with its tone.

    `order` is the one that sorts the list by it. A name may be `wide`: by a cell of the column before it.
    """

    name: str
    cells: int
    of: Callable[[QueueRow], tuple[str, str]]
    order: Sorting | None = None
    right: bool = False
    gap: int = 0
    wide: int = 0


def columns_of(size: int, key_size: int) -> dict[str, int]:
    """The cells that columns get of a row of `size` cells for ids of `key_size`; 0: left out.

    The question comes first. The others take what it leaves, in their order here, and then the annotators
    up to twice as much. A narrow column may fit where one before it did not. Ids of size 0 say nothing.
    """
    room = max(4, size - (2 + 1 + MARKS + AUTO + VERIFIED + DELTA + 1))
    key = max(6, min(key_size, 20 if size < 160 else 28)) if key_size else 0
    taken = {}
    for name, cells in (("cause", CAUSE), ("sample", key), ("by", WHO)):
        taken[name] = cells if cells <= room - 2 - LEAST_TEXT else 0
        room -= taken[name] + 2 if taken[name] else 0
    more = min(WHO, max(0, room - ENOUGH)) if taken["by"] else 0
    return taken | {"question": room - more, "by": taken["by"] + more}


def marks(row: QueueRow) -> str:
    """⚑ flagged; ◇ blind or ↺ to be matched again; § stale; ◌ picked by hand.

    Last ≠ people differ; with assignments ◷ held by others, else ½ decided by some and not by this one.
    """
    kind = "◇" if row.blind else "↺" if row.rematch else ""
    half = 0 < row.places[0] < row.places[1] and not row.own
    team = "≠" if row.differs else "◷" if row.held else "½" if half else ""
    own = ("§" if row.stale else "") + ("◌" if row.off_plan else "")
    return ("⚑" if row.flag else "") + kind + own + team


PAGE = 100
KEPT = 6_000
"""Rows that are kept; a screen shows 60 at most."""

LEAD = 3
"""A view opens with the cursor at least a few lines down, as far as there are samples above it."""


class SampleList(Lines[int]):
    """Samples by id; rows come page by page while they are looked at."""

    AT_CURSOR: ClassVar = frozenset({"dim"})

    key_size: int | None = None
    """The room for ids; None before the first rows are there."""
    column = ""
    """Of the file, whose values are yours; "" without."""
    """Whether the automatic values came with the file."""
    order: Sorting = "u"
    disputes: Mapping[int, Dispute] = {}
    rows: array[int]
    """The samples of the view in order; nobody changes it."""
    _desk: Desk | None = None
    """What the list reads from."""

    class Arrived(Message):
        """Rows are there; with the first ones, how much room ids need."""

    def __init__(self, unread: Callable[[Exception], None]) -> None:
        """`unread` gets the error when a page cannot be read."""
        super().__init__(array("q"), id="samples")
        self._unread = unread
        self._known: dict[int, QueueRow] = {}
        self._causes: dict[int, str] = {}
        self._fresh: set[int] = set()
        self._loading: set[int] = set()

    # What it shows.

    def set(
        self,
        ids: array[int],
        desk: Desk,
        at: int | None = None,
        *,
        rows: Mapping[int, QueueRow] | None = None,
        stay: bool = False,
    ) -> None:
        """Show these samples, with the cursor on `at` and that sample on the line where it was.

        Rows that were drawn stay until they are read again; `rows` are fresh ones of all of `ids`. When `at`
        is not among them the cursor goes to the first one, or with `stay` keeps its place.
        """
        line = self.cursor - self.scroll_offset.y if self.rows else LEAD
        same_place = self.cursor if stay else 0
        self._desk = desk
        if ids != self.rows:
            self.rows = ids
            self.resized(len(ids))
        self._fresh = set()
        if rows is not None:
            self._fresh = set(range(-(-len(ids) // PAGE)))
            self._take(rows)
        self.redraw()
        index = self._place_of(at)
        index = same_place if index is None else index
        self.scroll_to(y=index - line, animate=False, force=True, immediate=True)
        self.move_to(index, tell=False)

    def _place_of(self, sample_id: int | None) -> int | None:
        try:
            return None if sample_id is None else self.rows.index(sample_id)
        except ValueError:
            return None

    def go_to(self, sample_id: int | None) -> None:
        """Put the cursor on a sample, if it is in this view."""
        index = self._place_of(sample_id)
        if index is not None:
            self.move_to(index, tell=False)

    def reread(self) -> None:
        """Read the visible rows again; the old ones stay until the new ones are there."""
        self._fresh.clear()
        self.redraw()

    def forget(self) -> None:
        """Another dataset: nothing of this one is kept."""
        self.key_size, self.order, self.column = None, "u", ""
        self._known.clear()
        self._causes.clear()

    @property
    def differ(self) -> bool:
        """Whether people differ in a sample that has been read and that this person may settle."""
        return any(row.differs and row.settles for row in self._known.values())

    def row(self, index: int) -> QueueRow | None:
        """The row of a place if it has been read; asks for its page otherwise."""
        page = index // PAGE
        if page not in self._fresh:
            self._want(page)
        return self._known.get(self.rows[index])

    @property
    def who_disagrees(self) -> str:
        """In the sample under the cursor, where no column says it whole."""
        if (dispute := self.disputes.get(self.chosen or 0)) is None:
            return ""
        who = sides_of(dispute, self.column)
        return who if width(who) > dispute_columns(self.size.width)[1] else ""

    # Reading.

    def _want(self, page: int) -> None:
        if page in self._loading or self._desk is None:
            return
        self._loading.add(page)
        work = partial(self._read, page, self._desk, self.rows)
        start(self, work, group="pages", failed=self._unread)

    async def _read(self, page: int, desk: Desk, ids: array[int]) -> None:
        try:
            top, bottom = self.scroll_offset.y // PAGE, (self.scroll_offset.y + self.size.height) // PAGE
            if not top <= page <= bottom:
                return  # scrolled past before its turn came
            values = await cast("Bench", self.app).loaded("values")
            rows = await values.rows(desk, ids[page * PAGE : (page + 1) * PAGE].tolist())
        finally:
            self._loading.discard(page)
        if ids is not self.rows:
            self.redraw()  # another view is shown by now, and it may want the same page
            return
        self._take(rows)
        self._fresh.add(page)
        self.redraw()
        if differing := [sample_id for sample_id, row in rows.items() if row.delta]:
            info = (await desk.fresh()).info  # they take longer than the rows, which are there
            self._causes |= await desk.store.read(values.main_causes, info, desk.annotator, differing)
            self.redraw()

    def _take(self, rows: Mapping[int, QueueRow]) -> None:
        column = next((row.scorer for row in rows.values() if row.scorer not in SCORERS), self.column)
        if len(self._known) + len(rows) > KEPT or self.column not in ("", column):  # a newer run came in
            self._known.clear()
            self._causes.clear()
            self._fresh.clear()
        self._known.update(rows)
        for sample_id, row in rows.items():
            if not row.delta:
                self._causes.pop(sample_id, None)
        self.column = column
        if self.key_size is None and rows:
            self.key_size = max(width(_id(row, PAGE)) for row in rows.values())
        self.post_message(self.Arrived())

    # Drawing.

    def parts(self, line: int, size: int) -> Toned:
        """One sample on one line."""
        if line >= self.count:
            return []
        row = self.row(line)
        pointer = "▸ " if line == self.cursor else "  "
        if row is None:
            return [(pointer, ""), (fit("…", size - 2), "dim")]
        parts = [(pointer, "")]
        for column in self.columns(size, disputed=row.sample_id in self.disputes):
            text, tone = column.of(row)
            parts.append((" " * column.gap + fit(text, column.cells, right=column.right), tone))
        return parts

    def columns(self, size: int, *, disputed: bool) -> list[Column]:
        """Those of a row of `size` cells from left to right, after the pointer."""
        if disputed:
            at, (question, who, state) = self.disputes, dispute_columns(size)
            return [
                Column("effect", EFFECT, lambda row: (effect(at[row.sample_id]), ""), right=True),
                Column("question", question + 2, lambda row: (fit(_question(row)[0], question), ""), gap=2),
                Column("who disagrees", who, lambda row: (sides_of(at[row.sample_id], self.column), "dim")),
                Column("values", DISPUTED, lambda row: (_values(at[row.sample_id]), ""), right=True),
                Column("state", state, lambda row: _state(at[row.sample_id], state), gap=2),
            ]
        cells = columns_of(size, self.key_size or 0)
        key, auto = cells["sample"], "yours" if self.column else "auto"
        columns = [
            Column("", 1, _sign),
            Column("", MARKS, lambda row: (" " + marks(row), "warn" if row.flag or row.stale else "dim")),
            Column("sample", key and key + 2, lambda row: (_id(row, key), ""), "file"),
            Column("question", cells["question"], _question, None if key else "file"),
            Column(auto, AUTO, lambda row: (_recall(row.automatic), "dim"), "doubt", right=True, wide=1),
            Column("verified", VERIFIED, lambda row: (_recall(row.verified), ""), right=True),
            Column("Δ", DELTA, lambda row: (difference(row), ""), "delta", right=True),
            Column("cause", cells["cause"], self._cause, gap=2),
            Column("by", cells["by"], lambda row: (flat(", ".join(row.annotators)), "dim"), gap=2),
        ]
        return [column for column in columns if column.cells or not column.gap]

    def _cause(self, row: QueueRow) -> tuple[str, str]:
        return self._causes.get(row.sample_id, "") if row.delta else "", "dim"


def difference(row: QueueRow) -> str:
    """Δ of a decided sample; empty before."""
    if row.delta is None and not (row.automatic and row.verified):
        return ""
    return delta(row.delta) if row.delta is not None else UNDEFINED


def _sign(row: QueueRow) -> tuple[str, str]:
    return DISPOSITION_SYMBOL[row.disposition], "good" if row.disposition == "verified" else "dim"


def _id(row: QueueRow, size: int) -> str:
    """In at most `size` cells; empty for a hash, where the question tells the sample."""
    return "" if is_hash(row.key) and row.question else short(row.key, size)


def _question(row: QueueRow) -> tuple[str, str]:
    asked = flat(row.question or row.beginning).strip()
    return asked, "dim" if row.disposition in ("verified", "excluded") else ""


def _recall(counted: Tally | Imported | None) -> str:
    return value(counted.recall) if counted else ""


def _values(dispute: Dispute) -> str:
    size = DISPUTED // 2
    return fit(value(dispute.first), size, right=True) + fit(value(dispute.second), size, right=True)


def _state(dispute: Dispute, size: int) -> tuple[str, str]:
    """With its note where there is room."""
    differs = dispute.stands != dispute.state
    state = dispute.state + "?" * differs
    if size > STATE:
        state = flat(f"{dispute.stands}: {dispute.note}" if dispute.note else dispute.stands)
    return state, "warn" if differs or dispute.state == "open" else "dim"


class SampleHead(OneLine):
    """The names of the columns, above the list; the one that it is ordered by is marked."""

    def __init__(self, listed: SampleList) -> None:
        super().__init__(id="columns")
        self._listed = listed

    def render(self) -> Content:
        """The names, in the places of the columns; the list's scroll bar is left free.

        Nothing before the first rows say how much room ids need: the names would jump.
        """
        listed = self._listed
        if listed.key_size is None:
            return Content("")
        columns = listed.columns(self.content_size.width - 1, disputed=listed.order == "disputes")
        parts = [("  ", "")]
        for column, after in zip(columns, (*columns[1:], None), strict=True):
            here = column.order == listed.order
            marked = f"▾{column.name}" if column.right else f"{column.name} ▾"
            size = column.gap + column.cells + column.wide - (after.wide if after else 0)
            name = " " * column.gap * (not column.right) + (marked if here else column.name)
            parts.append((fit(name, size, right=column.right), "bold $accent" if here else ""))
        return Content.assemble(*parts)
