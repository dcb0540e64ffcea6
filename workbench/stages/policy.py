"""Policies: show the current one, store a changed one as the next version."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.formats.policy import from_toml, to_toml
from workbench.model import Policy
from workbench.stages.people import check
from workbench.store import datasets, journal
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store

__all__ = ["to_toml"]


@dataclass(frozen=True, slots=True)
class PolicyReport:
    """The version now current, and the ids of the samples reviewed under an older one."""

    version: int
    changed: bool
    stale: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """One version of a policy: who made it, on which day (ISO), and what it changed of the one before."""

    policy: Policy
    annotator: str
    day: str
    changes: tuple[str, ...]


def versions(store: Store, dataset_id: int) -> list[PolicyVersion]:
    """All versions of a dataset's policy, oldest first."""
    found: list[PolicyVersion] = []
    for policy, annotator, at in datasets.policy_versions(store, dataset_id):
        before = found[-1].policy if found else None
        found.append(PolicyVersion(policy, annotator, at.date().isoformat(), changes(before, policy)))
    return found


def changes(before: Policy | None, after: Policy) -> tuple[str, ...]:
    """What differs between two versions, in words; nothing for the first."""
    if before is None:
        return ()
    said = []
    if before.kinds != after.kinds:
        said.append(f"reviews {' and '.join(after.kinds)} units")
    gone = [name for name in before.label_names() if name not in after.label_names()]
    new = [name for name in after.label_names() if name not in before.label_names()]
    said += [f"label {name} added" for name in new] + [f"label {name} removed" for name in gone]
    if before.labels != after.labels and not new and not gone:
        said.append("label keys changed")
    if before.counted_labels != after.counted_labels:
        said.append(f"counts {', '.join(after.counted_labels) or 'all labels'}")
    if before.nested != after.nested:
        said.append(f"a name only inside a longer one is {after.nested}")
    if before.partial != after.partial:
        said.append(f"a statement supported in part is {after.partial}")
    if before.language != after.language:
        said.append(f"language {after.language or 'detected'}")
    if before.guidelines != after.guidelines:
        said.append("guidelines reworded")
    return tuple(said)


def change_policy(store: Store, info: DatasetInfo, text: str, annotator: str) -> PolicyReport:
    """Store an edited policy as a new version; the same policy changes nothing.

    Raises InputError for a text that is no policy. Scores that depended on the old one are counted
    again when they are next asked for.
    """
    check(store, annotator, "own", "change the policy")
    policy = from_toml(text)
    if replace(policy, version=info.policy.version) == info.policy:
        return PolicyReport(info.policy.version, False, ())
    version = datasets.add_policy(store, info.id, policy, annotator)
    return PolicyReport(version, True, journal.reviewed_before(store, info.id, version))
