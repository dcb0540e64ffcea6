"""Batch mode: asks go out in Message Batches, at half the price, and their rows come back in any order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from typing import Any

from workbench.proposing.claude.answers import Failure, FailureKind, Result
from workbench.proposing.claude.asks import Ask, Setup, asked_alone
from workbench.proposing.claude.call import failure_of, kind_of_body, result_of
from workbench.proposing.claude.clients import ModelClient, claude_body, claude_reply, detail
from workbench.proposing.claude.cost import NOTHING, Likely
from workbench.proposing.claude.run import RunMeter, Summary, Terms, within

# The service takes 100,000 rows or 256 MB a batch. Ours are smaller: the whole batch is held in memory while
# it is sent, and the first results come when the first batch ends.
ROWS, BYTES = 10_000, 64_000_000
_SENT_AGAIN = 5
_POLL, _LONGEST_POLL = 2.0, 60.0  # seconds, growing by half with every look
_LOOKS = 3  # at results with a line that cannot be read, before what it held counts as failed
_HOPELESS = 10  # looks in a row that fail end the waiting: some four minutes
_AMBIGUOUS: frozenset[FailureKind] = frozenset(("timeout", "connection", "server error", "not a message"))

_END = object()

OnBatch = Callable[[str, tuple[Ask, ...]], Awaitable[str]]
"""Notes how far a batch is; returns the name of the note of one that is about to be sent."""
OnRow = Callable[[Ask, Result, str], Awaitable[None]]
"""What is done with a result and the id of its batch."""


@dataclass(slots=True)
class _Sent:
    """A batch that is waited for: its asks without a result, by id; `ours` once a row of it was.

    `looks` counts the looks at its results that met a line that cannot be read.
    """

    asks: dict[str, Ask]
    ours: bool = False
    looks: int = 0


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


async def submit(client: ModelClient, setup: Setup, asks: Sequence[Ask]) -> str | Failure:
    """Send one batch; its id, or why the service did not take it.

    When the answer to it got lost, the batch is looked for in the service's list before it is sent again:
    a batch that the list shows is not sent again.
    """
    before = await _listed(client)
    failure = Failure("server error")
    for attempt in range(_SENT_AGAIN):
        try:
            requests: Any = [_row(setup, ask) for ask in asks]
            batch = await client.sdk.messages.batches.create(requests=requests)
            if isinstance(getattr(batch, "id", None), str):
                return str(batch.id)
            failure = Failure("not a message", detail(str(batch)[:1000]))
        except Exception as error:
            failure = failure_of(error)
        if failure.kind in _AMBIGUOUS:
            now = await _listed(client)
            if isinstance(before, Failure) or isinstance(now, Failure):
                return failure
            fresh = [name for name, rows in now.items() if rows == len(asks) and name not in before]
            if fresh:
                return fresh[0]
        elif failure.kind == "not found":  # the model was found before: a 404 is of batches
            return Failure("no batches")
        elif failure.kind not in {"rate limited", "overloaded"}:
            return failure
        await asyncio.sleep(min(_LONGEST_POLL, _POLL * 2**attempt))
    return failure


async def lost_batches(client: ModelClient, rows: int, known: Container[str]) -> list[str]:
    """Ids of recent batches of that many rows that nobody knows, newest first: after a crash while sending.

    One that is a stranger's does no harm when it is waited for: its rows have other keys. Raises our error
    when the service does not tell.
    """
    listed = await _listed(client)
    if isinstance(listed, Failure):
        raise listed.error()
    return [name for name, count in listed.items() if name not in known and count == rows]


async def _listed(client: ModelClient) -> dict[str, int] | Failure:
    """The newest batches with their rows."""
    try:
        page = await client.sdk.messages.batches.list(limit=20)
        states = ("processing", "succeeded", "errored", "canceled", "expired")
        return {
            str(batch.id): sum(int(getattr(batch.request_counts, state, 0) or 0) for state in states)
            for batch in page.data or ()
        }
    except Exception as error:
        return failure_of(error)


async def propose_batches(
    client: ModelClient,
    setup: Setup,
    steps: Iterable[Iterable[Ask]],
    on_row: OnRow,
    on_batch: OnBatch,
    pending: Mapping[str, Sequence[Ask]],
    terms: Terms,
) -> Summary:
    """Submit the asks in batches, wait for them and for the `pending` ones, hand over every row.

    Each step is taken when the asks before are settled; not when something ended the run.
    `on_batch` gets "" and the asks before a batch is sent, its id and the asks once it is taken, and its id
    and no asks when every row is handed over, or its note and no asks when the service refused it: what it
    stores is what `pending` is made of after a restart (an ask needs its task, keys and count for that, not
    its pieces). A batch cannot be held back once it is sent, so that the budget goes by what its rows likely
    cost. Rows that expired, were canceled or errored are failures to retry. `stop` ends the waiting; the
    batches go on at the service.
    """
    run = BatchRun(client, on_row, on_batch, terms)
    waiting = {name: _Sent({ask.id: ask for ask in batch}) for name, batch in pending.items()}
    failure: Failure | None = None
    stopped = ""
    for asks in steps:
        for batch in split(setup, run.affordable(asks)):
            if terms.stop.is_set():
                break
            note = await on_batch("", batch)
            name = await submit(client, setup, batch)
            if isinstance(name, Failure):
                if name.kind not in _AMBIGUOUS:  # refused: nothing of it is at the service
                    await on_batch(note, ())
                failure = name  # what was taken before is still worth waiting for
                break
            await on_batch(name, batch)
            run.meter.counts.requests += len(batch)
            waiting[name] = _Sent({ask.id: ask for ask in batch}, ours=True)
        failure = await run.wait(waiting) or failure
        asked = "asked to stop" if terms.stop.is_set() and waiting else run.too_dear
        stopped = failure.message if failure else asked
        if stopped:
            break
    return Summary(run.meter.read(_open(waiting)), stopped, failure, tuple(run.notes))


class BatchRun:
    """What the steps of a run share: whom they tell, what they count, and what a person should read."""

    def __init__(self, client: ModelClient, on_row: OnRow, on_batch: OnBatch, terms: Terms) -> None:
        self.client, self.on_batch, self.meter = client, on_batch, RunMeter(terms.budget)
        self.notes: list[str] = []
        self.too_dear = ""
        self._on_row, self._budget, self._terms = on_row, terms.budget, terms
        self._likely: dict[str, Likely] = {}

    def affordable(self, asks: Iterable[Ask]) -> Iterator[Ask]:
        """The asks, as long as there is money for them."""
        for ask in asks:
            likely = self._budget.likely(ask)
            if self._budget.room(likely) != "yes":
                self.too_dear = self._budget.why_not(likely)
                return
            self._budget.start(likely)
            self._likely[ask.id] = likely
            yield ask

    async def settle(self, name: str, sent: _Sent, ask: Ask, result: Result) -> None:
        """Count a result and hand it over."""
        sent.ours = True
        del sent.asks[ask.id]
        self._budget.end(self._likely.pop(ask.id, NOTHING), result)
        if len(asked_alone(ask, result)) < len(ask.keys):
            self.meter.settled(result)
        await self._on_row(ask, result, name)

    async def wait(self, waiting: dict[str, _Sent]) -> Failure | None:
        """Look at the batches until all have ended, ever less often, and collect each that has."""
        pause, faults = _POLL, 0
        while waiting and not self._terms.stop.is_set():
            for name in list(waiting):
                ended = await self._collected(name, waiting[name])
                faults = faults + 1 if isinstance(ended, Failure) else 0
                if isinstance(ended, Failure) and (ended.stops or faults >= _HOPELESS):
                    return ended
                if ended is True:
                    await self.on_batch(name, ())
                    del waiting[name]
                    pause = _POLL
            self._terms.on_progress(self.meter.read(_open(waiting)))
            if waiting:
                await within(pause, self._terms.stop)
                pause = min(_LONGEST_POLL, pause * 1.5)
        return None

    async def _collected(self, name: str, sent: _Sent) -> bool | Failure:
        """Whether the batch has ended and its rows were handed over; a failure when that could not be seen.

        Rows of keys that nobody asked about are left alone; when all are, the batch is a stranger's and its
        asks stay open. Lines that cannot be read are looked at again, and then given up.
        """
        unread, gone = 0, ""
        try:
            batch = await self.client.sdk.messages.batches.retrieve(name)
            if getattr(batch, "processing_status", None) != "ended":
                return False
            if batch.results_url is None:
                gone = "the service no longer has the results"
        except Exception as error:
            failure = failure_of(error)
            if failure.kind != "not found":  # else a 404
                return failure
            gone = f"the service has no batch {name}"
        if gone:
            for ask in list(sent.asks.values()):
                await self.settle(name, sent, ask, Failure("expired", gone))
            return True
        rows = _rows(self.client, name)
        while True:
            try:
                row = await anext(rows, _END)
            except Exception as error:  # a cut connection: the rows that are missing come with the next look
                return failure_of(error)
            if row is _END:
                break
            unread += row is None
            known = sent.asks.get(str(getattr(row, "custom_id", "")))
            if known is not None:
                await self.settle(name, sent, known, row_result(row, known))
        sent.looks += 1
        if unread and sent.asks and sent.looks < _LOOKS:
            return False
        why = f"batch {name} has no row for it"
        if unread and sent.asks:
            why += f", and {unread} of its lines cannot be read"
            self.notes.append(
                f"batch {name}: lines of its results that cannot be read: {unread}; calls without a row, "
                f"which count as failed: {len(sent.asks)}"
            )
        for ask in list(sent.asks.values()) if sent.ours or unread else ():
            await self.settle(name, sent, ask, Failure("server error", why))
        return True


async def _rows(client: ModelClient, name: str) -> AsyncGenerator[Any]:
    """The rows of a batch; None for a line that is none (the SDK's own reader ends at the first of these)."""
    rest = b""
    async with client.sdk.messages.batches.with_streaming_response.results(name) as response:
        async for chunk in response.iter_bytes():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield _row_of(line)
    yield _row_of(rest)


def _row_of(line: bytes) -> Any:
    from anthropic.types.messages import MessageBatchIndividualResponse

    try:
        value = json.loads(line) if line.strip() else {}
    except ValueError:
        return None
    return MessageBatchIndividualResponse.construct(**value) if isinstance(value, dict) else None


def row_result(row: Any, ask: Ask) -> Result:
    """What one row of a batch came to."""
    result = getattr(row, "result", None)
    kind = getattr(result, "type", "")
    if kind == "succeeded":
        return result_of(claude_reply(getattr(result, "message", None)), ask)
    if kind in ("expired", "canceled"):
        return Failure(kind)
    error = getattr(getattr(result, "error", None), "error", None)
    words = str(getattr(error, "message", "") or "")
    return Failure(kind_of_body(str(getattr(error, "type", "")), words), detail(words))


def _row(setup: Setup, ask: Ask) -> dict[str, Any]:
    return {"custom_id": ask.id, "params": claude_body(setup, ask)}


def _open(waiting: Mapping[str, _Sent]) -> int:
    """How many asks wait for their result."""
    return sum(len(sent.asks) for sent in waiting.values())
