"""The first steps: shown once over the first queue, closed by any key, and no key is lost."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.test_keymap import keys
from workbench.settings import Settings, State, read_state, remember
from workbench.tui.app import WorkbenchApp
from workbench.tui.bench import TOUR_ROOM
from workbench.tui.keys import keymap
from workbench.tui.screens.help import STEPS
from workbench.tui.widgets.bars import Status

Press = Callable[..., Awaitable[None]]
Settle = Callable[[Pilot[None]], Awaitable[None]]


def name(app: WorkbenchApp) -> str:
    """Which screen is on top."""
    return type(app.screen).__name__


def steps(app: WorkbenchApp) -> list[str]:
    """The lines of the tour."""
    return str(app.screen.query_one("#steps").render()).splitlines()


async def test_the_task_and_five_lines_over_the_queue(database: Path, make_app: Any, settle: Settle) -> None:
    """What to judge, then keys and what they do; the queue is there behind them."""
    app = make_app(database, tour=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert name(app) == "TourScreen"
        task = str(app.screen.query_one("#task").render())
        assert task.endswith("Is each name right? Does the retrieved text contain it?")
        assert [line.split()[0] for line in steps(app)] == ["a", "x", "m", "n", "?"]
        assert [line.split(maxsplit=1)[1] for line in steps(app)] == [what for *_, what in STEPS]
        assert type(app.screen_stack[0]).__name__ == "QueueScreen"


async def test_escape_only_closes_it(database: Path, make_app: Any, press: Press) -> None:
    """The queue stays."""
    app = make_app(database, tour=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "escape")
        assert name(app) == "QueueScreen"


async def test_enter_starts_with_the_first_sample(database: Path, make_app: Any, press: Press) -> None:
    """As its title says: the sample under the cursor of the queue is open."""
    app = make_app(database, tour=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter")
        assert name(app) == "ReviewScreen"
        first = app.screen.pane.now.sample.id
    plain = make_app(database)
    async with plain.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter")
        assert first == plain.screen.pane.now.sample.id


async def test_the_tour_names_the_key_that_starts(database: Path, make_app: Any, press: Press) -> None:
    """A person who chose another key for opening a sample reads that key, and it starts."""
    app = make_app(database, tour=True, keymap=keymap(keys(queue__open="f6")))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot)
        assert "F6 starts" in str(app.screen.query_one("#title").render())
        await press(pilot, "f6")
        assert name(app) == "ReviewScreen"


async def test_another_key_does_what_it_does_in_the_queue(
    database: Path, make_app: Any, press: Press
) -> None:
    """Nothing that one types is lost, whatever follows it in one breath."""
    app = make_app(database, tour=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "j", "enter")
        assert name(app) == "ReviewScreen"
        third = app.screen.pane.now.sample.id
    plain = make_app(database)
    async with plain.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "j", "enter")
        assert plain.screen.pane.now.sample.id == third


async def test_a_key_that_is_none_closes_it_too(database: Path, make_app: Any, press: Press) -> None:
    """Any key does."""
    app = make_app(database, tour=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "z")
        assert name(app) == "QueueScreen"


async def test_help_is_help_there_too(database: Path, make_app: Any, press: Press) -> None:
    """`?` is one of the five keys: it shows those of the queue, and closing it leads there."""
    app = make_app(database, tour=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "question_mark")
        assert name(app) == "HelpScreen"
        text = "\n".join(str(one.render()) for one in app.screen.query("Static"))
        assert "Review this sample" in text
        await press(pilot, "escape")
        assert name(app) == "QueueScreen"


async def test_once_for_a_person(database: Path, make_app: Any, press: Press, tmp_path: Path) -> None:
    """Seen is kept at once, not when it is closed: a killed window does not bring it back."""
    state = tmp_path / "state.json"
    app = make_app(database, tour=True, remember=partial(remember, state, Settings()))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot)
        assert name(app) == "TourScreen"
        assert read_state(state) == State(tour_seen=True)


async def test_a_state_that_cannot_be_kept_is_said(
    database: Path, make_app: Any, press: Press, tmp_path: Path
) -> None:
    """A read-only home: the app goes on and says so once."""
    blocked = tmp_path / "state.json"
    blocked.mkdir()
    app = make_app(database, tour=True, remember=partial(remember, blocked, Settings()))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await press(pilot)
        assert [one.message.startswith("not kept for the next start: ") for one in app._notifications] == [
            True
        ]
        await press(pilot, "escape")
        assert name(app) == "QueueScreen"


async def test_not_in_a_window_too_small_for_it(
    database: Path, make_app: Any, press: Press, tmp_path: Path
) -> None:
    """It would cover everything; it is not counted as seen."""
    state = tmp_path / "state.json"
    app = make_app(database, tour=True, remember=partial(remember, state, Settings()))
    async with app.run_test(size=(70, 15)) as pilot:
        await press(pilot)
        assert name(app) == "QueueScreen"
    assert read_state(state) == State()


async def test_the_palette_shows_it_again(database: Path, make_app: Any, settle: Settle) -> None:
    """Over a review as well; keys are those of the screen below."""
    app = make_app(database)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        (tour,) = [one for one in app.get_system_commands(app.screen) if one.title == "Tour"]
        tour.callback()
        await settle(pilot)
        assert name(app) == "TourScreen"


async def test_it_shows_the_keys_that_a_person_chose(database: Path, make_app: Any, settle: Settle) -> None:
    """A tour that names other keys than those that work would be worse than none."""
    chosen = keymap(keys(review__accept="f6 f7"))
    app = make_app(database, tour=True, keymap=chosen)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert [line.split()[0] for line in steps(app)] == ["F6", "x", "m", "n", "?"]


@pytest.mark.parametrize("size", [TOUR_ROOM, (80, 24), (120, 36)], ids=str)
async def test_its_lines_are_whole(
    database: Path, make_app: Any, settle: Settle, size: tuple[int, int]
) -> None:
    """Five lines are five lines, and the box is on the screen, down to the smallest window."""
    app = make_app(database, tour=True)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        assert app.screen.query_one("#steps").size.height == len(STEPS) == 5
        assert app.screen.query_one("#task").size.height <= 3
        assert app.screen.query_one("#note").size.height == 1
        box = app.screen.query_one("#box").region
        assert app.screen.region.contains_region(box)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=str)
async def test_two_presses_accept_the_first_sample_of_the_demo(
    demo_database: Path, tmp_path: Path, make_app: Any, press: Press, size: tuple[int, int]
) -> None:
    """From the tour: no unit stops the accept, and what is said of it is a difference, not a zero."""
    app = make_app(Path(shutil.copy(demo_database, tmp_path / "demo.db")), tour=True, dataset="demo")
    async with app.run_test(size=size) as pilot:
        await press(pilot, "enter")
        assert app.screen.pane.now.sample.meta["language"] == "en"
        await press(pilot, "a")
        status = str(app.screen.query_one(Status).render())
        assert "✓ www accepted: yours .33 · true 4/5 .80 · −.47: 2 names in another form, 1 n" in status
        assert app.screen.pane.now.sample.id == "mona-lisa"
