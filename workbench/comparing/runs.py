"""How stable repeated rounds of one run are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stability:
    """How often repeated rounds name the same: over samples that every round speaks of.

    `units` counts every unit that any round names, `in_all` those that all of them name; `share` is the
    mean over units of the share of rounds that name it, None without units.
    """

    rounds: int
    samples: int
    units: int
    in_all: int
    share: float | None

    @property
    def in_some(self) -> int:
        """Units that some rounds name and others do not."""
        return self.units - self.in_all


def stability(samples: Iterable[Sequence[Iterable[str]]], rounds: int) -> Stability:
    """Count in how many of the rounds each unit is named; a sample gives the keys of every round."""
    n = units = in_all = seen = 0
    for named in samples:
        counted = Counter(key for keys in named for key in set(keys))
        n, units, seen = n + 1, units + len(counted), seen + counted.total()
        in_all += sum(times == rounds for times in counted.values())
    return Stability(rounds, n, units, in_all, seen / (rounds * units) if units else None)
