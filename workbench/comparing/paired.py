"""Automatic against verified values of the same samples: by how much they differ, and how regularly.

Differences here are automatic − verified. Below ten samples only counts are given, as everywhere.
Retrievers over the same references stand here too: verified recall side by side, and the units that flipped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import hypot, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from workbench.comparing.agreement import Rate, sign_test
from workbench.comparing.estimators import EQUAL, clusters, rare
from workbench.comparing.intervals import BADGE, FEWEST, Interval, Mean, around, at_most, mean, t_quantile
from workbench.model import Assessment, Tally, count
from workbench.reviewing.fold import place_of

Floats = NDArray[np.float64]


def pearson(x: Floats, y: Floats) -> float | None:
    """The product-moment correlation; None where a column is constant but for rounding."""
    return float(np.corrcoef(x, y)[0, 1]) if min(np.ptp(x), np.ptp(y)) > EQUAL else None


def spearman(x: Floats, y: Floats) -> float | None:
    """Pearson of the ranks, tied values sharing the mean of theirs."""
    return pearson(_ranks(x), _ranks(y))


def _ranks(values: Floats) -> Floats:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Floats = (last - (counts - 1) / 2)[inverse]
    return ranks


QUANTILES_FROM = 40
"""Samples from which the empirical 2.5 and 97.5 % quantiles of the differences are given."""


@dataclass(frozen=True)
class Pair:
    """One sample with both values defined."""

    id: str
    automatic: float
    verified: float
    group: str | None = None


@dataclass(frozen=True)
class Paired:
    """The figures of `n` pairs; below ten all but the counts are None.

    `equal` counts samples without a difference, `largest` is the id and difference of the one farthest off.
    `bias_interval` is by group where `groups` is not None; it is None where all differences are equal or
    all but four at most: then at most `may_differ` of the samples do, each group counting as one. `limits`
    are those of agreement (Bland, Altman 1986), bias ± 1.96 s. `headline`: enough samples for a correlation
    to stand alone. `early`: before the end of a plan, where neither interval is given.
    """

    n: int
    equal: Rate
    largest: tuple[str, float] | None
    groups: int | None = None
    headline: bool = False
    early: bool = False
    bias: float | None = None
    bias_interval: Interval | None = None
    may_differ: float | None = None
    sd: float | None = None
    limits: Interval | None = None
    quantiles: Interval | None = None
    mae: float | None = None
    rmse: float | None = None
    pearson: float | None = None
    spearman: float | None = None


@dataclass(frozen=True)
class MeanOf:
    """A mean of some values with its standard error and t interval; groups give the degrees of freedom.

    One observation has neither.
    """

    n: int
    mean: float
    se: float | None
    df: int
    interval: Interval | None


def paired(pairs: Sequence[Pair], within: float = EQUAL, *, early: bool = False) -> Paired:
    """Compare two columns; ties for the largest difference go to the id that sorts first.

    Values less than `within` apart are equal. `early`: without the intervals that hold at the end of a plan
    only.
    """
    n = len(pairs)
    if not n:
        return Paired(0, Rate(0, 0), None, early=early)
    x, y = np.array([(pair.automatic, pair.verified) for pair in pairs], dtype=float).T
    d = x - y
    size = np.abs(d)
    groups = [pair.group for pair in pairs]
    equal = _equal(size < within, groups)
    worst = min(np.flatnonzero(size == size.max()).tolist(), key=lambda index: pairs[index].id)
    largest = pairs[worst].id, float(d[worst])
    if n < FEWEST:
        return Paired(n, equal, largest, early=early)
    average, sd = mean_of(d.tolist(), groups), float(d.std(ddof=1))
    odd = rare(d.tolist(), within)
    observations = average.df + 1
    sure = observations >= FEWEST and not early
    wide = average.interval is not None and average.interval.width > EQUAL  # groups may be alike
    return Paired(
        n=n,
        equal=equal,
        largest=largest,
        groups=observations if observations < n else None,
        headline=n >= BADGE,
        early=early,
        bias=average.mean,
        bias_interval=average.interval if sure and odd is None and wide else None,
        may_differ=at_most(min(odd, observations), observations) if sure and odd is not None else None,
        sd=sd,
        limits=Interval(average.mean - 1.96 * sd, average.mean + 1.96 * sd) if odd is None else None,
        quantiles=Interval(*map(float, np.quantile(d, [0.025, 0.975]))) if n >= QUANTILES_FROM else None,
        mae=float(size.mean()),
        rmse=sqrt(float((d**2).mean())),
        pearson=pearson(x, y),
        spearman=spearman(x, y),
    )


def _equal(same: NDArray[np.bool_], names: Sequence[str | None]) -> Rate:
    """How many pairs are equal, by group where some share one."""
    of = clusters(names)
    sizes = np.bincount(of).tolist()
    groups = zip(np.bincount(of, same).astype(int).tolist(), sizes, strict=True)
    return Rate(int(same.sum()), len(same), tuple(groups) if len(sizes) < len(same) else ())


def mean_of(values: Sequence[float], groups: Sequence[str | None] = ()) -> MeanOf:
    """A mean and its t interval; values of one group are one observation, None is a group of its own.

    With G groups V = G/(G − 1) Σ_g (Σ_{i in g} (d_i − dbar))² / n² and t(G − 1), which is s²/n for groups of
    one. The interval is None below two groups. Raises ValueError without values.
    """
    if not values:
        raise ValueError("no values")
    d = np.array(values, dtype=float)
    n, middle = len(d), float(d.mean())
    sums = np.bincount(clusters(groups or [None] * n), d - middle)
    count = len(sums)
    if count < 2:
        return MeanOf(n, middle, None, 0, None)
    se = sqrt(count / (count - 1) * float((sums**2).sum())) / n
    return MeanOf(n, middle, se, count - 1, around(middle, se, count - 1))


def welch(means: tuple[float, float], ses: tuple[float, float], dfs: tuple[float, float]) -> Interval:
    """The t interval of the difference first − second of two independent means (Welch 1947)."""
    first, second = ses[0] ** 2, ses[1] ** 2
    spread = first**2 / dfs[0] + second**2 / dfs[1]
    df = (first + second) ** 2 / spread if spread else inf
    return around(means[0] - means[1], sqrt(first + second), df)


POWER = 0.8
"""How likely a difference is seen that is called detectable."""


def two_arms(first: MeanOf, second: MeanOf) -> tuple[float, Interval | None, float | None]:
    """first − second of two independent arms, blind and assisted ones, with Welch's interval and the
    smallest difference that they were likely to show: (t.975 + t.8) · its standard error.

    None below ten groups in either arm.
    """
    interval = seen = None
    enough = min(first.df, second.df) + 1 >= FEWEST
    if enough and first.se is not None and second.se is not None and first.se + second.se:
        interval = welch((first.mean, second.mean), (first.se, second.se), (first.df, second.df))
        df = min(first.df, second.df)
        seen = (t_quantile(df) + t_quantile(df, 2 * POWER - 1)) * hypot(first.se, second.se)
    return first.mean - second.mean, interval, seen


@dataclass(frozen=True)
class RetrieverSample:
    """One sample of one retriever: what was verified, None before, and the score that came with it."""

    id: str
    reference_hash: str
    retriever: str
    assessment: Assessment | None
    group: str | None = None
    question: str = ""
    score: float | None = None


@dataclass(frozen=True)
class Flip:
    """A unit whose verdict differs between retrievers: the verdict under each that has it."""

    text: str
    verdicts: Mapping[str, str]


@dataclass(frozen=True)
class ReferencePair:
    """One reference verified under several retrievers: its question; ids, tallies and scores by retriever."""

    reference_hash: str
    group: str | None
    question: str
    ids: Mapping[str, str]
    tallies: Mapping[str, Tally]
    scores: Mapping[str, float | None]
    flips: tuple[Flip, ...]


@dataclass(frozen=True)
class Contrast:
    """Two retrievers over the references verified under both.

    `recalls` are means over the same `delta.n` references, `delta` the mean of first − second, `tallies`
    the summed counts; references without units under one of the two are `delta.undefined`. `paired` sets the
    recalls of the first next to those of the second. `scores` are means of the scores that came with the
    references that have a recall and a score under both, `scored` sets these next to each other, and `off`
    their difference next to that of the recalls: its bias is the part that the score made up. `first_only`
    units are found under the first and missing under the second, `second_only` the other way. `ahead`: in how
    many references (with `group`: groups) the first has the higher recall, and the second; `p` is that of the
    sign test over these, None without any.
    """

    first: str
    second: str
    recalls: tuple[float | None, float | None]
    tallies: tuple[Tally, Tally]
    delta: Mean
    paired: Paired
    scores: tuple[float | None, float | None]
    scored: Paired
    off: Paired
    first_only: int
    second_only: int
    ahead: tuple[int, int]
    p: float | None


@dataclass(frozen=True)
class Retrievers:
    """References verified under several retrievers, and every two retrievers that share some.

    `means` are over the pairs that have the retriever, so only `contrasts` set two of them side by side.
    `scores` are means of the scores that came with all samples, reviewed or not, none of a single one, which
    may be hidden; `scorer` is their column.
    `able` counts references of which several retrievers have samples, `unpaired` those verified under one
    only, `due` those that are both, and `repeated` those with several samples of one retriever: only the
    first is paired. `withheld`: verified samples of which the viewer may not know the value yet.
    """

    names: tuple[str, ...]
    pairs: tuple[ReferencePair, ...]
    means: Mapping[str, Mean]
    scorer: str
    scores: Mapping[str, Mean]
    contrasts: tuple[Contrast, ...]
    unpaired: int
    due: int
    able: int
    repeated: int
    withheld: int = 0


def compare_retrievers(samples: Iterable[RetrieverSample], scorer: str = "") -> Retrievers:
    """Pair verified samples by reference; a reference counts when at least two retrievers have it."""
    by_reference: dict[str, dict[str, tuple[RetrieverSample, Assessment]]] = {}
    scores: dict[str, list[float]] = {}
    repeated: set[str] = set()
    sampled: dict[str, set[str]] = {}
    for sample in samples:
        scores.setdefault(sample.retriever, []).extend([] if sample.score is None else [sample.score])
        sampled.setdefault(sample.reference_hash, set()).add(sample.retriever)
        if sample.assessment is None:
            continue
        row = by_reference.setdefault(sample.reference_hash, {})
        if sample.retriever in row:
            repeated.add(sample.reference_hash)
        row.setdefault(sample.retriever, (sample, sample.assessment))
    alone = [reference for reference, row in by_reference.items() if len(row) == 1]
    able = {reference for reference, names in sampled.items() if len(names) > 1}
    shared = [row for row in by_reference.values() if len(row) > 1]
    ordered = tuple(sorted({name for row in shared for name in row} or scores))
    pairs = tuple(_pair(row) for row in shared)
    means = {
        name: mean(pair.tallies[name].recall for pair in pairs if name in pair.tallies) for name in ordered
    }
    contrasts = [_contrast(first, second, pairs) for first, second in combinations(ordered, 2)]
    return Retrievers(
        names=ordered,
        pairs=pairs,
        means=means,
        scorer=scorer,
        scores={name: mean(scores[name] if len(scores[name]) > 1 else ()) for name in sorted(scores)},
        contrasts=tuple(contrast for contrast in contrasts if contrast is not None),
        unpaired=len(alone),
        due=sum(reference in able for reference in alone),
        able=len(able),
        repeated=len(repeated),
    )


def summed(tallies: Iterable[Tally]) -> Tally:
    """All counts added up."""
    counts = [(tally.found, tally.missing, tally.unsure) for tally in tallies]
    return Tally(*map(sum, zip((0, 0, 0), *counts, strict=True)))


def _contrast(first: str, second: str, pairs: Iterable[ReferencePair]) -> Contrast | None:
    """The two over the pairs that have both; None when there is none."""
    both = [pair for pair in pairs if first in pair.tallies and second in pair.tallies]
    if not both:
        return None
    recalls = [
        (pair, ours, theirs)
        for pair in both
        if (ours := pair.tallies[first].recall) is not None
        and (theirs := pair.tallies[second].recall) is not None
    ]
    scored = [
        (pair, one, other, float(ours - theirs))
        for pair, ours, theirs in recalls
        if (one := pair.scores[first]) is not None and (other := pair.scores[second]) is not None
    ]
    flipped = [(flip.verdicts.get(first), flip.verdicts.get(second)) for pair in both for flip in pair.flips]
    by_group: dict[object, float] = defaultdict(float)
    for index, (pair, ours, theirs) in enumerate(recalls):
        by_group[index if pair.group is None else pair.group] += float(ours - theirs)
    deltas = by_group.values()
    ahead = sum(delta > EQUAL for delta in deltas), sum(delta < -EQUAL for delta in deltas)
    return Contrast(
        first,
        second,
        (mean(ours for _, ours, _ in recalls).value, mean(theirs for _, _, theirs in recalls).value),
        (summed(pair.tallies[first] for pair in both), summed(pair.tallies[second] for pair in both)),
        replace(mean(ours - theirs for _, ours, theirs in recalls), undefined=len(both) - len(recalls)),
        paired([Pair(pair.ids[first], float(a), float(b), pair.group) for pair, a, b in recalls]),
        (mean(one for _, one, _, _ in scored).value, mean(other for _, _, other, _ in scored).value),
        paired([Pair(pair.ids[first], one, other, pair.group) for pair, one, other, _ in scored]),
        paired([Pair(pair.ids[first], one - other, apart, pair.group) for pair, one, other, apart in scored]),
        flipped.count(("found", "missing")),
        flipped.count(("missing", "found")),
        ahead,
        sign_test(*ahead) if any(ahead) else None,
    )


def _pair(row: Mapping[str, tuple[RetrieverSample, Assessment]]) -> ReferencePair:
    names = tuple(sorted(row))
    first, _ = row[names[0]]
    verdicts: dict[tuple[object, ...], dict[str, str]] = {}
    for name in names:
        for unit in row[name][1].units:
            if unit.counted:
                verdicts.setdefault(place_of(unit), {})[name] = unit.match.verdict or "unsure"
    flips = tuple(
        Flip(str(key[0]), verdict) for key, verdict in verdicts.items() if len(set(verdict.values())) > 1
    )
    return ReferencePair(
        reference_hash=first.reference_hash,
        group=first.group,
        question=first.question,
        ids={name: row[name][0].id for name in names},
        tallies={name: count(row[name][1].units) for name in names},
        scores={name: row[name][0].score for name in names},
        flips=flips,
    )
