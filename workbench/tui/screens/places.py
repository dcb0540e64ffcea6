"""Choosing the evidence of a unit: a passage, letters, or a search; and which passages are most like it."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from workbench.errors import InputError
from workbench.matching.nearest import nearest
from workbench.model import Evidence, Span, Unit
from workbench.text.tokens import tokens
from workbench.tui import intents
from workbench.tui.cells import cut
from workbench.tui.marks import Mark
from workbench.tui.safe import flat
from workbench.tui.screens.evidence import Choosing, EvidenceScreen, offers
from workbench.tui.screens.pick import PickScreen
from workbench.tui.view import detail, near_text
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList
from workbench.tui.work import on_stage, start

if TYPE_CHECKING:
    from workbench.tui.screens.sample import SampleScreen

NEAR_DELAY = 0.12
"""Seconds the cursor rests on a unit before its nearest passages are looked for."""

NEAR = 3


class EvidencePicker:
    """The evidence that a person chooses for a unit, and the passages most like a unit that is missing."""

    def __init__(self, screen: SampleScreen) -> None:
        self.screen = screen
        self._near: tuple[str, dict[str, list[Evidence]]] = ("", {})
        """The nearest passages by the unit's wording, of one sample."""
        self._asked: tuple[int, str] = (0, "")
        """The sample and the unit that `e` was pressed on last without a passage to offer."""

    # The nearest passages.

    def follow(self, unit: Unit | None) -> None:
        """The cursor is on this unit: show the passages most like it, where it has none."""
        if unit is not None and self._wants_near(unit):
            if unit.text in self._known_near():
                self._show_near(unit)
            else:
                run = partial(self._look_for_near, unit)
                start(self.screen, run, group="near", only_newest=True, failed=self._no_near)

    def _wants_near(self, unit: Unit) -> bool:
        open_or_missing = unit.match.verdict in (None, "missing") and not unit.match.evidence
        wide = self.screen.has_class("-wide")
        return wide and unit.counted and open_or_missing and not self.screen.now.blind

    def _known_near(self) -> dict[str, list[Evidence]]:
        if self._near[0] != self.screen.now.sample.content_hash:
            self._near = self.screen.now.sample.content_hash, {}
        return self._near[1]

    async def _look_for_near(self, unit: Unit) -> None:
        await asyncio.sleep(NEAR_DELAY)
        await self._find_near(unit)
        if on_stage(self.screen) and self.screen.query_one(UnitList).chosen == unit:
            self._show_near(unit)

    async def _find_near(self, unit: Unit) -> list[Evidence]:
        """The passages most like a unit over all contexts; none when blind."""
        if self.screen.now.blind:
            return []
        known = self._known_near()
        if unit.text not in known:
            contexts = self.screen.now.sample.retrieved_contexts
            known[unit.text] = await asyncio.to_thread(nearest, unit.text, contexts, NEAR)
        return known[unit.text]

    def _show_near(self, unit: Unit) -> None:
        pane = self.screen.query_one("#detail", Passage)
        near, contexts = self._known_near()[unit.text], self.screen.now.sample.retrieved_contexts
        own = detail(unit, self.screen.now)
        text, marks = near_text(unit, near, contexts, pane.scrollable_content_region.width)
        lead = len(own) + 1
        pane.show(f"{own}\n{text}", [Mark(a + lead, b + lead, role) for a, b, role, *_ in marks])

    def _no_near(self, error: Exception) -> None:
        self.screen.say(f"could not look for passages: {error}", tone="warn")

    # Evidence.

    async def ask(self) -> None:
        """Choose the evidence of the unit: a passage, letters, or a search."""
        try:
            unit = self.screen.counted_unit
            if not self.screen.now.sample.retrieved_contexts:
                raise InputError("no context was retrieved: there is no evidence to choose")
            near = await self._find_near(unit)
        except InputError as error:
            self.screen.say(str(error), tone="warn")
            return
        blind = self.screen.now.blind
        if not near and not unit.match.evidence:
            before, self._asked = self._asked, (self.screen.now.sample_id, unit.id)
            if before == self._asked:
                await self._evidence_by_letters(unit)
            else:
                none = "nothing is suggested here" if blind else "no passage is like this one"
                self.screen.say(f"{none}; e again chooses the evidence by letters", tone="warn")
            return
        nothing = "nothing is suggested here" if blind else "no passage is like it"
        choosing = Choosing(
            where=lambda: self.screen.query_one("#side").region,
            take=partial(self._take_evidence, unit),
            remove=lambda: self.screen.want(intents.evidence(unit, None)),
            look=partial(self._look_at, self.screen.context_no),
            page=self.screen.action_context,
            scroll=self.screen.action_scroll_context,
            letters=partial(self._evidence_by_letters, unit),
            search=partial(self._evidence_by_search, unit),
        )
        offered = offers(unit.text, near, self.screen.now.sample.retrieved_contexts)
        await self.screen.bench.ask(EvidenceScreen(f"evidence for {unit.text}", offered, nothing, choosing))

    def _take_evidence(self, unit: Unit, place: Evidence) -> None:
        self.screen.go_to_context(place.context)  # so that it stays in sight when the unit is shown again
        self.screen.want(intents.evidence(unit, place))

    def _look_at(self, before: int, place: Evidence | None) -> None:
        """Bring a passage forward; None: the context that was shown before."""
        self.screen.go_to_context(before if place is None else place.context)
        if place is not None:
            context = self.screen.query_one("#context", Passage)
            context.mark_places([Mark(place.start, place.end, "passage")])
            context.reveal(place.start, place.end)

    async def _evidence_by_letters(self, unit: Unit) -> None:
        context = self.screen.context_no
        passage = self.screen.query_one("#context", Passage)
        passage.mark_places(())
        all_tokens = await asyncio.to_thread(tokens, self.screen.now.sample.retrieved_contexts[context])
        targets = [(token.start, token.end) for token in all_tokens]

        async def done(span: Span) -> None:
            self._take_evidence(unit, Evidence(context, span.start, span.end))

        def look(spans: tuple[Span, ...]) -> None:
            passage.mark_places([Mark(span.start, span.end, "here") for span in spans])

        search = partial(self._evidence_by_search, unit)
        await self.screen.bench.ask(PickScreen("evidence", passage, targets, done, look=look, other=search))

    async def _evidence_by_search(self, unit: Unit) -> None:
        async def take() -> None:
            self.screen.do("the evidence", partial(self._take_found_evidence, unit))

        await self.screen.finder.ask_for_place(f"evidence for {cut(flat(unit.text), 20)}", take)

    async def _take_found_evidence(self, unit: Unit) -> None:
        place = await self.screen.finder.taken()
        if place is None:
            raise InputError("nothing was found, so nothing was chosen")
        self.screen.go_to_context(place.part - 1)
        await self.screen.perform(intents.evidence(unit, Evidence(place.part - 1, place.start, place.end)))
