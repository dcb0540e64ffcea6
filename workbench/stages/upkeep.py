"""What a database holds and how far its reviews are, copies of it, checks of exports, and removing text."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from workbench.errors import StoreError
from workbench.formats.exports.folder import (
    being_written,
    check_manifest,
    check_outside,
    home_of,
    leftovers,
    manifest_hash,
    read_manifest,
    remove_left,
)
from workbench.formats.exports.item import SAMPLES
from workbench.formats.exports.verify import check_itself, check_native, folders
from workbench.formats.rejects import SUFFIX as REJECTED
from workbench.stages import training
from workbench.stages.people import Person, check, colleagues
from workbench.stages.team import Team, team
from workbench.stages.training import Training
from workbench.store import (
    checking,
    copying,
    database,
    datasets,
    exports as export_log,
    gold,
    purge as purge_store,
    queue,
    runs,
)
from workbench.store.database import shown_url, sqlite_path
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.queue import Progress
from workbench.store.runs import RunInfo


@dataclass(frozen=True)
class DatasetStatus:
    """One dataset: its settings, its runs and one annotator's progress.

    `blind`: how many samples nobody verified yet and are to be reviewed without suggestions.
    `unresolved`: on how many of the verified samples people differ. `team`: how far its assignments are,
    `training`: how far people are who are trained for it; None without.
    """

    info: DatasetInfo
    runs: tuple[RunInfo, ...]
    progress: Progress
    blind: int
    unresolved: int
    team: Team | None
    training: Training | None


@dataclass(frozen=True)
class DatabaseStatus:
    """A database, where it is, what it holds and who works there; nobody: everybody is an owner."""

    url: str
    datasets: tuple[DatasetStatus, ...]
    people: tuple[Person, ...] = ()


def status(store: Store, annotator: str, dataset: str | None = None) -> DatabaseStatus:
    """All datasets, or the named one. Raises NotFoundError when there is none of that name."""
    listed = [datasets.find_dataset(store, dataset)] if dataset else datasets.list_datasets(store)
    return DatabaseStatus(
        shown_url(store.url),
        tuple(
            DatasetStatus(
                info,
                tuple(runs.present_runs(store, info.id)),
                queue.progress(store, info, annotator),
                datasets.count_blind(store, info.id),
                len(gold.unresolved(store, gold.several(store, info), info.kinds)),
                team(store, info, annotator),
                training.progress(store, info, annotator) if info.training is not None else None,
            )
            for info in listed
        ),
        tuple(colleagues(store, annotator)),
    )


def backup(store: Store, target: Path | None, now: datetime, annotator: str) -> Path:
    """Copy a database while it is in use, by default under a name with the time.

    Raises as the store does, and UsageError.
    """
    check(store, annotator, "copy the database")
    check_outside(target)
    return database.backup(store.url, now.strftime("%Y%m%d-%H%M%S"), target)


def rows_of(store: Store, dataset: str | None) -> tuple[int | None, int]:
    """The dataset of a name and its rows in all tables; of the whole database None and all its rows."""
    only = None if dataset is None else datasets.find_dataset(store, dataset).id
    return only, copying.count_rows(store, only)


def copy(
    store: Store, to: str, dataset_id: int | None, annotator: str, progress: Callable[[int], None]
) -> copying.CopyReport:
    """Copy the whole database, or one dataset, into an empty database of any kind. Raises UsageError."""
    check(store, annotator, "copy the database")
    check_outside(sqlite_path(database.full_url(to)))
    return copying.copy_into(store, to, dataset_id, progress)


LISTED = 50


@dataclass(frozen=True)
class DoctorReport:
    """`found`: the rows that are not as they must be, at most fifty; `more` were found besides."""

    url: str
    rows: int
    found: tuple[str, ...]
    more: int


def doctor(store: Store, progress: Callable[[int], None]) -> DoctorReport:
    """Check every row of a database against the others; nothing is changed."""
    rows = 0

    def count(done: int) -> None:
        nonlocal rows
        rows = done
        progress(done)

    lines = list(checking.check(store, count))
    return DoctorReport(shown_url(store.url), rows, tuple(lines[:LISTED]), len(lines[LISTED:]))


@dataclass(frozen=True)
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
    listed: list[str] = []
    unread: list[str] = []
    checked = more = 0

    def found(line: str) -> None:
        nonlocal more
        if len(listed) < LISTED:
            listed.append(line)
        else:  # a broken export of a million rows would fill the memory
            more += 1

    try:
        check_itself(manifest, found)
        for line in check_manifest(home):
            found(line)
        for name, each in folders(home, manifest, found):
            if name == "native":
                checked += sum(check_native(path / SAMPLES, found) for path in each)
            else:
                unread.append(name)
    except OSError as error:
        found(f"{error.filename or home}: cannot be read: {error.strerror or error}")
    return VerifyReport(
        str(home), len(manifest["files"]), checked, tuple(listed), more,
        asked=str(directory), unread=tuple(unread), text=bool(manifest.get("text", True)),
    )  # fmt: skip


@dataclass(frozen=True)
class PurgeReport:
    """What a purge would do, and did. `keys`: the samples by id, also those whose rows went before.

    `exports` are the folders that hold one of the samples; `leftovers` what exports and imports that were cut
    off left, which may hold one and which the purge removes; `look` the places where a person has to look
    whether one does, each with the reason; `sharing` other samples with the same reference, whose text stays.
    Of the `backups`, `rewritten` hold none of them any more; `by_hand` could not be rewritten, each with the
    reason. `copies`: whether other copies may exist.
    """

    dataset: str
    samples: int
    ids: tuple[int, ...]
    keys: tuple[str, ...]
    backups: tuple[str, ...]
    exports: tuple[str, ...]
    leftovers: tuple[str, ...]
    look: tuple[str, ...]
    sharing: tuple[str, ...]
    rewritten: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    copies: bool = False


def plan_purge(store: Store, info: DatasetInfo, keys: Sequence[str], annotator: str) -> PurgeReport:
    """Look at what a purge of some samples, of all without ids, would reach. Nothing is changed.

    Raises NotFoundError for an id that is neither there nor was purged, UsageError for who may not purge.
    """
    check(store, annotator, "remove samples")
    samples, before = purge_store.find_keys(store, info.id, keys)
    every = (*samples, *before)
    # The folders that hold a sample for certain, and where to look for the others, with the reason
    held: dict[str, None] = {}
    look: dict[str, None] = {}
    for row in export_log.held_by(store, info.id, every):
        folder = Path(row.path)
        known = manifest_hash(folder)
        phrase = "held it" if row.whole else "may have held it"
        if not known and _empty(folder):
            why = f"the export there {phrase} and is gone: if it was moved, delete it where it is now"
        elif known and known != row.manifest_sha256:
            why = f"the export there {phrase}; now another or a changed one is in its place: look for it"
        elif not row.whole:
            why = "the export there may hold it: look, or delete it"
        else:
            held[row.path] = None
            continue
        look[f"{row.path}: {why}"] = None
    backups = [path for path in purge_store.backups_of(store) if purge_store.holds(path, info.name, every)]
    left, lines = _cut_off(store, info.id)
    lines += [
        f"{run.name}: a batch of it is at the service and may bring back names of this text: fetch it first "
        f"(workbench propose --proposer {run.proposer} --model {run.model} --batch)"
        for run in runs.list_runs(store, info.id)
        if runs.open_batches(store, run.id)
    ]
    return PurgeReport(
        dataset=info.name,
        samples=len(samples),
        ids=tuple(samples.values()),
        keys=every,
        backups=tuple(map(str, backups)),
        exports=tuple(held),
        leftovers=tuple(map(str, left)),
        look=(*look, *lines),
        sharing=tuple(purge_store.same_references(store, info.id, tuple(samples.values()))),
    )


def purge(store: Store, info: DatasetInfo, plan: PurgeReport, annotator: str) -> PurgeReport:
    """Remove the planned samples from every table, from the bytes of the file and from known backups, and
    what cut-off exports and imports left.

    Raises StoreError when the rows are gone but another program keeps the file from being rewritten.
    """
    check(store, annotator, "remove samples")
    purge_store.remove(store, info.id, plan.ids, annotator)
    purge_store.scrub(store)
    rewritten, by_hand = [], []
    for name in plan.backups:
        try:
            purge_store.remove_from_copy(Path(name), info.name, plan.keys)
            rewritten.append(name)
        except (StoreError, OSError) as error:
            by_hand.append(f"{name}: {error}")
    for name in plan.leftovers:
        remove_left(Path(name))
        if Path(name).exists():
            by_hand.append(f"{name}: it cannot be removed")
    copies = sqlite_path(store.url) is not None
    return replace(plan, rewritten=tuple(rewritten), by_hand=tuple(by_hand), copies=copies)


def _empty(folder: Path) -> bool:
    """Whether nothing is at a place; not where it cannot be read."""
    try:
        return not folder.exists() or not any(folder.iterdir())
    except OSError:
        return False


def _cut_off(store: Store, dataset_id: int) -> tuple[list[Path], list[str]]:
    """What exports and imports that were cut off left, and what a person has to look at, with the reason.

    It is next to the database, next to known exports, and where refused rows go.
    """
    path = sqlite_path(store.url)
    own = [path.absolute()] if path is not None else []
    logged = [Path(row.path) for row in export_log.list_exports(store, dataset_id)]
    parents = dict.fromkeys(path.parent for path in (*own, *logged))
    refused = sorted({Path.cwd(), Path(tempfile.gettempdir())} - set(parents))
    paths = [leftover for parent in parents for leftover in leftovers(parent)]
    paths += [path for parent in refused for path in leftovers(parent) if REJECTED in path.name]
    left: list[Path] = []
    look: list[str] = []
    for leftover in paths:
        if being_written(leftover):
            what = "import" if REJECTED in leftover.name else "export"
            look.append(f"{leftover}: an {what} is being written there, it may hold it")
        elif leftover.suffix == ".partial":
            left.append(leftover)
        else:
            why = "it may be all that is left of an export that was cut off, and may hold it"
            look.append(f"{leftover}: {why}")
    return left, look
