"""Disagreements in the queue: whose values they show, what becomes of them, and undo on every screen."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.tui.conftest import User, said
from tests.tui.teams import decide
from workbench.reviewing.edits import Flag
from workbench.stages.disputes import set_state
from workbench.stages.people import add_person
from workbench.stages.review import act, open_sample
from workbench.store.datasets import find_dataset
from workbench.store.disputes import Kept, Key, save_state
from workbench.store.engine import open_store
from workbench.store.people import Person
from workbench.store.samples import sample_ids
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.screens.why import WhyScreen


@pytest.fixture
def demo(demo: Path) -> Path:
    """The demo, of which bob decided one sample and flagged another one; its volcano came verified."""
    with closing(open_store(str(demo))) as store:
        decide(store, "bob", "guernica-bm25")
        number = sample_ids(store, find_dataset(store, None).id)["www"]
        act(store, open_sample(store, number, "bob"), Flag("odd"))
    return demo


async def go_to(user: User, key: str) -> None:
    """To the disagreement of a sample."""
    listed = user.pilot.app.home.samples
    await user.press("D")
    store = user.pilot.app.home.desk.store
    number = sample_ids(store, find_dataset(store, None).id)[key]
    listed.move_to(listed.rows.index(number))
    await user.press()


def state(app: Any) -> str:
    """The state of the disagreement under the cursor of the queue."""
    return str(app.home.samples.disputes[app.home.samples.chosen].state)


# Undo.


async def test_undo_in_a_review_takes_back_the_state_given_before_it(user: User, demo: Path) -> None:
    """It came after the last decision, so undo is about it and leads to no other sample."""
    async with user.opens(database=demo, size=(80, 24), annotator="bob") as app:
        await go_to(user, "www")
        await user.press("d", "j", "j", "enter", "enter")
        assert isinstance(app.screen, ReviewScreen)
        assert "fixed" == state(app)

        for key, word in ("u", "undid"), ("U", "redone"):
            await user.press(key)
            now = "open" if key == "u" else "fixed, still differs"
            assert f"✓ {word}: the disagreement on www is {now} again" == said(app)
            assert "www" == app.screen.pane.now.sample.id
        await user.press("u", "b")
        assert "open" == state(app)
        await user.press("u")
        assert "✓ undid on www" in said(app)  # the flag, the newest decision


async def test_undo_on_the_evidence_of_a_disagreement_leads_back_and_takes_back_its_state(
    user: User, demo: Path
) -> None:
    """Redo likewise; the evidence says where a state is given."""
    async with user.opens(database=demo, size=(80, 24), annotator="bob") as app:
        await go_to(user, "volcano")
        await user.press("d", "j", "j", "enter", "enter")
        assert isinstance(app.screen, WhyScreen)
        await user.press("u")
        assert isinstance(app.screen, QueueScreen)
        assert "✓ undid: the disagreement on volcano is open again" == said(app)
        assert "open" == state(app)
        await user.press("enter", "U")
        assert isinstance(app.screen, QueueScreen)
        assert "fixed" == state(app)
        await user.press("u", "D", "w")
        assert isinstance(app.screen, WhyScreen)
        await user.press("d")
        assert "D in the queue lists what disagrees; d there gives it a state" == said(app)
        await user.press("u")  # then it is about decisions, on the screen that shows them
        assert isinstance(app.screen, ReviewScreen)
        assert said(app).startswith("✓ undid on www")


async def test_the_state_that_a_disagreement_has_writes_nothing(user: User, demo: Path) -> None:
    async with user.opens(database=demo, size=(80, 24), annotator="bob") as app:
        await go_to(user, "www")
        await user.press("d", "enter")
        assert "the disagreement on www is open: so it is already" == said(app)
        await user.press("d", "j", "enter", *"a title", "enter", "d", "enter", "enter")
        assert "the disagreement on www is explained: so it is already" == said(app)
        await user.press("u")
        assert "open" == state(app)


# Whose values show.


async def test_a_disagreement_that_others_decided_shows_nothing_before_one_has_decided_too(
    user: User, demo: Path
) -> None:
    """As in the queue, in Why and in Compare; what came with the file is no secret."""
    with closing(open_store(str(demo))) as store:
        decide(store, "ann", "mona-lisa")
        decide(store, "ann", "www")
    async with user.opens(database=demo, size=(120, 36), annotator="bob") as app:
        await user.press("D")
        listed = app.screen.samples
        rows = [listed.row(index) for index in range(listed.count)]
        of_www = listed.disputes[next(row.sample_id for row in rows if row.key == "www")]
        before = said(app), {row.key for row in rows}
        assert ("flag", None, None) == (of_www.sort, of_www.first, of_www.second)
        assert all(row.verified is not None for row in rows if row.key != "www")
        await app.gate.enter(lambda: app.review(app.home.desk, of_www.sample_id))
        await user.press("a", "b", "D", "D")
        after = {listed.disputes[number].sort for number in listed.rows if number == of_www.sample_id}

    assert "volcano" in before[1]
    assert "mona-lisa" not in before[1]
    assert before[0].endswith("more: hidden until you review their samples")
    assert {"verified"} == after


async def test_a_sample_of_the_file_that_was_begun_anew_is_hidden_on_every_screen(
    user: User, demo: Path
) -> None:
    """Queue, Why, D and Compare say nothing of its value until it is decided again."""
    async with user.opens("volcano", database=demo, size=(80, 24), annotator="bob") as app:
        desk = app.home.desk
        number = app.screen.pane.now.sample_id

        async def shown() -> list[bool]:
            _, figures = await desk.answer(None, "", lambda _done: None)
            listed = [row.sample_id for row in figures.rows]
            disputes = (await desk.disputes()).disputes
            values = [one.second for one in disputes if one.sample_id == number and one.sort == "verified"]
            verified = (await desk.rows([number]))[number].verified
            return [number in listed, any(value is not None for value in values), verified is not None]

        before = await shown()
        await user.press("x", "w")
        why, begun = said(app), await shown()

    assert [True] * 3 == before
    assert [False] * 3 == begun
    assert "automatic and verified show once you have decided this sample" == why


async def test_undo_of_a_state_that_somebody_changed_meanwhile_says_so_once(user: User, demo: Path) -> None:
    """The next undo is about decisions again."""
    async with user.opens(database=demo, size=(80, 24), annotator="bob") as app:
        await go_to(user, "www")
        await user.press("d", "j", "j", "enter")
        dispute = app.home.samples.disputes[app.home.samples.chosen]
        with closing(open_store(str(demo))) as store:
            set_state(store, dispute, "explained", "a title", "ann")
        await user.press("u")
        first, shows = said(app), state(app)
        await user.press("u")
        assert "✓ undid on www" in said(app)

    assert first.endswith("ann called it explained meanwhile; look at it again")
    assert "explained" == shows


async def test_undo_gives_a_disagreement_the_state_that_it_had_with_its_author(
    user: User, demo: Path
) -> None:
    """Its values changed since somebody explained it, so it shows as open, was explained."""
    with closing(open_store(str(demo))) as store:
        number = sample_ids(store, find_dataset(store, None).id)["www"]
        before = Kept("explained", "[another reason] a title", "ann", datetime(2026, 1, 2, tzinfo=UTC))
        save_state(store, Key(number, "entity", "flag"), before, expected=None)
    async with user.opens(database=demo, size=(80, 24), annotator="bob") as app:
        await go_to(user, "www")
        shown = app.home.samples.disputes[number]
        await user.press("d", "j", "j", "enter", "u")
        again = app.home.samples.disputes[number]

    assert ("open", "explained") == (shown.state, shown.was)
    assert shown == again


# Who may, and where a key acts.


async def test_who_may_not_settle_hears_it_before_choosing_a_state(user: User, demo: Path) -> None:
    with closing(open_store(str(demo))) as store:
        add_person(store, "root", Person("root", "owner", False, False))
        add_person(store, "root", Person("bob", "annotator", False, False))
    async with user.opens(database=demo, size=(120, 36), annotator="bob") as app:
        await go_to(user, "www")
        await user.press("d")
        assert isinstance(app.screen, QueueScreen)
        state_refused = said(app)
        await user.press("J")
        assert said(app).startswith("bob is an annotator and may not settle what others differ in")

    assert state_refused.startswith("bob is an annotator and may not settle disagreements")


async def test_a_small_window_shows_what_still_differs_and_a_later_decision_is_undone_first(
    user: User, demo: Path
) -> None:
    async with user.opens(database=demo, size=(60, 18), annotator="bob") as app:
        await go_to(user, "www")
        await user.press("d", "j", "j", "enter", "enter")
        listed = app.home.samples
        line = listed.render_line(listed.cursor - listed.scroll_offset.y).text
        assert "Where was the World …" in line
        assert line.rstrip().endswith("fixed?")
        await user.press("x", "u")
        assert said(app).startswith("✓ undid on www: rejected")
        await user.press("b")
        assert "fixed" == state(app)
