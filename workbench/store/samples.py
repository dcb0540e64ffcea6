"""Samples and what was proposed for them."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy
from sqlalchemy import bindparam, exists, func, or_
from sqlmodel import Session, col, select

from workbench.model import Proposal, Sample
from workbench.reviewing.documents import proposal_of
from workbench.store.engine import Store
from workbench.store.tables import (
    CountedRow,
    Dataset,
    ProposalRow,
    ReviewRow,
    SampleRow,
    contains,
    is_blind,
    row_is_blind,
)
from workbench.text.safe import BEGINNING, HASHED, is_hash

CHUNK = 1_000
FETCH = 10_000


@dataclass(frozen=True, slots=True)
class Stored:
    """A sample of the database with the proposal of one run, when that run has one for this text."""

    sample_id: int
    dataset_id: int
    sample: Sample
    blind: bool
    u: float
    proposal_id: int | None
    proposal: Proposal | None


def draw(seed: int, key: str) -> tuple[float, float]:
    """The two permanent random numbers of a sample: queue place `u` and blind draw, in [0, 1).

    Seeded by dataset and key, so they do not depend on the order of import, and independent of each other.
    """
    digest = hashlib.blake2b(f"{seed}:{key}".encode(), digest_size=16).digest()
    scale = 2.0**-53  # 53 bits: every value below 1 is exact in a float
    return (int.from_bytes(digest[:8], "big") >> 11) * scale, (
        int.from_bytes(digest[8:], "big") >> 11
    ) * scale


def sample_of(row: SampleRow) -> Sample:
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
    """The number of the dataset that a sample is in."""
    with store.reading() as session:
        return session.exec(select(SampleRow.dataset_id).where(SampleRow.id == sample_id)).one()


def load_sample(store: Store, sample_id: int, run_id: int | None) -> Stored:
    """One sample with the proposal of that run."""
    with store.reading() as session:
        found = session.exec(_one(), params={"sample": sample_id, "run": run_id}).one()
        return _stored(*found)


def load_proposal(store: Store, proposal_id: int | None) -> Proposal | None:
    """A proposal by its number, whichever run it is of; None for none, or when it was purged."""
    if proposal_id is None:
        return None
    with store.reading() as session:
        row = session.get(ProposalRow, proposal_id)
        return None if row is None else proposal_of(row.document)


@cache
def _one() -> Any:
    """One sample, its proposal of one run and the blind share; made once: making costs more than asking."""
    return (
        select(SampleRow, ProposalRow, Dataset.blind_share)
        .join(Dataset, col(Dataset.id) == SampleRow.dataset_id)
        .join(
            ProposalRow,
            (col(ProposalRow.sample_id) == SampleRow.id)
            & (col(ProposalRow.run_id) == bindparam("run"))
            & (col(ProposalRow.content_hash) == SampleRow.content_hash),
            isouter=True,
        )
        .where(col(SampleRow.id) == bindparam("sample"))
    )


def load_samples(store: Store, sample_ids: Sequence[int], run_id: int | None) -> list[Stored]:
    """Some samples with their proposals of that run, in file order, in one query."""
    if not sample_ids:
        return []
    with store.reading() as session:
        rows = session.exec(
            select(SampleRow, ProposalRow, Dataset.blind_share)
            .join(Dataset, col(Dataset.id) == SampleRow.dataset_id)
            .join(
                ProposalRow,
                (col(ProposalRow.sample_id) == SampleRow.id)
                & (ProposalRow.run_id == run_id)
                & (col(ProposalRow.content_hash) == SampleRow.content_hash),
                isouter=True,
            )
            .where(col(SampleRow.id).in_(sample_ids))
            .order_by(col(SampleRow.id))
        ).all()
        return [_stored(row, proposal, share) for row, proposal, share in rows]


def questions_of_hashes(store: Store, dataset_id: int) -> dict[int, str]:
    """The beginnings of the questions of those samples whose id is a hash, for a list that people read."""
    beginning = func.substr(col(SampleRow.user_input), 1, BEGINNING)
    query = select(SampleRow.id, SampleRow.key, beginning).where(
        SampleRow.dataset_id == dataset_id, func.length(SampleRow.key) >= HASHED
    )
    with store.reading() as session:
        rows = session.execute(query)
        return {int(number): question for number, key, question in rows if is_hash(key)}


def each_sample(store: Store, dataset_id: int, run_id: int | None = None) -> Iterator[Stored]:
    """All samples of a dataset in file order, each with its proposal of that run."""
    for chunk in each_chunk(store, dataset_id, run_id):
        yield from chunk


def each_chunk(store: Store, dataset_id: int, run_id: int | None = None) -> Iterator[list[Stored]]:
    """The same in lists of a thousand."""
    for ids in pieces(store, dataset_id, CHUNK):
        yield load_samples(store, ids, run_id)


def each_uncounted(store: Store, dataset_id: int, run_id: int, matcher: str) -> Iterator[list[Stored]]:
    """The samples that this run speaks of and that this matcher has not counted, a thousand at a time."""
    last = 0
    while True:
        with store.reading() as session:
            share = session.get_one(Dataset, dataset_id).blind_share
            counted = exists().where(
                col(CountedRow.sample_id) == ProposalRow.sample_id,
                col(CountedRow.run_id) == run_id,
                col(CountedRow.matcher) == matcher,
            )
            rows = session.exec(
                select(SampleRow, ProposalRow)
                .select_from(ProposalRow)
                .join(
                    SampleRow,
                    (col(SampleRow.id) == ProposalRow.sample_id)
                    & (col(SampleRow.content_hash) == ProposalRow.content_hash),
                )
                .where(
                    col(ProposalRow.run_id) == run_id,
                    col(ProposalRow.sample_id) > last,
                    SampleRow.dataset_id == dataset_id,
                    ~counted,
                )
                .order_by(col(ProposalRow.sample_id))  # in the order of an index: nothing is sorted
                .limit(CHUNK)
            ).all()
        if not rows:
            return
        yield [_stored(row, proposal, share) for row, proposal in rows]
        last = rows[-1][0].id or 0


def sample_ids(store: Store, dataset_id: int) -> dict[str, int]:
    """The number of every sample of a dataset by its id, in file order."""
    with store.reading() as session:
        rows = session.exec(
            select(SampleRow.key, SampleRow.id)
            .where(SampleRow.dataset_id == dataset_id)
            .order_by(col(SampleRow.id))
        )
        return {key: int(number) for key, number in rows if number is not None}


def blind_among(store: Store, sample_ids: Sequence[int]) -> set[int]:
    """Those of some samples that are reviewed blind."""
    query = (
        select(SampleRow.id)
        .join(Dataset, col(Dataset.id) == SampleRow.dataset_id)
        .where(col(SampleRow.id).in_(sample_ids), is_blind(Dataset.blind_share))
    )
    with store.reading() as session:
        return {number for number in session.exec(query) if number is not None}


def ids_with_text(store: Store, dataset_id: int, piece: str, annotator: str) -> list[int]:
    """The samples of a dataset whose reference holds a piece of text, in any case; in queue order.

    Without those that others verified and the annotator has not begun.
    """
    of_sample, theirs = col(ReviewRow.sample_id) == SampleRow.id, col(ReviewRow.annotator) != annotator
    own = exists().where(of_sample, ~theirs)
    verified = exists().where(of_sample, theirs, col(ReviewRow.entity) == "verified")
    query = (
        select(SampleRow.id)
        .where(SampleRow.dataset_id == dataset_id, contains(col(SampleRow.reference), piece))
        .where(or_(own, ~verified))
        .order_by(col(SampleRow.rank))
    )
    with store.reading() as session:
        return [number for number in session.exec(query) if number is not None]


def _stored(row: SampleRow, proposal: Any, blind_share: float) -> Stored:
    assert row.id is not None
    return Stored(
        sample_id=row.id,
        dataset_id=row.dataset_id,
        sample=sample_of(row),
        blind=row_is_blind(row, blind_share),
        u=row.u,
        proposal_id=proposal.id if proposal else None,
        proposal=proposal_of(proposal.document) if proposal else None,
    )


def related_ids(store: Store, dataset_id: int, groups: Collection[str], hashes: Collection[str]) -> set[str]:
    """The ids of the samples of a dataset that are in one of the groups or have one of the hashes."""
    found: set[str] = set()
    with store.reading() as session:
        for column, values in ((SampleRow.group_key, groups), (SampleRow.reference_hash, hashes)):
            known = sorted(values)
            for start in range(0, len(known), CHUNK):
                some = known[start : start + CHUNK]
                query = select(SampleRow.key).where(SampleRow.dataset_id == dataset_id, col(column).in_(some))
                found.update(session.exec(query))
    return found


def ids_of(session: Session, query: Any) -> array[int]:
    """The numbers that a query brings, without a list of objects.

    From the driver's own cursor: a million take .6 s of CPU, 1.5 s by the library's rows.
    """
    ids = array("q")
    cursor = session.connection().execute(query).cursor
    while rows := cursor.fetchmany(FETCH):
        ids.extend(number for (number,) in rows)
    return ids


def pieces(
    store: Store, dataset_id: int, size: int, wanted: Collection[int] | None = None
) -> Iterator[list[int]]:
    """The samples of a dataset in file order, or the `wanted` ones, some at a time; eight bytes a sample.

    Their numbers are read first: for a page of `WHERE dataset_id = … AND id > … ORDER BY id LIMIT …` SQLite
    reads and sorts all that is left of the dataset: with 100,000 samples 3 s of the 17 of an export.
    """
    query = (
        sqlalchemy.select(col(SampleRow.id))
        .where(col(SampleRow.dataset_id) == dataset_id)
        .order_by(col(SampleRow.id))
    )
    with store.reading() as session:
        ids = ids_of(session, query)
    if wanted is not None:
        ids = array("q", (number for number in ids if number in wanted))
    for start in range(0, len(ids), size):
        yield list(ids[start : start + size])
