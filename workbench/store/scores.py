"""Materialised automatic scores and the numbers that came with files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, insert
from sqlmodel import Session, col, select

from workbench.model import Score, Tally
from workbench.store.engine import Store
from workbench.store.tables import ExternalScoreRow, SampleRow, ScoreRow


def load_scores(
    store: Store, dataset_id: int, run_id: int, matcher: str, threshold: int
) -> dict[int, dict[str, Score]]:
    """The stored scores of a run under one matcher and threshold, by sample and scorer."""
    with store.reading() as session:
        rows = session.exec(
            select(ScoreRow)
            .join(SampleRow, col(SampleRow.id) == ScoreRow.sample_id)
            .where(SampleRow.dataset_id == dataset_id, *_key(run_id, matcher, threshold))
        )
        scores: dict[int, dict[str, Score]] = {}
        for row in rows:
            tally = Tally(row.found, row.missing, row.unsure)
            scores.setdefault(row.sample_id, {})[row.scorer] = Score(row.scorer, tally, row.value)
        return scores


def save_scores(store: Store, rows: Sequence[dict[str, Any]]) -> None:
    """Write scores, replacing those with the same key, in one transaction."""
    if not rows:
        return
    with store.writing() as session:
        first = rows[0]
        ids = {row["sample_id"] for row in rows}
        session.execute(
            delete(ScoreRow).where(
                col(ScoreRow.sample_id).in_(ids),
                *_key(first["run_id"], first["matcher"], first["threshold"]),
            )
        )
        session.execute(insert(ScoreRow), list(rows))


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
    """Drop a sample's scores because its text changed."""
    session.execute(delete(ScoreRow).where(col(ScoreRow.sample_id) == sample_id))


def forget_all(store: Store, dataset_id: int) -> None:
    """Drop a dataset's scores because its policy changed."""
    of_dataset = select(SampleRow.id).where(SampleRow.dataset_id == dataset_id)
    with store.writing() as session:
        session.execute(delete(ScoreRow).where(col(ScoreRow.sample_id).in_(of_dataset)))


def _key(run_id: int, matcher: str, threshold: int) -> tuple[Any, ...]:
    return (
        col(ScoreRow.run_id) == run_id,
        col(ScoreRow.matcher) == matcher,
        col(ScoreRow.threshold) == threshold,
    )
