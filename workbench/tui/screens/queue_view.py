"""The queue's view: which samples are shown in which order, read beside the event loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from workbench.text.figures import many
from workbench.text.query import META, Query
from workbench.tui.cells import cut
from workbench.tui.keys import shown
from workbench.tui.safe import flat
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import ConfirmScreen
from workbench.tui.widgets.bars import DIM, Head, KeyBar, Part, Status
from workbench.tui.widgets.queue_lines import ProgressLine
from workbench.tui.widgets.sample_columns import SampleHead
from workbench.tui.widgets.sample_list import SampleList
from workbench.tui.work import on_stage, start

if TYPE_CHECKING:
    from workbench.stages.queue import Order, Progress
    from workbench.tui.desk import Desk

ABOVE, BELOW = 40, 100
"""Samples before and from the next undecided one that are shown while the whole view is being read."""

NAME = 32
"""Cells of a dataset's name, so that what is said of the view has room at 80 columns."""

SAY_READING = 0.3
"""Seconds after which a view that is still being read is mentioned."""

ORDERS: dict[Order, str] = {
    "u": "random order",
    "doubt": "doubtful first",
    "delta": "largest Δ first",
    "file": "file order",
}

OFF_PLAN = """\
Reviews made in another order than the {own} one cannot stand for the whole dataset: no estimate is \
made from them. They are marked as picked by hand (◌).
"""

NO_DATASET = """\
There is no dataset here yet.

  workbench import FILE      bring in samples (JSONL, CSV, a ragas or deepeval file)
  workbench demo             look around with a small ready-made dataset
"""


class ViewScreen(BaseScreen):
    """Shows the samples that fit a query in an order. One view is read at a time, the newest wish next."""

    def __init__(self) -> None:
        super().__init__()
        self.desk: Desk | None = None
        self.query_shown = Query()
        self.order: Order = "u"
        self.progress: Progress | None = None
        self._wanted: tuple[int | None, bool] | None = None
        self._reading = False
        self._held = False
        self._whole = False
        self._edge: int | None = None
        self._asked: set[int] = set()
        self._slow: Timer | None = None

    @property
    def samples(self) -> SampleList:
        """The list."""
        return self.query_one(SampleList)

    # What the app says.

    async def begin(self, desk: Desk) -> None:
        """The dataset is open: show the samples around the next undecided one, then read them all."""
        self.desk = desk
        self.query_shown, self.order = Query(), "u"
        self.progress, self._whole, self._edge = None, False, None
        first = await desk.first(ABOVE, BELOW)
        samples = self.samples
        samples.forget()
        samples.set(first.ids, desk, first.at, rows=first.rows)
        self._say_empty("")
        self._draw_head()
        self._view(first.at)
        self.query_one(KeyBar).refresh()

    def refuse(self, why: str, *, missing: bool = False) -> None:
        """The dataset cannot be opened: say what to do."""
        self._say_empty(f"{NO_DATASET}\n{why}" if missing else why)
        self.query_one(Head).show((("Workbench", "bold"),))
        if not missing:
            self.say("could not open the database", sign="!", tone="bad")

    def returned(self, at: int | None, said: str) -> None:
        """Back from a review: what was decided may have changed the view."""
        self.say(said)
        if self._changes_by_deciding():
            self._view(at, stay=True)
        else:
            self.samples.go_to(at)
            self.samples.reread()
            self._count()

    def _changes_by_deciding(self) -> bool:
        fixed = ("text", "id", "lang", "group")
        return self.order == "delta" or any(
            term.field not in fixed and not term.field.startswith(META) for term in self.query_shown.terms
        )

    # Reading.

    def _view(self, at: int | None, *, stay: bool = False, hold: bool = False) -> None:
        """Read the view as it is wanted now; with `hold` keys wait until it is shown."""
        if hold:
            self._held = True
            self.bench.gate.close()
        self._wanted = at, stay
        if not self._reading:
            self._reading = True
            self._slow = self.set_timer(SAY_READING, partial(self.query_one(Status).say, "reading …"))
            start(self, self._read_views, group="view", failed=self._unread)

    async def _read_views(self) -> None:
        try:
            while self._wanted is not None:
                (at, stay), self._wanted = self._wanted, None
                await self._show(at, stay=stay)
        finally:
            self._reading = False
            self._said_reading()
            if self._held:
                self._held = False
                self.bench.open_gate()
        self._count()

    async def _show(self, at: int | None, *, stay: bool) -> None:
        desk = self.desk
        assert desk is not None
        query, order = self.query_shown, self.order
        ids = await desk.ids(query, order)
        if self._wanted is not None or desk is not self.desk:
            return  # something else is wanted by now
        samples = self.samples
        samples.set(ids, desk, at, stay=stay)
        self._whole = True
        if self._edge is not None:
            samples.move_to((samples.count - 1) * self._edge)
            self._edge = None
        self._say_empty(why_empty(query) if query and not ids else "")
        self._draw_head()
        if order == "doubt":
            self._say_undoubted(await desk.undoubted())

    def _said_reading(self) -> None:
        if self._slow is not None:
            self._slow.stop()
            self._slow = None
        for status in self.query(Status):
            if status.text == "reading …":
                status.clear()

    def _say_undoubted(self, number: int) -> None:
        if number:
            said = f"{number:,} samples come last: they were never counted (workbench score counts them)"
            self.say(said, sign="!", tone="warn")

    def _count(self) -> None:
        """Read how far one is."""
        start(self, self._read_progress, group="progress", only_newest=True, failed=self._unread)

    async def _read_progress(self) -> None:
        desk = self.desk
        assert desk is not None
        self.progress = await desk.progress()
        pace, planned = await desk.pace(), await desk.planned()
        if not self.progress.total:
            self._say_empty("This dataset has no samples.\n\n  workbench import FILE      brings some in")
        self.query_one(ProgressLine).show(self.progress, pace, planned)
        self._draw_head()

    def _unread(self, error: Exception) -> None:
        self.say(f"could not read: {error} (r reads again)", sign="!", tone="bad")

    def not_opened(self, error: Exception) -> None:
        """Something could not be read that keys wait for."""
        self._unread(error)
        self.bench.open_gate()

    def on_sample_list_unread(self, event: SampleList.Unread) -> None:
        """A page could not be read."""
        event.stop()
        self._unread(event.error)

    def on_sample_list_arrived(self, event: SampleList.Arrived) -> None:
        """The first rows say how much room ids need."""
        event.stop()
        self.query_one(SampleHead).show(self.order, self.samples.key_size, yours=self.samples.yours)

    # Drawing.

    def _draw_head(self) -> None:
        desk = self.desk
        assert desk is not None
        self.query_one(SampleHead).show(self.order, self.samples.key_size, yours=self.samples.yours)
        parts: list[Part] = [(cut(flat(desk.info.name), NAME), "bold")]
        if self.progress is not None and self._whole:
            total, here = self.progress.total, self.samples.count
            count = many(total, "sample")
            parts.append((f"  {count}" if here == total else f"  {here:,} of {count}", DIM))
        if self.order != "u":
            parts.append((f"  {ORDERS[self.order]}", "$accent"))
        if self.off_plan:
            parts.append(("  ◌ picked by hand", "$warning"))
        self.query_one(Head).show(tuple(parts), ((f"as {flat(desk.annotator)}", DIM),))

    def _say_empty(self, text: str) -> None:
        empty = self.query_one("#empty", Static)
        empty.update(Content("\n".join(map(flat, text.split("\n")))))
        empty.display = bool(text)
        self.samples.display = not text
        self.query_one(SampleHead).display = not text

    # Orders.

    @property
    def off_plan(self) -> bool:
        """Whether a review begun from this view could not stand for the whole dataset."""
        return self.order != "u" or self.query_shown.hand_picked

    def view_desk(self) -> Desk:
        """The desk for a review that goes on in this view."""
        from workbench.tui.desk import View

        desk = self.desk
        assert desk is not None
        if self.order == "u" and not self.query_shown:
            return desk
        through = self.query_shown.decided or self.order == "delta"
        return replace(desk, view=View(self.samples.ids, through, self.off_plan))

    def choose_order(self, order: Order) -> None:
        """Show the view in another order; asked once, for what it means."""
        if order != self.order:
            self._once_agreed(order, partial(self._in_order, order))

    def _once_agreed(self, order: Order, show: Callable[[], None]) -> None:
        assert self.desk is not None
        if order in ("u", self.order) or self.desk.info.id in self._asked:
            show()
        else:
            go_on = partial(self._agree, self.desk.info.id, show)
            own = "plan's" if self.query_one(ProgressLine).has_plan else "random"
            title = f"Leave the {own} order for: {ORDERS[order]}?"
            self._ask(ConfirmScreen(title, OFF_PLAN.format(own=own), go_on))

    def _agree(self, dataset: int, go_on: Callable[[], None]) -> None:
        self._asked.add(dataset)
        go_on()

    def _in_order(self, order: Order) -> None:
        self.order = order
        at = self.samples.chosen if order in ("u", "file") else None
        self._view(at, hold=True)

    def _ask(self, dialog: ConfirmScreen) -> None:
        self.bench.gate.close()
        start(self, partial(self.bench.ask, dialog), group="work")

    def on_sample_head_clicked(self, event: SampleHead.Clicked) -> None:
        """A click on the name of a column."""
        event.stop()
        order = event.order

        async def choose() -> None:
            self.choose_order(order)

        if on_stage(self) and self.desk is not None:
            self.app.call_later(self.bench.gate.enter, choose)


def why_empty(query: Query) -> str:
    """What to do about a view without samples."""
    lines = ["No sample fits this search."]
    fields = {term.field for term in query.terms}
    if query.by_value:
        lines.append("delta, auto, verified and cause are known of decided samples only.")
    if "disputed" in query.marks:
        lines.append("is:disputed: values differ by more than .10, people differ, or somebody flagged it.")
    if "lang" in fields:
        lines.append("lang: goes by the language that a sample's meta names.")
    if query.marks & {"stale", "offplan", "flagged", "fast"}:
        lines.append("is: and flag: go by your own reviews.")
    lines += ["", f"{shown('escape')} shows all samples, / changes the search, v lists what there is."]
    return "\n".join(lines)
