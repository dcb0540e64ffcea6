"""The causes of many differences added up: exact net shares of the bias, with gross counts beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction

from workbench.comparing.causes import CAUSES, Cause, Part
from workbench.comparing.explained import Explained, Share


@dataclass(frozen=True, slots=True)
class PartTotal:
    """A finer part of a cause: its units and its net share of the bias."""

    part: Part
    units: int
    share: Fraction


@dataclass(frozen=True, slots=True)
class CauseTotal:
    """One cause over `n` samples whose Δ is defined.

    `share` is the mean of its net shares: over all causes they add up to the mean Δ exactly. `raised` and
    `lowered` are the means of the positive and of the negative ones alone, for nets cancel; `units` and
    `samples` count where it occurs.
    """

    cause: Cause
    n: int
    units: int
    samples: int
    share: Fraction
    raised: Fraction
    lowered: Fraction
    parts: tuple[PartTotal, ...]


def cause_totals(known: Iterable[Explained], labels: Collection[str] | None = None) -> tuple[CauseTotal, ...]:
    """The causes that occur, the largest net share first; with `labels` only units of these.

    A cause's share of a sample is divided evenly among its units when only some of them are wanted: units
    of one cause, part and verdict weigh alike.
    """
    defined = [one for one in known if one.delta is not None]
    by_cause: dict[Cause, list[tuple[int, Share, Fraction, int]]] = {}
    for number, one in enumerate(defined):
        for share in one.shares:
            units = share.units if labels is None else sum(label in labels for label in share.labels)
            if units and share.share is not None:
                part = share.share * Fraction(units, share.units)
                by_cause.setdefault(share.cause, []).append((number, share, part, units))
    totals = [_total(cause, by_cause[cause], len(defined)) for cause in CAUSES if cause in by_cause]
    return tuple(sorted(totals, key=lambda one: -abs(one.share)))


def _total(cause: Cause, rows: list[tuple[int, Share, Fraction, int]], n: int) -> CauseTotal:
    of_sample: dict[int, Fraction] = {}
    parts: dict[Part, tuple[int, Fraction]] = {}
    for number, share, net, units in rows:
        of_sample[number] = of_sample.get(number, Fraction(0)) + net
        before = parts.get(share.part, (0, Fraction(0)))
        parts[share.part] = before[0] + units, before[1] + net
    nets = of_sample.values()
    return CauseTotal(
        cause,
        n,
        sum(units for _, _, _, units in rows),
        len(of_sample),
        _sum(nets) / n,
        _sum(net for net in nets if net > 0) / n,
        _sum(net for net in nets if net < 0) / n,
        tuple(
            PartTotal(part, units, net / n)
            for part, (units, net) in sorted(parts.items(), key=lambda one: -abs(one[1][1]))
        ),
    )


def _sum(values: Iterable[Fraction]) -> Fraction:
    return sum(values, Fraction(0))
