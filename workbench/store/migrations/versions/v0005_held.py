"""Which samples an export held, and which exports held what was purged."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("export_log", sa.Column("held", sa.JSON(), nullable=True))
    op.add_column("purged", sa.Column("exports", sa.JSON(), nullable=True))
