"""Which gold stands, and which verdicts hold under other contexts."""

from dataclasses import replace
from typing import Any

import pytest

from workbench.model import Assessment, Evidence, Match, Span, Unit
from workbench.reviewing.fold import Verified, carry, disputed_labels, gold_units, place_of, resolve

ROME = Unit("p1", "entity", "Rome", "place", (Span(10, 14),), Match("found", evidence=(Evidence(0, 0, 4),)))
OSLO = Unit("p2", "entity", "Oslo", "place", (Span(0, 4),), Match("missing", "absent"))
LOOSE = Unit("p3", "entity", "Atlantis", "place", (), Match("missing", "absent"))


def verified(annotator: str, *units: Unit, origin: Any = "reviewed") -> Verified:
    return Verified(annotator, origin, Assessment("entity", annotator, units))


def test_gold_units_stand_in_the_order_of_the_reference() -> None:
    """Ungrounded ones last; rejected ones and duplicates are no gold."""
    rejected, duplicate = replace(OSLO, id="x", rejected=True), replace(ROME, id="y", duplicate_of="p1")

    assert gold_units((LOOSE, duplicate, ROME, rejected, OSLO)) == (OSLO, ROME, LOOSE)


def test_equal_reviews_are_gold_and_differing_ones_are_unresolved() -> None:
    """Ids, evidence, rules and labels may differ; units and verdicts may not. Never last-wins."""
    same = verified("b", replace(ROME, id="h9", match=Match("found", rule="human")), OSLO)
    first = verified("a", ROME, OSLO)

    assert resolve([first]) == resolve([first, same]) == first
    assert resolve([same, first]) == same
    for differing in (
        verified("b", ROME),
        verified("b", ROME, OSLO, LOOSE),
        verified("b", ROME, replace(OSLO, match=Match("found"))),
        verified("b", replace(ROME, spans=(Span(9, 14),)), OSLO),
    ):
        assert resolve([first, differing]) is None
        assert resolve([differing, first]) is None


def test_labels_that_differ_leave_the_first_review_as_gold_where_the_policy_counts_both() -> None:
    first, second = verified("a", ROME, OSLO), verified("b", ROME, replace(OSLO, label="person"))

    assert resolve([first, second]) == first
    assert resolve([second, first]) == second
    assert {place_of(OSLO)} == disputed_labels(one.assessment.units for one in (first, second))
    assert resolve([first, second], ["place"]) is None
    assert resolve([first, second], ["place", "person"]) == first


def test_two_labels_at_one_place_are_two_units_and_no_gold_next_to_a_review_with_one() -> None:
    twice = (ROME, replace(ROME, id="p4", label="person"), OSLO)
    one, two = verified("a", ROME, OSLO), verified("b", *twice)

    assert None is resolve([one, two]) is resolve([two, one])
    assert two == resolve([two, verified("a", *twice)])
    assert two == resolve([two, verified("a", ROME, replace(ROME, id="p4", label="work"), OSLO)])


def test_the_adjudicated_review_stands_above_all() -> None:
    """An adjudicator ends a disagreement."""
    judge = verified("judge", OSLO, origin="adjudicated")

    assert resolve([verified("a", ROME), judge, verified("b", OSLO, LOOSE)]) == judge


def test_found_holds_where_its_context_is_byte_identical() -> None:
    """The evidence follows the context to its new place."""
    (kept,) = carry([ROME], ["Rome."], ["Other.", "Rome."])

    assert kept.match == replace(ROME.match, evidence=(Evidence(1, 0, 4),), rule="carried")
    assert (kept.origin, kept.id, kept.spans) == ("carried", "p1", ROME.spans)


@pytest.mark.parametrize("after", [["Rome"], ["Rome. "], ["rome."], [], ["Ro\u0301me."]])
def test_found_is_open_again_when_a_single_byte_differs(after: list[str]) -> None:
    """Nothing similar is good enough to carry a person's verdict."""
    (kept,) = carry([ROME], ["Rome."], after)

    assert kept.match == Match()


def test_missing_holds_when_nothing_new_came() -> None:
    """Fewer contexts, repeated or reordered ones cannot make a missing unit found; a new one could."""
    before = ["A.", "B."]

    for after in (["B.", "A."], ["A."], [], ["A.", "A."]):
        assert carry([OSLO], before, after)[0].match == replace(OSLO.match, rule="carried")
    assert carry([OSLO], before, ["A.", "B.", "C."])[0].match == Match()


def test_an_entity_keeps_the_evidence_that_is_left_and_a_statement_needs_all_of_it() -> None:
    """One mention is enough for an entity; a statement may rest on both places together."""
    both = Match("found", evidence=(Evidence(0, 0, 4), Evidence(1, 0, 4)))
    entity, statement = replace(ROME, match=both), replace(ROME, kind="statement", match=both)

    kept = carry([entity, statement], ["Rome.", "Roma."], ["Roma."])

    assert kept[0].match == replace(both, evidence=(Evidence(0, 0, 4),), rule="carried")
    assert kept[1].match == Match()
    (moved,) = carry([statement], ["Rome.", "Roma."], ["Roma.", "Rome."])
    assert moved.match.evidence == (Evidence(1, 0, 4), Evidence(0, 0, 4))


def test_found_without_evidence_and_unsure_are_open_again() -> None:
    """Without a place there is nothing to compare byte by byte."""
    for match in (Match("found"), Match("unsure", evidence=(Evidence(0, 0, 4),))):
        assert carry([replace(ROME, match=match)], ["Rome."], ["Rome."])[0].match == Match()


def test_what_does_not_count_is_not_carried() -> None:
    """Rejected units and duplicates stay behind."""
    assert carry([replace(ROME, rejected=True), replace(OSLO, duplicate_of="p1")], [], []) == ()
