"""The people of a database, what each may do, and logging in to the pages of `serve`.

Whoever can reach the database itself can do everything in it: these checks hold for who comes through
Workbench. A token is shown once, and sessions end.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from hmac import compare_digest
from shlex import quote
from typing import Literal, get_args

from workbench.comparing.intervals import FEWEST
from workbench.errors import NotFoundError, UsageError
from workbench.model import RESOLVED, Kind, sha256
from workbench.store.assignments import release
from workbench.store.datasets import DatasetInfo, blind_ids
from workbench.store.engine import Store
from workbench.store.people import (
    Person,
    begin_session,
    end_guests,
    end_session,
    keep,
    keep_token,
    people,
    person_of,
    token_of,
)
from workbench.store.queue import shown_ids
from workbench.store.samples import sample_ids
from workbench.store.tables import ROLES
from workbench.store.training import passed

__all__ = ["Person", "people"]

Deed = Literal[
    "review",
    "settle what others differ in",
    "settle disagreements",
    "import files",
    "remove samples",
    "copy the database",
    "export the names of annotators",
    "open the holdout",
    "propose for everybody",
    "choose the run",
    "say what may leave the machine",
    "change the policy",
    "change the match threshold",
    "keep a calibration",
    "make a plan",
    "assign samples",
    "list what others verified",
    "change who works here",
    "give people tokens",
]
"""What somebody may or may not do; the rest is reading, which everybody may."""

PERMITTED: dict[str, frozenset[Deed]] = {
    "annotator": frozenset({"review"}),
    "adjudicator": frozenset({"review", "settle what others differ in", "settle disagreements"}),
    "owner": frozenset(get_args(Deed)),
}
"""All that a role may do. An adjudicator is an annotator with that permission."""

HOURS = 12.0
"""How long a session lasts. It is stored as a hash, as a token is: 32 random bytes need no slow one."""


def check(store: Store, name: str, deed: Deed) -> None:
    """Raise UsageError for a person who may not do this; without people everybody may do everything."""
    if why := why_not(people(store), name, deed):
        raise UsageError(why)


def settles(store: Store, name: str) -> bool:
    """Whether a person may settle what others differ in."""
    return not why_not(people(store), name, "settle what others differ in")


def may_see(store: Store, info: DatasetInfo, viewer: str, kind: Kind, *, on_screen: bool = False) -> set[int]:
    """The samples of which a person may see what is verified of a kind: every list and report asks here.

    They decided or settled these, or a file brought their gold (`Reviews.decided`). At the command line an
    owner also sees all others but the blind ones; `on_screen` owners see no more than anybody. Who is in
    training sees none: their samples are among them.
    """
    if is_trained(store, info, viewer):
        return set()
    if on_screen or why_not(people(store), viewer, "list what others verified"):
        return shown_ids(store, info, viewer, kind)
    blind = blind_ids(store, info)
    return set(sample_ids(store, info.id).values()) - (blind and blind - shown_ids(store, info, viewer, kind))


HIDDEN = 3
"""Samples that a figure may not be without: with one or two hidden ones it shows what these are."""


def few_hidden(samples: Collection[int | str], seen: Collection[int | str]) -> bool:
    """Whether a figure of these samples would tell the values of some that its reader may not see.

    It is of fewer than ten samples, or the reader may see all but one or two.
    """
    hidden = sum(number not in seen for number in samples)
    return bool(hidden) and (len(samples) < FEWEST or hidden < HIDDEN)


def why_not(everybody: Sequence[Person], name: str, deed: Deed) -> str:
    """Why one of some people may not do this; empty for who may."""
    if name == RESOLVED:
        return f"{name} is not a person: it is whose the settled reviews are"
    if not everybody:
        return ""
    own = find(everybody, name)
    if own is None or own.disabled:
        why = "is disabled" if own else "is not among the people of this database"
        return f"{name} {why}: an owner adds people with workbench person add NAME"
    role = "adjudicator" if own.adjudicator and own.role == "annotator" else own.role
    if deed in PERMITTED[role]:
        return ""
    who = " and ".join(f"{title}s" for title, deeds in PERMITTED.items() if deed in deeds)
    return f"{name} is an {role} and may not {deed}: that is for {who}"


def follows(everybody: Sequence[Person], viewer: str, name: str) -> bool:
    """Whether one of some people may see how far another one is: for who assigns samples, and of oneself."""
    return viewer == name or not why_not(everybody, viewer, "assign samples")


def colleagues(store: Store, viewer: str) -> list[Person]:
    """The people whose roles a person may see: all for who may settle what others differ in, else oneself."""
    everybody = people(store)
    sees_all = not why_not(everybody, viewer, "settle what others differ in")
    return [person for person in everybody if sees_all or person.name == viewer]


def find(everybody: Sequence[Person], name: str) -> Person | None:
    """The person of a name."""
    return next((person for person in everybody if person.name == name), None)


def _known(store: Store, name: str) -> Person:
    if (own := find(people(store), name)) is None:
        raise NotFoundError(f"nobody is called {name!r} here: workbench person list")
    return own


@dataclass(frozen=True)
class Trainee:
    """How far a person is: the F1 of their units, and the share of equal verdicts of units that both have.

    `mark` is what both figures have to reach. `by`: who let them pass, themselves by what they decided; ""
    as long as they have not passed.
    """

    name: str
    decided: int
    samples: int
    mark: float
    f1: float | None
    verdicts: float | None
    by: str

    @property
    def reaches(self) -> bool:
        """Whether all is decided, and both figures are at the pass mark."""
        figures = [figure for figure in (self.f1, self.verdicts) if figure is not None]
        return bool(figures) and self.decided == self.samples and min(figures) >= self.mark


def needs_training(person: Person) -> bool:
    """Whether a person is to be trained where there is a training: owners and adjudicators are not."""
    return person.role == "annotator" and not person.adjudicator and not person.disabled


def is_trained(store: Store, info: DatasetInfo, annotator: str) -> bool:
    """Whether a person has training samples to decide before any other."""
    own = find(people(store), annotator)
    if info.training is None or own is None or not needs_training(own):
        return False
    return annotator not in passed(store, info.id)


def add_person(store: Store, by: str, person: Person) -> list[Person]:
    """Add a person, or change one; the first are you, as an owner, and that you stay. Raises UsageError."""
    if person.name == RESOLVED:
        raise UsageError(f"{person.name} is not a person: it is whose the settled reviews are")
    if person.role not in ROLES:
        raise UsageError(f"no role {person.role!r}; there is: {', '.join(ROLES)}")
    with store.writing():
        check(store, by, "change who works here")
        before = people(store)
        keep(store, person)
        everybody = people(store)
        own = find(everybody, by)
        if own is None or own.role != "owner" or own.disabled:
            first = f"workbench person add {quote(by)} --role owner"
            if person.role == "owner" and person.name != by:
                name = quote(person.name)
                first += f"; or, if that is you: workbench --as {name} person add {name} --role owner"
            raise UsageError(
                f"{'you must be an owner yourself' if before else 'name an owner first'}: {first}"
            )
        return everybody


def disable(store: Store, by: str, name: str) -> tuple[list[Person], int]:
    """Let a person do nothing any more; reviews stay, token and sessions end.

    Returns everybody, and how many places are free. Raises as `add_person`.
    """
    with store.writing():
        everybody = add_person(store, by, replace(_known(store, name), disabled=True))
        freed = release(store, name)
        keep_token(store, name, "")
        return everybody, freed


def new_token(store: Store, by: str, name: str) -> str:
    """A new token of a person, to be shown once; the one before ends, and so do their sessions.

    Raises NotFoundError, UsageError.
    """
    check(store, by, "give people tokens")
    _known(store, name)
    token = secrets.token_urlsafe()
    keep_token(store, name, sha256(token))
    return token


def can_log_in(store: Store) -> bool:
    """Whether anybody has a token."""
    return any(token_of(store, person.name) for person in people(store))


def let_in(store: Store, name: str) -> tuple[str, str]:
    """The guest of a server that starts: a name and a new token where nobody is named, else nothing.

    The guests of a server before are logged out: their token ended with it.
    """
    end_guests(store)
    return ("", "") if people(store) else (name, secrets.token_urlsafe())


def log_in(store: Store, name: str, token: str, guest: tuple[str, str]) -> str | None:
    """The secret of a new session; None for a wrong name or token.

    `guest`: the name and the token of the only one who may log in where nobody is named.
    """
    known = token_of(store, name)
    if not known and name == guest[0] and not people(store):
        known = sha256(guest[1])
    if not compare_digest(known or sha256(""), sha256(token)) or not known:
        return None
    secret, now = secrets.token_urlsafe(), time.time()
    begin_session(store, sha256(secret), name, now, now + HOURS * 3600)
    return secret


def log_out(store: Store, secret: str) -> None:
    """End a session."""
    end_session(store, sha256(secret))


def who(store: Store, /, secret: str) -> str | None:
    """Whose session it is; None for one that ended, and for a person who was disabled."""
    return person_of(store, sha256(secret), time.time())
