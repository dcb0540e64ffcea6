"""Runs and their proposals. A stored proposal is never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

from sqlalchemy import delete, exists, func, select

from workbench.errors import NotFoundError
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.tables import (
    FAILED,
    PROPOSAL,
    RUN,
    SAMPLE,
    FailedRow,
    ProposalRow,
    RunRow,
    among,
    proposed_by,
)
from workbench.text.safe import BEGINNING


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

    def number(run_id: Any) -> Any:
        return select(func.count()).where(run_id == RUN.id).scalar_subquery()

    own = RUN.id, RUN.name, RUN.proposer, RUN.model, RUN.parameters, RUN.created_at
    query = select(*own, number(PROPOSAL.run_id), number(FAILED.run_id)).where(RUN.dataset_id == dataset_id)
    with store.reading():
        return [RunInfo(*row) for row in store.rows(query.order_by(RUN.id))]


def find_run(store: Store, dataset_id: int, name: str) -> RunInfo:
    """The run of that name. Raises NotFoundError that lists the runs there are."""
    runs = {run.name: run for run in list_runs(store, dataset_id)}
    if name not in runs:
        raise NotFoundError(f"no run {name!r}; there is: {', '.join(runs) or 'none yet'}")
    return runs[name]


def chosen_run(store: Store, info: DatasetInfo, name: str | None = None) -> RunInfo | None:
    """The named run, else the current one; None before anything was proposed. Raises NotFoundError."""
    if name is not None:
        return find_run(store, info.id, name)
    return next((run for run in list_runs(store, info.id) if run.id == info.run_id), None)


def create_run(
    store: Store, dataset_id: int, proposer: str, model: str, parameters: dict[str, Any], annotator: str
) -> int:
    """Add a run named PROPOSER-run-N; returns its number."""
    with store.writing() as session:
        taken = store.column(select(RUN.name).where(RUN.dataset_id == dataset_id))
        names = (f"{proposer}-run-{number}" for number in count(1))
        run = RunRow(
            dataset_id=dataset_id,
            name=next(name for name in names if name not in taken),
            proposer=proposer,
            model=model,
            parameters=parameters,
            annotator=annotator,
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
    with store.writing() as session:
        session.execute(delete(FailedRow).where(FAILED.run_id == run_id, among(FAILED.sample_id, ids)))
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
    query = select(SAMPLE.id).where(
        SAMPLE.dataset_id == dataset_id, ~exists().where(proposed_by(run_id)), ~failed
    )
    return list(store.numbers(query.order_by(SAMPLE.rank)))


def failures_of(store: Store, run_id: int) -> list[tuple[int, str, str, str, str]]:
    """(sample, its id, kind, message, question) of each sample that a run failed on, in queue order."""
    beginning = func.substr(SAMPLE.user_input, 1, BEGINNING)
    query = (
        select(SAMPLE.id, SAMPLE.key, FAILED.failure, FAILED.message, beginning)
        .where(FAILED.sample_id == SAMPLE.id, FAILED.run_id == run_id)
        .order_by(SAMPLE.rank)
    )
    return [(*row,) for row in store.rows(query)]


def failure_kinds(store: Store, run_id: int) -> dict[str, int]:
    """How many samples a run could not speak of, by the kind of failure, the most frequent first."""
    number = func.count()
    query = select(FAILED.failure, number).where(FAILED.run_id == run_id).group_by(FAILED.failure)
    return dict(store.rows(query.order_by(number.desc(), FAILED.failure)))


def runs_for_unproposed(store: Store, dataset_id: int, run_id: int | None) -> dict[str, int]:
    """The other runs that have proposals for samples that this one says nothing of: how many, most first."""
    own = PROPOSAL.id.table.alias().c
    proposed = exists().where(
        own.sample_id == SAMPLE.id, own.run_id == run_id, own.content_hash == SAMPLE.content_hash
    )
    number = func.count()
    query = (
        select(RUN.name, number)
        .where(SAMPLE.dataset_id == dataset_id, proposed_by(RUN.id), ~proposed)
        .group_by(RUN.id, RUN.name)
        .order_by(number.desc(), RUN.id)
    )
    return dict(store.rows(query))


def count_unproposed(store: Store, dataset_id: int, run_id: int | None) -> int:
    """Samples for whose present text that run has no proposal."""
    unproposed = SAMPLE.dataset_id == dataset_id, ~exists().where(proposed_by(run_id))
    return int(store.value(select(func.count(SAMPLE.id)).where(*unproposed)))
