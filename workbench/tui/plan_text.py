"""The wording of the plan screen: the plan as it stands, what to do next, the form's hints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.reports.plan import DESIGN_WORDS, complete_line
from workbench.text.figures import many
from workbench.tui.cells import fit
from workbench.tui.safe import flat
from workbench.tui.widgets.bars import DIM, Part

if TYPE_CHECKING:
    from workbench.stages.plan import PlanReport, Stratum

NAME = 11
"""Cells of the names on the left."""

BAR = 20
"""Cells of the long bar."""

STRATUM = 28
"""Cells of a stratum's name."""

START_OVER = "To plan all the same: import the file again, under another name (--dataset)."
START_OVER_DEMO = "To plan all the same: delete workbench-demo.db, then workbench demo again."


def stand_lines(report: PlanReport) -> list[list[Part]]:
    """The plan as it stands, line by line, what it stands for and what is next."""
    lines = [_bar_line(report), [("", "")]]
    lines.append(_line("design", _design(report)))
    if report.plan is not None:
        made = f"{report.plan.created_at:%Y-%m-%d %H:%M} UTC by {flat(report.plan.annotator)}"
        lines.append(_line("made", made))
    lines.append(_line("prefix", _prefix(report)))
    if report.next is not None:
        lines.append(_line("next", flat(report.next)))
    if report.blind_share:
        lines.append(
            _line("alone", f"{report.blind_share:.0%} of the samples (◇) are reviewed without suggestions")
        )
    if report.holdout:
        looks = len(report.openings)
        seen = f"opened {many(looks, 'time')}" if looks else "never opened"
        lines.append(
            _line("holdout", f"{many(report.holdout, 'sample')}, {report.holdout_done:,} complete, {seen}")
        )
    if report.late:
        came = f"{many(report.late, 'sample')} came after the plan; no figure of it speaks of them"
        lines.append(_line("late", came))
    if report.imported:
        given = f"{many(report.imported, 'sample')} verified in the file: no verdict of the plan"
        lines.append(_line("file", given))
    if report.strata:
        lines += [[("", "")], *_strata_lines(report.strata)]
    lines += [[("", "")], *_next_steps(report)]
    return lines


def _line(name: str, text: str) -> list[Part]:
    return [(fit(name, NAME), DIM), (text, "")]


def _bar_line(report: PlanReport) -> list[Part]:
    goal = report.planned_n or report.population
    done = report.done if report.plan is not None else report.prefix
    words = f"{done:,} of {goal:,} planned" if report.plan is not None else "no plan"
    if report.given:
        words += f" ({report.given:,} imported)"
    return [
        *_bar(done, goal, BAR),
        (f"  {words}", "bold"),
        (f"  for {many(report.population, 'sample')}", DIM),
    ]


def _bar(done: int, goal: int, room: int) -> list[Part]:
    filled = round(room * done / goal) if goal else 0
    filled = min(max(filled, 1 if done else 0), room if done >= goal else room - 1)
    return [("▰" * filled, "$success"), ("▱" * (room - filled), "$foreground 35%")]


def _design(report: PlanReport) -> str:
    plan = report.plan
    if plan is None:
        return "simple random: the order of the queue, with no planned end"
    said = DESIGN_WORDS[plan.design]
    if plan.design == "stratified":
        return f"{said} by {flat(str(plan.parameters['by']))}"
    return said


def _prefix(report: PlanReport) -> str:
    counts = ", ".join(f"{number:,} {status}" for status, number in report.counts.items())
    said = f"{report.prefix:,} reviewed in order" + (f": {counts}" if counts else "")
    return said + (f"; {report.beyond:,} more not reached yet" if report.beyond else "")


def _strata_lines(strata: tuple[Stratum, ...]) -> list[list[Part]]:
    head = f"{fit('stratum', STRATUM)}{'samples':>9}{'planned':>9}{'complete':>10}"
    rows = [
        [
            (fit(flat(one.name) or "(none)", STRATUM), ""),
            (f"{one.samples:>9,}{one.planned:>9,}{one.complete:>10,}  ", ""),
            *_bar(min(one.complete, one.planned), one.planned, 10),
        ]
        for one in strata
    ]
    return [[(head, DIM)], *rows]


def _next_steps(report: PlanReport) -> list[list[Part]]:
    """What holds now, and what to do; each fits into 78 cells."""
    steps = _what_holds(report)
    if report.complete:
        said = complete_line(report)
        steps.append(f"{said[0].upper()}{said[1:]}.")
        steps.append("C in the queue shows it.")
    elif report.planned_n is not None:
        left = report.planned_n - report.prefix
        steps.append(f"{many(left, 'review')} to the planned end; before it intervals allow for looking.")
    if report.next is not None and not report.complete:
        steps.append("c goes on with the next sample.")
    return [[("→ ", "$accent"), (step, "")] for step in steps]


def _what_holds(report: PlanReport) -> list[str]:
    if report.plan is not None:
        return [] if report.decided else ["Nothing is decided yet: n makes another plan, D drops this one."]
    steps = ["Stop whenever you like: what you have reviewed is a random sample."]
    if report.decided:
        steps.append(f"{many(report.decided, 'sample')} decided. Too late for a plan: reviewing has begun.")
        return [*steps, START_OVER_DEMO if report.dataset == "demo" else START_OVER]
    return [*steps, "n plans a number to reach, simply at random or by strata."]
