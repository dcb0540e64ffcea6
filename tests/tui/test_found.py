"""Searches and what is said of places, apart from any screen."""

from __future__ import annotations

from workbench.model import Evidence, Match, Sample, Span, Unit
from workbench.reviewing.edits import Comment, Dispose, Flag, Put
from workbench.tui.found import MOST, Place, parts, search
from workbench.tui.intents import told
from workbench.tui.view import advice, around, near_text

SAMPLE = Sample("a", "Who?", "Ann and Bob.", ("Ann.", "Bob, Ann."))


def test_parts_are_read_from_the_reference_on() -> None:
    """The question comes last: it is seldom what one looks for."""
    assert parts(SAMPLE) == ("Ann and Bob.", "Ann.", "Bob, Ann.", "Who?")


def test_a_search_stands_at_the_first_place_behind_where_it_began() -> None:
    """Before all is read nothing goes round the end; then it does."""
    found = search("ann", Place(2, 0, 0))
    assert found is not None
    assert (found.add(0, [Span(0, 3)]), found.here, found.words(SAMPLE)) == (False, None, "… of 1+")
    assert (found.add(2, [Span(5, 8)]), found.words(SAMPLE)) == (True, "2 of 2+ · context 2")
    assert (found.finish(), found.words(SAMPLE)) == (False, "2 of 2 · context 2")
    found.step(1)
    assert found.words(SAMPLE) == "1 of 2 · reference"
    found.step(-1)
    assert found.here == Place(2, 5, 8)


def test_steps_made_before_anything_was_found_count() -> None:
    """Keys typed while a search runs are not lost; nor does it run past what is known yet."""
    found = search("ann")
    assert found is not None
    found.step(2)
    assert (found.add(0, [Span(0, 3)]), found.at) == (True, 0)
    assert (found.add(1, [Span(0, 3)]), found.at) == (True, 1)
    assert (found.finish(), found.at) == (True, 0)


def test_a_search_behind_the_last_place_begins_anew() -> None:
    """Round the end."""
    found = search("ann", Place(3, 0, 0))
    assert found is not None
    found.add(1, [Span(0, 3)])
    assert (found.finish(), found.here) == (True, Place(1, 0, 3))
    assert [mark.role for mark in found.marks(1)] == ["here"]
    assert found.marks(2) == []


def test_so_many_places_are_kept() -> None:
    """A single letter stands everywhere; the count says that there are more."""
    found = search("a")
    assert found is not None
    found.add(0, [Span(n, n + 1) for n in range(MOST)])
    found.finish()
    assert (found.room, found.words(SAMPLE)) == (0, "1 of 10,000+ · reference")
    assert search("  ") is None


def test_passages_are_cut_around_their_likeness() -> None:
    """In one line each, with their number and context; the likeness is marked where it stands now."""
    unit = Unit("p1", "entity", "Eiffel Tower")
    contexts = ("The Eiffel Tower.", "Far away from here, where nobody looks, stands a tower of iron.")
    text, marks = near_text(unit, (Evidence(0, 0, 17), Evidence(1, 0, 63)), contexts, 30)

    assert text.splitlines() == ["1 · 1: The Eiffel Tower.", "2 · 2: … a tower of iron."]
    assert [text[mark.start : mark.end] for mark in marks] == ["Eiffel", "Tower", "tower"]
    assert around("紫" * 40 + "源氏" + "式" * 40, [Span(40, 42)], 20)[0].count("源氏") == 1


def test_edits_are_told_as_they_were_said() -> None:
    """For the line that says what was undone."""
    unit = Unit("p1", "entity", "Agra", label="place", match=Match("missing", "partial"))
    other = Unit("h1", "entity", "Fort")
    expected = {
        "reject": "rejected Agra",
        "restore": "restored Agra",
        "relabel": "Agra is now place",
        "boundary": "now Agra",
        "match": "Agra is missing: partial",
        "merge": "merged into Agra",
        "split": "split into Agra and Fort",
        "add": "added Agra",
    }
    assert {what: told(Put(what, "entity", (unit, other))) for what in expected} == expected  # type: ignore[arg-type]
    assert told(Put("reject", "entity", (unit,)), 12) == "rejected Agra, in 12 samples"
    assert [told(edit) for edit in (Flag("odd"), Flag(""), Comment("x"))] == [
        "flagged: odd", "flag taken off", "comment added"
    ]  # fmt: skip
    assert told(Dispose("excluded", ("entity",), "broken")) == "not counted: broken"


def test_found_without_evidence_says_how_to_choose_it() -> None:
    """Anything else says nothing more."""
    found = Unit("p1", "entity", "Agra", match=Match("found"))
    placed = Unit("p1", "entity", "Agra", match=Match("found", None, (Evidence(0, 0, 4),)))

    assert advice(Put("match", "entity", (found,))) == " without evidence; e chooses it"
    assert advice(Put("match", "entity", (placed,))) == advice(Put("add", "entity", (found,))) == ""
