"""What the reviews say of a sample, as conditions of SQL: one definition for filters, pages and counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, case, exists, literal, or_, select
from sqlmodel import col

from workbench.model import Kind
from workbench.store.tables import Dataset, ReviewRow, SampleRow, is_blind

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
        of_dataset = select(review.sample_id).where(review.dataset_id == self.dataset_id, *holds)
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
        share = select(col(Dataset.blind_share)).where(col(Dataset.id) == self.dataset_id).scalar_subquery()
        return is_blind(share)

    def stale(self) -> Clause:
        """Whether the annotator verified it under an older policy than today's."""
        return self.own(self.is_stale)

    def is_stale(self, review: Any) -> Clause:
        """Whether a review was verified under an older policy than its dataset's."""
        today = (
            select(col(Dataset.policy_version)).where(col(Dataset.id) == self.dataset_id).scalar_subquery()
        )
        return and_(
            or_(*(getattr(review, kind) == "verified" for kind in self.kinds)), review.policy_version < today
        )
