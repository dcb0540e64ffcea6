"""The review: one sample, its units, and a key for everything one can say about them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from time import monotonic
from typing import ClassVar

from textual import events
from textual.app import ComposeResult

from workbench.errors import InputError
from workbench.model import KINDS, PLURAL, Kind, Span, Unit
from workbench.reports.team import holds
from workbench.reviewing.edits import Edit, Put
from workbench.stages import editing, intents, policy
from workbench.stages.desk import Desk, Step
from workbench.stages.intents import Intent
from workbench.stages.queue import Progress
from workbench.stages.review import Moved, Opened
from workbench.stages.team import Held
from workbench.stages.training import lessons, standing
from workbench.text.cells import LEAST, cut, cut_middle, short, told_of, width
from workbench.text.safe import flat, is_hash
from workbench.tui import view
from workbench.tui.keys import bindings
from workbench.tui.screens.accepting import Accepter, LessonScreen
from workbench.tui.screens.adding import Adder, LabelScreen
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import ConfirmScreen, PromptScreen, ReadScreen
from workbench.tui.screens.evidence import EvidencePicker
from workbench.tui.screens.finding import Finder
from workbench.tui.screens.pick import PickScreen
from workbench.tui.screens.same import SameScreen
from workbench.tui.screens.saver import Saver
from workbench.tui.screens.why import open_why
from workbench.tui.widgets.bars import Head, Status
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.sample_pane import SamplePane
from workbench.tui.widgets.unit_list import RowPart, UnitList
from workbench.tui.work import Work, on_stage, start

EMPTY = 0.5
"""Seconds from which on a screen without a sample is shown: the first one may have to be waited for."""

OPENING = "the sample is being opened"
"""What such a screen says, and what a key says there."""

REST = 0.1
"""Seconds that a sample is shown before the progress is read: reading it would take the time of painting,
and a key held down would ask for it thirty times a second."""

WITHOUT_SAMPLE = frozenset("retry let_go back leave".split())
"""What may be done before there is a sample: ways out. Help and quit are the app's."""

SHORT = 24
"""Cells of a sample's name in the line that says what was done or undone on it."""

BOX = 48
"""Cells of the title and the rules in the box about a unit."""

BEGUN = "Your changes to it are saved. It counts once you accept it."


class ReviewScreen(BaseScreen):
    """Every decision is one key; each is on disk before the screen shows it."""

    BINDINGS = bindings("saving", "review")
    DONE: ClassVar = "accepted"
    LIST: ClassVar[type[UnitList]] = UnitList

    arrival: Moved | None = None
    """The undo or redo that leads to the sample that is opened first."""

    def __init__(self, desk: Desk, sample_id: int, kind: Kind | None = None, *, picked: bool = False) -> None:
        super().__init__()
        self.desk = desk
        self._first = sample_id
        self._first_kind = kind
        self._by_hand = picked
        self._progress: Progress | None = None
        self._planned: tuple[int, int] | None = None
        self._beside: tuple[int, tuple[Held, ...], list[str]] = 0, (), []
        self.saver = Saver(self, lambda: self._open(self.pane.now.sample_id, self.pane.kind))
        listed = self.LIST(id="units")
        self.pane = SamplePane(kind or desk.info.kinds[0], self.warn, listed)
        self.finder = Finder(self, self.pane)
        self.adder = Adder(self, self.pane, self.finder, self.want)
        self.picker = EvidencePicker(self, self.pane, self.finder, self.want)
        go_on = self._work("open the next sample", lambda: self._go_on(self.pane.now))
        self.accepter = Accepter(self, self.pane, self.want, go_on, self.DONE)
        # keys whose work is that of a part
        self.action_retry = self.saver.retry
        self.action_skip = lambda: self.want(intents.skip())
        self.action_add = self.adder.ask
        self.action_add_by_letters = self.adder.by_letters
        self.action_evidence = self.picker.ask
        self.action_alias = self.picker.ask_same
        self.action_find = self.finder.ask
        self.action_find_step = self.finder.step
        self.action_scroll_context = self.pane.page_contexts
        self.action_scroll_reference = self.pane.reference.page
        self.action_undo = self._work("undo", self._move, "undo", writes=True)
        self.action_redo = self._work("redo", self._move, "redo", writes=True)
        self.action_guidelines = self._work("read the guidelines", self._read_guidelines)

    def _work(
        self, what: str, work: Callable[..., Awaitable[None]], *args: object, writes: bool = False
    ) -> Callable[[], None]:
        return partial(self.saver.start, what, partial(work, *args), writes=writes)

    def compose(self) -> ComposeResult:
        """As every screen; over it what was not saved."""
        yield from super().compose()
        yield self.saver

    def body(self) -> ComposeResult:
        """The sample."""
        yield self.pane

    def on_mount(self) -> None:
        """Open the first sample; the screen before stays in sight until it is there, or takes long."""
        unpainted = ExitStack()
        unpainted.enter_context(self.app.batch_update())

        def paint() -> None:
            late.stop()
            unpainted.close()

        def paint_empty() -> None:
            self.say(OPENING)
            paint()

        async def opening() -> None:
            try:
                await self._open(self._first, self._first_kind)
            finally:
                paint()
                if any(status.text == OPENING for status in self.query(Status)):  # none when it was left
                    self.say("")

        late = self.set_timer(EMPTY, paint_empty)
        self.saver.start("open the sample", opening)

    def resized(self) -> None:
        """The head has another width; what is known of the unit may have a pane now."""
        if self.pane.opened is not None:
            self._draw_head()
            self.pane.tell_unit()

    # Which keys act.

    @property
    def failure(self) -> object | None:
        """What was not saved; one cannot leave before that is decided."""
        return self.saver.failure

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Until a sample is shown only the ways out are open; statements have no labels, `0` accepts none."""
        if self.pane.opened is None and action not in WITHOUT_SAMPLE:
            return None  # the status line reports only what was on the screen
        if action == "digit" and self.pane.kind == "statement" and parameters != ("0",):
            return None
        return action == "leave" or self.saver.allows(action)

    def refused(self, action: str) -> None:
        """Say what has to come first."""
        if self.failure is not None:
            self.warn("first: r tries again, esc lets it go")
        elif self.pane.opened is None:
            self.say(OPENING)
        elif action.startswith("digit"):
            self.say("statements have no labels")

    def action_let_go(self) -> None:
        """Give it up; without a sample to show there is only the way back."""
        self.say(f"let go: {self.saver.settle().what}")
        if self.pane.opened is None:
            self.action_back()

    async def action_other_file(self) -> None:
        """Let it go with the file that it was for, and open the one that has its place."""
        self.saver.settle()
        await self.bench.open_other_file()

    # Reading and showing.

    async def _open(self, sample_id: int, kind: Kind | None = None) -> None:
        """Show a sample; where an undo led there, say what was undone, and its unit has the cursor."""
        arrival, self.arrival = self.arrival, None
        picked, self._by_hand = self._by_hand, False  # what one goes on to was not picked
        try:
            self.show(await intents.open_sample(self.desk, sample_id, picked=picked), kind)
        finally:  # with the new picture, or before the message about its failure
            if arrival is not None:
                self._arrived(arrival, "; b: queue")

    def show(self, opened: Opened, kind: Kind | None = None) -> None:
        """Draw the sample; keys wait until it is painted."""
        before = self.pane.opened
        if kind is None and (before is None or before.sample_id != opened.sample_id):
            kind = intents.open_kind(opened) or opened.dataset.kinds[0]
        kind = kind or self.pane.kind
        other_keys = before is None or kind != self.pane.kind
        self.accepter.forget()
        if self.pane.show(opened, kind):
            self.bench.meter.look_at(opened.sample_id, monotonic())
        if other_keys:
            self.refresh_bindings()
        self._draw_head()
        if warning := intents.kept_back(opened):
            self.warn(warning)

    def _draw_head(self) -> None:
        number, places, others = self._beside
        now, here = self.pane.now, number == self.pane.now.sample_id
        held = holds(places) if places and here else ""
        head = self.query_one(Head)
        left, right = view.head_parts(
            now, self.pane.kind, self._progress, self._planned, held, others if here else (), head.size.width
        )
        head.show(left, right)

    def on_sample_pane_shown(self, event: SamplePane.Shown) -> None:
        """It is painted: keys run, and there is time to read how far one is."""
        self.bench.open_gate()

        def failed(error: Exception) -> None:
            self.warn(f"could not read the progress: {error}")

        if event.news:
            start(self, self._read_progress, group="progress", only_newest=True, failed=failed)

    async def _read_progress(self) -> None:
        await asyncio.sleep(REST)  # the next sample cancels it
        before = self._planned
        self._progress, self._planned = await self.desk.standing()
        number = self.pane.now.sample_id
        self._beside = number, await self.desk.held(number), await self.desk.verifiers(number)
        if not on_stage(self):
            return
        self._draw_head()
        if before and self._planned and before[0] < self._planned[0] == self._planned[1]:
            self.succeeded(f"all {before[1]:,} planned samples are complete: b, then C shows the estimate")

    # Writing, and going on.

    def want(self, intent: Intent) -> None:
        """Start to write what a person wants."""
        self.saver.start(intent.what, partial(self._perform, intent), writes=True)

    async def _perform(self, intent: Intent) -> None:
        """Write what a person wants; the screen says so only when it is on disk."""
        before = self.pane.units
        fresh, edit = await self._act(intent)
        self.saver.written()
        if edit is None:
            self.say(f"{intent.what}: so it is already")
            self.show(fresh)
            return
        if intent.leaves:
            await self._leave(intent.what, fresh, edit)
            return
        rematched = view.rematched(before, edit, fresh.sample.retrieved_contexts)
        rest = view.advice(edit, fresh.sample.retrieved_contexts) + rematched
        what = cut_middle(intent.what, max(LEAST, self.query_one(Status).room - width(rest)))
        self.saver.saved(what + rest)  # what to do next is never cut for a long name
        self.show(fresh)
        if intent.adds and isinstance(edit, Put):
            self.pane.choose(edit.units[0].id)
        elif intent.goes:
            self.pane.to_next_doubt(1)

    async def _leave(self, done: str, fresh: Opened, edit: Edit) -> None:
        """Go on from a sample that is done with; in a training its known answer comes first."""
        self.pane.opened = fresh
        sample, desk = fresh.sample, self.desk
        by_question = is_hash(sample.id) and sample.user_input.strip()  # then `told_of` may leave it out
        name = 0 if by_question else min(SHORT, width(sample.id)) + 1

        def told(room: int) -> str:
            message = done + view.outcome(fresh, edit, room - width(done) - name)
            return told_of(sample.id, message, room, fresh.stored.question)

        next_step = "open the next sample", partial(self._go_on, fresh, told)
        trained, who = desk.info, desk.annotator
        own = await desk.store.read(lessons, trained, who, fresh.sample_id) if trained.training_of else ()
        if own:
            trainee = await desk.store.read(standing, trained, who)
            then = partial(self.saver.start, *next_step)
            await self.bench.ask(LessonScreen(own, fresh.stored, trainee, then))
        else:
            await self.saver.run_now(*next_step)

    async def _act(self, intent: Intent) -> tuple[Opened, Edit | None]:
        """Write an edit with what it cost; the cost of what is not written counts for the next."""
        meter, sample_id = self.bench.meter, self.pane.now.sample_id
        meter.alive(monotonic())
        effort = meter.take(sample_id)
        edit = None
        try:
            fresh, edit = await intents.act(self.desk, self.pane.now, intent, effort)
        finally:
            if edit is None:
                meter.give_back(sample_id, effort)
            else:
                self.bench.home.settling.forget()  # undo is about this edit now
        return fresh, edit

    async def _go_on(self, opened: Opened, told: Callable[[int], str] | None = None) -> None:
        """To the other kind if it is open, else to the next undecided sample, else back.

        The status line reports what was done, `told` in so many cells, with the next picture, or before the
        message about its failure. Where no sample follows the end is cut, not the values.
        """
        kind, room, more = intents.open_kind(opened), self.query_one(Status).room, ""
        done = told(room) if told else ""
        if not done:  # else with the next picture: one of its own doubles the time of a key
            self.say("")  # what stands there is of another act
        try:
            if done and (others := await self.desk.decided_too(opened.sample_id)):
                more = f" · {others}"
            following = opened if kind else await intents.open_next(self.desk, opened.sample_id)
        finally:
            if done:
                self.saver.saved(done + more)
        if following is None:
            left = self.desk.nothing_left
            more += f" · {left}"
            self.action_back(told(room) + more if told else left)
        else:
            self._by_hand = False  # what one goes on to was not picked
            self.show(following, kind)

    async def _move(self, step: Step) -> None:
        if message := await self.bench.home.settling.step(step):  # it is newer than every decision
            self.saver.saved(message)
            self.show(self.pane.now)
            return
        led = await intents.move(self.desk, step)
        if led is None:
            self.say(f"nothing to {step}")
            self.show(self.pane.now)
            return
        self.bench.home.settling.forget()
        moved, opened = led
        if moved.spread:  # they have no one place
            now = self.pane.now
            picked = bool(now.opening.off_plan)
            self.show(await intents.open_sample(self.desk, now.sample_id, picked=picked))
            self._arrived(moved)
            return
        if moved.resolves != self.desk.resolves:
            self.app.call_later(self.bench.review_instead, self.desk, moved)
            return
        if opened is None:
            self.arrival = moved
            opening = partial(self._open, moved.sample_id, moved.kind)
            await self.saver.run_now("open the sample it was on", opening)
            return
        self.show(opened, moved.kind)
        self._arrived(moved)

    def _arrived(self, moved: Moved, way: str = "") -> None:
        word, opened = "undid" if moved.undone else "redone", self.pane.opened
        message = f": {moved.words}{way}"
        if opened is None or opened.sample_id != moved.sample_id:  # several, or it could not be opened
            self.saver.saved(f"{word}{message}")
            return
        room = self.query_one(Status).room - width(f"{word} on {message}")
        name = short(opened.sample.id, max(LEAST, min(room, SHORT)), opened.stored.question)
        self.saver.saved(f"{word} on {name}{message}")
        self.pane.choose(moved.unit)

    def action_back(self, message: str = "") -> None:
        """To the queue, which shows the `message`."""
        # By the app, in its own turn: a screen's worker cannot wait for the end of its screen.
        self.bench.gate.close()
        at = self.pane.opened.sample_id if self.pane.opened else self._first
        self.app.call_later(self.bench.back_to_queue, at, message)

    async def action_leave(self) -> None:
        """Quit; with something not saved or a sample begun and not decided only when asked to twice."""
        failure = self.saver.failure
        opened = self.pane.opened if failure is None else None
        go_on = partial(self.app.call_later, self.app.action_quit)
        if failure is not None and failure.writes:
            text = f"Not saved: {flat(failure.what)}."
            await self.bench.ask(ConfirmScreen("Quit without saving it?", text, go_on))
        elif opened is not None and any(opened.state.of(kind).disposition == "started" for kind in KINDS):
            await self.bench.ask(ConfirmScreen("Quit before this sample is accepted?", BEGUN, go_on))
        else:
            await self.app.action_quit()

    # Deciding on the sample.

    def action_accept(self) -> None:
        """Verify the kind shown and go on; stops where a person should look until `a` is pressed anew."""
        self.accepter.press()

    async def action_exclude(self) -> None:
        """Take the sample out of the figures."""
        # the number of a choice was replaced by its words
        answer = self._answer(intents.exclude, "a reason is needed, or its number", str.isdecimal)
        await self.bench.ask(PromptScreen("exclude this sample: why?", answer, choices=intents.EXCLUDING))

    async def action_flag(self) -> None:
        """Flag, or change or take off the flag."""
        current = self.pane.now.state.flag
        answer = self._answer(intents.flag, "" if current else "a reason is needed")
        title = "flag: why? (empty takes it off)" if current else "flag this sample: why?"
        await self.bench.ask(PromptScreen(title, answer, value=current))

    async def action_comment(self) -> None:
        """A free note."""
        comments = " · ".join(self.pane.now.state.comments)
        answer = self._answer(intents.comment, "nothing typed yet")
        await self.bench.ask(PromptScreen("comment", answer, note=comments))

    def _answer(
        self, make: Callable[[str], Intent], complaint: str, bad: Callable[[str], bool] = lambda _typed: False
    ) -> Callable[[str], str | None]:
        """Write what is typed; where it is empty or bad, complain."""

        def answer(typed: str) -> str | None:
            if complaint and (not typed or bad(typed)):
                return complaint
            self.want(make(typed))
            return None

        return answer

    # Deciding on the unit under the cursor.

    def action_decide(self, what: str) -> None:
        """Reject or restore; found or missing; the next reason for missing; cannot tell."""
        self._want_of_unit(getattr(intents, what), counted=what != "reject")

    def _want_of_unit(self, make: Callable[[Unit], Intent], *, counted: bool = True) -> None:
        self.want(make(self.pane.counted_unit if counted else self.pane.unit))

    def action_digit(self, digit: str) -> None:
        """A label; with no counted unit `0` says that there is none."""
        counted = sum(unit.counted for unit in self.pane.units)
        labels = self.pane.now.dataset.policy.labels
        label = next((label.name for label in labels if label.key == digit), None)
        if digit == "0" and not counted:
            self.accepter.accept()
        elif label is not None:
            self._want_of_unit(lambda unit: intents.relabel(unit, label))
        elif digit == "0":
            several = "units" if counted > 1 else "a unit"
            self.warn(f"0 says that a sample has no units; this one has {several}: x rejects")
        else:
            self.say("no label has this number; g shows them")

    async def action_labels(self) -> None:
        """A label from a list."""
        if self.pane.kind == "statement":
            raise InputError("statements have no labels")
        unit = self.pane.counted_unit

        def take(label: str) -> None:
            self.want(intents.relabel(unit, label))

        title, labels = f"label of {cut(flat(unit.text), 24)}", self.pane.now.dataset.policy.labels
        await self.bench.ask(LabelScreen(title, labels, take, current=unit.label))

    def action_edge(self, side: str, outward: bool) -> None:
        """Move an edge by a token."""
        move = partial(
            intents.move_edge, reference=self.pane.now.sample.reference, left=side == "left", outward=outward
        )
        self._want_of_unit(move)

    def action_merge(self) -> None:
        """One unit of this and the next."""
        self._want_of_unit(lambda unit: intents.merge(unit, editing.next_counted(self.pane.units, unit)))

    async def action_split(self) -> None:
        """Two units of this one, parted before a token that one letter picks."""
        unit = self.pane.counted_unit
        words = editing.split_tokens(self.pane.now, unit)
        if not words:
            raise InputError("one word cannot be split" if unit.spans else "it is not in the reference")

        async def done(span: Span) -> None:
            self.want(intents.split(unit, span.start))

        names = [Span(word.start, word.end) for word in words]
        pick = PickScreen("split before", self.pane.reference, words, done, names=names, to_last=False)
        await self.bench.ask(pick)

    async def action_read(self) -> None:
        """All that is known of the unit, where its pane or line has less room."""
        unit, pane = self.pane.unit, self.pane
        near = pane.offered(unit, await pane.near(unit)) if pane.wants_near(unit) else None
        title = cut_middle(flat(unit.text), BOX)
        await self.bench.ask(ReadScreen(title, *view.detail(unit, pane.now, near, BOX)))

    async def action_same(self) -> None:
        """This decision for the same surface in the whole dataset."""
        decision = editing.decision_on(self.pane.now, self.pane.unit)
        await self.bench.ask(SameScreen(self.desk, self.pane.now, decision, self.saver.saved))

    # By the mouse.

    def _by_mouse(self, work: Work) -> None:
        """Do it in the order of the keys, and like them not while something is not saved."""

        async def run() -> None:
            if self.failure is not None:
                self.refused("add")
            elif self.app.screen is self and self.pane.opened is not None:
                await work()

        self.bench.in_turn(run)

    def on_unit_list_pressed(self, event: UnitList.Pressed) -> None:
        """A click on a part of a row is the key for it."""
        event.stop()
        self._by_mouse(partial(self._press_row, event.index, event.part))

    async def _press_row(self, index: int, part: RowPart) -> None:
        self.pane.listed.move_to(index)
        if part == "sign":
            self.action_decide("reject")
        elif part == "label":
            await self.action_labels()
        else:
            self.action_decide("match")

    def on_passage_clicked(self, event: Passage.Clicked) -> None:
        """A click on a marked name chooses its unit; on a name that is no unit it begins to add it."""
        event.stop()
        if event.mark.role == "name":
            span = Span(event.mark.start, event.mark.end)
            self._by_mouse(partial(self.adder.add, span))
        else:
            self.pane.choose(event.mark.owner)

    def on_text_selected(self, event: events.TextSelected) -> None:
        """The mouse was let go over a stretch of the reference: it is a new unit, by whole tokens."""
        event.stop()
        self._by_mouse(self.adder.dragged)

    # Moving and looking.

    def action_doubt(self, step: int) -> None:
        """To the next doubtful unit, round the end."""
        if not self.pane.to_next_doubt(step):
            self.say("no other unit is in doubt")

    def action_context(self, step: int) -> None:
        """Another context."""
        self.pane.go_to_context(self.pane.context_no + step)

    def action_evidence_place(self, step: int) -> None:
        """To another place of the unit's evidence, or of the passages most like it."""
        if not self.pane.go_to_evidence(step):
            self.say("this unit has no evidence; e chooses it")

    def key_escape(self) -> None:
        """Clear the marks of a search; while something is not saved Escape is bound to letting that go."""
        if self.failure is None and self.pane.opened is not None and self.finder.search is not None:
            self.finder.clear()

    def action_kind(self) -> None:
        """The other kind of units."""
        other: Kind = "statement" if self.pane.kind == "entity" else "entity"
        if other not in self.pane.now.dataset.kinds:
            own, more = PLURAL[self.pane.kind], PLURAL[other]
            self.say(f"this dataset reviews {own} only; workbench policy edit adds {more}")
        else:
            self.show(self.pane.now, other)

    async def _read_guidelines(self) -> None:
        versions = await self.desk.store.read(policy.versions, self.desk.info.id)
        now = self.pane.now
        state = now.state.of(self.pane.kind)
        used = (state.policy or now.opening.policy) if state.disposition == "verified" else 0
        title = f"Guidelines, version {versions[-1].policy.version}"
        await self.bench.ask(ReadScreen(title, view.guidelines_text(versions, used)))

    def action_scores(self) -> None:
        """Show why the automatic and the verified value differ, or a message where they are still hidden."""
        work = partial(open_why, self, self.desk, self.pane.now.sample_id, self.pane.kind)
        self.saver.start("show why", work)

    def action_copy(self) -> None:
        """Copy what is selected with the mouse, else the unit."""
        unit = self.pane.listed.chosen
        self.copy(unit.text if unit else self.pane.now.sample.reference)
