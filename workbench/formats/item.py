"""One sample as it leaves: what every writer of a format is given."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from workbench.formats.native_out import to_text
from workbench.model import GoldRecord, Kind, Label, Proposal, Record, Sample, Score, Span, Unit
from workbench.text.json_text import compact

OBJECT = "workbench"
"""The key under which the formats of other tools carry the native row."""


@dataclass(frozen=True, slots=True)
class Item:
    """One sample with all that is known of it.

    `records`: what each annotator said. `gold`: the units that stand, by kind; a kind without them is
    `todo`, `excluded` or `unresolved` in `states`, else `verified`. `automatic`: scores by scorer,
    `external`: numbers that came with a file. `pi`: the probability with which the plan drew it, None where
    it cannot be known; `position`: its place in the queue, from 1. `split` is empty without splits.
    `verdicts`: its lines of `verdicts.jsonl`, where they are asked for.
    """

    sample: Sample
    reference_hash: str
    content_hash: str
    proposal: Proposal | None = None
    records: tuple[GoldRecord, ...] = ()
    gold: Mapping[Kind, tuple[Unit, ...]] = field(default_factory=dict)
    states: Mapping[Kind, str] = field(default_factory=dict)
    automatic: Mapping[str, Score] = field(default_factory=dict)
    external: Mapping[str, str] = field(default_factory=dict)
    u: float = 0.0
    size: float = 1.0
    stratum: str = ""
    position: int = 0
    pi: float | None = None
    blind: bool = False
    holdout: bool = False
    off_plan: bool = False
    split: str = ""
    verdicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a writer may say of the dataset as a whole."""

    dataset: str
    labels: tuple[Label, ...]
    kinds: tuple[Kind, ...]
    columns: tuple[str, ...] = ()
    scorers: tuple[str, ...] = ()
    licence: str = ""
    annotators: int = 0
    splits: tuple[str, ...] = ()
    text: bool = True


@dataclass(slots=True)
class Wrote:
    """What a writer made of the samples: rows written, and rows or units left out by reason."""

    rows: int = 0
    left: Counter[str] = field(default_factory=Counter)


Writer = Callable[[Path, Iterable[Item], Surroundings], Wrote]


def record_of(item: Item) -> Record:
    """The native record of an item."""
    return Record(item.sample, item.proposal, item.records, item.external, item.u)


def row_text(item: Item, written: Iterable[tuple[Span, str]] | None = None) -> str:
    """The native row as JSON text, without the reference, which is the tool's own text.

    `written`: the spans and labels that went into the tool, where they are not those of all entities.
    """
    text = to_text(record_of(item), reference=False)
    if written is None:
        return text
    spans = compact([[span.start, span.end, label] for span, label in written])
    return f'{text[:-1]}, "written": {spans}}}'


def as_ascii(text: str) -> str:
    """A JSON text in ASCII, for readers that open files in the encoding of the system."""
    return text if text.isascii() else _WIDE.sub(lambda found: json.dumps(found[0])[1:-1], text)


_WIDE = re.compile("[^\x00-\x7f]+")


@contextmanager
def lines_into(path: Path) -> Iterator[Callable[[str], object]]:
    """Write UTF-8 lines that end in LF."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        yield file.write


@contextmanager
def list_into(path: Path, before: str = "", after: str = "") -> Iterator[Callable[[str], None]]:
    """Write a JSON list, an element a line, between two pieces of text."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"{before}[")
        first = True

        def add(element: str) -> None:
            nonlocal first
            file.write("\n" if first else ",\n")
            file.write(element)
            first = False

        yield add
        file.write(f"\n]{after}\n")


def entities_of(item: Item) -> tuple[Unit, ...]:
    """The standing entities; none where none stand."""
    return item.gold.get("entity", ())
