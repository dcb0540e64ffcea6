"""Gold: which verified assessment of each sample stands, and verified units as rows of `gold_unit`.

`Reviewed` is a verified sample as the figures of a dataset need it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, bindparam, case, func, not_, or_, select, true

from workbench.errors import SpanError
from workbench.model import RESOLVED, VERDICTS, Assessment, Kind, Sample, Tally, Unit, count, named_language
from workbench.reviewing.documents import edit_of, unit_document, unit_of
from workbench.reviewing.edits import PUTS, Accept, Put
from workbench.reviewing.fold import Verified, resolve, same_verdicts, undone_actions
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.tables import (
    DECIDED,
    EVENT,
    POLICY,
    QUESTION,
    REVIEW,
    SAMPLE,
    UNIT,
    Review,
    among,
    in_force,
    rank_of,
    samples_of,
    stands_in,
)
from workbench.text.safe import is_hash


@dataclass(frozen=True, slots=True)
class Gold:
    """What is verified of one kind of one sample.

    `assessment` is None while verified reviews differ (*unresolved*).
    """

    annotators: tuple[str, ...]
    origin: str
    assessment: Assessment | None

    @property
    def tally(self) -> Tally | None:
        """The verified tally; None while unresolved."""
        return None if self.assessment is None else count(self.assessment.units)


def load_gold(store: Store, dataset_id: int, kind: Kind) -> dict[int, Gold]:
    """The gold of every sample of a dataset that has a verified review of that kind."""
    return _resolved(store, kind, REVIEW.dataset_id == dataset_id)


def load_some(store: Store, sample_ids: Iterable[int], kind: Kind) -> dict[int, Gold]:
    """The gold of those of some samples that have a verified review of that kind."""
    return _resolved(store, kind, among(REVIEW.sample_id, sample_ids))


def load_excluded(store: Store, dataset_id: int, kind: Kind) -> set[int]:
    """The samples that somebody excluded, for one kind."""
    return store.ids(REVIEW.sample_id, REVIEW.dataset_id == dataset_id, REVIEW[kind] == "excluded")


def several(
    store: Store, info: DatasetInfo, after: int | None = None, ids: Sequence[int] | None = None
) -> array[int]:
    """The samples that several people verified and nobody settled or excluded, in queue order after one.

    From the start again once; of some `ids` where they are given.
    """
    open_ones = []
    for kind in info.kinds:
        own = [REVIEW.dataset_id == info.id, REVIEW[kind].in_(DECIDED)]
        own += [] if ids is None else [among(REVIEW.sample_id, ids)]
        over = or_(REVIEW.origin == "adjudicated", REVIEW[kind] == "excluded")
        query = select(REVIEW.sample_id).where(*own).group_by(REVIEW.sample_id)
        open_ones.append(SAMPLE.id.in_(query.having(func.count() > 1, func.count(case((over, 1))) == 0)))
    chosen = samples_of(info.id, or_(*open_ones))
    return store.numbers(chosen.order_by(case((SAMPLE.rank > rank_of(after), 0), else_=1), SAMPLE.rank))


def reviewed_by_others(store: Store, info: DatasetInfo, annotator: str) -> bool:
    """Whether somebody else began a review in the dataset."""
    return store.has(REVIEW.id, REVIEW.dataset_id == info.id, REVIEW.annotator != annotator)


def unresolved(store: Store, sample_ids: Iterable[int], kinds: Iterable[Kind]) -> dict[int, list[Kind]]:
    """Those of some samples on which people differ so that there is no gold, with the kinds."""
    by_sample: dict[int, list[Kind]] = {}
    ids = list(sample_ids)
    for kind in kinds:
        for number, gold in load_some(store, ids, kind).items():
            if gold.assessment is None:
                by_sample.setdefault(number, []).append(kind)
    return by_sample


def verified_by(store: Store, sample_ids: Iterable[int], kind: Kind) -> dict[int, list[Verified]]:
    """Every annotator's verified assessment of some samples."""
    return _verified(store, kind, among(REVIEW.sample_id, sample_ids))


def verifiers(store: Store, sample_id: int, annotator: str) -> list[str]:
    """Who else verified a sample, or settled it: names, and nothing of what they have."""
    theirs = REVIEW.sample_id == sample_id, REVIEW.annotator != annotator, stands_in("verified")
    return list(store.column(select(REVIEW.annotator).where(*theirs).order_by(REVIEW.id)))


def others_of(store: Store, sample_id: int, annotator: str, kind: Kind) -> tuple[Verified, ...]:
    """What everybody else verified of a sample; nothing as long as somebody is at it."""
    begun = REVIEW.sample_id == sample_id, REVIEW[kind].in_(("started", "skipped"))
    with store.snapshot():
        if store.has(REVIEW.id, *begun, REVIEW.annotator != RESOLVED):
            return ()
        verified = verified_by(store, [sample_id], kind).get(sample_id, [])
    return tuple(review for review in verified if review.annotator != annotator)


class Adjudication(NamedTuple):
    """What stands of a kind on which people differed, and `by` whom it was settled, "" where a file does not
    say. `whose`: somebody who verified the same units and verdicts, "" where nobody did.
    """

    assessment: Assessment
    whose: str
    by: str


def is_adjudicated(store: Store, sample_id: int) -> bool:
    """Whether somebody settled what people differed in."""
    return store.value(_ADJUDICATED, sample=sample_id) is not None


_ADJUDICATED = select(REVIEW.id).where(
    REVIEW.sample_id == bindparam("sample"), REVIEW.origin == "adjudicated"
)


def settled(store: Store, sample_id: int, kind: Kind, verified: Sequence[Verified]) -> Adjudication | None:
    """What is settled among what people `verified` of a sample; None where nothing is."""
    standing = next((review for review in reversed(verified) if review.origin == "adjudicated"), None)
    if standing is None:
        return None
    same = (
        review.annotator
        for review in verified
        if review is not standing and same_verdicts(review.assessment, standing.assessment)
    )
    return Adjudication(standing.assessment, next(same, ""), settler(store, sample_id, kind))


def settler(store: Store, sample_id: int, kind: Kind) -> str:
    """Who settled a kind of a sample; "" where nobody did or a file does not say."""
    by = settled_by(store, REVIEW.sample_id == sample_id, REVIEW.origin == "adjudicated")
    return next((who for (_, settled_kind), who in by.items() if settled_kind == kind), "")


def settled_of(store: Store, dataset_id: int, person: str) -> int:
    """How many samples of a dataset a person settled."""
    by = settled_by(store, REVIEW.dataset_id == dataset_id, REVIEW.annotator == RESOLVED)
    return len({number for (number, _), who in by.items() if who == person})


def settled_by(store: Store, *where: ColumnElement[bool]) -> dict[tuple[int, Kind], str]:
    """Who settled what people differ in, by the number of that review and the kind.

    Of what is accepted, the last person whose act on it stands: who changes it afterwards settles it anew.
    """
    query = (
        select(EVENT.review_id, EVENT.action, EVENT.op, EVENT.data, EVENT.annotator)
        .where(EVENT.review_id == REVIEW.id, EVENT.op.in_(("accept", *PUTS, "undo", "redo")), *where)
        .order_by(EVENT.id)
    )
    with store.reading():
        rows = [
            (number, (action, edit_of(op, data)), who) for number, action, op, data, who in store.rows(query)
        ]
    undone = undone_actions(named for _, named, _ in rows)
    last: dict[tuple[int, Kind], str] = {}
    accepted: set[tuple[int, Kind]] = set()
    for number, (action, edit), who in rows:
        if action in undone:
            continue
        if isinstance(edit, Accept):
            last[number, edit.assessment.kind] = who
            accepted.add((number, edit.assessment.kind))
        elif isinstance(edit, Put):
            last[number, edit.kind] = who
    return {key: who for key, who in last.items() if key in accepted and who != RESOLVED}


def counted_labels(store: Store, sample_id: int) -> tuple[str, ...]:
    """The labels that the policy of a sample's dataset counts; empty means all."""
    labels = select(POLICY.document["counted_labels"])
    with store.reading():
        (counted,) = store.column(labels.where(SAMPLE.id == sample_id, *in_force(SAMPLE.dataset_id)))
        return tuple(counted)


def _resolved(store: Store, kind: Kind, where: ColumnElement[bool]) -> dict[int, Gold]:
    gold = {}
    verified = _verified(store, kind, where)
    several = next((sample_id for sample_id, each in verified.items() if len(each) > 1), None)
    counted = () if several is None else counted_labels(store, several)
    for sample_id, each in verified.items():
        standing = resolve(each, counted)
        origin, assessment = (standing.origin, standing.assessment) if standing else ("unresolved", None)
        gold[sample_id] = Gold(tuple(review.annotator for review in each), origin, assessment)
    return gold


def _verified(store: Store, kind: Kind, where: ColumnElement[bool]) -> dict[int, list[Verified]]:
    reviews = select(REVIEW.id, REVIEW.sample_id, REVIEW.annotator, REVIEW.origin).where(
        REVIEW[kind] == "verified", where
    )
    documents = select(UNIT.review_id, UNIT.document).where(
        REVIEW.id == UNIT.review_id, UNIT.kind == kind, where
    )
    verified: dict[int, list[Verified]] = {}
    units: dict[int, list[Unit]] = {}
    with store.reading():
        rows = store.rows(reviews.order_by(REVIEW.sample_id, REVIEW.id))
        if not rows:
            return {}
        for review_id, document in store.rows(documents.order_by(UNIT.review_id, UNIT.position)):
            units.setdefault(review_id, []).append(unit_of(document, kind))
        for review_id, sample_id, annotator, origin in rows:
            assert origin in ("reviewed", "imported", "adjudicated")
            source = "settled" if annotator == RESOLVED else f"verified by {annotator}"
            assessment = Assessment(kind, source, tuple(units.get(review_id, ())))
            verified.setdefault(sample_id, []).append(Verified(annotator, origin, assessment))
    return verified


def gold_rows(units: Sequence[Unit], sample: Sample, review: Review) -> list[dict[str, Any]]:
    """The rows of the verified units of a review, spans checked against the text.

    Raises SpanError for a span outside the reference, a principal span that does not read as the
    unit's text, or evidence outside its context.
    """
    rows = []
    for position, unit in enumerate(units):
        check_spans(unit, sample)
        evidence = unit.match.evidence[0] if unit.match.alias and unit.match.evidence else None
        start, end = unit.ends
        rows.append(
            {
                "dataset_id": review.dataset_id,
                "sample_id": review.sample_id,
                "review_id": review.id,
                "annotator": review.annotator,
                "kind": unit.kind,
                "position": position,
                "unit": unit.id,
                "text": unit.text,
                "label": unit.label,
                "start": start,
                "end": end,
                "verdict": unit.match.verdict or "unsure",
                "reason": unit.match.reason,
                "rule": unit.match.rule,
                # the words of a context that a person said name the same thing; None for most units
                "alias": evidence and evidence.of(sample.retrieved_contexts),
                "document": unit_document(unit),
            }
        )
    return rows


def check_spans(unit: Unit, sample: Sample) -> None:
    """Check that every span lies in its text and that an entity's principal span reads as its text.

    Raises SpanError otherwise.
    """
    reference = sample.reference
    for span in unit.spans:
        if not 0 <= span.start < span.end <= len(reference):
            raise SpanError(f"{unit.text[:60]!r} at {span.start}:{span.end} lies outside the reference")
    if unit.kind == "entity" and unit.spans:
        surface = unit.spans[0].of(reference)
        if surface != unit.text:
            raise SpanError(f"{unit.text[:60]!r} is at a place that reads {surface[:60]!r}")
    for evidence in unit.match.evidence:
        if not evidence.inside(sample.retrieved_contexts):
            where = f"{evidence.start}:{evidence.end} of context {evidence.context}"
            raise SpanError(f"the evidence of {unit.text[:60]!r} lies outside its text: {where}")


class Reviewed(NamedTuple):
    """A sample that somebody verified, and whose gold it is.

    `origin` is "unresolved" where several differ. `review_id` is of the review that the gold came from and
    `tally` what it counts, both None where it is unresolved. `shown`: assisted, blind or import. `policy` is
    the version of the policy that it was decided under. `ends` are
    the lowest and the highest recall of the annotators of an unresolved sample: 0 and 1 where one of them has
    no units.
    """

    sample_id: int
    key: str
    group: str | None
    language: str
    origin: str
    shown: str
    review_id: int | None
    annotator: str
    policy: int
    tally: Tally | None = None
    ends: tuple[float, float] | None = None
    question: str = ""


def reviewed(store: Store, dataset_id: int, kind: Kind, *, holdout: bool = False) -> dict[int, Reviewed]:
    """Every sample with a verified review of that kind, excluded ones too; of the holdout where asked for."""
    query = (
        select(
            SAMPLE.id, SAMPLE.key, SAMPLE.group_key, SAMPLE.meta, REVIEW.origin, REVIEW.shown, REVIEW.id,
            REVIEW.annotator, REVIEW.policy_version, QUESTION,
        )
        .where(
            REVIEW.dataset_id == dataset_id,
            REVIEW[kind] == "verified",
            SAMPLE.id == REVIEW.sample_id,
            true() if holdout else not_(SAMPLE.holdout),
        )
        .order_by(SAMPLE.id, REVIEW.id)
    )  # fmt: skip
    each: dict[int, list[Reviewed]] = {}
    with store.snapshot():
        counts = _counts(store, dataset_id, kind)
        with store.reading():  # a value that cannot be read is the database's
            rows = store.rows(query)
            for number, key, group, meta, origin, shown, review, annotator, policy, question in rows:
                language, tally = named_language(meta or {}), Tally(*counts.get(review, (0, 0, 0)))
                row = Reviewed(number, key, group, language, origin, shown, review, annotator, policy, tally)
                asked = question if is_hash(key) else ""
                each.setdefault(number, []).append(row._replace(question=asked))
        gold = load_some(store, [number for number, reviews in each.items() if len(reviews) > 1], kind)
    return {
        number: _standing(reviews, gold[number].origin) if number in gold else reviews[0]
        for number, reviews in each.items()
    }


def _counts(store: Store, dataset_id: int, kind: Kind) -> dict[int, list[int]]:
    """Found, missing and unsure units of every verified review."""
    own = UNIT.dataset_id == dataset_id, UNIT.kind == kind
    query = select(UNIT.review_id, UNIT.verdict, func.count()).where(*own)
    counts: dict[int, list[int]] = {}
    for review_id, verdict, number in store.rows(query.group_by(UNIT.review_id, UNIT.verdict)):
        counts.setdefault(review_id, [0, 0, 0])[VERDICTS.index(verdict)] = number
    return counts


def _standing(reviews: Sequence[Reviewed], origin: str) -> Reviewed:
    """Several reviews of one sample: the one whose gold stands, marked unresolved where none does."""
    of_origin = [review for review in reviews if review.origin == origin]
    chosen = of_origin[-1] if origin == "adjudicated" and of_origin else reviews[0]
    if origin != "unresolved":
        return chosen
    known = [review.tally.interval for review in reviews if review.tally is not None]
    intervals = [interval for interval in known if interval is not None]
    ends = 0.0, 1.0
    if len(intervals) == len(known):
        ends = float(min(low for low, _ in intervals)), float(max(high for _, high in intervals))
    return chosen._replace(origin=origin, review_id=None, tally=None, ends=ends)
