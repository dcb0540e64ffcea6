"""Purging: the text of samples goes for good, their hashes stay, and what cannot be reached is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import StoreError
from workbench.store import exports
from workbench.store import purge as purge_store
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store, sqlite_path

SHOWN = 10


@dataclass(frozen=True, slots=True)
class PurgePlan:
    """What a purge would do. `keys`: the samples by id, also those whose rows went before."""

    dataset: str
    samples: int
    ids: tuple[int, ...]
    keys: tuple[str, ...]
    backups: tuple[str, ...]
    exports: tuple[str, ...]
    sharing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What a purge did. `by_hand`: copies that could not be rewritten, each with the reason.

    `exports` are the folders that were written from this dataset and are still there; `sharing` other samples
    with the same reference, whose text stays. `copies`: whether other copies may exist.
    """

    dataset: str
    samples: int
    rewritten: tuple[str, ...]
    by_hand: tuple[str, ...]
    exports: tuple[str, ...]
    sharing: tuple[str, ...]
    copies: bool


def plan_purge(store: Store, info: DatasetInfo, keys: Sequence[str]) -> PurgePlan:
    """Look at what a purge of some samples, of all without ids, would reach. Nothing is changed.

    Raises NotFoundError for an id that is neither there nor was purged.
    """
    found, before = purge_store.find_keys(store, info.id, keys)
    every = (*found, *before)
    logged = dict.fromkeys(row.path for row in exports.list_exports(store, info.id))
    return PurgePlan(
        dataset=info.name,
        samples=len(found),
        ids=tuple(found.values()),
        keys=every,
        backups=tuple(str(path) for path in purge_store.backups_of(store) if _holds(path, info.name, every)),
        exports=tuple(path for path in logged if Path(path).exists()),
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
        sharing=plan.sharing,
        copies=sqlite_path(store.url) is not None,
    )


def _holds(path: Path, dataset: str, keys: Sequence[str]) -> bool:
    """Whether a copy holds one of the samples; one that cannot be read may."""
    try:
        return purge_store.holds(path, dataset, keys)
    except StoreError:
        return True
