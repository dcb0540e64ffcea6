"""The parts of the Compare screen; each shows the same figures from another side."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static
from textual_plot import HiResMode

from workbench.comparing import words
from workbench.reports import folded
from workbench.reports.compare import figures_text
from workbench.text.figures import many, signed
from workbench.tui.widgets import compare_lists as lists
from workbench.tui.widgets.bars import DIM, Bar, Line, shortened, write
from workbench.tui.widgets.compare_lists import CauseBars, FiguresLook, Place, Sample, place
from workbench.tui.widgets.lines import Lines, Toned
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.threshold_plot import Plot, Shares

if TYPE_CHECKING:
    from workbench.comparing.figures import Row

DOTS = ((1, "•"), (2, "●"), (5, "■"))
"""Samples at one place from which this sign stands for them."""

NARROW = 70
"""Cells below which a note that is cut would say too little: it has lines of its own, the part scrolls."""
EDGES = -0.04, 1.04
"""Of both axes: what lies on the frame itself would not be drawn."""


class ScatterPlot(Plot):
    """Verified values across, automatic ones up, with the line on which both agree."""

    _places: Mapping[Place, int] = {}
    _at: Row | None = None

    def __init__(self) -> None:
        super().__init__("points")
        self.set_x_formatter(Shares())

    def show(self, places: Mapping[Place, int], at: Row | None) -> None:
        """Samples by place, one of them chosen, the whole square in view."""
        self._places, self._at = places, at
        self.set_xlimits(*EDGES)
        self.set_ylimits(*EDGES)
        self.draw()

    def choose(self, at: Row | None) -> None:
        """Another one is chosen."""
        self._at = at
        self.draw()

    def draw(self) -> None:
        """The line, the samples by how many are at a place, the chosen one on top."""
        self.clear()
        self.set_xticks([0, 0.5, 1] if self.size.width < 30 else None)
        self.plot([0, 1], [0, 1], self.ink("secondary"), HiResMode.BRAILLE)
        for (fewest, sign), most in zip(DOTS, (2, 5, inf), strict=True):
            at = [point for point, count in self._places.items() if fewest <= count < most]
            if at:
                self.scatter([x for x, _ in at], [y for _, y in at], sign, f"bold {self.ink('accent')}")
        here = place(self._at) if self._at is not None else None
        if here is not None:
            self.scatter([here[0]], [here[1]], "◆", f"bold {self.ink('warning')}")


class Section(Vertical):
    """One side of the figures. `listed` is the list that keys move in."""

    NAME = ""
    seen: FiguresLook | None = None
    _room = 0

    def take(self, seen: FiguresLook) -> None:
        """Show these figures; nothing is done for those that are shown already."""
        if self.seen is not seen:
            self.seen, self._room = seen, self.size.width
            self.show(seen)

    def on_resize(self) -> None:
        """Lay out anew what was shown before the section had its place, as on a busy machine."""
        if self.seen is not None and not self._room:
            seen, self.seen = self.seen, None
            self.take(seen)

    def show(self, seen: FiguresLook) -> None:
        """Put the figures in their places."""

    @property
    def listed(self) -> Lines[Any] | None:
        """The list that keys move in."""
        return next(iter(self.query(Lines)), None)


class Overview(Section):
    """The answer, the estimate, the three largest causes, notes."""

    NAME = "overview"

    def compose(self) -> ComposeResult:
        """Facts, causes, notes."""
        yield Static(id="answer")
        yield Static(id="facts")
        yield Bar(id="why")
        yield CauseBars(id="top")
        yield Static("Notes", id="notes-head")
        yield Passage(id="notes")

    def show(self, seen: FiguresLook) -> None:
        """The first page."""
        figures = seen.figures
        write(self, "#answer", " ".join(seen.sentences))
        room = self.content_size.width
        facts, rest = lists.overview(figures, room, high=self.screen.has_class("-high") or room < NARROW)
        write(self, "#facts", facts)
        left = len(seen.causes) - lists.TOP
        more = f"3: {many(left, 'more cause')}" if left > 0 else ""
        nothing = " ".join(words.no_cause_lines(figures)) or "nothing differs yet"
        title = f"why they differ in {words.samples_with_causes(figures)}" if seen.causes else nothing
        self.query_one("#why", Bar).show([(title, DIM)], [(more, DIM)])
        top = self.query_one(CauseBars)
        top.put(seen.causes[: lists.TOP], 0)
        top.styles.height = max(1, top.count)
        self.query_one("#notes", Passage).show(lists.notes(figures, rest))


class Scatter(Section):
    """Automatic against verified, sample by sample, the largest difference chosen first."""

    NAME = "scatter"

    def compose(self) -> ComposeResult:
        """The picture, numbers next to it, the chosen sample below."""
        with Horizontal(classes="middle"):
            with Vertical(classes="picture"):
                yield ScatterPlot()
                yield Static(id="points-legend")
            yield Static(id="paired")
        yield Bar(id="point")
        yield SampleRows(id="point-list")

    def show(self, seen: FiguresLook) -> None:
        """The samples and how they differ on the whole."""
        figures = seen.figures
        listed = self.query_one(SampleRows)
        listed.put(seen.largest, 0)
        self.query_one(ScatterPlot).show(seen.places, listed.verified)
        room, high = self.query_one("#paired").content_size
        facts = words.paired_facts(figures.paired, figures.rows)
        lines = lists.fact_lines(facts, room or 40, name=12, value=0, under=2)
        if len(lines) > high > 0:
            lines[high - 1 :] = [[("5: all figures", DIM)]]
        write(self, "#paired", lines)
        legend: Line = [("→ verified ↑ automatic  ", DIM)]
        for fewest, sign in DOTS:
            legend += [(sign, "bold $accent"), (f"{fewest} " if fewest == 1 else f"{fewest}+ ", DIM)]
        legend.append(("samples", DIM))
        write(self, "#points-legend", [legend])
        self.on_lines_chosen()

    def on_lines_chosen(self) -> None:
        """Another sample is chosen."""
        row = self.query_one(SampleRows).verified
        if row is not None:
            self.query_one(ScatterPlot).choose(row)
            self.query_one("#point", Bar).show(tuple(lists.sample_line(row, self.app.size.width - 2)))


class Causes(Section):
    """The causes as bars, the chosen one in full."""

    NAME = "causes"

    def compose(self) -> ComposeResult:
        """Of how many samples, the bars, one in full."""
        yield Bar(id="of")
        yield CauseBars(id="bars")
        yield Static(id="cause")

    def show(self, seen: FiguresLook) -> None:
        """The bars."""
        self.query_one(CauseBars).put(seen.causes, 0)
        over = words.samples_with_causes(seen.figures) if seen.causes else "no sample"
        bias = seen.figures.paired.bias
        adds = "where each occurs" if bias is None else f"they add up to {signed(bias)}"
        caption = f"{adds}, over {over}"
        self.query_one("#of", Bar).show([(caption, DIM)])
        self.on_lines_chosen()

    def on_lines_chosen(self) -> None:
        """Say the chosen one in full."""
        assert self.seen is not None  # there is a cursor to move
        chosen = self.query_one(CauseBars).chosen
        text = words.cause_line(chosen) if chosen else " ".join(words.no_cause_lines(self.seen.figures))
        write(self, "#cause", text)


class Samples(Section):
    """Every verified sample, the largest difference first; or those `behind` a cause, with its name."""

    NAME = "samples"
    behind: tuple[str, list[Sample]] | None = None

    def compose(self) -> ComposeResult:
        """The list under its columns."""
        yield Bar(id="behind")
        yield Static(id="samples-head")
        yield SampleRows(id="sample-list")

    def show(self, seen: FiguresLook) -> None:
        """The rows; the head has the columns of the list."""
        title, samples = self.behind or ("", seen.largest)
        bar, rows = self.query_one("#behind", Bar), self.query_one(SampleRows)
        bar.display = bool(title)
        bar.show([(title, "bold"), (f"  {many(len(samples), 'sample')}", DIM)], [("esc: back", DIM)])
        rows.share = bool(title)
        rows.put(samples, 0)
        head = lists.sample_head(rows.scrollable_content_region.width - 2, "share" if title else "")
        write(self, "#samples-head", f"  {head}")


class AllFigures(Section):
    """Every figure as text: estimate, scorers, verdicts, labels, how the samples were reviewed."""

    NAME = "all figures"

    def compose(self) -> ComposeResult:
        """The text."""
        yield Passage(id="figures")

    def show(self, seen: FiguresLook) -> None:
        """The text of the command line."""
        room = max(40, self.content_size.width - 2)
        self.query_one(Passage).show(folded(figures_text(seen.figures, room), room))


SECTIONS: tuple[type[Section], ...] = (Overview, Scatter, Causes, Samples, AllFigures)


class SampleRows(Lines[Sample]):
    """Any number of samples; only visible ones are drawn."""

    AT_CURSOR = CauseBars.AT_CURSOR
    share = False

    @property
    def verified(self) -> Row | None:
        """The sample under the cursor, without its share."""
        return self.chosen[0] if self.chosen else None

    def drawn(self, sample: Sample, size: int) -> Toned:
        """One sample."""
        return shortened(lists.sample_parts(sample, self.share, size - 2), size - 2)
