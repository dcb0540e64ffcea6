"""Names that a person gave: which column is which field, and which columns hold a recall."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.errors import RowError, UsageError
from workbench.formats.rows import excerpt, shown
from workbench.model import KINDS, Kind

REQUIRED = ("user_input", "reference", "retrieved_contexts")
FIELDS = (*REQUIRED, "response", "id", "group")
_INSIDE = ("data", "meta", "fields", "metadata")  # where annotation tools keep what belongs to a text


@dataclass(frozen=True, slots=True)
class Columns:
    """The field of each named column, in the order given, and the kind of each named score."""

    fields: Mapping[str, str] = field(default_factory=dict)
    external: Mapping[str, Kind] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.fields or self.external)


NO_COLUMNS = Columns()


def columns_of(fields: Iterable[str], external: Iterable[str]) -> Columns:
    """The columns of `reference=answer_gold` and `my_recall=entity`. Raises UsageError.

    Several columns may be contexts; every other field has one.
    """
    mapped: dict[str, str] = {}
    for one in fields:
        name, equals, column = one.partition("=")
        if not equals or not column or name not in FIELDS:
            known = ", ".join(FIELDS)
            raise UsageError(f"--map {excerpt(one)}: say FIELD=COLUMN, where FIELD is one of {known}")
        if column in mapped or (name != "retrieved_contexts" and name in mapped.values()):
            raise UsageError(
                f"--map {excerpt(one)}: {name if column not in mapped else column} is named twice"
            )
        mapped[column] = name
    kinds: dict[str, Kind] = {}
    for one in external:
        column, equals, kind = one.rpartition("=")
        found = [known for known in KINDS if known == kind]
        if not equals or not column or not found:
            raise UsageError(f"--external {excerpt(one)}: say COLUMN=entity or COLUMN=statement")
        kinds[column] = found[0]
    return Columns(mapped, kinds)


def absent(columns: Columns, names: Collection[str], place: str, *, whole: bool) -> list[str]:
    """The named columns that the first rows of a file lack. `whole`: its header, at `place`, says every one.

    Raises UsageError where one cannot be missing: in a header, or when it is all that a required field has.
    """
    lacking = [name for name in (*columns.fields, *columns.external) if names and name not in names]
    there = {field for name, field in columns.fields.items() if name in names}
    for name in lacking:
        field = columns.fields.get(name)
        if whole or (field in REQUIRED and field not in there):
            option = f"--map {field}={name}" if field else f"--external {name}={columns.external[name]}"
            known = excerpt(", ".join(names), 200)
            raise UsageError(f"{place}: {excerpt(option)}: no column {excerpt(name)}; there is: {known}")
    return lacking


def score_name(column: str, kind: Kind) -> str:
    """Under which name a score is kept whose kind was named: the kind stays with it."""
    return f"{column} ({kind})"


def renamed(row: dict[str, Any], columns: Columns, *, deep: bool = False) -> dict[str, Any]:
    """A row under the names of fields; a column that already has one of these names gets `_` behind it.

    With `deep` also the objects that annotation tools keep beside a text. Raises RowError for a context that
    is no text.
    """
    wanted = {name for column, name in columns.fields.items() if column in row and column != name}
    result: dict[str, Any] = {}
    for name, value in row.items():
        target = columns.fields.get(name)
        if target is not None and target != "retrieved_contexts":
            result[target] = value
        elif target is not None:
            result.setdefault(target, []).extend(_context(value, name))
        elif name in columns.external:
            result[score_name(name, columns.external[name])] = value
        elif deep and name in _INSIDE and type(value) is dict:
            result[name] = renamed(value, columns)
        else:
            result[f"{name}_" if name in wanted else name] = value
    return result


def _context(value: Any, name: str) -> list[Any]:
    if value is None:
        return []
    if type(value) is str:
        return [value]
    if type(value) is list:
        return value
    raise RowError(excerpt(name), shown(value), "a context, or a list of them")
