"""The queue: every sample of a dataset, where it stands, and how far one is."""

from __future__ import annotations

import asyncio
from array import array
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from workbench.errors import AwayError, InputError
from workbench.reports.compare import remarks
from workbench.reports.team import trainee_line
from workbench.scoring.names import metric_of
from workbench.stages import midnight
from workbench.text.cells import short
from workbench.text.figures import many
from workbench.text.query import META, Order, Query, Term
from workbench.text.safe import flat
from workbench.tui.keys import KeyAct, bindings
from workbench.tui.screens.base import TEXTS, BaseScreen
from workbench.tui.screens.dialogs import MenuChoice, MenuScreen
from workbench.tui.screens.menus import Settling, Views, why_empty
from workbench.tui.widgets.bars import DIM, Head, KeyBar, cells, named
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.queue_lines import Completions, ProgressLine, QueryField, in_full
from workbench.tui.widgets.sample_list import SampleHead, SampleList, columns_of
from workbench.tui.work import start

if TYPE_CHECKING:
    from workbench.stages.desk import Desk, Step
    from workbench.stages.disputes import Dispute, DisputeReport
    from workbench.stages.people import Deed
    from workbench.stages.queue import Progress, QueueRow
    from workbench.stages.review import Moved
    from workbench.text.marks import Mark

Find = Callable[[], Awaitable["int | Moved | None"]]

ABOVE, BELOW = 40, 100
"""Samples before and from the next undecided one that are shown while the whole view is being read."""

RESTS = 0.08
"""Seconds that the cursor rests on a sample before its texts are read."""

UNRESOLVED = Term("is", ("unresolved",))
FIXED = "text", "id", "lang", "group"
"""The fields of a search that no decision changes."""
BY_HAND = ": not used in estimates (◌)"
NOT_LOOKED = "could not look for the next sample"


class QueueScreen(BaseScreen):
    """All samples, the search over them, and the way into a review.

    One view is read at a time, the newest wish next.
    """

    BINDINGS = bindings("queue")
    NEED_DATASET = frozenset(
        "open go_on search facets orders resolve why step settle reread room disputes move page edge".split()
    )

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (116, "-roomy")]  # noqa: RUF012

    desk: Desk | None = None
    query_shown = Query()
    progress: Progress | None = None
    _wanted: tuple[int | None, bool] | None = None
    _reading = _held = _whole = _away = False
    _in_full: tuple[int | None, QueueRow | None] = None, None
    _last: int | None = None
    """Where the cursor was before a search found nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.settling = Settling(self, partial(self._view, stay=True, hold=True))
        self.completions = Completions(id="hint")
        self.field = QueryField(self._search, self._want_facets, self.completions)
        self.line = ProgressLine(id="progress")
        self.views = Views(self, self.field, self._reorder, self.line)
        self.action_orders = self.views.ask_order
        self.action_facets = partial(self.hold_keys, self.views.ask_view, self.not_opened)
        self.samples = SampleList(self._unread)

    def body(self) -> ComposeResult:
        """Progress, search, the list and a sample in full."""
        yield self.line
        with Horizontal(id="find"):
            yield Static("/", id="slash")
            yield self.field
        yield self.completions
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield SampleHead(self.samples)
                yield self.samples
                yield Static(id="empty")
            yield Passage(id="sample")

    def on_mount(self) -> None:
        """Nothing to show yet; the places are taken so that nothing jumps later."""
        self.query_one(Head).show([("Workbench", "bold"), ("  opening …", DIM)])

    @property
    def now(self) -> Desk:
        """The open dataset; what needs one is not asked for without."""
        assert self.desk is not None
        return self.desk

    # What the app says.

    async def begin(self, desk: Desk) -> None:
        """The dataset is open: show the samples around the next undecided one, then read them all."""
        self.desk = desk
        self.field.facets, self.field.value = None, ""
        self.query_shown = Query()
        self.views.reset()
        self.settling.forget()  # a state in the dataset before is not undone from here
        self.progress, self._whole = None, False
        first = await desk.first(ABOVE, BELOW)
        samples = self.samples
        samples.forget()
        samples.set(first.ids, desk, first.at, rows=first.rows)
        self.empty("")
        self._draw_head()
        if desk.trainee is not None:
            self.say(trainee_line(desk.trainee))
        self._view(first.at, painted=True)
        self.query_one(KeyBar).refresh()

    async def begin_with(self, picks: tuple[int, ...]) -> None:
        """Go on with the next sample, or audit some that were picked by hand, one after the other."""
        if not picks:
            await self.action_go_on()
            return
        desk = self.now.among(array("q", picks), decided=False, off_plan=True, audited=True)
        await self.bench.review(desk, picks[0], picked=True)

    async def choose(self, names: tuple[str, ...]) -> None:
        """Several datasets: ask for one."""
        choices = [MenuChoice(name, take=partial(self.bench.choose_dataset, name)) for name in names]
        hint = "enter opens  esc quits"
        await self.bench.ask(MenuScreen("Which dataset?", choices, hint, otherwise=self.app.exit))

    def refuse(self, why: str, *, missing: bool = False) -> None:
        """The dataset cannot be opened: say what to do."""
        self.empty(f"{TEXTS['no dataset']}\n{why}" if missing else why)
        self.query_one(Head).show([("Workbench", "bold")])
        if not missing:
            self.say("could not open the database", sign="!", tone="bad")

    def returned(self, at: int | None, message: str) -> None:
        """Back from a review: what was decided may have changed the view."""
        self.say(message)
        self.field.facets = None
        by_values = (
            t for t in self.query_shown.terms if t.field not in FIXED and not t.field.startswith(META)
        )
        if self.views.order in ("delta", "disputes") or any(by_values):
            self._view(at, stay=True)
        else:
            self.samples.go_to(at)
            self.samples.reread()
            start(self, self._read_progress, group="progress", only_newest=True, failed=self._unread)

    def planned(self, *, changed: bool, go_on: bool) -> None:
        """Back from the plan: at the next sample of an order that changed; with `go_on` open that one."""
        self._away = False
        if go_on:
            self.field.value = ""
            self.query_shown = Query()
            self.views.order = "u"
            self._view(None, stay=True)
            self._jump(self.now.next, self.now.nothing_left)
        elif changed:
            start(self, self._to_next, group="next", failed=self._unread)
        else:
            self.action_reread()

    async def _to_next(self) -> None:
        self._view(await self.now.next())

    # Reading.

    def _view(self, at: int | None, *, stay: bool = False, hold: bool = False, painted: bool = False) -> None:
        """Read the view as it is wanted now, `painted` after what is there; with `hold` keys wait for it."""
        if hold:
            self._held = True
            self.bench.gate.close()
        self._wanted = at, stay
        if not self._reading:
            self._reading = True
            read = partial(start, self, self._read_views, group="view", failed=self._unread)
            self.call_after_refresh(read) if painted else read()

    async def _read_views(self) -> None:
        try:
            with self.telling("reading"):
                while self._wanted is not None:
                    wanted, self._wanted = self._wanted, None
                    try:
                        await self._show(wanted[0], stay=wanted[1])
                    except AwayError:
                        self._wanted = self._wanted or wanted  # for the next try
                        raise
        finally:
            self._reading = False
            if self._held:
                self._held = False
                self.bench.open_gate()
        start(self, self._read_progress, group="progress", only_newest=True, failed=self._unread)

    async def _show(self, at: int | None, *, stay: bool) -> None:
        desk = self.now
        query, order = self.query_shown, self.views.order
        report = await self._disputes(desk) if order == "disputes" else None
        disputes = first_of_each(report.disputes) if report else {}
        ids = await self._ids(desk, query, disputes)
        if self._wanted is not None or desk is not self.desk:
            return  # something else is wanted by now
        self.samples.order, self.samples.disputes = order, disputes
        self.samples.set(ids, desk, at, stay=stay)
        self._whole = True
        nothing = "Nothing disagrees that you may see." if order == "disputes" else ""
        self.empty("" if ids else why_empty(query, desk.info.policy.label_names()) if query else nothing)
        if not ids:
            self.moved()  # no row arrives: nothing is shown next to the list
        self._draw_head()
        if stay:
            return  # what was done in this view is shown there
        if report and (hidden := report.hidden(report.disputes) - disputes.keys()):
            self.say(f"{many(len(hidden), 'more sample')}: hidden until your own review")
        if order == "doubt" and (number := await desk.undoubted()):
            message = f"{number:,} samples come last: they were never counted (workbench score counts them)"
            self.warn(message, sign="!")

    async def _ids(self, desk: Desk, query: Query, disputes: Mapping[int, Dispute]) -> array[int]:
        if (order := self.views.order) != "disputes":
            return await self._ids_of(desk, query, order)
        fits = set(await self._ids_of(desk, query, "u")) if query else disputes.keys()
        return array("q", (number for number in disputes if number in fits))

    async def _ids_of(self, desk: Desk, query: Query, order: Order) -> array[int]:
        if order != "delta" and not query.beside:
            return await desk.ids(query, order, {})
        ids: array[int] = await (await self.bench.loaded("values")).kept_ids(desk, query, order)
        return ids

    async def _disputes(self, desk: Desk) -> DisputeReport:
        """What disagrees, as this annotator may see it; what is not counted yet is counted and kept first."""
        read = partial((await self.bench.loaded("disputes")).disputes, desk.store, (await desk.fresh()).info)
        report: DisputeReport = await asyncio.to_thread(read, desk.annotator, on_screen=True)
        return report

    async def _read_progress(self) -> None:
        desk = self.now
        progress, planned = await desk.standing()
        pace = await desk.pace(midnight())
        other = self.progress is not None and self.progress.total != progress.total
        if other and self._wanted is None:
            self._view(self.samples.chosen, stay=True)  # samples came in or were removed meanwhile
        self.progress = progress
        if not progress.total + progress.blank:
            self.empty("This dataset has no samples.\n\n  workbench import FILE      brings some in")
        self.line.progress, self.line.pace, self.line.planned = progress, pace, planned
        self._draw_head()

    def _unread(self, error: Exception) -> None:
        self.say(f"could not read: {error} (r reads again)", sign="!", tone="bad")

    def not_opened(self, error: Exception) -> None:
        """Something could not be read that keys wait for."""
        self._unread(error)
        self.bench.open_gate()

    def on_sample_list_arrived(self, event: SampleList.Arrived) -> None:
        """The first rows say how much room ids need."""
        event.stop()
        self.query_one(SampleHead).refresh()
        self.moved()

    def moved(self) -> None:
        """Show the sample under the cursor next to the list, where there is room for it."""
        listed = self.samples
        here = listed.chosen, self._row_here
        if here != self._in_full and self.has_class("-roomy"):
            self._in_full = here
            start(self, self._read_in_full, group="in full", only_newest=True, failed=self._unread)
        if self.desk is not None:
            self._draw_name()
            self.completions.about = self._about()
            self.query_one(KeyBar).refresh()  # enter shows the evidence of some

    resized = moved

    def _id_here(self) -> str:
        """The id of the sample under the cursor, where neither its row nor the text next to it shows it."""
        listed = self.samples
        row = self._row_here
        columns = columns_of(listed.size.width, listed.key_size or 0)
        if row is None or not listed.key_size or columns["sample"] or self.has_class("-roomy"):
            return ""
        return f"{short(row.key, 24)}   "

    async def _read_in_full(self) -> None:
        number, row = self._in_full
        shown: tuple[str, list[Mark]] = "", []
        if number is not None and row is not None:
            await asyncio.sleep(RESTS)
            stored = await self.now.texts(number)
            dispute = self.samples.disputes.get(number)
            shown = in_full(row, stored, remarks(dispute) if dispute else []) if stored else shown
        self.query_one(Passage).show(*shown)

    # Drawing.

    def _draw_head(self) -> None:
        self.completions.about = self._about()
        self.refresh_bindings()
        self.query_one(SampleHead).refresh()
        self._draw_name()

    def _draw_name(self) -> None:
        head, who = self.query_one(Head), (f"as {flat(self.now.annotator)}", DIM)
        parts = [(named(self.now.info.name, head.size.width), "bold")]
        if self.progress is not None and self._whole:
            total, here = self.progress.total + self.progress.blank, self.samples.count
            count = many(total, "sample")
            parts.append((f"  {count}" if here == total else f"  {here:,} of {count}", DIM))
        order = self.samples.order
        if order != "u":
            states = Counter(dispute.state for dispute in self.samples.disputes.values())
            counts = "".join(f", {number:,} {state}" for state, number in states.items())
            parts.append((f"  {self.views.names[order][0]}{counts}", "$accent"))
        if self.off_plan and self.samples.count and self.views.order != "disputes" and not self._settles:
            parts.append(("  ◌ picked by hand", "$warning"))
        if self.samples.differ:
            parts.append(("  ≠ people differ: J", "$warning"))
        if run := self.samples.column.removeprefix(metric_of(self.samples.column)):
            own = (f"  yours: {flat(run)}", DIM)
            parts += [own] if cells((*parts, own, who)) < head.size.width else []
        name = (self._id_here(), "")
        head.show(parts, [name, who] if cells((name, who, *parts)) < head.size.width else [who])

    def _about(self) -> str:
        """What the view is, for the line above the list."""
        name, hint = self.views.names[self.views.order]
        row, one = self._row_here, self._dispute_here
        if row is not None and row.differs and not self._settles:
            way = "J: resolve it, side by side." if row.settles else "An adjudicator settles it."
            return f"People differ in this sample. {way}"
        if row is not None and row.rematch and self.views.order != "disputes":
            return "Reviewed with other contexts: only its matches are left to decide (↺)."
        if self.views.order == "disputes":
            if one is not None and one.note and not self.has_class("-roomy"):
                return f"{one.stands}: {flat(one.note)}"
            who = self.samples.who_disagrees
            narrow = f"▸ {who}. Mean: − too low, + too high."
            return narrow if who else "Effect on the mean: − makes it too low, + too high."
        if self._settles:
            return "People differ: no gold yet. enter: settle side by side."
        by_hand = BY_HAND if self.off_plan and self.samples.count else ""
        line = f"{name[0].upper()}{name[1:]}{by_hand or (hint and f': {hint}')}."
        if terms := self.query_shown.terms:
            todo = any(t.field == "state" and t.values == ("todo",) and not t.negated for t in terms)
            what = "To do: verified by nobody, not begun by you" if todo else "Your search"
            line = f"{what}{by_hand or f', in {name}'}." if self.views.order == "u" else f"{what}. {line}"
        return line

    # Search and facets.

    def _search(self, query: Query, done: bool) -> None:
        if query != self.query_shown and self.desk is not None:
            self.say("")  # that message was about a sample of the view before
            self.query_shown = query
            self._last = self.samples.chosen or self._last
            self._view(self._last, hold=done)

    def _want_facets(self) -> None:
        if self.desk is not None:
            start(self, self.views.count, group="facets", failed=self._unread)

    def action_search(self, text: str | None = None) -> None:
        """Type into the search field, or search for a text."""
        if text is None:
            self.field.begin()
        else:
            self.views.search(text)

    # Orders.

    @property
    def off_plan(self) -> bool:
        """Whether a review begun from this view could not stand for the whole dataset."""
        return self.views.order != "u" or self.query_shown.hand_picked

    def view_desk(self) -> Desk:
        """The desk for a review that takes its next samples from this view."""
        desk = self.now
        if self.views.order == "u" and not self.query_shown:
            return desk
        through = self.query_shown.decided or self.views.order in ("delta", "disputes")
        return desk.among(self.samples.rows, decided=through, off_plan=self.off_plan)

    def _reorder(self) -> None:
        self.say("")  # that message was about the view before
        self._view(self.samples.chosen if self.views.order in ("u", "file") else None, hold=True)

    def action_disputes(self) -> None:
        """What disagrees, largest effect first; from there back to the random order."""
        self.views.put("u" if self.views.order == "disputes" else "disputes")

    # Keys.

    def closed(self, action: str) -> str | None:
        """Before the dataset is there only help and the way out are open; a state is of a disagreement."""
        if action == "settle" and (self.views.order != "disputes" or not self.samples.disputes):
            return "D lists what disagrees; d then says what became of it"
        return "" if self.desk is None and action in self.NEED_DATASET else None

    async def action_settle(self) -> None:
        """Say what became of the disagreement under the cursor."""
        if (dispute := self._dispute_here) is not None and await self._may("settle disagreements"):
            await self.settling.ask(dispute)

    async def _may(self, deed: Deed) -> bool:
        """Whether this person may do something; says why not."""
        if why := await self.now.refusal(deed):
            self.warn(why)
        return not why

    async def action_open(self) -> None:
        """Open the sample under the cursor; of one that is in dispute or settled by others the evidence."""
        chosen = self.samples.chosen
        if chosen is not None and self._settles:
            self._jump(partial(self._found, chosen), "", "could not open it", settles=True)
        elif self._is_explained:
            self.action_why()
        elif chosen is not None:
            await self.bench.review(self.view_desk(), chosen)

    def key_word(self, act: KeyAct) -> str:
        """The word of a key in the bar: Enter opens one of three screens."""
        if act.id != "queue.open":
            return act.footer
        return "resolve" if self._settles else "evidence" if self._is_explained else act.footer

    @property
    def _settles(self) -> bool:
        """Whether the view is of what people differ in, and this person may settle it."""
        row = self._row_here
        return UNRESOLVED in self.query_shown.terms and row is not None and row.settles

    @property
    def _row_here(self) -> QueueRow | None:
        return self.samples.row(self.samples.cursor) if self.samples.count else None

    @property
    def _dispute_here(self) -> Dispute | None:
        return self.samples.disputes.get(self.samples.chosen or 0)

    @property
    def _is_explained(self) -> bool:
        """Whether the evidence of the sample under the cursor says more than a review of it.

        So it does of a decided one that is in dispute, and of a settled one that this person did not review.
        """
        row = self._row_here
        if row is None or row.gold is None or row.automatic is None or row.verified is None:
            return False
        is_own = row.disposition != "verified" or self.now.annotator in row.gold.annotators
        return self.views.order == "disputes" or (row.gold.origin == "adjudicated" and not is_own)

    async def _found(self, chosen: int) -> int:
        return chosen

    async def action_resolve(self) -> None:
        """Open the sample under the cursor if people differ in it, else the next one, side by side."""
        if not await self._may("settle what others differ in"):
            return
        desk, row = replace(self.view_desk(), resolves=True), self._row_here
        find: Find = partial(self._found, row.sample_id) if row and row.differs else desk.next
        self._jump(find, desk.nothing_left, settles=True)

    async def action_go_on(self) -> None:
        """Open the next sample to decide; in a view of decided samples the one under the cursor."""
        desk = self.view_desk()
        if desk.view is not None and desk.view.decided:
            await self.action_open()
        else:
            trainee = desk.trainee
            not_passed = trainee_line(trainee) if trainee and not trainee.by else ""
            self._jump(desk.next, not_passed or desk.nothing_left)

    def action_step(self, step: Step) -> None:
        """Undo the newest decision, wherever it was, or the state just given a disagreement; or redo it."""
        self.hold_keys(partial(self._step_back, step), self.unread)

    async def _step_back(self, step: Step) -> None:
        if message := await self.settling.step(step):
            self._view(self.samples.chosen, stay=True, hold=True)
            self.succeeded(message)
            return
        find = partial(self.now.store.write, self.now.step, step)
        self._jump(find, f"nothing to {step}", f"the {step} was not saved")

    def _jump(self, find: Find, none: str, failed: str = NOT_LOOKED, *, settles: bool = False) -> None:
        """Open the sample that `find` brings, be it by an undo or redo; keys wait meanwhile.

        `settles`: to settle what people differ in; who may not do that reviews it.
        """
        self.hold_keys(partial(self._jump_to, find, none, failed, settles))

    async def _jump_to(self, find: Find, none: str, failed: str, settles: bool) -> None:
        try:
            target = await find()
            settles = settles and not await self.now.refusal("settle what others differ in")
        except Exception as error:  # a database can fail in many ways; whatever it was is shown
            if isinstance(error, AwayError) and not error.writing:
                raise  # it is read again
            self.say(f"{failed}: {flat(str(error))}", sign="!", tone="bad")
            self.bench.open_gate()
            return
        desk = replace(self.view_desk(), resolves=settles)
        if target is None:
            self.say(none)
            self.bench.open_gate()
            return
        if isinstance(target, int):
            await self.bench.review(desk, target)
            return
        self.settling.forget()
        if target.spread:  # they have no one place
            self.action_reread()
            self.succeeded(f"{'undid' if target.undone else 'redone'}: {target.words}")
            self.bench.open_gate()
        else:
            await self.bench.review(desk, target.sample_id, target)

    def action_why(self) -> None:
        """The two assessments of the sample under the cursor, once it is decided."""
        chosen = self.samples.chosen
        if chosen is not None:
            self.hold_keys(partial(self._why, chosen), self.not_opened)

    async def _why(self, sample_id: int) -> None:
        open_why = await self.bench.loaded("why")
        dispute, kind, scorer = self.samples.disputes.get(sample_id), self.now.info.kinds[0], None
        if dispute is not None and dispute.sort == "verified":
            kind, scorer = dispute.kind, dispute.between.partition("~")[0]
        try:
            await open_why(self, self.now, sample_id, kind, scorer)
        except InputError as error:  # nobody decided it yet
            self.say(str(error))
            self.bench.open_gate()

    def action_edge(self, last: int) -> None:
        """The first or the last sample."""
        self.samples.move_to((self.samples.count - 1) * int(last))

    def action_reread(self) -> None:
        """Read everything again: another window may have changed it."""
        self.say("")
        self.field.facets = None
        self._view(self.samples.chosen, stay=True)

    async def action_room(self, name: str) -> None:
        """As on every screen; back from there the queue reads again."""
        self._away = True
        await super().action_room(name)

    def on_screen_resume(self) -> None:
        """Back from another room: read again what may have changed there."""
        if self._away:
            self._away = False
            self.action_reread()


def first_of_each(disputes: Sequence[Dispute]) -> dict[int, Dispute]:
    """The first disagreement of each sample that may be seen: of the score that leads, then the largest."""
    of_sample: dict[int, Dispute] = {}
    for dispute in disputes:
        if not dispute.hidden:
            of_sample.setdefault(dispute.sample_id, dispute)
    return of_sample
