"""A real server on a free port, and people who ask it as a browser without scripts would."""

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import httpx2 as httpx
import pytest
import uvicorn

from tests.rows import naming
from tests.web.chromium import PROGRAM, Tab, browser, new_tab
from workbench.stages import people
from workbench.web import app as web
from workbench.web.guard import site_of

HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')
AGAIN = re.compile(r'<section class="again.*?</section>', re.DOTALL)
TYPED = re.compile(r'<textarea name="([^"]*)"[^>]*>\n(.*?)</textarea>', re.DOTALL)


def fields_of(page: str, *, again: bool = False) -> dict[str, str]:
    """What the form of a page carries; `again`: the form that offers what was not saved."""
    found = AGAIN.search(page) if again else re.search(r'<form id="act".*?</form>', page, re.DOTALL)
    assert found, page[:2000]
    typed = TYPED.findall(found.group()) if again else []
    return {name: unescape(value) for name, value in (*HIDDEN.findall(found.group()), *typed)}


def shown(page: str) -> str:
    """The words of a page, as a person reads them."""
    words = re.sub(r"<(script|style|title).*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", words)).split())


@dataclass
class Visitor:
    """Somebody with a browser that keeps cookies and follows redirects."""

    client: httpx.Client
    page: httpx.Response = field(init=False)

    def get(self, path: str) -> httpx.Response:
        self.page = self.client.get(path)
        return self.page

    def do(self, what: str, **more: str) -> httpx.Response:
        """Press a button of the page that is shown."""
        root = "/resolve" if self.page.url.path.startswith("/resolve") else ""
        path = root + ("/undo" if what in ("undo", "redo") else "/act")
        self.page = self.client.post(path, data={**fields_of(self.page.text), "do": what, **more})
        return self.page

    @property
    def chosen(self) -> str:
        """The unit that the page has under its cursor."""
        found = re.search(r'data-unit="([^"]*)"[^>]* aria-current="true"', self.page.text)
        return found.group(1) if found else ""

    @property
    def key(self) -> str:
        """The id of the sample that is shown."""
        found = re.search(r'<span class="faint id"[^>]*>(.*?)</span>', self.page.text)
        return unescape(found.group(1)) if found else ""


@dataclass
class Served:
    """A running server."""

    url: str
    bench: Any
    lines: list[str]
    stack: ExitStack
    stop: Callable[[], None]

    def log(self) -> list[str]:
        """All lines of the log. The server ends first: it writes a line after it has sent the answer."""
        self.stop()
        return self.lines

    def visitor(self, **headers: str) -> Visitor:
        """Somebody who has not logged in."""
        ours = {"origin": self.url, **headers}
        # no certificates are read for plain HTTP: that takes 36 ms
        how: Any = {"follow_redirects": True, "timeout": 240, "verify": False}
        client = httpx.Client(base_url=self.url, headers=ours, **how)
        return Visitor(self.stack.enter_context(client))

    def log_in(self, name: str = "ann") -> Visitor:
        """Somebody who has logged in."""
        found = self.visitor()
        token = people.new_token(self.bench.store, "ann", name)
        found.page = found.client.post("/login", data={"name": name, "token": token})
        assert 200 == found.page.status_code
        return found


@contextmanager
def running(bench: Any, dataset: Any = None, proxy: Any = None, public_url: str = "") -> Iterator[Served]:
    """The pages of a database, served by a real server in a thread."""
    listening = web.listen("127.0.0.1", 0)
    port, log = listening.getsockname()[1], list[str]()
    app, _ = web.make_app(bench.store, dataset, site_of(port, public_url), log.append, "", proxy)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()

    def stop() -> None:
        stack.close()
        server.should_exit = True
        thread.join()

    with ExitStack() as stack:
        try:
            yield Served(f"http://127.0.0.1:{port}", bench, log, stack, stop)
        finally:
            stop()
            listening.close()


def name_people(bench: Any) -> None:
    """An owner and two annotators."""
    bench.people(ann="owner", bo="annotator", cy="annotator")


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One for all tests: its start took as long as most of them."""
    if PROGRAM is None and os.environ.get("CI") != "true":
        pytest.skip("needs Chromium: apt-get install chromium")
    with browser(tmp_path_factory.mktemp("chromium") / "profile") as found:
        yield found


@pytest.fixture
def tab(chromium: str) -> Iterator[Tab]:
    with new_tab(chromium) as found:
        found.size(1280, 900)
        yield found


Serve = Callable[..., Served]
ROWS = [naming(f"s{number}", ["Agra", "India"], ["Agra"]) for number in range(4)]


@pytest.fixture
def serve(bench: Any) -> Iterator[Serve]:
    """Imports rows, names people, and serves them."""
    with ExitStack() as stack:

        def start(rows: Any = ROWS, **options: Any) -> Served:
            bench.load(rows, **options.pop("importing", {}))
            name_people(bench)
            return stack.enter_context(running(bench, **options))

        yield start
