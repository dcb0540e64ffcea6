"""What a person can do to a sample, as data.

Every edit is one row of the journal. A `Put` carries the changed units whole, so a journal can be
read without the program that wrote it, and folding it needs no rule of any matcher.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from workbench.model import PLURAL, Assessment, Disposition, Kind, Unit
from workbench.text.safe import cut, flat, whole

IMPORT_ACTION = "import:"
"""Prefix of the actions of an import: no act of a person, and a barrier that undo does not pass."""

SPREAD = "all:"
"""Prefix of the acts that decide the same in the whole dataset: undo leads to none of its samples."""

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


LONGEST, OF_TWO = 30, 24
"""Characters of a unit's wording in the line that says what was done (80 columns), and of each of two."""


def short_name(unit: Unit, longest: int = LONGEST) -> str:
    """The wording of a unit for that line."""
    return cut(flat(unit.text), longest)


def told(edit: Edit) -> str:
    """What an edit did, in the words in which it was said when it was made."""
    match edit:
        case Put():
            return _told_of_unit(edit)
        case Accept():
            done = "settled what people differ in:" if edit.adjudicated else "accepted the"
            return f"{done} {PLURAL[edit.assessment.kind]}"
        case Dispose():
            disposition = "not counted" if edit.disposition == "excluded" else edit.disposition
            return f"{disposition}: {edit.reason}" if edit.reason else disposition
        case Flag():
            return f"flagged: {edit.reason}" if edit.reason else "flag taken off"
        case _:
            assert isinstance(edit, Comment)  # the others are no acts of a person
            return f"comment: {cut(flat(edit.text), LONGEST)}"


def _told_of_unit(edit: Put) -> str:
    unit = edit.units[0]
    text = short_name(unit)
    match edit.what:
        case "relabel":
            return f"{text} is now {unit.label}"
        case "boundary":
            return f"moved an edge: {text}"
        case "match":
            if unit.match.alias:
                return f"{text} has another name"
            why = f": {unit.match.reason}" if unit.match.reason not in (None, "absent") else ""
            if unit.match.verdict == "found":
                places = unit.match.evidence
                why = f" in context {places[0].context + 1}" if places else " without evidence"
            return f"{text} is {unit.match.verdict or 'open'}{why}"
        case "merge":
            return f"merged {short_name(edit.units[1], OF_TWO)} into {short_name(unit, OF_TWO)}"
        case "split":
            return f"split into {short_name(unit, OF_TWO)} and {short_name(edit.units[-1], OF_TWO)}"
        case "add":
            return f"added {text}"
        case "reject":
            return f"rejected {text}"
        case "restore":
            return f"restored {text}"
        case "take":
            more = f" and {len(edit.units) - 1} more" if len(edit.units) > 1 else ""
            has = "no unit" if unit.rejected else ", ".join(filter(None, (unit.match.verdict, unit.label)))
            return f"settled {text}{more or f' as {has}'}"
