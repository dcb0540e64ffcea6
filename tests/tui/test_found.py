"""Searches and what is said of places, apart from any screen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.matching.nearest import shared
from workbench.model import Evidence, Match, Sample, Span, Unit
from workbench.reviewing.edits import Comment, Dispose, Flag, Put
from workbench.stages.intents import told
from workbench.tui import view
from workbench.tui.screens import finding
from workbench.tui.screens.finding import NOWHERE, Scope, Search, TextPlace
from workbench.tui.view import advice, around, near_lines

SAMPLE = Sample("a", "Who?", "Ann and Bob.", ("Ann.", "Bob, Ann."))


def look(typed: str, begin: TextPlace = NOWHERE, scope: Scope = "all") -> Search:
    """A search that has run."""
    search = Search(typed, SAMPLE, scope, begin)
    search.found = search.look()
    search.done.set()
    return search


def test_a_search_stands_at_the_first_place_behind_where_it_began() -> None:
    """Parts are read from the reference on, the question last; steps go round the end."""
    search = look("ann", TextPlace(2, 0, 0))
    assert "3 of 3 · context 2" == search.words()
    search.steps = 1
    assert "1 of 3 · reference" == search.words()
    search.steps = -1
    assert TextPlace(1, 0, 3) == search.here
    assert "1 of 1 · question" == look("who", TextPlace(3, 1, 1)).words()


def test_a_search_behind_the_last_place_begins_anew() -> None:
    """Round the end."""
    search = look("ann", TextPlace(3, 0, 0))
    assert TextPlace(0, 0, 3) == search.here
    assert ["here"] == [mark.role for mark in search.marks(0)]
    assert [] == search.marks(3)


def test_a_search_may_keep_to_the_reference_or_the_contexts() -> None:
    """Evidence stands in contexts, units in the reference."""
    assert [0] == [place.part for place in look("ann", scope="reference").found]
    assert [1, 2] == [place.part for place in look("ann", scope="contexts").found]
    assert "nothing found" == look("zoe").words()


def test_so_many_places_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A single letter stands everywhere; the count says that there are more."""
    monkeypatch.setattr(finding, "MOST", 2)
    assert "1 of 2+ · reference" == look("a").words()


def test_passages_are_cut_around_their_likeness() -> None:
    """In one line each, with their number and context; the likeness is marked where it stands now."""
    unit = Unit("p1", "entity", "Eiffel Tower")
    contexts = ("The Eiffel Tower.", "Far away from here, where nobody looks, stands a tower of iron.")
    lines = [*near_lines(unit, (Evidence(0, 0, 17), Evidence(1, 0, 63)), contexts, 30)]

    assert [text for text, _ in lines] == ["1 · 1: The Eiffel Tower.", "2 · 2: … a tower of iron."]
    likes = [text[mark.start : mark.end] for text, marks in lines for mark in marks]
    assert likes == ["Eiffel", "Tower", "tower"]
    far = "Tower of Pisa, and a long way from it the Eiffel Tower of Paris."
    assert ("… it the Eiffel Tower of…", [(9, 15), (16, 21)]) == around(far, shared("Eiffel Tower", far), 25)
    end = "In 1686 she married Guillaume du Noyer."
    assert "… she married Guillaume du Noyer." == around(end, shared("Anne du Noyer", end), 38)[0]
    assert around("紫" * 40 + "源氏" + "式" * 40, [Span(40, 42)], 20)[0].count("源氏") == 1


@pytest.mark.parametrize(
    ("match", "proposed", "said"),
    [
        (Match("missing", "absent", nested=True), "", "missing: only inside a longer name"),
        (Match("missing", "absent", rule="human", nested=True), "", "missing: absent, your decision"),
        (Match("found", rule="human", similarity=80, note="perhaps 1815"), "", "found: your decision"),
        (
            Match("found", rule="short_form", similarity=93),
            "Nexus\u00a0Q",
            "found: short form, similarity 93",
        ),
    ],
)
def test_what_is_known_of_a_unit_is_of_its_verdict(match: Match, proposed: str, said: str) -> None:
    """Not what the matcher thought before, nor a proposal that looks the same."""
    unit = Unit("p1", "entity", "Nexus Q", "work", (Span(0, 7),), proposed=proposed, match=match)

    assert ["work", unit.origin, said] == [
        *view._facts(unit),
        *view._verdict_lines(unit, "your decision", ()),
    ]


def test_a_heading_counts_the_lines_in_sight_only_where_there_are_some() -> None:
    """A context of which only the heading is left has no lines 8 to 7."""
    titles = [view.context_title("Context 1 of 4", range(1), None, seen) for seen in ((3, 6, 9), (8, 7, 7))]

    assert ["Context 1 of 4 · lines 3–6 of 9", "Context 1 of 4"] == titles


def test_edits_are_told_as_they_were_said() -> None:
    """For the line that says what was undone."""
    unit = Unit("p1", "entity", "Agra", label="place", match=Match("missing", "partial"))
    other = Unit("h1", "entity", "Fort")
    expected = {
        "reject": "rejected Agra",
        "restore": "restored Agra",
        "relabel": "Agra is now place",
        "boundary": "moved an edge: Agra",
        "match": "Agra is missing: partial",
        "merge": "merged Fort into Agra",
        "split": "split into Agra and Fort",
        "add": "added Agra",
    }
    assert {what: told(Put(what, "entity", (unit, other))) for what in expected} == expected  # type: ignore[arg-type]
    assert told(Put("reject", "entity", (unit,)), 12) == "rejected Agra, in 12 samples"
    assert [told(edit) for edit in (Flag("odd"), Flag(""), Comment("x"))] == [
        "flagged: odd", "flag taken off", "comment: x"
    ]  # fmt: skip
    assert told(Dispose("excluded", ("entity",), "broken")) == "not counted: broken"
    found = Match("found", evidence=(Evidence(1, 0, 4),))
    assert ["Agra is found in context 2", "Agra is found without evidence"] == [
        told(Put("match", "entity", (replace(unit, match=match),))) for match in (found, Match("found"))
    ]
    assert ["settled Agra as found, place", "settled Agra as no unit"] == [
        told(Put("take", "entity", (replace(unit, match=found, rejected=gone),))) for gone in (False, True)
    ]


def test_found_without_evidence_says_how_to_choose_it() -> None:
    """Anything else says nothing more."""
    found = Unit("p1", "entity", "Agra", match=Match("found"))
    placed = Unit("p1", "entity", "Agra", match=Match("found", None, (Evidence(0, 0, 4),)))

    assert advice(Put("match", "entity", (found,))) == " without evidence; e chooses it"
    assert advice(Put("match", "entity", (placed,))) == advice(Put("add", "entity", (found,))) == ""
