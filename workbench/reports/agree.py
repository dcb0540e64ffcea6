"""How far people agree, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.comparing.intervals import FEWEST, Interval
from workbench.comparing.words import interval
from workbench.text.figures import UNDEFINED, many, number, table, value
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.comparing.agreement import Overlap
    from workbench.comparing.reviewers import Agreement
    from workbench.stages.agree import AgreeReport

GUIDELINES = "guidelines: workbench policy show; clearer ones: workbench policy edit"


def agree_text(report: AgreeReport) -> str:
    """The answer in one line, then the figures, then the parts that were asked for."""
    whole = report.whole
    lines = [agree_line(report), ""]
    people = (
        f" by {many(len(report.people), 'person', 'people')}: {', '.join(report.people)}"
        if report.people
        else ""
    )
    lines.append(
        f"{report.dataset} · {report.kind} · {many(whole.samples, 'sample')} that two people decided "
        f"independently{people} · {many(whole.groups, 'document')}"
    )
    lines += _figures(whole)
    lines += [f"left out: {many(n, 'decision')} {why}" for why, n in report.left_out.items()]
    if report.parts:
        head = ("", "samples", "F1", "95 %", "strict", "κ", "AC1", "recall differs", "α")
        lines += ["", *table(head, [(name, *_row(part)) for name, part in report.parts.items()])]
    if report.labels:
        rows = [_label(name, each) for name, each in report.labels.items()]
        lines += ["", *table(("label", "units", "both", "F1"), rows), f"least agreed first · {GUIDELINES}"]
    return clean("\n".join(lines))


def agree_line(report: AgreeReport) -> str:
    """`Two reviewers agree: F1 .81 (.76 to .85), recall differs by .06. Machine and reviewer: .74, .12.`"""
    whole, machine = report.whole, report.machine
    if whole.few:
        return f"Two reviewers decided {many(whole.samples, 'sample')} independently: figures need {FEWEST}."
    between = f" ({value(whole.interval.low)} to {value(whole.interval.high)})" if whole.interval else ""
    line = f"Two reviewers agree: F1 {value(whole.f1)}{between}, recall differs by {value(whole.differs)}."
    if machine.f1 is not None and machine.differs is not None:
        line += f" Machine and reviewer: {value(machine.f1)}, {value(machine.differs)}."
    return line


def _figures(found: Agreement) -> list[str]:
    units = found.linked
    alone = units.automatic + units.verified - 2 * units.linked
    counted = (
        f"{units.linked:,} units of both ({found.boundary:,} with another boundary, {found.label:,} with "
        f"another label), {alone:,} of one alone"
    )
    empty = f"empty: {found.both_empty:,} of both, {found.one_empty:,} of one; of both is in no F1"
    if found.few:
        return [f"units: {counted}", empty]
    chance = found.chance
    verdicts = "–" if chance is None else (
        f"κ {number(chance.kappa)}, AC1 {number(chance.ac1)}, {number(chance.raw)} equal of {chance.n:,}"
    )  # fmt: skip
    return [
        f"units: F1 {number(found.f1)} {_ends(found.interval)}, strict {number(found.strict_f1)}; {counted}",
        f"verdicts of units of both: {verdicts}; {found.unsure:,} unsure",
        f"recall differs by {number(found.differs)} {_ends(found.differs_interval)} on average",
        f"α of the labels of words: {number(found.alpha)}",
        empty,
    ]


def _ends(ends: Interval | None) -> str:
    return interval(ends) or "(one document: no interval)"


def _row(part: Agreement) -> tuple[str, ...]:
    if part.few:
        return (f"{part.samples:,}", *[UNDEFINED] * 7)
    chance = part.chance
    return (
        f"{part.samples:,}", number(part.f1), interval(part.interval), number(part.strict_f1),
        number(chance.kappa if chance else None), number(chance.ac1 if chance else None),
        number(part.differs), number(part.alpha),
    )  # fmt: skip


def _label(name: str, each: Overlap) -> tuple[str, ...]:
    every = each.automatic + each.verified
    return name, f"{every:,}", f"{each.linked:,}", number(each.f1 if every >= FEWEST else None)
