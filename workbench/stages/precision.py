"""How many reviews an interval of some width needs: of the interval that reports will show."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.comparing.estimates import REFUSED, enough
from workbench.comparing.intervals import FEWEST
from workbench.errors import UsageError
from workbench.scoring.names import kind_of
from workbench.stages import silent
from workbench.stages.calibrate import cross_fitted
from workbench.stages.figures import fits_corpus, reached, scope, side_of, stands_for
from workbench.stages.queue import headline_scorer
from workbench.store import runs
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.text.figures import many


@dataclass(frozen=True, slots=True)
class Precision:
    """A plan of `needed` samples gives a half-width of about `half_width`; `reviewed` ones tell so.

    `basis` says what the answer rests on.
    """

    half_width: float
    needed: int
    reviewed: int
    population: int
    basis: str


def precision(store: Store, info: DatasetInfo, half_width: float) -> Precision:
    """The answer for the first score of reports. Raises UsageError for a width that no interval has."""
    if not 0 < half_width < 1:
        raise UsageError(f"a half-width is a number between 0 and 1, as 0.03; {half_width:g} is none")
    with store.snapshot():
        name = headline_scorer(store, info)
        kind = kind_of(name) or info.kinds[0]
        at = scope(store, info, runs.chosen_run(store, info, None), name, kind, cross_fitted(store, info))
        if not at.places:
            raise UsageError("there is no sample to review")
        side = side_of(at, silent)
        drawn = [sample for sample in reached(at, side) if not sample.open]
        if not fits_corpus(at):
            raise UsageError(REFUSED["elsewhere"])
        automatic, strata, times = stands_for(at, side.of_all)
        total = sum(times)
    n = sum(sample.verified is not None for sample in drawn)
    if len(drawn) == total:
        basis = f"All {many(total, 'sample')} are reviewed: their mean is known."
        return Precision(half_width, total, n, total, basis)
    if n < FEWEST:
        drawn, strata, automatic, times = [], [], [None], [total]
        basis = f"Fewer than {FEWEST} samples are reviewed in order, so this takes every recall for 0 or 1."
    else:
        drawn = [replace(sample, low=None, high=None) for sample in drawn]
        basis = f"If the other samples are as far off as the {many(n, 'reviewed one')}."
    return Precision(half_width, enough(automatic, drawn, strata, half_width, times), n, total, basis)
