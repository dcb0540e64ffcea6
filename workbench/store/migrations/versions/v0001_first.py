"""The first tables."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "dataset",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", AutoString(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("blind_share", sa.Float(), nullable=False),
        sa.Column("blind_settled", sa.Boolean(), nullable=False),
        sa.Column("threshold", sa.Integer(), nullable=False),
        sa.Column("show_auto", AutoString(), nullable=False),
        sa.Column("external", AutoString(), nullable=False),
        sa.Column("policy_version", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.CheckConstraint("external IN ('ask', 'allow', 'never')", name=op.f("ck_dataset_external")),
        sa.CheckConstraint("show_auto IN ('after', 'always')", name=op.f("ck_dataset_show_auto")),
        sa.CheckConstraint("blind_share BETWEEN 0 AND 1", name=op.f("ck_dataset_blind_share")),
        sa.CheckConstraint("threshold BETWEEN 0 AND 100", name=op.f("ck_dataset_threshold")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dataset")),
        sa.UniqueConstraint("name", name=op.f("uq_dataset_name")),
    )
    op.create_table(
        "export_log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("path", AutoString(), nullable=False),
        sa.Column("manifest_sha256", AutoString(), nullable=False),
        sa.Column("annotator", AutoString(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name=op.f("fk_export_log_dataset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_export_log")),
    )
    op.create_table(
        "policy",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("annotator", AutoString(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name=op.f("fk_policy_dataset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_policy")),
        sa.UniqueConstraint("dataset_id", "version", name=op.f("uq_policy_dataset_id_version")),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("name", AutoString(), nullable=False),
        sa.Column("proposer", AutoString(), nullable=False),
        sa.Column("model", AutoString(), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("annotator", AutoString(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name=op.f("fk_run_dataset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.UniqueConstraint("dataset_id", "name", name=op.f("uq_run_dataset_id_name")),
    )
    op.create_table(
        "sample",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("key", AutoString(), nullable=False),
        sa.Column("user_input", sa.Text(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("retrieved_contexts", sa.JSON(), nullable=False),
        sa.Column("response", sa.Text(), nullable=True),
        sa.Column("alternatives", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("group_key", AutoString(), nullable=True),
        sa.Column("meta", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("reference_hash", AutoString(), nullable=False),
        sa.Column("content_hash", AutoString(), nullable=False),
        sa.Column("u", sa.Float(), nullable=False),
        sa.Column("blind_u", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name=op.f("fk_sample_dataset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sample")),
        sa.UniqueConstraint("dataset_id", "key", name=op.f("uq_sample_dataset_id_key")),
    )
    op.create_index(op.f("ix_sample_dataset_id_u"), "sample", ["dataset_id", "u"], unique=False)
    op.create_index(op.f("ix_sample_reference_hash"), "sample", ["reference_hash"], unique=False)
    op.create_table(
        "counted",
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("matcher", AutoString(), nullable=False),
        sa.Column("linked", sa.LargeBinary(), nullable=True),
        sa.Column("presence", sa.LargeBinary(), nullable=True),
        sa.Column("tallies", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_counted_run_id")),
        sa.ForeignKeyConstraint(["sample_id"], ["sample.id"], name=op.f("fk_counted_sample_id")),
        sa.PrimaryKeyConstraint("sample_id", "run_id", "matcher", name=op.f("pk_counted")),
    )
    op.create_table(
        "external_score",
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("column", AutoString(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("digits", AutoString(), nullable=False),
        sa.ForeignKeyConstraint(["sample_id"], ["sample.id"], name=op.f("fk_external_score_sample_id")),
        sa.PrimaryKeyConstraint("sample_id", "column", name=op.f("pk_external_score")),
    )
    op.create_table(
        "proposal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("content_hash", AutoString(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_proposal_run_id")),
        sa.ForeignKeyConstraint(["sample_id"], ["sample.id"], name=op.f("fk_proposal_sample_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
        sa.UniqueConstraint(
            "run_id", "sample_id", "content_hash", name=op.f("uq_proposal_run_id_sample_id_content_hash")
        ),
    )
    op.create_index(op.f("ix_proposal_sample_id"), "proposal", ["sample_id"], unique=False)
    op.create_table(
        "review",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("annotator", AutoString(), nullable=False),
        sa.Column("origin", AutoString(), nullable=False),
        sa.Column("policy_version", sa.Integer(), nullable=False),
        sa.Column("shown", AutoString(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("entity", AutoString(), nullable=False),
        sa.Column("statement", AutoString(), nullable=False),
        sa.Column("flag", AutoString(), nullable=False),
        sa.Column("updated_at", UTCDateTime(), nullable=False),
        sa.CheckConstraint(
            "entity = 'todo' OR entity = 'started' OR entity = 'verified' OR entity = 'excluded' OR entity = 'skipped'",
            name=op.f("ck_review_entity"),
        ),
        sa.CheckConstraint(
            "origin = 'reviewed' OR origin = 'imported' OR origin = 'adjudicated'",
            name=op.f("ck_review_origin"),
        ),
        sa.CheckConstraint(
            "shown = 'assisted' OR shown = 'blind' OR shown = 'import'", name=op.f("ck_review_shown")
        ),
        sa.CheckConstraint(
            "statement = 'todo' OR statement = 'started' OR statement = 'verified' OR statement = 'excluded' OR statement = 'skipped'",
            name=op.f("ck_review_statement"),
        ),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name=op.f("fk_review_dataset_id")),
        sa.ForeignKeyConstraint(["sample_id"], ["sample.id"], name=op.f("fk_review_sample_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review")),
        sa.UniqueConstraint("sample_id", "annotator", name=op.f("uq_review_sample_id_annotator")),
    )
    op.create_index(
        op.f("ix_review_dataset_id_annotator"), "review", ["dataset_id", "annotator"], unique=False
    )
    op.create_table(
        "score",
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("scorer", AutoString(), nullable=False),
        sa.Column("matcher", AutoString(), nullable=False),
        sa.Column("threshold", sa.Integer(), nullable=False),
        sa.Column("found", sa.Integer(), nullable=False),
        sa.Column("missing", sa.Integer(), nullable=False),
        sa.Column("unsure", sa.Integer(), nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_score_run_id")),
        sa.ForeignKeyConstraint(["sample_id"], ["sample.id"], name=op.f("fk_score_sample_id")),
        sa.PrimaryKeyConstraint(
            "sample_id", "run_id", "scorer", "matcher", "threshold", name=op.f("pk_score")
        ),
    )
    op.create_index(op.f("ix_score_run_id_scorer"), "score", ["run_id", "scorer"], unique=False)
    op.create_table(
        "gold_unit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("review_id", sa.Integer(), nullable=False),
        sa.Column("annotator", AutoString(), nullable=False),
        sa.Column("kind", AutoString(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("unit", AutoString(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("label", AutoString(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=True),
        sa.Column("end", sa.Integer(), nullable=True),
        sa.Column("verdict", AutoString(), nullable=False),
        sa.Column("reason", AutoString(), nullable=True),
        sa.Column("rule", AutoString(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.CheckConstraint("kind IN ('entity', 'statement')", name=op.f("ck_gold_unit_kind")),
        sa.CheckConstraint(
            "verdict = 'found' OR verdict = 'missing' OR verdict = 'unsure'",
            name=op.f("ck_gold_unit_verdict"),
        ),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name=op.f("fk_gold_unit_dataset_id")),
        sa.ForeignKeyConstraint(["review_id"], ["review.id"], name=op.f("fk_gold_unit_review_id")),
        sa.ForeignKeyConstraint(["sample_id"], ["sample.id"], name=op.f("fk_gold_unit_sample_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_unit")),
    )
    op.create_index(op.f("ix_gold_unit_review_id_kind"), "gold_unit", ["review_id", "kind"], unique=False)
    op.create_index(op.f("ix_gold_unit_sample_id_kind"), "gold_unit", ["sample_id", "kind"], unique=False)
    op.create_table(
        "review_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("review_id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("annotator", AutoString(), nullable=False),
        sa.Column("action", AutoString(), nullable=False),
        sa.Column("op", AutoString(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name=op.f("fk_review_event_dataset_id")),
        sa.ForeignKeyConstraint(["review_id"], ["review.id"], name=op.f("fk_review_event_review_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review_event")),
        sa.UniqueConstraint("review_id", "seq", name=op.f("uq_review_event_review_id_seq")),
    )
    op.create_index(op.f("ix_review_event_action"), "review_event", ["action"], unique=False)
    op.create_index(
        op.f("ix_review_event_dataset_id_annotator_id"),
        "review_event",
        ["dataset_id", "annotator", "id"],
        unique=False,
    )
