"""The people of a database, and what each may do.

Whoever can reach the database itself can do everything in it: these checks hold for who comes through
Workbench.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from workbench.errors import NotFoundError, UsageError
from workbench.store.assignments import release
from workbench.store.engine import Store
from workbench.store.people import Person, keep, people
from workbench.store.tables import ROLES

__all__ = ["Person", "people"]

Right = Literal["review", "adjudicate", "own"]


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
        release(store, name)
        return found
