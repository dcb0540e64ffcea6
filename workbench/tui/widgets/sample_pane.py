"""A sample to read: question, reference, units and contexts, which follow the cursor in the units."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.message import Message

from workbench.errors import InputError
from workbench.matching.nearest import nearest
from workbench.model import Disposition, Evidence, Kind, Span, Unit
from workbench.stages.editing import as_shown, doubtful, least_certain
from workbench.stages.hints import NO_NAMES, names_of, unmarked
from workbench.stages.review import Opened
from workbench.text.cells import cut_middle, width
from workbench.text.marks import Mark, context_marks, reference_marks
from workbench.text.safe import flat
from workbench.tui import view
from workbench.tui.bench import Bench
from workbench.tui.widgets.lines import Lines, Painted
from workbench.tui.widgets.panes import Body
from workbench.tui.widgets.passage import Contexts, Passage
from workbench.tui.widgets.tallies import Tallies
from workbench.tui.widgets.unit_list import UnitList
from workbench.tui.work import on_stage, start

NOT_COUNTED = "this unit does not count; x restores it"

PARTS = ("reference", "units")
"""What has to be on the screen before a sample counts as shown."""

NEAR_DELAY = 0.12
"""Seconds the cursor rests on a unit before its nearest passages are looked for."""

NEAR = 3
"""How many of the nearest passages are shown."""


class SamplePane(Container):
    """The sample that is shown, the kind of its units, and the context that was gone to.

    `searched` gives the places that a search found in one text of the sample (0: the reference, then each
    context, the question last); it is asked whenever a text is drawn.
    """

    DEFAULT_CSS = "SamplePane { height: 1fr; }"

    @dataclass
    class Shown(Message):
        """What was drawn last is on the screen.

        `news`: it is another sample or kind, or its disposition is another one.
        """

        news: bool

    def __init__(self, kind: Kind, say: Callable[[str], None], listed: UnitList) -> None:
        """`say` shows a message when a search in a thread fails; the units are `listed` there."""
        super().__init__()
        self.opened: Opened | None = None
        self.kind = kind
        self.context_no = 0
        self.shown_at = float("inf")
        """When the sample was on the screen, by the clock of the app; infinite until it is."""
        self.searched: Callable[[int], list[Mark]] = lambda _part: []
        self.question = Passage(id="question")
        self.reference = Passage(id="reference")
        self.context = Contexts(id="context")
        self.detail = Passage(id="detail")
        self.listed = listed
        self.tallies = Tallies(id="tallies")
        self.body = Body(self.question, self.reference, self.listed, self.detail, self.tallies, self.context)
        self._say = say
        self._generation = 0
        self._painted: set[str | None] = set()
        self._news = False
        self._disposition: Disposition = "todo"
        self._cursors: dict[tuple[int, Kind], int] = {}
        self._names = NO_NAMES
        self._names_of: int | None = None
        self._step = -1
        """The number of the evidence that was gone to; -1 before the first."""
        self._near: tuple[str, dict[str, list[Evidence]]] = ("", {})
        """The nearest passages by the unit's wording, of one sample."""

    def compose(self) -> ComposeResult:
        """Question, reference, units and contexts."""
        yield self.body

    def on_mount(self) -> None:
        """The title of the context says which of its lines are seen."""
        self.reference.border_title = "Reference"
        for name in ("scroll_y", "virtual_size"):
            self.watch(self.context, name, self._title_context, init=False)

    # What is shown.

    @property
    def now(self) -> Opened:
        """The sample shown."""
        assert self.opened is not None
        return self.opened

    @property
    def contexts(self) -> tuple[str, ...]:
        """The contexts of the sample shown."""
        return self.now.sample.retrieved_contexts

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units of the kind shown."""
        return self.now.units(self.kind)

    @property
    def unit(self) -> Unit:
        """The unit under the cursor. Raises InputError when there is none."""
        chosen = self.listed.chosen
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

    def to_next_doubt(self, step: int) -> bool:
        """To the next unit to look at before accepting, round the end; False when there is none."""
        return self.listed.move_to_next(step, partial(doubtful, contexts=self.contexts))

    def show(self, opened: Opened, kind: Kind) -> bool:
        """Draw the sample; True when another sample or kind was shown before."""
        listed = self.listed
        before = (self.opened.sample_id, self.kind) if self.opened else None
        if before is not None:
            self._cursors[before] = listed.cursor  # an undo that comes back finds the cursor where it was
        self.opened, self.kind = opened, kind
        state, is_new = opened.state.of(kind), before != (opened.sample_id, kind)
        self._generation += 1
        self._painted.clear()
        if is_new:
            self.shown_at = float("inf")
            self.context_no = 0
            at = self._cursors.get((opened.sample_id, kind))
            listed.cursor = least_certain(self.units, self.contexts) if at is None else at
        self._news = self._news or is_new or state.disposition != self._disposition
        self._disposition = state.disposition
        listed.show(
            state.assessment.units,
            revealed=opened.revealed if kind == opened.dataset.kinds[0] else (),
            nothing=view.nothing_text(opened, kind),
            statements=kind == "statement",
            generation=self._generation,
        )
        listed.entitle(Content(view.units_title(opened, kind)))
        self.question.show(opened.stored.question, nothing="no question")
        self.reference.show(
            "" if opened.sample.blank else opened.sample.reference,
            self._marks(listed.chosen),
            nothing="the reference is empty: recall is undefined",
            generation=self._generation,
        )
        notes = (view.detail_lines(unit, opened, None, 0)[0] for unit in self.units if not opened.over)
        self.tallies.reason = max(notes, key=width, default="")
        self.tallies.show(opened, kind)
        listed.reveal(listed.cursor)
        self._follow_unit()
        self.body.fit()
        return is_new

    def choose(self, unit_id: str) -> None:
        """Put the cursor on a unit."""
        for index, unit in enumerate(self.units):
            if unit.id == unit_id and index != self.listed.cursor:
                self.listed.move_to(index)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """The cursor moved."""
        event.stop()
        self._follow_unit()

    def _follow_unit(self) -> None:
        """Reference, context and detail follow the cursor."""
        unit = self.listed.chosen
        self.reference.mark(self._marks(unit))
        if unit is not None and unit.spans:
            self.reference.reveal(unit.spans[0].start, unit.spans[0].end)
        places = unit.match.evidence if unit is not None else ()
        if places and self.context_no not in {evidence.context for evidence in places}:
            self.context_no = places[0].context
        self._draw_contexts()
        here = [evidence for evidence in places if evidence.context == self.context_no]
        if here:
            self.reveal(here[0])
        self._step = -1
        self.tell_unit()

    def tell_unit(self) -> None:
        """Say what is known of the unit under the cursor, in its pane or its line."""
        unit = self.listed.chosen
        wanted = unit is not None and self.wants_near(unit)
        near = self._known_near().get(unit.text) if unit is not None and wanted else None
        self._show_detail(unit, near)
        if unit is not None and wanted and near is None:
            run = partial(self._look_for_near, unit)
            start(self, run, group="near", only_newest=True, failed=self._fails("passages"))

    def _fails(self, what: str) -> Callable[[Exception], None]:
        def failed(error: Exception) -> None:
            self._say(f"could not look for {what}: {error}")

        return failed

    # The reference.

    def _marks(self, chosen: Unit | None, typed: tuple[Span, ...] = ()) -> list[Mark]:
        names = [Mark(name.start, name.end, "name") for name in self.names]
        return [*names, *reference_marks(self.units, chosen, typed)]

    def mark_new(self, spans: tuple[Span, ...]) -> None:
        """Mark what would be added; nothing: the reference as it is."""
        self.reference.mark(self._marks(None if spans else self.listed.chosen, spans))
        self.app.call_later(self.body.fit)  # letters may have taken room; not below a dialog that closes
        if spans:
            self.reference.reveal(spans[0].start, spans[0].end)

    @property
    def names(self) -> tuple[Span, ...]:
        """Stretches that look like names and are no unit, as far as they are known yet."""
        if self.kind == "statement" or self._names_of != self.now.sample_id:
            return ()
        return unmarked(self._names, self.units)

    def label_of(self, name: Span) -> str:
        """What the rules take a name for, as a label of the policy; empty where they do not know."""
        given = self._names.labels.get(name, "")
        return given if given in self.now.dataset.policy.label_names() else ""

    async def know_names(self) -> None:
        """Look for names in a thread: a sample never waits for its hints."""
        opened = self.now
        if self._names_of == opened.sample_id:
            return
        names = await asyncio.to_thread(names_of, opened)
        if on_stage(self) and self.now.sample_id == opened.sample_id:
            self._names, self._names_of = names, opened.sample_id
            self.mark_new(())

    # The contexts.

    def go_to_context(self, context: int) -> None:
        """Scroll to the beginning of a context, or of the nearest there is."""
        self.context_no = max(0, min(context, len(self.contexts) - 1))
        self._draw_contexts()
        self.context.go_to(self.context_no)
        self._title_context()

    def page_contexts(self, step: int) -> None:
        """Scroll by a page; from the end of what is there to the next context."""
        before = self.context.scroll_offset
        self.context.page(step)
        if self.context.scroll_offset == before:
            edge = self.context.last if step > 0 else self.context.first
            self.go_to_context(edge + step)

    def go_to_evidence(self, step: int) -> bool:
        """To the next place of the unit's evidence, round the end; False when it has none."""
        unit = self.unit
        near = self._known_near().get(unit.text, [])
        places = sorted(unit.match.evidence or near, key=lambda evidence: (evidence.context, evidence.start))
        if places:
            self._step = (self._step + step) % len(places) if self._step >= 0 else min(0, step) % len(places)
            self.look_at(places[self._step], "here")
        return bool(places)

    def look_at(self, evidence: Evidence, role: str = "passage") -> None:
        """Bring a place forward."""
        self.context_no = evidence.context
        self._draw_contexts()
        start = self.context.offset_of(evidence.context, evidence.start)
        assert start is not None  # its context is the one gone to
        self.context.mark_places([Mark(start, start + evidence.end - evidence.start, role)])
        self.reveal(evidence)

    def reveal(self, evidence: Evidence) -> None:
        """Scroll so that a place can be seen."""
        start = self.context.offset_of(evidence.context, evidence.start)
        if start is not None:
            self.context.reveal(start, start + evidence.end - evidence.start)

    def _draw_contexts(self) -> None:
        contexts, units, passage = self.contexts, self.units, self.context
        passage.take(contexts, self.context_no)
        passage.put(
            view.context_headings(contexts, units, self.kind),
            self.context_no,
            context_marks(units, self.listed.chosen, passage.offset_of),
            "no context was retrieved: nothing can be found",
        )
        self._title_context()
        self.mark_searched()

    def mark_searched(self) -> None:
        """Mark the places of a search in every text."""

        def placed(part: int, lead: int) -> Iterable[Mark]:
            return (
                mark._replace(start=mark.start + lead, end=mark.end + lead) for mark in self.searched(part)
            )

        self.reference.mark_places(self.searched(0))
        self.question.mark_places([*placed(len(self.contexts) + 1, len(self.now.stored.told_by))])
        leads = map(self.context.offset_of, range(len(self.contexts)))
        there = ((part, lead) for part, lead in enumerate(leads, 1) if lead is not None)
        self.context.mark_places([mark for part, lead in there for mark in placed(part, lead)])

    def _title_context(self) -> None:
        """Say in which context the first visible line is, and how far it can be seen."""
        if self.opened is None:
            return
        headings, top = self.context.headings, self.context.in_sight[0]
        seen = self.context.seen(top) if headings and self.context.size.height else None
        heading = headings[top] if headings else "Contexts"
        title = view.context_title(heading, self.context.in_sight, self.listed.chosen, seen)
        self.context.entitle(Content(title))

    # The nearest passages.

    def wants_near(self, unit: Unit) -> bool:
        """Whether passages like it help to decide on it."""
        open_or_missing = unit.match.verdict in (None, "missing") and not unit.match.evidence
        return unit.counted and open_or_missing and not self.now.blind

    def _known_near(self) -> dict[str, list[Evidence]]:
        if self._near[0] != self.now.sample.content_hash:
            self._near = self.now.sample.content_hash, {}
        return self._near[1]

    async def _look_for_near(self, unit: Unit) -> None:
        await asyncio.sleep(NEAR_DELAY)
        await self.near(unit)
        if on_stage(self) and self.listed.chosen == unit:
            self._show_detail(unit, self._known_near().get(unit.text))  # none of another sample

    async def near(self, unit: Unit) -> list[Evidence]:
        """The passages most like a unit over all contexts; none when blind."""
        if self.now.blind:
            return []
        known = self._known_near()
        if unit.text not in known:
            known[unit.text] = await asyncio.to_thread(nearest, unit.text, self.contexts, NEAR)
        return known[unit.text]

    def offered(self, unit: Unit, near: Iterable[Evidence]) -> list[Evidence]:
        """The place that a unit has, or was shown with at first, and the passages most like it."""
        shown = as_shown(self.now, unit)
        own = (unit.match.evidence or (shown.match.evidence if shown else ()))[:1]
        return [*own, *(place for place in near if place not in own)][:NEAR]

    def _show_detail(self, unit: Unit | None, near: Sequence[Evidence] | None) -> None:
        """What is known of the unit and helps to decide on it; a line of it where there is one only."""
        if unit is None:
            self.detail.entitle(Content(""))
            self.detail.show("")
            self.tallies.note = ()
            return
        near = near if near is None else self.offered(unit, near)
        size = self.detail.scrollable_content_region.width
        if size:
            self.detail.entitle(Content(cut_middle(flat(unit.text), max(8, size - 2))))
            self.detail.show(*view.detail(unit, self.now, near, size))
        self.tallies.note = view.detail_lines(unit, self.now, near, self.tallies.size.width)

    # Painting.

    @property
    def painted(self) -> bool:
        """Whether the reference and the units of the sample have been on the screen."""
        return self.shown_at != float("inf")

    def on_painted(self, event: Painted) -> None:
        """The reference or the units have been drawn."""
        event.stop()
        if event.generation != self._generation:
            return
        self._painted.add(event.part)
        if len(self._painted) == len(PARTS):
            # A frame draws whole rows and writes what changed: this one may belong to a neighbour alone.
            # By now the screen has heard what else changed, and calls back when that is written.
            written = partial(self._on_screen, event.generation)
            self.screen.call_later(self.screen.call_after_refresh, written)

    def _on_screen(self, generation: int) -> None:
        """The reference and the units of this generation are on the screen."""
        if generation == self._generation and self.is_attached:
            self.shown_at = self.shown_at if self.painted else Bench.clock()
            self.post_message(self.Shown(news=self._news))
            self._news = False
            if self._names_of != self.now.sample_id:  # by now: a thread that works would hold the painting up
                start(self, self.know_names, group="names", only_newest=True, failed=self._fails("names"))
