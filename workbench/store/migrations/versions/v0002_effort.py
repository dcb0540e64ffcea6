"""What a decision cost, reviews made off the plan, and how doubtful a sample is."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("review_event", sa.Column("seconds", sa.Float(), nullable=True))
    op.add_column("review_event", sa.Column("presses", sa.Integer(), nullable=True))
    op.add_column("review", sa.Column("off_plan", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("counted", sa.Column("doubt", sa.Float(), nullable=True))
