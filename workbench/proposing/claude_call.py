"""One call: sent through the SDK, its stop reason checked before its text is read."""

from __future__ import annotations

import asyncio
import email.utils
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.errors import AccessError, BusyError
from workbench.proposing.claude_answers import UnusableError, read_answer
from workbench.proposing.claude_asks import Ask, Setup, body
from workbench.proposing.claude_errors import detail, failure_of
from workbench.proposing.claude_results import Answer, Failure, FailureKind, Result, Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

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
        if failure is None:
            raise
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
        failure = failure_of(error)
        if failure is None:
            raise
        return Called(failure, _headers(getattr(error, "response", None)))
    headers = _headers(response)
    return Called(result_of(message, ask, headers.get("request-id", "")), headers)


def result_of(message: Any, ask: Ask, request_id: str = "") -> Result:
    """An answer or failure from what the SDK returned, whose fields it does not check."""
    from anthropic.types import Message, TextBlock

    if not isinstance(message, Message) or not isinstance(message.content, list):
        return Failure("not a message", detail(str(message)[:1000]), request_id=request_id)
    usage, model = usage_of(message.usage), str(message.model or "")
    stop = str(message.stop_reason or "")

    def failed(kind: FailureKind, said: str) -> Failure:
        return Failure(kind, detail(said), usage, model, request_id, stop)

    if stop != "end_turn":
        return failed(_STOPPED.get(stop, "unfinished"), _why_stopped(message, stop))
    text = "".join(str(block.text) for block in message.content if isinstance(block, TextBlock))
    try:
        parts = read_answer(ask.task, text, ask.count)
    except UnusableError as error:
        return failed(error.kind, error.detail)
    return Answer(parts, usage, model, request_id, stop)


def usage_of(usage: Any) -> Usage | None:
    """The tokens of a message; None when it names none."""
    if usage is None:
        return None

    def count(holder: Any, name: str) -> int:
        value = getattr(holder, name, None)
        return value if isinstance(value, int) else 0

    written, split = count(usage, "cache_creation_input_tokens"), getattr(usage, "cache_creation", None)
    hour = count(split, "ephemeral_1h_input_tokens")
    return Usage(
        input=count(usage, "input_tokens"),
        output=count(usage, "output_tokens"),
        cache_write_5m=max(0, written - hour),
        cache_write_1h=hour,
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
    said = [str(getattr(details, name, None) or "") for name in ("category", "explanation")]
    return ": ".join(one for one in said if one) or f"stop reason {stop or 'missing'}"


def _headers(response: Any) -> dict[str, str]:
    headers = getattr(response, "headers", None)
    return {} if headers is None else {str(name).lower(): str(value) for name, value in headers.items()}
