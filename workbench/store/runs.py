"""Runs and their proposals. A stored proposal is never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy
from sqlalchemy import delete, func, insert
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from workbench.errors import NotFoundError
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.tables import ProposalRow, RunRow, SampleRow
from workbench.store.tables_calls import FailedRow
from workbench.text.safe import BEGINNING


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run and how many samples it speaks of. `source` is who made it: `rules`, `claude`, or `recorded`
    in a file; `failed` counts the samples that it could not speak of. `created_at` is in UTC.
    """

    id: int
    name: str
    proposer: str
    model: str
    n_proposals: int
    source: str
    parameters: Mapping[str, Any]
    failed: int
    created_at: datetime


def list_runs(store: Store, dataset_id: int) -> list[RunInfo]:
    """The runs of a dataset, oldest first."""
    with store.reading() as session:
        failed = dict(
            session.execute(
                sqlalchemy.select(col(FailedRow.run_id), func.count()).group_by(col(FailedRow.run_id))
            ).all()
        )
        rows = session.exec(
            select(RunRow, func.count(col(ProposalRow.id)))
            .join(ProposalRow, col(ProposalRow.run_id) == RunRow.id, isouter=True)
            .where(RunRow.dataset_id == dataset_id)
            .group_by(col(RunRow.id))
            .order_by(col(RunRow.id))
        )
        return [
            RunInfo(
                run.id or 0,
                run.name,
                run.proposer,
                run.model,
                n,
                str(run.parameters.get("source", "")),
                run.parameters,
                failed.get(run.id or 0, 0),
                run.created_at,
            )
            for run, n in rows
        ]


def find_run(store: Store, dataset_id: int, name: str) -> RunInfo:
    """The run of that name. Raises NotFoundError that lists the runs there are."""
    runs = list_runs(store, dataset_id)
    for run in runs:
        if run.name == name:
            return run
    names = ", ".join(run.name for run in runs) or "none yet"
    raise NotFoundError(f"no run {name!r}; there is: {names}")


def chosen_run(store: Store, info: DatasetInfo, name: str | None = None) -> RunInfo | None:
    """The named run, else the current one; None before anything was proposed. Raises NotFoundError."""
    if name is not None:
        return find_run(store, info.id, name)
    return next((run for run in list_runs(store, info.id) if run.id == info.run_id), None)


def new_run(
    session: Session, dataset_id: int, proposer: str, model: str, parameters: dict[str, Any], annotator: str
) -> int:
    """Add a run named PROPOSER-run-N inside an open transaction; returns its number."""
    taken = set(session.exec(select(RunRow.name).where(RunRow.dataset_id == dataset_id)))
    number = 1
    while f"{proposer}-run-{number}" in taken:
        number += 1
    run = RunRow(
        dataset_id=dataset_id,
        name=f"{proposer}-run-{number}",
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


def create_run(
    store: Store, dataset_id: int, proposer: str, model: str, parameters: dict[str, Any], annotator: str
) -> int:
    """Add a run; returns its number."""
    with store.writing() as session:
        return new_run(session, dataset_id, proposer, model, parameters, annotator)


def add_proposals(store: Store, rows: Sequence[dict[str, Any]]) -> None:
    """Store proposals ({run_id, sample_id, content_hash, document}) in one transaction."""
    if rows:
        with store.writing() as session:
            session.execute(insert(ProposalRow), list(rows))


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
        session.execute(
            delete(FailedRow).where(col(FailedRow.run_id) == run_id, col(FailedRow.sample_id).in_(ids))
        )
        there = set(
            session.exec(
                select(ProposalRow.sample_id, ProposalRow.content_hash).where(
                    ProposalRow.run_id == run_id, col(ProposalRow.sample_id).in_(ids)
                )
            )
        )
        fresh = [row for row in proposals if (row["sample_id"], row["content_hash"]) not in there]
        if fresh:
            session.execute(insert(ProposalRow), fresh)
        failed = [row for row in failures if (row["sample_id"], row["content_hash"]) not in there]
        if failed:
            session.execute(insert(FailedRow), failed)


def pending_ids(store: Store, dataset_id: int, run_id: int, final: Sequence[str]) -> list[int]:
    """The samples for whose present text a run has neither a proposal nor a failure of a `final` kind."""
    query = (
        select(SampleRow.id)
        .join(
            ProposalRow,
            (col(ProposalRow.sample_id) == SampleRow.id)
            & (col(ProposalRow.run_id) == run_id)
            & (col(ProposalRow.content_hash) == SampleRow.content_hash),
            isouter=True,
        )
        .join(
            FailedRow,
            (col(FailedRow.sample_id) == SampleRow.id)
            & (col(FailedRow.run_id) == run_id)
            & (col(FailedRow.content_hash) == SampleRow.content_hash)
            & col(FailedRow.failure).in_(final),
            isouter=True,
        )
        .where(
            SampleRow.dataset_id == dataset_id, col(ProposalRow.id).is_(None), col(FailedRow.run_id).is_(None)
        )
        .order_by(col(SampleRow.rank))
    )
    with store.reading() as session:
        return [number for number in session.exec(query) if number is not None]


def failures_of(store: Store, run_id: int) -> list[tuple[int, str, str, str, str]]:
    """(sample, its id, kind, message, question) of each sample that a run failed on, in queue order."""
    query = (
        sqlalchemy.select(
            col(SampleRow.id),
            col(SampleRow.key),
            col(FailedRow.failure),
            col(FailedRow.message),
            func.substr(col(SampleRow.user_input), 1, BEGINNING),
        )
        .join(FailedRow, col(FailedRow.sample_id) == SampleRow.id)
        .where(col(FailedRow.run_id) == run_id)
        .order_by(col(SampleRow.rank))
    )
    with store.reading() as session:
        return [(row[0], row[1], row[2], row[3], row[4]) for row in session.execute(query)]


def failure_kinds(store: Store, run_id: int) -> dict[str, int]:
    """How many samples a run could not speak of, by the kind of failure, the most frequent first."""
    query = (
        sqlalchemy.select(col(FailedRow.failure), func.count())
        .where(col(FailedRow.run_id) == run_id)
        .group_by(col(FailedRow.failure))
        .order_by(func.count().desc(), col(FailedRow.failure))
    )
    with store.reading() as session:
        return {str(row[0]): int(row[1]) for row in session.execute(query)}


def runs_for_unproposed(store: Store, dataset_id: int, run_id: int | None) -> dict[str, int]:
    """The other runs that have proposals for samples that this one says nothing of: how many, most first."""
    own = (
        sqlalchemy.select(col(ProposalRow.id))
        .where(
            col(ProposalRow.sample_id) == col(SampleRow.id),
            col(ProposalRow.run_id) == run_id,
            col(ProposalRow.content_hash) == col(SampleRow.content_hash),
        )
        .correlate(SampleRow)
    )
    other = aliased(ProposalRow)
    query = (
        sqlalchemy.select(col(RunRow.name), func.count())
        .join(other, col(other.run_id) == col(RunRow.id))
        .join(SampleRow, col(SampleRow.id) == col(other.sample_id))
        .where(
            col(SampleRow.dataset_id) == dataset_id,
            col(other.content_hash) == col(SampleRow.content_hash),
            ~own.exists(),
        )
        .group_by(col(RunRow.id))
        .order_by(func.count().desc(), col(RunRow.id))
    )
    with store.reading() as session:
        return {str(name): int(number) for name, number in session.execute(query)}


def count_unproposed(store: Store, dataset_id: int, run_id: int | None) -> int:
    """Samples for whose present text that run has no proposal."""
    with store.reading() as session:
        return session.exec(
            select(func.count())
            .select_from(SampleRow)
            .join(
                ProposalRow,
                (col(ProposalRow.sample_id) == SampleRow.id)
                & (ProposalRow.run_id == run_id)
                & (col(ProposalRow.content_hash) == SampleRow.content_hash),
                isouter=True,
            )
            .where(SampleRow.dataset_id == dataset_id, col(ProposalRow.id).is_(None))
        ).one()
