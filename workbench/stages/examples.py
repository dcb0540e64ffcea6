"""Whose gold was seen: by a run's prompt as examples, and by the calibration in use."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.model import Assessment, Example, Kind
from workbench.reviewing.fold import gold_units
from workbench.store import gold as gold_store, samples
from workbench.store.calibrations import calibration_in_use
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.runs import RunInfo
from workbench.store.samples import Stored, related_ids

SHORT = 1_500
"""Code points of a reference that is short enough to be shown gladly: some 500 tokens in every call."""


@dataclass(frozen=True)
class Seen:
    """Ids of the samples that a run's prompt showed, and of all that share a group or a reference with one.

    `related` holds the examples too.
    """

    examples: frozenset[str] = frozenset()
    related: frozenset[str] = frozenset()


NOTHING = Seen()


def choose_examples(store: Store, info: DatasetInfo, number: int) -> tuple[Example, ...]:
    """Up to `number` verified samples in queue order, the same ones as long as their gold is the same.

    Samples with units of every reviewed kind and short references come first; of a group and of a
    reference only one is taken.
    """
    kinds = info.policy.kinds
    gold = {kind: _resolved(store, info, kind) for kind in kinds}
    excluded = {sample_id for kind in kinds for sample_id in gold_store.load_excluded(store, info.id, kind)}
    ids = sorted({sample_id for kind in kinds for sample_id in gold[kind]} - excluded)

    def rank(stored: Stored) -> tuple[int, bool, int, float]:
        verified = [gold[kind][stored.sample_id] for kind in kinds if stored.sample_id in gold[kind]]
        empty = sum(not gold_units(assessment.units) for assessment in verified)
        return len(kinds) - len(verified), len(stored.sample.reference) > SHORT, empty, stored.u

    loaded = (stored for some in samples.chunked(ids) for stored in samples.load_samples(store, some, None))
    chosen: list[Stored] = []  # the first sample of every group and of every reference
    taken: set[tuple[str, str]] = set()
    for sample in sorted(filter(_may_be_shown, loaded), key=rank):
        marks = {("reference", sample.sample.reference_hash)}
        if sample.sample.group is not None:
            marks.add(("group", sample.sample.group))
        if not marks & taken:
            taken |= marks
            chosen.append(sample)
    return tuple(
        _example(sample, info, {kind: gold[kind].get(sample.sample_id) for kind in kinds})
        for sample in chosen[:number]
    )


def seen_by(store: Store, info: DatasetInfo, run: RunInfo | None) -> Seen:
    """What a run was shown, as it is recorded with it; nothing for most runs."""
    return _seen(store, info, run.parameters.get("examples", ()) if run is not None else ())


def seen_ids(store: Store, info: DatasetInfo) -> frozenset[str]:
    """The samples whose gold the calibration in use saw, with all that share a group or a reference."""
    used = calibration_in_use(store, info.id) if info.calibration_id is not None else None
    return _seen(store, info, used.document["gold"]["samples"] if used is not None else ()).related


def _seen(store: Store, info: DatasetInfo, shown: Collection[Mapping[str, Any]]) -> Seen:
    if not shown:
        return NOTHING
    ids = frozenset(str(sample["id"]) for sample in shown)
    groups = {sample["group"] for sample in shown if sample["group"] is not None}
    hashes = {sample["reference_hash"] for sample in shown}
    return Seen(ids, ids | related_ids(store, info.id, groups, hashes))


def _may_be_shown(sample: Stored) -> bool:
    """The one place that says whose gold no prompt ever sees: samples of the blind arm, blank references."""
    return not sample.blind and not sample.sample.blank


def _resolved(store: Store, info: DatasetInfo, kind: Kind) -> dict[int, Assessment]:
    gold = gold_store.load_gold(store, info.id, kind)
    return {number: gold.assessment for number, gold in gold.items() if gold.assessment is not None}


def _example(sample: Stored, info: DatasetInfo, gold: dict[Kind, Assessment | None]) -> Example:
    entities, statements = gold.get("entity"), gold.get("statement")
    return Example(
        id=sample.sample.id,
        group=sample.sample.group,
        reference_hash=sample.sample.reference_hash,
        question=sample.sample.user_input,
        text=sample.sample.reference,
        entities=None
        if entities is None
        else tuple((unit.text, info.policy.label_of(unit.label)[0]) for unit in gold_units(entities.units)),
        statements=None if statements is None else tuple(unit.text for unit in gold_units(statements.units)),
    )
