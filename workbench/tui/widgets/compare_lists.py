"""Compare, line by line: facts, causes, samples, and which verified samples stand behind a figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment

from workbench.comparing import words
from workbench.comparing.explained import shows
from workbench.comparing.intervals import FEWEST
from workbench.comparing.words import Fact
from workbench.text.figures import many, number, signed
from workbench.tui.cells import cut, fit, width
from workbench.tui.figures import short
from workbench.tui.safe import flat
from workbench.tui.widgets.bars import DIM, Part
from workbench.tui.widgets.lines import Lines, RowList

if TYPE_CHECKING:
    from workbench.comparing.explained import CauseTotal, Share
    from workbench.comparing.figures import Figures, Row

Sample = tuple["Row", "float | None"]
"""A sample and its part of the figure: a share of the causes, or the whole Δ."""


Place = tuple[float, float]
"""Verified and automatic value, to three digits."""


@dataclass(frozen=True, slots=True)
class FiguresLook:
    """The figures with what takes long to find for many samples: it is worked out outside the event loop.

    `largest` has every sample by size of Δ; `places` how many have the same two values, with the first of
    them. `said` are the sentences of the answer.
    """

    found: Figures
    largest: Sequence[Sample]
    places: Mapping[Place, tuple[int, Row]]
    said: tuple[str, ...] = ()


def look(found: Figures, said: tuple[str, ...] = ()) -> FiguresLook:
    """Prepare figures for the screen; .2 s for 100,000 verified samples."""
    largest = by_size(found.rows)
    places: dict[Place, tuple[int, Row]] = {}
    for row, _ in largest:
        at = place(row)
        if at is not None:
            count, first = places.get(at, (0, row))
            places[at] = count + 1, first
    return FiguresLook(found, largest, places, said)


def place(row: Row) -> Place | None:
    """Where a sample stands in the scatter picture; None where one of its values is undefined."""
    if row.verified is None or row.automatic is None:
        return None
    return round(row.verified, 3), round(row.automatic, 3)


def by_size(rows: Sequence[Row]) -> list[Sample]:
    """All samples, the largest difference first, undefined ones last."""
    return sorted(((row, row.delta) for row in rows), key=_largest)


def of_cause(rows: Sequence[Row], cause: str, *, label: str = "", language: str = "") -> list[Sample]:
    """The samples with a cause, the largest share first; with a label only its units count."""
    found: list[Sample] = []
    for row in rows:
        if row.delta is None or (language and row.language != language):
            continue
        own = [one for one in row.shares if one.cause == cause and (not label or label in one.labels)]
        if own:
            found.append((row, sum(_part(one, label) for one in own)))
    return sorted(found, key=_largest)


def _part(one: Share, label: str) -> float:
    """A share of Δ, or the part of it that units of a label have: units of one share weigh alike."""
    units = one.labels.count(label) if label else one.units
    return float(one.share or 0) * units / one.units


def _largest(one: Sample) -> tuple[bool, float, str]:
    row, part = one
    return part is None, -abs(part or 0.0), row.id


# Lists of figures: every line is drawn for its width, and some open samples.

Toned = tuple[str, str]
"""A text and its tone: "", dim, good, warn or accent."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A line: `draw` gives its parts for a number of cells; `title` and `samples` are what it opens.

    `shares`: what the samples come with is their part of the line's figure. `said` is the line in full.
    """

    draw: Callable[[int], Sequence[Toned]]
    title: str = ""
    samples: Callable[[], list[Sample]] | None = None
    shares: bool = False
    said: str = ""


class Picks(RowList[Pick]):
    """Lines with a cursor; a line that opens nothing may be stood on and says nothing."""

    BASE = "picks--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "picks--row",
        "picks--dim",
        "picks--good",
        "picks--warn",
        "picks--accent",
        "picks--cursor",
    }

    def show(self, picks: Sequence[Pick], *, at: int = 0) -> None:
        """Show these lines, the cursor on one of them."""
        self.put(picks, at)

    def drawn(self, pick: Pick, size: int, *, here: bool) -> list[Segment]:
        """One line."""
        return painted(self, pick.draw(size - 2), size, here=here)


def painted(listed: Lines, parts: Sequence[Toned], size: int, *, here: bool) -> list[Segment]:
    """The parts of a line in the styles of their tones; under the cursor all of it in one."""
    cursor = listed.part("picks--cursor") if here else None
    return [
        Segment(text, cursor or listed.part(f"picks--{tone or 'row'}"))
        for text, tone in fitted([("▸ " if here else "  ", ""), *parts], size)
    ]


def fitted(parts: Sequence[Toned], size: int) -> list[Toned]:
    """The parts in exactly `size` cells, the last one cut with an ellipsis or the line filled up."""
    kept: list[Toned] = []
    for text, tone in parts:
        if size <= 0:
            break
        text = text if width(text) <= size else fit(text, size)
        kept.append((text, tone))
        size -= width(text)
    return [*kept, (" " * size, "")] if size > 0 else kept


def bar(value: float, most: float, half: int) -> str:
    """A bar from the middle to the left or right, `2 · half + 1` cells; its full length stands for `most`."""
    steps = round(2 * half * abs(value) / most) if most else 0
    if value and not steps:
        steps = 1
    blocks = "█" * (steps // 2) + ("▌" if value > 0 else "▐") * (steps % 2)
    if value > 0:
        return " " * half + "│" + blocks.ljust(half)
    if value < 0:
        blocks = blocks[::-1]
    return blocks.rjust(half) + "│" + " " * half


# Words.

NAME, VALUE = 28, 15
"""Cells of a fact's name and value."""
CAUSE = 14
TOP = 3
"""Causes on the first page."""


def fact_lines(
    facts: Sequence[Fact], room: int, *, strong: str = "", name: int = NAME, value: int = VALUE
) -> list[list[Part]]:
    """Facts in columns; a note that has no room stands below. The one named `strong` stands out."""
    lines: list[list[Part]] = []
    for fact in facts:
        style = "bold $accent" if fact.name == strong else "bold"
        text = fit(fact.value, value) if width(fact.value) < value else fact.value + " "
        lines.append([(fit(flat(fact.name), name), DIM), (text, style)])
        note: Part = (flat(fact.note), DIM)
        if name + width(text) + width(note[0]) <= room:
            lines[-1].append(note)
        else:
            lines.append([(" " * name, ""), note])
    return lines


def narrow_lines(facts: Sequence[Fact], room: int) -> list[list[Part]]:
    """Facts beside a picture: name and value on a line, the rest below where it does not fit."""
    lines: list[list[Part]] = []
    for fact in facts:
        line: list[Part] = [(fit(flat(fact.name), 12), DIM), (f"{fact.value} ", "bold")]
        if fact.note and 12 + width(fact.value) + 1 + width(fact.note) <= room:
            lines.append([*line, (flat(fact.note), DIM)])
        elif fact.note:
            lines += [line, [(f"  {flat(fact.note)}", DIM)]]
        else:
            lines.append(line)
    return lines


def overview(found: Figures, room: int, *, high: bool = True) -> list[list[Part]]:
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
        of_cause, rows, one.cause, label=name if by == "label" else "",
        language=name if by == "language" else "",
    )  # fmt: skip
    title = f"{one.cause} · {flat(name)}" if name else one.cause
    lead = f"{fit(flat(name), size)}  " if name else ""
    said = words.cause_line(one)
    said = f"{flat(name)}: {said}" if name else said
    return Pick(partial(_draw_cause, one, most, lead), title, chosen, shares=True, said=said)


def _draw_cause(one: CauseTotal, most: float, lead: str, size: int) -> list[Toned]:
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


# Samples.


def sample_head(size: int, part: str) -> str:
    """The names of the columns over `sample_parts`; `part` names the last number, "" for none."""
    return _columns(size, "sample", "automatic", "verified", "Δ", part, "main cause")


def sample_parts(one: Sample, share: bool, size: int) -> list[Toned]:
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


def sample_line(row: Row) -> list[Toned]:
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
