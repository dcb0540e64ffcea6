"""Marked text: which stretches of a line are drawn how, when marks nest, overlap or touch."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from workbench.model import Sample, Span, Unit

OVER = frozenset({"place", "here", "passage"})
"""The roles of what was searched for or looked at: drawn over everything, and no unit."""


class Mark(NamedTuple):
    """A stretch of a text to draw in a role; `owner` is the unit it belongs to."""

    start: int
    end: int
    role: str
    owner: str = ""
    chosen: bool = False


class Piece(NamedTuple):
    """A stretch of one line: the mark on top and how many lie below.

    On top is what was searched for, else the chosen mark, else the innermost.
    """

    start: int
    end: int
    mark: Mark | None
    depth: int
    odd: bool


class MarkedLines:
    """The marks of a text by line, so that drawing a line looks at its own marks only."""

    def __init__(self, lines: Sequence[tuple[int, int]], marks: Iterable[Mark]) -> None:
        ordered = sorted(marks, key=lambda mark: (mark.start, -mark.end))
        self._by_line: dict[int, list[tuple[Mark, bool]]] = {}
        starts = [start for start, _ in lines]
        touching, odd = -1, False
        for mark in ordered:
            if mark.end <= mark.start:
                continue
            # Two marks that touch get two shades, or they would read as one.
            odd = not odd if mark.start == touching else False
            touching = max(touching, mark.end)
            line = max(0, bisect_right(starts, mark.start) - 1)
            while line < len(lines) and lines[line][0] < mark.end:
                self._by_line.setdefault(line, []).append((mark, odd))
                line += 1

    def pieces(self, line: int, start: int, end: int) -> list[Piece]:
        """The line from `start` to `end` as pieces without gaps."""
        marks = self._by_line.get(line)
        if not marks:
            return [Piece(start, end, None, 0, False)]
        cuts = {start, end}
        for mark, _ in marks:
            cuts.update(cut for cut in (mark.start, mark.end) if start < cut < end)
        edges = sorted(cuts)
        pieces = []
        for a, b in pairwise(edges):
            over = [(mark, odd) for mark, odd in marks if mark.start <= a and b <= mark.end]
            if not over:
                pieces.append(Piece(a, b, None, 0, False))
                continue
            top, odd = min(over, key=lambda pair: _height(pair[0]))
            pieces.append(Piece(a, b, top, len({mark.owner for mark, _ in over}) - 1, odd))
        return pieces

    def of_line(self, line: int) -> list[Mark]:
        """The marks of a line."""
        return [mark for mark, _ in self._by_line.get(line, ())]

    def mark_at(self, line: int, offset: int) -> Mark | None:
        """The innermost mark that covers a place of a line."""
        here = self._by_line.get(line, ())
        over = [mark for mark, _ in here if mark.start <= offset < mark.end and mark.role not in OVER]
        return min(over, key=lambda mark: mark.end - mark.start) if over else None


def _height(mark: Mark) -> tuple[bool, bool, int]:
    return mark.role not in OVER, not mark.chosen, mark.end - mark.start


def reference_marks(units: Iterable[Unit], chosen: Unit | None, typed: tuple[Span, ...] = ()) -> list[Mark]:
    """Every unit where it stands in the reference, the chosen one on top; typed text over all."""
    marks = []
    for unit in units:
        is_chosen = chosen is not None and unit.id == chosen.id
        if unit.duplicate_of and not is_chosen:
            continue  # it stands where its first mention is marked already
        role = "rejected" if not unit.counted else _role(unit)
        marks += [Mark(span.start, span.end, role, unit.id, is_chosen) for span in unit.spans]
    marks += [Mark(span.start, span.end, "open", "", True) for span in typed]
    return marks


def _role(unit: Unit) -> str:
    return {"found": "found", "missing": "missing"}.get(unit.match.verdict or "", "open")


def context_marks(
    units: Iterable[Unit], chosen: Unit | None, offset_of: Callable[[int, int], int | None]
) -> list[Mark]:
    """The evidence of the chosen unit, faintly that of the others; `offset_of` finds a place of a context."""
    marks = []
    for unit in units:
        if not unit.counted:
            continue
        is_chosen = chosen is not None and unit.id == chosen.id
        for evidence in unit.match.evidence:
            start = offset_of(evidence.context, evidence.start)
            if start is not None:
                end = start + evidence.end - evidence.start
                marks.append(Mark(start, end, "mention", unit.id, is_chosen))
    return marks


def marked_texts(sample: Sample, units: Sequence[Unit]) -> Iterator[tuple[str, str, list[Mark]]]:
    """The reference and each context: its title, its text, the marks of these units."""
    yield "Reference", sample.reference, reference_marks(units, None)
    contexts = sample.retrieved_contexts
    for index, text in enumerate(contexts):

        def place(context: int, start: int, here: int = index) -> int | None:
            return start if context == here else None

        yield f"Context {index + 1} of {len(contexts)}", text, context_marks(units, None, place)
