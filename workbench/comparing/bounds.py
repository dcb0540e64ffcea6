"""Intervals for the mean of a finite corpus that hold even where large differences are rare.

One for the planned number of samples, one for a look at any time. Both know how many samples are open and how
far each of these could be off, and assume nothing about the others: no normal distribution, no spread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

import numpy as np
from numpy.typing import NDArray

from workbench.comparing.intervals import LEVEL, Interval

Floats = NDArray[np.float64]

DRAWS = 4000
"""Weightings of the open samples that the interval at the planned number is read from."""
ATOMS = 400
"""Values of a stratum that get weights of their own; of more, neighbours share one."""
GRID = 200
"""Means of a stratum that a look tries."""
BETS = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 0.95)
"""Shares of the stake that a look bets, in both directions."""


@dataclass(frozen=True)
class Part:
    """A stratum: the `values` of its reviewed samples in their order; `low` and `high` are the ends that the
    value of an open one cannot leave, `times` how many open samples have these, `ends` those of all."""

    values: Floats
    low: Floats
    high: Floats
    ends: Interval
    times: Floats

    @property
    def open(self) -> int:
        """How many samples are open."""
        return round(float(self.times.sum()))

    @property
    def size(self) -> int:
        """How many samples the stratum has."""
        return len(self.values) + self.open


def at_planned(parts: Sequence[Part]) -> Interval:
    """The interval for the mean of all values, where the number of reviews was fixed before.

    The open samples of a stratum are drawn from an urn that begins with the n reviewed values and one more,
    which stands for the worst that could be: each draw goes back together with its like. The end is the
    2.5 % quantile of the mean. For values of 0 and 1 that is exactly the hypergeometric bound, for a corpus
    without end the bound of Gaffke (2005), for 0 and 1 then that of Clopper and Pearson (1934). Strata
    add up as in melded intervals (Fay, Proschan, Brittain 2015). Where few are open and the reviewed ones are
    alike, the ends allow one open sample to be unlike them all.
    """
    low: Floats = np.zeros(DRAWS)
    high: Floats = np.zeros(DRAWS)
    alike_all, fall, rise = 0.0, 0.0, 0.0
    for index, part in enumerate(parts):
        known, rest = float(part.values.sum()), part.open
        low, high, alike_all = low + known, high + known, alike_all + known
        if rest:
            usual = known / len(part.values)
            alike_all += rest * usual
            fall, rise = max(fall, usual - float(part.low.min())), max(rise, float(part.high.max()) - usual)
            atoms, each = _atoms(part.values)
            shares = _urn(index, len(atoms), each, rest)
            alike: Floats = rest * (shares[:, :-1] @ atoms)
            hidden: Floats = rest * shares[:, -1].astype(np.float64)
            low = low + alike + _least(part.low, part.times, hidden)
            high = high + alike - _least(-part.high, part.times, hidden)
    total, tail = sum(part.size for part in parts), (1 - LEVEL) / 2
    lowest = min(float(np.quantile(low, tail)), alike_all - fall)
    highest = max(float(np.quantile(high, 1 - tail)), alike_all + rise)
    return Interval(lowest / total, highest / total)


def _atoms(values: Floats) -> tuple[Floats, float]:
    """The values in order of size, neighbours of many at their mean, and how many values each stands for."""
    ordered = np.sort(values)
    if len(values) <= ATOMS:
        return ordered, 1.0
    return np.array([chunk.mean() for chunk in np.array_split(ordered, ATOMS)]), len(values) / ATOMS


@lru_cache(maxsize=16)
def _urn(index: int, atoms: int, each: float, rest: int) -> NDArray[np.float32]:
    """Always the same shares of `rest` draws that equal each atom, and in the last column the one more."""
    draw = np.random.default_rng([index, atoms, rest])
    weights = draw.standard_gamma(each, (DRAWS, atoms))
    even = (draw.permutation(DRAWS) + 0.5) / DRAWS
    worst = 1 - even ** (1 / (atoms * each))  # Beta(1, n), evenly spread
    weights *= ((1 - worst) / weights.sum(axis=1))[:, None]
    weights = np.c_[weights, worst]
    return (draw.multinomial(rest, weights) / rest).astype(np.float32)


def _least(ends: Floats, times: Floats, hidden: Floats) -> Floats:
    """What so many of the open samples add up to at least: those with the smallest of the `ends`."""
    order = np.argsort(ends)
    ends, times = ends[order], times[order]
    return np.interp(hidden, np.r_[0.0, np.cumsum(times)], np.r_[0.0, np.cumsum(ends * times)])


def any_look(parts: Sequence[Part]) -> Interval:
    """The interval for the mean of all values that holds at every number of reviews at once.

    Somebody bets on each next value against the mean that is tried, both ways and with several stakes;
    a mean that would have made her 20 times richer is out (Waudby-Smith, Ramdas 2024, sampling without
    replacement). Over strata the gains multiply, and a mean is out where every split of it over the strata
    is (Spertus, Stark 2022).
    """
    total = sum(part.size for part in parts)
    step = sum(float(((part.high - part.low) * part.times).sum()) for part in parts) / (GRID * len(parts))
    start, gains = 0.0, np.zeros(1)
    for part in parts:
        known, rest = float(part.values.sum()), float((part.low * part.times).sum())
        most = float((part.high * part.times).sum())
        tried = np.arange(int((most - rest) / step + 1e-9) + 1) * step if part.open else [0.0]
        start += known + rest
        own = log_gain(part, (known + rest + np.asarray(tried)) / part.size)
        sums = np.full(len(gains) + len(own) - 1, np.inf)
        for at, gain in enumerate(own):
            np.minimum(sums[at : at + len(gains)], gains + gain, out=sums[at : at + len(gains)])
        gains = sums
    inside = np.flatnonzero(gains < -log(1 - LEVEL))
    if not len(inside):  # a chance of 1 in 20 at most: nothing is left but the mean of least gain
        inside = np.array([int(gains.argmin())])
    low = start + step * max(0, int(inside[0]) - 1)
    high = start + step * (int(inside[-1]) + 1 + len(parts))
    most = sum(float(part.values.sum() + (part.high * part.times).sum()) for part in parts)
    return Interval(low / total, min(high, most) / total)


def log_gain(part: Part, means: Floats) -> Floats:
    """The logarithm of what betting against each of these means of the stratum has gained."""
    stakes = bets(part, means).sum(axis=2)
    gains: Floats = np.logaddexp.reduce(stakes) - log(len(stakes))
    return gains


def bets(part: Part, means: Floats) -> Floats:
    """For every stake and direction, mean and value, the logarithm of what it multiplies the stake by."""
    before = np.r_[0.0, np.cumsum(part.values)[:-1]]
    left = part.size - np.arange(len(part.values))
    expected = np.clip((part.size * means[:, None] - before) / left, part.ends.low, part.ends.high)
    off = part.values - expected
    up = off / np.maximum(expected - part.ends.low, 1e-12)
    down = off / np.maximum(part.ends.high - expected, 1e-12)
    logs: Floats = np.array([np.log1p(bet * payoff) for bet in BETS for payoff in (up, -down)])
    return logs


def grown(parts: Sequence[Part], n: int) -> list[Part]:
    """The parts as they may look after n reviews in all: the values so far more often, fewer open samples."""
    total = sum(part.size for part in parts)
    chance = np.random.default_rng(n)
    strata = []
    for part in parts:
        more = min(part.size, max(len(part.values), round(n * part.size / total)))
        places = (np.arange(more) + 0.5) * len(part.values) / max(more, 1)
        values = chance.permutation(np.sort(part.values)[places.astype(int)])
        left = part.times * (part.size - more) / max(part.open, 1)
        strata.append(Part(values, part.low, part.high, part.ends, left))
    return strata
