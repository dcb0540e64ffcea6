"""Flat tables for R, pandas and spreadsheets: one row a sample, one row a unit.

Text cells are quoted. One that a spreadsheet would run as a formula gets an apostrophe in front, and so does
one that begins with an apostrophe: taking away exactly one apostrophe from every text cell that begins with
one gives the original. Numbers are not quoted, an absent value is an empty cell, lists and objects are JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from workbench.formats.item import Item, Surroundings, Wrote, compact, lines_into, row_text
from workbench.model import KINDS, GoldRecord, Kind, Unit, count

SAMPLES = "samples.csv"
UNITS = "units.csv"

# What Excel, LibreOffice and Google Sheets take for a formula, also in full width, and what they skip
# before one. The apostrophe stands for itself.
_FORMULA = frozenset("=+-@\t\r\n＝＋－＠'")

Cell = str | int | float | bool | None


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
        sample_row(_line(_sample_head(about)))
        unit_row(_line(_unit_head(about)))
        for item in items:
            wrote.rows += 1
            sample_row(_line(_sample(item, about)))
            for record in item.records:
                for kind, units in (("entity", record.entities), ("statement", record.statements)):
                    for unit in units or ():
                        unit_row(_line(_unit(item, record, kind, unit, about)))
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


_TEXT = ("user_input", "reference", "response", "retrieved_contexts", "alternatives", "meta")
_KIND = ("state", "found", "missing", "unsure", "recall", "recall_low", "recall_high")
_DRAWN = ("u", "size", "stratum", "position", "pi", "blind", "holdout", "off_plan")


def _sample_head(about: Surroundings) -> list[Cell]:
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
            compact(dict(sample.meta)) if sample.meta else None,
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
    interval = tally.interval
    low, high = (float(interval[0]), float(interval[1])) if interval else (None, None)
    recall = None if tally.recall is None else float(tally.recall)
    return [state, tally.found, tally.missing, tally.unsure, recall, low, high]


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


def _unit(item: Item, record: GoldRecord, kind: str, unit: Unit, about: Surroundings) -> list[Cell]:
    match = unit.match
    first = unit.spans[0] if unit.spans else None
    evidence = match.evidence[0] if match.evidence else None
    cells: list[Cell] = [
        item.sample.id, item.sample.group, item.split or None, record.annotator,
        unit in item.gold.get(kind, ()),  # type: ignore[call-overload]
        kind, unit.id,
    ]  # fmt: skip
    if about.text:
        cells.append(unit.text)
    cells += [
        unit.label or None,
        first.start if first else None,
        first.end if first else None,
        compact([[span.start, span.end] for span in unit.spans]) if len(unit.spans) > 1 else None,
        match.verdict or "unsure",
        match.reason,
        match.rule or None,
        match.similarity,
        match.nested,
        evidence.context if evidence else None,
        evidence.start if evidence else None,
        evidence.end if evidence else None,
        compact([[one.context, one.start, one.end] for one in match.evidence])
        if match.evidence[1:]
        else None,
        unit.origin,
        item.pi,
    ]
    if about.text:
        contexts = item.sample.retrieved_contexts
        cells.append(contexts[evidence.context][evidence.start : evidence.end] if evidence else None)
        cells.append(match.note or None)
    return cells
