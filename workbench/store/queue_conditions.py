"""What holds of a sample, as conditions of SQL: where its reviews stand, and each term of a query."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Text, and_, case, cast, exists, false, func, literal, not_, or_, select

from workbench.model import Kind
from workbench.scoring.names import DEFAULT_SCORER
from workbench.store.datasets import DatasetInfo
from workbench.store.samples import counted_in
from workbench.store.scores import scored_at
from workbench.store.tables import (
    BLANK_RANK,
    COUNTED,
    DECIDED,
    EVENT,
    EXTERNAL,
    METADATA,
    PROPOSAL,
    RETRIEVER,
    REVIEW,
    SAMPLE,
    SCORE,
    TWIN,
    UNIT,
    among,
    contains,
    is_blind,
    proposed_by,
    stands_in,
)
from workbench.text.query import META, Term

UNDECIDED = ("todo", "started")
_ANY = METADATA.tables["review"].alias("any_review").c
Clause = ColumnElement[bool]


def counted_now(info: DatasetInfo, sample_id: Any) -> Clause:
    """Whether a sample was counted with the aliases of now."""
    of_run = *counted_in(info.run_id), COUNTED.taught == info.taught
    return exists().where(COUNTED.sample_id == sample_id, *of_run)


class Reviews(NamedTuple):
    """Conditions on a sample for one annotator.

    The `kinds`, `policies` (versions that say what today's says) and `blind_share` are the dataset's.
    """

    annotator: Any
    kinds: tuple[Kind, ...]
    policies: tuple[int, ...]
    blind_share: Any

    @classmethod
    def of(cls, info: DatasetInfo, annotator: str) -> Reviews:
        """Of a dataset as it is now."""
        return cls(annotator, info.kinds, info.same_policies, info.blind_share)

    def some(self, *conditions: Callable[[Any], Clause]) -> Clause:
        """A review of which all of this holds, whosever it is."""
        return exists().where(_ANY.sample_id == SAMPLE.id, *(condition(_ANY) for condition in conditions))

    def own(self, *conditions: Callable[[Any], Clause]) -> Clause:
        """A review of the annotator's of which all of this holds."""
        return self.some(self.is_own, *conditions)

    def is_own(self, review: Any) -> Clause:
        """Whether a review is the annotator's."""
        return review.annotator == self.annotator  # type: ignore[no-any-return]

    def begun(self, review: Any) -> Clause:
        """Whether anything was decided; a flag or a comment makes a review that decides nothing."""
        return or_(*(review[kind] != "todo" for kind in self.kinds))

    def verified(self, review: Any) -> Clause:
        """Whether every kind that the policy reviews is verified."""
        return and_(*(review[kind] == "verified" for kind in self.kinds))

    def disposition(self, review: Any) -> Any:
        """Where a review stands: the least finished kind speaks for the sample, as in the fold."""
        if len(self.kinds) == 1:
            return review[self.kinds[0]]
        first, second = review.entity, review.statement
        return case(
            (first == second, first),
            (or_(first.in_(UNDECIDED), second.in_(UNDECIDED)), literal("started")),
            (or_(first == "skipped", second == "skipped"), literal("skipped")),
            else_=literal("excluded"),
        )

    def stands(self, *names: str) -> Clause:
        """Whether the sample stands in one of these; gold of others counts until there is an own decision.

        Without either, one with a blank reference is not counted.
        """
        ways = [self.own(self.begun, lambda review: self.disposition(review).in_(names))]
        if "verified" in names:
            ways.append(and_(~self.own(self.begun), self.some(self.verified)))
        if "todo" in names:
            return or_(*ways, and_(SAMPLE.rank < BLANK_RANK, self._open()))
        # said first so that the database looks at the reviewed samples only: 5,000 of a million take 1 %
        reviewed = and_(self.some(), or_(*ways))
        return or_(reviewed, self.blank()) if "excluded" in names else reviewed

    def _open(self) -> Clause:
        """Whether there is neither an own decision nor gold of others."""
        return and_(~self.own(self.begun), ~self.some(self.verified))

    def blank(self) -> Clause:
        """Whether the sample has a blank reference and nobody decided it all the same."""
        return and_(SAMPLE.rank >= BLANK_RANK, self._open())

    def state(self) -> Any:
        """The state of the sample, as a column. The query joins the annotator's own review of it, if any."""
        return case(
            (self.begun(REVIEW), self.disposition(REVIEW)),
            (self.some(self.verified), literal("verified")),
            (SAMPLE.rank >= BLANK_RANK, literal("excluded")),
            else_=literal("todo"),
        )

    def decided(self) -> Clause:
        """Whether the annotator decided or settled the sample, or its gold came with a file: values may be
        shown.

        Of a blind sample they may not before the annotator decided or settled it, whoever else did. Nor may
        they where somebody differs from the file: see `undecided_of`.
        """
        given = self.some(self.verified, lambda review: review.origin != "reviewed")
        settled = self.some(self.verified, self.settled)
        stands = or_(and_(given, ~is_blind(self.blind_share)), settled)
        return and_(self.some(), or_(self.decided_own(), and_(~self.own(self.begun), stands)))

    def settled(self, review: Any) -> Clause:
        """Whether a review settles a sample and the annotator accepted it."""
        accepted = EVENT.review_id == review.id, EVENT.annotator == self.annotator, EVENT.op == "accept"
        return and_(review.origin == "adjudicated", exists().where(*accepted))

    def decided_own(self) -> Clause:
        """Whether the annotator decided the sample."""
        return self.own(self.begun, lambda review: self.disposition(review).in_(DECIDED))

    def is_stale(self, review: Any) -> Clause:
        """Whether a review was verified under an older policy that says something else than today's."""
        verified = stands_in("verified", kinds=self.kinds, review=review)
        return and_(verified, review.policy_version.not_in(self.policies))


Picked = Mapping[Term | str, Sequence[int]]
"""What is worked out beside the database: the decided samples for which a term about values holds (its
minus included), and those with a mark (`fast`, `disputed`)."""


def condition(term: Term, info: DatasetInfo, annotator: str, picked: Picked, column: str = "") -> Clause:
    """When a term holds for a sample; `column` is the one of the file that stands for `auto`, "" for none."""
    if term in picked:
        return or_(among(SAMPLE.id, picked[term]), _shown_undecided(term, info, annotator, column))
    clause = or_(*(_condition(term, value, info, annotator, picked) for value in term.values))
    return not_(clause) if term.negated else clause


def _condition(term: Term, value: str, info: DatasetInfo, annotator: str, picked: Picked) -> Clause:
    reviews = Reviews.of(info, annotator)
    match term.field:
        case "text":
            name = SAMPLE.key + "\n" + RETRIEVER
            return contains(name + "\n" + SAMPLE.user_input + "\n" + SAMPLE.reference, value)
        case "id":
            return contains(SAMPLE.key, value)
        case "state":
            return reviews.stands(value)
        case "is":
            return _marked(value, info, reviews, picked)
        case "label":
            return _labelled(value.strip().lower(), info, reviews)
        case "lang":
            return _in_language(value.lower(), info)
        case "group":
            return func.lower(func.coalesce(SAMPLE.group_key, "")) == func.lower(value)
        case "by":
            name = func.lower(value)
            return reviews.some(reviews.begun, lambda review: func.lower(review.annotator) == name)
        case "flag":
            return reviews.own(lambda review: contains(review.flag, value))
        case _:
            return _in_meta(term.field.removeprefix(META), value)


def _marked(mark: str, info: DatasetInfo, reviews: Reviews, picked: Picked) -> Clause:
    match mark:
        case "flagged":
            return reviews.own(lambda review: review.flag != "")
        case "blind":
            return is_blind(info.blind_share)
        case "stale":
            return reviews.own(reviews.is_stale)
        case "offplan":
            return reviews.own(lambda review: and_(review.off_plan, reviews.begun(review)))
        case "rematch":
            hashes = select(TWIN.reference_hash).where(
                _ANY.dataset_id == info.id, _ANY[info.kinds[0]] == "verified", TWIN.id == _ANY.sample_id
            )
            seeing = not_(is_blind(info.blind_share))
            return and_(reviews.stands("todo"), SAMPLE.reference_hash.in_(hashes), seeing)
        case "disputed":
            return or_(among(SAMPLE.id, picked[mark]), _marked("flagged", info, reviews, picked))
        case _:
            return among(SAMPLE.id, picked[mark])


def _labelled(label: str, info: DatasetInfo, reviews: Reviews) -> Clause:
    """A unit with the label in the verified units that may be seen, else in the current run's proposal.

    A blind sample keeps its proposal to itself. The proposal's text quotes every label in one way.
    """

    def seen(review: Any) -> Clause:
        return and_(review.entity == "verified", or_(reviews.is_own(review), review.origin != "reviewed"))

    verified = SAMPLE.id.in_(
        select(UNIT.sample_id).where(
            UNIT.dataset_id == info.id,
            UNIT.kind == "entity",
            func.lower(UNIT.label) == label,
            REVIEW.id == UNIT.review_id,
            seen(REVIEW),
        )
    )
    names = [name.lower() for name in info.policy.label_names()]
    if label not in ([name.lower() for name in info.policy.counted_labels] or names):
        return verified
    entities = PROPOSAL.document["reference_entities"]
    text = func.lower(entities.as_string())
    if label == "other":  # so is whatever the policy does not know, or has no label
        known = [_quoted(name) for name in names if name != label]
        named = sum((func.length(text) - func.length(func.replace(text, q, ""))) / len(q) for q in known)
        has_label = func.json_array_length(entities) > named
    else:
        has_label = text.contains(_quoted(label), autoescape=True)
    proposed = exists().where(proposed_by(info.run_id), has_label)
    return or_(verified, and_(not_(reviews.some(seen)), not_(is_blind(info.blind_share)), proposed))


def _quoted(label: str) -> str:
    return f'"label":{json.dumps(label, ensure_ascii=False)}'


def _in_language(value: str, info: DatasetInfo) -> Clause:
    """The language that a sample names in its meta (`language`, then `lang`), else the policy's."""
    given = (func.nullif(_meta_text(name), "") for name in ("language", "lang"))
    named = func.coalesce(*given, info.policy.language)
    return or_(named == value, named.startswith(f"{value}-", autoescape=True))


def _in_meta(key: str, value: str) -> Clause:
    # SQLite takes a JSON truth out as 1 or 0, and a fraction with 15 digits
    also: list[Any] = [{"true": "1", "false": "0"}.get(value.lower(), value)]
    with suppress(ValueError):
        if float(value) % 1 > 0:
            also.append(cast(literal(float(value)), Text))
    return func.coalesce(_meta_text(key), "").in_([func.lower(each) for each in (value, *also)])


def _meta_text(key: str) -> Any:
    return func.lower(cast(SAMPLE.meta[key].as_string(), Text))


def _shown_undecided(term: Term, info: DatasetInfo, annotator: str, column: str) -> Clause:
    """With automatic values always shown, `auto` holds for undecided samples too; blind ones keep theirs."""
    if info.show_auto != "always" or term.field != "auto":
        return false()
    limit = replace(term, number=float(term.number))  # SQL has no fractions
    units = SCORE.found + SCORE.missing + SCORE.unsure
    holds = limit.compares(EXTERNAL.value if column else SCORE.found * 1.0 / func.nullif(units, 0))
    holds = not_(holds) if term.negated else holds
    if column:
        scored = exists().where(EXTERNAL.sample_id == SAMPLE.id, EXTERNAL.column == column, holds)
    else:
        scored = exists().where(
            SCORE.sample_id == SAMPLE.id,
            scored_at(info.run_id, info.threshold),
            counted_now(info, SAMPLE.id),
            SCORE.scorer == DEFAULT_SCORER[info.kinds[0]],
            holds,
        )
    decided = Reviews.of(info, annotator).decided_own()
    return and_(not_(decided), not_(is_blind(info.blind_share)), scored)
