"""What an export says of a dataset as a whole: settings, policies, runs with the models that answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from workbench.store.engine import Store
from workbench.store.tables import (
    CalibrationRow,
    Dataset,
    PolicyRow,
    ReviewEventRow,
    ReviewRow,
    RunRow,
    SampleRow,
)
from workbench.store.tables_calls import CallRow
from workbench.store.tables_plans import HoldoutOpeningRow, PlanRow, PurgedRow

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Facts:
    """A dataset's rows as documents, people by their own names. `policy` and `calibration`: those in use.

    `answered`: the models that answered each run, as the service named them; `usage` the tokens.
    """

    dataset: Document
    policy: Document
    runs: tuple[Document, ...]
    answered: dict[str, list[str]]
    usage: dict[str, dict[str, int]]
    plan: Document | None
    openings: tuple[Document, ...]
    calibration: Document | None
    holdout: int
    purged: int


def stamp(at: datetime) -> str:
    """A stored time as text: ISO 8601 in UTC."""
    aware = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return aware.isoformat().replace("+00:00", "Z")


def facts_of(store: Store, dataset_id: int) -> Facts:
    """Everything but samples and reviews."""
    with store.reading() as session:
        dataset = session.get_one(Dataset, dataset_id)
        runs = session.exec(
            select(RunRow).where(RunRow.dataset_id == dataset_id).order_by(col(RunRow.id))
        ).all()
        names = {run.id: run.name for run in runs}
        policy = session.exec(
            select(PolicyRow).where(
                PolicyRow.dataset_id == dataset_id, PolicyRow.version == dataset.policy_version
            )
        ).one()
        saved = session.get(CalibrationRow, dataset.calibration_id) if dataset.calibration_id else None
        answered, usage = _answered(session, names)
        return Facts(
            dataset={
                "name": dataset.name,
                "created_at": stamp(dataset.created_at),
                "seed": dataset.seed,
                "blind_share": dataset.blind_share,
                "threshold": dataset.threshold,
                "show_auto": dataset.show_auto,
            },
            policy={"version": policy.version, "document": policy.document},
            runs=tuple(
                {
                    "name": run.name,
                    "proposer": run.proposer,
                    "model": run.model,
                    "parameters": run.parameters,
                }
                for run in runs
            ),
            answered=answered,
            usage=usage,
            plan=_plan(session, dataset_id),
            openings=tuple(_openings(session, dataset_id)),
            calibration=None
            if saved is None
            else {"name": saved.name, "document": saved.document},
            holdout=_count(session, select(func.count()).where(
                SampleRow.dataset_id == dataset_id, col(SampleRow.holdout)
            )),
            purged=_count(session, select(func.count()).where(PurgedRow.dataset_id == dataset_id)),
        )  # fmt: skip


_VERIFIED = (col(ReviewRow.entity) == "verified") | (col(ReviewRow.statement) == "verified")


def verified_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples that are verified in some kind."""
    return _ids(store, select(ReviewRow.sample_id).where(ReviewRow.dataset_id == dataset_id, _VERIFIED))


def several_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples that several people verified."""
    reviews = select(ReviewRow.sample_id).where(ReviewRow.dataset_id == dataset_id, _VERIFIED)
    return _ids(store, reviews.group_by(col(ReviewRow.sample_id)).having(func.count() > 1))


def excluded_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples that somebody excluded."""
    excluded = (col(ReviewRow.entity) == "excluded") | (col(ReviewRow.statement) == "excluded")
    return _ids(store, select(ReviewRow.sample_id).where(ReviewRow.dataset_id == dataset_id, excluded))


def auto_shown_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples verified by somebody who was shown the automatic value before deciding."""
    query = (
        select(ReviewRow.sample_id)
        .join(ReviewEventRow, col(ReviewEventRow.review_id) == ReviewRow.id)
        .where(
            ReviewRow.dataset_id == dataset_id,
            _VERIFIED,
            ReviewEventRow.op == "open",
            col(ReviewEventRow.data)["auto_shown"].as_boolean(),
        )
    )
    return _ids(store, query)


def _ids(store: Store, query: Any) -> set[int]:
    """The numbers that a query gives; the library's own rows would take 12 MB more for 100,000."""
    with store.reading() as session:
        cursor = session.connection().execute(query).cursor
        return {number for (number,) in iter(cursor.fetchone, None)}


def _count(session: Session, query: Any) -> int:
    return int(session.exec(query).one())


def _answered(
    session: Session, names: dict[int | None, str]
) -> tuple[dict[str, list[str]], dict[str, dict[str, int]]]:
    models: dict[str, list[str]] = {}
    usage: dict[str, dict[str, int]] = {}
    ids = [number for number in names if number is not None]
    pairs = select(CallRow.run_id, CallRow.model).where(col(CallRow.run_id).in_(ids), CallRow.model != "")
    for run_id, model in session.exec(pairs.distinct().order_by(col(CallRow.model))):
        models.setdefault(names[run_id], []).append(model)
    spent = select(CallRow.run_id, CallRow.usage).where(col(CallRow.run_id).in_(ids))
    for run_id, tokens in session.exec(spent.execution_options(yield_per=500)):
        total = usage.setdefault(names[run_id], {})
        for kind, number in (tokens or {}).items():
            if isinstance(number, int):
                total[kind] = total.get(kind, 0) + number
    return models, usage


def _plan(session: Session, dataset_id: int) -> Document | None:
    row = session.exec(select(PlanRow).where(PlanRow.dataset_id == dataset_id)).first()
    if row is None:
        return None
    return {"design": row.design, "planned_n": row.planned_n, "parameters": row.parameters}


def _openings(session: Session, dataset_id: int) -> list[Document]:
    rows = session.exec(
        select(HoldoutOpeningRow)
        .where(HoldoutOpeningRow.dataset_id == dataset_id)
        .order_by(col(HoldoutOpeningRow.id))
    )
    return [{"purpose": row.purpose, "annotator": row.annotator, "at": stamp(row.at)} for row in rows]
