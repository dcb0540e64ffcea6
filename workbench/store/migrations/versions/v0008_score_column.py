"""Columns of scores with the day they came: those of before get the day of their dataset."""

from alembic import op

from workbench.store.tables import METADATA

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the table and fill it from the numbers that are there."""
    METADATA.tables["score_column"].create(op.get_bind())
    op.execute(
        """
        INSERT INTO score_column (dataset_id, "column", file, at)
        SELECT DISTINCT dataset.id, external_score."column", '', dataset.created_at
        FROM external_score
        JOIN sample ON sample.id = external_score.sample_id
        JOIN dataset ON dataset.id = sample.dataset_id
        """
    )
