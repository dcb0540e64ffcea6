"""The calibration that a dataset uses, as far as doubt needs it."""

from __future__ import annotations

from sqlmodel import Session, col, select

from workbench.scoring.doubt import Judge
from workbench.store.tables import CalibrationRow, Dataset


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
