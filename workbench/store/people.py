"""The people of a database and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import select

from workbench.store.engine import Store
from workbench.store.tables import PERSON, PersonRow


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who works in a database. `adjudicator`: may settle what others differ in."""

    name: str
    role: str
    adjudicator: bool
    disabled: bool

    @property
    def adjudicates(self) -> bool:
        """Whether they may settle what others differ in: owners may."""
        return self.adjudicator or self.role == "owner"


def people(store: Store) -> list[Person]:
    """Everybody, in the order of their names; nobody means that everybody is an owner."""
    columns = PERSON.name, PERSON.role, PERSON.adjudicator, PERSON.disabled
    found = [Person(*row) for row in store.rows(select(*columns))]
    return sorted(found, key=lambda one: one.name)


def keep(store: Store, person: Person) -> None:
    """Add a person, or change the one of that name."""
    with store.writing() as session:
        row = session.get(PersonRow, person.name)
        if row is None:
            row = PersonRow(name=person.name, role=person.role, created_at=datetime.now(UTC))
        row.role, row.adjudicator, row.disabled = person.role, person.adjudicator, person.disabled
        session.add(row)
        session.flush()  # SQLAlchemy 2.0 does not do it before the rows are read
