"""Verifying an export: whether it is what was written, and whether its files fit each other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.errors import InputError
from workbench.formats import verifying
from workbench.formats.folder import check_manifest, read_manifest

SHOWN = 50


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """`found`: what is not as it was, at most fifty lines; `more` were found besides."""

    path: str
    files: int
    checked: int
    found: tuple[str, ...]
    more: int

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.found


def verify(directory: Path) -> VerifyReport:
    """Check the hashes and rows of every file, then what the files say.

    A file whose hash is right is read too: spans must quote their text, counts must be those of the
    manifest, the journal of a package must fold to its gold. Raises NotFoundError for a folder without a
    manifest, InputError for one that is no export of ours.
    """
    manifest = read_manifest(directory)
    found = check_manifest(directory)
    checked = 0
    more = 0

    def add(line: str) -> None:
        nonlocal more
        if len(found) < SHOWN:
            found.append(line)
        else:
            more += 1

    try:
        for name, folder in verifying.folders(directory):
            rows = _check(name, folder, bool(manifest.get("text", True)), add)
            checked += rows or 0
            said = manifest.get("counts", {}).get("rows", {}).get(name)
            if rows is not None and said is not None and rows != said:
                add(f"{name}: {rows:,} rows, {said:,} in the manifest")
    except (InputError, AttributeError, LookupError, TypeError, ValueError, OSError) as error:
        add(f"cannot be read any more: {type(error).__name__}: {error}")
    return VerifyReport(str(directory), len(manifest["files"]), checked, tuple(found[:SHOWN]), more)


def _check(name: str, folder: Path, text: bool, add: verifying.Found) -> int | None:
    """The rows that were looked at; None for a format of which only the hashes are."""
    if name == "package":
        return verifying.check_package(folder, add) if text else None
    if name not in verifying.CHECKS:
        return None
    file, check = verifying.CHECKS[name]
    paths = sorted(folder.rglob(file))
    return sum(check(path, add) for path in paths)
