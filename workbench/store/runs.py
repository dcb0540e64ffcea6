"""Runs and their proposals. A stored proposal is never changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, insert
from sqlmodel import Session, col, select

from workbench.errors import NotFoundError
from workbench.store.engine import Store
from workbench.store.tables import ProposalRow, RunRow, SampleRow


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run and how many samples it speaks of. `source` is who made it: `rules`, or `recorded` in a file."""

    id: int
    name: str
    proposer: str
    model: str
    n_proposals: int
    source: str


def list_runs(store: Store, dataset_id: int) -> list[RunInfo]:
    """The runs of a dataset, oldest first."""
    with store.reading() as session:
        rows = session.exec(
            select(RunRow, func.count(col(ProposalRow.id)))
            .join(ProposalRow, col(ProposalRow.run_id) == RunRow.id, isouter=True)
            .where(RunRow.dataset_id == dataset_id)
            .group_by(col(RunRow.id))
            .order_by(col(RunRow.id))
        )
        return [
            RunInfo(run.id or 0, run.name, run.proposer, run.model, n, str(run.parameters.get("source", "")))
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
