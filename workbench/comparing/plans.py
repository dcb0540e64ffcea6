"""Review plans: how likely a sample is to be drawn, the order that draws it, and what a prefix is worth.

Every order gives each sample a rank from its own permanent random number, so that the first n of it are
a probability sample for every n (sequential Poisson sampling, Ohlsson 1998; strata keep their shares).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from heapq import heapify, heapreplace
from typing import Literal, get_args

from workbench.errors import UsageError

Design = Literal["simple", "stratified", "disputed"]
DESIGNS: tuple[Design, ...] = get_args(Design)

TAU = 0.5
"""The share of every draw that is plain chance: no sample's probability falls below `tau` times n / N."""

MOST = 0.8
"""The largest inclusion probability at the planned n: with 1 a sample would have to be in every prefix."""

FEWEST = 2
"""Samples of a stratum that a plan takes at least: one has no variance."""

BLIND_REVIEWS = 30
"""Blind reviews that say something of what assistance does."""

BLIND_FROM = 60
"""Planned reviews from which a plan raises the blind arm: below, it would take more than half of them."""


def deviation(doubt: float, units: int) -> float:
    """The standard deviation that doubtful verdicts give a recall: the square root of their number / units.

    An estimate is most precise when samples are drawn in proportion to it (Neyman 1934). On 603 reviewed
    samples of two datasets its variance is .88 to .94 of simple random sampling's at tau = .5; by the number
    itself, which long samples lead, it is .89 to 1.09.
    """
    return math.sqrt(doubt) / units


def draw_sizes(signals: Sequence[float | None], tau: float, planned_n: int) -> list[float]:
    """What each sample weighs in the draw: (1 - tau) · signal / mean + tau; the sum is their number.

    An unknown signal (None) weighs as the mean. None weighs more than `MOST` allows at the planned n; all
    weigh the same where the signals say nothing or nearly everything is planned.
    """
    known = [one for one in signals if one is not None]
    mean = sum(known) / len(known) if known else 0.0
    total = len(signals)
    if mean <= 0 or planned_n >= MOST * total:
        return [1.0] * total
    weights = [(1 - tau) * (mean if one is None else one) / mean + tau for one in signals]
    return _filled(weights, float(total), MOST * total / planned_n)


def inclusion(sizes: Sequence[float], n: int) -> list[float]:
    """The inclusion probabilities of the first n by u / size; they sum to n.

    n · size / sum of sizes; where that passes 1 it is 1, and the others share the rest.
    """
    if n >= len(sizes):
        return [1.0] * len(sizes)
    return _filled(sizes, float(n), 1.0)


def _filled(weights: Sequence[float], total: float, most: float) -> list[float]:
    """The weights scaled to sum to `total` with none above `most`; `most` · their number must reach it."""
    full: set[int] = set()
    while True:
        rest = sum(weight for place, weight in enumerate(weights) if place not in full)
        scale = (total - most * len(full)) / rest if rest else 0.0
        over = [p for p, weight in enumerate(weights) if p not in full and weight * scale > most]
        if not over:
            return [most if place in full else weight * scale for place, weight in enumerate(weights)]
        full.update(over)


def disputed_ranks(u: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Sequential Poisson: u / size, so that what is disputed tends to come early."""
    return [one / size for one, size in zip(u, sizes, strict=True)]


def allocate(counts: Mapping[str, int], n: int, weights: Mapping[str, float] | None = None) -> dict[str, int]:
    """How many of n each stratum gets: by its size, times its weight where one is given (Neyman's way).

    At least `FEWEST` of each as far as it has them, never more than it has; rounded by Webster's method.
    Raises UsageError when n is too small for that.
    """
    given = {name: min(FEWEST, count) for name, count in counts.items()}
    left = n - sum(given.values())
    if left < 0:
        raise UsageError(
            f"{n:,} reviews are too few for {len(counts):,} strata, {FEWEST} of each: "
            f"plan {sum(given.values()):,}, or fewer strata"
        )
    shares = {name: count * (weights or {}).get(name, 1.0) for name, count in counts.items()}

    def entry(name: str) -> tuple[float, str]:
        full = given[name] >= counts[name]
        return (1.0 if full else -shares[name] / (2 * given[name] + 1)), name

    heap = [entry(name) for name in counts]
    heapify(heap)
    for _ in range(left):
        _, name = heap[0]
        if given[name] >= counts[name]:
            break  # every stratum is in whole
        given[name] += 1
        heapreplace(heap, entry(name))
    return given


def stratified_ranks(u: Sequence[float], strata: Sequence[str], allocation: Mapping[str, int]) -> list[float]:
    """Each stratum in its own random order, dealt so that every prefix holds nearly the planned shares.

    The first n of it, n the sum of the allocation, hold exactly the allocation.
    """
    members: dict[str, list[int]] = defaultdict(list)
    for place in sorted(range(len(u)), key=u.__getitem__):
        members[strata[place]].append(place)
    ranks = [0.0] * len(u)
    for name, places in members.items():
        for number, place in enumerate(places):
            ranks[place] = (number + 0.5) / allocation[name]
    return ranks


def places(ranks: Sequence[float], u: Sequence[float]) -> list[float]:
    """The same order as numbers in [0, 1): each one's place divided by how many there are; ties go by u."""
    found = [0.0] * len(ranks)
    for number, place in enumerate(sorted(range(len(ranks)), key=lambda one: (ranks[one], u[one]))):
        found[place] = number / len(ranks)
    return found


def blind_share_for(share: float, planned_n: int) -> float:
    """The share of blind samples that lets `BLIND_REVIEWS` of the planned n be expected blind."""
    return share if planned_n < BLIND_FROM else max(share, BLIND_REVIEWS / planned_n)
