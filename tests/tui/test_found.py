"""Searches and what is said of places, apart from any screen."""

from typing import Any

import pytest

from tests.conftest import Bench
from tests.lists import from_cases
from tests.rows import sample
from workbench.matching.nearest import shared
from workbench.model import Evidence, Match, Sample, Span, Unit
from workbench.reviewing.edits import Comment, Dispose, Flag, Put, told
from workbench.stages.editing import Place
from workbench.store.journal import Moved
from workbench.tui import view
from workbench.tui.screens import finding
from workbench.tui.screens.finding import NOWHERE, Search
from workbench.tui.screens.same import Places
from workbench.tui.view import around, near_lines


def test_so_many_places_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A single letter stands everywhere; the count says that there are more."""
    monkeypatch.setattr(finding, "MOST", 2)
    search = Search("a", Sample("a", "Who?", "Ann and Bob.", ("Ann.",)), "all", NOWHERE)
    search.found = search.look()
    search.done.set()
    assert "1 of 2+ · reference" == search.words()


def test_passages_are_cut_around_their_likeness() -> None:
    """In one line each, with their context; the likeness is marked where it stands now."""
    unit = Unit("p1", "entity", "Eiffel Tower")
    contexts = ("The Eiffel Tower.", "Far away from here, where nobody looks, stands a tower of iron.")
    lines = [*near_lines(unit, (Evidence(0, 0, 17), Evidence(1, 0, 63)), contexts, 30)]

    assert [text for text, _ in lines] == ["1: The Eiffel Tower.", "2: … stands a tower of iron."]
    likes = [text[mark.start : mark.end] for text, marks in lines for mark in marks]
    assert likes == ["Eiffel", "Tower", "tower"]
    far = "Tower of Pisa, and a long way from it the Eiffel Tower of Paris."
    assert ("… it the Eiffel Tower of…", [(9, 15), (16, 21)]) == around(far, shared("Eiffel Tower", far), 25)
    end = "In 1686 she married Guillaume du Noyer."
    assert "… she married Guillaume du Noyer." == around(end, shared("Anne du Noyer", end), 38)[0]
    assert around("紫" * 40 + "源氏" + "式" * 40, [Span(40, 42)], 20)[0].count("源氏") == 1


@from_cases
def test_what_is_known_of_a_unit_is_of_its_verdict(match: dict[str, Any], proposed: str, said: str) -> None:
    """Not what the matcher thought before, nor a proposal that looks the same."""
    unit = Unit("p1", "entity", "Nexus Q", "work", (Span(0, 7),), proposed=proposed, match=Match(**match))

    assert [said] == [*view._remarks(unit), *view._verdict_lines(unit, "your decision")]


def test_a_heading_counts_the_lines_in_sight_only_where_there_are_some() -> None:
    """A context of which only the heading is left has no lines 8 to 7."""
    titles = [view.context_title("Context 1 of 4", range(1), None, seen) for seen in ((3, 6, 9), (8, 7, 7))]

    assert ["Context 1 of 4 · lines 3–6 of 9", "Context 1 of 4"] == titles


def test_edits_are_told_as_they_were_said() -> None:
    """For the line that says what was undone: what no walk has."""
    unit = Unit("p1", "entity", "Agra", label="place", match=Match("found"))
    state: Any = None
    partial = Unit("p1", "entity", "Agra", match=Match("missing", "partial"))
    said = {"restore": "restored Agra", "add": "added Agra", "match": "Agra is missing: partial"}
    assert said == {what: told(Put(what, "entity", (partial,))) for what in said}  # type: ignore[arg-type]
    moved = Moved(1, True, None, Put("reject", "entity", (unit,)), state, samples=12, spread=True)
    assert "rejected Agra, in 12 samples" == moved.words
    assert [told(edit) for edit in (Flag(""), Comment("x"))] == ["flag taken off", "comment: x"]
    assert told(Dispose("excluded", ("entity",), "broken")) == "not counted: broken"
    assert told(Put("take", "entity", (unit,))) == "settled Agra as found, place"


def test_a_reason_is_shown_whole_in_the_line_below_the_units(bench: Bench) -> None:
    """Whatever words it has: a reason of a judge may speak of what is nearest, as the matcher does."""
    reason = "no context says so; nearest is the tower"
    claim = {"text": "It is old.", "verdict": "missing", "reason": reason}
    row = sample("s", "It is old.", "A tower.")
    bench.load([{**row, "proposal": {"proposer": "p", "statements": [claim]}}])
    opened = bench.open("s")
    (unit,) = opened.units("statement")

    assert f"missing: absent · {reason}" in view.detail_lines(unit, opened, None, 80)[0]


@from_cases
def test_what_stands_before_a_place_is_cut_between_words_where_there_are_any(before: str, shown: str) -> None:
    act: Any = None

    line = Places().drawn(Place("agra", "", "todo", act, before, "Indien", ""), 80)

    assert shown == line[2][0]
