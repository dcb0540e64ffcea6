"""New units: by letters on the reference, by typing, by the mouse; and what looks like a name there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from workbench.errors import InputError
from workbench.model import Span
from workbench.stages import editing
from workbench.stages.review import NO_NAMES, names_of, unmarked
from workbench.text.ground import ground
from workbench.text.tokens import snap, tokens
from workbench.tui import intents
from workbench.tui.cells import cut
from workbench.tui.intents import Intent
from workbench.tui.safe import flat
from workbench.tui.screens.labels import LabelScreen
from workbench.tui.screens.new_unit import NewUnitScreen
from workbench.tui.screens.pick import PickScreen
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList
from workbench.tui.work import on_stage, start

if TYPE_CHECKING:
    from workbench.tui.screens.sample import SampleScreen


class Adder:
    """A stretch of the reference, then its label; and what looks like a name there and is no unit."""

    def __init__(self, screen: SampleScreen) -> None:
        self.screen = screen
        self._names = NO_NAMES
        self._names_of: int | None = None

    # What looks like a name.

    @property
    def names(self) -> tuple[Span, ...]:
        """Stretches that look like names and are no unit, as far as they are known yet."""
        if self.screen.kind == "statement" or self._names_of != self.screen.now.sample_id:
            return ()
        return unmarked(self._names, self.screen.units)

    def look_for_names(self) -> None:
        """Look for names in a thread: a sample never waits for its hints."""
        if self._names_of != self.screen.now.sample_id:
            start(self.screen, self._know_names, group="names", only_newest=True, failed=self._no_names)

    async def _know_names(self) -> None:
        opened = self.screen.now
        if self._names_of == opened.sample_id:
            return
        names = await asyncio.to_thread(names_of, opened)
        if on_stage(self.screen) and self.screen.now.sample_id == opened.sample_id:
            self._names, self._names_of = names, opened.sample_id
            self._look(())

    def _no_names(self, error: Exception) -> None:
        self.screen.say(f"could not look for names: {error}", tone="warn")

    def _look(self, spans: tuple[Span, ...]) -> None:
        """Mark what would be added; nothing: the reference as it is."""
        reference = self.screen.query_one("#reference", Passage)
        chosen = None if spans else self.screen.query_one(UnitList).chosen
        reference.mark(self.screen.marks(chosen, spans))
        if spans:
            reference.reveal(spans[0].start, spans[0].end)

    # By keys.

    async def ask(self) -> None:
        """A new unit, by letters on the reference."""
        targets = [(token.start, token.end) for token in tokens(self.screen.now.sample.reference)]
        if not targets:
            self.screen.say("the reference is empty: there is nothing to add", tone="warn")
            return
        await self._know_names()
        await self.screen.bench.ask(
            PickScreen(
                f"new {self.screen.kind}",
                self.screen.query_one("#reference", Passage),
                targets,
                self.picked,
                names=self.names,
                look=self._look,
                other=self._type,
            )
        )

    async def _type(self) -> None:
        """Type the text instead."""

        def known(span: Span) -> bool:
            return any(unit.counted and span in unit.spans for unit in self.screen.units)

        kind, reference = self.screen.kind, self.screen.now.sample.reference
        await self.screen.bench.ask(NewUnitScreen(kind, reference, self._typed_text, self._look, known))

    async def _typed_text(self, text: str) -> None:
        kind = self.screen.kind
        span = ground(text, self.screen.now.sample.reference)[0]
        await self._add(span, lambda label: intents.add(kind, text, label), sure=True)

    async def picked(self, span: Span, *, sure: bool = True) -> None:
        """A stretch was chosen: add it, or go to the unit that it is already."""
        kind = self.screen.kind
        surface = self.screen.now.sample.reference[span.start : span.end]
        try:
            editing.refuse_twice(self.screen.now, kind, surface)
        except InputError as error:
            self._go_to(span)
            self.screen.say(str(error), tone="warn")
        else:
            await self._add(span, lambda label: intents.add_span(kind, span, label, surface), sure=sure)

    async def _add(self, span: Span, make: Callable[[str], Intent], *, sure: bool) -> None:
        """Ask for the label of an entity; of a statement only, when not `sure`, whether it is wanted."""
        now = self.screen.now
        entity = self.screen.kind == "entity"
        if not entity and sure:
            self.screen.want(make(""))
            return

        def add(label: str) -> None:
            self.screen.clear_selection()
            self.screen.want(make(label))

        self._look((span,))
        surface = now.sample.reference[span.start : span.end]
        title = f"new {self.screen.kind} {cut(flat(surface), 24)}"
        if entity and (same := editing.other_form(now, surface)):
            title += f" · already there as {cut(flat(same), 24)}"
        await self.screen.bench.ask(
            LabelScreen(
                title,
                now.policy.labels if entity else (),
                add,
                none="no label" if entity else "add it",
                at_end=partial(self._look, ()),
            )
        )

    def _go_to(self, span: Span) -> None:
        for index, unit in enumerate(self.screen.units):
            if span in unit.spans:
                self.screen.query_one(UnitList).move_to(index)
                return

    # By the mouse.

    async def dragged(self) -> None:
        """The mouse was let go over a stretch of the reference: it is a new unit, by whole tokens."""
        selected = self.screen.query_one("#reference", Passage).selected
        if selected is not None:
            await self.picked(Span(*snap(self.screen.now.sample.reference, *selected)), sure=False)
