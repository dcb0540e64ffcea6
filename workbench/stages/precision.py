"""How many more reviews an interval of a wanted width takes, from what is reviewed by now."""

from __future__ import annotations

import math
from dataclasses import dataclass

from workbench.comparing.precision import (
    FEWEST_DIFFERING,
    FEWEST_PAIRS,
    WIDEST,
    Pair,
    most_differing,
    needed,
    unit_variance,
)
from workbench.errors import UsageError
from workbench.stages.examples import seen_by
from workbench.stages.plan import Prefix, prefix
from workbench.stages.queue_page import page_of
from workbench.stages.queue_values import count_now
from workbench.store import runs
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.samples import CHUNK


@dataclass(frozen=True, slots=True)
class Precision:
    """`needed` reviews in the order of the plan give a half-width of at most `half_width`, `more` than now.

    `pairs`: reviewed samples with both values; `deviation` is what the answer rests on, `basis` says so.
    """

    half_width: float
    needed: int
    more: int
    reviewed: int
    population: int
    pairs: int
    deviation: float
    basis: str


def precision(store: Store, info: DatasetInfo, half_width: float) -> Precision:
    """The answer for the first kind of the policy. Raises UsageError for a width that no interval has."""
    if not 0 < half_width < 1:
        raise UsageError(f"a half-width is a number between 0 and 1, as 0.03; {half_width:g} is none")
    found = prefix(store, info, info.kinds[0])
    if not found.population:
        raise UsageError("there is no sample to review")
    pairs = _pairs(store, info, found)
    variance, basis = _variance(pairs, found)
    useful = len(pairs) / len(found.rows) if len(pairs) >= FEWEST_PAIRS else 1.0
    enough = needed(variance, math.ceil(found.population * useful), half_width)
    reviews = min(found.population, math.ceil(enough / useful))
    return Precision(
        half_width=half_width,
        needed=reviews,
        more=max(0, reviews - len(found.rows)),
        reviewed=len(found.rows),
        population=found.population,
        pairs=len(pairs),
        deviation=variance**0.5,
        basis=basis,
    )


def _pairs(store: Store, info: DatasetInfo, found: Prefix) -> list[Pair]:
    """Verified minus automatic of the prefix's samples that have both and that the run was not shown."""
    current = next((run for run in runs.list_runs(store, info.id) if run.id == info.run_id), None)
    seen = seen_by(store, info, current).related
    places = {row.sample_id: row for row in found.rows if row.status == "verified" and row.key not in seen}
    ids = list(places)
    pairs = []
    for start in range(0, len(ids), CHUNK):
        rows = page_of(store, info, "", ids[start : start + CHUNK])
        late = count_now(store, info, [row.sample_id for row in rows if row.automatic is None])
        for row in rows:
            automatic = row.automatic.tally if row.automatic else late.get(row.sample_id)
            verified = row.gold.tally if row.gold else None
            if automatic is None or verified is None or automatic.recall is None or verified.recall is None:
                continue
            place = places[row.sample_id]
            pairs.append(Pair(float(verified.recall - automatic.recall), place.pi, place.stratum))
    return pairs


def _variance(pairs: list[Pair], found: Prefix) -> tuple[float, str]:
    """What one review is worth, and in words where that comes from."""
    n = len(pairs)
    if found.whole:
        return 0.0, "every sample is complete: nothing is left to chance"
    if n < FEWEST_PAIRS:
        return WIDEST**2, (
            f"{n} samples of the prefix have both values, {FEWEST_PAIRS} are needed to know how they differ: "
            "this is the most it can take, as if every recall were 0 or 1"
        )
    differing = sum(one.difference != 0 for one in pairs)
    if differing < FEWEST_DIFFERING:
        most = most_differing(differing, n)
        return min(most, WIDEST**2), (
            f"{differing} of {n} pairs differ, too few for a variance: taken as if {most:.0%} did, "
            "the most that fits, and by all there is"
        )
    variance = unit_variance(pairs, found.population, found.strata)
    return variance, (
        f"from {n} pairs: a standard deviation of {variance**0.5:.3f} (automatic against verified, "
        f"{found.design} design, without regard to groups)"
    )
