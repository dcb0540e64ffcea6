"""What a person does in a review, from the first key to the rows in the database."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rows import proposal, sample
from tests.tui.conftest import User, said, shown
from workbench.model import Evidence
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.widgets.bars import Bar, Field, Head, KeyBar
from workbench.tui.widgets.passage import Contexts
from workbench.tui.widgets.tallies import Tallies
from workbench.tui.widgets.unit_list import UnitList


def hint(app: Any) -> str:
    """What the last line of a dialog says."""
    return " ".join(app.screen.query_one("#hint", Bar).text.split())


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


async def test_accept_stops_once_at_doubts_and_shows_them(user: User) -> None:
    """A unit that is not in the reference stops the first `a`, not the second."""
    async with user.opens("emoji") as app:
        app.screen.query_one(UnitList).move_to(0)
        await user.press("a")
        assert user.stored("emoji").state.entity.disposition == "todo"
        assert said(app).startswith("? 1 name is not in the reference. a: accept anyway")
        assert app.screen.query_one(UnitList).chosen.text == "Atlantis"
        await user.press("a")
        assert user.stored("emoji").state.entity.disposition == "verified"


async def test_skip_exclude_flag_and_comment(user: User) -> None:
    """Each is one key and, where a reason belongs to it, one line."""
    async with user.opens("nil"):
        await user.press("f", *"look again", "enter", "c", *"odd", "enter", "S")
        state = user.stored("nil").state
        assert (state.flag, state.comments, state.entity.disposition) == ("look again", ("odd",), "skipped")
        await user.press("b")
        await user.review("nil")
        await user.press("X", "2", "enter")
        state = user.stored("nil").state
        assert (state.entity.disposition, state.entity.reason) == ("excluded", "unanswerable")


async def test_edges_move_by_tokens(user: User) -> None:
    """One press a token: right edge in and out, left edge out and in, also with shifted arrows.

    One token is the least, the reference's edge is the end; both are said and nothing is written.
    """
    async with user.opens("tower") as app:
        listed = app.screen.query_one(UnitList)
        for keys, expected in (
            (["full_stop"], "Eiffel Tower stands"),
            (["comma", "comma"], "Eiffel"),
            (["shift+right"], "Eiffel Tower"),
            (["less_than_sign"], "The Eiffel Tower"),
            (["greater_than_sign"], "Eiffel Tower"),
            (["shift+up", "shift+left"], "The Eiffel"),
            (["shift+down"], "Eiffel"),
            (["shift+up"], "The Eiffel"),
        ):
            listed.move_to(0)
            await user.press(*keys)
            assert listed.rows[0].text == expected
        await user.press("less_than_sign")
        assert said(app) == "this is the edge of the reference"
        await user.press("comma", "comma")
        assert said(app) == "one token is the least"
        await user.press("0")
        assert "0 says that a sample has no units; this one has units: x rejects" in said(app)
        assert "The" in user.units("tower")


async def test_accept_is_one_press_and_automatic_scores_show_only_after_it(user: User) -> None:
    """Before, neither tally nor difference is on the screen; after, all three are, and the next sample."""
    async with user.opens("schiller", size=(120, 36)) as app:
        tallies = app.screen.query_one(Tallies)
        assert tallies.text.strip() == "The automatic score appears after you accept."
        await user.press("w")
        assert said(app) == "automatic and verified show once you have decided this sample"
        app.screen.query_one(UnitList).move_to(0)
        await user.press("m", "a")
        assert said(app) == "✓ schiller accepted: verified 2/3 .67, name matching 1/3 .33, Δ −.33"
        assert isinstance(app.screen, ReviewScreen)
        assert app.screen.pane.now.sample.id != "schiller"
        assert user.stored("schiller").state.entity.disposition == "verified"
        await user.press("b")
        await user.review("schiller")
        assert app.screen.query_one(Tallies).text == (
            "name matching 1/3 .33   verified 2/3 .67   Δ −.33: missed match Friedrich Schiller −.33 (w)"
        )
        await user.press("w")
        assert "name matching · claude-run-1 1/3 .33" in app.screen.query_one("#values", Bar).text


async def test_blind_samples_propose_nothing(user: User, import_rows: Any, rows: Any) -> None:
    """A blind sample opens empty; `a` asks for units, `0` says that there are none; then the rest shows."""
    database = import_rows(rows, blind=1.0)
    async with user.opens("schiller", database=database) as app:
        listed = app.screen.query_one(UnitList)
        assert listed.rows == ()
        assert "without suggestions" in app.screen.query_one(Head).text
        await user.press("a")
        assert said(app) == "no units yet: n makes one, 0 accepts none, S leaves it for later"
        await user.press("n", *"weimar", "enter", "2")
        assert [(unit.text, unit.match.verdict) for unit in listed.rows] == [("Weimar", None)]
        await user.press("m")
        assert listed.rows[0].match.verdict == "found"
        await user.press("0")
        assert "0 says that a sample has no units; this one has a unit: x rejects" in said(app)
        await user.press("x", "0")
        await user.press("u")
        await user.press("0")
        assert isinstance(app.screen, ReviewScreen)
        assert app.screen.pane.now.sample.id != "schiller"
        await user.press("u", "x", "a", "u", "a")


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


async def test_headings_stand_between_the_contexts(user: User) -> None:
    """With the number of names that have evidence there; the one gone to stands out."""
    async with user.opens("tower", size=(120, 36)) as app:
        context = app.screen.query_one(Contexts)
        drawn = [context.render_line(y).text for y in range(context.size.height)]
        assert "Context 1 of 2 · 3 names" == context.border_title
        assert 1 == sum(line.startswith(" Context 2 of 2 · 2 names ──") for line in drawn)


async def test_a_new_unit_by_searching_for_it(user: User) -> None:
    """Enter takes the whole tokens of the place; what is a unit already is not added.

    Where nothing is found Enter says so and keeps what was typed; the next letter changes it, and the keys
    stand there again.
    """
    async with user.opens("tower") as app:
        await user.press("n", *"eiffel t", "enter")
        assert "Eiffel Tower" in said(app)
        await user.press("n")
        for size in (60, 16), (100, 30):
            await user.resize(*size)
            await user.press(*["backspace"] * 5, *"lyon", "enter")
            assert "the reference has no such text esc cancel" == hint(app)
            assert "lyon" == app.screen.query_one(Field).value
            await user.press(*["backspace"] * 4, *"ivers")
            assert "enter take it" in hint(app)
        await user.press("enter", "5")
        assert "✓ added University" in said(app)


async def test_a_click_chooses_a_unit_and_y_copies_it(user: User) -> None:
    """A click on a row of the list, or on a marked name in the reference."""
    async with user.opens("tower", size=(120, 36)) as app:
        listed = app.screen.query_one(UnitList)
        await user.pilot.click(UnitList, offset=(8, 4))
        await user.press()
        assert listed.cursor == 3
        await user.pilot.click("#reference", offset=(8, 1))
        await user.press()
        assert listed.chosen.text == "Eiffel Tower"
        await user.press("y")
        assert app.clipboard == "Eiffel Tower"
        assert said(app) == "copied: Eiffel Tower"


async def test_accept_goes_to_the_other_kind_first(user: User, import_rows: Any, rows: Any) -> None:
    """Where both kinds are reviewed `a` shows the statements of the same sample, then the next sample."""
    text = rows[5]["reference"]
    rows[5]["proposal"]["statements"] = [
        {"text": text, "verdict": "found", "context": 0, "quote": "Goethe lebte in Weimar"}
    ]
    async with user.opens("schiller", database=import_rows(rows[4:6], kinds=("entity", "statement"))) as app:
        listed = app.screen.query_one(UnitList)
        assert listed.border_title == "Entities 3 · t statements"
        await user.press("a")
        assert app.screen.pane.now.sample.id == "schiller"
        assert listed.border_title == "Statements 1 · t entities"
        assert said(app).startswith("✓ schiller entities accepted: verified ")
        assert "verified" not in app.screen.query_one(Head).text.split("verified", 1)[1]
        await user.press("t")
        assert listed.border_title == "Entities 3 · t statements"
        await user.press("5")
        assert listed.chosen.label == "number"
        assert "label" in shown(app, KeyBar)
        await user.press("t", "5")
        assert "label" not in shown(app, KeyBar)
        assert said(app) == "statements have no labels"
        await user.press("a")
        assert app.screen.pane.now.sample.id == "genji"


async def test_an_edit_that_changes_the_machines_verdict_says_so(user: User, import_rows: Any) -> None:
    """Moved or added: old verdict → new, and why; nothing where the verdict stays."""
    row = sample(
        "one", "From Bolivia Ann Leyes came with a Romanian there.", "In Bolivia a Romanian saw Ann Leyes.",
        proposal=proposal(["Bolivia", "Romanian"], ["Bolivia", "Ann Leyes"]),
    )  # fmt: skip
    async with user.opens("one", database=import_rows([row]), size=(120, 36)) as app:
        listed = app.screen.query_one(UnitList)
        listed.move_to(1)
        await user.press("full_stop", "comma")
        assert ("✓ now Romanian", "missing") == (said(app), listed.rows[1].match.verdict)
        listed.move_to(0)
        await user.press("full_stop")
        assert "✓ now Bolivia Ann: found → missing (perhaps Bolivia)" == said(app)
        await user.press("comma")
        assert "✓ now Bolivia: missing → found (exact match)" == said(app)
        await user.press("n", *"ann leyes", "enter", "1")
        assert "✓ added Ann Leyes: found (exact match)" == said(app)
        assert ["Bolivia", "Ann Leyes", "Romanian"] == [one.text for one in listed.rows]
        assert listed.chosen is not None
        assert "Ann Leyes" == listed.chosen.text


async def test_an_added_name_is_found_where_the_text_of_a_context_has_it(
    user: User, import_rows: Any
) -> None:
    row = sample(
        "one", "Bolivia or the Seine.", "In Bolivia it rains.", "The Seine is in Bolivia.",
        proposal=proposal(["Bolivia"], ["Bolivia"], ["Bolivia"]),
    )  # fmt: skip
    async with user.opens("one", database=import_rows([row]), size=(80, 24)) as app:
        await user.press("n", *"Seine", "enter", "2")
        assert "✓ added Seine: found (exact match)" == said(app)
        assert (Evidence(1, 4, 9),) == app.screen.query_one(UnitList).chosen.match.evidence


async def test_a_name_that_is_there_in_another_form_is_said_before_it_is_added(
    user: User, import_rows: Any
) -> None:
    """Escape leaves it; a label adds it all the same."""
    reference = "Большой театр стоит в Москве; труппа Большого театра велика."
    given = proposal(["Большой театр"], ["Большой театр"])
    row = sample("ru", reference, "Большой театр.", proposal=given)
    async with user.opens("ru", database=import_rows([row]), size=(120, 36)) as app:
        await user.press("n", *"большого театра", "enter")
        title = str(app.screen.query_one("#title", Bar).render())
        assert "new entity Большого театра · already there as Большой театр" in title
        await user.press("escape")
        assert 1 == len(app.screen.pane.units)
        await user.press("n", *"труппа", "enter", "full_stop", "shift+right")
        title = str(app.screen.query_one("#title", Bar).render())
        assert title.startswith("new entity труппа Большого театра ")
        await user.press("comma", "3")
        assert "труппа Большого" == app.screen.query_one(UnitList).chosen.text
