"""The runs of a dataset: their list, and the facts of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from rich.segment import Segment

from workbench.reports.claude import money, progress_line, shortened
from workbench.text.figures import many
from workbench.tui.cells import fit, width
from workbench.tui.safe import flat
from workbench.tui.widgets.bars import DIM, Part
from workbench.tui.widgets.lines import RowList

if TYPE_CHECKING:
    from decimal import Decimal

    from workbench.stages.runs import RunCost, RunSummary
    from workbench.tui.proposing import Going


def _dollars(cost: Decimal | None) -> str:
    return "?" if cost is None else money(cost)


def described(run: RunSummary, advice: Mapping[str, str]) -> list[list[Part]]:
    """The run under the cursor, line by line."""
    first: list[Part] = [(flat(run.name), "bold"), (f"  {flat(run.model or run.proposer)}", "")]
    if run.current:
        first.append(("  ✓ in use for reviews and scores", "$success"))
    counts = f"{many(run.proposals, 'sample')} proposed, {run.failed:,} failed"
    if run.left:
        counts += f", {run.left:,} left" + (" (n with the same set-up goes on)" if run.paid else "")
    lines: list[list[Part]] = [first, [(counts, "")]]
    if run.paid is not None:
        lines.append([(_paid(run.paid, run.proposals), "")])
    for kind, number in run.failures.items():
        lines.append(
            [(f"○ {number:,} failed: {flat(kind)}", "bold $warning"), (f"  {advice.get(kind, '')}", DIM)]
        )
    return [*lines, *_set_up(run.parameters)]


def _set_up(said: Mapping[str, Any]) -> list[list[Part]]:
    if "prompt_sha256" not in said:
        where = {"rules": "made on this machine, without a service", "recorded": "came with a file"}
        return [[(where.get(str(said.get("source")), ""), DIM)]]
    effort = said["effort"] or "none"
    facts = f"prompt {said['prompt_sha256'][:12]}  effort {effort}  at most {said['max_tokens']:,} tokens out"
    kinds = {"entity": "entities", "statement": "statements"}
    asked = " and ".join(kinds.get(kind, kind) for kind in said.get("kinds", ()))
    labels = ", ".join(said.get("labels", ()))
    return [[(facts, DIM)], [(flat(f"asked for {asked}  labels {labels}"), DIM)]]


def _paid(paid: RunCost, proposals: int) -> str:
    usage = paid.usage
    cached = f" ({shortened(usage.cache_read)} cached)" if usage.cache_read else ""
    each = f", {money(paid.cost / proposals)} a sample" if paid.cost is not None and proposals else ""
    tokens = f"{shortened(usage.prompt)} tokens in{cached}, {shortened(usage.output)} out"
    return f"{many(paid.calls, 'call')} · {tokens} · {money(paid.cost)}{each}"


def doing(going: Going) -> str:
    """How a run goes on."""
    progress = going.progress
    if going.stop.is_set():
        return "stopping: waiting for what is under way"
    if going.options is None:
        return f"{going.done:,} of {many(going.total, 'sample')}"
    if progress is None:
        return "starting …"
    settled = progress.answered + progress.failed
    return flat(f"{settled:,} of {many(going.total, 'request')} · {progress_line(progress)}")


# The lists.

PROPOSED, FAILED, COST, MADE = 9, 7, 9, 16  # cells of the columns; numbers are right-aligned
KIND = 14


class RunColumns(NamedTuple):
    """Cells for the name and the model, and for the day a run was made (0: left out)."""

    name: int
    model: int
    made: int


def run_columns(size: int, runs: Sequence[RunSummary]) -> RunColumns:
    """The columns of a row of `size` cells; the day gives way first, then the model is cut."""
    made = MADE + 2 if size >= 100 else 0
    name = min(max((width(flat(run.name)) for run in runs), default=8), 30)
    return RunColumns(name, max(4, size - 4 - name - 2 - PROPOSED - FAILED - COST - made), made)


class RunList(RowList["RunSummary"]):
    """Runs, the newest first; ✓ stands before the current one."""

    BASE = "runs--row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "runs--row",
        "runs--dim",
        "runs--good",
        "runs--warn",
        "runs--cursor",
    }

    def show(self, rows: Sequence[RunSummary], at: str = "") -> None:
        """Show these runs the cursor on `at`, else on the run it was on, at first on the current one."""
        wanted = at or (self.chosen.name if self.chosen else "")
        current = next((index for index, run in enumerate(rows) if run.current), 0)
        self.put(rows, next((index for index, run in enumerate(rows) if run.name == wanted), current))

    def drawn(self, run: RunSummary, size: int, *, here: bool) -> list[Segment]:
        """One run."""
        columns = run_columns(size, self.rows)
        cursor = self.part("runs--cursor") if here else None
        row, dim = cursor or self.part("runs--row"), cursor or self.part("runs--dim")
        failed = f"{run.failed:,}" if run.failed else "·"
        warn = (cursor or self.part("runs--warn")) if run.failed else dim
        cost = _dollars(run.paid.cost) if run.paid else "·"
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


def column_names(columns: RunColumns) -> str:
    """The line above the runs."""
    name, model, made = columns
    line = f"    {fit('run', name)}  {fit('model', model)}{'proposed':>{PROPOSED}}{'failed':>{FAILED}}"
    return f"{line}{'cost':>{COST}}" + ("  made (UTC)" if made else "")
