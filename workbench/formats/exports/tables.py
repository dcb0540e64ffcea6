"""Flat tables for R, pandas and spreadsheets: one row a sample, one row a unit.

Text cells are quoted. One that a spreadsheet would run as a formula gets an apostrophe in front, and so does
one that begins with an apostrophe: taking away exactly one apostrophe from every text cell that begins with
one gives the original. Numbers are not quoted, an absent value is an empty cell, lists and objects are JSON.

A Hugging Face dataset folder: Parquet files by split and a card. One flat row a sample.

Gold stands in parallel lists; what is nested or of mixed types is one JSON string, so that every row has the
same columns and no date becomes a timestamp.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.formats.exports.item import ExportItem, Surroundings, Wrote, lines_into, row_text
from workbench.model import KINDS, GoldRecord, Kind, Unit, count
from workbench.text.json_text import compact

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
        unit_row(_csv_line(_unit_head(about)))
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


_word = lru_cache(maxsize=1_000, typed=True)(_cell)
"""Cells that many rows have in common."""

_TEXT = ("user_input", "reference", "response", "retrieved_contexts", "alternatives", "meta")
_KIND = ("state", "found", "missing", "unsure", "recall", "recall_low", "recall_high")
_DRAWN = ("u", "size", "stratum", "position", "pi", "blind", "holdout", "off_plan")


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
    cells: list[Cell] = [sample.id, sample.group, item.split or None, item.reference_hash, item.content_hash]
    if about.text:
        cells += [
            sample.user_input,
            sample.reference,
            sample.response,
            compact(list(sample.retrieved_contexts)),
            compact(list(sample.alternatives)) if sample.alternatives else None,
            _sorted(dict(sample.meta)) if sample.meta else None,
        ]
    cells.append(len(sample.retrieved_contexts))
    for kind in KINDS:
        cells += _verified(item, kind)
    for name in about.scorers:
        score = item.automatic.get(name)
        cells += (
            [None] * 4
            if score is None
            else [score.tally.found, score.tally.missing, score.tally.unsure, score.value]
        )
    cells += [_number(item.external.get(name)) for name in about.columns]
    cells += [
        item.u,
        item.size,
        item.stratum or None,
        item.position or None,
        item.pi,
        item.blind,
        item.holdout,
        item.off_plan,
    ]
    cells.append(" ".join(record.annotator for record in item.records) or None)
    if about.text:
        cells.append(row_text(item))
    return cells


def _verified(item: ExportItem, kind: Kind) -> list[Cell]:
    units = item.gold.get(kind)
    state = item.states.get(kind, "todo")
    if units is None:
        return [state, None, None, None, None, None, None]
    tally = count(units)
    number = tally.units
    if not number:
        return [state, tally.found, tally.missing, tally.unsure, None, None, None]
    low, high = tally.found / number, (tally.found + tally.unsure) / number
    return [state, tally.found, tally.missing, tally.unsure, low, low, high]


def _number(digits: str | None) -> Cell:
    return None if digits is None else float(digits)


def _unit_head(about: Surroundings) -> list[Cell]:
    return [
        "id", "group", "split", "annotator", "standing", "kind", "unit",
        *(("text",) if about.text else ()),
        "label", "start", "end", "spans", "verdict", "reason", "rule", "similarity", "nested",
        "evidence_context", "evidence_start", "evidence_end", "evidence", "origin", "pi",
        *(("evidence_text", "note") if about.text else ()),
    ]  # fmt: skip


def _units(
    item: ExportItem, record: GoldRecord, kind: Kind, units: Sequence[Unit], about: Surroundings
) -> str:
    """The lines of one annotator's units of one kind; what they share is written once, words from memory.

    Put together as text: there are many of them, and a list of 26 cells for each takes longer.
    """
    gold = item.gold.get(kind, ())
    known = ",".join(map(_cell, (item.sample.id, item.sample.group, item.split or None, record.annotator)))
    contexts = item.sample.retrieved_contexts
    last = _cell(item.pi)
    lines = []
    for unit in units:
        match, spans, evidence = unit.match, unit.spans, unit.match.evidence
        standing = units is gold or unit in gold
        line = f"{known},{_word(standing)},{_word(kind)},{_cell(unit.id)},"
        if about.text:
            line += f"{_cell(unit.text)},"
        line += f"{_word(unit.label or None)},"
        line += f"{spans[0].start},{spans[0].end}," if spans else ",,"
        if len(spans) > 1:
            line += _cell(compact([[span.start, span.end] for span in spans]))
        line += (
            f",{_word(match.verdict or 'unsure')},{_word(match.reason)},{_word(match.rule or None)},"
            f"{match.similarity},{_word(match.nested)},"
        )
        if evidence:
            first = evidence[0]
            line += f"{first.context},{first.start},{first.end},"
        else:
            line += ",,,"
        if len(evidence) > 1:
            line += _cell(compact([[one.context, one.start, one.end] for one in evidence]))
        line += f",{_word(unit.origin)},{last}"
        if about.text:
            said = _cell(contexts[first.context][first.start : first.end]) if evidence else ""
            line += f",{said},{_word(match.note or None)}"
        lines.append(line)
    lines.append("")
    return "\n".join(lines)


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


UNIT_LISTS = ("texts", "labels", "starts", "ends", "verdicts")


def _schema(arrow: Any, about: Surroundings) -> Any:
    texts, numbers = arrow.list_(arrow.string()), arrow.list_(arrow.int64())
    fields = [
        ("id", arrow.string()),
        ("group", arrow.string()),
        ("user_input", arrow.string()),
        ("reference", arrow.string()),
        ("response", arrow.string()),
        ("retrieved_contexts", texts),
        ("alternatives", texts),
    ]
    for kind in KINDS:
        fields += [(f"{kind}_state", arrow.string()), (f"{kind}_recall", arrow.float64())]
        kinds = (texts, texts, numbers, numbers, texts)
        fields += [(f"{kind}_{name}", type_) for name, type_ in zip(UNIT_LISTS, kinds, strict=True)]
    fields += [(f"{name}_recall", arrow.float64()) for name in about.scorers]
    fields += [
        ("u", arrow.float64()),
        ("pi", arrow.float64()),
        ("blind", arrow.bool_()),
        ("reference_hash", arrow.string()),
        ("content_hash", arrow.string()),
        ("workbench", arrow.string()),
    ]
    return arrow.schema(fields)


def _row(item: ExportItem, about: Surroundings) -> dict[str, Any]:
    sample = item.sample
    row: dict[str, Any] = {
        "id": sample.id,
        "group": sample.group,
        "user_input": sample.user_input,
        "reference": sample.reference,
        "response": sample.response,
        "retrieved_contexts": list(sample.retrieved_contexts),
        "alternatives": list(sample.alternatives),
        "u": item.u,
        "pi": item.pi,
        "blind": item.blind,
        "reference_hash": item.reference_hash,
        "content_hash": item.content_hash,
        "workbench": row_text(item),
    }
    for kind in KINDS:
        row |= _gold_lists(item, kind)
    for name in about.scorers:
        score = item.automatic.get(name)
        row[f"{name}_recall"] = None if score is None else score.value
    return row


def _gold_lists(item: ExportItem, kind: Kind) -> dict[str, Any]:
    units: tuple[Unit, ...] | None = item.gold.get(kind)
    recall = None if units is None else count(units).recall
    found = units or ()
    lists: tuple[list[Any], ...] = (
        [unit.text for unit in found],
        [unit.label for unit in found],
        [unit.spans[0].start if unit.spans else None for unit in found],
        [unit.spans[0].end if unit.spans else None for unit in found],
        [unit.match.verdict or "unsure" for unit in found],
    )
    return {
        f"{kind}_state": item.states.get(kind, "todo"),
        f"{kind}_recall": None if recall is None else float(recall),
        **{f"{kind}_{name}": value for name, value in zip(UNIT_LISTS, lists, strict=True)},
    }
