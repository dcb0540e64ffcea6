"""What a person can do to a sample, as data.

Every edit is one row of the journal. A `Put` carries the changed units whole, so a journal can be
read without the program that wrote it, and folding it needs no rule of any matcher.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from workbench.model import Assessment, Disposition, Kind, Unit
from workbench.text.safe import whole

IMPORT_ACTION = "import:"
"""Prefix of the actions of an import: no act of a person, and a barrier that undo does not pass."""

Shown = Literal["assisted", "blind", "import"]
What = Literal["add", "reject", "restore", "relabel", "boundary", "match", "merge", "split", "take"]
PUTS: tuple[What, ...] = get_args(What)


@dataclass(frozen=True, slots=True)
class Open:
    """The first row of every review: what the person was shown before the first edit.

    `proposal` is the stored proposal's number, None when there was none; `matcher`, `threshold` and
    `policy` say how the pre-filled matches came about; `rematch` marks a sample that opened with
    units already verified for the same reference; `off_plan` one that was chosen by hand or by its scores,
    so that it cannot stand for the whole dataset, None while only an edit of many samples touched it and
    the person has not seen it. `named`: who settles what others differ in saw their names.
    """

    proposal: int | None
    matcher: str
    threshold: int
    policy: int
    shown: Shown
    auto_shown: bool
    assessments: tuple[Assessment, ...]
    rematch: bool = False
    off_plan: bool | None = False
    named: bool = False


@dataclass(frozen=True, slots=True)
class Put:
    """Units that are new or changed, each whole; a unit replaces the one with its id."""

    what: What
    kind: Kind
    units: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Accept:
    """The kind is verified; `assessment` is the full one, as it stood on screen.

    `fast`: accepted under one second after the sample was painted. `policy`: the version in force, 0 for
    the one of the opening row. `adjudicated`: it settles what others differ in.
    """

    assessment: Assessment
    fast: bool = False
    policy: int = 0
    adjudicated: bool = False


@dataclass(frozen=True, slots=True)
class Dispose:
    """Skip the sample for now, or exclude it for a reason.

    `replaced`: the hash of the text that an import replaced, where it wrote this.
    """

    disposition: Disposition
    kinds: tuple[Kind, ...]
    reason: str = ""
    replaced: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", whole(self.reason))


@dataclass(frozen=True, slots=True)
class Flag:
    """Mark the sample for somebody's attention; an empty reason takes the mark off."""

    reason: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", whole(self.reason))


@dataclass(frozen=True, slots=True)
class Comment:
    """A free note."""

    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", whole(self.text))


@dataclass(frozen=True, slots=True)
class Undo:
    """The rows of `action` no longer count."""

    action: str


@dataclass(frozen=True, slots=True)
class Redo:
    """The rows of `action` count again."""

    action: str


Edit = Open | Put | Accept | Dispose | Flag | Comment | Undo | Redo


Named = tuple[str, Edit]
"""A row of a journal: an action and an edit. Rows that share an action were one act of the person."""
