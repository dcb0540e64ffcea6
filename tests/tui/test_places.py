"""Places in the texts: search, contexts, evidence, merging and splitting, by what a person presses."""

from pathlib import Path
from typing import Any

import pytest

from tests.rows import units
from tests.tui.conftest import User, said
from tests.tui.starts import STARTS
from workbench.tui.widgets.passage import Contexts, Passage
from workbench.tui.widgets.unit_list import UnitList


@pytest.fixture
def many(begin: Any) -> Path:
    """One sample with five contexts: one is long, two say where the tower stands, one says the year."""
    at: Path = begin(STARTS["tower with five contexts"])
    return at


async def test_all_places_in_sight_are_marked_until_escape(user: User, many: Path) -> None:
    """In reference and context alike; edits keep them."""
    async with user.opens("tower", database=many, size=(120, 36)) as app:
        reference, context = app.screen.query_one("#reference", Passage), app.screen.query_one(Contexts)
        await user.press("slash", *"eiffel", "enter")
        marked = [[(one.role, one.start) for one in pane._places] for pane in (reference, context)]
        assert marked == [[("here", 4), ("place", 63)], [("place", 4), ("place", 106), ("place", 14128)]]
        await user.press("M")
        assert [len(pane._places) for pane in (reference, context)] == [2, 3]
        await user.press("slash", *"nothing here")
        assert (3, 1) == (context.current, len(context._places))
        await user.press("escape")
        assert (0, ()) == (context.current, tuple(context._places))


async def test_what_is_typed_while_a_search_runs_is_not_lost(user: User, many: Path) -> None:
    """Letters, steps and Enter in one burst act on the whole of what was typed."""
    async with user.opens("tower", database=many, size=(120, 36)) as app:
        await user.press("slash", *"seine", "enter", "j", "slash", *"1889", "enter", "f3")
        # From the beginning, or from the Seine of the reference if that was found before the second search.
        assert said(app).startswith(("2 of 3 · context 2", "3 of 3 · context 5"))


async def test_the_nearest_passages_stand_below_a_missing_unit(user: User, many: Path) -> None:
    """Likeness in bold, in a pane that keeps its height; the one under the cursor is marked."""
    async with user.opens("tower", database=many, size=(120, 36)) as app:
        context, detail = app.screen.query_one(Contexts), app.screen.query_one("#detail", Passage)
        height = detail.size.height
        app.screen.query_one(UnitList).move_to(4)  # the University of Paris
        await user.press()
        (mark,) = (mark for mark in detail.marks if mark.role == "like")
        assert detail.text[mark.start : mark.end] == "Paris"
        await user.press("j")
        assert detail.size.height == height
        await user.press("k", "e", "j")
        assert [one.role for one in context._places] == ["passage"]
        await user.press("escape")
        assert context._places == ()


async def test_few_units_leave_room_for_the_choice(user: User, import_rows: Any, rows: Any) -> None:
    """On a small screen a list of one unit is a line high; what is chosen over it has at least four."""
    row = {**rows[0], "proposal": {"proposer": "p", "reference_entities": units(["Eiffel Tower"])}}
    async with user.opens("tower", database=import_rows([row]), size=(80, 24)) as app:
        await user.press("e")
        assert [6, 4] == [app.screen.query_one(part).size.height for part in ("#box", "#offers")]
