"""What a review says besides its units, as keys of an object of `gold`."""

from __future__ import annotations

from typing import Any, Literal

from workbench.errors import RowError
from workbench.formats.fields import flag, list_of, one_of, optional
from workbench.formats.rows import shown, wrong
from workbench.model import KINDS, Disposition, Kind, Marks

MARKS = frozenset({"disposition", "reason", "flag", "comments", "shown", "off_plan", "adjudicated"})

_KINDS: dict[str, Kind] = {kind: kind for kind in KINDS}
_DISPOSITIONS: dict[str, Disposition] = {"excluded": "excluded", "skipped": "skipped"}
_SHOWN: dict[str, Literal["assisted", "blind"]] = {"assisted": "assisted", "blind": "blind"}


def marks(value: dict[str, Any], where: str) -> Marks:
    """The marks of an object of `gold`. Raises RowError.

    A kind whose units stand there is verified: it cannot be excluded or skipped too.
    """
    dispositions = {
        kind: one_of(said, _DISPOSITIONS, f"{where}.disposition.{kind}")
        for kind, said in _by_kind(value, "disposition", where).items()
    }
    for kind, name in (("entity", "entities"), ("statement", "statements")):
        if kind in dispositions and value.get(name) is not None:
            got = f"{dispositions[_KINDS[kind]]} beside {name}"
            raise RowError(f"{where}.disposition.{kind}", got, "one of the two")
    reasons = {}
    for kind, said in _by_kind(value, "reason", where).items():
        if type(said) is not str:
            raise wrong(f"{where}.reason.{kind}", said, "a string")
        reasons[kind] = said
    comments = list_of(value, "comments", where) or []
    for index, text in enumerate(comments):
        if type(text) is not str:
            raise wrong(f"{where}.comments[{index}]", text, "a string")
    given = value.get("shown")
    return Marks(
        dispositions=dispositions,
        reasons=reasons,
        flag=optional(value, "flag", where) or "",
        comments=tuple(comments),
        shown="" if given is None else one_of(given, _SHOWN, f"{where}.shown"),
        off_plan=flag(value, "off_plan", where),
        adjudicated=flag(value, "adjudicated", where),
    )


def _by_kind(value: dict[str, Any], key: str, where: str) -> dict[Kind, Any]:
    given = value.get(key)
    if given is None:
        return {}
    if type(given) is not dict:
        raise wrong(f"{where}.{key}", given, "an object with entity or statement")
    for kind in given:
        if kind not in _KINDS:
            raise RowError(f"{where}.{key}", shown(kind), "entity or statement")
    return {_KINDS[kind]: said for kind, said in given.items()}
