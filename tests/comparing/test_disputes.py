"""What is a dispute, what it would move, where it stands in the list, how long its state holds."""

from fractions import Fraction

import pytest

from tests.lists import from_cases
from workbench.comparing.disputes import apart, disputed, named, place, stamp, stamped, standing, worded


@from_cases
def test_a_dispute_is_more_than_the_tolerance_exactly(first: str, second: str, expected: bool) -> None:
    """.4 − .3 is .10000000000000003 in floats."""
    difference = float(Fraction(first)) - float(Fraction(second))
    assert expected == disputed(difference) == disputed(-difference)


def test_a_dispute_moves_a_plain_mean_by_its_share() -> None:
    """Over the samples that have both values; what only one side knows is in no dispute."""
    found = apart({1: 1.0, 2: 0.5, 3: 0.2, 4: 1.0}, {1: 0.5, 2: 0.5, 3: 0.6, 5: 0.0})

    assert {1: pytest.approx(0.5), 3: pytest.approx(-0.4)} == {n: one[2] for n, one in found.items()}
    assert {1: pytest.approx(0.5 / 3), 3: pytest.approx(0.4 / 3)} == {n: one[3] for n, one in found.items()}


def test_settling_a_dispute_moves_the_mean_by_just_that() -> None:
    """The mean of the first side, before and after the sample takes the value of the second."""
    first, second = {n: n % 7 / 6 for n in range(50)}, {n: n % 5 / 4 for n in range(50)}
    mean = sum(first.values()) / 50

    for number, (*_, moves) in apart(first, second).items():
        settled = sum({**first, number: second[number]}.values()) / 50
        assert abs(mean - settled) == pytest.approx(moves)


def test_a_weight_of_the_plan_stands_for_the_sample_and_the_plain_one_for_the_rest() -> None:
    found = apart({1: 1.0, 2: 1.0, 3: 1.0}, {1: 0.5, 2: 0.5, 3: 0.5}, {1: 0.2, 3: 0.0})

    assert {1: 0.1, 2: 0.5 / 3, 3: 0.0} == {n: pytest.approx(moves) for n, (*_, moves) in found.items()}


def test_nothing_in_common_is_no_dispute() -> None:
    assert {} == apart({}, {}) == apart({1: 1.0}, {2: 0.0})


def test_what_moves_most_comes_first_and_ties_go_by_id() -> None:
    """.3 − .1 and .2 are a tie although their floats differ; a flag without a difference comes last."""
    moves = {"c": 0.2, "b": 0.3 - 0.1, "e": 0.0, "z": 0.5}
    entries = [(None, "a", "flag"), *((move, name, "linked~verified") for name, move in moves.items())]
    entries.append((0.2, "b", "flag"))

    ordered = sorted(entries, key=lambda one: place(*one))

    assert ["z", "b", "b", "c", "e", "a"] == [name for _, name, _ in ordered]
    assert "flag" == ordered[1][2]


@pytest.mark.parametrize(
    "note", ["", "why", "[0.1~0.2] no stamp of ours", "two\nlines", "x ] y", "[", "  in"]
)
@pytest.mark.parametrize("state", ["explained", "fixed"])
def test_a_state_holds_until_a_value_changes(state: str, note: str) -> None:
    """The note comes back as it was written, with and without a change."""
    kept = stamped(note, stamp(0.5, 2 / 3))

    assert (state, note) == standing(state, kept, stamp(0.5, 2 / 3))  # type: ignore[arg-type]
    assert ("open", note) == standing(state, kept, stamp(0.5, 0.75))  # type: ignore[arg-type]


def test_words_make_a_stamp_too_and_cannot_end_it() -> None:
    says = "wrong [sic] reference"

    assert ("explained", "ok") == standing("explained", stamped("ok", worded(says)), worded(says))
    assert ("open", "ok") == standing("explained", stamped("ok", worded(says)), worded("other words"))
    assert 80 == len(worded("x" * 500))


def test_a_note_that_somebody_else_wrote_holds_as_it_is() -> None:
    assert ("fixed", "by hand") == standing("fixed", "by hand", stamp(0.0, 1.0))


def test_scorers_are_read_from_who_disagrees() -> None:
    assert {"ragas", "linked", "verified"} == named(["ragas~linked", "linked~verified"])
    assert set() == named(["run:a~run:b", "annotators", "flag"])
