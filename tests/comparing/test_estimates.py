"""What is estimated for a corpus, with which interval, and when nothing is."""

import random
from collections.abc import Sequence
from dataclasses import replace
from math import inf, log
from statistics import mean
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy.stats import hypergeom

from workbench.comparing import estimates
from workbench.comparing.bounds import BETS, Part, any_look, at_planned, log_gain
from workbench.comparing.estimates import PROMISES, REFUSED, Design
from workbench.comparing.estimators import Population, Reached, clusters, difference, with_score
from workbench.comparing.intervals import FEWEST, Interval, around, at_most, t_quantile, z_quantile
from workbench.comparing.paired import welch

AUTOMATIC = [(i * 7 % 11) / 10 for i in range(60)]
"""60 samples; the first 20 are verified, each off by −.2, 0 or .1 in turn."""
OFF = [-0.2, 0.0, 0.1]


def plain(n: int = 20) -> list[Reached]:
    return [Reached(f, f + OFF[i % 3], n / 60) for i, f in enumerate(AUTOMATIC[:n])]


def estimate(automatic: Any, drawn: list[Reached], *, strata: Sequence[str] = (), **more: Any) -> Any:
    """What is estimated; of some parts there may be nothing."""
    return estimates.estimate(Population(automatic, strata), drawn, **more)


AT_20: dict[str, Any] = {"design": "simple", "planned": 20, "at_planned": True}


def simple(drawn: list[Reached], **more: Any) -> Any:
    return estimate(AUTOMATIC, drawn, **AT_20 | more)


# Quantiles and intervals.


def test_quantiles_are_those_of_the_tables() -> None:
    assert (1.959964, 2.262157) == (round(z_quantile(), 6), round(t_quantile(9), 6))
    assert z_quantile() == t_quantile(inf)
    assert 1.0 == at_most(20, 20)


def test_two_means_apart_by_hand() -> None:
    found = welch((1.0, 0.4), (0.3, 0.4), (10, 10))
    df = 0.25**2 / (0.09**2 / 10 + 0.16**2 / 10)
    wanted = around(0.6, 0.5, df)
    assert (wanted.low, wanted.high) == pytest.approx((found.low, found.high), abs=1e-12)


# The estimate.


def test_the_difference_estimator_with_the_end_of_the_corpus_in_sight() -> None:
    off = [OFF[i % 3] for i in range(20)]
    found = simple(plain())

    assert "at the planned number" == found.method
    assert (60, 20) == (found.total, found.n)
    assert mean(AUTOMATIC) + mean(off) == pytest.approx(found.point, abs=1e-12)
    assert -mean(off) == pytest.approx(found.bias, abs=1e-12)
    assert found.corpus.width == pytest.approx(found.bias_interval.width, abs=1e-12)
    assert found.generalising.width > found.corpus.width
    assert PROMISES["at the planned number"] in found.assumptions


def test_before_the_planned_n_the_interval_holds_at_any_look() -> None:
    fixed, early = simple(plain()), simple(plain(), at_planned=False)

    assert ("at the planned number", "at any look") == (fixed.method, early.method)
    assert fixed.point == early.point
    assert early.corpus.width > 1.3 * fixed.corpus.width
    assert PROMISES["at any look"] in early.assumptions


def part(values: list[float], size: int, low: float = 0.0, high: float = 1.0) -> Part:
    open_ = size - len(values)
    ends = Interval(low, high)
    return Part(np.array(values), np.full(open_, low), np.full(open_, high), ends, np.ones(open_))


@pytest.mark.parametrize(("size", "n", "ones"), [(105, 60, 20), (1000, 30, 0), (12, 10, 3), (300, 40, 38)])
def test_the_interval_for_values_of_0_and_1_is_the_hypergeometric_one(size: int, n: int, ones: int) -> None:
    """As scipy's distribution has it; 4,000 draws are exact to 2 % of the width."""
    values = [1.0] * ones + [0.0] * (n - ones)
    low = min(m for m in range(size + 1) if hypergeom.sf(ones - 1, size, m, n) > 0.025)
    high = max(m for m in range(size + 1) if hypergeom.cdf(ones, size, m, n) > 0.025)

    found = at_planned([part(values, size)])

    assert (low, high) == pytest.approx((found.low * size, found.high * size), abs=0.5 + 0.02 * (high - low))


@pytest.mark.parametrize("ends_of", [at_planned, any_look])
def test_an_interval_is_never_wider_than_the_open_samples_allow(ends_of: Any) -> None:
    """10 of 12 reviewed, five of them found: the mean is from 5/12 to 7/12."""
    found = ends_of([part([1.0, 0.0] * 5, 12)])
    assert 5 / 12 - 1e-9 <= found.low < found.high <= 7 / 12 + 1e-9


@pytest.mark.parametrize("ends_of", [at_planned, any_look])
@given(data=st.data())
@settings(deadline=None, max_examples=30)
def test_an_interval_has_no_width_only_where_all_is_known(ends_of: Any, data: st.DataObject) -> None:
    value = data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    n, open_ = data.draw(st.integers(10, 300)), data.draw(st.integers(0, 20))
    found = ends_of([part([value] * n, n + open_), part([0.5] * 12, 12)])
    known = (value * n + 6) / (n + open_ + 12)
    assert known - 1e-6 <= found.low <= found.high <= known + open_ / (n + open_ + 12) + 1e-6
    assert (found.width > 1e-6) == (open_ > 0)


def test_a_bet_against_a_mean_by_hand() -> None:
    """Two values of an endless corpus: the mean of the gains of every stake, both ways."""
    gains = [(1 + b * 0.3 / 0.5) * (1 - b * 0.1 / 0.5) for stake in BETS for b in (stake, -stake)]
    found = log_gain(part([0.8, 0.4], 10**6), np.array([0.5]))
    assert log(mean(gains)) == pytest.approx(float(found[0]), abs=1e-5)


def test_two_strata_give_the_interval_of_one_where_the_other_is_known() -> None:
    one = part([0.0, 1.0, 0.5] * 10, 300)
    alone, both = at_planned([one]), at_planned([one, part([0.5] * 100, 100)])
    assert 0.75 * alone.width == pytest.approx(both.width, abs=1e-6)
    early, joined = any_look([one]), any_look([one, part([0.5] * 100, 100)])
    assert 0.75 * early.width == pytest.approx(joined.width, abs=0.02)


@pytest.mark.parametrize("design", sorted(REFUSED))
def test_an_order_without_chances_gives_no_estimate(design: Design) -> None:
    found = estimate(AUTOMATIC, plain(), design=design)
    assert REFUSED[design] == found.refusal
    assert (None, None, None) == (found.point, found.corpus, found.generalising)
    assert (20, 60) == (found.n, found.total)


@pytest.mark.parametrize("pi", [0.0, -1.0, None])
def test_a_chance_that_is_unknown_or_of_nothing_gives_no_estimate(pi: float | None) -> None:
    drawn = [replace(one, pi=pi) for one in plain()]
    assert "unknown or 0" in estimate(AUTOMATIC, drawn, design="simple").refusal


def test_below_ten_there_are_counts_only() -> None:
    found = simple(plain(9))
    assert "9 verified samples, fewer than 10" == found.refusal
    assert (9, None, None) == (found.n, found.point, found.corpus)


def test_nothing_verified_is_said() -> None:
    assert "nothing was verified" == estimate(AUTOMATIC, [], design="simple").refusal
    assert "nothing was verified" == estimate([], [], design="simple").refusal
    undefined = [Reached(0.5, None, 1.0)]
    assert "no verified sample has units" == estimate([0.5], undefined, design="simple").refusal


@pytest.mark.parametrize("design", ["imported", "simple", "hand"])
def test_a_corpus_verified_whole_has_a_mean_and_no_interval(design: Design) -> None:
    found = estimate(AUTOMATIC, plain(60), design=design)

    assert ("", "known") == (found.refusal, found.method)
    assert mean(f + OFF[i % 3] for i, f in enumerate(AUTOMATIC)) == pytest.approx(found.point, abs=1e-12)
    assert (True, False) == (found.corpus is None, found.generalising is None)
    assert not [one for one in found.assumptions if "reached" in one], "the method says it already"


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40))
def test_with_every_chance_1_the_estimate_is_the_plain_mean(values: list[tuple[float, float]]) -> None:
    drawn = [Reached(f, y, 1.0) for f, y in values]

    found = estimate([f for f, _ in values], drawn, design="simple")

    if len(values) < 10:
        assert "fewer than 10" in found.refusal
        return
    assert mean(y for _, y in values) == pytest.approx(found.point, abs=1e-9)
    assert ("known", None) == (found.method, found.corpus)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=12, max_size=40),
    st.randoms(use_true_random=False),
)
def test_the_order_of_samples_changes_nothing(rows: list[tuple[int, int]], chance: object) -> None:
    drawn = [Reached(f / 4, y / 4, 0.5, group=f"g{y}") for f, y in rows]
    automatic = [one.automatic for one in drawn] * 2
    turned = list(drawn)
    chance.shuffle(turned)  # type: ignore[attr-defined]

    more = AT_20 | {"planned": len(drawn)}
    one, other = estimate(automatic, drawn, **more), estimate(automatic[::-1], turned, **more)

    assert (one.refusal, one.method) == (other.refusal, other.method)
    assert one.point == pytest.approx(other.point, abs=1e-12)
    for first, second in ((one.corpus, other.corpus), (one.generalising, other.generalising)):
        assert (first is None) == (second is None)
        if first is not None:
            assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-9)


# Strata.


def test_strata_weigh_by_their_size() -> None:
    strata = ["a"] * 80 + ["b"] * 20
    drawn = [Reached(0.5, 0.5 + 0.1 * (i % 2), 10 / 80, "a") for i in range(10)]
    drawn += [Reached(0.5, 0.1 + 0.2 * (i % 2), 10 / 20, "b") for i in range(10)]

    found = estimate([0.5] * 100, drawn, strata=strata, **AT_20 | {"design": "stratified"})

    assert 0.8 * 0.55 + 0.2 * 0.2 == pytest.approx(found.point, abs=1e-12)


def test_a_stratum_without_a_sample_gives_no_estimate() -> None:
    strata = ["a"] * 40 + ["b"] * 20
    drawn = [replace(one, stratum="a") for one in plain()]
    found = estimate(AUTOMATIC, drawn, design="stratified", strata=strata)
    assert "stratum 'b' has no verified sample" == found.refusal


# Samples without a value.


def test_the_estimate_is_of_the_samples_with_both_values() -> None:
    """By hand: (.6 + (0 − .25) / 2) / .5; without units on one of the two drawn that have a score."""
    automatic = [0.5, None, 0.25, 1.0, 0.75, 0.5]
    drawn = [Reached(0.5, 0.5, 0.5), Reached(None, 1.0, 0.5), Reached(0.25, None, 0.5)]
    found = difference(*with_score(Population(automatic), drawn))
    assert (0.95, 0.95, 0.5) == pytest.approx((found.point, found.automatic, found.share))


@pytest.mark.parametrize("unscored", [0, 2])
def test_samples_without_a_score_change_neither_the_bias_nor_the_estimate(unscored: int) -> None:
    """43 of 50 have a score: the mean of these minus the bias is the estimate, and the bias is that of the
    reviewed ones, whether or not some of the others are reviewed too."""
    automatic = [*AUTOMATIC[:43], *[None] * 7]
    pairs = [Reached(f, f + 0.25 + OFF[i % 3] / 4, 13 / 50) for i, f in enumerate(AUTOMATIC[:13])]
    drawn = [*pairs, *[Reached(None, 0.1, 13 / 50)] * unscored]
    found = estimate(automatic, drawn, design="simple", planned=len(drawn), at_planned=True)
    bias = mean((one.automatic or 0) - (one.verified or 0) for one in pairs)
    assert (43, 13) == (found.total, found.n)
    assert bias == pytest.approx(found.bias, abs=1e-12)
    assert mean(AUTOMATIC[:43]) - bias == pytest.approx(found.point, abs=1e-12)
    scored = estimate(AUTOMATIC[:43], pairs, **AT_20 | {"planned": 13})
    own = {name: getattr(found, name) for name in ("automatic", "ahead", "soon", "assumptions")}
    assert found == replace(scored, **own)


def test_the_three_means_hang_together_where_units_are_lacking_too() -> None:
    """A reviewed sample without verified units leaves the mean of the score as well."""
    automatic = [*AUTOMATIC[:50], None]
    drawn = [Reached(f, None if i % 5 == 4 else (f + 0.3) / 2, 0.4) for i, f in enumerate(AUTOMATIC[:20])]
    found = estimate(automatic, drawn, **AT_20)
    pairs = [(one.automatic or 0) - one.verified for one in drawn if one.verified is not None]
    assert mean(pairs) == pytest.approx(found.bias, abs=1e-12)
    assert found.point == pytest.approx(found.counted - mean(pairs), abs=1e-12)


def test_a_score_that_does_not_help_is_named() -> None:
    """Verified values alone vary little; against a score that is unrelated to them they vary a lot."""
    drawn = [Reached(f, 0.5 + OFF[i % 3] / 4, 1 / 3) for i, f in enumerate(AUTOMATIC[:20])]
    said = " ".join(simple(drawn).assumptions)
    assert "The automatic value does not help here: without it the interval would be" in said
    assert "Do not take the narrower one now" in said
    close = [replace(one, verified=0.9 * (one.automatic or 0)) for one in plain()]
    assert "does not help" not in " ".join(simple(close).assumptions)


def test_without_any_score_the_verified_values_stand_alone() -> None:
    found = estimate([None] * 60, plain(), **AT_20)
    assert (60, None, None) == (found.total, found.automatic.value, found.bias)
    assert mean(one.verified or 0 for one in plain()) == pytest.approx(found.point, abs=1e-12)


def test_excluded_samples_are_counted() -> None:
    drawn = plain()
    for place in (3, 8):
        drawn[place] = replace(drawn[place], verified=None, excluded=True)
    drawn[5] = replace(drawn[5], verified=None)

    found = simple(drawn)

    assert (17, 1, 2) == (found.n, found.undefined, found.excluded)
    assert 1 - 3 / 20 == pytest.approx(found.share)
    assert "No part of the mean: 1 without units, 2 not counted." in found.assumptions
    assert "No part of the mean: 1 without units." in simple(drawn[4:8] + drawn[9:]).assumptions


def test_skipped_samples_enter_as_bounds() -> None:
    drawn = plain()
    drawn[4] = replace(drawn[4], verified=None, low=0.0, high=1.0)
    lows, highs = list(drawn), list(drawn)
    lows[4], highs[4] = replace(drawn[4], verified=0.0, low=None), replace(drawn[4], verified=1.0, low=None)

    found, low, high = simple(drawn), simple(lows), simple(highs)

    assert (19, 1) == (found.n, found.open)
    assert found.reach == Interval(low.point or 0.0, high.point or 0.0)
    assert (low.corpus.low, high.corpus.high) == pytest.approx((found.corpus.low, found.corpus.high))
    assert found.reach.low <= found.point <= found.reach.high


def test_skipped_samples_of_a_whole_corpus_leave_a_range() -> None:
    drawn = plain(60)
    drawn[0] = replace(drawn[0], verified=None, low=0.0, high=1.0)
    drawn[1] = replace(drawn[1], verified=None)
    found = estimate(AUTOMATIC, drawn, design="simple")
    assert "range" == found.method
    assert found.corpus == found.reach
    assert 1 / 59 == pytest.approx(found.corpus.width)
    assert found.bias_interval.low <= found.bias <= found.bias_interval.high


def test_equal_differences_within_each_stratum_still_leave_a_width() -> None:
    strata = ["a"] * 30 + ["b"] * 30
    drawn = [Reached(f, f - 0.1, 0.5, "a") for f in AUTOMATIC[:15]]
    drawn += [Reached(f, f - 0.3, 0.5, "b") for f in AUTOMATIC[30:45]]
    found = estimate(AUTOMATIC, drawn, design="stratified", strata=strata, planned=30, at_planned=True)
    assert mean(AUTOMATIC) - 0.2 == pytest.approx(found.point)
    assert found.corpus.low + 0.01 < mean(AUTOMATIC) - 0.2 < found.corpus.high - 0.01


def test_the_interval_holds_its_level_where_differences_are_equal_or_rare() -> None:
    """1,000 samples that are off by −.5, one in twenty of them right; 200 draws of 60."""
    draw = random.Random(7)
    verified = [0.5] * 50 + [0.0] * 950
    missed = 0
    for _ in range(200):
        drawn = [Reached(0.5, verified[place], 0.06) for place in draw.sample(range(1000), 60)]
        found = estimate([0.5] * 1000, drawn, design="simple", planned=60, at_planned=True)
        missed += not found.corpus.low <= mean(verified) <= found.corpus.high
    assert missed <= 10


def test_the_interval_is_held_against_the_one_of_gold_alone() -> None:
    off = [(f, (f + OFF[i % 3]) / 2 + 0.2) for i, f in enumerate(AUTOMATIC[:20])]
    drawn = [Reached(f, y, 1 / 3) for f, y in off]
    found = simple(drawn)
    assert at_planned([part([y for _, y in off], 60)]).width == pytest.approx(found.gold_only.width, abs=1e-9)
    assert found.corpus.width != pytest.approx(found.gold_only.width)


def test_the_bias_is_of_the_samples_that_have_both_values() -> None:
    """28 automatic and 27 verified values: a difference of the two means would be of other samples."""
    drawn = [Reached(f, f + 0.1 + (place % 3) / 10, 1.0) for place, f in enumerate(AUTOMATIC[:27])]
    drawn.append(Reached(1.0, None, 1.0))
    found = estimate([*AUTOMATIC[:27], 1.0], drawn, design="simple")
    pairs = [(one.automatic, one.verified) for one in drawn[:27]]
    assert mean((f or 0) - (y or 0) for f, y in pairs) == pytest.approx(found.bias, abs=1e-12)
    assert found.bias != pytest.approx(found.automatic.value - found.point, abs=1e-3)


def test_the_bias_is_the_mean_of_those_counted_minus_the_estimate_at_the_ends_of_the_scale_too() -> None:
    drawn = [Reached(0.5, [0.2, 0.9][i % 2], 1.0) for i in range(12)]
    drawn += [Reached(0.0, None, 1.0, excluded=True), Reached(1.0, None, 1.0, low=0.0, high=0.05)]
    found = estimate([each.automatic for each in drawn], drawn, design="simple")
    assert found.counted - found.point == pytest.approx(found.bias, abs=1e-12)
    assert found.bias_interval.low <= found.bias <= found.bias_interval.high


def test_unsure_units_widen_the_reach_of_a_verified_sample() -> None:
    drawn = plain()
    drawn[0] = replace(drawn[0], low=drawn[0].verified, high=1.0)
    found = simple(drawn)
    assert (20, 0) == (found.n, found.open)
    assert found.point == pytest.approx(found.reach.low)


# Groups.


def test_samples_of_one_group_widen_the_generalising_interval_only() -> None:
    drawn = [replace(one, group=f"g{i // 2}") for i, one in enumerate(plain())]
    alone, grouped = simple(plain()), simple(drawn)
    assert alone.corpus == grouped.corpus
    assert (None, 10) == (alone.groups, grouped.groups)
    assert grouped.generalising.width > alone.generalising.width
    assert "New samples by group: 10 groups." in grouped.assumptions


def test_below_ten_groups_nothing_is_generalised() -> None:
    found = simple([replace(one, group=f"g{i % 9}") for i, one in enumerate(plain())])
    assert (False, True) == (found.corpus is None, found.generalising is None)
    assert f"New samples by group: 9 groups, fewer than {FEWEST}, so no interval." in found.assumptions


def test_an_estimate_beyond_the_scale_is_shown_at_its_end() -> None:
    """The first are low and rise by .4, the others are at .9: their sum is 1.1."""
    automatic = [0.1] * 20 + [0.9] * 180
    drawn = [Reached(0.1, 0.5 + 0.01 * (i % 5), 0.1) for i in range(20)]
    found = estimate(automatic, drawn, **AT_20)
    assert 1.0 == found.point
    assert found.corpus.width > 0


@given(st.lists(st.one_of(st.none(), st.sampled_from("abc")), max_size=12))
def test_clusters_are_numbered_without_gaps(names: list[str | None]) -> None:
    found = clusters(names).tolist()
    assert set(range(len({name for name in names if name}) + names.count(None))) == set(found)
    for one, first in zip(names, found, strict=True):
        assert found.count(first) == (names.count(one) if one else 1)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=10, max_size=30))
def test_intervals_hold_the_point_and_stay_on_the_scale(values: list[tuple[float, float]]) -> None:
    assume(len({f for f, _ in values}) > 1)
    drawn = [Reached(f, y, 0.5) for f, y in values]
    found = estimate([f for f, _ in values] * 2, drawn, design="simple", planned=99)
    assert 0 <= found.corpus.low <= found.corpus.high <= 1
    if 0 <= found.point <= 1:
        assert found.corpus.low - 1e-12 <= found.point <= found.corpus.high + 1e-12


@pytest.mark.parametrize("low", [0, 1])
def test_the_interval_for_new_samples_holds_where_low_values_are_rare(low: int) -> None:
    """Of thirty values that are all 1, or but one, others may be 0: their spread cannot tell."""
    drawn = [Reached(1.0, float(number >= low), 1.0) for number in range(30)]
    found = estimate([1.0] * 30, drawn, design="simple").generalising

    assert found.low < 1 - low / 30 - 2.9 / 30  # the rule of three
    assert 1.0 == found.high
