"""Live mode: many asks at once at a learned rate, every result handed over as it comes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

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
from workbench.proposing.claude.call import CallPace, call, retry_after
from workbench.proposing.claude.clients import ModelClient
from workbench.proposing.claude.cost import Budget, Likely


@dataclass(slots=True)
class RunProgress:
    """A moment of a run. Times in seconds; `rate` is results per second.

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


@dataclass(frozen=True)
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
        self._began = self._now()

    def settled(self, result: Result) -> None:
        """An ask has its result."""
        if isinstance(result, AskAnswer):
            self.counts.answered += 1
        else:
            self.counts.failed += 1

    def read(self, in_flight: int, waiting: float = 0.0, why: str = "") -> RunProgress:
        """The moment as plain values."""
        counts, seconds = self.counts, self._now() - self._began
        return replace(
            counts,
            usage=self._budget.usage,
            cost=self._budget.cost,
            unmetered=self._budget.unmetered,
            in_flight=in_flight,
            seconds=seconds,
            rate=(counts.answered + counts.failed) / max(seconds, TICK),
            waiting=max(0.0, waiting),
            why=why if waiting > 0 else "",
        )


OnResult = Callable[[Ask, Result], Coroutine[Any, Any, None]]
OnProgress = Callable[[RunProgress], None]

TICK = 0.25  # seconds between two progress values
# So many calls in a row without a single answer mean that the service or the request is at fault, not a text.
_HOPELESS = 10
_DOUBTFUL = 4  # calls in a row out of reach of the service: new ones wait until one gets through
_HOPELESS_KINDS: frozenset[FailureKind] = frozenset(
    kind for kind in CAUSES if CAUSES[kind].again or kind == "bad request"
)
_SHAPELESS: frozenset[FailureKind] = frozenset(("not json", "schema"))
"""Hopeless too where each text is asked by itself: the model keeps to no schema, and every call is paid."""


class Limits(NamedTuple):
    """How much at once, how long, and how often. Times in seconds.

    A call that fails unpaid is made at most `attempts` times, one that meets the rate limit `refusals`
    times. A service that asks to wait longer than `longest_wait` ends the run, to be gone on with later.
    Before `max_cost` dollars would be exceeded, no call starts; those under way may finish, because they
    are paid. `gently` leaves a screen of this process half of the processor time.
    """

    in_flight: int = 256
    call_seconds: float = 180.0
    longest_wait: float = 120.0
    attempts: int = 5
    refusals: int = 10
    max_cost: Decimal | None = None
    gently: bool = False


class Terms(NamedTuple):
    """What bounds a run and who follows it.

    `limits` and `budget` bound its calls and dollars, `stop` ends it softly, `on_progress` gets its state.
    """

    limits: Limits
    budget: Budget
    stop: asyncio.Event
    on_progress: OnProgress = lambda _: None


class LiveRun:
    """Calls for every ask, and hands each result over at once. Needs a client with its retries off."""

    def __init__(self, client: ModelClient, setup: Setup, on_result: OnResult, terms: Terms) -> None:
        self._client, self._setup, self._on_result = client, setup, on_result
        self._limits, self._budget, self._stop, self._on_progress = terms
        self._pace, self._meter = CallPace(), RunMeter(terms.budget)
        self._loop = asyncio.get_running_loop()
        self._now = self._loop.time
        self._gate = asyncio.Lock()
        self._wake, self._over = asyncio.Event(), asyncio.Event()
        self._asks: set[asyncio.Task[None]] = set()
        self._deliveries: set[asyncio.Task[None]] = set()
        self._in_flight = self._in_a_row = 0
        self._why = self._stopped = ""
        self._halted: Failure | None = None
        self._broken: BaseException | None = None
        self._jitter = random.Random(0)

    async def all(self, steps: Iterable[Iterable[Ask]]) -> Summary:
        """Run to the end, or to where it stops; asks are taken as they are needed.

        Each step is taken when the results of the one before are handed over. `stop` ends the run softly:
        nothing new starts, what is under way is waited for and handed over. Cancelling drops the calls under
        way, but every result that came is still handed over first. A failure that holds for every call (no
        key, model not found, service out of reach) ends the run and stands in the summary. An error of
        `on_result` ends it too and is raised.
        """
        helpers = [self._loop.create_task(work) for work in (self._watch(), self._tick())]
        try:
            for asks in steps:
                await self._step(iter(asks))
                if self._over.is_set():
                    break
        finally:
            for task in (*self._asks, *helpers):
                task.cancel()
            await asyncio.gather(*self._asks, *helpers, return_exceptions=True)
            while self._deliveries:
                await asyncio.wait(self._deliveries)
        if self._broken is not None:
            raise self._broken
        progress = self._read()
        self._on_progress(progress)
        return Summary(progress, self._halted.message if self._halted else self._stopped, self._halted)

    async def _step(self, asks: Iterator[Ask]) -> None:
        """Call for every ask, as long as calls may start; wait for what is under way."""
        while not self._over.is_set():
            began = self._now()
            try:
                ask = await asyncio.to_thread(next, asks, None)  # planned next to the event loop
            except Exception as error:  # a database that cannot be read: what is under way is paid for
                self._broken = self._broken or error
                self._end("")
                break
            if self._limits.gently:
                await asyncio.sleep(self._now() - began)
            if ask is None:
                break
            likely = self._budget.likely(ask)
            if await self._turn(likely):
                self._run(self._asks, self._ask(ask, likely))
        while tasks := self._asks | self._deliveries:
            await asyncio.wait(tasks)

    def _end(self, why: str) -> None:
        """No call starts any more."""
        self._stopped = self._stopped or why
        self._over.set()
        self._wake.set()

    def _halt(self, failure: Failure) -> None:
        self._halted = self._halted or failure
        self._end(failure.message)

    def _run(self, tasks: set[asyncio.Task[None]], work: Coroutine[Any, Any, None]) -> None:
        """A task whose end is noticed and whose error ends the run."""
        task = self._loop.create_task(work)
        tasks.add(task)

        def ended(done: asyncio.Task[None]) -> None:
            tasks.discard(done)
            self._wake.set()
            if not done.cancelled() and done.exception() is not None:
                self._broken = self._broken or done.exception()
                self._end("")

        task.add_done_callback(ended)

    async def _turn(self, likely: Likely) -> bool:
        """Wait until a call may start, and count it; False when none may. First come, first served."""
        async with self._gate:
            while not self._over.is_set():
                self._wake.clear()
                wait, room = self._pace.wait(self._now()), self._budget.room(likely)
                full = self._in_flight + len(self._deliveries) >= self._limits.in_flight
                if room == "no":
                    self._end(self._budget.why_not(likely))
                elif full or room == "wait":
                    await self._wake.wait()
                elif wait > 0:
                    await within(wait, self._over)
                else:
                    self._pace.started(self._now())
                    self._budget.start(likely)
                    self._meter.counts.requests += 1
                    self._in_flight += 1
                    return True
        return False

    async def _ask(self, ask: Ask, likely: Likely) -> None:
        """Call until the result counts, and hand it over; without one when the run ends before."""
        attempts = refusals = 0
        while True:
            started = self._now()
            called = await call(self._client, self._setup, ask, self._limits.call_seconds)
            result, wait = called.result, None
            self._in_flight -= 1
            self._wake.set()
            self._budget.end(likely, result)
            if isinstance(result, Failure):
                refusals += result.kind == "rate limited"
                attempts += result.kind != "rate limited"
                hopeless = result.kind in _HOPELESS_KINDS | (_SHAPELESS if len(ask.keys) == 1 else set())
                self._in_a_row = self._in_a_row + 1 if hopeless else 0
                wait = self._failed(result, called.headers, attempts, refusals, started)
            else:
                self._in_a_row = 0
                self._pace.answered(self._now(), _use(result.usage), called.headers)
            if wait is None:
                if len(asked_alone(ask, result)) < len(ask.keys):
                    self._meter.settled(result)
                # in a task of its own that no cancelling stops
                self._run(self._deliveries, self._on_result(ask, result))
                return
            await within(wait, self._over)
            if not await self._turn(likely):
                return

    def _failed(
        self, failure: Failure, headers: Mapping[str, str], attempts: int, refusals: int, started: float
    ) -> float | None:
        """Learn from a failure: seconds until the next try, 0 when the run ends; None: given up."""
        if failure.stops:
            self._halt(failure)
            return 0.0
        now, asked = self._now(), retry_after(headers)
        limited = failure.kind == "rate limited"
        self._meter.counts.refused += limited
        if asked is not None and asked > self._limits.longest_wait:
            self._halt(Failure(failure.kind, f"the service asks to wait {asked:,.0f} seconds"))
            return 0.0
        if limited:
            self._pace.refused(now, started, asked, headers)
            self._why = "rate limited" + (f": the service asks for {asked:g} s" if asked else "")
        elif failure.kind in {"overloaded", "timeout"}:
            self._pace.overloaded(now, started)
            self._pace.pause(now, asked or 0.0)
            self._why = failure.kind
        elif failure.kind == "connection" and self._in_a_row >= _DOUBTFUL:
            self._pace.pause(now, self._backoff(attempts))
            self._why = "the service is out of reach"
        elif failure.usage is not None:
            self._pace.answered(now, _use(failure.usage), headers)
        last = refusals >= self._limits.refusals if limited else attempts >= self._limits.attempts
        if CAUSES[failure.kind].again and not last and headers.get("x-should-retry") != "false":
            return self._backoff(attempts) if asked is None else asked
        if self._in_a_row < _HOPELESS:
            return None
        self._halt(failure)
        return None if failure.usage else 0.0  # what was paid is stored

    def _backoff(self, attempts: int) -> float:
        """Half a second, doubled with every attempt up to 30 s, less up to a quarter so that calls spread."""
        longest: float = min(30.0, 0.5 * 2.0 ** max(0, attempts - 1))
        return longest * self._jitter.uniform(0.75, 1.0)

    async def _watch(self) -> None:
        await self._stop.wait()
        self._end("asked to stop")

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            try:
                self._on_progress(self._read())
            except Exception as error:
                self._broken = self._broken or error
                self._end("")

    def _read(self) -> RunProgress:
        waiting = self._pace.paused_until - self._now()
        return self._meter.read(self._in_flight, waiting, self._why)


async def within(seconds: float, event: asyncio.Event) -> None:
    """Wait so many seconds, or until the event."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def _use(usage: Usage | None) -> dict[str, int]:
    """What a call takes of the token limits: reading from the cache takes nothing."""
    if usage is None:
        return {}
    sent = usage.prompt - usage.cache_read
    return {"input-tokens": sent, "output-tokens": usage.output, "tokens": sent + usage.output}
