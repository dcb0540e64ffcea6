"""Two scorers, or two runs of one metric, on the same samples: how far apart, and which is nearer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workbench.comparing.estimators import EQUAL
from workbench.comparing.intervals import Mean, mean
from workbench.comparing.paired import Pair, Paired, paired


@dataclass(frozen=True, slots=True)
class ScoredTwice:
    """One sample under both: its two values and the verified one, None where nothing is verified."""

    id: str
    question: str
    group: str | None
    first: float | None
    second: float | None
    verified: float | None = None


@dataclass(frozen=True, slots=True)
class Against:
    """A scorer against another one. `days`: when each came with a file, empty for what is counted here.

    `means` are over the `paired.n` samples that have both values, and differences are first − second. `only`
    samples have one value alone. `errors` are the mean distances of both to the verified value, over the same
    samples. `higher` and `lower` samples moved by more than rounding; `moved` lists these, the largest
    difference first, without `hidden` ones that the reader is yet to review without suggestions.
    """

    dataset: str
    first: str
    second: str
    days: tuple[str, str]
    means: tuple[Mean, Mean]
    paired: Paired
    only: tuple[int, int]
    errors: tuple[Mean, Mean]
    higher: int
    lower: int
    moved: tuple[ScoredTwice, ...]
    hidden: int


def against(
    dataset: str, names: tuple[str, str], days: tuple[str, str], samples: Sequence[ScoredTwice],
    hidden: Collection[str], within: float = EQUAL,
) -> Against:  # fmt: skip
    """Hold two columns of values against each other; less than `within` apart they are equal."""
    both = [
        (one, one.first, one.second) for one in samples if one.first is not None and one.second is not None
    ]
    off = [(one, first - second) for one, first, second in both if abs(first - second) >= within]
    known = [(one, one.verified) for one, _, _ in both if one.verified is not None]
    listed = sorted(
        (one for one in off if one[0].id not in hidden), key=lambda one: (-abs(one[1]), one[0].id)
    )
    pairs = [Pair(one.id, first, second, one.group, within) for one, first, second in both]
    return Against(
        dataset=dataset,
        first=names[0],
        second=names[1],
        days=days,
        means=(mean(first for _, first, _ in both), mean(second for _, _, second in both)),
        paired=paired(pairs),
        only=(
            sum(one.second is None for one in samples if one.first is not None),
            sum(one.first is None for one in samples if one.second is not None),
        ),
        errors=(
            mean(abs((one.first or 0.0) - verified) for one, verified in known),
            mean(abs((one.second or 0.0) - verified) for one, verified in known),
        ),
        higher=sum(delta > 0 for _, delta in off),
        lower=sum(delta < 0 for _, delta in off),
        moved=tuple(one for one, _ in listed),
        hidden=len(off) - len(listed),
    )
