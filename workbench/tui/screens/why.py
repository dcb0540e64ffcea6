"""Why automatic and verified differ: both assessments side by side, and the evidence of one row."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from workbench.comparing.causes import UnitRow
from workbench.model import PLURAL, RESOLVED, Kind, Unit
from workbench.reports import units
from workbench.stages.desk import Desk
from workbench.stages.why import Why, explain, fix
from workbench.text.cells import short
from workbench.text.figures import delta
from workbench.text.safe import flat
from workbench.tui.keys import bindings
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import choose_scorer
from workbench.tui.view import of_others, unit_lines
from workbench.tui.widgets.bars import DIM, Bar, Head, Line, write
from workbench.tui.widgets.cause_list import CauseList, column_names, linked_by, reported, source, totals
from workbench.tui.widgets.passage import Passage


class WhyScreen(BaseScreen):
    """Reads only: what it shows is opened with the screen and when another scorer or kind is asked for."""

    CSS_PATH = "../styles/why.tcss"
    BINDINGS = bindings("why")

    def __init__(self, desk: Desk, why: Why) -> None:
        super().__init__()
        self.desk = desk
        self.why = why
        self._listed = CauseList(id="causes")

    def body(self) -> ComposeResult:
        """Both values, the rows, what they come to, and one row in full."""
        yield Bar(id="values")
        yield Static(id="columns")
        yield self._listed
        yield Bar(id="sum")
        yield Static(id="totals")
        yield Static(id="cause")
        with Horizontal(id="sides"):
            yield Passage(id="automatic")
            yield Passage(id="verified")

    def on_mount(self) -> None:
        """What was read is shown; keys run."""
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self._show()
        self.bench.open_gate()

    async def _read(self, kind: Kind, scorer: str | None) -> None:
        at = self.why.opened.sample_id
        self.why = await self.desk.store.read(explain, at, self.desk.annotator, kind=kind, scorer=scorer)
        self._show()

    # Drawing.

    def _show(self) -> None:
        why, opened = self.why, self.why.opened
        differ = "would differ" if why.undecided else "differ"
        self.query_one(Head).show(
            [(f"Why automatic and verified {differ}", "bold"), (f"  {PLURAL[why.kind]}", DIM)],
            [(short(opened.sample.id, 1000, opened.stored.question), "bold")],
        )
        wide = self.has_class("-wide")
        value = reported(why) if wide else ""
        ours, theirs, narrow = source(why, wide=wide), flat(why.verified_by), self.size.width < 80
        if why.kind in opened.settled:
            theirs = units.settled_as(opened, why.kind) if wide else "settled"
        elif why.digits and not wide and not why.undecided:
            theirs = "verified"
        own = units.you_had(opened, why.kind)
        self.query_one("#values", Bar).show(
            [
                (ours.partition(" · ")[0] if narrow else ours, ""),
                (f" {units.automatic_value(why)}", "bold"),
                (value, DIM),
                (f"{'  ' if narrow else '   '}{theirs}", ""),
                (f" {units.tally(why.verified)}", "bold"),
                (own.replace(" · ", ", ") if narrow else own, ""),
            ],
            [("Δ " if narrow else " Δ ", "$accent"), (delta(why.delta), "bold $accent")],
        )
        self._listed.show(why)
        write(self, "#columns", column_names(self._listed.columns, *units.heads(why)))
        for name, head in zip(("#automatic", "#verified"), units.heads(why), strict=True):
            self.query_one(name).border_title = head.capitalize()
        self.query_one("#sum", Bar).show(
            [(units.exact(why), DIM)],
            [("the causes add up to ", DIM), (delta(why.delta), "bold $accent"), (" ", "")],
        )
        write(self, "#totals", totals(why))
        self.say(units.fitted_note(why))
        self.moved()

    def resized(self) -> None:
        """Everything in the new room, the same row chosen."""
        at = self._listed.cursor
        self._show()
        self._listed.move_to(at)

    def moved(self) -> None:
        """Show the row under the cursor in full."""
        row = self._listed.chosen
        if row is None:
            return
        write(self, "#cause", self._cause(row))
        nothing = "" if row.cause in units.UNITLESS else "no such unit on this side"
        for name, unit in (("automatic", row.automatic), ("verified", row.verified)):
            self.query_one(f"#{name}", Passage).show(self._side(name, unit), nothing=nothing)

    def _cause(self, row: UnitRow) -> list[Line]:
        first: Line = []
        if row.cause:
            first = [(units.cause_of(row, self.why), "bold $warning")]
            if row.share is not None:
                first.append((f" {self._listed.share}", "bold"))
                if self.has_class("-wide") and row.cause not in units.UNITLESS:
                    first.append((f" (exactly {units.fraction(row.share)})", DIM))
            first.append(("  ", ""))
        lines: list[Line] = [[*first, (units.sentence(row, self.why), "")]]
        if todo := fix(row, self.why):
            of = " of the recount" if self.why.untraced and row.cause not in units.UNITLESS else ""
            lines.append([(f"Fix{of}: ", DIM), (todo, "")])
        beside = f"next to “{flat(row.beside.text)}”" if row.beside is not None else ""
        return [*lines, [(linked_by(row) or beside, DIM)]]

    def _side(self, name: str, unit: Unit | None) -> str:
        if unit is None:
            return ""
        opened, kind = self.why.opened, self.why.kind
        stands = (RESOLVED, opened.whose(kind)) if kind in opened.settled else ()
        facts, *evidence = unit_lines(unit, opened, self.why.whose)
        if name == "verified":
            evidence += of_others(unit, opened, stands)
        wording = flat(unit.text)
        if unit.kind == "statement":  # it takes several lines, and stands in the list above
            return "\n".join([*evidence, wording, facts])
        return "\n".join([wording, facts, *evidence])

    # Keys.

    def closed(self, action: str) -> str | None:
        """Another kind is asked for where there is one."""
        one = action == "kind" and len(self.desk.info.kinds) < 2
        return "this dataset reviews one kind only" if one else None

    def action_difference(self, step: int) -> None:
        """To another row with a cause."""
        if not self._listed.move_to_next(step, attrgetter("cause")):
            self.say("nothing else differs")

    def action_scroll(self, step: int) -> None:
        """A page of the evidence."""
        for passage in self.query(Passage):
            passage.page(step)

    async def action_scorer(self) -> None:
        """Choose another scorer of this kind."""
        why = self.why
        await choose_scorer(
            self, dict.fromkeys(why.scorers, ""), why.scorer, lambda name: self._read(why.kind, name)
        )

    def action_kind(self) -> None:
        """The other kind of units."""
        other: Kind = "statement" if self.why.kind == "entity" else "entity"
        self.work(partial(self._read, other, None))

    def action_copy(self) -> None:
        """Copy what is selected with the mouse, else the row."""
        row, line = self._listed.chosen, ""
        if row is not None:
            sides = [unit.text if unit else "—" for unit in (row.automatic, row.verified)]
            line = units.sentence(row, self.why) if row.cause in units.UNITLESS else " | ".join(sides)
            if row.cause:
                line += f" · {units.cause_of(row, self.why)} {self._listed.share}"
        self.copy(line)


async def open_why(
    screen: BaseScreen, desk: Desk, sample_id: int, kind: Kind, scorer: str | None = None
) -> None:
    """Put the Why screen over another one; keys wait until it is there.

    Raises InputError while there is nothing to show.
    """
    screen.bench.gate.close()
    why = await desk.store.read(explain, sample_id, desk.annotator, kind=kind, scorer=scorer)
    await screen.bench.push_screen(WhyScreen(desk, why))
