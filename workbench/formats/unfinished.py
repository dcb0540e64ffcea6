"""Folders in which an export, or the refused rows of an import, are written: `.NAME.TOKEN.partial` next to
their place.

Who writes one holds a lock on it that ends with the process, however that ends. So the next export to the
same place can tell what a killed one left behind from what another one is still writing.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_NAME = re.compile(r"\.(?P<target>.+)\.[0-9a-f]{8}\.(partial|earlier)", re.DOTALL)


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """A new folder beside `target`, held as long as the block lasts; what is left of it then is removed.

    What killed processes left behind at the same place goes first. Raises OSError.
    """
    remove_leftovers(target)
    aside, lock = _make(target)
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def leftovers(parent: Path, name: str | None = None) -> list[Path]:
    """Such folders in a folder, those of one export or of any; also those that are being written."""
    with suppress(OSError):
        found = ((one, _NAME.fullmatch(one.name)) for one in parent.iterdir())
        mine = (one for one, said in found if said and (name is None or said["target"] == name))
        return sorted(one for one in mine if one.is_dir() and not one.is_symlink())
    return []


def remove_leftovers(target: Path) -> None:
    """Remove what killed processes left behind next to `target`."""
    for one in leftovers(target.parent, target.name):
        if one.suffix == ".partial":  # `.earlier` may be all that is left of the export before
            _remove_left(one)


def being_written(aside: Path) -> bool:
    """Whether a process holds such a folder; also where the system cannot tell."""
    lock = _lock(aside)
    if lock is None:
        return aside.exists()
    os.close(lock)
    return False


def _make(target: Path) -> tuple[Path, int | None]:
    while True:
        aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
        aside.mkdir()
        lock = _lock(aside)
        # between the two another export may have taken it for left behind
        if lock is not None and (not aside.exists() or not os.path.samestat(aside.stat(), os.fstat(lock))):
            os.close(lock)
        elif aside.exists():
            return aside, lock


def _remove_left(aside: Path) -> None:
    """Remove a folder that nobody holds; what cannot be removed stays."""
    lock = _lock(aside)
    if lock is not None:
        shutil.rmtree(aside, ignore_errors=True)
        os.close(lock)


def _lock(folder: Path) -> int | None:
    """The lock of a folder, to be closed; None where somebody has it, or the system has none."""
    if sys.platform == "win32":  # locks no folders: nothing is taken for left behind there
        return None
    import fcntl

    handle = None
    try:
        handle = os.open(folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if handle is not None:
            os.close(handle)
        return None
    return handle
