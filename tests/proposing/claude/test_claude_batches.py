"""Batch mode against the local service: every row is handed over once, and no batch is sent twice."""

import asyncio
import time
from decimal import Decimal
from typing import Any

import pytest

from tests.proposing.claude.conftest import Kept, alone, client_at, references, service
from tests.proposing.claude.faults import Faults
from tests.proposing.claude.server import Options, Service
from workbench.model import Proposal
from workbench.proposing.claude import batches
from workbench.proposing.claude.answers import AskAnswer, Failure
from workbench.proposing.claude.asks import Ask, Setup, assemble, plan
from workbench.proposing.claude.batches import lost_batches, propose_batches, split, submit
from workbench.proposing.claude.cost import Budget, default_prices
from workbench.proposing.claude.run import Limits, RunProgress, Terms


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at a batch every few milliseconds."""
    monkeypatch.setattr(batches, "_POLL", 0.02)
    monkeypatch.setattr(batches, "_LONGEST_POLL", 0.05)


async def send(client: Any, steps: Any, kept: Kept, *, setup: Setup | None = None, **more: Any) -> Any:
    """Batches without a limit of cost, unless the test has one."""
    setup = setup or Setup()
    pending = more.pop("pending", {})
    budget = Budget(None, default_prices(), setup, 0, batch=True)
    terms = Terms(Limits(), budget, asyncio.Event())._replace(**more)
    return await propose_batches(client, setup, steps, kept, kept.on_batch, pending, terms)


async def sent(kept: Kept, count: int, **options: Any) -> tuple[Service, Any]:
    """A batch of so many references to a service with some options."""
    async with service(Options(**options)) as (state, client):
        return state, await send(client, [alone(count)], kept)


def test_batches_are_split_by_rows_and_bytes_and_hold_no_ask_twice() -> None:
    asks = alone(10)
    size = 2_000  # two rows of some 1,000 bytes

    assert [4, 4, 2] == [len(batch) for batch in split(Setup(), [*asks, asks[-1]], rows=4)]
    assert {1, 2} >= {len(batch) for batch in split(Setup(), asks, size=size)}
    assert asks == [ask for batch in split(Setup(), asks, size=1) for ask in batch]
    assert [] == list(split(Setup(), []))


async def test_a_batch_is_announced_sent_named_waited_for_and_collected(kept: Kept) -> None:
    seen = list[RunProgress]()
    asks = list(plan(references(25), Setup(), ("entity",)))
    async with service(Options(batch_seconds=0.2)) as (state, client):
        summary = await send(client, [asks], kept, on_progress=seen.append)

    last = summary.progress
    assert [("", 3), ("msgbatch_0001", 3), ("msgbatch_0001", 0)] == kept.batches
    assert (3, 3, 0, "") == (last.answered, last.requests, last.in_flight, summary.stopped)
    assert {Proposal} == {type(assemble(one, Setup(), ("entity",), kept.known)) for one in references(25)}
    assert max(state.stats.paid.values()) == 1
    assert 3 == seen[0].in_flight


async def test_a_batch_costs_half(kept: Kept) -> None:
    _, summary = await sent(kept, 2)

    usage = summary.progress.usage
    live = (Decimal("0.1") * usage.input + Decimal("0.5") * usage.output) / 1_000_000
    assert summary.progress.cost == live / 2


async def test_rows_that_expired_were_canceled_or_errored_are_failures_to_retry(kept: Kept) -> None:
    async with service(Options(batch_faults=0.5)) as (_, client):
        first = await send(client, [alone(60)], kept)
        failed = [ask for ask, result in kept.results if isinstance(result, Failure)]
        state_kinds = set(kept.kinds())
        _.options.batch_faults = 0.0
        second = await send(client, [failed], kept)

    assert {"expired", "canceled", "overloaded", "bad request"} == state_kinds
    assert 60 == first.progress.answered + first.progress.failed
    assert (len(failed), 0) == (second.progress.answered, second.progress.failed)


async def test_rows_with_unusable_answers_fail_with_what_they_cost(kept: Kept) -> None:
    faults = Faults(texts={"Person1 ": "refusal", "Person2 ": "max_tokens", "Person3 ": "schema"})
    await sent(kept, 5, faults=faults)

    assert ["cut off", "refused", "schema"] == kept.kinds()
    assert all(result.usage is not None for _, result in kept.results)


async def test_a_restart_fetches_what_was_sent_and_sends_nothing_again(kept: Kept) -> None:
    """All that is stored of an ask is its task, its keys and its count."""
    stop = asyncio.Event()
    async with service(Options(batch_seconds=600)) as (state, client):
        first = await send(client, [alone(5)], kept, stop=stop, on_progress=lambda _: stop.set())
        state.options.batch_seconds = 0.0
        stored = {kept.batches[-1][0]: [Ask(one.task, one.keys, one.count) for one in alone(5)]}
        second = await send(client, [[]], kept, pending=stored)

    assert ("asked to stop", 0) == (first.stopped, first.progress.answered)
    assert (5, "") == (second.progress.answered, second.stopped)
    assert 1 == len(state.batches)


async def test_a_batch_whose_answer_got_lost_is_found_and_not_sent_twice(kept: Kept) -> None:
    state, summary = await sent(kept, 4, faults=Faults(script=["cut"]))

    assert 1 == len(state.batches)
    assert (4, "") == (summary.progress.answered, summary.stopped)


async def test_a_batch_that_was_not_taken_is_sent_again() -> None:
    async with service(Options(faults=Faults(script=["529", "500", "429"]))) as (state, client):
        name = await submit(client, Setup(), alone(4))

    assert "msgbatch_0001" == name
    assert 1 == len(state.batches)


async def test_a_batch_of_others_that_was_made_meanwhile_and_one_from_before_are_not_taken_for_ours() -> None:
    class Meanwhile(Faults):
        """Somebody else's batch of three rows is there when ours of four was not taken."""

        def draw(self, request: dict[str, Any]) -> str:
            if name := super().draw(request):
                theirs = {"id": "msgbatch_theirs", "at": time.time() + 60, "canceled": False, "rows": None}
                state.batches["msgbatch_theirs"] = {**theirs, "requests": [{}] * 3}
            return name

    options = Options(faults=Meanwhile(script=["", "500"]), batch_seconds=600)
    async with service(options) as (state, client):
        names = [await submit(client, Setup(), alone(4)) for _ in range(2)]

    assert ["msgbatch_0001", "msgbatch_0003"] == names
    assert [4, 3, 4] == [len(batch["requests"]) for batch in state.batches.values()]


@pytest.mark.parametrize(
    ("fault", "kind"), [("401", "key refused"), ("credit", "not paid"), ("413", "too long")]
)
async def test_a_batch_that_is_refused_is_a_failure_that_says_why(kept: Kept, fault: str, kind: str) -> None:
    state, summary = await sent(kept, 4, faults=Faults(script=[fault]))

    assert {} == state.batches
    assert (kind, summary.failure.message) == (summary.failure.kind, summary.stopped)
    assert [] == kept.results


async def test_after_a_crash_while_sending_the_batch_is_found_by_its_rows() -> None:
    async with service(Options()) as (_, client):
        for count in (3, 4, 4):
            await submit(client, Setup(), alone(count))

        assert ["msgbatch_0003"] == await lost_batches(client, 4, {"msgbatch_0002"})
        assert [] == await lost_batches(client, 5, set())


async def test_a_strangers_batch_answers_nothing(kept: Kept) -> None:
    async with service(Options()) as (_, client):
        name: Any = await submit(client, Setup(labels=("gene",)), alone(3))
        other = [Ask("entities", (f"{one:032x}",), 1) for one in range(3)]
        await send(client, [[]], kept, pending={name: other})

    assert [] == kept.results


async def test_results_that_break_off_are_fetched_again_and_handed_over_once(kept: Kept) -> None:
    # The draws: one for making the batch, one for every row, one for the results.
    state, summary = await sent(kept, 8, faults=Faults(script=[""] * 9 + ["cut"]))

    assert 1 == state.options.faults.met["cut"]
    assert 8 == len(kept.results) == len({ask.keys for ask, _ in kept.results})
    assert 8 == summary.progress.answered


async def test_a_line_of_results_that_cannot_be_read_fails_only_what_it_held(kept: Kept) -> None:
    """It is looked at three times; then the run ends, and says so."""
    faults = Faults(script=[""] * 6 + ["malformed"] * 9)
    async with service(Options(faults=faults)) as (state, client), asyncio.timeout(600):
        summary = await send(client, [alone(5)], kept)

    assert (4, ["server error"]) == (summary.progress.answered, kept.kinds())
    assert 3 == state.options.faults.met["malformed"]
    assert ("msgbatch_0001", 0) == kept.batches[-1]
    (note,) = summary.notes
    assert note.startswith("batch msgbatch_0001: lines of its results that cannot be read: 1; calls without")


async def test_a_line_that_can_be_read_at_the_next_look_fails_nothing(kept: Kept) -> None:
    _, summary = await sent(kept, 5, faults=Faults(script=[""] * 6 + ["malformed"]))

    assert (5, [], ()) == (summary.progress.answered, kept.kinds(), summary.notes)


async def test_a_service_that_goes_away_while_a_batch_is_waited_for_ends_the_waiting(kept: Kept) -> None:
    client = client_at("http://127.0.0.1:9")
    async with client, asyncio.timeout(600):
        summary = await send(client, [[]], kept, pending={"msgbatch_1": alone(2)})

    assert ("connection", []) == (summary.failure.kind, kept.results)


async def test_a_batch_holds_only_what_there_is_money_for(kept: Kept) -> None:
    prices, setup = default_prices(), Setup(effort=None)
    each = Budget(Decimal(1), prices, setup, 0, batch=True).likely(alone(1)[0]).cost
    budget = Budget(each * Decimal("4.5"), prices, setup, 0, batch=True)
    async with service(Options()) as (state, client):
        summary = await send(client, [alone(10)], kept, setup=setup, budget=budget)

    assert [4] == [len(batch["requests"]) for batch in state.batches.values()]
    assert 4 == summary.progress.answered
    assert summary.stopped.startswith("--max-cost $")


async def test_a_batch_that_the_service_no_longer_has_is_a_failure_to_retry(kept: Kept) -> None:
    async with service(Options()) as (_, client):
        await send(client, [[]], kept, pending={"msgbatch_9": alone(2)})

    assert ["expired", "expired"] == kept.kinds()


async def test_many_batches_are_waited_for_together(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches.split, "__defaults__", (2, 64_000_000))
    state, _ = await sent(kept, 7, batch_seconds=0.1)

    assert 4 == len(state.batches)
    assert 7 == sum(isinstance(result, AskAnswer) for _, result in kept.results)
