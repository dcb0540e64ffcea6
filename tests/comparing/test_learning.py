"""What reviews teach about the policy: which changes are proposed, with which error before and after."""

from dataclasses import replace
from typing import Any

import pytest

from workbench.comparing.calibration import FitCase
from workbench.comparing.curve import FOUND, MISSING, UNLINKED
from workbench.comparing.learning import policy_changes, recall_under
from workbench.matching import FLOOR
from workbench.model import Policy


def case(place: int, *, dates: int = 2, kept: int = UNLINKED, missed: bool = False) -> FitCase:
    """Two places, found as people say, and dates that are never found; people keep none of these."""
    second = 0 if missed else 100
    said = [FOUND, MISSING if missed else FOUND, *[kept] * dates]
    judged = [one for one in said if one != UNLINKED]
    similarities, recall = bytes([100, second, *[0] * dates]), judged.count(FOUND) / len(judged)
    labels = ("place", "place", *["date"] * dates)
    return FitCase(f"s{place:02}", f"g{place:02}", similarities, bytes(said), recall, labels=labels)


def cases(number: int, **more: int) -> list[FitCase]:
    return [case(place, missed=place % 2 > 0, **more) for place in range(number)]


def test_labels_that_people_do_not_keep_are_not_counted_and_the_error_is_that_of_other_groups() -> None:
    (change,) = policy_changes(cases(12), Policy(), 85)

    assert ("place", "date") == tuple(change.support)
    assert {"place": (24, 24), "date": (0, 24)} == change.support
    assert "do not count date" == change.words
    assert "date" not in change.policy.counted_labels
    assert 7 == len(change.policy.counted_labels)
    # counted: 2/4 and 1/4 found where people say 1 and 1/2; then all are as people say
    assert pytest.approx((0.375, 0.0)) == (change.before, change.after)
    assert 0.5 == change.constant  # without one of the twelve the median is always the other value
    assert (False, True) == (change.gain.interval is None, change.better)


def test_nothing_is_proposed_where_people_keep_what_is_counted() -> None:
    dates_only = replace(Policy(), counted_labels=("date",))  # one has to count
    assert () == policy_changes(cases(12, kept=MISSING), Policy(), 85)
    assert () == policy_changes([], Policy(), 85) == policy_changes(cases(12), dates_only, 85)


@pytest.mark.parametrize("number", [1, 5, 9])
def test_below_ten_reviews_a_change_is_a_suggestion_without_an_interval(number: int) -> None:
    (change,) = policy_changes(cases(number), Policy(), 85)

    assert (None, None) == (change.better, change.gain.interval)
    assert number == change.samples


def test_where_few_of_many_samples_change_it_is_a_suggestion_too() -> None:
    same = [case(place, dates=0, missed=place % 2 > 0) for place in range(20)]

    (change,) = policy_changes([*same[4:], *cases(4)], Policy(), 85)

    assert (None, None) == (change.better, change.gain.interval)


def test_a_change_that_guesses_no_better_than_one_value_is_not_called_better() -> None:
    given = [replace(one, recall=0.75) for one in cases(12)]

    (change,) = policy_changes(given, Policy(), 85)

    assert (0.0, None) == (change.constant, change.better)
    assert change.gain.interval is not None


def test_a_change_that_makes_the_error_larger_is_no_better() -> None:
    """People keep few dates, and yet the automatic value is right with all of them."""
    given = [replace(one, recall=recall_under(one, Policy(), 85)) for one in cases(12)]

    (change,) = policy_changes(given, Policy(), 85)

    assert 0.0 == change.before < change.after
    assert change.better is False


@pytest.mark.parametrize(("number", "better"), [(9, None), (10, False)])
def test_from_ten_reviews_on_a_change_that_gains_nothing_is_no_better(number: int, better: Any) -> None:
    """Half of the names that people keep are found, and half of those that they do not."""
    near = bytes([100, 0, 100, 0])
    given = [replace(case(place, missed=True), similarities=near) for place in range(number)]

    (change,) = policy_changes(given, Policy(), 85)

    assert (0.0, better) == (change.gain.value, change.better)


@pytest.mark.parametrize(("decided", "asked"), [(2, 0), (3, 1)])
def test_a_rule_changes_when_three_names_were_decided_otherwise(decided: int, asked: int) -> None:
    given = [
        replace(one, similarities=bytes([80, *one.similarities[1:]]))
        for one in cases(12, dates=1, kept=MISSING)
    ]
    named = [replace(one, loose={0: ("derived", 96)} if at < decided else {}) for at, one in enumerate(given)]

    found = policy_changes(named, Policy(), 85)

    assert asked == len(found)
    assert [{"derived": (3, 3)}] * asked == [one.support for one in found]


@pytest.mark.parametrize(("rule", "at_80"), [("nested", 0.0), ("derived", 1.0)])
def test_a_unit_that_a_rule_does_not_count_is_as_alike_as_the_matcher_says(rule: Any, at_80: float) -> None:
    """Inside a longer name it is nothing; a country by its people is a suggestion, found from 80 down."""
    one = replace(case(0, dates=0), similarities=bytes([0]), labels=("place",), loose={0: (rule, 84)})
    counts: Any = {rule: "found"}

    assert [0.0, at_80] == [recall_under(one, Policy(), threshold) for threshold in (85, 80)]
    assert [0.0, 1.0] == [recall_under(one, replace(Policy(), **counts), at) for at in (85, 80)]


def test_the_one_value_for_every_sample_weighs_them_as_the_error_does() -> None:
    """Of 12 the 4 at 0.2 weigh 20 times as much, so 0.2 is nearest to all: 8 × 0.7 / 88 off."""
    low, high = cases(12)[:4], cases(12)[4:]
    given = [replace(one, recall=0.2, weight=20.0) for one in low] + [
        replace(one, recall=0.9) for one in high
    ]

    (change,) = policy_changes(given, Policy(), 85)

    assert 8 * 0.7 / 88 == pytest.approx(change.constant)


@pytest.mark.parametrize(("similarity", "found"), [(FLOOR - 1, 0.0), (FLOOR, 1.0)])
def test_what_is_less_alike_than_any_match_is_not_found_at_threshold_0(similarity: int, found: float) -> None:
    one = replace(case(0, dates=0), similarities=bytes([similarity] * 2))

    assert found == recall_under(one, Policy(), 0)


def test_a_sample_of_which_no_unit_is_left_counts_as_0() -> None:
    dates_only = replace(Policy(), counted_labels=("date",))

    assert 0.0 == recall_under(case(0, dates=0), dates_only, 85)
    assert 1.0 == recall_under(case(0, dates=0), Policy(), 85)
