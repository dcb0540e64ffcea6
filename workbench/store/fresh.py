"""The tables of a new database, made at once: what all migrations together would make.

Alembic takes .2 s of CPU and 13 MB to be loaded, before the first row of a first import. A test holds the
tables made here and those made by the migrations together.
"""

from __future__ import annotations

from sqlalchemy import Engine, inspect, text

from workbench.store import tables_calls, tables_plans  # noqa: F401  the metadata has their tables then
from workbench.store.tables import METADATA

_VERSION = "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"


def create(engine: Engine, schema: str) -> None:
    """Make all tables in one transaction, and note the migration that they stand for.

    A database that another process made meanwhile is left as it is.
    """
    with engine.execution_options(write=True).begin() as connection:
        if inspect(connection).get_table_names():
            return
        METADATA.create_all(connection, checkfirst=False)
        connection.execute(text(_VERSION))
        connection.execute(text("INSERT INTO alembic_version VALUES (:schema)"), {"schema": schema})
