"""The evidence of a unit: one of the passages most like it, letters in the context shown, or a search."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from textual.app import ComposeResult

from workbench.errors import InputError
from workbench.model import Evidence, Span, Unit
from workbench.stages import editing, intents
from workbench.stages.hints import runs
from workbench.text.cells import cut
from workbench.text.marks import Mark
from workbench.text.safe import flat
from workbench.text.tokens import sentences, tokens
from workbench.tui.keys import bindings
from workbench.tui.screens.finding import Chooser, OverUnits, TextPlace
from workbench.tui.screens.pick import PickScreen
from workbench.tui.view import NONE_NEAR, near_lines
from workbench.tui.widgets.bars import Bar, choice_parts
from workbench.tui.widgets.passage import Marked, Passage

TakePlace = Callable[[Unit, Evidence], None]


class EvidencePicker(Chooser):
    """Brings the contexts forward while a person chooses."""

    async def ask(self) -> None:
        """Choose the evidence of the unit under the cursor; what it has, or was opened with, stands first."""
        unit = self.pane.counted_unit
        if not self.pane.contexts:
            raise InputError("no context was retrieved: there is no evidence to choose")
        near = self.pane.offered(unit, await self.pane.near(unit))
        await self.screen.bench.ask(EvidenceScreen(self, unit, near))

    async def ask_same(self) -> None:
        """The unit and words of a context name the same thing: those of its evidence, else some one picks.

        Said again of a unit it is taken back.
        """
        unit = self.pane.counted_unit
        if unit.kind == "statement":
            raise InputError("a statement has no other name")
        if not self.pane.contexts:
            raise InputError("no context was retrieved: there is no other name")
        near = await self.pane.near(unit)
        evidence = unit.match.evidence[:1]
        if unit.match.alias:
            self.want(intents.same_thing(unit, None))
        elif evidence and evidence[0] not in near:
            self.take_same(unit, evidence[0])
        else:
            if passage := (*evidence, *near):
                self.pane.look_at(passage[0])
            await self.by_letters(unit, self.take_same, "another name")

    def take_same(self, unit: Unit, evidence: Evidence) -> None:
        """The words of this place name the same thing; those that match by themselves are evidence alone."""
        words = evidence.of(self.pane.contexts)
        if len(words) <= editing.LONGEST_NAME and editing.matches(self.pane.now, unit, words):
            self.take(unit, evidence)
        else:
            self.want(intents.same_thing(unit, evidence, words))

    def take(self, unit: Unit, evidence: Evidence | None) -> None:
        """This place is the evidence; None takes the evidence away."""
        if evidence is not None:
            self.pane.context_no = evidence.context  # so that it stays in sight when the unit is shown again
        self.want(intents.evidence(unit, evidence))

    async def by_letters(self, unit: Unit, take: TakePlace | None = None, what: str = "evidence") -> None:
        """A stretch of the context in sight: one letter for what may be it, Enter for every word.

        That is a sentence for a statement; for a name what is most like it, and runs of capitalized words.
        """
        take, passage = take or self.take, self.pane.context
        passage.mark_places(())
        words = await asyncio.to_thread(tokens, passage.text)

        async def done(span: Span) -> None:
            take(unit, passage.place_of(span))

        def look(spans: tuple[Span, ...]) -> None:
            passage.mark_places([Mark(span.start, span.end, "here") for span in spans])

        find = sentences if unit.kind == "statement" else runs
        found = [] if self.pane.now.blind else await asyncio.to_thread(find, passage.text)
        names = [Span(run.start, run.end) for run in found]
        like = (*unit.match.evidence, *await self.pane.near(unit)) if take == self.take else ()
        for place in like if unit.kind == "entity" else ():
            at = passage.offset_of(place.context, place.start)
            span = Span(at, at + place.end - place.start) if at is not None else None
            if span and all(name.end <= span.start or span.end <= name.start for name in names):
                names.append(span)
        names.sort(key=lambda name: name.start)
        search = partial(self.by_search, unit, take, what)
        pick = PickScreen(
            _title(what, unit), passage, words, done, names=names, look=look, other=search, names_first=True
        )
        await self.screen.bench.ask(pick)

    async def by_search(self, unit: Unit, take: TakePlace | None = None, what: str = "evidence") -> None:
        """A place that is searched for in all contexts, by whole words."""

        async def found(hit: TextPlace) -> None:
            (take or self.take)(unit, Evidence(hit.part - 1, hit.start, hit.end))

        await self.finder.ask(_title(what, unit), "contexts", found)


def _title(what: str, unit: Unit) -> str:
    return f"{what} for {cut(flat(unit.text), 20)}"


class EvidenceScreen(OverUnits):
    """Over the list of units: reference and context stay in sight, and can be paged and scrolled."""

    BINDINGS = bindings("evidence")

    def __init__(self, picker: EvidencePicker, unit: Unit, near: Sequence[Evidence]) -> None:
        super().__init__(picker.pane)
        self._picker = picker
        self._unit = unit
        self._near = near
        self._nothing = "nothing is suggested here" if picker.pane.now.blind else NONE_NEAR
        self._before = picker.pane.context_no
        self._cursor = 0
        self.action_scroll = picker.pane.page_contexts

    def body(self) -> ComposeResult:
        """The passages, and below them what else can be done."""
        numbers = "1" if len(self._near) == 1 else f"1–{len(self._near)}"
        take = ((numbers, "take"),) if self._near else ()
        ways = (*take, ("e", "letters"), ("/", "find"), ("0", "none"), ("[ ]", "page"))
        cancel = choice_parts([("esc", "cancel")])
        yield Bar([(f"evidence for {flat(self._unit.text)}", "bold")], cancel, id="title")
        yield Passage(id="offers")
        yield Bar(choice_parts(ways), id="hint")

    def moved(self) -> None:
        """The passages with their contexts, the one under the cursor in another colour."""
        listed = Marked()
        for number, (line, likes) in enumerate(near_lines(self._unit, self._near, self._pane.contexts)):
            here, own = number == self._cursor, str(number)
            whole = Mark(0, len(line), "chosen-long" if here else "text", own)
            words = (like._replace(owner=own, role="chosen" if here else like.role) for like in likes)
            listed.line(line, [whole, *words])
        offers = self.query_one("#offers", Passage)
        offers.show(listed.text, listed.marks, nothing=self._nothing)
        for mark in listed.marks:
            if mark.role == "chosen-long":
                offers.reveal(mark.start, mark.end)

    def action_take_number(self, number: int) -> None:
        """A digit."""
        if number <= len(self._near):
            self.app.pop_screen()
            self._picker.take(self._unit, self._near[number - 1])
        else:
            there = f"only {len(self._near)} offered" if self._near else self._nothing
            self._picker.screen.warn(f"{there}: e picks words of a context, / searches")

    def action_take(self) -> None:
        """Enter."""
        self.action_take_number(self._cursor + 1)

    def action_move(self, step: int) -> None:
        """Another passage; its context comes forward."""
        if self._near:
            self._cursor = max(0, min(self._cursor + step, len(self._near) - 1))
            self.moved()
            self._pane.look_at(self._near[self._cursor])

    def on_passage_clicked(self, event: Passage.Clicked) -> None:
        """A click takes the passage."""
        event.stop()
        self.bench.in_turn(partial(self._take_clicked, int(event.mark.owner)))

    async def _take_clicked(self, number: int) -> None:
        if self.app.screen is self:
            self.action_take_number(number + 1)

    def action_remove(self) -> None:
        """No evidence."""
        self.app.pop_screen()
        self._picker.take(self._unit, None)

    def action_page(self, step: int) -> None:
        """Another context."""
        self._pane.go_to_context(self._pane.context_no + step)

    async def action_letters(self) -> None:
        """Letters over the tokens of the context that is shown."""
        self.app.pop_screen()
        await self._picker.by_letters(self._unit)

    async def action_search(self) -> None:
        """A search over all contexts."""
        self.app.pop_screen()
        await self._picker.by_search(self._unit)

    def action_cancel(self) -> None:
        """Escape: the context that was shown before."""
        self.app.pop_screen()
        self._pane.go_to_context(self._before)
