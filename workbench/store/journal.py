"""The journal of reviews: append, undo, redo, load. One act is one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, bindparam, case, exists, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from workbench.errors import ConflictError, NotFoundError
from workbench.model import KINDS, RESOLVED, Assessment, Effort, Kind, Sample
from workbench.reviewing.documents import edit_document, edit_of
from workbench.reviewing.edits import IMPORT_ACTION, SPREAD, Accept, Edit, Named, Open, Put, Redo, Undo, told
from workbench.reviewing.fold import (
    GoldOrigin,
    ReviewState,
    Verified,
    fold,
    followed,
    gold_units,
    newest_effective,
    newest_undone,
)
from workbench.store.assignments import ASSIGNED, Rules, follow
from workbench.store.engine import Store
from workbench.store.gold import check_spans, gold_rows, settled_by
from workbench.store.samples import sample_of
from workbench.store.tables import (
    DATASET,
    DECIDED,
    EVENT,
    METADATA,
    REVIEW,
    SAMPLE,
    UNIT,
    GoldUnitRow,
    Review,
    ReviewEventRow,
    ReviewRow,
    SampleRow,
    among,
    in_force,
    stands_in,
    table_of,
)
from workbench.text.figures import many

_LATER = METADATA.tables["review_event"].alias("later").c


class Act(NamedTuple):
    """What a person does to one sample at once.

    `sample` and `state` are what the person had seen: the text, and the review up to its newest row, `seq`
    -1 for one that does not exist yet: its opening is then written first. `reopening` is written first where
    a review of which nothing was touched was shown anew. `effort` is what the act cost. `by` acts where the
    review is nobody's own, and `over` are the reviews that it settles, as they were seen.
    """

    sample_id: int
    sample: Sample
    state: ReviewState
    edits: Sequence[Edit]
    reopening: Open | None = None
    effort: Effort | None = None
    by: str = ""
    over: tuple[tuple[int, int, bool], ...] = ()


class Moved(NamedTuple):
    """What undo or redo touched: where to go and what to say.

    `unit` is the id of the unit whose place it is, empty when it was about the sample; `edit` the first
    edit of the act, which reached over so many `samples`; `state` what the review of the first is now.
    `undone`: it was taken back, else restored. `spread`: it was made in the whole dataset at once.
    `resolves`: it was about what several people differ in.
    """

    sample_id: int
    undone: bool
    kind: Kind | None
    edit: Edit
    state: ReviewState
    unit: str = ""
    samples: int = 1
    spread: bool = False
    resolves: bool = False

    @property
    def words(self) -> str:
        """What was done, in the words in which it was said when it was made."""
        return told(self.edit) + (f", in {many(self.samples, 'sample')}" if self.spread else "")


class Change(NamedTuple):
    """What is added to the journal of one review: edits with the names of their actions.

    `text` gives the sample as it stands; it is called when units have to be checked against it. `effort` is
    kept with the first row that is an act of the person. `before` is the state up to the review's newest
    row, where it is known: the journal is then not read again. `rules`: those of the places, for an act of a
    person in a dataset with assignments. `by`: who acts, "" for whose review it is.
    """

    row: Review
    text: Callable[[], Sample]
    edits: Sequence[Named]
    effort: Effort | None = None
    before: ReviewState | None = None
    rules: Rules | None = None
    by: str = ""


def load_reviews(store: Store, wanted: Mapping[int, str]) -> dict[int, ReviewState]:
    """The folded reviews of some samples, of one annotator each, in two queries."""
    given = {"samples": [*wanted], "names": [*{*wanted.values()}]}
    with store.snapshot():
        own = {number: id_ for number, name, id_ in store.rows(_REVIEWS, **given) if wanted[number] == name}
        states = folded(store, own.values()) if own else {}
    return {number: states[id_] for number, id_ in own.items()}


_REVIEWS = select(REVIEW.sample_id, REVIEW.annotator, REVIEW.id).where(
    among(REVIEW.sample_id, "samples"), REVIEW.annotator.in_(bindparam("names", expanding=True))
)


def journal_of(store: Store, sample_id: int, annotator: str) -> list[Named]:
    """The journal of one annotator's review of a sample; empty before it begins."""
    query = select(REVIEW.id).where(REVIEW.sample_id == sample_id, REVIEW.annotator == annotator)
    with store.snapshot():
        number = store.value(query)
        return [] if number is None else journals(store, [number])[number]


def folded(
    store: Store, review_ids: Collection[int], until: datetime | None = None
) -> dict[int, ReviewState]:
    """The states of some reviews, as their journals say; with `until` by what was written before."""
    with store.reading():
        return {number: fold(edits) for number, edits in journals(store, review_ids, until).items()}


def verified_at(
    store: Store, dataset_id: int, at: datetime | None
) -> tuple[dict[Kind, dict[int, list[Verified]]], dict[Kind, dict[int, list[str]]]]:
    """What every annotator had verified before a moment, or by now, by sample, and who had excluded it."""
    query = select(REVIEW.id, REVIEW.sample_id, REVIEW.annotator)
    verified: dict[Kind, dict[int, list[Verified]]] = {kind: {} for kind in KINDS}
    excluded: dict[Kind, dict[int, list[str]]] = {kind: {} for kind in KINDS}
    with store.snapshot():
        rows = store.rows(query.where(REVIEW.dataset_id == dataset_id).order_by(REVIEW.sample_id, REVIEW.id))
        states = folded(store, [row[0] for row in rows], at)
        until = [EVENT.at < at] if at else []
        by = settled_by(store, REVIEW.dataset_id == dataset_id, REVIEW.annotator == RESOLVED, *until)
    for number, sample_id, annotator in rows:
        settles = any(states[number].of(kind).adjudicated for kind in KINDS)  # a review does, in all kinds
        for kind in KINDS:
            own = states[number].of(kind)
            if own.disposition == "verified":
                origin: GoldOrigin = "imported" if own.imported else "reviewed"
                origin = "adjudicated" if settles else origin
                verified[kind].setdefault(sample_id, []).append(
                    Verified(annotator, origin, own.assessment, by.get((number, kind), ""))
                )
            elif own.disposition == "excluded":
                excluded[kind].setdefault(sample_id, []).append(annotator)
    return verified, excluded


def texts_at(store: Store, dataset_id: int, at: datetime) -> dict[int, str]:
    """The hashes of the texts that reviewed samples had at a moment, where an import replaced them since."""
    replaced = EVENT.data["replaced"].as_string()
    query = select(REVIEW.sample_id, replaced).where(
        REVIEW.id == EVENT.review_id, EVENT.dataset_id == dataset_id, EVENT.at >= at,
        EVENT.op.in_(("todo", "excluded")), replaced.is_not(None),
    )  # fmt: skip
    return dict(store.rows(query.order_by(EVENT.id.desc())))  # the first since the moment comes last


def journals(
    store: Store, review_ids: Collection[int], until: datetime | None = None
) -> dict[int, list[Named]]:
    """The journals of some reviews, oldest rows first; with `until` what was written before.

    A row that stands before one of these was too, whatever a clock that was wrong says of it.
    """
    entries: dict[int, list[Named]] = {number: [] for number in review_ids}
    query = _ROWS
    if until is not None:
        own = EVENT.id.table.alias().c
        before = own.review_id == EVENT.review_id, own.at < until
        query = _ROWS.where(EVENT.seq <= select(func.max(own.seq)).where(*before).scalar_subquery())
    with store.reading() as session:
        for number, action, op, data in session.execute(query, {"reviews": [*review_ids]}):
            entries[number].append((action, edit_of(op, data)))
    return entries


_ROWS = (
    select(EVENT.review_id, EVENT.action, EVENT.op, EVENT.data)
    .where(among(EVENT.review_id, "reviews"))
    .order_by(EVENT.review_id, EVENT.seq)
)


class Said(NamedTuple):
    """A row of a journal that begins, decides, takes back or restores, with whose review it is.

    `number` grows from row to row; `at` is what the clock of a machine said, which may be wrong.
    """

    edit: Edit
    number: int
    sample_id: int
    annotator: str
    origin: str
    review_id: int
    action: str
    at: datetime
    by: str


def said_of_several(store: Store, dataset_id: int) -> list[Said]:
    """What was decided in each review of the samples that several people reviewed, oldest first."""
    begun = REVIEW.dataset_id == dataset_id, or_(REVIEW.entity != "todo", REVIEW.statement != "todo")
    reviews = select(REVIEW.sample_id).where(*begun).group_by(REVIEW.sample_id)
    review = REVIEW.sample_id, REVIEW.annotator, REVIEW.origin, REVIEW.id
    query = select(EVENT.op, EVENT.data, EVENT.id, *review, EVENT.action, EVENT.at, EVENT.annotator).where(
        REVIEW.sample_id.in_(reviews.having(func.count() > 1)),
        EVENT.review_id == REVIEW.id,
        EVENT.op.in_(("open", "accept", "undo", "redo")),
    )
    with store.reading():
        rows = store.rows(query.order_by(REVIEW.sample_id, EVENT.id))
        return [Said(edit_of(op, data), *said) for op, data, *said in rows]


def record(
    store: Store,
    acts: Sequence[Act],
    annotator: str,
    action: str = "",
    *,
    check: Callable[[], None] | None = None,
) -> list[ReviewState]:
    """Append one act over some samples to their reviews and project what it changed; the new states.

    All or nothing, one undo. What an earlier try stored under the same `action` is not stored again. `check`
    runs in the transaction and raises where the act is not allowed. Raises ConflictError when a journal has
    moved on or a text was replaced, SpanError for a unit that does not quote the reference; nothing is
    written in any of these cases.
    """
    named = action or uuid.uuid4().hex
    try:
        with store.writing():
            if check is not None:
                check()
            return append(store, [_change(store, act, annotator, named) for act in acts])
    except ConflictError:  # on a server also when another process stores the same act at this moment
        if not action or not is_stored(store, action):
            raise
    states = load_reviews(store, {act.sample_id: annotator for act in acts})
    return [states[act.sample_id] for act in acts]


def is_stored(store: Store, action: str) -> bool:
    """Whether an act of that name is in the journal."""
    return store.has(EVENT.id, EVENT.action == action)


_SEEN = (
    select(SAMPLE.dataset_id, SAMPLE.key, SAMPLE.content_hash, *ASSIGNED, *REVIEW)
    .outerjoin(
        table_of(ReviewRow), and_(REVIEW.sample_id == SAMPLE.id, REVIEW.annotator == bindparam("annotator"))
    )
    .where(SAMPLE.id == bindparam("sample"), *in_force(SAMPLE.dataset_id))
)
"""A sample with the rules of its dataset and a person's review of it."""


def _change(store: Store, act: Act, annotator: str, action: str) -> Change:
    # the hash alone says that the text is the one the person saw; one query for all, since a server takes as
    # long to plan as to answer
    rows = store.rows(_SEEN, sample=act.sample_id, annotator=annotator)
    if not rows:
        raise NotFoundError("the sample was removed meanwhile")
    ((dataset_id, name, content_hash, *rest),) = rows
    rules, head = rest[: len(ASSIGNED)], rest[len(ASSIGNED) :]
    row = None if head[0] is None else Review(*head)
    if act.sample.content_hash != content_hash:
        raise ConflictError(f"the text of {name} was replaced; it is shown as it is now")
    if (row.seq if row else -1) != act.state.seq:
        newest = select(EVENT.annotator).where(EVENT.review_id == (row and row.id)).order_by(EVENT.seq.desc())
        who = store.value(newest.limit(1)) if act.by else None
        other = f"by {who} meanwhile" if who not in (None, act.by) else "in another window"
        raise ConflictError(f"{name} was changed {other}; it is shown as it is now")
    if act.over:  # on a server those who change or begin a review of this sample meanwhile wait for this
        for column in (REVIEW.sample_id, SAMPLE.id):
            store.numbers(select(column).where(column == act.sample_id).with_for_update())
    if act.over and reviews_of(store, act.sample_id) != act.over:
        raise ConflictError(f"a review of {name} was changed meanwhile; all are shown as they are now")
    edits = list(act.edits)
    if row is None:
        edits.insert(0, act.state.opened)
        row = new_review(dataset_id, act.sample_id, annotator, act.state.opened, "reviewed")
    elif act.reopening is not None:
        edits.insert(0, act.reopening)
    spent = act.effort and replace(act.effort, seconds=round(act.effort.seconds, 1))
    named = [(action, edit) for edit in edits]
    places = Rules.of(*rules) if annotator != RESOLVED else None
    return Change(row, lambda: act.sample, named, spent, act.state, places, act.by)


def reviews_of(store: Store, sample_id: int) -> tuple[tuple[int, int, bool], ...]:
    """The verified reviews of a sample that are some person's own, each with its newest row.

    And whether it was begun by hand or came with a file, so that it stands for no other sample.
    """
    query = select(REVIEW.id, REVIEW.seq, REVIEW.off_plan, REVIEW.origin).where(
        REVIEW.sample_id == sample_id, stands_in("verified"), REVIEW.origin != "adjudicated"
    )
    rows = store.rows(query.order_by(REVIEW.id))
    return tuple((number, seq, off_plan or origin == "imported") for number, seq, off_plan, origin in rows)


def begun_by(store: Store, ids: Collection[int], annotator: str) -> set[int]:
    """Those of some samples that a person began or skipped, and has not decided."""
    own = among(REVIEW.sample_id, ids), REVIEW.annotator == annotator
    return store.ids(REVIEW.sample_id, *own, stands_in("started", "skipped"))


def has_seen(store: Store, sample_id: int, annotator: str, kinds: Collection[Kind]) -> bool:
    """Whether a person has no more to decide of a sample, or what others have was shown to them before."""
    of_sample = REVIEW.sample_id == sample_id
    decided = REVIEW.annotator == annotator, *(REVIEW[kind].in_(DECIDED) for kind in kinds)
    own = select(EVENT.review_id).where(EVENT.review_id == REVIEW.id, EVENT.annotator == annotator)
    shown = REVIEW.annotator == RESOLVED, REVIEW.id.in_(own)
    return store.has(REVIEW.id, of_sample, or_(and_(*decided), and_(*shown)))


def _step(
    step: type[Undo | Redo],
    newest: Callable[[Iterator[tuple[str, object]]], str | None],
    store: Store,
    dataset_id: int,
    annotator: str,
    action: str = "",
    *,
    settles: bool = True,
) -> Moved | None:
    with store.writing() as session:
        store.hold(DATASET.id, dataset_id)  # the next undo then sees this one
        if tried := store.rows(select(EVENT.op, EVENT.data).where(EVENT.action == action).limit(1)):
            return _mark(store, session, edit_of(*tried[0]), action, annotator, stored=True)
        own = EVENT.dataset_id == dataset_id, EVENT.annotator == annotator
        first = target = newest(_history(session, *own))
        closed: list[int] = []
        while target is not None and (settled := store.value(_SETTLING, action=target)) is not None:
            if settles and not _others_since(session, settled, target, annotator):
                break
            closed.append(settled)
            target = newest(_history(session, *own, EVENT.review_id.not_in(closed)))
        target = target or first  # with nothing before it, it is refused for its own reason
        if target is None:
            return None
        return _mark(store, session, step(target), action or uuid.uuid4().hex, annotator)


undo = partial(_step, Undo, newest_effective)
"""Take back the newest effective act of this annotator in this dataset; None when there is none.

What an earlier try stored under the same `action` is not done again. Passed over, where there is another act,
is what somebody else settled more of since, and for who `settles` nothing any more all that they settled.
Raises ConflictError for the first of these."""

redo = partial(_step, Redo, newest_undone)
"""Restore the act that was undone last; None when a new edit came since. `action` as in `undo`."""


def first_accepts(store: Store, review_ids: Collection[int], kind: Kind) -> dict[int, Assessment]:
    """What was accepted first of a kind, in those of some reviews that were written to since, by review.

    Of the text as it is: not what an import has rewritten.
    """
    query = select(EVENT.review_id, EVENT.data).where(
        among(EVENT.review_id, review_ids), EVENT.op == "accept", REVIEW.id == EVENT.review_id,
        EVENT.data["assessment"]["kind"].as_string() == kind, EVENT.seq < REVIEW.seq,
        EVENT.action.not_like(f"{IMPORT_ACTION}%"), _STANDS,
    )  # fmt: skip
    accepted: dict[int, Assessment] = {}
    with store.reading():
        for number, data in store.rows(query.order_by(EVENT.review_id, EVENT.seq.desc())):
            edit = edit_of("accept", data)
            assert isinstance(edit, Accept)
            accepted[number] = edit.assessment  # the first comes last
    return accepted


def _history(session: Session, *where: ColumnElement[bool]) -> Iterator[tuple[str, object]]:
    """What people did, newest first, a few acts at a time: mostly the first is the one.

    With data only undo and redo: an accept is long.
    """
    with session.execute(_DONE.where(*where), execution_options={"yield_per": 5}) as rows:
        for action, op, data in rows:
            yield action, None if data is None else edit_of(op, data)


_ACTION = EVENT.action == bindparam("action")
_SETTLING = select(REVIEW.id).where(REVIEW.annotator == RESOLVED, REVIEW.id == EVENT.review_id, _ACTION)
"""The review that settles others in which an act is; none for an act on a person's own."""
_STANDS = ~exists().where(
    _LATER.review_id == EVENT.review_id, _LATER.seq > EVENT.seq, _LATER.action.like(f"{IMPORT_ACTION}%")
)
"""Whether no import rewrote the review after an event: what came before quotes another text or gold."""
_DONE = (
    select(EVENT.action, EVENT.op, case((EVENT.op.in_(("undo", "redo")), EVENT.data)))
    .where(EVENT.op != "open", EVENT.action.not_like(f"{IMPORT_ACTION}%"), _STANDS)
    .order_by(EVENT.id.desc())
)
_OF_ACT = (
    select(EVENT.review_id, EVENT.op, EVENT.data, *ASSIGNED)
    .where(_ACTION, EVENT.op != "open", _STANDS, *in_force(EVENT.dataset_id))
    .order_by(EVENT.id)
)


def _mark(store: Store, session: Session, edit: Edit, own: str, by: str, *, stored: bool = False) -> Moved:
    assert isinstance(edit, Undo | Redo)
    touched = store.rows(_OF_ACT, action=edit.action)
    numbers = list(dict.fromkeys(row[0] for row in touched))
    reviews = {row.id: row for row in reviews_where(store, among(REVIEW.id, numbers))}
    rows = [reviews[number] for number in numbers]
    _, op, data, *rules = touched[0]
    resolves = rows[0].annotator == RESOLVED
    if stored:
        states = [*folded(store, numbers).values()]
    else:
        if resolves and (who := _others_since(session, numbers[0], edit.action, by)):
            key = store.value(select(SAMPLE.key).where(SAMPLE.id == rows[0].sample_id))
            raise ConflictError(f"what is settled of {key} was changed by {who} after that: it stays")
        places = Rules.of(*rules)
        changes = [
            Change(
                row, partial(_text_of, store, row), [(own, edit)],
                rules=places if row.annotator != RESOLVED else None, by=by,
            )
            for row in rows
        ]  # fmt: skip
        states = append(store, changes)
    done, kind, unit = edit_of(op, data), None, ""
    match done:
        case Put():
            kind, unit = done.kind, done.units[0].id
        case Accept():
            kind = done.assessment.kind
    undone = isinstance(edit, Undo)
    spread = len(states) > 1 or edit.action.startswith(SPREAD)
    return Moved(rows[0].sample_id, undone, kind, done, states[0], unit, len(states), spread, resolves)


def _others_since(session: Session, review_id: int, action: str, by: str) -> str:
    """Who else settled more after an act of a person: that rests on it. Empty where nobody did."""
    own = EVENT.review_id == review_id
    newest = newest_effective(_history(session, own, EVENT.op != "comment"))
    since = select(func.max(EVENT.seq)).where(own, EVENT.action == action).scalar_subquery()
    after = own, EVENT.action == newest, EVENT.annotator != by, EVENT.seq > since
    return session.scalar(select(EVENT.annotator).where(*after).limit(1)) or ""


def _text_of(store: Store, row: Review) -> Sample:
    (sample,) = store.column(select(SampleRow).where(SAMPLE.id == row.sample_id))
    return sample_of(sample)


def new_review(dataset_id: int, sample_id: int, annotator: str, opening: Open, origin: str) -> Review:
    """The head of a review without a journal yet."""
    return Review(
        None, dataset_id, sample_id, annotator, origin, opening.policy, opening.shown, -1, "todo", "todo", "",
        datetime.now(UTC), bool(opening.off_plan),
    )  # fmt: skip


def reviews_where(store: Store, *where: ColumnElement[bool]) -> list[Review]:
    """The rows of reviews for which all of this holds."""
    return [Review(*row) for row in store.rows(select(*REVIEW).where(*where))]


def append(store: Store, changes: Sequence[Change]) -> list[ReviewState]:
    """Add rows to the journals of some reviews and project what they change.

    Raises SpanError for a unit that does not quote the sample's text, ConflictError when another writer
    added the same row.
    """
    if not changes:
        return []
    now = datetime.now(UTC)
    with store.writing() as session:
        states = [_state_after(store, change) for change in changes]
        try:
            moved_on = [projected(change.row, state) for change, state in zip(changes, states, strict=True)]
            reviews = _stored(session, [row._replace(updated_at=now) for row in moved_on])
            pairs = [*zip(changes, reviews, strict=True)]
            store.insert(ReviewEventRow, [row for pair in pairs for row in _events(*pair)])
        except IntegrityError as error:
            raise ConflictError("this sample was changed in another window meanwhile") from error
        units: list[dict[str, Any]] = []
        for (change, review), state in zip(pairs, states, strict=True):
            if kinds := [kind for kind in KINDS if getattr(change.row, kind) == "verified"]:
                verified = UNIT.review_id == review.id, UNIT.kind.in_(kinds)
                store.delete(METADATA.tables["gold_unit"], *verified)
            for kind in KINDS:
                if state.of(kind).disposition == "verified":
                    counted = gold_units(state.of(kind).assessment.units)
                    units += gold_rows(counted, change.text(), review)
        store.insert(GoldUnitRow, units)
        if rules := next((change.rules for change in changes if change.rules), None):
            moved = any(_dispositions(change.row) != _dispositions(review) for change, review in pairs)
            follow(store, rules, [review for change, review in pairs if change.rules], moved=moved)
    return states


_dispositions = attrgetter(*KINDS)
_MOVED = "origin", "policy_version", "seq", *KINDS, "flag", "updated_at", "off_plan"
_MOVE = update(table_of(ReviewRow)).where(REVIEW.id == bindparam("number"))
_BEGIN = insert(table_of(ReviewRow)).returning(REVIEW.id, sort_by_parameter_order=True)


def _stored(session: Session, reviews: Sequence[Review]) -> list[Review]:
    """Write the rows of some reviews; new ones now have their numbers."""
    there = [review for review in reviews if review.id is not None]
    if there:
        # in one order: two that hold the same reviews on a server wait for each other, and never in a ring
        moved = [
            {"number": row.id, **{name: getattr(row, name) for name in _MOVED}}
            for row in sorted(there, key=lambda row: row.id or 0)
        ]
        session.connection().execute(_MOVE, moved)
    fresh = [dict(zip(Review._fields[1:], row[1:], strict=True)) for row in reviews if row.id is None]
    numbers = iter(session.connection().execute(_BEGIN, fresh).scalars() if fresh else ())
    return [row if row.id is not None else row._replace(id=next(numbers)) for row in reviews]


def _state_after(store: Store, change: Change) -> ReviewState:
    """The state after a change, its units checked against the text."""
    for _, edit in change.edits:
        match edit:
            case Put():
                units = edit.units
            case Accept():
                units = edit.assessment.units
            case Open():
                units = tuple(unit for assessment in edit.assessments for unit in assessment.units)
            case _:
                units = ()
        for unit in units:
            check_spans(unit, change.text())
    state = change.before and followed(change.before, change.edits)
    if state is None:
        assert change.row.id is not None  # a review that is not there yet has no rows to take back
        state = fold([*journals(store, [change.row.id])[change.row.id], *change.edits])
    return state


def projected(row: Review, state: ReviewState) -> Review:
    """The row of a review in a state."""
    accepted = [state.of(kind).imported for kind in KINDS if state.of(kind).disposition == "verified"]
    origin = row.origin
    if accepted and origin != "adjudicated":
        origin = "imported" if all(accepted) else "reviewed"
    if any(state.of(kind).adjudicated for kind in KINDS):
        origin = "adjudicated"
    return row._replace(
        origin=origin, policy_version=state.policy, seq=state.seq, entity=state.entity.disposition,
        statement=state.statement.disposition, flag=state.flag,
        off_plan=bool(state.opened.off_plan),
    )  # fmt: skip


def _events(change: Change, row: Review) -> Iterator[dict[str, Any]]:
    """The rows of a change in the journal; `row` is the review's after it."""
    effort = change.effort
    for number, (action, edit) in enumerate(change.edits, change.row.seq + 1):
        op, data = edit_document(edit)
        spent, effort = (effort, None) if op != "open" else (None, effort)
        yield {
            "review_id": row.id,
            "seq": number,
            "dataset_id": row.dataset_id,
            "annotator": change.by or row.annotator,
            "action": action,
            "op": op,
            "data": data,
            "at": row.updated_at,
            "seconds": spent.seconds if spent else None,
            "presses": spent.presses if spent else None,
        }
