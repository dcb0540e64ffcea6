"""The queue: every sample of a dataset, where it stands, and how far one is."""

from __future__ import annotations

from array import array
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from workbench.text.query import Query, Term
from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.dialogs import MenuChoice, MenuScreen
from workbench.tui.screens.queue_search import SearchScreen
from workbench.tui.screens.queue_view import ORDERS
from workbench.tui.widgets.bars import DIM, Head, KeyBar, Status
from workbench.tui.widgets.field import QueryField
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.queue_lines import Completions, ProgressLine
from workbench.tui.widgets.sample_columns import SampleHead
from workbench.tui.widgets.sample_list import SampleList
from workbench.tui.work import start

if TYPE_CHECKING:
    from workbench.stages.review import Moved

Find = Callable[[], Awaitable["int | tuple[str, Moved] | None"]]

DISPUTED = Query((Term("is", ("disputed",)),))

ORDER_HINTS = {
    "u": "every beginning of it is a random sample",
    "doubt": "where verdicts are likely to be wrong",
    "delta": "decided samples, to look at again",
    "file": "as they came",
}


class QueueScreen(SearchScreen):
    """All samples, the search over them, and the way into a review."""

    LEGEND = (
        ("· ◐ ✓", "to do, started, verified"),
        ("→ ⊘", "skipped, not counted"),
        ("⚑ ◇ ↺", "flagged, without suggestions, to be matched again"),
        ("↻ ◌", "verified under an older policy, picked by hand"),
        ("rome", "stands in the id, the question or the reference"),
        ('"right bank"', "so does a phrase; -rome does not"),
        ("state:todo", "label:date,place  lang:ru  is:flagged  by:ann"),
        ("delta>.2", "size of Δ; auto<.5  verified=1  cause:missed"),
        ("meta.KEY:x", "id:x  group:x  flag:x; all terms hold at once"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter", "review", "Review this sample", "queue.open", "Queue", "review"),
        key(
            "c space", "go_on", "Go on with the next undecided sample", "queue.continue", "Queue", "continue"
        ),
        key("/ full_stop", "search", "Search and filter", "queue.search", "Queue", "search"),
        key("v", "facets", "View: states, marks, labels, languages", "queue.facets", "Queue", "view"),
        key("o", "orders", "Order: random, doubtful, largest Δ, file", "queue.order", "Queue", "order"),
        key("escape", "everything", "All samples again", "queue.all", "Queue"),
        key("w", "why", "Why automatic and verified differ", "queue.why", "Queue"),
        key("u", "undo", "Undo the last decision and go there", "queue.undo", "Decide", "undo"),
        key("U", "redo", "Redo and go there", "queue.redo", "Decide"),
        key("r f5", "reread", "Read again", "queue.reread", "Queue"),
        key("P", "plan", "Plan: which samples, how many, how far", "queue.plan", "Queue"),
        key("C", "compare", "Compare: the truth for all samples, and why", "queue.compare", "Queue"),
        key("D", "disputes", "Disputed samples, largest Δ first", "queue.disputes", "Queue"),
        key(
            "K",
            "calibrate",
            "Calibrate: the match threshold, by verified samples",
            "queue.calibrate",
            "Queue",
        ),
        key("R", "runs", "Runs: who proposed, at what cost; start one", "queue.runs", "Queue"),
        key("q", "app.quit", "Quit", "queue.quit", "Everywhere", "quit"),
        key("j down", "move(1)", "Next sample", "queue.down", "Moving"),
        key("k up", "move(-1)", "Previous sample", "queue.up", "Moving"),
        key("pagedown ctrl+f", "page(1)", "Page down", "queue.page_down", "Moving"),
        key("pageup ctrl+b", "page(-1)", "Page up", "queue.page_up", "Moving"),
        key("g home", "edge(0)", "First sample", "queue.first", "Moving"),
        key("G end", "edge(1)", "Last sample", "queue.last", "Moving"),
    ]
    NEED_DATASET = frozenset(
        "review go_on search facets orders everything why undo redo reread plan runs calibrate compare "
        "disputes move page edge".split()
    )

    def compose(self) -> ComposeResult:
        """Head, progress, search, the list, what happened, the keys."""
        yield Head(id="head")
        yield ProgressLine(id="progress")
        with Horizontal(id="find"):
            yield Static("/", id="slash")
            yield QueryField(placeholder="search: words, state:todo, label:date, delta>.2", id="search")
        yield Completions(id="hint")
        yield SampleHead(id="columns")
        yield SampleList(id="samples")
        yield Static(id="empty")
        yield Status(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Nothing to show yet; the places are taken so that nothing jumps later."""
        self.query_one(Head).show((("Workbench", "bold"), ("  opening …", DIM)))
        self.query_one("#empty", Static).display = False

    async def choose(self, names: tuple[str, ...]) -> None:
        """Several datasets: ask for one."""
        choices = [MenuChoice(name, take=partial(self.bench.choose_dataset, name)) for name in names]
        hint = "enter opens  esc quits"
        await self.bench.ask(MenuScreen("Which dataset?", choices, hint, otherwise=self.app.exit))

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Before the dataset is there only help and the way out are open."""
        return None if self.desk is None and action in self.NEED_DATASET else True

    async def action_review(self) -> None:
        """Open the sample under the cursor."""
        chosen = self.samples.chosen
        if chosen is not None:
            await self.bench.review(self.view_desk(), chosen)

    async def action_go_on(self) -> None:
        """Open the next sample to decide; in a view of decided samples the one under the cursor."""
        desk = self.view_desk()
        if desk.view is not None and desk.view.decided:
            await self.action_review()
        else:
            self._jump(desk.next, desk.nothing_left, "could not look for the next sample")

    async def begin_with(self, picks: tuple[int, ...]) -> None:
        """Go on with the next sample, or audit some that were picked by hand, one after the other."""
        assert self.desk is not None
        if not picks:
            await self.action_go_on()
            return
        from workbench.tui.desk import View

        view = View(array("q", picks), decided=False, off_plan=True, audited=True)
        await self.bench.review(replace(self.desk, view=view), picks[0], picked=True)

    def action_undo(self) -> None:
        """Undo the newest decision, wherever it was."""
        assert self.desk is not None
        undo = partial(_arrival, "undid", self.desk.undo)
        self._jump(undo, "nothing to undo", "the undo was not saved")

    def action_redo(self) -> None:
        """Redo what was undone last."""
        assert self.desk is not None
        redo = partial(_arrival, "redone", self.desk.redo)
        self._jump(redo, "nothing to redo", "the redo was not saved")

    def _jump(self, find: Find, none: str, failed: str) -> None:
        """Open the sample that `find` brings; keys wait meanwhile."""
        self.bench.gate.close()
        start(self, partial(self._jump_to, find, none, failed), group="work")

    async def _jump_to(self, find: Find, none: str, failed: str) -> None:
        status = self.query_one(Status)
        try:
            found = await find()
        except Exception as error:  # a database can fail in many ways; whatever it was is shown
            status.say(f"{failed}: {flat(str(error))}", sign="!", tone="bad")
            self.bench.open_gate()
            return
        desk = self.view_desk()
        if found is None:
            status.say(none)
            self.bench.open_gate()
        elif isinstance(found, int):
            await self.bench.review(desk, found)
        else:
            await self.bench.review(desk, found[1].sample_id, found)

    def action_why(self) -> None:
        """The two assessments of the sample under the cursor, once it is decided."""
        chosen = self.samples.chosen
        if chosen is not None:
            self.bench.gate.close()
            start(self, partial(self._why, chosen), group="work", failed=self.not_opened)

    async def _why(self, sample_id: int) -> None:
        from workbench.tui.screens.why import open_why

        assert self.desk is not None
        row = (await self.desk.rows([sample_id])).get(sample_id)  # the one drawn may be older
        if row is not None and row.automatic and row.verified:
            await open_why(self, self.desk, sample_id, self.desk.info.kinds[0])
            return
        self.say("automatic and verified show once this sample is decided")
        self.bench.open_gate()

    def action_move(self, step: int) -> None:
        """Up or down."""
        self.samples.move(int(step))

    def action_page(self, step: int) -> None:
        """A page up or down."""
        self.samples.move_page(int(step))

    def action_edge(self, last: int) -> None:
        """The first or the last sample; of a view that is still being read as soon as it is there."""
        self.samples.move_to((self.samples.count - 1) * int(last))
        if not self._whole:
            self._edge = int(last)

    def action_reread(self) -> None:
        """Read everything again: another window may have changed it."""
        self.query_one(Status).clear()
        self.forget_facets()
        self._view(self.samples.chosen, stay=True)

    async def action_runs(self) -> None:
        """The runs of this dataset."""
        await self.bench.open("runs", self.desk)

    async def action_calibrate(self) -> None:
        """The match threshold of this dataset."""
        await self.bench.open("calibrate", self.desk)

    async def action_compare(self) -> None:
        """The figures of this dataset."""
        await self.bench.open("compare", self.desk)

    def action_disputes(self) -> None:
        """The disputed samples, largest Δ first."""
        self._once_agreed("delta", self._show_disputed)

    def _show_disputed(self) -> None:
        self.field.value = "is:disputed"
        self.query_shown, self.order = DISPUTED, "delta"
        self._view(None, hold=True)

    async def action_plan(self) -> None:
        """The plan of this dataset."""
        await self.bench.open("plan", self.desk)

    def planned(self, *, changed: bool, go_on: bool) -> None:
        """Back from the plan: at the next sample of an order that changed; with `go_on` open that one."""
        assert self.desk is not None
        if go_on:
            self.field.value = ""
            self.query_shown, self.order = Query(), "u"
            self._view(None, stay=True)
            self._jump(self.desk.next, self.desk.nothing_left, "could not look for the next sample")
        elif changed:
            start(self, self._to_next, group="next", failed=self._unread)
        else:
            self.action_reread()

    async def _to_next(self) -> None:
        assert self.desk is not None
        self._view(await self.desk.next())

    async def action_orders(self) -> None:
        """Choose an order."""
        planned = self.query_one(ProgressLine).has_plan
        names = ORDERS | {"u": "plan's order"} if planned else ORDERS
        hints = ORDER_HINTS | {"u": "each sample with its chance in the plan"} if planned else ORDER_HINTS
        choices = [
            MenuChoice(
                f"{name:<18}{hints[order]}",
                on=order == self.order,
                take=partial(self.choose_order, order),
            )
            for order, name in names.items()
        ]
        await self.bench.ask(MenuScreen("Order", choices))

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """A click opens the sample."""
        event.stop()
        if event.clicked:
            self.app.call_later(self.bench.gate.enter, self.action_review)


async def _arrival(word: str, move: Callable[[], Awaitable[Moved | None]]) -> tuple[str, Moved] | None:
    moved = await move()
    return (word, moved) if moved else None
