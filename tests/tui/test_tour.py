"""The first steps: shown once over the first queue, closed by any key, and no key is lost."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.tui.conftest import User, press
from workbench.settings import State, read_state, remember
from workbench.tui.app import WorkbenchApp
from workbench.tui.bench import TOUR_ROOM
from workbench.tui.screens.help import STEPS


def name(app: WorkbenchApp) -> str:
    """Which screen is on top."""
    return type(app.screen).__name__


def steps(app: WorkbenchApp) -> list[str]:
    """The lines of the tour."""
    return str(app.screen.query_one("#steps").render()).splitlines()


async def test_the_task_and_five_lines_over_the_queue(user: User, tmp_path: Path) -> None:
    """What to judge, then keys and what they do; the queue is there behind them.

    Five lines are five lines, and the box is on the screen, down to the smallest window. That it was seen is
    kept at once, not when it is closed: a killed window does not bring it back.
    Escape and a key that is none only close it. The palette shows it again. `?` is one of the five keys: it
    shows those of the queue, and closing it leads there.
    """
    state = tmp_path / "state.json"
    async with user.opens(size=(80, 24), tour=True, remember=partial(remember, state)) as app:
        await user.settle()
        assert name(app) == "TourScreen"
        assert read_state(state) == State(tour_seen=True)
        for size in (120, 36), TOUR_ROOM, (80, 24):
            await user.resize(*size)
            heights = [app.screen.query_one(part).size.height for part in ("#steps", "#note")]
            assert (size, [len(STEPS), 1]) == (size, heights)
            assert app.screen.query_one("#task").size.height <= 3
            assert app.screen.region.contains_region(app.screen.query_one("#box").region)
        task = str(app.screen.query_one("#task").render())
        assert task.endswith("Is each name right? Does the retrieved text contain it?")
        assert [line.split()[0] for line in steps(app)] == ["a", "x", "m", "n", "?"]
        assert [line.split(maxsplit=1)[1] for line in steps(app)] == [what for *_, what in STEPS]
        assert type(app.screen_stack[0]).__name__ == "QueueScreen"
        for key, behind in ("escape", "QueueScreen"), ("z", "QueueScreen"), ("question_mark", "HelpScreen"):
            await user.press(key)
            assert name(app) == behind, key
            if behind == "QueueScreen":
                (tour,) = [one for one in app.get_system_commands(app.screen) if one.title == "Tour"]
                tour.callback()
                await user.settle()
                assert name(app) == "TourScreen"
        text = "\n".join(str(one.render()) for one in app.screen.query("Static"))
        assert "Review this sample" in text
        await user.press("escape")
        assert name(app) == "QueueScreen"


async def test_a_state_that_cannot_be_kept_is_said(database: Path, make_app: Any, tmp_path: Path) -> None:
    """A read-only home: the app goes on and says so once."""
    blocked = tmp_path / "state.json"
    blocked.mkdir()
    app = make_app(database, tour=True, remember=partial(remember, blocked))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await press(pilot)
        assert [one.message.startswith("not kept for the next start: ") for one in app._notifications] == [
            True
        ]
        await press(pilot, "escape")
        assert name(app) == "QueueScreen"


async def test_not_in_a_window_too_small_for_it(user: User, tmp_path: Path) -> None:
    """It would cover everything; it is not counted as seen."""
    state = tmp_path / "state.json"
    async with user.opens(size=(70, 15), tour=True, remember=partial(remember, state)) as app:
        await user.press()
        assert name(app) == "QueueScreen"
    assert read_state(state) == State()
