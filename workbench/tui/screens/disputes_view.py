"""The list of disputes on the screen: read, counted where it is not yet, and drawn."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from workbench.tui.disputes_text import detail, filter_parts, hidden_text, nothing_text
from workbench.tui.screens.base import BaseScreen
from workbench.tui.widgets.bars import Bar, ColumnNames, Head, KeyBar, Status, as_text
from workbench.tui.widgets.dispute_list import DisputeList, column_names
from workbench.tui.work import start

if TYPE_CHECKING:
    from workbench.stages.disputes import Dispute, Report
    from workbench.tui.desk import Desk

_RANK = attrgetter("rank")


class DisputesView(BaseScreen):
    """Reads beside the event loop; what is not counted yet is counted there too, and keys go on meanwhile."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.report: Report | None = None
        self.state, self.between = "open", ""
        self._counted: tuple[int, frozenset[int]] = 0, frozenset()
        self._skipped: frozenset[int] = frozenset()

    def compose(self) -> ComposeResult:
        """How many stand where, the list, the one under the cursor in full."""
        yield Head(id="head")
        yield Bar(id="filter")
        yield Static(id="hidden")
        yield ColumnNames(id="columns")
        yield DisputeList(id="disputes")
        yield Static(id="empty")
        yield Static(id="detail")
        yield Status(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Read what is counted; keys wait for it."""
        self.query_one(Head).place("Disputes", self.desk.info.name, self.desk.annotator)
        self.say("reading …")
        self.work(self._begin)

    # Reading.

    def unread(self, error: Exception) -> None:
        """Say how to try again."""
        self.say(f"could not read: {error}; r tries again", sign="!", tone="bad")
        self.bench.open_gate()

    async def _begin(self) -> None:
        """Count the first thousand samples that are not counted, read; count the others while keys go on."""
        from workbench.store.datasets import dataset_info

        info = await self.desk.store.read(dataset_info, self.desk.info.id)  # its run may be another by now
        self.desk = replace(self.desk, info=info)
        self._counted, self._skipped = (0, frozenset[int]()), frozenset[int]()
        more = False
        try:
            more = await self._count_some()
        except Exception as error:  # a database that takes no score: what is counted is read all the same
            self._uncounted(error)
        else:
            self.say("")
        await self._read()
        if more:
            start(self, self._count, group="count", failed=self._uncounted)

    async def _read(self, *, stay: bool = True) -> None:
        """Read the disputes; without `stay` a cursor that nobody moved stays on the first line."""
        from workbench.stages import disputes

        chosen = self.chosen if stay or self.query_one(DisputeList).cursor else None
        self.report = await self.desk.store.read(disputes.disputes, self.desk.info, self.desk.annotator)
        self._show(chosen)

    async def _count_some(self) -> bool:
        """Match the next samples that are not matched; False when there are none."""
        from workbench.stages import dispute_counts as counts

        chunk = await self.desk.store.read(counts.next_uncounted, self.desk.info, self._skipped)
        if chunk is None:
            return False
        known = chunk.run_id, frozenset(chunk.found)
        if self._counted == known:  # text or policy changes under us; they stay uncounted
            self._skipped |= {chunk.run_id}
            return True
        await self.desk.store.write(counts.keep_counted, chunk)
        self._counted = known
        return True

    async def _count(self) -> None:
        done = 0
        while await self._count_some():
            done += len(self._counted[1])
            self.say(f"matching samples … {done:,}")
        if done:
            await self._read(stay=False)
            self.say("")

    def _uncounted(self, error: Exception) -> None:
        self.say(f"some samples are not counted: {error}", sign="!", tone="warn")

    # Showing.

    @property
    def chosen(self) -> Dispute | None:
        """The dispute under the cursor."""
        return self.query_one(DisputeList).chosen

    def _show(self, at: Dispute | None) -> None:
        """The view of the report, the cursor on `at` where the view has it."""
        assert self.report is not None
        rows = self.report.chosen(self.state, self.between)
        said = hidden_text(sum(one.hidden for one in rows))
        hidden = self.query_one("#hidden", Static)
        hidden.update(Content(said))
        hidden.display = bool(said)
        self._list(rows, at)

    def _show_changed(self, now: Dispute, at: Dispute | None) -> None:
        """The view with one dispute as it is now, found by its rank: no key waits for 100,000 others."""
        from workbench.stages.disputes import in_view

        rows = self.query_one(DisputeList).rows
        place = bisect_left(rows, now.rank, key=_RANK)
        after = place + (place < len(rows) and rows[place].rank == now.rank)
        stays = (now,) if in_view(now, self.state, self.between) else ()
        gone = not stays and at is not None and at.key == now.key  # the cursor stays on its line
        self._list((*rows[:place], *stays, *rows[after:]), None if gone else at)

    def _list(self, rows: tuple[Dispute, ...], at: Dispute | None) -> None:
        assert self.report is not None
        listed = self.query_one(DisputeList)
        listed.display = self.query_one(ColumnNames).display = bool(rows)
        empty = self.query_one("#empty", Static)
        empty.display = not rows
        self.query_one("#detail").display = bool(rows)
        empty.update(Content(nothing_text(self.report)))
        listed.show(rows, at)
        self.query_one("#filter", Bar).show(*filter_parts(self.report, self.state, self.between, len(rows)))
        self._explain()
        self.call_after_refresh(self._follow_columns)

    def _explain(self) -> None:
        one = self.chosen
        self.query_one("#detail", Static).update(as_text(detail(one) if one else []))
        self.refresh_bindings()
        self.query_one(KeyBar).refresh()

    def _follow_columns(self) -> None:
        self.query_one(ColumnNames).show(column_names(self.query_one(DisputeList).columns))

    def on_resize(self, event: events.Resize) -> None:
        """Other columns; the list has taken its own by now."""
        super().on_resize(event)
        self.call_after_refresh(self._follow_columns)
