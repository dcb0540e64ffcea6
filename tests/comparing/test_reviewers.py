"""Whether people agree: known answers, and what must never look like perfect agreement."""

import json
from dataclasses import replace
from typing import Any

import pytest

from workbench.comparing.agreement import alpha, beyond_chance
from workbench.comparing.reviewers import Decided, agreement, of_labels, pair, ratio_interval
from workbench.model import Assessment, Match, Span, Unit
from workbench.reports import document
from workbench.text.tokens import tokens

TEXT = "Ada met Bo in Rome and Cy in Oslo"
WORDS = {f"s{n}": tokens(TEXT) for n in range(40)}


def unit(name: str, label: str = "person", verdict: Any = "found") -> Unit:
    start = TEXT.index(name)
    return Unit(name, "entity", name, label, (Span(start, start + len(name)),), Match(verdict))


def decided(sample: int, person: str, *units: Unit, group: str = "") -> Decided:
    said = Assessment("entity", "", units)
    return Decided(f"s{sample}", group or f"s{sample}", person, "2026-W07", said)


def of(ours: tuple[Unit, ...], theirs: tuple[Unit, ...], n: int = 12) -> Any:
    """The same two decisions on so many samples."""
    return agreement([pair(decided(i, "ada", *ours), decided(i, "bo", *theirs)) for i in range(n)], WORDS)


ADA, BO, ROME, OSLO = unit("Ada"), unit("Bo"), unit("Rome", "place"), unit("Oslo", "place")


def test_units_of_both_count_by_the_matcher_and_strictly_by_place_and_label() -> None:
    wider = replace(unit("Rome and", "place"), text="Rome and")
    found = of((ADA, BO, ROME), (ADA, unit("Bo", "organisation"), wider, OSLO))

    assert (12, 12, 3 * 12) == (found.samples, found.pairs, found.linked)
    assert (12, 12, 12) == (found.strict, found.boundary, found.label)
    assert pytest.approx((2 * 3 / 7, 2 / 7)) == (found.f1, found.strict_f1)
    every = of_labels([pair(decided(0, "ada", ADA, BO), decided(0, "bo", ADA, unit("Bo", "place")))])
    assert {"person": (3, 1, None), "place": (1, 0, None)} == {
        name: (one.units, one.both, one.f1) for name, one in every.items()
    }


def test_recall_differs_by_the_mean_distance_of_those_that_are_defined() -> None:
    found: Any = of((ADA, ROME), (ADA, unit("Rome", "place", "missing")))

    assert (0.5, 12, 24, 0.5) == (found.differs, found.samples, found.chance.n, found.chance.raw)


@pytest.mark.parametrize(
    ("ours", "theirs", "both", "one"), [((), (), 12, 0), ((ADA,), (), 0, 12), ((), (ADA,), 0, 12)]
)
def test_where_somebody_has_no_units_nobody_agrees(ours: Any, theirs: Any, both: int, one: int) -> None:
    found = of(ours, theirs)

    assert (both, one) == (found.both_empty, found.one_empty)
    assert (None if both else 0.0) == found.f1
    assert (None, None) == (found.chance, found.differs)
    assert '"f1": 1.0' not in json.dumps(document(found))
    assert found.alpha is None if both else found.alpha is not None and found.alpha < 0


def test_where_all_verdicts_are_equal_kappa_is_undefined_and_not_1() -> None:
    """Chance alone would agree always; AC1 next to it says that they agree."""
    found: Any = of((ADA, BO), (ADA, BO))

    assert (None, 1.0, 1.0) == (found.chance.kappa, found.chance.ac1, found.chance.raw)


def test_one_rare_verdict_makes_kappa_low_while_nearly_all_are_equal() -> None:
    """The paradox of Feinstein and Cicchetti (1990): 118 of 125 equal, and a κ below 0."""
    found: Any = beyond_chance(((118, 5), (2, 0)))

    assert (True, True) == (found.kappa < 0, found.ac1 > 0.9)


def test_below_ten_samples_there_are_counts_only() -> None:
    found = of((ADA, BO), (ADA,), n=9)

    assert (9, 9, 18, 9) == (found.samples, found.linked, found.first, found.second)
    assert found.few
    assert [None] * 5 == [found.f1, found.strict_f1, found.interval, found.differs, found.alpha]


def test_the_interval_is_by_document() -> None:
    """Ten documents in two halves, .5 and 1: se = .25 · sqrt(10 / 9) / sqrt(10), t(9) = 2.2622."""
    parts = [(f"d{n}", 1.0 if n % 2 else 2.0, 2.0) for n in range(10)]
    half = 2.2622 * 0.25 / 3

    found: Any = ratio_interval(parts)
    assert pytest.approx((0.75 - half, 0.75 + half), abs=1e-4) == (found.low, found.high)
    assert found == ratio_interval([(name, a / 2, b / 2) for name, a, b in parts for _ in "ab"])
    assert ratio_interval([("one", 1.0, 2.0)] * 9) is None


@pytest.mark.parametrize(("part", "ends"), [(2.0, (0.7575, 1.0)), (1.5, (0.4677, 0.9111))])
def test_where_documents_do_not_differ_the_interval_has_a_width(part: float, ends: Any) -> None:
    found: Any = ratio_interval([(f"d{n}", part, 2.0) for n in range(12)])

    assert pytest.approx(ends, abs=1e-3) == (found.low, found.high)


def test_alpha_of_words_is_krippendorffs_of_the_labels_that_people_gave_them() -> None:
    """Nine words: both mark Ada, one of them Rome too. By hand, with observed and expected disagreement."""
    found = of((ADA, ROME), (ADA,))
    n = 12
    items = [("person", "person"), ("place", "")] + [("", "")] * 7

    assert 9 == len(WORDS["s0"])
    assert alpha(items * n) == found.alpha
    disagreed, pool = 2 * n, {"person": 2 * n, "place": n, "": 15 * n}
    total = 18 * n
    expected = sum(a * b for x, a in pool.items() for y, b in pool.items() if x != y) / (total * (total - 1))
    assert pytest.approx(1 - disagreed / total / expected) == found.alpha


def test_alpha_of_one_person_against_the_others_leaves_out_what_these_two_agree_on() -> None:
    """ada against bo and cy, who mark the same: as against each of them alone."""
    each = [(decided(i, "ada", ADA), decided(i, "bo", BO), decided(i, "cy", BO)) for i in range(40)]
    parts: Any = [
        agreement([pair(some[a], some[b]) for some in each for a, b in sides], WORDS).alpha
        for sides in ([(0, 1)], [(0, 1), (0, 2)], [(0, 1), (0, 2), (1, 2)])
    ]

    alone, star, whole = parts
    assert pytest.approx(alone, abs=0.001) == star
    assert whole > alone + 0.1
