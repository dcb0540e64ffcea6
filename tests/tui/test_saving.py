"""Writes that fail, writes that come second, and the keys that were typed behind them."""

import asyncio
import sqlite3
from contextlib import closing
from functools import partial
from typing import Any

import pytest

from tests.tui.conftest import User, banner
from workbench.stages import editing, intents, review
from workbench.store import database as database_module
from workbench.store.samples import sample_ids
from workbench.tui.widgets.unit_list import UnitList


async def test_keys_wait_in_order_while_a_write_is_under_way(user: User, monkeypatch: Any) -> None:
    """Typed while the database is busy: all of it happens, in order, each on the fresh state."""
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 60.0)
    async with user.opens("tower") as app:
        app.screen.query_one(UnitList).move_to(0)

        async def let_go_later() -> None:
            """Another program holds the write lock."""
            with closing(sqlite3.connect(user.database, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                await asyncio.sleep(0.4)

        holding = asyncio.create_task(let_go_later())
        await asyncio.sleep(0.05)
        await user.press("x", "j", "8", "j", "m", "n", *"seine", "enter", "2", "j", "a")
        await holding
        units = user.units("tower")
        assert units["Eiffel Tower"].rejected
        assert units["Champ de Mars"].label == "other"
        assert units["Gustave Eiffel"].match.rule == "human"
        assert units["Seine"].label == "place"
        assert user.stored("tower").state.entity.disposition == "verified"


async def test_a_sample_that_was_not_painted_is_not_accepted(user: User) -> None:
    """In a window without room for the reference `a` does nothing, nor once there is room."""
    async with user.opens(size=(100, 3)) as app:
        await user.settle()
        found = sample_ids(user.store, app.desk.info.id)["schiller"]
        await app.gate.enter(partial(app.review, app.desk, found))
        await user.pilot.press("a")
        await user.resize(100, 30)
        assert app.screen.query_one(UnitList).count == 3
        assert user.stored("schiller").state.entity.disposition == "todo"


@pytest.mark.databases
async def test_the_second_window_is_told_and_offered_its_edit_again(user: User) -> None:
    """After a conflict the fresh state is shown, and one key repeats the wish on it."""
    async with user.opens("schiller") as app:
        listed = app.screen.query_one(UnitList)
        listed.move_to(0)
        theirs = user.stored("schiller")
        other = theirs.state.entity.assessment.units[1]
        review.act(user.store, theirs, editing.relabel(theirs, other, "event"))

        await user.press("x")
        assert "Not saved: rejected Friedrich Schiller." in banner(app)
        assert "another window" in banner(app)
        assert listed.rows[1].label == "event"  # what the other window did is on the screen
        await user.press("r")
        units = user.stored("schiller").state.entity.assessment.units
        assert (units[0].rejected, units[1].label) == (True, "event")


async def test_a_fast_accept_is_marked(user: User, monkeypatch: Any) -> None:
    """Under a second on the screen is `fast`, over it is not; here a second is for ever, then no time."""
    assert 1.0 == intents.FAST
    monkeypatch.setattr(intents, "FAST", float("inf"))
    async with user.opens("schiller"):
        await user.press("a")
        assert user.stored("schiller").state.entity.fast
        await user.press("b")
        await user.review("genji")
        monkeypatch.setattr(intents, "FAST", 0.0)
        await user.press("a")
        assert not user.stored("genji").state.entity.fast
