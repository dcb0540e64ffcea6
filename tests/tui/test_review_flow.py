"""What a person does in a review, from the first key to the rows in the database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.model import Unit
from workbench.stages import queue, review
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.widgets.bars import Bar, Field, Head, KeyBar, Status
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.tallies import Tallies
from workbench.tui.widgets.unit_list import UnitList

Press = Callable[..., Awaitable[None]]


def stored(store: Store, key: str, annotator: str = "ann") -> Any:
    """What the database says of a sample, by its id."""
    info = find_dataset(store, None)
    for number in queue.queue_ids(store, info, annotator):
        opened = review.open_sample(store, number, annotator)
        if opened.sample.id == key:
            return opened.state
    raise AssertionError(f"no sample {key}")


def units(store: Store, key: str) -> dict[str, Unit]:
    """The units of a sample by their text, as stored."""
    return {unit.text: unit for unit in stored(store, key).entity.assessment.units}


def said(app: Any) -> str:
    """What the status line says."""
    return str(app.screen.query_one(Status).text).strip()


def hint(app: Any) -> str:
    """What the last line of a dialog says."""
    return " ".join(app.screen.query_one("#hint", Bar).text.split())


async def test_accept_is_one_press_and_goes_on(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """`a` verifies the sample, shows the next undecided one and says what was saved."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        await press(pilot, "a")

        assert stored(store, "schiller").entity.disposition == "verified"
        assert said(app).startswith("✓ schiller accepted: verified ")
        assert "name matching" in said(app)
        assert "Δ" in said(app)
        assert type(app.screen).__name__ == "ReviewScreen"
        assert app.screen.pane.now.sample.id != "schiller"


async def test_the_whole_flow_is_still_there_after_a_restart(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """Reject, add, relabel, match and undo end up in the database and on the next start's screen."""
    app = make_app(database)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        listed = app.screen.query_one(UnitList)
        listed.move_to(0)
        await press(pilot, "x")  # reject the Eiffel Tower
        await press(pilot, "n", "tab", *"seine", "enter", "2")  # a place, typed in lower case
        assert listed.chosen is not None
        assert listed.chosen.text == "Seine"
        listed.move_to(1)
        await press(pilot, "8", "m", "m", "m")  # Champ de Mars: other, and toggled to missing
        listed.move_to(3)
        await press(pilot, "x", "u")  # 1889 rejected, and taken back
        await press(pilot, "a", "a")
    before = units(store, "tower")
    assert before["Eiffel Tower"].rejected
    assert (before["Seine"].label, before["Seine"].origin) == ("place", "human")
    assert (before["Champ de Mars"].label, before["Champ de Mars"].match.verdict) == ("other", "missing")
    assert not before["1889"].rejected
    assert stored(store, "tower").entity.disposition == "verified"

    again = make_app(database)
    async with again.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        shown = {unit.text: unit for unit in again.screen.query_one(UnitList).rows}
        assert shown == before
        assert "verified" in again.screen.query_one(Head).text


async def test_undo_reaches_back_over_samples_and_restarts(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """`u` takes back the newest act, in whichever sample and session it was, and goes there; `U` redoes."""
    first = make_app(database)
    async with first.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        await press(pilot, "x", "a")
    second = make_app(database)
    async with second.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "genji")
        await press(pilot, "u")
        assert type(second.screen).__name__ == "ReviewScreen"
        assert second.screen.pane.now.sample.id == "schiller"
        assert stored(store, "schiller").entity.disposition == "started"
        await press(pilot, "u")
        assert stored(store, "schiller").entity.disposition == "todo"
        await press(pilot, "u")
        assert said(second) == "nothing to undo"
        await press(pilot, "U", "U")
        assert stored(store, "schiller").entity.disposition == "verified"


async def test_undo_from_the_queue_opens_the_sample(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """The queue's `u` is the same undo."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        await press(pilot, "s", "b")
        assert type(app.screen).__name__ == "QueueScreen"
        await press(pilot, "u")
        assert type(app.screen).__name__ == "ReviewScreen"
        assert app.screen.pane.now.sample.id == "schiller"


async def test_presses_to_finish_a_sample(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """Reject, relabel or toggle the unit under the cursor and accept: two presses each; undo: one."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        for keys, field in (("xa", "rejected"), ("7a", "label"), ("ma", "match")):
            await open_review(pilot, "schiller")
            old = app.screen.query_one(UnitList).chosen
            await press(pilot, *keys)
            assert stored(store, "schiller").entity.disposition == "verified"
            assert getattr(units(store, "schiller")[old.text], field) != getattr(old, field)
            await press(pilot, "u")
            assert stored(store, "schiller").entity.disposition == "started"
            assert app.screen.query_one(UnitList).chosen.text == old.text
            await press(pilot, "u", "b")
            assert stored(store, "schiller").entity.disposition == "todo"


async def test_accept_stops_once_at_doubts_and_shows_them(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """A unit that is not in the reference stops the first `a`, not the second."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "emoji")
        app.screen.query_one(UnitList).move_to(0)
        await press(pilot, "a")
        assert stored(store, "emoji").entity.disposition == "todo"
        assert said(app).startswith("? 1 name is not in the reference. a: accept anyway")
        assert app.screen.query_one(UnitList).chosen.text == "Atlantis"
        await press(pilot, "a")
        assert stored(store, "emoji").entity.disposition == "verified"


async def test_skip_exclude_flag_and_comment(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """Each is one key and, where a reason belongs to it, one line."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "nil")
        await press(pilot, "f", *"look again", "enter", "c", *"odd", "enter", "s")
        state = stored(store, "nil")
        assert (state.flag, state.comments, state.entity.disposition) == ("look again", ("odd",), "skipped")
        await press(pilot, "b")
        await open_review(pilot, "nil")
        await press(pilot, "X", "2", "enter")
        state = stored(store, "nil")
        assert (state.entity.disposition, state.entity.reason) == ("excluded", "unanswerable")


async def test_edges_move_by_tokens(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """One press a token: right edge in and out, left edge out and in, also with shifted arrows."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "tower")
        listed = app.screen.query_one(UnitList)
        for keys, expected in (
            (["full_stop"], "Eiffel Tower stands"),
            (["comma", "comma"], "Eiffel"),
            (["shift+right"], "Eiffel Tower"),
            (["less_than_sign"], "The Eiffel Tower"),
            (["greater_than_sign"], "Eiffel Tower"),
            (["shift+up", "shift+left"], "The Eiffel"),
        ):
            listed.move_to(0)
            await press(pilot, *keys)
            assert listed.rows[0].text == expected
        assert "The Eiffel" in units(store, "tower")


async def test_edges_stop_at_the_ends(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """One token is the least, the reference's edge is the end; both are said and nothing is written."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        app.screen.query_one(UnitList).move_to(0)
        await press(pilot, "less_than_sign")
        assert said(app) == "this is the edge of the reference"
        await press(pilot, "comma", "comma")
        assert said(app) == "one token is the least"


async def test_the_same_keys_on_a_russian_keyboard(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """ч rejects, ф accepts, г undoes: the physical keys of x, a and u."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        await press(pilot, "ч", "ф")
        assert stored(store, "schiller").entity.disposition == "verified"
        assert any(unit.rejected for unit in units(store, "schiller").values())
        await press(pilot, "г")
        assert stored(store, "schiller").entity.disposition == "started"


async def test_automatic_scores_show_only_after_the_decision(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """Before, neither tally nor difference is on the screen; after, all three are."""
    app = make_app(database)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "schiller")
        tallies = app.screen.query_one(Tallies)
        assert tallies.text.strip() == "The automatic score appears after you accept."
        await press(pilot, "w")
        assert said(app) == "automatic and verified show once this sample is decided"
        app.screen.query_one(UnitList).move_to(0)
        await press(pilot, "m", "a", "b")
        await open_review(pilot, "schiller")
        assert app.screen.query_one(Tallies).text == (
            "name matching 1/3 .33   verified 2/3 .67   Δ −.33: missed match Friedrich Schiller −.33 (w)"
        )
        await press(pilot, "w")
        assert "name matching · claude-run-1 1/3 .33" in app.screen.query_one("#values", Bar).text


async def test_blind_samples_propose_nothing(
    import_rows: Any, rows: Any, make_app: Any, press: Press, open_review: Press
) -> None:
    """A blind sample opens empty; `a` asks for units, `0` says that there are none; then the rest shows."""
    database = import_rows(rows, blind=1.0)
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        listed = app.screen.query_one(UnitList)
        assert listed.rows == ()
        assert "without suggestions" in app.screen.query_one(Head).text
        await press(pilot, "a")
        assert said(app) == "no units yet: n makes one, 0 says there are none, s leaves it for later"
        await press(pilot, "n", "tab", *"weimar", "enter", "2")
        assert [(unit.text, unit.match.verdict) for unit in listed.rows] == [("Weimar", None)]
        await press(pilot, "m")
        assert listed.rows[0].match.verdict == "found"
        await press(pilot, "x", "0")
        await press(pilot, "u")
        await press(pilot, "0")
        shown = app.screen
        assert isinstance(shown, ReviewScreen)
        assert shown.pane.now.sample.id != "schiller"
        await press(pilot, "u", "x", "a", "u", "a")


async def test_the_context_follows_the_unit(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """The chosen unit's evidence is shown: its context comes forward; [ and ] turn the pages."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "tower")
        context = app.screen.query_one("#context", Passage)
        app.screen.query_one(UnitList).move_to(0)
        await press(pilot)
        assert context.border_title == "Context 1 of 2"
        app.screen.query_one(UnitList).move_to(1)
        await press(pilot)
        assert context.border_title == "Context 2 of 2"
        await press(pilot, "left_square_bracket")
        assert context.border_title == "Context 1 of 2 · evidence also in 2"
        await press(pilot, "right_square_bracket", "right_square_bracket")
        assert context.border_title == "Context 2 of 2"


async def test_a_click_chooses_a_unit(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """A click on a row of the list, or on a marked name in the reference, chooses the unit."""
    app = make_app(database)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        listed = app.screen.query_one(UnitList)
        await pilot.click(UnitList, offset=(8, 4))
        await press(pilot)
        assert listed.cursor == 3
        await pilot.click("#reference", offset=(8, 1))
        await press(pilot)
        assert listed.chosen.text == "Eiffel Tower"


async def test_a_new_unit_by_searching_for_it(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """Enter takes the whole tokens of the place; what is a unit already is not added."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "tower")
        await press(pilot, "n", "tab", *"eiffel t", "enter")
        assert "Eiffel Tower" in said(app)
        await press(pilot, "n", "tab", *"ivers", "enter", "5")
        assert "✓ added University" in said(app)


@pytest.mark.parametrize("size", [(60, 16), (100, 30)], ids=["60x16", "100x30"])
async def test_a_search_for_a_new_unit_that_finds_nothing_stays_open(
    size: tuple[int, int], database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """Enter says so and keeps what was typed; the next letter changes it, and the keys stand there again."""
    app = make_app(database)
    async with app.run_test(size=size) as pilot:
        await open_review(pilot, "tower")
        await press(pilot, "n", "tab", "enter")
        assert "type what to look for esc cancel" == hint(app)
        await press(pilot, *"lyon", "enter")
        assert "the reference has no such text esc cancel" == hint(app)
        assert "lyon" == app.screen.query_one(Field).value
        await press(pilot, *["backspace"] * 4, *"ivers")
        assert "enter take it" in hint(app)
        await press(pilot, "enter", "5")
        assert "✓ added University" in said(app)


async def test_a_copied_unit_leaves_clean(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """`y` copies the unit under the cursor."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "tower")
        app.screen.query_one(UnitList).move_to(0)
        await press(pilot, "y")
        assert app.clipboard == "Eiffel Tower"
        assert said(app) == "copied: Eiffel Tower"


async def test_text_selected_with_the_mouse_is_what_y_copies(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """Dragging over the reference selects characters."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "tower")
        await pilot.mouse_down("#reference", offset=(5, 1))
        await pilot.hover("#reference", offset=(10, 1))
        await pilot.mouse_up("#reference", offset=(10, 1))
        await press(pilot, "escape", "y")  # it offers to add what is selected
        assert app.clipboard == "Eiffel"


def shown_keys(app: Any) -> str:
    return str(app.screen.query_one(KeyBar).render().plain)


async def test_accept_goes_to_the_other_kind_first(
    import_rows: Any, rows: Any, make_app: Any, press: Press, open_review: Press
) -> None:
    """Where both kinds are reviewed `a` shows the statements of the same sample, then the next sample."""
    text = rows[5]["reference"]
    rows[5]["proposal"]["statements"] = [
        {"text": text, "verdict": "found", "context": 0, "quote": "Goethe lebte in Weimar"}
    ]
    app = make_app(import_rows(rows[4:6], kinds=("entity", "statement")))
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        listed = app.screen.query_one(UnitList)
        assert listed.border_title == "Entities 3 · t statements"
        await press(pilot, "a")
        assert app.screen.pane.now.sample.id == "schiller"
        assert listed.border_title == "Statements 1 · t entities"
        assert said(app).startswith("✓ schiller entities accepted: verified ")
        assert "verified" not in app.screen.query_one(Head).text.split("verified", 1)[1]
        await press(pilot, "t")
        assert listed.border_title == "Entities 3 · t statements"
        await press(pilot, "5")
        assert listed.chosen.label == "number"
        assert "label" in shown_keys(app)
        await press(pilot, "t", "5")
        assert "label" not in shown_keys(app)
        assert said(app) == "statements have no labels"
        await press(pilot, "a")
        assert app.screen.pane.now.sample.id == "genji"


async def test_an_edit_that_changes_the_machines_verdict_says_so(
    import_rows: Any, make_app: Any, press: Press, open_review: Press
) -> None:
    """Moved or added: old verdict → new, and why; nothing where the verdict stays."""
    units = [{"text": "Bolivia", "label": "place"}, {"text": "Romanian", "label": "other"}]
    found = [{"text": "Bolivia", "label": "place"}, {"text": "Ann Leyes", "label": "person"}]
    row = {
        "id": "one",
        "user_input": "Who?",
        "reference": "From Bolivia Ann Leyes came with a Romanian there.",
        "retrieved_contexts": ["In Bolivia a Romanian saw Ann Leyes."],
        "proposal": {"proposer": "p", "reference_entities": units, "context_entities": [found]},
    }
    app = make_app(import_rows([row]))
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "one")
        listed = app.screen.query_one(UnitList)
        listed.move_to(1)
        await press(pilot, "full_stop", "comma")
        assert ("✓ now Romanian", "missing") == (said(app), listed.rows[1].match.verdict)
        listed.move_to(0)
        await press(pilot, "full_stop")
        assert "✓ now Bolivia Ann: found → missing (perhaps Bolivia)" == said(app)
        await press(pilot, "comma")
        assert "✓ now Bolivia: missing → found (exact match)" == said(app)
        await press(pilot, "n", "tab", *"ann leyes", "enter", "1")
        assert "✓ added Ann Leyes: found (exact match)" == said(app)
        assert ["Bolivia", "Ann Leyes", "Romanian"] == [one.text for one in listed.rows]
        assert listed.chosen is not None
        assert "Ann Leyes" == listed.chosen.text


async def test_an_added_name_that_a_context_has_only_as_words_points_to_the_key(
    import_rows: Any, make_app: Any, press: Press, open_review: Press
) -> None:
    found = [{"text": "Bolivia", "label": "place"}]
    row = {
        "id": "one", "user_input": "Where?", "reference": "Bolivia or the Seine.",
        "retrieved_contexts": ["In Bolivia it rains.", "The Seine is in Bolivia."],
        "proposal": {"proposer": "p", "reference_entities": found, "context_entities": [found, found]},
    }  # fmt: skip
    app = make_app(import_rows([row]))
    async with app.run_test(size=(80, 24)) as pilot:
        await open_review(pilot, "one")
        await press(pilot, "n", "tab", *"Seine", "enter", "2")
        assert (
            "✓ added Seine: missing; m makes it found (context 2 has these words, but no name like it)"
            == said(app)
        )
        await press(pilot, "m")
        assert "found" == app.screen.query_one(UnitList).chosen.match.verdict


async def test_the_way_back_from_compare_is_the_sample_it_was_opened_from(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        await press(pilot, "C")
        assert "CompareScreen" == type(app.screen).__name__
        await press(pilot, "escape")
        assert isinstance(app.screen, ReviewScreen)
        assert "schiller" == app.screen.pane.now.sample.id
        await press(pilot, "escape", "b")
        assert isinstance(app.screen, QueueScreen)


async def test_a_name_that_is_there_in_another_form_is_said_before_it_is_added(
    import_rows: Any, make_app: Any, press: Press, open_review: Press
) -> None:
    """Escape leaves it; a label adds it all the same."""
    row = {
        "id": "ru",
        "user_input": "Что?",
        "reference": "Большой театр стоит в Москве; труппа Большого театра велика.",
        "retrieved_contexts": ["Большой театр."],
        "proposal": {
            "proposer": "p",
            "reference_entities": [{"text": "Большой театр", "label": "organisation"}],
            "context_entities": [["Большой театр"]],
        },
    }
    app = make_app(import_rows([row]))
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "ru")
        await press(pilot, "n", "tab", *"большого театра", "enter")
        title = str(app.screen.query_one("#title", Bar).render())
        assert "new entity Большого театра · already there as Большой театр" in title
        await press(pilot, "escape")
        assert 1 == len(app.screen.pane.units)


async def test_zero_says_what_it_is_for(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """With units on the screen it does nothing, and says why."""
    app = make_app(database)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        await press(pilot, "0")
        assert "0 says that a sample has no units; this one has units: x rejects" in said(app)
