"""Resolve: what a person presses to settle what others differ in, and what the screen says."""

import pytest
from textual.app import App, ComposeResult

from workbench.model import Match, Unit
from workbench.tui.screens.resolve import SidesList
from workbench.tui.widgets.unit_list import UnitList


class Bare(App[None]):
    """A list alone."""

    def __init__(self, made: type[UnitList]) -> None:
        super().__init__()
        self.made = made

    def compose(self) -> ComposeResult:
        yield self.made(id="units")


async def test_what_the_machine_had_proposed_is_among_the_lines_of_the_list() -> None:
    """Or it could not be scrolled to, where a blind sample is settled in a small window."""

    unit = Unit("u1", "entity", "Oslo", "place")
    async with Bare(SidesList).run_test(size=(60, 3)) as pilot:
        listed = pilot.app.query_one(SidesList)
        listed.show([unit], revealed=[unit, unit], generation=1)

        assert 1 + 1 + 2 == listed.lines


@pytest.mark.parametrize("made", [SidesList, UnitList])
@pytest.mark.parametrize("label", ["person", ""])
async def test_names_labels_and_verdicts_of_what_was_proposed_fit(made: type[UnitList], label: str) -> None:
    """Their columns are those of a review, also where the rows above show what people have."""

    name = "Mughal emperor Shah Jahan"
    match = Match(verdict="missing", reason="contradicted")
    async with Bare(made).run_test(size=(60, 3)) as pilot:
        listed = pilot.app.query_one(made)
        revealed = [Unit("u1", "entity", name, label, match=match)]
        listed.show([Unit("u2", "entity", "Agra")], revealed=revealed, statements=not label, generation=1)
        line = "".join(text for text, _ in listed.parts(2, 60))

        assert ["·", *name.split(), *label.split(), "○", "contradicted"] == line.split()
        assert len(line) <= 60
