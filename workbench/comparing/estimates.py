"""What a corpus would score if every sample were verified, and when nothing can be said about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from typing import Literal

import numpy as np

from workbench.comparing.estimators import (
    EQUAL,
    Bound,
    EstimateFigures,
    Reached,
    difference,
    exact_bound,
)
from workbench.comparing.intervals import (
    BADGE,
    FEWEST,
    UNIT,
    Interval,
    Mean,
    mean,
    sequence_factor,
    t_quantile,
)
from workbench.comparing.paired import pearson
from workbench.text.figures import many

DRAWN = {
    "stratified": "Samples were drawn with equal chances within each stratum.",
    "simple": "Samples were drawn with equal chances.",
}


def assumptions(
    found: Estimate,
    middle: EstimateFigures,
    planned: int | None,
    at_planned: bool,
    complete: bool,
) -> tuple[str, ...]:
    """The sentences that belong to an estimate, the way it was drawn first."""
    said = [*_of_design(found, planned, at_planned, complete), *_of_samples(found)]
    if found.groups is not None:
        few = f", fewer than {FEWEST}, so no interval." if found.groups < FEWEST else "."
        said.append(f"New samples by group: {found.groups} groups{few}")
    if middle.borrowed:
        said.append(
            f"Strata with a single verified sample, whose spread is borrowed: {len(middle.borrowed)}."
        )
    if not complete:
        if found.correlation is not None and abs(found.correlation) <= least_correlation(found.n):
            said.append("The automatic values follow the verified ones too loosely to help.")
        if found.n < BADGE:
            said.append(f"{many(found.n, 'verified sample')}, fewer than {BADGE}: read with caution.")
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
        other = f" otherwise than by {abs(found.bound.usual):.3f}" if found.bound.usual else ""
        looks = "at the planned number" if at_planned and planned else "at every look"
        said.append(
            f"{found.bound.differing} of {found.bound.n} differ{other}, too few for a t"
            f" interval: at most {found.bound.share:.1%} of the samples do (95 %, {looks})."
        )
    elif found.corpus is None:
        said.append("No interval: within each stratum all differences are equal, which shows no spread.")
    return said


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


Design = Literal["simple", "stratified", "hand", "imported"]
Method = Literal["", "known", "range", "t", "confidence sequence", "exact bound"]


REFUSED: dict[Design, str] = {
    "hand": "the samples were picked by hand: nobody knows the chance that each had",
    "imported": "we do not know how the file's verified samples were chosen, so nothing can be estimated for"
    " the rest",
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean verified value of all `total` samples, or in `refusal` why there is none.

    `n` verified samples have a value, `unsure` of them with unsure units; `undefined` have no verified units,
    `excluded` were excluded, `open` were skipped or are unresolved. `automatic` is the mean of all samples,
    `verified` that of the verified ones so far. `reach` is the point with open and unsure samples at their
    lowest and highest: it is all there is to know where every sample was reached and not all are settled.
    `corpus` is the interval for these samples, `generalising` for new data of the same kind; both are None
    where `assumptions` or `method` say why. `gold_only` is what `corpus` would be without the automatic
    values. `bias` is the mean of automatic − verified over the samples that have both values. `df` and `se`
    belong to the t intervals. `share` is the estimated share of samples that have verified units.
    """

    total: int
    n: int
    undefined: int
    excluded: int
    open: int
    unsure: int
    design: Design
    automatic: Mean
    verified: Mean
    refusal: str = ""
    point: float | None = None
    reach: Interval | None = None
    corpus: Interval | None = None
    generalising: Interval | None = None
    method: Method = ""
    df: float | None = None
    se: float | None = None
    groups: int | None = None
    share: float | None = None
    correlation: float | None = None
    gold_only: Interval | None = None
    bias: float | None = None
    bias_interval: Interval | None = None
    bound: Bound | None = None
    assumptions: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every sample was reached."""
        return self.n + self.undefined + self.excluded + self.open == self.total


def estimate(
    automatic: Sequence[float | None],
    drawn: Sequence[Reached],
    *,
    design: Design,
    strata: Sequence[str] = (),
    planned: int | None = None,
    at_planned: bool = False,
    limits: Interval | None = UNIT,
    within: float = EQUAL,
) -> Estimate:
    """Estimate the mean verified value of all samples from the longest complete prefix of their order.

    `automatic` has one value a sample, `strata` its stratum where the design has some; `drawn` holds the
    prefix. `planned` is the sample size of the plan, `at_planned` whether the prefix ends there: only then
    is the interval a t interval, else a confidence sequence. `limits` are the ends of the scale, None for
    parts of a difference. Differences less than `within` apart are equal.
    """
    ask = partial(_estimate, design=design, strata=strata, planned=planned, at_planned=at_planned)
    found = ask(automatic, drawn, limits=limits, within=within)
    mean_automatic = found.automatic.value
    if found.point is None or mean_automatic is None:
        return found
    bias: float | None = mean_automatic - found.point
    ends = None if found.corpus is None else found.corpus.mirrored(mean_automatic)
    if limits is not None and (found.automatic.undefined or found.undefined or found.excluded):
        # both means over other samples would differ by more than what the causes explain
        off = ask(
            [None if value is None else 0.0 for value in automatic],
            [_difference(one) for one in drawn],
            limits=limits.mirrored(mean_automatic),
            within=within,
        )
        bias, ends = off.point, off.corpus
    found = replace(found, bias=bias, bias_interval=ends)
    if limits is None or found.corpus is None or found.method not in ("t", "confidence sequence"):
        return found
    bare = ask(
        [0.0] * len(automatic), [replace(one, automatic=0.0) for one in drawn], limits=limits, within=EQUAL
    )
    return replace(found, gold_only=bare.corpus)


def _difference(one: Reached) -> Reached:
    """The sample with automatic − verified for its value, undefined where one of them is."""
    ours, theirs = one.automatic, one.verified
    if ours is None:
        return replace(one, verified=None, low=None, high=None)
    return replace(
        one,
        automatic=0.0,
        verified=None if theirs is None else ours - theirs,
        low=None if one.high is None else ours - one.high,
        high=None if one.low is None else ours - one.low,
    )


def _estimate(
    automatic: Sequence[float | None],
    drawn: Sequence[Reached],
    *,
    design: Design,
    strata: Sequence[str],
    planned: int | None,
    at_planned: bool,
    limits: Interval | None,
    within: float,
) -> Estimate:
    """The estimate without its bias and what it would be without the automatic values."""
    values = [one.verified for one in drawn if one.verified is not None]
    start = Estimate(
        total=len(automatic),
        n=len(values),
        undefined=sum(one.verified is None and not one.open and not one.excluded for one in drawn),
        excluded=sum(one.excluded for one in drawn),
        open=sum(one.open for one in drawn),
        unsure=sum(one.verified is not None and one.low != one.high for one in drawn),
        design=design,
        automatic=mean(automatic),
        verified=mean(one.verified for one in drawn if not one.open and not one.excluded),
    )
    complete = len(drawn) == len(automatic)

    figures = partial(difference, automatic, drawn, strata, certain=complete, within=within)
    refusal = _refusal(start, drawn, complete)
    try:
        if refusal and complete and start.open and start.n + start.open >= FEWEST:
            ends = Interval(figures(fill="low").point, figures(fill="high").point)
            return replace(start, refusal=refusal, reach=_within(ends, limits))
        if refusal:
            return replace(start, refusal=refusal)
        middle = figures(fill="drop")
        low, high = middle, middle
        if any(one.low is not None for one in drawn):
            low, high = figures(fill="low"), figures(fill="high")
    except ValueError as reason:
        return replace(start, refusal=str(reason))
    reach = None if low is high else Interval(low.point, high.point)
    point = middle.point if reach is None else min(max(middle.point, low.point), high.point)
    found = replace(
        start,
        point=point,
        reach=reach,
        df=middle.df,
        share=middle.share,
        groups=middle.groups if middle.groups < middle.n else None,
    )
    looks = complete or at_planned
    bound = None
    if not complete:
        bound = exact_bound(drawn, found.total, middle.share, always=not looks, within=within)
    found = _intervals(found, bound, (low, middle, high), complete, None if looks else planned or 0)
    if limits is not None:
        found = replace(
            found,
            point=min(max(point, limits.low), limits.high),
            reach=_within(reach, limits),
            corpus=_within(found.corpus, limits),
            generalising=_within(found.generalising, limits),
        )
    if not complete:
        found = replace(found, correlation=_correlation(drawn))
    return replace(found, assumptions=assumptions(found, middle, planned, at_planned, complete))


def _within(interval: Interval | None, limits: Interval | None) -> Interval | None:
    """The part on the scale; an interval that lies beside it stays, for a width of 0 would say too much."""
    if interval is None or limits is None or interval.high <= limits.low or interval.low >= limits.high:
        return interval
    return interval.clipped(limits.low, limits.high)


def _refusal(start: Estimate, drawn: Sequence[Reached], complete: bool) -> str:
    if not start.n:
        return "nothing is settled" if start.open else "nothing was verified"
    if not complete and start.design in REFUSED:
        return REFUSED[start.design]
    if not complete and any(one.pi is None or one.pi <= 0 for one in drawn):
        return "the chance of some verified sample to be drawn is unknown or 0"
    if start.n < FEWEST:
        return f"{many(start.n, 'verified sample')}, fewer than {FEWEST}: counts only"
    return ""


def _intervals(
    found: Estimate,
    bound: Bound | None,
    figures: tuple[EstimateFigures, EstimateFigures, EstimateFigures],
    complete: bool,
    tuned: int | None,
) -> Estimate:
    """Both intervals; `tuned` None allows t intervals, else the n of a confidence sequence (0: no plan)."""
    low, middle, high = figures
    few = found.groups is not None and found.groups < FEWEST
    if complete:
        corpus = found.reach
    elif bound is not None:
        base = (found.automatic.value or 0.0) + bound.usual
        corpus = Interval(min(low.point, base) - bound.hidden, max(high.point, base) + bound.hidden)
    else:
        corpus = _spread(low, high, tuned, process=False)
    if found.n < FEWEST or few:
        generalising = None
    elif bound is not None and corpus is not None:
        reach = t_quantile(middle.df) * sqrt(middle.process)
        generalising = Interval(corpus.low - reach, corpus.high + reach)
    else:
        generalising = _spread(low, high, tuned, process=True)
    method: Method = "confidence sequence" if tuned is not None else "t"
    if complete:
        method = "known" if found.reach is None else "range"
    elif bound is not None:
        method = "exact bound"
    elif corpus is not None and corpus.width < EQUAL:  # equal differences within each stratum
        corpus = generalising = None
    return replace(
        found,
        corpus=corpus,
        generalising=generalising,
        bound=bound,
        method=method,
        se=None if bound or corpus is None else sqrt(middle.variance),
    )


def _spread(low: EstimateFigures, high: EstimateFigures, tuned: int | None, *, process: bool) -> Interval:
    """From the lower end with all open samples at their lowest to the upper end with all at their highest."""

    def half(one: EstimateFigures) -> float:
        more = one.process if process else 0.0
        df = min(one.df, one.groups - 1) if process else one.df
        if tuned is None:
            return t_quantile(df) * sqrt(one.variance + more)
        # Student's quantile over the normal one, for the variance is estimated from few values at first
        wider = t_quantile(df) / t_quantile(float("inf"))
        return wider * sequence_factor(one.n, tuned or None) * sqrt(one.unfinished + more)

    return Interval(low.point - half(low), high.point + half(high))


def _correlation(drawn: Sequence[Reached]) -> float | None:
    """How closely both values go together; None where one of them does not vary."""
    pairs = [(one.automatic, one.verified) for one in drawn]
    known = np.array([(f, y) for f, y in pairs if f is not None and y is not None])
    return pearson(*known.T) if len(known) >= FEWEST else None
