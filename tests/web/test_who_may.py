"""Who gets in: strangers, foreign sites, people without a role, and limits."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Mount, Route

from tests.conftest import Bench
from tests.postgres import Server
from tests.web.conftest import ROWS, Serve, Served, fields_of, name_people, running, shown
from workbench.errors import UsageError
from workbench.model import sha256
from workbench.stages import people
from workbench.stages.people import Person, add_person, disable
from workbench.store.engine import open_store
from workbench.web import forms, guard
from workbench.web.app import PROXY_SECRET, Pages, Proxy
from workbench.web.guard import site_of

SECRET = "0123456789abcdef0123456789abcdef"
PROXY = Proxy("remote-user", SECRET)
PUBLIC = {"/login", "/health", "/static/style.css"}
FILLED = {"/s/{sample}": "/s/1", "/resolve/{sample}": "/resolve/1", "/lesson/{sample}": "/lesson/1"}


def routes() -> list[tuple[str, str]]:
    """Every route with each of its methods."""
    pages = Pages(None, None, site_of(1, ""), ("", ""), None)  # type: ignore[arg-type]
    found = pages.routes()
    mounts = [route for route in found if not isinstance(route, Route)]
    assert ["/static"] == [mount.path for mount in mounts if isinstance(mount, Mount)]  # all else is asked
    assert 1 == len(mounts)
    pages_alone = [route for route in found if isinstance(route, Route)]
    pairs = [(method, one.path) for one in pages_alone for method in sorted(one.methods or ())]
    return [*(pair for pair in pairs if pair[0] != "HEAD"), ("GET", "/static/style.css")]


PRIVATE = [one for one in routes() if one[1] not in PUBLIC]
INNER = [one for one in PRIVATE if one[1] != "/"]


def asked(served: Served, method: str, path: str, **headers: str) -> Any:
    return served.visitor(**headers).client.request(method, FILLED.get(path, path), follow_redirects=False)


def test_every_page_but_log_in_and_health_is_private() -> None:
    gets = ["/", "/next", "/s/{sample}", "/me", "/lesson/{sample}", "/resolve", "/resolve/{sample}"]
    posts = ["/logout", "/act", "/undo", "/resolve/act", "/resolve/undo"]
    expected = {*(("GET", path) for path in gets), *(("POST", path) for path in posts)}
    assert expected == set(PRIVATE)


def test_strangers_get_401_and_the_form_to_log_in_and_a_foreign_host_403(serve: Serve) -> None:
    """A link on another site leads on to the page: who comes from there brings no cookie."""
    served = serve()
    assert (303, "/login") == ((front := asked(served, "GET", "/")).status_code, front.headers["location"])
    for method, path in INNER:
        answer = asked(served, method, path)
        assert (method, path, 401) == (method, path, answer.status_code)
        assert "Log in" in shown(answer.text)
        assert "Agra" not in answer.text

    link = '<a href="/s/1">Open the page</a>'
    for site, leads_on in ("cross-site", True), ("same-site", True), ("none", False):
        assert leads_on == (link in asked(served, "GET", "/s/1", **{"sec-fetch-site": site}).text), site
    for method, path in routes():
        for host in ("evil.example", "127.0.0.1:1", ""):
            assert (path, 403) == (path, asked(served, method, path, host=host).status_code)
    local = served.url.removeprefix("http://").replace("127.0.0.1", "LocalHost")
    assert 200 == asked(served, "GET", "/login", host=local).status_code


POSTS = [path for method, path in PRIVATE if method == "POST"]
RESOLVING = [one for one in PRIVATE if one[1].startswith("/resolve")]


def test_a_form_without_the_tag_of_this_session_does_nothing_on_any_route(serve: Serve) -> None:
    served = serve()
    ann, other = served.log_in(), served.log_in("bo")
    theirs = fields_of(other.get("/next").text)
    before = served.bench.tables("review", "review_event", "session")
    for path in POSTS:
        for form in ({}, {"form": ""}, {"form": "x"}, {"form": theirs["form"]}):
            answer = ann.client.post(path, data={"do": "accept", "kind": "entity", **form})
            assert (path, form, 403) == (path, form, answer.status_code)
    assert before == served.bench.tables("review", "review_event", "session")


def test_a_form_that_is_too_large_is_refused_on_every_route(serve: Serve) -> None:
    """One that says its length before it is read."""
    served = serve()
    ann = served.log_in()
    form = fields_of(ann.get("/next").text)
    for path in (*POSTS, "/login"):
        whole = ann.client.post(path, data={**form, "do": "comment", "text": "x" * guard.BODY})
        pieces = ann.client.post(path, content=(b"x" * 100_000 for _ in range(11)))
        assert (path, 413, 413) == (path, whole.status_code, pieces.status_code)
    assert 400 == ann.client.post("/act", content=b"a&" * 5_001).status_code
    with closing(HTTPConnection(served.url.removeprefix("http://"), timeout=600)) as line:
        line.request("POST", "/act", headers={"Origin": served.url, "Content-Length": str(guard.BODY + 1)})
        assert 413 == line.getresponse().status


def test_without_the_role_or_once_disabled_nobody_gets_a_page_of_any_route(serve: Serve) -> None:
    served = serve()
    bo = served.log_in("bo")
    for method, path in RESOLVING:
        assert (path, 403) == (path, bo.client.request(method, FILLED.get(path, path)).status_code)
    disable(served.bench.store, "ann", "bo")
    for method, path in INNER:
        assert (path, 401) == (path, bo.client.request(method, FILLED.get(path, path)).status_code)


def test_an_address_that_names_no_sample_is_not_found(serve: Serve) -> None:
    served = serve()
    ann = served.log_in()
    paths = sorted({path for _, path in PRIVATE if "{sample" in path})
    assert paths
    for number in ("0", "-1", "9" * 18, "9" * 30, "9" * 5_000, "x", "%00", "1%2f2", "1e3"):
        for path in paths:
            answer = ann.client.get(path.replace("{sample}", number))
            assert (path, number, 404) == (path, number, answer.status_code), shown(answer.text)
            assert "no such" in shown(answer.text)


def test_a_foreign_form_gets_403_on_every_route_that_takes_one(serve: Serve) -> None:
    served = serve()
    ann = served.log_in()
    before = served.bench.tables()
    cookies = "; ".join(f"{name}={value}" for name, value in ann.client.cookies.items())
    for method, path in routes():
        if method != "POST":
            continue
        for headers in (
            {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": ""},
            {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
        ):  # fmt: skip
            answer = asked(served, method, path, cookie=cookies, **headers)
            assert (path, headers, 403) == (path, headers, answer.status_code)
    assert before == served.bench.tables()


def test_who_is_not_named_here_gets_403_on_every_page(serve: Serve) -> None:
    served = serve(proxy=PROXY)
    for method, path in PRIVATE:
        for name in ("zoe", "=resolved"):
            answer = asked(served, method, path, **{"remote-user": name, PROXY_SECRET: SECRET})
            assert (path, 403) == (path, answer.status_code)


def test_a_proxy_names_people_with_its_secret_and_nobody_does_without(serve: Serve) -> None:
    served = serve(proxy=PROXY)
    bo = served.visitor(**{"remote-user": "bo", PROXY_SECRET: SECRET})
    assert 200 == bo.get("/next").status_code
    assert 200 == bo.do("accept").status_code
    assert [("bo",)] == served.bench.query("SELECT annotator FROM review")
    forged = {"form": forms.tag(b"bo", "undo"), "do": "undo"}
    assert 403 == bo.client.post("/undo", data=forged).status_code
    for twice in (
        [("remote-user", "bo"), ("remote-user", "ann")],
        [("remote-user", "bo"), (PROXY_SECRET, "x")],
    ):
        sent = [*twice, (PROXY_SECRET, SECRET)]
        assert 401 == served.visitor().client.get("/next", headers=sent).status_code
    add_person(served.bench.store, "ann", Person("Žofie", "annotator", adjudicator=False, disabled=False))
    named = [(b"remote-user", "Žofie".encode()), (PROXY_SECRET.encode(), SECRET.encode())]
    page = served.visitor().client.get("/me", headers=named)
    assert (200, True) == (page.status_code, "Žofie" in shown(page.text))
    for secret in ("", "wrong", SECRET[:-1]):
        assert 401 == asked(served, "GET", "/next", **{"remote-user": "bo", PROXY_SECRET: secret}).status_code
    assert 401 == asked(served, "GET", "/next", **{PROXY_SECRET: SECRET}).status_code
    token = people.new_token(served.bench.store, "ann", "bo")
    answer = served.visitor().client.post("/login", data={"name": "bo", "token": token})
    assert 401 == answer.status_code


@pytest.mark.databases
def test_the_session_of_a_disabled_person_ends_at_once(serve: Serve) -> None:
    served = serve()
    bo = served.log_in("bo")
    assert 200 == bo.get("/next").status_code
    disable(served.bench.store, "ann", "bo")
    fields = fields_of(bo.page.text)
    assert 401 == bo.client.post("/act", data={**fields, "do": "accept"}).status_code
    assert 401 == bo.get("/next").status_code
    assert [] == served.bench.query("SELECT id FROM review")
    token = people.new_token(served.bench.store, "ann", "cy")
    for name in ("bo", "cy"):
        disable(served.bench.store, "ann", name)
        add_person(served.bench.store, "ann", Person(name, "annotator", adjudicator=False, disabled=False))
    assert 401 == bo.get("/next").status_code
    assert people.log_in(served.bench.store, "cy", token, ("", "")) is None


def test_what_was_typed_into_a_form_after_the_session_ended_can_be_copied(serve: Serve) -> None:
    served = serve()
    bo = served.log_in("bo")
    bo.get("/next")
    fields = fields_of(bo.page.text)
    disable(served.bench.store, "ann", "bo")
    answer = bo.client.post("/act", data={**fields, "do": "comment", "text": "\nsee </textarea><b>ملاحظة"})
    assert 401 == answer.status_code
    assert '<textarea readonly dir="auto">\n\nsee &lt;/textarea&gt;&lt;b&gt;ملاحظة</textarea>' in answer.text
    assert "readonly" not in bo.client.post("/act", data={**fields, "do": "accept"}).text
    assert [] == served.bench.query("SELECT id FROM review")


def test_a_new_token_ends_the_sessions_of_the_old_one_and_log_out_ends_one(serve: Serve) -> None:
    """The database holds no token and no session that could be used."""
    served = serve()
    bo = served.log_in("bo")
    (secret,) = bo.client.cookies.values()
    assert [(sha256(secret),)] == served.bench.query("SELECT key FROM session")
    assert [64] == [len(one[0]) for one in served.bench.query("SELECT token FROM person WHERE name = 'bo'")]
    other = served.log_in("bo")  # with a new token
    assert 401 == bo.get("/next").status_code
    assert 200 == other.get("/next").status_code
    form = other.page.text.split('action="/logout"')[1].split('value="')[1].split('"')[0]
    assert 403 == other.client.post("/logout", data={"form": "no"}).status_code
    left = other.client.post("/logout", data={"form": form}, follow_redirects=True)
    assert "you are logged out" in left.text
    assert "said warn" not in left.text
    assert 401 == other.get("/next").status_code
    assert [] == served.bench.query("SELECT person FROM session")


def test_ten_failed_logins_are_enough_for_a_person_and_for_an_address(serve: Serve) -> None:
    served = serve()
    token = people.new_token(served.bench.store, "ann", "bo")
    stranger = served.visitor()
    answers = [
        stranger.client.post("/login", data={"name": f"n{number}", "token": "x"}).status_code
        for number in range(11)
    ]
    assert [401] * 10 + [429] == answers
    assert 429 == stranger.client.post("/login", data={"name": "bo", "token": token}).status_code


@pytest.mark.databases
def test_logins_of_one_moment_count_together_and_those_that_work_do_not_count(serve: Serve) -> None:
    served = serve()
    clients = [served.visitor().client for _ in range(30)]
    token = people.new_token(served.bench.store, "ann", "bo")
    for name, given, wanted in (("bo", token, {200: 30}), ("cy", "x", {401: 10, 429: 20})):
        form = {"name": name, "token": given}
        with ThreadPoolExecutor(30) as pool:
            tries = pool.map(lambda one, form=form: one.post("/login", data=form), clients)
            assert wanted == Counter(one.status_code for one in tries)


def test_twenty_acts_in_a_second_are_enough(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.web.app.ACT_WINDOW", 3600.0)
    bo = serve().log_in("bo")
    codes = [bo.client.post("/act", data={"form": "x"}).status_code for _ in range(21)]
    assert [403] * 20 + [429] == codes


def test_every_answer_keeps_frames_scripts_and_caches_out(serve: Serve) -> None:
    served = serve()
    for method, path in routes():
        headers = asked(served, method, path).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["content-security-policy"].startswith("default-src 'self';")
        assert "nosniff" == headers["x-content-type-options"]
        assert ("no-cache" if path.startswith("/static") else "no-store") == headers["cache-control"]
    page = served.log_in().get("/next").text
    assert "<script>" not in page
    assert " style=" not in page
    assert " onclick" not in page
    assert "http" not in page.replace("https://gold.example.org", "").replace("http-equiv", "")


def test_a_public_address_has_a_cookie_that_only_https_carries() -> None:
    site = site_of(8765, "https://gold.example.org")
    assert ("__Host-workbench", True) == (site.cookie, site.secure)
    assert frozenset({"gold.example.org"}) == site.hosts
    assert site == site_of(8765, "https://Gold.example.org:443/")  # browsers leave the usual port out
    assert frozenset({"https://gold.example.org"}) == site.origins
    for bad in (
        "http://gold.example.org",
        "gold.example.org",
        "https://gold.example.org/wb",
        "https://u@x.org",
        "https://[::1",
        "https://x.org:99999",
        "https://gölden.example",
    ):
        with pytest.raises(UsageError, match="--public-url"):
            site_of(8765, bad)


@pytest.mark.parametrize("url", ["", "https://gold.example.org"])
def test_the_cookie_is_for_this_site_and_for_no_script(serve: Serve, url: str) -> None:
    served = serve(public_url=url)
    token = people.new_token(served.bench.store, "ann", "ann")
    named = {"origin": url, "host": "gold.example.org"} if url else {}
    client = served.visitor(**named).client
    answer = client.post("/login", data={"name": "ann", "token": token}, follow_redirects=False)
    first, *more = answer.headers["set-cookie"].split("; ")
    secure = ["Secure"] if url else []
    assert sorted(["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=strict", *secure]) == sorted(more)
    assert bool(url) == first.startswith("__Host-workbench=")
    assert bool(url) == ("strict-transport-security" in answer.headers)


def test_names_and_addresses_reach_no_header_and_no_line_of_the_log_as_they_came(serve: Serve) -> None:
    served = serve()
    name = 'x"\r\nset-cookie: workbench=1\r\n\r\n<script>'
    stranger = served.visitor()
    answer = stranger.client.post("/login", data={"name": name, "token": "x"})
    assert (401, None) == (answer.status_code, answer.headers.get("set-cookie"))
    assert "<script>" not in answer.text.split("<main")[1]
    ann = served.log_in()
    ann.get("/next?did=%0d%0aset-cookie:%20a=1")
    hostile = {"queue": "\r\nset-cookie: a=1", "presses": "\r\n", "kind": "\r\n"}
    location = ann.client.post(
        "/act", data={**fields_of(ann.page.text), **hostile, "do": "reject::p1"}, follow_redirects=False
    ).headers["location"]
    assert "set-cookie%3A" in location
    log = served.log()
    assert all(json.loads(line) for line in log)
    assert not any(name in line for line in log)


def test_an_error_of_our_own_shows_a_page_and_tells_no_text(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def breaks(*_: object) -> None:
        raise KeyError("Agra is a secret")

    served = serve()
    ann = served.log_in()
    monkeypatch.setattr("workbench.web.page.facts_of", breaks)
    answer = ann.get("/next")
    assert 500 == answer.status_code
    assert "The server made an error of its own" in shown(answer.text)
    log = served.log()
    assert json.loads(log[-1])["error"].startswith("KeyError at test_who_may.py:")
    assert "secret" not in f"{answer.text}{log}{caplog.text}"


def test_health_says_that_the_database_answers_and_nothing_else(serve: Serve) -> None:
    served = serve()
    answer = served.visitor().client.get("/health")
    assert (200, ["ok", "version"]) == (answer.status_code, sorted(answer.json()))
    moved = served.bench.db.rename(served.bench.folder / "elsewhere.db")
    answer = served.visitor().client.get("/health")
    moved.rename(served.bench.db)
    assert 503 == answer.status_code


def test_a_database_that_does_not_answer_is_told_within_seconds_and_without_its_address(
    mortal: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has the address; a page waited as long as the server hung."""
    monkeypatch.setattr("workbench.store.database.CONNECT_SECONDS", 2)  # which an engine keeps
    with mortal.database() as url, closing(open_store(url)) as store:
        bench = Bench(tmp_path, store)
        bench.load(ROWS)
        name_people(bench)
        with running(bench) as served:
            ann = served.log_in()
            ann.get("/next")
            with mortal.hanging():
                monkeypatch.setattr("workbench.web.app.HEALTH_SECONDS", 0.5)
                monkeypatch.setattr("workbench.store.database.SAY_WAITING", 0.1)
                monkeypatch.setattr("workbench.store.database.BUSY_SECONDS", 2.0)
                health, act = served.visitor().client.get("/health"), ann.do("reject::p1")
                ann.get("/next")
            log = [json.loads(line) for line in served.log()]
    assert [503] * 3 == [answer.status_code for answer in (health, act, ann.page)]
    assert [True] * 2 == [
        "he database cannot be reached at the moment." in shown(page.text) for page in (act, ann.page)
    ]
    assert log[-2]["error"].startswith("AwayError: the server is away: ")


def test_the_log_has_who_what_and_how_long_and_no_text(serve: Serve) -> None:
    served = serve()
    bo = served.log_in("bo")
    bo.get("/next")
    number = served.bench.id(bo.key)
    bo.do("comment", text="Agra is a secret")
    log = served.log()
    assert [("/act", "bo", number, "comment", 303)] == [
        (one["route"], one["person"], one["sample"], one["what"], one["status"])
        for one in map(json.loads, log)
        if one["method"] == "POST" and one["route"] != "/login"
    ]
    assert not any("Agra" in line or "secret" in line or "queue=" in line for line in log)


def test_without_people_only_the_guest_of_this_server_logs_in(bench: Any) -> None:
    store = bench.store
    assert people.log_in(store, "ann", "", ("", "")) is None
    assert people.log_in(store, "ann", "no", ("ann", "token")) is None
    secret = people.log_in(store, "ann", "token", ("ann", "token"))
    assert secret is not None
    assert "ann" == people.who(store, secret)
    name_people(bench)
    assert people.who(store, secret) is None
    assert people.log_in(store, "ann", "token", ("ann", "token")) is None
    assert people.log_in(store, "bo", "", ("", "")) is None  # a person without a token
