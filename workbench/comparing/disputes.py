"""What is a dispute, how much it would move a figure of its dataset, and how long its state holds.

Two values of a sample are in dispute when they differ by more than the tolerance. Settling one to the other
side moves the figure in which the sample stands by |Δ| times its weight there: 1 / n in a plain mean over
the n samples that have both values, that of its stratum in the estimate from a drawn prefix. The list is
ordered by that, ties by the sample's id; what has no Δ, as a flag on a sample without one, comes behind them.
What may not be seen yet comes last, in the order of the review: its place would say how large its Δ is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Literal, get_args

TOLERANCE = 0.1
"""Values that differ by more are a dispute, and count as wrong; exactly so much is none."""

EXACT = 9
"""Digits to which differences of recalls are compared: 2/5 − 3/10 is .1 and nothing above it."""

State = Literal["open", "explained", "fixed"]
STATES: tuple[State, ...] = get_args(State)

Sort = Literal["verified", "scorers", "column", "runs", "annotators", "flag"]
SORTS: tuple[Sort, ...] = get_args(Sort)
"""Who disagrees: a scorer with the verified value, two scorers, a column that came with the file with what
is counted from its traces, two runs, annotators with each other, a person who flagged a sample with it."""

AUTOMATIC: tuple[Sort, ...] = ("scorers", "column", "runs")
"""Where both values are automatic."""

_STAMP = re.compile(r"\[([^\]]*)\] ?(.*)", re.DOTALL)


Values = tuple[float, float, float, float]
"""Two values of a sample in dispute, first − second, and what settling it moves."""

HIDDEN = 2.0
"""Where those stand of which nothing may be seen yet: behind all others."""


def apart(
    first: Mapping[int, float], second: Mapping[int, float], weights: Mapping[int, float] | None = None
) -> dict[int, Values]:
    """The samples on which two columns of recalls differ by more than the tolerance.

    `weights` are those of the samples in the figure; any other weighs 1 / n: n have both values.
    """
    both, known = first.keys() & second.keys(), weights or {}
    pairs = ((number, first[number], second[number]) for number in both)
    return {
        number: held_apart(one, other, known.get(number, 1 / len(both)))
        for number, one, other in pairs
        if disputed(one - other)
    }


def held_apart(first: float, second: float, weight: float) -> Values:
    """Two values of a sample with this weight in the figure."""
    return first, second, first - second, abs(first - second) * weight


def disputed(delta: Fraction | float) -> bool:
    """Whether a difference is beyond the tolerance."""
    return round(abs(float(delta)), EXACT) > TOLERANCE


def place(moves: float | None, name: str, between: str, turn: int | None = None) -> tuple[object, ...]:
    """The place of a dispute among all; `moves` None comes behind, a hidden one by its `turn` last.

    Moves are rounded, so that equal differences are a tie however the fractions came about.
    """
    if turn is not None:
        return HIDDEN, turn, name, between
    return 1.0 if moves is None else -round(moves, 12), 0, name, between


def stamp(first: float, second: float) -> str:
    """What a state was said of: both values to four digits."""
    return f"{first:.4f}~{second:.4f}"


def worded(says: str) -> str:
    """The same of what has no two values: its words, without what would end the stamp."""
    return says.replace("[", "(").replace("]", ")")[:80]


def stamped(note: str, of: str) -> str:
    """A note as it is kept: in front of it what it was said of, so that whoever reads the table sees both."""
    return f"[{of}] {note}".rstrip(" ")


def standing(state: State, text: str, now: str) -> tuple[State, str]:
    """The state that holds now, and the note without its stamp.

    A state holds for what it was said of: when a value changes since, the dispute is open again. What is
    called fixed and is in the list with the same values still differs.
    """
    match = _STAMP.fullmatch(text)
    if match is None:
        return state, text
    of, note = match.groups()
    return (state if of == now else "open"), note


def named(betweens: Iterable[str]) -> set[str]:
    """The scorers, columns and `verified` that some betweens name; runs, annotators and flags have none."""
    return {
        side for between in betweens if "~" in between and ":" not in between for side in between.split("~")
    }
