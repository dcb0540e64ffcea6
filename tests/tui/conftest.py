"""A small real dataset on a real SQLite file, and an app over it that holds still."""

import os

os.environ["TEXTUAL_ANIMATIONS"] = "none"  # read when textual is imported
os.environ.pop("NO_COLOR", None)

import asyncio
import json
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from textual.command import CommandList, CommandPalette
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Static

from tests.rows import write_rows
from workbench.model import Unit
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.review import Opened, open_sample
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store, open_store
from workbench.store.samples import sample_ids
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.widgets.bars import Status

Row = dict[str, Any]
MakeApp = Callable[..., WorkbenchApp]


def rows_in(name: str) -> list[Row]:
    """The rows of a file beside this."""
    lines = Path(__file__).with_name(name).read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


ROWS = rows_in("cities.jsonl")


def key_event(name: str) -> Key:
    """A key as a terminal sends it, by its name or its character."""
    single = len(name) == 1
    return Key(_character_to_key(name) if single else name, name if single else None)


async def until(pilot: Pilot[None], true: Callable[[], bool]) -> None:
    """Wait for something that comes by itself, a minute and more."""
    for _ in range(3000):
        if true():
            return
        await pilot.pause(0.02)
    raise AssertionError("it does not come")


def is_drawn(app: WorkbenchApp) -> bool:
    """Whether no layout is due: a text that gains its scroll bar is wrapped and laid out a second time."""
    return app._resize_event is None and not any(
        screen._layout_required
        or screen._scroll_required
        or screen._dirty_widgets
        or screen._callbacks
        or any(widget.message_queue_size for widget in screen.walk_children(with_self=True))
        for screen in app.screen_stack[-1:]
    )


async def first_offer(pilot: Pilot[None], text: str) -> None:
    """Wait until the palette offers it first: that is what Enter takes."""

    def is_first() -> bool:
        offered = [one for listed in pilot.app.screen.query(CommandList) for one in listed.options]
        return bool(offered) and text in str(offered[0].prompt).lower()

    await until(pilot, is_first)


@pytest.fixture
def rows() -> list[Row]:
    """The samples; a test may change them before it asks for the database."""
    return json.loads(json.dumps(ROWS))  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def imported() -> dict[str, Path]:
    """Databases by what was imported into them, to be copied: most tests begin with the same samples."""
    return {}


@pytest.fixture
def import_rows(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    empty_database: Path,
    imported: dict[str, Path],
    on_server: str,
) -> Callable[..., Path]:
    """Puts rows into a database of the test's own and returns the path of its file, or its URL.

    What stands in it then is kept for the tests that ask for the same: `then` does more with it before that,
    under its name.
    """

    def put(rows: list[Row], *, name: str = "cities", then: Any = None, **more: Any) -> Path:
        source, database = tmp_path / f"{len(name)}.jsonl", tmp_path / "wb.db"
        options = ImportOptions(**{"dataset": name, "seed": 7, "blind": 0.0, **more})
        first, given = not (on_server or database.exists()), json.dumps([rows, str(options), str(then)])
        if first:
            shutil.copy(imported.get(given, empty_database), database)
        if first and given in imported:
            return database
        write_rows(source, rows)
        store = open_store(on_server or str(database))
        import_file(store, source, options, annotator="importer")
        if then is not None:
            then(store)
        store.close()
        if first:
            imported[given] = tmp_path_factory.mktemp("imported") / "wb.db"
            shutil.copy(database, imported[given])
        return cast("Path", on_server) if on_server else database

    return put


@pytest.fixture
def database(import_rows: Callable[..., Path], rows: list[Row]) -> Path:
    """The samples in a database."""
    return import_rows(rows)


@pytest.fixture
def begin(request: pytest.FixtureRequest) -> Callable[..., Path]:
    """Makes the database of a start (tests/tui/starts.py) and returns its path."""
    return lambda start: cast("Path", start(request.getfixturevalue))


@pytest.fixture
def demo(demo_database: Path, tmp_path: Path) -> Path:
    """The demo in a file of the test's own."""
    return Path(shutil.copy(demo_database, tmp_path / "demo.db"))


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    """A second connection to the same database: what another window, or a check, sees."""
    opened = open_store(str(database))
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def no_seconds_in_pictures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a decision took is shown in the queue; in a picture it took no time."""
    if "snap_compare" in request.fixturenames:
        monkeypatch.setattr("workbench.tui.bench.IDLE", 0.0)


@pytest.fixture(autouse=True)
def no_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pilots press faster than any hand, and nothing waits for a hand to rest.

    What a held key may do is tested in a file of its own.
    """
    for name in ("accepting.LOOK", "accepting.RELEASED"):
        monkeypatch.setattr(f"workbench.tui.screens.{name}", float("-inf"))
    for name in (
        "app.WORD",
        "screens.review.REST",
        "screens.finding.FIND_DELAY",
        "widgets.sample_pane.NEAR_DELAY",
    ):
        monkeypatch.setattr(f"workbench.tui.{name}", 0)


@pytest.fixture(scope="session", autouse=True)
def parsed_once() -> Iterator[None]:
    """Style sheets are parsed once, not by every app: that is a tenth of what its start takes.

    A line on the screen has seven small caches, most never used: they are plain dictionaries here.
    """
    usual = Stylesheet._parse_rules
    known: dict[tuple[Any, ...], list[RuleSet]] = {}

    def parse(self: Stylesheet, *args: Any, **own: Any) -> list[RuleSet]:
        given = (*self._variables.items(), *args, *own.items())
        if given not in known:
            known[given] = usual(self, *args, **own)
        return known[given]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse)
        patch.setattr("textual.strip.FIFOCache", lambda size: {})
        patch.setattr(RuleSet, "__hash__", object.__hash__)  # the same in C: it is called 300 times a widget
        yield


@pytest.fixture
def make_app() -> Iterator[MakeApp]:
    """Makes apps over a database, and closes their stores."""
    apps: list[WorkbenchApp] = []

    def make(
        database: Path, *, dataset: str | None = None, annotator: str = "ann", **own: Any
    ) -> WorkbenchApp:
        app = WorkbenchApp(lambda: open_store(str(database)), dataset, annotator, **own)
        app.animation_level = "none"
        apps.append(app)
        return app

    yield make
    for app in apps:
        if app.store is not None:
            app.store.close()


def take(behind: asyncio.Future[bool]) -> None:
    if not behind.done():
        behind.set_result(True)


async def settle(pilot: Pilot[None], *, rested: bool = False) -> None:
    """Wait until every key has been acted on and everything is read, written and drawn.

    `rested`: it most likely is already; one look that finds nothing to wait for is enough.
    """
    app = pilot.app
    assert isinstance(app, WorkbenchApp)
    quiet, enough = 0, 1 if rested else 3  # what was painted may have asked for more
    for _ in range(15_000):
        if app.return_code is not None:
            return  # it is leaving
        behind = asyncio.get_running_loop().create_future()
        app.call_later(take, behind)  # behind every key that was sent before
        with suppress(TimeoutError):
            await asyncio.wait_for(behind, 1.0)
        idle = app.gate.idle and all(worker.is_finished for worker in app.workers)
        if not behind.cancelled() and idle and is_drawn(app):
            quiet += 1
            if quiet == enough:
                return
            if quiet == 1:
                await pilot.pause(0)  # asks every widget: it took most of the time of a key
        else:
            quiet, enough = 0, 3
            await asyncio.sleep(0.004)
    raise AssertionError("the app does not come to rest")


async def press(pilot: Pilot[None], *names: str) -> None:
    """Press keys all at once, as a slow line delivers them: none waits for what the one before does."""
    await settle(pilot, rested=bool(names))
    if names:
        for name in names:
            pilot.app.post_message(key_event(name))
        await settle(pilot)


async def open_review(pilot: Pilot[None], name: str) -> None:
    """From the queue to a sample, by its id; the keys that lead there have tests of their own."""
    await settle(pilot)
    app = pilot.app
    assert isinstance(app, WorkbenchApp)
    assert isinstance(app.screen, QueueScreen)
    desk = app.screen.desk
    assert desk is not None
    found = sample_ids(desk.store, desk.info.id)[name]
    await app.gate.enter(partial(app.review, desk, found))
    await settle(pilot)


def said(app: Any) -> str:
    """What the status line says."""
    return str(app.screen.query_one(Status).text).strip()


def shown(app: Any, selector: Any) -> str:
    """What a part of the screen says, as drawn."""
    return str(app.screen.query_one(selector).render())


def banner(app: Any) -> str:
    """The warning that stays; empty when there is none."""
    widget = app.screen.query_one("#banner", Static)
    return " ".join(str(widget.render()).split()) if widget.display else ""


class User:
    """A person at the app, and what another window, or a check, sees of the same database.

    The database is made when it is first asked for: a test may change its `rows` before.
    """

    def __init__(self, make_app: MakeApp, ask: Callable[[str], Any]) -> None:
        self._make_app, self._ask = make_app, ask
        self._stores: dict[Path, Store] = {}
        self._at: Path | None = None
        self.pilot: Any = None

    @property
    def database(self) -> Path:
        """The file that the app was opened over; before that the one with the samples."""
        return self._at or cast("Path", self._ask("database"))

    @property
    def store(self) -> Store:
        """A second connection to it."""
        at = self.database
        if at not in self._stores:
            self._stores[at] = open_store(str(at))
        return self._stores[at]

    def stored(self, sample: str, annotator: str = "ann") -> Opened:
        """A sample of the only dataset as it is stored, by its id."""
        numbers = sample_ids(self.store, find_dataset(self.store, None).id)
        return open_sample(self.store, numbers[sample], annotator)

    def units(self, sample: str, annotator: str = "ann") -> dict[str, Unit]:
        """Its entities by their text, as stored."""
        return {unit.text: unit for unit in self.stored(sample, annotator).state.entity.assessment.units}

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of the file by plain SQL."""
        with closing(sqlite3.connect(self.database)) as raw:
            return raw.execute(sql).fetchall()

    def close(self) -> None:
        """Close the second connections."""
        for store in self._stores.values():
            store.close()

    @asynccontextmanager
    async def opens(
        self,
        sample: str | None = None,
        *,
        database: Path | None = None,
        size: tuple[int, int] = (100, 30),
        **own: Any,
    ) -> AsyncIterator[Any]:
        """The app, started; at the review of a sample by its id."""
        self._at = database or self.database
        app = self._make_app(self._at, **own)
        async with app.run_test(size=size) as self.pilot:
            if sample is not None:
                await self.review(sample)
            yield app

    async def press(self, *names: str) -> None:
        """Press keys all at once and wait until all is done; without keys wait."""
        await press(self.pilot, *names)

    async def settle(self) -> None:
        """Wait until everything is read, written and drawn."""
        await press(self.pilot)

    async def resize(self, width: int, height: int) -> None:
        """Give the window another size and wait until all is drawn anew."""
        await self.pilot.resize_terminal(width, height)
        await self.settle()

    async def review(self, sample: str) -> None:
        """From the queue to a sample, by its id."""
        await open_review(self.pilot, sample)

    async def command(self, title: str) -> None:
        """Take a command of the palette; wait until the palette is gone and all is done."""
        await self.settle()
        await self.pilot.press("ctrl+p", *title)
        await first_offer(self.pilot, title.lower())
        await self.pilot.press("enter")
        await until(self.pilot, lambda: not isinstance(self.pilot.app.screen, CommandPalette))
        await self.settle()


@pytest.fixture
def user(on: str, make_app: MakeApp, request: pytest.FixtureRequest) -> Iterator[User]:
    """Opens the app over the samples and presses keys."""
    person = User(make_app, request.getfixturevalue)
    yield person
    person.close()
