"""The tables of plans, disputes, explanations and what left or was removed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, Index, Text, UniqueConstraint
from sqlmodel import Field

from workbench.store.tables import BIG, Base


class PlanRow(Base, table=True):
    """The one plan of a dataset: which samples are reviewed in which order, drawn before any verdict.

    `population`: the samples outside the holdout at the time. `parameters`: strata and the like.
    """

    __tablename__ = "plan"
    __table_args__ = (
        UniqueConstraint("dataset_id"),
        CheckConstraint("design IN ('simple', 'stratified')", name="design"),
    )
    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    dataset_id: int = Field(foreign_key="dataset.id", sa_type=BIG)
    design: str
    kind: str
    planned_n: int
    population: int
    parameters: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    annotator: str
    created_at: datetime


class HoldoutOpeningRow(Base, table=True):
    """One look at the samples kept back. Rows are only ever added."""

    __tablename__ = "holdout_opening"
    __table_args__ = (Index(None, "dataset_id"),)
    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    dataset_id: int = Field(foreign_key="dataset.id", sa_type=BIG)
    purpose: str
    annotator: str
    at: datetime


class DisputeRow(Base, table=True):
    """What became of a dispute; one without a row is open. `between`: who disagrees, as `linked~verified`."""

    __tablename__ = "dispute"
    __table_args__ = (CheckConstraint("state IN ('open', 'explained', 'fixed')", name="state"),)
    sample_id: int = Field(foreign_key="sample.id", primary_key=True, sa_type=BIG)
    kind: str = Field(primary_key=True)
    between: str = Field(primary_key=True)
    state: str
    note: str = Field(default="", sa_type=Text)
    annotator: str
    at: datetime


class ExplainedRow(Base, table=True):
    """Why one verified sample differs, as worked out once; `stamp` says from which gold, text and policy."""

    __tablename__ = "explained"
    sample_id: int = Field(foreign_key="sample.id", primary_key=True, sa_type=BIG)
    run_id: int = Field(foreign_key="run.id", primary_key=True, sa_type=BIG)
    scorer: str = Field(primary_key=True)
    matcher: str = Field(primary_key=True)
    threshold: int = Field(primary_key=True)
    stamp: str
    document: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class PurgedRow(Base, table=True):
    """A sample whose text was removed: what is left of it are hashes."""

    __tablename__ = "purged"
    __table_args__ = (Index(None, "dataset_id"),)
    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    dataset_id: int = Field(foreign_key="dataset.id", sa_type=BIG)
    key: str
    reference_hash: str
    content_hash: str
    annotator: str
    at: datetime


class ExportRow(Base, table=True):
    """One finished export. `held`: the ids of the samples whose texts it holds (see `export_log`)."""

    __tablename__ = "export_log"
    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    dataset_id: int = Field(foreign_key="dataset.id", sa_type=BIG)
    path: str
    manifest_sha256: str
    annotator: str
    created_at: datetime
    held: list[str] = Field(sa_column=Column(JSON, nullable=False))
    whole: bool
