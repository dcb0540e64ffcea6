"""Claude over a dataset, against a real local service: stored once, stored whole, failed is failed."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from tests.proposing.claude.faults import Faults
from tests.proposing.claude.server import Service
from workbench.errors import BusyError, UsageError
from workbench.proposing.claude.answers import Failure
from workbench.proposing.claude.asks import plan
from workbench.proposing.claude.run import Limits, RunProgress
from workbench.stages.claude import ModelOptions, ModelReport, made_by, plan_run, propose_by_model, setup_of
from workbench.stages.claude_book import Book
from workbench.stages.upkeep import plan_purge, purge
from workbench.store import runs
from workbench.store.datasets import DatasetInfo
from workbench.store.samples import load_samples

Start = Callable[..., Service]
ROWS = [
    {"id": f"{place}-{retriever}", "user_input": f"Where is {place}?",
     "reference": f"{place} lies in {country}. Anna Berg was born in {place}.",
     "retrieved_contexts": [f"{place} is a city. {extra}", "Nothing here."]}
    for place, country in (("Oslo", "Norway"), ("Rome", "Italy"), ("Lima", "Peru"))
    for retriever, extra in (("near", f"It lies in {country}."), ("far", "Anna Berg likes it."))
]  # fmt: skip


pytestmark = pytest.mark.usefixtures("quick_claude")


USUAL = Limits()


def proposed(
    bench: Any,
    info: DatasetInfo | None = None,
    *,
    limits: Limits = USUAL,
    stop: threading.Event | None = None,
    **options: Any,
) -> ModelReport:
    """What a start with these options came to."""
    asking, info = ModelOptions(**options), info or bench.info()
    return propose_by_model(bench.store, info, asking, annotator="ann", limits=limits, stop=stop)


def left_at_the_service(bench: Any, local: Service, **options: Any) -> ModelReport:
    """A start that is stopped when its batch has arrived at the service, which is done with it afterwards."""
    there, stop = len(local.batches), threading.Event()

    def watch() -> None:
        while len(local.batches) == there:
            time.sleep(0.01)
        stop.set()

    local.options.batch_seconds = 600.0
    threading.Thread(target=watch, daemon=True).start()
    report = proposed(bench, batch=True, stop=stop, **options)
    local.options.batch_seconds = 0.0
    return report


def asked(service: Service) -> int:
    return len(service.stats.bodies)


def test_a_batch_that_a_killed_start_stored_counts_once(bench: Any, service: Start, monkeypatch: Any) -> None:
    """The next start stored every row of the batch a second time, and Runs showed that cost twice."""
    service()
    bench.load(towns(40))
    stored, number = runs.save_call, iter(range(9))

    def killed(*call: Any) -> None:
        if next(number) == 2:
            raise RuntimeError("killed")
        stored(*call)

    with monkeypatch.context() as patch:
        patch.setattr(runs, "save_call", killed)
        with pytest.raises(RuntimeError):
            proposed(bench, batch=True)
    before = bench.query("SELECT count(*) FROM call")
    report = proposed(bench, batch=True)

    rows = bench.query("SELECT count(*), count(DISTINCT keys) FROM call")
    assert ([(2,)], [(rows[0][0],) * 2]) == (before, rows)
    assert (40, 0, "") == (report.already + report.proposed, report.left, report.stopped)
    assert bench.query("SELECT count(*), sum(fetched) FROM batch") == [(1, 1)]


def test_what_went_in_a_batch_is_sent_by_no_other_start(bench: Any, service: Start) -> None:
    """A plan says that it is paid; a start without batches would pay it again."""
    local = service()
    bench.load(towns(40))
    left = left_at_the_service(bench, local).left

    told = plan_run(bench.store, bench.info(), ModelOptions(batch=True))
    for start in (lambda: plan_run(bench.store, bench.info(), ModelOptions()), lambda: proposed(bench)):
        with pytest.raises(UsageError, match="1 batch of this run may be at the service, and paid"):
            start()
    fetched = proposed(bench, batch=True)

    assert (40, 40, 0) == (left, told.samples, told.requests)
    assert told.cost == 0
    assert told.notes == ("40 texts went in a batch before, and are fetched, not sent again",)
    assert (40, 0, 0) == (fetched.proposed, fetched.progress.requests, asked(local))


@pytest.mark.databases
@pytest.mark.parametrize("batch", [False, True])
def test_two_people_who_start_one_run_at_once_pay_it_once(bench: Any, service: Start, batch: bool) -> None:
    """Each paid for what the other was asking, and stored every row of a batch that the other fetched."""
    hold = threading.Event()
    local = service(hold=hold, batch_seconds=600.0)
    bench.load(towns(40))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(proposed, bench, batch=batch)
        while not (first.done() or local.batches or local.stats.requests):
            time.sleep(0.01)
        with pytest.raises(UsageError, match="another process is asking for claude-run-1: wait until it has"):
            proposed(bench, batch=batch)
        local.options.batch_seconds = 0.0
        hold.set()

    again = proposed(bench, batch=batch)

    assert (40, 40, 0) == (first.result().proposed, again.already, again.progress.requests)
    assert [(4, 4)] == bench.query("SELECT count(*), count(DISTINCT CAST(keys AS text)) FROM call")
    assert [] == [*bench.folder.glob("*-run-*")]


@pytest.mark.databases
def test_two_who_begin_a_run_at_the_same_time_begin_one(bench: Any) -> None:
    """Each had a run of its own, and paid for it."""
    bench.load(ROWS[:1])
    names = []

    def begin(store: Any) -> None:
        names.append(runs.run_of(store, bench.info(), ("claude", "m", {"effort": "low"})).name)

    bench.meanwhile(begin, begin)

    assert ["claude-run-1", "claude-run-1"] == names


@pytest.mark.databases
def test_a_batch_that_another_start_gave_up_as_unsent_is_fetched(bench: Any, service: Start) -> None:
    """Another start found it noted and not at the service: once it was sent, nobody fetched it."""
    local = service()
    bench.load(towns(40))
    send = runs.add_batch

    def given_up(store: Any, run_id: int, name: str, asks: Any) -> None:
        send(store, run_id, name, asks)
        runs.change_batch(store, name, fetched=True)  # as `open_batches` of another start does

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "add_batch", given_up)
        left_at_the_service(bench, local)

    report = proposed(bench, batch=True)

    assert (40, 1) == (report.proposed, len(local.batches))


def test_a_purge_leaves_nothing_that_a_service_said_of_its_text(bench: Any, service: Start) -> None:
    """The answer stayed where its call was about other samples too, and what a batch brought back later."""
    local = service()
    bench.load(towns(2))
    left_at_the_service(bench, local)

    before = plan_purge(bench.store, bench.info(), ["1"], "ann")
    proposed(bench, batch=True)
    told = plan_purge(bench.store, bench.info(), ["1"], "ann")
    assert "Town1" in str(bench.query("SELECT document FROM answer"))
    purge(bench.store, bench.info(), told, "ann")

    said = (
        "claude-run-1: a batch of it is at the service and may bring back names of this text: fetch it first"
    )
    assert ([said], ()) == ([line.partition(" (")[0] for line in before.look], told.look)
    assert "Town1" not in str(bench.query("SELECT document FROM answer"))


def test_answers_wait_for_a_database_that_another_program_writes_to(
    bench: Any, service: Start, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """They were paid for: each is stored once the lock is gone, and none is asked for again."""
    hold = threading.Event()
    local = service(hold=hold)
    bench.load(towns(6))
    for name, seconds in {"BUSY_SECONDS": 0.05, "SAY_WAITING": 0.0}.items():
        monkeypatch.setattr(f"workbench.store.database.{name}", seconds)
    bench.store.engine.dispose()

    with ThreadPoolExecutor(1) as pool, closing(sqlite3.connect(bench.db, isolation_level=None)) as other:
        running = pool.submit(proposed, bench)
        while not local.stats.at_once:
            time.sleep(0.01)
        other.execute("BEGIN IMMEDIATE")
        hold.set()
        caplog.clear()
        while len(caplog.records) < 3 and not running.done():
            time.sleep(0.01)
        other.execute("ROLLBACK")
        report = running.result()

    assert (6, 0) == (report.proposed, report.failed)
    assert {1} == set(local.stats.paid.values())
    assert 0 == plan_run(bench.store, bench.info(), ModelOptions()).samples


def towns(count: int, size: int = 1) -> list[dict[str, Any]]:
    """Short references, ten to a call."""
    return [
        {"id": str(n), "user_input": "q?", "reference": f"Town{n} lies in Land{n}. " * size,
         "retrieved_contexts": []}
        for n in range(count)
    ]  # fmt: skip


def test_the_answer_of_a_call_that_a_stop_outlasted_is_stored(bench: Any, service: Start) -> None:
    """After ctrl+z its time was over before the answer, which waited at the socket, was read: paid again.

    A process that was stopped finds a clock that went on.
    """
    hold = threading.Event()
    local = service(hold=hold)
    bench.load(ROWS[:1])

    def stopped(_: RunProgress) -> None:
        if (under_way := local.stats.at_once) and not hold.is_set():
            hold.set()
            while local.stats.sent < under_way:
                time.sleep(0.01)
            loop, clock = asyncio.get_running_loop(), time.monotonic
            loop.time = lambda: clock() + 61.0  # type: ignore[method-assign]

    report = propose_by_model(
        bench.store, bench.info(), ModelOptions(),
        annotator="ann", limits=Limits(call_seconds=60.0), on_progress=stopped,
    )  # fmt: skip

    assert (2, 1, 0) == (asked(local), report.proposed, report.left)


def test_a_batch_of_a_retry_is_fetched_by_the_next_start(bench: Any, service: Start) -> None:
    """Its texts failed before, which says nothing about whether its rows came."""
    faults = Faults(texts={"Town7 ": "refusal"})
    local = service(faults=faults)
    bench.load(towns(10))
    proposed(bench, batch=True)
    faults.texts = {}

    first = left_at_the_service(bench, local, retry=True)
    sent = len(local.batches)
    second = proposed(bench, batch=True, retry=True)

    assert (first.proposed, second.proposed, second.failed) == (0, 1, 0)
    assert len(local.batches) == sent == 3


def test_a_pack_that_failed_in_a_batch_is_asked_text_by_text_live(bench: Any, service: Start) -> None:
    """What a killed start knows of a pack is stored: the pack is not paid again."""
    local = service()
    bench.load(towns(10))
    info = bench.info()
    setup = setup_of(bench.store, info, ModelOptions())
    run = runs.run_of(bench.store, info, made_by(setup, info.policy.kinds))
    ids = [bench.id(str(n)) for n in range(10)]
    book = Book(bench.store, run.id, ids, setup, info.policy.kinds)
    stored = load_samples(bench.store, ids, None)
    (pack,) = plan([one.sample for one in stored], book.setup, book.kinds)
    asyncio.run(book.save(pack, Failure("refused")))

    report = proposed(bench)

    assert (report.proposed, report.progress.requests, asked(local)) == (10, 10, 10)


def test_texts_too_long_for_an_answer_are_noted_before_they_are_paid(bench: Any) -> None:
    bench.load([*towns(1), *towns(2, 30_000)[1:]])

    (note,) = plan_run(bench.store, bench.info(), ModelOptions()).notes

    assert note.startswith("1 calls carry texts of up to 2")
    assert "may need more than 16,000 tokens (--max-tokens)" in note


@pytest.mark.parametrize("way", ["address", "proxy"])
def test_a_service_that_is_not_there_is_said_at_once(bench: Any, monkeypatch: Any, way: str) -> None:
    """No call, no run, no failed sample; the proxy is named without its password."""
    monkeypatch.setenv("NO_PROXY", "")
    name = {"address": "ANTHROPIC_BASE_URL", "proxy": "HTTPS_PROXY"}[way]
    monkeypatch.setenv(name, "http://127.0.0.1:9" if way == "address" else "http://me:secret@127.0.0.1:9")
    bench.load(towns(3))

    with pytest.raises(BusyError) as caught:
        proposed(bench)

    where = {"address": "127.0.0.1:9", "proxy": "api.anthropic.com through the proxy 127.0.0.1:9"}[way]
    assert str(caught.value).startswith(f"{where} cannot be reached: connection")
    assert "secret" not in str(caught.value)
    assert where == plan_run(bench.store, bench.info(), ModelOptions()).host
    assert bench.query("SELECT count(*) FROM run WHERE proposer = 'claude'") == [(0,)]
    assert bench.query("SELECT count(*) FROM failed") == [(0,)]
