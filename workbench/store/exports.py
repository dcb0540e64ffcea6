"""What leaves with an export, what a manifest says of it, and the list of finished exports."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy
from sqlalchemy import func
from sqlmodel import Session, col, select

from workbench.model import BY, KINDS, Effort, GoldRecord, Kind, Marks, Proposal, Sample, Score, Tally, Unit
from workbench.reviewing.documents import proposal_of
from workbench.reviewing.fold import ReviewState, fold
from workbench.store.engine import Store
from workbench.store.gold import verified_by
from workbench.store.importing import ANNOTATORS
from workbench.store.journal import events_of
from workbench.store.samples import pieces, sample_of
from workbench.store.tables import (
    CallRow,
    Dataset,
    ExportRow,
    ExternalScoreRow,
    ProposalRow,
    PurgedRow,
    ReviewEventRow,
    ReviewRow,
    RunRow,
    SampleRow,
    ScoreRow,
)


def log_export(
    store: Store,
    dataset_id: int,
    path: str,
    manifest_sha256: str,
    annotator: str,
    held: Sequence[str],
    *,
    whole: bool,
    at: datetime,
    replaced: str = "",
) -> None:
    """Note a finished export and the ids of the samples whose texts it holds.

    `whole`: some format of it holds every one of them. `replaced`: the manifest's hash of the export that
    stood at its place and is gone, and holds nothing from now on.
    """
    with store.writing() as session:
        if replaced:
            earlier = select(ExportRow).where(ExportRow.path == path, ExportRow.manifest_sha256 == replaced)
            for one in session.exec(earlier):
                one.held = []
        session.add(
            ExportRow(
                dataset_id=dataset_id,
                path=path,
                manifest_sha256=manifest_sha256,
                annotator=annotator,
                created_at=at,
                held=list(held),
                whole=whole,
            )
        )


def list_exports(store: Store, dataset_id: int) -> list[ExportRow]:
    """Where exports of a dataset were written, oldest first."""
    query = select(ExportRow).where(ExportRow.dataset_id == dataset_id).order_by(col(ExportRow.id))
    with store.reading() as session:
        return list(session.exec(query))


def held_by(store: Store, dataset_id: int, keys: Collection[str]) -> list[ExportRow]:
    """The exports that hold one of some samples, also of those purged before; oldest first.

    One that is not `whole` may have held it: a format leaves out what does not fit it.
    """
    wanted = set(keys)
    return [row for row in list_exports(store, dataset_id) if not wanted.isdisjoint(row.held)]


@dataclass(frozen=True, slots=True)
class Made:
    """When a dataset was made, and with what: the models that answered each run, as the service named them,
    and the tokens. `purged` counts samples.
    """

    created_at: str
    models: dict[str, list[str]]
    usage: dict[str, dict[str, int]]
    purged: int


def stamp(at: datetime) -> str:
    """A stored time as text: ISO 8601 in UTC."""
    aware = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return aware.isoformat().replace("+00:00", "Z")


def made_with(store: Store, dataset_id: int) -> Made:
    """What no other query says of a dataset as a whole."""
    models: dict[str, list[str]] = {}
    usage: dict[str, dict[str, int]] = {}
    with store.reading() as session:
        calls = select(RunRow.name, CallRow.model, CallRow.usage).join(
            RunRow, col(CallRow.run_id) == RunRow.id
        )
        calls = calls.where(RunRow.dataset_id == dataset_id).order_by(col(CallRow.model))
        for name, model, tokens in session.exec(calls.execution_options(yield_per=500)):
            if model and model not in models.setdefault(name, []):
                models[name].append(model)
            total = usage.setdefault(name, {})
            for kind, number in (tokens or {}).items():
                if isinstance(number, int):
                    total[kind] = total.get(kind, 0) + number
        purged = session.exec(select(func.count()).where(PurgedRow.dataset_id == dataset_id)).one()
        return Made(stamp(session.get_one(Dataset, dataset_id).created_at), models, usage, purged)


_VERIFIED = (col(ReviewRow.entity) == "verified") | (col(ReviewRow.statement) == "verified")


def verified_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples that are verified in some kind."""
    return _ids(store, select(ReviewRow.sample_id).where(ReviewRow.dataset_id == dataset_id, _VERIFIED))


def several_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples that several people verified."""
    reviews = select(ReviewRow.sample_id).where(ReviewRow.dataset_id == dataset_id, _VERIFIED)
    return _ids(store, reviews.group_by(col(ReviewRow.sample_id)).having(func.count() > 1))


def _ids(store: Store, query: Any) -> set[int]:
    with store.reading() as session:
        return set(session.exec(query))


CHUNK = 500


@dataclass(frozen=True, slots=True)
class StoredReview:
    """One annotator's review of one sample: what stands in the database of it."""

    review_id: int
    origin: str
    shown: str
    states: dict[Kind, str]
    record: GoldRecord

    def units(self, kind: Kind) -> tuple[Unit, ...] | None:
        """The verified units of a kind; None where it is not verified."""
        return self.record.entities if kind == "entity" else self.record.statements

    @property
    def says_something(self) -> bool:
        """Whether the review decided or noted anything."""
        one, marks = self.record, self.record.marks
        decided = one.entities is not None or one.statements is not None or bool(marks.dispositions)
        return decided or bool(marks.flag or marks.comments)


@dataclass(frozen=True, slots=True)
class Leaving:
    """A stored sample as an export reads it, with the proposal of one run for this text."""

    sample_id: int
    sample: Sample
    u: float
    blind: bool
    holdout: bool
    rank: float
    size: float
    stratum: str
    proposal_id: int | None
    proposal: Proposal | None
    reviews: tuple[StoredReview, ...]
    external: dict[str, str]
    automatic: dict[str, Score]


@dataclass(frozen=True, slots=True)
class Scale:
    """Which automatic scores leave: those of a run under a matcher and a match threshold."""

    run_id: int
    matcher: str
    threshold: int


def each_leaving(
    store: Store,
    dataset_id: int,
    run_id: int | None,
    wanted: Collection[int] | None = None,
    scale: Scale | None = None,
) -> Iterator[list[Leaving]]:
    """All samples of a dataset in file order, five hundred at a time; only the `wanted` ones if given.

    With `scale` they carry their automatic scores.
    """
    for ids in pieces(store, dataset_id, CHUNK, wanted):
        with store.reading() as session:
            yield _chunk(store, session, dataset_id, run_id, ids, scale)


def _chunk(
    store: Store,
    session: Session,
    dataset_id: int,
    run_id: int | None,
    ids: Sequence[int],
    scale: Scale | None,
) -> list[Leaving]:
    share = session.get_one(Dataset, dataset_id).blind_share
    query = (
        select(SampleRow, ProposalRow)
        .join(
            ProposalRow,
            (col(ProposalRow.sample_id) == SampleRow.id)
            & (ProposalRow.run_id == run_id)
            & (col(ProposalRow.content_hash) == SampleRow.content_hash),
            isouter=True,
        )
        .where(col(SampleRow.id).in_(ids))
        .order_by(col(SampleRow.id))
    )
    said = _said(store, session, ids)
    external = _external(session, ids)
    automatic = _automatic(session, ids, scale) if scale else {}
    return [
        Leaving(
            sample_id=row.id or 0,
            sample=sample_of(row),
            u=row.u,
            blind=row.holdout or row.blind_u < share,
            holdout=row.holdout,
            rank=row.rank,
            size=row.size,
            stratum=row.stratum,
            proposal_id=proposal.id if proposal else None,
            proposal=proposal_of(proposal.document) if proposal else None,
            reviews=tuple(said.get(row.id or 0, ())),
            external=external.get(row.id or 0, {}),
            automatic=automatic.get(row.id or 0, {}),
        )
        for row, proposal in session.exec(query)
    ]


def _said(store: Store, session: Session, ids: Sequence[int]) -> dict[int, list[StoredReview]]:
    reviews = session.exec(
        select(ReviewRow).where(col(ReviewRow.sample_id).in_(ids)).order_by(col(ReviewRow.id))
    ).all()
    if not reviews:
        return {}
    effort = _effort(session, ids)
    units = {
        (sample_id, one.annotator, kind): one.assessment.units
        for kind in KINDS
        for sample_id, each in verified_by(store, ids, kind).items()
        for one in each
    }
    noted = set(
        session.exec(
            select(ReviewEventRow.review_id).where(
                col(ReviewEventRow.review_id).in_([review.id for review in reviews]),
                col(ReviewEventRow.op).in_(("comment", "excluded", "skipped", "todo")),
            )
        )
    )
    found: dict[int, list[StoredReview]] = {}
    for review in reviews:
        number = review.id or 0
        states: dict[Kind, str] = {"entity": review.entity, "statement": review.statement}
        state = fold(events_of(session, number)) if number in noted else None
        decided = [kind for kind in KINDS if states[kind] in ("excluded", "skipped")]
        marks = Marks(
            dispositions={kind: states[kind] for kind in decided},  # type: ignore[misc]
            reasons={kind: state.of(kind).reason for kind in decided if state and state.of(kind).reason},
            flag=review.flag,
            comments=state.comments if state else (),
            shown=review.shown if review.shown in ("assisted", "blind") else "",  # type: ignore[arg-type]
            off_plan=review.off_plan,
            adjudicated=review.origin == "adjudicated",
        )
        entities, statements = (units.get((review.sample_id, review.annotator, kind)) for kind in KINDS)
        record = GoldRecord(review.annotator, entities, statements, effort.get(number), marks)
        said = StoredReview(number, review.origin, review.shown, states, record)
        found.setdefault(review.sample_id, []).append(said)
    return found


def _effort(session: Session, ids: Sequence[int]) -> dict[int, Effort]:
    """What some reviews cost; only those that were measured."""
    query = (
        select(
            ReviewEventRow.review_id,
            func.sum(ReviewEventRow.seconds),
            func.sum(ReviewEventRow.presses),
        )
        .join(ReviewRow, col(ReviewRow.id) == ReviewEventRow.review_id)
        .where(col(ReviewRow.sample_id).in_(ids), col(ReviewEventRow.seconds).is_not(None))
        .group_by(col(ReviewEventRow.review_id))
    )
    return {
        number: Effort(round(float(seconds or 0), 3), int(presses or 0))
        for number, seconds, presses in session.exec(query)
    }


def _external(session: Session, ids: Sequence[int]) -> dict[int, dict[str, str]]:
    found: dict[int, dict[str, str]] = {}
    rows = session.exec(
        select(ExternalScoreRow.sample_id, ExternalScoreRow.column, ExternalScoreRow.digits)
        .where(col(ExternalScoreRow.sample_id).in_(ids))
        .order_by(col(ExternalScoreRow.column))
    )
    for number, column, digits in rows:
        found.setdefault(number, {})[column] = digits
    return found


def _automatic(session: Session, ids: Sequence[int], scale: Scale) -> dict[int, dict[str, Score]]:
    found: dict[int, dict[str, Score]] = {}
    row = ScoreRow
    query = sqlalchemy.select(
        col(row.sample_id), col(row.scorer), col(row.found), col(row.missing), col(row.unsure), col(row.value)
    ).where(
        col(row.sample_id).in_(ids),
        col(row.run_id) == scale.run_id,
        col(row.matcher) == scale.matcher,
        col(row.threshold) == scale.threshold,
    )
    for sample_id, scorer, hits, missing, unsure, value in session.execute(query):
        score = Score(scorer, Tally(hits, missing, unsure), value)
        found.setdefault(sample_id, {})[scorer] = score
    return found


def folded(store: Store, leaving: Sequence[Leaving]) -> dict[int, ReviewState]:
    """The reviews that people made, as their journals say; imported ones have no more than their gold."""
    with store.reading() as session:
        return {
            said.review_id: fold(events_of(session, said.review_id))
            for one in leaving
            for said in one.reviews
            if said.shown != "import"
        }


def annotators(store: Store, dataset_id: int, *, holdout: bool = True) -> dict[str, int]:
    """Everyone who reviewed, with the number of reviews; without `holdout` those of samples kept back are
    not counted.
    """
    query = select(ReviewRow.annotator, func.count()).where(ReviewRow.dataset_id == dataset_id)
    if not holdout:
        query = query.join(SampleRow, col(SampleRow.id) == ReviewRow.sample_id)
        query = query.where(col(SampleRow.holdout).is_(False))
    with store.reading() as session:
        rows = session.exec(query.group_by(col(ReviewRow.annotator)))
        return {name: int(number) for name, number in rows}


def marked_by(store: Store, dataset_id: int) -> set[str]:
    """The people whose marks in another tool are proposals of a dataset."""
    model = col(ProposalRow.document)["model"].as_string()
    query = (
        sqlalchemy.select(model)
        .join(RunRow, col(RunRow.id) == col(ProposalRow.run_id))
        .where(col(RunRow.dataset_id) == dataset_id, col(RunRow.model) == ANNOTATORS)
        .distinct()
    )
    with store.reading() as session:
        found = [str(row[0]) for row in session.execute(query)]
    return {name.removeprefix(BY) for name in found if name.startswith(BY)}


def salt_of(store: Store, dataset_id: int, *, make: bool = True) -> bytes:
    """The secret under which the names of a dataset's annotators leave; made once, kept in the database.
    Empty where no name ever left, if it is not to be made.

    So every export of one database gives a person the same pseudonym, and nobody who has only the export can
    try names.
    """
    with store.reading() as session:
        salt = session.get_one(Dataset, dataset_id).salt
    if salt is None and make:
        with store.writing() as session:
            dataset = session.get_one(Dataset, dataset_id)
            salt = dataset.salt = dataset.salt or secrets.token_hex(32)
    return bytes.fromhex(salt or "")
