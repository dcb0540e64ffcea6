"""What a package holds besides samples: proposals of all runs, heads of reviews, the journal, disputes, and
what is left of purged samples."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Text, cast, func
from sqlmodel import Session, col, select

from workbench.model import Effort
from workbench.reviewing.documents import edit_of
from workbench.reviewing.edits import Event
from workbench.reviewing.fold import ReviewState, fold
from workbench.store.engine import Store, insert_many
from workbench.store.export_facts import stamp
from workbench.store.tables import METADATA, ProposalRow, ReviewEventRow, ReviewRow, RunRow, SampleRow
from workbench.store.tables_calls import FailedRow
from workbench.store.tables_plans import DisputeRow, PurgedRow

_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

Document = dict[str, Any]
EVENTS = 2_000
"""Rows of the journal read at a time: a row holds up to an assessment."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What some samples have besides their text, by sample; runs and people by name."""

    proposals: dict[int, list[Document]]
    failures: dict[int, list[Document]]
    reviews: dict[int, list[Document]]
    disputes: dict[int, list[Document]]


def beside(store: Store, ids: Sequence[int]) -> Beside:
    """The rows of some samples as documents."""
    with store.reading() as session:
        return Beside(
            proposals=_proposals(session, ids),
            failures=_failures(session, ids),
            reviews=_reviews(session, ids),
            disputes=_disputes(session, ids),
        )


def journals(session: Session, review_ids: Sequence[int]) -> dict[int, list[Event]]:
    """The journals of some reviews, each oldest first, inside an open transaction."""
    found: dict[int, list[Event]] = {}
    row = ReviewEventRow
    query = (
        select(  # type: ignore[call-overload]
            row.review_id, row.seq, row.action, row.annotator, row.at, row.op, row.data,
            row.seconds, row.presses,
        )
        .where(col(row.review_id).in_(review_ids))
        .order_by(col(row.review_id), col(row.seq))
    )  # fmt: skip
    for review_id, seq, action, annotator, at, op, data, seconds, presses in session.exec(query):
        effort = None if seconds is None else Effort(seconds, presses or 0)
        event = Event(seq, action, annotator, stamp(at), edit_of(op, data), effort)
        found.setdefault(review_id, []).append(event)
    return found


def folded(store: Store, review_ids: Sequence[int]) -> dict[int, ReviewState]:
    """Some reviews as their journals say."""
    with store.reading() as session:
        return {number: fold(events) for number, events in journals(session, review_ids).items()}


def each_event(
    store: Store, dataset_id: int, wanted: Collection[int] | None, withheld: Collection[int]
) -> Iterator[Document]:
    """The journal of a dataset in the order in which it was written, people by their own names.

    `data` is JSON text as it is stored, for decoding and encoding it again takes a fifth of an export. The
    proposal of an opening row is named by its run and text, for its number is this database's.
    """
    row = ReviewEventRow
    bounds = select(func.min(row.id), func.max(row.id)).where(row.dataset_id == dataset_id)
    with store.reading() as session:
        first, end = session.exec(bounds).one()
    last = (first or 0) - 1
    while last < (end or -1):
        query = (
            select(  # type: ignore[call-overload]
                row.id, SampleRow.id, SampleRow.key, row.annotator, row.seq, row.action, row.op,
                cast(col(row.data), Text), row.at, row.seconds, row.presses,
            )
            .join(ReviewRow, col(ReviewRow.id) == row.review_id)
            .join(SampleRow, col(SampleRow.id) == ReviewRow.sample_id)
            # + 0: by the index of datasets SQLite would read and sort all that is left of it for every page
            .where(col(row.dataset_id) + 0 == dataset_id, col(row.id) > last, col(row.id) <= end)
            .order_by(col(row.id))
            .limit(EVENTS)
        )  # fmt: skip
        with store.reading() as session:
            rows = session.exec(query).all()
            opened = {one[0]: json.loads(one[7]) for one in rows if one[6] == "open"}
            shown = {one["proposal"] for one in opened.values() if one["proposal"] is not None}
            named = _named_proposals(session, shown)
        if not rows:
            return
        for number, sample_id, key, annotator, seq, action, op, data, at, seconds, presses in rows:
            last = number
            if sample_id in withheld or (wanted is not None and sample_id not in wanted):
                continue
            if number in opened and (proposal := opened[number]["proposal"]) is not None:
                data = _ENCODE({**opened[number], "proposal": named[proposal]})
            yield {
                "id": key, "annotator": annotator, "seq": seq, "action": action, "op": op, "data": data,
                "at": stamp(at), "seconds": seconds, "presses": presses,
            }  # fmt: skip


def tombstones(store: Store, dataset_id: int) -> list[Document]:
    """What is left of the purged samples of a dataset, in the order in which they went."""
    query = select(PurgedRow).where(PurgedRow.dataset_id == dataset_id).order_by(col(PurgedRow.id))
    with store.reading() as session:
        return [
            {
                "id": row.key,
                "reference_hash": row.reference_hash,
                "content_hash": row.content_hash,
                "annotator": row.annotator,
                "at": stamp(row.at),
            }
            for row in session.exec(query)
        ]


def add_tombstones(session: Session, dataset_id: int, documents: Sequence[Mapping[str, Any]]) -> None:
    """Keep out of a new dataset what was purged from the one it is made of; no export of it held that."""
    rows = [
        {
            "dataset_id": dataset_id,
            "key": one["id"],
            "reference_hash": one["reference_hash"],
            "content_hash": one["content_hash"],
            "annotator": one["annotator"],
            "at": datetime.fromisoformat(one["at"]),
            "exports": [],
        }
        for one in documents
    ]
    insert_many(session, METADATA.tables["purged"], rows)


def _named_proposals(session: Session, ids: set[int]) -> dict[int, Document | None]:
    """Proposals by run and text; one that is gone (its sample's text was replaced) is None."""
    rows = session.exec(
        select(ProposalRow.id, RunRow.name, ProposalRow.content_hash)
        .join(RunRow, col(RunRow.id) == ProposalRow.run_id)
        .where(col(ProposalRow.id).in_(ids))
    )
    found: dict[int, Document | None] = dict.fromkeys(ids)
    for number, run, content in rows:
        if number is not None:
            found[number] = {"run": run, "content_hash": content}
    return found


def _proposals(session: Session, ids: Sequence[int]) -> dict[int, list[Document]]:
    rows = session.exec(
        select(ProposalRow.sample_id, RunRow.name, ProposalRow.content_hash, ProposalRow.document)
        .join(RunRow, col(RunRow.id) == ProposalRow.run_id)
        .where(col(ProposalRow.sample_id).in_(ids))
        .order_by(col(ProposalRow.sample_id), col(RunRow.id), col(ProposalRow.id))
    )
    found: dict[int, list[Document]] = {}
    for number, run, content, document in rows:
        found.setdefault(number, []).append({"run": run, "content_hash": content, **document})
    return found


def _failures(session: Session, ids: Sequence[int]) -> dict[int, list[Document]]:
    rows = session.exec(
        select(FailedRow, RunRow.name)
        .join(RunRow, col(RunRow.id) == FailedRow.run_id)
        .where(col(FailedRow.sample_id).in_(ids))
        .order_by(col(FailedRow.sample_id), col(RunRow.id))
    )
    found: dict[int, list[Document]] = {}
    for row, run in rows:
        found.setdefault(row.sample_id, []).append(
            {"run": run, "content_hash": row.content_hash, "failure": row.failure, "message": row.message}
        )
    return found


def _reviews(session: Session, ids: Sequence[int]) -> dict[int, list[Document]]:
    found: dict[int, list[Document]] = {}
    row = ReviewRow
    names = (
        "annotator", "origin", "shown", "policy_version", "seq", "entity", "statement", "flag", "off_plan",
    )  # fmt: skip
    query = (
        select(row.sample_id, row.updated_at, *(getattr(row, name) for name in names))
        .where(col(row.sample_id).in_(ids))
        .order_by(col(row.id))
    )
    for sample_id, updated_at, *values in session.exec(query):
        document = {**dict(zip(names, values, strict=True)), "updated_at": stamp(updated_at)}
        found.setdefault(sample_id, []).append(document)
    return found


def _disputes(session: Session, ids: Sequence[int]) -> dict[int, list[Document]]:
    rows = session.exec(
        select(DisputeRow)
        .where(col(DisputeRow.sample_id).in_(ids))
        .order_by(col(DisputeRow.sample_id), col(DisputeRow.kind), col(DisputeRow.between))
    )
    found: dict[int, list[Document]] = {}
    for row in rows:
        found.setdefault(row.sample_id, []).append(
            {
                "kind": row.kind,
                "between": row.between,
                "state": row.state,
                "note": row.note,
                "annotator": row.annotator,
                "at": stamp(row.at),
            }
        )
    return found
