"""The native row that our exports leave in the files of other tools, as an object named `workbench`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from workbench.errors import RowError
from workbench.formats import native
from workbench.formats.objects import as_written, parse
from workbench.formats.rows import Notes, wrong
from workbench.model import Record

OBJECT = "workbench"

Again = Callable[[], Mapping[str, Any]]


def record(given: Any, text: str | None, again: Again, notes: Notes) -> tuple[Record, set[tuple[Any, ...]]]:
    """The record of a `workbench` object, or of its JSON text, and the spans that were written for it.

    `text` is the tool's own, the reference; `again` gives the object with its fractions as text. Raises
    RowError for an object that is no native row, or whose texts are others.
    """
    if type(given) is str:
        again = partial(as_written, given)
        given = parse(given)
    if type(given) is not dict:
        raise wrong(OBJECT, given, "a native row")
    row = {key: value for key, value in given.items() if key != "written"}
    kept = row.get("reference")
    if text is not None and kept is not None and kept != text:
        raise RowError(f"{OBJECT}.reference", "another text than the row has", "the text as it was exported")
    row["reference"] = text if text is not None else kept
    scores = native.scores_of(row, again, notes) if "scores" in row else {}
    other = {key: value for key, value in row.items() if key not in native.KEYS}
    found = native.build(row, notes, scores, other)
    return found, _written(given.get("written"), found)


def _written(given: Any, found: Record) -> set[tuple[Any, ...]]:
    if given is None:
        return {
            (span.start, span.end, unit.label)
            for gold in found.gold
            for unit in gold.entities or ()
            for span in unit.spans
        }
    if type(given) is not list or not all(type(one) is list and len(one) == 3 for one in given):
        raise wrong(f"{OBJECT}.written", given, "a list of [start, end, label]")
    try:
        return {tuple(one) for one in given}
    except TypeError:
        span = next(one for one in given if any(type(part) in (list, dict) for part in one))
        raise wrong(f"{OBJECT}.written", span, "[start, end, label]") from None
