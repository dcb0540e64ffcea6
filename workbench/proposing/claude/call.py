"""One call through the SDK: every way in which it ends becomes an answer or a failure."""

from __future__ import annotations

import asyncio
import email.utils
import json
import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.errors import AccessError, BusyError
from workbench.proposing.claude.answers import (
    AskAnswer,
    Failure,
    FailureKind,
    Result,
    UnusableError,
    Usage,
    read_answer,
)
from workbench.proposing.claude.asks import Ask, Setup, body
from workbench.text.safe import clean

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


DETAIL = 240  # characters kept of what the service said

_UNPAID_CODE = re.compile("spend_limit|billing|billable")
_BY_TYPE: Mapping[str, FailureKind] = {
    "authentication_error": "key refused",
    "billing_error": "not paid",
    "permission_error": "not allowed",
    "not_found_error": "unknown model",
    "rate_limit_error": "rate limited",
    "timeout_error": "timeout",
    "api_error": "server error",
    "overloaded_error": "overloaded",
}
"""What the body says where the status does not: a row of a batch, an error under status 200."""
_BY_STATUS: Mapping[int, FailureKind] = {
    401: "key refused",
    402: "not paid",
    403: "not allowed",
    404: "unknown model",
    407: "connection",
    408: "timeout",
    409: "server error",
    413: "too long",
    429: "rate limited",
    499: "connection",
    504: "timeout",
    529: "overloaded",
}
# The service reports both of these as plain 400s; only its words tell them apart.
_NOT_PAID = re.compile(r"credit balance|usage limits?\b|spend limit", re.IGNORECASE)
_TOO_LONG = re.compile(r"prompt is too long|context (?:window|length|limit)|too many tokens", re.IGNORECASE)


def failure_of(error: Exception) -> Failure:
    """The failure that an exception of a call means; one that is a bug of ours is raised again.

    Besides the SDK's own: TypeError and CredentialsError (no credentials), JSONDecodeError (a body that
    is no JSON), TimeoutError (our own limit), UnicodeEncodeError and other ValueErrors (a request that
    cannot be sent) and DeprecationWarning (where warnings are errors).
    """
    kind = _kind(error)
    if kind is None:
        raise error
    words = _text(getattr(error, "api_message", None)) or str(error)
    if kind == "connection" and error.__cause__ is not None:
        words = f"{words} {error.__cause__}"
    return Failure(kind, detail(words), request_id=_text(getattr(error, "request_id", None)))


def kind_of_body(error_type: str, words: str, code: str = "") -> FailureKind:
    """The kind of an error body: of a batch's row, or under a status that says nothing."""
    if known := _kind_of_code(code):
        return known
    if _NOT_PAID.search(words):
        return "not paid"
    return _BY_TYPE.get(error_type) or ("too long" if _TOO_LONG.search(words) else "bad request")


def _kind_of_code(code: str) -> FailureKind:
    if code == "organization_on_hold":
        return "not allowed"
    return "not paid" if _UNPAID_CODE.search(code) else ""


def detail(words: str) -> str:
    """What the service said, on one line, short and without anything that could steer a terminal."""
    line = " ".join(clean(words).split())
    return line if len(line) <= DETAIL else f"{line[: DETAIL - 1]}…"


def _kind(error: Exception) -> FailureKind | None:
    import anthropic
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        return _kind_of_status(error)
    if isinstance(error, anthropic.APITimeoutError | TimeoutError | httpx2.TimeoutException):
        return "timeout"
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError):
        return "connection"
    if isinstance(error, anthropic.CredentialsError):
        return "no key"
    if isinstance(error, anthropic.AnthropicError):
        return "not a message" if isinstance(error, anthropic.APIError) else "server error"
    if isinstance(error, json.JSONDecodeError | httpx2.DecodingError):
        return "not a message"
    if isinstance(error, TypeError) and "authentication" in str(error):
        return "no key"
    if isinstance(error, DeprecationWarning):
        return "unknown model"
    return "bad request" if isinstance(error, ValueError) else None


def _kind_of_status(error: object) -> FailureKind:
    """By the stable code first, then by the status, then by what the body says."""
    status, words = getattr(error, "status_code", 0), _text(getattr(error, "api_message", None))
    code, error_type = _text(getattr(error, "error_code", None)), _text(getattr(error, "type", None))
    if known := _kind_of_code(code):
        return known
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status >= 500:
        return "server error"
    if status < 400 and not error_type:
        return "not a message"
    return kind_of_body(error_type, words, code)


def _text(value: object) -> str:
    """A field of an error body, which may hold anything."""
    return value if isinstance(value, str) else ""


_STOPPED: Mapping[str, FailureKind] = {
    "max_tokens": "cut off",
    "refusal": "refused",
    "model_context_window_exceeded": "too long",
    "stop_sequence": "unfinished",
    "tool_use": "unfinished",
    "pause_turn": "unfinished",
}
"""Every stop reason but end_turn; one that the SDK does not know yet is `unfinished` too."""


class Called(NamedTuple):
    """What a call came to, and the headers that came with it, names in lower case."""

    result: Result
    headers: Mapping[str, str]


def host() -> str:
    """Where texts go: the host of ANTHROPIC_BASE_URL, else the service's own, and the proxy on the way."""
    import os
    from urllib.parse import urlsplit
    from urllib.request import getproxies, proxy_bypass

    def place(url: str) -> str:  # a password may stand before the @
        return urlsplit(url if "//" in url else f"//{url}").netloc.rpartition("@")[2]

    url = os.environ.get("ANTHROPIC_BASE_URL", "") or "https://api.anthropic.com"
    proxies = {} if proxy_bypass(place(url)) else getproxies()
    proxy = place(proxies.get(urlsplit(url).scheme) or proxies.get("all") or "")
    return place(url) + (f" through the proxy {proxy}" if proxy else "")


def connect(seconds: float) -> AsyncAnthropic:
    """A client with the usual credentials and base URL (ANTHROPIC_*), to be closed; `seconds` per call.

    A connection may take ten of them. Its own retries are off: they would not be paced, and cannot be seen.
    Raises AccessError when a named profile or credentials file cannot be read; that there is no key shows at
    the first call.
    """
    from anthropic import AsyncAnthropic, CredentialsError, Timeout

    try:
        return AsyncAnthropic(max_retries=0, timeout=Timeout(seconds, connect=min(seconds, 10.0)))
    except CredentialsError as error:
        raise AccessError(f"no credentials: {detail(str(error))}") from error


def check_key() -> None:
    """Raise AccessError when no key is set that the SDK would find: before a person is asked, not after."""
    client = connect(1)
    given = {name.lower() for name in client.default_headers}  # ANTHROPIC_CUSTOM_HEADERS may bring one too
    if client.api_key or client.auth_token or client.credentials or given & {"authorization", "x-api-key"}:
        return
    raise AccessError(
        "no key for Claude: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN, ANTHROPIC_PROFILE); "
        "nothing was sent, and --dry-run needs none"
    )


async def check_model(client: AsyncAnthropic, setup: Setup, *, batch: bool = False) -> tuple[str, ...]:
    """What a person should know of the model before paying: that it is about to be retired.

    Raises AccessError for a retired or unknown model, one that lacks what a run needs, or a key that is
    refused, and BusyError when nobody, or no such service, answers. A service that does not describe its
    models is believed to have it.
    """
    import anthropic

    try:
        info: Any = await _described(client, setup.model)
    except anthropic.NotFoundError as error:
        if error.type == "not_found_error":
            raise AccessError(f"unknown model {setup.model!r}: {detail(error.api_message or '')}") from error
        return ()
    except Exception as error:
        failure = failure_of(error)
        if failure.kind in {"connection", "timeout"}:
            raise BusyError(f"{host()} cannot be reached: {failure.message}") from error
        if failure.stops:
            raise failure.error() from error
        return ()
    if isinstance(info, str):
        raise BusyError(f"{host()}: {Failure('not a message', detail(info[:1000])).message}")
    return _checked(info, setup, batch)


async def _described(client: AsyncAnthropic, model: str) -> Any:
    """What the service says of a model. One lost connection is an accident, three are none."""
    import anthropic

    for _ in range(2):
        try:
            return await client.models.retrieve(model)
        except anthropic.APITimeoutError:
            raise
        except anthropic.APIConnectionError:
            await asyncio.sleep(0.3)
    return await client.models.retrieve(model)


def _checked(info: Any, setup: Setup, batch: bool) -> tuple[str, ...]:
    """The notes on a model's description, which may lack any field."""
    lifecycle, retires = getattr(info, "lifecycle", None), getattr(info, "retires_at", None)
    if lifecycle == "retired":
        raise AccessError(f"model {setup.model!r} is retired: name another (--model)")
    capabilities = getattr(info, "capabilities", None)
    needed = {"structured_outputs": "structured outputs", "effort": "effort", "batch": "batches"}
    skipped = {"effort": setup.effort is None, "batch": not batch}
    for name, words in needed.items():
        supported = getattr(getattr(capabilities, name, None), "supported", None)
        if supported is False and not skipped.get(name, False):
            hint = "ask without (--effort none)" if name == "effort" else "name another (--model)"
            raise AccessError(f"model {setup.model!r} has no {words}: {hint}")
    most = getattr(info, "max_tokens", None)
    if isinstance(most, int) and setup.max_tokens > most:
        raise AccessError(f"model {setup.model!r} answers with at most {most} tokens: lower --max-tokens")
    if lifecycle != "deprecated":
        return ()
    when = f" on {retires:%Y-%m-%d}" if retires is not None else ""
    return (f"model {setup.model!r} is deprecated and will be retired{when}",)


async def call(client: AsyncAnthropic, setup: Setup, ask: Ask, seconds: float) -> Called:
    """Send an ask once, for at most `seconds`. Whatever the service does becomes a result."""
    try:
        async with asyncio.timeout(seconds):
            response = await client.messages.with_raw_response.create(**body(setup, ask), timeout=seconds)
            message = await response.parse()
    except Exception as error:
        return Called(failure_of(error), _headers(getattr(error, "response", None)))
    headers = _headers(response)
    return Called(result_of(message, ask, headers.get("request-id", "")), headers)


def result_of(message: Any, ask: Ask, request_id: str = "") -> Result:
    """An answer or failure from what the SDK returned, whose fields it does not check."""
    from anthropic.types import Message, TextBlock

    if not isinstance(message, Message) or not isinstance(message.content, list):
        return Failure("not a message", detail(str(message)[:1000]), request_id=request_id)
    usage, model = usage_of(message.usage), str(message.model or "")
    stop = str(message.stop_reason or "")

    def failed(kind: FailureKind, words: str) -> Failure:
        return Failure(kind, detail(words), usage, model, request_id, stop)

    if stop != "end_turn":
        return failed(_STOPPED.get(stop, "unfinished"), _why_stopped(message, stop))
    text = "".join(str(block.text) for block in message.content if isinstance(block, TextBlock))
    try:
        parts = read_answer(ask.task, text, ask.count)
    except UnusableError as error:
        return failed(error.kind, error.detail)
    return AskAnswer(parts, usage, model, request_id, stop)


def usage_of(usage: Any) -> Usage | None:
    """The tokens of a message; None when it names none."""
    if usage is None:
        return None

    def count(holder: Any, name: str) -> int:
        value = getattr(holder, name, None)
        return value if isinstance(value, int) else 0

    return Usage(
        input=count(usage, "input_tokens"),
        output=count(usage, "output_tokens"),
        cache_write=count(usage, "cache_creation_input_tokens"),
        cache_read=count(usage, "cache_read_input_tokens"),
        thinking=count(getattr(usage, "output_tokens_details", None), "thinking_tokens"),
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a response asks to wait; None when it does not, or nonsense."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return max(0.0, float(headers["retry-after"]))
    except KeyError:
        return None
    except ValueError:
        date = email.utils.parsedate_tz(headers.get("retry-after", ""))
        return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())


def _why_stopped(message: Any, stop: str) -> str:
    """What is known about a stop: a refusal's category and explanation, or the reason's name."""
    details = message.stop_details
    known = [str(getattr(details, name, None) or "") for name in ("category", "explanation")]
    return ": ".join(words for words in known if words) or f"stop reason {stop or 'missing'}"


def _headers(response: Any) -> dict[str, str]:
    headers = getattr(response, "headers", None)
    return {} if headers is None else {str(name).lower(): str(value) for name, value in headers.items()}
