"""What leaves with an export, what a manifest says of it, and the list of finished exports."""

from __future__ import annotations

import json
import secrets
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

import sqlalchemy
from sqlalchemy import Text, func, type_coerce
from sqlmodel import Session, col, select

from workbench.model import BY, KINDS, Effort, GoldRecord, Kind, Marks, Proposal, Sample, Score, Tally, Unit
from workbench.reviewing.documents import proposal_of, unit_of
from workbench.reviewing.fold import ReviewState, fold
from workbench.store.engine import Store
from workbench.store.importing import ANNOTATORS
from workbench.store.journal import events_of
from workbench.store.samples import pieces
from workbench.store.tables import (
    CalibrationRow,
    CallRow,
    Dataset,
    ExportRow,
    ExternalScoreRow,
    GoldUnitRow,
    HoldoutOpeningRow,
    PlanRow,
    PolicyRow,
    ProposalRow,
    PurgedRow,
    ReviewEventRow,
    ReviewRow,
    RunRow,
    SampleRow,
    ScoreRow,
)


class Held(NamedTuple):
    """An export that held a sample. `certain`: else it may have, for a format leaves out what does not fit
    it."""

    path: str
    manifest_sha256: str
    certain: bool


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


def held_by(store: Store, dataset_id: int, keys: Collection[str]) -> list[Held]:
    """The exports that hold one of some samples, also of those purged before; oldest first."""
    wanted = set(keys)
    return [
        Held(row.path, row.manifest_sha256, row.whole)
        for row in list_exports(store, dataset_id)
        if not wanted.isdisjoint(row.held)
    ]


Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Facts:
    """A dataset's rows as documents, people by their own names. `policy` and `calibration`: those in use.

    `answered`: the models that answered each run, as the service named them; `usage` the tokens.
    """

    dataset: Document
    policy: Document
    runs: tuple[Document, ...]
    answered: dict[str, list[str]]
    usage: dict[str, dict[str, int]]
    plan: Document | None
    openings: tuple[Document, ...]
    calibration: Document | None
    holdout: int
    purged: int


def stamp(at: datetime) -> str:
    """A stored time as text: ISO 8601 in UTC."""
    aware = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return aware.isoformat().replace("+00:00", "Z")


def facts_of(store: Store, dataset_id: int) -> Facts:
    """Everything but samples and reviews."""
    with store.reading() as session:
        dataset = session.get_one(Dataset, dataset_id)
        runs = session.exec(
            select(RunRow).where(RunRow.dataset_id == dataset_id).order_by(col(RunRow.id))
        ).all()
        names = {run.id: run.name for run in runs}
        policy = session.exec(
            select(PolicyRow).where(
                PolicyRow.dataset_id == dataset_id, PolicyRow.version == dataset.policy_version
            )
        ).one()
        saved = session.get(CalibrationRow, dataset.calibration_id) if dataset.calibration_id else None
        answered, usage = _answered(session, names)
        return Facts(
            dataset={
                "name": dataset.name,
                "created_at": stamp(dataset.created_at),
                "seed": dataset.seed,
                "blind_share": dataset.blind_share,
                "threshold": dataset.threshold,
                "show_auto": dataset.show_auto,
            },
            policy={"version": policy.version, "document": policy.document},
            runs=tuple(
                {
                    "name": run.name,
                    "proposer": run.proposer,
                    "model": run.model,
                    "parameters": run.parameters,
                }
                for run in runs
            ),
            answered=answered,
            usage=usage,
            plan=_plan(session, dataset_id),
            openings=tuple(_openings(session, dataset_id)),
            calibration=None
            if saved is None
            else {"name": saved.name, "document": saved.document},
            holdout=_count(session, select(func.count()).where(
                SampleRow.dataset_id == dataset_id, col(SampleRow.holdout)
            )),
            purged=_count(session, select(func.count()).where(PurgedRow.dataset_id == dataset_id)),
        )  # fmt: skip


_VERIFIED = (col(ReviewRow.entity) == "verified") | (col(ReviewRow.statement) == "verified")


def verified_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples that are verified in some kind."""
    return _ids(store, select(ReviewRow.sample_id).where(ReviewRow.dataset_id == dataset_id, _VERIFIED))


def several_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples that several people verified."""
    reviews = select(ReviewRow.sample_id).where(ReviewRow.dataset_id == dataset_id, _VERIFIED)
    return _ids(store, reviews.group_by(col(ReviewRow.sample_id)).having(func.count() > 1))


def excluded_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples that somebody excluded."""
    excluded = (col(ReviewRow.entity) == "excluded") | (col(ReviewRow.statement) == "excluded")
    return _ids(store, select(ReviewRow.sample_id).where(ReviewRow.dataset_id == dataset_id, excluded))


def auto_shown_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples verified by somebody who was shown the automatic value before deciding."""
    query = (
        select(ReviewRow.sample_id)
        .join(ReviewEventRow, col(ReviewEventRow.review_id) == ReviewRow.id)
        .where(
            ReviewRow.dataset_id == dataset_id,
            _VERIFIED,
            ReviewEventRow.op == "open",
            col(ReviewEventRow.data)["auto_shown"].as_boolean(),
        )
    )
    return _ids(store, query)


def _ids(store: Store, query: Any) -> set[int]:
    """The numbers that a query gives; the library's own rows would take 12 MB more for 100,000."""
    with store.reading() as session:
        cursor = session.connection().execute(query).cursor
        return {number for (number,) in iter(cursor.fetchone, None)}


def _count(session: Session, query: Any) -> int:
    return int(session.exec(query).one())


def _answered(
    session: Session, names: dict[int | None, str]
) -> tuple[dict[str, list[str]], dict[str, dict[str, int]]]:
    models: dict[str, list[str]] = {}
    usage: dict[str, dict[str, int]] = {}
    ids = [number for number in names if number is not None]
    pairs = select(CallRow.run_id, CallRow.model).where(col(CallRow.run_id).in_(ids), CallRow.model != "")
    for run_id, model in session.exec(pairs.distinct().order_by(col(CallRow.model))):
        models.setdefault(names[run_id], []).append(model)
    spent = select(CallRow.run_id, CallRow.usage).where(col(CallRow.run_id).in_(ids))
    for run_id, tokens in session.exec(spent.execution_options(yield_per=500)):
        total = usage.setdefault(names[run_id], {})
        for kind, number in (tokens or {}).items():
            if isinstance(number, int):
                total[kind] = total.get(kind, 0) + number
    return models, usage


def _plan(session: Session, dataset_id: int) -> Document | None:
    row = session.exec(select(PlanRow).where(PlanRow.dataset_id == dataset_id)).first()
    if row is None:
        return None
    return {"design": row.design, "planned_n": row.planned_n, "parameters": row.parameters}


def _openings(session: Session, dataset_id: int) -> list[Document]:
    rows = session.exec(
        select(HoldoutOpeningRow)
        .where(HoldoutOpeningRow.dataset_id == dataset_id)
        .order_by(col(HoldoutOpeningRow.id))
    )
    return [{"purpose": row.purpose, "annotator": row.annotator, "at": stamp(row.at)} for row in rows]


CHUNK = 500


@dataclass(frozen=True, slots=True)
class Said:
    """One annotator's review of one sample: what stands in the database of it."""

    review_id: int
    annotator: str
    origin: str
    shown: str
    off_plan: bool
    states: dict[Kind, str]
    flag: str
    units: dict[Kind, tuple[Unit, ...]] = field(default_factory=dict)
    reasons: dict[Kind, str] = field(default_factory=dict)
    comments: tuple[str, ...] = ()
    effort: Effort | None = None


@dataclass(frozen=True, slots=True)
class Leaving:
    """A stored sample as an export reads it, with the proposal of one run for this text."""

    sample_id: int
    sample: Sample
    reference_hash: str
    content_hash: str
    u: float
    blind: bool
    holdout: bool
    rank: float
    size: float
    stratum: str
    proposal_id: int | None
    proposal: Proposal | None
    reviews: tuple[Said, ...]
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
            yield _chunk(session, dataset_id, run_id, ids, scale)


def _chunk(
    session: Session, dataset_id: int, run_id: int | None, ids: Sequence[int], scale: Scale | None
) -> list[Leaving]:
    share = session.get_one(Dataset, dataset_id).blind_share
    row = SampleRow
    query = (
        select(  # type: ignore[call-overload,misc]
            row.id, row.key, row.user_input, row.reference, row.retrieved_contexts, row.response,
            row.group_key, row.meta, row.alternatives, row.reference_hash, row.content_hash,
            row.u, row.blind_u, row.holdout, row.size, row.stratum, row.rank,
            ProposalRow.id, ProposalRow.document,
        )
        .join(
            ProposalRow,
            (col(ProposalRow.sample_id) == SampleRow.id)
            & (ProposalRow.run_id == run_id)
            & (col(ProposalRow.content_hash) == SampleRow.content_hash),
            isouter=True,
        )
        .where(col(row.id).in_(ids))
        .order_by(col(row.id))
    )  # fmt: skip
    said = _said(session, ids)
    external = _external(session, ids)
    automatic = _automatic(session, ids, scale) if scale else {}
    return [
        Leaving(
            sample_id=one[0],
            sample=Sample(
                one[1], one[2], one[3], tuple(one[4]), one[5], one[6], one[7] or {}, tuple(one[8] or ())
            ),
            reference_hash=one[9],
            content_hash=one[10],
            u=one[11],
            blind=one[13] or one[12] < share,
            holdout=one[13],
            rank=one[16],
            size=one[14],
            stratum=one[15],
            proposal_id=one[17],
            proposal=proposal_of(one[18]) if one[18] is not None else None,
            reviews=tuple(said.get(one[0], ())),
            external=external.get(one[0], {}),
            automatic=automatic.get(one[0], {}),
        )
        for one in session.exec(query)
    ]


def _said(session: Session, ids: Sequence[int]) -> dict[int, list[Said]]:
    row = ReviewRow
    rows = session.exec(
        select(  # type: ignore[call-overload]
            row.id, row.sample_id, row.annotator, row.origin, row.shown, row.off_plan, row.entity,
            row.statement, row.flag,
        )
        .where(col(row.sample_id).in_(ids))
        .order_by(col(row.id))
    ).all()  # fmt: skip
    if not rows:
        return {}
    units = _units(session, ids)
    effort = _effort(session, ids)
    noted = set(
        session.exec(
            select(ReviewEventRow.review_id).where(
                col(ReviewEventRow.review_id).in_([one[0] for one in rows]),
                col(ReviewEventRow.op).in_(("comment", "excluded", "skipped", "todo")),
            )
        )
    )
    found: dict[int, list[Said]] = {}
    for number, sample_id, annotator, origin, shown, off_plan, entity, statement, flag in rows:
        states: dict[Kind, str] = {"entity": entity, "statement": statement}
        reasons: dict[Kind, str] = {}
        comments: tuple[str, ...] = ()
        if number in noted:
            state = fold(events_of(session, number))
            reasons = {kind: state.of(kind).reason for kind in KINDS if state.of(kind).reason}
            comments = state.comments
        found.setdefault(sample_id, []).append(
            Said(
                review_id=number,
                annotator=annotator,
                origin=origin,
                shown=shown,
                off_plan=off_plan,
                states=states,
                flag=flag,
                units={kind: units.get((number, kind), ()) for kind in KINDS if states[kind] == "verified"},
                reasons=reasons,
                comments=comments,
                effort=effort.get(number),
            )
        )
    return found


def _units(session: Session, ids: Sequence[int]) -> dict[tuple[int, str], tuple[Unit, ...]]:
    """The verified units of some samples, by review and kind.

    The documents of a review are read as one JSON list: one by one each unit takes 1 µs more.
    """
    query = (
        sqlalchemy.select(
            col(GoldUnitRow.review_id),
            col(GoldUnitRow.kind),
            type_coerce(GoldUnitRow.document, Text()),
        )
        .where(col(GoldUnitRow.sample_id).in_(ids))
        .order_by(col(GoldUnitRow.review_id), col(GoldUnitRow.position))
    )
    texts: dict[tuple[int, str], list[str]] = {}
    cursor = session.connection().execute(query).cursor  # the library's rows take twice the time
    for review_id, kind, text in cursor.fetchall():
        texts.setdefault((review_id, kind), []).append(text)
    return {
        key: tuple([unit_of(one, key[1]) for one in json.loads(f"[{','.join(many)}]")])
        for key, many in texts.items()
    }


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


def queue_places(store: Store, dataset_id: int) -> Callable[[int], int]:
    """Tells the place of a sample in the queue, from 1; 0 for those kept back, which have none.

    Four bytes for each number between the first and the last: a dictionary of 100,000 takes 12 MB.
    """
    query = (
        sqlalchemy.select(col(SampleRow.id))
        .where(col(SampleRow.dataset_id) == dataset_id, col(SampleRow.holdout).is_(False))
        .order_by(col(SampleRow.rank), col(SampleRow.id))
    )
    order = store.numbers(query)
    first, last = (min(order), max(order)) if order else (0, -1)
    places = array("i", bytes(4 * (last - first + 1)))
    for place, number in enumerate(order, 1):
        places[number - first] = place
    return lambda number: places[number - first] if first <= number <= last else 0


def record_of(said: Said, name: str) -> GoldRecord | None:
    """What one annotator said as a native gold record; None for a review that decided and noted nothing."""
    decided = {kind: state for kind, state in said.states.items() if state in ("excluded", "skipped")}
    marks = Marks(
        dispositions=decided,  # type: ignore[arg-type]
        reasons={kind: reason for kind, reason in said.reasons.items() if kind in decided},
        flag=said.flag,
        comments=said.comments,
        shown=said.shown if said.shown in ("assisted", "blind") else "",  # type: ignore[arg-type]
        off_plan=said.off_plan,
        adjudicated=said.origin == "adjudicated",
    )
    if not (said.units or decided or said.flag or said.comments):
        return None
    return GoldRecord(name, said.units.get("entity"), said.units.get("statement"), said.effort, marks)


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


def has_salt(store: Store, dataset_id: int) -> bool:
    """Whether names of this dataset ever left as pseudonyms."""
    with store.reading() as session:
        return session.get_one(Dataset, dataset_id).salt is not None


def salt_of(store: Store, dataset_id: int) -> bytes:
    """The secret under which the names of a dataset's annotators leave; made once, kept in the database.

    So every export of one database gives a person the same pseudonym, and nobody who has only the export can
    try names.
    """
    with store.reading() as session:
        salt = session.get_one(Dataset, dataset_id).salt
    if salt is None:
        with store.writing() as session:
            dataset = session.get_one(Dataset, dataset_id)
            salt = dataset.salt = dataset.salt or secrets.token_hex(32)
    return bytes.fromhex(salt)
