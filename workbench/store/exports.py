"""What exports read, and the log of what left."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import func
from sqlmodel import col, select

from workbench.model import KINDS, Effort, Kind, Unit
from workbench.store.engine import Store
from workbench.store.gold import verified_by
from workbench.store.tables import ExportRow, ReviewEventRow, ReviewRow


def gold_by_annotator(
    store: Store, sample_ids: Sequence[int]
) -> dict[int, dict[str, dict[Kind, tuple[Unit, ...]]]]:
    """Verified units of some samples by sample, annotator and kind."""
    found: dict[int, dict[str, dict[Kind, tuple[Unit, ...]]]] = {}
    with store.reading() as session:
        for kind in KINDS:
            for sample_id, verified in verified_by(session, sample_ids, kind).items():
                for one in verified:
                    by_kind = found.setdefault(sample_id, {}).setdefault(one.annotator, {})
                    by_kind[kind] = one.assessment.units
    return found


def effort_by_annotator(store: Store, sample_ids: Sequence[int]) -> dict[tuple[int, str], Effort]:
    """What the reviews of some samples cost, by (sample, annotator); only those that were measured."""
    query = (
        select(
            ReviewRow.sample_id,
            ReviewRow.annotator,
            func.sum(ReviewEventRow.seconds),
            func.sum(ReviewEventRow.presses),
        )
        .join(ReviewEventRow, col(ReviewEventRow.review_id) == ReviewRow.id)
        .where(col(ReviewRow.sample_id).in_(sample_ids), col(ReviewEventRow.seconds).is_not(None))
        .group_by(col(ReviewRow.sample_id), col(ReviewRow.annotator))
    )
    with store.reading() as session:
        return {
            (sample_id, annotator): Effort(round(float(seconds or 0), 3), int(presses or 0))
            for sample_id, annotator, seconds, presses in session.exec(query)
        }


def log_export(store: Store, dataset_id: int, path: str, manifest_sha256: str, annotator: str) -> None:
    """Note a finished export."""
    with store.writing() as session:
        session.add(
            ExportRow(
                dataset_id=dataset_id,
                path=path,
                manifest_sha256=manifest_sha256,
                annotator=annotator,
                created_at=datetime.now(UTC),
            )
        )
