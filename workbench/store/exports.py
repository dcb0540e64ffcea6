"""What leaves with an export, what a manifest says of it, and the list of finished exports."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import func, not_, select

from workbench.model import BY, KINDS, RESOLVED, Effort, GoldRecord, Kind, Marks, Score
from workbench.store.engine import Store
from workbench.store.gold import settled_by, verified_by
from workbench.store.importing import ANNOTATORS
from workbench.store.journal import folded
from workbench.store.samples import CHUNK, Stored, load_samples, pieces
from workbench.store.scores import external_of, load_scores
from workbench.store.tables import (
    CALL,
    DATASET,
    EVENT,
    EXPORT,
    PROPOSAL,
    PURGED,
    REVIEW,
    RUN,
    SAMPLE,
    Dataset,
    ExportLogRow,
    among,
    stands_in,
)

Naming = Callable[[str], str]
"""Gives a name, or what identifies somebody else, the form in which it leaves."""


def pseudonyms(salt: bytes, what: str = "annotator") -> Naming:
    """Names as pseudonyms: the first 12 digits of an HMAC-SHA256 under a salt that never leaves.

    What is a pseudonym of such a kind already, in a dataset that came from an export, stays as it is.
    """

    @lru_cache(maxsize=1_000)
    def name_of(name: str) -> str:
        if name in ("", RESOLVED) or is_pseudonym(name, what):
            return name
        return f"{what}-{hmac.new(salt, f'{what} {name}'.encode(), 'sha256').hexdigest()[:12]}"

    return name_of


def is_pseudonym(name: str, what: str) -> bool:
    """Whether a name is one of those that `pseudonyms` makes."""
    return re.fullmatch(f"{what}-[0-9a-f]{{12}}", name) is not None


def log_export(store: Store, export: ExportLogRow, replaced: str) -> None:
    """Note a finished export.

    `replaced`: the manifest's hash of the export that stood at its place and is gone, and holds nothing from
    now on.
    """
    with store.writing() as session:
        if replaced:
            earlier = EXPORT.path == export.path, EXPORT.manifest_sha256 == replaced
            store.update(ExportLogRow, *earlier, held=[])
        session.add(export)


def list_exports(store: Store, dataset_id: int) -> Sequence[ExportLogRow]:
    """Where exports of a dataset were written, oldest first."""
    query = select(ExportLogRow).where(EXPORT.dataset_id == dataset_id).order_by(EXPORT.id)
    return store.column(query)


def held_by(store: Store, dataset_id: int, keys: Collection[str]) -> list[ExportLogRow]:
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
    calls = select(RUN.name, CALL.model, CALL.usage).where(
        CALL.run_id == RUN.id, RUN.dataset_id == dataset_id
    )
    with store.reading() as session:
        for name, model, tokens in session.execute(
            calls.order_by(CALL.model).execution_options(yield_per=CHUNK)
        ):
            if model and model not in models.setdefault(name, []):
                models[name].append(model)
            total = usage.setdefault(name, {})
            for kind, number in (tokens or {}).items():
                if isinstance(number, int):
                    total[kind] = total.get(kind, 0) + number
        (made,) = store.column(select(DATASET.created_at).where(DATASET.id == dataset_id))
        return Made(stamp(made), models, usage, store.count(PURGED.id, PURGED.dataset_id == dataset_id))


def verified_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples that are verified in some kind."""
    return store.ids(REVIEW.sample_id, REVIEW.dataset_id == dataset_id, stands_in("verified"))


def several_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples that several people verified."""
    reviews = select(REVIEW.sample_id).where(REVIEW.dataset_id == dataset_id, stands_in("verified"))
    return set(store.numbers(reviews.group_by(REVIEW.sample_id).having(func.count() > 1)))


class StoredReview(NamedTuple):
    """One annotator's review of one sample: what stands in the database of it."""

    review_id: int
    origin: str
    shown: str
    states: dict[Kind, str]
    record: GoldRecord

    @property
    def says_something(self) -> bool:
        """Whether the review decided or noted anything."""
        marks = self.record.marks
        return bool(self.record.units or marks.dispositions or marks.flag or marks.comments)


@dataclass(frozen=True, slots=True)
class Leaving(Stored):
    """A stored sample as an export reads it, with the proposal of one run for this text."""

    reviews: tuple[StoredReview, ...]
    external: dict[str, str]
    automatic: dict[str, Score]


def each_leaving(
    store: Store,
    dataset_id: int,
    run_id: int | None,
    wanted: Collection[int] | None = None,
    *,
    scored_at: int | None = None,
) -> Iterator[list[Leaving]]:
    """All samples of a dataset in file order, a chunk at a time; only the `wanted` ones if given.

    With `scored_at`, a match threshold, they carry the automatic values of the run.
    """
    for ids in pieces(store, dataset_id, wanted):
        with store.snapshot():
            reviews, external = _reviews(store, ids), external_of(store, ids)
            scored = run_id is not None and scored_at is not None
            automatic = load_scores(store, run_id, scored_at, ids) if scored else {}  # type: ignore[arg-type]
            loaded = load_samples(store, ids, run_id)
        yield [
            Leaving(
                **{name: getattr(sample, name) for name in Stored.__slots__},
                reviews=tuple(reviews.get(sample.sample_id, ())),
                external=external[sample.sample_id],
                automatic=automatic.get(sample.sample_id, {}),
            )
            for sample in loaded
        ]


def _reviews(store: Store, ids: Sequence[int]) -> dict[int, list[StoredReview]]:
    rows = store.rows(select(*REVIEW).where(among(REVIEW.sample_id, ids)).order_by(REVIEW.id))
    if not rows:
        return {}
    timed = REVIEW.id == EVENT.review_id, among(REVIEW.sample_id, ids), EVENT.seconds.is_not(None)
    spent = select(EVENT.review_id, func.sum(EVENT.seconds), func.sum(EVENT.presses)).where(*timed)
    effort = {
        number: Effort(round(float(seconds or 0), 3), int(presses or 0))
        for number, seconds, presses in store.rows(spent.group_by(EVENT.review_id))
    }
    settled = settled_by(store, among(REVIEW.sample_id, ids), REVIEW.annotator == RESOLVED)
    by = {number: name for (number, _), name in settled.items()}
    units = {
        (sample_id, review.annotator, kind): review.assessment.units
        for kind in KINDS
        for sample_id, each in verified_by(store, ids, kind).items()
        for review in each
    }
    clause = EVENT.op.in_(("comment", "excluded", "skipped", "todo"))
    noted = select(EVENT.review_id).where(among(EVENT.review_id, [row.id for row in rows]), clause).distinct()
    states = folded(store, store.numbers(noted))
    reviews: dict[int, list[StoredReview]] = {}
    for row in rows:
        dispositions: dict[Kind, str] = {kind: getattr(row, kind) for kind in KINDS}
        state = states.get(row.id)
        decided = [kind for kind in KINDS if dispositions[kind] in ("excluded", "skipped")]
        marks = Marks(
            dispositions={kind: dispositions[kind] for kind in decided},  # type: ignore[misc]
            reasons={kind: state.of(kind).reason for kind in decided if state and state.of(kind).reason},
            flag=row.flag,
            comments=state.comments if state else (),
            shown=row.shown if row.shown in ("assisted", "blind") else "",
            off_plan=row.off_plan,
            adjudicated=row.origin == "adjudicated" or row.annotator == RESOLVED,
        )
        entities, statements = (units.get((row.sample_id, row.annotator, kind)) for kind in KINDS)
        cost, settler = effort.get(row.id), by.get(row.id, "")
        record = GoldRecord(row.annotator, entities, statements, cost, marks, settler)
        review = StoredReview(row.id, row.origin, row.shown, dispositions, record)
        reviews.setdefault(row.sample_id, []).append(review)
    return reviews


def annotators(store: Store, dataset_id: int, *, holdout: bool = True) -> dict[str, int]:
    """Everyone who reviewed, with the number of reviews; without `holdout` those of samples kept back are
    not counted.
    """
    query = select(REVIEW.annotator, func.count()).where(REVIEW.dataset_id == dataset_id)
    if not holdout:
        query = query.where(SAMPLE.id == REVIEW.sample_id, not_(SAMPLE.holdout))
    return dict(store.rows(query.group_by(REVIEW.annotator)))


def people_of(store: Store, dataset_id: int) -> set[str]:
    """Who reviewed a dataset, settled a sample of it, or marked one in another tool, which is a proposal."""
    of_dataset = RUN.id == PROPOSAL.run_id, RUN.dataset_id == dataset_id, RUN.model == ANNOTATORS
    models = store.column(select(PROPOSAL.document["model"].as_string()).where(*of_dataset).distinct())
    marked = {name.removeprefix(BY) for name in models if name.startswith(BY)}
    settled = settled_by(store, REVIEW.dataset_id == dataset_id, REVIEW.annotator == RESOLVED)
    return {*annotators(store, dataset_id), *settled.values(), *marked}


def salt_of(store: Store, dataset_id: int, *, make: bool = True) -> bytes:
    """The secret under which the names of a dataset's annotators leave; made once, kept in the database.
    Empty where no name ever left, if it is not to be made.

    So every export of one database gives a person the same pseudonym, and nobody who has only the export can
    try names. One that may only be read and has none gets another with each export.
    """
    salt = store.value(select(DATASET.salt).where(DATASET.id == dataset_id))
    if salt is None and make and store.read_only:
        salt = secrets.token_hex(32)
    elif salt is None and make:
        with store.writing() as session:
            dataset = session.get_one(Dataset, dataset_id, with_for_update=True)
            salt = dataset.salt = dataset.salt or secrets.token_hex(32)
    return bytes.fromhex(salt or "")
