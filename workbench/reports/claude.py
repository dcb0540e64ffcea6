"""What is printed about runs of a model: the plan before spending, the line while running, the end."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from workbench.reports import page
from workbench.text.figures import many

if TYPE_CHECKING:
    from workbench.proposing.claude.run import RunProgress
    from workbench.stages.claude import ModelPlan, ModelReport


def money(cost: Decimal | None) -> str:
    """`$0.06`, `$0.0021` below a cent, `an unknown cost` without a price or without a count of tokens."""
    if cost is None:
        return "an unknown cost"
    return f"${cost:.4f}" if 0 < cost < Decimal("0.01") else f"${cost:,.2f}"


def plan_text(plan: ModelPlan, max_cost: Decimal | None = None) -> str:
    """What a run would send and cost, and where it would stop."""
    run = f"run {plan.run}" if plan.run else "a new run"
    lines = [f"note: {note}" for note in plan.notes]
    lines.append(
        f"{plan.model}, {run}: {many(plan.samples, 'sample')} to propose, {plan.already:,} proposed already"
    )
    if plan.examples:
        shown = many(len(plan.examples), "verified sample")
        lines.append(f"  the prompt shows {shown}: {', '.join(plan.examples)}")
    if plan.failed:
        lines.append(
            f"  {plan.failed:,} failed before and are left alone; --retry-failed (t in Runs) asks again"
        )
    thinking = f", {plan.thinking_tokens:,} of them thinking" if plan.thinking_tokens else ""
    lines.append(
        f"  {many(plan.requests, 'request')} · {plan.input_tokens:,} tokens in · about "
        f"{plan.output_tokens:,} out{thinking} (estimated offline)"
    )
    if plan.cost is None:
        lines.append(
            f"  no price is known for {plan.model}: give one with --prices FILE, or --max-cost cannot be kept"
        )
    else:
        lines.append(
            f"  about {money(plan.cost)} by the prices of {plan.prices_of}, without the cache "
            "and failed calls"
        )
        if max_cost is not None and plan.cost > max_cost:
            lines.append(f"  it stops before it costs more than {money(max_cost)} (--max-cost)")
    lines.append(f"  text would go to {plan.host} (--external {plan.external})")
    return page(lines)


def progress_line(progress: RunProgress, total: str = "") -> str:
    """One line for a terminal that is 80 cells wide or more; what matters most comes first."""
    done = (
        f"{progress.answered + progress.failed:,} of {total}" if total else f"{progress.answered:,} answered"
    )
    if progress.failed:
        done += f", {progress.failed:,} failed"
    parts = [done, money(progress.cost)]
    if progress.waiting > 0:
        parts.append(f"waiting {progress.waiting:.0f} s: {progress.why}")
    parts += [f"{progress.rate:.1f}/s", f"{progress.in_flight} in flight"]
    parts.append(f"{shortened(progress.usage.prompt)} in {shortened(progress.usage.output)} out")
    return " · ".join(parts)


def report_text(report: ModelReport) -> str:
    """How a run ended."""
    total = report.already + report.proposed
    lines = [f"note: {note}" for note in report.notes]
    lines.append(f"{report.run} ({report.model}): {report.proposed:,} proposed, {total:,} in all")
    for kind, number in report.failures.items():
        lines.append(f"  {number:,} failed: {kind}: {report.advice.get(kind, '')}".rstrip(": "))
    if report.bare:
        lines.append(
            f"  in {report.bare:,} of {total:,} references nothing was found, which leaves no automatic "
            "value; review some, or name another --model"
        )
    if report.left:
        again = (
            "; run again: only what is missing is asked" if report.stopped in ("", "asked to stop") else ""
        )
        lines.append(f"  {report.left:,} left: {report.stopped or 'interrupted'}{again}")
    elif report.stopped:
        lines.append(f"  not all failed samples were asked again: {report.stopped}")
    spent, usage = report.progress, report.progress.usage
    silent = f" ({many(spent.unmetered, 'answer')} named no tokens)" if spent.unmetered else ""
    cached = f", {usage.cache_read:,} of them from the cache" if usage.cache_read else ""
    if not (spent.requests or report.proposed or report.left or report.stopped):
        return page([*lines, "  nothing was left to ask"])
    lines.append(
        f"  {many(spent.requests, 'request')}, {spent.refused:,} met a rate limit · "
        f"{usage.prompt:,} tokens in{cached} · {usage.output:,} out · {money(spent.cost)}{silent} · "
        f"{spent.seconds:.0f} s"
    )
    return page(lines)


def shortened(number: int) -> str:
    """`1.2M`, `30.5k`, `999`."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}{letter}"
    return str(number)
