"""How many reviews a precision takes: variances by hand, bounds, and the smallest n."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from workbench.comparing.precision import Pair, half_width, most_differing, needed, unit_variance


def test_the_variance_of_a_simple_random_sample_is_the_usual_one() -> None:
    """Differences 0, 0, .5, 1 of mean .375: squares sum to .6875, divided by 3."""
    pairs = [Pair(one, 4 / 40) for one in (0.0, 0.0, 0.5, 1.0)]

    assert unit_variance(pairs, 40) == pytest.approx(0.6875 / 3)
    assert unit_variance(pairs, 4) == 0.0


def test_weights_that_follow_the_differences_make_a_design_more_precise() -> None:
    """Two of every three differ little and are drawn half as often as the one that differs much."""
    flat = [Pair(one, 0.1) for one in (0.0, 0.02, 0.5, 0.0, 0.01, 0.6)]
    sized = [Pair(one, 0.2 if one > 0.1 else 0.05) for one in (0.0, 0.02, 0.5, 0.0, 0.01, 0.6)]

    assert unit_variance(sized, 60) < unit_variance(flat, 60)


def test_the_variance_of_strata_leaves_out_what_lies_between_them() -> None:
    """10 of mean 0 and 30 of mean 1, 2 and 6 taken: within variances .02 and 0 make (1/4)² · .8 · .02 / 2."""
    pairs = [
        Pair(-0.1, 0.2, "a"), Pair(0.1, 0.2, "a"), *(Pair(1.0, 0.2, "b") for _ in range(6)),
    ]  # fmt: skip

    v = (1 / 4) ** 2 * 0.8 * 0.02 / 2
    assert unit_variance(pairs, 40, {"a": 10, "b": 30}) == pytest.approx(v * 8 / 0.8)


def test_a_stratum_of_one_borrows_the_variance_of_all() -> None:
    pairs = [Pair(0.0, 0.1, "a"), Pair(1.0, 0.1, "a"), Pair(0.5, 0.1, "b")]
    v = (1 / 2) ** 2 * 0.8 * 0.5 / 2 + (1 / 2) ** 2 * 0.9 * 0.25 / 1

    assert unit_variance(pairs, 20, {"a": 10, "b": 10}) == pytest.approx(v * 3 / (1 - 3 / 20))


@pytest.mark.parametrize(("k", "n"), [(0, 10), (0, 50), (1, 20), (4, 30), (10, 10)])
def test_the_bound_on_what_differs_is_the_exact_one(k: int, n: int) -> None:
    """As scipy's binomial test has it; .259 for none of ten."""
    expected = stats.binomtest(k, n, alternative="less").proportion_ci(0.95, "exact").high

    assert most_differing(k, n) == pytest.approx(expected)


@given(st.floats(1e-6, 0.25), st.integers(2, 5_000), st.floats(0.005, 0.5))
def test_needed_is_the_smallest_number_that_does(variance: float, population: int, wanted: float) -> None:
    n = needed(variance, population, wanted)

    assert 2 <= n <= population
    assert half_width(variance, n, population) <= wanted
    assert n == 2 or half_width(variance, n - 1, population) > wanted
