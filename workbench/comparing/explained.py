"""What is kept of a difference once it is worked out: enough for every figure of a dataset, and no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from workbench.comparing.causes import Cause, Difference, Part, Row
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
        """The cause with the largest net share, whichever its sign; "" where both values are equal."""
        if not self.delta:
            return ""
        nets: dict[str, Fraction] = {}
        for one in self.shares:
            nets[one.cause] = nets.get(one.cause, Fraction(0)) + (one.share or 0)
        return max(nets, key=lambda cause: abs(nets[cause]), default="")


def explained(found: Difference) -> Explained:
    """What is kept of a difference."""
    by_cause: dict[tuple[Cause, Part, Fraction | None], list[Row]] = {}
    for row in found.rows:
        if row.cause:
            by_cause.setdefault((row.cause, row.part, row.share), []).append(row)
    return Explained(
        found.automatic,
        found.verified,
        tuple(_share(cause, part, rows) for (cause, part, _), rows in by_cause.items()),
        tuple(_judged(row) for row in found.rows if row.automatic or row.verified),
        found.imported,
    )


def _share(cause: Cause, part: Part, rows: Sequence[Row]) -> Share:
    known = [row.share for row in rows if row.share is not None]
    return Share(
        cause,
        part,
        len(rows),
        sum(known, Fraction(0)) if len(known) == len(rows) else None,
        tuple(_label(row) for row in rows),
    )


def _label(row: Row) -> str:
    unit = row.verified or row.automatic
    return unit.label if unit else ""


def _judged(row: Row) -> Judged:
    ours, theirs = row.automatic, row.verified
    return Judged(
        ours.match.verdict or "unsure" if ours else None,
        theirs.match.verdict or "unsure" if theirs else None,
        ours.label if ours else None,
        theirs.label if theirs else None,
        ours is not None and theirs is not None and ours.text == theirs.text,
    )
