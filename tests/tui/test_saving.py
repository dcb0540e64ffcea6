"""Writes that fail, writes that come second, and the keys that were typed behind them."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from workbench.stages import editing, queue, review
from workbench.store import engine
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.store.samples import sample_ids
from workbench.tui.screens import review as review_screen
from workbench.tui.widgets.bars import Status
from workbench.tui.widgets.unit_list import UnitList

Press = Callable[..., Awaitable[None]]


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Another program holds the write lock."""
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.rollback()
        other.close()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a tenth of a second for a lock, not five."""
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.1)


def stored(store: Store, key: str) -> review.Opened:
    """A sample as another window sees it."""
    info = find_dataset(store, None)
    return review.open_sample(store, sample_ids(store, info.id)[key], "ann")


def banner(app: Any) -> str:
    """The warning that stays; empty when there is none."""
    widget = app.screen.query_one("#banner", Static)
    return str(widget.render()) if widget.display else ""


async def test_a_failed_write_is_said_kept_and_tried_again(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """Nothing is shown as done; the warning names what was not saved; `r` saves it."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        text = app.screen.query_one(UnitList).chosen.text
        with locked(database):
            await press(pilot, "x")
            assert f"Not saved: rejected {text}." in banner(app)
            assert "database is locked" in banner(app)
            assert not app.screen.query_one(UnitList).chosen.rejected
            await press(pilot, "a")
            assert str(app.screen.query_one(Status).text).strip() == "first: r tries again, esc lets it go"
        await press(pilot, "r")
        assert banner(app) == ""
        assert app.screen.query_one(UnitList).chosen.rejected
        assert [u.text for u in stored(store, "schiller").state.entity.assessment.units if u.rejected] == [
            text
        ]


async def test_typed_text_survives_a_failed_write(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """A comment that could not be saved is saved by `r`, word for word."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        with locked(database):
            await press(pilot, "c", *"a long thought", "enter")
            assert "Not saved: comment added." in banner(app)
        await press(pilot, "r")
        assert stored(store, "schiller").state.comments == ("a long thought",)


async def test_keys_typed_behind_a_failed_write_wait_for_it(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """They meant the state after it: tried again they follow it, let go they go with it."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        with locked(database):
            await press(pilot, "x", "a")
            assert "One key typed behind it waits." in banner(app)
        await press(pilot, "r")
        assert stored(store, "schiller").state.entity.disposition == "verified"
        await press(pilot, "u", "u", "b")

        await open_review(pilot, "schiller")
        with locked(database):
            await press(pilot, "x", "a")
        await press(pilot, "escape")
        assert banner(app) == ""
        assert stored(store, "schiller").state.entity.disposition == "todo"


async def test_keys_wait_in_order_while_a_write_is_under_way(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press, monkeypatch: Any
) -> None:
    """Typed while the database is busy: all of it happens, in order, each on the fresh state."""
    monkeypatch.setattr(engine, "BUSY_SECONDS", 5.0)
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "tower")
        app.screen.query_one(UnitList).move_to(0)

        async def let_go_later() -> None:
            with locked(database):
                await asyncio.sleep(0.4)

        holding = asyncio.create_task(let_go_later())
        await asyncio.sleep(0.05)
        await press(pilot, "x", "j", "8", "j", "m", "n", "tab", *"seine", "enter", "2", "j", "a")
        await holding
        units = {unit.text: unit for unit in stored(store, "tower").state.entity.assessment.units}
        assert units["Eiffel Tower"].rejected
        assert units["Champ de Mars"].label == "other"
        assert units["Gustave Eiffel"].match.rule == "human"
        assert units["Seine"].label == "place"
        assert stored(store, "tower").state.entity.disposition == "verified"


async def test_held_a_verifies_each_sample_once(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """Twenty `a` in a burst: no sample is skipped, none verified before it was painted, none twice."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await press(pilot, "c", *("a" * 20))
        info = find_dataset(store, None)
        assert queue.progress(store, info, "ann").verified == 8
        with store.engine.connect() as connection:
            counts = connection.exec_driver_sql(
                "SELECT COUNT(*), COUNT(DISTINCT review_id) FROM review_event WHERE op = 'accept'"
            ).one()
        assert tuple(counts) == (8, 8)


async def test_a_sample_that_was_not_painted_is_not_accepted(
    database: Path, store: Store, make_app: Any, settle: Any
) -> None:
    """In a window without room for the reference `a` does nothing, nor once there is room."""
    app = make_app(database)
    async with app.run_test(size=(100, 3)) as pilot:
        await settle(pilot)
        found = sample_ids(store, app.desk.info.id)["schiller"]
        await app.gate.enter(partial(app.review, app.desk, found))
        await pilot.press("a")
        await pilot.resize_terminal(100, 30)
        await settle(pilot)
        assert app.screen.query_one(UnitList).count == 3
        assert stored(store, "schiller").state.entity.disposition == "todo"


async def test_the_second_window_is_told_and_offered_its_edit_again(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """After a conflict the fresh state is shown, and one key repeats the wish on it."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        listed = app.screen.query_one(UnitList)
        listed.move_to(0)
        theirs = stored(store, "schiller")
        other = theirs.state.entity.assessment.units[1]
        review.act(store, theirs, editing.relabel(theirs, other, "event"))

        await press(pilot, "x")
        assert "Not saved: rejected Friedrich Schiller." in banner(app)
        assert "another window" in banner(app)
        assert listed.rows[1].label == "event"  # what the other window did is on the screen
        await press(pilot, "r")
        units = stored(store, "schiller").state.entity.assessment.units
        assert (units[0].rejected, units[1].label) == (True, "event")


async def test_a_wish_that_came_true_meanwhile_is_not_turned_round(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """Both windows rejected the same unit: repeating must not restore it."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        app.screen.query_one(UnitList).move_to(0)
        theirs = stored(store, "schiller")
        review.act(store, theirs, editing.reject(theirs, theirs.state.entity.assessment.units[0]))

        await press(pilot, "x")
        await press(pilot, "r")
        assert stored(store, "schiller").state.entity.assessment.units[0].rejected
        assert "so it is already" in app.screen.query_one(Status).text


async def test_a_fast_accept_is_marked(
    database: Path, store: Store, make_app: Any, press: Press, open_review: Press, monkeypatch: Any
) -> None:
    """Under a second on the screen is `fast`, over it is not; here a second is for ever, then no time."""
    assert 1.0 == review_screen.FAST
    monkeypatch.setattr(review_screen, "FAST", float("inf"))
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        await press(pilot, "a")
        assert stored(store, "schiller").state.entity.fast
        await press(pilot, "b")
        await open_review(pilot, "genji")
        monkeypatch.setattr(review_screen, "FAST", 0.0)
        await press(pilot, "a")
        assert not stored(store, "genji").state.entity.fast


async def test_a_database_that_fails_to_read_is_no_crash(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """The next sample cannot be opened: said, kept, and tried again by one key."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        raw = sqlite3.connect(database)
        raw.execute("ALTER TABLE sample RENAME TO gone")
        raw.commit()
        await press(pilot, "t", "s")
        assert "Not saved: skipped." in banner(app)
        raw.execute("ALTER TABLE gone RENAME TO sample")
        raw.commit()
        raw.close()
        await press(pilot, "r")
        assert banner(app) == ""
        assert type(app.screen).__name__ == "ReviewScreen"
        assert app.screen.pane.now.sample.id != "schiller"


async def test_a_sample_that_cannot_be_opened_leads_back(database: Path, make_app: Any, press: Press) -> None:
    """The first sample cannot be read: said, and letting it go is the way back to the queue."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await press(pilot)
        raw = sqlite3.connect(database)
        raw.execute("ALTER TABLE run RENAME TO gone")
        raw.execute("ALTER TABLE review_event RENAME TO gone_too")
        raw.execute("ALTER TABLE sample RENAME TO gone_as_well")
        raw.commit()
        await press(pilot, "enter")
        assert "Could not open the sample." in banner(app)
        assert "first: r tries again" not in banner(app)
        await press(pilot, "escape")
        assert type(app.screen).__name__ == "QueueScreen"
        assert "could not read" in app.screen.query_one(Status).text
        raw.execute("ALTER TABLE gone RENAME TO run")
        raw.execute("ALTER TABLE gone_too RENAME TO review_event")
        raw.execute("ALTER TABLE gone_as_well RENAME TO sample")
        raw.commit()
        raw.close()
        await press(pilot, "r", "enter")
        assert type(app.screen).__name__ == "ReviewScreen"


async def test_a_deleted_database_takes_no_decision_until_it_is_back(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """No ✓ for what nobody could find; what was typed is kept and saved as soon as the file is back."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        await press(pilot, "x")
        aside = database.rename(database.with_name("aside.db"))

        await press(pilot, "c", *"a long thought", "enter")
        assert "Not saved: comment added." in banner(app)
        assert "was deleted or moved while it was open" in banner(app)
        assert "put it back and try again" in banner(app).replace("\n", " ")
        assert "✓" not in str(app.screen.query_one(Status).text)
        await press(pilot, "o")
        assert "Not saved: comment added." in banner(app)
        assert not database.exists()

        aside.rename(database)
        await press(pilot, "r")
        assert banner(app) == ""
    with closing(engine.open_store(str(database))) as found:
        assert stored(found, "schiller").state.comments == ("a long thought",)


async def test_leaving_with_something_not_saved_is_no_success(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        database.unlink()
        await press(pilot, "x")
        assert "Not saved:" in banner(app)
        await press(pilot, "ctrl+q")

    assert 1 == app.return_code


async def test_a_database_that_took_the_place_of_the_open_one_is_offered(
    database: Path, make_app: Any, press: Press, open_review: Press, settle: Any, tmp_path: Path
) -> None:
    """A restored backup: nothing more goes into the old file, and `o` opens the new one."""
    backup = shutil.copy(database, tmp_path / "old.db")
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "schiller")
        await press(pilot, "c", *"into the file before", "enter")
        Path(backup).rename(database)

        await press(pilot, "c", *"lost", "enter")
        assert "was replaced by another file while it was open" in banner(app).replace("\n", " ")
        assert "o open the new file without it" in banner(app)
        await press(pilot, "o")
        await settle(pilot)
        await open_review(pilot, "schiller")
        await press(pilot, "c", *"into the new file", "enter")
        assert banner(app) == ""
    with closing(sqlite3.connect(database)) as raw:
        assert [("ok",)] == raw.execute("PRAGMA integrity_check").fetchall()
    with closing(engine.open_store(str(database))) as found:
        assert stored(found, "schiller").state.comments == ("into the new file",)
