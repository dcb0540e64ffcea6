"""The plan of a dataset: what is known before it is drawn, drawing it into the samples, and its holdout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy
from sqlalchemy import bindparam, delete, func, or_
from sqlmodel import Session, col, select

from workbench.errors import ConflictError, UsageError
from workbench.model import Kind
from workbench.reviewing.edits import IMPORT_ACTION
from workbench.store.engine import Store
from workbench.store.tables import HOLDOUT_RANK as HOLDOUT_RANK
from workbench.store.tables import (
    METADATA,
    Dataset,
    ReviewEventRow,
    ReviewRow,
    SampleRow,
)
from workbench.store.tables_plans import PlanRow
from workbench.text.figures import many
from workbench.text.query import META

LATE_RANK = 10.0
"""What was imported after the plan comes last."""

_SAMPLE = METADATA.tables["sample"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan as it was made. `population`: the samples outside the holdout at the time."""

    design: str
    kind: Kind
    planned_n: int
    population: int
    parameters: Mapping[str, Any]
    annotator: str
    created_at: datetime


class Candidate(NamedTuple):
    """A sample as a plan sees it: no text. `value` is what `by` asked for."""

    sample_id: int
    key: str
    u: float
    group: str | None
    reference_hash: str
    rank: float
    late: bool
    stratum: str
    holdout: bool
    value: str | None


class Drawn(NamedTuple):
    """What a plan writes into one sample."""

    sample_id: int
    rank: float
    stratum: str
    holdout: bool


def plan_of(store: Store, dataset_id: int) -> Plan | None:
    """The plan of a dataset, None while it has none."""
    with store.reading() as session:
        row = session.exec(select(PlanRow).where(PlanRow.dataset_id == dataset_id)).first()
    if row is None:
        return None
    kind: Kind = "statement" if row.kind == "statement" else "entity"
    return Plan(
        row.design, kind, row.planned_n, row.population, row.parameters,
        row.annotator, row.created_at,
    )  # fmt: skip


def has_plan(session: Session, dataset_id: int) -> bool:
    """Whether a dataset has a plan, inside an open transaction."""
    return session.exec(select(PlanRow.id).where(PlanRow.dataset_id == dataset_id)).first() is not None


class KeptBack(NamedTuple):
    """Groups and hashes of references that stand in the holdout."""

    groups: set[str]
    references: set[str]


def kept_back(
    session: Session, dataset_id: int, groups: Iterable[str], references: Iterable[str]
) -> KeptBack:
    """Those of some groups and references that stand in the holdout, inside an open transaction."""
    known = or_(col(SampleRow.group_key).in_(groups), col(SampleRow.reference_hash).in_(references))
    rows = session.exec(
        select(SampleRow.group_key, SampleRow.reference_hash).where(
            SampleRow.dataset_id == dataset_id, col(SampleRow.holdout), known
        )
    ).all()
    return KeptBack({group for group, _ in rows if group is not None}, {one for _, one in rows})


def candidates(store: Store, dataset_id: int, by: str = "") -> list[Candidate]:
    """Every sample, in file order. `by`: `group` or `meta.KEY`; its text is the candidate's value."""
    value: Any = sqlalchemy.null()
    if by == "group":
        value = col(SampleRow.group_key)
    elif by:
        value = col(SampleRow.meta)[by.removeprefix(META)].as_string()
    query = (
        sqlalchemy.select(
            col(SampleRow.id),
            col(SampleRow.key),
            col(SampleRow.u),
            col(SampleRow.group_key),
            col(SampleRow.reference_hash),
            col(SampleRow.rank),
            col(SampleRow.size) == 0,
            col(SampleRow.stratum),
            col(SampleRow.holdout),
            value,
        )
        .where(col(SampleRow.dataset_id) == dataset_id)
        .order_by(col(SampleRow.id))
    )
    with store.reading() as session:
        # from the driver's own cursor: the library's rows take twice as long
        rows = session.connection().execute(query).cursor.fetchall()
    found = map(Candidate._make, rows)
    if not by:
        return list(found)
    # a number or a truth comes out of a JSON document as a number
    return [one if one.value is None else one._replace(value=str(one.value)) for one in found]


def decided(store: Store, dataset_id: int) -> int:
    """How many samples a person verified or excluded; gold that came with a file does not count."""
    with store.reading() as session:
        return _decided(session, dataset_id)


def refuse_decided(store: Store, dataset_id: int) -> None:
    """Raise UsageError when a person ever verified or excluded anything: the plan comes before the answers.

    A verdict that was undone was seen all the same.
    """
    with store.reading() as session:
        _refuse_decided(session, dataset_id)


def imported(store: Store, dataset_id: int, kind: Kind) -> int:
    """How many samples have gold of a file."""
    query = select(func.count(col(ReviewRow.sample_id).distinct())).where(
        ReviewRow.dataset_id == dataset_id, _of(kind) == "verified", ReviewRow.origin == "imported"
    )
    with store.reading() as session:
        return session.exec(query).one()


def _decided(session: Session, dataset_id: int) -> int:
    done = ("verified", "excluded")
    query = select(func.count(col(ReviewRow.sample_id).distinct())).where(
        ReviewRow.dataset_id == dataset_id,
        ReviewRow.origin != "imported",
        or_(col(ReviewRow.entity).in_(done), col(ReviewRow.statement).in_(done)),
    )
    return session.exec(query).one()


def _of(kind: Kind) -> Any:
    return col(ReviewRow.entity if kind == "entity" else ReviewRow.statement)


def save_plan(store: Store, dataset_id: int, plan: Plan, drawn: Sequence[Drawn], blind_share: float) -> None:
    """Write a plan into its dataset and its samples, in place of the one before; one transaction.

    `drawn` names every sample of the dataset, or those that change. Raises UsageError when a person decided
    anything, ConflictError when samples came or went since it was drawn.
    """
    with store.writing() as session:
        _refuse_decided(session, dataset_id)
        there = session.exec(
            select(func.count()).select_from(SampleRow).where(SampleRow.dataset_id == dataset_id)
        ).one()
        if there != plan.population + plan.parameters.get("holdout", 0):
            raise ConflictError("samples were imported meanwhile: make the plan again")
        session.execute(delete(PlanRow).where(col(PlanRow.dataset_id) == dataset_id))
        _write(session, drawn)
        dataset = session.get_one(Dataset, dataset_id)
        dataset.blind_share, dataset.blind_settled = blind_share, True
        session.add(
            PlanRow(
                dataset_id=dataset_id,
                design=plan.design,
                kind=plan.kind,
                planned_n=plan.planned_n,
                population=plan.population,
                parameters=dict(plan.parameters),
                annotator=plan.annotator,
                created_at=plan.created_at,
            )
        )


def drop_plan(store: Store, dataset_id: int, drawn: Sequence[Drawn], blind_share: float) -> None:
    """Take the plan away and give the samples back their own places. Raises as `save_plan`."""
    with store.writing() as session:
        _refuse_decided(session, dataset_id)
        session.execute(delete(PlanRow).where(col(PlanRow.dataset_id) == dataset_id))
        _write(session, drawn)
        session.get_one(Dataset, dataset_id).blind_share = blind_share


def _refuse_decided(session: Session, dataset_id: int) -> None:
    why = (
        "a plan is drawn before the first verdict, "
        "else its probabilities would be chosen with the answers in sight"
    )
    number = _decided(session, dataset_id)
    if number:
        raise UsageError(f"{many(number, 'sample is', 'samples are')} verified or not counted already: {why}")
    number = _ever_decided(session, dataset_id)
    if number:
        some = many(number, "sample was", "samples were")
        raise UsageError(f"verdicts were seen: {some} verified or set aside, and undone; {why}")


def _ever_decided(session: Session, dataset_id: int) -> int:
    """How many samples a person verified or excluded at any time, undone or not: the journal keeps it."""
    event = ReviewEventRow
    query = (
        select(func.count(col(ReviewRow.sample_id).distinct()))
        .join(event, col(event.review_id) == ReviewRow.id)
        .where(
            event.dataset_id == dataset_id,
            col(event.op).in_(("accept", "excluded")),
            col(event.action).not_like(f"{IMPORT_ACTION}%"),
        )
    )
    return session.exec(query).one()


def _write(session: Session, drawn: Sequence[Drawn]) -> None:
    if drawn:
        statement = (
            _SAMPLE.update()
            .where(_SAMPLE.c.id == bindparam("sample_id"))
            .values({name: bindparam(f"new_{name}") for name in Drawn._fields[1:]} | {"size": 1.0})
        )
        names = ("sample_id", *(f"new_{name}" for name in Drawn._fields[1:]))
        session.connection().execute(statement, [dict(zip(names, one, strict=True)) for one in drawn])
