"""Exporting: a dataset as native rows that import back, in a folder that is written whole or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.formats import folder, native
from workbench.model import KINDS, Effort, GoldRecord, Kind, Record, Unit
from workbench.stages.progress import Progress, silent
from workbench.store import exports, runs, samples, scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store

SAMPLES = "samples.jsonl"


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export holds."""

    path: str
    samples: int
    gold: int
    proposals: int
    manifest_sha256: str


def export(
    store: Store,
    info: DatasetInfo,
    directory: Path,
    *,
    annotator: str,
    run: str | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> ExportReport:
    """Write every sample with the run's proposal, each annotator's gold and its external scores.

    Raises ExportError when the folder is there already (unless `force` and it is an export of ours)
    or cannot be written; what stood there is untouched then.
    """
    run_id = runs.find_run(store, info.id, run).id if run else info.run_id
    counts = {"samples": 0, "gold": 0, "proposals": 0}
    with folder.writing(directory, force=force) as part:
        native.write(part / SAMPLES, _records(store, info, run_id, counts, progress))
        folder.write_manifest(
            part, counts, {"dataset": info.name, "run": run or info.run, "format": "native"}
        )
    digest = hashlib.sha256((directory / "manifest.json").read_bytes()).hexdigest()
    exports.log_export(store, info.id, str(directory.absolute()), digest, annotator)
    return ExportReport(str(directory), counts["samples"], counts["gold"], counts["proposals"], digest)


def _records(
    store: Store, info: DatasetInfo, run_id: int | None, counts: dict[str, int], progress: Progress
) -> Iterator[Record]:
    external = scores.load_external(store, info.id)
    for chunk in samples.each_chunk(store, info.id, run_id):
        ids = [stored.sample_id for stored in chunk]
        gold = exports.gold_by_annotator(store, ids)
        effort = exports.effort_by_annotator(store, ids)
        for stored in chunk:
            records = tuple(
                _gold(annotator, units, effort.get((stored.sample_id, annotator)))
                for annotator, units in gold.get(stored.sample_id, {}).items()
            )
            counts["samples"] += 1
            progress(counts["samples"])
            counts["gold"] += bool(records)
            counts["proposals"] += stored.proposal is not None
            columns = external.get(stored.sample_id, {})
            yield Record(
                stored.sample,
                stored.proposal,
                records,
                {name: digits for name, (_, digits) in columns.items()},
            )


def _gold(annotator: str, units: dict[Kind, tuple[Unit, ...]], effort: Effort | None) -> GoldRecord:
    entities, statements = (units.get(kind) for kind in KINDS)
    return GoldRecord(annotator, entities, statements, effort)
