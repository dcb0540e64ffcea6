"""Compare: what the truth is for all samples, how far the automatic value is off, and why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from workbench.comparing.answer_words import headline as sentences
from workbench.comparing.words import headline, verified_samples
from workbench.scoring.names import scorer_name
from workbench.tui.cells import cut
from workbench.tui.figures_rows import Look, Sample, look
from workbench.tui.figures_text import nothing_yet
from workbench.tui.safe import flat
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.compare_keys import COMPARE_KEYS, SIGNS, run_choices, scorer_choices
from workbench.tui.screens.compare_samples import CompareSamplesScreen
from workbench.tui.screens.dialogs import MenuScreen
from workbench.tui.screens.why import open_why
from workbench.tui.widgets.bars import DIM, Head, KeyBar, SectionBar, Status
from workbench.tui.widgets.compare_plots import ScatterPlot
from workbench.tui.widgets.compare_sections import SECTIONS, Causes, SampleRows, Scatter, Section
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.picks import Pick, Picks
from workbench.tui.work import Work

if TYPE_CHECKING:
    from workbench.comparing.figures import Figures
    from workbench.tui.bench import Again
    from workbench.tui.desk import Desk

TICK = 0.25
"""Seconds between two looks at how far the reading is."""


class CompareScreen(BaseScreen):
    """Reads outside the event loop; what was read is shown from eight sides, drawn when asked for."""

    LEGEND = SIGNS
    BINDINGS: ClassVar[list[BindingType]] = COMPARE_KEYS

    def __init__(self, desk: Desk, again: Again | None = None) -> None:
        """`again` opens the review that it was opened from."""
        super().__init__()
        self._again = again
        self.desk = desk
        self.found: Figures | None = None
        self.seen: Look | None = None
        self.at = 1
        self._run: str | None = None
        self._scorer: str | None = None
        self._reading = False
        self._done = 0
        self._away = False
        self._filling = False

    def compose(self) -> ComposeResult:
        """The head, the names of the parts, the part that is shown."""
        yield Head(id="head")
        yield SectionBar([one.NAME for one in SECTIONS], id="sections")
        for number, one in enumerate(SECTIONS, 1):
            yield one(id=f"part-{number}")
        yield Static(id="empty")
        yield Status(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Read the figures; keys wait for them, and the status line says how far it is."""
        self._title()
        self._only(None)
        self.set_interval(TICK, self._tell)
        self.work(self._read)

    # Reading.

    async def then_open(self, work: Work) -> None:
        """As everywhere; a part that is being filled lets keys run when it is."""
        await work()
        if not self._filling:
            self.bench.open_gate()

    def unread(self, error: Exception) -> None:
        """As everywhere; where there is nothing to show the reason takes its place."""
        self._reading = False
        if self.found is None:
            self._empty(str(error))
        super().unread(error)

    def _tell(self) -> None:
        """How far the reading is."""
        if self._reading:
            self.say(f"reading verified samples … {self._done:,}" if self._done else "reading …")

    def _progress(self, done: int) -> None:
        self._done = done

    async def _read(self, run: str | None = None, scorer: str | None = None) -> None:
        """Read the figures of a run and scorer; without one, of those that are shown."""
        self._reading, self._done = True, 0
        run, scorer = run or self._run, scorer or self._scorer
        try:
            answer, found = await self.desk.answer(run, scorer, self._progress)
            self.seen = await asyncio.to_thread(look, found, tuple(sentences(answer, flat)))
            self.found = found
        finally:
            self._reading = False
        self._run, self._scorer = run, scorer
        self.say("")
        self._show()

    # Showing.

    def _title(self) -> None:
        found = self.found
        name = cut(flat(self.desk.info.name), 24 if self.size.width < 100 else 40)
        what = (
            flat(f"  {scorer_name(found.scorer)} · {found.run or 'no run'} · {found.threshold}")
            if found
            else ""
        )
        verified = headline(verified_samples(found.counts), found.counts.total) if found else ""
        if not self.has_class("-wide"):
            verified = verified.replace(" samples", "")
        self.query_one(Head).show(
            (("Compare", "bold"), (f"  {name}", DIM), (what, "")), ((verified, "bold $accent"),)
        )

    def _show(self) -> None:
        assert self.found is not None  # it was read
        self._title()
        if self.found.rows:
            self.show_section(self.at)
        else:
            self._empty(nothing_yet(self.found, self.seen.said if self.seen else ()))
        self.refresh_bindings()
        self.query_one(KeyBar).refresh()

    def _only(self, shown: Section | None) -> None:
        for one in self.query(Section):
            one.display = one is shown
        self.query_one(SectionBar).display = shown is not None
        self.query_one("#empty").display = False

    def _empty(self, text: str) -> None:
        self._only(None)
        empty = self.query_one("#empty", Static)
        empty.display = True
        empty.update(Content(text))

    @property
    def section(self) -> Section:
        """The part that is shown."""
        return self.query_one(f"#part-{self.at}", Section)

    def show_section(self, number: int) -> None:
        """Show a part; it is filled when it has its place on the screen."""
        self.at = number
        self._only(self.section)
        self.query_one(SectionBar).show(number)
        self._filling = True
        self.bench.gate.close()  # a key pressed right behind acts on what is shown
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        self._filling = False
        if self.seen is not None and self.seen.found.rows:
            self.section.take(self.seen)
            self.refresh_bindings()
            self.query_one(KeyBar).refresh()
        self.bench.open_gate()

    def on_resize(self, event: events.Resize) -> None:
        """Other columns; the lists have taken theirs by now."""
        super().on_resize(event)
        self.call_after_refresh(self._columns)

    def _columns(self) -> None:
        if self.seen is not None:
            self._title()
            for one in self.query(Section):
                one.seen = None  # laid out anew when it is shown
            if self.seen.found.rows:
                self.section.take(self.seen)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """The cursor moved; a click opens what is there."""
        event.stop()
        self.section.moved()
        if event.clicked:
            self.app.call_later(self.bench.gate.enter, self.action_open)

    def on_scatter_plot_chosen(self, event: ScatterPlot.Chosen) -> None:
        """A sample of the picture was clicked."""
        event.stop()
        self.query_one(Scatter).find(event.row)

    def on_section_bar_pressed(self, event: SectionBar.Pressed) -> None:
        """A part was clicked."""
        event.stop()
        self.show_section(event.number)

    def on_screen_resume(self, _event: events.ScreenResume) -> None:
        """Back from the plan: the estimate may rest on another one."""
        if self._away:
            self._away = False
            self.work(self._read)

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without figures only the scorer, the run and the ways out are open."""
        full = self.found is not None and bool(self.found.rows)
        closed = {
            **dict.fromkeys(("open", "section", "turn", "move", "page"), not full),
            "cut": not full or not isinstance(self.section, Causes),
            "zoom_out": not full or not isinstance(self.section, Scatter),
            **dict.fromkeys(("scorer", "run"), self.found is None),
        }
        return None if closed.get(action, False) else True

    def refused(self, action: str) -> None:
        """Why a key does nothing now."""
        if action == "cut" and self.found is not None:
            self.say("4 shows the causes; c cuts them there")
        elif action == "zoom_out":
            self.say("2 shows the scatter picture")
        else:
            self.say("nothing is verified yet")

    def action_section(self, number: int) -> None:
        """Show a part."""
        self.query_one(Status).clear()
        self.show_section(int(number))

    def action_turn(self, step: int) -> None:
        """The part next to this one, round the end."""
        self.action_section((self.at - 1 + int(step)) % len(SECTIONS) + 1)

    def action_move(self, step: int) -> None:
        """To another line."""
        self.section.listed.move(int(step))

    def action_page(self, step: int) -> None:
        """A page of what is longer than the screen."""
        self.section.page(int(step))

    async def action_open(self) -> None:
        """The samples behind a line; of a sample the reasons."""
        assert self.found is not None  # the key is closed without it
        listed = self.section.listed
        if isinstance(listed, SampleRows):
            if (row := listed.verified) is not None:
                await open_why(self, self.desk, row.sample_id, self.found.kind, self.found.scorer)
        elif isinstance(listed, Picks) and listed.chosen is not None:
            if listed.chosen.samples is None:
                self.say("no sample stands behind this line")
            else:
                self.work(partial(self._drill, listed.chosen, listed.chosen.samples))

    async def _drill(self, pick: Pick, find: Callable[[], list[Sample]]) -> None:
        """The samples of a line; finding them among 100,000 takes .3 s."""
        assert self.found is not None  # the key is closed without it
        samples = await asyncio.to_thread(find)
        if not samples:
            self.say("no difference stands behind this line")
            return
        title = f"{scorer_name(self.found.scorer)} · {pick.title}"
        await self.app.push_screen(
            CompareSamplesScreen(
                self.desk, title, samples, self.found.kind, self.found.scorer, shares=pick.shares
            )
        )

    def action_cut(self) -> None:
        """Causes of all units, by label, by language."""
        self.query_one(Causes).turn()

    def action_zoom_out(self) -> None:
        """The whole picture."""
        self.query_one(ScatterPlot).action_reset_scales()

    async def action_scorer(self) -> None:
        """Choose what is compared."""
        assert self.found is not None  # the key is closed without it
        choices = scorer_choices(self.found, lambda name: self.work(partial(self._read, scorer=name)))
        if len(choices) > 1:
            await self.bench.ask(MenuScreen("Scorer", choices))
        else:
            self.say("there is no other scorer")

    def action_run(self) -> None:
        """Choose whose proposals are compared."""
        self.work(self._runs)

    async def _runs(self) -> None:
        from workbench.stages.runs import list_runs

        assert self.found is not None  # the key is closed without it
        runs = await self.desk.store.read(list_runs, self.desk.info)
        if len(runs) < 2:
            self.say("there is no other run")
            return
        choices = run_choices(runs, self.found.run, lambda name: self.work(partial(self._read, name)))
        await self.bench.ask(MenuScreen("Run", choices))

    async def action_plan(self) -> None:
        """The plan of this dataset."""
        self._away = True
        await self.bench.open("plan", self.desk)

    def action_reread(self) -> None:
        """Read again: other windows review too."""
        self.query_one(Status).clear()
        self.work(self._read)

    async def action_back(self) -> None:
        """To the review it was opened from, else to the queue, which reads what was counted again."""
        await self.bench.back_from_runs()
        if self._again is not None:
            await self._again()
