"""Which samples a view of the queue holds, in which order, and which comes next."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal, get_args

import sqlalchemy
from sqlalchemy import ColumnElement, and_, bindparam, case, func, or_
from sqlmodel import col, select

from workbench.matching import MATCHER
from workbench.model import Kind
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.queue_reviews import UNDECIDED, Reviews
from workbench.store.queue_terms import Picked, condition, reads_rows
from workbench.store.samples import ids_of
from workbench.store.tables import (
    CountedRow,
    ReviewRow,
    SampleRow,
    is_blind,
)
from workbench.text.query import Query

Order = Literal["u", "file", "doubt"]
ORDERS: tuple[Order, ...] = get_args(Order)


def view_ids(
    store: Store,
    info: DatasetInfo,
    annotator: str,
    query: Query,
    order: Order,
    picked: Picked,
    column: str = "",
) -> array[int]:
    """The samples of a view: by `u` (random, the default), in `file` order, or the most doubtful first.

    Eight bytes a sample. Blind samples and those that were never counted come last among the doubtful.
    `column` of the file stands for the automatic value, "" for none.
    """
    chosen = sqlalchemy.select(col(SampleRow.id)).where(*_conditions(info, annotator, query, picked, column))
    if order == "doubt":
        is_counted = and_(
            col(CountedRow.sample_id) == SampleRow.id,
            col(CountedRow.run_id) == info.run_id,
            col(CountedRow.matcher) == MATCHER,
        )
        seen = case((~is_blind(info.blind_share), func.coalesce(CountedRow.doubt, -1.0)), else_=-1.0)
        chosen = chosen.outerjoin(CountedRow, is_counted).order_by(seen.desc(), col(SampleRow.rank))
    else:
        chosen = chosen.order_by(col(SampleRow.id) if order == "file" else col(SampleRow.rank))
    with store.reading() as session:
        return ids_of(session, chosen)


def find_ids(
    store: Store, info: DatasetInfo, annotator: str, query: Query, exact: str, limit: int
) -> list[int]:
    """The first samples of a view, the one whose id is `exact` before all."""
    chosen = (
        sqlalchemy.select(col(SampleRow.id))
        .where(*_conditions(info, annotator, query, {}))
        .order_by((col(SampleRow.key) == exact).desc(), col(SampleRow.rank))
        .limit(limit)
    )
    with store.reading() as session:
        return list(ids_of(session, chosen))


def ids_around(store: Store, dataset_id: int, at: int | None, before: int, after: int) -> array[int]:
    """The samples around one in queue order, itself included, however many the dataset has."""
    chosen = sqlalchemy.select(col(SampleRow.id)).where(col(SampleRow.dataset_id) == dataset_id)
    place = col(SampleRow.rank), col(SampleRow.id)
    with store.reading() as session:
        if at is None:
            return ids_of(session, chosen.order_by(place[0]).limit(before + after))
        rank = session.get_one(SampleRow, at).rank
        back = ids_of(session, chosen.where(place[0] < rank).order_by(place[0].desc()).limit(before))
        back.reverse()
        return back + ids_of(session, chosen.where(place[0] >= rank).order_by(place[0]).limit(after))


def next_sample(store: Store, info: DatasetInfo, annotator: str, after: int | None) -> int | None:
    """The next sample to decide in queue order after a sample, from the start again once; None when done.

    Those that were verified under an older policy come when nothing else is left.
    """
    with store.reading() as session:
        place: dict[str, object] = {}
        if after is not None:
            rank = session.exec(select(SampleRow.rank).where(SampleRow.id == after)).one()
            place = {"after": after, "rank": rank}
        for query in _following(info.id, annotator, info.kinds, first=after is None):
            found = session.execute(query, place).scalar()
            if found is not None:
                return int(found)
    return None


@lru_cache(maxsize=8)
def _following(dataset_id: int, annotator: str, kinds: tuple[Kind, ...], *, first: bool) -> list[Any]:
    """What `next_sample` asks, in order; made once, for making it takes three times as long as asking it."""
    reviews = Reviews(dataset_id, annotator, kinds, few=True)
    own = (col(ReviewRow.dataset_id) == dataset_id, reviews.is_own(ReviewRow))
    stale = col(SampleRow.id).in_(select(ReviewRow.sample_id).where(*own, reviews.is_stale(ReviewRow)))
    queries = []
    for wanted in (reviews.stands(*UNDECIDED), stale):
        query = (
            sqlalchemy.select(col(SampleRow.id))
            .where(col(SampleRow.dataset_id) == dataset_id, wanted)
            .order_by(col(SampleRow.rank))
            .limit(1)
        )
        if first:
            queries.append(query)
        else:
            queries.append(query.where(col(SampleRow.rank) > bindparam("rank")))
            queries.append(query.where(col(SampleRow.id) != bindparam("after")))
    return queries


def to_decide(store: Store, info: DatasetInfo, annotator: str, ids: Sequence[int]) -> set[int]:
    """Those of some samples that are undecided or were verified under an older policy."""
    reviews = Reviews(info.id, annotator, info.kinds, few=True)
    query = sqlalchemy.select(col(SampleRow.id)).where(
        col(SampleRow.id).in_(ids), or_(reviews.stands(*UNDECIDED), reviews.stale())
    )
    with store.reading() as session:
        return set(ids_of(session, query))


def count_uncounted(store: Store, info: DatasetInfo) -> int:
    """How many samples that may be seen have no doubt yet, for lack of a proposal or of counting."""
    query = (
        sqlalchemy.select(func.count())
        .select_from(CountedRow)
        .where(
            col(CountedRow.run_id) == info.run_id,
            col(CountedRow.matcher) == MATCHER,
            col(CountedRow.doubt).is_not(None),
        )
    )
    with store.reading() as session:
        total = session.exec(
            select(func.count()).select_from(SampleRow).where(SampleRow.dataset_id == info.id)
        ).one()
        return total - int(session.execute(query).scalar_one())


def _conditions(
    info: DatasetInfo, annotator: str, query: Query, picked: Picked, column: str = ""
) -> Iterable[ColumnElement[bool]]:
    yield col(SampleRow.dataset_id) == info.id
    reading = [term for term in query.terms if reads_rows(term)]
    for term in query.terms:
        if term not in reading:
            yield condition(term, info, annotator, picked, column)
    if reading:
        # Rows that are read anyway are read in the order in which they lie: 2.3 times as fast as by an
        # index (100,000 rows of 2 KB). The sum keeps the database from taking one.
        rows = select(SampleRow.id).where(
            col(SampleRow.dataset_id) + 0 == info.id,
            *(condition(term, info, annotator, picked) for term in reading),
        )
        yield col(SampleRow.id).in_(rows)
