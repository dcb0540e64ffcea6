"""Review plans and holdouts, disputes with their state, calibrations, explanations, and what was purged."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("sample", sa.Column("rank", sa.Float(), nullable=False, server_default="0"))
    op.add_column("sample", sa.Column("size", sa.Float(), nullable=False, server_default="1"))
    op.add_column("sample", sa.Column("stratum", AutoString(), nullable=False, server_default=""))
    op.add_column("sample", sa.Column("holdout", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("UPDATE sample SET rank = u")
    op.create_index(op.f("ix_sample_dataset_id_rank"), "sample", ["dataset_id", "rank"], unique=False)
    op.drop_index(op.f("ix_sample_dataset_id_u"), "sample")
    op.create_table(
        "plan",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("design", AutoString(), nullable=False),
        sa.Column("kind", AutoString(), nullable=False),
        sa.Column("scorer", AutoString(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("planned_n", sa.Integer(), nullable=False),
        sa.Column("population", sa.Integer(), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("annotator", AutoString(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.CheckConstraint("design IN ('simple', 'stratified', 'disputed')", name=op.f("ck_plan_design")),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name=op.f("fk_plan_dataset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plan")),
        sa.UniqueConstraint("dataset_id", name=op.f("uq_plan_dataset_id")),
    )
    op.create_table(
        "holdout_opening",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("purpose", AutoString(), nullable=False),
        sa.Column("annotator", AutoString(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name=op.f("fk_holdout_opening_dataset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_holdout_opening")),
    )
    op.create_index(op.f("ix_holdout_opening_dataset_id"), "holdout_opening", ["dataset_id"], unique=False)
    op.create_table(
        "dispute",
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("kind", AutoString(), nullable=False),
        sa.Column("between", AutoString(), nullable=False),
        sa.Column("state", AutoString(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("annotator", AutoString(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.CheckConstraint("state IN ('open', 'explained', 'fixed')", name=op.f("ck_dispute_state")),
        sa.ForeignKeyConstraint(["sample_id"], ["sample.id"], name=op.f("fk_dispute_sample_id")),
        sa.PrimaryKeyConstraint("sample_id", "kind", "between", name=op.f("pk_dispute")),
    )
    op.create_table(
        "calibration",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("name", AutoString(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("scorer", AutoString(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("annotator", AutoString(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name=op.f("fk_calibration_dataset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calibration")),
        sa.UniqueConstraint("dataset_id", "name", name=op.f("uq_calibration_dataset_id_name")),
    )
    op.add_column("dataset", sa.Column("calibration_id", sa.Integer(), nullable=True))
    op.create_table(
        "purged",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("key", AutoString(), nullable=False),
        sa.Column("reference_hash", AutoString(), nullable=False),
        sa.Column("content_hash", AutoString(), nullable=False),
        sa.Column("annotator", AutoString(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name=op.f("fk_purged_dataset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_purged")),
    )
    op.create_index(op.f("ix_purged_dataset_id"), "purged", ["dataset_id"], unique=False)
    op.create_table(
        "explained",
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("scorer", AutoString(), nullable=False),
        sa.Column("matcher", AutoString(), nullable=False),
        sa.Column("threshold", sa.Integer(), nullable=False),
        sa.Column("stamp", AutoString(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_explained_run_id")),
        sa.ForeignKeyConstraint(["sample_id"], ["sample.id"], name=op.f("fk_explained_sample_id")),
        sa.PrimaryKeyConstraint(
            "sample_id", "run_id", "scorer", "matcher", "threshold", name=op.f("pk_explained")
        ),
    )
