"""Compare: what the truth is for all samples, how far the automatic value is off, and why."""

from __future__ import annotations

import asyncio
from functools import partial

from textual.app import ComposeResult
from textual.widgets import Static

from workbench.comparing.answer_words import headline as sentences
from workbench.comparing.figures import Figures
from workbench.comparing.words import headline
from workbench.model import PLURAL
from workbench.scoring.names import CALIBRATED, scorer_name
from workbench.stages.answer import answer
from workbench.stages.desk import Desk
from workbench.text.safe import flat
from workbench.tui.keys import bindings
from workbench.tui.screens.base import Room
from workbench.tui.screens.dialogs import choose_scorer
from workbench.tui.screens.why import open_why
from workbench.tui.widgets.bars import DIM, Head, SectionBar, named
from workbench.tui.widgets.compare_lists import CauseBars, FiguresLook, Sample, look, nothing_yet, of_cause
from workbench.tui.widgets.compare_sections import SECTIONS, SampleRows, Samples, Section
from workbench.tui.widgets.passage import Passage
from workbench.tui.work import Work


class CompareScreen(Room):
    """What was read is shown from five sides, drawn when asked for."""

    PARTS = len(SECTIONS)
    CSS_PATH = "../styles/compare.tcss"
    BINDINGS = bindings("compare")
    DEFAULT_CLASSES = "-empty"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.seen: FiguresLook | None = None
        self._from = 1  # the part that led to the samples behind a cause
        self._scorer: str | None = None
        self._filling = False

    def body(self) -> ComposeResult:
        """The names of the parts, the part that is shown."""
        yield SectionBar([section.NAME for section in SECTIONS])
        for number, section in enumerate(SECTIONS, 1):
            yield section(id=f"part-{number}")
        yield Static(id="empty")

    # Reading.

    async def then_open(self, work: Work) -> None:
        """Do the work, then let keys run; while a part is being filled, its end lets them run."""
        await work()
        if not self._filling:
            self.bench.open_gate()

    async def read(self, scorer: str | None = None) -> None:
        """Read the figures of a scorer; without one, of the one that is shown."""
        scorer = scorer or self._scorer
        with self.telling("reading verified samples") as count:
            desk = await self.desk.fresh()  # its run or threshold may be another by now
            reply, figures = await asyncio.to_thread(
                answer, desk.store, desk.info, desk.annotator, scorer=scorer,
                on_screen=True, progress=count,
            )  # fmt: skip
            self.seen = await asyncio.to_thread(look, figures, tuple(sentences(reply, flat)))
        self._scorer = scorer
        self.query_one(Samples).behind = None
        self.entitle()
        if figures.rows:
            self.show_section(self.at)
        else:
            trained = self.desk.info.training_of is not None
            self.empty(nothing_yet(figures, self.seen.sentences, trained=trained))
        self.refresh_bindings()

    # Showing.

    @property
    def figures(self) -> Figures:
        """The figures that are shown; keys are closed without them."""
        assert self.seen is not None
        return self.seen.figures

    def entitle(self) -> None:
        """The dataset, what is compared (names `at` the match threshold) and how much of it is verified."""
        what = verified = ""
        if self.seen is not None:
            figures = self.figures
            at = f" at {figures.threshold}" if figures.scorer in CALIBRATED else ""
            what = flat(f"  {scorer_name(figures.scorer)}{at} · {figures.run or 'no run'}")
            verified = headline(figures.counts)
            if len(self.desk.info.kinds) > 1:
                verified += f" in {PLURAL[figures.kind]}"
        if not self.has_class("-wide"):
            verified = verified.replace(" samples", "")
        self.query_one(Head).show(
            [("Compare", "bold"), (f"  {named(self.desk.info.name, self.size.width)}", DIM), (what, "")],
            [(verified, "bold $accent"), ("", "")],  # a last part would give way before the left does
        )

    @property
    def section(self) -> Section:
        """The part that is shown."""
        return self.query_one(f"#part-{self.at}", Section)

    def show_section(self, number: int) -> None:
        """Show a part; it is filled when it has its place on the screen."""
        self.at = self.query_one(SectionBar).at = number
        self.empty("")
        for section in self.query(Section):
            section.set_class(section is self.section, "-shown")
        self._filling = True
        self.bench.gate.close()  # a key pressed right behind acts on what is shown
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        self._filling = False
        if self._full is not None:
            self.section.take(self._full)
            self.refresh_bindings()
        self.bench.open_gate()

    @property
    def _full(self) -> FiguresLook | None:
        """What there is to show, if anything is verified."""
        return self.seen if self.seen is not None and self.seen.figures.rows else None

    def resized(self) -> None:
        """Other columns, once the lists have taken theirs."""
        self.entitle()
        for section in self.query(Section):
            section.seen = None  # laid out anew when it is shown
        if self._full is not None:
            self.section.take(self._full)

    # Keys.

    def closed(self, action: str) -> str | None:
        """Without figures only the scorer, the run and the ways out are open."""
        needs = action == "scorer" and self.seen is None
        needs |= action in ("open", "section", "turn", "move", "page") and self._full is None
        return "there is no verified sample to show you yet" if needs else None

    def action_section(self, number: int) -> None:
        """Show a part."""
        self.say("")
        self._behind(None)
        self.show_section(number)

    def _behind(self, behind: tuple[str, list[Sample]] | None) -> None:
        samples = self.query_one(Samples)
        if behind != samples.behind:
            samples.behind, samples.seen = behind, None  # laid out anew when it is shown

    def action_move(self, step: int) -> None:
        """To another line."""
        if (listed := self.section.listed) is not None:
            listed.move(step)
            listed.scroll_visible(animate=False)
        else:
            self.section.query_one(Passage).line(step)

    def action_page(self, step: int) -> None:
        """A page of a part that has no room, else of its text where there is one, else of its list."""
        texts, listed = self.section.query(Passage), self.section.listed
        if self.section.show_vertical_scrollbar:
            lines = step * max(1, self.section.size.height - 1)
            self.section.scroll_relative(y=lines, animate=False, force=True, immediate=True)
        elif texts:
            texts.first().page(step)
        elif listed is not None:
            listed.move_page(step)

    async def action_open(self) -> None:
        """The samples behind a line; of a sample the reasons."""
        listed, figures = self.section.listed, self.figures
        if isinstance(listed, SampleRows):
            if (row := listed.verified) is not None:
                self.work(partial(open_why, self, self.desk, row.sample_id, figures.kind, figures.scorer))
        elif isinstance(listed, CauseBars) and listed.chosen is not None:
            self.work(partial(self._drill, listed.chosen.cause))

    async def _drill(self, cause: str) -> None:
        """The samples of a cause; finding them among 100,000 takes .3 s."""
        samples = await asyncio.to_thread(of_cause, self.figures.rows, cause)
        self._from = self.at
        self._behind((cause, samples))
        self.show_section(SECTIONS.index(Samples) + 1)

    async def action_scorer(self) -> None:
        """Choose what is compared."""
        counts = {scorer.scorer: f"n {scorer.n:,}" for scorer in self.figures.beside}
        await choose_scorer(self, counts, self.figures.scorer, self.read)

    def action_back(self) -> None:
        """From a cause's samples to the part that named it, else to the queue."""
        if self.query_one(Samples).behind is not None:
            self.action_section(self._from)
        else:
            super().action_back()
