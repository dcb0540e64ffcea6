"""Assignments: who reviews which sample, and how far everybody is."""

from __future__ import annotations

from dataclasses import replace

from workbench.errors import UsageError
from workbench.stages.people import check, follows, is_trained, people
from workbench.stages.queue_values import searched
from workbench.store import assignments
from workbench.store.assignments import Held, Team
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store

__all__ = ["Held", "Team"]

MOST = 9
"""People who may be asked about one sample."""


def team(store: Store, info: DatasetInfo, viewer: str) -> Team | None:
    """Where the assignments stand, with the people whose work a person may see; None without."""
    if (found := assignments.team(store, info)) is None:
        return None
    everybody = people(store)
    shown = tuple(worker for worker in found.people if follows(everybody, viewer, worker.name))
    return replace(found, people=shown, others=len(found.people) - len(shown))


def assign(
    store: Store, info: DatasetInfo, by: str, overlap: int, share: float | None, lease: int | None
) -> None:
    """Say how many people review a sample; 0 takes all places away.

    The share and the lease stay as they were where they are not given. Raises UsageError.
    """
    check(store, by, "assign samples")
    if not 0 <= overlap <= MOST:
        raise UsageError(f"--overlap {overlap}: give a number of people from 1 to {MOST}, or 0 to end it")
    share = info.overlap_share if share is None else share
    assignments.assign(store, info, overlap, share, lease or info.lease)


def give(store: Store, info: DatasetInfo, by: str, name: str, text: str) -> tuple[int, int]:
    """Give a person the samples of a filter; how many they hold of how many that fit. Raises UsageError."""
    check(store, by, "assign samples")
    check(store, name, "review")
    _refuse_without(info)
    if is_trained(store, info, name):
        raise UsageError(
            f"{name} is still in training: give the samples after that (workbench person pass {name} ends it)"
        )
    ids = searched(store, info, by, text)
    if not ids:
        raise UsageError(f"{text}: no sample fits, so nothing was given")
    return assignments.give(store, info, name, ids), len(ids)


def release(store: Store, info: DatasetInfo, by: str, name: str) -> int:
    """Free what a person holds and has not decided; how many places. Raises UsageError."""
    check(store, by, "assign samples")
    _refuse_without(info)
    return assignments.release(store, name, info.id)


def _refuse_without(info: DatasetInfo) -> None:
    if not info.overlap:
        raise UsageError("this dataset has no assignments yet: workbench assign --overlap 2 --share .2")
