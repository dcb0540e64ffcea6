"""One call: when it may start, learned from what the service does; and how it ends.

However a call ends, you get an answer or a failure. The pace reads no clock: its caller passes the time.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from workbench.errors import AccessError, BusyError
from workbench.proposing import CLAUDE, OPENAI
from workbench.proposing.claude.answers import (
    CAUSES,
    AskAnswer,
    Failure,
    FailureKind,
    Result,
    UnusableError,
    read_answer,
)
from workbench.proposing.claude.asks import Ask, Setup
from workbench.proposing.claude.clients import (
    ModelClient,
    Reply,
    cloud_of_claude,
    connect,
    detail,
    host,
    lowered,
)

START = 2.0  # calls per second before anything is known
_LOWEST, _HIGHEST = 1 / 60, 1000.0
_DOUBLING = 2 ** (1 / 10)  # the rate doubles every ten answers until the service says no
_HEADROOM = 0.98  # of the limits that the service names
_SLACK = 0.25  # seconds of lateness that are made up for: a busy event loop wakes up late
_DIP = 10  # calls that a single overload slows down
_BAD = 4  # overloads of the last 20 calls: so many are no accident
# Answers until the refused rate is tried again: few after a first refusal, which may have been an accident,
# twice as many with every one that confirms it.
_UNSURE, _SURE = 20.0, 75.0
# Calls that are refused one by one are the doing of somebody else who uses the same limits: so many slow us
# down, because it may be our rate, the others do not.
_LONE = 3
_MANY = 4  # refusals of the last 10 calls: so many are not lone
_CLEAN = 70  # calls without a refusal after which the next one is the first again


class CallPace:
    """The learned rate and the next moment at which a call may start, in seconds of any one clock.

    The rate doubles every ten answers until a call is refused. A 429 takes a tenth off it, or more while
    little is known. Overloads and timeouts take half: for ten calls when one stands alone, because a
    service also fails now and then at any rate, for good when there are several. Then the rate comes back
    along a cubic: fast at first, flat near the rate that was too much, faster again when that holds no
    more. The flat part lasts 75 calls, or 20 seconds where a refusal stops everything for a second:
    from one call a second on, probing costs below 2 % refused calls and about 5 % of the time.

    Limits that the service names are used at once, without growing to them, and nothing slows below half of
    them. There a lone refusal makes only its own call wait.

    Where they are not named, lone refusals that go on although the rate fell three times are not its doing:
    what was learned from them is forgotten, and only many at once slow us down, by their share. Below the
    rate of the start no refusal is the first lone one: there a service lets in little, and one says much.
    """

    def __init__(self, rate: float = START) -> None:
        self.cap: float | None = None
        self.paused_until = 0.0
        self._base = rate
        self._dipped = 0
        self._sure, self._soon = _UNSURE, 0
        self._ceiling: float | None = None
        self._drop, self._span, self._answers = 0.0, 1.0, 0
        self._changed = float("-inf")
        self._next = 0.0
        self._held = False
        self._bad: deque[bool] = deque(maxlen=20)
        self._refusals: deque[bool] = deque(maxlen=10)
        self._lone, self._clean = 0, 0
        self._recent: deque[float] = deque(maxlen=16)
        self._use: dict[str, float] = {}

    @property
    def rate(self) -> float:
        """Calls per second that may start now."""
        return self._base / 2 if self._dipped > 0 else self._base

    def wait(self, now: float) -> float:
        """Seconds until the next call may start."""
        return max(0.0, self._next - now, self.paused_until - now)

    def started(self, now: float) -> None:
        """A call starts."""
        # A start long after it was allowed means that something else holds the calls back: then answers
        # say nothing about the rate, and it must not grow.
        self._held = now - max(self._next, self.paused_until) < 0.5 * (_SLACK + 1 / self.rate)
        self._next = max(self._next, self.paused_until, now - _SLACK) + 1 / self.rate
        self._dipped -= 1

    def answered(self, now: float, use: Mapping[str, int], headers: Mapping[str, str]) -> None:
        """A call was answered; `use` is what it used of each limit: input-tokens, output-tokens, tokens."""
        self._recent.append(now)
        self._bad.append(False)
        self._refusals.append(False)
        self._clean += 1
        if self._clean >= _CLEAN:
            self._lone = 0
        for name, tokens in use.items():
            self._use[name] = 0.9 * self._use.get(name, tokens) + 0.1 * tokens
        self._learn(headers)
        if not self._held:
            return
        if self._ceiling is None:
            self._set(self._base * _DOUBLING)
            return
        # A very low rate is tried again after as many seconds as answers, so that it cannot stay low.
        self._answers = max(self._answers + 1, int(now - self._changed))
        bend = (self._answers - self._span) / self._span
        self._set(min(self._base * _DOUBLING, self._ceiling * (1 + self._drop * bend**3)))

    def refused(self, now: float, started: float, seconds: float | None, headers: Mapping[str, str]) -> None:
        """A call that started at `started` got a 429 and has to wait `seconds`; mostly all calls wait."""
        self._learn(headers)
        asked = 1 / self.rate if seconds is None else seconds
        self._refusals.append(True)
        self._clean = 0
        if started > self._changed:
            ceiling, many = self._base, self._refusals.count(True)
            crowded = many >= _MANY
            if crowded:
                ceiling *= max(0.5, 0.95 - many / len(self._refusals))
            elif self.cap or self._lone or self._base >= START:
                self._lone += 1
                if self._lone > _LONE:
                    self._ceiling = self._ceiling if self._lone > _LONE + 1 else None
                    return
                asked = 0.0 if self.cap else asked
            self._soon = self._soon + 1 if self._answers < 10 else 0
            if self._ceiling is None or self._soon > 2:
                # Far from anything known, what came through says more than what was tried; the last
                # doubling was let in, so that half the rate is the least to fall to.
                recent = self._recent
                came = len(recent) / max(now - recent[0], 1e-3) if recent else 0.0  # answers per second
                came = self._base if self.cap else came
                ceiling = max(self._base / 2, min(self._base, came))
            held = self._ceiling is not None and self._answers <= 1.5 * self._span
            self._sure = min(_SURE, 2 * self._sure) if held else _UNSURE
            if crowded and self._lone > _LONE:
                self._sure = _SURE
                self._lone = 0
            self._fall(now, ceiling, 0.1, max(self._sure, 20 * ceiling * min(asked, 1.0)))
        self.pause(now, asked)

    def overloaded(self, now: float, started: float) -> None:
        """A call that started at `started` met an overloaded service or timed out."""
        if started > self._changed:
            self._bad.append(True)
            if self._bad.count(True) >= _BAD:
                self._fall(now, self._base, 0.5, max(20.0, 2 * self._base))
            else:
                self._dipped = _DIP

    def pause(self, now: float, seconds: float) -> None:
        """No call starts for a while."""
        self.paused_until = max(self.paused_until, now + seconds)

    def _fall(self, now: float, ceiling: float, drop: float, span: float) -> None:
        """Go below a rate that was too much, and come back to it along the cubic."""
        self._ceiling, self._drop, self._span, self._answers = ceiling, drop, span, 0
        self._changed = now
        self._bad.clear()
        self._refusals.clear()
        self._dipped = 0
        self._set(ceiling * (1 - drop))

    def _set(self, rate: float) -> None:
        least = _LOWEST if self.cap is None else self.cap / 2
        self._base = min(max(_LOWEST, least, rate), _HIGHEST, self.cap or _HIGHEST)

    def _learn(self, headers: Mapping[str, str]) -> None:
        """Take the limits a minute that the headers name, as calls a second."""
        caps = []
        for name in ("requests", "input-tokens", "output-tokens", "tokens"):
            limit = _number(headers.get(f"anthropic-ratelimit-{name}-limit"))
            use = 1.0 if name == "requests" else self._use.get(name, 0.0)
            if limit and use > 0:
                caps.append(_HEADROOM * limit / 60 / use)
        if caps:
            known, self.cap = self.cap, min(caps)
            self._set(self._base if known else self.cap)


def _number(header: str | None) -> float:
    try:
        return float(header or 0)
    except ValueError:
        return 0.0


_UNPAID_CODE = re.compile("spend_limit|billing|billable|insufficient_quota")
_BY_CLASS = {name: kind for kind, cause in CAUSES.items() for name in cause.classes}
_BY_CODE = {code: kind for kind, cause in CAUSES.items() for code in cause.codes}
_BY_STATUS = {status: kind for kind, cause in CAUSES.items() for status in cause.statuses}
_BY_TYPE = {name: kind for kind, cause in CAUSES.items() for name in cause.types}
"""What the body says where the status does not: a row of a batch, an error under status 200."""
# The service reports both of these as plain 400s; only its words tell them apart.
_NOT_PAID = re.compile(r"credit balance|usage limits?\b|spend limit", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"prompt is too long|context (?:window|length|limit|size)|too many tokens", re.IGNORECASE
)


def failure_of(error: Exception) -> Failure:
    """The failure that an exception of a call means; one that is a bug of ours is raised again.

    Besides the SDK's own: TypeError and CredentialsError (no credentials), JSONDecodeError (a body that
    is no JSON), TimeoutError (our own limit), UnicodeEncodeError and other ValueErrors (a request that
    cannot be sent) and DeprecationWarning (where warnings are errors).
    """
    kind = _kind(error)
    if kind is None:
        raise error
    words = _words(error)
    if kind == "connection" and error.__cause__ is not None:
        words = f"{words} {error.__cause__}"
    return Failure(kind, detail(words))


def _words(error: Exception) -> str:
    """What a service said of an error: its message, else the whole body; else what the SDK says."""
    body = getattr(error, "body", None)
    message = _told(body).get("message") if isinstance(body, dict) else body
    return _text(message) or (f"{error}: {str(body)[:1000]}" if body else str(error))


def _told(body: object) -> dict[str, Any]:
    """The error that a body tells of: OpenAI's SDK takes it out of the body, Anthropic's does not."""
    inner = body.get("error", body) if isinstance(body, dict) else None
    return inner if isinstance(inner, dict) else {}


def kind_of_body(error_type: str, words: str, code: str = "") -> FailureKind:
    """The kind of an error body: of a batch's row, or under a status that says nothing."""
    if known := _kind_of_code(code):
        return known
    if _NOT_PAID.search(words):
        return "not paid"
    return _BY_TYPE.get(error_type) or ("too long" if _TOO_LONG.search(words) else "bad request")


def _kind_of_code(code: str) -> FailureKind:
    return "not paid" if _UNPAID_CODE.search(code) else _BY_CODE.get(code, "")


def _kind(error: Exception) -> FailureKind | None:
    """By the names of its classes: Anthropic's SDK and OpenAI's have the same, and neither need be loaded."""
    names = [kind.__name__ for kind in type(error).__mro__]
    if "APIStatusError" in names:
        return _kind_of_status(error)
    of_a_cloud = type(error).__module__.startswith(("botocore", "google"))
    if of_a_cloud or ("resolve" in str(error) and isinstance(error, RuntimeError)):
        return "no key"
    if isinstance(error, TypeError) and "authentication" in str(error):
        return "no key"
    return next((_BY_CLASS[name] for name in names if name in _BY_CLASS), None)


def _kind_of_status(error: Any) -> FailureKind:
    """By the stable code first, then by the status, then by what the body says."""
    status, error_type = error.status_code, _text(error.type)
    told = _told(error.body)
    details = told.get("details")
    code = _text(details.get("error_code") if isinstance(details, dict) else told.get("code"))
    if known := _kind_of_code(code):
        return known
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status >= 500:
        return "server error"
    if status < 400 and not error_type:
        return "not a message"
    return kind_of_body(error_type, _words(error), code)


def _text(value: object) -> str:
    """A field of an error body, which may hold anything."""
    return value if isinstance(value, str) else ""


class Called(NamedTuple):
    """What a call came to, and the headers that came with it, names in lower case."""

    result: Result
    headers: Mapping[str, str]


def check_key(proposer: str = CLAUDE, base_url: str = "") -> None:
    """Raise AccessError when no key is set that the SDK would find: before a person is asked, not after."""
    sdk = connect(1, proposer, base_url).sdk
    given = {name.lower() for name in sdk.default_headers}  # ANTHROPIC_CUSTOM_HEADERS may bring one too
    if proposer == OPENAI or cloud_of_claude() or given & {"authorization", "x-api-key"}:
        return
    if not (sdk.api_key or sdk.auth_token or sdk.credentials):
        raise AccessError(
            "no key for Claude: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN, ANTHROPIC_PROFILE); "
            "nothing was sent, and --dry-run needs none"
        )


async def check_model(client: ModelClient, setup: Setup) -> tuple[str, ...]:
    """What a person should know of the model before paying: that it is about to be retired.

    Raises AccessError for a retired or unknown model, or a key that is refused, and BusyError when nobody, or
    no such service, answers. A service that does not describe its models is believed to have it.
    """
    try:
        async with asyncio.timeout(60):
            info: Any = await client.described(setup.model)
    except Exception as error:
        failure = failure_of(error)
        if failure.kind in {"connection", "timeout"}:
            where = host(setup.proposer, setup.base_url)
            raise BusyError(f"{where} cannot be reached: {failure.message}") from error
        named = {getattr(error, "type", None), getattr(error, "code", None)}
        if failure.kind == "not found":
            if "/models/" in failure.detail or not named & {"not_found_error", "model_not_found"}:
                return ()  # it is the path that is unknown: the first call will tell
            where = host(setup.proposer, setup.base_url)
            raise AccessError(
                f"{where} has no model {setup.model!r} ({failure.detail}): name another (--model)"
            ) from error
        if failure.stops:
            raise failure.error() from error
        return ()
    if isinstance(info, str):
        where = host(setup.proposer, setup.base_url)
        raise BusyError(f"{where}: {Failure('not a message', detail(info[:1000])).message}")
    return _notes(info, setup.model)


def _notes(info: Any, model: str) -> tuple[str, ...]:
    """What the end of a model's life means for a run; its description may lack any field."""
    lifecycle, retires = getattr(info, "lifecycle", None), getattr(info, "retires_at", None)
    if lifecycle == "retired":
        raise AccessError(f"model {model!r} is retired: name another (--model)")
    if lifecycle != "deprecated":
        return ()
    when = f" on {retires:%Y-%m-%d}" if retires is not None else ""
    return (f"model {model!r} is deprecated and will be retired{when}",)


async def call(client: ModelClient, setup: Setup, ask: Ask, seconds: float) -> Called:
    """Send an ask once, for at most `seconds`. Whatever the service does becomes a result."""
    sending = asyncio.create_task(client.send(setup, ask))
    try:
        # In parts, so that a stop (ctrl+z) counts for one of them: what came meanwhile is paid, and is read.
        while not sending.done():
            if seconds <= 0:
                raise TimeoutError
            part = min(1.0, seconds)
            seconds -= part
            await asyncio.wait([sending], timeout=part)
        reply, headers = sending.result()
    except Exception as error:
        return Called(failure_of(error), lowered(getattr(error, "response", None)))
    finally:
        sending.cancel()
    return Called(result_of(reply, ask), headers)


def result_of(reply: Reply, ask: Ask) -> Result:
    """The answer in a reply, or the failure."""
    if reply.failed:
        return Failure(reply.failed, detail(reply.detail), reply.usage, reply.model)
    try:
        return AskAnswer(read_answer(ask.task, reply.text, ask.count), reply.usage, reply.model)
    except UnusableError as error:
        return Failure(error.kind, detail(error.detail), reply.usage, reply.model)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a response asks to wait; None when it does not, or nonsense."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return max(0.0, float(headers["retry-after"]))
    except KeyError:
        return None
    except ValueError:
        with suppress(TypeError, ValueError, OverflowError):  # no date, or one that no calendar has
            date = parsedate_to_datetime(headers.get("retry-after", ""))
            date = date if date.tzinfo else date.replace(tzinfo=UTC)  # -0000: a time without a zone
            return max(0.0, date.timestamp() - time.time())
        return None
