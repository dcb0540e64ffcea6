"""The lists of the Runs screens: the runs of a dataset, and the samples that one of them failed on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.segment import Segment

from workbench.tui.cells import fit, width
from workbench.tui.ids import short
from workbench.tui.runs_text import dollars
from workbench.tui.safe import flat
from workbench.tui.widgets.rows import Rows

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


class RunList(Rows["RunRow"]):
    """Runs, the newest first; ✓ stands before the current one."""

    BASE = "runs--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "runs--row",
        "runs--dim",
        "runs--good",
        "runs--warn",
        "runs--cursor",
    }

    @property
    def columns(self) -> Columns:
        """The columns at this width."""
        return plan(self.scrollable_content_region.width, self.rows)

    def show(self, rows: Sequence[RunRow], at: str = "") -> None:
        """Show these runs the cursor on `at`, else on the run it was on, at first on the current one."""
        wanted = at or (self.chosen.name if self.chosen else "")
        current = next((index for index, run in enumerate(rows) if run.current), 0)
        self.put(rows, next((index for index, run in enumerate(rows) if run.name == wanted), current))

    def drawn(self, run: RunRow, size: int, *, here: bool) -> list[Segment]:
        """One run."""
        columns = plan(size, self.rows)
        cursor = self.part("runs--cursor") if here else None
        row, dim = cursor or self.part("runs--row"), cursor or self.part("runs--dim")
        failed = f"{run.failed:,}" if run.failed else "·"
        warn = (cursor or self.part("runs--warn")) if run.failed else dim
        cost = dollars(run.paid.cost) if run.paid else "·"
        made = f"  {run.created_at:%Y-%m-%d %H:%M}" if columns.made else ""
        return [
            Segment("▸ " if cursor else "  ", row),
            Segment("✓ " if run.current else "  ", cursor or self.part("runs--good")),
            Segment(fit(flat(run.name), columns.name) + "  ", row),
            Segment(fit(flat(run.model or run.proposer), columns.model), dim),
            Segment(fit(f"{run.proposals:,}", PROPOSED, right=True), row),
            Segment(fit(failed, FAILED, right=True), warn),
            Segment(fit(cost, COST, right=True) + made, dim),
        ]


def column_names(columns: Columns) -> str:
    """The line above the runs."""
    name, model, made = columns
    line = f"    {fit('run', name)}  {fit('model', model)}{'proposed':>{PROPOSED}}{'failed':>{FAILED}}"
    return f"{line}{'cost':>{COST}}" + ("  made (UTC)" if made else "")


class FailedList(Rows["FailedSample"]):
    """Samples that a run failed on: the kind, the id, what was said."""

    BASE = "runs--row"
    COMPONENT_CLASSES = RunList.COMPONENT_CLASSES

    def drawn(self, one: FailedSample, size: int, *, here: bool) -> list[Segment]:
        """One sample."""
        cursor = self.part("runs--cursor") if here else None
        row = cursor or self.part("runs--row")
        key = min(28, max(8, size // 4))
        said = flat(one.message.removeprefix(one.kind).lstrip(": "))
        shown = fit(short(one.id, key, one.question), key)
        return [
            Segment("▸ " if here else "  ", row),
            Segment(fit(flat(one.kind), KIND) + "  ", cursor or self.part("runs--warn")),
            Segment(shown + "  ", row),
            Segment(fit(said, max(0, size - 6 - KIND - key)), cursor or self.part("runs--dim")),
        ]
