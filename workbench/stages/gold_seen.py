"""Whose gold the dataset's calibration saw: values at its threshold were fitted on those samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.model import Sample
from workbench.store.calibrations import calibration_in_use
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.samples import related_ids


def seen_ids(store: Store, info: DatasetInfo) -> frozenset[str]:
    """The samples whose gold the calibration in use saw, with all that share a group or a reference."""
    gold = _gold(store, info)
    if not gold:
        return frozenset()
    groups = {one["group"] for one in gold if one["group"] is not None}
    related = related_ids(store, info.id, groups, {one["reference_hash"] for one in gold})
    return frozenset(related | {one["id"] for one in gold})


def saw(store: Store, info: DatasetInfo, sample: Sample) -> bool:
    """Whether the calibration in use saw the gold of this sample, or of one related to it."""
    return any(
        one["id"] == sample.id
        or one["reference_hash"] == sample.reference_hash
        or (one["group"] is not None and one["group"] == sample.group)
        for one in _gold(store, info)
    )


def _gold(store: Store, info: DatasetInfo) -> Sequence[Mapping[str, Any]]:
    used = calibration_in_use(store, info.id) if info.calibration_id is not None else None
    return used.document["gold"]["samples"] if used is not None else ()
