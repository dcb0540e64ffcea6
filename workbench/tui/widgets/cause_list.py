"""Two assessments side by side: a row a unit, with the cause of a difference, in words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from workbench.comparing.answer_words import in_short
from workbench.comparing.causes import Difference, UnitRow
from workbench.comparing.explained import LEAST, reasons, shown_rows, shows
from workbench.comparing.links import covered
from workbench.model import Kind, Unit
from workbench.reports.units import ROUND, RULES, UNITLESS, cause_of
from workbench.scoring.names import scorer_name
from workbench.text.cells import cut, fit, width, wrap
from workbench.text.figures import UNDEFINED, delta
from workbench.text.safe import flat
from workbench.tui.widgets.lines import Lines, Toned, in_lines

if TYPE_CHECKING:
    from workbench.stages.why import Why


def source(why: Why, *, wide: bool) -> str:
    """Whose value is compared: `yours (context_entity_recall)`, `name matching · rules`."""
    if why.digits:
        return f"yours ({flat(why.scorer)})" if wide else "yours"
    return flat(why.source.replace(why.scorer, scorer_name(why.scorer), 1))


def linked_by(row: UnitRow) -> str:
    """Why the two units of a row are one; "" for a single unit."""
    ours, theirs = row.automatic, row.verified
    if row.rule == "lineage" and ours is not None and theirs is not None:
        both = ((unit.text, unit.label, covered(unit)) for unit in (ours, theirs))
        if next(both) != next(both):
            return "the same unit, edited by a reviewer"
    return RULES.get(row.rule, "")


def totals(why: Why) -> str:
    """`invented unit 1 −.10 · missed unit 1 −.07`: how many units, and what they come to."""
    listed = [total for total in why.totals if shows(total.cause, total.share)]
    said = [
        f"{total.cause}{'' if total.cause in UNITLESS else f' {total.units}'}"
        f"{'' if why.delta is None else f' {delta(total.share)}'}"
        for total in listed
    ]
    return " · ".join(said) or "both sides agree in every unit"


def reported(why: Why) -> str:
    """The number that the scorer itself reports, where it is not the exact fraction (ragas)."""
    recall = why.automatic.recall
    if why.digits or why.value is None or recall is None or why.value == float(recall):
        return ""
    return f" (reports {why.value:.10f})"


# The shares of a difference, and the short lines of its causes.

NAME = 24
"""Cells of a unit's name in the line of causes."""

_SHORT = {"missed unit": "missed", "invented unit": "invented"}


def causes_line(difference: Difference, size: int, lead: int, lines: int) -> str:
    """`invented Indian −.10, missed Mumtaz Mahal −.07`: the causes, the largest first; see `whole_parts`."""
    rows = [row for row in shown_rows(difference.rows) if row.share]
    return whole_parts([f"{_named(row)} {delta(row.share)}" for row in rows], size, lead, lines)


def reasons_line(difference: Difference, kind: Kind, size: int, lead: int = 0, lines: int = 1) -> str:
    """`3 names not recognised, 1 name left out`: the largest first; see `whole_parts`.

    `recount −.75: 3 names not recognised; untraced +.60` where a recount has another value than the file:
    the units are then its own, and without room for them the two figures stay. `these cancel: …` where the
    values are equal all the same.
    """
    known = reasons(difference)
    parts = [in_short(what, units, kind) for what, units, _ in known]
    equal = abs(difference.delta or Fraction(0)) < LEAST
    beside = [share for what, _, share in known if what == "untraced"]
    if len(parts) > 1 and beside:
        if equal:  # the errors of the recount are none of this score
            return ""
        rest = sum((share for _, _, share in known), -beside[0])
        untraced, recount = f"untraced {delta(beside[0])}", f"recount {delta(rest)}"
        why = f"{recount}: {', '.join(part for part in parts if part != 'untraced')}"
        recount_first = abs(rest) > abs(beside[0])
        parts = [recount, untraced] if recount_first else [untraced, recount]
        whole = f"{why}; {untraced}" if recount_first else f"{untraced}, {why}"
        if len(wrap("x" * lead + whole, size)) <= lines:
            return whole
    elif parts and equal:
        parts[0] = f"these cancel: {parts[0]}"
    return whole_parts(parts, size, lead, lines)


def whole_parts(parts: Sequence[str], size: int, lead: int, lines: int) -> str:
    """As many whole parts as fit in `lines` lines of `size` cells, then `…`; only a first part is ever cut.

    The first line begins with `lead` cells of something else.
    """
    line = ""
    for index, part in enumerate(parts):
        longer = f"{line}{', ' if line else ''}{part}"
        more = ", …" if index < len(parts) - 1 else ""
        if len(wrap("x" * lead + longer + more, size)) > lines:
            return f"{line}, …" if line else cut(longer, size - lead)
        line = longer
    return line


def _named(row: UnitRow) -> str:
    unit = row.verified or row.automatic
    assert unit is not None  # a row has one of the two
    return f"{_SHORT.get(row.cause, row.cause)} {cut(flat(unit.text), NAME)}"


SHARE = 5

LONG = 100
"""Cells of the list from which a cause is written with its part."""


class CauseColumns(NamedTuple):
    """Cells for the wording on each side and for the cause."""

    text: int
    cause: int


class CauseList(Lines["UnitRow"]):
    """One row for two linked units or one without a link, the cursor on the one that is explained below."""

    shares: Sequence[str] = ()
    columns = CauseColumns(8, 8)
    _why: Why
    _causes: Sequence[str] = ()
    _wrapped: Sequence[tuple[list[str], list[str]]] = ()
    """The lines of both wordings of each row."""

    def show(self, why: Why) -> None:
        """Show these rows, the largest share first."""
        self.rows, self._why, self.cursor = shown_rows(why.rows), why, 0
        self.shares = [
            UNDEFINED if why.delta is None else delta(row.share or Fraction(0)) for row in self.rows
        ]
        self.lay_out()
        self.redraw()
        self.reveal(self.cursor)

    @property
    def share(self) -> str:
        """The share of the row under the cursor, as it is written."""
        return self.shares[self.cursor]

    def lay_out(self) -> None:
        """Columns for what there is, and the wordings in their lines."""
        size = self.scrollable_content_region.width
        long = size >= LONG
        self._causes = [cause_of(row, self._why) if long else row.cause for row in self.rows]
        self.columns = plan(size, self._causes)
        self._wrapped = [(self._wrap(row.automatic), self._wrap(row.verified)) for row in self.rows]
        self.lay(max(map(len, both)) for both in self._wrapped)

    def _wrap(self, unit: Unit | None) -> list[str]:
        text, size = flat(unit.text) if unit else "—", self.columns.text
        lines = in_lines(text, size) if self._why.kind == "statement" else [text]
        return [fit(line, size) for line in lines]

    def parts(self, line: int, _size: int) -> Toned:
        """A line of a row."""
        index = self.entry_at(line)
        if index < 0:
            return []
        part = line - self._firsts[index]
        row, here = self.rows[index], index == self.cursor
        words = "" if row.cause or here else "dim"
        parts = [("▸ " if here and not part else "  ", "")]
        if row.cause in UNITLESS:
            room = 2 * (len("● ") + self.columns.text + len("  "))
            parts.append((fit(UNITLESS[row.cause], room), words))
        sides = zip(self._wrapped[index], (row.automatic, row.verified), strict=True)
        for wrapped, unit in () if row.cause in UNITLESS else sides:
            text = wrapped[part] if part < len(wrapped) else " " * self.columns.text
            sign = ROUND.get(unit.match.verdict or "", "·") if unit and not part else " "
            tone = "good" if unit and unit.match.verdict == "found" else "warn"
            parts += [(f"{sign} ", tone), (text, words if unit else "dim"), ("  ", "")]
        cause = "" if part else self._causes[index]
        share = self.shares[index] if row.cause and not part else ""
        return [*parts, (fit(cause, self.columns.cause), "warn"), ("  " + fit(share, SHARE, right=True), "")]


def column_names(columns: CauseColumns, ours: str, theirs: str) -> str:
    """The line above the rows; both sides by their names."""
    text, cause = columns
    names = f"    {fit(ours, text)}    {fit(theirs, text)}  {fit('cause', cause)}"
    return f"{names}  {fit('share', SHARE, right=True)}"


def plan(size: int, causes: Sequence[str]) -> CauseColumns:
    """What the causes need, the rest in two halves for the wordings, at most 44 cells each.

    What is left over goes to the causes, so that the shares stand at the right edge.
    """
    cause = max(map(width, causes), default=0)
    room = size - len("▸ ") - 2 * len("● ") - 3 * len("  ") - SHARE
    text = max(8, min(44, (room - max(cause, len("cause"))) // 2))
    return CauseColumns(text, room - 2 * text)
