"""The edges: the first frame, a database that cannot be opened, a crash, and leaving."""

import threading
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key

from tests.tui.conftest import User, open_review, press, said, until
from workbench.errors import NewerSchemaError
from workbench.store.engine import Store, open_store
from workbench.tui.app import WorkbenchApp
from workbench.tui.keys import acts
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.widgets.bars import Head
from workbench.tui.widgets.sample_list import SampleList


async def test_the_first_frame_does_not_wait_for_the_store(database: Path) -> None:
    """ "opening …" is on the screen while the store is being opened, and nothing else moves."""
    go_on = threading.Event()

    def slow() -> Store:
        go_on.wait(600)
        return open_store(str(database))

    app = WorkbenchApp(slow, None, "ann")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.screen.query_one(Head).text == "Workbench  opening …"
        before = {widget.id: widget.region for widget in app.screen.query("*") if widget.id}
        go_on.set()
        await press(pilot)
        after = {widget.id: widget.region for widget in app.screen.query("*") if widget.id}
        assert {name: after[name] for name in before} == before
        assert app.screen.query_one(Head).text.startswith("cities  8 samples")
    assert app.store is not None
    app.store.close()


async def test_a_database_that_cannot_be_opened() -> None:
    """The reason stands on the screen, and leaving it gives exit code 1."""

    def refuse() -> Store:
        raise NewerSchemaError("made by a newer Workbench: upgrade")

    app = WorkbenchApp(refuse, None, "ann")
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot)
        assert "made by a newer Workbench: upgrade" in str(app.screen.query_one("#empty").render())
        await press(pilot, "q")
    assert app.return_code == 1


@pytest.mark.parametrize("comes", [False, True])
async def test_a_full_disk_is_waited_for(database: Path, monkeypatch: Any, comes: bool) -> None:
    """By itself; who leaves before that gets exit code 1."""
    monkeypatch.setattr("workbench.tui.work.PAUSES", (0.1,))
    resource: Any = pytest.importorskip("resource")
    limits, room = resource.getrlimit(resource.RLIMIT_FSIZE), False

    def connect() -> Store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits[0] if room else 100, limits[1]))  # the disk ends
        try:
            return open_store(str(database))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    app = WorkbenchApp(connect, None, "ann")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: said(app) == "! the disk is full or failed, trying again in 0 s")
        if room := comes:
            await until(pilot, lambda: bool(app.screen_stack[0].query_one(SampleList).count))
        await pilot.press("q")
    assert app.return_code == int(not comes)
    if app.store is not None:
        app.store.close()


async def test_a_crash_shows_no_data(database: Path, make_app: Any, capsys: Any) -> None:
    """Exit code 1 and the place of the error; no message of it, no local values, no text of a sample."""
    app = make_app(database)
    with pytest.raises(RuntimeError):  # noqa: PT012
        async with app.run_test(size=(80, 24)) as pilot:
            await open_review(pilot, "tower")

            def broken() -> None:
                secret = app.screen.pane.now.sample.reference
                raise RuntimeError(secret)

            app.screen.call_later(broken)
            await pilot.pause()
            await pilot.pause()
    assert app.return_code == 1
    printed = capsys.readouterr()
    said = printed.out + printed.err
    assert "RuntimeError" in said
    assert "Eiffel" not in said
    assert "Where is" not in said


async def test_quit_waits_for_what_is_being_written(user: User) -> None:
    """x, q and y in one breath: the rejection is on disk."""
    async with user.opens("schiller") as app:
        user.pilot.app.simulate_key("x")
        user.pilot.app.simulate_key("q")
        user.pilot.app.simulate_key("y")
        await until(user.pilot, lambda: app.return_code is not None)
    assert app.return_code == 0
    assert [(1,)] == user.query("SELECT COUNT(*) FROM review_event WHERE op = 'reject'")


async def test_keys_that_wait_while_it_leaves_do_nothing(user: User) -> None:
    """A read that ends now lets them run, when the screens may be gone already."""
    async with user.opens("tower", size=(80, 24)) as app:
        app.gate.close()
        for _ in range(3):
            app.post_message(Key("q", "q"))
        await user.pilot.pause()
        app.exit()
        await app._close_all()
        app.open_gate()
        await app.gate.drain()
    assert 0 == app.return_code


async def test_two_quick_clicks_on_back_go_back_once(user: User) -> None:
    """The second one is of a screen that was left."""
    async with user.opens("tower", size=(80, 24)) as app:
        back = next(act for act in acts(app.screen.active_bindings) if act.keys[0] == "b")
        app.perform(back)
        app.perform(back)
        await user.press()
        assert isinstance(app.screen, QueueScreen)
        assert app.return_code is None
