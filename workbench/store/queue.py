"""Queries of the queue: the samples of a view, rows of a page, progress, values and what to filter by."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import cache
from statistics import median
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, bindparam, case, exists, func, or_, select

from workbench.model import RESOLVED, Assessment, Disposition, Imported, Kind, Tally, Unit, named_language
from workbench.reviewing.fold import Verified, resolve
from workbench.scoring.names import DEFAULT_SCORER, INSTEAD
from workbench.store.assignments import DECIDES, Held, Team, of_others, places
from workbench.store.datasets import DatasetInfo, count_samples
from workbench.store.engine import Store
from workbench.store.gold import Gold, counted_labels, load_excluded, load_some, reviewed, verified_by
from workbench.store.queue_conditions import UNDECIDED, Picked, Reviews, condition, counted_now
from workbench.store.samples import counted_in
from workbench.store.scores import scored_at
from workbench.store.tables import (
    COUNTED,
    DECIDED,
    EVENT,
    EXTERNAL,
    PROPOSAL,
    QUESTION,
    REVIEW,
    SAMPLE,
    SCORE,
    TWIN,
    UNIT,
    ReviewRow,
    among,
    is_blind,
    proposed_by,
    rank_of,
    samples_of,
    table_of,
)
from workbench.text.query import META, Order, Query
from workbench.text.safe import BEGINNING


def view_ids(
    store: Store,
    info: DatasetInfo,
    annotator: str,
    query: Query,
    order: Order,
    picked: Picked,
    column: str = "",
) -> array[int]:
    """The samples of a view: in `file` order, the most doubtful first, or else in random order.

    Eight bytes a sample. Blind samples and those that were never counted come last among the doubtful.
    `column` of the file stands for the automatic value, "" for none.
    """
    terms = (condition(term, info, annotator, picked, column) for term in query.terms)
    chosen = samples_of(info.id, *terms)
    if order == "doubt":
        of_sample = COUNTED.sample_id == SAMPLE.id, *counted_in(info.run_id)
        doubt = func.coalesce(select(COUNTED.doubt).where(*of_sample).scalar_subquery(), -1.0)
        seen = case((~is_blind(info.blind_share), doubt), else_=-1.0)
        return store.numbers(chosen.order_by(seen.desc(), SAMPLE.rank))
    return store.numbers(chosen.order_by(SAMPLE.id if order == "file" else SAMPLE.rank))


def ids_around(store: Store, dataset_id: int, at: int | None, before: int, after: int) -> array[int]:
    """The samples around one in queue order, itself included, however many the dataset has."""
    chosen = samples_of(dataset_id)
    if at is None:
        return store.numbers(chosen.order_by(SAMPLE.rank).limit(before + after))
    rank = rank_of(at)
    back = store.numbers(chosen.where(SAMPLE.rank < rank).order_by(SAMPLE.rank.desc()).limit(before))
    back.reverse()
    return back + store.numbers(chosen.where(SAMPLE.rank >= rank).order_by(SAMPLE.rank).limit(after))


def next_sample(store: Store, info: DatasetInfo, annotator: str, after: int | None = None) -> int | None:
    """The next sample to decide in queue order after a sample, from the start again once; None when done.

    Those that were verified under an older policy come when nothing else is left.
    """
    given = {"dataset": info.id, "annotator": annotator, "after": after or 0}
    parts = (False,) if after is None else (True, False)
    with store.snapshot():
        for stale in (False, True):
            for behind in parts:
                query = _next(info.kinds, info.same_policies, stale=stale, behind=behind)
                if (number := store.value(query, **given)) is not None:
                    return int(number)
    return None


def next_stale(store: Store, info: DatasetInfo, annotator: str) -> int | None:
    """The first sample that a person verified under an older policy."""
    query = _next(info.kinds, info.same_policies, stale=True, behind=False)
    return store.value(query, dataset=info.id, annotator=annotator, after=0)


@cache
def _next(kinds: tuple[Kind, ...], policies: tuple[int, ...], *, stale: bool, behind: bool) -> Select[Any]:
    """The first sample in queue order but `after`, or behind that, which is undecided or stale."""
    dataset: ColumnElement[int] = bindparam("dataset")
    after: ColumnElement[int] = bindparam("after")
    reviews = Reviews(bindparam("annotator"), kinds, policies, None)
    own = REVIEW.dataset_id == dataset, reviews.is_own(REVIEW), reviews.is_stale(REVIEW)
    wanted = SAMPLE.id.in_(select(REVIEW.sample_id).where(*own)) if stale else reviews.stands(*UNDECIDED)
    where = SAMPLE.rank > rank_of(after) if behind else SAMPLE.id != after
    return samples_of(dataset, wanted, where).order_by(SAMPLE.rank).limit(1)


def reviewed_before(store: Store, info: DatasetInfo) -> tuple[str, ...]:
    """The ids of samples that were verified under an older policy that says something else."""
    stale = REVIEW.dataset_id == info.id, Reviews.of(info, "").is_stale(REVIEW)
    reviewed = SAMPLE.id.in_(select(REVIEW.sample_id).where(*stale))
    return tuple(store.column(select(SAMPLE.key).where(reviewed).order_by(SAMPLE.id)))


def to_decide(store: Store, info: DatasetInfo, annotator: str, ids: Sequence[int]) -> set[int]:
    """Those of some samples that are undecided or were verified under an older policy."""
    reviews = Reviews.of(info, annotator)
    wanted = or_(reviews.stands(*UNDECIDED), reviews.own(reviews.is_stale))
    return store.ids(SAMPLE.id, among(SAMPLE.id, ids), wanted)


def count_undoubted(store: Store, info: DatasetInfo, _annotator: str) -> int:
    """How many samples have no doubt to be ordered by, for lack of a proposal or of counting."""
    return count_samples(store, info.id) - store.count(COUNTED.doubt, *counted_in(info.run_id))


@dataclass(frozen=True, slots=True)
class Progress:
    """How many samples of a dataset stand where.

    Beside these, `blank` samples have a blank reference: nothing is to be decided there.

    `verified` counts samples that anybody verified, so it is the same for all; `mine` are those of the
    annotator. Of the others the annotator may have begun a review too: `standing` leaves these out, and adds
    up with excluded, skipped, started and todo to `total`. Where both kinds are reviewed, `verified` counts
    samples verified in both, and `kinds` those of each. `stale`:
    verified by the annotator under an older policy than today's. With assignments `team` says how far they
    are, `today` how many samples the annotator decided since midnight, `others` how many other people hold,
    and `own` how many of the annotator's are done of how many, None while they come one by one.
    """

    total: int
    verified: int
    excluded: int
    skipped: int
    started: int
    flagged: int
    stale: int = 0
    kinds: Mapping[Kind, int] = field(default_factory=dict)
    team: Team | None = None
    today: int = 0
    others: int = 0
    own: tuple[int, int] | None = None
    mine: int = 0
    standing: int = 0
    blank: int = 0


@dataclass(frozen=True, slots=True)
class Pace:
    """What a decided sample took this annotator: medians of active seconds and presses over `samples`.

    `today`: how many samples were decided since midnight. `hurried`: how many took less than a second and are
    left out.
    """

    seconds: float
    presses: float
    samples: int
    today: int = 0
    hurried: int = 0

    @property
    def foretells(self) -> bool:
        """Whether there are enough for the time of the next ones to rest on."""
        return self.samples >= 5


LEAST = Fraction(1, 2000)
"""Half of the third digit: a number of a file that differs by less is the verified value, rounded."""


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the queue. `decided`: its values may be shown. `beginning`: of the reference.

    `scorer` is the column of the file where it has one: then `automatic` is a number of that column. With
    assignments `places` are how many people decided it of how many who are to, `held` the places of others,
    and `own` whether the annotator's own part is done, None for who has none. `differs`: people differ in it,
    and `settles` whether the annotator may settle that. `excluded`: somebody decided that it does not count.
    """

    sample_id: int
    key: str
    question: str
    beginning: str
    blind: bool
    disposition: Disposition
    decided: bool
    flag: str
    stale: bool
    off_plan: bool
    gold: Gold | None
    automatic: Tally | Imported | None
    rematch: bool
    scorer: str
    places: tuple[int, int] = (0, 0)
    held: tuple[Held, ...] = ()
    own: bool | None = None
    differs: bool = False
    settles: bool = False
    excluded: bool = False

    @property
    def verified(self) -> Tally | None:
        """What is verified; None while it is hidden or unresolved, and where it does not count."""
        return self.gold.tally if self.gold and self.decided and not self.excluded else None

    @property
    def delta(self) -> Fraction | None:
        """Automatic − verified."""
        return Values(self.automatic, self.verified).delta

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everybody who verified it."""
        names = self.gold.annotators if self.gold else ()
        return tuple("settled" if name == RESOLVED else name for name in names)


def progress(store: Store, info: DatasetInfo, annotator: str) -> Progress:
    """Where the samples of a dataset stand for one annotator.

    Reviews are counted, not samples: a million samples cost one count more.
    """
    reviews = Reviews.of(info, annotator)
    own = REVIEW.dataset_id == info.id, reviews.is_own(REVIEW)
    state, begun = reviews.disposition(REVIEW).label("state"), reviews.begun(REVIEW)
    marked = select(_number(REVIEW.flag != ""), _number(reviews.is_stale(REVIEW))).where(*own)

    def verified(*kinds: Kind) -> ColumnElement[bool]:
        return and_(REVIEW.dataset_id == info.id, reviews._replace(kinds=kinds).verified(REVIEW))

    number, mine = REVIEW.sample_id.distinct(), select(REVIEW.sample_id).where(*own, begun)
    stands = or_(reviews.is_own(REVIEW), REVIEW.sample_id.not_in(mine))
    with store.snapshot():
        counts = Counter(dict(store.rows(select(state, func.count()).where(*own, begun).group_by(state))))
        ((flagged, stale),) = store.rows(marked)
        blank = store.count(SAMPLE.id, SAMPLE.dataset_id == info.id, reviews.blank())
        return Progress(
            total=count_samples(store, info.id) - blank,
            verified=store.count(number, verified(*info.kinds)),
            excluded=counts["excluded"],
            skipped=counts["skipped"],
            started=counts["started"],
            flagged=flagged,
            stale=stale,
            kinds={kind: store.count(number, verified(kind)) for kind in info.kinds if len(info.kinds) > 1},
            mine=counts["verified"],
            standing=store.count(number, verified(*info.kinds), stands),
            blank=blank,
        )


def _number(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.count(case((condition, 1)))


def pace(store: Store, info: DatasetInfo, annotator: str, midnight: datetime | None = None) -> Pace | None:
    """What a sample that this annotator decided took; None as long as nothing was measured.

    Reviews of less than a second are no measure. Today begins at `midnight`.
    """
    decided = Reviews.of(info, annotator).disposition(REVIEW).in_(DECIDED)
    last = func.max(case((DECIDES, EVENT.at)))
    query = (
        select(func.sum(EVENT.seconds), func.sum(func.coalesce(EVENT.presses, 0)), last)
        .where(
            EVENT.dataset_id == info.id,
            EVENT.annotator == annotator,
            REVIEW.annotator == annotator,
            EVENT.seconds.is_not(None),
            REVIEW.id == EVENT.review_id,
            decided,
        )
        .group_by(REVIEW.id)
    )
    spent = store.rows(query)
    if not spent:
        return None
    today = sum(midnight is not None and at is not None and at >= midnight for *_, at in spent)
    slow = [row for row in spent if row[0] >= 1]
    seconds, presses = (median(float(row[column]) for row in slow or spent) for column in (0, 1))
    return Pace(seconds, presses, len(slow), today, len(spent) - len(slow) if slow else 0)


def page(
    store: Store, info: DatasetInfo, annotator: str, ids: Sequence[int], column: str = ""
) -> list[QueueRow]:
    """The rows of one page, in the order of `ids`; samples that are gone are left out.

    The automatic value is a number of a `column` of the file where one is given, else the tally of the
    scorer that is called automatic.
    """
    kind = info.kinds[0]
    reviews = Reviews.of(info, annotator)
    own = and_(REVIEW.sample_id == SAMPLE.id, reviews.is_own(REVIEW))
    query = (
        select(
            SAMPLE.id,
            SAMPLE.key,
            QUESTION.label("question"),
            func.substr(SAMPLE.reference, 1, BEGINNING).label("beginning"),
            is_blind(info.blind_share).label("blind"),
            SAMPLE.reference_hash,
            reviews.state().label("state"),
            reviews.decided().label("decided"),
            reviews.is_stale(REVIEW).label("stale"),
            reviews.some(lambda review: review[kind] == "excluded").label("excluded"),
            REVIEW.flag,
            REVIEW.off_plan,
        )
        .outerjoin(table_of(ReviewRow), own)
        .where(among(SAMPLE.id, ids))
    )
    with store.snapshot():
        rows = {row.id: row for row in store.rows(query)}
        gold = load_some(store, ids, kind)
        differ = (n for n, each in gold.items() if each.assessment is None or rows[n].excluded)
        hidden = undecided_of(store, reviews, differ)
        automatic = _automatic(store, info, column, ids)
        held = defaultdict(list, places(store, ids) if info.overlap else {})
        verified = select(SAMPLE.reference_hash).where(
            SAMPLE.reference_hash.in_({row.reference_hash for row in rows.values()}),
            SAMPLE.dataset_id + 0 == info.id,  # else SQLite reads the whole dataset
            REVIEW.sample_id == SAMPLE.id,
            REVIEW[kind] == "verified",
        )
        twins = set(store.column(verified))
    own_places = {
        number: place.done
        for number in ids
        for place in held[number]
        if place and place.annotator == annotator
    }
    return [
        QueueRow(
            sample_id=number,
            key=row.key,
            question=row.question,
            beginning=row.beginning,
            blind=bool(row.blind),
            # what others verified leaves an own part to do
            disposition="todo" if row.state == "verified" and own_places.get(number) is False else row.state,
            decided=bool(row.decided) and number not in hidden,
            flag=row.flag or "",
            stale=bool(row.stale),
            off_plan=bool(row.off_plan) and row.state != "todo",
            gold=gold.get(number),
            automatic=automatic.get(number),
            rematch=row.state == "todo" and not row.blind and row.reference_hash in twins,
            scorer=column or DEFAULT_SCORER[kind],
            places=(sum(place is not None and place.done for place in held[number]), len(held[number])),
            held=of_others(held[number], annotator),
            own=own_places.get(number),
            excluded=bool(row.excluded),
        )
        for number in ids
        if (row := rows.get(number)) is not None
    ]


def _automatic(
    store: Store, info: DatasetInfo, column: str, ids: Iterable[int]
) -> Mapping[int, Tally | Imported]:
    """The automatic values of some samples: the numbers of a column, as exact as a file writes them, or what
    the first scorer counted, or what stands for it where it could not.
    """
    if column:
        numbers = select(EXTERNAL.sample_id, EXTERNAL.value).where(
            among(EXTERNAL.sample_id, ids), EXTERNAL.column == column
        )
        with store.reading():  # a value that cannot be read is the database's
            return {number: Imported(Fraction(repr(value))) for number, value in store.rows(numbers)}
    first = DEFAULT_SCORER[info.kinds[0]]
    scores = (
        select(SCORE.sample_id, SCORE.found, SCORE.missing, SCORE.unsure)
        .where(
            among(SCORE.sample_id, ids),
            scored_at(info.run_id, info.threshold),
            counted_now(info, SCORE.sample_id),
            SCORE.scorer.in_((first, INSTEAD.get(first, first))),
        )
        .order_by(SCORE.scorer == first)  # the later row stands
    )
    return {number: Tally(*counts) for number, *counts in store.rows(scores)}


def sibling_gold(
    store: Store, sample_id: int, kind: Kind, annotator: str
) -> tuple[tuple[Unit, ...], tuple[str, ...]] | None:
    """Verified units of the same reference, with the contexts they were judged against.

    The annotator's own come first, then the gold of this sample's file, then that of the newest sibling.
    Left out are unresolved gold, excluded samples, and everybody who reviewed this very sample: two people
    must not see each other's verdicts before both have decided.
    """
    with store.snapshot():
        family = list(store.numbers(_family(kind), sample=sample_id))
        if not family:
            return None
        verified = verified_by(store, [sample_id, *family], kind)
        rivals = {
            each.annotator
            for each in verified.get(sample_id, ())
            if each.origin == "reviewed" and each.annotator != annotator
        }
        counted = counted_labels(store, sample_id)
        known = {n: [review for review in verified[n] if review.annotator not in rivals] for n in family}
        own = ((n, review) for n, each in known.items() for review in each if review.annotator == annotator)
        others = ((n, gold) for n, each in known.items() if each and (gold := resolve(each, counted)))
        chosen: tuple[int, Verified] | None = next(own, None) or next(others, None)
        if chosen is None:
            return None
        number, gold = chosen
        (contexts,) = store.column(select(SAMPLE.retrieved_contexts).where(SAMPLE.id == number))
        return gold.assessment.units, tuple(contexts)


@cache
def _family(kind: Kind) -> Select[Any]:
    """The samples of the same reference that somebody verified and nobody excluded, the newest first."""
    sample: ColumnElement[int] = bindparam("sample")
    related = (
        TWIN.id == sample,
        SAMPLE.dataset_id + 0 == TWIN.dataset_id,  # as above
        SAMPLE.reference_hash == TWIN.reference_hash,
        exists().where(REVIEW.sample_id == SAMPLE.id, REVIEW[kind] == "verified"),
        ~exists().where(REVIEW.sample_id == SAMPLE.id, REVIEW[kind] == "excluded"),
    )
    return select(SAMPLE.id).where(*related).order_by((SAMPLE.id == sample).desc(), SAMPLE.id.desc())


class Values(NamedTuple):
    """The values of a sample. `unresolved`: verified, but people differ, so that there is no gold."""

    automatic: Tally | Imported | None
    verified: Tally | None
    unresolved: bool = False

    @property
    def delta(self) -> Fraction | None:
        """Automatic − verified; None while one of them is not there or undefined."""
        automatic, verified = self.automatic, self.verified
        if automatic is None or verified is None or automatic.recall is None or verified.recall is None:
            return None
        delta = automatic.recall - verified.recall
        return Fraction(0) if isinstance(automatic, Imported) and abs(delta) < LEAST else delta


def stored_values(store: Store, info: DatasetInfo, annotator: str, column: str) -> dict[int, Values]:
    """The values of the samples that this annotator decided, or whose gold came with a file.

    The automatic one is that of a `column` of the file where there is one. It is None where none was counted,
    the verified one for an excluded or unresolved sample.
    """
    reviews = Reviews.of(info, annotator)
    with store.snapshot():
        numbers = store.numbers(samples_of(info.id, reviews.decided()))
        automatic = _automatic(store, info, column, numbers)
        verified = reviewed(store, info.id, info.kinds[0], holdout=True)
        out = load_excluded(store, info.id, info.kinds[0])
        differ = (n for n, gold in verified.items() if gold.tally is None or n in out)
        hidden = undecided_of(store, reviews, differ)
    samples = ((n, None if n in out else verified.get(n)) for n in numbers if n not in hidden)
    return {
        number: Values(automatic.get(number), gold and gold.tally, gold is not None and gold.tally is None)
        for number, gold in samples
    }


def undecided_of(store: Store, reviews: Reviews, differ: Iterable[int]) -> set[int]:
    """Those of some samples that people `differ` in, or one excluded, which this annotator has not decided.

    Nothing shows of them, not even where the gold of one came with a file.
    """
    numbers = set(differ)
    return numbers and numbers - store.ids(SAMPLE.id, among(SAMPLE.id, numbers), reviews.decided_own())


def shown_ids(store: Store, info: DatasetInfo, annotator: str, kind: Kind) -> set[int]:
    """The samples whose values of one kind may be shown to this annotator.

    As `Reviews.decided` and `undecided_of` say.
    """
    reviews = Reviews.of(info, annotator)._replace(kinds=(kind,))
    shown = store.ids(SAMPLE.id, SAMPLE.dataset_id == info.id, reviews.decided())
    verified = select(REVIEW.sample_id).where(REVIEW.dataset_id == info.id, REVIEW[kind] == "verified")
    several = store.numbers(verified.group_by(REVIEW.sample_id).having(func.count() > 1))
    gold = load_some(store, shown.intersection(several), kind)
    return shown - undecided_of(store, reviews, (n for n, each in gold.items() if each.assessment is None))


def given(store: Store, info: DatasetInfo, annotator: str, sample_id: int, kind: Kind) -> Assessment | None:
    """What stands of a kind that this annotator has not decided, by a file or settled, if it may be shown."""
    others = store.numbers(_others(kind), sample=sample_id, annotator=annotator)
    gold = load_some(store, [sample_id], kind).get(sample_id) if others else None
    reviews = Reviews.of(info, annotator)._replace(kinds=(kind,))
    if gold is None or store.has(REVIEW.id, REVIEW.sample_id == sample_id, REVIEW[kind] == "excluded"):
        return None
    return gold.assessment if store.ids(SAMPLE.id, SAMPLE.id == sample_id, reviews.decided()) else None


@cache
def _others(kind: Kind) -> Select[Any]:
    """The reviews of a sample in which others than the annotator verified a kind."""
    others = REVIEW.sample_id == bindparam("sample"), REVIEW.annotator != bindparam("annotator")
    return select(REVIEW.id).where(*others, REVIEW[kind] == "verified")


def uncounted_ids(store: Store, info: DatasetInfo, annotator: str) -> list[int]:
    """The decided samples that the current run speaks of and that have no score at the match threshold.

    One from before an alias was taught or taken back is none.
    """
    at = scored_at(info.run_id, info.threshold)
    scored = and_(exists().where(SCORE.sample_id == SAMPLE.id, at), counted_now(info, SAMPLE.id))
    decided = Reviews.of(info, annotator).decided()
    return list(store.numbers(samples_of(info.id, proposed_by(info.run_id), decided, ~scored)))


def fast_ids(store: Store, info: DatasetInfo, annotator: str, of: Kind | None = None) -> list[int]:
    """The samples of which the accept that stands came under a second after the sample was painted.

    Of one kind, or of any.
    """
    data = EVENT.data
    details = data["fast"].as_boolean(), data["assessment"]["kind"].as_string(), data["action"].as_string()
    query = select(REVIEW.sample_id, EVENT.action, EVENT.op, *details).where(
        EVENT.dataset_id == info.id,
        EVENT.annotator == annotator,
        EVENT.op.in_(("accept", "undo", "redo")),
        REVIEW.id == EVENT.review_id,
    )
    rows = store.rows(query.order_by(EVENT.review_id, EVENT.seq))
    stands = {target: op == "redo" for _, _, op, _, _, target in rows if op != "accept"}
    standing = {
        (sample_id, kind): fast
        for sample_id, action, op, fast, kind, _ in rows
        if op == "accept" and of in (None, kind) and stands.get(action, True)
    }
    return sorted({sample_id for (sample_id, _), fast in standing.items() if fast})


def survey(
    store: Store, info: DatasetInfo, annotator: str, most: int
) -> tuple[bool, dict[str, Counter[Any]]]:
    """What the first `most` samples in random order have, about 30 µs each; whether these are all.

    By field the values with how many samples have them. `label` counts sets of labels: those of the verified
    units that the annotator may see, else of the proposed ones that count.
    """
    columns = SAMPLE.id, SAMPLE.meta, SAMPLE.group_key, is_blind(info.blind_share)
    query = select(*columns).where(SAMPLE.dataset_id == info.id)
    with store.snapshot():
        rows = store.rows(query.order_by(SAMPLE.rank).limit(most + 1))
        whole, rows = len(rows) <= most, rows[:most]
        labels = _labels(store, info, annotator, [row[0] for row in rows])
    counts: dict[str, Counter[Any]] = defaultdict(Counter, label=labels, blind=Counter())
    for _, meta, group, blind in rows:
        counts["blind"].update([True] if blind else ())
        counts["group"].update([group] if group else ())
        for key, value in (meta or {}).items():
            if isinstance(value, str | int | float) and value != "":
                counts[META + key][str(value).lower() if isinstance(value, bool) else str(value)] += 1
        language = named_language(meta or {}) or info.policy.language.split("-")[0].lower()
        counts["lang"].update([language] if language else ())
    return whole, dict(counts)


def annotators(store: Store, info: DatasetInfo) -> list[tuple[str, int]]:
    """Everybody who reviewed, with how many samples, the busiest first."""
    number = func.count()
    query = select(REVIEW.annotator, number).where(
        REVIEW.dataset_id == info.id, REVIEW.annotator != RESOLVED, Reviews.of(info, "").begun(REVIEW)
    )
    ordered = query.group_by(REVIEW.annotator).order_by(number.desc(), REVIEW.annotator)
    return [(name, samples) for name, samples in store.rows(ordered)]


def _labels(store: Store, info: DatasetInfo, annotator: str, ids: Sequence[int]) -> Counter[frozenset[str]]:
    """The labels of each sample: of what is verified and may be seen, else of what is proposed and counts."""
    counted = {*(info.policy.counted_labels or info.policy.label_names())}
    given_or_own = or_(REVIEW.annotator == annotator, REVIEW.origin != "reviewed")
    seen = among(REVIEW.sample_id, ids), REVIEW.entity == "verified", given_or_own
    units = select(UNIT.sample_id, UNIT.label).where(
        REVIEW.id == UNIT.review_id, UNIT.kind == "entity", *seen
    )
    labels: dict[int, set[str]] = {
        number: set() for number in store.numbers(select(REVIEW.sample_id).where(*seen))
    }
    for number, label in store.rows(units):
        labels[number].add(label)
    undecided = [number for number in ids if number not in labels]
    proposals = select(SAMPLE.id, PROPOSAL.document["reference_entities"]).where(
        among(SAMPLE.id, undecided), proposed_by(info.run_id), ~is_blind(info.blind_share)
    )
    known: dict[str, str] = {}
    for number, entities in store.rows(proposals):
        words = {str(entity.get("label", "")) for entity in entities or () if isinstance(entity, dict)}
        known |= {word: info.policy.label_of(word)[0] for word in words - known.keys()}
        labels[number] = {known[word] for word in words} & counted
    return Counter(frozenset(names) for names in labels.values())
