"""The queue: every sample of a dataset, where it stands, and how far one is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.choose import ChooseScreen
from workbench.tui.widgets.bars import Bar, Head, KeyBar, Part, Status
from workbench.tui.widgets.field import Field
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.sample_list import SampleHead, SampleList
from workbench.tui.work import start

if TYPE_CHECKING:
    from workbench.stages.review import Moved, Progress
    from workbench.tui.desk import Desk

Find = Callable[[], Awaitable["int | None"]]

ORDERS = {"u": "random order", "file": "file order", "delta": "largest Δ first"}
STATES = ("", "todo", "started", "verified", "excluded", "skipped")
SEARCH_DELAY = 0.12
"""Seconds of quiet before a search runs; typing faster than this runs one search, not one a letter."""

NO_DATASET = """\
There is no dataset here yet.

  workbench import FILE      bring in samples (JSONL, CSV, a ragas or deepeval file)
  workbench demo             look around with a small ready-made dataset
"""


class QueueScreen(BaseScreen):
    """All samples, the search over them, and the way into a review."""

    LEGEND = (
        ("· ◐ ✓", "to do, started, verified"),
        ("→ ⊘", "skipped, excluded"),
        ("⚑ ◇ ↺", "flagged, blind, to be matched again"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter", "review", "Review this sample", "queue.open", "Queue", "review"),
        key(
            "c space", "go_on", "Go on with the next undecided sample", "queue.continue", "Queue", "continue"
        ),
        key(
            "/ full_stop",
            "search",
            "Search in ids, questions and references",
            "queue.search",
            "Queue",
            "search",
        ),
        key("v", "next_state", "View: all, to do, started, verified, …", "queue.state", "Queue", "view"),
        key("o", "next_order", "Order: random, file, largest difference", "queue.order", "Queue", "order"),
        key("u", "undo", "Undo the last decision and go there", "queue.undo", "Decide", "undo"),
        key("U", "redo", "Redo and go there", "queue.redo", "Decide"),
        key("r f5", "reread", "Read again", "queue.reread", "Queue"),
        key("q", "app.quit", "Quit", "queue.quit", "Everywhere", "quit"),
        key("j down", "move(1)", "Next sample", "queue.down", "Moving"),
        key("k up", "move(-1)", "Previous sample", "queue.up", "Moving"),
        key("pagedown ctrl+f", "page(1)", "A page down", "queue.page_down", "Moving"),
        key("pageup ctrl+b", "page(-1)", "A page up", "queue.page_up", "Moving"),
        key("g home", "edge(0)", "First sample", "queue.first", "Moving"),
        key("G end", "edge(1)", "Last sample", "queue.last", "Moving"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.desk: Desk | None = None
        self._order = "u"
        self._state = ""
        self._search = ""
        self._pending: Timer | None = None

    def compose(self) -> ComposeResult:
        """Head, progress and search, the list, what happened, the keys."""
        yield Head(id="head")
        with Horizontal(id="tools"):
            yield Bar(id="progress")
            yield Field(placeholder="/ search", id="search")
        yield SampleHead(id="columns")
        yield SampleList(id="samples")
        yield Static(id="empty")
        yield Status(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Nothing to show yet; the places are taken so that nothing jumps later."""
        self.query_one(Head).show((("Workbench", "bold"), ("  opening …", "$foreground 68%")))
        self.query_one("#empty", Static).display = False

    # What the app says.

    async def begin(self, desk: Desk) -> None:
        """The dataset is open: fill the screen."""
        self.desk = desk
        self.query_one("#empty", Static).display = False
        self.query_one(SampleList).display = True
        await self._show(await desk.next())
        self.query_one(KeyBar).refresh()

    def refuse(self, why: str, *, missing: bool = False) -> None:
        """The dataset cannot be opened: say what to do."""
        self._say_empty(f"{NO_DATASET}\n{why}" if missing else why)
        self.query_one(Head).show((("Workbench", "bold"),))
        if not missing:
            self.query_one(Status).say("could not open the database", sign="!", tone="bad")

    def choice(self, names: tuple[str, ...]) -> ChooseScreen:
        """Several datasets: ask for one."""
        return ChooseScreen("Which dataset?", names, self.bench.choose_dataset)

    def returned(self, at: int | None, said: str) -> None:
        """Back from a review."""
        self.query_one(Status).say(said)
        start(self, partial(self._show, at), group="view", only_newest=True, failed=self._unread)

    # Filling.

    async def _show(self, at: int | None) -> None:
        """Read the view and the progress, then draw both at once."""
        desk = self.desk
        if desk is None:
            return
        ids = await desk.ids(order=self._order, search=self._search, state=self._state)
        progress = await desk.progress()
        self.query_one(SampleList).set(ids, desk.rows, at)
        self._draw_progress(progress)
        self._draw_head(len(ids), progress.total)
        self._say_empty(self._why_empty(progress) if not ids else "")

    def _unread(self, error: Exception) -> None:
        self.query_one(Status).say(
            f"could not read: {flat(str(error))} (r reads again)", sign="!", tone="bad"
        )

    def on_sample_list_unread(self, event: SampleList.Unread) -> None:
        """A page could not be read."""
        event.stop()
        self._unread(event.error)

    def _draw_head(self, shown: int, total: int) -> None:
        assert self.desk is not None
        count = f"{total:,} sample" + ("" if total == 1 else "s")
        if shown != total:
            count = f"{shown:,} of {count}"
        view = " · ".join(filter(None, (self._state, ORDERS[self._order] if self._order != "u" else "")))
        left = (
            (flat(self.desk.info.name), "bold"),
            (f"  {count}", "$foreground 68%"),
            (f"  {view}", "$accent"),
        )
        self.query_one(Head).show(left, ((f"as {flat(self.desk.annotator)}", "$foreground 68%"),))

    def _draw_progress(self, progress: Progress) -> None:
        self.query_one("#progress", Bar).show(progress_parts(progress))

    def _why_empty(self, progress: Progress) -> str:
        if not progress.total:
            return "This dataset has no samples.\n\n  workbench import FILE      brings some in"
        if self._search:
            hit = f"No sample has “{flat(self._search)}” in its id, question or reference."
            if self._state:
                hit = hit[:-1] + f" and is {self._state}; v shows the other views."
            return f"{hit}\n\n/ goes to the search, esc there clears it."
        return f"No sample is {self._state or 'here'}.\n\nv shows the next view."

    def _say_empty(self, text: str) -> None:
        empty = self.query_one("#empty", Static)
        empty.update(Content("\n".join(map(flat, text.split("\n")))))
        empty.display = bool(text)
        self.query_one(SampleList).display = not text
        self.query_one(SampleHead).display = not text

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Before the dataset is there only help and the way out are open."""
        needs = ("review", "go_on", "search", "next_state", "next_order", "undo", "redo", "reread")
        return None if self.desk is None and action in needs else True

    async def action_review(self) -> None:
        """Open the sample under the cursor."""
        chosen = self.query_one(SampleList).chosen
        if self.desk is not None and chosen is not None:
            await self.bench.review(self.desk, chosen)

    def action_go_on(self) -> None:
        """Open the next undecided sample."""
        assert self.desk is not None
        self._jump(self.desk.next, "every sample is decided", "could not look for the next sample")

    def action_undo(self) -> None:
        """Undo the newest decision, wherever it was."""
        assert self.desk is not None
        self._jump(partial(_place, self.desk.undo), "nothing to undo", "the undo was not saved")

    def action_redo(self) -> None:
        """Redo what was undone last."""
        assert self.desk is not None
        self._jump(partial(_place, self.desk.redo), "nothing to redo", "the redo was not saved")

    def _jump(self, find: Find, none: str, failed: str) -> None:
        """Open the sample that `find` brings; keys wait meanwhile."""
        self.bench.gate.close()
        start(self, partial(self._jump_to, find, none, failed), group="work")

    async def _jump_to(self, find: Find, none: str, failed: str) -> None:
        assert self.desk is not None
        status = self.query_one(Status)
        try:
            found = await find()
        except Exception as error:  # a database can fail in many ways; whatever it was is shown
            status.say(f"{failed}: {flat(str(error))}", sign="!", tone="bad")
            self.bench.open_gate()
            return
        if found is None:
            status.say(none)
            self.bench.open_gate()
        else:
            await self.bench.review(self.desk, found)

    def action_move(self, step: int) -> None:
        """Up or down."""
        samples = self.query_one(SampleList)
        samples.move_to(samples.cursor + int(step))

    def action_page(self, step: int) -> None:
        """A page up or down."""
        samples = self.query_one(SampleList)
        samples.move_to(samples.cursor + int(step) * max(1, samples.size.height - 1))

    def action_edge(self, last: int) -> None:
        """The first or the last sample."""
        samples = self.query_one(SampleList)
        samples.move_to((samples.count - 1) * int(last))

    def action_search(self) -> None:
        """Type into the search field; what stands there is replaced by the first letter."""
        field = self.query_one(Field)
        self.set_focus(field)
        field.selection = Selection(0, len(field.value))

    def action_submit(self) -> None:
        """Enter in the search field: on to the list."""
        self._search_now()
        self.set_focus(None)

    def action_cancel(self) -> None:
        """Escape in the search field: all samples again."""
        self.query_one(Field).value = ""
        self._search_now()
        self.set_focus(None)

    def on_input_changed(self, _event: Input.Changed) -> None:
        """Search while typing."""
        if self._pending is not None:
            self._pending.stop()
        self._pending = self.set_timer(SEARCH_DELAY, self._search_now)

    def _search_now(self) -> None:
        if self._pending is not None:
            self._pending.stop()
            self._pending = None
        typed = self.query_one(Field).value.strip()
        if typed != self._search:
            self._search = typed
            self._view(self.query_one(SampleList).chosen)

    def action_reread(self) -> None:
        """Read everything again: another window may have changed it."""
        self.query_one(Status).clear()
        self._view(self.query_one(SampleList).chosen)

    def action_next_state(self) -> None:
        """The next view."""
        self._state = STATES[(STATES.index(self._state) + 1) % len(STATES)]
        self._view(None)

    def action_next_order(self) -> None:
        """The next order."""
        orders = list(ORDERS)
        self._order = orders[(orders.index(self._order) + 1) % len(orders)]
        self._view(self.query_one(SampleList).chosen)

    def _view(self, at: int | None) -> None:
        start(self, partial(self._show, at), group="view", only_newest=True, failed=self._unread)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """A click opens the sample."""
        event.stop()
        if event.clicked:
            self.app.call_later(self.bench.gate.enter, self.action_review)


async def _place(move: Callable[[], Awaitable[Moved | None]]) -> int | None:
    moved = await move()
    return moved.sample_id if moved else None


def progress_parts(progress: Progress) -> tuple[Part, ...]:
    """A bar of ten cells and the counts, the ones that are zero left out."""
    done = progress.verified + progress.excluded
    filled = round(10 * done / progress.total) if progress.total else 0
    filled = min(max(filled, 1 if done else 0), 10 if done == progress.total else 9)
    counts = [f"{progress.verified:,} of {progress.total:,} verified"]
    counts += [
        f"{number:,} {word}"
        for number, word in (
            (progress.started, "started"),
            (progress.skipped, "skipped"),
            (progress.excluded, "excluded"),
            (progress.flagged, "flagged"),
        )
        if number
    ]
    return (
        ("▰" * filled, "$success"),
        ("▱" * (10 - filled), "$foreground 35%"),
        ("  " + " · ".join(counts), "$foreground 75%"),
    )
