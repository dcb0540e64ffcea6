"""What every request passes before a page sees it, what every answer carries, and what the log keeps."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from traceback import extract_tb
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.errors import UsageError
from workbench.text.lists import pairs, sections

BODY = 1_000_000
"""Bytes that a form may have."""

LOGINS = 10
LOGIN_WINDOW = 15 * 60.0
"""Failed logins of a person, and of an address, in so many seconds."""

ACTS = 20
ACT_WINDOW = 1.0
"""Acts of a session in so many seconds."""

KEYS = 10_000
"""Names, addresses or sessions that a limit remembers."""

ANSWERS = pairs(sections(__name__)["headers"])
"""The headers of every answer."""
STATIC = "/static"
"""What pages are drawn with: a browser keeps it, and asks each time whether it is still the same."""


class Site(NamedTuple):
    """Where the pages are: the Host names that are answered, the origins that may post, and https or not.

    `health`: further Host names that /health is asked by, on this machine.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    health: frozenset[str]
    secure: bool

    @property
    def cookie(self) -> str:
        """The name of the session's cookie; the prefix binds it to https and to this host."""
        return "__Host-workbench" if self.secure else "workbench"


LOOPBACK = ("127.0.0.1", "localhost", "::1")


def site_of(port: int, public_url: str) -> Site:
    """The site at a public URL, else the one that only this machine reaches. Raises UsageError."""
    local = frozenset(f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in LOOPBACK)
    if not public_url:
        return Site(local, frozenset(f"http://{name}" for name in local), local, secure=False)
    try:
        parts = urlsplit(public_url)
        _ = parts.port  # raises for one that is none
        plain = parts.scheme in ("https", "http") and parts.hostname and parts.path in ("", "/")
    except ValueError:
        plain = False
    wrong = ""
    if not plain or parts.username or parts.query or parts.fragment:
        wrong = "give it as https://gold.example.org, without a path"
    elif not parts.netloc.isascii():  # browsers name it by other letters
        wrong = "give its name as browsers send it, which begins with xn--"
    elif parts.scheme == "http" and parts.hostname not in LOOPBACK:
        wrong = "begin it with https://, or tokens and texts can be read"
    if wrong:
        raise UsageError(f"--public-url {public_url}: {wrong}")
    usual = ":443" if parts.scheme == "https" else ":80"
    own = parts.netloc.lower().removesuffix(usual)  # as browsers name it
    return Site(frozenset({own}), frozenset({f"{parts.scheme}://{own}"}), local, parts.scheme == "https")


class Limit:
    """At most so many in so many seconds for each name; the names seen longest ago are forgotten."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._seen: OrderedDict[str, deque[float]] = OrderedDict()

    def full(self, name: str) -> bool:
        """Whether one more would be too many."""
        times, now = self._seen.get(name, deque()), time.monotonic()
        while times and times[0] <= now - self._seconds:
            times.popleft()
        return len(times) >= self._most

    def add(self, name: str) -> None:
        """One more."""
        self._seen.setdefault(name, deque(maxlen=self._most)).append(time.monotonic())
        self._seen.move_to_end(name)
        if len(self._seen) > KEYS:
            self._seen.popitem(last=False)


class Guard:
    """Refuses foreign hosts and foreign forms, adds the headers of safety, and writes a line a request."""

    def __init__(self, app: ASGIApp, site: Site, log: Callable[[str], object]) -> None:
        self._app, self._site, self._log = app, site, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status, error = time.perf_counter(), 0, ""
        static = scope["path"].startswith(f"{STATIC}/")
        scope["state"] = {"route": STATIC} if static else {}

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers.update(ANSWERS)
                headers["cache-control"] = "no-cache" if static else "no-store"
                if self._site.secure:
                    headers["strict-transport-security"] = "max-age=31536000"
            await send(message)

        refused = self._refused(scope)
        try:
            app = self._app if refused is None else PlainTextResponse(refused[1], refused[0])
            await app(scope, receive, answer)
        except asyncio.CancelledError:  # the server is being stopped while the database lets an act wait
            error = "CancelledError"
            stopped = PlainTextResponse("The server was stopped: do it again when it is back.", 503)
            await stopped(scope, receive, answer)
        except Exception as failed:  # what it says may hold a text: the log has its kind and its place
            frame = extract_tb(failed.__traceback__)[-1]
            error = f"{type(failed).__name__} at {frame.filename.rpartition('/')[2]}:{frame.lineno}"
        finally:
            self._log(self._line(scope, status, error, time.perf_counter() - begun))

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        known = self._site.hosts | (self._site.health if scope["path"] == "/health" else frozenset())
        if host not in known or len(headers.getlist("host")) != 1:
            return 403, "This address is not one of this site: open it by the address that it was given."
        if scope["method"] in ("GET", "HEAD"):
            return None
        site = headers.get("sec-fetch-site", "same-origin")
        if headers.get("origin") not in self._site.origins or site != "same-origin":
            return 403, "This form came from another site: nothing was done."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > BODY:
            return 413, f"This form has more than {BODY:,} bytes: nothing was done."
        return None

    def _line(self, scope: Scope, status: int, error: str, seconds: float) -> str:
        """What happened, without a word of any text: paths hold numbers only, and the query is left out."""
        state: dict[str, Any] = scope["state"]
        route = state.get("route", "")
        return json.dumps(
            {
                "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "from": (scope.get("client") or ("",))[0],
                "person": state.get("person", ""),
                "method": scope["method"],
                "route": route,
                "sample": state.get("sample"),
                "what": state.get("what", ""),
                "status": status,
                "ms": round(1000 * seconds, 1),
                "error": error or state.get("error", ""),
            },
            ensure_ascii=True,
        )
