"""The values of decided samples, as far as the database holds them, and which samples were accepted fast."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import sqlalchemy
from sqlalchemy import and_, case, exists, func
from sqlmodel import Session, col

from workbench.matching import MATCHER
from workbench.model import Imported, Kind, Tally
from workbench.scoring.names import DEFAULT_SCORER, INSTEAD
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.gold import gold_of
from workbench.store.queue import imported_values
from workbench.store.queue_reviews import Reviews
from workbench.store.samples import CHUNK, ids_of
from workbench.store.tables import (
    ExternalScoreRow,
    GoldUnitRow,
    ProposalRow,
    ReviewEventRow,
    ReviewRow,
    SampleRow,
    ScoreRow,
)


class Values(NamedTuple):
    """The values of a sample. `unresolved`: verified, but people differ, so that there is no gold."""

    automatic: Tally | Imported | None
    verified: Tally | None
    unresolved: bool = False


def values_of(store: Store, info: DatasetInfo, annotator: str, column: str = "") -> dict[int, Values]:
    """The values of the samples that this annotator decided, or whose gold came with a file.

    The automatic one is that of a `column` of the file where there is one. It is None where none was counted,
    the verified one for an excluded or unresolved sample.
    """
    kind = info.kinds[0]
    first = DEFAULT_SCORER[kind]
    decided = (col(SampleRow.dataset_id) == info.id, Reviews(info.id, annotator, info.kinds).decided())
    scores = (
        sqlalchemy.select(
            col(ScoreRow.sample_id), col(ScoreRow.found), col(ScoreRow.missing), col(ScoreRow.unsure)
        )
        .join(SampleRow, col(SampleRow.id) == ScoreRow.sample_id)
        .where(
            *decided,
            col(ScoreRow.run_id) == info.run_id,
            col(ScoreRow.scorer).in_((first, INSTEAD.get(first, first))),
            col(ScoreRow.matcher) == MATCHER,
            col(ScoreRow.threshold) == info.threshold,
        )
        .order_by(col(ScoreRow.scorer) == first)  # the later row stands
    )
    with store.reading() as session:
        numbers = ids_of(session, sqlalchemy.select(col(SampleRow.id)).where(*decided))
        scored: Mapping[int, Tally | Imported]
        if column:
            these = sqlalchemy.select(col(SampleRow.id)).where(*decided)
            scored = imported_values(session, column, col(ExternalScoreRow.sample_id).in_(these))
        else:
            scored = {int(number): Tally(*counts) for number, *counts in session.execute(scores)}
        done = _verified(session, info, numbers)
    return {
        number: Values(scored.get(number), done.get(number), number in done and done[number] is None)
        for number in numbers
    }


def uncounted_ids(store: Store, info: DatasetInfo, annotator: str) -> list[int]:
    """The decided samples that the current run speaks of and that have no score at the match threshold."""
    scored = exists().where(
        col(ScoreRow.sample_id) == SampleRow.id,
        col(ScoreRow.run_id) == info.run_id,
        col(ScoreRow.matcher) == MATCHER,
        col(ScoreRow.threshold) == info.threshold,
    )
    query = (
        sqlalchemy.select(col(SampleRow.id))
        .join(
            ProposalRow,
            and_(
                col(ProposalRow.sample_id) == SampleRow.id,
                col(ProposalRow.run_id) == info.run_id,
                col(ProposalRow.content_hash) == SampleRow.content_hash,
            ),
        )
        .where(
            col(SampleRow.dataset_id) == info.id,
            Reviews(info.id, annotator, info.kinds).decided(),
            ~scored,
        )
    )
    with store.reading() as session:
        return list(ids_of(session, query))


def fast_ids(store: Store, info: DatasetInfo, annotator: str, of: Kind | None = None) -> list[int]:
    """The samples of which the accept that stands came under a second after the sample was painted.

    Of one kind, or of any.
    """
    data = col(ReviewEventRow.data)
    query = (
        sqlalchemy.select(
            col(ReviewRow.sample_id),
            col(ReviewEventRow.action),
            col(ReviewEventRow.op),
            data["fast"].as_boolean(),
            data["assessment"]["kind"].as_string(),
            data["action"].as_string(),
        )
        .join(ReviewRow, col(ReviewRow.id) == ReviewEventRow.review_id)
        .where(
            col(ReviewEventRow.dataset_id) == info.id,
            col(ReviewEventRow.annotator) == annotator,
            col(ReviewEventRow.op).in_(("accept", "undo", "redo")),
        )
        .order_by(col(ReviewEventRow.review_id), col(ReviewEventRow.seq))
    )
    standing: dict[tuple[int, str], list[tuple[str, bool]]] = {}
    undone: set[str] = set()
    with store.reading() as session:
        for sample_id, action, op, fast, kind, target in session.execute(query):
            if op == "accept":
                standing.setdefault((sample_id, kind), []).append((action, bool(fast)))
            elif op == "undo":
                undone.add(target)
            else:
                undone.discard(target)
    found = set()
    for (sample_id, kind), accepts in standing.items():
        if of is not None and kind != of:
            continue
        last = next((fast for action, fast in reversed(accepts) if action not in undone), False)
        if last:
            found.add(sample_id)
    return sorted(found)


def _verified(session: Session, info: DatasetInfo, wanted: Iterable[int]) -> dict[int, Tally | None]:
    """The gold tallies, None where unresolved.

    Added up by SQL where one review is verified, worked out where there are several.
    """
    kind = info.kinds[0]
    verdict = col(GoldUnitRow.verdict)
    rows = session.execute(
        sqlalchemy.select(
            col(ReviewRow.sample_id),
            func.count(col(GoldUnitRow.id)),
            func.sum(case((verdict == "found", 1), else_=0)),
            func.sum(case((verdict == "missing", 1), else_=0)),
        )
        .outerjoin(
            GoldUnitRow,
            and_(col(GoldUnitRow.review_id) == ReviewRow.id, col(GoldUnitRow.kind) == kind),
        )
        .where(
            col(ReviewRow.dataset_id) == info.id,
            col(ReviewRow.entity if kind == "entity" else ReviewRow.statement) == "verified",
        )
        .group_by(col(ReviewRow.id), col(ReviewRow.sample_id))
    )
    seen = set(wanted)
    found: dict[int, Tally | None] = {}
    several: set[int] = set()
    for sample_id, units, good, bad in rows:
        if sample_id in found:
            several.add(sample_id)
        elif sample_id in seen:
            found[sample_id] = Tally(good or 0, bad or 0, units - (good or 0) - (bad or 0))
    numbers = sorted(several)
    for start in range(0, len(numbers), CHUNK):
        for sample_id, gold in gold_of(session, numbers[start : start + CHUNK], kind).items():
            found[sample_id] = gold.tally
    return found
