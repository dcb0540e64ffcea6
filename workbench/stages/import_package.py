"""Importing a package: an equal dataset, with its journal, plan and draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from workbench.errors import InputError, RowError, UsageError
from workbench.formats import native, package
from workbench.formats.rows import Notes
from workbench.model import Sample
from workbench.stages.progress import Progress, silent
from workbench.store import datasets, packages, restoring
from workbench.store.engine import Store


@dataclass(frozen=True, slots=True)
class PackageReport:
    """What a package brought."""

    path: str
    dataset: str
    samples: int
    reviews: int
    units: int
    events: int


def is_package(path: Path) -> bool:
    """Whether a folder is a package, or holds one among other formats."""
    return package.is_package(path) or package.is_package(path / "package")


def import_package(
    store: Store, path: Path, name: str | None = None, progress: Progress = silent
) -> PackageReport:
    """Make a new dataset of a package; what its people did stands there as it did, what was purged stays out.

    Everything goes in or nothing. Raises UsageError when there is a dataset of that name, InputError for a
    package that was changed since it was written, holds no text, or does not fit together.
    """
    folder = path if package.is_package(path) else path / "package"
    document = package.read_dataset(folder)
    try:
        name = name or str(document["dataset"]["name"])
        if any(info.name == name for info in datasets.list_datasets(store)):
            raise UsageError(f"there is a dataset {name!r} already: name another one with --dataset")
        with restoring.restoring(store, name, document) as work:
            samples = _samples(folder, work, progress)
            events = _Counted(package.rows(folder, package.EVENTS))
            restoring.add_events(work, events)
            units = restoring.settle_reviews(work)
            packages.add_tombstones(work.session, work.dataset_id, document.get("purged", []))
        return PackageReport(str(path), name, samples, len(work.reviews), units, events.number)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{folder}: not a package of this version: {type(error).__name__} {error}"
        ) from error


class _Counted:
    """Rows, counted as they go by."""

    def __init__(self, rows: Iterator[dict[str, Any]]) -> None:
        self.rows = rows
        self.number = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in self.rows:
            self.number += 1
            yield row


def _samples(folder: Path, work: restoring.Restoring, progress: Progress) -> int:
    waiting = package.rows(folder, package.REFERENCES)
    number = 0
    while chunk := list(islice(waiting, restoring.CHUNK)):
        read = []
        for place, row in enumerate(chunk, number + 1):
            row.setdefault("scores", {})
            read.append((_sample(folder, place, row), row))
        restoring.add_samples(work, read)
        number += len(chunk)
        progress(number)
    return number


_KEYS = ("id", "user_input", "reference", "retrieved_contexts", "response", "meta", "group", "alternatives")


def _sample(folder: Path, line: int, row: dict[str, Any]) -> Sample:
    """The sample of a reference row, checked as a native one and against its hash."""
    given = {key: row[key] for key in _KEYS if key in row}
    try:
        sample = native.build(given, Notes(), {}, {}).sample
    except RowError as error:
        raise InputError(f"{folder / package.REFERENCES}:{line}: {error}") from error
    if sample.content_hash != row["content_hash"]:
        raise InputError(f"{folder / package.REFERENCES}:{line}: the text is not that of its hash")
    return sample
