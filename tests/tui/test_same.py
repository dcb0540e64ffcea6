"""`A`: the same decision for the same surface in the whole dataset, looked at first, one undo."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import Bench, add_text, do, unit_of
from tests.tui.starts import INDIA
from workbench.errors import ConflictError, InputError
from workbench.reviewing.edits import Comment
from workbench.stages import editing
from workbench.stages.editing import Place
from workbench.stages.review import Opened
from workbench.tui.screens.same import Places


def fill(bench: Bench) -> None:
    bench.load(INDIA, seed=7, blind=0.0)


@pytest.fixture
def india(filled_by: Callable[..., Bench]) -> Bench:
    """The rows in a database."""
    return filled_by(fill)


def rejected(opened: Opened) -> set[str]:
    return {unit.text for unit in opened.state.entity.assessment.units if unit.rejected}


REJECTED, A_PLACE = do("Indian", editing.reject), do("Indian", editing.relabel, "place")


def decision(opened: Opened, text: str = "Indian") -> editing.Decision:
    return editing.decision_on(opened, unit_of(opened, text))


def places(bench: Bench, opened: Opened, text: str = "Indian") -> list[editing.Place]:
    """Where the decision on a unit could be applied too."""
    return editing.places(bench.store, opened, decision(opened, text))


def keys(found: list[editing.Place]) -> list[str]:
    return sorted(place.key for place in found)


def test_a_rejection_is_one_act_and_one_undo_where_the_same_surface_is_a_unit(india: Bench) -> None:
    """In any case of letters; not for a longer name that holds it, nor where it does not stand.

    All samples change together and come back together; the sample it began on stays as it was.
    """
    found = places(india, india.act("agra", REJECTED))
    assert {"delhi": "Indian", "ganges": "INDIAN"} == {place.key: place.surface for place in found}

    editing.apply(india.store, "ann", found)
    assert rejected(india.open("delhi")) == {"Indian"}
    assert rejected(india.open("ganges")) == {"INDIAN"}
    india.undo()
    assert rejected(india.open("delhi")) == rejected(india.open("ganges")) == set()
    assert rejected(india.open("agra")) == {"Indian"}


def test_a_label_is_given_where_it_differs(india: Bench) -> None:
    """A sample that has the label already is not listed."""
    here = india.act("agra", A_PLACE)
    found = places(india, here)
    editing.apply(india.store, "ann", found)

    assert decision(here).words == "label “Indian” as place"
    assert keys(found) == ["ganges"]
    assert unit_of(india.open("ganges"), "INDIAN").label == "place"


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [("agra", "city", []), ("lima", "is in", []), ("delhi", "the", ["ganges", "goa"])],
    ids=["it is a unit elsewhere", "it stands nowhere else", "it stands elsewhere"],
)
def test_a_unit_that_was_added_is_added_where_it_stands(
    india: Bench, key: str, text: str, expected: list[str]
) -> None:
    here = india.act(key, add_text(india.open(key), "entity", text, "other"))
    assert decision(here, text).words == f"add “{text}”"
    assert keys(places(india, here, text)) == expected


def test_what_was_verified_changes_and_stays_verified(india: Bench) -> None:
    """It is marked as such, so that a person sees it before."""
    india.verify("delhi")
    found = places(india, india.act("agra", REJECTED))
    editing.apply(india.store, "ann", found)

    assert {place.key: place.verified for place in found} == {"delhi": True, "ganges": False}
    assert india.open("delhi").state.entity.disposition == "verified"
    assert rejected(india.open("delhi")) == {"Indian"}


def test_when_one_sample_moved_on_none_is_changed(india: Bench) -> None:
    """All or nothing, and the message names the sample."""
    found = places(india, india.act("agra", REJECTED))
    india.act("ganges", Comment("meanwhile"))

    with pytest.raises(ConflictError, match="ganges was changed"):
        editing.apply(india.store, "ann", found)

    assert rejected(india.open("delhi")) == set()


def test_what_holds_here_only_is_refused(india: Bench) -> None:
    """A verdict depends on each sample's contexts; an untouched unit says nothing."""
    for here in india.open("agra"), india.act("agra", do("Agra", editing.toggle)):
        with pytest.raises(InputError, match="nothing to repeat"):
            decision(here, "Agra")


def test_a_blind_sample_is_left_alone(bench: Bench) -> None:
    """One that heard of a decision elsewhere would not be blind."""
    bench.load(INDIA, blind=1.0)
    first = bench.open("agra")

    assert first.blind
    assert editing.places(bench.store, first, editing.Decision("reject", "Indian", "")) == []


@pytest.mark.parametrize("aside", [editing.exclude("broken"), editing.skip], ids=["excluded", "skipped"])
def test_what_was_put_aside_is_left_alone(india: Bench, aside: Any) -> None:
    """A decision on the whole sample."""
    india.act("delhi", aside)
    assert keys(places(india, india.act("agra", REJECTED))) == ["ganges"]


def test_what_somebody_else_verified_is_left_alone_until_one_has_begun_oneself(india: Bench) -> None:
    """Or their verified sample would turn into one's own unfinished one."""
    india.verify("delhi", "bo")
    here = india.act("agra", REJECTED)
    assert keys(places(india, here)) == ["ganges"]

    india.act("delhi", Comment("mine now"))
    assert keys(places(india, here)) == ["delhi", "ganges"]


def test_a_label_chosen_by_hand_elsewhere_stays(india: Bench) -> None:
    """The same name may be another thing there."""
    india.act("ganges", do("INDIAN", editing.relabel, "event"))
    assert places(india, india.act("agra", A_PLACE)) == []


@pytest.mark.parametrize(
    ("before", "shown"),
    [("the towns on the coast of ", "the coast of "), ("我们在二零二五年去了", "…二零二五年去了")],
)
def test_what_stands_before_a_place_is_cut_between_words_where_a_script_has_them(
    before: str, shown: str
) -> None:
    act: Any = SimpleNamespace(sample=SimpleNamespace(user_input=""))

    line = Places().drawn(Place("agra", "todo", act, before, "Indien", ""), 80)

    assert shown == line[2][0]
