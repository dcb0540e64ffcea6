"""New units: by letters on the reference, by searching in it, or by the mouse."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from workbench.errors import InputError
from workbench.model import Span
from workbench.stages import editing
from workbench.text.tokens import snap, tokens
from workbench.tui import intents
from workbench.tui.cells import cut
from workbench.tui.intents import Intent
from workbench.tui.safe import flat
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.finding import Finder, TextPlace
from workbench.tui.screens.labels import LabelScreen
from workbench.tui.screens.pick import PickScreen
from workbench.tui.widgets.sample_pane import SamplePane


class Adder:
    """A stretch of the reference, then its label; `want` writes what comes of it."""

    def __init__(
        self, screen: BaseScreen, pane: SamplePane, finder: Finder, want: Callable[[Intent], None]
    ) -> None:
        self._screen = screen
        self._pane = pane
        self._finder = finder
        self._want = want

    async def ask(self) -> None:
        """A new unit, by letters on the reference."""
        pane = self._pane
        targets = [(token.start, token.end) for token in tokens(pane.now.sample.reference)]
        if not targets:
            self._screen.say("the reference is empty: there is nothing to add", tone="warn")
            return
        await pane.know_names()
        title = f"new {pane.kind}"
        other = partial(self._finder.ask, title, "reference", self._add_place)
        pick = PickScreen(
            title, pane.reference, targets, self.add, names=pane.names, look=pane.mark_new, other=other
        )
        await self._screen.bench.ask(pick)

    async def _add_place(self, place: TextPlace) -> None:
        await self.add(Span(*snap(self._pane.now.sample.reference, place.start, place.end)))

    async def dragged(self) -> None:
        """The mouse was let go over a stretch of the reference: it is a new unit."""
        selected = self._pane.reference.selected
        if selected is not None:
            await self.add(Span(*snap(self._pane.now.sample.reference, *selected)), sure=False)

    async def add(self, span: Span, *, sure: bool = True) -> None:
        """A stretch was chosen: add it with a label, or go to the unit that it is already.

        A statement has no label; when it is not `sure` that it is wanted, that is asked.
        """
        pane, now = self._pane, self._pane.now
        kind, surface = pane.kind, now.sample.reference[span.start : span.end]
        try:
            editing.refuse_twice(now, kind, surface)
        except InputError as error:
            same = next((unit for unit in pane.units if span in unit.spans), None)
            if same is not None:
                pane.choose(same.id)
            self._screen.say(str(error), tone="warn")
            return
        if kind == "statement" and sure:
            self._want(intents.add_span(kind, span, "", surface))
            return

        def add(label: str) -> None:
            self._screen.clear_selection()
            self._want(intents.add_span(kind, span, label, surface))

        pane.mark_new((span,))
        title = f"new {kind} {cut(flat(surface), 24)}"
        if kind == "entity" and (other := editing.other_form(now, surface)):
            title += f" · already there as {cut(flat(other), 24)}"
        labels = now.policy.labels if kind == "entity" else ()
        none = "no label" if kind == "entity" else "add it"
        at_end = partial(pane.mark_new, ())
        await self._screen.bench.ask(LabelScreen(title, labels, add, none=none, at_end=at_end))
