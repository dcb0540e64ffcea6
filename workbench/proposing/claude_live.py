"""Live mode: many asks at once at a learned rate, every result handed over as it comes."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.proposing.claude_asks import Ask, Setup, singles
from workbench.proposing.claude_call import Called, call, retry_after
from workbench.proposing.claude_money import Prices, default_prices
from workbench.proposing.claude_pace import Pace
from workbench.proposing.claude_progress import Meter, Progress, Summary
from workbench.proposing.claude_results import CAUSES, NO_TOKENS, Failure, FailureKind, Result, Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

OnResult = Callable[[Ask, Result], Awaitable[None] | None]
OnProgress = Callable[[Progress], None]

TICK = 0.25  # seconds between two progress values
# So many asks in a row without a single answer mean that the service or the request is at fault, not a text.
_HOPELESS = 10
_HOPELESS_KINDS: frozenset[FailureKind] = frozenset(
    kind for kind in CAUSES if CAUSES[kind].again or kind == "bad request"
)
# What one text of several may have caused: each is then asked by itself.
_SPLIT: frozenset[FailureKind] = frozenset(
    ("refused", "too long", "bad request", "cut off", "unfinished", "not json", "schema")
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much at once, how long, and how often. Times in seconds.

    A call that fails unpaid is made at most `attempts` times, one that meets the rate limit `refusals`
    times. `longest_wait` caps what the service may ask to wait. After `total_seconds` no call starts;
    those under way may finish, because they are paid.
    """

    in_flight: int = 256
    call_seconds: float = 180.0
    total_seconds: float | None = None
    longest_wait: float = 120.0
    attempts: int = 5
    refusals: int = 10


@dataclass(slots=True)
class _Try:
    """An ask on its way, with what it cost before."""

    ask: Ask
    attempts: int = 0
    refusals: int = 0
    spent: Usage = NO_TOKENS


async def propose_all(
    client: AsyncAnthropic,
    setup: Setup,
    asks: Iterable[Ask] | AsyncIterable[Ask],
    on_result: OnResult,
    *,
    limits: Limits | None = None,
    prices: Prices | None = None,
    total: int | None = None,
    on_progress: OnProgress | None = None,
    stop: asyncio.Event | None = None,
) -> Summary:
    """Call for every ask and hand each result to `on_result` at once; asks are taken as they are needed.

    A pack that fails because of a text in it is asked again text by text: `on_result` then gets those.
    `stop` ends the run softly: nothing new starts, what is under way is waited for and handed over.
    Cancelling drops the calls under way, but every result that came is still handed over first. A failure
    that holds for every call (no key, unknown model, service out of reach) ends the run and stands in the
    summary. An error of `on_result` ends it too and is raised. Needs `client` with its retries off.
    """
    run = _Run(client, setup, on_result, limits or Limits(), prices or default_prices(), total)
    return await run.all(asks, on_progress, stop or asyncio.Event())


class _Run:
    """The state of one run."""

    def __init__(
        self,
        client: AsyncAnthropic,
        setup: Setup,
        on_result: OnResult,
        limits: Limits,
        prices: Prices,
        total: int | None,
    ) -> None:
        self._client, self._setup, self._on_result, self._limits = client, setup, on_result, limits
        self._now = asyncio.get_running_loop().time
        self._began = self._now()
        self._pace = Pace()
        self._meter = Meter(setup.model, prices, total, self._began)
        self._later: list[tuple[float, int, _Try]] = []
        self._order = itertools.count()
        self._calls: set[asyncio.Task[None]] = set()
        self._deliveries: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._why = ""
        self._in_a_row = 0
        self._halted: Failure | None = None
        self._broken: BaseException | None = None
        self._jitter = random.Random(0)

    async def all(
        self, asks: Iterable[Ask] | AsyncIterable[Ask], on_progress: OnProgress | None, stop: asyncio.Event
    ) -> Summary:
        """Run to the end, or to where it stops."""
        helpers = [asyncio.create_task(self._tick(on_progress)), asyncio.create_task(self._watch(stop))]
        source = aiter(asks) if isinstance(asks, AsyncIterable) else _each(asks)
        stopped = ""
        try:
            stopped = await self._dispatch(source, stop)
            while self._calls or self._deliveries:
                await self._event()
        finally:
            for task in (*self._calls, *helpers):
                task.cancel()
            await asyncio.gather(*self._calls, *helpers, return_exceptions=True)
            while self._deliveries:
                await asyncio.wait(self._deliveries)
        if self._broken is not None:
            raise self._broken
        progress = self._read()
        if on_progress is not None:
            on_progress(progress)
        if self._halted is not None:
            stopped = self._halted.message
        return Summary(progress, dict(self._meter.failures), stopped, self._halted)

    async def _dispatch(self, source: AsyncIterator[Ask], stop: asyncio.Event) -> str:
        """Start calls until nothing is left or something ends the run; why it ended early, else ""."""
        pull: asyncio.Task[Ask | None] | None = asyncio.create_task(_next(source))
        deadline = self._began + (self._limits.total_seconds or float("inf"))
        try:
            while self._halted is None and self._broken is None:
                now = self._now()
                if stop.is_set():
                    return "asked to stop"
                if now >= deadline:
                    return "out of time"
                if pull is None and not (self._later or self._calls or self._deliveries):
                    return ""
                ready = self._later[0][0] if self._later else float("inf")
                wait = max(self._pace.wait(now), min(deadline, ready) - now if pull is None else 0.0)
                full = len(self._calls) + len(self._deliveries) >= self._limits.in_flight
                if full or wait > 0:
                    await self._event(deadline - now if full else min(wait, deadline - now))
                elif ready <= now:
                    self._start(heapq.heappop(self._later)[2])
                elif pull is not None and pull.done():
                    ask = pull.result()
                    pull = None if ask is None else asyncio.create_task(_next(source))
                    if ask is not None:
                        self._start(_Try(ask))
                elif pull is not None:
                    pull.add_done_callback(lambda _: self._wake.set())
                    await self._event(min(deadline, ready) - now)
            return ""
        finally:
            if pull is not None:
                pull.cancel()
                await asyncio.gather(pull, return_exceptions=True)
            if isinstance(source, AsyncGenerator):
                await source.aclose()

    def _start(self, item: _Try) -> None:
        self._pace.started(self._now())
        self._meter.requests += 1
        self._meter.retries += item.attempts + item.refusals > 0
        self._run(self._calls, self._call(item))

    def _run(self, tasks: set[asyncio.Task[None]], work: Awaitable[None]) -> None:
        """A task that wakes the dispatcher at its end and whose error ends the run."""
        task = asyncio.ensure_future(work)
        assert isinstance(task, asyncio.Task)
        tasks.add(task)

        def ended(done: asyncio.Task[None]) -> None:
            tasks.discard(done)
            if not done.cancelled() and done.exception() is not None:
                self._broken = self._broken or done.exception()
            self._wake.set()

        task.add_done_callback(ended)

    async def _call(self, item: _Try) -> None:
        started = self._now()
        called = await call(self._client, self._setup, item.ask, self._limits.call_seconds)
        now = self._now()
        self._meter.paid(called.result.usage)
        if not isinstance(called.result, Failure):
            self._in_a_row = 0
            self._pace.answered(now, _use(called.result.usage), called.headers)
            self._deliver(item, called.result)
        else:
            self._failed(item, called.result, called, started, now)

    def _failed(self, item: _Try, failure: Failure, called: Called, started: float, now: float) -> None:
        """Wait and try again, split the pack, give the ask up, or end the run."""
        if failure.stops:
            self._halted = self._halted or failure
            return
        asked = retry_after(called.headers)
        seconds = None if asked is None else min(asked, self._limits.longest_wait)
        if failure.kind == "rate limited":
            item.refusals += 1
            self._meter.refused += 1
            self._pace.refused(now, started, seconds, called.headers)
            self._why = "rate limited" + (f": the service asks for {asked:g} s" if asked else "")
            again = item.refusals < self._limits.refusals
        else:
            item.attempts += 1
            if failure.kind in {"overloaded", "timeout"}:
                self._pace.overloaded(now, started)
                self._pace.pause(now, seconds or 0.0)
                self._why = failure.kind
            elif failure.usage is not None:
                self._pace.answered(now, _use(failure.usage), called.headers)
            again = CAUSES[failure.kind].again and item.attempts < self._limits.attempts
        if called.headers.get("x-should-retry") == "false":
            again = False
        if again:
            self._again(item, now + (self._backoff(item.attempts) if seconds is None else seconds))
        elif failure.kind in _SPLIT and len(item.ask.keys) > 1:
            spent = item.spent + (failure.usage or NO_TOKENS)
            for ask in singles(item.ask):
                self._again(_Try(ask, spent=spent), now)
                spent = NO_TOKENS
        else:
            self._in_a_row = self._in_a_row + 1 if failure.kind in _HOPELESS_KINDS else 0
            self._deliver(item, failure)
            if self._in_a_row >= _HOPELESS:
                self._halted = self._halted or failure

    def _again(self, item: _Try, when: float) -> None:
        heapq.heappush(self._later, (when, next(self._order), item))

    def _backoff(self, attempts: int) -> float:
        """Half a second, doubled with every attempt up to 30 s, less up to a quarter so that calls spread."""
        longest: float = min(30.0, 0.5 * 2.0 ** max(0, attempts - 1))
        return longest * self._jitter.uniform(0.75, 1.0)

    def _deliver(self, item: _Try, result: Result) -> None:
        """Hand a result over, in a task of its own that no cancelling stops."""
        given = _with(result, item)
        self._meter.settled(given)

        async def deliver() -> None:
            waited = self._on_result(item.ask, given)
            if waited is not None:
                await waited

        self._run(self._deliveries, deliver())

    async def _event(self, seconds: float = float("inf")) -> None:
        """Wait until something changed, at most for some seconds."""
        if not self._wake.is_set():
            try:
                async with asyncio.timeout(None if seconds == float("inf") else seconds):
                    await self._wake.wait()
            except TimeoutError:
                return
        self._wake.clear()

    async def _watch(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._wake.set()

    async def _tick(self, on_progress: OnProgress | None) -> None:
        while on_progress is not None:
            await asyncio.sleep(TICK)
            try:
                on_progress(self._read())
            except Exception as error:
                self._broken = self._broken or error
                self._wake.set()

    def _read(self) -> Progress:
        now = self._now()
        return self._meter.read(
            now,
            in_flight=len(self._calls),
            pace=self._pace.rate,
            waiting=self._pace.paused_until - now,
            why=self._why,
        )


def _with(result: Result, item: _Try) -> Result:
    """The result with all attempts, and with what the pack that it comes from cost."""
    tried = item.attempts + item.refusals
    if isinstance(result, Failure):
        usage = result.usage if item.spent == NO_TOKENS else (result.usage or NO_TOKENS) + item.spent
        return replace(result, attempts=tried, usage=usage)
    return replace(result, attempts=tried + 1, usage=result.usage + item.spent)


def _use(usage: Usage | None) -> dict[str, int]:
    """What a call takes of the token limits: reading from the cache takes nothing."""
    if usage is None:
        return {}
    sent = usage.prompt - usage.cache_read
    return {"input-tokens": sent, "output-tokens": usage.output, "tokens": sent + usage.output}


async def _each(asks: Iterable[Ask]) -> AsyncGenerator[Ask]:
    for ask in asks:
        yield ask


async def _next(source: AsyncIterator[Ask]) -> Ask | None:
    return await anext(source, None)
