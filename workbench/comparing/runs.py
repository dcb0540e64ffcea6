"""Runs over the same samples: what both name, and what only one names."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MOST = 100
"""Samples that are listed one by one; more is no list that anybody reads."""


@dataclass(frozen=True, slots=True)
class Named:
    """What two runs name in one sample: wordings by normalised key."""

    sample_id: int
    id: str
    first: Mapping[str, str]
    second: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One sample on which two runs differ: the wordings that only one of them has, and the overlap."""

    sample_id: int
    id: str
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    jaccard: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two runs over the samples that both speak of.

    `units` counts what each names in all, `both` what both name, `disagree` the samples in which they
    differ. `jaccard` is the mean over samples of shared / all named units (1 where neither names any),
    None without samples. `worst` lists at most `MOST` samples, those with the most differing units first.
    """

    samples: int
    units: tuple[int, int]
    both: int
    disagree: int
    jaccard: float | None
    worst: tuple[Disagreement, ...]

    @property
    def only(self) -> tuple[int, int]:
        """Units that the first, and that the second, names alone."""
        return self.units[0] - self.both, self.units[1] - self.both


def compare(samples: Iterable[Named]) -> Agreement:
    """Count what two runs name; the samples may come one by one, only the worst are kept."""
    n = first = second = both = disagree = 0
    overlap = 0.0
    worst: list[tuple[int, float, int, Disagreement]] = []
    for place, one in enumerate(samples):
        shared = one.first.keys() & one.second.keys()
        every = len(one.first) + len(one.second) - len(shared)
        jaccard = len(shared) / every if every else 1.0
        n, first, second = n + 1, first + len(one.first), second + len(one.second)
        both, overlap = both + len(shared), overlap + jaccard
        if every == len(shared):
            continue
        disagree += 1
        only = _only(one.first, shared), _only(one.second, shared)
        entry = (every - len(shared), -jaccard, -place, Disagreement(one.sample_id, one.id, *only, jaccard))
        (heapq.heappush if len(worst) < MOST else heapq.heappushpop)(worst, entry)
    return Agreement(
        samples=n,
        units=(first, second),
        both=both,
        disagree=disagree,
        jaccard=overlap / n if n else None,
        worst=tuple(entry[-1] for entry in sorted(worst, reverse=True)),
    )


def _only(named: Mapping[str, str], shared: set[str]) -> tuple[str, ...]:
    return tuple(text for key, text in named.items() if key not in shared)
