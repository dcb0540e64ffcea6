"""A server that goes away while somebody reviews: no decision twice, none lost."""

import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import make_url

from tests.postgres import Server, ask
from tests.rows import write_rows
from tests.tui.conftest import User, banner, said, until
from workbench.stages.import_ import ImportOptions, import_file
from workbench.store.engine import open_store
from workbench.tui.widgets.lines import Lines

NAME = ".s.PGSQL.5432"
DONE = b"COMMIT\0"
"""Whole, for transactions begin as READ COMMITTED."""


@pytest.fixture
def database(mortal: Server, tmp_path: Path, rows: list[Any]) -> Iterator[Any]:
    """The samples on a server that the test may kill."""
    with mortal.database() as url:
        store = open_store(url)
        import_file(store, write_rows(tmp_path / "rows.jsonl", rows), ImportOptions(seed=7), annotator="imp")
        store.close()
        yield url


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried again ten times a second."""
    monkeypatch.setattr("workbench.tui.work.PAUSES", (0.1,))


class Line:
    """The way to a server, which can lose what it answers to a COMMIT; `lost`: how often it did."""

    def __init__(self, server: str, folder: Path) -> None:
        here = make_url(server)
        self.server, self.url = server, here.update_query_dict({"host": str(folder)}).render_as_string()
        self.armed, self.lost = False, 0
        self._target = f"{here.query['host']}/{NAME}"
        self._open = [self._socket(lambda one: one.bind(str(folder / NAME)))]
        self._open[0].listen()
        self._threads = [threading.Thread(target=self._take)]
        self._threads[0].start()

    def _socket(self, use: Callable[[socket.socket], None]) -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        use(made)
        return made

    def close(self) -> None:
        """Cut every connection."""
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for one in self._open:
            one.close()

    def _take(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._open[0].accept()
                server = self._socket(lambda one: one.connect(self._target))
                self._open += [client, server]
                asked = threading.Event()  # a COMMIT is on its way, whose answer is lost
                for pair in ((client, server), (server, client)):
                    self._threads.append(threading.Thread(target=self._carry, args=(*pair, asked)))
                    self._threads[-1].start()

    def _carry(self, one: socket.socket, other: socket.socket, asked: threading.Event) -> None:
        writes = False
        with suppress(OSError):
            while data := one.recv(65_536):
                writes = writes or b"INSERT INTO review_event" in data
                if asked.is_set() and DONE in data:  # the server's word that it is done
                    self.armed, self.lost = False, self.lost + 1
                    break
                if self.armed and writes and DONE in data:
                    asked.set()
                other.sendall(data)
        for side in (one, other):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def line(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    found = Line(database, tmp_path_factory.mktemp("s"))
    yield found
    found.close()


def events(url: str) -> list[tuple[Any, ...]]:
    """What the journal holds, the openings apart."""
    return ask(url, "SELECT op, count(*) FROM review_event WHERE op != 'open' GROUP BY op ORDER BY op")


async def test_a_decision_waits_for_a_server_and_is_saved(user: User, database: str, mortal: Server) -> None:
    """With the keys that were typed behind it; nobody presses anything."""
    async with user.opens("schiller") as app:
        await user.press("x")
        mortal.kill()
        try:
            await user.press("x", "a")
            assert banner(app).startswith(
                "! Server away, 1 decision waiting: restored Friedrich Schiller. "
                "The next try is in 0 s. One key typed behind it waits."
            )
        finally:
            mortal.start()
        await until(user.pilot, lambda: not banner(app))
        await user.settle()
        assert app.screen.pane.now.sample.id != "schiller"
    assert [("accept", 1), ("reject", 1), ("restore", 1)] == events(database)


async def test_a_decision_behind_a_lock_is_saved_after_it(user: User, database: str, impatient: None) -> None:
    """As is what a screen reads meanwhile; without a limit the screen said *saving* for as long."""
    import psycopg

    async with user.opens("schiller") as app:
        plain = make_url(database).set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(plain) as other:
            other.execute("LOCK TABLE review_event, sample IN ACCESS EXCLUSIVE MODE")
            await user.pilot.press("x")
            await until(user.pilot, lambda: "Locked by another program, 1 decision waiting" in banner(app))
        await until(user.pilot, lambda: not banner(app))
        await user.press("b")
        with psycopg.connect(plain) as other:
            other.execute("LOCK TABLE sample IN ACCESS EXCLUSIVE MODE")
            await user.pilot.press("r")
            await until(user.pilot, lambda: said(app) == "! locked by another program, trying again in 0 s")
        await until(user.pilot, partial(is_read, app, lambda screen: screen.progress is not None))
    assert [("reject", 1)] == events(database)


def says(app: Any, word: str) -> bool:
    return word in said(app)


AWAY = "! server away, trying again in 0 s"


def is_read(app: Any, there: Callable[[Any], object]) -> bool:
    return bool(there(app.screen)) and AWAY != said(app)


READS: list[tuple[str, str, Callable[[Any], object]]] = [
    ("r", "QueueScreen", lambda screen: screen.progress is not None and screen.progress.verified == 1),
    ("P", "PlanScreen", lambda screen: screen.report is not None),
    ("C", "CompareScreen", lambda screen: screen.seen is not None),
    ("K", "CalibrateScreen", lambda screen: screen.look is not None),
    ("R", "RunsScreen", lambda screen: screen.query_one(Lines).count),
    ("/tower\n", "QueueScreen", lambda screen: screen.samples.count == 1),
]
"""Keys of the queue, the screen they lead to, and whether it has what it reads."""


async def test_what_screens_read_waits_for_a_killed_server(user: User, database: str, mortal: Server) -> None:
    """Keys act meanwhile, and nobody presses anything for it; a screen that waits can be left."""
    async with user.opens("schiller") as app:
        await user.press("a", "b", "end")
        chosen = app.screen.samples.chosen
        for keys, screen, there in READS:
            mortal.kill()
            try:
                await user.pilot.press(*({"/": "slash", "\n": "enter"}.get(key, key) for key in keys))
                await until(user.pilot, lambda: AWAY == said(app))
                assert screen == type(app.screen).__name__
                if keys == "P":
                    await user.pilot.press("b")
                    await until(user.pilot, lambda: app.screen is app.home)
                    await user.pilot.press("P")
                    await until(user.pilot, lambda: AWAY == said(app))
            finally:
                mortal.start()
            await until(user.pilot, partial(is_read, app, there))
            if keys.isalpha():
                assert chosen == app.home.samples.chosen
            if app.screen is not app.home:
                await user.press("escape")


async def test_an_app_started_without_a_server_opens_later(user: User, database: str, mortal: Server) -> None:
    mortal.kill()
    async with user.opens(database=cast("Path", database)) as app:
        try:
            await until(user.pilot, lambda: AWAY == said(app))
        finally:
            mortal.start()
        await until(user.pilot, lambda: app.screen.samples.count > 0 and AWAY != said(app))
        assert type(app.screen).__name__ == "QueueScreen"


async def test_an_idle_app_notices_no_restart_of_a_server(user: User, database: str, mortal: Server) -> None:
    async with user.opens("schiller") as app:
        mortal.kill()
        mortal.start()
        await user.press("c", *"once", "enter", "b")
        assert type(app.screen).__name__ == "QueueScreen"
    assert [("comment", 1)] == events(database)


async def test_a_decision_whose_answer_was_lost_is_stored_once(user: User, line: Line) -> None:
    """The server committed it, and the word of it never came: the second try finds it by its name.

    In the queue the next press finds an undo.
    """
    stored: Counter[str] = Counter()
    async with user.opens("schiller", database=cast("Path", line.url)) as app:
        for number, (before, keys, word, new) in enumerate((
            ([], ["c", *"once", "enter"], "✓ comment added", ["comment"]),
            (["x", "x"], ["u"], "✓ undid", ["reject", "restore", "undo"]),
            ([], ["a"], "✓ schiller accepted", ["accept"]),
        ), 1):  # fmt: skip
            await user.press(*before)
            line.armed = True
            await user.press(*keys)
            await until(user.pilot, partial(says, app, word))
            await user.settle()
            assert number == line.lost
            stored.update(new)
            assert sorted(stored.items()) == events(line.server)
        await user.press("b")
        line.armed = True
        await user.press("u")
        assert "the undo was not saved" in said(app)
        await user.press("u")
        assert "undid on schiller: accepted" in said(app)
    stored.update(["undo"])
    assert sorted(stored.items()) == events(line.server)
