"""The automatic and the verified tally of a sample, and their difference, once it is decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from workbench.model import Imported, Kind, Tally, count
from workbench.reports.units import counted, first_of, tally
from workbench.scoring.names import scorer_name
from workbench.text.figures import delta
from workbench.tui.widgets.bars import DIM, Line, as_text, cells, shortened
from workbench.tui.widgets.cause_list import causes_line, reasons_line
from workbench.tui.widgets.lines import in_lines

if TYPE_CHECKING:
    from workbench.comparing.causes import Difference
    from workbench.stages.review import AutoScore, Opened

GAP = "   "
PEOPLE = 3
"""People at most who have a line each for what they have of a unit."""
REASON = 4
"""Lines at most of why a unit is found or missing; enter shows all of it."""
NARROW = 90
"""Cells of a line below which the scorer is not named."""


def score_name(score: AutoScore) -> str:
    """What a score is called where one value is shown: that of the file is yours."""
    return "yours" if isinstance(score.tally, Imported) else scorer_name(score.scorer)


MORE = " (w)"
"""The key that says more, where it does."""


class Tallies(Widget):
    """`yours .17   verified 4/6 .67`, below it `−.50: 3 names not recognised`; or all on one line.

    Without a number of the file `name matching 3/6 .50   verified 4/6 .67`, `Δ −.17: invented Indian −.10`.

    Nothing is counted before the decision: the units open as the machine matched them, so a running
    count would be the automatic value under another name.
    """

    note: reactive[Sequence[str]] = reactive(())
    """What is known of the unit: takes the place of the message where nothing else says it."""
    reason = ""
    """The longest note of a unit of this sample."""
    _people = 1
    _auto: AutoScore | None = None
    _kind: Kind = "entity"
    _verified: Tally | None = None
    _word = "verified"
    _causes: Difference | None = None
    _hidden = _nothing = False

    def show(self, opened: Opened, kind: Kind) -> None:
        """Show what may be seen of this sample."""
        state = opened.state.of(kind)
        self._people = min(PEOPLE, len(opened.over.people.get(kind, ()))) if opened.over else 1
        self._auto, self._kind = first_of(opened.automatic, kind), kind
        self._verified = count(opened.standing[kind].assessment.units) if kind in opened.standing else None
        self._word = "settled" if kind in opened.settled else "verified"
        self._causes = opened.causes.get(kind)
        self._nothing = opened.base is None and not opened.blind
        self._hidden = kind not in opened.standing and state.disposition != "excluded"
        self.set_class(self._causes is not None and bool(self._causes.totals), "-causes")
        self.refresh()

    def lines_at(self, size: int) -> int:
        """Lines of `size` cells where there is no column for it: for the longest reason, as long as it is
        shown, and one for each of some people who differ."""
        reason = in_lines(self.reason, size, REASON) if self._hidden else ()
        return max(self._people, len(reason))

    def _parts(self, size: int, lines: int = 1, *, narrow: bool = False) -> tuple[Line, Line, Line]:
        """The automatic value, the verified one, and their difference with the causes that fit."""
        auto: Line = []
        if self._auto is not None:
            name = "auto" if narrow and isinstance(self._auto.tally, Tally) else score_name(self._auto)
            auto = [(name, ""), (f" {counted(self._auto.tally)}", "bold")]
        elif self._hidden and not self._nothing:
            auto = [("The automatic value appears after you accept.", DIM)]
        elif self._nothing or self._verified is not None:
            auto = [("no automatic value", DIM)]
        if self._verified is None:
            return auto, [], []
        yours = self._auto is not None and isinstance(self._auto.tally, Imported)
        verified: Line = [(self._word, ""), (f" {tally(self._verified)}", "bold")]
        if self._causes is None:
            return auto, verified, []
        difference: Line = [("" if yours else "Δ ", "$accent"), (delta(self._causes.delta), "bold $accent")]
        lead = cells(difference) + len(": ")
        causes = (
            reasons_line(self._causes, self._kind, size, lead, lines)
            if yours
            else causes_line(self._causes, size, lead, lines)
        )
        if causes:
            difference.append((f": {causes}", ""))
        if lines > 1 or cells(difference) + len(MORE) <= size:
            difference.append((MORE, DIM))
        return auto, verified, difference

    def render(self) -> Content:
        """One line, or as many as there is room for; the causes wrap."""
        size, height = self.content_size
        has_pane = height > 1 and self.screen.has_class("-wide")  # of the unit, which says more
        if self._hidden and not has_pane:
            most = height // max(1, len(self.note))
            told = [line for note in self.note for line in in_lines(note, size, max(1, most))]
            return Content.assemble(("\n".join(told), DIM))
        if height < 2:
            narrow = size < NARROW
            auto, verified, _ = self._parts(size, narrow=narrow)
            left = size - cells(auto) - cells(verified) - 2 * len(GAP)
            return as_text([shortened(_joined(auto, verified, self._parts(left, narrow=narrow)[2]), size)])
        auto, verified, difference = self._parts(size, height - 1)
        if self._verified is None:
            return as_text([auto])
        both = _joined(auto, verified)
        lines = [both] if cells(both) <= size else [shortened(auto, size), shortened(verified, size)]
        return as_text([*lines, difference])


def _joined(*groups: Line) -> Line:
    parts: Line = []
    for group in groups:
        parts += [(GAP, ""), *group] if parts and group else group
    return parts
