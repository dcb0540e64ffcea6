"""Schema migrations, numbered; imported only when one is due."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, event, text

from workbench.errors import StoreError


def upgrade(engine: Engine, revision: str) -> None:
    """Bring a database to `revision`, in one transaction.

    Foreign keys are off meanwhile: rebuilding a table drops the old one, which with
    ON DELETE CASCADE would delete its children.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    own = create_engine(engine.url)
    if own.dialect.name == "sqlite":
        event.listen(own, "connect", _prepare)
        event.listen(own, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    try:
        with own.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
            if own.dialect.name == "sqlite" and connection.execute(text("PRAGMA foreign_key_check")).first():
                raise StoreError("the migration would break references between rows; nothing was changed")
    finally:
        own.dispose()


def _prepare(raw: object, _record: object) -> None:
    raw.isolation_level = None  # type: ignore[attr-defined]
    for pragma in ("busy_timeout=5000", "journal_mode=WAL", "foreign_keys=OFF"):
        raw.execute(f"PRAGMA {pragma}")  # type: ignore[attr-defined]
