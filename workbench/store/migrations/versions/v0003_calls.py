"""What was asked of a service and paid, the answers by what they answer, and batches under way."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "call",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("task", AutoString(), nullable=False),
        sa.Column("keys", sa.JSON(), nullable=False),
        sa.Column("model", AutoString(), nullable=False),
        sa.Column("request_id", AutoString(), nullable=False),
        sa.Column("stop_reason", AutoString(), nullable=False),
        sa.Column("failure", AutoString(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("usage", sa.JSON(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("batch", AutoString(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_call_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_call")),
    )
    op.create_index(op.f("ix_call_run_id_failure"), "call", ["run_id", "failure"], unique=False)
    op.create_table(
        "answer",
        sa.Column("key", AutoString(), nullable=False),
        sa.Column("call_id", sa.Integer(), nullable=False),
        sa.Column("task", AutoString(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["call_id"], ["call.id"], name=op.f("fk_answer_call_id")),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_answer")),
    )
    op.create_index(op.f("ix_answer_call_id"), "answer", ["call_id"], unique=False)
    op.create_table(
        "batch",
        sa.Column("id", AutoString(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("asks", sa.JSON(), nullable=False),
        sa.Column("fetched", sa.Boolean(), nullable=False),
        sa.Column("submitted_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_batch_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batch")),
    )
    op.create_index(op.f("ix_batch_run_id"), "batch", ["run_id"], unique=False)
    op.create_table(
        "failed",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("content_hash", AutoString(), nullable=False),
        sa.Column("failure", AutoString(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_failed_run_id")),
        sa.ForeignKeyConstraint(["sample_id"], ["sample.id"], name=op.f("fk_failed_sample_id")),
        sa.PrimaryKeyConstraint("run_id", "sample_id", name=op.f("pk_failed")),
    )
    op.add_column("proposal", sa.Column("calls", sa.JSON(), nullable=True))
