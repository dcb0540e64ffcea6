"""How many reviews a precision takes: the smallest n."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.comparing.plans import half_width, needed


@given(st.floats(1e-6, 0.25), st.integers(2, 5_000), st.floats(0.005, 0.5))
def test_needed_is_the_smallest_number_that_does(variance: float, population: int, wanted: float) -> None:
    n = needed(variance, population, wanted)

    assert 2 <= n <= population
    assert half_width(variance, n, population) <= wanted
    assert n == 2 or half_width(variance, n - 1, population) > wanted
