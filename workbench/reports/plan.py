"""What is printed about a plan: as it stands, as it would be, and how many reviews a precision needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.comparing.intervals import FEWEST
from workbench.reports import page, table
from workbench.scoring.names import scorer_in_full
from workbench.stages import local
from workbench.text.figures import and_more, many, told
from workbench.text.safe import name_of

if TYPE_CHECKING:
    from workbench.stages.draw import DrawReport
    from workbench.stages.figures import Precision
    from workbench.stages.plan import Draft, PlanReport

WIDER = "Until all planned samples are reviewed, the interval is wider."
SHOWN_STRATA = 20
DESIGN_WORDS = {"simple": "simple random", "stratified": "stratified"}


def plan_lines(report: PlanReport) -> list[str]:
    """A plan as it stands, line by line; the first says what it is."""
    plan = report.plan
    if plan is None:
        lines = [f"{report.dataset}: no plan, {many(report.population, 'sample')} in random order"]
    else:
        given = f" ({report.given:,} verified in the file)" if report.given else ""
        lines = [
            f"{report.dataset}: {DESIGN_WORDS[plan.design]}, {report.done:,} of {report.planned_n:,} planned "
            f"samples complete{given}, for {many(report.population, 'sample')}"
        ]
        lines += ["  drawn from a corpus; the other samples are in no database"] if plan.corpus else []
        if report.complete:
            lines.append(f"  {complete_line(report)}")
            left = report.population - report.n - report.beyond
            others = f"the {left:,} that are left" if left > 1 else "the last one"
            if left > 0 and not plan.corpus:
                lines.append(f"  what changes it: workbench plan --more N, or reviewing {others}")
        elif report.unresolved:
            are = many(report.unresolved, "planned sample is", "planned samples are")
            lines.append(f"  {are} unresolved: settle {'it' if report.unresolved == 1 else 'them'} first")
        elif report.done:
            lines.append(f"  {WIDER}")
        lines += _facts(plan.parameters)
    lines += _progress_lines(report)
    lines += _strata_lines({one.name: (one.samples, one.planned, one.complete) for one in report.strata})
    if report.holdout:
        opened = {
            f"{report.holdout_picked:,} opened by hand": report.holdout_picked,
            f"opened {many(len(report.openings), 'time')} as a whole": report.openings,
        }
        seen = ", ".join(told(opened)) or "never opened"
        lines.append(f"holdout: {many(report.holdout, 'sample')}, {report.holdout_done:,} reviewed, {seen}")
        lines += [
            f"  {local(opening.at)[:16]} by {opening.annotator}: {opening.purpose}"
            for opening in report.openings[-5:]
        ]
    rest = {
        f"{many(report.late, 'sample')} came after the plan: its figures leave them out": report.late,
        f"reviewed without suggestions: {report.blind_share:.0%} of the samples": report.blind_share,
        f"{many(report.imported, 'sample')} verified in the file stand further on in the order: counted "
        "when the samples before them and the next one behind them are reviewed": report.imported,
    }
    return lines + told(rest)


def _facts(parameters: Mapping[str, Any]) -> list[str]:
    lines = []
    if "by" in parameters:
        by = "the automatic value" if parameters["by"] == "score" else parameters["by"]
        lines.append(f"  strata by {by}, by their sizes")
    if "chosen" in parameters:
        lines.append("  chosen for this demo and planned as if they had been drawn")
    return lines


def _progress_lines(report: PlanReport) -> list[str]:
    counts = ", ".join(f"{number:,} {status}" for status, number in report.counts.items())
    lines = [f"reviewed in order: {report.n:,}" + (f" ({counts})" if counts else "")]
    if report.beyond:
        lines.append(f"  {report.beyond:,} more, picked by hand or further on in the order")
    if report.next is not None:
        after = ", after the plan" if report.complete else ""
        lines.append(f"next{after}: {name_of(report.next, report.question)}")
    return lines


def complete_line(report: PlanReport) -> str:
    """That the plan has its end, and what holds from there on."""
    if report.n == report.population:
        open_ = sum(report.counts.get(status, 0) for status in ("skipped", "unresolved"))
        return "complete: all samples are reviewed" + (f", {open_:,} are still open" if open_ else "")
    behind = later_reviews(report)
    more = f"; {many(behind, 'later review stays', 'later reviews stay')} out of it" if behind else ""
    return f"{at_end(report.planned_n or 0)}{more}"


def later_reviews(report: PlanReport) -> int:
    """How many samples behind the planned ones are complete, where all of these are."""
    return report.n - (report.planned_n or 0) + report.beyond


def at_end(planned: int) -> str:
    """That every planned sample is complete, and what that means for the estimate."""
    if planned < FEWEST:
        return f"complete: fewer than {FEWEST}, so no interval"
    return "complete: the estimate stands"


def _strata_lines(strata: Mapping[str, tuple[int, ...]], most: int = SHOWN_STRATA) -> list[str]:
    if not strata:
        return []
    rows = [[name or "(none)", *(f"{number:,}" for number in numbers)] for name, numbers in strata.items()]
    heads = ("stratum", "samples", "planned", "complete")[: len(rows[0])]
    lines = [f"  {line}" for line in table(heads, rows[:most], right=True)]
    return lines + and_more(len(rows) - most, " strata", "  ")


def draw_text(report: DrawReport) -> str:
    """What was drawn from a scored corpus, and what follows."""
    without = many(report.rejected, "row without scores stays out", "rows without scores stay out")
    aside = f"; {without}" if report.rejected else ""
    lines = [
        f"{report.dataset}: {many(report.n, 'sample')} drawn from {report.rows:,} "
        f"by {scorer_in_full(report.scorer)}{aside}",
        *_strata_lines(report.strata if len(report.strata) > 1 else {}),
        f"reviewed without suggestions: {report.blind_share:.0%} of the samples",
        f"the same samples again, with a larger --n and more: --seed {report.seed}",
        "Review them (workbench review). workbench compare then estimates the mean of all "
        f"{report.rows:,} samples.",
    ]
    return page(lines)


def draft_text(draft: Draft, strata: int = SHOWN_STRATA) -> str:
    """What making a plan would mean; `strata` are listed at most."""
    plan = draft.plan
    holdout = plan.parameters["holdout"]
    lines = [f"{DESIGN_WORDS[plan.design]}: {plan.planned_n:,} reviews for {many(plan.population, 'sample')}"]
    lines += _facts(plan.parameters)
    least, most = draft.chances
    if plan.design != "simple":
        chance = " to ".join(dict.fromkeys((f"{least:.2f}", f"{most:.2f}")))
        lines.append(f"  a sample is drawn with probability {chance}; estimates allow for it")
    lines += _strata_lines(plan.parameters.get("strata", {}), strata)
    facts = {
        f"holdout: {many(holdout, 'sample')} in {many(draft.families, 'group')}, "
        "reviewed without suggestions, after the plan, in no estimate": holdout,
        blind_line(draft): True,
        f"{many(draft.imported, 'sample')} verified in the file: the plan does without them": draft.imported,
        **{f"note: {note}": True for note in draft.notes},
        "it replaces the plan you have: nothing is reviewed yet": draft.replaces,
        "after your first review you cannot make another plan, only plan more samples: --more N": True,
    }
    return page([*lines, *told(facts)])


def blind_line(draft: Draft) -> str:
    """How many reviews without suggestions are expected, and whether that is new."""
    share, before, n = draft.blind_share, draft.plan.parameters["blind_before"], draft.plan.planned_n
    if not share:
        return "reviewed without suggestions: none" + (" any more" if before else "")
    expected = f"about {share * n:.0f} of {many(n, 'review')}"
    if share == before:
        return f"reviewed without suggestions: {share:.0%} as before, {expected}"
    way = "raised" if share > before else "lowered"
    return f"reviewed without suggestions: {way} from {before:.0%} to {share:.0%}, {expected}"


def precision_text(precision: Precision) -> str:
    """How many samples an interval that narrow takes, and what that rests on."""
    goal = f"± {precision.half_width:.3f}"
    size = f"{precision.needed:,} of {many(precision.population, 'sample')}"
    if precision.planned:
        return f"{goal}: a plan of {size}\n  {precision.basis}"
    late = "A plan would take fewer, and is made before the first review."
    return f"{goal}: {size} reviewed in random order\n  {precision.basis}\n  {late}"


def plan_text(report: PlanReport) -> str:
    """The plan as it stands."""
    return page(plan_lines(report))
