"""Agree: whether people agree, and with the machine; below that the parts, least agreed labels first."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from textual.app import ComposeResult
from textual.widgets import Static

from workbench.reports import suggested
from workbench.reports.team import agree_facts, agree_line, parts_table
from workbench.stages import policy
from workbench.stages.agree import AgreeReport, By, agree
from workbench.text.safe import flat
from workbench.tui import view
from workbench.tui.keys import bindings
from workbench.tui.screens.base import Room
from workbench.tui.screens.dialogs import ReadScreen
from workbench.tui.widgets.bars import SectionBar, write
from workbench.tui.widgets.lines import Lines, Toned
from workbench.tui.widgets.passage import Passage

TABLES: dict[By, str] = {"label": "labels", "pair": "pairs", "week": "weeks"}
NOBODY, ASKS = "No two people decided the same sample yet", ": workbench assign --overlap 2 asks for it"


class PartRows(Lines[str]):
    """The lines of a table, as `workbench agree` prints them."""

    def drawn(self, row: str, _size: int) -> Toned:
        """One line."""
        return [(flat(row), "")]


class AgreeScreen(Room):
    """The words and tables are those of the command."""

    NAME, PARTS = "Agree", len(TABLES)
    CSS_PATH = "../styles/agree.tcss"
    BINDINGS = bindings("agree")

    report: AgreeReport | None = None

    def body(self) -> ComposeResult:
        """The answer, its figures, the names of the parts, one of them."""
        yield Static(id="answer")
        yield Passage(id="facts")
        yield SectionBar([*TABLES.values()])
        yield Static(id="columns")
        yield PartRows(id="parts")

    async def read(self) -> None:
        """Count agreement for the part that is shown."""
        by = [*TABLES][self.at - 1]
        with self.telling("counting") as count:
            desk = await self.desk.fresh()
            read = partial(agree, desk.store, desk.info, desk.annotator, by, on_screen=True, progress=count)
            self.report = await asyncio.to_thread(read)
        self._show(self.report)

    def _show(self, report: AgreeReport) -> None:
        write(self, "#answer", flat(agree_line(report)))
        self.query_one(Passage).show("\n".join(map(flat, agree_facts(report))))
        self.query_one(SectionBar).at = self.at
        lines: Sequence[str] = parts_table(report, narrow=self.size.width < 80)
        asks = ASKS if self.desk.info.training_of is None else ""  # in a training one reviews alone
        write(self, "#columns", f"  {flat(lines[0])}" if lines else suggested(f"{NOBODY}{asks}."))
        self.query_one(PartRows).put(lines[1:], 0)
        self.refresh_bindings()

    def resized(self) -> None:
        """Other columns."""
        if self.report is not None:
            self._show(self.report)

    # Keys.

    def closed(self, action: str) -> str | None:
        """Lines are moved in where there are some."""
        none = action in ("move", "page") and not self.query_one(PartRows).count
        return "no two people decided the same sample yet" if none else None

    def action_section(self, number: int) -> None:
        """Show a part."""
        self.at = number
        self.work(self.read)

    async def action_open(self) -> None:
        """The guidelines, those of the label under the cursor first."""

        async def read() -> None:
            versions = await self.desk.store.read(policy.versions, self.desk.info.id)
            rules = versions[-1].policy
            labels = [*self.report.labels] if self.report else []
            label = labels[self.query_one(PartRows).cursor] if labels else ""
            own = f"{label}: {view.guideline(rules.guidelines, label)}\n\n" if label else ""
            title = f"Guidelines for {label}" if label else "Guidelines"
            await self.bench.ask(ReadScreen(title, own + view.guidelines_text(versions, 0)))

        self.work(read)
