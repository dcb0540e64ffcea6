"""What of purged samples stands outside of their own rows: the names of their groups and strata.

A calibration and a run name the groups whose gold they saw, a stratified plan the values of a field. A name
that another sample of the dataset still has stays: it is that one's text too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, Protocol

Document = dict[str, Any]
GONE = "purged-"
"""What a stratum without samples is called, with a number behind."""


class Execute(Protocol):
    """Run a statement with its values by name."""

    def __call__(self, sql: str, **values: Any) -> Iterable[Any]: ...


def forget_names(execute: Execute, dataset_id: int) -> None:
    """Take the names that no sample has any more out of a dataset's calibrations, runs and plan."""
    groups = _values(execute, "group_key", dataset_id)

    def calibration(document: Document) -> bool:
        return _forget_groups(document.get("gold", {}).get("samples", []), groups)

    def run(parameters: Document) -> bool:
        return _forget_groups(parameters.get("examples", []), groups)

    _rewrite(execute, "calibration", "document", dataset_id, calibration)
    _rewrite(execute, "run", "parameters", dataset_id, run)
    strata = _values(execute, "stratum", dataset_id)
    _rewrite(execute, "plan", "parameters", dataset_id, lambda one: _forget_strata(one, strata))


def _values(execute: Execute, column: str, dataset_id: int) -> set[str | None]:
    sql = f"SELECT DISTINCT {column} FROM sample WHERE dataset_id = :dataset"  # noqa: S608 - a word of ours
    return {row[0] for row in execute(sql, dataset=dataset_id)}


def _forget_groups(seen: list[Document], groups: Collection[str | None]) -> bool:
    gone = [one for one in seen if one.get("group") is not None and one["group"] not in groups]
    for one in gone:
        one["group"] = None
    return bool(gone)


def _forget_strata(parameters: Document, strata: Collection[str | None]) -> bool:
    stored = parameters.get("strata", {})
    known = [int(said[1]) for name in stored if (said := re.fullmatch(f"{GONE}([0-9]+)", name))]
    number = max(known, default=0)
    named: Document = {}
    for name, counts in stored.items():
        if name and name not in strata and not re.fullmatch(f"{GONE}[0-9]+", name):
            number += 1
            name = f"{GONE}{number}"
        named[name] = counts
    if named.keys() == stored.keys():
        return False
    parameters["strata"] = named
    return True


def _rewrite(
    execute: Execute, table: str, column: str, dataset_id: int, change: Callable[[Document], bool]
) -> None:
    select = f"SELECT id, {column} FROM {table} WHERE dataset_id = :dataset"  # noqa: S608 - words of ours
    update = f"UPDATE {table} SET {column} = :document WHERE id = :id"  # noqa: S608
    for number, stored in list(execute(select, dataset=dataset_id)):
        document = json.loads(stored) if isinstance(stored, str) else stored
        if change(document):
            execute(update, id=number, document=json.dumps(document, ensure_ascii=False))
