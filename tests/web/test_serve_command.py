"""`workbench serve` as a person starts it: what it asks for first, and what a kill loses."""

import asyncio
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import httpx2 as httpx
import pytest
from starlette.responses import PlainTextResponse

from tests.conftest import Run
from tests.lists import from_cases
from tests.rows import naming
from tests.web.conftest import Visitor, fields_of, name_people
from workbench.stages import people
from workbench.web import app
from workbench.web.app import listen
from workbench.web.guard import Guard, site_of


def started(bench: Any, *arguments: str) -> tuple[subprocess.Popen[str], str]:
    """A server and its address."""
    command = [sys.executable, "-m", "workbench.cli", "--db", bench.store.url, "--as", "ann", "serve"]
    process = subprocess.Popen(
        [*command, "--port", "0", *arguments], stderr=subprocess.PIPE, text=True, cwd=bench.folder
    )
    assert process.stderr is not None
    said = process.stderr.readline()
    found = re.search(r"http://(127\.0\.0\.1|\[::1\]):\d+", said)
    assert found, said + process.stderr.read()
    return process, found.group()


@from_cases
def test_what_would_not_be_safe_is_refused_before_anything_listens(
    bench: Any, run: Run, arguments: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.web.app.run", None)  # what serves
    bench.load([naming("s", ["Agra"], ["Agra"])])
    (bench.folder / "short").write_text("secret")
    (bench.folder / "long").write_text("0123456789" * 4)
    opened: list[str] = []

    def counted(host: str, port: int) -> socket.socket:
        opened.append(host)
        return closing_at_end.enter_context(listen(host, port))

    with ExitStack() as closing_at_end:
        monkeypatch.setattr("workbench.web.app.listen", counted)
        ended = run("serve", "--port", "0", *arguments)
    assert (2, []) == (ended.code, opened)
    assert says in ended.err


def test_a_port_in_use_is_said_in_few_words(bench: Any, run: Run) -> None:
    bench.load([naming("s", ["Agra"], ["Agra"])])
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        ended = run("serve", "--port", port)
    assert 2 == ended.code
    assert f"workbench: --host 127.0.0.1 --port {port}: Address already in use\n" == ended.err


def test_a_read_only_database_is_refused_with_what_to_do(bench: Any, run: Run, monkeypatch: Any) -> None:
    bench.load([naming("s", ["Agra"], ["Agra"])])
    bench.reopen()  # all rows are in the file, none in its log
    monkeypatch.setattr("workbench.store.database.only_readable", lambda _: True)
    ended = run("serve", "--port", "0")
    assert 2 == ended.code
    assert ended.err.endswith(
        "read-only, so no decision could be saved: copy the database to where you may write\n"
    )


def test_a_token_is_shown_once_and_a_new_one_when_it_is_asked_for(bench: Any, run: Run) -> None:
    bench.load([naming("s", ["Agra"], ["Agra"])])
    said = run("person", "add", "ann", "--role", "owner").err
    assert "The token of ann for workbench serve, shown once: " in said
    token = said.split()[-1]
    assert "" == run("person", "add", "ann", "--role", "owner").err
    assert people.log_in(bench.store, "ann", token, ("", "")) is not None
    new = run("person", "add", "ann", "--role", "owner", "--new-token").err.split()[-1]
    assert people.log_in(bench.store, "ann", token, ("", "")) is None
    assert people.log_in(bench.store, "ann", new, ("", "")) is not None


@pytest.fixture
def own_host() -> str:
    """This machine by an address of the newer kind, where it has one: it is opened as it is printed."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return "127.0.0.1"
    return "::1"


def test_without_people_a_token_ends_with_the_server_whose_log_is_private(bench: Any, own_host: str) -> None:
    bench.load([naming("s", ["Agra"], ["Agra"])])
    process, url = started(bench, "--log", "log.jsonl", "--host", own_host)
    try:
        assert process.stderr is not None
        token = process.stderr.readline().split()[-1]
        with httpx.Client(
            base_url=url, headers={"origin": url}, follow_redirects=True, timeout=600
        ) as client:
            page = client.post("/login", data={"name": "ann", "token": token})
            assert "Agra" in page.text
            client.post("/act", data={**fields_of(page.text), "do": "accept"})
            cookies = dict(client.cookies)
    finally:
        process.terminate()
        process.communicate(timeout=600)
    log = bench.folder / "log.jsonl"
    assert 0o600 == stat.S_IMODE(log.stat().st_mode)
    assert ["/login", "/", "/s/{sample}"] == re.findall(r'"route": "([^"]*)"', log.read_text())[:3]
    assert "verified" == bench.review("s", "ann").state.entity.disposition
    process, url = started(bench)
    try:
        with httpx.Client(base_url=url, cookies=cookies, timeout=600) as client:
            assert 401 == client.get("/me").status_code
    finally:
        process.terminate()
        process.communicate(timeout=600)


def test_an_answer_does_not_wait_for_its_head_to_be_confirmed() -> None:
    """Its connections send at once: the body of an answer waited 40 ms."""
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert 0 != connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_server_that_is_stopped_while_somebody_waits_answers_first() -> None:

    async def stops(scope: Any, receive: Any, send: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        await PlainTextResponse("answered")(scope, receive, send)

    with listen("127.0.0.1", 0) as listening, ThreadPoolExecutor() as pool:
        answer = pool.submit(httpx.get, f"http://127.0.0.1:{listening.getsockname()[1]}/", timeout=600)
        with pytest.raises(KeyboardInterrupt):
            app.run(stops, listening, behind_proxy=False)
        assert "answered" == answer.result().text


def test_who_waits_when_the_server_stops_has_an_answer() -> None:
    """Its task is cancelled: that left the person without one, and the log of the server with a traceback."""
    sent, log = list[Any](), list[str]()

    async def send(message: Any) -> None:
        sent.append(message)

    async def stopped() -> None:
        reached = asyncio.Event()

        async def waits(*_: Any) -> Any:
            reached.set()
            await asyncio.Event().wait()

        headers = [(b"host", b"localhost:80")]
        scope = {"type": "http", "method": "GET", "path": "/next", "headers": headers}
        task = asyncio.create_task(Guard(waits, site_of(80, ""), log.append)(scope, waits, send))
        await reached.wait()
        task.cancel()
        await task

    asyncio.run(stopped())
    assert 503 == sent[0]["status"]
    assert b"The server was stopped: do it again when it is back." == sent[1]["body"]
    assert ["CancelledError"] == [json.loads(line)["error"] for line in log]


def test_a_killed_server_has_stored_whatever_it_acknowledged(bench: Any) -> None:
    """Killed at any moment of an act: nothing that was answered is missing, and nothing is stored twice."""
    bench.load([naming(f"s{number}", ["Agra", "India"], ["Agra"]) for number in range(400)], blind=0)
    name_people(bench)
    tokens = {name: people.new_token(bench.store, "ann", name) for name in ("ann", "bo", "cy")}
    acknowledged: dict[str, set[str]] = {name: set() for name in tokens}
    for most in (2, 16):
        process, url = started(bench, "--log", "log.jsonl")  # nobody reads its standard error
        enough, ends = threading.Event(), dict[str, str]()

        def review(
            name: str, url: str = url, most: int = most, enough: threading.Event = enough,
            ends: dict[str, str] = ends,
        ) -> None:  # fmt: skip
            with httpx.Client(base_url=url, headers={"origin": url}, timeout=600) as client:
                one = Visitor(client)
                try:
                    client.post("/login", data={"name": name, "token": tokens[name]})
                    place = client.get("/next").headers["location"]
                    while True:
                        one.get(place)
                        key, form = one.key, {**fields_of(one.page.text), "do": "accept"}
                        answer = client.post("/act", data=form)
                        if answer.status_code == 303:
                            acknowledged[name].add(key)
                            if sum(map(len, acknowledged.values())) >= most:
                                enough.set()
                            place = answer.headers["location"]
                except httpx.HTTPError as error:
                    ends[name] = repr(error)

        threads = [threading.Thread(target=review, args=(name,)) for name in tokens]
        for thread in threads:
            thread.start()
        came, before = enough.wait(600), {**ends, "exit code": process.poll()}
        os.kill(process.pid, signal.SIGKILL)
        for thread in threads:
            thread.join()
        process.wait(600)
        assert process.stderr is not None
        process.stderr.close()
        assert came, {**before, "log": (bench.folder / "log.jsonl").read_text()[-2_000:]}
    for name, keys in acknowledged.items():
        query = (
            "SELECT sample.key, count(*) FROM review_event JOIN review ON review.id = review_id "
            f"JOIN sample ON sample.id = sample_id WHERE op = 'accept' AND review.annotator = '{name}' "
            "GROUP BY sample.key"
        )
        stored = dict(bench.query(query))
        assert keys <= {*stored}
        assert {1} >= {*stored.values()}
    assert 16 <= sum(map(len, acknowledged.values()))
