"""doccano JSON Lines: spans as [start, end, label], or as `entities` with relations; meta at the top."""

from __future__ import annotations

from functools import partial
from typing import Any

from workbench.formats import annotated
from workbench.formats.fields import as_list
from workbench.formats.objects import as_written
from workbench.formats.regions import Region, offset
from workbench.formats.rows import Notes, wrong
from workbench.model import Record

LISTS = ("label", "labels", "entities")
_TASK = frozenset({*LISTS, "Comments", "relations", "_error"})


def record_of(row: dict[str, Any], raw: str, notes: Notes) -> Record:
    """The record of a document. Raises RowError."""
    name = annotated.text_of(row, "text", ("text", "data"))
    regions: list[Region] = []
    given = False
    for key in LISTS:
        if (spans := row.get(key)) is not None:
            given = True
            regions += (_region(span, f"{key}[{i}]") for i, span in enumerate(as_list(spans, key)))
    other = {key: value for key, value in row.items() if key not in _TASK and key != name}
    if row.get("relations"):
        notes.counted["relations between spans: left out"] += 1
    if row.get("Comments"):
        other["Comments"] = row["Comments"]
    sets = [annotated.Marked(regions)] if given else []
    again = partial(_again, raw)
    return annotated.record("doccano", row.get(name), (other,), sets, again, notes)


def _region(span: Any, where: str) -> Region:
    if type(span) is list and len(span) == 3:
        start, end, label = span
    elif type(span) is dict:
        start, end, label = span.get("start_offset"), span.get("end_offset"), span.get("label")
    else:
        raise wrong(where, span, "[start, end, label], or an object with start_offset, end_offset and label")
    if type(label) is not str:
        raise wrong(f"{where}.label", label, "a string")
    return Region(offset(start, f"{where}.start"), offset(end, f"{where}.end"), label)


def _again(raw: str) -> dict[str, Any]:
    found: dict[str, Any] = as_written(raw)["workbench"]
    return found
