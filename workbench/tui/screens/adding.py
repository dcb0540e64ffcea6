"""New units: by letters on the reference, by typing, by the mouse; and what looks like a name there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from textual import events

from workbench.errors import InputError
from workbench.model import Kind, Span, Unit
from workbench.stages import editing
from workbench.stages.hints import NO_NAMES, names_of, unmarked
from workbench.stages.review import Opened
from workbench.text.ground import ground
from workbench.text.tokens import snap, tokens
from workbench.tui import intents
from workbench.tui.cells import cut
from workbench.tui.desk import Desk
from workbench.tui.intents import Intent
from workbench.tui.marks import Mark
from workbench.tui.safe import flat
from workbench.tui.screens.labels import LabelScreen
from workbench.tui.screens.new_unit import NewUnitScreen
from workbench.tui.screens.pick import PickScreen
from workbench.tui.screens.places import PlacesScreen
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList
from workbench.tui.work import on_stage, start


class AddingScreen(PlacesScreen):
    """A stretch of the reference, then its label."""

    def __init__(self, desk: Desk, sample_id: int, kind: Kind | None = None, *, picked: bool = False) -> None:
        super().__init__(desk, sample_id, kind, picked=picked)
        self._names = NO_NAMES
        self._names_of: int | None = None

    # What looks like a name.

    @property
    def names(self) -> tuple[Span, ...]:
        """Stretches that look like names and are no unit, as far as they are known yet."""
        if self.kind == "statement" or self._names_of != self.now.sample_id:
            return ()
        return unmarked(self._names, self.units)

    def show(self, opened: Opened, kind: Kind | None = None) -> None:
        """Draw the sample, then look for names beside it: a sample never waits for its hints."""
        super().show(opened, kind)
        if self._names_of != opened.sample_id:
            start(self, self._know_names, group="names", only_newest=True, failed=self._no_names)

    async def _know_names(self) -> None:
        opened = self.now
        if self._names_of == opened.sample_id:
            return
        names = await asyncio.to_thread(names_of, opened)
        if on_stage(self) and self.now.sample_id == opened.sample_id:
            self._names, self._names_of = names, opened.sample_id
            self._look(())

    def _no_names(self, error: Exception) -> None:
        self.say(f"could not look for names: {error}", tone="warn")

    def marks(self, chosen: Unit | None, typed: tuple[Span, ...] = ()) -> list[Mark]:
        """The units, and faintly what looks like a name."""
        names = [Mark(name.start, name.end, "name") for name in self.names]
        return [*names, *super().marks(chosen, typed)]

    def _look(self, spans: tuple[Span, ...]) -> None:
        """Mark what would be added; nothing: the reference as it is."""
        reference = self.query_one("#reference", Passage)
        reference.mark(self.marks(None if spans else self.query_one(UnitList).chosen, spans))
        if spans:
            reference.reveal(spans[0].start, spans[0].end)

    # By keys.

    async def action_add(self) -> None:
        """A new unit, by letters on the reference."""
        targets = [(token.start, token.end) for token in tokens(self.now.sample.reference)]
        if not targets:
            self.say("the reference is empty: there is nothing to add", tone="warn")
            return
        await self._know_names()
        await self.bench.ask(
            PickScreen(
                f"new {self.kind}",
                self.query_one("#reference", Passage),
                targets,
                self._picked,
                names=self.names,
                look=self._look,
                other=self._type,
            )
        )

    async def _type(self) -> None:
        """Type the text instead."""

        def known(span: Span) -> bool:
            return any(unit.counted and span in unit.spans for unit in self.units)

        reference = self.now.sample.reference
        await self.bench.ask(NewUnitScreen(self.kind, reference, self._typed_text, self._look, known))

    async def _typed_text(self, text: str) -> None:
        kind = self.kind
        span = ground(text, self.now.sample.reference)[0]
        await self._add(span, lambda label: intents.add(kind, text, label), sure=True)

    async def _picked(self, span: Span, *, sure: bool = True) -> None:
        kind = self.kind
        surface = self.now.sample.reference[span.start : span.end]
        try:
            editing.refuse_twice(self.now, kind, surface)
        except InputError as error:
            self._go_to(span)
            self.say(str(error), tone="warn")
        else:
            await self._add(span, lambda label: intents.add_span(kind, span, label, surface), sure=sure)

    async def _add(self, span: Span, make: Callable[[str], Intent], *, sure: bool) -> None:
        """Ask for the label of an entity; of a statement only, when not `sure`, whether it is wanted."""
        entity = self.kind == "entity"
        if not entity and sure:
            self.want(make(""))
            return

        def add(label: str) -> None:
            self.clear_selection()
            self.want(make(label))

        self._look((span,))
        surface = self.now.sample.reference[span.start : span.end]
        title = f"new {self.kind} {cut(flat(surface), 24)}"
        if entity and (same := editing.other_form(self.now, surface)):
            title += f" · already there as {cut(flat(same), 24)}"
        await self.bench.ask(
            LabelScreen(
                title,
                self.now.policy.labels if entity else (),
                add,
                none="no label" if entity else "add it",
                at_end=partial(self._look, ()),
            )
        )

    def _go_to(self, span: Span) -> None:
        for index, unit in enumerate(self.units):
            if span in unit.spans:
                self.query_one(UnitList).move_to(index)
                return

    # By the mouse.

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
        self.by_mouse(self._dragged)

    async def _dragged(self) -> None:
        selected = self.query_one("#reference", Passage).selected
        if selected is not None:
            await self._picked(Span(*snap(self.now.sample.reference, *selected)), sure=False)

    def on_passage_clicked(self, event: Passage.Clicked) -> None:
        """A click on a name that is no unit begins to add it; the base takes those on units."""
        if event.mark.role == "name":
            self.by_mouse(partial(self._picked, Span(event.mark.start, event.mark.end)))
