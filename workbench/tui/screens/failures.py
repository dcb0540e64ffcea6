"""The samples that a run could not speak of, each with what was said and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from workbench.text.figures import many
from workbench.text.safe import name_of
from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.base import BaseScreen
from workbench.tui.widgets.bars import DIM, Head, KeyBar, Part, Status, as_text
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.run_list import FailedList
from workbench.tui.work import start

if TYPE_CHECKING:
    from workbench.tui.desk import Desk


class FailuresScreen(BaseScreen):
    """Enter opens a sample, so that a person can do what the run could not."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter", "review", "Review this sample by hand", "failures.open", "Failures", "review"),
        key("j down", "move(1)", "Next sample", "failures.down", "Moving"),
        key("k up", "move(-1)", "Previous sample", "failures.up", "Moving"),
        key("pagedown", "move(10)", "Ten further", "failures.page_down", "Moving"),
        key("pageup", "move(-10)", "Ten back", "failures.page_up", "Moving"),
        key("escape b f", "back", "Back to the runs", "failures.back", "Failures", "back"),
        key("q", "app.quit", "Quit", "failures.quit", "Failures"),
    ]

    def __init__(self, desk: Desk, run: str) -> None:
        super().__init__()
        self.desk = desk
        self.run = run

    def compose(self) -> ComposeResult:
        """The samples, and the one under the cursor in full."""
        yield Head(id="head")
        yield FailedList(id="failed")
        yield Static(id="detail")
        yield Status(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Read them; keys wait for it."""
        self.work(self._read)

    async def _read(self) -> None:
        from workbench.stages import runs

        rows = await self.desk.store.read(runs.failures, self.desk.info, self.run)
        listed = self.query_one(FailedList)
        listed.put(rows, listed.cursor)
        self.query_one(Head).show(
            (("Failures", "bold"), (f"  {flat(self.run)}", DIM)), ((many(len(rows), "sample"), DIM),)
        )
        self._explain()

    def unread(self, error: Exception) -> None:
        """Say that it could not be read, then let keys run."""
        self.say(f"could not read: {error}", sign="!", tone="bad")
        self.bench.open_gate()

    def _explain(self) -> None:
        one = self.query_one(FailedList).chosen
        if one is None:
            return
        said = one.message.removesuffix(f": {one.advice}").removeprefix(one.kind).strip()
        lines: list[list[Part]] = [
            [(f"○ {flat(one.kind)}", "bold $warning"), (f"  {flat(name_of(one.id, one.question))}", "bold")]
        ]
        if said:
            lines.append([("said  ", DIM), (flat(said.removeprefix("(").removesuffix(")")), "")])
        lines.append([("to do  ", DIM), (flat(one.advice), "")])
        self.query_one("#detail", Static).update(as_text(lines))

    def on_screen_resume(self, _event: events.ScreenResume) -> None:
        """Back from a review: the sample may have been proposed meanwhile."""
        if self.query_one(FailedList).count:
            start(self, self._read, group="read", failed=self.unread)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """The cursor moved; a click opens the sample."""
        event.stop()
        self._explain()
        if event.clicked:
            self.app.call_later(self.bench.gate.enter, self.action_review)

    def action_move(self, step: int) -> None:
        """To another sample."""
        self.query_one(FailedList).move(int(step))

    async def action_review(self) -> None:
        """Open the sample under the cursor; it was chosen by hand."""
        one = self.query_one(FailedList).chosen
        if one is not None:
            await self.bench.review(self.desk, one.sample_id, picked=True)

    def action_back(self) -> None:
        """To the runs."""
        self.app.pop_screen()
