"""What every writer of a format gets, one sample at a time, and the native row of a sample as text."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import Any, NamedTuple

from workbench.formats.columns import JSON_NUMBER
from workbench.formats.json_lines import Fractional
from workbench.model import GoldRecord, JsonObject, Kind, Label, Proposal, Record, Sample, Score, Unit
from workbench.reviewing.documents import proposal_document, unit_document
from workbench.reviewing.fold import Place, disputed_labels, place_of
from workbench.text.lists import compact, object_text

SPLITS = ("calibration", "holdout")


@dataclass(frozen=True, slots=True)
class ExportItem:
    """One sample with all that is known of it.

    `records`: what each annotator said. `gold`: the units that stand, by kind; a kind without them is
    `todo`, `excluded` or `unresolved` in `states`, else `verified`. `automatic`: scores by scorer,
    `external`: numbers that came with a file. `pi`: the probability with which the plan drew it, None where
    it cannot be known. `split` is empty without splits.
    `verdicts`: its lines of `verdicts.jsonl`, where they are asked for.
    """

    sample: Sample
    proposal: Proposal | None = None
    records: tuple[GoldRecord, ...] = ()
    gold: Mapping[Kind, tuple[Unit, ...]] = field(default_factory=dict)
    states: Mapping[Kind, str] = field(default_factory=dict)
    automatic: Mapping[str, Score] = field(default_factory=dict)
    external: Mapping[str, str] = field(default_factory=dict)
    u: float = 0.0
    size: float = 1.0
    stratum: str = ""
    pi: float | None = None
    blind: bool = False
    holdout: bool = False
    off_plan: bool = False
    split: str = ""
    verdicts: tuple[str, ...] = ()


class Surroundings(NamedTuple):
    """What a writer may say of the dataset as a whole."""

    dataset: str
    labels: tuple[Label, ...]
    columns: tuple[str, ...] = ()
    licence: str = ""
    text: bool = True


@dataclass(slots=True)
class Writing:
    """What a writer gets and makes of it: samples; rows written, and rows or units left out by reason.

    `seen`: how many samples came, with gold and with a proposal.
    """

    about: Surroundings
    items: Iterable[ExportItem] = ()
    rows: int = 0
    left: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)

    def each(self, why: Callable[[ExportItem], str] = lambda _: "") -> Iterator[ExportItem]:
        """The items that are written, a row each; those with a reason against it are left out."""
        for item in self.items:
            gold = any(record.units for record in item.records)
            self.seen.update(samples=1, gold=int(gold), proposals=int(item.proposal is not None))
            if reason := why(item):
                self.left[reason] += 1
            else:
                yield item
                self.rows += 1


SAMPLES = "samples.jsonl"
VERDICTS = "verdicts.jsonl"


def write_native(folder: Path, out: Writing) -> None:
    """Write the native rows, and what is known of every unit of either side."""
    with lines_into(folder / SAMPLES) as line, lines_into(folder / VERDICTS) as verdict:
        for item in out.each():
            line(to_line(record_of(item)))
            for row in item.verdicts:
                verdict(row)


def record_of(item: ExportItem) -> Record:
    """The native record of an item."""
    return Record(
        item.sample, () if item.proposal is None else (item.proposal,), item.records, item.external, item.u
    )


def row_text(item: ExportItem, written: Sequence[tuple[int, int, str]] | None = None) -> str:
    """The native row as JSON text, without the reference, which is the tool's own text.

    `written`: start, end and label of what went into the tool, where that is not all entities.
    """
    text = to_text(record_of(item), reference=False)
    return text if written is None else f'{text[:-1]}, "written": {compact(written)}}}'


def as_ascii(text: str) -> str:
    """A JSON text in ASCII, for readers that open files in the encoding of the system."""
    return text if text.isascii() else _WIDE.sub(lambda match: json.dumps(match[0])[1:-1], text)


_WIDE = re.compile("[^\x00-\x7f]+")


@contextmanager
def lines_into(path: Path) -> Iterator[Callable[[str], object]]:
    """Write UTF-8 lines that end in LF."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        yield file.write


@contextmanager
def list_into(path: Path, before: str = "", after: str = "") -> Iterator[Callable[[str], object]]:
    """Write a JSON list, an element a line, between two pieces of text."""
    with lines_into(path) as write:
        between = chain(["\n"], repeat(",\n"))
        write(f"{before}[")
        yield lambda element: write(next(between) + element)
        write(f"\n]{after}\n")


def no_entities(item: ExportItem) -> str:
    """Why the entities of an item do not stand; empty where they do."""
    if "entity" in item.gold:
        return ""
    state = item.states.get("entity", "todo")
    return f"with entities {'not reviewed' if state == 'todo' else state}"


def entities_of(item: ExportItem) -> tuple[Unit, ...]:
    """The standing entities; none where none stand."""
    return item.gold.get("entity", ())


def to_line(record: Record) -> str:
    """One line of native JSON, with its newline; reading it back gives an equal record.

    Keys stand in a fixed order, those of `meta` sorted; what is absent is left out. Gold keeps the units
    that count: rejected ones and duplicates are not part of a gold set, and an undecided verdict is
    written as `unsure`, which counts the same.
    """
    return to_text(record) + "\n"


def to_text(record: Record, *, reference: bool = True) -> str:
    """The same as one JSON object, also without the reference."""
    sample = record.sample
    disputed: set[Place] = set()
    if len(record.gold) > 1 and not any(gold.marks.adjudicated for gold in record.gold):
        disputed = disputed_labels(gold.entities or () for gold in record.gold)
    pairs: JsonObject = {
        "id": sample.id,
        "user_input": sample.user_input,
        "reference": sample.reference if reference else None,
        "response": sample.response,
        "retrieved_contexts": sample.retrieved_contexts,
        "meta": _sorted(sample.meta) or None,
        "group": sample.group,
        "alternatives": sample.alternatives or None,
        "proposal": _one_or_all([*map(proposal_document, record.proposals)]),
        "gold": _one_or_all([_gold_document(gold, disputed) for gold in record.gold]),
    }
    texts = [(key, compact(value)) for key, value in pairs.items() if value is not None]
    if record.scores:  # their digits stay as they came
        numbers = (
            f"{compact(name)}: {digits if JSON_NUMBER.fullmatch(digits) else repr(Fractional(digits))}"
            for name, digits in sorted(record.scores.items())
        )
        texts.append(("scores", f"{{{', '.join(numbers)}}}"))
    if record.u is not None:
        texts.append(("u", compact(record.u)))
    return object_text(texts)


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(inner) for inner in value] if isinstance(value, list | tuple) else value


def _one_or_all(documents: list[JsonObject]) -> Any:
    return documents[0] if len(documents) == 1 else documents or None


def _gold_document(gold: GoldRecord, disputed: Collection[Place]) -> JsonObject:
    document: JsonObject = {"annotator": gold.annotator}
    number = 0
    for name, kind in (("entities", gold.entities), ("statements", gold.statements)):
        if kind is None:
            continue
        document[name] = []
        for unit in kind:
            if unit.counted:
                number += 1
                known: JsonObject = {"verdict": "unsure", "evidence": []} | unit_document(unit)
                if known["id"] == f"g{number}":
                    del known["id"]
                if place_of(unit) in disputed:
                    known["label_disputed"] = True
                if not unit.spans:
                    known["spans"] = []
                document[name].append({key: known[key] for key in _KEYS if key in known})
    if gold.effort is not None:
        document["effort"] = {"seconds": gold.effort.seconds, "presses": gold.effort.presses}
    marks = gold.marks
    fields = {
        "disposition": dict(marks.dispositions),
        "reason": dict(marks.reasons),
        "flag": marks.flag,
        "comments": list(marks.comments),
        "shown": marks.shown,
        "off_plan": marks.off_plan,
        "adjudicated": marks.adjudicated,
        "by": gold.by,
    }
    return document | {key: value for key, value in fields.items() if value}  # what is not said is left out


_KEYS = (
    "id", "text", "label", "label_disputed", "original_label", "start", "end", "spans", "verdict", "reason",
    "evidence", "alias", "nested", "note",
)  # fmt: skip
"""What a native row has of a unit, in order."""


DEFAULT_LABEL = "other"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def label_out(name: str) -> str:
    """A label as tools for spans have it: never empty, and with U+FFFD for what their XML cannot hold."""
    return _NOT_XML.sub("\ufffd", name) or DEFAULT_LABEL
