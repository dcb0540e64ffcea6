"""Assignments: who reviews which sample. One row is one place at one sample; no count is ever stored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Table,
    and_,
    case,
    exists,
    extract,
    false,
    func,
    insert,
    literal,
    not_,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from workbench.model import RESOLVED, Kind
from workbench.reviewing.edits import IMPORT_ACTION
from workbench.store.datasets import DatasetInfo, dataset_info, set_dataset
from workbench.store.engine import Store
from workbench.store.tables import (
    BLANK_RANK,
    DATASET,
    DECIDED,
    EVENT,
    METADATA,
    PLACE,
    POLICY,
    REVIEW,
    SAMPLE,
    AssignmentRow,
    Review,
    among,
    is_blind,
    rank_of,
)

DAY = 24 * 60 * 60
MOST_TRIES = 10
"""Windows of one person that may ask for a sample at the same moment."""

_ASSIGNMENT: Table = METADATA.tables["assignment"]
_OTHER = _ASSIGNMENT.alias("other").c
_NOW: Any = extract("epoch", func.now())
"""Seconds by the clock of the database: those of its users differ."""

_OPEN = not_(PLACE.done)
_SAME_REVIEW = and_(REVIEW.sample_id == PLACE.sample_id, REVIEW.annotator == PLACE.annotator)
_OF_PEOPLE = REVIEW.origin == "reviewed", REVIEW.annotator != RESOLVED
_FREE = and_(_OPEN, or_(PLACE.annotator.is_(None), PLACE.until < _NOW))


class Rules(NamedTuple):
    """What an act has to know of the assignments of a dataset, read together with what it changes."""

    id: int
    lease: int
    kinds: Sequence[Kind]

    @classmethod
    def of(cls, overlap: int, *rules: Any) -> Rules | None:
        """The rules from `ASSIGNED`; None for a dataset without assignments."""
        return cls(*rules) if overlap else None


ASSIGNED = DATASET.overlap, DATASET.id, DATASET.lease, POLICY.document["kinds"]
"""The columns that `Rules.of` takes, of a dataset and its policy `in_force`."""


def held(store: Store, dataset_id: int, annotator: str) -> int | None:
    """The sample that a person is to decide first: given by name, or claimed and not decided yet."""
    own = PLACE.dataset_id == dataset_id, PLACE.annotator == annotator, _OPEN
    return store.value(select(PLACE.sample_id).where(*own).order_by(PLACE.rank).limit(1))


class Held(NamedTuple):
    """A place that somebody has at a sample: decided, or held until then (None: given by name)."""

    annotator: str
    done: bool
    until: float | None
    extra: bool


def places(store: Store, ids: Sequence[int]) -> dict[int, list[Held | None]]:
    """The places of some samples, None for one that is free."""
    columns = PLACE.annotator, PLACE.done, PLACE.until, PLACE.extra
    slots: dict[int, list[Held | None]] = defaultdict(list)
    query = select(PLACE.sample_id, _FREE, *columns).where(among(PLACE.sample_id, ids))
    for number, free, *held in store.rows(query.order_by(PLACE.slot)):
        slots[number].append(None if free else Held(*held))
    return slots


def of_others(held: Sequence[Held | None], annotator: str) -> tuple[Held, ...]:
    """The places that others hold at a sample where a person has none."""
    people = [slot for slot in held if slot is not None]
    if any(slot.annotator == annotator for slot in people):
        return ()
    return tuple(slot for slot in people if not slot.done)


def held_by_others(store: Store, dataset_id: int, annotator: str) -> int:
    """How many samples others are to decide at which a person has no place, as `of_others` says."""
    mine = _OTHER.sample_id == PLACE.sample_id, _OTHER.annotator == annotator
    held = PLACE.annotator != annotator, _OPEN, or_(PLACE.until.is_(None), PLACE.until >= _NOW)
    return store.count(PLACE.sample_id.distinct(), PLACE.dataset_id == dataset_id, *held, _without(*mine))


def waiting(store: Store, ids: Sequence[int]) -> set[int]:
    """Those of some samples that somebody has still to decide."""
    return store.ids(PLACE.sample_id, among(PLACE.sample_id, ids), _OPEN)


def open_places(store: Store, ids: Sequence[int]) -> int:
    """How many reviews some samples still need."""
    return store.count(PLACE.id, among(PLACE.sample_id, ids), _OPEN)


def claim(store: Store, rules: Rules | DatasetInfo, annotator: str) -> int | None:
    """Hold a sample for a person: one of their own that is not decided, else the next free one.

    Nobody gets a sample twice. One statement picks and takes it: writers of SQLite wait for each other, and a
    server passes over what another one is taking.
    """
    own = PLACE.dataset_id == rules.id, PLACE.annotator == annotator, _OPEN
    free = select(PLACE.id).where(*_free_for(rules.id, annotator))
    given = and_(PLACE.annotator == annotator, PLACE.until.is_(None))
    first = _first(select(PLACE.id).where(*own).order_by(PLACE.rank))
    take = (
        update(_ASSIGNMENT)
        .where(PLACE.id == func.coalesce(first, _first(free.order_by(PLACE.rank, PLACE.slot))))
        .values(annotator=annotator, until=case((given, None), else_=_lease(rules)))
        .returning(PLACE.sample_id)
    )
    number: int | None = None
    with store.writing() as session:
        for tries in range(MOST_TRIES):
            try:
                with session.begin_nested():  # what was decided in this change stays
                    number = session.scalar(take)
                break
            except IntegrityError:  # another window of the same person took one of this sample
                if tries + 1 == MOST_TRIES:
                    raise
    return number


def free_for(store: Store, dataset_id: int, annotator: str) -> int | None:
    """The free sample that a person would hold next; nothing is held."""
    free = select(PLACE.sample_id).where(*_free_for(dataset_id, annotator))
    return store.value(free.order_by(PLACE.rank, PLACE.slot).limit(1))


def _free_for(dataset_id: int, annotator: str) -> tuple[ColumnElement[bool], ...]:
    mine = _OTHER.sample_id == PLACE.sample_id, _OTHER.annotator == annotator
    begun = or_(REVIEW.entity != "todo", REVIEW.statement != "todo")
    reviewed = REVIEW.sample_id == PLACE.sample_id, REVIEW.annotator == annotator, begun
    return PLACE.dataset_id == dataset_id, _FREE, _without(*mine), _without(*reviewed)


def _without(*where: ColumnElement[bool]) -> ColumnElement[bool]:
    """That there is no such row, looked up for each place in turn.

    Of an EXISTS a server makes a join with all that the person ever did, which grows with every decision; of
    IS NULL it expects so few places that it reads and sorts all open ones.
    """
    row = select(true()).where(*where).limit(1).scalar_subquery()
    return not_(func.coalesce(row, false(), type_=Boolean()))


def _first(wanted: Any) -> Any:
    """The first of some places, past those that others are taking at this moment."""
    return wanted.limit(1).with_for_update(of=_ASSIGNMENT, skip_locked=True).scalar_subquery()


def _lease(rules: Rules | DatasetInfo) -> Any:
    return _NOW + 60 * rules.lease


def follow(store: Store, rules: Rules, reviews: Sequence[Review], *, moved: bool) -> None:
    """Bring places in line with reviews that were written to: decided, free after a skip, else kept longer.

    Who decided or skipped, so that it `moved` one review, holds the next sample in the same change.
    """
    with store.writing() as session:
        over = False
        for row in reviews:
            states = {getattr(row, kind) for kind in rules.kinds}
            own = PLACE.sample_id == row.sample_id, PLACE.annotator == row.annotator
            settled = states <= {*DECIDED, "skipped"}
            if settled and "skipped" in states:
                # also a place that was given by name, or decided before: others may take it
                store.delete(_ASSIGNMENT, *own, PLACE.extra)
                store.update(_ASSIGNMENT, *own, annotator=None, until=None, done=False)
            else:
                # what was given by name needs no lease
                leased = or_(PLACE.done, PLACE.until.is_not(None))
                until = None if settled else case((leased, _lease(rules)))
                change = update(_ASSIGNMENT).where(*own).values(done=settled, until=until)
                extra = session.scalar(change.returning(PLACE.extra))
                if extra is None:
                    _join(store, session, rules, row, done=settled)
                elif extra and not settled:
                    store.delete(_ASSIGNMENT, *own)
            over = over or settled
        if over and moved and len(reviews) == 1:
            claim(store, rules, reviews[0].annotator)


def _join(store: Store, session: Session, rules: Rules, row: Review, *, done: bool) -> None:
    """A place for somebody who has none at a sample: a free one, else for a decision one more.

    Work is never refused: a decision that came after its lease had run out is kept and reported.
    """
    here = PLACE.sample_id == row.sample_id
    until = None if done else _lease(rules)
    free = _first(select(PLACE.id).where(here, _FREE).order_by(PLACE.slot))
    take = update(_ASSIGNMENT).where(PLACE.id == free).returning(PLACE.id)
    if session.scalar(take.values(annotator=row.annotator, done=done, until=until)) or not done:
        return
    store.hold(SAMPLE.id, row.sample_id)  # for others who add one
    last, rank = session.execute(select(func.max(PLACE.slot), func.max(PLACE.rank)).where(here)).one()
    if last is not None:  # else the sample needs nobody: its gold came with a file
        session.add(
            AssignmentRow(
                dataset_id=row.dataset_id, sample_id=row.sample_id, slot=last + 1, rank=rank,
                annotator=row.annotator, done=True, extra=True,
            )
        )  # fmt: skip
        session.flush()


def assign(store: Store, info: DatasetInfo, overlap: int, share: float, lease: int) -> None:
    """Give every sample its places: `overlap` for the share, and for blind and holdout samples, else one.

    0 takes all places away; reviews stay.
    """
    with store.writing():
        set_dataset(store, info.id, overlap=overlap, overlap_share=share, lease=lease)
        if overlap:
            fill(store, info.id)
        else:
            store.delete(_ASSIGNMENT, PLACE.dataset_id == info.id)


def fill(store: Store, dataset_id: int) -> None:
    """Bring the places in line with samples, plan and reviews; nothing without assignments.

    New samples get places, what was decided before takes one, and free places that are too many go.
    """
    with store.writing() as session:
        info = dataset_info(store, dataset_id)
        if not info.overlap:
            return
        own = PLACE.dataset_id == dataset_id
        rank = rank_of(PLACE.sample_id)
        store.update(_ASSIGNMENT, own, PLACE.rank != rank, rank=rank)
        decided = _decided(info)
        settled = exists().where(_SAME_REVIEW, decided)
        store.delete(_ASSIGNMENT, own, PLACE.extra, not_(settled))
        store.update(_ASSIGNMENT, own, PLACE.done, not_(settled), done=False, until=_NOW)
        needed = exists().where(SAMPLE.id == PLACE.sample_id, _wanted(info, PLACE.slot))
        store.update(_ASSIGNMENT, own, PLACE.extra, needed, extra=False)
        _take_reviewed(store, info, decided)
        for slot in range(1, info.overlap + 1):
            columns = ["dataset_id", "sample_id", "slot", "rank"]
            rows = _lacking(info, decided, slot, SAMPLE.dataset_id, SAMPLE.id, literal(slot), SAMPLE.rank)
            session.execute(insert(_ASSIGNMENT).from_select(columns, rows))
        many = exists().where(
            SAMPLE.id == PLACE.sample_id, or_(not_(_wanted(info, PLACE.slot)), _given(decided))
        )
        store.delete(_ASSIGNMENT, own, _FREE, many)


def rules(info: DatasetInfo) -> Iterator[tuple[Any, str]]:
    """Queries for places of a dataset that its samples and reviews contradict, and what to say of each."""
    own, decided = PLACE.dataset_id == info.id, _decided(info)
    undecided = own, PLACE.done, not_(exists().where(_SAME_REVIEW, decided))
    places, reviews = select(PLACE.id).order_by(PLACE.id), select(REVIEW.id).order_by(REVIEW.id)
    yield places.where(*undecided), "assignment {}: it is done, and its person has not decided the sample"
    if not info.overlap:
        return
    needed = exists().where(PLACE.sample_id == REVIEW.sample_id)
    done = exists().where(_SAME_REVIEW, PLACE.done)
    placeless = reviews.where(REVIEW.dataset_id == info.id, decided, *_OF_PEOPLE, needed, not_(done))
    yield placeless, "review {}: it is decided, and its person has no place that is done"
    late = places.where(own, _OPEN, PLACE.until > _lease(info) + DAY)
    yield late, "assignment {}: it is held for more than a day longer than the lease"
    for slot in range(1, info.overlap + 1):
        lacking = _lacking(info, decided, slot, SAMPLE.key, literal(slot)).order_by(SAMPLE.id)
        yield lacking, "sample {}: its place {} of the assignments is not there"


def _decided(info: DatasetInfo) -> ColumnElement[bool]:
    """Whether a review is decided in every kind that the policy reviews."""
    return and_(*(REVIEW[kind].in_(DECIDED) for kind in info.kinds))


def _lacking(info: DatasetInfo, decided: Any, slot: int, *columns: Any) -> Any:
    """Columns of the samples that need the place of a number and do not have it.

    Samples whose gold came with a file or was adjudicated need nobody.
    """
    there = exists().where(PLACE.sample_id == SAMPLE.id, PLACE.slot == slot)
    needs = SAMPLE.dataset_id == info.id, _wanted(info, literal(slot))
    return select(*columns).where(*needs, not_(there), not_(_given(decided)))


def _given(decided: Any) -> ColumnElement[bool]:
    """Whether a sample's gold came with a file or was adjudicated."""
    return exists().where(REVIEW.sample_id == SAMPLE.id, decided, REVIEW.origin != "reviewed")


def _wanted(info: DatasetInfo, slot: Any) -> ColumnElement[bool]:
    """Whether a sample has the place of that number. The blind ones are the first of the share.

    A blank reference needs nobody. Of training samples people who were trained know the answer.
    """
    of_share = is_blind(max(info.overlap_share, info.blind_share))
    unseen = true() if info.training is None else SAMPLE.id.not_in(info.training["samples"])
    return and_(SAMPLE.rank < BLANK_RANK, or_(slot == 1, and_(of_share, unseen, slot <= info.overlap)))


def _take_reviewed(store: Store, info: DatasetInfo, decided: ColumnElement[bool]) -> None:
    """Places for what people decided without one: free ones, else new ones."""
    own = REVIEW.dataset_id == info.id, decided, *_OF_PEOPLE, not_(exists().where(_SAME_REVIEW))
    reviews = store.rows(select(REVIEW.sample_id, REVIEW.annotator).where(*own).order_by(REVIEW.id))
    if not reviews:
        return
    numbers = {row.sample_id for row in reviews}
    free: dict[int, list[int]] = defaultdict(list)
    query = select(PLACE.id, PLACE.sample_id).where(among(PLACE.sample_id, numbers), _FREE)
    for number, sample_id in store.rows(query.order_by(PLACE.slot.desc())):
        free[sample_id].append(number)
    slots = select(PLACE.sample_id, func.max(PLACE.slot)).where(among(PLACE.sample_id, numbers))
    last = Counter(dict(store.rows(slots.group_by(PLACE.sample_id))))
    ranks = dict(store.rows(select(SAMPLE.id, SAMPLE.rank).where(among(SAMPLE.id, numbers))))
    added = []
    for row in reviews:
        values = {"annotator": row.annotator, "done": True, "until": None}
        if free[row.sample_id]:
            store.update(_ASSIGNMENT, PLACE.id == free[row.sample_id].pop(), **values)
            continue
        last[row.sample_id] += 1
        added.append({
            **values, "dataset_id": info.id, "sample_id": row.sample_id, "slot": last[row.sample_id],
            "rank": ranks[row.sample_id],
        })  # fmt: skip
    store.insert(AssignmentRow, added)


def give(store: Store, info: DatasetInfo, name: str, ids: Sequence[int]) -> int:
    """Give a person a place at each of some samples that has a free one; returns how many they have."""
    own = PLACE.dataset_id == info.id, PLACE.annotator == name, _OPEN, among(PLACE.sample_id, ids)
    mine = exists().where(_OTHER.sample_id == PLACE.sample_id, _OTHER.annotator == name)
    with store.writing():
        first = select(func.min(PLACE.id)).where(among(PLACE.sample_id, ids), _FREE, not_(mine))
        numbers = first.group_by(PLACE.sample_id).scalar_subquery()
        store.update(_ASSIGNMENT, PLACE.id.in_(numbers), _FREE, annotator=name, until=None)
        store.update(_ASSIGNMENT, *own, until=None)
        return store.count(PLACE.id, *own)


def release(store: Store, name: str, dataset_id: int | None = None) -> int:
    """Free every place of a person that is not decided, of one dataset or of all; returns how many."""
    where = true() if dataset_id is None else PLACE.dataset_id == dataset_id
    return store.update(_ASSIGNMENT, where, PLACE.annotator == name, _OPEN, annotator=None, until=None)


@dataclass(frozen=True, slots=True)
class Worker:
    """What a person has done and holds. `given`: by name, not decided; `expired`: held for too long."""

    name: str
    done: int = 0
    held: int = 0
    given: int = 0
    expired: int = 0
    late: int = 0

    @property
    def part(self) -> tuple[int, int] | None:
        """How many are done of how many; None without any, and while each next one is claimed."""
        done = self.done + self.late
        every = done + self.held + self.given
        return (done, every) if every and (self.given or not self.held) else None


@dataclass(frozen=True, slots=True)
class Team:
    """How far the assignments of a dataset are: samples complete of all that need somebody, and people.

    `blind`: the share that is reviewed without suggestions; all of these need as many people, also where they
    are more than `share`. `late` of a person: decided after somebody else had taken the place.
    `others` do or did something too, and are not listed.
    """

    overlap: int
    share: float
    blind: float
    lease: int
    samples: int
    complete: int
    several: int
    people: tuple[Worker, ...]
    others: int = 0


def team(store: Store, info: DatasetInfo) -> Team | None:
    """Where the assignments stand; None without."""
    if not info.overlap:
        return None
    own = PLACE.dataset_id == info.id
    ended = PLACE.until < _NOW
    state = case(
        (PLACE.extra, "late"), (PLACE.done, "done"), (PLACE.until.is_(None), "given"), (ended, "expired"),
        else_="held",
    ).label("state")  # fmt: skip
    each = select(
        PLACE.sample_id, func.count().label("places"), func.count(case((_OPEN, 1))).label("open")
    ).where(own, not_(PLACE.extra)).group_by(PLACE.sample_id).subquery()  # fmt: skip
    counts = select(
        func.count(), func.count(case((each.c.open == 0, 1))), func.count(case((each.c.places > 1, 1)))
    )
    with store.snapshot():
        ((samples, complete, several),) = store.rows(counts.select_from(each))
        people: dict[str, dict[str, int]] = defaultdict(dict)
        grouped = select(PLACE.annotator, state, func.count()).where(own, PLACE.annotator.is_not(None))
        for name, what, number in store.rows(grouped.group_by(PLACE.annotator, state)):
            people[name][what] = number
    workers = tuple(Worker(name, **by_state) for name, by_state in sorted(people.items()))
    shares = info.overlap_share, info.blind_share
    return Team(info.overlap, *shares, info.lease, samples, complete, several, workers)


DECIDES = and_(EVENT.op.in_(("accept", "excluded")), EVENT.action.not_like(f"{IMPORT_ACTION}%"))
"""Whether a row of the journal decides on a sample, and came with no file."""


def decided_since(store: Store, info: DatasetInfo, annotator: str, since: datetime) -> int:
    """How many samples a person decided since a moment."""
    own = REVIEW.dataset_id == info.id, REVIEW.annotator == annotator, _decided(info)
    then = EVENT.review_id == REVIEW.id, DECIDES, EVENT.at >= since.astimezone(UTC)
    return store.count(REVIEW.id.distinct(), *own, *then)
