"""What is estimated for a corpus, with which interval, and when nothing is."""

from __future__ import annotations

import random
from dataclasses import replace
from math import inf, sqrt
from statistics import mean, variance

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workbench.comparing.estimates import REFUSED, Design, Estimate, estimate
from workbench.comparing.estimators import Reached, clusters, difference, exact_bound
from workbench.comparing.intervals import (
    FEWEST,
    Interval,
    around,
    at_most,
    at_most_always,
    sequence_factor,
    t_quantile,
    welch,
    wilson,
    z_quantile,
)

AUTOMATIC = [(i * 7 % 11) / 10 for i in range(60)]
"""60 samples; the first 20 are verified, each off by −.2, 0 or .1 in turn."""
OFF = [-0.2, 0.0, 0.1]


def plain(n: int = 20, pi: float | None = None) -> list[Reached]:
    chance = n / len(AUTOMATIC) if pi is None else pi
    return [Reached(f, f + OFF[i % 3], chance) for i, f in enumerate(AUTOMATIC[:n])]


def simple(drawn: list[Reached], at_planned: bool = True) -> Estimate:
    return estimate(AUTOMATIC, drawn, design="simple", planned=20, at_planned=at_planned, limits=None)


# Quantiles and intervals.


def test_quantiles_are_those_of_the_tables() -> None:
    assert (1.959964, 2.262157) == (round(z_quantile(), 6), round(t_quantile(9), 6))
    assert z_quantile() == t_quantile(inf)


def test_exact_intervals_for_a_share() -> None:
    assert Interval(0.0, 1.0) == wilson(0, 0)
    assert at_most(20, 20) == 1.0 == at_most_always(20, 20)


@given(st.integers(1, 300), st.data())
def test_a_bound_for_one_who_keeps_looking_is_the_wider(n: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, n))
    assert hits / n <= at_most(hits, n) <= at_most_always(hits, n) <= 1


def test_a_bound_for_one_who_keeps_looking_by_hand() -> None:
    """None of 20: (1 − p)^20 = .05 / 21."""
    assert 1 - (0.05 / 21) ** (1 / 20) == pytest.approx(at_most_always(0, 20), abs=1e-9)


def test_a_confidence_sequence_is_narrowest_in_standard_errors_near_the_planned_n() -> None:
    factors = {n: sequence_factor(n, 60) for n in (10, 30, 60, 120, 600)}
    assert 60 == min(factors, key=lambda n: factors[n])
    assert 2.9 < factors[60] < 3.1
    assert sequence_factor(50, None) == sequence_factor(50, 100)


def test_two_means_apart_by_hand() -> None:
    found = welch((1.0, 0.4), (0.3, 0.4), (10, 10))
    df = 0.25**2 / (0.09**2 / 10 + 0.16**2 / 10)
    wanted = around(0.6, 0.5, df)
    assert (wanted.low, wanted.high) == pytest.approx((found.low, found.high), abs=1e-12)


# The estimate.


def test_the_difference_estimator_with_the_end_of_the_corpus_in_sight() -> None:
    off = [OFF[i % 3] for i in range(20)]
    point = mean(AUTOMATIC) + mean(off)
    se = sqrt((1 - 20 / 60) * variance(off) / 20)
    process = variance([f + d for f, d in zip(AUTOMATIC[:20], off, strict=True)]) / 60

    found = simple(plain())

    assert "t" == found.method
    assert (60, 20, 19) == (found.total, found.n, found.df)
    assert point == pytest.approx(found.point, abs=1e-12)
    assert se == pytest.approx(found.se, abs=1e-12)
    assert found.corpus is not None
    assert found.generalising is not None
    assert 2 * t_quantile(19) * se == pytest.approx(found.corpus.width, abs=1e-12)
    assert 2 * t_quantile(19) * sqrt(se**2 + process) == pytest.approx(found.generalising.width, abs=1e-12)
    assert -mean(off) == pytest.approx(found.bias, abs=1e-12)
    assert found.bias_interval is not None
    assert found.corpus.width == pytest.approx(found.bias_interval.width, abs=1e-12)
    assert "Valid at the planned 20 samples only." in found.assumptions


def test_before_the_planned_n_a_confidence_sequence_stands_in_for_the_t_interval() -> None:
    fixed, early = simple(plain()), simple(plain(), at_planned=False)

    assert ("t", "confidence sequence") == (fixed.method, early.method)
    assert fixed.point == early.point
    assert fixed.corpus is not None
    assert early.corpus is not None
    assert early.corpus.width > 1.3 * fixed.corpus.width
    assert "An interval for checking often; tightest near 20 reviews." in early.assumptions


@pytest.mark.parametrize("design", sorted(REFUSED))
def test_an_order_without_chances_gives_no_estimate(design: Design) -> None:
    found = estimate(AUTOMATIC, plain(), design=design)
    assert REFUSED[design] == found.refusal
    assert (None, None, None) == (found.point, found.corpus, found.generalising)
    assert (20, 60) == (found.n, found.total)


@pytest.mark.parametrize("pi", [0.0, -1.0])
def test_a_chance_of_nothing_gives_no_estimate(pi: float) -> None:
    assert "unknown or 0" in estimate(AUTOMATIC, plain(pi=pi), design="simple").refusal


def test_an_unknown_chance_gives_no_estimate() -> None:
    drawn = [replace(one, pi=None) for one in plain()]
    assert "unknown or 0" in estimate(AUTOMATIC, drawn, design="simple").refusal


def test_below_ten_there_are_counts_only() -> None:
    found = simple(plain(9))
    assert "9 verified samples, fewer than 10: counts only" == found.refusal
    assert (9, None, None) == (found.n, found.point, found.corpus)


def test_nothing_verified_is_said() -> None:
    assert "nothing was verified" == estimate(AUTOMATIC, [], design="simple").refusal
    assert "nothing was verified" == estimate([], [], design="simple").refusal


@pytest.mark.parametrize("design", ["imported", "simple", "hand"])
def test_a_corpus_verified_whole_has_a_mean_and_no_interval(design: Design) -> None:
    found = estimate(AUTOMATIC, plain(60), design=design)

    assert ("", "known") == (found.refusal, found.method)
    assert mean(f + OFF[i % 3] for i, f in enumerate(AUTOMATIC)) == pytest.approx(found.point, abs=1e-12)
    assert found.corpus is None
    assert found.generalising is not None
    assert not [one for one in found.assumptions if "reached" in one], "the method says it already"


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40))
def test_with_every_chance_1_the_estimate_is_the_plain_mean(values: list[tuple[float, float]]) -> None:
    drawn = [Reached(f, y, 1.0) for f, y in values]

    found = estimate([f for f, _ in values], drawn, design="simple")

    if len(values) < 10:
        assert "counts only" in found.refusal
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

    one = estimate(automatic, drawn, design="simple", planned=len(drawn), at_planned=True)
    other = estimate(automatic[::-1], turned, design="simple", planned=len(drawn), at_planned=True)

    assert one.refusal == other.refusal
    assert one.method == other.method
    assert one.point == pytest.approx(other.point, abs=1e-12)
    for first, second in ((one.corpus, other.corpus), (one.generalising, other.generalising)):
        assert (first is None) == (second is None)
        if first is not None and second is not None:
            assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-9)


# Strata.


def test_strata_weigh_by_their_size() -> None:
    automatic = [0.5] * 100
    strata = ["a"] * 80 + ["b"] * 20
    drawn = [Reached(0.5, 0.5 + 0.1 * (i % 2), 10 / 80, "a") for i in range(10)]
    drawn += [Reached(0.5, 0.1 + 0.2 * (i % 2), 10 / 20, "b") for i in range(10)]

    found = estimate(automatic, drawn, design="stratified", strata=strata, planned=20, at_planned=True)

    assert 0.8 * 0.55 + 0.2 * 0.2 == pytest.approx(found.point, abs=1e-12)
    spread = {"a": variance([0, 0.1] * 5), "b": variance([0, 0.2] * 5)}
    squares = 0.64 * (1 - 10 / 80) * spread["a"] / 10 + 0.04 * 0.5 * spread["b"] / 10
    assert sqrt(squares) == pytest.approx(found.se, abs=1e-12)


def test_strata_of_unequal_spread_have_fewer_degrees_of_freedom() -> None:
    """(Σ V_h)² / Σ V_h² / (n_h − 1): V_a = .64 · 7/8 · s_a² / 10 and V_b = .04 · 1/2 · s_b² / 10."""
    drawn = [Reached(0.5, 0.5 + 0.1 * (i % 2), 10 / 80, "a") for i in range(10)]
    drawn += [Reached(0.5, 0.1 + 0.2 * (i % 2), 10 / 20, "b") for i in range(10)]
    a, b = 0.64 * 7 / 8 * variance([0, 0.1] * 5), 0.04 / 2 * variance([0, 0.2] * 5)

    found = difference([0.5] * 100, drawn, ["a"] * 80 + ["b"] * 20)

    assert (a + b) ** 2 / (a**2 / 9 + b**2 / 9) == pytest.approx(found.df, abs=1e-5)
    assert found.df < 18


def test_a_stratum_that_is_verified_whole_adds_no_variance() -> None:
    strata = ["a"] * 40 + ["b"] * 2
    drawn = [Reached(0.5, 0.5 + 0.1 * (i % 2), 0.25, "a") for i in range(10)]
    drawn += [Reached(0.5, 0.0, 1.0, "b"), Reached(0.5, 1.0, 1.0, "b")]

    found = difference([0.5] * 42, drawn, strata)

    assert (40 / 42) ** 2 * 0.75 * variance([0, 0.1] * 5) / 10 == pytest.approx(found.variance, abs=1e-12)
    assert 9 == found.df


def test_a_stratum_with_one_sample_borrows_its_spread_and_says_so() -> None:
    strata = ["a"] * 40 + ["b"] * 10
    drawn = [Reached(0.5, 0.5 + 0.1 * (i % 2), 0.25, "a") for i in range(10)] + [Reached(0.5, 0.5, 0.1, "b")]

    found = estimate([0.5] * 50, drawn, design="stratified", strata=strata, planned=11, at_planned=True)

    s = variance([0, 0.1] * 5)
    assert sqrt(0.64 * 0.75 * s / 10 + 0.04 * 0.9 * s) == pytest.approx(found.se, abs=1e-12)
    assert any("spread is borrowed" in said for said in found.assumptions)


def test_a_stratum_without_a_sample_gives_no_estimate() -> None:
    strata = ["a"] * 40 + ["b"] * 20
    drawn = [replace(one, stratum="a") for one in plain()]
    found = estimate(AUTOMATIC, drawn, design="stratified", strata=strata)
    assert "stratum 'b' has no verified sample" == found.refusal


def test_strata_of_one_sample_each_give_no_estimate() -> None:
    names = [f"s{i % 12}" for i in range(60)]
    drawn = [Reached(f, 0.5, 0.2, names[i]) for i, f in enumerate(AUTOMATIC[:12])]
    assert "shows no spread" in estimate(AUTOMATIC, drawn, design="stratified", strata=names).refusal


# Differences that are equal or rare.


def test_no_difference_gives_the_exact_bound_and_no_interval_of_width_0() -> None:
    drawn = [Reached(f, f, 20 / 60) for f in AUTOMATIC[:20]]

    found = simple(drawn)

    assert "exact bound" == found.method
    assert found.bound is not None
    assert 0.139108 == pytest.approx(found.bound.share, abs=1e-6)
    assert (0, 20, 0.0) == (found.bound.differing, found.bound.n, found.bound.usual)
    assert found.corpus is not None
    middle = mean(AUTOMATIC)
    assert (middle - 0.139108, middle + 0.139108) == pytest.approx(
        (found.corpus.low, found.corpus.high), abs=1e-6
    )
    assert found.se is None


def test_equal_differences_are_moved_with_the_bound() -> None:
    found = simple([Reached(f, f - 0.1, 20 / 60) for f in AUTOMATIC[:20]])
    assert found.bound is not None
    assert found.corpus is not None
    assert -0.1 == pytest.approx(found.bound.usual)
    assert mean(AUTOMATIC) - 0.1 == pytest.approx((found.corpus.low + found.corpus.high) / 2, abs=1e-9)


@pytest.mark.parametrize(("differing", "method"), [(1, "exact bound"), (4, "exact bound"), (5, "t")])
def test_fewer_than_five_differences_give_no_t_interval(differing: int, method: str) -> None:
    drawn = [Reached(f, f - 0.3 * (i < differing), 20 / 60) for i, f in enumerate(AUTOMATIC[:20])]
    found = simple(drawn)
    assert method == found.method
    assert found.corpus is not None
    assert found.point is not None
    assert found.corpus.low <= found.point <= found.corpus.high


def test_what_is_drawn_rarely_hides_in_proportion() -> None:
    drawn = [Reached(0.5, 0.5, 0.2) for _ in range(20)]
    even = exact_bound(drawn, 100, 1.0, always=False)
    rarer = exact_bound([*drawn[1:], replace(drawn[0], pi=0.1)], 100, 1.0, always=False)
    assert even is not None
    assert rarer is not None
    assert 2 * even.share == pytest.approx(rarer.share)


# Samples without a value.


def test_samples_without_units_are_a_domain() -> None:
    """By hand: .75 / .83333 with a standard error of .171464."""
    automatic = [0.5, None, 0.25, 1.0, 0.75, 0.5]
    drawn = [Reached(0.5, 0.5, 0.5), Reached(None, 1.0, 0.5), Reached(0.25, None, 0.5)]
    found = difference(automatic, drawn)
    assert (0.9, 0.171464) == pytest.approx((found.point, sqrt(found.variance)), abs=1e-6)
    assert 5 / 6 == pytest.approx(found.share)


def test_excluded_samples_are_counted() -> None:
    drawn = plain()
    for place in (3, 8):
        drawn[place] = replace(drawn[place], verified=None, excluded=True)
    drawn[5] = replace(drawn[5], verified=None)

    found = simple(drawn)

    assert (17, 1, 2) == (found.n, found.undefined, found.excluded)
    assert 1 - 3 / 20 == pytest.approx(found.share)
    assert "1 without units and 2 not counted are no part of the mean." in found.assumptions


def test_skipped_samples_enter_as_bounds() -> None:
    drawn = plain()
    drawn[4] = replace(drawn[4], verified=None, low=0.0, high=1.0)
    lows, highs = list(drawn), list(drawn)
    lows[4], highs[4] = replace(drawn[4], verified=0.0, low=None), replace(drawn[4], verified=1.0, low=None)

    found, low, high = simple(drawn), simple(lows), simple(highs)

    assert (19, 1) == (found.n, found.open)
    assert found.reach == Interval(low.point or 0.0, high.point or 0.0)
    assert found.corpus is not None
    assert low.corpus is not None
    assert high.corpus is not None
    assert (low.corpus.low, high.corpus.high) == pytest.approx((found.corpus.low, found.corpus.high))
    assert found.point is not None
    assert found.reach.low <= found.point <= found.reach.high


def test_skipped_samples_of_a_whole_corpus_leave_a_range() -> None:
    drawn = plain(60)
    drawn[0] = replace(drawn[0], verified=None, low=0.0, high=1.0)
    found = estimate(AUTOMATIC, drawn, design="simple")
    assert "range" == found.method
    assert found.corpus == found.reach
    assert found.corpus is not None
    assert 1 / 60 == pytest.approx(found.corpus.width)


def test_equal_differences_within_each_stratum_give_no_interval() -> None:
    """The strata would each show no spread, and the interval would have no width."""
    strata = ["a"] * 30 + ["b"] * 30
    drawn = [Reached(f, f - 0.1, 0.5, "a") for f in AUTOMATIC[:15]]
    drawn += [Reached(f, f - 0.3, 0.5, "b") for f in AUTOMATIC[30:45]]
    found = estimate(
        AUTOMATIC, drawn, design="stratified", strata=strata, planned=30, at_planned=True, limits=None
    )
    assert mean(AUTOMATIC) - 0.2 == pytest.approx(found.point)
    assert (None, None, None) == (found.corpus, found.generalising, found.bias_interval)
    assert any("No interval" in one for one in found.assumptions)
    rounded = [replace(one, verified=round((one.verified or 0) + 1e-5 * i, 4)) for i, one in enumerate(drawn)]
    found = estimate(
        AUTOMATIC, rounded, design="stratified", strata=strata, planned=30, at_planned=True, limits=None,
        within=1e-3,
    )  # fmt: skip
    assert (None, None, None) == (found.corpus, found.generalising, found.bias_interval)


@pytest.mark.parametrize("usual", [0.0, -0.5, 0.25])
def test_all_but_a_few_differences_that_are_equal_give_the_exact_bound(usual: float) -> None:
    """A t interval of them missed in up to 17 % of the draws where the usual difference is not 0."""
    drawn = [Reached(0.6, 0.6 + usual if place < 27 else 0.6 + usual - 0.1, 0.5) for place in range(30)]
    found = estimate([0.6] * 60, drawn, design="simple", planned=30, at_planned=True, limits=None)
    assert "exact bound" == found.method
    assert found.bound is not None
    assert (3, 30) == (found.bound.differing, found.bound.n)
    assert usual == pytest.approx(found.bound.usual)
    assert at_most(3, 30) == pytest.approx(found.bound.share)


def test_the_bound_on_equal_differences_holds_its_level() -> None:
    """1,000 samples that are off by −.5, one in twenty of them right; 400 draws of 60."""
    draw = random.Random(7)
    verified = [0.5] * 50 + [0.0] * 950
    missed = 0
    for _ in range(400):
        drawn = [Reached(0.5, verified[place], 0.06) for place in draw.sample(range(1000), 60)]
        found = estimate([0.5] * 1000, drawn, design="simple", planned=60, at_planned=True)
        assert found.corpus is not None
        missed += not found.corpus.low <= mean(verified) <= found.corpus.high
    assert missed <= 20


def test_the_interval_is_held_against_the_one_of_gold_alone() -> None:
    """Without automatic values the estimate is the mean of the verified ones: its t interval by hand."""
    off = [(f, (f + OFF[i % 3]) / 2 + 0.2) for i, f in enumerate(AUTOMATIC[:20])]
    drawn = [Reached(f, y, 1 / 3) for f, y in off]
    found = estimate(AUTOMATIC, drawn, design="simple", planned=20, at_planned=True)
    se = sqrt((1 - 20 / 60) * variance([y for _, y in off]) / 20)
    assert found.gold_only is not None
    assert 2 * t_quantile(19) * se == pytest.approx(found.gold_only.width, abs=1e-12)
    assert found.corpus is not None
    assert found.corpus.width != pytest.approx(found.gold_only.width)


def test_the_bias_is_of_the_samples_that_have_both_values() -> None:
    """28 automatic and 27 verified values: a difference of the two means would be of other samples."""
    drawn = [Reached(f, f + 0.1 + (place % 3) / 10, 1.0) for place, f in enumerate(AUTOMATIC[:27])]
    drawn.append(Reached(1.0, None, 1.0))
    found = estimate([*AUTOMATIC[:27], 1.0], drawn, design="simple")
    pairs = [(one.automatic, one.verified) for one in drawn[:27]]
    assert mean((f or 0) - (y or 0) for f, y in pairs) == pytest.approx(found.bias, abs=1e-12)
    assert found.automatic.value is not None
    assert found.point is not None
    assert found.bias != pytest.approx(found.automatic.value - found.point, abs=1e-3)


def test_unsure_units_widen_the_reach_of_a_verified_sample() -> None:
    drawn = plain()
    drawn[0] = replace(drawn[0], low=drawn[0].verified, high=1.0)
    found = simple(drawn)
    assert (20, 0) == (found.n, found.open)
    assert found.reach is not None
    assert found.point == pytest.approx(found.reach.low)


# Groups.


def test_samples_of_one_group_widen_the_generalising_interval_only() -> None:
    drawn = [replace(one, group=f"g{i // 2}") for i, one in enumerate(plain())]
    alone, grouped = simple(plain()), simple(drawn)
    assert alone.corpus == grouped.corpus
    assert (None, 10) == (alone.groups, grouped.groups)
    assert alone.generalising is not None
    assert grouped.generalising is not None
    assert grouped.generalising.width > alone.generalising.width
    assert "New samples by group: 10 groups." in grouped.assumptions


def test_below_ten_groups_nothing_is_generalised() -> None:
    found = simple([replace(one, group=f"g{i % 9}") for i, one in enumerate(plain())])
    assert found.corpus is not None
    assert found.generalising is None
    assert f"New samples by group: 9 groups, fewer than {FEWEST}, so no interval." in found.assumptions


def test_an_estimate_beyond_the_scale_is_shown_at_its_end() -> None:
    """The first are low and rise by .4, the others are at .9: their sum is 1.1."""
    automatic = [0.1] * 20 + [0.9] * 180
    drawn = [Reached(0.1, 0.5 + 0.01 * (i % 5), 0.1) for i in range(20)]
    found = estimate(automatic, drawn, design="simple", planned=20, at_planned=True)
    assert 1.0 == found.point
    assert found.corpus is not None
    assert found.corpus.width > 0


@given(st.lists(st.one_of(st.none(), st.sampled_from("abc")), max_size=12))
def test_clusters_are_numbered_without_gaps(names: list[str | None]) -> None:
    found = clusters(names).tolist()
    assert set(range(len({name for name in names if name}) + names.count(None))) == set(found)
    for one, first in zip(names, found, strict=True):
        assert [one is not None and one == name for name in names].count(True) == (
            found.count(first) if one is not None else 0
        )


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=10, max_size=30))
def test_intervals_hold_the_point_and_stay_on_the_scale(values: list[tuple[float, float]]) -> None:
    assume(len({f for f, _ in values}) > 1)
    drawn = [Reached(f, y, 0.5) for f, y in values]
    found = estimate([f for f, _ in values] * 2, drawn, design="simple", planned=99)
    assert found.point is not None
    assert found.corpus is not None
    assert 0 <= found.corpus.low <= found.corpus.high <= 1
    if 0 <= found.point <= 1:
        assert found.corpus.low - 1e-12 <= found.point <= found.corpus.high + 1e-12
