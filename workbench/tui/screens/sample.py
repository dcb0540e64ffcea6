"""A sample on the screen: what is drawn of it, and the keys that move and look and change nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Static

from workbench.errors import InputError
from workbench.model import Disposition, Kind, Span, Unit
from workbench.stages.queue import Progress
from workbench.stages.review import Opened
from workbench.tui.desk import Desk
from workbench.tui.figures import doubtful, least_certain
from workbench.tui.marks import Mark
from workbench.tui.screens.adding import Adder
from workbench.tui.screens.finding import Finder, mention
from workbench.tui.screens.places import EvidencePicker
from workbench.tui.screens.prompt import PromptScreen
from workbench.tui.screens.read import ReadScreen, guidelines_text
from workbench.tui.screens.saving import SavingScreen
from workbench.tui.screens.why import open_why
from workbench.tui.view import (
    context_marks,
    context_title,
    detail,
    head_parts,
    nothing_text,
    plural,
    reference_marks,
    suspected,
    units_title,
)
from workbench.tui.widgets.bars import Head, KeyBar, Status
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.tallies import Tallies
from workbench.tui.widgets.unit_list import UnitList
from workbench.tui.work import on_stage, start

if TYPE_CHECKING:
    from workbench.comparing.triage import Suspicion

REST = 0.1
"""Seconds that a sample is shown before the progress is read: reading it would take the time of painting,
and a key held down would ask for it thirty times a second."""

NOT_COUNTED = "this unit does not count; x restores it"

WITHOUT_SAMPLE = frozenset("retry let_go back compare".split())
"""What may be done before there is a sample: ways out. Help and quit are the app's."""


class SampleScreen(SavingScreen):
    """Reference and contexts to read, units to look at."""

    def __init__(self, desk: Desk, sample_id: int, kind: Kind | None = None, *, picked: bool = False) -> None:
        super().__init__()
        self._by_hand = picked
        self.desk = desk
        self.opened: Opened | None = None
        self.kind: Kind = kind or desk.info.kinds[0]
        self._first = sample_id
        self._wanted_kind = kind
        self.context_no = 0
        self.finder = Finder(self)
        self.adder = Adder(self)
        self.picker = EvidencePicker(self)
        self._stopped_at: tuple[int, Kind] | None = None
        self._progress: Progress | None = None
        self._planned: tuple[int, int] | None = None
        self._disposition: Disposition = "todo"
        self._behind = False
        self._suspicion: Suspicion | None = None
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
        """Open the first sample; the title of the context says which of its lines are seen."""
        self.query_one("#reference").border_title = "Reference"
        context = self.query_one("#context", Passage)
        for name in ("scroll_y", "virtual_size"):
            self.watch(context, name, self._title_context, init=False)
        self.load("open the sample", partial(self._open, self._first, self._wanted_kind))

    # Keys before the sample is there.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Until the sample is shown only the ways out are open: nothing is said of what nobody has seen."""
        if self.opened is None and action not in WITHOUT_SAMPLE:
            return None
        return super().check_action(action, parameters)

    def refused(self, action: str) -> None:
        """The sample is not there yet, or something has to be decided first."""
        if self.opened is None and self.failure is None:
            self.say("the sample is being opened")
        else:
            super().refused(action)

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

    @property
    def counted_unit(self) -> Unit:
        """The unit under the cursor, if it counts. Raises InputError otherwise."""
        unit = self.unit
        if not unit.counted:
            raise InputError(NOT_COUNTED)
        return unit

    def show(self, opened: Opened, kind: Kind | None = None) -> None:
        """Draw the sample; keys wait until it is painted."""
        listed = self.query_one(UnitList)
        before = (self.opened.sample_id, self.kind) if self.opened else None
        if before is not None:
            self._places[before] = listed.cursor  # an undo that comes back finds the cursor where it was
        if self.opened is not None and self.opened.sample_id != opened.sample_id:
            self.finder.found = None  # it was searched for in the sample before
        self.opened = opened
        if kind is None and (before is None or before[0] != opened.sample_id):
            kind = self._first_kind(opened)
        self.kind = kind or self.kind
        is_new = before != (opened.sample_id, self.kind)
        if before is None or before[1] != self.kind:
            self.refresh_bindings()  # other keys have something to act on
        generation = self.will_paint(is_new=is_new)
        state = opened.state.of(self.kind)
        self._stopped_at = None  # a question about what was shown before is not answered by an `a` on this
        if is_new:
            self.context_no = 0
            self._suspicion = None
            self.bench.meter.look_at(opened.sample_id, monotonic())
            place = self._places.get((opened.sample_id, self.kind))
            listed.cursor = least_certain(state.assessment.units) if place is None else place
        listed.show(
            state.assessment.units,
            revealed=opened.revealed if self.kind == opened.dataset.kinds[0] else (),
            nothing=nothing_text(opened, self.kind),
            statements=self.kind == "statement",
            generation=generation,
        )
        entitle(listed, units_title(opened, self.kind))
        self.query_one("#question", Passage).show(opened.sample.user_input, nothing="no question")
        self.query_one("#reference", Passage).show(
            opened.sample.reference,
            self.marks(listed.chosen),
            nothing="the reference is empty: recall is undefined",
            generation=generation,
        )
        self.query_one(Tallies).show(opened, self.kind)
        self._draw_head()
        listed.move_to(listed.cursor, tell=False)
        self._follow_unit()
        self.finder.draw()
        self.adder.look_for_names()
        self._behind = self._behind or is_new or state.disposition != self._disposition
        self._disposition = state.disposition

    def sample_painted(self) -> None:
        """Only now is there time to read how far one is."""
        if self._behind:
            self._behind = False
            start(self, self._read_beside, group="progress", only_newest=True, failed=self._no_progress)

    def _first_kind(self, opened: Opened) -> Kind:
        kinds = opened.dataset.kinds
        return next(
            (
                kind
                for kind in kinds
                if opened.state.of(kind).disposition in ("todo", "started") or opened.stale(kind)
            ),
            kinds[0],
        )

    def _draw_head(self) -> None:
        self.query_one(Head).show(*head_parts(self.now, self.kind, self._progress, self._planned))

    async def _read_beside(self) -> None:
        """The progress, a moment after the sample is there."""
        await asyncio.sleep(REST)  # the next sample cancels it
        self._progress, self._planned = await self.desk.progress(), await self.desk.planned()
        self._suspicion = await self.desk.suspicion(self.now, self.kind)
        if on_stage(self):
            self._draw_head()
            self._draw_suspicion()

    def _draw_suspicion(self) -> None:
        self.query_one(Tallies).doubt(suspected(self._suspicion, self.query_one(UnitList).chosen))

    def _no_progress(self, error: Exception) -> None:
        self.say(f"could not read the progress: {error}", tone="warn")

    def _follow_unit(self) -> None:
        """Reference, context and detail follow the cursor."""
        unit = self.query_one(UnitList).chosen
        reference = self.query_one("#reference", Passage)
        reference.mark(self.marks(unit))
        if unit is not None and unit.spans:
            reference.reveal(unit.spans[0].start, unit.spans[0].end)
        if unit is not None and unit.match.evidence:
            places = [evidence.context for evidence in unit.match.evidence]
            if self.context_no not in places:
                self.context_no = places[0]
        self._draw_context()
        self.query_one("#detail", Passage).show(detail(unit, self.now) if unit else "")
        self._draw_suspicion()
        self.picker.follow(unit)

    def marks(self, chosen: Unit | None, typed: tuple[Span, ...] = ()) -> list[Mark]:
        """What is marked in the reference: the units, and faintly what looks like a name."""
        names = [Mark(name.start, name.end, "name") for name in self.adder.names]
        return [*names, *reference_marks(self.units, chosen, typed)]

    def _draw_context(self) -> None:
        contexts = self.now.sample.retrieved_contexts
        unit = self.query_one(UnitList).chosen
        passage = self.query_one("#context", Passage)
        self.context_no = max(0, min(self.context_no, len(contexts) - 1))
        text = contexts[self.context_no] if contexts else ""
        passage.show(
            text,
            context_marks(self.units, unit, self.context_no),
            nothing="this context is empty" if contexts else "no context was retrieved: nothing can be found",
        )
        self._title_context()
        here = [e for e in unit.match.evidence if e.context == self.context_no] if unit else []
        if here:
            passage.reveal(here[0].start, here[0].end)
        self.finder.draw_context()

    def _title_context(self) -> None:
        """Say which context it is, and which of its lines are seen."""
        if self.opened is None:
            return
        passage = self.query_one("#context", Passage)
        contexts = self.now.sample.retrieved_contexts
        height = passage.size.height
        top = min(passage.scroll_offset.y, max(0, passage.lines - height))
        long = contexts and 0 < height < passage.lines
        seen = (top + 1, top + height, passage.lines) if long else None
        unit = self.query_one(UnitList).chosen
        entitle(passage, context_title(self.context_no, len(contexts), unit, seen))

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """The cursor moved."""
        event.stop()
        self._follow_unit()

    def on_passage_clicked(self, event: Passage.Clicked) -> None:
        """A click on a marked name chooses its unit; on a name that is no unit it begins to add it."""
        event.stop()
        if event.mark.role == "name":
            self.by_mouse(partial(self.adder.picked, Span(event.mark.start, event.mark.end)))
        for index, unit in enumerate(self.units):
            if unit.id == event.owner:
                self.query_one(UnitList).move_to(index)

    async def _open(self, sample_id: int, kind: Kind | None = None) -> None:
        picked, self._by_hand = self._by_hand, False  # what one goes on to was not picked
        self.show(await self.desk.open(sample_id, picked=picked), kind)

    async def reload(self) -> None:
        """The sample as it stands now."""
        await self._open(self.now.sample_id, self.kind)

    # Evidence.

    async def action_evidence(self) -> None:
        """Choose the evidence of the unit: a passage, letters, or a search."""
        await self.picker.ask()

    # Adding.

    async def action_add(self) -> None:
        """A new unit, by letters on the reference."""
        await self.adder.ask()

    def by_mouse(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do it in the order of the keys, and like them not while something is not saved."""

        async def run() -> None:
            if self.failure is not None:
                self.refused("add")
            elif self.app.screen is self and self.opened is not None:
                await work()

        self.app.call_later(self.bench.gate.enter, run)

    def on_text_selected(self, event: events.TextSelected) -> None:
        """The mouse was let go over a stretch of the reference: it is a new unit, by whole tokens."""
        event.stop()
        self.by_mouse(self.adder.dragged)

    # Moving and looking.

    def action_move(self, step: int) -> None:
        """To another unit."""
        self.query_one(UnitList).move(int(step))

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
        self.go_to_context(self.context_no + int(step))

    def go_to_context(self, context: int) -> None:
        """Show a context."""
        self.context_no = context
        self._draw_context()

    async def action_context_number(self) -> None:
        """To the context of a number."""
        count = len(self.now.sample.retrieved_contexts)

        def answer(typed: str) -> str | None:
            if not typed.isdecimal() or not 1 <= int(typed) <= count:
                return f"a number from 1 to {count}"
            self.go_to_context(int(typed) - 1)
            return None

        if count:
            await self.bench.ask(PromptScreen(f"go to context (1–{count})", answer))
        else:
            self.say("no context was retrieved")

    def action_mention(self, step: int) -> None:
        """To the next context with evidence of the unit, or where its wording stands."""
        self.load("look for mentions", partial(self._to_mention, int(step)))

    async def _to_mention(self, step: int) -> None:
        unit = self.unit
        place = await mention(unit, self.now.sample.retrieved_contexts, self.context_no, step)
        self.go_to_context(place.context)
        context = self.query_one("#context", Passage)
        context.reveal(place.start, place.end)
        if place not in unit.match.evidence:
            context.mark_places([Mark(place.start, place.end, "here")])
        self.bench.open_gate()

    async def action_find(self) -> None:
        """Search in reference, contexts and question."""
        await self.finder.ask()

    async def action_find_step(self, by: int) -> None:
        """The next place of the search, or the one before; without a search it asks for one."""
        await self.finder.step(int(by))

    def key_escape(self) -> None:
        """Clear the marks of a search; while something is not saved Escape is bound to letting that go."""
        if self.failure is None and self.finder.found is not None:
            self.finder.clear()

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
            self.say(f"this dataset reviews {plural(self.kind)} only")
        else:
            self.show(self.now, other)

    def action_guidelines(self) -> None:
        """The guidelines with the labels, and the versions of the policy."""
        self.load("read the guidelines", self._read_guidelines)

    async def _read_guidelines(self) -> None:
        versions = await self.desk.policy_versions()
        state = self.now.state.of(self.kind)
        used = (state.policy or self.now.opening.policy) if state.disposition == "verified" else 0
        title = f"Guidelines, version {versions[-1].policy.version}"
        await self.bench.ask(ReadScreen(title, guidelines_text(versions, used)))

    def action_scores(self) -> None:
        """Why the automatic and the verified value of the kind shown differ, once they may be seen."""
        self.load("show why", self._show_why)

    async def _show_why(self) -> None:
        await self.desk.why(self.now.sample_id, self.kind)  # what is hidden yet is said here, on the spot
        await open_why(self, self.desk, self.now.sample_id, self.kind)

    def action_copy(self) -> None:
        """Copy what is selected with the mouse, else the unit."""
        chosen = self.get_selected_text() or (self.unit.text if self.units else self.now.sample.reference)
        self.app.copy_to_clipboard(chosen)
        self.say(f"copied: {chosen}")


def entitle(widget: Widget, title: str) -> None:
    """Set a border title, unless it is the same: setting one paints the whole widget."""
    if widget.border_title != title:
        widget.border_title = title
