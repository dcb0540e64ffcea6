"""How far a dataset is reviewed in the order of its plan: states of samples, and the order itself."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple

import sqlalchemy
from sqlalchemy import func
from sqlmodel import col

from workbench.model import Kind
from workbench.store.engine import Store
from workbench.store.gold import gold_of
from workbench.store.plans import HOLDOUT_RANK
from workbench.store.samples import CHUNK, ids_of
from workbench.store.tables import ReviewRow, SampleRow

Status = Literal["verified", "excluded", "skipped", "unresolved"]


class Done(NamedTuple):
    """A sample with which nothing is left to do. `in_turn`: a person reviewed it where the order had it.

    `origin` is that of its gold, empty without.
    """

    status: Status
    in_turn: bool
    origin: str = ""


class Planned(NamedTuple):
    """A sample of the plan's population."""

    sample_id: int
    key: str
    stratum: str
    group: str | None


class Parts(NamedTuple):
    """How many samples a dataset has in the plan, in the holdout and come after the plan."""

    population: int
    holdout: int
    late: int


def done(store: Store, dataset_id: int, kind: Kind, among: Sequence[int] | None = None) -> dict[int, Done]:
    """The complete samples: excluded by somebody, verified, or skipped by everyone who touched them.

    With `among` only those of some samples.
    """
    state = col(ReviewRow.entity if kind == "entity" else ReviewRow.statement)
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


def planned(store: Store, sample_ids: Sequence[int]) -> dict[int, Planned]:
    """Those of some samples that are in the plan's population."""
    found: dict[int, Planned] = {}
    with store.reading() as session:
        for start in range(0, len(sample_ids), CHUNK):
            query = sqlalchemy.select(
                col(SampleRow.id),
                col(SampleRow.key),
                col(SampleRow.stratum),
                col(SampleRow.group_key),
            ).where(
                col(SampleRow.id).in_(sample_ids[start : start + CHUNK]), col(SampleRow.rank) < HOLDOUT_RANK
            )
            found |= {row[0]: Planned(*row) for row in session.execute(query)}
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
