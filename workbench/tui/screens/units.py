"""What one can say about a unit: the keys that reject, label, match, move edges and add."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from workbench.errors import InputError
from workbench.model import Span, Unit
from workbench.tui import intents
from workbench.tui.intents import Intent
from workbench.tui.screens.new_unit import NewUnitScreen
from workbench.tui.screens.places import PlacesScreen
from workbench.tui.view import reference_marks
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList


class UnitsScreen(PlacesScreen):
    """A key for everything one can say about the unit under the cursor."""

    def accept_none(self) -> None:
        """Verify that there are no units."""
        raise TypeError(f"{type(self).__name__} does not accept")

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
        await self.bench.ask(NewUnitScreen(kind, sample.reference, labels, add, look, known))


def _relabelled(label: str, unit: Unit) -> Intent:
    return intents.relabel(unit, label)
