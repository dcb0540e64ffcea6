"""The rows of a file that were refused, in a file of their own: fix them there and import that file."""

from __future__ import annotations

import filecmp
import functools
import json
import os
import re
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from workbench.errors import InputError, PurgedError, RowError, disk_errors
from workbench.formats.exports.folder import is_export, remove_leftovers, unfinished

SUFFIX = ".rejected.jsonl"

_private = functools.partial(os.open, mode=0o600)


def rejected_path(path: Path) -> Path:
    """Where the refused rows of a file go: `data.jsonl.rejected.jsonl` next to `data.jsonl`."""
    named = path.resolve() if path.name in ("", "..") else path
    return named.parent / f"{source_name(named.name)}{SUFFIX}"


def source_name(name: str) -> str:
    """The name of the file that refused rows came from: `data.csv` of `data.csv.2.rejected.jsonl`."""
    return re.sub(rf"((\.[0-9]+)?{re.escape(SUFFIX)})+$", "", name)


class Rejects:
    """The refused rows of the import of one file: call it with a raw row and its error, inside `with`.

    The file of rejects is made with the first refused row. It stands next to the imported file; where that
    cannot be written, or would change an export, in the current folder, else in the folder for temporary
    files. `path` is where, None before the first row and where no place is left. It appears as a whole when
    the block ends well. An earlier one with other rows stays, since a person may have fixed them there; the
    new one has a number in its name then. Raises InputError when it cannot be written to its end.
    """

    def __init__(self, source: Path) -> None:
        name = rejected_path(source).name
        places = (rejected_path(source), Path(name), Path(tempfile.gettempdir(), name))
        self._places = [path for path in places if not is_export(path.parent)]
        self._stack = ExitStack()
        self._partial = Path()
        self._file: IO[str] | None = None
        self.path: Path | None = None
        remove_leftovers(places[0])

    def __enter__(self) -> Rejects:
        return self

    def __call__(self, raw: str, error: RowError) -> None:
        """Put a row aside."""
        while self._file is None and self._places:
            self._open(self._places.pop(0))
        if self._file is not None:
            with disk_errors(InputError, f"{self.path}: cannot be written"):
                self._file.write(rejected_line(raw, error))

    def _open(self, path: Path) -> None:
        try:
            partial = self._stack.enter_context(unfinished(path)) / path.name
            self._file = open(partial, "x", encoding="utf-8", newline="\n", opener=_private)  # noqa: SIM115
        except OSError:
            return
        self.path, self._partial = path.parent.resolve() / path.name, partial.absolute()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._stack, disk_errors(InputError, f"{self.path}: cannot be written"):
            if self._file is not None and self.path is not None:
                self._file.close()
                if kind is None:
                    self.path = _unlike_others(self.path, self._partial)
                    self._partial.replace(self.path)


def _unlike_others(path: Path, written: Path) -> Path:
    """The first of `data.csv.rejected.jsonl`, `data.csv.2.rejected.jsonl`, … without rows of its own."""
    name, number = path.name.removesuffix(SUFFIX), 1
    while path.exists() and not filecmp.cmp(written, path, shallow=False):
        number += 1
        path = path.with_name(f"{name}.{number}{SUFFIX}")
    return path


def rejected_line(raw: str, error: RowError) -> str:
    """The row as given with `_error`; what is not a JSON object goes whole into `_raw`.

    Of a purged sample only the id: its text was removed for good.
    """
    # The place says where to look; the path is left out, it names the reader's own folders.
    where = f"item {error.item}" if error.item else f"line {error.line}"
    why = f"{where}: {RowError(error.field, error.got, error.expected)}"
    reason = json.dumps(why, ensure_ascii=False)
    if isinstance(error, PurgedError):
        return f'{{"id": {json.dumps(error.name)}, "_error": {reason}}}\n'
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        value = None
    if type(value) is not dict:
        return f'{{"_raw": {json.dumps(raw)}, "_error": {reason}}}\n'
    # refused once more, or half a surrogate pair in it
    if "_error" in value or raw.encode(errors="ignore").decode() != raw:
        value.pop("_error", None)
        raw = json.dumps(value)
    inside = raw.strip()[:-1].rstrip()
    return f'{inside}{"" if inside == "{" else ", "}"_error": {reason}}}\n'
