"""The versions of the tables."""

OLDEST = "0006"
"""The baseline: a database of an older version is refused."""

SCHEMA = "0006"
"""The newest migration; opening a database that stands there imports no migration code."""
