"""Policies: show the current one, store a changed one as the next version."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.formats.policy import from_toml, to_toml
from workbench.store import datasets, journal
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store


@dataclass(frozen=True, slots=True)
class PolicyReport:
    """The version now current, and the ids of the samples reviewed under an older one."""

    version: int
    changed: bool
    stale: tuple[str, ...]


def policy_text(info: DatasetInfo) -> str:
    """The current policy as TOML."""
    return to_toml(info.policy)


def change_policy(store: Store, info: DatasetInfo, text: str, annotator: str) -> PolicyReport:
    """Store an edited policy as a new version; the same policy changes nothing.

    Raises InputError for a text that is no policy. Scores that depended on the old one are counted
    again when they are next asked for.
    """
    policy = from_toml(text)
    if replace(policy, version=info.policy.version) == info.policy:
        return PolicyReport(info.policy.version, False, ())
    version = datasets.add_policy(store, info.id, policy, annotator)
    return PolicyReport(version, True, journal.reviewed_before(store, info.id, version))
