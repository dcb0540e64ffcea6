"""Whole columns of a dataset for its figures: a hundred thousand samples in a third of a second."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy
from sqlmodel import col

from workbench.model import Kind
from workbench.store.engine import Store
from workbench.store.tables import HOLDOUT_RANK, ExternalScoreRow, ReviewRow, SampleRow, ScoreRow


class Place(NamedTuple):
    """A sample of the population that figures stand for: neither held back nor come after the plan."""

    sample_id: int
    key: str
    group: str | None
    stratum: str


def population(store: Store, dataset_id: int) -> dict[int, Place]:
    """The samples that a dataset's estimate is for, in file order."""
    query = (
        sqlalchemy.select(
            col(SampleRow.id), col(SampleRow.key), col(SampleRow.group_key), col(SampleRow.stratum)
        )
        .where(col(SampleRow.dataset_id) == dataset_id, col(SampleRow.rank) < HOLDOUT_RANK)
        .order_by(col(SampleRow.id))
    )
    with store.reading() as session:
        cursor = session.connection().execute(query).cursor
        return {row[0]: Place(*row) for row in cursor.fetchall()}


def members(store: Store, dataset_id: int, *, strata: bool) -> dict[int, str]:
    """The same samples with their strata, or "" for each: then an index tells them and no row is read."""
    columns = (col(SampleRow.id), col(SampleRow.stratum)) if strata else (col(SampleRow.id),)
    query = (
        sqlalchemy.select(*columns)
        .where(col(SampleRow.dataset_id) == dataset_id, col(SampleRow.rank) < HOLDOUT_RANK)
        .order_by(col(SampleRow.rank), col(SampleRow.id))
    )
    with store.reading() as session:
        rows = session.connection().execute(query).cursor.fetchall()
        return dict(rows) if strata else {number: "" for (number,) in rows}


def values(store: Store, run_id: int, matcher: str, threshold: int, scorer: str) -> dict[int, float | None]:
    """One scorer's exact recalls of all samples that it could count; None where it found no units."""
    units = col(ScoreRow.found) + col(ScoreRow.missing) + col(ScoreRow.unsure)
    query = sqlalchemy.select(col(ScoreRow.sample_id), col(ScoreRow.found), units).where(
        col(ScoreRow.run_id) == run_id,
        col(ScoreRow.matcher) == matcher,
        col(ScoreRow.threshold) == threshold,
        col(ScoreRow.scorer) == scorer,
    )
    with store.reading() as session:
        cursor = session.connection().execute(query).cursor
        return {number: found / units if units else None for number, found, units in cursor.fetchall()}


def can_count(store: Store, run_id: int, matcher: str, threshold: int, scorer: str) -> bool:
    """Whether a scorer could count anything of a run."""
    query = (
        sqlalchemy.select(col(ScoreRow.sample_id))
        .where(
            col(ScoreRow.run_id) == run_id,
            col(ScoreRow.scorer) == scorer,
            col(ScoreRow.matcher) == matcher,
            col(ScoreRow.threshold) == threshold,
        )
        .limit(1)
    )
    with store.reading() as session:
        return session.execute(query).first() is not None


def external_columns(store: Store, dataset_id: int) -> list[str]:
    """The columns of numbers that came with files."""
    every = sqlalchemy.select(col(ExternalScoreRow.column)).distinct().order_by(col(ExternalScoreRow.column))
    here = (
        sqlalchemy.select(col(ExternalScoreRow.sample_id))
        .join(SampleRow, col(SampleRow.id) == ExternalScoreRow.sample_id)
        .where(col(SampleRow.dataset_id) == dataset_id)
        .limit(1)
    )  # the first row of a column answers: with the join in one query 100,000 samples take ten times as long
    with store.reading() as session:
        names = [name for (name,) in session.execute(every)]
        return [
            name for name in names if session.execute(here.where(ExternalScoreRow.column == name)).first()
        ]


def external_digits(store: Store, dataset_id: int, column: str) -> dict[int, str]:
    """The numbers of a column as the file wrote them, such as ".1428", by sample."""
    query = (
        sqlalchemy.select(col(ExternalScoreRow.sample_id), col(ExternalScoreRow.digits))
        .join(SampleRow, col(SampleRow.id) == ExternalScoreRow.sample_id)
        .where(col(SampleRow.dataset_id) == dataset_id, col(ExternalScoreRow.column) == column)
    )
    with store.reading() as session:
        return dict(session.connection().execute(query).cursor.fetchall())


def external_values(store: Store, dataset_id: int, column: str) -> dict[int, float]:
    """The same as numbers."""
    return {number: float(digits) for number, digits in external_digits(store, dataset_id, column).items()}


def external_of(store: Store, sample_id: int) -> dict[str, str]:
    """The numbers that files gave one sample, by column, as written."""
    query = (
        sqlalchemy.select(col(ExternalScoreRow.column), col(ExternalScoreRow.digits))
        .where(col(ExternalScoreRow.sample_id) == sample_id)
        .order_by(col(ExternalScoreRow.column))
    )
    with store.reading() as session:
        return dict(session.connection().execute(query).cursor.fetchall())


def skipped(store: Store, dataset_id: int, kind: Kind) -> set[int]:
    """The samples that somebody skipped and nobody decided."""
    state = col(ReviewRow.entity if kind == "entity" else ReviewRow.statement)
    query = sqlalchemy.select(col(ReviewRow.sample_id), state).where(
        col(ReviewRow.dataset_id) == dataset_id, state.in_(("skipped", "verified", "excluded"))
    )
    states: dict[int, set[str]] = {}
    with store.reading() as session:
        for number, name in session.execute(query):
            states.setdefault(number, set()).add(name)
    return {number for number, names in states.items() if names == {"skipped"}}


def decided_by(store: Store, dataset_id: int, kind: Kind, annotator: str) -> set[int]:
    """The samples that this annotator verified or excluded."""
    state = col(ReviewRow.entity if kind == "entity" else ReviewRow.statement)
    query = sqlalchemy.select(col(ReviewRow.sample_id)).where(
        col(ReviewRow.dataset_id) == dataset_id,
        col(ReviewRow.annotator) == annotator,
        state.in_(("verified", "excluded")),
    )
    with store.reading() as session:
        return {number for (number,) in session.execute(query)}
