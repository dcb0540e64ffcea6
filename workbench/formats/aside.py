"""One file written whole or not at all, and never over a database."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from workbench.errors import ExportError

DATABASE = b"SQLite format 3\0"


def write_whole(path: Path, text: str, *, force: bool = False) -> None:
    """Write a text beside its place and rename it there.

    Raises ExportError when something stands there (with `force` only a folder or a database), or the disk
    refuses.
    """
    if path.is_dir():
        raise ExportError(f"{path}: is a folder; name a file")
    if path.exists():
        if _is_database(path):
            raise ExportError(f"{path}: is a database; nothing is written over it")
        if not force:
            raise ExportError(f"{path}: is there already; --force replaces it")
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        with aside.open("w", encoding="utf-8", newline="\n") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        aside.replace(path)
    except OSError as error:
        raise ExportError(f"{path}: not written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):  # a folder that takes no file has none to remove
            aside.unlink(missing_ok=True)


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(DATABASE)) == DATABASE
    except OSError:
        return False
