"""What a sample costs in presses: each way to correct it, by the keys pressed and by what is stored."""

import pytest

from tests.lists import cases
from tests.tui.conftest import User
from workbench.model import Unit
from workbench.tui.app import TYPED_ON, WORD
from workbench.tui.widgets.bars import Status
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList


def counted(user: User) -> int:
    """The presses that were stored with the acts."""
    return int(user.query("SELECT COALESCE(SUM(presses), 0) FROM review_event")[0][0])


def gold(user: User) -> dict[str, tuple[str, str, str]]:
    """Text, label and verdict of every gold unit by its id."""
    rows = user.query("SELECT unit, text, label, verdict FROM gold_unit")
    return {unit: (text, label, verdict) for unit, text, label, verdict in rows}


def disposition(user: User) -> str:
    return user.stored("schiller").state.entity.disposition


def by_id(user: User) -> dict[str, Unit]:
    return {unit.id: unit for unit in user.units("schiller").values()}


SCHILLER = {"p1": ("Friedrich Schiller", "person", "missing"), "p2": ("9. Mai 1805", "date", "missing")}
SCHILLER["p3"] = ("Weimar", "place", "found")


async def test_presses(user: User) -> None:
    """The keys alone verify the sample with that correction, and it is what they are counted as."""
    async with user.opens("schiller") as app:
        for name, unit, told, changes in cases(__file__, "presses")[1:]:
            keys = told.split()
            listed, before = app.screen.query_one(UnitList), counted(user)
            listed.move_to([one.id for one in listed.rows].index(unit))
            await user.press(*keys)
            expected = {key: row for key, row in (SCHILLER | changes).items() if row is not None}
            assert (name, "verified", expected) == (name, disposition(user), gold(user))
            assert (name, len(keys)) == (name, counted(user) - before)
            while disposition(user) != "todo":
                await user.press("г")  # u on a Russian keyboard
            app.meter.take(app.screen.pane.now.sample_id)  # the presses of undoing


async def test_undo_is_one_press_and_redo_another(user: User) -> None:
    """Whatever was done, also the accept of the sample before."""
    async with user.opens("schiller") as app:
        before = disposition(user), by_id(user)
        listed = app.screen.query_one(UnitList)
        for keys in (["x"], ["7"], ["m"], ["comma"], ["M"], ["ampersand"], ["e", "1"]):
            listed.move_to(0)
            await user.press(*keys)
            after = disposition(user), by_id(user)
            assert after != before, keys
            await user.press("u")
            assert by_id(user) == before[1], keys
            await user.press("U")
            assert (disposition(user), by_id(user)) == after, keys
            await user.press("u")
        await user.press("a")
        assert gold(user) == SCHILLER
        await user.press("u")
        assert (gold(user), app.screen.pane.now.sample.id) == ({}, "schiller")
        await user.press("U")
        assert gold(user) == SCHILLER


async def test_the_rest_of_a_word_is_no_command(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A letter picks; those typed right behind it, as in a word, do nothing. After a pause they do."""
    monkeypatch.setattr("workbench.tui.app.WORD", WORD)
    async with user.opens("schiller") as app:
        app.screen.query_one(UnitList).move_to(0)
        await user.press("equals_sign")
        code = app.screen_stack[1].query_one("#context", Passage).hints[0].code
        await user.press(code, "l", "x", "S")
        said = str(app.screen.query_one(Status).text)
        assert ("ReviewScreen", TYPED_ON) == (type(app.screen).__name__, said)
        await user.pilot.pause(WORD)
        await user.press("l")
        assert "LabelScreen" == type(app.screen).__name__
        await user.press("escape")

    assert [(1,)] == user.query("SELECT COUNT(*) FROM review_event WHERE seq > 0")  # 0 is the opening
