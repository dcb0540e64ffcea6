"""The people of a database and what they may do."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import exists, or_, select

from workbench.store.engine import Store
from workbench.store.tables import PERSON, SESSION, PersonRow, SessionRow


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who works in a database. `adjudicator`: may settle what others differ in.

    `token`: whether they have one to log in with.
    """

    name: str
    role: str
    adjudicator: bool
    disabled: bool
    token: bool = field(default=False, compare=False)

    @property
    def adjudicates(self) -> bool:
        """Whether they may settle what others differ in: owners may."""
        return self.adjudicator or self.role == "owner"


def people(store: Store) -> list[Person]:
    """Everybody, in the order of their names; nobody means that everybody is an owner."""
    return sorted((Person(*row) for row in store.rows(_PEOPLE)), key=lambda person: person.name)


_PEOPLE = select(PERSON.name, PERSON.role, PERSON.adjudicator, PERSON.disabled, PERSON.token != "")


def keep(store: Store, person: Person) -> None:
    """Add a person, or change the one of that name. On a server others who do so wait until it is stored."""
    with store.writing() as session:
        store.column(select(PERSON.name).with_for_update())
        row = session.get(PersonRow, person.name)
        if row is None:
            store.delete(SessionRow, SESSION.person == person.name)
            row = PersonRow(name=person.name, role=person.role)
        row.role, row.adjudicator, row.disabled = person.role, person.adjudicator, person.disabled
        session.add(row)
        session.flush()  # SQLAlchemy 2.0 does not do it before the rows are read


def keep_token(store: Store, name: str, digest: str) -> None:
    """Let a person log in with what has this SHA-256, and with nothing else; their sessions end."""
    with store.writing():
        store.update(PersonRow, PERSON.name == name, token=digest)
        store.delete(SessionRow, SESSION.person == name)


def token_of(store: Store, name: str) -> str:
    """The SHA-256 of what a person logs in with; empty for who may not."""
    token = store.value(select(PERSON.token).where(PERSON.name == name, PERSON.disabled.is_(False)))
    return token or ""


def begin_session(store: Store, key: str, name: str, now: float, until: float) -> None:
    """A person logged in; sessions that ran out go."""
    with store.writing() as session:
        store.delete(SessionRow, SESSION.until <= now)
        session.add(SessionRow(key=key, person=name, until=until))


def end_session(store: Store, key: str) -> None:
    """A person logged out."""
    store.delete(SessionRow, SESSION.key == key)


def end_guests(store: Store) -> None:
    """The sessions of who is not named here end."""
    store.delete(SessionRow, SESSION.person.not_in(select(PERSON.name)))


def person_of(store: Store, key: str, now: float) -> str | None:
    """Whose session this is; None for one that ended, and for a person who is disabled or not there."""
    active = PERSON.name == SESSION.person, PERSON.disabled.is_(False)
    known = or_(exists().where(*active), ~exists().where(PERSON.name.is_not(None)))
    return store.value(select(SESSION.person).where(SESSION.key == key, SESSION.until > now, known))
