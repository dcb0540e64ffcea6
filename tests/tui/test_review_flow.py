"""What a person does in a review, from the first key to the rows in the database."""

from typing import Any

import pytest

from tests.tui.conftest import User, said
from workbench.tui.widgets.bars import Head, Status
from workbench.tui.widgets.passage import Contexts
from workbench.tui.widgets.unit_list import UnitList


@pytest.mark.databases
async def test_the_whole_flow_is_still_there_after_a_restart(user: User) -> None:
    """Reject, add, relabel, match and undo end up in the database and on the next start's screen."""
    async with user.opens("tower", size=(120, 36)) as app:
        listed = app.screen.query_one(UnitList)
        listed.move_to(0)
        await user.press("x")  # reject the Eiffel Tower
        await user.press("n", *"seine", "enter", "2")  # a place, typed in lower case
        assert listed.chosen.text == "Seine"
        listed.move_to(1)
        await user.press("8", "m", "m", "m")  # Champ de Mars: other, and toggled to missing
        listed.move_to(3)
        await user.press("x", "u")  # 1889 rejected, and taken back
        await user.press("a", "a")
    before = user.units("tower")
    assert before["Eiffel Tower"].rejected
    assert (before["Seine"].label, before["Seine"].origin) == ("place", "human")
    assert (before["Champ de Mars"].label, before["Champ de Mars"].match.verdict) == ("other", "missing")
    assert not before["1889"].rejected
    assert user.stored("tower").state.entity.disposition == "verified"

    async with user.opens("tower", size=(120, 36)) as app:
        assert {unit.text: unit for unit in app.screen.query_one(UnitList).rows} == before
        assert "verified" in app.screen.query_one(Head).text


async def test_no_empty_line_is_left_by_an_accept(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """One would lay out and paint the screen once more: that was half of the time of the key."""
    told, say = [], Status.say

    def noted(bar: Status, text: str, **how: str) -> None:
        told.append(text)
        say(bar, text, **how)

    monkeypatch.setattr(Status, "say", noted)
    async with user.opens("tower", size=(120, 36)) as app:
        await user.press("a", "a")
        assert app.screen.pane.now.sample.id != "tower"
        told.clear()
        await user.press("a", "a")

    assert "accepted" in told[-1]
    assert "" not in told


@pytest.mark.databases
async def test_undo_reaches_back_over_samples_and_restarts(user: User) -> None:
    """`u` takes back the newest act, in whichever sample and session it was, and goes there; `U` redoes.

    The cursor is where it was.
    """

    def here(app: Any) -> tuple[str, str]:
        return type(app.screen).__name__, app.screen.pane.now.sample.id

    async with user.opens("schiller") as app:
        await user.press("S", "b")
        assert type(app.screen).__name__ == "QueueScreen"
        await user.press("u")
        assert ("ReviewScreen", "schiller") == here(app)
        for place in 0, 2:
            app.screen.query_one(UnitList).move_to(place)
            await user.press("a", "u")
            assert ("schiller", place) == (here(app)[1], app.screen.query_one(UnitList).cursor)
        await user.press("x", "a")
    async with user.opens("genji") as app:
        await user.press("u")
        assert ("ReviewScreen", "schiller") == here(app)
        assert user.stored("schiller").state.entity.disposition == "started"
        await user.press("u")
        assert user.stored("schiller").state.entity.disposition == "todo"
        await user.press("u")
        assert said(app) == "nothing to undo"
        await user.press("U", "U")
        assert user.stored("schiller").state.entity.disposition == "verified"


async def test_the_contexts_follow_the_unit(user: User, import_rows: Any, rows: Any) -> None:
    """All are in one scroll, a heading and a margin between them; [ and ] go to one, { and } to evidence."""
    long = " Nothing of note stands here." * 40
    rows[0]["retrieved_contexts"] = [text + long for text in rows[0]["retrieved_contexts"]]
    async with user.opens("tower", database=import_rows(rows[:1]), size=(100, 30)) as app:
        context = app.screen.query_one(Contexts)
        listed = app.screen.query_one(UnitList)
        places = [unit.match.evidence[0].context for unit in listed.rows if unit.match.evidence]
        assert {0, 1} == {*places}
        for number, unit in enumerate(listed.rows):
            listed.move_to(number)
            await user.press()
            if unit.match.evidence:
                assert unit.match.evidence[0].context in context.in_sight
        await user.press("left_square_bracket", "left_square_bracket")
        assert (0, 0) == (context.current, context.scroll_offset.y)
        assert context.border_title.startswith("Context 1 of 2 · 3 names · lines 1–")
        await user.press("right_square_bracket", "right_square_bracket")
        assert 1 == context.current
        drawn = [context.render_line(y).text for y in range(context.size.height)]
        assert any(line.startswith("▌") for line in drawn)
        listed.move_to(next(n for n, unit in enumerate(listed.rows) if unit.text == "Eiffel Tower"))
        await user.press("right_square_bracket", "}")
        assert ([0], ["here"]) == ([*context.in_sight], [mark.role for mark in context._places])
