"""What is kept of a difference, the causes of many added up, and the reasons in the words of the answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from workbench.comparing.agreement import Overlap, by_label
from workbench.comparing.causes import CAUSES, Cause, Difference, Part, UnitRow
from workbench.model import Tally


@dataclass(frozen=True, slots=True)
class Share:
    """What one cause (and its finer part) comes to in one sample: units of equal weight, and their net share.

    `share` is None where Δ is undefined. `labels` has the label of each unit, the verified one where there
    are two.
    """

    cause: Cause
    part: Part
    units: int
    share: Fraction | None
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """One unit of either side or two that are linked: verdict and label of each, None where it has none.

    `same`: both read alike, letter for letter.
    """

    automatic: str | None
    verified: str | None
    automatic_label: str | None
    verified_label: str | None
    same: bool


@dataclass(frozen=True, slots=True)
class Explained:
    """One verified sample under one scorer: both tallies, why they differ, and every unit's verdicts.

    `imported` is the number of the file where the scorer is a column of it; `automatic`, `judged` and all
    shares but "untraced" and "rounding" are then of the recount.
    """

    automatic: Tally
    verified: Tally
    shares: tuple[Share, ...]
    judged: tuple[Judged, ...]
    imported: Fraction | None = None

    @property
    def ends(self) -> tuple[Fraction | None, Fraction | None]:
        """The automatic or imported value and the verified one, exactly."""
        return self.automatic.recall if self.imported is None else self.imported, self.verified.recall

    @property
    def delta(self) -> Fraction | None:
        """Automatic − verified recall; None where one is undefined."""
        one, other = self.ends
        return None if one is None or other is None else one - other

    @property
    def main(self) -> str:
        """The cause of the largest net share, whichever its sign; "" where both values are equal."""
        if not self.delta:
            return ""
        nets: dict[str, Fraction] = defaultdict(Fraction)
        for share in self.shares:
            nets[share.cause] += share.share or 0
        there = (cause for cause in CAUSES if cause in nets)
        return max(there, key=lambda cause: abs(nets[cause]), default="")

    def net(self, cause: str) -> float | None:
        """The net share of a cause; None where Δ is undefined."""
        if self.delta is None:
            return None
        return float(sum(share.share or 0 for share in self.shares if share.cause == cause))

    def overlap(self, *, strict: bool) -> Overlap:
        """How the proposed units cover the verified ones; `strict`: letter for letter."""
        both = [unit for unit in self.judged if unit.automatic is not None and unit.verified is not None]
        linked = sum(unit.same for unit in both) if strict else len(both)
        return Overlap(linked, self.automatic.units, self.verified.units)


def explained(difference: Difference) -> Explained:
    """What is kept of a difference."""
    labels: dict[tuple[Cause, Part, Fraction | None], list[str]] = defaultdict(list)
    for row in difference.rows:
        if row.cause:
            unit = row.verified or row.automatic
            labels[row.cause, row.part, row.share].append(unit.label if unit else "")
    return Explained(
        difference.automatic,
        difference.verified,
        tuple(
            Share(cause, part, len(own), None if each is None else each * len(own), tuple(own))
            for (cause, part, each), own in labels.items()
        ),
        tuple(_judged(row) for row in difference.rows if row.automatic or row.verified),
        difference.imported,
    )


def _judged(row: UnitRow) -> Judged:
    ours, theirs = row.automatic, row.verified
    return Judged(
        ours.match.verdict or "unsure" if ours else None,
        theirs.match.verdict or "unsure" if theirs else None,
        ours.label if ours else None,
        theirs.label if theirs else None,
        ours is not None and theirs is not None and ours.text == theirs.text,
    )


def sums(known: Iterable[Explained]) -> tuple[Fraction, Fraction]:
    """Both values added up over the samples that have both."""
    ends = [sample.ends for sample in known]
    both = [(ours, theirs) for ours, theirs in ends if ours is not None and theirs is not None]
    return sum((ours for ours, _ in both), Fraction(0)), sum((theirs for _, theirs in both), Fraction(0))


def of_labels(known: Iterable[Explained]) -> dict[str, tuple[Overlap, int]]:
    """By label, "" for none: with equal labels, and how many of its verified units match under any label.

    Empty where no unit has one.
    """
    units = [(unit.automatic_label, unit.verified_label) for sample in known for unit in sample.judged]
    matched = Counter(verified for automatic, verified in units if automatic is not None)
    same = by_label(units)
    return {label: (overlap, matched[label]) for label, overlap in same.items()} if any(same) else {}


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
    defined = [sample for sample in known if sample.delta is not None]
    units: Counter[tuple[Cause, Part]] = Counter()
    nets: dict[tuple[Cause, Part], Fraction] = defaultdict(Fraction)
    by_sample: dict[Cause, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for number, sample in enumerate(defined):
        for share in sample.shares:
            count = share.units if labels is None else sum(label in labels for label in share.labels)
            if count and share.share is not None:
                net = share.share * Fraction(count, share.units)
                units[share.cause, share.part] += count
                nets[share.cause, share.part] += net
                by_sample[share.cause][number] += net
    n = len(defined)
    totals = []
    for cause in (cause for cause in CAUSES if cause in by_sample):
        parts = [PartTotal(key[1], units[key], net / n) for key, net in nets.items() if key[0] == cause]
        each = by_sample[cause].values()
        totals.append(
            CauseTotal(
                cause,
                n,
                sum(part.units for part in parts),
                len(each),
                sum(each, Fraction()) / n,
                sum((net for net in each if net > 0), Fraction()) / n,
                sum((net for net in each if net < 0), Fraction()) / n,
                tuple(sorted(parts, key=lambda part: -abs(part.share))),
            )
        )
    return tuple(sorted(totals, key=lambda total: -abs(total.share)))


What = Literal[
    "another form", "not extracted", "no evidence", "counted wrongly", "should not count", "left out",
    "cut differently", "unsure", "untraced", "rounding", "too high", "too low",
]  # fmt: skip

_WHAT: dict[str, What] = {
    "missed match": "another form", "false match": "counted wrongly", "invented unit": "should not count",
    "duplicate": "should not count", "missed unit": "left out", "granularity": "cut differently",
    "unsure": "unsure", "untraced": "untraced", "rounding": "rounding",
}  # fmt: skip
_PARTS: dict[str, What] = {"context extraction": "not extracted", "unattributed": "no evidence"}
LEAST = Fraction(1, 2000)
"""Effects without units below this do not show."""


def what_of(cause: str, part: str) -> What:
    """The kind of reason that a cause is, as the answer names it."""
    return _PARTS.get(part, _WHAT[cause])


def shows(cause: str, share: Fraction | None) -> bool:
    """Whether a cause is worth a line: a number of the file that is rounded needs none."""
    return cause != "rounding" or share is None or abs(share) >= LEAST


def shown_rows(rows: Iterable[UnitRow]) -> list[UnitRow]:
    """The rows of a difference that are worth a line, the largest share first, then by their place."""
    listed = [row for row in rows if shows(row.cause, row.share)]
    return sorted(listed, key=lambda row: -abs(row.share or Fraction(0)))


def reasons(difference: Difference) -> list[tuple[What, int, Fraction]]:
    """Why one sample differs: each reason with its units and its share, the largest first."""
    units: Counter[What] = Counter()
    shares: dict[What, Fraction] = defaultdict(Fraction)
    for row in difference.rows:
        if row.cause and row.share is not None:
            what = what_of(row.cause, row.part)
            units[what] += 1
            shares[what] += row.share
    shown = [(what, units[what], share) for what, share in shares.items() if abs(share) >= LEAST]
    return sorted(shown, key=lambda reason: -abs(reason[2]))
