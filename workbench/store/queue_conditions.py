"""What holds of a sample, as conditions of SQL: where its reviews stand, and each term of a query."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy
from sqlalchemy import (
    ColumnElement,
    Table,
    Text,
    and_,
    bindparam,
    case,
    cast,
    exists,
    false,
    func,
    literal,
    not_,
    or_,
)
from sqlmodel import col, select

from workbench.matching import MATCHER
from workbench.model import Kind
from workbench.scoring.names import DEFAULT_SCORER
from workbench.store.datasets import DatasetInfo
from workbench.store.tables import (
    Dataset,
    ExternalScoreRow,
    GoldUnitRow,
    ProposalRow,
    ReviewRow,
    SampleRow,
    ScoreRow,
    contains,
    is_blind,
)
from workbench.text.query import META, Term

UNDECIDED = ("todo", "started")
Clause = ColumnElement[bool]
_REVIEW: Table = ReviewRow.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Reviews:
    """Conditions on a sample of a dataset for one annotator.

    With `few` every sample is looked up by itself, which suits a page or the next sample; without it the
    reviews are read once as a set, which suits a whole view.
    """

    dataset_id: int
    annotator: str
    kinds: tuple[Kind, ...]
    few: bool = False

    def some(self, *conditions: Callable[[Any], Clause]) -> Clause:
        """A review of which all of this holds, whosever it is."""
        review = _REVIEW.alias().c
        holds = [condition(review) for condition in conditions]
        if self.few:
            return exists().where(review.sample_id == SampleRow.id, *holds)
        of_dataset = sqlalchemy.select(review.sample_id).where(review.dataset_id == self.dataset_id, *holds)
        return col(SampleRow.id).in_(of_dataset)

    def own(self, *conditions: Callable[[Any], Clause]) -> Clause:
        """A review of the annotator's of which all of this holds."""
        return self.some(self.is_own, *conditions)

    def is_own(self, review: Any) -> Clause:
        """Whether a review is the annotator's."""
        return review.annotator == self.annotator  # type: ignore[no-any-return]

    def begun(self, review: Any) -> Clause:
        """Whether anything was decided; a flag or a comment makes a review that decides nothing."""
        return or_(*(getattr(review, kind) != "todo" for kind in self.kinds))

    def verified(self, review: Any) -> Clause:
        """Whether every kind that the policy reviews is verified."""
        return and_(*(getattr(review, kind) == "verified" for kind in self.kinds))

    def disposition(self, review: Any) -> Any:
        """Where a review stands: the least finished kind speaks for the sample, as in the fold."""
        if len(self.kinds) == 1:
            return getattr(review, self.kinds[0])
        first, second = review.entity, review.statement
        return case(
            (first == second, first),
            (or_(first.in_(UNDECIDED), second.in_(UNDECIDED)), literal("started")),
            (or_(first == "skipped", second == "skipped"), literal("skipped")),
            else_=literal("excluded"),
        )

    def stands(self, *names: str) -> Clause:
        """Whether the sample stands in one of these; gold of others counts until there is an own decision."""
        ways = [self.own(self.begun, lambda review: self.disposition(review).in_(names))]
        if "verified" in names:
            ways.append(and_(~self.own(self.begun), self.some(self.verified)))
        if "todo" in names:
            ways.append(and_(~self.own(self.begun), ~self.some(self.verified)))
            return or_(*ways)
        # said first so that the database looks at the reviewed samples only: 5,000 of a million take 1 %
        return and_(self.some(), or_(*ways))

    def state(self) -> Any:
        """Where the sample stands, as a column."""
        names = ("verified", "excluded", "skipped", "started")
        return case(*((self.stands(name), literal(name)) for name in names), else_=literal("todo"))

    def decided(self) -> Clause:
        """Whether the annotator decided the sample, or its gold came with a file: values may be shown.

        Of a blind sample they may not before the annotator's own decision, whoever else decided.
        """
        own = self.own(self.begun, lambda review: self.disposition(review).in_(("verified", "excluded")))
        given = self.some(self.verified, lambda review: review.origin != "reviewed")
        return and_(self.some(), or_(own, and_(~self.own(self.begun), given, ~self.blind())))

    def blind(self) -> Clause:
        """Whether the sample is reviewed blind."""
        share = (
            sqlalchemy.select(col(Dataset.blind_share))
            .where(col(Dataset.id) == self.dataset_id)
            .scalar_subquery()
        )
        return is_blind(share)

    def stale(self) -> Clause:
        """Whether the annotator verified it under an older policy than today's."""
        return self.own(self.is_stale)

    def is_stale(self, review: Any) -> Clause:
        """Whether a review was verified under an older policy than its dataset's."""
        today = (
            sqlalchemy.select(col(Dataset.policy_version))
            .where(col(Dataset.id) == self.dataset_id)
            .scalar_subquery()
        )
        return and_(
            or_(*(getattr(review, kind) == "verified" for kind in self.kinds)), review.policy_version < today
        )


Picked = Mapping[Term | str, Sequence[int]]
"""What is worked out beside the database: the decided samples for which a term about values holds (its
minus included), and those with a mark (`fast`, `disputed`)."""


def reads_rows(term: Term) -> bool:
    """Whether the samples themselves are read for a term, not only an index."""
    return (
        term.field in ("text", "id", "group", "lang") or term.field.startswith(META) or "blind" in term.values
    )


def condition(term: Term, info: DatasetInfo, annotator: str, picked: Picked, column: str = "") -> Clause:
    """When a term holds for a sample; `column` is the one of the file that stands for `auto`, "" for none."""
    if term in picked:
        return or_(_one_of(picked[term]), _shown_undecided(term, info, annotator, column))
    found = or_(*(_condition(term, value, info, annotator, picked) for value in term.values))
    return not_(found) if term.negated else found


def _condition(term: Term, value: str, info: DatasetInfo, annotator: str, picked: Picked) -> Clause:
    reviews = Reviews(info.id, annotator, info.kinds)
    match term.field:
        case "text":
            return contains(
                col(SampleRow.key) + "\n" + col(SampleRow.user_input) + "\n" + col(SampleRow.reference), value
            )
        case "id":
            return contains(col(SampleRow.key), value)
        case "state":
            return reviews.stands(value)
        case "is":
            return _marked(value, info, reviews, picked)
        case "label":
            return _labelled(value.strip().lower(), info, reviews)
        case "lang":
            return _in_language(value.lower(), info)
        case "group":
            return func.lower(func.coalesce(col(SampleRow.group_key), "")) == value.lower()
        case "by":
            return reviews.some(reviews.begun, lambda review: func.lower(review.annotator) == value.lower())
        case "flag":
            return reviews.own(lambda review: contains(review.flag, value))
        case _:
            return _in_meta(term.key, value)


def _marked(mark: str, info: DatasetInfo, reviews: Reviews, picked: Picked) -> Clause:
    match mark:
        case "flagged":
            return reviews.own(lambda review: review.flag != "")
        case "blind":
            return is_blind(info.blind_share)
        case "stale":
            return reviews.stale()
        case "offplan":
            return reviews.own(lambda review: review.off_plan)
        case "rematch":
            twin, verified = (select(SampleRow).subquery("twin"), select(ReviewRow).subquery("done"))
            kind = info.kinds[0]
            hashes = (
                select(twin.c.reference_hash)
                .join(verified, verified.c.sample_id == twin.c.id)
                .where(verified.c.dataset_id == info.id, verified.c[kind] == "verified")
            )
            same = select(SampleRow.id).where(col(SampleRow.reference_hash).in_(hashes))
            seeing = not_(is_blind(info.blind_share))
            return and_(reviews.stands("todo"), col(SampleRow.id).in_(same), seeing)
        case "disputed":
            return or_(_one_of(picked[mark]), _marked("flagged", info, reviews, picked))
        case _:
            return _one_of(picked[mark])


def _labelled(label: str, info: DatasetInfo, reviews: Reviews) -> Clause:
    """A unit with the label in the verified units that may be seen, else in the current run's proposal."""

    def seen(review: type[ReviewRow]) -> Clause:
        done = col(review.entity) == "verified"
        return and_(done, or_(reviews.is_own(review), col(review.origin) != "reviewed"))

    units = (
        select(GoldUnitRow.sample_id)
        .join(ReviewRow, col(ReviewRow.id) == GoldUnitRow.review_id)
        .where(
            GoldUnitRow.dataset_id == info.id,
            GoldUnitRow.kind == "entity",
            func.lower(col(GoldUnitRow.label)) == label,
            seen(ReviewRow),
        )
    )
    verified = col(SampleRow.id).in_(units)
    counts = info.policy.counted_labels or info.policy.label_names()
    if label not in info.policy.label_names() or label not in counts:
        return verified
    undecided = not_(reviews.some(seen))
    return or_(verified, and_(undecided, col(SampleRow.id).in_(_proposed(label, info))))


def _proposed(label: str, info: DatasetInfo) -> Any:
    """The samples of which the current run proposes the label; a blind one keeps its proposal to itself.

    Read in the proposal's text, which quotes every label in one way.
    """
    entities = col(ProposalRow.document)["reference_entities"]
    texts = (
        select(ProposalRow.sample_id, func.lower(entities.as_string()), func.json_array_length(entities))
        .join(SampleRow, col(SampleRow.id) == ProposalRow.sample_id)
        .where(
            ProposalRow.run_id == info.run_id,
            col(ProposalRow.content_hash) == SampleRow.content_hash,
            not_(is_blind(info.blind_share)),
        )
        .offset(0)  # keeps the database from working the text out anew for every mention of it
        .subquery()
    )
    sample_id, said, size = texts.c
    if label != "other":
        return select(sample_id).where(said.contains(_as_said(label), autoescape=True))
    known = [name for name in info.policy.label_names() if name != "other"]
    named = sum((_times(said, name) for name in known), literal(0))
    return select(sample_id).where(size > named)  # whatever the policy does not know is `other` too


def _as_said(label: str) -> str:
    return f'"label":{json.dumps(label, ensure_ascii=False)}'


def _times(said: Any, label: str) -> Any:
    """How many entities of a text have a label."""
    piece = _as_said(label)
    return (func.length(said) - func.length(func.replace(said, piece, ""))) / len(piece)


def _in_language(value: str, info: DatasetInfo) -> Clause:
    """The language that a sample names in its meta (`language`, then `lang`), else the policy's."""
    given = (func.nullif(_meta_text(name), "") for name in ("language", "lang"))
    named = func.coalesce(*given, info.policy.language)
    return or_(named == value, named.startswith(f"{value}-", autoescape=True))


def _in_meta(key: str, value: str) -> Clause:
    said = _meta_text(key)
    # SQLite takes a JSON truth out as 1 or 0
    also = {"true": ("true", "1"), "false": ("false", "0")}.get(value.lower(), (value.lower(),))
    return func.coalesce(said, "").in_(also)


def _meta_text(key: str) -> Any:
    return func.lower(cast(col(SampleRow.meta)[key].as_string(), Text))


def _one_of(ids: Sequence[int]) -> Clause:
    """These samples, however many: written into the statement, for it takes 32,766 parameters only."""
    return col(SampleRow.id).in_(bindparam(None, ids, expanding=True, literal_execute=True))


def _shown_undecided(term: Term, info: DatasetInfo, annotator: str, column: str) -> Clause:
    """With automatic values always shown, `auto` holds for undecided samples too; blind ones keep theirs."""
    if info.show_auto != "always" or term.field != "auto":
        return false()
    limit = replace(term, number=float(term.number))  # SQL has no fractions
    counted = col(ScoreRow.found) + col(ScoreRow.missing) + col(ScoreRow.unsure)
    recall = col(ScoreRow.found) * 1.0 / func.nullif(counted, 0)
    holds = limit.compares(col(ExternalScoreRow.value) if column else recall)
    holds = not_(holds) if term.negated else holds
    if column:
        scored = select(ExternalScoreRow.sample_id).where(ExternalScoreRow.column == column, holds)
    else:
        scored = select(ScoreRow.sample_id).where(
            ScoreRow.run_id == info.run_id,
            ScoreRow.scorer == DEFAULT_SCORER[info.kinds[0]],
            ScoreRow.matcher == MATCHER,
            ScoreRow.threshold == info.threshold,
            holds,
        )
    decided = Reviews(info.id, annotator, info.kinds).decided()
    seen = not_(is_blind(info.blind_share))
    return and_(not_(decided), seen, col(SampleRow.id).in_(scored))
