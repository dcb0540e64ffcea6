"""Means that say how many values they rest on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import fsum

from workbench.model import Tally

FEWEST = 10
"""Samples below which counts are given and no figures; groups, and units of a label, likewise."""
BADGE = 30
"""Samples from which figures stand without a caution."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over `n` values; `undefined` values were left out and counted. None without values."""

    value: float | None
    n: int
    undefined: int


def mean(values: Iterable[float | Fraction | None]) -> Mean:
    """The mean of the defined values; summed with `fsum`, so the order of samples cannot matter."""
    defined: list[float] = []
    undefined = 0
    for value in values:
        if value is None:
            undefined += 1
        else:
            defined.append(float(value))
    if not defined:
        return Mean(None, 0, undefined)
    return Mean(fsum(defined) / len(defined), len(defined), undefined)


def summed(tallies: Iterable[Tally]) -> Tally:
    """All counts added up."""
    found = missing = unsure = 0
    for tally in tallies:
        found, missing, unsure = found + tally.found, missing + tally.missing, unsure + tally.unsure
    return Tally(found, missing, unsure)
