"""Verifying an export: whether it is what was written, and whether its files fit each other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.formats.exports.folder import MANIFEST, check_manifest, home_of, read_manifest
from workbench.formats.exports.verify import CHECKS, TROUBLE, check_itself, folders, wrong

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
    """Check the manifest's own checksum, the hash of every file, and that each format has its files.

    A file whose hash is right is read too, and its spans must quote their text. The folder of one format of
    several is checked with all of them. Raises NotFoundError for a folder without a manifest,
    InputError for one that is no export of ours.
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
        for name, each in folders(home, manifest, add):
            if name not in CHECKS:
                unread.append(name)
                continue
            file, look = CHECKS[name]
            checked += sum(look(place / file, add) for place in each)
    except TROUBLE as error:  # of the manifest: what a row may raise was said with its place
        add(f"{home / MANIFEST}: {wrong(error)}")
    except OSError as error:
        add(f"{error.filename or home}: cannot be read: {error.strerror or error}")
    return VerifyReport(
        str(home), len(manifest["files"]), checked, tuple(found), more,
        asked=str(directory), unread=tuple(unread), text=bool(manifest.get("text", True)),
    )  # fmt: skip
