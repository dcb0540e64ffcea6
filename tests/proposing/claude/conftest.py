"""Clients that talk to a function or to the local service, and small samples."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI

from tests.proposing.claude.server import Options, Service, running
from workbench.model import Sample
from workbench.proposing.claude.answers import Failure, Part, Result
from workbench.proposing.claude.asks import Ask, Setup, asked_alone, plan
from workbench.proposing.claude.clients import ClaudeClient, ModelClient, OpenAIClient
from workbench.proposing.claude.cost import Budget, assumed_thinking, default_prices
from workbench.proposing.claude.run import Limits, LiveRun, Summary, Terms

Handler = Callable[[httpx2.Request], Any]


@pytest.fixture
def setup() -> Setup:
    """How the packaged prompt asks."""
    return Setup()


@pytest.fixture
def taj() -> Sample:
    """A sample with two contexts."""
    reference = "The Taj Mahal stands in Agra. Shah Jahan built it."
    contexts = ("The Taj Mahal is in Agra, India.", "Agra lies on the Yamuna.")
    return Sample("taj", "What is the Taj Mahal?", reference, contexts)


@pytest.fixture
def ask(setup: Setup, taj: Sample) -> Ask:
    """The call for the entities of one reference."""
    return next(plan([taj], setup, ("entity",)))


class Kept:
    """What a stage would store: parts and failures by payment key, every result, and batches as they go."""

    def __init__(self) -> None:
        self.known: dict[str, Part | Failure] = {}
        self.results: list[tuple[Ask, Result]] = []
        self.packs: list[Failure] = []
        self.alone: set[str] = set()
        self.batches: list[tuple[str, int]] = []

    async def __call__(self, ask: Ask, result: Result, _batch: str = "") -> None:
        await asyncio.sleep(0.001)
        self.alone.update(asked_alone(ask, result))
        if isinstance(result, Failure) and asked_alone(ask, result):
            self.packs.append(result)  # its texts come by themselves
            return
        self.results.append((ask, result))
        parts = [result] * len(ask.keys) if isinstance(result, Failure) else result.parts
        self.known.update((key, part) for key, part in zip(ask.keys, parts, strict=True) if part is not None)

    def steps(self, samples: list[Sample]) -> Iterator[Iterable[Ask]]:
        """The entities of the references, then by themselves what the answers settled nothing about."""
        yield plan(samples, Setup(), ("entity",))
        while self.alone - self.known.keys():
            yield plan(samples, Setup(), ("entity",), self.known, self.alone)

    async def on_batch(self, name: str, asks: tuple[Ask, ...]) -> str:
        self.batches.append((name, len(asks)))
        return "unsent"

    def kinds(self) -> list[str]:
        return sorted(one.kind for _, one in self.results if isinstance(one, Failure))


@pytest.fixture
def kept() -> Kept:
    """Nothing is stored yet."""
    return Kept()


def references(count: int) -> list[Sample]:
    """Samples without contexts."""
    texts = (f"Person{one} lives in City{one}." for one in range(count))
    return [Sample(str(one), f"Who is Person{one}?", text, ()) for one, text in enumerate(texts)]


def alone(count: int) -> list[Ask]:
    """One ask per reference."""
    return list(plan(references(count), Setup(), ("entity",), alone=Everything()))


@asynccontextmanager
async def service(options: Options, form: str = "claude") -> AsyncIterator[tuple[Service, ModelClient]]:
    """The local service, and a client of it in one of its forms."""
    with running(options) as (state, url):
        async with client_at(url, form) as client:
            yield state, client


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
    content = [{"type": "text", "text": text}] if text else []
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-5-5-20261007"}
    usage = {"input_tokens": 100, "output_tokens": 20}
    return {**head, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage, **fields}


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
    found = [base]
    for error_class in found:  # it grows on the way
        found += [one for one in error_class.__subclasses__() if one not in found]
    return sorted(found, key=lambda error_class: error_class.__name__)


USUAL = Limits()


async def propose_all(
    client: ModelClient, setup: Setup, steps: Any, on_result: Any, *, limits: Limits = USUAL, **more: Any
) -> Summary:
    """A live run at the packaged prices."""
    budget = Budget(limits.max_cost, default_prices(), setup, assumed_thinking(setup.effort))
    terms = Terms(limits, budget, asyncio.Event())._replace(**more)
    return await LiveRun(client, setup, on_result, terms).all(steps)
