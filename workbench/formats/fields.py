"""The fields of one object inside `gold` or `proposal`, each checked where it is taken.

`where` is the path of the object, so that an error names its field: `gold.entities[3].verdict`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from workbench.formats.rows import Notes, missing, wrong

_T = TypeVar("_T")


def offsets(item: dict[str, Any], where: str) -> tuple[int | None, int | None] | None:
    """`start` and `end` as given, not yet checked; None when neither is. Raises RowError."""
    start, end = item.get("start"), item.get("end")
    if start is None and end is None:
        return None
    for name, value in (("start", start), ("end", end)):
        if value is not None and type(value) is not int:
            raise wrong(f"{where}.{name}", value, "an offset in characters")
    return start, end


def required(item: dict[str, Any], key: str, where: str) -> str:
    """A string that says something. Raises RowError."""
    value = item.get(key)
    if value is None:
        raise missing(f"{where}.{key}", "a string")
    if type(value) is not str or not value.strip():
        raise wrong(f"{where}.{key}", value, "a string that is not empty")
    return value


def optional(item: dict[str, Any], key: str, where: str) -> str | None:
    """A string; None when there is none. Raises RowError."""
    value = item.get(key)
    if value is None or type(value) is str:
        return value
    raise wrong(f"{where}.{key}", value, "a string")


def flag(item: dict[str, Any], key: str, where: str) -> bool:
    """True or false, false when absent. Raises RowError."""
    value = item.get(key)
    if value is None or type(value) is bool:
        return bool(value)
    raise wrong(f"{where}.{key}", value, "true or false")


def one_of(value: Any, known: Mapping[str, _T], where: str) -> _T:
    """What a word stands for. Raises RowError for a word that is not known."""
    if type(value) is str and value in known:
        return known[value]
    raise wrong(where, value, " or ".join(dict.fromkeys(str(name) for name in known.values())))


def list_of(item: dict[str, Any], key: str, where: str) -> list[Any] | None:
    """A list; None when there is none. Raises RowError."""
    value = item.get(key)
    return None if value is None else as_list(value, f"{where}.{key}")


def as_list(value: Any, where: str) -> list[Any]:
    """The value, which has to be a list. Raises RowError."""
    if type(value) is list:
        return value
    raise wrong(where, value, "a list")


def ignore(item: dict[str, Any], known: frozenset[str], where: str, notes: Notes) -> None:
    """Count keys that have no place, under their path without the numbers of list items."""
    path = ".".join(part.partition("[")[0] for part in where.split("."))
    for key in item:
        if key not in known:
            notes.ignored[f"{path}.{key}"] += 1
