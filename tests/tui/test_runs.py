"""Runs in the app, by keys, against a real local service: started, watched, mended, made current."""

import asyncio
import threading
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.proposing.claude.server import Service
from tests.tui.conftest import User, said, settle, shown, until
from tests.tui.test_hostile import on_screen
from workbench.proposing.claude.answers import Usage
from workbench.proposing.claude.run import RunProgress
from workbench.stages.desk import open_desk
from workbench.store.engine import Store
from workbench.tui import bench
from workbench.tui.screens import runs as runs_screen
from workbench.tui.screens.runs import RunList, RunsScreen, by_rules, doing
from workbench.tui.widgets.bars import Bar
from workbench.tui.work import Going

Start = Callable[..., Service]


pytestmark = pytest.mark.usefixtures("quick_claude")


async def over(pilot: Pilot[None]) -> None:
    """Wait until the run that goes on has ended and everything is shown."""

    def is_said(app: Any) -> bool:
        """Whether it ended and the app has looked: a screen that shows no runs hears of it."""
        shows = isinstance(app.screen, RunsScreen)
        return not app.proposing.is_alive() and bool(
            app.screen._watched is None if shows else app._notifications
        )

    await until(pilot, partial(is_said, pilot.app))
    await settle(pilot)


def runs(app: Any) -> list[tuple[str, int, int, bool]]:
    return [
        (run.name, run.n_proposals, run.failed, run.current) for run in app.screen.query_one(RunList).rows
    ]


async def test_a_run_that_ends_with_the_app_is_no_error(user: User, service: Start, monkeypatch: Any) -> None:
    monkeypatch.setattr(bench, "LOOK", 0.001)
    hold = threading.Event()
    service(hold=hold)
    async with user.opens(size=(120, 36)) as app:
        await user.press("R", "n", "enter")
        await user.press("y")
        await user.press("escape")
        close = app._close_all

        async def close_all() -> None:
            await close()
            hold.set()
            await asyncio.to_thread(app.proposing.join)
            await asyncio.sleep(0.05)  # the timer looks at a run that has ended, and no screen is left

        monkeypatch.setattr(app, "_close_all", close_all)


async def test_a_run_stops_before_the_limit_that_is_shown_and_goes_on_when_started_again(
    user: User, service: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is that of the command line."""
    found = service()
    async with user.opens(size=(80, 24)) as app:
        await user.press("R", "n", "enter")
        limit = "stops before a call that would exceed $5.00; start it again to go on"
        assert limit in shown(app, "#text")
        await user.press("escape")
        monkeypatch.setattr(runs_screen, "MAX_COST", Decimal("0.00001"))
        await user.press("n", "enter", "y")
        await over(user.pilot)
        assert "8 left: --max-cost $0.00001: $0.0000 spent" in said(app)
        assert 0 == found.stats.requests

        monkeypatch.setattr(runs_screen, "MAX_COST", Decimal(5))
        await user.press("n", "enter", "y")
        await over(user.pilot)
        assert ("claude-run-2", 8, 0, True) == runs(app)[0]

        sent = found.stats.requests
        await user.press("n", "enter", "y")
        assert app.screen.query_one("#title", Bar).text == "Nothing is left to send"
        assert "0 samples to propose, 8 proposed already" in shown(app, "#text")
        assert sent == found.stats.requests


def test_what_is_said_of_a_run_begins_with_what_matters_most(store: Store) -> None:
    going = Going(partial(by_rules, open_desk(store, None, "ann")), 100, by_rules=True)
    assert going.leave()
    going.progress = RunProgress(
        answered=37, failed=3, in_flight=7, rate=2.0, waiting=12.2, why="rate limited",
        usage=Usage(input=1_200_000, output=30_500), cost=Decimal("0.25"),
    )  # fmt: skip
    going.stop.clear()

    assert doing(going) == "0 of 100 samples"
    going.by_rules = False
    said = "40 of 100 requests, 3 failed · $0.25 · waiting 12 s: rate limited"
    assert doing(going) == f"{said} · 2.0/s · 7 in flight · 1.2M in 30.5k out"
    going.stop.set()
    assert doing(going) == "stopping: waiting for what is under way"


async def test_the_hint_of_a_form_goes_on_below_its_beginning(user: User) -> None:
    async with user.opens(size=(60, 24)) as app:
        await user.press("R", "n", "right")
        lines = on_screen(app).split("\n")
        first = next(line.index("on this machine") for line in lines if "on this machine" in line)
        assert first == next(line.index("no key") for line in lines if "no key" in line)
