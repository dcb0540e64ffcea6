"""A storm: a run over a service that fails at random, killed at random moments, and what must hold then."""

import json
import multiprocessing
import os
import random
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

from tests.proposing.claude.answering import unfenced
from tests.proposing.claude.faults import PAID, UNPAID, Faults
from tests.proposing.claude.server import Options, running
from tests.rows import write_rows
from workbench.formats.policy import to_toml
from workbench.proposing.claude import run as claude_run
from workbench.proposing.claude.asks import Setup, payment_key
from workbench.proposing.claude.call import CallPace
from workbench.proposing.claude.run import Limits
from workbench.stages.claude import ModelOptions, propose_by_model, setup_of
from workbench.stages.claude_book import Book
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.policy import change_policy
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.samples import load_samples

IN_FLIGHT = 32
KIND_OF: Mapping[str, str] = {
    "429": "rate limited", "529": "overloaded", "500": "server error", "503": "server error",
    "502 html": "server error", "html": "not a message", "foreign": "not a message",
    "malformed": "not a message", "slow": "timeout", "cut": "connection", "refusal": "refused",
    "max_tokens": "cut off", "context_window": "too long", "not json": "not json", "schema": "schema",
    "pause_turn": "unfinished",
}  # fmt: skip
"""The kind of failure that each fault of the service must be stored as."""


class Seen(NamedTuple):
    """A request as the service met it: when (seconds of the epoch), after how many kills, for what."""

    at: float
    start: int
    keys: tuple[str, ...]
    fault: str


@dataclass
class Ledger(Faults):
    """Faults that write down every request with the payment keys of its texts."""

    setup: Setup = field(default_factory=Setup)
    start: int = 0
    seen: list[Seen] = field(default_factory=list)

    def draw(self, request: dict[str, Any]) -> str:
        """As `Faults.draw`, noted."""
        fault = super().draw(request)
        self.seen.append(Seen(time.time(), self.start, keys_of(self.setup, request), fault))
        return fault


class Stored(NamedTuple):
    """A call of the store: the start that stored it, and when (seconds of the epoch)."""

    start: int
    keys: tuple[str, ...]
    failure: str
    at: float


@dataclass
class Storm:
    """What happened. `wrong` names every rule that was broken; empty when all hold."""

    samples: int
    kills: int
    ledger: Ledger
    calls: list[Stored] = field(default_factory=list)
    proposed: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    unheard: int = 0
    wrong: list[str] = field(default_factory=list)


def keys_of(setup: Setup, request: dict[str, Any]) -> tuple[str, ...]:
    """The payment keys of the texts that a request carries, read from the message itself."""
    pieces = unfenced(request["messages"][0]["content"])
    shape = request["output_config"]["format"]["schema"]["properties"]
    texts = [one.text for one in pieces if one.role == "text"]
    if "verdicts" in shape:
        said = [one.text for one in pieces if one.role == "statement"]
        contexts = [one.text for one in pieces if one.role == "context"]
        return (payment_key(setup, "verdicts", str(len(said)), *said, *contexts),)
    if "entities" in shape["texts"]["items"]["properties"]:
        return tuple(payment_key(setup, "entities", text) for text in texts)
    questions = [one.text for one in pieces if one.role == "question"]
    return tuple(payment_key(setup, "statements", *pair) for pair in zip(questions, texts, strict=True))


def rows(samples: int) -> Iterator[dict[str, Any]]:
    """Short samples; every reference is its own, every fifth sample has a context that others have too."""
    for n in range(samples):
        own = f"Town{n} lies in Land{n}. Nothing else is said."
        yield {
            "id": str(n),
            "user_input": f"Where is Town{n}?",
            "reference": f"Town{n} lies in Land{n}. Person{n} was born there in {1000 + n}.",
            "retrieved_contexts": [own if n % 5 else f"Maps{n % 35} were drawn by hand."],
        }


def weather(folder: Path, samples: int, share: float, kills: int, call_seconds: float) -> Storm:
    """Run, kill, run to the end, retry without faults, and check. Everything is made in `folder`."""
    database = folder / "storm.db"
    store = open_store(str(database))
    source = folder / "storm.jsonl"
    write_rows(source, rows(samples))
    import_file(store, source, ImportOptions(), annotator="ann")
    info = find_dataset(store, None)
    text = to_toml(info.policy).replace('kinds = ["entity"]', 'kinds = ["entity", "statement"]')
    change_policy(store, info, text, "ann")
    setup = setup_of(store, find_dataset(store, None), ModelOptions())
    store.close()
    ledger = Ledger(share=share, kinds=(*UNPAID, *PAID), setup=setup)
    storm, marks = Storm(samples, 0, ledger), []
    options = Options(faults=ledger, latency=0.02, slow_seconds=1.5 * call_seconds, keep_bodies=False)
    with running(options) as (_, url):
        # Half of the answers lie before the last kill, on average; a start may have 1. On a busy machine many
        # more come before a kill arrives: with three quarters a run ended before its last one.
        chance, most = random.Random(0), 4 * samples // (kills + 1)
        for _ in range(kills):
            process = started(database, url, call_seconds)
            storm.kills += killed(process, database, chance.randint(1, most), chance.uniform(0.0, 0.05))
            marks.append(last_call(database))
            ledger.start += 1
        finish(started(database, url, call_seconds))
        marks.append(last_call(database))
        check_end(storm, database)
        ledger.start, ledger.share = ledger.start + 1, 0.0
        finish(started(database, url, call_seconds, retry=True))
        marks.append(last_call(database))
    check_calls(storm, database, marks)
    check_proposals(storm, database)
    if storm.kills < kills:
        storm.wrong.append(f"{storm.kills} of {kills} kills: the run ended before the others")
    return storm


def child(database: str, url: str, call_seconds: float, retry: bool) -> None:
    """A run in a process of its own, at the full rate and with short waits: pacing is measured elsewhere."""

    class Hurried(CallPace):
        def refused(self, *_: object) -> None:
            """Do not slow down."""

        def overloaded(self, *_: object) -> None:
            """Do not slow down."""

    vars(claude_run)["CallPace"] = lambda: Hurried(1000.0)
    vars(claude_run)["LiveRun"]._backoff = lambda run, attempts: 0.05
    os.environ |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "test"}
    store = open_store(database)
    limits = Limits(in_flight=IN_FLIGHT, call_seconds=call_seconds)
    info = find_dataset(store, None)
    report = propose_by_model(store, info, ModelOptions(retry=retry), annotator="ann", limits=limits)
    if report.stopped:
        raise SystemExit(report.stopped)


def started(database: Path, url: str, call_seconds: float, *, retry: bool = False) -> BaseProcess:
    """The child process over that database, forked from one that has imported everything."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "anthropic", "anthropic.types", "sqlmodel", "alembic"])
    process = context.Process(target=child, args=(str(database), url, call_seconds, retry))
    process.start()
    return process


def killed(process: BaseProcess, database: Path, after: int, later: float) -> bool:
    """Kill a start that many new answers and seconds later; False when it ended before."""
    before = answers(database)
    try:
        while process.is_alive() and answers(database) < before + after:
            time.sleep(0.01)
        time.sleep(later)
    finally:
        process.kill()
    process.join()
    return process.exitcode == -signal.SIGKILL


def finish(process: BaseProcess) -> None:
    """Let a start run to its end. Raises RuntimeError when it does not come to it."""
    try:
        process.join(400)
    finally:
        process.kill()
        process.join()
    if process.exitcode:
        raise RuntimeError(f"the run ended with {process.exitcode}")


def query(database: Path, sql: str) -> list[tuple[Any, ...]]:
    """Rows by plain SQL."""
    with closing(sqlite3.connect(database)) as raw:
        return raw.execute(sql).fetchall()


def answers(database: Path) -> int:
    """How many answers are stored."""
    return int(query(database, "SELECT count(*) FROM answer")[0][0])


def last_call(database: Path) -> int:
    """The number of the newest call, 0 for none."""
    return int(query(database, "SELECT coalesce(max(id), 0) FROM call")[0][0])


OF_CLAUDE = "run_id IN (SELECT id FROM run WHERE proposer = 'claude')"


def check_end(storm: Storm, database: Path) -> None:
    """Every sample is proposed or failed, never both, and its cause is one that a call of it had."""
    proposed = query(database, f"SELECT sample_id FROM proposal WHERE {OF_CLAUDE}")
    failed = dict(query(database, f"SELECT sample_id, failure FROM failed WHERE {OF_CLAUDE}"))
    storm.proposed, storm.failed = len(proposed), Counter(failed.values())
    spoken = [one for (one,) in proposed] + list(failed)
    if len(spoken) != storm.samples or len(set(spoken)) != storm.samples:
        storm.wrong.append(f"{len(set(spoken))} of {storm.samples} samples proposed or failed")
    given_up: dict[str, set[str]] = {}
    for keys, kind in query(database, "SELECT keys, failure FROM call WHERE failure != ''"):
        for key in json.loads(keys):
            given_up.setdefault(key, set()).add(kind)
    store = open_store(str(database))
    info = find_dataset(store, None)
    book = Book(store, 0, [], storm.ledger.setup, info.policy.kinds)
    for one in load_samples(store, list(failed), None):
        results, _ = book.results([one])
        keys = book.keys_of(one.sample) | book.verdict_keys(one.sample, results)
        causes = set().union(*(given_up.get(key, set()) for key in keys - results.keys()))
        if failed[one.sample_id] not in causes:
            storm.wrong.append(f"failed as {failed[one.sample_id]}, its calls as {causes or 'nothing'}")
    store.close()


def check_calls(storm: Storm, database: Path, marks: list[int]) -> None:
    """Nothing asked after it was answered or stored, every text asked about on record under its own end."""
    sql = "SELECT id, keys, failure, at FROM call ORDER BY id"
    for number, keys, failure, at in query(database, sql):
        start = next(start for start, mark in enumerate(marks) if number <= mark)
        moment = datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp()
        storm.calls.append(Stored(start, tuple(json.loads(keys)), failure, moment))
    stored = {key: call.at for call in storm.calls if not call.failure for key in call.keys}
    there = {key for (key,) in query(database, "SELECT key FROM answer")}
    twice = sum(count > 1 for count in Counter(
        key for call in storm.calls if not call.failure for key in call.keys
    ).values())  # fmt: skip
    late = sum(one.at > stored.get(key, one.at) for one in storm.ledger.seen for key in one.keys)
    if twice or late or set(stored) != there:
        storm.wrong.append(
            f"{twice} texts answered twice, {late} asked after their answer was stored, "
            f"{len(set(stored) ^ there)} answers without their call or calls without their answers"
        )
    final = {KIND_OF[fault] for fault in PAID}
    alone = [call for call in reversed(storm.calls) if call.failure in final and len(call.keys) == 1]
    given_up, last = {call.keys[0]: call.at for call in alone}, len(marks) - 1
    before = [one for one in storm.ledger.seen if one.start < last]
    asked_again = sum(one.at > given_up.get(key, one.at) for one in before for key in one.keys)
    if asked_again:
        storm.wrong.append(f"{asked_again} texts asked again, unasked for, after a failure that was paid")
    check_requests(storm, last)


def check_requests(storm: Storm, last: int) -> None:
    """Requests belong to a stored call, or were under way at a kill; a start asks for no answer twice."""
    answered: set[tuple[int, str]] = set()
    for one in storm.ledger.seen:
        asked = {(one.start, key) for key in one.keys}
        if asked & answered:
            storm.wrong.append(f"{one.keys} asked again in the start that got the answer")
        if not one.fault:
            answered |= asked
    sent = Counter((one.start, one.keys) for one in storm.ledger.seen)
    ends = {(one.start, one.keys): one.fault for one in storm.ledger.seen}
    for call in storm.calls:
        count = sent.pop((call.start, call.keys), 0)
        fault = ends.get((call.start, call.keys), "none")
        if not count:
            storm.wrong.append(f"a call for {call.keys} is stored and was never sent")
        if call.failure != KIND_OF.get(fault, ""):
            storm.wrong.append(f"{fault or 'an answer'} is stored as {call.failure or 'an answer'}")
    paid: Counter[int] = Counter()
    for (start, keys), count in sent.items():
        fault = ends[start, keys]
        storm.unheard += count
        paid[start] += fault == "" or fault in PAID
        if start >= last - 1:
            storm.wrong.append(f"{count} requests of a start that was not killed are on no record")
    if max(paid.values(), default=0) > IN_FLIGHT:
        storm.wrong.append(f"a kill lost {max(paid.values())} paid calls, {IN_FLIGHT} were in flight at most")
    again = Counter(key for one in storm.ledger.seen if one.start == last for key in one.keys)
    if max(again.values(), default=1) > 1:
        storm.wrong.append("the retry asked for a text twice")


def check_proposals(storm: Storm, database: Path) -> None:
    """After the retry every sample has one proposal, of both kinds and all its contexts."""
    whole = 0
    for (document,) in query(database, f"SELECT document FROM proposal WHERE {OF_CLAUDE}"):
        said = json.loads(document)
        listed, contexts = said.get("statements"), said.get("context_entities")
        judged = bool(listed) and all(one.get("verdict") for one in listed)
        whole += bool(said.get("reference_entities")) and len(contexts or ()) == 1 and judged
    spoken = query(database, f"SELECT count(*), count(DISTINCT sample_id) FROM proposal WHERE {OF_CLAUDE}")
    if (whole, *spoken[0]) != (storm.samples,) * 3:
        storm.wrong.append(f"{whole} whole proposals of {spoken[0]} for {storm.samples} samples")
    if query(database, f"SELECT 1 FROM failed WHERE {OF_CLAUDE}"):
        storm.wrong.append("samples failed in the retry, which met no fault")
