"""Copies of a database in use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import StoreError, UsageError
from workbench.stages import upkeep
from workbench.store.copying import backup_file, copy_to

ROWS = [{"id": "a", "user_input": "q", "reference": "Rome.", "retrieved_contexts": ["Rome."]}]


def samples(path: Path) -> list[Any]:
    with closing(sqlite3.connect(path)) as raw:
        return raw.execute("SELECT key FROM sample").fetchall()


def test_a_copy_holds_what_is_committed_while_the_database_is_open(bench: Any) -> None:
    """Also what stands in the write-ahead log only."""
    bench.load(ROWS)

    copy = copy_to(bench.db, bench.folder / "copy.db")

    assert copy == bench.folder / "copy.db"
    assert samples(copy) == [("a",)]


def test_an_existing_target_is_kept(bench: Any) -> None:
    """A copy never replaces a file; a tagged copy takes the next number."""
    bench.load(ROWS)
    target = bench.folder / "copy.db"
    target.write_text("mine")

    with pytest.raises(UsageError, match=r"copy\.db exists already"):
        copy_to(bench.db, target)

    assert target.read_text() == "mine"
    made = [backup_file(bench.db, "before").name for _ in range(3)]
    assert made == ["workbench.before.db", "workbench.before-2.db", "workbench.before-3.db"]


def test_a_copy_that_cannot_be_made_leaves_nothing(bench: Any) -> None:
    """No folder, or a source that is no database: no file, not even a part of one."""
    with pytest.raises(StoreError, match="no backup was made"):
        copy_to(bench.db, bench.folder / "nowhere" / "copy.db")
    (bench.folder / "text.db").write_text("not a database " * 100)
    before = sorted(path.name for path in bench.folder.iterdir())
    with pytest.raises(StoreError, match="no backup was made"):
        copy_to(bench.folder / "text.db", bench.folder / "copy.db")

    assert sorted(path.name for path in bench.folder.iterdir()) == before


def test_backup_names_the_copy_after_the_time(bench: Any) -> None:
    """By default beside the database."""
    bench.load(ROWS)

    copy = upkeep.backup(bench.store, None, datetime(2026, 3, 1, 12, 30, 5, tzinfo=UTC))

    assert copy == bench.folder / "workbench.20260301-123005.db"
    assert samples(copy) == [("a",)]
