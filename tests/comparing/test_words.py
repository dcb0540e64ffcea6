"""Figures in words: how numbers are written, and what is not said of few samples."""

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tests.lists import from_cases
from workbench.comparing import words
from workbench.comparing.agreement import Overlap, Rate, beyond_chance, tabulate
from workbench.comparing.causes import precision_of
from workbench.comparing.estimates import Estimate, estimate
from workbench.comparing.estimators import Population, Reached
from workbench.comparing.explained import CauseTotal, PartTotal
from workbench.comparing.figures import Arm, Arms, Counts, Row, bins
from workbench.comparing.intervals import Interval
from workbench.comparing.paired import MeanOf, Pair, paired
from workbench.comparing.words import Fact
from workbench.text import figures


def lines_of(facts: list[Fact]) -> list[str]:
    return [fact.line for fact in facts]


def row(name: str, delta: float | None, automatic: float | None = None, verified: float | None = None) -> Row:
    return Row(0, name, None, automatic, verified, delta, "")


def test_numbers_have_three_digits_a_true_minus_and_no_leading_zero() -> None:
    """Differences have a sign unless nothing is left of them; intervals have both ends."""
    values = (0.2074, -0.157, 1.0, -1.0, 0.0, None, -0.0002, Fraction(2, 3), 12.5)
    assert ".207 −.157 1.000 −1.000 .000 – .000 .667 12.500".split() == [*map(figures.number, values)]
    assert "+.200 −.200 .000 .000 –".split() == [*map(figures.signed, (0.2, -0.2, 0.0001, -0.0001, None))]
    assert ["[−.057, .412]", ""] == [words.interval(one) for one in (Interval(-0.057, 0.412), None)]


def counted(**counts: int) -> Counts:
    return Counts(**dict.fromkeys(Counts.__slots__, 0) | counts)


def test_the_headline_counts_samples() -> None:
    def told(**counts: int) -> str:
        return words.headline(counted(**counts))

    assert "60 of 5,000 samples verified" == told(total=5000, reviewed=50, imported=7, adjudicated=3)
    assert "1 of 1 sample verified" == told(total=1, reviewed=1)
    assert "1 of 9 samples verified, 2 more unresolved" == told(total=9, imported=1, unresolved=2)


def test_a_share_of_fewer_than_ten_is_counts_alone() -> None:
    few, enough = (words.share_fact("agree", Rate(7, n), "precision") for n in (9, 10))
    assert (Fact("agree", "7 of 9"), Fact("agree", ".700", "7 of 10 [.397, .892] precision")) == (few, enough)


def of_200(n: int, **more: Any) -> Estimate:
    """What is estimated of 200 samples, of which some are verified; every second is off."""
    drawn = [Reached(0.5, 0.25 + 0.5 * (place % 2), n / 200) for place in range(n)]
    return estimate(Population([0.5] * 200), drawn, design="simple", planned=40, **more)


def facts_of(found: Estimate) -> dict[str, Fact]:
    return {fact.name: fact for fact in words.estimate_facts(found)}


def test_an_estimate_names_its_target_its_method_and_both_intervals() -> None:
    """Before the planned number it holds whenever you look."""
    facts = facts_of(of_200(40, at_planned=True))

    names = ("automatic, all 200", "verified so far", "these samples", "bias, all 200")
    assert [".500", ".500", "[.424, .580]", ".000"] == [facts[name].value for name in names]
    assert ["n = 40", "95 % at the planned number"] == [facts[name].note for name in names[1:3]]
    assert facts["new samples"].value.startswith("[.4")
    assert "95 % whenever you look" in facts_of(of_200(20))["these samples"].note


def test_the_correlation_says_how_wide_the_interval_is_by_the_verified_values_alone() -> None:
    reached = [Reached((place % 4) / 4, (place % 4) / 4, 0.2) for place in range(40)]
    found = estimate(Population([0.5] * 200), reached, design="simple", planned=40, at_planned=True)

    assert re.fullmatch(r"interval \.\d\d wide, without it \.\d\d", facts_of(found)["correlation"].note)


def test_below_ten_there_is_a_mean_of_the_samples_and_no_estimate() -> None:
    found = of_200(9)

    lines = [*lines_of(words.estimate_facts(found)), *words.estimate_notes(found, assisted=False)]
    assert {
        "verified so far: .472 n = 9, fewer than 10",
        "estimated for all 200: – no estimate",
        "No estimate of the mean of all 200 samples: 9 verified samples, fewer than 10.",
    } <= set(lines)


def test_what_every_sample_says_is_known_and_not_estimated() -> None:
    whole = [Reached(0.5, 0.25 + 0.5 * (place % 2), 1.0) for place in range(40)]
    found = estimate(Population([0.5] * 40), whole, design="simple")

    assert "verified, all 40" == words.estimate_label(found)
    assert "known: every sample was reached" == facts_of(found)["verified, all 40"].note
    assert "these samples" not in facts_of(found)


def test_the_estimate_and_the_bias_are_of_the_samples_that_the_automatic_mean_is_held_to() -> None:
    """Not of all 200, whose automatic mean minus the bias is another number."""
    found = replace(of_200(40, at_planned=True), undefined=3)

    named = {"automatic, all 200", "automatic, those counted", "bias, those counted"}
    assert named | {"estimated for those counted"} <= facts_of(found).keys()
    assert words.cause_estimate(found).startswith("for those counted: ")


def test_assisted_gold_is_said_where_there_is_gold() -> None:
    found, nothing = of_200(40, at_planned=True), of_200(0)

    told = [words.estimate_notes(one, assisted=assisted) for one, assisted in (
        (found, True), (found, False), (nothing, True),
    )]  # fmt: skip
    assert [True, False, False] == [words.ASSISTED in notes for notes in told]
    lines = lines_of(words.estimate_facts(found, assisted=True))
    assert "estimated for all 200: .500 reviewers saw the suggestions" in lines


def test_gold_chosen_in_another_way_has_no_mean_so_far() -> None:
    found = estimate(Population([0.5] * 200), [Reached(None, 0.0, None)], design="imported")

    assert "verified so far" not in [fact.name for fact in words.estimate_facts(found)]


def pairs(n: int) -> list[Pair]:
    return [Pair(f"s{place}", 0.5, 0.5 + 0.05 * (place % 7)) for place in range(n)]


def test_nine_pairs_are_counted_and_ten_are_figured() -> None:
    few, enough = (lines_of(words.paired_facts(paired(pairs(n)))) for n in (9, 10))

    assert ["n: 9 fewer than 10: counts only", "equal: 2 of 9", "largest Δ: −.300 s6"] == few
    assert "mean Δ: −.120 [−.194, −.046] 95 %, n = 10" == enough[0]
    assert "sd: .103 limits of agreement −.322 to +.082" == enough[1]
    assert any(line.endswith("n < 30") for line in enough)


def test_before_the_end_of_a_plan_the_bias_of_the_pairs_has_no_interval_of_its_own() -> None:
    lines = lines_of(words.paired_facts(paired(pairs(12), early=True)))

    assert "mean Δ: −.129 no interval: no plan is complete, n = 12" == lines[0]


def test_verdicts_that_all_agree_have_no_standard_error() -> None:
    table = tabulate([("found", "found")] * 30)
    lines = lines_of(words.verdict_facts(table, beyond_chance(table.table)))

    assert "AC1: 1.000" in lines
    assert not [line for line in lines if "± .000" in line]


@from_cases
def test_equal_differences_have_a_bound_and_no_interval(verified: float, line: str) -> None:
    same = paired([Pair(f"s{place}", 0.25, verified) for place in range(20)])

    assert line == words.paired_facts(same)[0].line


@from_cases
def test_a_column_is_as_precise_as_its_longest_number(digits: list[str], expected: float) -> None:
    assert expected == pytest.approx(precision_of(digits))


@from_cases
def test_what_is_said_of_samples_in_groups_counts_groups(groups: int, off: float, note: str) -> None:
    some = paired([Pair(f"s{n}", 0.5, 0.5 + off * (n // 10), f"g{n % groups}") for n in range(20)])

    line = words.paired_facts(some)[0].line
    assert note in line
    assert f", n = {some.n}" in line


def total(n: int) -> CauseTotal:
    near, far = Fraction(-146, 1000), Fraction(-4, 1000)
    parts = PartTotal("comparator", 77, near), PartTotal("context extraction", 2, far)
    return CauseTotal("missed match", n, 79, 61, near + far, Fraction(0), near + far, parts)


PARTS = "77 not recognised, 2 not extracted"


def test_a_cause_has_its_net_share_its_counts_and_its_parts_and_of_few_samples_counts_only() -> None:
    assert f"missed match −.150: 79 units in 61 samples; {PARTS}" == words.cause_line(total(105))
    assert f"missed match: 79 units in 61 samples; {PARTS}" == words.cause_line(total(9))


def test_verdicts_have_ac1_beside_kappa() -> None:
    table = tabulate([("found", "found")] * 12 + [("missing", "missing")] * 10 + [("found", "missing")] * 3)

    lines = lines_of(words.verdict_facts(table, beyond_chance(table.table)))

    assert ["units of both: 25 per verdict", "agree: .880 22 of 25 [.700, .958]"] == lines[:2]
    assert "κ: .762 standard error .125 if units were independent" in lines
    assert "AC1: .762 standard error .132 if units were independent" in lines
    assert "right if found: .800 12 of 15 [.548, .930] sensitivity, TPR" in lines


def test_labels_come_by_frequency_and_rare_ones_without_rates() -> None:
    labels = {"": (Overlap(0, 1, 0), 0), "date": (Overlap(3, 4, 3), 3), "place": (Overlap(8, 10, 12), 9)}

    rows = map(" ".join, words.label_rows(labels))

    assert ["place 12 10 9 8 .800 .667 .727", "date 3 4 3 3 – – –", "no label 0 1 0 0 – – –"] == [*rows]


def test_means_of_the_same_samples_need_ten_of_them() -> None:
    ten = [row(f"s{place}", -0.25, 0.25, 0.5) for place in range(10)]
    of = paired([Pair(one.id, 0.25, 0.5) for one in ten])

    said = ["automatic, these 10: .250", "verified, these 10: .500"]
    assert said == lines_of(words.same_facts(ten, of))[:2]
    assert [] == words.same_facts(ten[:9], paired([Pair(one.id, 0.25, 0.5) for one in ten[:9]]))


def test_differences_are_counted_in_tenths_whose_outer_end_belongs_to_them() -> None:
    values = [0.0, 0.1, -0.1, 0.1000001, -0.3, 1 / 3, None, 1e-15]

    found = bins([row(str(place), value) for place, value in enumerate(values)])

    counted = [(one.low, one.high, len(one.samples)) for one in found]
    assert [
        (-0.3, -0.2, 1), (-0.2, -0.1, 0), (-0.1, 0.0, 1), (0.0, 0.0, 2), (0.0, 0.1, 1), (0.1, 0.2, 1),
        (0.2, 0.3, 0), (0.3, 0.4, 1),
    ] == [(low or 0.0, high or 0.0, count) for low, high, count in counted]  # fmt: skip
    assert [] == bins([row("a", None)])


def test_arms_stand_beside_each_other_with_the_difference_of_their_biases() -> None:
    blind = Arm(12, MeanOf(12, -0.2, 0.02, 11, Interval(-0.25, -0.15)), Overlap(9, 10, 10))
    assisted = Arm(40, MeanOf(40, -0.1, 0.01, 39, Interval(-0.12, -0.08)), None)
    whole, without = paired(pairs(12)), paired(pairs(10))
    arms = Arms(blind, assisted, -0.1, Interval(-0.15, -0.05))

    lines = lines_of(words.arms_facts(arms, whole, without, counted(reviewed=52, fast=2)))

    assert [
        "without suggestions: 12 mean Δ −.200 [−.250, −.150], units F1 .900",
        "with suggestions: 40 mean Δ −.100 [−.120, −.080]",
        "mean Δ, without − with: −.100 [−.150, −.050]",
        "fast accepts: 2 in under a second, of 52 reviewed here",
        "mean Δ without fast: −.120 n = 10; with the fast ones −.129",
    ] == lines


def test_an_arm_of_few_is_a_count() -> None:
    arms = Arms(Arm(9, MeanOf(9, -0.2, 0.02, 8, None), None), Arm(0, None, None), -0.1, None)

    few, fast = "without suggestions: 9 fewer than 10: counts only", "fast accepts: 0 in under a second"
    told = [lines_of(words.arms_facts(arms, paired(pairs(9)), None, counted(reviewed=n))) for n in (9, 0)]
    assert [[few, f"{fast}, of 9 reviewed here"], [few]] == told, "of imported reviews it is not known"


def test_the_largest_difference_names_a_sample_without_an_id_of_its_own_by_its_question() -> None:
    hashed = f"{7:032x}"
    found = paired([*pairs(9), Pair(hashed, 0.0, 1.0)])
    rows = [replace(row(hashed, -1.0), question="Who built\nthe tower?")]

    assert "largest Δ: −1.000 Who built the tower?" in lines_of(words.paired_facts(found, rows))
