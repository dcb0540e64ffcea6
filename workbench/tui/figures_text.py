"""The figures of a dataset as lines of the Compare screen: facts, causes, tables; all of them plain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from workbench.comparing import words
from workbench.comparing.explained import shows
from workbench.comparing.intervals import FEWEST
from workbench.comparing.words import Fact
from workbench.text.figures import many, number, signed
from workbench.tui import figures_rows
from workbench.tui.cells import cut, fit, width
from workbench.tui.figures_rows import Look, Sample
from workbench.tui.ids import short
from workbench.tui.safe import flat
from workbench.tui.widgets.bars import DIM
from workbench.tui.widgets.bars import Part as Styled
from workbench.tui.widgets.picks import Part, Pick, bar, level

if TYPE_CHECKING:
    from workbench.comparing.explained import CauseTotal
    from workbench.comparing.figures import Bin, Figures, Row

NAME, VALUE = 28, 15
"""Cells of a fact's name and value."""
CAUSE = 14
TOP = 3
"""Causes on the first page."""


def fact_lines(
    facts: Sequence[Fact], room: int, *, strong: str = "", name: int = NAME, value: int = VALUE
) -> list[list[Styled]]:
    """Facts in columns; a note that has no room stands below. The one named `strong` stands out."""
    lines: list[list[Styled]] = []
    for fact in facts:
        style = "bold $accent" if fact.name == strong else "bold"
        text = fit(fact.value, value) if width(fact.value) < value else fact.value + " "
        lines.append([(fit(flat(fact.name), name), DIM), (text, style)])
        note: Styled = (flat(fact.note), DIM)
        if name + width(text) + width(note[0]) <= room:
            lines[-1].append(note)
        else:
            lines.append([(" " * name, ""), note])
    return lines


def narrow_lines(facts: Sequence[Fact], room: int) -> list[list[Styled]]:
    """Facts beside a picture: name and value on a line, the rest below where it does not fit."""
    lines: list[list[Styled]] = []
    for fact in facts:
        line: list[Styled] = [(fit(flat(fact.name), 12), DIM), (f"{fact.value} ", "bold")]
        if fact.note and 12 + width(fact.value) + 1 + width(fact.note) <= room:
            lines.append([*line, (flat(fact.note), DIM)])
        elif fact.note:
            lines += [line, [(f"  {flat(fact.note)}", DIM)]]
        else:
            lines.append(line)
    return lines


def overview(found: Figures, room: int, *, high: bool = True) -> list[list[Styled]]:
    """The estimate, or what stands in its place; a line each where the screen is not `high`."""
    facts = words.estimate_facts(found.estimate, assisted=found.assisted)
    strong = words.estimate_label(found.estimate)
    if found.estimate.refusal:
        facts += words.same_facts(found.rows, found.paired)
        strong = "bias"
    if high:
        return fact_lines(facts, room, strong=strong)
    short = [
        fact._replace(note=cut(fact.note, room - NAME - max(VALUE, width(fact.value) + 1))) for fact in facts
    ]
    return fact_lines(short, room, strong=strong)


def notes(found: Figures) -> str:
    """The notes, a sentence a line."""
    lines = [
        *words.estimate_notes(found.estimate, assisted=found.assisted),
        *(words.paired_notes(found.paired) if found.estimate.refusal else []),
        *found.notes,
        *words.reproducible_lines(found.reproducible),
        *words.count_lines(found.counts),
    ]
    return "\n".join(f"· {line}" for line in lines)


# Causes.


def cause_picks(rows: Sequence[Row], totals: Sequence[CauseTotal]) -> list[Pick]:
    """A line a cause: its net share as a bar and a number, its counts."""
    listed = [one for one in totals if shows(one.cause, one.share)]
    most = max((abs(float(one.share)) for one in listed), default=0.0)
    return [_cause(rows, one, most) for one in listed]


def cut_picks(rows: Sequence[Row], cut_up: Mapping[str, Sequence[CauseTotal]], by: str) -> list[Pick]:
    """The same for every label or language, the largest parts of the bias first."""
    every = [(name, one) for name, totals in cut_up.items() for one in totals]
    every.sort(key=lambda one: (-abs(one[1].share), one[0]))
    most = max((abs(float(one.share)) for _, one in every), default=0.0)
    size = max((width(flat(name)) for name, _ in every), default=0)
    return [_cause(rows, one, most, by, name, min(size, 14)) for name, one in every]


def _cause(
    rows: Sequence[Row], one: CauseTotal, most: float, by: str = "", name: str = "", size: int = 0
) -> Pick:
    chosen = partial(
        figures_rows.of_cause, rows, one.cause, label=name if by == "label" else "",
        language=name if by == "language" else "",
    )  # fmt: skip
    title = f"{one.cause} · {flat(name)}" if name else one.cause
    lead = f"{fit(flat(name), size)}  " if name else ""
    said = words.cause_line(one)
    said = f"{flat(name)}: {said}" if name else said
    return Pick(partial(_draw_cause, one, most, lead), title, chosen, shares=True, said=said)


def _draw_cause(one: CauseTotal, most: float, lead: str, size: int) -> list[Part]:
    half = min(20, max(4, (size - CAUSE - 50 - width(lead)) // 2))
    share, tone = float(one.share), "warn"
    if one.n < FEWEST:
        return [(lead, ""), (fit(one.cause, CAUSE), ""), (f"  {words.cause_gross(one)}", "dim")]
    parts = words.cause_parts(one)
    gross = words.cause_gross(one)
    room = size - width(lead) - CAUSE - 7 - 2 - (2 * half + 1) - 2
    rest = f"{gross} · {parts}" if parts and width(gross) + 3 + width(parts) <= room else gross
    return [
        (lead, ""), (fit(one.cause, CAUSE), ""), (fit(signed(share), 7, right=True), ""), ("  ", ""),
        (bar(share, most, half), tone), (f"  {rest}", "dim"),
    ]  # fmt: skip


# Differences.


def bin_picks(found: Sequence[Bin[Row]]) -> list[Pick]:
    """A line a bin of differences: from, to, how many."""
    most = max((len(one.samples) for one in found), default=0)
    return [
        Pick(
            partial(_draw_bin, one, most),
            "equal" if one.equal else f"Δ {_ends(one)}",
            partial(figures_rows.by_size, one.samples) if one.samples else None,
        )
        for one in found
    ]


def _ends(one: Bin[Row]) -> str:
    return f"{signed(one.low, 1)} to {signed(one.high, 1)}"


def _draw_bin(one: Bin[Row], most: int, size: int) -> list[Part]:
    name = fit("equal" if one.equal else _ends(one), 13)
    count = len(one.samples)
    return [
        (name, "good" if one.equal else ""),
        (fit(f"{count:,}" if count else "·", 7, right=True), "" if count else "dim"),
        ("  ", ""),
        (level(count, most, max(0, size - 23)), "good" if one.equal else "accent"),
    ]


# Labels, verdicts, arms.


def label_head(size: int) -> str:
    """The names of the columns over `label_picks`."""
    return _label_line(words.LABEL_HEAD, size)


def label_picks(found: Figures) -> list[Pick]:
    """A line a label: counts, precision, recall, F1; opens the samples in which its units differ."""
    return [
        Pick(
            partial(_draw_label, cells), f"label {flat(cells[0])}",
            partial(figures_rows.of_label, found.rows, cells[0]), shares=True,
        )
        for cells in words.label_rows(found.labels)
    ]  # fmt: skip


def _draw_label(cells: tuple[str, ...], size: int) -> list[Part]:
    return [(_label_line(cells, size), "")]


def _label_line(cells: Sequence[str], size: int) -> str:
    first = 14 if size < 100 else 24
    each = [9, 9, 7, 7, 7, 7, 15] if size < 100 else [11, 11, 11, 10, 10, 10, 16]
    return fit(flat(cells[0]), first) + "".join(
        fit(cell, one, right=True) for cell, one in zip(cells[1:], each, strict=True)
    )


def verdict_picks(found: Figures) -> list[Pick]:
    """The four cells of the table; those that differ open their samples."""
    one = found.verdicts
    table: tuple[tuple[str, int, str], ...] = (
        ("found by both", one.both_found, ""),
        ("found by the person only", one.only_human, "missed match"),
        ("found by the machine only", one.only_machine, "false match"),
        ("missing for both", one.both_missing, ""),
    )
    most = max((count for _, count, _ in table), default=0)
    return [
        Pick(
            partial(_draw_count, name, count, most, "warn" if cause else "good"),
            name,
            partial(figures_rows.of_cause, found.rows, cause) if cause and count else None,
            shares=True,
        )
        for name, count, cause in table
    ]


def _draw_count(name: str, count: int, most: int, tone: str, size: int) -> list[Part]:
    return [
        (fit(name, NAME), ""), (fit(f"{count:,}", 9, right=True), ""), ("  ", ""),
        (level(count, most, max(0, min(60, size - NAME - 13))), tone),
    ]  # fmt: skip


def arm_picks(seen: Look) -> list[Pick]:
    """How the samples were reviewed; every line opens its samples."""
    most = max(seen.ways.values())
    return [
        Pick(
            partial(_draw_count, name, seen.ways[name], most, "accent"),
            name,
            partial(figures_rows.where, seen.found.rows, wanted) if seen.ways[name] else None,
        )
        for name, wanted in figures_rows.WAYS
    ]


# Samples.


def sample_head(size: int, part: str) -> str:
    """The names of the columns over `sample_parts`; `part` names the last number, "" for none."""
    return _columns(size, "sample", "automatic", "verified", "Δ", part, "main cause")


def sample_parts(one: Sample, share: bool, size: int) -> list[Part]:
    """A sample: id, both values, Δ, its part of the figure when asked for, its main cause."""
    row, part = one
    key = _key_cells(size)
    shown = fit(short(row.id, key, row.question), key)
    cells = [number(row.automatic), number(row.verified), signed(row.delta)]
    numbers = "".join(fit(cell, 10, right=True) for cell in cells)
    own = fit(signed(part), 8, right=True) if share else ""
    return [(shown, ""), (numbers, ""), (own, "warn"), (f"  {row.cause}", "dim")]


def _columns(size: int, name: str, *rest: str) -> str:
    numbers = "".join(fit(cell, 10, right=True) for cell in rest[:3])
    own = fit(rest[3], 8, right=True) if rest[3] else ""
    return f"{fit(name, _key_cells(size))}{numbers}{own}  {rest[4]}"


def _key_cells(size: int) -> int:
    return min(44, max(12, size - 30 - 8 - 20))


def sample_line(row: Row) -> list[Styled]:
    """The chosen sample of the scatter picture."""
    return [
        ("◆ ", "bold $warning"), (short(row.id, 60, row.question), "bold"),
        ("  automatic ", DIM), (number(row.automatic), "bold"),
        ("  verified ", DIM), (number(row.verified), "bold"),
        ("  Δ ", DIM), (signed(row.delta), "bold"), (f"  {row.cause}", DIM),
    ]  # fmt: skip


def nothing_yet(found: Figures, said: Sequence[str]) -> str:
    """The answer and what to do while nothing is verified."""
    total = many(found.counts.total, "sample")
    first = " ".join(said)
    if not found.run and found.estimate.automatic.value is None:
        first = f"{total}, and nothing is proposed: R in the queue starts a run."
    return (
        f"{first}\n\nNothing is verified yet.\n\n"
        "Go back to the queue (esc) and review some samples (c). Stop whenever you like: the queue is "
        "in random order, so what you have reviewed is a random sample. P plans how many it takes."
    )
