"""The rows of a file that were refused, in a file of their own: mend them there and import that file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from workbench.errors import InputError, PurgedError, RowError

SUFFIX = ".rejected.jsonl"


def rejected_path(path: Path) -> Path:
    """Where the refused rows of a file go: `data.jsonl.rejected.jsonl` beside `data.jsonl`."""
    return path.with_name(path.name + SUFFIX)


@contextmanager
def rejecting(path: Path) -> Iterator[Callable[[str, RowError], None]]:
    """Collect refused rows of the file `path`: call what this gives with the raw row and its error.

    The file of rejects is made with the first refused row and takes the place of an earlier one as a
    whole when the block ends well; otherwise an earlier one stays. Without a refused row nothing is
    touched. Raises InputError when it cannot be written.
    """
    target = rejected_path(path)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    file: IO[str] | None = None

    def reject(raw: str, error: RowError) -> None:
        nonlocal file
        try:
            if file is None:
                file = partial.open("w", encoding="utf-8", newline="\n")
            file.write(rejected_line(raw, error))
        except OSError as failure:
            raise InputError(f"{target}: cannot be written: {failure.strerror or failure}") from failure

    try:
        yield reject
        if file is not None:
            try:
                file.close()
                partial.replace(target)
            except OSError as failure:
                raise InputError(f"{target}: cannot be written: {failure.strerror or failure}") from failure
    finally:
        if file is not None:
            file.close()
            partial.unlink(missing_ok=True)


def rejected_line(raw: str, error: RowError) -> str:
    """The row as given with `_error`; what is not a JSON object goes whole into `_raw`.

    Of a purged sample only the id: its text was removed for good.
    """
    # The place says where to look; the path is left out, it names the reader's own folders.
    why = f"line {error.line}: {RowError(error.field, error.got, error.expected)}"
    reason = json.dumps(why, ensure_ascii=False)
    if isinstance(error, PurgedError):
        return f'{{"id": {json.dumps(error.name)}, "_error": {reason}}}\n'
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        value = None
    if type(value) is not dict:
        return f'{{"_raw": {json.dumps(raw)}, "_error": {reason}}}\n'
    if "_error" in value or not _fits(raw):  # refused once more, or half a surrogate pair in it
        value.pop("_error", None)
        raw = json.dumps(value)
    inside = raw.strip()[:-1].rstrip()
    return f'{inside}{"" if inside == "{" else ", "}"_error": {reason}}}\n'


def _fits(raw: str) -> bool:
    try:
        raw.encode()
    except UnicodeEncodeError:
        return False
    return True
