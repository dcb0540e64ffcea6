"""What reviews teach about the policy: which labels count and what is found. All gains are out of fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from workbench.comparing.calibration import Figure, FitCase, gain_of, medians
from workbench.comparing.curve import FOUND, MISSING, UNLINKED, draw_folds
from workbench.comparing.intervals import FEWEST
from workbench.matching import FLOOR
from workbench.matching.names import SUGGESTED
from workbench.model import FOUND_IF, FoundIf, Policy

Lesson = Literal["labels"] | FoundIf
LESSONS: tuple[Lesson, ...] = ("labels", *FOUND_IF)
ASKED: dict[FoundIf, str] = {
    "nested": "a name that stands only inside a longer one (London in University of London)",
    "derived": "a country named by its people (Danish for Denmark)",
    "coarser": "a date that agrees as far as it goes (1994 for 3 August 1994)",
}
"""What each rule is about, in words."""


PRIOR = 2
"""Decisions that a rule in use has for it before there are any: two names change nothing."""


@dataclass(frozen=True)
class PolicyChange:
    """A policy that fits the reviews better than the one in use, and what it does to the automatic recall.

    `support` has for every label (units that people kept, units proposed), or for the rule (units that people
    found, units judged). `before`, `after` and `constant`
    are mean absolute differences to the verified recall: under the policy in use, under the one that was
    chosen without the sample's group, and of one value for every sample, the weighted
    median of the other groups.
    `gain` is before − after. `better` is None below ten samples or groups.
    """

    what: Lesson
    policy: Policy
    support: Mapping[str, tuple[int, int]]
    samples: int
    before: float
    after: float
    constant: float
    gain: Figure
    better: bool | None

    @property
    def words(self) -> str:
        """What to do: `do not count date, number`."""
        if self.what != "labels":
            return f"count {ASKED[self.what]} as {getattr(self.policy, self.what)}"
        return (
            f"do not count {', '.join(key for key in self.support if key not in self.policy.counted_labels)}"
        )


def policy_changes(cases: Sequence[FitCase], policy: Policy, threshold: int) -> tuple[PolicyChange, ...]:
    """The changes of a policy that verified samples ask for, the largest gain first; none asked for is ().

    Each is learned and measured by itself, against the policy in use.
    """
    known = sorted(
        (case for case in cases if case.recall is not None and case.labels), key=lambda case: case.id
    )
    changes = (_change(known, policy, what, threshold) for what in LESSONS)
    return tuple(sorted(filter(None, changes), key=lambda change: -change.gain.value))


def _change(cases: Sequence[FitCase], policy: Policy, what: Lesson, threshold: int) -> PolicyChange | None:
    learned, support = learn(cases, policy, what)
    if learned == policy:
        return None
    names, groups = np.unique([case.group for case in cases], return_inverse=True)
    weights = np.array([case.weight for case in cases])
    verified = np.array([case.recall for case in cases], dtype=np.float64)
    folds = draw_folds(len(names), 0)[groups]
    chosen = np.zeros(len(cases))
    for fold in np.unique(folds):
        inside = folds == fold
        rest = [case for case, out in zip(cases, inside, strict=True) if not out]
        without = learn(rest, policy, what)[0]
        for index in np.flatnonzero(inside).tolist():
            chosen[index] = recall_under(cases[index], without, threshold)
    present = np.array([recall_under(case, policy, threshold) for case in cases])
    weight = np.bincount(groups, weights)
    before, after, same = (
        np.stack([np.bincount(groups, weights * abs(recalls - verified)), 0 * weight, weight])
        for recalls in (present, chosen, medians(verified, weights, folds))
    )
    gain, better = gain_of(after, before, "bias", 0)
    was, becomes, guessed = (float(sums[0].sum() / weight.sum()) for sums in (before, after, same))
    if gain.value < 0 or (gain.value == 0 and len(names) >= FEWEST):
        better = False
    elif becomes > guessed if better else gain.interval is None:
        better = None
    return PolicyChange(what, learned, support, len(cases), was, becomes, guessed, gain, better)


def learn(
    cases: Sequence[FitCase], policy: Policy, what: Lesson
) -> tuple[Policy, Mapping[str, tuple[int, int]]]:
    """The policy that most decisions of the reviewers agree with, and how many do."""
    if what != "labels":
        verdicts = [case.human[at] for case in cases for at, (rule, _) in case.loose.items() if rule == what]
        hits, judged = verdicts.count(FOUND), verdicts.count(FOUND) + verdicts.count(MISSING)
        now = getattr(policy, what)
        against, other = (judged - hits, "missing") if now == "found" else (hits, "found")
        changed: dict[str, Any] = {what: other} if 2 * against > judged + PRIOR else {}
        return replace(policy, **changed), {what: (hits, judged)}
    units = [pair for case in cases for pair in zip(case.labels, case.human, strict=True)]
    accepted = Counter(label for label, verdict in units if verdict != UNLINKED)
    proposed = Counter(label for label, _ in units)
    counted = policy.counted_labels or policy.label_names()
    stay = tuple(label for label in counted if 2 * accepted[label] >= proposed[label])
    support = {label: (accepted[label], proposed[label]) for label in counted if proposed[label]}
    return (replace(policy, counted_labels=stay) if stay and stay != counted else policy), support


def recall_under(case: FitCase, policy: Policy, threshold: int) -> float:
    """A sample's automatic recall under a policy; 0 where no unit is left, which is no merit of a policy."""
    hits = []
    for at, (alike, label) in enumerate(zip(case.similarities, case.labels, strict=True)):
        if policy.counted_labels and label not in policy.counted_labels:
            continue
        if at in case.loose:
            rule, loosely = case.loose[at]
            otherwise = 0 if rule == "nested" else SUGGESTED
            alike = loosely if getattr(policy, rule) == "found" else otherwise
        hits.append(alike >= max(threshold, FLOOR))
    return sum(hits) / len(hits) if hits else 0.0
