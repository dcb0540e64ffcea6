"""Live runs against the local service: every ask ends answered or failed with the right cause."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest

from tests.lists import from_cases
from tests.proposing.claude import conftest
from tests.proposing.claude.conftest import Kept, alone, client_at, client_of, message, references, service
from tests.proposing.claude.faults import PAID, Faults
from tests.proposing.claude.server import Options
from workbench.errors import StoreError
from workbench.model import Kind, Proposal, Sample
from workbench.proposing.claude import run as claude_run
from workbench.proposing.claude.answers import AskAnswer, Failure, Result, Usage
from workbench.proposing.claude.asks import Ask, Setup, assemble, plan, plan_verdicts
from workbench.proposing.claude.call import CallPace
from workbench.proposing.claude.clients import ModelClient
from workbench.proposing.claude.run import Limits, LiveRun, RunProgress

FAST = Limits(call_seconds=20, attempts=4)
backoff = LiveRun._backoff


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate that needs no warm-up, and a short wait for another try; both have tests of their own."""
    monkeypatch.setattr(claude_run, "CallPace", lambda: CallPace(500.0))
    monkeypatch.setattr(LiveRun, "_backoff", lambda run, attempts: 0.05)


def rows(count: int) -> list[Sample]:
    return [replace(one, retrieved_contexts=(f"City{one.id} is far.",)) for one in references(count)]


both_forms = pytest.mark.parametrize("form", ["claude", "openai"])


async def run(client: ModelClient, asks: Iterable[Ask], kept: Any, **more: Any) -> Any:
    """A run of one step; of some parts of what is said of it there may be nothing."""
    return await conftest.propose_all(client, Setup(), [asks], kept, **{"limits": FAST, **more})


async def ran(kept: Any, steps: Any, options: Options, form: str = "claude", **more: Any) -> Any:
    """A run of some steps, or so many asks, against a service with some options."""
    steps = [alone(steps)] if isinstance(steps, int) else steps
    async with service(options, form) as (state, client):
        given = {"limits": FAST, **more}
        return state, await conftest.propose_all(client, Setup(), steps, kept, **given)


@both_forms
async def test_samples_are_proposed_from_start_to_end(kept: Kept, taj: Sample, form: str) -> None:
    """Entities, then statements, then verdicts: three kinds of calls make whole proposals."""
    setup = Setup()
    kinds: tuple[Kind, ...] = ("entity", "statement")
    samples = [*rows(12), taj]
    async with service(Options(latency=0.01), form) as (state, client):
        asks = (plan(samples, setup, kinds), plan_verdicts(samples, setup, kept.known))
        summary: Any = await conftest.propose_all(client, setup, asks, kept)

    proposals: Any = [assemble(one, setup, kinds, kept.known) for one in samples]
    assert {Proposal} == set(map(type, proposals))
    assert ["The Taj Mahal", "Agra", "Shah Jahan"] == [one.text for one in proposals[-1].reference_entities]
    assert ["found", "missing"] == [one.verdict for one in proposals[-1].statements]
    assert ("", len(state.stats.bodies)) == (summary.stopped, summary.progress.requests)
    assert summary.progress.cost > 0


@both_forms
@from_cases
async def test_a_bad_text_of_a_pack_fails_alone(kept: Kept, fault: str, kind: str, form: str) -> None:
    """The pack and each of its texts are paid, and what the pack cost is not lost."""
    options = Options(faults=Faults(texts={"Person3 ": fault}))
    state, summary = await ran(kept, kept.steps(references(6)), options, form)

    assert [kind] == kept.kinds()
    assert 5 == sum(isinstance(one, AskAnswer) for _, one in kept.results)
    assert 7 == state.stats.requests == summary.progress.requests
    results = [*kept.packs, *(one for _, one in kept.results)]
    spent = sum((one.usage for one in results if one.usage), Usage())
    assert summary.progress.usage == spent
    if fault in PAID and (fault, form) != ("context_window", "openai"):  # OpenAI refuses it before it answers
        assert [] == [one for _, one in kept.results if isinstance(one, Failure) and one.usage is None]


@both_forms
@pytest.mark.parametrize(
    "fault", ["429", "529", "500", "503", "502 html", "html", "foreign", "malformed", "cut"]
)
async def test_a_passing_fault_is_tried_again(kept: Kept, fault: str, form: str) -> None:
    state, summary = await ran(kept, 4, Options(faults=Faults(script=["", fault, fault, ""])), form)

    assert 4 == summary.progress.answered
    assert 6 == state.stats.requests == summary.progress.requests


@pytest.mark.parametrize(
    ("attempts", "longest"), [(0, 0.5), (1, 0.5), (2, 1), (3, 2), (6, 16), (7, 30), (9, 30)]
)
def test_each_try_waits_twice_as_long_up_to_half_a_minute(attempts: int, longest: float) -> None:
    """Less up to a quarter, by chance, so that calls that failed together come back apart."""
    run: Any = SimpleNamespace(_jitter=Random(0))
    waits = [backoff(run, attempts) / longest for _ in range(1000)]

    assert (0.75, 1.0) == (round(min(waits), 2), round(max(waits), 2))
    assert all(0.75 <= one <= 1 for one in waits)


@both_forms
@from_cases
async def test_a_lasting_fault_is_a_failure(kept: Kept, fault: str, kind: str, calls: int, form: str) -> None:
    limits = Limits(attempts=3, refusals=4)
    options = Options(faults=Faults(texts={"Person1 ": fault}))
    state, summary = await ran(kept, 3, options, form, limits=limits)

    assert [kind] == kept.kinds()
    assert 1 == summary.progress.failed
    assert 2 + calls == state.stats.requests


@both_forms
async def test_a_slow_answer_is_given_up_at_the_limit_of_a_call(kept: Kept, form: str) -> None:
    """Our own count of calls: on a busy machine a call can end before the service has seen it."""
    options = Options(slow_seconds=3600, faults=Faults(texts={"Person": "slow"}))
    _, summary = await ran(kept, 1, options, form, limits=Limits(call_seconds=0.3, attempts=2))

    assert ["timeout"] == kept.kinds()
    assert 2 == summary.progress.requests


@both_forms
@from_cases
async def test_what_fails_every_call_ends_the_run_alone(kept: Kept, fault: str, kind: str, form: str) -> None:
    options = Options(faults=Faults(script=[fault] * 50))
    state, summary = await ran(kept, 40, options, form, limits=Limits(in_flight=4))

    assert [] == kept.results
    assert (kind, True) == (summary.failure.kind, summary.failure.stops)
    assert summary.failure.message == summary.stopped
    assert state.stats.requests <= 8


@pytest.mark.parametrize("fault", ["not json", "schema"])
async def test_a_model_that_keeps_to_no_schema_ends_the_run_after_ten_texts(kept: Kept, fault: str) -> None:
    """Each was asked by itself and paid: more of them would be paid for nothing. What was paid is stored."""
    async with service(Options(faults=Faults(share=1.0, kinds=[fault]))) as (state, client):
        summary = await run(client, alone(60), kept, limits=Limits(in_flight=4))

    assert (fault, summary.failure.message) == (summary.failure.kind, summary.stopped)
    assert len(kept.results) == state.stats.requests < 20


async def test_a_service_that_is_not_there_ends_the_run_after_ten_asks(kept: Kept) -> None:
    async with client_at("http://127.0.0.1:9") as client:
        summary = await run(client, alone(40), kept, limits=Limits(in_flight=4, attempts=1))

    assert "connection" == summary.failure.kind
    assert len(kept.results) < 20


@both_forms
async def test_a_text_that_an_answer_leaves_out_is_asked_alone_and_others_kept(kept: Kept, form: str) -> None:
    """Ten texts, two calls: not eleven."""
    options = Options(faults=Faults(script=["left out"]))
    state, summary = await ran(kept, kept.steps(references(10)), options, form)

    assert 2 == state.stats.requests == summary.progress.answered
    assert 10 == len(kept.known)
    assert [] == kept.kinds()


@both_forms
async def test_an_answer_that_names_no_tokens_makes_the_cost_unknown(form: str) -> None:
    _, summary = await ran(Kept(), 3, Options(faults=Faults(script=["no usage"])), form)

    assert (3, 1, None) == (summary.progress.answered, summary.progress.unmetered, summary.progress.cost)


async def test_a_service_that_goes_away_ends_the_run_and_fails_no_text(kept: Kept) -> None:
    """The calls under way are tried again for some seconds; nothing else starts meanwhile."""
    gone = False

    def handler(request: httpx2.Request) -> httpx2.Response:
        if gone:
            raise httpx2.ConnectError("connection refused")
        good = json.dumps({"texts": [{"text": 1, "entities": []}]})
        return httpx2.Response(200, json=message(good), headers={"content-type": "application/json"})

    async def leave(ask: Ask, result: Result) -> None:
        nonlocal gone
        gone = True
        await kept(ask, result)

    async with client_of(handler) as client:
        # as many tries as end a run: on a busy machine a call may have all of its own before the others
        limits = Limits(in_flight=4, attempts=10)
        summary = await run(client, alone(200), leave, limits=limits)

    assert ("connection", []) == (summary.failure.kind, kept.kinds())
    assert summary.progress.requests < 200


@pytest.mark.parametrize("times", [1, 400])
async def test_a_run_stops_before_the_call_that_would_exceed_the_limit(kept: Kept, times: int) -> None:
    """Also when answers are far longer than foretold."""
    limit, options = Decimal("0.012"), Options(latency=0.02, answer_times=times, thinking=200)
    _, summary = await ran(kept, 300, options, limits=Limits(max_cost=limit))

    assert summary.stopped.startswith("--max-cost $0.012: $0.0")
    assert limit * 2 / 3 < summary.progress.cost <= limit
    assert 0 < summary.progress.answered < 300
    assert [] == kept.kinds()


async def test_a_soft_stop_hands_over_everything_that_was_started(kept: Kept) -> None:
    stop = asyncio.Event()
    async with service(Options(latency=0.2)) as (state, client):

        def watch(progress: RunProgress) -> None:
            if progress.answered:
                stop.set()

        limits = Limits(in_flight=8)
        summary = await run(client, alone(200), kept, limits=limits, stop=stop, on_progress=watch)

    assert "asked to stop" == summary.stopped
    assert len(kept.results) == state.stats.requests == summary.progress.answered
    assert 0 < summary.progress.answered < 200


async def test_cancelling_hands_over_what_came_and_drops_what_did_not() -> None:
    """Nothing is stored in half: what was being stored when Ctrl-C came is stored."""
    begun: list[str] = []
    stored: list[str] = []

    async def slowly(ask: Ask, result: Result) -> None:
        begun.append(ask.keys[0])
        while not task.cancelling():
            await asyncio.sleep(0.01)
        stored.append(ask.keys[0])

    options = Options(slow_seconds=3600, faults=Faults(texts={"Person7 lives": "slow"}))
    async with service(options) as (_, client):
        task = asyncio.create_task(run(client, alone(8), slowly))
        while len(begun) < 7:
            await asyncio.sleep(0.01)
        assert [] == stored
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert 7 == len(stored)


async def test_an_error_while_storing_ends_the_run_and_is_raised() -> None:
    async def full(ask: Ask, result: Result) -> None:
        raise StoreError("the disk is full")

    async with service(Options(latency=0.02)) as (state, client):
        with pytest.raises(StoreError, match="the disk is full"):
            await run(client, alone(300), full, limits=Limits(in_flight=4))

    assert state.stats.requests < 50


async def test_an_error_while_asks_are_made_is_raised(kept: Kept) -> None:
    def broken() -> Iterator[Ask]:
        yield from alone(3)
        raise StoreError("the database is gone")

    with pytest.raises(StoreError, match="gone"):
        await ran(kept, [broken()], Options(latency=0.2))

    assert 3 == len(kept.results)  # of the calls that were under way


async def test_no_more_calls_are_under_way_than_allowed_and_asks_are_taken_as_needed() -> None:
    taken = 0

    def counted() -> Iterator[Ask]:
        nonlocal taken
        for ask in alone(60):
            taken += 1
            yield ask

    most = 0

    async def watch(ask: Ask, result: Result) -> None:
        nonlocal most
        most = max(most, taken - state.stats.statuses[200])

    async with service(Options(latency=0.05)) as (state, client):
        await run(client, counted(), watch, limits=Limits(in_flight=5))

    assert state.stats.most_at_once <= 5
    assert most <= 7


async def test_retry_after_is_shown_and_obeyed() -> None:
    seen: list[RunProgress] = []
    faults = Faults(script=["429"])
    state, _ = await ran(Kept(), 2, Options(faults=faults, retry_after="1"), on_progress=seen.append)

    waiting = [one for one in seen if one.waiting > 0]
    assert waiting
    assert {"rate limited: the service asks for 1 s"} == {one.why for one in waiting}
    assert 0.9 <= state.stats.times[-1] - state.stats.times[0]


@both_forms
async def test_a_service_that_asks_for_an_hour_ends_the_run_and_fails_nothing(kept: Kept, form: str) -> None:
    """The next start goes on; nobody sits before a screen for an hour."""
    options = Options(faults=Faults(script=["", "429"]), retry_after="3600")
    state, summary = await ran(kept, 40, options, form, limits=Limits(in_flight=1))

    assert (2, 1, 1) == (state.stats.requests, summary.progress.answered, summary.progress.refused)
    assert [] == kept.kinds()
    assert "rate limited (the service asks to wait 3,600 seconds): run again" in summary.stopped


async def test_x_should_retry_is_obeyed(kept: Kept) -> None:
    calls = 0

    def handler(request: httpx2.Request) -> httpx2.Response:
        nonlocal calls
        calls += 1
        return httpx2.Response(500, json={}, headers={"x-should-retry": "false"})

    async with client_of(handler) as client:
        await run(client, alone(1), kept)

    assert 1 == calls
    assert ["server error"] == kept.kinds()


async def test_progress_ends_with_all_answers_tokens_and_cost() -> None:
    seen: list[RunProgress] = []
    await ran(Kept(), 100, Options(latency=0.1), limits=Limits(in_flight=10), on_progress=seen.append)

    middle, last = seen[len(seen) // 2], seen[-1]
    assert (100, 0, 0, Decimal) == (last.answered, last.failed, last.in_flight, type(last.cost))
    assert middle.rate > 0 < last.usage.input
    assert middle.in_flight <= 10


async def test_a_model_without_a_price_costs_an_unknown_amount() -> None:
    good = json.dumps({"texts": [{"text": 1, "entities": []}]})
    async with conftest.replying(message(good)) as client:
        setup = Setup(model="someone-elses")
        summary = await conftest.propose_all(client, setup, [alone(1)], Kept())

    assert summary.progress.cost is None
    assert Usage(100, 20) == summary.progress.usage


@both_forms
async def test_with_a_third_of_the_calls_failing_every_ask_ends_with_its_cause(kept: Kept, form: str) -> None:
    """Faults of all passing and paid kinds, by chance: nothing is lost and no text is paid for nothing."""
    kinds = ["429", "529", "500", "503", "502 html", "html", "foreign", "malformed", "cut", *PAID]
    options = Options(latency=0.01, faults=Faults(share=0.3, kinds=kinds, seed=3))
    limits = Limits(attempts=12, refusals=30, in_flight=64)
    state, summary = await ran(kept, 150, options, form, limits=limits)

    assert 150 == len(kept.results) == len({ask.keys for ask, _ in kept.results})
    assert state.stats.requests == summary.progress.requests
    met = state.options.faults.met
    assert sum(met[kind] for kind in PAID) == summary.progress.failed
    assert set(kept.kinds()) <= {"refused", "cut off", "too long", "not json", "schema", "unfinished"}
    lost = sum(met[kind] for kind in ("html", "foreign", "malformed", "cut"))
    assert 150 == state.stats.statuses[200] - lost


def test_the_sdk_is_loaded_at_the_first_call_and_not_before() -> None:
    folder = Path(claude_run.__file__).parent
    names = [path.stem for path in folder.glob("[a-z]*.py")]
    script = "import sys\n" + "".join(f"import workbench.proposing.claude.{name}\n" for name in names)
    script += "print(sorted({'anthropic', 'httpx2'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert {"asks", "batches", "call", "run"} <= set(names)
    assert "[]" == done.stdout.strip()


async def test_a_limit_of_tokens_that_is_named_is_kept(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fresh pace against 12,000 tokens a second: three dozen calls a second.

    How few calls are refused then is simulated: on a busy machine some arrive together.
    """
    pace = CallPace(10.0)
    monkeypatch.setattr(claude_run, "CallPace", lambda: pace)
    _, summary = await ran(kept, 60, Options(tokens=12_000, token_bucket=3_000, latency=0.05))

    assert 60 == summary.progress.answered
    cap = 0.98 * 12_000 / (summary.progress.usage.prompt / 60)
    assert pace.cap == pytest.approx(cap, rel=0.05)
    assert 0.45 * cap <= pace.rate <= 1.05 * cap
