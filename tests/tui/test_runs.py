"""Runs in the app, by keys, against a real local service: started, watched, mended, made current."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.proposing.claude.faults import Faults
from tests.proposing.claude.server import Service
from tests.tui.conftest import User, said, settle, shown, until
from tests.tui.test_hostile import on_screen
from workbench.proposing.claude.answers import Usage
from workbench.proposing.claude.run import RunProgress
from workbench.stages.desk import open_desk
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.tui import bench
from workbench.tui.screens import runs as runs_screen
from workbench.tui.screens.dialogs import Choices, ConfirmScreen, FormScreen, MenuScreen
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.review import ReviewScreen
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


async def test_a_run_is_started_watched_and_mended(user: User, service: Start) -> None:
    """From the queue: the look before it is sent, the end, a failure opened for review, asked again."""
    faults = Faults(texts={"Montferrand": "refusal", "Монферран": "refusal"})
    service(faults=faults)
    async with user.opens(size=(80, 24)) as app:
        await user.press("R")
        assert runs(app) == [("claude-run-1", 7, 0, True)]
        await user.press("n")
        assert isinstance(app.screen, FormScreen)
        await user.press("enter")
        assert isinstance(app.screen, ConfirmScreen)
        assert "8 samples to propose, 0 proposed already" in shown(app, "#text")
        assert "text would go to 127.0.0.1:" in shown(app, "#text")
        await user.press("y")
        await over(user.pilot)
        assert runs(app) == [("claude-run-2", 7, 1, True), ("claude-run-1", 7, 0, False)]
        assert said(app).startswith("! claude-run-2: 7 proposed, 1 failed · $")
        assert "1 failed: refused  review the sample by hand" in shown(app, "#detail")

        await user.press("enter")
        assert isinstance(app.screen, MenuScreen)
        failed = [(one.name, one.right) for one in app.screen.query_one(Choices).rows]
        assert [("nevsky", "refused (bio: no)")] == failed
        await user.press("enter")
        assert isinstance(app.screen, ReviewScreen)
        await user.press("b")
        assert isinstance(app.screen, RunsScreen)
        faults.texts = {}
        await user.press("T")
        assert "1 sample to propose, 7 proposed already" in shown(app, "#text")
        await user.press("y")
        await over(user.pilot)
        assert runs(app) == [("claude-run-2", 8, 0, True), ("claude-run-1", 7, 0, False)]

        await user.press("j", "space")
        assert runs(app) == [("claude-run-2", 8, 0, False), ("claude-run-1", 7, 0, True)]
        await user.press("escape")
        assert isinstance(app.screen, QueueScreen)
    assert find_dataset(app.store, None).run == "claude-run-1"


async def test_a_run_goes_on_while_one_is_elsewhere_and_stops_softly(user: User, service: Start) -> None:
    """The queue takes keys meanwhile; back on the screen the run is still there, and s ends it."""
    hold = threading.Event()
    service(hold=hold)
    async with user.opens(size=(120, 36)) as app:
        await user.press("R", "n", "enter")
        await user.press("y")
        assert app.proposing.is_alive()
        await user.press("n")
        assert said(app) == "a run goes on; backspace stops it"
        await user.press("escape", "j")
        assert isinstance(app.screen, QueueScreen)
        await user.press("R")
        assert app.screen.query_one("#going", Bar).text.startswith("↻ ")
        await user.press("backspace")
        assert "stopping" in app.screen.query_one("#going", Bar).text
        hold.set()
        await over(user.pilot)
        assert app.screen.query_one("#going", Bar).text == ""
        assert runs(app)[0][0] == "claude-run-2"


async def test_a_run_that_ends_as_the_app_closes_is_no_error(
    user: User, service: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
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


async def test_leaving_while_a_run_goes_on_is_asked_once(user: User, service: Start) -> None:
    hold = threading.Event()
    service(hold=hold)
    async with user.opens(size=(80, 24)) as app:
        await user.press("R", "n", "enter")
        await user.press("y", "q")
        assert app.screen.id == "leave"
        await user.press("escape")
        assert isinstance(app.screen, RunsScreen)
        hold.set()
        await user.press("q")
        if app.screen.id == "leave":  # it has not ended meanwhile
            await user.press("y")
        assert app.return_code == 0
    assert app.proposing.leave()
    assert app.proposing.ended.tone == "good" or "asked to stop" in app.proposing.ended.text


async def test_another_service_is_asked_at_its_address(
    user: User, service: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Model and address are typed; a failed sample is asked again at the same address."""
    faults = Faults(texts={"Montferrand": "refusal", "Монферран": "refusal"})
    local = service(faults=faults)
    url = f"{os.environ['ANTHROPIC_BASE_URL']}/v1"
    async with user.opens(size=(80, 24)) as app:
        await user.press("R", "n", "left")
        assert "‹ openai ›" in shown(app, "#lines")
        await user.press("enter")
        assert "claude-haiku-5-5 is a model of Claude" in said(app)
        await user.press("n", "left", "down", "f2", *"local-model", "enter", "down", "down", "f2")
        await user.press(*url, "enter", "enter")
        assert isinstance(app.screen, ConfirmScreen)
        assert f"text would go to {url.removeprefix('http://').removesuffix('/v1')}" in shown(app, "#text")
        assert "no price is known for local-model" in shown(app, "#text")
        await user.press("y")
        await over(user.pilot)
        assert runs(app)[0] == ("openai-run-1", 7, 1, True)
        faults.texts = {}
        await user.press("T", "y")
        await over(user.pilot)
        assert runs(app)[0] == ("openai-run-1", 8, 0, True)
        assert local.stats.statuses[401] == 0


async def test_a_batch_is_sent_and_fetched(user: User, service: Start) -> None:
    """At half the price; the end is also said on another screen."""
    local = service()
    async with user.opens(size=(120, 36)) as app:
        await user.press("R", "n", "j", "j", "j", "j", "right", "enter")
        assert app.screen.query_one("#title", Bar).text == "Send it in batches?"
        await user.press("y", "escape")
        assert isinstance(app.screen, QueueScreen)
        await over(user.pilot)
        assert [one.message.partition(" ·")[0] for one in app._notifications] == ["claude-run-2: 8 proposed"]
    assert len(local.batches) == 1


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
