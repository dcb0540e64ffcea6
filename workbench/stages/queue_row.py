"""A line of the queue, and the lines it shows first. Nothing here loads the library of the tables."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from workbench.model import Disposition, Imported, Tally
from workbench.store.glance import glance


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the queue. `automatic` is None while there is none or while it is hidden.

    `scorer` is the column of the file where it has one: then `automatic` is a number of that column.
    """

    sample_id: int
    key: str
    disposition: Disposition
    flag: str
    blind: bool
    rematch: bool
    reference: str
    scorer: str
    automatic: Tally | Imported | None
    verified: Tally | None
    delta: Fraction | None
    annotators: tuple[str, ...]
    stale: bool = False
    off_plan: bool = False
    question: str = ""


@dataclass(frozen=True, slots=True)
class First:
    """What a queue shows first: the next sample to decide, those around it and their rows."""

    at: int | None
    ids: array[int]
    rows: dict[int, QueueRow]


def at_a_glance(
    path: Path, dataset: str | None, annotator: str, before: int, after: int
) -> tuple[str, First] | None:
    """The dataset's name and its first rows without values, a moment before a store can be opened.

    None where only the store can say what there is.
    """
    seen = glance(path, dataset, annotator, before, after)
    if seen is None:
        return None
    rows = {
        row.sample_id: QueueRow(
            sample_id=row.sample_id,
            key=row.key,
            disposition=row.disposition,
            flag=row.flag,
            blind=row.blind,
            rematch=False,
            reference=row.reference,
            scorer="",
            automatic=None,
            verified=None,
            delta=None,
            annotators=(),
            stale=row.stale,
            off_plan=row.off_plan,
            question=row.question,
        )
        for row in seen.rows
    }
    return seen.name, First(seen.at, array("q", rows), rows)
