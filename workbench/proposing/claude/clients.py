"""The services that answer: Claude, also through Bedrock and Vertex, and every one that speaks OpenAI's form.

A client puts an ask into the form of its service and reads what comes back; everything else is shared.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from workbench.errors import AccessError, UsageError, to_install
from workbench.model import JsonObject
from workbench.proposing import CLAUDE, OPENAI
from workbench.proposing.claude.answers import FailureKind, Usage, schema
from workbench.proposing.claude.asks import Ask, Setup, system
from workbench.proposing.claude.prompt import fenced
from workbench.text.safe import clean, cut

CLOUD = "WORKBENCH_CLAUDE"
"""The environment variable that names the cloud that Claude is asked through: bedrock or vertex."""
CLOUDS = ("bedrock", "vertex")
_ADDRESSES = {
    CLAUDE: ("ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
    OPENAI: ("OPENAI_BASE_URL", "https://api.openai.com/v1"),
}
DETAIL = 240
"""Characters kept of what a service said."""


class Reply(NamedTuple):
    """What came back: `text` is the whole answer, unless it `failed`; then `detail` says how."""

    text: str = ""
    failed: FailureKind = ""
    detail: str = ""
    usage: Usage | None = None
    model: str = ""


Received = tuple[Reply, Mapping[str, str]]
"""A reply, and the headers that came with it."""


class ModelClient(ABC):
    """A connection to a service, to be closed. `sdk` has its own retries off: they could not be paced."""

    def __init__(self, sdk: Any) -> None:
        self.sdk = sdk

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.sdk.close()

    @abstractmethod
    async def send(self, setup: Setup, ask: Ask) -> Received:
        """Send an ask once. Raises what the SDK raises."""

    async def described(self, model: str) -> Any:
        """What the service says of a model, in three tries; None where it describes none."""
        sdk = self.sdk.with_options(max_retries=2)
        return await sdk.models.retrieve(model) if hasattr(sdk, "models") else None


class ClaudeClient(ModelClient):
    """Claude by the Messages API."""

    async def send(self, setup: Setup, ask: Ask) -> Received:
        """Send an ask once. Raises what the SDK raises."""
        messages = self.sdk.messages.with_raw_response
        response = await messages.create(**claude_body(setup, ask), timeout=None)
        return claude_reply(await response.parse()), lowered(response)


def claude_body(setup: Setup, ask: Ask) -> JsonObject:
    """The request of an ask: `messages.create(**body)`, or the `params` of a batch's row.

    What is the same in every call stands first and is marked for the cache; the texts come last, fenced.
    """
    config: JsonObject = {
        "format": {"type": "json_schema", "schema": schema(ask.task, setup.labels)},
        **({"effort": setup.effort} if setup.effort else {}),
    }
    stable = {"type": "text", "text": system(setup, ask.task), "cache_control": {"type": "ephemeral"}}
    return {
        "model": setup.model,
        "max_tokens": setup.max_tokens,
        "system": [stable],
        "messages": [{"role": "user", "content": fenced(ask.pieces)}],
        "output_config": config,
    }


_CLAUDE_STOPS: Mapping[str, FailureKind] = {
    "end_turn": "",
    "max_tokens": "cut off",
    "refusal": "refused",
    "model_context_window_exceeded": "too long",
}
"""Every other stop reason, one that the SDK does not know yet too, is `unfinished`."""


def claude_reply(message: Any) -> Reply:
    """The reply in a message, whose fields the SDK does not check."""
    if not isinstance(getattr(message, "content", None), list):
        return Reply(failed="not a message", detail=str(message)[:1000])
    stop, details = str(message.stop_reason or ""), message.stop_details
    reasons = [str(getattr(details, name, None) or "") for name in ("category", "explanation")]
    usage: Usage | None = None
    if (given := message.usage) is not None:
        usage = Usage(
            input=_count(given, "input_tokens"),
            output=_count(given, "output_tokens"),
            cache_write=_count(given, "cache_creation_input_tokens"),
            cache_read=_count(given, "cache_read_input_tokens"),
            thinking=_count(given.output_tokens_details, "thinking_tokens"),
        )
    return Reply(
        text="".join(str(block.text) for block in message.content if getattr(block, "type", "") == "text"),
        failed=_CLAUDE_STOPS.get(stop, "unfinished"),
        detail=": ".join(filter(None, reasons)) or f"stop reason {stop or 'missing'}",
        usage=usage,
        model=str(message.model or ""),
    )


class OpenAIClient(ModelClient):
    """Every service with OpenAI's chat completions and answers by a JSON schema."""

    async def send(self, setup: Setup, ask: Ask) -> Received:
        """Send an ask once. Raises what the SDK raises."""
        completions = self.sdk.chat.completions.with_raw_response
        response = await completions.create(**openai_body(setup, ask), timeout=None)
        return openai_reply(response.parse()), lowered(response)


def openai_body(setup: Setup, ask: Ask) -> JsonObject:
    """The request of an ask, for `chat.completions.create`.

    OpenAI's own newer models take the limit of an answer under another name than most other services know.
    """
    shape = {"name": ask.task, "strict": True, "schema": _typed(schema(ask.task, setup.labels))}
    return {
        "model": setup.model,
        "max_completion_tokens" if _is_openai(setup.base_url) else "max_tokens": setup.max_tokens,
        "messages": [
            {"role": "system", "content": system(setup, ask.task)},
            {"role": "user", "content": fenced(ask.pieces)},
        ],
        "response_format": {"type": "json_schema", "json_schema": shape},
        **({"reasoning_effort": setup.effort} if setup.effort else {}),
    }


def _typed(node: Any) -> Any:
    """The same schema with a type at every enumeration, as OpenAI demands."""
    if isinstance(node, list):
        return [_typed(item) for item in node]
    if not isinstance(node, dict):
        return node
    text = {"type": "string"} if "enum" in node else {}
    return text | {key: _typed(value) for key, value in node.items()}


_OPENAI_STOPS: Mapping[str, FailureKind] = {"stop": "", "length": "cut off", "content_filter": "refused"}


def openai_reply(completion: Any) -> Reply:
    """The reply in a completion, whose fields the SDK does not check."""
    choices, usage = getattr(completion, "choices", None), _openai_usage(getattr(completion, "usage", None))
    first = choices[0] if isinstance(choices, list) and choices else None
    message, stop = getattr(first, "message", None), str(getattr(first, "finish_reason", None) or "")
    if message is None:
        kind = "unfinished" if usage else "not a message"  # what names tokens was paid
        return Reply(failed=kind, detail=str(completion)[:1000], usage=usage)
    refusal = str(getattr(message, "refusal", None) or "")
    return Reply(
        text=str(getattr(message, "content", None) or ""),
        failed="refused" if refusal else _OPENAI_STOPS.get(stop, "unfinished"),
        detail=refusal or f"finish reason {stop or 'missing'}",
        usage=usage,
        model=str(getattr(completion, "model", None) or ""),
    )


def _openai_usage(usage: Any) -> Usage | None:
    if usage is None:
        return None
    cached = _count(getattr(usage, "prompt_tokens_details", None), "cached_tokens")
    return Usage(
        input=max(0, _count(usage, "prompt_tokens") - cached),
        output=_count(usage, "completion_tokens"),
        cache_read=cached,
        thinking=_count(getattr(usage, "completion_tokens_details", None), "reasoning_tokens"),
    )


def detail(words: str) -> str:
    """What the service said, on one line, short and without anything that could steer a terminal."""
    return cut(" ".join(clean(words).split()), DETAIL)


def _count(holder: Any, name: str) -> int:
    value = getattr(holder, name, None)
    return value if isinstance(value, int) else 0


def lowered(response: Any) -> dict[str, str]:
    """The headers of a response, names in lower case; none when there is no response."""
    headers = getattr(response, "headers", None)
    return {} if headers is None else {str(name).lower(): str(value) for name, value in headers.items()}


def connect(seconds: float, proposer: str = CLAUDE, base_url: str = "") -> ModelClient:
    """A client with the usual credentials, to be closed; `seconds` per call, ten of them for the connection.

    Raises AccessError when the service cannot be set up; that Claude has no key shows at the first call.
    """
    return _openai(seconds, address(OPENAI, base_url)) if proposer == OPENAI else _claude(seconds, base_url)


def _claude(seconds: float, base_url: str) -> ClaudeClient:
    import anthropic

    cloud = cloud_of_claude()
    made: Any = anthropic.AsyncAnthropic
    if cloud == "bedrock":
        if not os.environ.get("AWS_BEARER_TOKEN_BEDROCK"):
            _need("boto3", "bedrock")
        made = anthropic.AsyncAnthropicBedrock
    elif cloud == "vertex":
        _need("google.auth", "vertex")
        made = anthropic.AsyncAnthropicVertex
    try:
        timeout = anthropic.Timeout(seconds, connect=min(seconds, 10.0))
        return ClaudeClient(made(base_url=base_url or None, max_retries=0, timeout=timeout))
    except (anthropic.AnthropicError, ValueError) as error:
        raise AccessError(f"no credentials: {detail(str(error))}") from error


def _openai(seconds: float, base_url: str) -> OpenAIClient:
    _need("openai", "openai")
    import openai

    key = os.environ.get("OPENAI_API_KEY") or ("" if _is_openai(base_url) else "none")
    if not key:
        raise AccessError(
            f"no key for {host(OPENAI, base_url)}: set OPENAI_API_KEY, or name another service "
            "with --base-url"
        )
    timeout = openai.Timeout(seconds, connect=min(seconds, 10.0))
    return OpenAIClient(openai.AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0, timeout=timeout))


def _need(package: str, extra: str) -> None:
    """Raise AccessError that says how to install a package that is not there."""
    try:
        import_module(package)
    except ImportError as error:
        raise AccessError(f"{package} is not installed: {to_install(extra)}") from error


def cloud_of_claude() -> str:
    """The cloud that Claude is asked through; empty for Anthropic's own service. Raises UsageError."""
    cloud = os.environ.get(CLOUD, "")
    if cloud not in ("", *CLOUDS):
        raise UsageError(f"{CLOUD}: got {cloud!r}, expected {' or '.join(CLOUDS)}")
    return cloud


def address(proposer: str, base_url: str = "") -> str:
    """The base URL in use. Raises UsageError for one that is none, or that holds a password."""
    name, usual = _ADDRESSES[proposer]
    url = base_url or os.environ.get(name, "") or usual
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"base URL: got {url!r}, expected one like http://localhost:8000/v1")
    if proposer == OPENAI and "@" in parts.netloc:
        raise UsageError("base URL: leave the password out; the key goes into OPENAI_API_KEY")
    return url.rstrip("/")


def _is_openai(base_url: str) -> bool:
    """Whether it is OpenAI's own service, or Azure's."""
    return (urlsplit(base_url).hostname or "").endswith((".openai.com", ".azure.com"))


def host(proposer: str = CLAUDE, base_url: str = "") -> str:
    """Where texts go: the host of the service, and the proxy on the way."""

    def place(url: str) -> str:  # a password may stand before the @
        return urlsplit(url if "//" in url else f"//{url}").netloc.rpartition("@")[2]

    if proposer == CLAUDE and not base_url and cloud_of_claude():
        url = str(connect(1).sdk.base_url)
    else:
        url = address(proposer, base_url)
    proxies = {} if proxy_bypass(place(url)) else getproxies()
    proxy = place(proxies.get(urlsplit(url).scheme) or proxies.get("all") or "")
    return place(url) + (f" through the proxy {proxy}" if proxy else "")
