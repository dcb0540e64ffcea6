"""Compare: what the truth is for all samples, how far the automatic value is off, and why."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from workbench.comparing.answer_words import headline as sentences
from workbench.comparing.words import headline
from workbench.scoring.names import scorer_name
from workbench.settings import usual_scorer
from workbench.text.cells import cut
from workbench.text.safe import flat
from workbench.tui.bench import Again
from workbench.tui.keys import key, moving
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import choose_scorer
from workbench.tui.screens.why import open_why
from workbench.tui.widgets.bars import DIM, Head, KeyBar, SectionBar, Status
from workbench.tui.widgets.compare_lists import CauseBars, FiguresLook, Sample, look, nothing_yet, of_cause
from workbench.tui.widgets.compare_sections import (
    SECTIONS,
    SampleRows,
    Samples,
    Scatter,
    ScatterPlot,
    Section,
)
from workbench.tui.widgets.passage import Passage
from workbench.tui.work import Work

if TYPE_CHECKING:
    from workbench.comparing.figures import Figures
    from workbench.stages.desk import Desk


SIGNS = (
    ("Δ", "automatic − verified: below 0 the automatic value is too low"),
    ("• ● ■", "1, 2, 5 samples at one place of the picture"),
)

COMPARE_KEYS: list[BindingType] = [
    key("enter", "open", "The samples behind it; or why", "compare.open", "Compare", "samples"),
    *(
        key(str(number), f"section({number})", f"Show a part: {section.NAME}", f"compare.section_{number}",
            "Compare", "show" if number == 1 else "")
        for number, section in enumerate(SECTIONS, 1)
    ),
    key("tab right", "turn(1)", "The next part", "compare.next", "Compare"),
    key("shift+tab left", "turn(-1)", "The part before", "compare.previous", "Compare"),
    key("s", "scorer", "Another scorer or imported column", "compare.scorer", "Compare", "scorer"),
    key("G", "room('agree')", "Agree: whether people agree with each other", "compare.agree", "Compare"),
    key("r f5", "reread", "Read again", "compare.reread", "Compare"),
    *moving("compare", "line", "pagedown space"),
    key("escape b C", "back", "Back to the queue", "compare.back", "Compare", "back"),
    key("q", "app.quit", "Quit", "compare.quit", "Compare"),
]  # fmt: skip


class CompareScreen(BaseScreen):
    """Reads outside the event loop; what was read is shown from five sides, drawn when asked for."""

    REFUSAL = "there is no verified sample to show yet"
    LEGEND = SIGNS
    WORDS = ("estimate", "interval", "Δ", "|Δ|", "bias", "cause", "untraced", "ragas", "linked", "presence")
    BINDINGS: ClassVar[list[BindingType]] = COMPARE_KEYS

    def __init__(self, desk: Desk, again: Again | None = None) -> None:
        """`again` opens the review that it was opened from."""
        super().__init__()
        self._again = again
        self.desk = desk
        self.found: Figures | None = None
        self.seen: FiguresLook | None = None
        self.at = 1
        self._from = 1  # the part that led to the samples behind a cause
        self._scorer: str | None = None
        self._filling = False

    def compose(self) -> ComposeResult:
        """The head, the names of the parts, the part that is shown."""
        yield Head(id="head")
        yield SectionBar([section.NAME for section in SECTIONS], id="sections")
        for number, section in enumerate(SECTIONS, 1):
            yield section(id=f"part-{number}")
        yield Static(id="empty")
        yield Status(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Read the figures; keys wait for them, and the status line says how far it is."""
        self._title()
        self._only(None)
        self.work(self._read)

    # Reading.

    async def then_open(self, work: Work) -> None:
        """As everywhere; a part that is being filled lets keys run when it is."""
        await work()
        if not self._filling:
            self.bench.open_gate()

    def unread(self, error: Exception) -> None:
        """As everywhere; where there is nothing to show the reason takes its place."""
        if self.found is None:
            self._empty(str(error))
        super().unread(error)

    async def _read(self, scorer: str | None = None) -> None:
        """Read the figures of a scorer; without one, of the one that is shown."""
        scorer = scorer or self._scorer
        with self.telling("reading verified samples") as count:
            answer, self.found = await self.desk.answer(scorer, usual_scorer(), count)
            self.seen = await asyncio.to_thread(look, self.found, tuple(sentences(answer, flat)))
        self._scorer = scorer
        self.query_one(Samples).behind = None
        self._show()

    # Showing.

    def _title(self) -> None:
        figures = self.found
        name = cut(flat(self.desk.info.name), 24 if self.size.width < 100 else 40)
        what = (
            flat(f"  {scorer_name(figures.scorer)} · {figures.run or 'no run'} · {figures.threshold}")
            if figures
            else ""
        )
        verified = headline(figures.counts) if figures else ""
        if not self.has_class("-wide"):
            verified = verified.replace(" samples", "")
        self.query_one(Head).show(
            (("Compare", "bold"), (f"  {name}", DIM), (what, "")),
            ((verified, "bold $accent"), ("", "")),  # a last part would give way before the left does
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
        for section in self.query(Section):
            section.display = section is shown
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

    def resized(self) -> None:
        """Other columns, once the lists have taken theirs."""
        if self.seen is not None:
            self._title()
            for section in self.query(Section):
                section.seen = None  # laid out anew when it is shown
            if self.seen.found.rows:
                self.section.take(self.seen)

    def on_scatter_plot_picked(self, event: ScatterPlot.Picked) -> None:
        """A sample of the picture was clicked."""
        event.stop()
        self.query_one(Scatter).find(event.row)

    def on_section_bar_asked(self, event: SectionBar.Asked) -> None:
        """A part was clicked."""
        event.stop()
        self.show_section(event.number)

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without figures only the scorer, the run and the ways out are open."""
        full = self.found is not None and bool(self.found.rows)
        closed = {
            **dict.fromkeys(("open", "section", "turn", "move", "page"), not full),
            "scorer": self.found is None,
        }
        return None if closed.get(action, False) else True

    def action_section(self, number: int) -> None:
        """Show a part."""
        self.query_one(Status).say("")
        self._behind(None)
        self.show_section(int(number))

    def _behind(self, behind: tuple[str, list[Sample]] | None) -> None:
        samples = self.query_one(Samples)
        if behind != samples.behind:
            samples.behind, samples.seen = behind, None  # laid out anew when it is shown

    def action_turn(self, step: int) -> None:
        """The part next to this one, round the end."""
        self.action_section((self.at - 1 + int(step)) % len(SECTIONS) + 1)

    def action_move(self, step: int) -> None:
        """To another line."""
        listed = self.section.listed
        if listed is None:
            self.section.query_one(Passage).scroll_relative(y=int(step), animate=False)
        else:
            listed.move(int(step))

    def action_page(self, step: int) -> None:
        """A page of the text where there is one, else of the list."""
        texts, listed = self.section.query(Passage), self.section.listed
        if texts:
            texts.first().page(int(step))
        elif listed is not None:
            listed.move_page(int(step))

    async def action_open(self) -> None:
        """The samples behind a line; of a sample the reasons."""
        assert self.found is not None  # the key is closed without it
        listed = self.section.listed
        if isinstance(listed, SampleRows):
            if (row := listed.verified) is not None:
                figures = self.found
                self.work(partial(open_why, self, self.desk, row.sample_id, figures.kind, figures.scorer))
        elif isinstance(listed, CauseBars) and listed.chosen is not None:
            self.work(partial(self._drill, listed.chosen.cause))

    async def _drill(self, cause: str) -> None:
        """The samples of a cause; finding them among 100,000 takes .3 s."""
        assert self.found is not None  # the key is closed without it
        samples = await asyncio.to_thread(of_cause, self.found.rows, cause)
        self._from = self.at
        self._behind((cause, samples))
        self.show_section(SECTIONS.index(Samples) + 1)

    async def action_scorer(self) -> None:
        """Choose what is compared."""
        assert self.found is not None  # the key is closed without it
        counts = {scorer.scorer: f"n {scorer.n:,}" for scorer in self.found.beside}
        await choose_scorer(self, counts, self.found.scorer, self._read)

    def action_reread(self) -> None:
        """Read again: other windows review too."""
        self.query_one(Status).say("")
        self.work(self._read)

    async def action_back(self) -> None:
        """From a cause's samples to the part that named it, else to the review or queue one came from."""
        if self.query_one(Samples).behind is not None:
            self.action_section(self._from)
            return
        await self.app.pop_screen()
        if self._again is not None:
            await self._again()
