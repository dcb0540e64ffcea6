"""Flat tables, one row a sample: CSV for R, pandas and spreadsheets, and Parquet as a Hugging Face dataset.

In CSV, text cells are quoted. One that a spreadsheet would run as a formula gets an apostrophe in front, and
so does one that begins with an apostrophe: taking away exactly one apostrophe from every text cell that
begins with one gives the original. Numbers are not quoted, an absent value is an empty cell, lists and
objects are JSON. `units.csv` has one row a unit.

In Parquet, gold is in parallel lists; what is nested or of mixed types is one JSON string, so that every row
has the same columns and no date becomes a timestamp.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import chain, islice
from pathlib import Path
from typing import Any

from workbench.formats.exports.item import ExportItem, Surroundings, Writing, lines_into, row_text
from workbench.formats.parquet import load_pyarrow
from workbench.formats.rows import OBJECT
from workbench.model import KINDS, JsonObject, Kind, Sample, Unit, count
from workbench.scoring.names import SCORERS
from workbench.text.lists import compact

SAMPLES = "samples.csv"
UNITS = "units.csv"

# What Excel, LibreOffice and Google Sheets take for a formula, also in full width, and what they skip
# before one. The apostrophe stands for itself.
_FORMULA = frozenset("=+-@\t\r\n＝＋－＠'")

Cell = str | int | float | bool | None

_sorted = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True).encode
"""An object as native rows write it: an import of those gives the same cell."""


def neutral(text: str) -> str:
    """A text that no spreadsheet runs; `original` gives it back."""
    return f"'{text}" if text[:1] in _FORMULA and text else text


def original(cell: str) -> str:
    """The text of a cell that `neutral` made."""
    return cell[1:] if cell.startswith("'") else cell


def write_csv(folder: Path, out: Writing) -> None:
    """Write `samples.csv` and `units.csv`."""
    about = out.about
    with lines_into(folder / SAMPLES) as sample_row, lines_into(folder / UNITS) as unit_row:
        sample_row(_csv_line(sample_head(about)))
        unit_row(_csv_line(_unit_columns(_NO_ITEM, "", _NO_UNIT, about)))
        for item in out.each():
            sample_row(_csv_line(_sample_columns(item, about).values()))
            for record in item.records:
                for unit in chain.from_iterable(record.units.values()):
                    unit_row(_csv_line(_unit_columns(item, record.named, unit, about).values()))


def _csv_line(cells: Iterable[Cell]) -> str:
    return ",".join(map(_cell, cells)) + "\n"


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return '"' + neutral(value).replace('"', '""') + '"'
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


_NO_ITEM = ExportItem(Sample("", "", "", ()))
_NO_UNIT = Unit("", "entity", "")


def sample_head(about: Surroundings) -> list[str]:
    """The columns of `samples.csv`."""
    return list(_sample_columns(_NO_ITEM, about))


def _sample_columns(item: ExportItem, about: Surroundings) -> dict[str, Cell]:
    sample = item.sample
    row: dict[str, Cell] = {
        "id": sample.id,
        "group": sample.group,
        "split": item.split or None,
        "reference_hash": sample.reference_hash,
        "content_hash": sample.content_hash,
    }
    if about.text:
        row |= {name: getattr(sample, name) for name in ("user_input", "reference", "response")}
        row["retrieved_contexts"] = compact(list(sample.retrieved_contexts))
        row["alternatives"] = compact(list(sample.alternatives)) if sample.alternatives else None
        row["meta"] = _sorted(dict(sample.meta)) if sample.meta else None
    row["contexts"] = len(sample.retrieved_contexts)
    for kind in KINDS:
        row |= _verified(item, kind)
    for name in SCORERS:
        score = item.automatic.get(name)
        tally = score and score.tally
        for part in ("found", "missing", "unsure"):
            row[f"{name}_{part}"] = getattr(tally, part) if tally else None
        row[f"{name}_value"] = score.value if score and tally else None
    for name in about.columns:
        digits = item.external.get(name)
        row[f"external.{name}"] = None if digits is None else float(digits)
    row |= {"u": item.u, "size": item.size, "stratum": item.stratum or None, "pi": item.pi}
    row |= {name: getattr(item, name) for name in ("blind", "holdout", "off_plan")}
    row["annotators"] = " ".join(record.named for record in item.records) or None
    return row | ({OBJECT: row_text(item)} if about.text else {})


def _verified(item: ExportItem, kind: Kind) -> dict[str, Cell]:
    units = item.gold.get(kind)
    tally = None if units is None else count(units)
    interval = tally.interval if tally else None
    low, high = map(float, interval) if interval else (None, None)
    row: dict[str, Cell] = {f"{kind}_state": item.states.get(kind, "todo")}
    row |= {f"{kind}_{name}": getattr(tally, name, None) for name in ("found", "missing", "unsure")}
    return row | {f"{kind}_recall": low, f"{kind}_recall_low": low, f"{kind}_recall_high": high}


def _unit_columns(item: ExportItem, annotator: str, unit: Unit, about: Surroundings) -> dict[str, Cell]:
    match, spans, evidence = unit.match, unit.spans, unit.match.evidence
    first = evidence[0] if evidence else None
    start, end = unit.ends
    row: dict[str, Cell] = {
        "id": item.sample.id,
        "group": item.sample.group,
        "split": item.split or None,
        "annotator": annotator,
        "standing": unit in item.gold.get(unit.kind, ()),
        "kind": unit.kind,
        "unit": unit.id,
        **({"text": unit.text} if about.text else {}),
        "label": unit.label or None,
        "start": start,
        "end": end,
        "spans": compact([[span.start, span.end] for span in spans]) if len(spans) > 1 else None,
        "verdict": match.verdict or "unsure",
        "reason": match.reason,
        "rule": match.rule or None,
        "similarity": match.similarity,
        "nested": match.nested,
        "evidence_context": first.context if first else None,
        "evidence_start": first.start if first else None,
        "evidence_end": first.end if first else None,
        "evidence": compact([[e.context, e.start, e.end] for e in evidence]) if len(evidence) > 1 else None,
        "origin": unit.origin,
        "pi": item.pi,
    }
    if about.text:
        contexts = item.sample.retrieved_contexts
        row["evidence_text"] = first.of(contexts) if first else None
        row["note"] = match.note or None
    return row


ROWS = 500
"""Rows of one group: what is in memory at a time."""

TRAIN = "train"


def write_huggingface(folder: Path, out: Writing) -> None:
    """Write `data/SPLIT.parquet`; without splits there is one, `train`. Raises UsageError without pyarrow."""
    arrow = load_pyarrow("the format huggingface")
    schema = _schema(arrow, out.about)
    (folder / "data").mkdir(exist_ok=True)
    items = out.each()
    if (first := next(items, None)) is None:
        return
    path = folder / "data" / f"{first.split or TRAIN}.parquet"
    with arrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        items = chain([first], items)
        while rows := [_row(item, out.about) for item in islice(items, ROWS)]:
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))


_TEXTS = ("id", "group", "user_input", "reference", "response")
_OF_ITEM = ("u", "pi", "blind")
_HASHES = ("reference_hash", "content_hash")
UNIT_LISTS: dict[str, Callable[[Unit], str | int | None]] = {
    "texts": lambda unit: unit.text,
    "labels": lambda unit: unit.label,
    "starts": lambda unit: unit.ends[0],
    "ends": lambda unit: unit.ends[1],
    "verdicts": lambda unit: unit.match.verdict or "unsure",
}
"""What a row has of the gold, a list each."""


def _schema(arrow: Any, about: Surroundings) -> Any:
    text, number = arrow.string(), arrow.float64()
    texts, offsets = arrow.list_(text), dict.fromkeys(("starts", "ends"), arrow.list_(arrow.int64()))
    fields = [*((name, text) for name in _TEXTS), ("retrieved_contexts", texts), ("alternatives", texts)]
    for kind in KINDS:
        fields += [(f"{kind}_state", text), (f"{kind}_recall", number)]
        fields += [(f"{kind}_{name}", offsets.get(name, texts)) for name in UNIT_LISTS]
    fields += [(f"{name}_recall", number) for name in SCORERS]
    fields += zip(_OF_ITEM + _HASHES, (number, number, arrow.bool_(), text, text), strict=True)
    return arrow.schema([*fields, ("workbench", text)])


def _row(item: ExportItem, about: Surroundings) -> JsonObject:
    row = {name: getattr(item.sample, name) for name in _TEXTS + _HASHES}
    row |= {name: list(getattr(item.sample, name)) for name in ("retrieved_contexts", "alternatives")}
    row |= {name: getattr(item, name) for name in _OF_ITEM}
    row["workbench"] = row_text(item)
    for kind in KINDS:
        row |= _gold_lists(item, kind)
    for name in SCORERS:
        score = item.automatic.get(name)
        row[f"{name}_recall"] = None if score is None else score.value
    return row


def _gold_lists(item: ExportItem, kind: Kind) -> JsonObject:
    gold = item.gold.get(kind, ())
    recall = count(gold).recall if kind in item.gold else None
    return {
        f"{kind}_state": item.states.get(kind, "todo"),
        f"{kind}_recall": None if recall is None else float(recall),
        **{f"{kind}_{name}": [*map(of, gold)] for name, of in UNIT_LISTS.items()},
    }
