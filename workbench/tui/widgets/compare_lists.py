"""Compare, line by line: facts, causes, samples, and which verified samples stand behind a figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from workbench.comparing import words
from workbench.comparing.explained import CauseTotal, shows
from workbench.comparing.intervals import FEWEST
from workbench.comparing.words import Fact, verified_samples
from workbench.text.cells import cut, cut_words, fit, short, width, wrapped
from workbench.text.figures import many, number, signed
from workbench.text.safe import flat
from workbench.tui.widgets.bars import DIM, Line, cells, shortened
from workbench.tui.widgets.lines import Lines, Toned

if TYPE_CHECKING:
    from workbench.comparing.figures import Figures, Row

Sample = tuple["Row", "float | None"]
"""A sample and its part of the figure: a share of the causes, or the whole Δ."""


Place = tuple[float, float]
"""Verified and automatic value, to three digits."""


@dataclass(frozen=True)
class FiguresLook:
    """The figures with what takes long to find for many samples: it is worked out outside the event loop.

    `causes` are those worth a line. `largest` has every sample by size of Δ; `places` how many have the same
    two values. `sentences` are those of the answer.
    """

    figures: Figures
    causes: Sequence[CauseTotal]
    largest: Sequence[Sample]
    places: Mapping[Place, int]
    sentences: tuple[str, ...]


def look(figures: Figures, sentences: tuple[str, ...]) -> FiguresLook:
    """Prepare figures for the screen; .2 s for 100,000 verified samples."""
    causes = [cause for cause in figures.causes if shows(cause.cause, cause.share)]
    largest = sorted(((row, row.delta) for row in figures.rows), key=_largest)
    places = Counter(at for row, _ in largest if (at := place(row)) is not None)
    return FiguresLook(figures, causes, largest, places, sentences)


def place(row: Row) -> Place | None:
    """Where a sample stands in the scatter picture; None where one of its values is undefined."""
    if row.verified is None or row.automatic is None:
        return None
    return round(row.verified, 3), round(row.automatic, 3)


def of_cause(rows: Sequence[Row], cause: str) -> list[Sample]:
    """The samples with a cause, the largest share first."""
    samples: list[Sample] = []
    for row in rows:
        own = [float(share.share or 0) for share in row.shares if share.cause == cause]
        if own and row.delta is not None:
            samples.append((row, sum(own)))
    return sorted(samples, key=_largest)


def _largest(sample: Sample) -> tuple[bool, float, str]:
    row, part = sample
    return part is None, -abs(part or 0.0), row.id


class CauseBars(Lines[CauseTotal]):
    """A line a cause: its net share as a bar and a number, its counts."""

    AT_CURSOR: ClassVar = frozenset({"dim", "warn"})

    def drawn(self, total: CauseTotal, size: int) -> Toned:
        """One cause."""
        most = max(abs(float(row.share)) for row in self.rows)
        return shortened(cause_parts(total, most, size - 2), size - 2)


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
    facts: Sequence[Fact], room: int, strong: str = "", name: int = NAME, value: int = VALUE, under: int = 0
) -> list[Line]:
    """Facts in columns of a name and a value. A note that has no room stands below, `under` so many cells,
    else those of the name. The fact named `strong` stands out.
    """
    lines: list[Line] = []
    start = " " * (under or name)
    for fact in facts:
        style = "bold $accent" if fact.name == strong else "bold"
        text = fit(fact.value, value) if width(fact.value) < value else fact.value + " "
        lines.append([(fit(flat(fact.name), name), DIM), (text, style)])
        note = flat(fact.note)
        if name + width(text) + width(note) <= room:
            lines[-1].append((note, DIM))
        elif note:
            lines += [[(text, DIM)] for text in wrapped(note, room, start, start)]
    return lines


def overview(figures: Figures, room: int, *, high: bool) -> tuple[list[Line], list[str]]:
    """The estimate, or what stands in its place, and the notes on it that are cut.

    A figure has one line where the screen is not `high`; what has no room there belongs below.
    """
    facts = words.estimate_facts(figures.estimate, assisted=figures.assisted)
    strong = words.estimate_label(figures.estimate)
    if figures.estimate.refusal:
        facts += words.same_facts(figures.rows, figures.paired)
        strong = words.MEAN_DELTA
    name = max(width(fact.name) for fact in facts) + 2
    if high:
        return fact_lines(facts, room, strong=strong, name=max(name, NAME)), []
    shorter = [
        fact._replace(note=cut_words(fact.note, room - name - max(VALUE, width(fact.value) + 1)))
        for fact in facts
    ]
    rest = [f"{fact.name}: {fact.note}" for fact, short in zip(facts, shorter, strict=True) if fact != short]
    return fact_lines(shorter, room, strong=strong, name=name), rest


def notes(figures: Figures, rest: Sequence[str] = ()) -> str:
    """The notes, a sentence a line; first the `rest` of the figures."""
    lines = (*rest, *words.notes(figures), *words.count_lines(figures.counts))
    return "\n".join(f"· {line}" for line in lines)


# Causes.


def cause_parts(total: CauseTotal, most: float, size: int) -> Toned:
    """A cause in `size` cells; a bar of full length stands for `most`."""
    half = min(20, max(3, (size - CAUSE - 50) // 2))
    room = size - CAUSE - 7 - 2 - (2 * half + 1) - 2
    gross, parts = words.cause_gross(total), words.cause_parts(total)
    gross = gross if width(gross) <= room else gross.partition(" (")[0]
    if total.n < FEWEST:
        return [(fit(total.cause, CAUSE), ""), (f"  {gross}", "dim")]
    rest = f"{gross} · {parts}" if parts and width(gross) + 3 + width(parts) <= room else gross
    return [
        (fit(total.cause, CAUSE), ""), (fit(signed(total.share), 7, right=True), ""), ("  ", ""),
        (bar(float(total.share), most, half), "warn"), (f"  {rest}", "dim"),
    ]  # fmt: skip


# Samples.

ASKED = 22
"""Cells next to an id from which the question has its place there."""


def sample_head(size: int, part: str) -> str:
    """The names of the columns over `sample_parts`; `part` names the last number, "" for none."""
    names = _columns(size, "sample", "automatic", "verified", "Δ", part, "main cause")
    return "".join(text for text, _ in names)


def sample_parts(sample: Sample, share: bool, size: int) -> Toned:
    """A sample: id and question, both values, Δ, its part of the figure when asked for, its main cause."""
    row, part = sample
    cells = _key_cells(size)
    name = short(row.id, cells, row.question)
    if name == row.id and cells - width(name) >= ASKED:
        name = cut(f"{name}  {flat(row.question)}", cells)
    numbers = number(row.automatic), number(row.verified), signed(row.delta)
    return _columns(size, name, *numbers, signed(part) if share else "", row.cause)


def _columns(size: int, name: str, *rest: str) -> Toned:
    numbers = "".join(fit(cell, wide, right=True) for cell, wide in zip(rest, (10, 10, 7), strict=False))
    own = fit(rest[3], 8, right=True) if rest[3] else ""
    cause = f"  {rest[4]}" if size - _key_cells(size) - len(numbers + own) > CAUSE + 1 else ""
    return [(fit(name, _key_cells(size)), ""), (numbers, ""), (own, "warn"), (cause, "dim")]


def _key_cells(size: int) -> int:
    return min(90, max(12, size - 30 - 8 - 20))


def sample_line(row: Row, room: int) -> Line:
    """The chosen sample of the scatter picture; its name gives way to the values."""
    values: Line = [
        ("  automatic ", DIM), (number(row.automatic), "bold"),
        ("  verified ", DIM), (number(row.verified), "bold"),
        ("  Δ ", DIM), (signed(row.delta), "bold"), (f"  {row.cause}", DIM),
    ]  # fmt: skip
    left = room - 2 - cells(values[:-1])
    name = short(row.id, min(60, left), row.question)
    if cells([(name, ""), values[-1]]) > left:
        values.pop()  # a part of a cause says little
    return [("◆ ", "bold $warning"), (name, "bold"), *values]


def nothing_yet(figures: Figures, sentences: Sequence[str], *, trained: bool = False) -> str:
    """The answer and what to do while nothing is verified, or nothing that this person may see.

    Who is `trained` makes no plan.
    """
    counts, first, none = figures.counts, " ".join(sentences), "Nothing is verified yet."
    if not figures.run and figures.estimate.automatic.value is None:
        first = f"{many(counts.total, 'sample')}, and nothing is proposed: R in the queue starts a run."
    if verified_samples(counts):
        none = " ".join(figures.notes) or "No verified sample has an automatic value."
    elif other := max((beside.n for beside in figures.beside), default=0):
        none = f"No {figures.kind} is verified: s shows the other kind with {many(other, 'verified sample')}."
    elif counts.unresolved:
        differ = many(counts.unresolved, "sample")
        none = f"People differ in {differ}. In the queue (esc) an adjudicator settles this (J)."
        if counts.unresolved == counts.total:
            return f"{first}\n\n{none}"
    elif not counts.excluded and not trained:
        none += " P in the queue plans how many reviews it takes."
    order = "random order" if figures.planned_n is None else "the order of the plan"
    return (
        f"{first}\n\n{none}\n\n"
        "Go back to the queue (esc) and review some samples (space). Stop whenever you like: the queue is "
        f"in {order}, so what you review in this order is a random sample."
    )
