"""What must be known to read an estimate, as short sentences."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from workbench.comparing.estimators import Figures
from workbench.comparing.means import BADGE, FEWEST

if TYPE_CHECKING:
    from workbench.comparing.bounds import Bound
    from workbench.comparing.estimates import Estimate


DRAWN = {
    "stratified": "Samples were drawn with equal chances within each stratum.",
    "simple": "Samples were drawn with equal chances.",
}


def assumptions(
    found: Estimate,
    middle: Figures,
    planned: int | None,
    at_planned: bool,
    complete: bool,
) -> tuple[str, ...]:
    """The sentences that belong to an estimate, the way it was drawn first."""
    said = [*_of_design(found, planned, at_planned, complete), *_of_samples(found)]
    if found.groups is not None:
        few = f", fewer than {FEWEST}, so no interval." if found.groups < FEWEST else "."
        said.append(f"Generalising by group: {found.groups} groups{few}")
    if middle.borrowed:
        said.append(
            f"Strata with a single verified sample, whose spread is borrowed: {len(middle.borrowed)}."
        )
    if not complete:
        if found.correlation is not None and abs(found.correlation) <= least_correlation(found.n):
            said.append("The automatic values follow the verified ones too loosely to help.")
        if found.n < BADGE:
            said.append(f"{found.n} verified samples, fewer than {BADGE}: read with caution.")
    return tuple(said)


def _of_design(found: Estimate, planned: int | None, at_planned: bool, complete: bool) -> list[str]:
    if complete:
        return []  # every sample was reached: nothing was drawn
    said = [DRAWN[found.design]]
    if found.method == "confidence sequence":
        said.append(f"An interval for checking often; tightest near {planned or 100} reviews.")
    elif found.method == "t" and at_planned and planned:
        said.append(f"Valid at the planned {planned} samples only.")
    if found.bound is not None:
        looks = "at the planned number" if at_planned and planned else "at every look"
        said.append(
            f"{found.bound.differing} of {found.bound.n} differ{_otherwise(found.bound)}, too few for a t"
            f" interval: at most {found.bound.share:.1%} of the samples do (95 %, {looks})."
        )
    elif found.corpus is None:
        said.append("No interval: within each stratum all differences are equal, which shows no spread.")
    return said


def _otherwise(bound: Bound) -> str:
    return f" otherwise than by {abs(bound.usual):.3f}" if bound.usual else ""


def _of_samples(found: Estimate) -> list[str]:
    said = []
    if found.open:
        said.append(
            f"Open samples: {found.open}. An unresolved one counts at its annotators' lowest and highest"
            " value, a skipped one at 0 and 1."
        )
    if found.undefined or found.excluded:
        said.append(
            f"{found.undefined} without units and {found.excluded} not counted are no part of the mean."
        )
    return said


def least_correlation(n: int) -> float:
    """The |correlation| above which automatic values can help at all: 1 / sqrt(n − 2), for n > 2."""
    return 1 / sqrt(n - 2) if n > 2 else 1.0
