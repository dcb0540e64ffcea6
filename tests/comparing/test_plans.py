"""Shares and ranks of review plans, and which samples are kept back."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.lists import from_cases
from workbench.comparing import plans
from workbench.comparing.plans import FEWEST, allocate, families, keep_back, places, stratified_ranks
from workbench.errors import UsageError

COUNTS = st.dictionaries(st.text(max_size=3), st.integers(1, 40), min_size=1, max_size=8)


@given(COUNTS, st.data())
def test_every_stratum_is_in_the_plan_and_none_more_than_whole(counts: Any, data: st.DataObject) -> None:
    """The sum is n; two of each at least, as far as there are two."""
    least = sum(min(FEWEST, count) for count in counts.values())
    n = data.draw(st.integers(least, sum(counts.values())))

    found = allocate(counts, n)

    assert sum(found.values()) == n
    assert all(min(FEWEST, counts[name]) <= number <= counts[name] for name, number in found.items())


def test_allocation_by_hand() -> None:
    assert allocate({"a": 60, "b": 30, "c": 10}, 20) == {"a": 12, "b": 6, "c": 2}


def test_too_few_reviews_for_the_strata_are_refused() -> None:
    with pytest.raises(UsageError, match="5 reviews are too few for 3 strata, 2 of each: plan 6"):
        allocate({"a": 9, "b": 9, "c": 9}, 5)


@given(COUNTS, st.data())
def test_every_prefix_keeps_the_shares_and_the_planned_one_the_allocation(counts: Any, data: Any) -> None:
    """No stratum is a whole sample away from its share of any prefix, up to the rounding of all of them."""
    least = sum(min(FEWEST, count) for count in counts.values())
    n = data.draw(st.integers(least, sum(counts.values())))
    allocation = allocate(counts, n)
    strata = [name for name, count in counts.items() for _ in range(count)]
    random = Random(data.draw(st.integers(0, 99)))
    u = [random.random() for _ in strata]

    ranks = stratified_ranks(u, strata, allocation)
    order = [strata[place] for place in sorted(range(len(u)), key=lambda one: (ranks[one], u[one]))]

    assert Counter(order[:n]) == Counter({name: number for name, number in allocation.items() if number})
    for m in range(n + 1):
        prefix = Counter(order[:m])
        for name, number in allocation.items():
            assert abs(prefix[name] - number * m / n) <= 1 + len(allocation) * number / n


@given(st.lists(st.sampled_from([0.5, 1.0, 2.0, 7.0]), min_size=1), st.integers(0, 99))
def test_places_keep_the_order_and_stay_below_one(ranks: list[float], seed: int) -> None:
    """Equal ranks go by u."""
    random = Random(seed)
    u = [random.random() for _ in ranks]

    found = places(ranks, u)

    assert sorted(found) == [number / len(ranks) for number in range(len(ranks))]
    by_place = sorted(range(len(ranks)), key=found.__getitem__)
    assert by_place == sorted(range(len(ranks)), key=lambda one: (ranks[one], u[one]))


@from_cases
def test_the_blind_arm_is_raised_to_thirty_reviews(share: float, n: int, expected: float) -> None:
    """From sixty planned ones on; never lowered."""
    assert plans.blind_share_for(share, n) == expected


def test_families_join_groups_that_share_a_reference() -> None:
    """a and b share r1; c stands alone; samples without a group go by their reference."""
    groups = ["a", "b", "a", "c", None, None, None]
    references = ["r1", "r1", "r2", "r3", "r4", "r4", "r2"]

    assert sorted(families(groups, references)) == [[0, 1, 2, 6], [3], [4, 5]]


@given(
    st.lists(st.tuples(st.none() | st.sampled_from("abcdefgh"), st.integers(0, 30)), min_size=1, max_size=80),
    st.floats(0.05, 0.95),
    st.integers(0, 1000),
)
def test_a_holdout_is_whole_families_near_its_share(samples: Any, share: float, seed: int) -> None:
    """Never further from it than half of its largest family is large, unless the first one is too large."""
    kin = families([group for group, _ in samples], [f"r{number}" for _, number in samples])
    keys = [f"s{number}" for number in range(len(samples))]

    kept = keep_back(kin, keys, share, seed)

    assert all(set(family) <= kept or not set(family) & kept for family in kin)
    largest = max(len(family) for family in kin)
    assert len(kept) <= share * len(samples) + largest / 2
    assert kept == keep_back(list(reversed(kin)), keys, share, seed)


def test_another_seed_keeps_others_back() -> None:
    kin = [[number] for number in range(100)]
    keys = [f"s{number}" for number in range(100)]

    assert len(keep_back(kin, keys, 0.2, 1)) == 20
    assert keep_back(kin, keys, 0.2, 1) != keep_back(kin, keys, 0.2, 2)


def test_a_family_that_is_too_large_is_passed_over() -> None:
    """90 of 100 samples in one group: a fifth is kept of the others as far as they go."""
    kin = [list(range(90)), *([number] for number in range(90, 100))]
    keys = [f"s{number}" for number in range(100)]

    assert all(keep_back(kin, keys, 0.2, seed) == set(range(90, 100)) for seed in range(20))
    assert keep_back([list(range(100))], keys, 0.2, 1) == set()
