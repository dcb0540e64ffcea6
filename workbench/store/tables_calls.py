"""The tables of calls to a service: what was asked, answered, failed and is under way."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index, Text
from sqlmodel import Field

from workbench.store.tables import BIG, Base


class CallRow(Base, table=True):
    """One request to a service: answered, or failed. `keys` name what was asked; see `answer`."""

    __tablename__ = "call"
    __table_args__ = (Index(None, "run_id", "failure"),)
    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    run_id: int = Field(foreign_key="run.id", sa_type=BIG)
    task: str
    keys: list[str] = Field(sa_column=Column(JSON, nullable=False))
    model: str = ""  # as the service named it
    request_id: str = ""
    stop_reason: str = ""
    failure: str = ""  # its kind; empty for an answer
    detail: str = Field(default="", sa_type=Text)
    usage: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    attempts: int = 1
    batch: str = ""
    at: datetime


class AnswerRow(Base, table=True):
    """What was paid for: one part of an answer, under the hash of all it depends on."""

    __tablename__ = "answer"
    __table_args__ = (Index(None, "call_id"),)
    key: str = Field(primary_key=True)
    call_id: int = Field(foreign_key="call.id", sa_type=BIG)
    task: str
    document: list[Any] = Field(sa_column=Column(JSON, nullable=False))


class FailedRow(Base, table=True):
    """A sample that a run could not speak of, and why; gone when it does."""

    __tablename__ = "failed"
    run_id: int = Field(foreign_key="run.id", primary_key=True, sa_type=BIG)
    sample_id: int = Field(foreign_key="sample.id", primary_key=True, sa_type=BIG)
    content_hash: str
    failure: str
    message: str = Field(sa_type=Text)


class BatchRow(Base, table=True):
    """A batch that was submitted: its asks by id, kept before anything is waited for."""

    __tablename__ = "batch"
    __table_args__ = (Index(None, "run_id"),)
    id: str = Field(primary_key=True)
    run_id: int = Field(foreign_key="run.id", sa_type=BIG)
    asks: list[Any] = Field(sa_column=Column(JSON, nullable=False))
    fetched: bool = False
    submitted_at: datetime
