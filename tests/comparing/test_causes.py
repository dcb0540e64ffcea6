"""Causes of a difference: known answers, hand-counted examples, and what holds for any pair."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from workbench.comparing.causes import CAUSES, Difference, LinkCounts, difference, imported, shares
from workbench.model import Assessment, Evidence, Match, Span, Unit, Verdict, count

REFERENCE = "The Taj Mahal stands by the Yamuna in the Indian city of Agra, built by Shah Jahan in 1631."


def unit(name: str, text: str, verdict: Verdict | None = "found", at: Any = None, **more: Any) -> Unit:
    """A unit; `at` its span, else none."""
    match = Match(verdict, evidence=(Evidence(0, 0, 4),) if verdict == "found" else ())
    spans = (Span(*at),) if at else ()
    return Unit(**({"id": name, "kind": "entity", "text": text, "spans": spans, "match": match} | more))


def here(name: str, text: str, verdict: Verdict | None = "found", **more: Any) -> Unit:
    """A unit that stands in the reference above."""
    start = REFERENCE.index(text)
    return unit(name, text, verdict, (start, start + len(text)), **more)


def of(*units: Unit) -> Assessment:
    return Assessment(units[0].kind if units else "entity", "test", units)


def said(found: Difference) -> dict[str, tuple[str, str, str]]:
    """Every row by its units: cause, part and rule."""
    return {
        " | ".join(one.text if one else "—" for one in (row.automatic, row.verified)): said
        for row in found.rows
        if (said := (row.cause, row.part, row.rule))
    }


# Shares by hand.


def test_shares_counted_by_hand_for_an_invented_and_a_missed_name() -> None:
    """Automatic 1/2 (Agra found, Indian missing), verified 2/2 (Agra and Yamuna found): Δ −1/2.

    Dropping Indian first: 1/2 → 1/1, then adding Yamuna 1/1 → 2/2. Adding Yamuna first: 1/2 → 2/3, then
    dropping Indian 2/3 → 2/2. Indian: ½(−1/2 − 1/3) = −5/12, Yamuna: ½(0 − 1/6) = −1/12.
    """
    automatic = of(here("p1", "Agra"), here("p2", "Indian", "missing"))
    verified = of(here("p1", "Agra"), here("h1", "Yamuna"))
    rows = difference(automatic, verified, based=True).rows
    by_hand = [("missed unit", Fraction(-1, 12)), ("invented unit", Fraction(-5, 12)), ("", Fraction(0))]
    assert by_hand == [(row.cause, row.share) for row in rows]


def test_one_false_match_weighs_one_unit() -> None:
    automatic = of(here("p1", "Agra"), here("p2", "Yamuna"))
    verified = of(here("p1", "Agra"), here("p2", "Yamuna", "missing"))
    found = difference(automatic, verified, based=True)
    assert [(row.cause, row.share) for row in found.rows] == [("false match", Fraction(1, 2)), ("", 0)]
    assert [(one.cause, one.units, one.share) for one in found.totals] == [("false match", 1, Fraction(1, 2))]


def test_net_parts_that_cancel_are_still_counted() -> None:
    automatic = of(here("p1", "Agra", "missing"), here("p2", "Yamuna"))
    verified = of(here("p1", "Agra"), here("p2", "Yamuna", "missing"))
    found = difference(automatic, verified, based=True)
    assert found.delta == 0
    assert {(one.cause, one.units, one.share) for one in found.totals} == {
        ("false match", 1, Fraction(1, 2)),
        ("missed match", 1, Fraction(-1, 2)),
    }


# Links and the rules that made them.


def test_a_rejected_claim_is_not_the_one_added_for_the_same_sentence() -> None:
    automatic = of(unit("s1", "It is old.", "found", (0, 50), kind="statement"))
    verified = of(unit("h1", "It was built in 1631.", "found", (0, 50), kind="statement"))
    assert {row.cause for row in difference(automatic, verified, based=True).rows} == {"granularity"}


# Duplicates and granularity.


def test_two_names_of_one_unit_are_a_duplicate() -> None:
    others = unit("p2", "the Shah Jahan"), unit("p3", "Jahan", label="person")
    automatic, verified = of(here("p1", "Shah Jahan"), *others), of(here("p1", "Shah Jahan", label="person"))
    found = difference(automatic, verified, based=False).rows
    rows = {row.automatic.text: row for row in found if row.automatic}
    assert (rows["Shah Jahan"].cause, rows["Shah Jahan"].rule) == ("", "span")
    assert rows["the Shah Jahan"].cause == "duplicate"
    assert rows["Jahan"].cause == "duplicate"
    assert rows["Jahan"].beside == verified.units[0]


def told(line: str) -> Assessment:
    """The units of a line of `pairs.txt`."""
    units = []
    for one in line.split(" · "):
        found = re.fullmatch(r"(\w+) (.*?)(?: \((.*)\))?", one)
        assert found, one
        name, text, more = found.groups("")
        start = REFERENCE.find(text)
        own: dict[str, Any] = {"spans": (Span(start, start + len(text)),) if start >= 0 else ()}
        for said in filter(None, more.split(", ")):
            match said.split():
                case ["statement"]:
                    own["kind"] = said
                case ["missing" | "nested"]:
                    own["match"] = Match("missing", nested=said == "nested")
                case ["like", other]:
                    own["duplicate_of"] = other
                case ["at", "no", "place"]:
                    own["spans"] = ()
                case ["at", *places]:
                    own["spans"] = tuple(Span(*map(int, place.split("-"))) for place in places)
                case _:
                    own["label"] = said
        units.append(unit(name, text, **own))
    return of(*units)


PAIRS = dict(
    re.findall(r"(?ms)^# (.*?)\n\n(.*?)\n(?=\n|\Z)", Path(__file__).with_name("pairs.txt").read_text("utf-8"))
)


@pytest.mark.parametrize("case", PAIRS)
def test_rows_say_which_units_belong_together_and_why_others_do_not(case: str) -> None:
    automatic, verified, *rows = PAIRS[case].split("\n")
    sides = told(automatic.removeprefix("automatic ")), told(verified[10:])
    found = said(difference(*sides, based=verified.startswith("changed"))).items()

    assert sorted(rows) == sorted(f"{units}: {' '.join(filter(None, why))}" for units, why in found)


def test_a_name_rejected_for_one_with_other_edges_is_a_boundary() -> None:
    found = difference(of(here("p1", "Indian city of Agra")), of(here("h1", "Agra")), based=True)
    edges = ("granularity", "boundary", "")
    assert {"Indian city of Agra | —": edges, "— | Agra": edges} == said(found)
    assert [row.beside.text for row in found.rows if row.beside] == ["Agra", "Indian city of Agra"]


# Where a match went wrong.


READ = (Evidence(0, 3, 9),)


@pytest.mark.parametrize(
    ("evidence", "read", "part"),
    [(READ, True, "comparator"), (READ, False, "context extraction"), ((), True, "unattributed")],
)
def test_a_missed_match_is_put_down_by_the_evidence(evidence: Any, read: bool, part: str) -> None:
    automatic = of(here("p1", "Agra", "missing"))
    verified = of(replace(here("p1", "Agra"), match=Match("found", evidence=evidence)))
    seen: list[Evidence] = []

    def extracted(one: Evidence) -> bool:
        seen.append(one)
        return read

    rows = difference(automatic, verified, based=True, extracted=extracted).rows
    assert [(row.cause, row.part, row.share) for row in rows] == [("missed match", part, Fraction(-1))]
    assert tuple(seen) == evidence
    on_text = difference(automatic, verified, based=True).rows
    assert [(row.cause, row.part) for row in on_text] == [("missed match", "")]


def test_one_place_of_evidence_that_was_extracted_puts_a_missed_match_down_to_the_comparator() -> None:
    automatic = of(here("p1", "Agra", "missing"))
    read, unread = Evidence(0, 3, 9), Evidence(1, 0, 4)
    for evidence in ((read, unread), (unread, read)):
        verified = of(replace(here("p1", "Agra"), match=Match("found", evidence=evidence)))
        rows = difference(automatic, verified, based=True, extracted=lambda one: one == read).rows
        assert [("missed match", "comparator")] == [(row.cause, row.part) for row in rows]


def test_a_false_match_with_a_name_that_stands_nowhere_is_of_the_extraction() -> None:
    verified = of(here("p1", "Agra", "missing"))
    for evidence, part in (((Evidence(0, 0, 4),), "comparator"), ((), "context extraction")):
        automatic = of(replace(here("p1", "Agra"), match=Match("found", evidence=evidence)))
        rows = difference(automatic, verified, based=True, extracted=lambda _: True).rows
        assert [(row.cause, row.part) for row in rows] == [("false match", part)]


def test_an_unsure_unit_that_the_machine_found_is_a_cause_of_its_own() -> None:
    found = difference(of(here("p1", "Agra")), of(here("p1", "Agra", "unsure")), based=True)
    assert [(row.cause, row.part, row.share) for row in found.rows] == [("unsure", "", Fraction(1))]


# Edges.


@pytest.mark.parametrize(
    ("automatic", "verified", "cause"),
    [(of(here("p1", "Agra")), of(), "invented unit"), (of(), of(here("h1", "Agra")), "missed unit")],
)
def test_without_units_on_one_side_nothing_is_shared_out(automatic: Any, verified: Any, cause: str) -> None:
    found = difference(automatic, verified, based=True)
    assert found.delta is None
    assert [(row.cause, row.share) for row in found.rows] == [(cause, None)]
    assert [(one.cause, one.units, one.share) for one in found.totals] == [(cause, 1, None)]
    if verified == of():  # a number of a file changes nothing: its recount keeps its units
        assert replace(found, imported=Fraction(1)) == imported(found, Fraction(1), within=1e-8)


def test_nothing_against_nothing_has_no_rows() -> None:
    assert difference(of(), of(), based=False) == Difference(count([]), count([]), None, ())


def test_every_cause_fits_a_narrow_column() -> None:
    assert max(map(len, CAUSES)) <= 14


# What holds for any pair of assessments.

WORDS = "Taj Mahal|Mahal|Yamuna|Agra|Indian city of Agra|Shah Jahan|Jahan|1631|Indien".split("|")
VERDICTS: list[Verdict | None] = ["found", "missing", "unsure", None]


@st.composite
def one_unit(draw: st.DrawFn, name: str) -> Unit:
    text = draw(st.sampled_from(WORDS))
    start = REFERENCE.find(text)
    grounded = start >= 0 and draw(st.booleans())
    span = (start, start + len(text)) if grounded else None
    rejected = draw(st.integers(0, 5)) == 0
    return unit(name, text, draw(st.sampled_from(VERDICTS)), span, rejected=rejected)


@st.composite
def assessments(draw: st.DrawFn) -> Assessment:
    names = draw(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8))
    return of(*[draw(one_unit(name)) for name in names])


@settings(max_examples=60, deadline=None)
@given(assessments(), assessments(), st.booleans(), st.randoms(use_true_random=False))
def test_shares_sum_to_delta_and_each_unit_has_one_row_in_any_order(
    automatic: Assessment, verified: Assessment, based: bool, random: Any
) -> None:
    found = difference(automatic, verified, based=based)
    ours, theirs = count(automatic.units).recall, count(verified.units).recall
    if ours is None or theirs is None:
        assert found.delta is None
        assert all(row.share in (None, 0) for row in found.rows)
    else:
        assert found.delta == ours - theirs
        assert sum((row.share or Fraction(0) for row in found.rows), Fraction(0)) == ours - theirs
        assert sum((one.share or Fraction(0) for one in found.totals), Fraction(0)) == ours - theirs
    for side, units in (("automatic", automatic.units), ("verified", verified.units)):
        listed = [getattr(row, side).id for row in found.rows if getattr(row, side)]
        assert sorted(listed) == sorted(one.id for one in units if one.counted)
    for row in found.rows:
        assert bool(row.rule) == bool(row.automatic and row.verified)
        assert row.cause or row.rule

    def shuffled(assessment: Assessment) -> Assessment:
        return replace(assessment, units=tuple(random.sample(assessment.units, len(assessment.units))))

    assert difference(shuffled(automatic), shuffled(verified), based=based).rows == found.rows


@settings(max_examples=60, deadline=None)
@given(assessments(), st.booleans())
def test_identical_assessments_differ_by_nothing(assessment: Assessment, based: bool) -> None:
    found = difference(assessment, assessment, based=based)
    assert {row.cause for row in found.rows} <= {""}


@settings(max_examples=60, deadline=None)
@given(assessments(), assessments())
def test_turning_the_sides_round_turns_the_sign(one: Assessment, other: Assessment) -> None:
    there, back = difference(one, other, based=False), difference(other, one, based=False)
    if there.delta is not None and back.delta is not None:
        assert there.delta == -back.delta


# Shares of single units, against every order there is.


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_share_of_a_unit_is_the_mean_over_all_orders(data: st.DataObject) -> None:
    """An invented unit is dropped from the automatic units, in any order, before and after others join."""
    links_ = data.draw(st.integers(1, 3))
    both = data.draw(st.integers(0, links_))
    invented, lacking = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 3))
    found, lacking_found = data.draw(st.integers(0, invented)), data.draw(st.integers(0, lacking))
    each: Any = shares(LinkCounts(links_, both, 0, 0, invented, found, lacking, lacking_found))
    verdicts = [True] * found + [False] * (invented - found)
    starts = [(both, links_), (both + lacking_found, links_ + lacking)]
    moves: dict[bool, list[Fraction]] = {True: [], False: []}
    for hits, size in starts:
        for order in permutations(range(invented)):
            so_far, units = hits, size
            for index in order:
                after = so_far + verdicts[index]
                moves[verdicts[index]].append(Fraction(after, units + 1) - Fraction(so_far, units))
                so_far, units = after, units + 1
    for is_found, share in ((True, each.invented_found), (False, each.invented)):
        if moves[is_found]:
            assert share == sum(moves[is_found], Fraction(0)) / len(moves[is_found])
