"""Which samples are reviewed blind: the blind arm, and every sample of the holdout."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, or_
from sqlmodel import col

from workbench.store.tables import SampleRow


def is_blind(share: Any) -> ColumnElement[bool]:
    """The rule as a condition of SQL; `share` is the dataset's, a number or a column."""
    return or_(col(SampleRow.holdout), col(SampleRow.blind_u) < share)


def row_is_blind(row: SampleRow, share: float) -> bool:
    """The same of a row that was read."""
    return row.holdout or row.blind_u < share
