"""The review: one sample, its units, and a key for everything one can say about them."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import ClassVar, Literal

from textual.binding import BindingType

from workbench.errors import InputError
from workbench.model import Kind
from workbench.reviewing.edits import Edit, Put
from workbench.stages import editing
from workbench.stages.editing import decision_on
from workbench.stages.review import Moved, Opened
from workbench.tui import intents
from workbench.tui.figures import doubtful
from workbench.tui.ids import told_of
from workbench.tui.intents import Intent, told
from workbench.tui.screens.prompt import PromptScreen
from workbench.tui.screens.review_keys import REVIEW_KEYS, SIGNS
from workbench.tui.screens.same import SameScreen
from workbench.tui.screens.units import UnitsScreen
from workbench.tui.view import advice, outcome, plural, rematched
from workbench.tui.widgets.bars import Status
from workbench.tui.widgets.unit_list import UnitList

FAST = 1.0
"""Seconds on the screen below which an accept is marked `fast`."""

LOOK = 0.75
"""Seconds for which a stop has to be in sight before `a` passes it: longer than terminals wait until a
key that is held down repeats (0.25 to 0.66)."""

RELEASED = 0.35
"""Seconds without an `a` from which on the next one is a press of its own: a held key repeats faster."""

REASONS = ("wrong reference", "unanswerable", "broken", "private")


class ReviewScreen(UnitsScreen):
    """Every decision is one key; each is on disk before the screen shows it."""

    LEGEND = SIGNS
    BINDINGS: ClassVar[list[BindingType]] = REVIEW_KEYS

    arrival: tuple[str, Moved] | None = None
    """The undo or redo that leads to the sample that is opened next, and its word."""

    _accept_at = float("-inf")
    _stopped_since = 0.0

    # Writing, and going on.

    async def perform(self, intent: Intent) -> None:
        """Write what a person wants; the screen says so only when it is on disk."""
        before = self.units
        fresh, edit = await self._act(intent)
        self._written()
        if edit is None:
            self.say(f"{intent.what}: so it is already")
            self.show(fresh)
            return
        if intent.leaves:
            self.opened = fresh
            said = f"{intent.what}{outcome(fresh, edit)}{advice(edit)}"
            what = told_of(fresh.sample.id, said, self.query_one(Status).room, fresh.sample.user_input)
            await self.run("open the next sample", partial(self._go_on, fresh, what))
            return
        self.saved(intent.what + advice(edit) + rematched(before, edit, self.now.sample.retrieved_contexts))
        self.show(fresh)
        if intent.adds and isinstance(edit, Put):
            self.query_one(UnitList).move_to(self.units.index(edit.units[0]))

    async def _act(self, intent: Intent) -> tuple[Opened, Edit | None]:
        """Write an edit with what it cost; the cost of what is not written counts for the next."""
        meter, sample_id = self.bench.meter, self.now.sample_id
        meter.alive(monotonic())
        effort = meter.take(sample_id)
        edit = None
        try:
            fresh, edit = await self.desk.act(self.now, intent.make, effort)
        finally:
            if edit is None:
                meter.give_back(sample_id, effort)
        return fresh, edit

    async def _go_on(self, opened: Opened, done: str = "") -> None:
        """To the other kind if it is open, else to the next undecided sample, else back.

        What is `done` is said with the next picture, or before it is said why there is none.
        """
        kind = next(
            (
                kind
                for kind in opened.dataset.kinds
                if opened.state.of(kind).disposition in ("todo", "started") or opened.stale(kind)
            ),
            None,
        )
        try:
            following = opened if kind else await self.desk.open_next(opened.sample_id)
        finally:
            if done:
                self.saved(done)
        if following is None:
            self._leave(self.desk.nothing_left)
        else:
            self._by_hand = False  # what one goes on to was not picked
            self.show(following, kind)

    async def _read_beside(self) -> None:
        """While the sample is looked at: the progress."""
        before = self._planned
        await super()._read_beside()
        if before and self._planned and before[0] < self._planned[0] == self._planned[1]:
            self.say(
                f"all {before[1]:,} planned samples are complete: C shows the estimate", sign="✓", tone="good"
            )

    def _leave(self, said: str = "") -> None:
        # By the app, in its own turn: a screen's worker cannot wait for the end of its screen.
        self.bench.gate.close()
        at = self.opened.sample_id if self.opened else self._first
        self.app.call_later(self.bench.back_to_queue, at, said)

    def action_let_go(self) -> None:
        """As everywhere; without a sample to show there is only the way back."""
        super().action_let_go()
        if self.opened is None:
            self._leave()

    def action_back(self) -> None:
        """To the queue."""
        self._leave()

    def action_compare(self) -> None:
        """To the figures; the way back from there is this sample."""
        self.bench.gate.close()
        at, picked = self._first, False
        if self.opened is not None:
            at, picked = self.opened.sample_id, self.opened.opening.off_plan
        again = partial(self.bench.review, self.desk, at, kind=self.kind, picked=picked)
        self.app.call_later(self.bench.compare, at, again)

    # Deciding.

    def action_accept(self) -> None:
        """Verify the kind shown and go on; stops where a person should look until `a` is pressed anew."""
        pressed = self.bench.pressed_at
        quiet, self._accept_at = pressed - self._accept_at, pressed
        if self.painted and pressed < self._shown_at and quiet < RELEASED:
            return  # a held key's repeat from before this sample was there: no decision on it
        if self.now.state.of(self.kind).disposition == "verified" and not self.now.stale(self.kind):
            self.load("open the next sample", partial(self._go_on, self.now))
        elif self.now.blind and not any(unit.counted for unit in self.units):
            self.say("no units yet: n makes one, 0 says there are none, s leaves it for later", tone="warn")
        elif (doubts := editing.doubts(self.now, self.kind)) and not self._passes_stop(quiet):
            shows = ", tab: show it" if any(unit.counted for unit in self.units) else ""
            self.say(f"{', '.join(doubts)}. a: accept anyway{shows}", sign="?", tone="warn")
            if shows and not doubtful(self.unit):
                self.action_doubt(1)
        else:
            self._accept()

    def accept_none(self) -> None:
        """`0`: there are no units here."""
        self._accept()

    def _accept(self) -> None:
        if not self.painted:
            self.say("this sample has not been shown yet; make the window larger", tone="warn")
            return
        several = len(self.now.dataset.kinds) > 1
        what = f"{plural(self.kind)} accepted" if several else "accepted"
        self.want(intents.accept(self.kind, fast=self.seconds_shown < FAST, what=what))

    def _passes_stop(self, quiet: float) -> bool:
        """Whether it stopped here before and the person saw it; `quiet`: seconds since the `a` before."""
        here = (self.now.sample_id, self.kind)
        if self._stopped_at != here:
            self._stopped_at, self._stopped_since = here, self.bench.clock()
            return False
        return quiet >= RELEASED and self.bench.pressed_at - self._stopped_since >= LOOK

    async def action_same(self) -> None:
        """This decision for the same surface in the whole dataset."""
        try:
            decision = decision_on(self.now, self.unit)
        except InputError as error:
            self.say(str(error), tone="warn")
        else:
            await self.bench.ask(SameScreen(self.desk, self.now, decision, self.saved))

    def action_skip(self) -> None:
        """Later."""
        self.want(intents.skip())

    def action_undo(self) -> None:
        """Take back the newest act and go where it was."""
        self.do("undo", partial(self._moved, "undo", "undid"))

    def action_redo(self) -> None:
        """Restore the act undone last and go where it was."""
        self.do("redo", partial(self._moved, "redo", "redone"))

    async def _open(self, sample_id: int, kind: Kind | None = None) -> None:
        """Where an undo from the queue led: what was undone is said, and its unit has the cursor."""
        arrival, self.arrival = self.arrival, None
        try:
            await super()._open(sample_id, kind)
        finally:  # with the picture of it, or before it is said why there is none
            if arrival is not None:
                self._arrived(*arrival)

    def _arrived(self, word: str, moved: Moved) -> None:
        self.saved(f"{word}: {told(moved.edit, moved.samples)}")
        if self.opened is None or self.opened.sample_id != moved.sample_id:
            return
        for index, unit in enumerate(self.units):
            if unit.id == moved.unit:
                self.query_one(UnitList).move_to(index)

    async def _moved(self, step: Literal["undo", "redo"], word: str) -> None:
        led = await self.desk.move(step)
        if led is None:
            self.say(f"nothing to {step}")
            self.show(self.now)
            return
        moved, opened = led
        if opened is None:
            self.arrival = word, moved
            await self.run("open the sample it was on", partial(self._open, moved.sample_id, moved.kind))
            return
        self.show(opened, moved.kind)
        self._arrived(word, moved)

    async def action_exclude(self) -> None:
        """Take the sample out of the figures."""

        def answer(reason: str) -> str | None:
            if not reason or reason.isdecimal():  # the number of a choice was replaced by its words
                return "a reason is needed, or its number"
            self.want(intents.exclude(reason))
            return None

        await self.bench.ask(PromptScreen("exclude this sample: why?", answer, choices=REASONS))

    async def action_flag(self) -> None:
        """Flag, or change or take off the flag."""
        current = self.now.state.flag

        def answer(reason: str) -> str | None:
            if not reason and not current:
                return "a reason is needed"
            self.want(intents.flag(reason))
            return None

        title = "flag: why? (empty takes it off)" if current else "flag this sample: why?"
        await self.bench.ask(PromptScreen(title, answer, value=current))

    async def action_comment(self) -> None:
        """A free note."""

        def answer(text: str) -> str | None:
            if not text:
                return "nothing typed yet"
            self.want(intents.comment(text))
            return None

        said = self.now.state.comments
        await self.bench.ask(PromptScreen("comment", answer, note=" · ".join(said)))
