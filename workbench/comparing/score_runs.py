"""Two scorers, or two runs of one metric, on the same samples: how far apart, and which is nearer."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
    dataset: str, days: Mapping[str, str], samples: Sequence[ScoredTwice], hidden: Collection[str]
) -> Against:
    """Hold two columns of values against each other; `days` has the names of both."""
    both = [
        (one, one.first, one.second) for one in samples if one.first is not None and one.second is not None
    ]
    off = [(one, first - second) for one, first, second in both if abs(first - second) >= EQUAL]
    known = [(first, second, one.verified) for one, first, second in both if one.verified is not None]
    listed = [
        one for one in sorted(off, key=lambda one: (-abs(one[1]), one[0].id)) if one[0].id not in hidden
    ]
    first, second = days
    return Against(
        dataset=dataset,
        first=first,
        second=second,
        days=(days[first], days[second]),
        means=(mean(one for _, one, _ in both), mean(other for _, _, other in both)),
        paired=paired([Pair(one.id, ours, theirs, one.group) for one, ours, theirs in both]),
        only=(
            sum(one.second is None for one in samples if one.first is not None),
            sum(one.first is None for one in samples if one.second is not None),
        ),
        errors=(
            mean(abs(one - true) for one, _, true in known),
            mean(abs(one - true) for _, one, true in known),
        ),
        higher=sum(delta > 0 for _, delta in off),
        lower=sum(delta < 0 for _, delta in off),
        moved=tuple(one for one, _ in listed),
        hidden=len(off) - len(listed),
    )
