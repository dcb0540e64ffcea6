"""The guidelines as they are read during a review: today's, the labels, and how they came about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.stages.policy import PolicyVersion


def guidelines_text(versions: Sequence[PolicyVersion], used: int) -> str:
    """The newest version's guidelines, labels and rules; then the versions, with the one this review used.

    `used` is 0 for a review that was not accepted yet.
    """
    policy = versions[-1].policy
    labels = "  ".join(f"{label.key} {label.name}" for label in policy.labels)
    counted = f"Only {', '.join(policy.counted_labels)} count.\n" if policy.counted_labels else ""
    blocks = [f"{policy.guidelines.rstrip()}\n\nLabels: {labels}\n{counted}".rstrip()]
    if used and used != policy.version:
        blocks.append(
            f"This sample was verified under version {used}; accepting it again verifies it under "
            f"version {policy.version}."
        )
    if len(versions) > 1:
        lines = ["Versions"]
        for one in reversed(versions):
            what = "; ".join(one.changes) or "the first"
            here = " · this review" if one.policy.version == used else ""
            lines.append(f"{one.policy.version}  {one.day}  {one.annotator}: {what}{here}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
