"""People and assignments: who may do what, who reviews which sample, and how far they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from workbench.errors import NotFoundError, UsageError
from workbench.stages.queue import queue_ids
from workbench.store import assignments
from workbench.store.assignments import Team, team
from workbench.store.datasets import DatasetInfo, find_dataset
from workbench.store.engine import Store
from workbench.store.people import Person, keep, people
from workbench.store.tables import ROLES
from workbench.text.query import Query, parse

__all__ = ["Person", "Team", "people", "team"]

Right = Literal["review", "adjudicate", "own"]

MOST = 9
"""People who may be asked about one sample."""


def check(store: Store, name: str, right: Right, what: str = "") -> None:
    """Raise UsageError for a person who may not do this; without people everybody may do everything."""
    known = {one.name: one for one in people(store)}
    if not known:
        return
    own = known.get(name)
    if own is None or own.disabled:
        why = "is disabled" if own else "is not among the people of this database"
        raise UsageError(
            f"{name} {why}: an owner adds people with workbench person add NAME --role annotator"
        )
    if right == "adjudicate" and not own.adjudicates:
        raise UsageError(f"{name} may not settle what others differ in: that is for adjudicators and owners")
    if right == "own" and own.role != "owner":
        raise UsageError(f"{name} is an annotator and may not {what}: that is for owners")


def add_person(store: Store, by: str, person: Person) -> list[Person]:
    """Add a person, or change one; the first are you, as an owner, and that you stay. Raises UsageError."""
    if person.role not in ROLES:
        raise UsageError(f"no role {person.role!r}; there is: {', '.join(ROLES)}")
    with store.writing():
        check(store, by, "own", "change who works here")
        keep(store, person)
        found = people(store)
        if not any(one.name == by and one.role == "owner" and not one.disabled for one in found):
            raise UsageError(f"you must be an owner yourself: workbench person add {by} --role owner")
        return found


def disable(store: Store, by: str, name: str) -> list[Person]:
    """Let a person do nothing any more; reviews stay, places are free. Raises as `add_person`."""
    with store.writing():
        own = next((one for one in people(store) if one.name == name), None)
        if own is None:
            raise NotFoundError(f"nobody is called {name!r} here: workbench person list")
        found = add_person(store, by, replace(own, disabled=True))
        assignments.release(store, name)
        return found


def assign(
    store: Store, info: DatasetInfo, by: str, overlap: int, share: float | None, lease: int | None
) -> Team | None:
    """Say how many people review a sample; None after 0, which takes all places away.

    The share and the lease stay as they were where they are not given. Raises UsageError.
    """
    check(store, by, "own", "assign samples")
    if not 0 <= overlap <= MOST:
        raise UsageError(f"--overlap {overlap}: give a number of people from 1 to {MOST}, or 0 to end it")
    assignments.assign(
        store, info, overlap, info.overlap_share if share is None else share, lease or info.lease
    )
    return assignments.team(store, find_dataset(store, info.name))


def give(store: Store, info: DatasetInfo, by: str, name: str, text: str) -> tuple[int, int]:
    """Give a person the samples of a filter; how many they hold of how many that fit. Raises UsageError."""
    check(store, by, "own", "assign samples")
    check(store, name, "review")
    _refuse_without(info)
    query = parse(text)
    if not isinstance(query, Query):
        raise UsageError(f"{text}: {query}")
    ids = queue_ids(store, info, by, query)
    return assignments.give(store, info, name, ids), len(ids)


def release(store: Store, info: DatasetInfo, by: str, name: str) -> int:
    """Free what a person holds and has not decided; how many places. Raises UsageError."""
    check(store, by, "own", "assign samples")
    _refuse_without(info)
    return assignments.release(store, name, info.id)


def _refuse_without(info: DatasetInfo) -> None:
    if not info.overlap:
        raise UsageError("this dataset has no assignments yet: workbench assign --overlap 2 --share .2")
