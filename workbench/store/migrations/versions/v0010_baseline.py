"""The tables that `engine` makes of a new database: what later migrations start from."""

revision = "0010"
down_revision = None


def upgrade() -> None:
    """Nothing: a database without tables gets those of today."""
