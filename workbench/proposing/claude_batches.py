"""Batch mode: asks go out in Message Batches, at half the price, and their rows come back in any order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.proposing.claude_asks import Ask, Setup, body
from workbench.proposing.claude_call import result_of
from workbench.proposing.claude_errors import detail, failure_of, kind_of_body
from workbench.proposing.claude_live import OnProgress, OnResult
from workbench.proposing.claude_money import Prices, default_prices
from workbench.proposing.claude_progress import Meter, Progress, Summary
from workbench.proposing.claude_results import Failure, FailureKind, Result

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

# The service takes 100,000 rows or 256 MB a batch. Ours are smaller: the whole batch is held in memory while
# it is sent, and the first results come when the first batch ends.
ROWS, BYTES = 10_000, 64_000_000
_SENT_AGAIN = 5
_POLL, _LONGEST_POLL = 2.0, 60.0  # seconds, growing by half with every look
_AMBIGUOUS: frozenset[FailureKind] = frozenset(("timeout", "connection", "server error", "not a message"))

OnBatch = Callable[[str, tuple[Ask, ...]], Awaitable[None] | None]


@dataclass(slots=True)
class _Sent:
    """A batch that is waited for: its asks without a result, by id; `ours` once a row of it was."""

    asks: dict[str, Ask]
    ours: bool = False


def split(
    setup: Setup, asks: Iterable[Ask], rows: int = ROWS, size: int = BYTES
) -> Iterator[tuple[Ask, ...]]:
    """The asks in batches of at most `rows` and `size` bytes, lazily; an ask stands in one only once."""
    batch: dict[str, Ask] = {}
    total = 0
    for ask in asks:
        length = len(json.dumps(_row(setup, ask), ensure_ascii=False).encode("utf-8", "surrogatepass")) + 2
        if batch and (len(batch) >= rows or total + length > size):
            yield tuple(batch.values())
            batch, total = {}, 0
        if ask.id not in batch:
            batch[ask.id] = ask
            total += length
    if batch:
        yield tuple(batch.values())


async def submit(client: AsyncAnthropic, setup: Setup, asks: Sequence[Ask]) -> str | Failure:
    """Send one batch; its id, or why the service did not take it.

    When the answer to it got lost, the batch is looked for in the service's list before it is sent again:
    it is never paid twice.
    """
    before = await _listed(client)
    failure = Failure("server error")
    for attempt in range(_SENT_AGAIN):
        try:
            requests: Any = [_row(setup, ask) for ask in asks]
            batch = await client.messages.batches.create(requests=requests)
            if isinstance(getattr(batch, "id", None), str):
                return str(batch.id)
            failure = Failure("not a message", detail(str(batch)[:1000]))
        except Exception as error:
            failure = _failure(error)
        if failure.kind in _AMBIGUOUS:
            now = await _listed(client)
            if isinstance(before, Failure) or isinstance(now, Failure):
                return failure
            fresh = [name for name, rows in now.items() if rows == len(asks) and name not in before]
            if fresh:
                return fresh[0]
        elif failure.kind not in {"rate limited", "overloaded"}:
            return failure
        await asyncio.sleep(min(_LONGEST_POLL, _POLL * 2**attempt))
    return failure


async def lost_batches(client: AsyncAnthropic, rows: int, known: Container[str]) -> list[str]:
    """Ids of recent batches of that many rows that nobody knows, newest first: after a crash while sending.

    One that is a stranger's does no harm when it is waited for: its rows have other keys. Raises our error
    when the service does not tell.
    """
    listed = await _listed(client)
    if isinstance(listed, Failure):
        raise listed.error()
    return [name for name, count in listed.items() if name not in known and count == rows]


async def _listed(client: AsyncAnthropic) -> dict[str, int] | Failure:
    """The newest batches with their rows."""
    try:
        page = await client.messages.batches.list(limit=20)
        return {str(one.id): _total(one) for one in page.data or ()}
    except Exception as error:
        return _failure(error)


async def propose_batches(
    client: AsyncAnthropic,
    setup: Setup,
    asks: Iterable[Ask],
    on_result: OnResult,
    on_batch: OnBatch,
    *,
    pending: Mapping[str, Sequence[Ask]] | None = None,
    prices: Prices | None = None,
    total: int | None = None,
    on_progress: OnProgress | None = None,
    stop: asyncio.Event | None = None,
) -> Summary:
    """Submit the asks in batches, wait for them and for the `pending` ones, hand over every row.

    `on_batch` gets "" and the asks before a batch is sent, then its id and the asks once it is taken:
    what it stores is what `pending` is made of after a restart (an ask needs its task, keys and count
    for that, not its pieces). Rows that expired, were canceled or errored are failures to retry. `stop`
    ends the waiting; the batches go on at the service.
    """
    meter = Meter(
        setup.model, prices or default_prices(), total, asyncio.get_running_loop().time(), batch=True
    )
    waiting = {name: _Sent({ask.id: ask for ask in batch}) for name, batch in (pending or {}).items()}
    stop = stop or asyncio.Event()
    failure: Failure | None = None
    for batch in split(setup, asks):
        if stop.is_set():
            break
        await _told(on_batch("", batch))
        name = await submit(client, setup, batch)
        if isinstance(name, Failure):
            failure = name  # what was taken before is still worth waiting for
            break
        await _told(on_batch(name, batch))
        meter.requests += len(batch)
        waiting[name] = _Sent({ask.id: ask for ask in batch}, ours=True)
    failure = await _wait(client, waiting, on_result, meter, on_progress, stop) or failure
    stopped = failure.message if failure else "asked to stop" if stop.is_set() and waiting else ""
    return Summary(_progress(meter, waiting), dict(meter.failures), stopped, failure)


async def _wait(
    client: AsyncAnthropic,
    waiting: dict[str, _Sent],
    on_result: OnResult,
    meter: Meter,
    on_progress: OnProgress | None,
    stop: asyncio.Event,
) -> Failure | None:
    """Look at the batches until all have ended, ever less often, and collect each that has."""
    pause = _POLL
    while waiting and not stop.is_set():
        for name in list(waiting):
            ended = await _collected(client, name, waiting[name], on_result, meter)
            if isinstance(ended, Failure):
                return ended
            if ended:
                del waiting[name]
                pause = _POLL
        if on_progress is not None:
            on_progress(_progress(meter, waiting))
        if waiting:
            try:
                async with asyncio.timeout(pause):
                    await stop.wait()
            except TimeoutError:
                pause = min(_LONGEST_POLL, pause * 1.5)
    return None


async def _collected(
    client: AsyncAnthropic, name: str, sent: _Sent, on_result: OnResult, meter: Meter
) -> bool | Failure:
    """Whether the batch has ended and its rows were handed over; a passing fault means not yet.

    A failure when nothing can be asked any more. Rows of keys that nobody asked about are left alone; when
    all are, the batch is a stranger's and its asks stay open.
    """

    async def settle(ask: Ask, result: Result) -> None:
        sent.ours = True
        del sent.asks[ask.id]
        meter.paid(result.usage)
        meter.settled(result)
        await _told(on_result(ask, result))

    try:
        batch = await client.messages.batches.retrieve(name)
        if getattr(batch, "processing_status", None) != "ended":
            return False
        if batch.results_url is None:
            for ask in list(sent.asks.values()):
                await settle(ask, Failure("expired", "the service no longer has the results"))
            return True
        rows = await client.messages.batches.results(name)
        iterator = aiter(rows)
    except Exception as error:
        failure = _failure(error)
        if failure.kind == "unknown model":  # a 404: the service has no such batch
            for ask in list(sent.asks.values()):
                await settle(ask, Failure("expired", f"the service has no batch {name}"))
            return True
        return failure if failure.stops else False
    while True:
        try:
            row = await anext(iterator, None)
        except Exception as error:  # a cut connection: the rows that are missing come with the next look
            _failure(error)
            return False
        if row is None:
            break
        known = sent.asks.get(str(getattr(row, "custom_id", "")))
        if known is not None:
            await settle(known, row_result(row, known))
    for ask in list(sent.asks.values()) if sent.ours else ():
        await settle(ask, Failure("server error", f"batch {name} has no row for it"))
    return True


def row_result(row: Any, ask: Ask) -> Result:
    """What one row of a batch came to."""
    result = getattr(row, "result", None)
    kind = getattr(result, "type", "")
    if kind == "succeeded":
        return result_of(getattr(result, "message", None), ask)
    if kind == "expired":
        return Failure("expired")
    if kind == "canceled":
        return Failure("canceled")
    said = getattr(getattr(result, "error", None), "error", None)
    words = str(getattr(said, "message", "") or "")
    request_id = str(getattr(getattr(result, "error", None), "request_id", "") or "")
    return Failure(kind_of_body(str(getattr(said, "type", "")), words), detail(words), request_id=request_id)


def _row(setup: Setup, ask: Ask) -> dict[str, Any]:
    return {"custom_id": ask.id, "params": body(setup, ask)}


def _failure(error: Exception) -> Failure:
    """The failure that an exception means; a bug of ours is raised again."""
    failure = failure_of(error)
    if failure is None:
        raise error
    return failure


def _total(batch: Any) -> int:
    counts = batch.request_counts
    names = ("processing", "succeeded", "errored", "canceled", "expired")
    return sum(int(getattr(counts, name, 0) or 0) for name in names)


async def _told(waited: Awaitable[None] | None) -> None:
    if waited is not None:
        await waited


def _progress(meter: Meter, waiting: Mapping[str, _Sent]) -> Progress:
    now = asyncio.get_running_loop().time()
    left = sum(len(sent.asks) for sent in waiting.values())
    return meter.read(now, in_flight=left, pace=0.0, waiting=0.0, why="")
