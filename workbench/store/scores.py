"""Automatic scores, what they were counted from, the numbers of files, and whole columns of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy
from sqlalchemy import delete, exists, insert
from sqlmodel import Session, col, select

from workbench.matching import MATCHER
from workbench.model import Kind, Score, Tally
from workbench.scoring.counted import Counted, Judge, doubt
from workbench.store.engine import Store
from workbench.store.samples import CHUNK
from workbench.store.tables import (
    HOLDOUT_RANK,
    CalibrationRow,
    CountedRow,
    Dataset,
    ExternalScoreRow,
    ReviewRow,
    SampleRow,
    ScoreRow,
    state_of,
)


def load_scores(
    store: Store, dataset_id: int, run_id: int, matcher: str, threshold: int
) -> dict[int, dict[str, Score]]:
    """The stored scores of a run under one matcher and threshold, by sample and scorer."""
    row = ScoreRow
    query = (
        sqlalchemy.select(
            col(row.sample_id),
            col(row.scorer),
            col(row.found),
            col(row.missing),
            col(row.unsure),
            col(row.value),
        )
        .join(SampleRow, col(SampleRow.id) == row.sample_id)
        .where(col(SampleRow.dataset_id) == dataset_id, *_key(run_id, matcher, threshold))
    )
    scores: dict[int, dict[str, Score]] = {}
    with store.reading() as session:
        cursor = session.connection().execute(query).cursor  # the library's rows take twice the time
        while rows := cursor.fetchmany(CHUNK):
            for sample_id, scorer, found, missing, unsure, value in rows:
                of_sample = scores.setdefault(sample_id, {})
                of_sample[scorer] = Score(scorer, Tally(found, missing, unsure), value)
    return scores


@dataclass(frozen=True, slots=True)
class CountedChunk:
    """What some samples were counted to under a run and a match threshold.

    `hashes` (of the texts) and `policy_version` tell what was counted. `scores` follow from `counted`.
    """

    run_id: int
    threshold: int
    policy_version: int
    hashes: Mapping[int, str]
    counted: Mapping[int, Counted]
    scores: Mapping[int, Sequence[Score]]


def save_counted(store: Store, chunk: CountedChunk) -> None:
    """Keep what some samples were counted from, and their scores at one threshold, in one transaction.

    Scores with the same key are replaced. A sample whose text or policy was replaced meanwhile is left out.
    Raises StoreError.
    """
    if not chunk.counted:
        return
    with store.writing() as session:
        present = _present(session, chunk.hashes, chunk.policy_version)
        ids = [sample_id for sample_id in chunk.counted if sample_id in present]
        if not ids:
            return
        have = set(
            session.exec(
                select(CountedRow.sample_id).where(
                    CountedRow.run_id == chunk.run_id,
                    CountedRow.matcher == MATCHER,
                    col(CountedRow.sample_id).in_(ids),
                )
            )
        )
        judge = judge_of(session, session.get_one(SampleRow, ids[0]).dataset_id)
        key = {"run_id": chunk.run_id, "matcher": MATCHER}
        documents = [
            {
                "sample_id": sample_id,
                **key,
                "linked": one.similarities.get("linked"),
                "presence": one.similarities.get("presence"),
                "tallies": {name: [tally.found, tally.missing] for name, tally in one.fixed.items()},
                "doubt": doubt(one, judge),
            }
            for sample_id in ids
            if sample_id not in have
            for one in (chunk.counted[sample_id],)
        ]
        if documents:
            session.execute(insert(CountedRow), documents)
        session.execute(
            delete(ScoreRow).where(
                col(ScoreRow.sample_id).in_(ids), *_key(chunk.run_id, MATCHER, chunk.threshold)
            )
        )
        rows = [
            {
                "sample_id": sample_id,
                **key,
                "threshold": chunk.threshold,
                "scorer": score.scorer,
                "found": score.tally.found,
                "missing": score.tally.missing,
                "unsure": score.tally.unsure,
                "value": score.value,
            }
            for sample_id in ids
            for score in chunk.scores[sample_id]
        ]
        if rows:
            session.execute(insert(ScoreRow), rows)


def each_counted(
    store: Store, dataset_id: int, run_id: int, matcher: str, *, without_score_at: int | None = None
) -> Iterator[dict[int, tuple[str, Counted]]]:
    """What the samples of a dataset were counted from, each with the hash of its text; a thousand at a time.

    With `without_score_at` only the samples that have no score at that match threshold.
    """
    last = 0
    while True:
        query = (
            select(CountedRow, SampleRow.content_hash)
            .join(SampleRow, col(SampleRow.id) == CountedRow.sample_id)
            .where(
                # + 0: by the index of datasets SQLite would read and sort them all for every thousand
                col(SampleRow.dataset_id) + 0 == dataset_id,
                CountedRow.run_id == run_id,
                CountedRow.matcher == matcher,
                col(CountedRow.sample_id) > last,
            )
            .order_by(col(CountedRow.sample_id))
            .limit(CHUNK)
        )
        if without_score_at is not None:
            scored = exists().where(
                col(ScoreRow.sample_id) == CountedRow.sample_id, *_key(run_id, matcher, without_score_at)
            )
            query = query.where(~scored)
        with store.reading() as session:
            rows = session.exec(query).all()
        if not rows:
            return
        yield {row.sample_id: (content, counted_of(row)) for row, content in rows}
        last = rows[-1][0].sample_id


def load_external(store: Store, dataset_id: int) -> dict[int, dict[str, tuple[float, str]]]:
    """The external scores of a dataset: by sample and column, the value and its digits."""
    with store.reading() as session:
        rows = session.exec(
            select(ExternalScoreRow)
            .join(SampleRow, col(SampleRow.id) == ExternalScoreRow.sample_id)
            .where(SampleRow.dataset_id == dataset_id)
            .order_by(col(ExternalScoreRow.column))
        )
        external: dict[int, dict[str, tuple[float, str]]] = {}
        for row in rows:
            external.setdefault(row.sample_id, {})[row.column] = (row.value, row.digits)
        return external


def forget_scores(session: Session, sample_id: int) -> None:
    """Drop a sample's scores, external ones too, because its text changed: they are of the old text."""
    for table in (ScoreRow, CountedRow, ExternalScoreRow):
        session.execute(delete(table).where(col(table.sample_id) == sample_id))


def forget_all(session: Session, dataset_id: int) -> None:
    """Drop a dataset's scores, inside the transaction that changes its policy."""
    of_dataset = select(SampleRow.id).where(SampleRow.dataset_id == dataset_id)
    for table in (ScoreRow, CountedRow):
        session.execute(delete(table).where(col(table.sample_id).in_(of_dataset)))


def _present(session: Session, hashes: Mapping[int, str], policy_version: int) -> set[int]:
    """Which of these samples still have that text, and their dataset that policy."""
    rows = session.exec(
        select(SampleRow.id, SampleRow.content_hash)
        .join(Dataset, col(Dataset.id) == SampleRow.dataset_id)
        .where(col(SampleRow.id).in_(list(hashes)), Dataset.policy_version == policy_version)
    )
    return {number for number, content in rows if number is not None and hashes[number] == content}


def counted_of(row: CountedRow) -> Counted:
    """What a row says a sample was counted from."""
    near = {"linked": row.linked, "presence": row.presence}
    return Counted(
        {name: values for name, values in near.items() if values is not None},
        {name: Tally(*numbers) for name, numbers in row.tallies.items()},
    )


def _key(run_id: int, matcher: str, threshold: int) -> tuple[Any, ...]:
    return (
        col(ScoreRow.run_id) == run_id,
        col(ScoreRow.matcher) == matcher,
        col(ScoreRow.threshold) == threshold,
    )


def judge_of(session: Session, dataset_id: int) -> Judge | None:
    """What a dataset's calibration says of similarities, None without one; inside an open transaction."""
    document = session.exec(
        select(CalibrationRow.document)
        .join(Dataset, col(Dataset.calibration_id) == CalibrationRow.id)
        .where(Dataset.id == dataset_id)
    ).first()
    if document is None:
        return None
    return Judge(document["scorer"], document["threshold"], tuple(document["probabilities"]))


class Member(NamedTuple):
    """A sample of the population that figures stand for: neither held back nor come after the plan."""

    sample_id: int
    key: str
    group: str | None
    stratum: str


def population(store: Store, dataset_id: int) -> dict[int, Member]:
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
        return {row[0]: Member(*row) for row in cursor.fetchall()}


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
    state = state_of(kind)
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
    state = state_of(kind)
    query = sqlalchemy.select(col(ReviewRow.sample_id)).where(
        col(ReviewRow.dataset_id) == dataset_id,
        col(ReviewRow.annotator) == annotator,
        state.in_(("verified", "excluded")),
    )
    with store.reading() as session:
        return {number for (number,) in session.execute(query)}
