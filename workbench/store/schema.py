"""The versions of the tables."""

SCHEMA = "0005"
"""The newest migration; opening a database that stands there imports no migration code."""

KNOWN_SCHEMAS = ("0001", "0002", "0003", "0004", "0005")
