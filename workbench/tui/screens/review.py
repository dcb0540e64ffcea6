"""The review: one sample, its units, and a key for everything one can say about them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.widgets import Static

from workbench.errors import InputError
from workbench.model import Disposition, Kind, Span, Unit
from workbench.stages import editing
from workbench.stages.review import Moved, Opened, Progress
from workbench.tui import intents
from workbench.tui.desk import Desk
from workbench.tui.figures import doubtful, least_certain, value
from workbench.tui.intents import Intent
from workbench.tui.screens.new_unit import NewUnitScreen
from workbench.tui.screens.prompt import PromptScreen
from workbench.tui.screens.read import ReadScreen
from workbench.tui.screens.review_keys import REVIEW_KEYS, SIGNS
from workbench.tui.screens.saving import SavingScreen
from workbench.tui.view import (
    context_marks,
    context_title,
    detail,
    head_parts,
    reference_marks,
    units_title,
)
from workbench.tui.widgets.bars import Head, KeyBar, Status
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.tallies import Tallies
from workbench.tui.widgets.unit_list import UnitList
from workbench.tui.work import start

FAST = 1.0
"""Seconds on the screen below which an accept is marked `fast`."""

REASONS = ("wrong reference", "unanswerable", "broken", "private")


class ReviewScreen(SavingScreen):
    """Reference and contexts to read, units to decide on."""

    LEGEND = SIGNS
    BINDINGS: ClassVar[list[BindingType]] = REVIEW_KEYS

    def __init__(self, desk: Desk, sample_id: int, kind: Kind | None = None) -> None:
        super().__init__()
        self.desk = desk
        self.opened: Opened | None = None
        self.kind: Kind = kind or desk.info.kinds[0]
        self._first = sample_id
        self._wanted_kind = kind
        self._context_no = 0
        self._stopped_at: tuple[int, Kind] | None = None
        self._progress: Progress | None = None
        self._disposition: Disposition = "todo"
        self._places: dict[tuple[int, Kind], int] = {}

    def compose(self) -> ComposeResult:
        """Question, reference, units and contexts; the style sheet stacks them when it is narrow."""
        yield Head(id="head")
        yield Passage(id="question")
        with Container(id="body"):
            yield Passage(id="reference")
            with Vertical(id="side"):
                yield UnitList(id="units")
                yield Passage(id="detail")
                yield Tallies(id="tallies")
            yield Passage(id="context")
        yield Status(id="status")
        yield KeyBar(id="keys")
        yield Static(id="banner")

    def on_mount(self) -> None:
        """Open the first sample."""
        self.query_one("#reference").border_title = "Reference"
        self.load("open the sample", partial(self._open, self._first, self._wanted_kind))

    # What is on the screen.

    @property
    def now(self) -> Opened:
        """The sample shown."""
        assert self.opened is not None
        return self.opened

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units of the kind shown."""
        return self.now.state.of(self.kind).assessment.units

    @property
    def unit(self) -> Unit:
        """The unit under the cursor. Raises InputError when there is none."""
        chosen = self.query_one(UnitList).chosen
        if chosen is None:
            raise InputError("there is no unit here; n makes one")
        return chosen

    def show(self, opened: Opened, kind: Kind | None = None) -> None:
        """Draw the sample; keys wait until it is painted."""
        listed = self.query_one(UnitList)
        before = (self.opened.sample_id, self.kind) if self.opened else None
        if before is not None:
            self._places[before] = listed.cursor  # an undo that comes back finds the cursor where it was
        self.opened = opened
        if kind is None and (before is None or before[0] != opened.sample_id):
            kind = self._first_kind(opened)
        self.kind = kind or self.kind
        is_new = before != (opened.sample_id, self.kind)
        generation = self.will_paint(is_new=is_new)
        state = opened.state.of(self.kind)
        if is_new:
            self._context_no = 0
            self._stopped_at = None
            place = self._places.get((opened.sample_id, self.kind))
            listed.cursor = least_certain(state.assessment.units) if place is None else place
        listed.show(
            state.assessment.units,
            revealed=opened.revealed if self.kind == opened.dataset.kinds[0] else (),
            nothing=_nothing(opened, self.kind),
            statements=self.kind == "statement",
            generation=generation,
        )
        listed.border_title = units_title(opened, self.kind)
        self.query_one("#question", Passage).show(opened.sample.user_input, nothing="no question")
        self.query_one("#reference", Passage).show(
            opened.sample.reference,
            nothing="the reference is empty: recall is undefined",
            generation=generation,
        )
        self.query_one(Tallies).show(opened, self.kind)
        self._draw_head()
        listed.move_to(listed.cursor, tell=False)
        self._follow_unit()
        if is_new or state.disposition != self._disposition:
            self._disposition = state.disposition
            start(self, self._read_progress, group="progress", only_newest=True, failed=self._no_progress)

    def _first_kind(self, opened: Opened) -> Kind:
        kinds = opened.dataset.kinds
        return next(
            (kind for kind in kinds if opened.state.of(kind).disposition in ("todo", "started")), kinds[0]
        )

    def _draw_head(self) -> None:
        self.query_one(Head).show(*head_parts(self.now, self.kind, self._progress))

    async def _read_progress(self) -> None:
        self._progress = await self.desk.progress()
        self._draw_head()

    def _no_progress(self, error: Exception) -> None:
        self.say(f"could not read the progress: {error}", tone="warn")

    def _follow_unit(self) -> None:
        """Reference, context and detail follow the cursor."""
        unit = self.query_one(UnitList).chosen
        reference = self.query_one("#reference", Passage)
        reference.mark(reference_marks(self.units, unit))
        if unit is not None and unit.spans:
            reference.reveal(unit.spans[0].start, unit.spans[0].end)
        if unit is not None and unit.match.evidence:
            places = [evidence.context for evidence in unit.match.evidence]
            if self._context_no not in places:
                self._context_no = places[0]
        self._draw_context()
        self.query_one("#detail", Passage).show(detail(unit, self.now) if unit else "")

    def _draw_context(self) -> None:
        contexts = self.now.sample.retrieved_contexts
        unit = self.query_one(UnitList).chosen
        passage = self.query_one("#context", Passage)
        self._context_no = max(0, min(self._context_no, len(contexts) - 1))
        passage.border_title = context_title(self._context_no, len(contexts), unit)
        text = contexts[self._context_no] if contexts else ""
        passage.show(
            text,
            context_marks(self.units, unit, self._context_no),
            nothing="this context is empty" if contexts else "no context was retrieved: nothing can be found",
        )
        here = [e for e in unit.match.evidence if e.context == self._context_no] if unit else []
        if here:
            passage.reveal(here[0].start, here[0].end)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """The cursor moved."""
        event.stop()
        self._follow_unit()

    def on_passage_clicked(self, event: Passage.Clicked) -> None:
        """A click on a marked name chooses its unit."""
        event.stop()
        for index, unit in enumerate(self.units):
            if unit.id == event.owner:
                self.query_one(UnitList).move_to(index)

    # Opening, and going on.

    async def _open(self, sample_id: int, kind: Kind | None = None) -> None:
        self.show(await self.desk.open(sample_id), kind)

    async def reload(self) -> None:
        """The sample as it stands now."""
        await self._open(self.now.sample_id, self.kind)

    async def perform(self, intent: Intent) -> None:
        """Write what a person wants; the screen says so only when it is on disk."""
        edit = intent.make(self.now)
        if edit is None:
            self.say(f"{intent.what}: so it is already")
            self.show(self.now)
            return
        fresh = await self.desk.act(self.now, edit)
        self.saved(f"{self.now.sample.id} {intent.what}" if intent.leaves else intent.what)
        if intent.leaves:
            self.opened = fresh
            await self.run("open the next sample", partial(self._go_on, fresh))
        else:
            self.show(fresh)
            if intent.adds:
                self.query_one(UnitList).move_to(len(self.units) - 1)

    async def _go_on(self, opened: Opened) -> None:
        """To the other kind if it is open, else to the next undecided sample, else back."""
        for kind in opened.dataset.kinds:
            if opened.state.of(kind).disposition in ("todo", "started"):
                self.show(opened, kind)
                return
        found = await self.desk.next(opened.sample_id)
        if found is None:
            self._leave("every sample is decided")
        else:
            await self._open(found)

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

    # Deciding.

    def action_accept(self) -> None:
        """Verify the kind shown and go on; stops once where a person should look."""
        if not self.painted:
            self.say("this sample has not been shown yet; make the window larger", tone="warn")
        elif self.now.state.of(self.kind).disposition == "verified":
            self.load("open the next sample", partial(self._go_on, self.now))
        elif self.now.blind and not any(unit.counted for unit in self.units):
            self.say("no units yet: n makes one, 0 says there are none", tone="warn")
        elif (doubts := editing.doubts(self.now, self.kind)) and not self._stopped_before():
            self.say(f"{', '.join(doubts)}: a again accepts, tab shows them", sign="?", tone="warn")
            if not doubtful(self.unit):
                self.action_doubt(1)
        else:
            self.want(intents.accept(self.kind, fast=self.seconds_shown < FAST))

    def _stopped_before(self) -> bool:
        here = (self.now.sample_id, self.kind)
        stopped, self._stopped_at = self._stopped_at == here, here
        return stopped

    def action_skip(self) -> None:
        """Later."""
        self.want(intents.skip())

    def action_undo(self) -> None:
        """Take back the newest act and go where it was."""
        self.do("undo", partial(self._moved, self.desk.undo, "undid", "nothing to undo"))

    def action_redo(self) -> None:
        """Restore the act undone last and go where it was."""
        self.do("redo", partial(self._moved, self.desk.redo, "did again", "nothing to redo"))

    async def _moved(self, move: Callable[[], Awaitable[Moved | None]], word: str, none: str) -> None:
        moved = await move()
        if moved is None:
            self.say(none)
            self.show(self.now)
            return
        self.saved(f"{word}: {moved.what}")
        await self.run("open the sample it was on", partial(self._open, moved.sample_id, moved.kind))

    async def action_exclude(self) -> None:
        """Take the sample out of the figures."""

        def answer(reason: str) -> str | None:
            if not reason:
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

        await self.bench.ask(PromptScreen("comment", answer))

    # Units.

    def action_reject(self) -> None:
        """Reject or restore."""
        self.want_of_unit(intents.reject)

    def action_match(self) -> None:
        """Found or missing."""
        self.want_of_unit(intents.match)

    def action_unsure(self) -> None:
        """Cannot tell."""
        self.want_of_unit(intents.unsure)

    def action_digit(self, digit: str) -> None:
        """A label; with no counted unit `0` says that there is none."""
        if digit == "0" and not any(unit.counted for unit in self.units):
            self.want(intents.accept(self.kind, fast=self.seconds_shown < FAST))
            return
        label = next((label.name for label in self.now.policy.labels if label.key == digit), None)
        if self.kind == "statement":
            self.say("statements have no labels")
        elif label is None:
            self.say("no label has this number; g shows them")
        else:
            self.want_of_unit(partial(_relabelled, label))

    def action_edge(self, side: str, outward: bool) -> None:
        """Move an edge by a token."""
        reference = self.now.sample.reference
        self.want_of_unit(
            lambda unit: intents.move_edge(unit, reference, left=side == "left", outward=bool(outward))
        )

    def want_of_unit(self, make: Callable[[Unit], Intent]) -> None:
        """Want something of the unit under the cursor, if it can be."""
        try:
            unit = self.unit
            if not unit.counted and make is not intents.reject:
                raise InputError("this unit does not count; x restores it")
            self.want(make(unit))
        except InputError as error:
            self.say(str(error), tone="warn")

    async def action_add(self) -> None:
        """A new unit."""
        await self._add("")

    async def _add(self, text: str) -> None:
        kind = self.kind
        reference = self.query_one("#reference", Passage)

        def look(spans: tuple[Span, ...]) -> None:
            chosen = self.query_one(UnitList).chosen
            reference.mark(reference_marks(self.units, None if spans else chosen, spans))
            if spans:
                reference.reveal(spans[0].start, spans[0].end)

        def known(span: Span) -> bool:
            return any(unit.counted and span in unit.spans for unit in self.units)

        def add(text: str, label: str) -> None:
            self.want(intents.add(kind, text, label))

        sample, labels = self.now.sample, self.now.policy.labels
        await self.bench.ask(NewUnitScreen(kind, sample.reference, labels, add, look, known, value=text))

    # Moving and looking.

    def action_move(self, step: int) -> None:
        """To another unit."""
        listed = self.query_one(UnitList)
        if listed.count:
            listed.move_to(listed.cursor + int(step))

    def action_doubt(self, step: int) -> None:
        """To the next doubtful unit, round the end."""
        listed = self.query_one(UnitList)
        count = listed.count
        for distance in range(1, count + 1):
            index = (listed.cursor + int(step) * distance) % count
            if doubtful(listed.units[index]):
                listed.move_to(index)
                return
        self.say("no unit is in doubt")

    def action_context(self, step: int) -> None:
        """Another context."""
        self._context_no += int(step)
        self._draw_context()

    def action_scroll_context(self, step: int) -> None:
        """A page of the context."""
        self.query_one("#context", Passage).page(int(step))

    def action_scroll_reference(self, step: int) -> None:
        """A page of the reference."""
        self.query_one("#reference", Passage).page(int(step))

    def action_kind(self) -> None:
        """The other kind of units."""
        other: Kind = "statement" if self.kind == "entity" else "entity"
        if other not in self.now.dataset.kinds:
            self.say(f"this dataset reviews {_plural(self.kind)} only")
        else:
            self.show(self.now, other)

    async def action_guidelines(self) -> None:
        """The guidelines with the labels."""
        policy = self.now.policy
        labels = "  ".join(f"{label.key} {label.name}" for label in policy.labels)
        text = f"{policy.guidelines.rstrip()}\n\nLabels: {labels}"
        await self.bench.ask(ReadScreen(f"Guidelines, version {policy.version}", text))

    async def action_scores(self) -> None:
        """All automatic scores, once they may be seen."""
        if not self.now.automatic:
            hidden = self.now.state.disposition(self.now.dataset.kinds) not in ("verified", "excluded")
            self.say(
                "automatic scores show once this sample is decided"
                if hidden
                else "there is no automatic score"
            )
            return
        lines = [
            f"{one.source}  {one.tally.found}/{one.tally.units}  {value(one.tally.recall)}"
            for one in self.now.automatic
        ]
        await self.bench.ask(ReadScreen("Automatic scores", "\n".join(lines)))

    def action_copy(self) -> None:
        """Copy what is selected with the mouse, else the unit."""
        chosen = self.get_selected_text() or (self.unit.text if self.units else self.now.sample.reference)
        self.app.copy_to_clipboard(chosen)
        self.say(f"copied: {chosen}")

    def action_back(self) -> None:
        """To the queue."""
        self._leave()


def _relabelled(label: str, unit: Unit) -> Intent:
    return intents.relabel(unit, label)


def _plural(kind: Kind) -> str:
    return "entities" if kind == "entity" else "statements"


def _nothing(opened: Opened, kind: Kind) -> str:
    if opened.blind:
        return f"blind: nothing is proposed. n makes a new {kind}; 0 says there are none."
    if opened.opening.proposal is None:
        return f"nothing was proposed for this sample. n makes a new {kind}; a accepts none."
    return f"no {_plural(kind)} were proposed. n makes a new {kind}; a accepts none."
