"""The lists of the Runs screens: the runs of a dataset, and the samples that one of them failed on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.segment import Segment
from textual.content import Content
from textual.widget import Widget

from workbench.tui.cells import cut_front, fit, width
from workbench.tui.runs_text import dollars
from workbench.tui.safe import flat
from workbench.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from workbench.stages.runs import FailedSample, RunRow

PROPOSED, FAILED, COST, MADE = 9, 7, 9, 16  # cells of the columns; numbers are right-aligned
KIND = 14


class Columns(NamedTuple):
    """Cells for the name and the model, and for the day a run was made (0: left out)."""

    name: int
    model: int
    made: int


def plan(size: int, runs: Sequence[RunRow]) -> Columns:
    """The columns of a row of `size` cells; the day gives way first, then the model is cut."""
    made = MADE + 2 if size >= 100 else 0
    name = min(max((width(flat(run.name)) for run in runs), default=8), 30)
    return Columns(name, max(4, size - 4 - name - 2 - PROPOSED - FAILED - COST - made), made)


class RunList(Lines):
    """Runs, the newest first; ✓ stands before the current one."""

    BASE = "runs--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "runs--row",
        "runs--dim",
        "runs--good",
        "runs--warn",
        "runs--cursor",
    }

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows: tuple[RunRow, ...] = ()

    @property
    def count(self) -> int:
        """How many runs."""
        return len(self.rows)

    @property
    def chosen(self) -> RunRow | None:
        """The run under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    @property
    def columns(self) -> Columns:
        """The columns at this width."""
        return plan(self.scrollable_content_region.width, self.rows)

    def show(self, rows: Sequence[RunRow], at: str = "") -> None:
        """Show these runs the cursor on `at`, else on the run it was on, at first on the current one."""
        wanted = at or (self.chosen.name if self.chosen else "")
        self.rows = tuple(rows)
        current = next((index for index, run in enumerate(rows) if run.current), 0)
        self.cursor = next((index for index, run in enumerate(rows) if run.name == wanted), current)
        self.resized(self.count)
        self.redraw()
        self.reveal(self.cursor)

    def segments(self, line: int, size: int) -> list[Segment]:
        """One run."""
        if line >= self.count:
            return []
        run, columns = self.rows[line], plan(size, self.rows)
        cursor = self.part("runs--cursor") if line == self.cursor else None
        row = cursor or self.part("runs--row")
        failed = f"{run.failed:,}" if run.failed else "·"
        cost = dollars(run.paid.cost) if run.paid else "·"
        made = f"  {run.created_at:%Y-%m-%d %H:%M}" if columns.made else ""
        return [
            Segment("▸ " if cursor else "  ", row),
            Segment("✓ " if run.current else "  ", cursor or self.part("runs--good")),
            Segment(fit(flat(run.name), columns.name) + "  ", row),
            Segment(fit(flat(run.model or run.proposer), columns.model), cursor or self.part("runs--dim")),
            Segment(fit(f"{run.proposals:,}", PROPOSED, right=True), row),
            Segment(
                fit(failed, FAILED, right=True),
                cursor or self.part("runs--warn" if run.failed else "runs--dim"),
            ),
            Segment(fit(cost, COST, right=True), cursor or self.part("runs--dim")),
            Segment(made, cursor or self.part("runs--dim")),
        ]


class RunHead(Widget):
    """The names of the columns."""

    DEFAULT_CSS = """
    RunHead { height: 1; width: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._columns: Columns | None = None

    def show(self, columns: Columns) -> None:
        """Stand above these columns."""
        self._columns = columns
        self.refresh()

    def render(self) -> Content:
        """The line."""
        if self._columns is None:
            return Content("")
        name, model, made = self._columns
        line = f"    {fit('run', name)}  {fit('model', model)}{'proposed':>{PROPOSED}}{'failed':>{FAILED}}"
        return Content(f"{line}{'cost':>{COST}}" + ("  made (UTC)" if made else ""))


class FailedList(Lines):
    """Samples that a run failed on: the kind, the id, what was said."""

    BASE = "runs--row"
    COMPONENT_CLASSES = RunList.COMPONENT_CLASSES

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows: tuple[FailedSample, ...] = ()

    @property
    def count(self) -> int:
        """How many samples."""
        return len(self.rows)

    @property
    def chosen(self) -> FailedSample | None:
        """The sample under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def show(self, rows: Sequence[FailedSample]) -> None:
        """Show these, the cursor where it was as far as there are as many."""
        self.rows = tuple(rows)
        self.cursor = min(self.cursor, max(0, self.count - 1))
        self.resized(self.count)
        self.redraw()
        self.reveal(self.cursor)

    def segments(self, line: int, size: int) -> list[Segment]:
        """One sample."""
        if line >= self.count:
            return []
        one = self.rows[line]
        cursor = self.part("runs--cursor") if line == self.cursor else None
        key = min(28, max(8, size // 4))
        name = flat(one.id)
        said = flat(one.message.removeprefix(one.kind).lstrip(": "))
        shown = fit(name if width(name) <= key else cut_front(name, key), key)
        return [
            Segment("▸ " if cursor else "  ", cursor or self.part("runs--row")),
            Segment(fit(flat(one.kind), KIND) + "  ", cursor or self.part("runs--warn")),
            Segment(shown + "  ", cursor or self.part("runs--row")),
            Segment(fit(said, max(0, size - 6 - KIND - key)), cursor or self.part("runs--dim")),
        ]
