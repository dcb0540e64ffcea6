"""The mean verified value of a whole corpus from the automatic values of all and the verified ones of some.

One formula for both designs: the difference estimator, within strata where there are some.
`automatic` is None for a sample without automatic units, `verified` for one without verified units; such a
sample is no part of the mean but was drawn like the others, so the mean is a ratio of two estimated totals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.comparing.intervals import at_most, at_most_always

Floats = NDArray[np.float64]
Fill = Literal["drop", "low", "high"]


@dataclass(frozen=True, slots=True)
class Reached:
    """One sample that the review order has reached, with `pi`, its chance to be reached.

    `verified` None without bounds: it has no verified units, or is `excluded`. `low` and `high` bound the
    value of a sample that was skipped or is unresolved, and of one with unsure units.
    """

    automatic: float | None
    verified: float | None
    pi: float | None
    stratum: str = ""
    group: str | None = None
    low: float | None = None
    high: float | None = None
    excluded: bool = False

    @property
    def open(self) -> bool:
        """Whether it has bounds and no value."""
        return self.verified is None and self.low is not None and self.high is not None


@dataclass(frozen=True, slots=True)
class EstimateFigures:
    """An estimate and its variances, without any rule about when to show them.

    `variance` is that of drawing from this corpus, `unfinished` the same as if the corpus had no end,
    `process` that of the corpus as a draw from what made it; `share` is the estimated share of samples that
    have verified units. `df` are the degrees of freedom of `variance`. `borrowed` names strata whose
    only sample took its spread from the others.
    """

    point: float
    variance: float
    unfinished: float
    process: float
    df: float
    n: int
    groups: int
    share: float
    borrowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Terms:
    """One entry a drawn sample: chance, verified and automatic value, whether each is defined."""

    chance: Floats
    verified: Floats
    automatic: Floats
    has_verified: Floats
    has_automatic: Floats
    stratum: NDArray[np.int64]
    group: NDArray[np.int64]


def difference(
    automatic: Sequence[float | None],
    drawn: Sequence[Reached],
    strata: Sequence[str] = (),
    *,
    fill: Fill = "drop",
    certain: bool = False,
    within: float = 0.0,
) -> EstimateFigures:
    """theta = mean of all automatic values + mean of (verified − automatic), by strata.

    `automatic` and `strata` have an entry for each of the N samples. `fill` drops open samples or gives
    every sample its low or high bound. `certain`: all were drawn, whatever their chance. Where the e of a
    stratum lie less than `within` apart they are equal: they have no spread.

    With e_i = (z y − a f)_i − theta (z − a)_i, where z and a say whether verified and automatic units exist
    (e = d − dbar when they always do), V = Σ_h (N_h / N)² (1 − pi_h) s_h² / n_h, s_h² that of the e.
    df = V² / Σ (V_h² / (n_h − 1)) over the unfinished strata (Satterthwaite 1946; Cochran 1977, section 5.4).
    Raises ValueError when none has units, a stratum has no sample, or every stratum a single one.
    """
    names = sorted(set(strata) or {""})
    place = {name: number for number, name in enumerate(names)}
    kept = [one for one in drawn if fill != "drop" or not one.open]
    terms = _terms(kept, fill, place, certain)
    count = np.bincount([place[name] for name in strata], minlength=len(names)) if strata else None
    sizes = np.array([len(automatic)]) if count is None else count
    taken = np.bincount(terms.stratum, minlength=len(names))
    if (taken[sizes > 0] == 0).any():
        empty = next(name for name, n in zip(names, taken, strict=True) if not n)
        raise ValueError(f"stratum {empty!r} has no verified sample")
    parts = sizes / sizes.sum()
    relative = (parts / np.where(taken > 0, taken, 1))[terms.stratum]  # sums to 1
    had = np.array([value is not None for value in automatic], dtype=float)
    values = np.array([value or 0.0 for value in automatic])
    gained = terms.has_verified * terms.verified - terms.has_automatic * terms.automatic
    joined = terms.has_verified - terms.has_automatic
    share = float(had.mean() + (relative * joined).sum())
    if share <= 0:
        raise ValueError("no verified sample has units")
    point = float(values.mean() + (relative * gained).sum()) / share
    errors = _levelled((gained - point * joined) / share, terms, within)
    around_mean = terms.has_verified * (terms.verified - point) / share
    groups = int(terms.group.max()) + 1
    process = _process(around_mean, relative, terms.group, len(automatic))
    variance, unfinished, df, borrowed = _by_stratum(terms, errors, parts)
    singles = tuple(names[number] for number in borrowed)
    return EstimateFigures(point, variance, unfinished, process, df, len(kept), groups, share, singles)


def _levelled(errors: Floats, terms: _Terms, within: float) -> Floats:
    """The errors, those of a stratum in which they are equal all at their mean."""
    found = errors.copy()
    for number in np.unique(terms.stratum):
        inside = terms.stratum == number
        if np.ptp(errors[inside]) < within:
            found[inside] = errors[inside].mean()
    return found


def _terms(kept: Sequence[Reached], fill: Fill, place: dict[str, int], certain: bool) -> _Terms:
    chance = np.ones(len(kept)) if certain else np.array([one.pi or 1.0 for one in kept])
    verified = [one.verified if fill == "drop" else getattr(one, fill) for one in kept]
    verified = [one.verified if bound is None else bound for one, bound in zip(kept, verified, strict=True)]
    return _Terms(
        chance=chance,
        verified=np.array([value or 0.0 for value in verified]),
        automatic=np.array([one.automatic or 0.0 for one in kept]),
        has_verified=np.array([value is not None for value in verified], dtype=float),
        has_automatic=np.array([one.automatic is not None for one in kept], dtype=float),
        stratum=np.array([place.get(one.stratum, 0) if len(place) > 1 else 0 for one in kept]),
        group=clusters([one.group for one in kept]),
    )


def clusters(names: Sequence[str | None]) -> NDArray[np.int64]:
    """A number from 0 for each entry, equal for equal names; None is a group of its own."""
    known: dict[str | int, int] = {}
    keys = (place if name is None else name for place, name in enumerate(names))
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)


def _by_stratum(terms: _Terms, errors: Floats, parts: Floats) -> tuple[float, float, float, list[int]]:
    """Variance, that of a corpus without end, its degrees of freedom, strata with one sample."""
    unfinished = pooled = 0.0
    known = 0
    found: list[tuple[float, float]] = []  # the variance of each unfinished stratum and its df
    single: list[tuple[int, float]] = []
    for number in np.unique(terms.stratum):
        inside = terms.stratum == number
        each, left = errors[inside], 1 - float(terms.chance[inside][0])
        n = len(each)
        if n == 1:
            if left > 0:
                single.append((int(number), left))
            continue
        spread = float(each.var(ddof=1)) / n
        own = float(parts[number]) ** 2 * spread
        unfinished += own
        if left > 0:
            found.append((left * own, n - 1))
            known += n - 1
            pooled += (n - 1) * n * spread
    if single and not known:
        raise ValueError("every unfinished stratum has a single verified sample, which shows no spread")
    for number, rest in single:
        own = float(parts[number]) ** 2 * pooled / known
        found.append((rest * own, known))
        unfinished += own
    variance = sum(one for one, _ in found)
    df = _satterthwaite(found) if found else max(len(errors) - 1, 1)
    return variance, unfinished, df, [number for number, _ in single]


def _satterthwaite(parts: Sequence[tuple[float, float]]) -> float:
    """The degrees of freedom of a sum of independent variances, from each part and its own ones."""
    variance = sum(one for one, _ in parts)
    if not variance:
        return sum(df for _, df in parts)
    return round(1 / sum((one / variance) ** 2 / df for one, df in parts), 6)


def _process(values: Floats, relative: Floats, group: NDArray[np.int64], total: int) -> float:
    """The variance of the mean of all N verified values as a draw from the process: s² / N without groups.

    Samples of one group are not independent draws. A pair of them is in the sample with the chance
    pi_i pi_j, so the sum over all pairs of the corpus is estimated by weighting the pairs of the sample.
    """
    middle = float((relative * values).sum())
    centred = values - middle
    n = len(values)
    alone = float((relative * centred**2).sum()) / total
    groups = int(group.max()) + 1
    apart = n / max(n - 1, 1) * alone
    if groups == n:
        return apart
    sums = np.bincount(group, relative * centred)
    pairs = float((sums**2).sum() - ((relative * centred) ** 2).sum())
    return max(apart, groups / max(groups - 1, 1) * (alone + pairs))


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
    drawn: Sequence[Reached],
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
