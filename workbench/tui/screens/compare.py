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
from workbench.text.figures import many
from workbench.tui.bench import Again
from workbench.tui.cells import cut
from workbench.tui.keys import key, moving
from workbench.tui.safe import flat
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import MenuChoice, MenuScreen
from workbench.tui.screens.why import open_why
from workbench.tui.widgets.bars import DIM, Head, KeyBar, SectionBar, Status
from workbench.tui.widgets.compare_lists import (
    FiguresLook,
    Pick,
    Picks,
    Sample,
    look,
    nothing_yet,
    sample_head,
)
from workbench.tui.widgets.compare_sections import SECTIONS, Causes, SampleRows, Scatter, ScatterPlot, Section
from workbench.tui.work import Work

if TYPE_CHECKING:
    from workbench.comparing.figures import Figures
    from workbench.model import Kind
    from workbench.tui.desk import Desk

TICK = 0.25
"""Seconds between two looks at how far the reading is."""


SIGNS = (
    ("Δ", "automatic − verified: below 0 the automatic value is too low"),
    ("• ● ■", "1, 2, 5 samples at one place of the picture"),
)

COMPARE_KEYS: list[BindingType] = [
    key("enter", "open", "The samples behind it; or why", "compare.open", "Compare", "samples"),
    *(
        key(str(number), f"section({number})", f"Show {one.NAME}", f"compare.section_{number}", "Compare",
            "show" if number == 1 else "")
        for number, one in enumerate(SECTIONS, 1)
    ),
    key("tab l right", "turn(1)", "The next part", "compare.next", "Compare"),
    key("shift+tab h left", "turn(-1)", "The part before", "compare.previous", "Compare"),
    key("s", "scorer", "Another scorer or imported column", "compare.scorer", "Compare", "scorer"),
    key("r", "run", "Another run", "compare.run", "Compare", "run"),
    key("c", "cut", "Causes: all units, by label, by language", "compare.cut", "Compare", "cut"),
    key("p", "plan", "Plan: how many more reviews", "compare.plan", "Compare", "plan"),
    key("f5", "reread", "Read again", "compare.reread", "Compare"),
    *moving("compare", "line", "pagedown space"),
    key("escape b C", "back", "Back to the queue", "compare.back", "Compare", "back"),
    key("q", "app.quit", "Quit", "compare.quit", "Compare"),
]  # fmt: skip


class CompareScreen(BaseScreen):
    """Reads outside the event loop; what was read is shown from five sides, drawn when asked for."""

    LEGEND = SIGNS
    BINDINGS: ClassVar[list[BindingType]] = COMPARE_KEYS

    def __init__(self, desk: Desk, again: Again | None = None) -> None:
        """`again` opens the review that it was opened from."""
        super().__init__()
        self._again = again
        self.desk = desk
        self.found: Figures | None = None
        self.seen: FiguresLook | None = None
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

    def on_resize(self, _event: events.Resize) -> None:
        """Other columns; the lists have taken theirs by now."""
        self.call_after_refresh(self._columns)

    def _columns(self) -> None:
        if self.seen is not None:
            self._title()
            for one in self.query(Section):
                one.seen = None  # laid out anew when it is shown
            if self.seen.found.rows:
                self.section.take(self.seen)

    def moved(self) -> None:
        """The cursor of the list moved."""
        self.section.moved()

    def on_scatter_plot_picked(self, event: ScatterPlot.Picked) -> None:
        """A sample of the picture was clicked."""
        event.stop()
        self.query_one(Scatter).find(event.row)

    def on_section_bar_asked(self, event: SectionBar.Asked) -> None:
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
            **dict.fromkeys(("scorer", "run"), self.found is None),
        }
        return None if closed.get(action, False) else True

    def refused(self, action: str) -> None:
        """Why a key does nothing now."""
        if action == "cut" and self.found is not None:
            self.say("3 shows the causes; c cuts them there")
        else:
            self.say("nothing is verified yet")

    def action_section(self, number: int) -> None:
        """Show a part."""
        self.query_one(Status).say("")
        self.show_section(int(number))

    def action_turn(self, step: int) -> None:
        """The part next to this one, round the end."""
        self.action_section((self.at - 1 + int(step)) % len(SECTIONS) + 1)

    def action_move(self, step: int) -> None:
        """To another line."""
        self.section.move(int(step))

    def action_page(self, step: int) -> None:
        """A page of what is longer than the screen."""
        self.section.page(int(step))

    async def action_open(self) -> None:
        """The samples behind a line; of a sample the reasons."""
        assert self.found is not None  # the key is closed without it
        listed = self.section.listed
        if isinstance(listed, SampleRows):
            if (row := listed.verified) is not None:
                found = self.found
                self.work(partial(open_why, self, self.desk, row.sample_id, found.kind, found.scorer))
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

    async def action_scorer(self) -> None:
        """Choose what is compared."""
        assert self.found is not None  # the key is closed without it
        choices = [
            MenuChoice(
                f"{flat(scorer_name(one.scorer)):<22}",
                f"n {one.n:,}",
                on=one.scorer == self.found.scorer,
                take=partial(self.work, partial(self._read, scorer=one.scorer)),
            )
            for one in self.found.beside
        ]
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
        choices = [
            MenuChoice(
                cut(flat(run.name), 40),
                "current" if run.current else "",
                on=run.name == self.found.run,
                take=partial(self.work, partial(self._read, run.name)),
            )
            for run in runs
        ]
        await self.bench.ask(MenuScreen("Run", choices))

    async def action_plan(self) -> None:
        """The plan of this dataset."""
        self._away = True
        await self.bench.open("plan", self.desk)

    def action_reread(self) -> None:
        """Read again: other windows review too."""
        self.query_one(Status).say("")
        self.work(self._read)

    async def action_back(self) -> None:
        """To the review it was opened from, else to the queue, which reads what was counted again."""
        await self.bench.back_from_runs()
        if self._again is not None:
            await self._again()


class CompareSamplesScreen(BaseScreen):
    """Enter shows why a sample differs, escape goes back to the figure."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter w", "open", "Why automatic and verified differ", "comparesamples.why", "Samples", "why"),
        *moving("comparesamples", "sample", "pagedown space"),
        key("escape b", "back", "Back to the figures", "comparesamples.back", "Samples", "back"),
        key("q", "app.quit", "Quit", "comparesamples.quit", "Samples"),
    ]

    def __init__(
        self, desk: Desk, title: str, samples: list[Sample], kind: Kind, scorer: str | None, *, shares: bool
    ) -> None:
        super().__init__()
        self.desk = desk
        self._title, self._samples, self._kind, self._scorer = title, samples, kind, scorer
        self._shares = shares

    def compose(self) -> ComposeResult:
        """The samples."""
        yield Head(id="head")
        yield Static(id="columns")
        yield SampleRows(share=self._shares, id="samples")
        yield Status(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """They are known already."""
        self.query_one(Head).show(
            (("Compare", "bold"), (f"  {flat(self._title)}", DIM)),
            ((many(len(self._samples), "sample"), DIM),),
        )
        self.query_one(SampleRows).show(self._samples)
        self._follow_columns()
        self.bench.open_gate()

    def on_resize(self, _event: events.Resize) -> None:
        """Other columns; the list has taken its own by now."""
        self.call_after_refresh(self._follow_columns)

    def _follow_columns(self) -> None:
        size = self.query_one(SampleRows).scrollable_content_region.width
        self.query_one("#columns", Static).update(
            f"  {sample_head(size - 2, 'share' if self._shares else '')}"
        )

    async def action_open(self) -> None:
        """Both assessments of the sample side by side."""
        row = self.query_one(SampleRows).verified
        if row is not None:
            self.work(partial(open_why, self, self.desk, row.sample_id, self._kind, self._scorer))
