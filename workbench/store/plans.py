"""Plans: the order of review, the samples kept back, and how far the order is reviewed."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple

import sqlalchemy
from sqlalchemy import bindparam, delete, func, or_
from sqlmodel import Session, col, select

from workbench.errors import ConflictError, UsageError
from workbench.model import Kind
from workbench.reviewing.edits import IMPORT_ACTION
from workbench.store.engine import Store
from workbench.store.gold import gold_of
from workbench.store.samples import CHUNK, ids_of
from workbench.store.scores import Member
from workbench.store.tables import HOLDOUT_RANK as HOLDOUT_RANK
from workbench.store.tables import METADATA, Dataset, ReviewEventRow, ReviewRow, SampleRow, state_of
from workbench.store.tables_plans import HoldoutOpeningRow, PlanRow
from workbench.text.figures import many
from workbench.text.query import META


class Opening(NamedTuple):
    """One look at the holdout."""

    purpose: str
    annotator: str
    at: datetime


def note_opening(store: Store, dataset_id: int, purpose: str, annotator: str, at: datetime) -> int:
    """Write down a look at the holdout; returns how many there were with this one."""
    with store.writing() as session:
        session.add(HoldoutOpeningRow(dataset_id=dataset_id, purpose=purpose, annotator=annotator, at=at))
        session.flush()
        return session.exec(
            select(func.count())
            .select_from(HoldoutOpeningRow)
            .where(HoldoutOpeningRow.dataset_id == dataset_id)
        ).one()


def take_back(store: Store, dataset_id: int, annotator: str, at: datetime) -> None:
    """Take a look at the holdout back: it came to nothing, nobody saw anything."""
    row = HoldoutOpeningRow
    with store.writing() as session:
        session.execute(
            delete(row).where(
                col(row.dataset_id) == dataset_id, col(row.annotator) == annotator, col(row.at) == at
            )
        )


def openings(store: Store, dataset_id: int) -> list[Opening]:
    """Every look at the holdout, oldest first."""
    with store.reading() as session:
        rows = session.exec(
            select(HoldoutOpeningRow)
            .where(HoldoutOpeningRow.dataset_id == dataset_id)
            .order_by(col(HoldoutOpeningRow.id))
        )
        return [Opening(row.purpose, row.annotator, row.at) for row in rows]


def holdout_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples kept back."""
    query = select(SampleRow.id).where(
        SampleRow.dataset_id == dataset_id, col(SampleRow.rank) >= HOLDOUT_RANK, col(SampleRow.holdout)
    )
    with store.reading() as session:
        return {number for number in session.exec(query) if number is not None}


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
        ReviewRow.dataset_id == dataset_id, state_of(kind) == "verified", ReviewRow.origin == "imported"
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


Status = Literal["verified", "excluded", "skipped", "unresolved"]


class Done(NamedTuple):
    """A sample with which nothing is left to do. `in_turn`: a person reviewed it where the order had it.

    `origin` is that of its gold, empty without.
    """

    status: Status
    in_turn: bool
    origin: str = ""


class Parts(NamedTuple):
    """How many samples a dataset has in the plan, in the holdout and come after the plan."""

    population: int
    holdout: int
    late: int


def done(store: Store, dataset_id: int, kind: Kind, among: Sequence[int] | None = None) -> dict[int, Done]:
    """The complete samples: excluded by somebody, verified, or skipped by everyone who touched them.

    With `among` only those of some samples.
    """
    state = state_of(kind)
    query = (
        sqlalchemy.select(col(ReviewRow.sample_id), state, col(ReviewRow.origin), col(ReviewRow.off_plan))
        .where(col(ReviewRow.dataset_id) == dataset_id, state != "todo")
        .order_by(col(ReviewRow.sample_id))
    )
    pieces = [query]
    if among is not None:
        chunks = (among[start : start + CHUNK] for start in range(0, len(among), CHUNK))
        pieces = [query.where(col(ReviewRow.sample_id).in_(list(chunk))) for chunk in chunks]
    found: dict[int, Done] = {}
    equal: dict[Done, Done] = {}  # one for all samples that stand alike: 100,000 take 13 MB instead of 43
    with store.reading() as session:
        cursors = (session.connection().execute(piece).cursor for piece in pieces)
        rows = (row for cursor in cursors for row in iter(cursor.fetchone, None))
        several = []
        for sample_id, own in groupby(rows, key=itemgetter(0)):
            known = [(disposition, origin, bool(off_plan)) for _, disposition, origin, off_plan in own]
            states = {disposition for disposition, _, _ in known}
            in_turn = any(
                one != "started" and origin != "imported" and not off_plan for one, origin, off_plan in known
            )
            stands = None
            if "excluded" in states:
                stands = Done("excluded", in_turn)
            elif "verified" in states:
                gold = [origin for disposition, origin, _ in known if disposition == "verified"]
                stands = Done("verified", in_turn, gold[0])
                if len(gold) > 1:
                    several.append(sample_id)
            elif states == {"skipped"}:
                stands = Done("skipped", in_turn)
            if stands is not None:
                found[sample_id] = equal.setdefault(stands, stands)
        for start in range(0, len(several), CHUNK):
            for sample_id, one in gold_of(session, several[start : start + CHUNK], kind).items():
                status: Status = "unresolved" if one.assessment is None else "verified"
                origin = "" if one.assessment is None else one.origin
                found[sample_id] = Done(status, found[sample_id].in_turn, origin)
    return found


def in_order(store: Store, dataset_id: int, limit: int) -> array[int]:
    """The first samples of the plan's order (random order without a plan), from its index alone."""
    query = (
        sqlalchemy.select(col(SampleRow.id))
        .where(col(SampleRow.dataset_id) == dataset_id, col(SampleRow.rank) < HOLDOUT_RANK)
        .order_by(col(SampleRow.rank), col(SampleRow.id))
        .limit(limit)
    )
    with store.reading() as session:
        return ids_of(session, query)


def planned(store: Store, sample_ids: Sequence[int]) -> dict[int, Member]:
    """Those of some samples that are in the plan's population."""
    found: dict[int, Member] = {}
    with store.reading() as session:
        for start in range(0, len(sample_ids), CHUNK):
            query = sqlalchemy.select(
                col(SampleRow.id),
                col(SampleRow.key),
                col(SampleRow.group_key),
                col(SampleRow.stratum),
            ).where(
                col(SampleRow.id).in_(sample_ids[start : start + CHUNK]), col(SampleRow.rank) < HOLDOUT_RANK
            )
            found |= {row[0]: Member(*row) for row in session.execute(query)}
    return found


def count_planned(store: Store, sample_ids: Sequence[int]) -> int:
    """How many of some samples are in the plan's population."""
    known = 0
    with store.reading() as session:
        for start in range(0, len(sample_ids), CHUNK):
            some = col(SampleRow.id).in_(sample_ids[start : start + CHUNK])
            query = sqlalchemy.select(func.count()).where(some, col(SampleRow.rank) < HOLDOUT_RANK)
            known += int(session.execute(query).scalar_one())
    return known


def parts(store: Store, dataset_id: int) -> Parts:
    """How many samples stand where; the index tells but for the holdout's late ones."""
    of_dataset = col(SampleRow.dataset_id) == dataset_id
    late = col(SampleRow.size) == 0
    with store.reading() as session:

        def number(*where: Any) -> int:
            query = sqlalchemy.select(func.count()).select_from(SampleRow).where(of_dataset, *where)
            return int(session.execute(query).scalar_one())

        after = col(SampleRow.rank) >= HOLDOUT_RANK
        population = number(col(SampleRow.rank) < HOLDOUT_RANK)
        return Parts(population, number(after, col(SampleRow.holdout)), number(after, late))
