"""Purging: the text of samples goes for good, their hashes stay, and what cannot be reached is named."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import StoreError
from workbench.formats.exports.folder import being_written, leftovers, manifest_hash
from workbench.formats.rejects import SUFFIX as REJECTED
from workbench.store import export_log
from workbench.store import purge as purge_store
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store, sqlite_path

SHOWN = 10


@dataclass(frozen=True, slots=True)
class PurgePlan:
    """What a purge would do. `keys`: the samples by id, also those whose rows went before.

    The other fields are those of the report.
    """

    dataset: str
    samples: int
    ids: tuple[int, ...]
    keys: tuple[str, ...]
    backups: tuple[str, ...]
    exports: tuple[str, ...]
    look: tuple[str, ...]
    sharing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What a purge did. `by_hand`: copies that could not be rewritten, each with the reason.

    `exports` are the folders that hold one of the samples; `look` the places where a person has to look
    whether one does, each with the reason; `sharing` other samples with the same reference, whose text stays.
    `copies`: whether other copies may exist.
    """

    dataset: str
    samples: int
    rewritten: tuple[str, ...]
    by_hand: tuple[str, ...]
    exports: tuple[str, ...]
    look: tuple[str, ...]
    sharing: tuple[str, ...]
    copies: bool


def plan_purge(store: Store, info: DatasetInfo, keys: Sequence[str]) -> PurgePlan:
    """Look at what a purge of some samples, of all without ids, would reach. Nothing is changed.

    Raises NotFoundError for an id that is neither there nor was purged.
    """
    found, before = purge_store.find_keys(store, info.id, keys)
    every = (*found, *before)
    held, look = _exports(export_log.held_by(store, info.id, every))
    return PurgePlan(
        dataset=info.name,
        samples=len(found),
        ids=tuple(found.values()),
        keys=every,
        backups=tuple(str(path) for path in purge_store.backups_of(store) if _holds(path, info.name, every)),
        exports=held,
        look=(*look, *_cut_off(store, info.id)),
        sharing=tuple(purge_store.same_references(store, info.id, tuple(found.values()))),
    )


def purge(store: Store, info: DatasetInfo, plan: PurgePlan, annotator: str) -> PurgeReport:
    """Remove the planned samples from every table, from the bytes of the file and from known backups.

    Raises StoreError when the rows are gone but another program keeps the file from being rewritten.
    """
    purge_store.remove(store, info.id, plan.ids, annotator)
    purge_store.scrub(store)
    rewritten: list[str] = []
    by_hand: list[str] = []
    for name in plan.backups:
        try:
            purge_store.remove_from_copy(Path(name), info.name, plan.keys)
            rewritten.append(name)
        except (StoreError, OSError) as error:
            by_hand.append(f"{name}: {error}")
    return PurgeReport(
        dataset=info.name,
        samples=plan.samples,
        rewritten=tuple(rewritten),
        by_hand=tuple(by_hand),
        exports=plan.exports,
        look=plan.look,
        sharing=plan.sharing,
        copies=sqlite_path(store.url) is not None,
    )


def _holds(path: Path, dataset: str, keys: Sequence[str]) -> bool:
    """Whether a copy holds one of the samples; one that cannot be read may."""
    try:
        return purge_store.holds(path, dataset, keys)
    except StoreError:
        return True


def _exports(held: Iterable[export_log.Held]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The folders that hold a sample for certain, and where to look for the others, with the reason."""
    there: dict[str, None] = {}
    look: dict[str, None] = {}
    for one in held:
        why = _why_look(one)
        if why:
            look[f"{one.path}: {why}"] = None
        else:
            there[one.path] = None
    return tuple(there), tuple(look)


def _why_look(one: export_log.Held) -> str:
    """Why it is not known whether an export at its place holds a sample; empty where it is."""
    folder = Path(one.path)
    known = manifest_hash(folder)
    said = "held it" if one.certain else "may have held it"
    if not known and _empty(folder):
        return f"the export there {said} and is gone: if it was moved, delete it where it is now"
    if known and known != one.manifest_sha256:
        return f"the export there {said}; now another or a changed one is in its place: look where it went"
    if not one.certain:
        return "the export there may hold it: look, or delete it"
    return ""


def _empty(folder: Path) -> bool:
    """Whether nothing is at a place; not where it cannot be read."""
    try:
        return not any(folder.iterdir())
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _cut_off(store: Store, dataset_id: int) -> list[str]:
    """What exports and imports that were cut off left: next to the database, next to known exports, and where
    refused rows go."""
    path = sqlite_path(store.url)
    beside = [path.absolute()] if path is not None else []
    logged = [Path(row.path) for row in export_log.list_exports(store, dataset_id)]
    parents = dict.fromkeys(one.parent for one in (*beside, *logged))
    refused = {Path.cwd(), Path(tempfile.gettempdir())} - set(parents)
    left = [one for parent in parents for one in leftovers(parent)]
    left += [one for parent in sorted(refused) for one in leftovers(parent) if REJECTED in one.name]
    return [f"{one}: {_cut_off_by('import' if REJECTED in one.name else 'export', one)}" for one in left]


def _cut_off_by(what: str, one: Path) -> str:
    if being_written(one):
        return f"an {what} is being written there, it may hold it"
    return f"an {what} that was cut off left it, it may hold it: delete it"
