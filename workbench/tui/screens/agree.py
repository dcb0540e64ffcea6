"""Agree: whether people agree, and with the machine; below that the parts, least agreed labels first."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from workbench.stages import policy
from workbench.store.datasets import dataset_info
from workbench.text.safe import flat
from workbench.tui import view
from workbench.tui.keys import key, moving
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import ReadScreen
from workbench.tui.widgets.bars import Head, KeyBar, SectionBar, Status
from workbench.tui.widgets.lines import RowList
from workbench.tui.widgets.passage import Passage

if TYPE_CHECKING:
    from workbench.stages.agree import AgreeReport, By
    from workbench.stages.desk import Desk

PARTS: dict[By, str] = {"label": "labels", "pair": "pairs", "week": "weeks"}
NOBODY = "No two people decided the same sample yet: workbench assign --overlap 2 asks for it."


class PartRows(RowList[str]):
    """The lines of a table, as `workbench agree` prints them."""

    BASE = "parts--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"parts--row", "parts--cursor"}

    def drawn(self, row: str, size: int, *, here: bool) -> list[Segment]:
        """One line."""
        style = self.part("parts--cursor" if here else "parts--row")
        return [Segment(("▸ " if here else "  ") + flat(row), style), Segment(" " * size, style)]


class AgreeScreen(BaseScreen):
    """Reads only. The words and tables are those of the command."""

    REFUSAL = "no two people decided the same sample yet"
    LEGEND = (("F1", "units of both, of all that the two have"), ("–", "below ten samples, or not defined"))
    WORDS = ("unit", "interval", "κ, AC1", "adjudicated")
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            key(str(number), f"section({number})", f"Show {name}", f"agree.section_{number}", "View",
                "show" if number == 1 else "")
            for number, name in enumerate(PARTS.values(), 1)
        ),
        key("tab right", "turn(1)", "The next part", "agree.next", "View"),
        key("shift+tab left", "turn(-1)", "The part before", "agree.previous", "View"),
        key("enter g", "open", "Guidelines of this label", "agree.guidelines", "View", "guidelines"),
        key("r f5", "reread", "Read again", "agree.reread", "View"),
        *moving("agree", "line", "pagedown space"),
        key("escape b G", "back", "Back", "agree.back", "View", "back"),
        key("q", "app.quit", "Quit", "agree.quit", "View"),
    ]  # fmt: skip

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.at = 1
        self.report: AgreeReport | None = None

    def compose(self) -> ComposeResult:
        """The answer, its figures, the names of the parts, one of them."""
        yield Head(id="head")
        yield Static(id="answer")
        yield Passage(id="facts")
        yield SectionBar(list(PARTS.values()), id="sections")
        yield Static(id="columns")
        yield PartRows(id="parts")
        yield Status(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Read it; keys wait for it."""
        self.query_one(Head).place("Agree", self.desk.info.name, self.desk.annotator)
        self.work(self._read)

    async def _read(self) -> None:
        from workbench.stages.agree import agree

        by = [*PARTS][self.at - 1]
        with self.telling("counting") as count:
            info = await self.desk.store.read(dataset_info, self.desk.info.id)
            self.report = await asyncio.to_thread(agree, self.desk.store, info, by, progress=count)
        self._show(self.report)

    def _show(self, report: AgreeReport) -> None:
        from workbench.reports.team import agree_facts, agree_line, parts_table

        self.query_one("#answer", Static).update(Content(flat(agree_line(report))))
        self.query_one(Passage).show("\n".join(map(flat, agree_facts(report))))
        self.query_one(SectionBar).show(self.at)
        lines: Sequence[str] = parts_table(report)
        self.query_one("#columns", Static).update(Content(f"  {flat(lines[0])}" if lines else NOBODY))
        self.query_one(PartRows).put(lines[1:], 0)
        self.refresh_bindings()

    def on_section_bar_asked(self, event: SectionBar.Asked) -> None:
        """A part was clicked."""
        event.stop()
        self.action_section(event.number)

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Lines are moved in where there are some."""
        return None if action in ("move", "page") and not self.query_one(PartRows).count else True

    def action_section(self, number: int) -> None:
        """Show a part."""
        self.at = int(number)
        self.work(self._read)

    def action_turn(self, step: int) -> None:
        """The part next to this one, round the end."""
        self.action_section((self.at - 1 + int(step)) % len(PARTS) + 1)

    def action_reread(self) -> None:
        """Read again: others review too."""
        self.work(self._read)

    async def action_open(self) -> None:
        """The guidelines, those of the label under the cursor first."""
        self.work(self._guidelines)

    async def _guidelines(self) -> None:
        versions = await self.desk.store.read(policy.versions, self.desk.info.id)
        rules = versions[-1].policy
        labels = [*self.report.labels] if self.report else []
        label = labels[self.query_one(PartRows).cursor] if labels else ""
        own = f"{label}: {view.guideline(rules.guidelines, label)}\n\n" if label else ""
        title = f"Guidelines for {label}" if label else "Guidelines"
        await self.bench.ask(ReadScreen(title, own + view.guidelines_text(versions, 0)))
