"""Calibrating: fit on verified samples, keep what was fitted, use it, and say whose gold it saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from workbench.comparing import calibration as pure
from workbench.comparing.calibration import Calibrated, Case, Measured, TooFewError
from workbench.comparing.calibration_document import (
    Learned,
    calibration_of,
    document_of,
    gold_hash,
    measured_document,
)
from workbench.comparing.thresholds import OBJECTIVES, Objective
from workbench.errors import UsageError
from workbench.formats import calibration
from workbench.matching import MATCHER
from workbench.scoring.counted import at
from workbench.stages.calibrate_cases import Gathered, gather
from workbench.stages.examples import NOTHING, Seen
from workbench.stages.progress import Progress, silent
from workbench.stages.recompute import recompute
from workbench.store import calibrations, holdouts, plans, runs
from workbench.store.calibrations import Saved
from workbench.store.datasets import DatasetInfo, dataset_info
from workbench.store.engine import Store
from workbench.store.holdouts import Opening
from workbench.store.runs import RunInfo
from workbench.store.samples import related_ids

NONE = "none"


@dataclass(frozen=True, slots=True)
class HoldoutReport:
    """The samples kept back, at the threshold that others chose and at the one in use. `opened` counts looks,
    this one too.
    """

    samples: int
    opened: int
    chosen: Measured
    present: Measured


@dataclass(frozen=True, slots=True)
class CalibrateReport:
    """A fit and all around it. `openings` are the looks at the holdout before this report."""

    dataset: str
    gathered: Gathered
    found: Calibrated
    mean_now: float | None
    mean_chosen: float | None
    openings: tuple[Opening, ...]
    holdout: HoldoutReport | None
    saved: str
    used: str
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CrossFit:
    """A calibrated dataset's thresholds by sample.

    `seen` are the samples whose gold the calibration saw, and all that share a group or a reference with
    one; each has in `thresholds` the one that was chosen without its group. Other samples are scored at the
    dataset's own. `folds` are the thresholds of all folds.
    """

    seen: Seen
    thresholds: Mapping[str, int]
    folds: tuple[int, ...]


UNCALIBRATED = CrossFit(NOTHING, {}, ())


def calibrate(
    store: Store,
    info: DatasetInfo,
    *,
    run: str | None = None,
    scorer: str | None = None,
    objective: str = "bias",
    seed: int = 0,
    save: str | None = None,
    holdout: bool = False,
    annotator: str,
    progress: Progress = silent,
) -> CalibrateReport:
    """Fit a threshold, a probability and a correction on the verified samples; with `save` keep them.

    `holdout` measures the choice on the samples kept back, once more, and writes that look down. Raises
    UsageError when there is too little verified, or the name is taken.
    """
    if objective not in OBJECTIVES:
        raise UsageError(f"unknown objective {objective!r}; there is: {', '.join(OBJECTIVES)}")
    _check_name(store, info, save)
    chosen_run = run_of(store, info, run)
    recompute(store, info, chosen_run.id, info.threshold, progress)
    gathered = gather(store, info, chosen_run, scorer, holdout=holdout, progress=progress)
    found = fit(gathered, threshold_now(store, info), objective, seed)
    openings = tuple(holdouts.openings(store, info.id))
    held = _holdout(store, info, gathered, found, save, annotator) if holdout else None
    document = document_for(info, gathered, found, save or "", held)
    if save:
        keep(store, info, save, chosen_run, document, annotator)
    return CalibrateReport(
        dataset=info.name,
        gathered=gathered,
        found=found,
        mean_now=mean_at(gathered, found.threshold_now),
        mean_chosen=mean_at(gathered, found.threshold),
        openings=openings,
        holdout=held,
        saved=save or "",
        used=info.calibration,
        document=document,
    )


def fit(gathered: Gathered, now: int, objective: Objective | str, seed: int) -> Calibrated:
    """Calibrate what was gathered. Raises UsageError that says what to do when there is too little."""
    assert objective in OBJECTIVES
    try:
        return pure.calibrate(gathered.cases, now=now, objective=objective, seed=seed)
    except TooFewError as error:
        raise UsageError(f"{error}: review more samples (workbench review), then calibrate") from None


def threshold_now(store: Store, info: DatasetInfo) -> int:
    """The match threshold to compare with: the dataset's, or the one before the calibration in use."""
    used = calibrations.calibration_in_use(store, info.id)
    return info.threshold if used is None else calibration_of(used.document).threshold_before


def run_of(store: Store, info: DatasetInfo, name: str | None) -> RunInfo:
    """The named run, else the current one. Raises NotFoundError, or UsageError when there is none yet."""
    if name is None and info.run_id is None:
        raise UsageError("nothing has been proposed yet: workbench propose")
    return runs.find_run(store, info.id, name or info.run)


def keep(
    store: Store, info: DatasetInfo, name: str, run: RunInfo, document: Mapping[str, Any], annotator: str
) -> None:
    """Keep a calibration under a name. Raises UsageError for a name that is taken or no name."""
    _check_name(store, info, name)
    calibrations.save_calibration(
        store, info.id, name, run_id=run.id, document=document, annotator=annotator, at=datetime.now(UTC)
    )


def use(store: Store, info: DatasetInfo, name: str, progress: Progress = silent) -> DatasetInfo:
    """Make a calibration the dataset's, with its threshold; `none` goes back to the one before it.

    What was verified does not change. Scores at the new threshold are counted now. Raises NotFoundError, and
    UsageError for one of another matcher.
    """
    used = calibrations.calibration_in_use(store, info.id)
    if name == NONE:
        before = info.threshold if used is None else calibration_of(used.document).threshold_before
        calibrations.use_calibration(store, info.id, None, before)
    else:
        saved = calibrations.find_calibration(store, info.id, name)
        known = calibration_of(saved.document)
        known.check(MATCHER)
        calibrations.use_calibration(store, info.id, saved.id, known.threshold)
    changed = dataset_info(store, info.id)
    if changed.run_id is not None:
        recompute(store, changed, changed.run_id, changed.threshold, progress)
    return changed


def saved_calibrations(store: Store, info: DatasetInfo) -> list[Saved]:
    """The calibrations of a dataset, oldest first."""
    return calibrations.list_calibrations(store, info.id)


def count_openings(store: Store, info: DatasetInfo) -> int:
    """How often the holdout was opened."""
    return len(holdouts.openings(store, info.id))


def find(store: Store, info: DatasetInfo, name: str) -> Saved:
    """The calibration of that name. Raises NotFoundError that lists those there are."""
    return calibrations.find_calibration(store, info.id, name)


def write(path: Path, document: Mapping[str, Any], *, force: bool = False) -> None:
    """Write a calibration's document as `calibration.json`. Raises ExportError; nothing is written then."""
    calibration.write(path, document, force=force)


def seen_by(store: Store, info: DatasetInfo) -> Seen:
    """The samples whose gold the dataset's calibration saw, and all related to them; nothing without one."""
    return cross_fitted(store, info).seen


def cross_fitted(store: Store, info: DatasetInfo) -> CrossFit:
    """The threshold of every sample that the dataset's calibration saw: the one chosen without its group."""
    used = calibrations.calibration_in_use(store, info.id)
    if used is None:
        return UNCALIBRATED
    known = calibration_of(used.document)
    rows = {row.key: row for row in plans.candidates(store, info.id)}
    by_group = {one.group: one.fold for one in known.gold if one.group is not None}
    by_hash = {one.reference_hash: one.fold for one in known.gold}
    related = related_ids(store, info.id, set(by_group), set(by_hash))
    folds = {one.id: one.fold for one in known.gold}
    for key in related - folds.keys():
        row = rows[key]
        folds[key] = by_group[row.group] if row.group in by_group else by_hash[row.reference_hash]
    return CrossFit(
        Seen(frozenset(one.id for one in known.gold), frozenset(folds)),
        {key: known.folds[fold] for key, fold in folds.items()},
        known.folds,
    )


def mean_at(gathered: Gathered, threshold: int) -> float | None:
    """The automatic mean of the whole population at a threshold; None without a defined one."""
    recalls = [
        tally.found / tally.units
        for one in gathered.everything.values()
        if (tally := at(one, threshold)) is not None and tally.units
    ]
    return float(np.mean(recalls)) if recalls else None


def _holdout(
    store: Store, info: DatasetInfo, gathered: Gathered, found: Calibrated, save: str | None, annotator: str
) -> HoldoutReport:
    """Measure on the samples kept back; nothing is written down when there is too little to see."""
    if not gathered.holdout:
        raise UsageError("this dataset has no holdout: workbench plan --holdout draws one before review")
    try:
        chosen = pure.measure(gathered.held, found.threshold)
        present = pure.measure(gathered.held, found.threshold_now)
    except TooFewError as error:
        raise UsageError(
            f"holdout of {gathered.holdout:,} samples: {error}: review more of it first; "
            "it has not been opened"
        ) from None
    purpose = f"calibrate {save}" if save else "calibrate"
    opened = holdouts.note_opening(store, info.id, purpose, annotator, datetime.now(UTC))
    return HoldoutReport(len(gathered.held), opened, chosen, present)


def document_for(
    info: DatasetInfo, gathered: Gathered, found: Calibrated, name: str, held: HoldoutReport | None = None
) -> dict[str, Any]:
    """The document of `calibration.json`: the fit, its figures, and whose gold it saw."""
    return document_of(
        found,
        name=name,
        dataset=info.name,
        run=gathered.run.name,
        scorer=gathered.scorer,
        matcher=MATCHER,
        policy_version=info.policy.version,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        learned=[_learned(gathered, one, found) for one in sorted(gathered.cases, key=lambda one: one.id)],
        data_sha256=gold_hash(gathered.cases),
        holdout=None if held is None else _holdout_document(held),
    )


def _learned(gathered: Gathered, case: Case, found: Calibrated) -> Learned:
    row = gathered.known[case.id]
    return Learned(case.id, row.group, row.reference_hash, found.fold_of[case.id])


def _holdout_document(held: HoldoutReport) -> dict[str, Any]:
    return {
        "samples": held.samples,
        "opened": held.opened,
        "chosen": measured_document(held.chosen),
        "threshold_before": measured_document(held.present),
    }


def _check_name(store: Store, info: DatasetInfo, name: str | None) -> None:
    if name is None:
        return
    if not name.strip() or name == NONE or len(name) > 100 or not name.isprintable():
        raise UsageError(f"--save {name!r}: a printable name of 1 to 100 characters, not {NONE!r}")
    if any(one.name == name for one in calibrations.list_calibrations(store, info.id)):
        raise UsageError(f"there is a calibration {name!r} already, and it does not change: another name")
