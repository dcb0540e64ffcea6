"""Samples and what was proposed for them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Row, Text, bindparam, case, exists, func, or_, select

from workbench.errors import NotFoundError
from workbench.matching import MATCHER
from workbench.model import Proposal, Sample
from workbench.reviewing.documents import proposal_of
from workbench.store.engine import Store
from workbench.store.tables import (
    COUNTED,
    DATASET,
    PROPOSAL,
    QUESTION,
    REVIEW,
    SAMPLE,
    TOLD_BY,
    ProposalRow,
    SampleRow,
    among,
    contains,
    is_blind,
    proposed_by,
    samples_of,
    table_of,
)
from workbench.text.safe import HASHED, is_hash

CHUNK = 1_000
"""Rows that are read or written at a time where all of them would fill the memory."""


T = TypeVar("T")


def chunked(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Some of a list at a time, `CHUNK` of them."""
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]


@dataclass(frozen=True, slots=True)
class Stored:
    """A sample of the database with the proposal of one run, when that run has one for this text."""

    sample_id: int
    dataset_id: int
    sample: Sample
    blind: bool
    holdout: bool
    u: float
    rank: float
    size: float
    stratum: str
    proposal_id: int | None
    proposal: Proposal | None
    told_by: str

    @property
    def question(self) -> str:
        """Its question as lists have it: behind the retriever where several samples have the same one."""
        return self.told_by + self.sample.user_input


def draw(seed: int, key: str) -> tuple[float, float]:
    """The two permanent random numbers of a sample: queue place `u` and blind draw, in [0, 1).

    Seeded by dataset and key, so they do not depend on the order of import, and independent of each other.
    """
    digest = hashlib.blake2b(f"{seed}:{key}".encode(), digest_size=16).digest()
    u, blind_u = (int.from_bytes(half, "big") >> 11 for half in (digest[:8], digest[8:]))
    scale = 2.0**-53  # 53 bits: every value below 1 is exact in a float
    return u * scale, blind_u * scale


def sample_of(row: SampleRow | Row[Any]) -> Sample:
    """The noun of a row."""
    return Sample(
        id=row.key,
        user_input=row.user_input,
        reference=row.reference,
        retrieved_contexts=tuple(row.retrieved_contexts),
        response=row.response,
        group=row.group_key,
        meta=row.meta or {},
        alternatives=tuple(row.alternatives or ()),
    )


def dataset_of(store: Store, sample_id: int) -> int:
    """The number of the dataset that a sample is in. Raises NotFoundError for a sample that is not there."""
    dataset_id = store.value(select(SAMPLE.dataset_id).where(SAMPLE.id == sample_id))
    if dataset_id is None:
        raise NotFoundError("there is no such sample")
    return int(dataset_id)


def load_sample(store: Store, sample_id: int, run_id: int | None) -> Stored:
    """One sample with the proposal of that run. Raises NotFoundError for a sample that is not there."""
    for stored in load_samples(store, [sample_id], run_id):
        return stored
    raise NotFoundError("there is no such sample")


def load_samples(store: Store, sample_ids: Iterable[int], run_id: int | None) -> list[Stored]:
    """Some samples with their proposals of that run, in file order, in one query."""
    with store.reading():
        return [
            Stored(
                sample_id=row.id,
                dataset_id=row.dataset_id,
                sample=sample_of(row),
                blind=bool(row.blind),
                **{name: getattr(row, name) for name in ("holdout", "u", "rank", "size", "stratum")},
                proposal_id=row.proposal,
                proposal=proposal_of(row.document) if row.proposal else None,
                told_by=row.told_by,
            )
            for row in store.rows(_PROPOSED, run=run_id, samples=[*sample_ids])
        ]


_BLIND = is_blind(DATASET.blind_share).label("blind")
_PROPOSED = (
    select(*SAMPLE, _BLIND, PROPOSAL.id.label("proposal"), PROPOSAL.document, TOLD_BY.label("told_by"))
    .outerjoin(table_of(ProposalRow), proposed_by(bindparam("run")))
    .where(among(SAMPLE.id, "samples"), DATASET.id == SAMPLE.dataset_id)
    .order_by(SAMPLE.id)
)


def load_proposal(store: Store, proposal_id: int | None) -> Proposal | None:
    """A proposal by its number, whichever run it is of; None for none, or when it was purged."""
    with store.reading():
        document = store.value(select(PROPOSAL.document).where(PROPOSAL.id == proposal_id))
        return None if document is None else proposal_of(document)


def questions_of_hashes(store: Store, dataset_id: int) -> dict[int, str]:
    """The beginnings of the questions of those samples whose id is a hash, for a list that people read."""
    query = select(SAMPLE.id, SAMPLE.key, QUESTION).where(
        SAMPLE.dataset_id == dataset_id, func.length(SAMPLE.key) >= HASHED
    )
    return {number: question for number, key, question in store.rows(query) if is_hash(key)}


def each_sample(store: Store, dataset_id: int, run_id: int | None = None) -> Iterator[Stored]:
    """All samples of a dataset in file order, each with its proposal of that run."""
    for ids in pieces(store, dataset_id):
        yield from load_samples(store, ids, run_id)


def counted_in(run_id: int | None) -> tuple[ColumnElement[bool], ...]:
    """Rows that this matcher counted of a run."""
    return COUNTED.run_id == run_id, COUNTED.matcher == MATCHER


def each_uncounted(store: Store, dataset_id: int, run_id: int, taught: str) -> Iterator[list[Stored]]:
    """The samples that this run speaks of and that this matcher, as taught by now, has not counted.

    A thousand at a time.
    """
    of_run = *counted_in(run_id), COUNTED.taught == taught
    counted = exists().where(COUNTED.sample_id == PROPOSAL.sample_id, *of_run)
    ids = store.numbers(samples_of(dataset_id, proposed_by(run_id), ~counted).order_by(SAMPLE.id))
    for some in chunked(ids):
        yield load_samples(store, some, run_id)


def sample_ids(store: Store, dataset_id: int) -> dict[str, int]:
    """The number of every sample of a dataset by its id, in file order."""
    query = select(SAMPLE.key, SAMPLE.id).where(SAMPLE.dataset_id == dataset_id)
    return dict(store.rows(query.order_by(SAMPLE.id)))


def ids_with_text(store: Store, dataset_id: int, piece: str, annotator: str) -> list[int]:
    """The samples of a dataset whose reference holds a piece of text, in any case; in queue order.

    Without those that others verified and the annotator has not begun.
    """
    of_sample, theirs = REVIEW.sample_id == SAMPLE.id, REVIEW.annotator != annotator
    own = exists().where(of_sample, ~theirs)
    verified = exists().where(of_sample, theirs, REVIEW.entity == "verified")
    query = samples_of(dataset_id, contains(SAMPLE.reference, piece), or_(own, ~verified))
    return list(store.numbers(query.order_by(SAMPLE.rank)))


def related_ids(store: Store, dataset_id: int, groups: Collection[str], hashes: Collection[str]) -> set[str]:
    """The ids of the samples of a dataset that are in one of the groups or have one of the hashes."""
    query = select(SAMPLE.key, SAMPLE.group_key, SAMPLE.reference_hash).where(SAMPLE.dataset_id == dataset_id)
    return {key for key, group, reference in store.rows(query) if group in groups or reference in hashes}


def asked_before(store: Store, dataset_id: int, before: int) -> int:
    """Samples that came without an id after number `before`, with the question and meta of an earlier one."""
    came = func.sum(case(((SAMPLE.id > before) & (SAMPLE.key == SAMPLE.content_hash), 1), else_=0))
    alike = select(came.label("came")).where(SAMPLE.dataset_id == dataset_id)  # a join on texts has no index
    alike = alike.group_by(SAMPLE.user_input, SAMPLE.meta.cast(Text)).having(func.min(SAMPLE.id) <= before)
    return store.value(select(func.sum(alike.subquery().c.came))) or 0


def pieces(store: Store, dataset_id: int, wanted: Collection[int] | None = None) -> Iterator[Sequence[int]]:
    """The samples of a dataset in file order, or the `wanted` ones, `CHUNK` at a time; eight bytes a sample.

    Their numbers are read first: for a page of `WHERE dataset_id = … AND id > … ORDER BY id LIMIT …` SQLite
    reads and sorts all that is left of the dataset: with 100,000 samples 3 s of the 17 of an export.
    """
    query = samples_of(dataset_id).order_by(SAMPLE.id)
    return chunked([number for number in store.numbers(query) if wanted is None or number in wanted])
