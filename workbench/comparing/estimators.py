"""The mean verified value of a whole corpus from the automatic values of all and the verified ones of some.

One formula for both designs: the difference estimator, within strata where there are some, over the samples
that have both values. Which ones have an automatic value is known of all, so `with_score` leaves the others
out beforehand: those drawn of the rest are a random sample of the rest. Which ones have verified units is
known of the reviewed ones only, so the mean is a ratio of two estimated totals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.comparing.bounds import Part
from workbench.comparing.intervals import UNIT, Interval

ENDLESS = 1e9
"""Open samples of a stratum that stands for a process."""

Floats = NDArray[np.float64]
Fill = Literal["drop", "low", "high"]


@dataclass(frozen=True, slots=True)
class Reached:
    """One sample that the review order has reached, with `pi`, its chance to be reached.

    `verified` None without bounds: it has no verified units, or is `excluded`. `low` and `high` bound the
    value of a sample that was skipped or is unresolved, and of one with unsure units.
    """

    automatic: float | None
    verified: float | None
    pi: float | None
    stratum: str = ""
    group: str | None = None
    low: float | None = None
    high: float | None = None
    excluded: bool = False

    @property
    def open(self) -> bool:
        """Whether it has bounds and no value."""
        return self.verified is None and self.low is not None and self.high is not None


@dataclass(frozen=True, slots=True)
class EstimateFigures:
    """An estimate and what its intervals are made of, without any rule about when to show them.

    `parts` hold for each stratum how far off its reviewed samples are, and how far each open one could be:
    the true value is `base` plus the mean over all of them. `process` is the variance of the corpus as a
    draw from what made it, `endless` the reviewed samples as those of a stratum without end, for their
    distance to the mean; `share` is the estimated share of samples that have verified units, `automatic`
    the estimated mean automatic value of these. `weights`: what a verified value weighs in the point, by the
    stratum of its sample.
    """

    point: float
    base: float
    automatic: float
    parts: tuple[Part, ...]
    process: float
    endless: Part
    n: int
    groups: int
    share: float
    weights: Mapping[str, float]


@dataclass(frozen=True)
class Population:
    """The samples that an estimate is for: their automatic values, and their strata where there are some.

    An entry is one sample, or as many as `times` says of it.
    """

    automatic: Sequence[float | None]
    strata: Sequence[str] = ()
    times: Sequence[int] = ()

    @property
    def size(self) -> int:
        """How many samples there are."""
        return sum(self.times) or len(self.automatic)

    def level(self) -> Population:
        """The same samples with 0 for every automatic value."""
        return replace(self, automatic=[0.0] * len(self.automatic))


def with_score(population: Population, drawn: Sequence[Reached]) -> tuple[Population, list[Reached]]:
    """The same without the samples that have no automatic value; where none has one, 0 for each."""
    known = [value is not None for value in population.automatic]
    if not any(known):
        return population.level(), [replace(sample, automatic=0.0) for sample in drawn]
    scored = Population(
        [*compress(population.automatic, known)],
        [*compress(population.strata, known)],
        [*compress(population.times, known)],
    )
    return scored, [sample for sample in drawn if sample.automatic is not None]


def difference(
    population: Population,
    drawn: Sequence[Reached],
    *,
    fill: Fill = "drop",
    limits: Interval = UNIT,
    both: bool = False,
) -> EstimateFigures:
    """theta = mean of all automatic values + mean of (verified − automatic), by strata.

    The N samples are those `with_score`. `fill` drops open samples or gives every sample its low or high
    bound. A verified value lies in `limits`. `both`: theta is the mean of verified − automatic instead.

    Every sample has e_i = ((z y − f)_i − theta (z_i − 1)) / share, where z says whether verified units exist;
    it is verified − automatic when they always do.
    Raises ValueError when none has units, or a stratum has no sample.
    """
    strata, total = population.strata, population.size
    names = sorted(set(strata) or {""})
    index = {name: number for number, name in enumerate(names)}
    used = [each for each in drawn if fill != "drop" or not each.open]
    within = np.array([index.get(each.stratum, 0) if len(index) > 1 else 0 for each in used], dtype=np.int64)
    everywhere = np.array([index[name] for name in strata] or [0] * len(population.automatic), dtype=np.int64)
    often = np.array(population.times or [1] * len(population.automatic), dtype=float)
    sizes = np.bincount(everywhere, often, minlength=len(names))
    taken = np.bincount(within, minlength=len(names))
    if (taken[sizes > 0] == 0).any():
        empty = next(name for name, n in zip(names, taken, strict=True) if not n)
        raise ValueError(f"stratum {empty!r} has no verified sample")
    each = sizes / sizes.sum() / np.where(taken > 0, taken, 1)
    relative = each[within]  # sums to 1
    f = np.array(population.automatic, dtype=float)
    mine = np.array([sample.automatic for sample in used], dtype=float)
    values = [_value(sample, fill) for sample in used]
    z = np.array([value is not None for value in values], dtype=float)
    y = np.array([value or 0.0 for value in values])
    share = float((relative * z).sum())
    if share <= 0:
        raise ValueError("no verified sample has units")
    base = 0.0 if both else float(f @ often) / total
    gained = z * (y - mine) if both else z * y - mine
    point = (base + float((relative * gained).sum())) / share
    errors = (gained - point * (z - 1)) / share
    group = clusters([sample.group for sample in used])
    off = z * (y - point) / share
    process = _process(off, relative, group, total)
    ends = Interval((limits.low - point) / share, (limits.high - point) / share)
    endless = Part(off, np.array([ends.low]), np.array([ends.high]), ends, np.array([ENDLESS]))
    parts = tuple(
        _part(errors[inside], f[every], often[every], mine[inside], limits, share)
        for inside, every in ((within == number, everywhere == number) for number in np.flatnonzero(sizes))
    )
    level = point - float((relative * errors).sum())
    counted = (float(f @ often) / total + float((relative * (z - 1) * mine).sum())) / share
    groups = int(group.max()) + 1
    weights = dict(zip(names, (each / share).tolist(), strict=True))
    return EstimateFigures(point, level, counted, parts, process, endless, len(used), groups, share, weights)


def _value(sample: Reached, fill: Fill) -> float | None:
    bound = None if fill == "drop" else sample.low if fill == "low" else sample.high
    return sample.verified if bound is None else bound


def _part(errors: Floats, known: Floats, often: Floats, mine: Floats, limits: Interval, share: float) -> Part:
    """A stratum: `known` has the automatic values of all its samples, each as `often` as said, `mine` those
    of the reviewed ones."""
    values, inverse = np.unique(np.r_[known, mine], return_inverse=True)
    left = np.bincount(inverse, np.r_[often, np.full(len(mine), -1.0)])
    low, high = ((end - values) / share for end in (limits.low, limits.high))
    ends = Interval(min(0.0, low.min(), errors.min()), max(0.0, high.max(), errors.max()))
    return Part(errors, low[left > 0], high[left > 0], ends, left[left > 0].astype(float))


def clusters(names: Sequence[str | None]) -> NDArray[np.int64]:
    """A number from 0 for each entry, equal for equal names; None is a group of its own."""
    known: dict[str | int, int] = {}
    keys = (index if name is None else name for index, name in enumerate(names))
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)


def _process(values: Floats, relative: Floats, group: NDArray[np.int64], total: int) -> float:
    """The variance of the mean of all N verified values as a draw from the process: s² / N without groups.

    Samples of one group are not independent draws. A pair of them is in the sample with the chance
    pi_i pi_j, so the sum over all pairs of the corpus is estimated by weighting the pairs of the sample.
    """
    middle = float((relative * values).sum())
    centred = values - middle
    n = len(values)
    alone = float((relative * centred**2).sum()) / total
    groups = int(group.max()) + 1
    apart = n / max(n - 1, 1) * alone
    if groups == n:
        return apart
    sums = np.bincount(group, relative * centred)
    pairs = float((sums**2).sum() - ((relative * centred) ** 2).sum())
    return max(apart, groups / max(groups - 1, 1) * (alone + pairs))


FEWEST_DIFFERENT = 5
"""Differing samples below which there is no t interval."""
EQUAL = 1e-12
"""Differences closer than this are equal: values are quotients of small integers.

Those of an imported column are equal `within` the precision of its digits."""


def rare(values: Sequence[float], within: float = EQUAL) -> int | None:
    """How many are not the usual value, where they are fewer than 5; else None.

    0 is the usual value where it can be, else the median: the value of all but a few is the median.
    Values less than `within` apart are equal.
    """
    for usual in (0.0, median(values) if values else 0.0):
        differing = sum(abs(value - usual) >= within for value in values)
        if differing < FEWEST_DIFFERENT:
            return differing
    return None
