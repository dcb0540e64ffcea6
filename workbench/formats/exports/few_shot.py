"""Few-shot examples: verified samples for a prompt, one a line; never from the holdout or the blind arm."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workbench.formats.exports.item import ExportItem, Surroundings, Wrote, lines_into
from workbench.model import Unit
from workbench.text.lists import compact

FILE = "examples.jsonl"


def write(folder: Path, items: Iterable[ExportItem], about: Surroundings) -> Wrote:
    """Write one sample of every group and reference that may be shown, with its verified units."""
    wrote = Wrote()
    taken: set[tuple[str, str]] = set()
    with lines_into(folder / FILE) as line:
        for item in items:
            why = _kept_out(item, taken)
            if why:
                wrote.left[why] += 1
                continue
            line(compact(_example(item)) + "\n")
            wrote.rows += 1
    return wrote


def _kept_out(item: ExportItem, taken: set[tuple[str, str]]) -> str:
    """Why a sample is no example; empty when it is one, and then its group and reference are taken."""
    sample = item.sample
    if item.holdout:
        return "holdout"
    if item.blind:
        return "blind arm"
    if not item.gold or "excluded" in item.states.values():
        return "nothing verified stands"
    if not sample.reference.strip():
        return "blank reference"
    marks = {("reference", sample.reference_hash)}
    if sample.group is not None:
        marks.add(("group", sample.group))
    if marks & taken:
        return "its group or reference has an example already"
    taken |= marks
    return ""


def _example(item: ExportItem) -> dict[str, Any]:
    sample = item.sample
    value: dict[str, Any] = {
        "id": sample.id,
        "group": sample.group,
        "reference_hash": sample.reference_hash,
        "user_input": sample.user_input,
        "reference": sample.reference,
        "retrieved_contexts": list(sample.retrieved_contexts),
    }
    if "entity" in item.gold:
        value["entities"] = [_unit(unit) for unit in item.gold["entity"]]
    if "statement" in item.gold:
        value["statements"] = [_unit(unit) for unit in item.gold["statement"]]
    return value


def _unit(unit: Unit) -> dict[str, Any]:
    value: dict[str, Any] = {"text": unit.text}
    if unit.label:
        value["label"] = unit.label
    value["verdict"] = unit.match.verdict or "unsure"
    if unit.match.reason:
        value["reason"] = unit.match.reason
    return value
