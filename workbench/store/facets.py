"""What there is to filter by: values that occur in a dataset, counted over a random part of a large one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy
from sqlalchemy import func, or_
from sqlmodel import Session, col, select

from workbench.matching.units import named_language
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.queue_reviews import Reviews
from workbench.store.tables import GoldUnitRow, ProposalRow, ReviewRow, SampleRow, is_blind

CHUNK = 500


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
    for rows in session.execute(query.execution_options(yield_per=CHUNK)).partitions():
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
