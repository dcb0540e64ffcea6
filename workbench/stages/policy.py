"""Policies: show the current one, store a changed one as the next version; aliases, which people taught."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.errors import NotFoundError, UsageError
from workbench.formats.policy import from_toml, to_toml
from workbench.model import Policy, Progress
from workbench.stages.calibrate import look
from workbench.stages.people import check
from workbench.stages.recompute import recompute
from workbench.store import assignments, datasets, queue, training
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store

__all__ = ["to_toml"]


@dataclass(frozen=True)
class PolicyReport:
    """The version now current, the ids of the samples reviewed under an older one, what changed, and the
    labels that were removed."""

    version: int
    changed: bool
    stale: tuple[str, ...]
    changes: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True)
class PolicyVersion:
    """One version of a policy: who made it, on which day (ISO), and what it changed of the one before."""

    policy: Policy
    annotator: str
    day: str
    changes: tuple[str, ...]


def versions(store: Store, dataset_id: int) -> list[PolicyVersion]:
    """All versions of a dataset's policy, oldest first."""
    history: list[PolicyVersion] = []
    for policy, annotator, at in datasets.policy_versions(store, dataset_id):
        before = history[-1].policy if history else None
        history.append(PolicyVersion(policy, annotator, at.date().isoformat(), changes(before, policy)))
    return history


RULES = {
    "a name only inside a longer one is": "nested",
    "a country named by its people is": "derived",
    "a date that agrees as far as it goes is": "coarser",
    "a statement supported in part is": "partial",
    "language": "language",
}
"""What a report says of a rule that changed, before its value."""


def changes(before: Policy | None, after: Policy) -> tuple[str, ...]:
    """What differs between two versions, in words; nothing for the first."""
    if before is None:
        return ()
    words = []
    if before.kinds != after.kinds:
        more = "" if {*before.kinds} <= {*after.kinds} else " (the queue leaves other reviews out; they stay)"
        words.append(f"reviews {' and '.join(after.kinds)} units{more}")
    old, new = before.label_names(), after.label_names()
    words += [f"label {name} added" for name in new if name not in old]
    words += [f"label {name} removed" for name in old if name not in new]
    if before.labels != after.labels and {*old} == {*new}:
        words.append("label keys changed")
    if before.counted_labels != after.counted_labels:
        words.append(f"counts {', '.join(after.counted_labels) or 'all labels'}")
    for rule, name in RULES.items():
        if getattr(before, name) != getattr(after, name):
            words.append(f"{rule} {getattr(after, name) or 'detected'}")
    if before.guidelines != after.guidelines:
        words.append("guidelines reworded")
    return tuple(words)


def version_of(store: Store, info: DatasetInfo, number: int | None) -> Policy:
    """A version of the policy by its number; None: the current one. Raises NotFoundError."""
    known = {policy.version: policy for policy, _, _ in datasets.policy_versions(store, info.id)}
    if number is not None and number not in known:
        raise NotFoundError(f"no policy version {number}; there is: {', '.join(map(str, known))}")
    return info.policy if number is None else known[number]


def change_policy(store: Store, info: DatasetInfo, text: str, annotator: str) -> PolicyReport:
    """Store an edited policy as a new version; the same policy changes nothing.

    Raises InputError for a text that is no policy. Scores that depended on the old one are counted
    again when they are next asked for.
    """
    return keep_policy(store, info, from_toml(text), annotator)


def take_change(
    store: Store, info: DatasetInfo, number: int, annotator: str, progress: Progress
) -> PolicyReport:
    """Make a proposed change of the policy, counted from 1 as `calibrate` lists them, its next version.

    Raises UsageError where nothing has that number.
    """
    recompute(store, info, progress)
    proposed = look(store, info.id, "bias", progress=progress).changes
    if not 1 <= number <= len(proposed):
        there = f"there is: 1 to {len(proposed)}" if proposed else "the reviews propose no change"
        raise UsageError(f"--take {number}: {there} (workbench calibrate)")
    return keep_policy(store, info, proposed[number - 1].policy, annotator)


def keep_policy(store: Store, info: DatasetInfo, policy: Policy, annotator: str) -> PolicyReport:
    """Store a policy as the next version, in the copies of who is in training too; an equal one changes
    nothing."""
    check(store, annotator, "change the policy")
    if replace(policy, version=info.policy.version) == info.policy:
        return PolicyReport(info.policy.version, False, ())
    with store.writing():
        version = datasets.add_policy(store, info.id, policy, annotator)
        for copy_id in training.copies(store, info.id).values():
            datasets.add_policy(store, copy_id, policy, annotator)
        assignments.fill(store, info.id)  # of another kind nothing is decided yet
    stale = queue.reviewed_before(store, datasets.dataset_info(store, info.id))
    gone = sorted({*info.policy.label_names()} - {*policy.label_names()})
    return PolicyReport(version, True, stale, changes(info.policy, policy), tuple(gone))
