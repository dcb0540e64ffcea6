"""What one can say about a unit: the keys that reject, label, match and move edges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from workbench.errors import InputError
from workbench.model import Span, Unit
from workbench.stages import editing
from workbench.tui import intents
from workbench.tui.cells import cut
from workbench.tui.intents import Intent
from workbench.tui.safe import flat
from workbench.tui.screens.labels import LabelScreen
from workbench.tui.screens.pick import PickScreen
from workbench.tui.screens.sample import NOT_COUNTED, SampleScreen
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import RowPart, UnitList


class UnitsScreen(SampleScreen):
    """A key for everything one can say about the unit under the cursor."""

    def accept_none(self) -> None:
        """Verify that there are no units."""
        raise TypeError(f"{type(self).__name__} does not accept")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Statements have no labels; `0` says that there are none of them."""
        if action == "digit" and self.kind == "statement" and parameters != ("0",):
            return None
        return super().check_action(action, parameters)

    def refused(self, action: str) -> None:
        """As elsewhere; why a digit does nothing."""
        if action.startswith("digit") and self.opened is not None and self.failure is None:
            self.say("statements have no labels")
        else:
            super().refused(action)

    def action_reject(self) -> None:
        """Reject or restore."""
        self.want_of_unit(intents.reject)

    def action_match(self) -> None:
        """Found or missing."""
        self.want_of_unit(intents.match)

    def action_reason(self) -> None:
        """Missing: absent, partial, contradicted or other entity, the next at each press."""
        self.want_of_unit(intents.reason)

    def action_unsure(self) -> None:
        """Cannot tell."""
        self.want_of_unit(intents.unsure)

    def action_digit(self, digit: str) -> None:
        """A label; with no counted unit `0` says that there is none."""
        if digit == "0" and not any(unit.counted for unit in self.units):
            self.accept_none()
            return
        label = next((label.name for label in self.now.policy.labels if label.key == digit), None)
        if label is None and digit == "0":
            several = "units" if sum(unit.counted for unit in self.units) > 1 else "a unit"
            self.say(f"0 says that a sample has no units; this one has {several}: x rejects", tone="warn")
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
                raise InputError(NOT_COUNTED)
            self.want(make(unit))
        except InputError as error:
            self.say(str(error), tone="warn")

    async def action_labels(self) -> None:
        """A label from a list."""
        try:
            unit = self.unit
            if self.kind == "statement":
                raise InputError("statements have no labels")
            if not unit.counted:
                raise InputError(NOT_COUNTED)
        except InputError as error:
            self.say(str(error), tone="warn")
            return

        def take(label: str) -> None:
            self.want(intents.relabel(unit, label))

        title = f"label of {cut(flat(unit.text), 24)}"
        await self.bench.ask(LabelScreen(title, self.now.policy.labels, take, current=unit.label))

    # Merging and splitting.

    def action_merge(self) -> None:
        """One unit of this and the next."""
        try:
            unit = self.counted_unit
            self.want(intents.merge(unit, editing.next_counted(self.units, unit)))
        except InputError as error:
            self.say(str(error), tone="warn")

    async def action_split(self) -> None:
        """Two units of this one, parted before a token that one letter picks."""
        try:
            unit = self.counted_unit
            places = editing.split_tokens(self.now, unit)
            if not places:
                raise InputError("one word cannot be split" if unit.spans else "it is not in the reference")
        except InputError as error:
            self.say(str(error), tone="warn")
            return
        targets = [(token.start, token.end) for token in places]

        async def done(span: Span) -> None:
            self.want(intents.split(unit, span.start))

        await self.bench.ask(
            PickScreen(
                "split before",
                self.query_one("#reference", Passage),
                targets,
                done,
                names=[Span(start, end) for start, end in targets],
                to_last=False,
            )
        )

    # By the mouse.

    def on_unit_list_pressed(self, event: UnitList.Pressed) -> None:
        """A click on a part of a row is the key for it."""
        event.stop()
        self.by_mouse(partial(self._press_row, event.index, event.part))

    async def _press_row(self, index: int, part: RowPart) -> None:
        self.query_one(UnitList).move_to(index)
        if part == "sign":
            self.action_reject()
        elif part == "label":
            await self.action_labels()
        else:
            self.action_match()


def _relabelled(label: str, unit: Unit) -> Intent:
    return intents.relabel(unit, label)
