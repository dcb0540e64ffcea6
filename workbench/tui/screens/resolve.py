"""Resolve: what people differ in, side by side, until one review of the sample stands."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial

from textual import events
from textual.message import Message

from workbench.comparing.links import Sided, Sides
from workbench.model import Kind, Unit, letter
from workbench.reports.team import letters_text
from workbench.reports.units import settling_symbol, verdict
from workbench.stages import intents, resolve
from workbench.stages.desk import new_action
from workbench.stages.review import Opened
from workbench.text.cells import fit, width
from workbench.text.figures import many
from workbench.text.safe import flat
from workbench.tui import view
from workbench.tui.keys import KeyAct, bindings
from workbench.tui.screens.review import REST, ReviewScreen
from workbench.tui.widgets.bars import Head
from workbench.tui.widgets.lines import Toned
from workbench.tui.widgets.unit_list import UnitColumns, UnitList, verdict_tone
from workbench.tui.work import on_stage

LEAST_TEXT, MOST_TEXT = 16, 44
"""Cells of a unit's wording, however many people there are."""
LEAST_SIDE, MOST_SIDE = 5, 18
"""Cells of what one of them has, with their letter."""
LEAD = len("▸ ≠ ")


def side_text(sided: Sided, side: int) -> str:
    """What one of them has of a unit, as far as they differ: `Taj Mahal ● 1`, `○`, `work`, `—`."""
    unit = sided.sides[side]
    if unit is None:
        return "—"
    there = [other for other in sided.sides if other is not None]
    facts = [unit.text] if len({other.text for other in there}) > 1 else []
    facts += [unit.label] if len({other.label for other in there}) > 1 else []
    if not facts or len({other.match.verdict for other in there}) > 1:
        facts.append(verdict(unit.match, words=False))
    return flat(" ".join(facts))


def stands(unit: Unit) -> str:
    """How a unit is settled; nothing where it is open or no unit."""
    return verdict(unit.match, words=False) if unit.counted and unit.match.verdict else ""


class SidesList(UnitList):
    """One unit a row; behind its verdict what each person has where they differ."""

    over: Sides | None = None
    _people, _cells = 0, LEAST_SIDE

    @dataclass
    class Taken(Message):
        """What one person has of a unit was clicked."""

        index: int
        side: int

    def _sided(self, unit: Unit) -> Sided | None:
        return self.over.of(unit) if self.over else None

    def plan(self, size: int) -> UnitColumns:
        """The wording gives way to what people have, as many of them as there is room for."""
        differ = [row for unit in self.rows if (row := self._sided(unit)) is not None and not row.agreed]
        texts = [side_text(row, side) for row in differ for side in range(len(row.sides))]
        people = max((len(row.sides) for row in differ), default=0)
        cells = max(LEAST_SIDE, min(MOST_SIDE, 2 + max(map(width, texts), default=0)))
        now = max((width(stands(unit)) for unit in self.rows), default=0)
        room = size - LEAD - 2 - now - LEAST_TEXT
        if people and people * (cells + 2) > room:
            cells = max(LEAST_SIDE, room // people - 2)
        self._people = min(people, max(0, room) // (cells + 2))
        wording = size - LEAD - 2 - now - self._people * (cells + 2)
        longest = max((width(flat(unit.text)) for unit in self.rows), default=0)
        text = max(LEAST_TEXT, wording if self._statements else min(MOST_TEXT, longest, wording))
        self._cells = cells
        return UnitColumns(text, 0, now, words=False)

    def _unit_line(self, unit: Unit, index: int) -> Toned:
        sided, columns = self._sided(unit), self._columns
        letters = sided.letters(unit) if sided else ()
        mark = settling_symbol(unit, sided, letters)
        parts = [
            ("▸ " if index == self.cursor else "  ", ""),
            (f"{mark:<2}", "warn" if mark == "≠" else "good"),
            (f"{fit(self._wording(unit, index, 0), columns.text)}  ", "" if unit.counted else "struck"),
            (fit(stands(unit), columns.verdict), verdict_tone(unit)),
        ]
        if sided is None or sided.agreed:
            return parts
        for side in range(self._people):
            taken = letter(side) in letters
            tone = "good" if taken else "warn" if mark == "≠" else "dim"
            parts += [("  ", ""), (f"{letter(side):<2}", tone)]
            parts.append((fit(side_text(sided, side), self._cells - 2), "" if taken else "dim"))
        return parts

    def on_click(self, event: events.Click) -> None:
        """A click on what a person has takes it; elsewhere it is as in a review."""
        offset = event.get_content_offset(self)
        first = LEAD + self._columns.text + 2 + self._columns.verdict
        if offset is None or offset.x < first:
            super().on_click(event)
            return
        index, side = self.entry_at(offset.y + self.scroll_offset.y), (offset.x - first) // (self._cells + 2)
        if index >= 0 and side < self._people:
            self.post_message(self.Taken(index, side))


NOT_HERE = frozenset(("digit", "same", "flag", "alias"))
"""What a review can and this screen cannot: digits take what a person has."""


class ResolveScreen(ReviewScreen):
    """A review of what several people verified; its keys are those of a review, but digits take sides."""

    BINDINGS = bindings("resolve")
    DONE = "settled"
    LIST = SidesList

    _left = 0
    """How many samples are left to settle; 0 before that is read."""

    @property
    def over(self) -> Sides:
        """What is settled."""
        assert self.pane.now.over is not None
        return self.pane.now.over

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """As in a review, without what is about one's own work."""
        people = len(self.over.people[self.pane.kind]) if self.pane.opened else 0
        beyond = action == "take" and int(str(parameters[0])) >= max(1, people)
        return False if action in NOT_HERE or beyond else super().check_action(action, parameters)

    def show(self, opened: Opened, kind: Kind | None = None) -> None:
        """As in a review; the list knows what people have before it is drawn."""
        assert isinstance(self.pane.listed, SidesList)
        self.pane.listed.over = opened.over
        super().show(opened, kind)
        self.refresh_bindings()  # each sample has its own people, and each of them a digit

    def key_word(self, act: KeyAct) -> str:
        """The digits name all whose units they take."""
        people = len(self.over.people[self.pane.kind]) if self.pane.opened else 0
        return act.footer.replace("A B", f"A to {letter(people - 1)}" if people > 2 else "A B")

    def _draw_head(self) -> None:
        left, right = view.resolve_head(self.pane.now, self.pane.kind, self._left)
        self.query_one(Head).show(left, right)

    async def _read_progress(self) -> None:
        await asyncio.sleep(REST)
        _, self._left = await self.desk.settling()
        if on_stage(self):
            self._draw_head()

    # Keys.

    def action_take(self, side: int) -> None:
        """Take the unit under the cursor as one person has it, and go to the next that is open."""
        side = int(side)
        self._want_of_unit(partial(intents.take, side=side, who=self._whose(side)), counted=False)

    async def takes(self, character: str) -> bool:
        """A digit of nobody says whose there are."""
        several = self.pane.opened is not None and len(self.over.people[self.pane.kind]) > 1
        if several and character.isdecimal():
            self.say(f"{character} is nobody's: {view.digits(self.over, self.pane.kind)}")
            return True
        return False

    def _whose(self, side: int) -> str:
        """Whose side it is, once names are shown."""
        return flat(self.over.people[self.pane.kind][side]) if self.over.named and side >= 0 else ""

    def action_rest(self) -> None:
        """Take all that is open from whom the unit under the cursor was taken, else from A."""
        unit = self.pane.listed.chosen
        sided = unit and self.over.of(unit)
        letters = sided.letters(unit) if unit and sided and not sided.agreed else ()
        side = next((side for side in range(len(self.over.reviews)) if letter(side) in letters), 0)
        self.want(intents.rest(self.pane.kind, side, self._whose(side)))

    def action_who(self) -> None:
        """Show the names, once that is stored."""
        action = new_action()
        self.saver.start("show the names", partial(self._who, action), writes=True)

    async def _who(self, action: str) -> None:
        opened = await self.desk.store.write(resolve.saw, self.pane.now, action, named=True)
        self.saver.saved(letters_text(opened, self.pane.kind))
        self.show(opened)

    def action_accept(self) -> None:
        """Settle the kind shown and go on; what is open has to be decided before."""
        now, units = self.pane.now, self.pane.units
        verified = now.state.of(self.pane.kind).disposition == "verified"
        if left := () if verified else self.over.open(units):
            number = many(len(left), "unit is", "units are")
            self.warn(f"{number} open: {view.digits(self.over, self.pane.kind)}", sign="?")
            self.pane.choose(left[0].id)
        elif now.blind and not verified and not any(unit.counted for unit in units):
            self.accepter.accept()
        else:
            super().action_accept()

    # By the mouse.

    def on_sides_list_taken(self, event: SidesList.Taken) -> None:
        """A click on what a person has takes it."""
        event.stop()

        async def take() -> None:
            self.pane.listed.move_to(event.index)
            self.action_take(event.side)

        self._by_mouse(take)
