"""What every unit contributes to Δ = recall(automatic) − recall(verified), as exact fractions.

The convention, called "carry": a unit that only one side has keeps that side's verdict when it is imagined
on the other. Two steps lead from the automatic to the verified value, other units and other verdicts; each is
the average of taking it first and taking it last (Shapley). The first of them is split in the same way into
units dropped and units added, and each of those among its units, so units with equal verdicts weigh alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Counts:
    """The integers of one pair of assessments that Δ is made of.

    `both` links are found on both sides, `false` by the automatic side alone, `missed` by the verified one
    alone. `invented` units are automatic only, `invented_found` of them found; `lacking` units are verified
    only, `lacking_found` of them found.
    """

    links: int
    both: int
    false: int
    missed: int
    invented: int
    invented_found: int
    lacking: int
    lacking_found: int


@dataclass(frozen=True, slots=True)
class Shares:
    """The share in Δ of one unit of each sort; times the counts they sum to Δ.

    `invented_found` is the share of an automatic unit without a link that is found, `invented` of one that is
    not; `lacking_found` and `lacking` are the same for verified units.
    """

    false: Fraction
    missed: Fraction
    invented_found: Fraction
    invented: Fraction
    lacking_found: Fraction
    lacking: Fraction


@lru_cache(maxsize=4_096)
def shares(n: Counts) -> Shares | None:
    """The shares of single units; None when one side has no units, for Δ is then undefined.

    Remembered, for samples with equal counts are many and the fractions take .2 ms.
    """
    ours, theirs = n.links + n.invented, n.links + n.lacking
    if not ours or not theirs:
        return None
    weight = (Fraction(1, ours) + Fraction(1, theirs)) / 2
    invented: list[tuple[Fraction, Fraction]] = []
    lacking: list[tuple[Fraction, Fraction]] = []
    for base in (n.both + n.false, n.both + n.missed):  # the verdicts on links: automatic, then verified
        with_lacking = base + n.lacking_found, theirs
        with_invented = base + n.invented_found, ours
        invented.append(_joining(*with_lacking, n.invented, n.invented_found))
        lacking.append(_joining(*with_invented, n.lacking, n.lacking_found))
        if n.links:  # without a link the way over no units at all is closed
            invented.append(_joining(base, n.links, n.invented, n.invented_found))
            lacking.append(_joining(base, n.links, n.lacking, n.lacking_found))
    return Shares(
        false=weight,
        missed=-weight,
        invented_found=_mean([one for one, _ in invented]),
        invented=_mean([one for _, one in invented]),
        lacking_found=-_mean([one for one, _ in lacking]),
        lacking=-_mean([one for _, one in lacking]),
    )


def _joining(found: int, units: int, joining: int, joining_found: int) -> tuple[Fraction, Fraction]:
    """By how much one unit moves found / units when `joining` units come in any order, all equally likely.

    For one that is found and for one that is not. A unit that comes behind k others moves the value by
    (n − f) / n(n + 1) or by −f / n(n + 1), where n = units + k. That is linear in f, so the mean of f stands
    for all orders: `found` and k times the share of found ones among the others.
    """
    if not joining:
        return Fraction(0), Fraction(0)
    ends = Fraction(1, units) - Fraction(1, units + joining)  # the sum of 1 / n(n + 1)
    steps = sum((Fraction(1, units + k) for k in range(1, joining + 1)), Fraction(0))
    behind = (steps - units * ends) / max(1, joining - 1)  # the sum of k / n(n + 1), for one of the others
    for_found = steps - found * ends - (joining_found - 1) * behind
    for_other = -found * ends - joining_found * behind
    return for_found / joining, for_other / joining


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)
