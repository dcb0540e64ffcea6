"""Verifying an export: whether it is what was written, and whether its files fit each other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.formats.folder import MANIFEST, check_manifest, home_of, read_manifest
from workbench.formats.verifying import CHECKS, TROUBLE, Counted, Found, wrong
from workbench.formats.verifying_folders import check_itself, folders, rows_listed
from workbench.formats.verifying_package import check_figures, check_package

SHOWN = 50


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """`found`: what is not as it was, at most fifty lines; `more` were found besides.

    `path` is the folder of the manifest, `asked` the one that was named. `unread`: formats of which hashes
    and numbers of rows were checked, and no more. `text`: it was exported with its texts.
    """

    path: str
    files: int
    checked: int
    found: tuple[str, ...]
    more: int
    asked: str = ""
    unread: tuple[str, ...] = ()
    text: bool = True

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.found


def verify(directory: Path) -> VerifyReport:
    """Check the manifest's own checksum, the hashes and rows of every file, then what the files say.

    A file whose hash is right is read too: spans must quote their text, counts must be those of the
    manifest, the journal of a package must fold to its gold. The folder of one format of several is checked
    with all of them. Raises NotFoundError for a folder without a manifest, InputError for one that is no
    export of ours.
    """
    home = home_of(directory)
    manifest = read_manifest(home)
    found: list[str] = []
    unread: list[str] = []
    checked = more = 0

    def add(line: str) -> None:
        nonlocal more
        if len(found) < SHOWN:
            found.append(line)
        else:
            more += 1

    try:
        check_itself(manifest, add)
        for line in check_manifest(home):
            add(line)
        for name, folder, each in folders(home, manifest, add):
            counted = _check(name, folder, each, manifest, add)
            if counted is None:
                unread.append(name)
                listed = rows_listed(home, manifest, name, each)
                counted = None if listed is None else Counted(listed, whole=name == "csv")
            else:
                checked += counted.rows
            if counted is not None:
                _compare(name, counted, manifest, add)
    except TROUBLE as error:  # of the manifest: what a row may raise was said with its place
        add(f"{home / MANIFEST}: {wrong(error)}")
    except OSError as error:
        add(f"{error.filename or home}: cannot be read: {error.strerror or error}")
    return VerifyReport(
        str(home), len(manifest["files"]), checked, tuple(found), more,
        asked=str(directory), unread=tuple(unread), text=bool(manifest.get("text", True)),
    )  # fmt: skip


def _check(name: str, folder: Path, each: list[Path], manifest: dict[str, Any], add: Found) -> Counted | None:
    """What a format's rows come to; None for one that is not read."""
    if name == "package":
        check = check_package if manifest.get("text", True) else check_figures
        return check(folder, manifest, add)
    if name not in CHECKS:
        return None
    file, look = CHECKS[name]
    counted = Counted()
    for place in each:
        counted.add(look(place / file, add))
    return counted


def _compare(name: str, counted: Counted, manifest: dict[str, Any], add: Found) -> None:
    """Say which of the manifest's counts are not those of a format's rows."""
    said = manifest["counts"]
    for what, number, count in (
        ("rows", counted.rows, said["rows"].get(name)),
        ("samples", counted.rows if counted.whole else None, said["samples"]),
        ("samples with gold", counted.gold, said["gold"]),
        ("samples with a proposal", counted.proposals, said["proposals"]),
    ):
        if number is not None and number != count:
            add(f"{name}: {number:,} {what}, {count!r} in the manifest")
