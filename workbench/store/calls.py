"""Calls to a service: what was asked and paid, answers by what they answer, batches under way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select

from workbench.store.engine import Store
from workbench.store.samples import CHUNK, chunked
from workbench.store.tables import ANSWER, BATCH, CALL, AnswerRow, BatchRow, CallRow


def save_call(store: Store, call: CallRow, documents: Sequence[list[Any]]) -> None:
    """Store a request with all its answers, one for each of its keys, none for a failure; one transaction.

    An answer that another run paid for meanwhile stays as it is.
    """
    with store.writing() as session:
        session.add(call)
        session.flush()
        known = answers(store, call.keys) if documents else {}
        fresh = [
            {"key": key, "call_id": call.id, "task": call.task, "document": document}
            for key, document in zip(call.keys, documents, strict=False)
            if key not in known
        ]
        store.insert(AnswerRow, fresh)


def all_keys(store: Store) -> set[str]:
    """The key of every stored answer."""
    return set(store.column(select(ANSWER.key)))


def known_keys(store: Store, keys: Iterable[str]) -> set[str]:
    """Those of the keys that were answered."""
    return {key for chunk in _chunks(keys) for key in store.column(select(ANSWER.key).where(chunk))}


def answers(store: Store, keys: Iterable[str]) -> dict[str, AnswerRow]:
    """The stored answers of some keys."""
    return {row.key: row for chunk in _chunks(keys) for row in store.column(select(AnswerRow).where(chunk))}


def answers_to(store: Store, task: str) -> Iterator[tuple[str, list[Any]]]:
    """The documents of all stored answers to one task, with their keys."""
    query = select(ANSWER.key, ANSWER.document).where(ANSWER.task == task)
    with store.reading() as session:
        yield from session.execute(query.execution_options(yield_per=CHUNK))


def failures(store: Store, run_id: int) -> dict[str, CallRow]:
    """The newest failure of every key of a run that has no answer."""
    query = select(CallRow).where(CALL.run_id == run_id, CALL.failure != "").order_by(CALL.id)
    newest = {key: row for row in store.column(query) for key in row.keys}
    answered = known_keys(store, newest)
    return {key: call for key, call in newest.items() if key not in answered}


def paid(store: Store, run_id: int) -> Iterator[tuple[Mapping[str, int] | None, bool, bool]]:
    """The tokens of every call of a run, and whether it went in a batch and was answered: what it cost."""
    query = select(CALL.usage, CALL.batch, CALL.failure).where(CALL.run_id == run_id)
    with store.reading() as session:
        for usage, batch, failure in session.execute(query.execution_options(yield_per=CHUNK)):
            yield usage, bool(batch), not failure


def add_batch(store: Store, run_id: int, batch_id: str, asks: list[Any]) -> None:
    """Note a batch that was submitted, with the asks it holds as [id, task, keys, count]."""
    with store.writing() as session:
        session.merge(BatchRow(id=batch_id, run_id=run_id, asks=asks, submitted_at=datetime.now(UTC)))


def open_batches(store: Store, run_id: int) -> Sequence[BatchRow]:
    """The batches of a run whose results were not fetched yet, oldest first."""
    query = select(BatchRow).where(BATCH.run_id == run_id, BATCH.fetched.is_(False))
    return store.column(query.order_by(BATCH.submitted_at))


def rename_batch(store: Store, batch_id: str, name: str) -> None:
    """A batch that was noted before it was sent has its id now."""
    with store.writing() as session:
        session.get_one(BatchRow, batch_id).id = name


def batch_ids(store: Store) -> set[str]:
    """Every batch that is known."""
    return set(store.column(select(BATCH.id)))


def close_batch(store: Store, batch_id: str) -> None:
    """The results of a batch are all stored."""
    with store.writing() as session:
        session.get_one(BatchRow, batch_id).fetched = True


def _chunks(keys: Iterable[str]) -> list[Any]:
    """Conditions that an answer is to one of some keys, as many to each as a statement takes."""
    return [ANSWER.key.in_(some) for some in chunked(list(keys))]
