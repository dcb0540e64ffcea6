"""What the Calibrate screen shows: a dataset ready for every threshold, and the fit its gold allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench.comparing.calibration import Calibrated
from workbench.comparing.moves import Moves, moves
from workbench.errors import UsageError
from workbench.matching import MATCHER
from workbench.stages import bulk, calibrate
from workbench.stages.calibrate_cases import Gathered, gather
from workbench.stages.progress import Progress, silent
from workbench.store import samples, scores
from workbench.store.datasets import DatasetInfo, dataset_info
from workbench.store.engine import Store
from workbench.store.runs import RunInfo


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some samples matched, to be kept as they were read."""

    run_id: int
    found: Mapping[int, Any]
    hashes: Mapping[int, str]
    policy_version: int


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a dataset. `found` is None while too little is verified, and `why` then says so.

    `openings`: how often the holdout was opened.
    """

    info: DatasetInfo
    run: RunInfo
    gathered: Gathered
    moves: Moves
    found: Calibrated | None
    why: str
    openings: int
    saved: tuple[str, ...]


def look(store: Store, dataset_id: int, objective: str, seed: int = 0, progress: Progress = silent) -> Look:
    """Read the dataset and fit it. Raises UsageError when nothing is proposed or counted."""
    info = dataset_info(store, dataset_id)
    run = calibrate.run_of(store, info, None)
    gathered = gather(store, info, run, None, progress=progress)
    return fitted(
        Look(
            info=info,
            run=run,
            gathered=gathered,
            moves=moves(list(gathered.everything.values()), info.threshold),
            found=None,
            why="",
            openings=calibrate.count_openings(store, info),
            saved=tuple(one.name for one in calibrate.saved_calibrations(store, info)),
        ),
        calibrate.threshold_now(store, info),
        objective,
        seed,
    )


def fitted(seen: Look, now: int, objective: str, seed: int = 0) -> Look:
    """The same look under an objective."""
    try:
        return replace(seen, found=calibrate.fit(seen.gathered, now, objective, seed), why="")
    except UsageError as error:
        return replace(seen, found=None, why=str(error))


def next_uncounted(store: Store, dataset_id: int) -> Chunk | None:
    """Match the next thousand samples that the current run speaks of; None when all are. Writes nothing."""
    info = dataset_info(store, dataset_id)
    if info.run_id is None:
        return None
    chunk = next(samples.each_uncounted(store, info.id, info.run_id, MATCHER), None)
    if chunk is None:
        return None
    work = [(one.sample_id, one.sample, one.proposal) for one in chunk if one.proposal is not None]
    hashes = {one.sample_id: one.sample.content_hash for one in chunk}
    return Chunk(info.run_id, bulk.count_chunk(work, info.policy), hashes, info.policy.version)


def keep_counted(store: Store, chunk: Chunk) -> None:
    """Keep what was matched, where policy and texts are still the same. Raises StoreError."""
    scores.save_counted(
        store, chunk.run_id, MATCHER, chunk.found, policy_version=chunk.policy_version, hashes=chunk.hashes
    )


def save(store: Store, seen: Look, name: str, annotator: str) -> None:
    """Keep the fit of a look under a name. Raises UsageError for a name that is taken or no name."""
    assert seen.found is not None
    document = calibrate.document_for(seen.info, seen.gathered, seen.found, name)
    calibrate.keep(store, seen.info, name, seen.run, document, annotator)


def free_name(seen: Look) -> str:
    """A name that no calibration has: `calibration-1`, and so on."""
    number = 1
    while f"calibration-{number}" in seen.saved:
        number += 1
    return f"calibration-{number}"
