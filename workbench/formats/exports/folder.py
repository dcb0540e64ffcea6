"""Files and folders that appear whole or not at all.

An export folder is written aside, as `.NAME.TOKEN.partial` next to its place, moved there as a whole, and has
a manifest of its files. Who writes such a folder holds a lock on it that ends with the process. So the next
export to the same place can tell what a killed one left behind from what another one is still writing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import workbench
from workbench.errors import ExportError, InputError, NotFoundError, disk_errors
from workbench.model import JsonObject, sha256
from workbench.text.safe import clean, templates

if TYPE_CHECKING:
    from workbench.formats.exports.item import Surroundings

MANIFEST = "manifest.json"
SCHEMA = "workbench-export"
SCHEMA_VERSION = 1
NAMED = 5
"""Files in the way that a message names."""

CHECKSUM = "manifest_sha256"
"""The key of the manifest's own checksum."""


@contextmanager
def writing(directory: Path, *, force: bool = False) -> Iterator[Path]:
    """A folder to write an export into; it becomes `directory` when the block ends well.

    The files are flushed to disk and the whole folder is renamed. When the block fails nothing is left
    behind and what stood at `directory` is untouched; what a killed process left is removed by the next
    export to that place. With `force` an earlier export is replaced: the two are exchanged in one step
    where the system can, and the old one is removed last.

    Raises ExportError when `directory` is not empty (and not forced, no export of ours, or with files
    that its manifest does not name: they would be lost), or when the disk refuses.
    """
    target = directory.resolve()
    check_free(directory, force=force)
    with disk_errors(ExportError, f"{directory}: not written"):
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(target) as aside:
            yield aside
            for folder, _, names in os.walk(aside, topdown=False):  # innermost first
                for name in (*names, ""):
                    sync(Path(folder, name))
            check_free(directory, force=force)
            _put(aside, target)


def write_manifest(folder: Path, counts: JsonObject, extra: JsonObject) -> JsonObject:
    """Write `manifest.json` over all other files of the folder: path, sha256 and bytes of each.

    It ends up with a checksum of itself, so that an edited figure is noticed; who means to can make another
    one. The same files, counts and extra give the same bytes. Returns the manifest.
    """
    manifest = {
        **extra,
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "workbench", "version": workbench.__version__},
        "counts": dict(counts),
        "files": [_described(folder, path) for path in _files(folder)],
    }
    manifest[CHECKSUM] = checksum(json.loads(json.dumps(manifest)))
    text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8", newline="\n")
    return manifest


def checksum(manifest: JsonObject) -> str:
    """The SHA-256 of a manifest without its checksum: ASCII JSON, keys sorted, without blanks."""
    rest = {key: value for key, value in manifest.items() if key != CHECKSUM}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return sha256(text)


def read_manifest(folder: Path) -> JsonObject:
    """The manifest of an export. Raises NotFoundError without one, InputError when it is not ours."""
    path = folder / MANIFEST
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        why = f"no {MANIFEST}: not an export" if folder.is_dir() else "no such folder"
        why = "a file: name the folder of the export" if folder.is_file() else why
        raise NotFoundError(f"{folder}: {why}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    files = value.get("files") if type(value) is dict else None
    if type(value) is not dict or value.get("schema") != SCHEMA or type(files) is not list:
        raise InputError(f"{path}: not the manifest of an export")
    if not all(type(file) is dict and type(file.get("path")) is str for file in files):
        raise InputError(f"{path}: its list of files is broken")
    return value


def manifest_hash(folder: Path) -> str:
    """The SHA-256 of a folder's manifest, by which its export is known again; empty without one."""
    try:
        return hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
    except OSError:
        return ""


def home_of(directory: Path) -> Path:
    """The folder whose manifest speaks of a folder: its own, or for one format of several, or a split of it,
    one or two above. The folder itself where there is none.
    """
    if (directory / MANIFEST).exists() or not directory.is_dir():
        return directory
    home, inside = directory, directory.resolve()
    for _ in range(2):
        home = home.parent if home.name not in ("", "..") else home / ".."
        try:
            files = read_manifest(home)["files"]
        except (NotFoundError, InputError):
            continue
        below = inside.relative_to(home.resolve()).as_posix()
        if any(file["path"].startswith(f"{below}/") for file in files):
            return home
    return directory


def is_export(folder: Path) -> bool:
    """Whether a folder is an export or one inside it, where a new file would not be in the manifest."""
    with suppress(NotFoundError, InputError, OSError):
        return bool(read_manifest(home_of(folder)))
    return False


def check_outside(path: Path | None) -> None:
    """Raise ExportError for a place inside an export, which stays as it is; no place is none."""
    if path and is_export(next(folder for folder in path.absolute().parents if folder.is_dir())):
        raise ExportError(f"{path}: the folder holds an export, which stays as it is: name another place")


def check_manifest(folder: Path) -> list[str]:
    """What differs between the folder and its manifest, one line each; empty when nothing does.

    Raises as `read_manifest`.
    """
    listed = {str(file["path"]): file for file in read_manifest(folder)["files"]}
    there = {path.relative_to(folder).as_posix(): path for path in _files(folder)}
    lines = [f"missing: {name}" for name in listed if name not in there]
    lines += [f"not in the manifest: {name}" for name in there if name not in listed]
    for name in sorted(listed.keys() & there.keys()):
        now = _described(folder, there[name])
        for key in ("sha256", "bytes"):
            if listed[name].get(key) != now.get(key):
                was = listed[name].get(key)
                lines.append(f"changed: {name}: {key} {was} in the manifest, {now.get(key)} in the file")
                break
    return sorted(lines)


def check_free(directory: Path, *, force: bool) -> None:
    """Raise ExportError where an export may not stand; nothing is changed here."""
    check_outside(directory)
    target = directory.resolve()
    if not os.path.lexists(target):
        return
    if not target.is_dir():
        raise ExportError(f"{directory}: there is a file of that name")
    if not any(target.iterdir()):
        return
    try:
        listed = {MANIFEST, *(str(file["path"]) for file in read_manifest(target)["files"])}
    except (InputError, NotFoundError):
        raise ExportError(f"{directory}: not empty and no export of ours: name another folder") from None
    if not force:
        raise ExportError(f"{directory}: holds an export: name another folder, or replace it with --force")
    there = (path for path in target.rglob("*") if path.is_symlink() or not path.is_dir())
    others = sorted(name for path in there if (name := path.relative_to(target).as_posix()) not in listed)
    if others:
        shown = ", ".join(others[:NAMED]) + (f" and {len(others) - NAMED:,} more" if others[NAMED:] else "")
        what = "is not of" if len(others) == 1 else "are not of"
        raise ExportError(
            f"{directory}: {shown} {what} the export there: move what is yours away, or name another folder"
        )


def _put(aside: Path, target: Path) -> None:
    """Move the finished folder to its place; an earlier one is exchanged and removed last."""
    if target.exists() and any(target.iterdir()):
        if not _exchange(aside, target):
            earlier = aside.with_suffix(".earlier")
            target.rename(earlier)
            try:
                aside.rename(target)
            except OSError:
                earlier.rename(target)
                raise
            earlier.rename(aside)
        sync(target.parent)
        return  # `aside` now holds the earlier export: the caller removes it
    if target.exists():
        target.rmdir()
    aside.rename(target)
    sync(target.parent)


def _exchange(path: Path, other: Path) -> bool:
    """Exchange two folders in one step (Linux renameat2); False where the system cannot."""
    if sys.platform != "linux":
        return False
    import ctypes

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(rename(here, os.fsencode(path), here, os.fsencode(other), exchange) == 0)


def sync(path: Path) -> None:
    if path.is_dir() and os.name == "nt":  # Windows cannot open a folder
        return
    handle = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _files(folder: Path) -> list[Path]:
    """Every file below the folder but its manifest, in the order of their names."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path != folder / MANIFEST]
    return sorted(paths, key=lambda path: path.relative_to(folder).as_posix())


def _described(folder: Path, path: Path) -> JsonObject:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    name = path.relative_to(folder).as_posix()
    return {"path": name, "sha256": digest.hexdigest(), "bytes": path.stat().st_size}


_NAME = re.compile(r"\.(?P<target>.+)\.[0-9a-f]{8}\.(partial|earlier)", re.DOTALL)


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """A new folder next to `target`, held as long as the block lasts; what is left of it then is removed.

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
        pairs = ((path, _NAME.fullmatch(path.name)) for path in parent.iterdir())
        mine = (path for path, match in pairs if match and (name is None or match["target"] == name))
        return sorted(path for path in mine if path.is_dir() and not path.is_symlink())
    return []


def remove_leftovers(target: Path) -> None:
    """Remove what killed processes left behind next to `target`."""
    for leftover in leftovers(target.parent, target.name):
        if leftover.suffix == ".partial":  # `.earlier` may be all that is left of the export before
            remove_left(leftover)


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


def remove_left(aside: Path) -> None:
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


DATABASE = b"SQLite format 3\0"


def write_whole(path: Path, text: str, *, force: bool = False) -> None:
    """Write a text next to its place and rename it there.

    Raises ExportError when something stands there (with `force` only a folder or a database), or the disk
    refuses.
    """
    if path.is_dir():
        raise ExportError(f"{path}: is a folder; name a file")
    check_outside(path)
    if path.exists():
        with suppress(OSError), path.open("rb") as file:
            if file.read(len(DATABASE)) == DATABASE:
                raise ExportError(f"{path}: is a database; nothing is written over it")
        if not force:
            raise ExportError(f"{path}: is there already; --force replaces it")
    with disk_errors(ExportError, f"{path}: not written"), unfinished(path) as folder:
        aside = folder / path.name
        aside.write_text(text, encoding="utf-8", newline="\n")
        sync(aside)
        aside.replace(path)


_MARKUP = re.compile(r"([\\`*_\[\]|~#!$])")


def rendered(template: str, **values: object) -> str:
    """The text of a file of `templates/` with these values."""
    from xml.sax.saxutils import quoteattr  # brings a client for the web

    environment = templates("workbench.formats.exports", markup=False, keep_trailing_newline=True)
    environment.filters |= {"plain": plain, "quoted": _quoted, "quoteattr": quoteattr}
    return environment.get_template(template).render(values)


def write_card(
    folder: Path,
    about: Surroundings,
    rows: int,
    files: Iterable[str],
    manifest: JsonObject,
    counts: Mapping[str, int],
) -> None:
    """Write the card of a Hugging Face dataset: YAML that the Hub reads, and a page for people."""
    models = {
        ", ".join(run["models_returned"]) or run["model"] or run["proposer"] for run in manifest["models"]
    }
    limits = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
    size = next((name for limit, name in limits if rows < limit), "1M<n<10M")  # as the Hub calls it
    text = rendered(
        "card.md", dataset=about.dataset, licence=about.licence, files=files, size=size, counts=counts,
        manifest=manifest, sampling=manifest["sampling"],
        models="; ".join(map(plain, sorted(models))) or "nobody",
    )  # fmt: skip
    (folder / "README.md").write_text(text, encoding="utf-8", newline="\n")


def _quoted(text: str) -> str:
    """A text as YAML holds it in quotes; what does not print, or hides, as an escape."""
    return "".join(
        char if char.isprintable() else f"\\U{ord(char):08x}" if char > "\uffff" else f"\\u{ord(char):04x}"
        for char in json.dumps(text, ensure_ascii=False)
    )


def plain(text: str) -> str:
    """A name in a Markdown page: shown as it is, without HTML, links or hidden characters."""
    words = " ".join(clean(text).split())
    return _MARKUP.sub(r"\\\1", words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
