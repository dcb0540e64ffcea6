"""What a corpus would score if every sample were verified, and when nothing can be said about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import hypot, sqrt
from typing import Literal

import numpy as np

from workbench.comparing.bounds import Part, any_look, at_planned as fixed, grown
from workbench.comparing.estimators import EstimateFigures, Population, Reached, difference, rare, with_score
from workbench.comparing.intervals import BADGE, FEWEST, UNIT, Interval, Mean, mean, t_quantile
from workbench.comparing.paired import pearson
from workbench.text.figures import many, number
from workbench.text.lists import pairs, sections

MORE = 40
"""The report names the gain of so many more reviews, unless a plan ends before."""
NARROWER = 0.9
"""An interval without the score that is so much of the one with it, or less, is worth a sentence."""
_SAID = sections(__name__)
DRAWN, PROMISES, REFUSED = (pairs(_SAID[name]) for name in ("drawn", "promises", "refused"))
"""How samples were drawn, when an interval holds, and why there is no estimate."""


def assumptions(summary: Estimate) -> tuple[str, ...]:
    """The sentences that belong to an estimate, the way it was drawn first."""
    complete = summary.complete
    sentences = [] if complete else [DRAWN[summary.design], PROMISES[summary.method]]
    if summary.automatic.n and summary.automatic.undefined:
        sentences.append(f"Everything here is about the {many(summary.total, 'sample')} that have a score.")
    if summary.open:
        sentences.append(
            f"Open samples: {summary.open}. An unresolved one counts at its annotators' lowest and highest"
            " value, a skipped one at 0 and 1."
        )
    out = {"without units": summary.undefined, "not counted": summary.excluded}
    if named := [f"{count:,} {what}" for what, count in out.items() if count]:
        sentences.append(f"No part of the mean: {', '.join(named)}.")
    if summary.groups is not None:
        few = f", fewer than {FEWEST}, so no interval." if summary.groups < FEWEST else "."
        sentences.append(f"New samples by group: {summary.groups} groups{few}")
    if not complete and summary.corpus is not None and summary.gold_only is not None:
        wide, alone = summary.corpus.width, summary.gold_only.width
        if alone <= NARROWER * wide:
            narrower = f"{number(alone, 2)} wide instead of {number(wide, 2)}"
            sentences.append(
                f"The automatic value does not help here: without it the interval would be {narrower}."
                " Do not take the narrower one now: it would hold less often than 95 %."
            )
    if summary.n < BADGE:
        sentences.append(f"{many(summary.n, 'verified sample')}, fewer than {BADGE}: read with caution.")
    return tuple(sentences)


Design = Literal["simple", "stratified", "hand", "imported", "elsewhere"]
Method = Literal["", "known", "range", "at the planned number", "at any look"]


@dataclass(frozen=True)
class Estimate:
    """The mean verified value of the `total` samples with a score, or in `refusal` why there is none.

    Where no sample has a score, `total` are all. Of these, `n` verified samples have a value, `unsure` of
    them with unsure units; `undefined` have no verified units, `excluded` were excluded, `open` were skipped
    or are unresolved. `automatic` is the mean score, `counted` that of the samples with verified units,
    estimated where not all are known; `verified` is the mean of the verified ones so far. `reach` is the
    point with open and unsure samples at their lowest and highest: it is all there is to know where every
    sample was reached and not all are settled. `corpus` is the interval for these samples, `generalising` for
    new data of the same kind; both are None where `assumptions` or `method` say why. `gold_only` is what
    `corpus` would be without the automatic values. `bias` is `counted` − `point`, within its interval.
    `share` is the estimated share of samples that have verified units. `soon` is half of the interval that
    is likely after `ahead` reviews more: at the end of the plan, or 40 later.
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
    groups: int | None = None
    share: float | None = None
    correlation: float | None = None
    gold_only: Interval | None = None
    counted: float | None = None
    bias: float | None = None
    bias_interval: Interval | None = None
    ahead: int = 0
    soon: float | None = None
    assumptions: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every sample was reached."""
        return self.n + self.undefined + self.excluded + self.open == self.total


def estimate(
    population: Population,
    drawn: Sequence[Reached],
    *,
    design: Design,
    planned: int | None = None,
    at_planned: bool = False,
    limits: Interval = UNIT,
) -> Estimate:
    """Estimate the mean verified value of the samples with a score, or of all where none has one, from the
    longest complete prefix of their order.

    `drawn` holds the prefix in its order. `planned` is the sample size of the
    plan, `at_planned` whether the prefix ends there: else the interval is one that holds at any look. A
    verified value lies in `limits`.
    """
    scores = mean(population.automatic, population.times)
    known, reached = with_score(population, drawn)
    ask = partial(_estimate, design=design, at_planned=at_planned, limits=limits)
    summary = replace(ask(known, reached), automatic=scores)
    if summary.point is None:
        return summary
    if summary.counted is not None and scores.value is not None:
        bias, corpus, level = summary.counted - summary.point, summary.corpus, summary.counted
        if limits == UNIT and (summary.undefined or summary.excluded):  # `counted` is an estimate too
            corpus, level = ask(known, reached, both=True).corpus, 0.0
        ends = corpus and Interval(min(level - corpus.high, bias), max(level - corpus.low, bias))
        summary = replace(summary, bias=bias, bias_interval=ends)
        if limits == UNIT and summary.corpus is not None and summary.method in PROMISES:
            bare = ask(known.level(), [replace(sample, automatic=0.0) for sample in reached])
            ahead = planned - len(drawn) if planned and not at_planned else MORE
            ahead = min(max(ahead, 1), population.size - len(drawn))
            soon = half_width(population, drawn, len(drawn) + ahead, at_planned=planned is not None)
            summary = replace(summary, gold_only=bare.corpus, ahead=ahead, soon=soon)
    return replace(summary, assumptions=assumptions(summary))


def _estimate(
    population: Population,
    drawn: Sequence[Reached],
    *,
    design: Design,
    at_planned: bool,
    limits: Interval,
    both: bool = False,
) -> Estimate:
    """The estimate without its bias and what it would be without the automatic values."""
    start = Estimate(
        total=population.size,
        n=sum(each.verified is not None for each in drawn),
        undefined=sum(each.verified is None and not each.open and not each.excluded for each in drawn),
        excluded=sum(each.excluded for each in drawn),
        open=sum(each.open for each in drawn),
        unsure=sum(each.verified is not None and each.low != each.high for each in drawn),
        design=design,
        automatic=mean(population.automatic, population.times),
        verified=mean(each.verified for each in drawn if not each.open and not each.excluded),
    )
    complete = len(drawn) == start.total

    figures = partial(difference, population, drawn, limits=limits, both=both)
    clip = Interval(-1.0, 1.0) if both else limits
    refusal = _refusal(start, drawn, complete)
    try:
        if refusal and complete and start.open and start.n + start.open >= FEWEST:
            ends = Interval(figures(fill="low").point, figures(fill="high").point)
            return replace(start, refusal=refusal, reach=_within(ends, clip))
        if refusal:
            return replace(start, refusal=refusal)
        middle = figures(fill="drop")
        low, high = middle, middle
        if any(each.low is not None for each in drawn):
            low, high = figures(fill="low"), figures(fill="high")
    except ValueError as reason:
        return replace(start, refusal=str(reason))
    reach = None if low is high else Interval(low.point, high.point)
    point = middle.point if reach is None else min(max(middle.point, low.point), high.point)
    corpus = reach
    method: Method = "known" if reach is None else "range"
    if not complete:
        method = "at the planned number" if at_planned else "at any look"
        ends_of = fixed if at_planned else any_look
        corpus = Interval(low.base + ends_of(low.parts).low, high.base + ends_of(high.parts).high)
        point = min(max(point, corpus.low), corpus.high)
    groups = middle.groups if middle.groups < middle.n else None
    return replace(
        start,
        point=min(max(point, clip.low), clip.high),
        reach=_within(reach, clip),
        corpus=_within(corpus, clip),
        generalising=_within(_new_samples(point, corpus, middle, start.total), clip),
        method=method,
        share=middle.share,
        counted=middle.automatic,
        groups=groups,
        correlation=None if complete else _correlation(drawn),
    )


def half_width(population: Population, drawn: Sequence[Reached], n: int, *, at_planned: bool = True) -> float:
    """Half of the interval that n samples may give, if the others are as those so far.

    Without any so far their values are taken for 0 and 1 in equal parts.
    """
    known, reached = with_score(population, drawn)
    parts: tuple[Part, ...] = (
        Part(np.array([0.0, 1.0]), np.zeros(1), np.ones(1), UNIT, np.array([known.size - 2.0])),
    )
    if drawn:
        parts = difference(known, reached).parts
    likely = grown(parts, round(n * known.size / population.size))
    return (fixed if at_planned else any_look)(likely).width / 2


def enough(population: Population, drawn: Sequence[Reached], wanted: float, *, at_planned: bool) -> int:
    """The smallest n, planned or not, whose interval may be ± `wanted`, not below what is drawn."""
    low, high = max(FEWEST, len(drawn)), population.size
    while low < high:
        middle = (low + high) // 2
        fits = half_width(population, drawn, middle, at_planned=at_planned) <= wanted
        low, high = (low, middle) if fits else (middle + 1, high)
    return high


def _new_samples(
    point: float, corpus: Interval | None, middle: EstimateFigures, total: int
) -> Interval | None:
    """The interval for these samples and the distance to others, which are independent: their squares add up.

    Where fewer than five reviewed values are not the usual one, their spread says nothing of rarer ones: the
    distance is then the bound of Gaffke, for so many groups. None below ten groups.
    """
    if min(middle.n, middle.groups) < FEWEST:
        return None
    ends = corpus or Interval(point, point)
    below = above = t_quantile(middle.groups - 1) * sqrt(middle.process)
    if rare(middle.endless.values.tolist()) is not None:
        others, fewer = fixed([middle.endless]), middle.n**2 / middle.groups / total
        below, above = max(below, -others.low * fewer), max(above, others.high * fewer)
    return Interval(point - hypot(point - ends.low, below), point + hypot(ends.high - point, above))


def _within(interval: Interval | None, limits: Interval) -> Interval | None:
    """The part on the scale; an interval outside stays, for a width of 0 would say too much."""
    if interval is None or interval.high <= limits.low or interval.low >= limits.high:
        return interval
    return interval.clipped(limits.low, limits.high)


def _refusal(start: Estimate, drawn: Sequence[Reached], complete: bool) -> str:
    if not start.n:
        if start.undefined:
            return "no verified sample has units"
        return "nothing is settled" if start.open else "nothing was verified"
    if not complete and start.design in REFUSED:
        return REFUSED[start.design]
    if not complete and any(sample.pi is None or sample.pi <= 0 for sample in drawn):
        return "the chance of some verified sample to be drawn is unknown or 0"
    if start.n < FEWEST:
        return f"{many(start.n, 'verified sample')}, fewer than {FEWEST}"
    return ""


def _correlation(drawn: Sequence[Reached]) -> float | None:
    """How closely both values go together; None where one of them does not vary."""
    pairs = [(sample.automatic, sample.verified) for sample in drawn]
    known = np.array([(f, y) for f, y in pairs if f is not None and y is not None])
    return pearson(*known.T) if len(known) >= FEWEST else None
