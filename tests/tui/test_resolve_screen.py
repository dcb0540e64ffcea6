"""Resolve: what a person presses to settle what others differ in, and what the screen says."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select
from textual.app import App, ComposeResult

from tests.conftest import verify
from tests.tui.conftest import User, shown
from tests.tui.teams import differ
from workbench.model import RESOLVED, Match, Unit
from workbench.stages import team
from workbench.stages.resolve import open_resolution, take_rest
from workbench.stages.review import act
from workbench.store.datasets import find_dataset
from workbench.store.gold import load_gold
from workbench.store.samples import sample_ids
from workbench.store.tables import PLACE, REVIEW
from workbench.tui.screens.resolve import SidesList
from workbench.tui.widgets.bars import Status
from workbench.tui.widgets.unit_list import UnitList


def settled(app: Any) -> dict[str, Any]:
    """Each unit that counts with its verdict, None while it is open."""
    return {unit.text: unit.match.verdict for unit in app.screen.pane.units if unit.counted}


def gold(user: User) -> Any:
    info = find_dataset(user.store, None)
    return load_gold(user.store, info.id, "entity")[sample_ids(user.store, info.id)["tower"]]


def lines(app: Any) -> list[str]:
    listed = app.screen.query_one(SidesList)
    size = listed.scrollable_content_region.width
    return ["".join(text for text, _ in listed.parts(line, size))[:size] for line in range(listed.lines)]


async def test_a_click_takes_what_a_person_has(user: User) -> None:
    differ(user.store)
    async with user.opens(annotator="cy", size=(120, 36)) as app:
        await user.press("J")
        row = next(at for at, line in enumerate(lines(app)) if "1889" in line)
        await user.pilot.click(SidesList, offset=(lines(app)[row].index("B ") + 1, row + 1))
        await user.settle()
        now = next(unit for unit in app.screen.pane.units if unit.text == "1889")
        assert ("B",) == app.screen.over.of(now).letters(now)
        assert "1889" != app.screen.pane.unit.text


async def test_a_second_adjudicator_is_told_and_the_key_is_not_lost(user: User) -> None:
    differ(user.store)
    number = sample_ids(user.store, find_dataset(user.store, None).id)["tower"]
    async with user.opens(annotator="cy", size=(120, 36)) as app:
        await user.press("J")
        other = open_resolution(user.store, number, "dee", user.stored("tower").dataset.id)
        act(user.store, other, take_rest(other, "entity", 0))
        await user.press("0")
        said = str(app.screen.saver.render())
        assert "Not saved: Gustave Eiffel is no unit." in said
        assert "tower was changed by dee meanwhile" in said
        assert None not in settled(app).values()  # what dee decided is there
        await user.press("r")
        assert "Gustave Eiffel" not in settled(app)
        await user.press("a")
    assert 1 == len(list(user.store.column(select(REVIEW.id).where(REVIEW.annotator == RESOLVED))))
    assert "Gustave Eiffel" not in {unit.text for unit in gold(user).assessment.units}


async def test_who_decides_after_the_lease_hears_who_did_too(user: User) -> None:
    store = user.store
    team.assign(store, find_dataset(store, None), "ann", 1, 1.0, None)
    async with user.opens(size=(120, 36)) as app:
        await user.press("space")
        number = app.screen.pane.now.sample_id
        with store.writing() as session:
            table = PLACE.until.table
            session.execute(table.update().where(PLACE.annotator == "ann").values(until=1))
        verify(store, number, "bo")
        await user.press("a")
        if app.screen.pane.now.sample_id == number:  # it stopped at a doubt
            await user.press("a")
        assert "bo decided this too" in shown(app, Status)


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
