"""What a person sees of the matcher and of other people once the own decision stands, and never before."""

from __future__ import annotations

import pytest

from tests.conftest import Bench, add_text
from tests.rows import naming
from workbench.model import Unit
from workbench.reviewing.edits import Dispose
from workbench.stages import team
from workbench.stages.editing import accept, toggle
from workbench.stages.plan import Wish, draft, make
from workbench.stages.review import Opened, act
from workbench.tui.view import of_others, outcome

pytestmark = pytest.mark.databases

ROWS = [naming("one", ["Rome", "Oslo"], ["Rome"])]


def decide(bench: Bench, name: str, *, flip: int | None = None) -> Opened:
    """Accept a sample as it opens, with one verdict turned over."""
    opened = bench.open("one", name)
    if flip is not None:
        opened = act(bench.store, opened, toggle(opened, opened.state.entity.assessment.units[flip]))
    return act(bench.store, opened, accept(opened, "entity"))


def lines(opened: Opened, place: int = 0) -> list[str]:
    """What is shown of others below a unit."""
    units: tuple[Unit, ...] = opened.state.entity.assessment.units
    return [*of_others(units[place], opened)]


def test_a_decided_blind_sample_shows_where_the_matcher_differs(bench: Bench) -> None:
    """The person's verdict stands; before the decision, and where nothing differs, it says nothing."""
    bench.load(ROWS, blind=1.0)
    opened = bench.open("one")
    opened = act(bench.store, opened, add_text(opened, "entity", "Rome", "place"))
    opened = act(bench.store, opened, add_text(opened, "entity", "Oslo", "place"))
    for place, _ in enumerate(opened.state.entity.assessment.units):
        for _ in range(1 + (place == 0)):  # both missing, and Rome is there
            unit = opened.state.entity.assessment.units[place]
            opened = act(bench.store, opened, toggle(opened, unit))
    opened = act(bench.store, opened, toggle(opened, opened.state.entity.assessment.units[1]))
    assert ({}, []) == (opened.suggested, lines(opened))

    done = act(bench.store, opened, accept(opened, "entity"))
    assert (["the matcher: ● found in 1; yours stands"], []) == (lines(done), lines(done, 1))
    assert ["missing", "missing"] == [unit.match.verdict for unit in done.state.entity.assessment.units]
    assert "the matcher differs on 1 name" in outcome(done, accept(opened, "entity"), 100)
    assert done.suggested == bench.open("one").suggested


def test_nothing_is_suggested_in_a_sample_that_is_kept_back(bench: Bench) -> None:
    bench.load([naming(f"s{place}", ["Rome", f"Oslo {place}"], ["Rome"]) for place in range(8)])
    make(bench.store, bench.info(), draft(bench.store, bench.info(), Wish(n=4, holdout=0.5), "ann"))
    kept = [key for key in (f"s{place}" for place in range(8)) if bench.open(key).stored.holdout]
    opened = bench.open(kept[0])
    opened = act(bench.store, opened, add_text(opened, "entity", "Rome", "place"))
    opened = act(bench.store, opened, toggle(opened, opened.state.entity.assessment.units[0]))
    opened = act(bench.store, opened, toggle(opened, opened.state.entity.assessment.units[0]))
    assert ({}, {}) == (
        act(bench.store, opened, accept(opened, "entity")).suggested,
        bench.open(kept[0]).others,
    )


@pytest.mark.parametrize("assigned", [False, True])
def test_others_are_shown_once_all_have_decided(bench: Bench, assigned: bool) -> None:
    """Not to who has not decided, not while somebody is at it or holds a place."""
    bench.load(ROWS)
    if assigned:
        team.assign(bench.store, bench.info(), "ann", 2, None, None)
    decide(bench, "ann")
    assert [] == lines(bench.open("one", "ann")) == lines(bench.open("one", "bob"))
    bob = bench.open("one", "bob")
    bob = act(bench.store, bob, toggle(bob, bob.state.entity.assessment.units[1]))
    assert [] == lines(bench.open("one", "ann")) == lines(bench.open("one", "bob"))
    bob = act(bench.store, bob, add_text(bob, "entity", "Rome, Oslo", "event"))
    act(bench.store, bob, accept(bob, "entity"))

    assert ["bob: ● found · place; also has Rome, Oslo"] == lines(bench.open("one", "ann"), 1)
    theirs = bench.open("one", "bob")
    assert ["ann: ○ missing · place", "ann: has no such unit"] == [
        *lines(theirs, 2),
        *lines(theirs, [u.text for u in theirs.state.entity.assessment.units].index("Rome, Oslo")),
    ]
    if not assigned:
        eve = bench.open("one", "eve")
        act(bench.store, eve, Dispose("skipped", ("entity",)))
        assert [] == lines(bench.open("one", "ann"))
