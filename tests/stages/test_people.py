"""Who may do what: owners, annotators, and nobody who is not named."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.rows import naming
from workbench.errors import UsageError
from workbench.reviewing.edits import Flag
from workbench.stages import claude, disputes, editing, people, queue, team
from workbench.stages.people import Person, add_person, disable, new_token
from workbench.stages.policy import forget_alias
from workbench.stages.review import act, open_sample
from workbench.store.exports import salt_of


@pytest.fixture
def three(bench: Any) -> Any:
    """A dataset with an owner, an annotator, and an annotator who adjudicates."""
    bench.load([naming(f"s{n}", ["Rome"], ["Rome"], also=f" {n}") for n in range(12)])
    bench.people(ann="owner", bo="annotator", cy="adjudicator")
    return bench


def a_dispute(bench: Any) -> Any:
    bench.act("s1", Flag("odd"))
    return disputes.disputes(bench.store, bench.info(), "ann").disputes[0]


@pytest.mark.parametrize("who", ["bo is an annotator", "cy is an adjudicator"])
def test_what_no_command_asks_about_is_for_owners_too(three: Any, who: str) -> None:
    """All else is tried by the commands."""
    for deed, attempt in (
        ("choose the run", lambda: claude.make_current(three.store, three.info(), "p-run-1", who[:2])),
        ("give people tokens", lambda: new_token(three.store, who[:2], "bo")),
    ):
        with pytest.raises(UsageError, match=f"{who} and may not {deed}: that is for owners"):
            attempt()


def test_adjudicators_and_owners_say_what_became_of_a_disagreement(three: Any) -> None:
    one = a_dispute(three)
    with pytest.raises(UsageError, match="bo is an annotator and may not settle disagreements"):
        disputes.set_state(three.store, one, "explained", "fine", "bo")
    assert "explained" == disputes.set_state(three.store, one, "explained", "fine", "cy").state


def test_without_people_everybody_is_an_owner_and_the_first_is_who_names_them(bench: Any) -> None:
    people.check(bench.store, "zoe", "change the policy")
    first = r"name an owner first: workbench person add 'z \$o' --role owner$"
    with pytest.raises(UsageError, match=first):
        add_person(bench.store, "z $o", Person("bo", "annotator", adjudicator=False, disabled=False))
    with pytest.raises(UsageError, match="if that is you: workbench --as bo person add bo --role owner"):
        add_person(bench.store, "zoe", Person("bo", "owner", adjudicator=False, disabled=False))
    assert [] == people.people(bench.store)


@pytest.mark.databases
def test_two_first_exports_at_the_same_time_give_a_person_one_pseudonym(three: Any) -> None:
    salts: list[bytes] = []
    three.meanwhile(*[lambda store: salts.append(salt_of(store, 1))] * 2)

    assert [salt_of(three.store, 1)] * 2 == salts


@pytest.mark.databases
def test_two_owners_who_disable_each_other_leave_one(three: Any) -> None:
    three.people(dee="owner")

    with pytest.raises(UsageError, match=r"dee is disabled|you must be an owner yourself"):
        three.meanwhile(partial(disable, by="ann", name="dee"), partial(disable, by="dee", name="ann"))
    assert [("ann",)] == three.query("SELECT name FROM person WHERE role = 'owner' AND NOT disabled")


@pytest.mark.databases
def test_a_disabled_person_in_an_open_window_decides_nothing_more_and_gets_no_sample(three: Any) -> None:
    team.assign(three.store, three.info(), "ann", 1, 1.0, None)
    number = queue.take_next(three.store, three.info().id, "bo")
    assert number is not None
    opened = open_sample(three.store, number, "bo")
    opened = act(three.store, opened, Flag("look"))
    disable(three.store, "ann", "bo")

    for attempt in (
        lambda: act(three.store, opened, editing.accept(opened, "entity")),
        lambda: editing.apply(three.store, "bo", []),
        lambda: queue.take_next(three.store, three.info().id, "bo"),
        lambda: disputes.audit(three.store, number, "bo"),
        lambda: forget_alias(three.store, three.info(), "Rome", "bo"),
        lambda: three.undo("bo"),
    ):
        with pytest.raises(UsageError, match="bo is disabled"):
            attempt()
    assert [("todo", "look")] == three.query("SELECT entity, flag FROM review WHERE annotator = 'bo'")
    assert [] == three.query("SELECT id FROM assignment WHERE annotator = 'bo'")
