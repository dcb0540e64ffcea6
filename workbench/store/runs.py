"""Runs and their proposals, which never change. The calls of a run: asked, answered, paid; its batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

from sqlalchemy import exists, func, select

from workbench.errors import NotFoundError
from workbench.model import JsonObject
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.samples import CHUNK, chunked
from workbench.store.tables import (
    ANSWER,
    BATCH,
    BLANK_RANK,
    CALL,
    DATASET,
    FAILED,
    PROPOSAL,
    QUESTION,
    RUN,
    SAMPLE,
    AnswerRow,
    BatchRow,
    CallRow,
    FailedRow,
    ProposalRow,
    RunRow,
    among,
    proposed_by,
    samples_of,
)

MadeBy = tuple[str, str, JsonObject]
"""The proposer of a run, its model and its parameters; two runs with equal ones are one."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run, how many samples it speaks of and how many it could not speak of. `created_at` is in UTC."""

    id: int
    name: str
    proposer: str
    model: str
    parameters: Mapping[str, Any]
    created_at: datetime
    n_proposals: int
    failed: int

    @property
    def source(self) -> str:
        """Who made it: `rules`, `claude`, or `recorded` in a file."""
        return str(self.parameters.get("source", ""))


def list_runs(store: Store, dataset_id: int) -> list[RunInfo]:
    """The runs of a dataset, oldest first."""
    numbers = (
        select(func.count()).where(of_run == RUN.id).scalar_subquery()
        for of_run in (PROPOSAL.run_id, FAILED.run_id)
    )
    own = RUN.id, RUN.name, RUN.proposer, RUN.model, RUN.parameters, RUN.created_at
    query = select(*own, *numbers).where(RUN.dataset_id == dataset_id)
    with store.snapshot():
        return [RunInfo(*row) for row in store.rows(query.order_by(RUN.id))]


def present_runs(store: Store, dataset_id: int) -> list[RunInfo]:
    """The same runs, without their proposals for texts that were replaced; this reads all samples."""
    total = store.count(SAMPLE.id, SAMPLE.dataset_id == dataset_id)
    return [
        replace(run, n_proposals=total - count_unproposed(store, dataset_id, run.id))
        for run in list_runs(store, dataset_id)
    ]


def find_run(store: Store, dataset_id: int, name: str) -> RunInfo:
    """The run of that name. Raises NotFoundError that lists the runs there are."""
    runs = {run.name: run for run in list_runs(store, dataset_id)}
    if name not in runs:
        raise NotFoundError(f"no run {name!r}; there is: {', '.join(runs) or 'none yet'}")
    return runs[name]


def current_run(store: Store, info: DatasetInfo) -> RunInfo | None:
    """The run of a dataset; None before anything was proposed."""
    return next((run for run in list_runs(store, info.id) if run.id == info.run_id), None)


def found_run(store: Store, info: DatasetInfo, made_by: MadeBy) -> RunInfo | None:
    """The newest run of this set-up; None when there is none yet."""
    every = reversed(list_runs(store, info.id))
    return next((run for run in every if (run.proposer, run.model, run.parameters) == made_by), None)


def run_of(store: Store, info: DatasetInfo, made_by: MadeBy) -> RunInfo:
    """The run of this set-up: the one that there is, else a new one, the same for two who begin at once."""
    if (run := found_run(store, info, made_by)) is None:
        with store.writing():
            store.hold(DATASET.id, info.id)
            if (run := found_run(store, info, made_by)) is None:
                create_run(store, info.id, *made_by)
                run = list_runs(store, info.id)[-1]
    return run


def create_run(store: Store, dataset_id: int, proposer: str, model: str, parameters: JsonObject) -> int:
    """Add a run named PROPOSER-run-N; returns its number."""
    with store.writing() as session:
        store.hold(DATASET.id, dataset_id)  # two that begin at once have two names
        taken = store.column(select(RUN.name).where(RUN.dataset_id == dataset_id))
        names = (f"{proposer}-run-{number}" for number in count(1))
        run = RunRow(
            dataset_id=dataset_id,
            name=next(name for name in names if name not in taken),
            proposer=proposer,
            model=model,
            parameters=parameters,
            created_at=datetime.now(UTC),
        )
        session.add(run)
        session.flush()
        assert run.id is not None
        return run.id


def add_results(
    store: Store, proposals: Sequence[dict[str, Any]], failures: Sequence[dict[str, Any]]
) -> None:
    """Store proposals of one run, and why other samples have none, in one transaction.

    A sample that another process proposed meanwhile stays as it is; a proposal ends an earlier failure.
    """
    if not proposals and not failures:
        return
    run_id = (*proposals, *failures)[0]["run_id"]
    ids = [row["sample_id"] for row in (*proposals, *failures)]
    with store.writing():
        store.delete(FailedRow, FAILED.run_id == run_id, among(FAILED.sample_id, ids))
        of_ids = PROPOSAL.run_id == run_id, among(PROPOSAL.sample_id, ids)
        there = set(map(tuple, store.rows(select(PROPOSAL.sample_id, PROPOSAL.content_hash).where(*of_ids))))
        for table, rows in ((ProposalRow, proposals), (FailedRow, failures)):
            store.insert(table, [row for row in rows if (row["sample_id"], row["content_hash"]) not in there])


def pending_ids(store: Store, dataset_id: int, run_id: int, final: Sequence[str]) -> list[int]:
    """The samples for whose present text a run has neither a proposal nor a failure of a `final` kind."""
    failed = exists().where(
        FAILED.sample_id == SAMPLE.id,
        FAILED.run_id == run_id,
        FAILED.content_hash == SAMPLE.content_hash,
        FAILED.failure.in_(final),
    )
    query = samples_of(dataset_id, ~exists().where(proposed_by(run_id)), ~failed)
    return list(store.numbers(query.order_by(SAMPLE.rank)))


def failures_of(store: Store, run_id: int) -> list[tuple[int, str, str, str, str]]:
    """(sample, its id, kind, message, question) of each sample that a run failed on, in queue order."""
    columns = SAMPLE.id, SAMPLE.key, FAILED.failure, FAILED.message, QUESTION
    query = select(*columns).where(FAILED.sample_id == SAMPLE.id, FAILED.run_id == run_id)
    return [(*row,) for row in store.rows(query.order_by(SAMPLE.rank))]


def failure_kinds(store: Store, run_id: int) -> dict[str, int]:
    """How many samples a run could not speak of, by the kind of failure, the most frequent first."""
    number = func.count()
    query = select(FAILED.failure, number).where(FAILED.run_id == run_id).group_by(FAILED.failure)
    return dict(store.rows(query.order_by(number.desc(), FAILED.failure)))


def count_unproposed(store: Store, dataset_id: int, run_id: int | None) -> int:
    """Samples for whose present text that run has no proposal."""
    return store.count(SAMPLE.id, SAMPLE.dataset_id == dataset_id, ~exists().where(proposed_by(run_id)))


def count_bare(store: Store, dataset_id: int, run_id: int) -> int:
    """Samples with a reference in which that run found nothing: neither names nor statements."""
    said = [PROPOSAL.document[kind].as_string() for kind in ("reference_entities", "statements")]
    bare = exists().where(proposed_by(run_id), *(func.coalesce(each, "[]") == "[]" for each in said))
    return store.count(SAMPLE.id, SAMPLE.dataset_id == dataset_id, SAMPLE.rank < BLANK_RANK, bare)


def save_call(store: Store, call: CallRow, documents: Mapping[str, list[Any]]) -> None:
    """Store a request with all its answers, by their keys, none for a failure; one transaction.

    An answer that another run paid for meanwhile stays as it is.
    """
    with store.writing() as session:
        session.add(call)
        session.flush()
        known = answers(store, documents)
        fresh = [
            {"key": key, "call_id": call.id, "task": call.task, "document": document}
            for key, document in documents.items()
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


def change_batch(store: Store, batch_id: str, /, **values: object) -> None:
    """A batch that was noted before it was sent has its `id` now, or its results were all `fetched`."""
    store.update(BatchRow, BATCH.id == batch_id, **values)


def keys_in_batch(store: Store, batch_id: str) -> set[str]:
    """The keys whose calls came back in a batch and are stored."""
    calls = store.column(select(CallRow).where(CALL.batch == batch_id))
    return {key for call in calls for key in call.keys}


def batch_ids(store: Store) -> set[str]:
    """Every batch that is known."""
    return set(store.column(select(BATCH.id)))


def _chunks(keys: Iterable[str]) -> list[Any]:
    """Conditions that an answer is to one of some keys, as many to each as a statement takes."""
    return [ANSWER.key.in_(some) for some in chunked(list(keys))]
