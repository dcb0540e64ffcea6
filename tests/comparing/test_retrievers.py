"""Retrievers over the same references: pairs, contrasts and the units that flipped."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from workbench.comparing.intervals import Mean
from workbench.comparing.paired import Flip, RetrieverSample, compare_retrievers
from workbench.model import Assessment, Match, Span, Tally, Unit, Verdict
from workbench.reports.texts import retrievers_text


def judged(key: str, reference: str, retriever: str, **verdicts: Verdict | None) -> RetrieverSample:
    units = tuple(
        Unit(name, "entity", name, spans=(Span(n, n + 1),), match=Match(verdict))
        for n, (name, verdict) in enumerate(verdicts.items())
    )
    return RetrieverSample(key, reference, retriever, Assessment("entity", "verified", units))


def test_a_reference_verified_under_two_retrievers_is_a_pair() -> None:
    """Tallies by retriever, the contrast and the flips, whatever the order of the samples."""
    high = judged("a", "r1", "high", x="found", y="found", z="missing")
    samples = [high, judged("b", "r1", "low", x="found", y="missing", z="missing")]

    report = compare_retrievers(samples)

    assert report.names == ("high", "low")
    (pair,), (contrast,) = report.pairs, report.contrasts
    both = (Tally(2, 1), Tally(1, 2))
    assert (pair.ids, pair.tallies) == ({"high": "a", "low": "b"}, {"high": both[0], "low": both[1]})
    assert pair.flips == (Flip("y", {"high": "found", "low": "missing"}),)
    assert (contrast.first, contrast.second, contrast.tallies) == ("high", "low", both)
    assert contrast.recalls == (2 / 3, 1 / 3)
    assert contrast.delta == Mean(float(Fraction(1, 3)), 1, 0)
    assert compare_retrievers(reversed(samples)) == report


def test_only_references_that_both_have_are_set_side_by_side() -> None:
    """A third retriever with other references neither hides a pair nor moves its figures."""
    report = compare_retrievers([
        judged("a1", "r1", "a", x="found"), judged("b1", "r1", "b", x="missing"),
        judged("a2", "r2", "a", x="missing"), judged("b2", "r2", "b", x="missing"),
        judged("b3", "r3", "b", x="found"), judged("c3", "r3", "c", x="found"),
        judged("d4", "r4", "d", x="found"),
    ])  # fmt: skip

    contrasts = {(one.first, one.second): (one.recalls, one.delta.n) for one in report.contrasts}
    assert contrasts == {("a", "b"): ((0.5, 0.0), 2), ("b", "c"): ((1.0, 1.0), 1)}
    assert report.names == ("a", "b", "c")
    assert report.unpaired == 1
    assert report.means["b"] == Mean(1 / 3, 3, 0)


def test_a_unit_that_a_third_retriever_lacks_flips_between_the_other_two() -> None:
    """What was rejected under c says nothing of a and b: as without it."""
    both = [judged("a", "r", "a", x="found", y="found"), judged("b", "r", "b", x="missing", y="found")]

    found = [compare_retrievers([*both, *more]) for more in ([], [judged("c", "r", "c", y="found")])]

    assert [1, 1] == [len(report.pairs[0].flips) for report in found]
    assert [(1, 0), (1, 0)] == [(one.first_only, one.second_only) for one in (r.contrasts[0] for r in found)]


def test_a_reference_without_units_under_one_is_undefined_and_counted() -> None:
    """It is no zero and no difference."""
    report = compare_retrievers([
        judged("a1", "r1", "a"), judged("b1", "r1", "b", x="found"),
        judged("a2", "r2", "a", x="found"), judged("b2", "r2", "b", x="found"),
    ])  # fmt: skip

    (contrast,) = report.contrasts
    assert contrast.delta == Mean(0.0, 1, 1)


def test_a_second_sample_of_one_retriever_is_counted_apart() -> None:
    """The first one is paired."""
    report = compare_retrievers([
        judged("a1", "r1", "a", x="found"), judged("a2", "r1", "a", x="missing"),
        judged("b1", "r1", "b", x="found"),
    ])  # fmt: skip

    assert report.pairs[0].ids == {"a": "a1", "b": "b1"}
    assert report.repeated == 1


def test_without_a_pair_the_names_are_still_said() -> None:
    """So that a report can say what there is."""
    report = compare_retrievers([judged("a", "r1", "a", x="found"), judged("b", "r2", "b", x="found")])

    assert (report.names, report.pairs, report.contrasts, report.unpaired) == (("a", "b"), (), (), 2)


def test_an_undecided_unit_flips_as_unsure() -> None:
    """What a person left open is not missing."""
    report = compare_retrievers([judged("a", "r", "a", x=None), judged("b", "r", "b", x="missing")])

    assert report.pairs[0].flips == (Flip("x", {"a": "unsure", "b": "missing"}),)


def test_the_sign_test_counts_references_not_units() -> None:
    """Six units of one reference flip: that is one reference, and p is 1."""
    found: Any = dict.fromkeys("uvwxyz", "found")
    missing: Any = dict.fromkeys("uvwxyz", "missing")
    report = compare_retrievers([
        judged("a1", "r1", "a", **found), judged("b1", "r1", "b", **missing),
        judged("a2", "r2", "a", x="found"), judged("b2", "r2", "b", x="found"),
    ])  # fmt: skip

    (contrast,) = report.contrasts
    assert (6, 0, (1, 0), 1.0) == (contrast.first_only, contrast.second_only, contrast.ahead, contrast.p)
    text = retrievers_text("by", report)
    assert "higher under a in 1 reference, under b in 0 references: sign test" in text


def test_the_sign_test_counts_groups_where_there_are_some() -> None:
    """Three references of two groups, each higher under the first retriever."""
    both: tuple[tuple[str, Verdict], ...] = ("a", "found"), ("b", "missing")
    report = compare_retrievers(
        replace(judged(key + name, key, name, x=verdict), group=group)
        for key, group in (("r1", "g1"), ("r2", "g1"), ("r3", "g2"))
        for name, verdict in both
    )

    assert "higher under a in 2 groups, under b in 0 groups: sign test" in retrievers_text("by", report)


def test_the_report_counts_flips_that_cancel_and_says_what_it_leaves_out() -> None:
    """Equal recalls with two flips; below ten references nothing is said of an interval, and Δ is no bias."""
    given = [
        judged("a1", "r0", "a", x="found", y="missing"), judged("b1", "r0", "b", x="missing", y="found"),
        judged("b2", "r0", "b", x="found", y="found"),
    ]  # fmt: skip
    said: tuple[Verdict, Verdict] = ("missing", "found")
    ten = [
        judged(f"{name}{n}", f"r{n}", name, x=verdict)
        for n in range(1, 10)
        for name, verdict in (("a", said[1]), ("b", said[n > 5]))
    ]

    few, more = (retrievers_text("by", compare_retrievers(some)) for some in (given, given + ten))

    assert [
        "  flipped units, found 1 under a only, 1 under b only",
        "  fewer than ten references: no interval of the difference",
    ] == few.splitlines()[-3:-1]
    assert "1 reference with several samples of one value: the first counts" == few.splitlines()[-1]
    assert "Δ +.500 [" in more
    assert "bias" not in more + few
