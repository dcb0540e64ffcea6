"""The parts of the Compare screen; each shows the same figures from another side, with a list to go by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from workbench.comparing import words
from workbench.text.figures import signed
from workbench.tui import figures_text
from workbench.tui.figures_rows import Look, Sample
from workbench.tui.figures_text import sample_parts
from workbench.tui.widgets.bars import DIM, Bar, Part, as_text
from workbench.tui.widgets.compare_plots import DOTS, DeltaPlot, ScatterPlot
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.picks import Picks, painted
from workbench.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from workbench.comparing.explained import CauseTotal
    from workbench.comparing.figures import Figures, Row


class Section(Vertical):
    """One side of the figures. `listed` is the list that keys move in."""

    NAME = ""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.seen: Look | None = None

    def take(self, seen: Look) -> None:
        """Show these figures; nothing is done for those that are shown already."""
        if self.seen is not seen:
            self.seen = seen
            self.show(seen)

    def show(self, seen: Look) -> None:
        """Put the figures in their places."""

    @property
    def listed(self) -> Lines:
        """The list that keys move in."""
        return self.query_one(Lines)

    def moved(self) -> None:
        """The cursor of the list moved."""

    def page(self, step: int) -> None:
        """A page of what is longer than the screen: of the list."""
        self.listed.move_page(step)


class Overview(Section):
    """The answer, the estimate, the three largest causes, notes."""

    NAME = "overview"

    def compose(self) -> ComposeResult:
        """Facts, causes, notes."""
        yield Static(id="answer")
        yield Static(id="facts")
        yield Bar(id="why")
        yield Picks(id="top")
        yield Static("Notes", id="notes-head")
        yield Passage(id="notes")

    def show(self, seen: Look) -> None:
        """The first page."""
        found = seen.found
        self.query_one("#answer", Static).update(Content(" ".join(seen.said)))
        self.query_one("#facts", Static).update(
            as_text(
                figures_text.overview(found, self.content_size.width, high=self.screen.has_class("-high"))
            )
        )
        every = figures_text.cause_picks(found.rows, found.causes)
        left = len(every) - figures_text.TOP
        more = f"{left} more: 4" if left > 0 else ""
        nothing = " ".join(words.no_cause_lines(found)) or "nothing differs yet"
        title = "why they differ, largest first" if every else nothing
        self.query_one("#why", Bar).show(((title, DIM),), ((more, DIM),))
        top = self.query_one("#top", Picks)
        picks = every[: figures_text.TOP]
        top.show(picks)
        top.styles.height = max(1, len(picks))
        self.query_one("#notes", Passage).show(figures_text.notes(found))

    def page(self, step: int) -> None:
        """A page of the notes: the causes always fit."""
        self.query_one("#notes", Passage).page(step)


class Scatter(Section):
    """Automatic against verified, sample by sample, the largest difference chosen first."""

    NAME = "scatter"

    def compose(self) -> ComposeResult:
        """The picture, numbers next to it, the chosen sample below."""
        with Horizontal(classes="middle"):
            with Vertical(classes="picture"):
                yield ScatterPlot(id="points")
                yield Static(id="points-legend")
            yield Static(id="paired")
        yield Bar(id="point")
        yield SampleRows(id="point-list")

    def show(self, seen: Look) -> None:
        """The samples and how they differ on the whole."""
        found = seen.found
        listed = self.query_one(SampleRows)
        listed.show(seen.largest)
        self.query_one(ScatterPlot).show(seen.places, listed.verified)
        room = self.query_one("#paired").content_size.width or 40
        facts = words.paired_facts(found.paired, found.rows)
        self.query_one("#paired", Static).update(as_text(figures_text.narrow_lines(facts, room)))
        legend: list[Part] = [("→ verified  ↑ automatic  ", DIM)]
        for fewest, sign in DOTS:
            legend += [(sign, "bold $accent"), (f"{fewest} ", DIM)]
        self.query_one("#points-legend", Static).update(Content.assemble(*legend))
        self.moved()

    def moved(self) -> None:
        """Another sample is chosen."""
        row = self.query_one(SampleRows).verified
        if row is not None:
            self.query_one(ScatterPlot).choose(row)
            self.query_one("#point", Bar).show(tuple(figures_text.sample_line(row)))

    def find(self, row: Row) -> None:
        """Choose the sample that was clicked."""
        listed = self.query_one(SampleRows)
        index = next(index for index, one in enumerate(listed.rows) if one[0] is row)
        listed.move_to(index)


class Deltas(Section):
    """The differences counted."""

    NAME = "Δ"

    def compose(self) -> ComposeResult:
        """The picture and its numbers."""
        with Horizontal(classes="middle"):
            with Vertical(classes="picture"):
                yield DeltaPlot(id="deltas")
                yield Static(id="deltas-legend")
            yield Picks(id="bins")

    def show(self, seen: Look) -> None:
        """The bins, the cursor on the fullest of those that differ."""
        found = seen.found
        counted = seen.bins
        differ = [index for index, one in enumerate(counted) if one.samples and not one.equal]
        at = max(differ, key=lambda index: len(counted[index].samples), default=0)
        self.query_one(Picks).show(figures_text.bin_picks(counted), at=at)
        self.query_one(DeltaPlot).show(counted, found.paired.bias, at)
        legend: list[Part] = [("Δ →  ", DIM), ("█", "$success"), (" equal", DIM)]
        if found.paired.bias is not None:
            bias = signed(found.paired.bias)
            legend += [("  ▼", "bold $warning"), (f" bias {bias}", DIM)]
        self.query_one("#deltas-legend", Static).update(Content.assemble(*legend))

    def moved(self) -> None:
        """Another bin is chosen."""
        self.query_one(DeltaPlot).choose(self.query_one(Picks).cursor)


CUTS = ("", "label", "language")


class Causes(Section):
    """The causes as bars: of all samples, by label, by language."""

    NAME = "causes"

    def compose(self) -> ComposeResult:
        """How it is cut, the bars, one in full."""
        yield Bar(id="cut")
        yield Picks(id="bars")
        yield Static(id="cause")

    def on_mount(self) -> None:
        """Uncut at first."""
        self.cut = ""

    def show(self, seen: Look) -> None:
        """The bars; a cut that these figures do not have falls back to none."""
        found = seen.found
        if not self._by(found, self.cut):
            self.cut = ""
        if self.cut:
            picks = figures_text.cut_picks(found.rows, self._by(found, self.cut), self.cut)
        else:
            picks = figures_text.cause_picks(found.rows, found.causes)
        self.query_one(Picks).show(picks)
        name = f"by {self.cut}" if self.cut else "all units"
        others = [f"by {one}" if one else "all" for one in CUTS if one != self.cut and self._by(found, one)]
        n = found.causes[0].n if found.causes else 0
        said = f"  net shares of the bias {signed(found.paired.bias)}, n = {n:,}"
        right = f"c: {', '.join(others)}" if others else ""
        self.query_one("#cut", Bar).show(((name, "bold"), (said, DIM)), ((right, DIM),))
        self.moved()

    def moved(self) -> None:
        """Say the chosen one in full."""
        if self.seen is None:
            return
        found = self.seen.found
        chosen = self.query_one(Picks).chosen
        self.query_one("#cause", Static).update(
            Content(chosen.said if chosen else " ".join(words.no_cause_lines(found)))
        )

    def turn(self) -> None:
        """The next cut that these figures have."""
        if self.seen is None:
            return
        there = [one for one in CUTS if self._by(self.seen.found, one)]
        self.cut = there[(there.index(self.cut) + 1) % len(there)] if there else ""
        self.show(self.seen)

    @staticmethod
    def _by(found: Figures, cut: str) -> Mapping[str, Sequence[CauseTotal]]:
        if cut == "label":
            return found.by_label
        return found.by_language if cut else {"": found.causes}


class Labels(Section):
    """Units by label: counts, precision, recall, F1."""

    NAME = "labels"

    def compose(self) -> ComposeResult:
        """The table, all units below."""
        yield Static(id="labels-head")
        yield Picks(id="label-list")
        yield Static(id="unit-facts")

    def show(self, seen: Look) -> None:
        """The rows."""
        found = seen.found
        self.query_one(Picks).show(figures_text.label_picks(found))
        facts = words.unit_facts(found.units, found.strict)
        self.query_one("#unit-facts", Static).update(
            as_text(figures_text.fact_lines(facts, self.content_size.width, name=18, value=27))
        )
        self.call_after_refresh(self.follow_columns)

    def follow_columns(self) -> None:
        """Head and list have the same columns."""
        size = self.query_one(Picks).scrollable_content_region.width
        self.query_one("#labels-head", Static).update(Content(f"  {figures_text.label_head(size - 2)}"))


class VerdictsPart(Section):
    """Found and missing by person and machine."""

    NAME = "verdicts"

    def compose(self) -> ComposeResult:
        """The four cells, the rates below."""
        yield Static("verdicts on units that both have", classes="section-head")
        yield Picks(id="cells")
        yield Static(id="rates")

    def show(self, seen: Look) -> None:
        """The table and what it says."""
        found = seen.found
        self.query_one(Picks).show(figures_text.verdict_picks(found))
        facts = words.verdict_facts(found.verdicts, found.chance)
        self.query_one("#rates", Static).update(
            as_text(figures_text.fact_lines(facts, self.content_size.width, name=28, value=12))
        )


class ArmsPart(Section):
    """Blind next to assisted reviews, and the figures without fast accepts."""

    NAME = "arms"

    def compose(self) -> ComposeResult:
        """How samples were reviewed, what each way says."""
        yield Static("how these samples were reviewed", classes="section-head")
        yield Picks(id="ways")
        yield Static(id="arm-facts")

    def show(self, seen: Look) -> None:
        """The ways."""
        found = seen.found
        self.query_one(Picks).show(figures_text.arm_picks(seen))
        facts = words.arms_facts(found.arms, found.paired, found.without_fast, found.counts.fast)
        lines = figures_text.fact_lines(facts, self.content_size.width, name=24, value=12)
        if found.assisted:
            lines += [[("", "")], [("! ", "$warning"), (words.ASSISTED, "")]]
        self.query_one("#arm-facts", Static).update(as_text(lines))


class Samples(Section):
    """Every verified sample, the largest difference first."""

    NAME = "samples"

    def compose(self) -> ComposeResult:
        """The list under its columns."""
        yield Static(id="samples-head")
        yield SampleRows(id="sample-list")

    def show(self, seen: Look) -> None:
        """The rows."""
        self.query_one(SampleRows).show(seen.largest)
        self.call_after_refresh(self.follow_columns)

    def follow_columns(self) -> None:
        """Head and list have the same columns."""
        size = self.query_one(SampleRows).scrollable_content_region.width
        self.query_one("#samples-head", Static).update(Content(f"  {figures_text.sample_head(size - 2, '')}"))


SECTIONS: tuple[type[Section], ...] = (
    Overview, Scatter, Deltas, Causes, Labels, VerdictsPart, ArmsPart, Samples,
)  # fmt: skip


class SampleRows(Rows[Sample]):
    """Any number of samples; only visible ones are drawn."""

    BASE = "picks--row"
    COMPONENT_CLASSES = Picks.COMPONENT_CLASSES

    def __init__(self, *, share: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._share = share

    @property
    def verified(self) -> Row | None:
        """The sample under the cursor, without its share."""
        return self.chosen[0] if self.chosen else None

    def show(self, samples: Sequence[Sample]) -> None:
        """Show these, the cursor on the first."""
        self.put(samples, 0)

    def drawn(self, sample: Sample, size: int, *, here: bool) -> list[Segment]:
        """One sample."""
        return painted(self, sample_parts(sample, self._share, size - 2), size, here=here)
