"""Copies of a SQLite database while it is in use."""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from workbench.errors import StoreError, UsageError
from workbench.store.engine import FAILURES, explained, make_private


def backup_file(path: Path, tag: str) -> Path:
    """Copy a SQLite file beside itself as NAME.TAG.db; an existing copy is kept under a number."""
    target = path.with_name(f"{path.stem}.{tag}.db")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.stem}.{tag}-{number}.db")
    return copy_to(path, target)


def copy_to(path: Path, target: Path) -> Path:
    """Copy a SQLite file to a new file, whole or not at all; `target` must not exist.

    Raises UsageError when it does, StoreError when the copy fails or does not read back.
    """
    if target.exists():
        raise UsageError(f"{target} exists already: name another file")
    # one that a killed process leaves is a copy too for `backups_of`, so that a purge reaches it
    part = target.with_name(f"{target.stem}.{secrets.token_hex(4)}.part.db")
    try:
        make_private(part)
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(part)) as copy:
            source.backup(copy)
            if copy.execute("PRAGMA quick_check").fetchone() != ("ok",):
                raise StoreError(f"no backup was made at {target}: {path} is damaged")
        part.rename(target)
    except OSError as error:
        raise StoreError(f"no backup was made at {target}: {error.strerror or error}") from error
    except FAILURES as error:
        raise StoreError(f"no backup was made at {target}: {explained(error)}") from error
    finally:
        with suppress(OSError):  # a read-only folder: there is nothing to remove either
            part.unlink(missing_ok=True)
    return target
