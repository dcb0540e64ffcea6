"""Flat tables for R, pandas and spreadsheets: one row a sample, one row a unit.

Text cells are quoted. One that a spreadsheet would run as a formula gets an apostrophe in front, and so does
one that begins with an apostrophe: taking away exactly one apostrophe from every text cell that begins with
one gives the original. Numbers are not quoted, an absent value is an empty cell, lists and objects are JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from workbench.formats.item import Item, Surroundings, Wrote, lines_into, row_text
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


def write(folder: Path, items: Iterable[Item], about: Surroundings) -> Wrote:
    """Write `samples.csv` and `units.csv`."""
    wrote = Wrote()
    with lines_into(folder / SAMPLES) as sample_row, lines_into(folder / UNITS) as unit_row:
        sample_row(_line(sample_head(about)))
        unit_row(_line(_unit_head(about)))
        for item in items:
            wrote.rows += 1
            sample_row(_line(_sample(item, about)))
            for record in item.records:
                for kind, units in (("entity", record.entities), ("statement", record.statements)):
                    if units:
                        unit_row(_units(item, record, kind, units, about))  # type: ignore[arg-type]
    return wrote


def _line(cells: Sequence[Cell]) -> str:
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


def _sample(item: Item, about: Surroundings) -> list[Cell]:
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


def _verified(item: Item, kind: Kind) -> list[Cell]:
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


def _units(item: Item, record: GoldRecord, kind: Kind, units: Sequence[Unit], about: Surroundings) -> str:
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
