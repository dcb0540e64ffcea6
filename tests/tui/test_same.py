"""`A`: the same decision for the same surface in the whole dataset, looked at first, one undo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import add_text
from tests.rows import sample
from tests.tui.conftest import User
from workbench.errors import ConflictError, InputError
from workbench.model import Unit
from workbench.reviewing.edits import Comment
from workbench.stages import editing, review
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.samples import sample_ids
from workbench.tui.screens.same import NOTHING, Places, SameScreen
from workbench.tui.widgets.bars import Bar, Status
from workbench.tui.widgets.unit_list import UnitList


def row(name: str, reference: str, *units: tuple[str, str], **more: Any) -> dict[str, Any]:
    proposed = [{"text": text, "label": label} for text, label in units]
    given = {"proposer": "claude", "reference_entities": proposed, "context_entities": [proposed]}
    return sample(name, reference, reference, user_input=f"What of {name}?", proposal=given, **more)


ROWS = [
    row("agra", "Agra is an Indian city.", ("Agra", "place"), ("Indian", "other")),
    row("delhi", "Delhi is the Indian capital.", ("Delhi", "place"), ("Indian", "place")),
    row("ganges", "The Ganges is an INDIAN river.", ("Ganges", "place"), ("INDIAN", "other")),
    row("goa", "Goa lies on the Indian Ocean.", ("Goa", "place"), ("Indian Ocean", "place")),
    row("lima", "Lima is in Peru.", ("Lima", "place")),
]  # fmt: skip


@pytest.fixture
def desk(import_rows: Callable[..., Path]) -> Any:
    """The rows in a store, and a way to open a sample by its id."""
    store = open_store(str(import_rows(ROWS, name="india")))
    info = find_dataset(store, None)
    ids = sample_ids(store, info.id)

    class Open:
        def __init__(self) -> None:
            self.store = store

        def __call__(self, key: str, who: str = "ann") -> review.Opened:
            return review.open_sample(store, ids[key], who)

        def unit(self, key: str, text: str) -> Any:
            return next(u for u in self(key).state.entity.assessment.units if u.text == text)

    yield Open()
    store.close()


def rejected(opened: review.Opened) -> set[str]:
    return {unit.text for unit in opened.state.entity.assessment.units if unit.rejected}


def reject_everywhere(desk: Any) -> tuple[review.Opened, list[editing.Place]]:
    here = review.act(desk.store, desk("agra"), editing.reject(desk("agra"), desk.unit("agra", "Indian")))
    unit = next(u for u in here.state.entity.assessment.units if u.text == "Indian")
    return here, editing.places(desk.store, here, editing.decision_on(here, unit))


def test_a_rejection_is_offered_where_the_same_surface_is_a_unit(desk: Any) -> None:
    """In any case of letters; not for a longer name that holds it, nor where it does not stand."""
    _, places = reject_everywhere(desk)

    assert sorted(place.key for place in places) == ["delhi", "ganges"]
    assert {place.surface for place in places} == {"Indian", "INDIAN"}


def test_it_is_one_act_and_one_undo(desk: Any) -> None:
    """All samples change together and come back together; the sample it began on stays as it was."""
    _, places = reject_everywhere(desk)

    editing.apply(desk.store, "ann", places)

    assert rejected(desk("delhi")) == {"Indian"}
    assert rejected(desk("ganges")) == {"INDIAN"}
    review.undo(desk.store, desk("agra").dataset.id, "ann")
    assert rejected(desk("delhi")) == rejected(desk("ganges")) == set()
    assert rejected(desk("agra")) == {"Indian"}


def test_a_label_is_given_where_it_differs(desk: Any) -> None:
    """A sample that has the label already is not listed."""
    here = review.act(
        desk.store, desk("agra"), editing.relabel(desk("agra"), desk.unit("agra", "Indian"), "place")
    )
    unit = next(u for u in here.state.entity.assessment.units if u.text == "Indian")
    decision = editing.decision_on(here, unit)
    places = editing.places(desk.store, here, decision)
    editing.apply(desk.store, "ann", places)

    assert decision.words == "label “Indian” as place"
    assert [place.key for place in places] == ["ganges"]
    assert desk.unit("ganges", "INDIAN").label == "place"


def added(opened: review.Opened, text: str) -> Unit:
    return next(unit for unit in opened.state.entity.assessment.units if unit.text == text)


def test_a_unit_that_was_added_is_added_where_it_stands(desk: Any) -> None:
    """Everywhere but where it is a unit already."""
    put = add_text(desk("agra"), "entity", "city", "other")
    here = review.act(desk.store, desk("agra"), put)
    decision = editing.decision_on(here, added(here, "city"))

    assert decision.words == "add “city”"
    assert editing.places(desk.store, here, decision) == []

    put = add_text(desk("lima"), "entity", "is in", "other")  # stands nowhere else
    there = review.act(desk.store, desk("lima"), put)
    found = editing.places(desk.store, there, editing.decision_on(there, added(there, "is in")))
    assert found == []

    put = add_text(desk("delhi"), "entity", "the", "other")
    third = review.act(desk.store, desk("delhi"), put)
    found = editing.places(desk.store, third, editing.decision_on(third, added(third, "the")))
    assert sorted(place.key for place in found) == ["ganges", "goa"]


def test_what_was_verified_changes_and_stays_verified(desk: Any) -> None:
    """It is marked as such, so that a person sees it before."""
    review.act(desk.store, desk("delhi"), editing.accept(desk("delhi"), "entity"))
    _, places = reject_everywhere(desk)
    editing.apply(desk.store, "ann", places)

    assert {place.key: place.verified for place in places} == {"delhi": True, "ganges": False}
    assert desk("delhi").state.entity.disposition == "verified"
    assert rejected(desk("delhi")) == {"Indian"}


def test_when_one_sample_moved_on_none_is_changed(desk: Any) -> None:
    """All or nothing, and the message names the sample."""
    _, places = reject_everywhere(desk)
    review.act(desk.store, desk("ganges"), Comment("meanwhile"))

    with pytest.raises(ConflictError, match="ganges was changed"):
        editing.apply(desk.store, "ann", places)

    assert rejected(desk("delhi")) == set()


def test_what_holds_here_only_is_refused(desk: Any) -> None:
    """A verdict depends on each sample's contexts; an untouched unit says nothing."""
    with pytest.raises(InputError, match="nothing to repeat"):
        editing.decision_on(desk("agra"), desk.unit("agra", "Agra"))
    toggled = review.act(desk.store, desk("agra"), editing.toggle(desk("agra"), desk.unit("agra", "Agra")))
    with pytest.raises(InputError, match="nothing to repeat"):
        editing.decision_on(toggled, toggled.state.entity.assessment.units[0])


def test_a_blind_sample_is_left_alone(import_rows: Callable[..., Path]) -> None:
    """One that heard of a decision elsewhere would not be blind."""
    store = open_store(str(import_rows(ROWS, blind=1.0, name="blind")))
    info = find_dataset(store, None)
    first = review.open_sample(store, sample_ids(store, info.id)["agra"], "ann")

    assert first.blind
    assert editing.places(store, first, editing.Decision("reject", "Indian", "")) == []
    store.close()


@pytest.mark.parametrize("what", ["exclude", "skip"])
def test_what_was_put_aside_is_left_alone(desk: Any, what: str) -> None:
    """Excluded or skipped: a decision on the whole sample."""
    edit = editing.exclude("broken") if what == "exclude" else editing.skip(desk("delhi"))
    review.act(desk.store, desk("delhi"), edit)

    _, places = reject_everywhere(desk)

    assert [place.key for place in places] == ["ganges"]


def test_what_somebody_else_verified_is_left_alone_until_one_has_begun_oneself(desk: Any) -> None:
    """Or their verified sample would turn into one's own unfinished one."""
    theirs = desk("delhi", "bo")
    review.act(desk.store, theirs, editing.accept(theirs, "entity"))

    _, places = reject_everywhere(desk)
    assert [place.key for place in places] == ["ganges"]

    review.act(desk.store, desk("delhi"), Comment("mine now"))
    here = desk("agra")
    unit = next(one for one in here.state.entity.assessment.units if one.rejected)
    again = editing.places(desk.store, here, editing.decision_on(here, unit))
    assert sorted(place.key for place in again) == ["delhi", "ganges"]


def test_a_label_chosen_by_hand_elsewhere_stays(desk: Any) -> None:
    """The same name may be another thing there."""
    mine = editing.relabel(desk("ganges"), desk.unit("ganges", "INDIAN"), "event")
    review.act(desk.store, desk("ganges"), mine)
    here = review.act(
        desk.store, desk("agra"), editing.relabel(desk("agra"), desk.unit("agra", "Indian"), "place")
    )
    unit = next(u for u in here.state.entity.assessment.units if u.text == "Indian")

    assert editing.places(desk.store, here, editing.decision_on(here, unit)) == []


async def test_a_person_looks_leaves_one_out_and_takes_it_all_back(
    user: User, import_rows: Callable[..., Path]
) -> None:
    """x, A, look, leave one out, Enter; u."""
    database = import_rows(ROWS, name="india")
    async with user.opens("agra", database=database, size=(80, 24)) as app:
        app.screen.query_one(UnitList).move_to(1)
        assert app.screen.pane.unit.text == "Indian"
        await user.press("x", "A")
        assert isinstance(app.screen, SameScreen)
        listed = app.screen.query_one(Places)
        names = [place.key for place in listed.rows]
        assert sorted(names) == ["delhi", "ganges"]
        await user.press("x", "enter")
        said = app.screen.query_one(Status).text
        assert "reject “Indian” in 1 other sample" in said
        left, done = names
        assert rejected(user.stored(done))
        assert not rejected(user.stored(left))
        await user.press("u")
        assert not rejected(user.stored(done))
        assert rejected(user.stored("agra")) == {"Indian"}


async def test_there_is_nothing_to_apply(user: User, import_rows: Callable[..., Path]) -> None:
    """The dialog says so, and Enter does nothing."""
    async with user.opens("lima", database=import_rows(ROWS, name="india"), size=(80, 24)) as app:
        await user.press("A")
        status = app.screen.query_one(Status)
        assert "nothing to repeat elsewhere yet: first reject, label or add this unit" == status.text.strip()
        assert len(status.text) <= status.room
        await user.press("x", "A", "enter")
        assert isinstance(app.screen, SameScreen)
        assert NOTHING == app.screen.query_one("#sum", Bar).text
        await user.press("escape", "b")


async def test_a_sample_without_an_id_of_its_own_is_listed_by_its_question(
    user: User, import_rows: Callable[..., Path]
) -> None:
    delhi = {**ROWS[1], "id": f"{7:032x}"}
    async with user.opens("agra", database=import_rows([ROWS[0], delhi], name="india"), size=(80, 24)) as app:
        app.screen.query_one(UnitList).move_to(1)
        await user.press("x", "A")
        places = app.screen.query_one(Places)
        assert "What of delhi?" in places.render_line(0).text
