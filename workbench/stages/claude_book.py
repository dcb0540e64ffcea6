"""A run of a model over a dataset, live or in batches: what is asked, stored, and put together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from time import monotonic
from typing import Any, Self, cast

from workbench.errors import StoreError
from workbench.model import Kind, Sample, text_hash
from workbench.proposing.claude.answers import CAUSES, SPLIT, Failure, Result, Task
from workbench.proposing.claude.asks import (
    Ask,
    Results,
    Setup,
    asked_alone,
    assemble,
    part_document,
    payment_key,
    plan,
    plan_verdicts,
    read_part,
    statements_key,
)
from workbench.proposing.claude.batches import lost_batches, propose_batches
from workbench.proposing.claude.clients import ModelClient
from workbench.proposing.claude.run import LiveRun, Summary, Terms
from workbench.reviewing.documents import proposal_document
from workbench.store import runs, samples
from workbench.store.database import may_pass
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.samples import Stored
from workbench.store.tables import CallRow

WINDOW = 200
"""Samples that are planned at once."""

TOGETHER = 25
"""Proposals of one transaction: a decision of a person waits its turn behind one (a whole window took the
writer .1 to .2 s)."""

PATIENCE = 600.0
"""Seconds that what was paid for waits for a database that is locked, full or away."""

AGAIN = 1.0
"""Seconds between two tries."""

_FINAL = tuple(kind for kind, cause in CAUSES.items() if not cause.again)
"""Failures that are left alone until a person retries."""

UNSENT = "unsent-"
"""Prefix of a batch that was noted before it was sent: after a crash it may be at the service or not."""


@dataclass(slots=True)
class Book:
    """What a run knows and stores: answers by payment key, failures, proposals.

    `failed` are the keys that are not asked (any more), with why. `alone` are those that share no call: a
    text among them may spoil it; `again` were asked so. `waited` are those of batches that an earlier start
    sent. `gently` as in Limits. Of `ids`, the first `planned` were looked at.
    """

    store: Store
    run_id: int
    ids: Sequence[int]
    setup: Setup
    kinds: tuple[Kind, ...]
    failed: dict[str, Failure] = field(default_factory=dict)
    alone: set[str] = field(default_factory=set)
    gently: bool = False
    again: set[str] = field(default_factory=set)
    waited: set[str] = field(default_factory=set)
    spoiled: bool = False
    planned: int = 0

    @classmethod
    def of_run(
        cls, store: Store, info: DatasetInfo, setup: Setup, run_id: int, *, retry: bool, gently: bool = False
    ) -> Self:
        """What earlier starts of a run leave; 0 for a run that is not there yet.

        A killed start may not have failed the samples of its texts yet. `retry` gives no text up.
        """
        failed = runs.failures(store, run_id)
        alone = {key for key, call in failed.items() if call.failure in SPLIT}
        final = {} if retry else {str(kind): kind for kind in _FINAL}
        given_up = {
            key: Failure(final[call.failure], call.detail)
            for key, call in failed.items()
            if call.failure in final and (key not in alone or len(call.keys) == 1)
        }
        ids = runs.pending_ids(store, info.id, run_id, tuple(final))
        return cls(store, run_id, ids, setup, info.policy.kinds, given_up, alone, gently)

    def windows(self) -> Iterator[list[Stored]]:
        """The samples, a window at a time, read as they are needed."""
        for start in range(0, len(self.ids), WINDOW):
            yield samples.load_samples(self.store, self.ids[start : start + WINDOW], None)

    def keys_of(self, sample: Sample) -> set[str]:
        """The payment keys of a sample, but for the verdicts, which depend on the statements."""
        keys = set()
        if "entity" in self.kinds:
            texts = (sample.reference, *sample.retrieved_contexts)
            keys |= {payment_key(self.setup, "entities", text) for text in texts if text.strip()}
        if "statement" in self.kinds and not sample.blank:
            keys.add(statements_key(self.setup, sample))
        return keys

    def results(self, stored: Sequence[Stored]) -> tuple[Results, dict[str, int]]:
        """What is known for some samples by key, and the call that each answer came with."""
        keys = {key for entry in stored for key in self.keys_of(entry.sample)}
        parts, paid_by = self._known(keys)
        if "statement" in self.kinds:
            verdicts = {key for entry in stored for key in self.verdict_keys(entry.sample, parts)}
            judged, judged_by = self._known(verdicts)
            return parts | judged, paid_by | judged_by
        return parts, paid_by

    def verdict_keys(self, sample: Sample, results: Results) -> set[str]:
        """The payment key of a sample's verdicts, once its statements are known; none when it needs none."""
        return {key for ask in plan_verdicts([sample], self.setup, results) for key in ask.keys}

    def _known(self, keys: set[str]) -> tuple[Results, dict[str, int]]:
        paid = runs.answers(self.store, keys)
        parts: Results = {key: self.failed[key] for key in keys if key in self.failed}
        parts |= {key: read_part(cast("Task", answer.task), answer.document) for key, answer in paid.items()}
        return parts, {key: answer.call_id for key, answer in paid.items()}

    async def save(self, ask: Ask, result: Result, batch: str = "") -> None:
        """Store what a call came to, whole."""
        left = asked_alone(ask, result)
        self.again.update(self.alone.intersection(ask.keys))
        self.alone.update(left)
        self.spoiled |= bool(left)
        documents = dict[str, list[Any]]()
        if isinstance(result, Failure):
            self.failed |= {key: result for key in ask.keys if key not in left}
        else:
            parts = zip(ask.keys, result.parts, strict=True)
            documents = {key: part_document(part) for key, part in parts if part is not None}

        def save(store: Store) -> None:  # a row anew for each try: one that failed keeps its number
            call = CallRow(
                run_id=self.run_id,
                task=ask.task,
                keys=list(ask.keys),
                model=result.model,
                failure=result.kind if isinstance(result, Failure) else "",
                detail=result.detail if isinstance(result, Failure) else "",
                usage=None if result.usage is None else asdict(result.usage),
                batch=batch,
            )
            runs.save_call(store, call, documents)

        await self._write(save)

    async def _write(self, change: Callable[[Store], None]) -> None:
        """Store what was paid for, also where the database takes it only after a while."""
        began = monotonic()
        while True:
            try:
                return await self.store.write(change)
            except StoreError as error:
                if not may_pass(error) or monotonic() - began > PATIENCE:
                    raise
            await asyncio.sleep(AGAIN)

    def steps(self) -> Iterator[Iterator[Ask]]:
        """What to ask, in steps: each is planned when the answers to the one before are stored.

        Texts and statements first, then by themselves the texts whose call another one may have spoiled, and
        the verdicts on the statements at last.
        """
        self.spoiled = True
        while self.spoiled:
            self.spoiled = False
            yield self._texts()
        if "statement" in self.kinds:
            yield self._verdicts()

    def _texts(self) -> Iterator[Ask]:
        known = self.failed.keys() | self.waited
        self.waited = set()

        def lacking() -> Iterator[Sample]:
            for number, stored in enumerate(self.windows(), 1):
                self.planned = max(self.planned, WINDOW * number)
                keys = {key for entry in stored for key in self.keys_of(entry.sample)}
                known.update(runs.known_keys(self.store, keys))
                yield from (entry.sample for entry in stored)

        yield from plan(lacking(), self.setup, self.kinds, known, self.alone)

    def _verdicts(self) -> Iterator[Ask]:
        results = Results()

        def answered() -> Iterator[Sample]:
            for stored in self.windows():
                results.clear()
                results.update(self.results(stored)[0])
                yield from (entry.sample for entry in stored)

        yield from plan_verdicts(answered(), self.setup, results, results)

    async def put_together(self) -> None:
        """Store the proposals of the samples that all is known of, and why others have none."""
        ids = self.ids[: self.planned]
        for start in range(0, len(ids), TOGETHER):
            began = monotonic()
            proposals, failures = await asyncio.to_thread(self._made, ids[start : start + TOGETHER])
            if self.gently:
                await asyncio.sleep(monotonic() - began)
            await self._write(partial(runs.add_results, proposals=proposals, failures=failures))

    def _made(self, ids: Sequence[int]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        stored = samples.load_samples(self.store, ids, None)
        results, paid_by = self.results(stored)
        proposals, failures = [], []
        for entry in stored:
            made = assemble(entry.sample, self.setup, self.kinds, results)
            if made is None:
                continue
            row = {
                "run_id": self.run_id,
                "sample_id": entry.sample_id,
                "content_hash": entry.sample.content_hash,
            }
            if isinstance(made, Failure):
                failures.append({**row, "failure": made.kind, "message": made.message})
            else:
                keys = self.keys_of(entry.sample) | self.verdict_keys(entry.sample, results)
                used = sorted({paid_by[key] for key in keys if key in paid_by})
                proposals.append({**row, "document": proposal_document(made), "calls": used})
        return proposals, failures

    async def note_batch(self, name: str, asks: tuple[Ask, ...]) -> str:
        """Before a batch is sent (no name yet), when it is taken, when nothing of it is left (no asks)."""
        unsent = UNSENT + text_hash(*(ask.id for ask in asks))
        if not asks:
            await self.store.write(runs.change_batch, name, fetched=True)
        elif name:
            await self.store.write(runs.change_batch, unsent, id=name, fetched=False)
        else:
            document = [[ask.task, list(ask.keys), ask.count] for ask in asks]
            await self.store.write(runs.add_batch, self.run_id, unsent, document)
        return unsent

    async def open_batches(self, client: ModelClient) -> dict[str, list[Ask]]:
        """The batches of an earlier start that are at the service, with what is not stored of them."""
        for batch in runs.open_batches(self.store, self.run_id):
            if not batch.id.startswith(UNSENT):
                continue
            # noted and never confirmed: found at the service, or forgotten and sent anew
            lost = await lost_batches(client, len(batch.asks), runs.batch_ids(self.store))
            values: dict[str, Any] = {"id": lost[0]} if lost else {"fetched": True}
            await self.store.write(runs.change_batch, batch.id, **values)
        return {
            batch.id: [
                Ask(cast("Task", task), tuple(keys), count)
                for task, keys, count in batch.asks
                if stored.isdisjoint(keys)
            ]
            for batch in runs.open_batches(self.store, self.run_id)
            for stored in [runs.keys_in_batch(self.store, batch.id)]
        }


async def propose_missing(book: Book, client: ModelClient, terms: Terms, *, batch: bool) -> Summary:
    """Ask for all that the samples lack; answers are stored as they come, proposals at the end.

    With `batch` what is asked goes in batches, and those of an earlier start are fetched first. A stop ends
    it softly: batches go on, and the next start fetches them. Whatever ends it, what was paid for is stored.
    Raises what the store raises.
    """
    try:
        if not batch:
            return await LiveRun(client, book.setup, book.save, terms).all(book.steps())
        pending = await book.open_batches(client)
        book.waited = {key for asks in pending.values() for ask in asks for key in ask.keys}
        return await propose_batches(
            client, book.setup, book.steps(), book.save, book.note_batch, pending, terms
        )
    finally:
        await book.put_together()
