"""Review plans: the order that draws the samples, and how many of each stratum a plan takes.

Every order gives each sample a rank from its own permanent random number, so that the first n of it are
a probability sample for every n; strata keep their shares.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from heapq import heapify, heapreplace
from typing import Literal, get_args

from workbench.errors import UsageError

Design = Literal["simple", "stratified"]
DESIGNS: tuple[Design, ...] = get_args(Design)

FEWEST = 2
"""Samples of a stratum that a plan takes at least: one has no variance."""

BLIND_REVIEWS = 30
"""Blind reviews that say something of what assistance does."""

BLIND_FROM = 60
"""Planned reviews from which a plan raises the blind arm: below, it would take more than half of them."""


def allocate(counts: Mapping[str, int], n: int) -> dict[str, int]:
    """How many of n each stratum gets: in proportion to its size.

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

    def entry(name: str) -> tuple[float, str]:
        full = given[name] >= counts[name]
        return (1.0 if full else -counts[name] / (2 * given[name] + 1)), name

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
