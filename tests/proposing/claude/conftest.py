"""Clients that talk to a function or to the local service, and small samples."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI

from workbench.model import Sample
from workbench.proposing.claude.asks import Ask, Setup, plan
from workbench.proposing.claude.clients import ClaudeClient, ModelClient, OpenAIClient

Handler = Callable[[httpx2.Request], httpx2.Response]


@pytest.fixture
def setup() -> Setup:
    """How the packaged prompt asks."""
    return Setup()


@pytest.fixture
def taj() -> Sample:
    """A sample with two contexts."""
    return Sample(
        "taj",
        "What is the Taj Mahal?",
        "The Taj Mahal stands in Agra. Shah Jahan built it.",
        ("The Taj Mahal is in Agra, India.", "Agra lies on the Yamuna."),
    )


@pytest.fixture
def ask(setup: Setup, taj: Sample) -> Ask:
    """The call for the entities of one reference."""
    return next(plan([taj], setup, ("entity",)))


def client_of(handler: Handler) -> ClaudeClient:
    """A client whose transport is a function."""
    transport = httpx2.AsyncClient(transport=httpx2.MockTransport(handler))
    return ClaudeClient(AsyncAnthropic(api_key="test", max_retries=0, http_client=transport))


def client_at(url: str, form: str = "claude") -> ModelClient:
    """A client of the service at an address, in one of the forms that it speaks."""
    if form == "openai":
        return OpenAIClient(AsyncOpenAI(api_key="test", base_url=f"{url}/v1", max_retries=0))
    return ClaudeClient(AsyncAnthropic(api_key="test", base_url=url, max_retries=0))


def message(text: str = "", *, stop: str = "end_turn", **fields: Any) -> dict[str, Any]:
    """A message as the API makes it."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5-20261007",
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20},
        **fields,
    }


def replying(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> ClaudeClient:
    """A client that gets the same reply to everything; a body of bytes goes out as it is."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {"content-type": "application/json", "request-id": "req_7", **(headers or {})}
    return client_of(lambda request: httpx2.Response(status, content=content, headers=named))


class Everything:
    """Contains every key: as `alone` of a plan, no text shares a call."""

    def __contains__(self, key: object) -> bool:
        return True


def every_class(base: type[Exception]) -> list[type[Exception]]:
    """A class of errors of the installed SDK, and every one that derives from it, by name."""
    found: set[type[Exception]] = set()
    waiting = [base]
    while waiting:
        error_class = waiting.pop()
        found.add(error_class)
        waiting += error_class.__subclasses__()
    return sorted(found, key=lambda error_class: error_class.__name__)
