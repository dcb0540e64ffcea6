"""Batch mode against the local service: every row is handed over once, and no batch is sent twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest

from tests.proposing.claude.conftest import Everything, client_at
from tests.proposing.claude.faults import Faults
from tests.proposing.claude.server import Options, Service, running
from workbench.model import Proposal, Sample
from workbench.proposing.claude import batches
from workbench.proposing.claude.answers import AskAnswer, Failure, Part, Result
from workbench.proposing.claude.asks import Ask, Setup, assemble, plan
from workbench.proposing.claude.batches import lost_batches, propose_batches, split, submit
from workbench.proposing.claude.clients import ModelClient
from workbench.proposing.claude.cost import Budget, default_prices
from workbench.proposing.claude.run import RunProgress, Summary


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at a batch every few milliseconds."""
    monkeypatch.setattr(batches, "_POLL", 0.02)
    monkeypatch.setattr(batches, "_LONGEST_POLL", 0.05)


def rows(count: int) -> list[Sample]:
    return [Sample(str(one), "Who?", f"Person{one} lives here.", ()) for one in range(count)]


def asks_of(count: int) -> list[Ask]:
    return list(plan(rows(count), Setup(), ("entity",), alone=Everything()))


class Kept:
    """What a stage would store: results by key, and batches as they are sent and taken."""

    def __init__(self) -> None:
        self.results: list[tuple[Ask, Result]] = []
        self.batches: list[tuple[str, int]] = []

    async def on_result(self, ask: Ask, result: Result) -> None:
        self.results.append((ask, result))

    async def on_batch(self, name: str, asks: tuple[Ask, ...]) -> None:
        self.batches.append((name, len(asks)))

    def known(self) -> dict[str, Part | Failure]:
        found: dict[str, Part | Failure] = {}
        for ask, result in self.results:
            parts = [result] * len(ask.keys) if isinstance(result, Failure) else result.parts
            found.update((key, part) for key, part in zip(ask.keys, parts, strict=True) if part is not None)
        return found

    def kinds(self) -> list[str]:
        return sorted(one.kind for _, one in self.results if isinstance(one, Failure))


@contextmanager
def service(options: Options) -> Iterator[tuple[Service, ModelClient]]:
    with running(options) as (state, url):
        yield state, client_at(url)


async def send(
    client: ModelClient, steps: list[list[Ask]], kept: Kept, *, setup: Setup | None = None, **more: Any
) -> Summary:
    """Batches without a limit of cost, unless the test has one."""
    setup = setup or Setup()
    usual = {"pending": {}, "on_progress": lambda _: None, "stop": asyncio.Event()}
    usual["budget"] = Budget(None, default_prices(), setup, 0, batch=True)
    return await propose_batches(client, setup, steps, kept.on_result, kept.on_batch, **{**usual, **more})


def test_batches_are_split_by_rows_and_bytes_and_hold_no_ask_twice() -> None:
    asks = asks_of(10)
    size = 2_000  # two rows of some 1,000 bytes

    assert [4, 4, 2] == [len(batch) for batch in split(Setup(), [*asks, asks[-1]], rows=4)]
    assert {1, 2} >= {len(batch) for batch in split(Setup(), asks, size=size)}
    assert asks == [ask for batch in split(Setup(), asks, size=1) for ask in batch]
    assert [] == list(split(Setup(), []))


async def test_a_batch_is_announced_sent_named_waited_for_and_collected() -> None:
    kept, seen = Kept(), list[RunProgress]()
    asks = list(plan(rows(25), Setup(), ("entity",)))
    with service(Options(batch_seconds=0.2)) as (state, client):
        async with client:
            summary = await send(client, [asks], kept, on_progress=seen.append)

    assert [("", 3), ("msgbatch_0001", 3), ("msgbatch_0001", 0)] == kept.batches
    assert (3, 3, 0, "") == (
        summary.progress.answered, summary.progress.requests, summary.progress.in_flight, summary.stopped,
    )  # fmt: skip
    assert all(isinstance(assemble(one, Setup(), ("entity",), kept.known()), Proposal) for one in rows(25))
    assert max(state.stats.paid.values()) == 1
    assert 3 == seen[0].in_flight


async def test_a_batch_costs_half() -> None:
    kept = Kept()
    with service(Options()) as (_, client):
        async with client:
            summary = await send(client, [asks_of(2)], kept)

    usage = summary.progress.usage
    live = (Decimal("0.1") * usage.input + Decimal("0.5") * usage.output) / 1_000_000
    assert summary.progress.cost == live / 2


async def test_rows_that_expired_were_canceled_or_errored_are_failures_to_retry() -> None:
    kept = Kept()
    with service(Options(batch_faults=0.5)) as (_, client):
        async with client:
            first = await send(client, [asks_of(60)], kept)
            failed = [ask for ask, result in kept.results if isinstance(result, Failure)]
            state_kinds = set(kept.kinds())
            _.options.batch_faults = 0.0
            second = await send(client, [failed], kept)

    assert {"expired", "canceled", "overloaded", "bad request"} == state_kinds
    assert 60 == first.progress.answered + first.progress.failed
    assert (len(failed), 0) == (second.progress.answered, second.progress.failed)


async def test_rows_with_unusable_answers_fail_with_what_they_cost() -> None:
    kept = Kept()
    faults = Faults(texts={"Person1 ": "refusal", "Person2 ": "max_tokens", "Person3 ": "schema"})
    with service(Options(faults=faults)) as (_, client):
        async with client:
            await send(client, [asks_of(5)], kept)

    assert ["cut off", "refused", "schema"] == kept.kinds()
    assert all(result.usage is not None for _, result in kept.results)


async def test_a_restart_fetches_what_was_sent_and_sends_nothing_again() -> None:
    """All that is stored of an ask is its task, its keys and its count."""
    kept, stop = Kept(), asyncio.Event()
    with service(Options(batch_seconds=0.5)) as (state, client):
        async with client:
            asyncio.get_running_loop().call_later(0.2, stop.set)
            first = await send(client, [asks_of(5)], kept, stop=stop)
            stored = {kept.batches[-1][0]: [Ask(one.task, one.keys, one.count) for one in asks_of(5)]}
            second = await send(client, [[]], kept, pending=stored)

    assert ("asked to stop", 0) == (first.stopped, first.progress.answered)
    assert (5, "") == (second.progress.answered, second.stopped)
    assert 1 == len(state.batches)


async def test_a_batch_whose_answer_got_lost_is_found_and_not_sent_twice() -> None:
    kept = Kept()
    with service(Options(faults=Faults(script=["cut"]))) as (state, client):
        async with client:
            summary = await send(client, [asks_of(4)], kept)

    assert 1 == len(state.batches)
    assert (4, "") == (summary.progress.answered, summary.stopped)


async def test_a_batch_that_was_not_taken_is_sent_again() -> None:
    with service(Options(faults=Faults(script=["529", "500", "429"]))) as (state, client):
        async with client:
            name = await submit(client, Setup(), asks_of(4))

    assert "msgbatch_0001" == name
    assert 1 == len(state.batches)


async def test_a_batch_of_others_that_was_made_meanwhile_is_not_taken_for_ours() -> None:
    class Meanwhile(Faults):
        """Somebody else's batch of three rows is there when ours of four was not taken."""

        def draw(self, request: dict[str, Any]) -> str:
            if name := super().draw(request):
                theirs = {"id": "msgbatch_theirs", "at": time.time() + 60, "canceled": False, "rows": None}
                state.batches["msgbatch_theirs"] = {**theirs, "requests": [{}] * 3}
            return name

    with service(Options(faults=Meanwhile(script=["500"]))) as (state, client):
        async with client:
            name = await submit(client, Setup(), asks_of(4))

    assert "msgbatch_0002" == name
    assert [3, 4] == [len(batch["requests"]) for batch in state.batches.values()]


@pytest.mark.parametrize(
    ("fault", "kind"), [("401", "key refused"), ("credit", "not paid"), ("413", "too long")]
)
async def test_a_batch_that_is_refused_is_a_failure_that_says_why(fault: str, kind: str) -> None:
    kept = Kept()
    with service(Options(faults=Faults(script=[fault]))) as (state, client):
        async with client:
            summary = await send(client, [asks_of(4)], kept)

    assert {} == state.batches
    assert summary.failure is not None
    assert (kind, summary.failure.message) == (summary.failure.kind, summary.stopped)
    assert [] == kept.results


async def test_after_a_crash_while_sending_the_batch_is_found_by_its_rows() -> None:
    with service(Options()) as (_, client):
        async with client:
            for count in (3, 4, 4):
                await submit(client, Setup(), asks_of(count))

            assert ["msgbatch_0003"] == await lost_batches(client, 4, {"msgbatch_0002"})
            assert [] == await lost_batches(client, 5, set())


async def test_a_strangers_batch_answers_nothing() -> None:
    kept = Kept()
    with service(Options()) as (_, client):
        async with client:
            name = await submit(client, Setup(labels=("gene",)), asks_of(3))
            assert isinstance(name, str)
            other = [Ask("entities", (f"{one:032x}",), 1) for one in range(3)]
            await send(client, [[]], kept, pending={name: other})

    assert [] == kept.results


async def test_results_that_break_off_are_fetched_again_and_handed_over_once() -> None:
    kept = Kept()
    # The draws: one for making the batch, one for every row, one for the results.
    with service(Options(faults=Faults(script=[""] * 9 + ["cut"]))) as (state, client):
        async with client:
            summary = await send(client, [asks_of(8)], kept)

    assert 1 == state.options.faults.met["cut"]
    assert 8 == len(kept.results) == len({ask.keys for ask, _ in kept.results})
    assert 8 == summary.progress.answered


async def test_a_line_of_results_that_cannot_be_read_fails_only_what_it_held() -> None:
    """It is looked at three times; then the run ends, and says so."""
    kept = Kept()
    faults = Faults(script=[""] * 6 + ["malformed"] * 9)
    with service(Options(faults=faults)) as (state, client):
        async with client, asyncio.timeout(30):
            summary = await send(client, [asks_of(5)], kept)

    assert (4, ["server error"]) == (summary.progress.answered, kept.kinds())
    assert 3 == state.options.faults.met["malformed"]
    assert ("msgbatch_0001", 0) == kept.batches[-1]
    (note,) = summary.notes
    assert note.startswith("batch msgbatch_0001: lines of its results that cannot be read: 1; calls without")


async def test_a_line_that_can_be_read_at_the_next_look_fails_nothing() -> None:
    kept = Kept()
    with service(Options(faults=Faults(script=[""] * 6 + ["malformed"]))) as (_, client):
        async with client:
            summary = await send(client, [asks_of(5)], kept)

    assert (5, [], ()) == (summary.progress.answered, kept.kinds(), summary.notes)


async def test_a_service_that_goes_away_while_a_batch_is_waited_for_ends_the_waiting() -> None:
    kept, client = Kept(), client_at("http://127.0.0.1:9")
    async with client, asyncio.timeout(30):
        summary = await send(client, [[]], kept, pending={"msgbatch_1": asks_of(2)})

    assert summary.failure is not None
    assert ("connection", []) == (summary.failure.kind, kept.results)


async def test_a_batch_holds_only_what_there_is_money_for() -> None:
    kept, prices = Kept(), default_prices()
    setup = Setup(effort=None)
    each = Budget(Decimal(1), prices, setup, 0, batch=True).likely(asks_of(1)[0]).cost
    with service(Options()) as (state, client):
        async with client:
            summary = await send(client, [asks_of(10)], kept, setup=setup,
                budget=Budget(each * Decimal("4.5"), prices, setup, 0, batch=True),
            )  # fmt: skip

    assert [4] == [len(batch["requests"]) for batch in state.batches.values()]
    assert 4 == summary.progress.answered
    assert summary.stopped.startswith("--max-cost $")


async def test_a_batch_that_the_service_no_longer_has_is_a_failure_to_retry() -> None:
    kept = Kept()
    with service(Options()) as (_, client):
        async with client:
            await send(client, [[]], kept, pending={"msgbatch_9": asks_of(2)})

    assert ["expired", "expired"] == kept.kinds()


async def test_many_batches_are_waited_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches.split, "__defaults__", (2, 64_000_000))
    kept = Kept()
    with service(Options(batch_seconds=0.1)) as (state, client):
        async with client:
            await send(client, [asks_of(7)], kept)

    assert 4 == len(state.batches)
    assert 7 == sum(isinstance(result, AskAnswer) for _, result in kept.results)
