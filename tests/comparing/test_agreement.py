"""Two judges of the same units, and two columns of values."""

from math import sqrt
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from workbench.comparing import agreement
from workbench.comparing.agreement import Overlap, Rate, Verdicts, alpha, beyond_chance, overlaps, tabulate
from workbench.comparing.intervals import at_most, t_quantile, wilson
from workbench.comparing.paired import Pair, mean_of, paired, pearson, spearman, two_arms


def pairs(automatic: list[float], verified: list[float], groups: list[str] | None = None) -> list[Pair]:
    names: list[str | None] = list(groups) if groups else [None] * len(automatic)
    return [
        Pair(f"s{i:03}", f, y, g) for i, (f, y, g) in enumerate(zip(automatic, verified, names, strict=True))
    ]


AUTOMATIC = [(i * 7 % 11) / 10 for i in range(40)]
VERIFIED = [min(1.0, f + (0.2, 0.0, -0.1, 0.3)[i % 4]) for i, f in enumerate(AUTOMATIC)]


TENS, NINES = [place // 4 for place in range(40)], [place % 9 for place in range(40)]
"""The groups of forty units: ten and nine."""


# Verdicts.


def test_unsure_units_stay_out_of_the_table() -> None:
    said = [("found", "found")] * 6 + [("found", "missing")] * 2 + [("missing", "found"), ("missing", None)]
    table = tabulate([*said, ("unsure", "found"), (None, "missing")])

    assert Verdicts(6, 2, 1, 1, human_unsure=2) == table
    assert (Rate(6, 8), Rate(1, 2), Rate(6, 7), Rate(1, 3)) == (table.tpr, table.tnr, table.ppv, table.npv)
    assert (12 / 15, 2 / 5) == pytest.approx(table.specific)


def test_without_units_nothing_is_said() -> None:
    table = tabulate([])
    assert (None, None) == (table.tpr.value, table.tpr.interval)
    assert (None, None) == table.specific
    assert (0, None, None) == (lambda one: (one.n, one.kappa, one.ac1))(beyond_chance(table.table))


def test_kappa_is_undefined_where_chance_agrees_always() -> None:
    found = beyond_chance([[9, 0], [0, 0]])
    assert (1.0, None, None, 1.0) == (found.raw, found.kappa, found.kappa_se, found.ac1)


def test_units_of_one_group_that_all_agree_count_as_one() -> None:
    """Ten groups of four equal verdicts, six of them right: V = 10/9 · 38.4 / 40², so .24 / V = 9 units."""
    verdicts = [("found", "found")] * 24 + [("found", "missing")] * 16
    found: Any = agreement.tabulate_by_group(verdicts, TENS)
    by_hand, interval = wilson(5.4, 9, t_quantile(9)), found.tpr.interval
    assert (by_hand.low, by_hand.high) == pytest.approx((interval.low, interval.high))
    assert Rate(24, 40) == found.tpr
    alone: Any = agreement.tabulate_by_group(verdicts, range(40)).tpr.interval
    assert wilson(24, 40).width == pytest.approx(alone.width, rel=0.05)


def test_a_rate_without_variation_has_the_interval_of_its_groups() -> None:
    """Forty of forty right in ten groups say as much as ten of ten; nine groups say nothing."""
    verdicts = [("found", "found")] * 40
    ten, nine = (agreement.tabulate_by_group(verdicts, groups) for groups in (TENS, NINES))
    assert (wilson(10, 10, t_quantile(9)), None) == (ten.tpr.interval, nine.tpr.interval)


def test_a_rate_by_group_holds_where_wilsons_does_not() -> None:
    """Thirty samples of eight units that share their luck (correlation .3): 300 draws."""
    chance = np.random.default_rng(3)
    held = {"by group": 0, "alone": 0}
    for _ in range(300):
        hits = chance.binomial(8, chance.beta(0.8 * 7 / 3, 0.2 * 7 / 3, 30)).tolist()
        found: Any = Rate(sum(hits), 240, tuple((one, 8) for one in hits)).interval
        held["by group"] += found.low <= 0.8 <= found.high
        alone = wilson(sum(hits), 240)
        held["alone"] += alone.low <= 0.8 <= alone.high
    assert held["by group"] >= 279
    assert held["alone"] < 255


def test_the_sign_test_by_hand() -> None:
    assert (1.0, 1.0) == (agreement.sign_test(0, 0), agreement.sign_test(4, 4))
    assert 2 * 0.5**6 == pytest.approx(agreement.sign_test(0, 6))


# Units.


def test_units_by_label() -> None:
    rows = [("place", "place"), ("place", "person"), ("place", None), (None, "person"), ("date", "date")]

    known = {"date": Overlap(1, 1, 1), "person": Overlap(0, 0, 2), "place": Overlap(1, 3, 1)}
    assert known == agreement.by_label(rows)


def test_two_empty_sets_agree() -> None:
    found = overlaps([Overlap(0, 0, 0), Overlap(1, 2, 2)])
    assert (None, None, None) == (Overlap(0, 0, 0).f1, Overlap(0, 0, 0).precision, Overlap(0, 0, 0).recall)
    assert (0.5, 0.75) == (found.micro.f1, found.macro_f1)
    assert overlaps([]).macro_f1 is None


def test_alpha_without_anything_to_compare() -> None:
    assert (None, None) == (alpha([[1], [2]]), alpha([[1, 1], [1, 1]]))


# Two columns.


def test_the_figures_of_pairs() -> None:
    found: Any = paired(pairs(AUTOMATIC, VERIFIED))
    off = [f - y for f, y in zip(AUTOMATIC, VERIFIED, strict=True)]

    assert (40, True, None) == (found.n, found.headline, found.groups)
    assert mean(off) == pytest.approx(found.bias)
    assert stdev(off) == pytest.approx(found.sd)
    assert mean(map(abs, off)) == pytest.approx(found.mae)
    assert sqrt(mean(d * d for d in off)) == pytest.approx(found.rmse)
    assert 2 * t_quantile(39) * stdev(off) / sqrt(40) == pytest.approx(found.bias_interval.width)
    assert max(off, key=abs) == pytest.approx(found.largest[1])
    assert Rate(sum(abs(d) < 1e-12 for d in off), 40) == found.equal
    assert found.quantiles is not None
    assert found.may_differ is None


def test_below_ten_pairs_there_are_counts_only() -> None:
    found = paired(pairs([0.5] * 9, [0.5] * 8 + [0.75]))
    assert (9, Rate(8, 9), ("s008", -0.25)) == (found.n, found.equal, found.largest)
    assert (None, None, None) == (found.bias, found.mae, found.spearman)


def test_no_pairs_are_no_error() -> None:
    assert (0, None) == (paired([]).n, paired([]).largest)


def test_equal_values_give_the_exact_bound() -> None:
    found = paired(pairs(AUTOMATIC[:20], AUTOMATIC[:20]))
    assert (0.0, None, None) == (found.bias, found.bias_interval, found.limits)
    assert 1 - 0.05 ** (1 / 20) == pytest.approx(found.may_differ)


def test_samples_of_one_document_are_one_observation() -> None:
    """Each difference twice: as many as there are documents, and the same bias."""
    once, twice = AUTOMATIC[:20], VERIFIED[:20]
    single: Any = paired(pairs(once, twice))
    double: Any = paired(pairs(once * 2, twice * 2, [f"d{i}" for i in range(20)] * 2))
    assert single.bias == pytest.approx(double.bias)
    assert single.bias_interval.width == pytest.approx(double.bias_interval.width)
    assert (None, 20) == (single.groups, double.groups)
    few = paired(pairs(once, twice, [f"d{i % 9}" for i in range(20)]))
    assert few.equal.interval is None, "the share of equal samples goes by group too"
    assert (9, None) == (few.groups, few.bias_interval)


def test_blind_against_assisted_arm() -> None:
    one, other = mean_of(AUTOMATIC), mean_of(VERIFIED)
    apart, interval, seen = two_arms(one, other)
    error = sqrt((one.se or 0) ** 2 + (other.se or 0) ** 2)
    assert mean(AUTOMATIC) - mean(VERIFIED) == pytest.approx(apart)
    assert 4 * error == pytest.approx(interval.width if interval else 0, rel=0.02)
    assert (None, None) == two_arms(mean_of(AUTOMATIC[:9]), other)[1:]
    assert error * (2.0227 + 0.8512) == pytest.approx(seen, rel=1e-3), "t(39)"


def test_a_single_value_has_no_interval_and_no_error() -> None:
    assert (None, None) == (mean_of([0.5]).interval, mean_of([0.5]).se)
    with pytest.raises(ValueError, match="no values"):
        mean_of([])


# Correlations.


def test_a_constant_column_has_no_correlation() -> None:
    flat, steep = np.full(12, 0.5), np.arange(12.0)
    assert (None, None) == (pearson(flat, steep), spearman(steep, flat))
    assert pearson(steep * 1e-309, steep) is None  # whose squares are 0


@given(st.integers(1, 100), st.integers(0, 100))
def test_a_bound_leaves_five_in_a_hundred(n: int, hits: int) -> None:
    """P(at most `hits` of n) at the bound is .05, from the binomial law itself."""
    from scipy.special import bdtr

    if hits < n:
        assert 0.05 == pytest.approx(float(bdtr(hits, n, at_most(hits, n))), abs=1e-9)
