"""The queue's list: any number of samples, of which only the visible pages are read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.segment import Segment
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from workbench.model import Tally
from workbench.tui.cells import fit
from workbench.tui.figures import DISPOSITION_SYMBOL, UNDEFINED, delta, value
from workbench.tui.safe import flat
from workbench.tui.widgets.lines import Lines
from workbench.tui.work import start

if TYPE_CHECKING:
    from workbench.stages.review import QueueRow

Load = Callable[[Sequence[int]], Awaitable["dict[int, QueueRow]"]]

PAGE = 100
MARKS = 4
AUTO, VERIFIED, DELTA = 6, 9, 7  # cells of the number columns, right-aligned under their names
KEPT_PAGES = 60


class SampleList(Lines):
    """Samples by id; rows come page by page while they are looked at."""

    BASE = "samples--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "samples--row",
        "samples--cursor",
        "samples--dim",
        "samples--cursor-dim",
        "samples--good",
        "samples--warn",
    }

    class Unread(Message):
        """A page could not be read."""

        def __init__(self, error: Exception) -> None:
            super().__init__()
            self.error = error

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._ids: list[int] = []
        self._load: Load | None = None
        self._pages: dict[int, dict[int, QueueRow]] = {}
        self._stale: set[int] = set()
        self._loading: set[int] = set()

    @property
    def count(self) -> int:
        """How many samples the view holds."""
        return len(self._ids)

    @property
    def chosen(self) -> int | None:
        """The id of the sample under the cursor."""
        return self._ids[self.cursor] if self._ids else None

    def set(self, ids: list[int], load: Load, at: int | None = None) -> None:
        """Show these samples, with the cursor on `at` if it is among them.

        The same samples again are read again, and what was drawn stays until they are there.
        """
        if ids == self._ids and self._load is not None:
            self.reread()
        else:
            self._ids, self._load = ids, load
            self._pages.clear()
            self._stale.clear()
            self.resized(len(ids))
            self.redraw()
        self.go_to(at)

    def go_to(self, sample_id: int | None) -> None:
        """Put the cursor on a sample; on the first one when it is not in this view."""
        found = sample_id is not None and sample_id in self._ids
        self.move_to(self._ids.index(sample_id) if found else 0, tell=False)  # type: ignore[arg-type]

    def reread(self) -> None:
        """Read the visible rows again; the old ones stay until the new ones are there."""
        self._stale = set(self._pages)
        self._drawn.clear()
        self.refresh()

    def row(self, index: int) -> QueueRow | None:
        """The row of a place if it has been read; asks for its page otherwise."""
        page = index // PAGE
        if page not in self._pages or page in self._stale:
            self._want(page)
        return self._pages.get(page, {}).get(self._ids[index])

    def _want(self, page: int) -> None:
        if page in self._loading or self._load is None:
            return
        self._loading.add(page)
        work = partial(self._read, page, self._load, self._ids)
        start(self, work, group="pages", failed=self._failed)

    def _failed(self, error: Exception) -> None:
        self.post_message(self.Unread(error))

    async def _read(self, page: int, load: Load, ids: list[int]) -> None:
        try:
            top, bottom = self.scroll_offset.y // PAGE, (self.scroll_offset.y + self.size.height) // PAGE
            if not top <= page <= bottom:
                return  # scrolled past before its turn came
            rows = await load(ids[page * PAGE : (page + 1) * PAGE])
        finally:
            self._loading.discard(page)
        if ids is not self._ids:
            return  # another view is shown by now
        while len(self._pages) >= KEPT_PAGES:
            del self._pages[next(iter(self._pages))]
        self._pages[page] = rows
        self._stale.discard(page)
        self.redraw()

    def segments(self, line: int, size: int) -> list[Segment]:
        """One sample on one line."""
        if line >= self.count:
            return []
        row = self.row(line)
        at_cursor = line == self.cursor
        base = self.part("samples--cursor" if at_cursor else "samples--row")
        dim = self.part("samples--cursor-dim" if at_cursor else "samples--dim")
        pointer = "▸ " if at_cursor else "  "
        if row is None:
            return [Segment(pointer, base), Segment(fit("…", size - 2), dim)]
        columns = plan(size)
        decided = row.disposition in ("verified", "excluded")
        sign = self.part("samples--good") if row.disposition == "verified" else dim
        flag = self.part("samples--warn") if row.flag else dim
        background = base.background_style
        parts = [
            Segment(pointer, base),
            Segment(DISPOSITION_SYMBOL[row.disposition], sign + background),
            Segment(fit(" " + marks(row), MARKS), flag + background),
            Segment(fit(flat(row.key), columns.key) + "  ", base),
            Segment(fit(flat(row.reference).strip(), columns.text), dim if decided else base),
            Segment(_number(row.automatic, AUTO), dim),
            Segment(_number(row.verified, VERIFIED), base),
            Segment(fit(difference(row), DELTA, right=True), base),
        ]
        if columns.who:
            parts += [Segment("  ", dim), Segment(fit(flat(", ".join(row.annotators)), columns.who), dim)]
        return [*parts, Segment(" ", base)]


def difference(row: QueueRow) -> str:
    """Δ of a decided sample; empty before."""
    if row.delta is None and not (row.automatic and row.verified):
        return ""
    return delta(row.delta) if row.delta is not None else UNDEFINED


def marks(row: QueueRow) -> str:
    """⚑ flagged, then ◇ blind or ↺ to be matched again."""
    return ("⚑" if row.flag else "") + ("◇" if row.blind else "↺" if row.rematch else "")


class Columns(NamedTuple):
    """How many cells each column of a row gets."""

    key: int
    text: int
    who: int


def plan(size: int) -> Columns:
    """The columns of a row of `size` cells; the annotator's goes first when space is short."""
    key = 14 if size < 100 else 20 if size < 160 else 28
    who = 0 if size < 72 else 7 if size < 100 else 14
    used = 2 + 1 + MARKS + key + 2 + AUTO + VERIFIED + DELTA + (2 + who if who else 0) + 1
    return Columns(key, max(4, size - used), who)


def _number(tally: Tally | None, size: int) -> str:
    return fit(value(tally.recall) if tally else "", size, right=True)


class SampleHead(Widget):
    """The names of the columns, above the list."""

    DEFAULT_CSS = """
    SampleHead { height: 1; width: 1fr; }
    """

    def render(self) -> Content:
        """The names, in the places of the columns; the list's scroll bar is left free."""
        columns = plan(self.content_size.width - 1)
        names = " " * (3 + MARKS) + fit("sample", columns.key) + "  " + fit("reference", columns.text)
        names += fit("auto", AUTO, right=True) + fit("verified", VERIFIED, right=True)
        names += fit("Δ", DELTA, right=True)
        return Content(names + ("  " + fit("by", columns.who) if columns.who else ""))
