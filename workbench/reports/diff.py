"""What is printed about two versions of a dataset's gold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.text.figures import UNDEFINED, many, signed, table, value
from workbench.text.safe import clean, flat, name_of

if TYPE_CHECKING:
    from workbench.comparing.versions import GoldDiff, MeanChange, SampleChange

NAMES = {"verified_entity": "verified, names", "verified_statement": "verified, statements"}
UNITS = 8
"""Units of a sample that are listed."""


def diff_text(found: GoldDiff, limit: int) -> str:
    """How the means moved, who changed what, and the first of the changed samples."""
    lines = [f"{found.dataset}: {found.first} → {found.second} · {many(found.both, 'sample')} in both"]
    for ids, what in ((found.gone, "gone"), (found.new, "new"), (found.texts, "with another text")):
        if ids:
            more = ", …" if len(ids) > 3 else ""
            lines.append(f"{many(len(ids), 'sample')} {what}: {', '.join(map(flat, ids[:3]))}{more}")
    moved = [*found.verified, *found.columns]
    if moved:
        lines += ["", *table(["mean", "before", "after", "of samples in both"], [*map(_mean, moved)])]
    lines.append("")
    if not found.changes:
        return clean("\n".join([*lines, "no verified unit changed"]))
    by = ", ".join(f"{name} {number:,}" for name, number in found.by.items())
    number = len({change.id for change in found.changes})
    lines.append(f"{many(number, 'sample')} changed; by annotator: {by}")
    lines += [line for change in found.changes[:limit] for line in _sample(change)]
    if len(found.changes) > limit:
        lines.append(f"… and {len(found.changes) - limit:,} more: --limit")
    return clean("\n".join(lines))


def _mean(one: MeanChange) -> list[str]:
    old, new = one.both
    sides = [
        f"{value(side.value)}  n {side.n:,}" if side.n else UNDEFINED for side in (one.before, one.after)
    ]
    moved = ""
    if old.value is not None and new.value is not None:
        moved = f"{value(old.value)} → {value(new.value)}  {signed(new.value - old.value, 2)}  n {old.n:,}"
    return [NAMES.get(one.name, one.name), *sides, moved]


def _sample(one: SampleChange) -> Iterator[str]:
    kind = "" if one.kind == "entity" else " (statements)"
    moved = f"{value(one.before)} → {value(one.after)}  {one.what}{kind}"
    yield f"  {flat(name_of(one.id, one.question))}  {moved} by {', '.join(map(flat, one.by))}"
    for unit in one.units[:UNITS]:
        said = f"{unit.before} → {unit.after}" if unit.before and unit.after else f"new, {unit.after}"
        yield f"    {flat(unit.text)}: {said if unit.after else 'taken out'}"
    if len(one.units) > UNITS:
        yield f"    and {len(one.units) - UNITS:,} more"
