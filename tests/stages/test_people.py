"""Who may do what: owners, annotators, and nobody who is not named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.rows import sample
from workbench.errors import UsageError
from workbench.formats.policy import to_toml
from workbench.stages import people, team, upkeep
from workbench.stages.export import ExportOptions, export
from workbench.stages.people import Person, add_person, disable
from workbench.stages.plan import Wish, draft, drop, make
from workbench.stages.policy import change_policy
from workbench.tui.desk import open_desk

pytestmark = pytest.mark.databases

Act = Callable[[Any, str, Path], object]


@pytest.fixture
def three(bench: Any) -> Any:
    """A dataset with an owner, an annotator, and an annotator who adjudicates."""
    bench.load([sample(f"s{n}", "Paris.", "Paris.", user_input=f"Where {n}?") for n in range(12)])
    for name, role, adjudicator in (
        ("ann", "owner", False),
        ("bo", "annotator", False),
        ("cy", "annotator", True),
    ):
        add_person(bench.store, "ann", Person(name, role, adjudicator, disabled=False))
    return bench


def plan(bench: Any, who: str) -> None:
    make(bench.store, bench.info(), draft(bench.store, bench.info(), Wish(5, "simple", "", 0.0, None), who))


def planned_and_dropped(bench: Any, who: str) -> None:
    plan(bench, "ann")
    drop(bench.store, bench.info(), who)


FOR_OWNERS: dict[str, Act] = {
    "import files": lambda bench, who, _: bench.load([sample("more", "Rome.", "Rome.")], annotator=who),
    "change the policy": lambda bench, who, _: change_policy(
        bench.store, bench.info(), to_toml(bench.info().policy), who
    ),
    "make a plan": lambda bench, who, _: plan(bench, who),
    "drop the plan": lambda bench, who, _: planned_and_dropped(bench, who),
    "remove samples": lambda bench, who, _: upkeep.purge(
        bench.store, bench.info(), upkeep.plan_purge(bench.store, bench.info(), ["s1"]), who
    ),
    "export the names of annotators": lambda bench, who, folder: export(
        bench.store, bench.info(), folder / "out", ExportOptions(names=True), annotator=who
    ),
    "assign samples": lambda bench, who, _: team.assign(bench.store, bench.info(), who, 2, None, None),
    "change who works here": lambda bench, who, _: add_person(
        bench.store, who, Person("eve", "annotator", adjudicator=False, disabled=False)
    ),
}


@pytest.mark.parametrize("what", FOR_OWNERS)
def test_what_is_for_owners_is_refused_to_annotators_and_done_for_owners(
    three: Any, tmp_path: Path, what: str
) -> None:
    for name in ("bo", "cy"):
        with pytest.raises(
            UsageError, match=f"{name} is an annotator and may not {what}: that is for owners"
        ):
            FOR_OWNERS[what](three, name, tmp_path)
    FOR_OWNERS[what](three, "ann", tmp_path)


def test_annotators_review_and_nobody_who_is_not_named_does(three: Any) -> None:
    assert "bo" == open_desk(three.store, None, "bo").annotator
    with pytest.raises(UsageError, match="zoe is not among the people of this database"):
        open_desk(three.store, None, "zoe")
    disable(three.store, "ann", "bo")
    with pytest.raises(UsageError, match="bo is disabled"):
        open_desk(three.store, None, "bo")


def test_adjudicators_and_owners_settle_what_others_differ_in(three: Any) -> None:
    people.check(three.store, "ann", "adjudicate")
    people.check(three.store, "cy", "adjudicate")
    with pytest.raises(UsageError, match="bo may not settle what others differ in"):
        people.check(three.store, "bo", "adjudicate")


def test_without_people_everybody_is_an_owner_and_the_first_is_who_names_them(bench: Any) -> None:
    people.check(bench.store, "zoe", "own", "do anything")
    with pytest.raises(UsageError, match="you must be an owner yourself"):
        add_person(bench.store, "zoe", Person("bo", "annotator", adjudicator=False, disabled=False))
    assert [] == people.people(bench.store)


def test_an_owner_cannot_leave_the_database_without_themselves(three: Any) -> None:
    with pytest.raises(UsageError, match="you must be an owner yourself"):
        disable(three.store, "ann", "ann")
    assert not people.people(three.store)[0].disabled


def test_what_a_disabled_person_holds_is_free(three: Any) -> None:
    team.assign(three.store, three.info(), "ann", 1, None, None)
    assert (12, 12) == team.give(three.store, three.info(), "ann", "bo", "state:todo")
    disable(three.store, "ann", "bo")

    assert [(0,)] == three.query("SELECT count(annotator) FROM assignment")
    assert ("bo", True) == [(one.name, one.disabled) for one in upkeep.status(three.store, "ann").people][1]
