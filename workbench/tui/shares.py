"""Shares of a difference as they are written: rounded so that they add up, and the short line of causes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from workbench.comparing.explained import in_short, reasons
from workbench.text.figures import delta
from workbench.tui.cells import cut, wrap
from workbench.tui.safe import flat

if TYPE_CHECKING:
    from workbench.comparing.causes import Difference, Row
    from workbench.model import Kind

NAME = 24
"""Cells of a unit's name in the line of causes."""

_SHORT = {"missed unit": "missed", "invented unit": "invented"}


def adding_up(shares: Sequence[Fraction], total: Fraction) -> list[str]:
    """The shares with two digits, rounded so that what is written adds up to the total as it is written.

    Those with the largest remainder are rounded up; a share of 0 stays `.00`.
    """
    exact = [share * 100 for share in shares]
    cents = [number.numerator // number.denominator for number in exact]
    missing = round(float(f"{float(total):.2f}") * 100) - sum(cents)
    nearest = sorted(range(len(exact)), key=lambda index: (cents[index] - exact[index], index))
    for index in nearest[:missing]:
        cents[index] += 1
    return [delta(Fraction(number, 100)) for number in cents]


def causes_line(found: Difference, size: int, *, lead: int = 0, lines: int = 1) -> str:
    """`invented Indian −.10, missed Mumtaz Mahal −.07`: whole causes, the largest first, as many as fit.

    In `lines` lines of `size` cells, the first of which begins with `lead` cells of something else.
    """
    rows = [row for row in found.rows if row.share]
    written = adding_up([row.share or Fraction(0) for row in rows], found.delta or Fraction(0))
    order = sorted(range(len(rows)), key=lambda index: -abs(rows[index].share or Fraction(0)))
    line = ""
    for place, index in enumerate(order):
        longer = f"{line}{', ' if line else ''}{_named(rows[index])} {written[index]}"
        more = ", …" if place < len(order) - 1 else ""
        if len(wrap("x" * lead + longer + more, size)) > lines:
            return f"{line}, …" if line else cut(longer, size - lead)
        line = longer
    return line


def reasons_line(found: Difference, kind: Kind, size: int, lead: int = 0, lines: int = 1) -> str:
    """`3 names in another form, another extraction or judge`: as many reasons as fit, the largest first."""
    line = ""
    said = [in_short(what, units, kind) for what, units, _ in reasons(found)]
    for place, one in enumerate(said):
        longer = f"{line}{', ' if line else ''}{one}"
        more = ", …" if place < len(said) - 1 else ""
        if len(wrap("x" * lead + longer + more, size)) > lines:
            return f"{line}, …" if line else cut(longer, size - lead)
        line = longer
    return line


def _named(row: Row) -> str:
    unit = row.verified or row.automatic
    assert unit is not None  # a row has one of the two
    return f"{_SHORT.get(row.cause, row.cause)} {cut(flat(unit.text), NAME)}"
