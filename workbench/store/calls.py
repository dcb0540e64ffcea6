"""Calls to a service: what was asked and paid, answers by what they answer, batches under way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import insert
from sqlmodel import Session, col, select

from workbench.store.engine import Store
from workbench.store.tables_calls import AnswerRow, BatchRow, CallRow

CHUNK = 500
"""Keys of one query."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it is stored. `documents` has one entry per key for an answer, None for a failure.

    `usage` maps kinds of tokens to numbers; None when the service named none.
    """

    task: str
    keys: tuple[str, ...]
    documents: tuple[list[Any], ...] | None
    model: str = ""
    request_id: str = ""
    stop_reason: str = ""
    failure: str = ""
    detail: str = ""
    usage: Mapping[str, int] | None = None
    attempts: int = 1
    batch: str = ""


@dataclass(frozen=True, slots=True)
class Paid:
    """An answer of the store: its task, its document, and the call that paid for it."""

    task: str
    document: list[Any]
    call_id: int


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that was submitted, and the asks it holds as [id, task, keys, count]."""

    id: str
    asks: list[Any]


def save_call(store: Store, run_id: int, call: Call) -> None:
    """Store a request with all its answers, in one transaction.

    An answer that another run paid for meanwhile stays as it is.
    """
    with store.writing() as session:
        row = CallRow(
            run_id=run_id,
            task=call.task,
            keys=list(call.keys),
            model=call.model,
            request_id=call.request_id,
            stop_reason=call.stop_reason,
            failure=call.failure,
            detail=call.detail,
            usage=dict(call.usage) if call.usage is not None else None,
            attempts=call.attempts,
            batch=call.batch,
            at=datetime.now(UTC),
        )
        session.add(row)
        session.flush()
        if call.documents is None:
            return
        known = _known(session, call.keys)
        fresh = [
            {"key": key, "call_id": row.id, "task": call.task, "document": document}
            for key, document in zip(call.keys, call.documents, strict=True)
            if key not in known
        ]
        if fresh:
            session.execute(insert(AnswerRow), fresh)


def all_keys(store: Store) -> set[str]:
    """The key of every stored answer."""
    with store.reading() as session:
        return set(session.exec(select(AnswerRow.key)))


def known_keys(store: Store, keys: Iterable[str]) -> set[str]:
    """Those of the keys that were answered."""
    with store.reading() as session:
        return _known(session, tuple(keys))


def answers(store: Store, keys: Iterable[str]) -> dict[str, Paid]:
    """The stored answers of some keys."""
    found: dict[str, Paid] = {}
    with store.reading() as session:
        for chunk in _chunks(tuple(dict.fromkeys(keys))):
            rows = session.exec(select(AnswerRow).where(col(AnswerRow.key).in_(chunk)))
            found |= {row.key: Paid(row.task, row.document, row.call_id) for row in rows}
    return found


def answers_to(store: Store, task: str) -> Iterator[tuple[str, Paid]]:
    """All stored answers to one task, with their keys."""
    with store.reading() as session:
        query = select(AnswerRow).where(AnswerRow.task == task).execution_options(yield_per=CHUNK)
        for row in session.exec(query):
            yield row.key, Paid(row.task, row.document, row.call_id)


def failures(store: Store, run_id: int) -> dict[str, Call]:
    """The newest failure of every key of a run that has no answer."""
    found: dict[str, Call] = {}
    with store.reading() as session:
        query = (
            select(CallRow).where(CallRow.run_id == run_id, CallRow.failure != "").order_by(col(CallRow.id))
        )
        for row in session.exec(query):
            found |= dict.fromkeys(row.keys, _call(row))
        answered = _known(session, tuple(found))
    return {key: call for key, call in found.items() if key not in answered}


def paid(store: Store, run_id: int) -> Iterator[tuple[Mapping[str, int] | None, bool, bool]]:
    """The tokens of every call of a run, and whether it went in a batch and was answered: what it cost."""
    with store.reading() as session:
        query = select(CallRow.usage, CallRow.batch, CallRow.failure).where(CallRow.run_id == run_id)
        for usage, batch, failure in session.exec(query.execution_options(yield_per=CHUNK)):
            yield usage, bool(batch), not failure


def add_batch(store: Store, run_id: int, batch: Batch) -> None:
    """Note a batch that was submitted."""
    with store.writing() as session:
        session.merge(BatchRow(id=batch.id, run_id=run_id, asks=batch.asks, submitted_at=datetime.now(UTC)))


def open_batches(store: Store, run_id: int) -> list[Batch]:
    """The batches of a run whose results were not fetched yet, oldest first."""
    with store.reading() as session:
        query = (
            select(BatchRow)
            .where(BatchRow.run_id == run_id, col(BatchRow.fetched).is_(False))
            .order_by(col(BatchRow.submitted_at))
        )
        return [Batch(row.id, row.asks) for row in session.exec(query)]


def rename_batch(store: Store, batch_id: str, name: str) -> None:
    """A batch that was noted before it was sent has its id now."""
    with store.writing() as session:
        row = session.get_one(BatchRow, batch_id)
        session.add(BatchRow(id=name, run_id=row.run_id, asks=row.asks, submitted_at=row.submitted_at))
        session.delete(row)


def batch_ids(store: Store) -> set[str]:
    """Every batch that is known."""
    with store.reading() as session:
        return set(session.exec(select(BatchRow.id)))


def close_batch(store: Store, batch_id: str) -> None:
    """The results of a batch are all stored."""
    with store.writing() as session:
        session.get_one(BatchRow, batch_id).fetched = True


def _chunks(keys: Sequence[str]) -> list[Sequence[str]]:
    return [keys[start : start + CHUNK] for start in range(0, len(keys), CHUNK)]


def _known(session: Session, keys: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for chunk in _chunks(keys):
        found |= set(session.exec(select(AnswerRow.key).where(col(AnswerRow.key).in_(chunk))))
    return found


def _call(row: CallRow) -> Call:
    return Call(
        task=row.task,
        keys=tuple(row.keys),
        documents=None,
        model=row.model,
        request_id=row.request_id,
        stop_reason=row.stop_reason,
        failure=row.failure,
        detail=row.detail,
        usage=row.usage,
        attempts=row.attempts,
        batch=row.batch,
    )
