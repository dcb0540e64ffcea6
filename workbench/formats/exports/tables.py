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
import os
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.formats.exports.item import ExportItem, Surroundings, Wrote, lines_into, row_text
from workbench.model import KINDS, GoldRecord, Kind, Unit, count
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


def write_csv(folder: Path, items: Iterable[ExportItem], about: Surroundings) -> Wrote:
    """Write `samples.csv` and `units.csv`."""
    wrote = Wrote()
    with lines_into(folder / SAMPLES) as sample_row, lines_into(folder / UNITS) as unit_row:
        sample_row(_csv_line(sample_head(about)))
        unit_row(_csv_line([
            "id", "group", "split", "annotator", "standing", "kind", "unit",
            *(("text",) if about.text else ()),
            "label", "start", "end", "spans", "verdict", "reason", "rule", "similarity", "nested",
            "evidence_context", "evidence_start", "evidence_end", "evidence", "origin", "pi",
            *(("evidence_text", "note") if about.text else ()),
        ]))  # fmt: skip
        for item in items:
            wrote.rows += 1
            sample_row(_csv_line(_sample_cells(item, about)))
            for record in item.records:
                for kind, units in (("entity", record.entities), ("statement", record.statements)):
                    if units:
                        unit_row(_units(item, record, kind, units, about))  # type: ignore[arg-type]
    return wrote


def _csv_line(cells: Sequence[Cell]) -> str:
    return ",".join(map(_cell, cells)) + "\n"


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return '"' + neutral(value).replace('"', '""') + '"'
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


_TEXT = ("user_input", "reference", "response", "retrieved_contexts", "alternatives", "meta")
_KIND = ("state", "found", "missing", "unsure", "recall", "recall_low", "recall_high")
_DRAWN = ("u", "size", "stratum", "pi", "blind", "holdout", "off_plan")


def sample_head(about: Surroundings) -> list[str]:
    """The columns of `samples.csv`."""
    return [
        "id", "group", "split", "reference_hash", "content_hash",
        *(_TEXT if about.text else ()), "contexts",
        *(f"{kind}_{name}" for kind in KINDS for name in _KIND),
        *(f"{name}_{part}" for name in about.scorers for part in ("found", "missing", "unsure", "value")),
        *(f"external.{name}" for name in about.columns),
        *_DRAWN, "annotators",
        *(("workbench",) if about.text else ()),
    ]  # fmt: skip


def _sample_cells(item: ExportItem, about: Surroundings) -> list[Cell]:
    sample = item.sample
    hashes = sample.reference_hash, sample.content_hash
    cells: list[Cell] = [sample.id, sample.group, item.split or None, *hashes]
    if about.text:
        cells += [sample.user_input, sample.reference, sample.response]
        cells.append(compact(list(sample.retrieved_contexts)))
        cells.append(compact(list(sample.alternatives)) if sample.alternatives else None)
        cells.append(_sorted(dict(sample.meta)) if sample.meta else None)
    cells.append(len(sample.retrieved_contexts))
    for kind in KINDS:
        cells += _verified(item, kind)
    for name in about.scorers:
        score = item.automatic.get(name)
        tally = score and score.tally
        cells += [tally.found, tally.missing, tally.unsure, score.value] if score and tally else [None] * 4
    digits = (item.external.get(name) for name in about.columns)
    cells += [None if number is None else float(number) for number in digits]
    cells += [item.u, item.size, item.stratum or None, item.pi, item.blind, item.holdout, item.off_plan]
    cells.append(" ".join(record.named for record in item.records) or None)
    if about.text:
        cells.append(row_text(item))
    return cells


def _verified(item: ExportItem, kind: Kind) -> list[Cell]:
    units = item.gold.get(kind)
    state = item.states.get(kind, "todo")
    if units is None:
        return [state, *[None] * 6]
    tally = count(units)
    low, high = map(float, tally.interval) if tally.interval else (None, None)
    return [state, tally.found, tally.missing, tally.unsure, low, low, high]


def _units(
    item: ExportItem, record: GoldRecord, kind: Kind, units: Sequence[Unit], about: Surroundings
) -> str:
    """The lines of one annotator's units of one kind."""
    known = (item.sample.id, item.sample.group, item.split or None, record.named)
    standing = item.gold.get(kind, ())
    lines = []
    for unit in units:
        match, spans, evidence = unit.match, unit.spans, unit.match.evidence
        first = evidence[0] if evidence else None
        cells: list[Cell] = [*known, units is standing or unit in standing, kind, unit.id]
        cells += [unit.text, unit.label or None] if about.text else [unit.label or None]
        cells += [spans[0].start, spans[0].end] if spans else [None, None]
        cells.append(compact([[span.start, span.end] for span in spans]) if len(spans) > 1 else None)
        cells += [match.verdict or "unsure", match.reason, match.rule or None, match.similarity, match.nested]
        cells += [first.context, first.start, first.end] if first else [None, None, None]
        further = [[evidence.context, evidence.start, evidence.end] for evidence in evidence]
        cells += [compact(further) if len(evidence) > 1 else None, unit.origin, item.pi]
        if about.text:
            contexts = item.sample.retrieved_contexts
            cells.append(contexts[first.context][first.start : first.end] if first else None)
            cells.append(match.note or None)
        lines.append(_csv_line(cells))
    return "".join(lines)


ROWS = 500
"""Rows of one group: what is in memory at a time."""

TRAIN = "train"


def write_huggingface(folder: Path, items: Iterable[ExportItem], about: Surroundings) -> Wrote:
    """Write `data/SPLIT.parquet`; without splits there is one, `train`. Raises UsageError without pyarrow."""
    arrow, parquet = _pyarrow()
    schema = _schema(arrow, about)
    wrote = Wrote()
    (folder / "data").mkdir(exist_ok=True)
    waiting = iter(items)
    writer = None
    try:
        for first in waiting:
            if writer is None:
                path = folder / "data" / f"{first.split or TRAIN}.parquet"
                writer = parquet.ParquetWriter(path, schema, compression="zstd")
            # rows alone are kept until a group is full, not the items they are made of
            group = chain([first], islice(waiting, ROWS - 1))
            table = arrow.Table.from_pylist([_row(item, about) for item in group], schema=schema)
            writer.write_table(table)
            wrote.rows += table.num_rows
    finally:
        if writer is not None:
            writer.close()
    return wrote


def _pyarrow() -> tuple[Any, Any]:
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # its own keeps 12 MB more than it uses
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise UsageError(
            "a Hugging Face folder holds Parquet files, which need the package pyarrow: "
            "pip install 'gold-workbench[parquet]'"
        ) from None
    return pyarrow, pyarrow.parquet


_TEXTS = ("id", "group", "user_input", "reference", "response")
_OF_ITEM = ("u", "pi", "blind")
_HASHES = ("reference_hash", "content_hash")
UNIT_LISTS = ("texts", "labels", "starts", "ends", "verdicts")


def _schema(arrow: Any, about: Surroundings) -> Any:
    text, number = arrow.string(), arrow.float64()
    texts, offsets = arrow.list_(text), arrow.list_(arrow.int64())
    fields = [*((name, text) for name in _TEXTS), ("retrieved_contexts", texts), ("alternatives", texts)]
    for kind in KINDS:
        fields += [(f"{kind}_state", text), (f"{kind}_recall", number)]
        types = (texts, texts, offsets, offsets, texts)
        fields += [(f"{kind}_{name}", type_) for name, type_ in zip(UNIT_LISTS, types, strict=True)]
    fields += [(f"{name}_recall", number) for name in about.scorers]
    fields += zip(_OF_ITEM + _HASHES, (number, number, arrow.bool_(), text, text), strict=True)
    return arrow.schema([*fields, ("workbench", text)])


def _row(item: ExportItem, about: Surroundings) -> dict[str, Any]:
    row = {name: getattr(item.sample, name) for name in _TEXTS + _HASHES}
    row |= {name: list(getattr(item.sample, name)) for name in ("retrieved_contexts", "alternatives")}
    row |= {name: getattr(item, name) for name in _OF_ITEM}
    row["workbench"] = row_text(item)
    for kind in KINDS:
        row |= _gold_lists(item, kind)
    for name in about.scorers:
        score = item.automatic.get(name)
        row[f"{name}_recall"] = None if score is None else score.value
    return row


def _gold_lists(item: ExportItem, kind: Kind) -> dict[str, Any]:
    units: tuple[Unit, ...] | None = item.gold.get(kind)
    recall = None if units is None else count(units).recall
    gold = units or ()
    lists: tuple[list[Any], ...] = (
        [unit.text for unit in gold],
        [unit.label for unit in gold],
        [unit.spans[0].start if unit.spans else None for unit in gold],
        [unit.spans[0].end if unit.spans else None for unit in gold],
        [unit.match.verdict or "unsure" for unit in gold],
    )
    return {
        f"{kind}_state": item.states.get(kind, "todo"),
        f"{kind}_recall": None if recall is None else float(recall),
        **{f"{kind}_{name}": value for name, value in zip(UNIT_LISTS, lists, strict=True)},
    }
