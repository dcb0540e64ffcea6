"""Values of decided samples, which of them were accepted fast, and the values that one can filter by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import sqlalchemy
from sqlalchemy import and_, case, exists, func, or_
from sqlmodel import Session, col, select

from workbench.matching import MATCHER
from workbench.matching.units import named_language
from workbench.model import Imported, Kind, Tally
from workbench.scoring.names import DEFAULT_SCORER, INSTEAD
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.gold import gold_of
from workbench.store.queue import imported_values
from workbench.store.queue_conditions import Reviews
from workbench.store.samples import CHUNK, ids_of
from workbench.store.tables import (
    ExternalScoreRow,
    GoldUnitRow,
    ProposalRow,
    ReviewEventRow,
    ReviewRow,
    SampleRow,
    ScoreRow,
    is_blind,
    state_of,
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
            state_of(kind) == "verified",
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


AT_ONCE = 500


@dataclass(slots=True)
class Survey:
    """Counts over the first `seen` samples in random order, of `total`.

    `labels` are of the verified units that the annotator may see, else of the proposal as said; `meta`
    counts the values of each key.
    """

    total: int = 0
    seen: int = 0
    blind: int = 0
    groups: Counter[str] = field(default_factory=Counter)
    meta: dict[str, Counter[str]] = field(default_factory=dict)
    languages: Counter[str] = field(default_factory=Counter)
    labels: Counter[frozenset[str]] = field(default_factory=Counter)


def survey(store: Store, info: DatasetInfo, annotator: str, most: int) -> Survey:
    """Look at up to `most` samples: about 30 µs each."""
    found = Survey()
    with store.reading() as session:
        found.total = session.exec(
            select(func.count()).select_from(SampleRow).where(SampleRow.dataset_id == info.id)
        ).one()
        for ids in _chunks(session, info, most, found):
            _labels(session, info, annotator, ids, found)
    return found


def annotators(store: Store, info: DatasetInfo) -> list[tuple[str, int]]:
    """Everybody who reviewed, with how many samples, the busiest first."""
    begun = Reviews(info.id, "", info.kinds).begun(ReviewRow)
    query = (
        sqlalchemy.select(col(ReviewRow.annotator), func.count())
        .where(col(ReviewRow.dataset_id) == info.id, begun)
        .group_by(col(ReviewRow.annotator))
        .order_by(func.count().desc(), col(ReviewRow.annotator))
    )
    with store.reading() as session:
        return [(name, int(number)) for name, number in session.execute(query)]


def flags(store: Store, info: DatasetInfo, annotator: str, most: int) -> list[tuple[str, int]]:
    """The texts of an annotator's flags, the most frequent first."""
    query = (
        sqlalchemy.select(col(ReviewRow.flag), func.count())
        .where(
            col(ReviewRow.dataset_id) == info.id,
            col(ReviewRow.annotator) == annotator,
            col(ReviewRow.flag) != "",
        )
        .group_by(col(ReviewRow.flag))
        .order_by(func.count().desc(), col(ReviewRow.flag))
        .limit(most)
    )
    with store.reading() as session:
        return [(text, int(number)) for text, number in session.execute(query)]


def _chunks(session: Session, info: DatasetInfo, most: int, found: Survey) -> Iterator[list[int]]:
    query = (
        sqlalchemy.select(
            col(SampleRow.id), col(SampleRow.meta), col(SampleRow.group_key), is_blind(info.blind_share)
        )
        .where(col(SampleRow.dataset_id) == info.id)
        .order_by(col(SampleRow.rank))
        .limit(most)
    )
    for rows in session.execute(query.execution_options(yield_per=AT_ONCE)).partitions():
        for _, meta, group, blind in rows:
            found.seen += 1
            found.blind += bool(blind)
            if group:
                found.groups[group] += 1
            _meta(meta or {}, info, found)
        yield [row[0] for row in rows]


def _meta(meta: Mapping[str, Any], info: DatasetInfo, found: Survey) -> None:
    for key, value in meta.items():
        if isinstance(value, str | int | float) and value != "":
            said = str(value).lower() if isinstance(value, bool) else str(value)
            found.meta.setdefault(key, Counter())[said] += 1
    language = named_language(meta) or info.policy.language.split("-")[0].lower()
    if language:
        found.languages[language] += 1


def _labels(session: Session, info: DatasetInfo, annotator: str, ids: list[int], found: Survey) -> None:
    """The labels of each sample: of what is verified and may be seen, else of what is proposed."""
    of_ids = col(ReviewRow.sample_id).in_(ids)
    seen = (
        of_ids,
        col(ReviewRow.entity) == "verified",
        or_(col(ReviewRow.annotator) == annotator, col(ReviewRow.origin) != "reviewed"),
    )
    labels: dict[int, set[str]] = {
        number: set()
        for (number,) in session.execute(sqlalchemy.select(col(ReviewRow.sample_id)).where(*seen))
    }
    units = (
        sqlalchemy.select(col(GoldUnitRow.sample_id), col(GoldUnitRow.label))
        .join(ReviewRow, col(ReviewRow.id) == GoldUnitRow.review_id)
        .where(*seen, col(GoldUnitRow.kind) == "entity")
    )
    for number, label in session.execute(units):
        labels[number].add(label)
    open_ids = [number for number in ids if number not in labels]
    proposals = (
        sqlalchemy.select(col(ProposalRow.sample_id), col(ProposalRow.document)["reference_entities"])
        .join(SampleRow, col(SampleRow.id) == ProposalRow.sample_id)
        .where(
            col(ProposalRow.sample_id).in_(open_ids),
            col(ProposalRow.run_id) == info.run_id,
            col(ProposalRow.content_hash) == SampleRow.content_hash,
            ~is_blind(info.blind_share),
        )
    )
    for number, entities in session.execute(proposals):
        said = (entity if isinstance(entity, dict) else {} for entity in entities or ())
        labels[number] = {str(entity.get("label", "")) for entity in said}
    found.labels.update(frozenset(names) for names in labels.values())
