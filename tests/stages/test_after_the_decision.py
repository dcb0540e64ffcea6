"""What a person sees of the matcher and of other people once the own decision stands, and never before."""

from functools import partial

import pytest

from tests.conftest import Bench, accepted, add_text, do
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


def lines(opened: Opened, place: int = 0) -> list[str]:
    """What is shown of others below a unit."""
    units: tuple[Unit, ...] = opened.state.entity.assessment.units
    return [*of_others(units[place], opened)]


def test_a_decided_blind_sample_shows_where_the_matcher_differs(bench: Bench) -> None:
    """The person's verdict stands; before the decision, and where nothing differs, it says nothing."""
    bench.load(ROWS, blind=1.0)
    names = [partial(add_text, kind="entity", text=text, label="place") for text in ("Rome", "Oslo")]
    turns = [do(place, toggle) for place in (0, 0, 1, 1)]  # found, then missing: and Rome is there
    opened = bench.act("one", *names, *turns)
    assert ({}, []) == (opened.suggested, lines(opened))

    done = act(bench.store, opened, accept(opened, "entity"))
    assert (["the matcher: ● found in 1; your verdict stands"], []) == (lines(done), lines(done, 1))
    assert ["missing", "missing"] == [unit.match.verdict for unit in done.state.entity.assessment.units]
    assert "the matcher differs on 1 name" in outcome(done, accept(opened, "entity"), 100)
    assert done.suggested == bench.open("one").suggested


def test_nothing_is_suggested_in_a_sample_that_is_kept_back(bench: Bench) -> None:
    bench.load([naming(f"s{place}", ["Rome", f"Oslo {place}"], ["Rome"]) for place in range(8)])
    make(bench.store, bench.info(), draft(bench.store, bench.info(), Wish(n=4, holdout=0.5), "ann"))
    kept = [key for key in (f"s{place}" for place in range(8)) if bench.open(key).stored.holdout]
    rome, turn = partial(add_text, kind="entity", text="Rome", label="place"), do(0, toggle)
    done = bench.act(kept[0], rome, turn, turn, accepted())
    assert ({}, {}) == (done.suggested, bench.open(kept[0]).others)


@pytest.mark.parametrize("assigned", [False, True])
def test_others_are_shown_once_all_have_decided(bench: Bench, assigned: bool) -> None:
    """Not to who has not decided, not while somebody is at it or holds a place."""
    bench.load(ROWS)
    if assigned:
        team.assign(bench.store, bench.info(), "ann", 2, None, None)
    bench.verify("one")
    assert [] == lines(bench.open("one", "ann")) == lines(bench.open("one", "bob"))
    bench.act("one", do(1, toggle), who="bob")
    assert [] == lines(bench.open("one", "ann")) == lines(bench.open("one", "bob"))
    both = partial(add_text, kind="entity", text="Rome, Oslo", label="event")
    bench.act("one", both, accepted(), who="bob")

    assert ["bob: ● found · place; also has Rome, Oslo"] == lines(bench.open("one", "ann"), 1)
    theirs = bench.open("one", "bob")
    assert ["ann: ○ missing · place", "ann: has no such unit"] == [
        *lines(theirs, 2),
        *lines(theirs, [u.text for u in theirs.state.entity.assessment.units].index("Rome, Oslo")),
    ]
    if not assigned:
        bench.act("one", Dispose("skipped", ("entity",)), who="eve")
        assert [] == lines(bench.open("one", "ann"))
