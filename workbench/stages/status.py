"""Status: what a database holds and how far the reviews are; and copies of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from workbench.errors import UsageError
from workbench.model import Kind
from workbench.store import backup as backup_store
from workbench.store import copying, datasets, queue, runs
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store, shown_url, sqlite_path
from workbench.store.queue import Progress
from workbench.store.runs import RunInfo


@dataclass(frozen=True, slots=True)
class DatasetStatus:
    """One dataset: its settings, its runs and one annotator's progress.

    `verified`: by kind, where the policy has several: a sample is verified when every kind is.
    """

    info: DatasetInfo
    runs: tuple[RunInfo, ...]
    progress: Progress
    verified: Mapping[Kind, int]


@dataclass(frozen=True, slots=True)
class Status:
    """A database, where it is and what it holds."""

    url: str
    datasets: tuple[DatasetStatus, ...]


def status(store: Store, annotator: str, dataset: str | None = None) -> Status:
    """All datasets, or the named one. Raises NotFoundError when there is none of that name."""
    found = [datasets.find_dataset(store, dataset)] if dataset else datasets.list_datasets(store)
    return Status(
        shown_url(store.url),
        tuple(
            DatasetStatus(
                info,
                tuple(runs.list_runs(store, info.id)),
                queue.progress(store, info.id, annotator, info.kinds),
                {
                    kind: queue.progress(store, info.id, annotator, (kind,)).verified
                    for kind in info.kinds
                    if len(info.kinds) > 1
                },
            )
            for info in found
        ),
    )


@dataclass(frozen=True, slots=True)
class CopyReport:
    """A database that was copied: where to, and its tables as either side has them."""

    target: str
    tables: tuple[copying.Copied, ...]


def copy(store: Store, to: str, dataset_id: int | None, progress: Callable[[int], None]) -> CopyReport:
    """Copy a database, or one dataset of it, into an empty one; raises as `copying.copy_into`."""
    target, tables = copying.copy_into(store, to, dataset_id, progress)
    return CopyReport(target, tuple(tables))


def backup(store: Store, target: Path | None, now: datetime) -> Path:
    """Copy a SQLite database while it is in use; by default beside it, with the time in the name.

    Raises UsageError for another database or an existing target, StoreError when the copy fails.
    """
    path = sqlite_path(store.url)
    if path is None:
        raise UsageError("backup copies SQLite files; use your server's own tools (pg_dump) for this one")
    if target is None:
        return backup_store.backup_file(path, now.strftime("%Y%m%d-%H%M%S"))
    return backup_store.copy_to(path, target)
