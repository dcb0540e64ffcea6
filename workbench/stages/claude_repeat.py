"""Claude asked several times alike: the rounds of one set-up, and how stable the units are over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from workbench.comparing.runs import Stability
from workbench.proposing.claude_live import Limits
from workbench.proposing.claude_progress import Progress
from workbench.stages.claude import ClaudePlan, ClaudeReport, plan_run, propose_claude
from workbench.stages.claude_setup import ClaudeOptions
from workbench.stages.runs import Unsteady, stability, unsteady
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store


@dataclass(frozen=True, slots=True)
class RepeatReport:
    """How every round that was started ended, of `wanted`; `stability` is None before a second round.

    `unsteady` lists the units that only some of the rounds name, those that most name last.
    """

    wanted: int
    rounds: tuple[ClaudeReport, ...]
    stability: Stability | None
    unsteady: tuple[Unsteady, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every round was run and every sample of each is proposed."""
        return len(self.rounds) == self.wanted and not any(one.failed or one.left for one in self.rounds)


def plan_rounds(
    store: Store, info: DatasetInfo, options: ClaudeOptions, number: int, *, retry: bool, batch: bool
) -> ClaudePlan:
    """What rounds 1 to `number` would send and cost together; samples are counted once for each round."""
    plans = [
        plan_run(store, info, replace(options, round=one), retry=retry, batch=batch)
        for one in range(1, number + 1)
    ]
    total = plans[0]
    for plan in plans[1:]:
        cost = None if total.cost is None or plan.cost is None else total.cost + plan.cost
        total = replace(
            total,
            samples=total.samples + plan.samples,
            already=total.already + plan.already,
            failed=total.failed + plan.failed,
            requests=total.requests + plan.requests,
            input_tokens=total.input_tokens + plan.input_tokens,
            output_tokens=total.output_tokens + plan.output_tokens,
            thinking_tokens=total.thinking_tokens + plan.thinking_tokens,
            cost=cost,
        )
    return replace(total, rounds=number)


def propose_rounds(
    store: Store,
    info: DatasetInfo,
    options: ClaudeOptions,
    number: int,
    *,
    annotator: str,
    retry: bool,
    batch: bool,
    limits: Limits,
    on_progress: Callable[[Progress], None],
) -> RepeatReport:
    """Propose rounds 1 to `number`, each paid for itself; the first stays the dataset's current run.

    A round that leaves samples (Ctrl-C, a limit of time or money, a key that is refused) ends it; the next
    start goes on there.
    """
    reports: list[ClaudeReport] = []
    for one in range(1, number + 1):
        report = propose_claude(
            store,
            info,
            replace(options, round=one),
            annotator=annotator,
            retry=retry,
            batch=batch,
            limits=limits,
            on_progress=on_progress,
        )
        reports.append(report)
        if limits.total_seconds is not None:
            limits = replace(limits, total_seconds=max(0.0, limits.total_seconds - report.seconds))
        if limits.max_cost is not None:
            limits = replace(limits, max_cost=max(Decimal(0), limits.max_cost - (report.cost or 0)))
        if report.left:
            break
    if len(reports) == 1:
        return RepeatReport(number, tuple(reports), None)
    run = reports[0].run
    listed = sorted(unsteady(store, info, run), key=lambda one: one.rounds)
    return RepeatReport(number, tuple(reports), stability(store, info, run), tuple(listed))
