"""Queries of the queue: the samples of a view, rows of a page, progress, units verified for one reference."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from statistics import median
from typing import Any, Literal, get_args

import sqlalchemy
from sqlalchemy import ColumnElement, and_, bindparam, case, exists, func, or_
from sqlmodel import Session, col, select

from workbench.matching import MATCHER
from workbench.model import Disposition, Imported, Kind, Tally, Unit
from workbench.reviewing.gold import Verified, resolve
from workbench.scoring.names import DEFAULT_SCORER, INSTEAD
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.gold import Gold, counted_labels, excluded_of, gold_of, verified_by
from workbench.store.queue_conditions import UNDECIDED, Picked, Reviews, condition, reads_rows
from workbench.store.samples import ids_of
from workbench.store.tables import (
    CountedRow,
    Dataset,
    ExternalScoreRow,
    ReviewEventRow,
    ReviewRow,
    SampleRow,
    ScoreRow,
    is_blind,
    state_of,
)
from workbench.text.query import Query
from workbench.text.safe import BEGINNING

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


@dataclass(frozen=True, slots=True)
class Progress:
    """How many samples of a dataset stand where; the first five add up with todo to `total`.

    `stale`: verified by the annotator under an older policy than today's.
    """

    total: int
    verified: int
    excluded: int
    skipped: int
    started: int
    flagged: int
    stale: int = 0


@dataclass(frozen=True, slots=True)
class Pace:
    """What a decided sample took this annotator: medians of active seconds and presses over `samples`."""

    seconds: float
    presses: float
    samples: int


@dataclass(frozen=True, slots=True)
class PageRow:
    """What the queue's page shows of one sample. `decided`: its values may be shown."""

    sample_id: int
    key: str
    question: str
    reference: str
    blind: bool
    disposition: Disposition
    decided: bool
    flag: str
    stale: bool
    off_plan: bool
    gold: Gold | None
    automatic: Tally | Imported | None
    rematch: bool


def progress(store: Store, dataset_id: int, annotator: str, kinds: Sequence[Kind]) -> Progress:
    """Where the samples of a dataset stand for one annotator.

    Reviews are counted, not samples: a million samples cost one count more.
    """
    reviews = Reviews(dataset_id, annotator, tuple(kinds))
    own = (col(ReviewRow.dataset_id) == dataset_id, reviews.is_own(ReviewRow))
    state = reviews.disposition(ReviewRow)
    begun = reviews.begun(ReviewRow)
    with store.reading() as session:
        counts = {
            str(name): int(number)
            for name, number in session.execute(
                sqlalchemy.select(state, func.count()).where(*own, begun).group_by(state)
            )
        }
        theirs = session.execute(
            sqlalchemy.select(func.count(col(ReviewRow.sample_id).distinct())).where(
                col(ReviewRow.dataset_id) == dataset_id,
                reviews.verified(ReviewRow),
                col(ReviewRow.sample_id).not_in(select(ReviewRow.sample_id).where(*own, begun)),
            )
        ).scalar_one()
        marked = sqlalchemy.select(_count(ReviewRow.flag != ""), _count(reviews.is_stale(ReviewRow)))
        flagged, stale = session.execute(marked.where(*own)).one()
        total = session.exec(
            select(func.count()).select_from(SampleRow).where(SampleRow.dataset_id == dataset_id)
        ).one()
    return Progress(
        total=total,
        verified=counts.get("verified", 0) + int(theirs),
        excluded=counts.get("excluded", 0),
        skipped=counts.get("skipped", 0),
        started=counts.get("started", 0),
        flagged=int(flagged),
        stale=int(stale),
    )


def _count(condition: ColumnElement[bool] | bool) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)  # type: ignore[arg-type]


def pace(
    store: Store, dataset_id: int, annotator: str, kinds: Sequence[Kind], without: Collection[int] = ()
) -> Pace | None:
    """What a sample that this annotator decided took; None as long as nothing was measured.

    The samples of `without` are no measure.
    """
    reviews = Reviews(dataset_id, annotator, tuple(kinds))
    spent = (
        sqlalchemy.select(
            func.min(ReviewRow.sample_id), func.sum(ReviewEventRow.seconds), func.sum(ReviewEventRow.presses)
        )
        .join(ReviewRow, col(ReviewRow.id) == ReviewEventRow.review_id)
        .where(
            col(ReviewEventRow.dataset_id) == dataset_id,
            col(ReviewEventRow.annotator) == annotator,
            col(ReviewEventRow.seconds).is_not(None),
            reviews.disposition(ReviewRow).in_(("verified", "excluded")),
        )
        .group_by(col(ReviewEventRow.review_id))
    )
    with store.reading() as session:
        rows = [
            (float(seconds), int(presses or 0))
            for number, seconds, presses in session.execute(spent)
            if number not in without
        ]
    if not rows:
        return None
    return Pace(median(seconds for seconds, _ in rows), median(presses for _, presses in rows), len(rows))


def page(
    store: Store, info: DatasetInfo, annotator: str, ids: Sequence[int], column: str = ""
) -> list[PageRow]:
    """The rows of one page, in the order of `ids`; samples that are gone are left out.

    The automatic value is a number of a `column` of the file where one is given, else the tally of the
    scorer that is called automatic.
    """
    kind = info.kinds[0]
    reviews = Reviews(info.id, annotator, info.kinds, few=True)
    query = (
        sqlalchemy.select(
            col(SampleRow.id),
            col(SampleRow.key),
            func.substr(col(SampleRow.user_input), 1, BEGINNING),
            func.substr(col(SampleRow.reference), 1, 200),
            is_blind(Dataset.blind_share),
            col(SampleRow.reference_hash),
            reviews.state(),
            reviews.decided(),
            reviews.stale(),
            col(ReviewRow.flag),
            col(ReviewRow.off_plan),
        )
        .select_from(SampleRow)
        .join(Dataset, col(Dataset.id) == SampleRow.dataset_id)
        .outerjoin(ReviewRow, and_(col(ReviewRow.sample_id) == SampleRow.id, reviews.is_own(ReviewRow)))
        .where(col(SampleRow.id).in_(ids))
    )
    with store.reading() as session:
        found = {row[0]: row for row in session.execute(query)}
        gold = gold_of(session, ids, kind)
        scores: dict[int, Tally | Imported] = {}
        if column:
            of_page = col(ExternalScoreRow.sample_id).in_(ids)
            scores.update(imported_values(session, column, of_page))
        else:
            scores.update(_tallies(session, info, ids))
        twins = _with_gold(session, info.id, kind, {row[5] for row in found.values()})
    rows = []
    for number in ids:
        if number not in found:
            continue
        _, key, question, reference, blind, family, state, decided, stale, flag, off_plan = found[number]
        rows.append(
            PageRow(
                sample_id=number,
                key=key,
                question=question,
                reference=reference,
                blind=bool(blind),
                disposition=state,
                decided=bool(decided),
                flag=flag or "",
                stale=bool(stale),
                off_plan=bool(off_plan),
                gold=gold.get(number),
                automatic=scores.get(number),
                rematch=state == "todo" and not blind and family in twins,
            )
        )
    return rows


def imported_values(session: Session, column: str, which: ColumnElement[bool]) -> dict[int, Imported]:
    """The numbers of a column of some samples, as exact as a file writes them."""
    query = sqlalchemy.select(col(ExternalScoreRow.sample_id), col(ExternalScoreRow.value))
    rows = session.execute(query.where(which, col(ExternalScoreRow.column) == column))
    return {number: Imported(Fraction(repr(value))) for number, value in rows}


def _tallies(session: Session, info: DatasetInfo, ids: Sequence[int]) -> dict[int, Tally]:
    """What the first scorer counted of some samples, or what stands for it where it could not."""
    scorer = DEFAULT_SCORER[info.kinds[0]]
    scored = session.exec(
        select(ScoreRow).where(
            col(ScoreRow.sample_id).in_(ids),
            ScoreRow.run_id == info.run_id,
            col(ScoreRow.scorer).in_((scorer, INSTEAD.get(scorer, scorer))),
            ScoreRow.matcher == MATCHER,
            ScoreRow.threshold == info.threshold,
        )
    )
    found: dict[int, Tally] = {}
    for row in scored:
        if row.scorer == scorer or row.sample_id not in found:
            found[row.sample_id] = Tally(row.found, row.missing, row.unsure)
    return found


def _with_gold(session: Session, dataset_id: int, kind: Kind, hashes: set[str]) -> set[str]:
    """Those references of which somebody verified the units."""
    return set(
        session.exec(
            select(SampleRow.reference_hash)
            .join(ReviewRow, col(ReviewRow.sample_id) == SampleRow.id)
            .where(
                col(SampleRow.reference_hash).in_(hashes),
                col(SampleRow.dataset_id) + 0 == dataset_id,  # else SQLite reads the whole dataset
                state_of(kind) == "verified",
            )
        )
    )


def sibling_gold(
    store: Store, sample_id: int, kind: Kind, annotator: str
) -> tuple[tuple[Unit, ...], tuple[str, ...]] | None:
    """Verified units of the same reference, with the contexts they were judged against.

    The annotator's own come first, then the gold of this sample's file, then that of the newest sibling.
    Left out are unresolved gold, excluded samples, and everybody who reviewed this very sample: two people
    must not see each other's verdicts before both have decided.
    """
    with store.reading() as session:
        family = [int(number) for (number,) in session.execute(_family(kind), {"sample": sample_id})]
        if not family:
            return None
        verified = verified_by(session, family, kind)
        counted = counted_labels(session, sample_id)
        excluded = excluded_of(session, family, kind)
        rivals = {
            one.annotator
            for one in verified.get(sample_id, ())
            if one.origin == "reviewed" and one.annotator != annotator
        }
        found: tuple[int, Verified] | None = None
        for number in family:
            known = [one for one in verified.get(number, ()) if one.annotator not in rivals]
            own = next((one for one in known if one.annotator == annotator), None)
            if number in excluded or not known:
                continue
            if own is not None:
                found = number, own
                break
            gold = resolve(known, counted)
            if found is None and gold is not None:
                found = number, gold
        if found is None:
            return None
        number, gold = found
        return gold.assessment.units, tuple(session.get_one(SampleRow, number).retrieved_contexts)


@cache
def _family(kind: Kind) -> Any:
    """The verified samples with the reference of one, itself first, then the newest; `+ 0` as above."""
    this = SampleRow.__table__.alias()  # type: ignore[attr-defined]
    one = this.c.id == bindparam("sample")
    disposition = state_of(kind)
    return (
        select(SampleRow.id)
        .where(
            col(SampleRow.dataset_id) + 0 == select(this.c.dataset_id).where(one).scalar_subquery(),
            SampleRow.reference_hash == select(this.c.reference_hash).where(one).scalar_subquery(),
            exists().where(col(ReviewRow.sample_id) == SampleRow.id, disposition == "verified"),
        )
        .order_by((col(SampleRow.id) == bindparam("sample")).desc(), col(SampleRow.id).desc())
    )
