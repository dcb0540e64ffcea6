"""Claude over a dataset in batches, at half the price: submitted, noted, waited for, also after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from workbench.model import text_hash
from workbench.proposing.claude_asks import Ask, asked_alone, plan, plan_verdicts
from workbench.proposing.claude_batches import lost_batches, propose_batches
from workbench.proposing.claude_call import connect
from workbench.proposing.claude_forecast import Budget
from workbench.proposing.claude_money import Prices
from workbench.proposing.claude_progress import Progress, Summary
from workbench.proposing.claude_prompt import Task
from workbench.proposing.claude_results import Result
from workbench.stages.claude_live import WINDOW, Book, save
from workbench.store import calls, samples
from workbench.store.calls import Batch

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

UNSENT = "unsent-"
"""Prefix of a batch that was noted before it was sent: after a crash it may be at the service or not."""

SECONDS = 600.0
"""For one request: a batch of 64 MB takes a while to send."""


async def propose_batch(
    book: Book,
    ids: Sequence[int],
    *,
    prices: Prices,
    budget: Budget,
    on_progress: Callable[[Progress], None],
    stop: asyncio.Event,
) -> Summary:
    """Send what the samples lack in batches and wait for them and for those of an earlier start.

    Texts and statements go first, then by themselves those whose call another text may have spoiled, and
    verdicts on the statements at last. `stop` ends the waiting;
    the batches go on, and the next start fetches them. Raises what the store raises.
    """
    async with connect(SECONDS) as client:
        await _find_lost(client, book)

        async def round_of(asks: Iterator[Ask]) -> Summary:
            pending = {batch.id: _asks(batch) for batch in _sent(book)}
            waited = {key for batch in pending.values() for ask in batch for key in ask.keys}
            fresh = (ask for ask in asks if not waited.intersection(ask.keys))
            return await propose_batches(
                client, book.setup, fresh, on_result, on_batch,
                pending=pending, prices=prices, budget=budget, on_progress=on_progress, stop=stop,
            )  # fmt: skip

        spoiled = False

        async def on_result(ask: Ask, result: Result) -> None:
            nonlocal spoiled
            spoiled |= bool(asked_alone(ask, result))
            await book.store.write(save, book, ask, result, "batch")

        async def on_batch(name: str, asks: tuple[Ask, ...]) -> None:
            await book.store.write(_note, book, name, asks)

        try:
            summary = await round_of(_first_asks(book, ids))
            while spoiled and not summary.stopped:
                spoiled = False
                summary = _sum(summary, await round_of(_first_asks(book, ids)))
            if "statement" in book.kinds and not summary.stopped:
                second = await round_of(_verdict_asks(book, ids))
                summary = _sum(summary, second)
            return summary
        finally:
            for window in _windows(ids):
                stored = samples.load_samples(book.store, window, None)
                await book.put_together(stored)


def _windows(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), WINDOW):
        yield ids[start : start + WINDOW]


def _first_asks(book: Book, ids: Sequence[int]) -> Iterator[Ask]:
    asked = set(book.failed)
    for window in _windows(ids):
        stored = samples.load_samples(book.store, window, None)
        keys = {key for one in stored for key in book.keys_of(one.sample)}
        known = calls.known_keys(book.store, keys) | asked
        for ask in plan((one.sample for one in stored), book.setup, book.kinds, known, book.alone):
            asked.update(ask.keys)
            yield ask


def _verdict_asks(book: Book, ids: Sequence[int]) -> Iterator[Ask]:
    asked: set[str] = set()
    for window in _windows(ids):
        stored = samples.load_samples(book.store, window, None)
        results, _ = book.results(stored)
        for ask in plan_verdicts((one.sample for one in stored), book.setup, results, results):
            if not asked.intersection(ask.keys):
                asked.update(ask.keys)
                yield ask


def _note(_store: object, book: Book, name: str, asks: tuple[Ask, ...]) -> None:
    """Before a batch is sent (no name yet), when it is taken, and when all its rows are stored (no asks)."""
    if not asks:
        calls.close_batch(book.store, name)
        return
    unsent = UNSENT + text_hash(*(ask.id for ask in asks))
    document = [[ask.task, list(ask.keys), ask.count] for ask in asks]
    if name:
        calls.rename_batch(book.store, unsent, name)
    else:
        calls.add_batch(book.store, book.run_id, Batch(unsent, document))


def _asks(batch: Batch) -> list[Ask]:
    return [Ask(cast("Task", task), tuple(keys), count) for task, keys, count in batch.asks]


async def _find_lost(client: AsyncAnthropic, book: Book) -> None:
    """What was noted and never confirmed: found at the service, or forgotten and sent anew."""
    for batch in calls.open_batches(book.store, book.run_id):
        if not batch.id.startswith(UNSENT):
            continue
        known = calls.batch_ids(book.store)
        found = await lost_batches(client, len(batch.asks), known)
        if found:
            await book.store.write(calls.rename_batch, batch.id, found[0])
        else:
            await book.store.write(calls.close_batch, batch.id)


def _sent(book: Book) -> list[Batch]:
    """The batches at the service whose results are not all stored."""
    opened = calls.open_batches(book.store, book.run_id)
    return [batch for batch in opened if not batch.id.startswith(UNSENT)]


def _sum(first: Summary, second: Summary) -> Summary:
    """Two rounds as one run."""
    a, b = first.progress, second.progress
    cost = None if a.cost is None or b.cost is None else a.cost + b.cost
    progress = Progress(
        answered=a.answered + b.answered,
        failed=a.failed + b.failed,
        requests=a.requests + b.requests,
        refused=a.refused + b.refused,
        retries=a.retries + b.retries,
        seconds=a.seconds + b.seconds,
        usage=a.usage + b.usage,
        cost=cost,
        unmetered=a.unmetered + b.unmetered,
    )
    kinds = {*first.failures, *second.failures}
    failures = {kind: first.failures.get(kind, 0) + second.failures.get(kind, 0) for kind in kinds}
    return Summary(progress, failures, second.stopped, second.failure, first.notes + second.notes)
