"""Keys typed ahead: each has one turn, on the screen it was meant for; none acts before there is a sample."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import User, key_event, said, until
from workbench.store.samples import sample_ids
from workbench.tui.app import WorkbenchApp
from workbench.tui.keys import declared
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.widgets.bars import KeyBar
from workbench.tui.work import Entered

WAYS_OUT = {"b", "и", "q", "й", "ctrl+q"}


@contextmanager
def nothing_is_read() -> Iterator[None]:
    """The one thread that reads is busy with something else: all other reads wait behind it."""
    busy = threading.Lock()
    readers = ThreadPoolExecutor(1)
    asyncio.get_running_loop().set_default_executor(readers)
    with busy:
        readers.submit(busy.acquire)
        yield


DECISIONS = "SELECT COUNT(*) FROM review_event"


def send(pilot: Pilot[None], *names: str) -> None:
    """Type these at once."""
    for name in names:
        pilot.app.post_message(key_event(name))


def is_opening(app: WorkbenchApp) -> bool:
    """Whether the review is there and its sample is not."""
    return isinstance(app.screen, ReviewScreen) and app.screen.is_mounted and app.screen.pane.opened is None


@asynccontextmanager
async def opening(user: User, app: WorkbenchApp) -> AsyncIterator[None]:
    """The review of the first sample, which cannot be read meanwhile."""
    desk = app.desk
    assert desk is not None
    sample = min(sample_ids(desk.store, desk.info.id).values())
    with nothing_is_read():
        await app.gate.enter(partial(app.review, desk, sample))
        await until(user.pilot, partial(is_opening, app))
        yield


@pytest.mark.parametrize("size", [(80, 24), (60, 16)], ids=["80x24", "60x16"])
async def test_keys_that_a_menu_did_not_take_do_nothing_behind_it(user: User, size: Any, demo: Path) -> None:
    """They were typed over the menu; the review that a later key of the burst opens is not theirs."""
    async with user.opens(database=demo, size=size) as app:
        await user.settle()
        before = user.query(DECISIONS)
        with nothing_is_read():
            send(user.pilot, "o", "a", "x", "e", "n", "c", "b", "space", "enter")
            await until(user.pilot, partial(is_opening, app))
            await user.pilot.pause(0.1)
        await user.settle()
        assert isinstance(app.screen, ReviewScreen)
        assert app.screen.pane.opened is not None
    assert user.query(DECISIONS) == before


async def test_no_key_needs_a_sample_that_is_not_there_yet(user: User, demo: Path) -> None:
    """Every key of the review, let through before its sample is open: nothing happens, and it is said why."""
    bound = sorted({one.key for one in declared(ReviewScreen)} - WAYS_OUT)
    assert len(bound) > 85  # with their twins
    async with user.opens(database=demo, size=(80, 24)) as app:
        await user.settle()
        before = user.query(DECISIONS)
        async with opening(user, app):
            for name in bound:
                app.open_gate()  # whatever opened it
                send(user.pilot, name)
                await user.pilot.pause(0)
            await user.pilot.pause(0.05)
            assert is_opening(app)
            assert said(app) == "the sample is being opened"
            assert "accept" not in str(app.screen.query_one(KeyBar).render())
            assert "queue" in str(app.screen.query_one(KeyBar).render())
        await user.settle()
        assert isinstance(app.screen, ReviewScreen)
        assert app.screen.pane.opened is not None
        assert "accept" in str(app.screen.query_one(KeyBar).render())
    assert user.query(DECISIONS) == before


WAYS = {"b": "QueueScreen", "question_mark": "HelpScreen"}


async def test_the_ways_out_are_open_before_the_sample_is_there(user: User, demo: Path) -> None:
    """Back, and the help. What takes long says that it is being opened, until it is."""
    async with user.opens(database=demo, size=(80, 24)) as app:
        await user.settle()
        for way, there in WAYS.items():
            async with opening(user, app):
                await until(user.pilot, lambda: "the sample is being opened" == said(app))
                app.open_gate()
                send(user.pilot, way)
                await until(user.pilot, lambda: not isinstance(app.screen, ReviewScreen))
            await user.settle()
            assert type(app.screen).__name__ == there
            await user.press("escape")
        assert "" == said(app)


async def test_enter_that_came_with_a_paste_closes_the_field_and_does_nothing_elsewhere(user: User) -> None:
    """A field takes both, a screen without one neither."""
    async with user.opens("tower") as app:
        await user.press("f")
        app.post_message(Entered("odd context"))
        await until(user.pilot, lambda: isinstance(app.screen, ReviewScreen))
        await until(user.pilot, lambda: said(app) == "✓ flagged: odd context")
        app.post_message(Entered("odd context"))
        await until(user.pilot, lambda: said(app).startswith("Ignored:"))
        assert isinstance(app.screen, ReviewScreen)
