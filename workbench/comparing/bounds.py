"""What few or no differences still allow: exact bounds where a t interval would be too narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from workbench.comparing.estimators import Drawn
from workbench.comparing.intervals import at_most, at_most_always

FEWEST_DIFFERENT = 5
"""Differing samples below which there is no t interval."""
EQUAL = 1e-12
"""Differences closer than this are equal: values are quotients of small integers.

Those of an imported column are equal `within` the precision of its digits."""


@dataclass(frozen=True, slots=True)
class Bound:
    """At most `share` of the samples differ otherwise than seen, with 95 % confidence.

    `differing` of `n` verified samples differ from `usual`, the d = verified − automatic of the others.
    `hidden` is the largest mean |d| that could be unseen: that share, each wrong by the whole scale of 1.
    """

    differing: int
    n: int
    usual: float
    share: float
    hidden: float


def rare(values: Sequence[float], others: int = 0, within: float = EQUAL) -> tuple[float, int] | None:
    """The usual value and how many are not it, where they are fewer than 5; else None.

    0 is the usual value where it can be, else the median: the value of all but a few is the median.
    `others` differ too, by how much is unknown. Values less than `within` apart are equal.
    """
    for usual in (0.0, median(values) if values else 0.0):
        differing = others + sum(abs(value - usual) >= within for value in values)
        if differing < FEWEST_DIFFERENT:
            return usual, differing
    return None


def exact_bound(
    drawn: Sequence[Drawn],
    total: int,
    defined: float,
    *,
    always: bool,
    within: float = EQUAL,
) -> Bound | None:
    """The bound for `total` samples, `defined` of them (a share) with units; None where differences abound.

    `always`: it is looked at after every sample. A stratum of which fewer are drawn than evenly hides in
    proportion. Differences less than `within` apart are equal: their mean is seen in the point, only others
    can hide.
    """
    known = [one for one in drawn if not one.open]
    both = [(one.automatic, one.verified) for one in known]
    apart = sum((f is None) != (y is None) for f, y in both)  # only one side has units
    usual = rare([y - f for f, y in both if f is not None and y is not None], apart, within)
    if usual is None:
        return None
    n, differing = len(known), usual[1]
    rarer = max(1.0, len(drawn) / (min(one.pi or 1.0 for one in drawn) * total))
    share = min(1.0, rarer * (at_most_always if always else at_most)(differing, n))
    return Bound(differing, n, usual[0], share, min(1.0, share / defined))
