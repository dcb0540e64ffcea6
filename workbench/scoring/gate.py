"""The gate of a CI job: do these recalls reach the pass mark?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class ScoreGate:
    """Whether the samples pass, and what was held against what.

    `value` is the mean over the `n` defined samples, with `strict` the share of perfect ones; None without
    any. `below` are the ids of samples under the pass mark (with `strict`: not perfect), `undefined` of those
    without units. `unscored` samples have no value at all; `step` is the command that gives them one.
    """

    metric: str
    threshold: float
    strict: bool
    passed: bool
    value: float | None
    n: int
    undefined: tuple[str, ...]
    unscored: int
    below: tuple[str, ...]
    step: str


def gate(
    metric: str,
    recalls: Sequence[tuple[str, Fraction | None]],
    *,
    threshold: float,
    strict: bool,
    unscored: int = 0,
    step: str = "",
) -> ScoreGate:
    """The mean recall against the pass mark; with `strict` every sample must have a value, every defined
    one must be perfect.

    Exact fractions are compared, so 2 of 3 reaches a pass mark of 2/3. Undefined samples are named and left
    out; nothing but undefined samples fails.
    """
    defined = [(name, recall) for name, recall in recalls if recall is not None]
    mark = Fraction(1) if strict else Fraction(str(threshold))
    below = tuple(name for name, recall in defined if recall < mark)
    reached = len(defined) - len(below) if strict else sum((recall for _, recall in defined), Fraction(0))
    value = Fraction(reached) / len(defined) if defined else None
    passed = value is not None and (not below and not unscored if strict else value >= mark)
    return ScoreGate(
        metric=metric,
        threshold=threshold,
        strict=strict,
        passed=passed,
        value=None if value is None else float(value),
        n=len(defined),
        undefined=tuple(name for name, recall in recalls if recall is None),
        unscored=unscored,
        below=below,
        step=step if unscored else "",
    )
