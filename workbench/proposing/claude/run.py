"""Live mode: many asks at once at a learned rate, every result handed over as it comes."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from workbench.proposing.claude.answers import (
    CAUSES,
    NO_TOKENS,
    AskAnswer,
    Failure,
    FailureKind,
    Result,
    Usage,
)
from workbench.proposing.claude.asks import Ask, Setup, asked_alone
from workbench.proposing.claude.call import Called, call, retry_after
from workbench.proposing.claude.cost import Budget, Likely, assumed_thinking, default_prices
from workbench.proposing.claude.pace import CallPace

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


_WINDOW = 10.0  # seconds over which the shown rate is smoothed


@dataclass(slots=True)
class RunProgress:
    """A moment of a run. Times in seconds; `rate` is results per second of late.

    `cost` is None for a model without a price, and when `unmetered` answers named no tokens. While `waiting`
    is above 0 no call starts, and `why` says so. `requests` counts everything sent, `refused` those that met
    a rate limit.
    """

    answered: int = 0
    failed: int = 0
    in_flight: int = 0
    requests: int = 0
    refused: int = 0
    seconds: float = 0.0
    rate: float = 0.0
    waiting: float = 0.0
    why: str = ""
    usage: Usage = NO_TOKENS
    cost: Decimal | None = Decimal(0)
    unmetered: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended. `stopped` is empty when every ask has its result, else why some have none.

    `failure` is the one that made going on useless: nothing more was asked after it. `notes` are for a
    person to read.
    """

    progress: RunProgress
    stopped: str = ""
    failure: Failure | None = None
    notes: tuple[str, ...] = ()


class RunMeter:
    """Counts what happens to the asks of a run, from now on by the clock of the event loop."""

    def __init__(self, budget: Budget) -> None:
        self.counts = RunProgress()
        self._budget, self._now = budget, asyncio.get_running_loop().time
        self._began = self._seen_at = self._now()
        self._seen = 0

    def paid(self, result: Result) -> None:
        """A call came back: with tokens, unpaid, or with an answer that names no tokens."""
        usage, counts = result.usage, self.counts
        if usage is None:
            counts.unmetered += isinstance(result, AskAnswer)
            return
        counts.usage += usage
        price = self._budget.price(usage)
        counts.cost = None if price is None or counts.cost is None else counts.cost + price

    def settled(self, result: Result) -> None:
        """An ask has its result."""
        if isinstance(result, AskAnswer):
            self.counts.answered += 1
        else:
            self.counts.failed += 1

    def read(self, in_flight: int, waiting: float = 0.0, why: str = "") -> RunProgress:
        """The moment as plain values; the rate is smoothed over the readings."""
        counts, now = self.counts, self._now()
        done, since = counts.answered + counts.failed, now - self._seen_at
        if since > 0.2:
            share = min(1.0, since / min(_WINDOW, now - self._began))
            counts.rate += share * ((done - self._seen) / since - counts.rate)
            self._seen, self._seen_at = done, now
        return replace(
            counts,
            in_flight=in_flight,
            seconds=now - self._began,
            waiting=max(0.0, waiting),
            why=why if waiting > 0 else "",
            cost=None if counts.unmetered else counts.cost,
        )


OnResult = Callable[[Ask, Result], Awaitable[None] | None]
OnProgress = Callable[[RunProgress], None]

TICK = 0.25  # seconds between two progress values
# So many calls in a row without a single answer mean that the service or the request is at fault, not a text.
_HOPELESS = 10
_DOUBTFUL = 4  # calls in a row out of reach of the service: new ones wait until one gets through
_HOPELESS_KINDS: frozenset[FailureKind] = frozenset(
    kind for kind in CAUSES if CAUSES[kind].again or kind == "bad request"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much at once, how long, and how often. Times in seconds.

    A call that fails unpaid is made at most `attempts` times, one that meets the rate limit `refusals`
    times. A service that asks to wait longer than `longest_wait` ends the run, to be gone on with later.
    After `total_seconds`, and before `max_cost` dollars would be exceeded, no call starts; those under way
    may finish, because they are paid. `gently` leaves a screen of this process half of the processor time.
    """

    in_flight: int = 256
    call_seconds: float = 180.0
    total_seconds: float | None = None
    longest_wait: float = 120.0
    attempts: int = 5
    refusals: int = 10
    max_cost: Decimal | None = None
    gently: bool = False


@dataclass(slots=True)
class _Try:
    """An ask on its way, with what its next call likely costs."""

    ask: Ask
    likely: Likely
    attempts: int = 0
    refusals: int = 0


async def propose_all(
    client: AsyncAnthropic,
    setup: Setup,
    steps: Iterable[Iterable[Ask]],
    on_result: OnResult,
    *,
    limits: Limits | None = None,
    on_progress: OnProgress | None = None,
    stop: asyncio.Event | None = None,
    budget: Budget | None = None,
) -> Summary:
    """Call for every ask and hand each result to `on_result` at once; asks are taken as they are needed.

    Each step is taken when the results of the one before are handed over. `stop` ends the run softly:
    nothing new starts, what is under way is waited for and handed over. Cancelling drops the calls under
    way, but every result that came is still handed over first. A failure that holds for every call (no key,
    unknown model, service out of reach) ends the run and stands in the summary. An error of `on_result` ends
    it too and is raised. Needs `client` with its retries off.
    """
    limits = limits or Limits()
    budget = budget or Budget(limits.max_cost, default_prices(), setup, assumed_thinking(setup.effort))
    run = LiveRun(client, setup, on_result, limits, budget)
    return await run.all(steps, on_progress, stop or asyncio.Event())


class LiveRun:
    """The state of one live run."""

    def __init__(
        self, client: AsyncAnthropic, setup: Setup, on_result: OnResult, limits: Limits, budget: Budget
    ) -> None:
        self._client, self._setup, self._on_result, self._limits = client, setup, on_result, limits
        self._budget = budget
        self._now = asyncio.get_running_loop().time
        self._began = self._now()
        self._pace = CallPace()
        self._meter = RunMeter(budget)
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
        self, steps: Iterable[Iterable[Ask]], on_progress: OnProgress | None, stop: asyncio.Event
    ) -> Summary:
        """Run to the end, or to where it stops."""
        helpers = [asyncio.create_task(self._tick(on_progress)), asyncio.create_task(self._watch(stop))]
        stopped = ""
        try:
            for asks in steps:
                stopped = await self._dispatch(iter(asks), stop)
                if stopped or self._halted is not None or self._broken is not None:
                    break
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
        return Summary(progress, stopped, self._halted)

    async def _dispatch(self, asks: Iterator[Ask], stop: asyncio.Event) -> str:
        """Start calls until nothing is left or something ends the run; why it ended early, else ""."""
        pull: asyncio.Task[Ask | None] | None = asyncio.create_task(self._next(asks))
        fresh: _Try | None = None
        seconds = self._limits.total_seconds
        deadline = float("inf") if seconds is None else self._began + seconds
        try:
            while self._halted is None and self._broken is None:
                now = self._now()
                if stop.is_set():
                    return "asked to stop"
                if now >= deadline:
                    return "out of time"
                if fresh is None and pull is not None and pull.done():
                    ask = pull.result()
                    pull = None if ask is None else asyncio.create_task(self._next(asks))
                    fresh = None if ask is None else _Try(ask, self._budget.likely(ask))
                if fresh is None and pull is None and not (self._later or self._calls or self._deliveries):
                    return ""
                ready = self._later[0][0] if self._later else float("inf")
                chosen = self._later[0][2] if ready <= now else fresh
                wait = max(self._pace.wait(now), 0.0 if chosen is not None else min(deadline, ready) - now)
                full = len(self._calls) + len(self._deliveries) >= self._limits.in_flight
                room = "yes" if chosen is None else self._budget.room(chosen.likely)
                if chosen is not None and room == "no":
                    return self._budget.why_not(chosen.likely)
                if full or wait > 0 or room == "wait":
                    if chosen is None and pull is not None:
                        pull.add_done_callback(lambda _: self._wake.set())
                    await self._event(deadline - now if full or room == "wait" else min(wait, deadline - now))
                elif chosen is not None:
                    if chosen is fresh:
                        fresh = None
                    else:
                        heapq.heappop(self._later)
                    self._start(chosen)
            return ""
        finally:
            if pull is not None:
                pull.cancel()
                await asyncio.gather(pull, return_exceptions=True)

    async def _next(self, asks: Iterator[Ask]) -> Ask | None:
        """The next ask, planned in a thread next to the event loop."""
        began = self._now()
        ask = await asyncio.to_thread(next, asks, None)
        if self._limits.gently:
            await asyncio.sleep(self._now() - began)
        return ask

    def _start(self, item: _Try) -> None:
        self._pace.started(self._now())
        self._budget.start(item.likely)
        self._meter.counts.requests += 1
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
        self._meter.paid(called.result)
        self._budget.end(item.likely, called.result)
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
        self._in_a_row = self._in_a_row + 1 if failure.kind in _HOPELESS_KINDS else 0
        asked = seconds = retry_after(called.headers)
        self._meter.counts.refused += failure.kind == "rate limited"
        if asked is not None and asked > self._limits.longest_wait:
            late = Failure(failure.kind, f"the service asks to wait {asked:,.0f} seconds")
            self._halted = self._halted or late
            return
        if failure.kind == "rate limited":
            item.refusals += 1
            self._pace.refused(now, started, seconds, called.headers)
            self._why = "rate limited" + (f": the service asks for {asked:g} s" if asked else "")
            again = item.refusals < self._limits.refusals
        else:
            item.attempts += 1
            if failure.kind in {"overloaded", "timeout"}:
                self._pace.overloaded(now, started)
                self._pace.pause(now, seconds or 0.0)
                self._why = failure.kind
            elif failure.kind == "connection" and self._in_a_row >= _DOUBTFUL:
                self._pace.pause(now, self._backoff(item.attempts))
                self._why = "the service is out of reach"
            elif failure.usage is not None:
                self._pace.answered(now, _use(failure.usage), called.headers)
            again = CAUSES[failure.kind].again and item.attempts < self._limits.attempts
        if called.headers.get("x-should-retry") == "false":
            again = False
        if again:
            when = now + (self._backoff(item.attempts) if seconds is None else seconds)
            self._again(item, when)
        elif self._in_a_row >= _HOPELESS:
            self._halted = self._halted or failure
        else:
            self._deliver(item, failure)

    def _again(self, item: _Try, when: float) -> None:
        heapq.heappush(self._later, (when, next(self._order), item))

    def _backoff(self, attempts: int) -> float:
        """Half a second, doubled with every attempt up to 30 s, less up to a quarter so that calls spread."""
        longest: float = min(30.0, 0.5 * 2.0 ** max(0, attempts - 1))
        return longest * self._jitter.uniform(0.75, 1.0)

    def _deliver(self, item: _Try, result: Result) -> None:
        """Hand a result over, in a task of its own that no cancelling stops."""
        tried = item.attempts + item.refusals
        given = replace(result, attempts=tried + (not isinstance(result, Failure)))
        if len(asked_alone(item.ask, result)) < len(item.ask.keys):
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

    def _read(self) -> RunProgress:
        waiting = self._pace.paused_until - self._now()
        return self._meter.read(len(self._calls), waiting, self._why)


def _use(usage: Usage | None) -> dict[str, int]:
    """What a call takes of the token limits: reading from the cache takes nothing."""
    if usage is None:
        return {}
    sent = usage.prompt - usage.cache_read
    return {"input-tokens": sent, "output-tokens": usage.output, "tokens": sent + usage.output}
