"""The wording of the runs: a run in full, what one would send, how one goes on and ends, two of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.reports.claude import money
from workbench.text.figures import UNDEFINED, many, value
from workbench.tui.cells import width
from workbench.tui.safe import flat
from workbench.tui.widgets.bars import DIM, Part

if TYPE_CHECKING:
    from decimal import Decimal

    from workbench.stages.claude import ClaudePlan
    from workbench.stages.runs import Disagreement, Paid, RunComparison, RunRow
    from workbench.tui.proposing import Going

NAMES = 12
"""Names of a sample that the comparison writes out for each run."""


def dollars(cost: Decimal | None) -> str:
    """`$0.06`, `$0.0021` below a cent, `<$0.0001` below that; `?` when nobody knows."""
    if cost is None:
        return "?"
    return "<$0.0001" if 0 < cost * 10_000 < 1 else money(cost)


def described(run: RunRow, advice: Mapping[str, str]) -> list[list[Part]]:
    """The run under the cursor, line by line."""
    first: list[Part] = [(flat(run.name), "bold"), (f"  {flat(run.model or run.proposer)}", "")]
    if run.current:
        first.append(("  ✓ current: openings and scores go by it", "$success"))
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
    if said.get("round", 1) != 1:
        facts += f"  round {said['round']}"
    kinds = {"entity": "entities", "statement": "statements"}
    asked = " and ".join(kinds.get(kind, kind) for kind in said.get("kinds", ()))
    labels = ", ".join(said.get("labels", ()))
    return [[(facts, DIM)], [(flat(f"asked for {asked}  labels {labels}"), DIM)]]


def _paid(paid: Paid, proposals: int) -> str:
    usage = paid.usage
    cached = f" ({_short(usage.cache_read)} cached)" if usage.cache_read else ""
    cost = "an unknown cost" if paid.cost is None else dollars(paid.cost)
    each = f", {dollars(paid.cost / proposals)} a sample" if paid.cost is not None and proposals else ""
    tokens = f"{_short(usage.prompt)} tokens in{cached}, {_short(usage.output)} out"
    return f"{many(paid.calls, 'call')} · {tokens} · {cost}{each}"


def plan_lines(plan: ClaudePlan, max_cost: Decimal) -> list[list[Part]]:
    """What a run would send, what it would cost, where it stops and where the text would go."""
    run = f"goes on with {plan.run}" if plan.run else "a new run"
    lines: list[list[Part]] = [
        [(plan.model, "bold"), (f"  {run}", DIM)],
        [(f"{many(plan.samples, 'sample')} to propose, {plan.already:,} proposed already", "")],
    ]
    if plan.failed:
        lines.append([(f"{plan.failed:,} failed before and are left alone (t asks them again)", DIM)])
    if plan.examples:
        lines.append([(f"the prompt shows {len(plan.examples)} verified samples", DIM)])
    lines += [
        [(f"{many(plan.requests, 'request')} · {plan.input_tokens:,} tokens in · about "
          f"{plan.output_tokens:,} out (estimated)", "")],
        [(_price(plan), "bold" if plan.cost is not None else "$warning")],
        [(_stops(plan, max_cost), "")],
        [("text goes to ", ""), (flat(plan.host), "bold"), (f"  (external: {plan.external})", DIM)],
    ]  # fmt: skip
    if plan.external == "never":
        lines.append([("! this dataset must not leave the machine: nothing is sent", "bold $error")])
    return lines


def _price(plan: ClaudePlan) -> str:
    if plan.cost is None:
        return f"? no price is known for {plan.model}"
    return f"{dollars(plan.cost)} by the prices of {plan.prices_of}, estimated, without the cache"


def _stops(plan: ClaudePlan, max_cost: Decimal) -> str:
    if plan.cost is None:
        return "no limit is kept without a price (--prices FILE on the command line)"
    return f"stops before the call that would exceed {dollars(max_cost)}; start it again to continue"


def doing(going: Going, room: int) -> tuple[Part, ...]:
    """How a run goes on, as far as there is room; what matters least gives way first."""
    lead = "stopping: waiting for what is under way" if going.stop.is_set() else ""
    progress = going.progress
    if progress is None:
        said = f"{going.done:,} of {many(going.total, 'sample')}" if going.options is None else "starting …"
        return _fitted([(0, lead or "running"), (1, said)], room)
    settled = progress.answered + progress.failed
    facts = [(0, lead)] if lead else []
    if progress.waiting > 0:
        facts.append((0, f"waiting {progress.waiting:.0f} s: {flat(progress.why)}"))
    facts.append((1, f"{settled:,} of {many(going.total, 'request')}"))
    if progress.failed:
        facts.append((2, f"{progress.failed:,} failed"))
    if progress.rate > 0:
        left = max(0.0, (going.total - settled) / progress.rate)
        facts += [(4, f"{progress.rate:.1f}/s"), (3, f"{int(left) // 60}:{int(left) % 60:02d} left")]
    facts.append((5, dollars(progress.cost)))
    facts.append((6, f"{_short(progress.usage.prompt)} in {_short(progress.usage.output)} out"))
    facts.append((7, f"{progress.in_flight:,} in flight"))
    return _fitted(facts, room)


def _fitted(facts: list[tuple[int, str]], room: int) -> tuple[Part, ...]:
    while len(facts) > 1 and 2 + sum(width(text) + 3 for _, text in facts) - 3 > room:
        facts.remove(max(facts))
    return ("↻ ", "$accent"), (" · ".join(text for _, text in facts), "")


def _short(number: int) -> str:
    return (
        f"{number / 1_000_000:.1f}M"
        if number >= 1_000_000
        else f"{number / 1000:.1f}k"
        if number >= 1000
        else str(number)
    )


def ended(going: Going) -> tuple[str, str, str]:
    """How a run ended: the text, its sign and its tone."""
    report = going.report
    if report is None:
        return flat(going.error), "!", "warn" if going.stop.is_set() else "bad"
    if going.options is None:
        return f"{report.run}: {report.proposed:,} proposed, {report.already:,} before", "✓", "good"
    failed, left, stopped = report.failed, report.left, report.stopped  # type: ignore[union-attr]
    said = f"{report.run}: {report.proposed:,} proposed"
    said += f", {failed:,} failed" if failed else ""
    said += f", {left:,} left ({stopped or 'interrupted'})" if left else ""
    said += f" · {dollars(report.cost)}"  # type: ignore[union-attr]
    return flat(said), "!" if failed or left else "✓", "warn" if failed or left else "good"


def compared(both: RunComparison) -> str:
    """Two runs side by side as a text to read, the samples they differ most on below."""
    found = both.agreement
    if not found.samples:
        return "There is no sample whose entities both runs name."
    first, second = flat(both.first), flat(both.second)
    size = max(10, width(first), width(second))
    each = [units / found.samples for units in found.units]
    rows = [
        ("", first, second),
        ("entities", f"{found.units[0]:,}", f"{found.units[1]:,}"),
        ("entities a sample", f"{each[0]:.2f}", f"{each[1]:.2f}"),
        ("named by this run only", f"{found.only[0]:,}", f"{found.only[1]:,}"),
        ("cost a sample", dollars(both.costs[0]), dollars(both.costs[1])),
    ]
    lines = [f"{name:<24}{one:>{size}}  {other:>{size}}" for name, one, other in rows]
    jaccard = value(found.jaccard)
    lines += [
        "",
        f"{many(found.samples, 'sample')} of both; both name {found.both:,} entities; mean overlap {jaccard}",
        f"they differ on {many(found.disagree, 'sample')} ({found.disagree / found.samples:.0%})",
    ]
    if both.stability is not None:
        steady = both.stability
        share = UNDEFINED if steady.share is None else f"{steady.share:.0%}"
        lines += [
            "",
            f"{steady.rounds} rounds of one set-up: an entity is named in {share} of the rounds; "
            f"{steady.in_all:,} of {steady.units:,} in all of them, {steady.in_some:,} in some",
        ]
    if found.worst:
        lines += ["", "Samples that they differ most on:"]
    for one in found.worst:
        lines += _differing(one, first, second)
    return "\n".join(lines)


def _differing(one: Disagreement, first: str, second: str) -> list[str]:
    lines = ["", f"{flat(one.id)}  overlap {value(one.jaccard)}"]
    for run, names in ((first, one.only_first), (second, one.only_second)):
        if names:
            more = f", and {len(names) - NAMES:,} more" if len(names) > NAMES else ""
            lines.append(f"  {run} only: {', '.join(map(flat, names[:NAMES]))}{more}")
    return lines
