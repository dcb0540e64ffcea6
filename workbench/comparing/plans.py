"""Plans: which samples are reviewed in which order and which are kept back.

Every order gives each sample a rank from its own permanent random number, so that the first n of it are
a probability sample for every n; strata keep their shares.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
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

    for _ in range(min(left, sum(counts.values()) - sum(given.values()))):
        room = [name for name in counts if given[name] < counts[name]]
        given[min(room, key=lambda name: (-counts[name] / (2 * given[name] + 1), name))] += 1
    return given


CUT = 0.5
"""The automatic value that parts the two strata of a plan by score."""
SMALLEST = 10
"""Samples that a stratum by score has at least: each stratum can hide an error of its own.

Those without a score are a third, of any size: no estimate is about them."""


def by_score(values: Sequence[float | None]) -> list[str]:
    """The stratum of each sample by its automatic value; all empty where one is too small."""
    named = strata_of(Counter(values))
    return [named[value] for value in values]


def strata_of(counts: Mapping[float | None, int]) -> dict[float | None, str]:
    """The stratum of each automatic value, from how many samples have it: as `by_score`."""
    low = {value: value < CUT for value in counts if value is not None}
    below = sum(counts[value] for value in low if low[value])
    if min(below, sum(counts[value] for value in low) - below) < SMALLEST:
        return dict.fromkeys(counts, "")
    names = {
        value: f"score below {CUT:g}" if is_low else f"score {CUT:g} or more" for value, is_low in low.items()
    }
    return {value: "no score" if value is None else names[value] for value in counts}


def stratified_ranks(u: Sequence[float], strata: Sequence[str], allocation: Mapping[str, int]) -> list[float]:
    """Each stratum in its own random order, dealt so that every prefix holds nearly the planned shares.

    The first n of it, n the sum of the allocation, hold exactly the allocation.
    """
    members: dict[str, list[int]] = defaultdict(list)
    for index in sorted(range(len(u)), key=u.__getitem__):
        members[strata[index]].append(index)
    ranks = [0.0] * len(u)
    for name, places in members.items():
        for number, index in enumerate(places):
            ranks[index] = (number + 0.5) / allocation[name]
    return ranks


def places(ranks: Sequence[float], u: Sequence[float]) -> list[float]:
    """The same order as numbers in [0, 1): each one's place divided by how many there are; ties go by u."""
    shares = [0.0] * len(ranks)
    for number, index in enumerate(sorted(range(len(ranks)), key=lambda at: (ranks[at], u[at]))):
        shares[index] = number / len(ranks)
    return shares


def blind_share_for(share: float, planned_n: int) -> float:
    """The share of blind samples that lets `BLIND_REVIEWS` of the planned n be expected blind."""
    return share if planned_n < BLIND_FROM else max(share, BLIND_REVIEWS / planned_n)


def families(groups: Sequence[str | None], references: Sequence[str]) -> list[list[int]]:
    """The places of samples that belong together: by group, and by the hash of their reference.

    A reference that stands in two groups joins them.
    """
    from scipy.cluster.hierarchy import DisjointSet

    kin = DisjointSet(f"r{reference}" for reference in references)
    for group, reference in zip(groups, references, strict=True):
        if group is not None:
            kin.add(f"g{group}")
            kin.merge(f"g{group}", f"r{reference}")
    members: dict[str, list[int]] = defaultdict(list)
    for index, reference in enumerate(references):
        members[kin[f"r{reference}"]].append(index)
    return list(members.values())


def keep_back(kin: Sequence[Sequence[int]], keys: Sequence[str], share: float, seed: int) -> set[int]:
    """The places of about `share` of the samples, whole families in an order drawn by the seed.

    A family that would lead further away from the share is passed over. Empty where all of them are.
    """
    wanted = share * len(keys)
    holdout: set[int] = set()

    def drawn(family: Sequence[int]) -> bytes:
        name = f"{seed}:holdout:{min(keys[index] for index in family)}"
        return hashlib.blake2b(name.encode(), digest_size=8).digest()

    for family in sorted(kin, key=drawn):
        after = len(holdout) + len(family)
        if after - wanted <= wanted - len(holdout):
            holdout.update(family)
    return holdout
