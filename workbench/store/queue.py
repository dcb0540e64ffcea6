"""Queries of the queue: ids of a whole view, rows of a page, progress, the next sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy
from sqlalchemy import ColumnElement, and_, case, exists, func, literal, or_
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from workbench.model import Disposition, Kind, Score, Tally, Unit
from workbench.reviewing.gold import Verified, resolve
from workbench.store.engine import Store
from workbench.store.gold import Gold, excluded_of, gold_of, verified_by
from workbench.store.tables import Dataset, ReviewRow, SampleRow, ScoreRow

UNDECIDED = ("todo", "started")


@dataclass(frozen=True, slots=True)
class Progress:
    """How many samples of a dataset stand where; the first five add up with todo to `total`."""

    total: int
    verified: int
    excluded: int
    skipped: int
    started: int
    flagged: int


@dataclass(frozen=True, slots=True)
class PageRow:
    """What the queue's page shows of one sample."""

    sample_id: int
    key: str
    reference: str
    blind: bool
    disposition: Disposition
    own: bool
    flag: str
    gold: Gold | None
    automatic: Score | None
    rematch: bool


def queue_ids(
    store: Store,
    dataset_id: int,
    annotator: str,
    kinds: Sequence[Kind],
    *,
    order: str = "u",
    search: str = "",
    state: str = "",
) -> list[int]:
    """The samples of a view in order: `u` (random, the default) or `file`.

    `search` is a piece of the id, question or reference, in any case; `state` a disposition.
    """
    own = aliased(ReviewRow)
    query = _with_own(own, annotator).where(col(SampleRow.dataset_id) == dataset_id)
    if search:
        piece = search.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        fields = (SampleRow.key, SampleRow.user_input, SampleRow.reference)
        query = query.where(or_(*(col(name).ilike(f"%{piece}%", escape="\\") for name in fields)))
    if state:
        query = query.where(_state(own, kinds) == state)
    query = query.order_by(col(SampleRow.id) if order == "file" else col(SampleRow.u))
    with store.reading() as session:
        return [int(number) for (number,) in session.execute(query)]


def next_sample(
    store: Store, dataset_id: int, annotator: str, kinds: Sequence[Kind], after: int | None
) -> int | None:
    """The next undecided sample in queue order after a sample, from the start again once; None when done."""
    own = aliased(ReviewRow)
    query = (
        _with_own(own, annotator)
        .where(col(SampleRow.dataset_id) == dataset_id, _state(own, kinds).in_(UNDECIDED))
        .order_by(col(SampleRow.u))
        .limit(1)
    )
    with store.reading() as session:
        if after is not None:
            u = session.get_one(SampleRow, after).u
            found = session.execute(query.where(col(SampleRow.u) > u)).scalar()
            if found is not None:
                return int(found)
            query = query.where(col(SampleRow.id) != after)
        found = session.execute(query).scalar()
        return None if found is None else int(found)


def progress(store: Store, dataset_id: int, annotator: str, kinds: Sequence[Kind]) -> Progress:
    """Where the samples of a dataset stand for one annotator."""
    own = aliased(ReviewRow)
    state = _state(own, kinds)
    query = (
        _with_own(own, annotator, state, func.count())
        .where(col(SampleRow.dataset_id) == dataset_id)
        .group_by(state)
    )
    with store.reading() as session:
        counts = {name: int(n) for name, n in session.execute(query)}
        flagged = session.exec(
            select(func.count())
            .select_from(ReviewRow)
            .where(ReviewRow.dataset_id == dataset_id, ReviewRow.annotator == annotator, ReviewRow.flag != "")
        ).one()
    return Progress(
        total=sum(counts.values()),
        verified=counts.get("verified", 0),
        excluded=counts.get("excluded", 0),
        skipped=counts.get("skipped", 0),
        started=counts.get("started", 0),
        flagged=flagged,
    )


def page(
    store: Store,
    dataset_id: int,
    ids: Sequence[int],
    annotator: str,
    kinds: Sequence[Kind],
    *,
    scorer: str,
    run_id: int | None,
    matcher: str,
    threshold: int,
) -> list[PageRow]:
    """The rows of one page, in the order of `ids`; samples that are gone are left out."""
    kind = kinds[0]
    own = aliased(ReviewRow)
    columns = (
        col(SampleRow.key),
        func.substr(col(SampleRow.reference), 1, 200),
        col(SampleRow.blind_u) < Dataset.blind_share,
        col(SampleRow.reference_hash),
        _state(own, kinds),
        own.id,
        own.flag,
    )
    query = (
        _with_own(own, annotator, col(SampleRow.id), *columns)
        .join(Dataset, col(Dataset.id) == SampleRow.dataset_id)
        .where(col(SampleRow.id).in_(ids))
    )
    with store.reading() as session:
        found = {row[0]: row for row in session.execute(query)}
        gold = gold_of(session, ids, kind)
        scores = {
            row.sample_id: Score(scorer, Tally(row.found, row.missing, row.unsure), row.value)
            for row in session.exec(
                select(ScoreRow).where(
                    col(ScoreRow.sample_id).in_(ids),
                    ScoreRow.run_id == run_id,
                    ScoreRow.scorer == scorer,
                    ScoreRow.matcher == matcher,
                    ScoreRow.threshold == threshold,
                )
            )
        }
        hashes = {row[4] for row in found.values()}
        done = _verified(kind)
        siblings = set(
            session.exec(
                select(SampleRow.reference_hash)
                .join(ReviewRow, col(ReviewRow.sample_id) == SampleRow.id)
                .where(
                    col(SampleRow.reference_hash).in_(hashes),
                    col(SampleRow.dataset_id) == dataset_id,
                    done,
                )
            )
        )
    rows = []
    for number in ids:
        if number in found:
            _, key, reference, blind, reference_hash, state, review_id, flag = found[number]
            rows.append(
                PageRow(
                    sample_id=number,
                    key=key,
                    reference=reference,
                    blind=bool(blind),
                    disposition=state,
                    own=review_id is not None,
                    flag=flag or "",
                    gold=gold.get(number),
                    automatic=scores.get(number),
                    rematch=state == "todo" and not blind and reference_hash in siblings,
                )
            )
    return rows


def sibling_gold(
    store: Store, sample_id: int, kind: Kind, annotator: str
) -> tuple[tuple[Unit, ...], tuple[str, ...]] | None:
    """Verified units of the same reference, with the contexts they were judged against.

    The annotator's own come first, then the gold of this sample's file, then that of the newest sibling.
    Left out are unresolved gold, excluded samples, and everybody who reviewed this very sample: two people
    must not see each other's verdicts before both have decided.
    """
    with store.reading() as session:
        row = session.get_one(SampleRow, sample_id)
        ids = session.exec(
            select(SampleRow.id)
            .where(SampleRow.dataset_id == row.dataset_id, SampleRow.reference_hash == row.reference_hash)
            .order_by((col(SampleRow.id) == sample_id).desc(), col(SampleRow.id).desc())
        ).all()
        family = [number for number in ids if number is not None]
        verified = verified_by(session, family, kind)
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
            gold = resolve(known)
            if found is None and gold is not None:
                found = number, gold
        if found is None:
            return None
        number, gold = found
        return gold.assessment.units, tuple(session.get_one(SampleRow, number).retrieved_contexts)


def _verified(kind: Kind) -> ColumnElement[bool]:
    return col(ReviewRow.entity if kind == "entity" else ReviewRow.statement) == "verified"


def _with_own(own: Any, annotator: str, *columns: Any) -> Any:
    mine = and_(own.sample_id == SampleRow.id, own.annotator == annotator)
    return sqlalchemy.select(*(columns or (col(SampleRow.id),))).select_from(SampleRow).outerjoin(own, mine)


def _state(own: Any, kinds: Sequence[Kind]) -> Any:
    """The disposition for one annotator; gold of somebody else counts until there is an own decision."""
    others: Any = aliased(ReviewRow)
    theirs = exists().where(
        others.sample_id == SampleRow.id, *(getattr(others, kind) == "verified" for kind in kinds)
    )
    mine: Any = getattr(own, kinds[0])
    if len(kinds) > 1:  # as ReviewState.disposition: the least finished kind speaks for the sample
        first, second = own.entity, own.statement
        mine = case(
            (first == second, first),
            (or_(first.in_(UNDECIDED), second.in_(UNDECIDED)), literal("started")),
            (or_(first == "skipped", second == "skipped"), literal("skipped")),
            else_=literal("excluded"),
        )
    # a flag or a comment makes a review whose kinds are all todo: it decides nothing
    begun = and_(own.id.is_not(None), or_(*(getattr(own, kind) != "todo" for kind in kinds)))
    return case((begun, mine), (theirs, literal("verified")), else_=literal("todo"))
