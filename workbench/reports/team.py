"""People, assignments and how far people agree, as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from workbench.comparing.intervals import FEWEST, Interval
from workbench.comparing.words import interval
from workbench.model import PLURAL, Kind, letter
from workbench.reports import page, table
from workbench.text.figures import UNDEFINED, many, number, telling, value
from workbench.text.safe import clean, flat

if TYPE_CHECKING:
    from workbench.comparing.reviewers import Agreement
    from workbench.stages.agree import AgreeReport
    from workbench.stages.people import Person, Trainee
    from workbench.stages.queue import Progress
    from workbench.stages.review import Opened
    from workbench.stages.team import Held, Team
    from workbench.stages.training import Lesson, Training


NO_ASSIGNMENTS = (
    "no assignments: everybody reviews what nobody has verified (workbench assign --overlap 2 --share .2)"
)


def team_line(team: Team) -> str:
    """`340 of 1,000 done (2 each on about 20 %)`: which ones are drawn by chance."""
    share = max(team.share, team.blind)
    about = "" if share >= 1 or team.overlap == 1 else f" on about {share * 100:.0f} %"
    return f"{team.complete:,} of {team.samples:,} done ({team.overlap} each{about})"


def done_line(progress: Progress, planned: tuple[int, int] | None, *, wide: bool = True) -> str:
    """`14 of 20 planned · 5 by you`: how far all are, and this person where others verify too."""
    said = f"{progress.verified:,} of {progress.total:,} verified"
    if planned is not None:
        done, goal = planned
        complete = f"plan complete · {said}" if wide else "plan complete"
        said = f"{done:,} of {goal:,} planned" if done < goal else complete
    others = progress.team or progress.mine < progress.verified
    return said + (f" · {progress.mine:,} by you" if others else "")


def holds(held: Sequence[Held]) -> str:
    """`held by bo until 14:32`; what was given by name has no end."""
    until = held[0].until
    when = "" if until is None else f" until {datetime.fromtimestamp(until).astimezone():%H:%M}"
    return f"held by {', '.join(slot.annotator for slot in held)}{when}"


def letters_text(opened: Opened, kind: Kind) -> str:
    """Who is who where a sample is settled: `A ada · B bob`."""
    people = opened.over.people.get(kind, ()) if opened.over else ()
    return " · ".join(f"{letter(side)} {flat(name)}" for side, name in enumerate(people))


def team_text(team: Team | None) -> str:
    """How far the assignments are, and what each person did and holds."""
    if team is None:
        return NO_ASSIGNMENTS
    lines = [
        f"{team_line(team)}; more than one person reviews {many(team.several, 'sample')}; "
        f"a sample is held for {many(team.lease, 'minute')}"
    ]
    if team.blind > team.share and team.overlap > 1:
        lines.append(
            f"{team.blind * 100:.0f} % are reviewed without suggestions, more than the share of "
            f"{team.share * 100:.0f} %: each of them needs {team.overlap} people"
        )
    if team.people:
        head = ("person", "done", "held", "given", "run out", "late")
        lines += table(head, [(name, *map("{:,}".format, of)) for name, *of in map(astuple, team.people)])
    if late := sum(person.late for person in team.people):
        lines.append(
            f"late: {many(late, 'decision')} when others had taken all places of the sample; all count"
        )
    if team.overlap > (known := len(team.people) + team.others):
        part = many(known, "person holds or has", "people hold or have")
        several = many(team.several, "sample needs", "samples need")
        lines.append(f"{several} {team.overlap} people, and so far {part} decided any")
    return page(lines)


def training_text(training: Training) -> str:
    """The training samples, and how far everybody is with them."""
    head = ("trained", "decided", "units", "verdicts", "")
    rows = [
        (person.name, f"{person.decided:,} of {person.samples:,}", *_reached(person), _stands(person))
        for person in training.people
    ]
    lines = [f"training: {many(training.samples, 'sample')}, pass mark {_mark(training.mark)}"]
    lines += table(head, rows) if rows else ()
    return page(lines) + "\n"


def _stands(one: Trainee) -> str:
    if one.by:
        return "passed" if one.by == one.name else f"let pass by {one.by}"
    if one.decided < one.samples or not one.samples:
        return ""
    return "passed" if one.reaches else "not passed: workbench person pass NAME"


def trainee_line(trainee: Trainee) -> str:
    """How far a person is, for themselves."""
    figures = "units {}, verdicts {}".format(*_reached(trainee))
    if trainee.by:
        passed = "You passed the training" if trainee.by == trainee.name else "An owner let you go on"
        return f"{passed}: {figures}. These are the samples to review."
    if trainee.decided < trainee.samples:
        so_far = f": {figures} so far" if trainee.decided else ""
        return (
            f"Training: {trainee.decided} of {many(trainee.samples, 'sample')} decided{so_far}. "
            f"The pass mark is {_mark(trainee.mark)}."
        )
    return f"Not passed: {figures}; the pass mark is {_mark(trainee.mark)}. An owner can let you go on."


def _mark(mark: float) -> str:
    """A pass mark as it was given, with two digits at least."""
    return number(mark, max(2, len(f"{mark:g}") - 2))


def _reached(one: Trainee) -> list[str]:
    """Both figures of a person, with as many digits as tell them from the pass mark."""
    return [
        UNDEFINED if figure is None
        else number(figure, telling(figure, one.mark, 2, reached=figure >= one.mark))
        for figure in (one.f1, one.verdicts)
    ]  # fmt: skip


def lesson_text(lessons: Sequence[Lesson]) -> str:
    """What a person decided of a training sample, held against the known answer."""
    lines: list[str] = []
    for lesson in lessons:
        both = lesson.overlap
        lines.append(
            f"{many(both.linked, f'{lesson.kind} unit is', f'{lesson.kind} units are')} the same, of your "
            f"{both.automatic} and {both.verified} of the known answer."
        )
        for link in lesson.same:
            ours, theirs = link.automatic, link.verified
            lines += [
                f"≠ {theirs.text}: you say {own}, the known answer says {known}"
                for own, known in ((ours.match.verdict, theirs.match.verdict), (ours.label, theirs.label))
                if own != known
            ]
            if ours.text != theirs.text:
                lines.append(f"≠ {theirs.text}: you have {ours.text}")
        lines += [f"− {unit.text}: you have no such {lesson.kind}" for unit in lesson.missed]
        lines += [f"+ {unit.text}: only you have it" for unit in lesson.added]
        lines.append("")
    return clean("\n".join(lines).strip())


def people_text(people: Sequence[Person]) -> str:
    """Who works here and what they may do."""
    if not people:
        return "nobody is named, so everybody is an owner (workbench person add NAME --role owner)"
    rows = [
        (
            one.name,
            one.role,
            "adjudicates" if one.adjudicates else "",
            "disabled" if one.disabled else "" if one.token else "no token",
        )
        for one in people
    ]
    return page(table(("person", "role", "", ""), rows))


DIFFER = "who differs in what: workbench disputes --between annotators"
GUIDELINES = "guidelines: workbench policy show; clearer ones: workbench policy edit"


def agree_text(report: AgreeReport) -> str:
    """The answer in one line, then the figures, then the parts that were asked for."""
    lines = [agree_line(report)]
    if facts := agree_facts(report):
        lines += ["", *facts]
    if parts := parts_table(report):
        lines += ["", *parts]
    if any(part.few for part in report.parts.values()) and not report.whole.few:
        lines.append(f"–: fewer than {FEWEST} samples")
    if report.labels:
        lines.append(f"least agreed first · {GUIDELINES}")
    return page(lines)


def agree_facts(report: AgreeReport) -> list[str]:
    """What was compared, and the figures of the whole."""
    whole = report.whole
    people = f" ({', '.join(report.people)})" if report.people else ""
    groups = f" · {many(whole.groups, 'group')}" if whole.groups < whole.samples else ""
    verdicts = f"{many(whole.linked, 'verdict')} {'differs' if whole.differing == 1 else 'differ'}"
    pairs = f" · {many(whole.pairs, 'pair')} of decisions" if whole.pairs > whole.samples else ""
    left_out = [f"left out: {many(n, 'decision')} {why}" for why, n in report.left_out.items()]
    if not whole.samples:
        return left_out
    return [
        f"{report.dataset} · {PLURAL[report.kind]} · {many(whole.samples, 'sample')} decided by at least two "
        f"people independently{people}{pairs}{groups}",
        f"{whole.differing:,} of {verdicts}" + (f" · {DIFFER}" if whole.differing else ""),
        *_figures(whole),
        *left_out,
    ]


def parts_table(report: AgreeReport, *, narrow: bool = False) -> list[str]:
    """The parts that were asked for, below a line of heads; nothing without. `narrow`: in 60 columns."""
    if report.labels:
        labels = [
            (name or "no label", f"{label.units:,}", f"{label.both:,}", number(label.f1))
            for name, label in report.labels.items()
        ]
        return table(("label", "units of two", "both", "F1"), labels)
    head = ("", "samples", "F1", "95 %", "strict", "κ", "AC1", "recall differs", "α")
    rows = [(name, *_row(part)) for name, part in report.parts.items()]
    if rows and narrow:
        some = table(("", "n", "F1", "95 %", "κ", "differs"), [(*row[:4], row[5], row[7]) for row in rows])
        under = (f"  strict {row[4]}, AC1 {row[6]}, α {row[8]}" for row in rows)
        return [some[0], *chain.from_iterable(zip(some[1:], under, strict=True))]
    return table(head, rows) if rows else []


def agree_line(report: AgreeReport) -> str:
    """`Two reviewers agree: units F1 .81 (.76 to .85), verdicts .90 equal (κ .72), recall differs by .06.`"""
    whole, machine = report.whole, report.machine
    if not whole.samples:
        return "No sample was decided by two people independently, so there is nothing to compare yet."
    if whole.few:
        decided = many(whole.samples, "sample was", "samples were")
        return f"{decided} decided by at least two people independently: figures need {FEWEST}."
    two = "Two reviewers" if len(report.people) == 2 else f"Any two of {len(report.people)} reviewers"
    between = f" ({value(whole.interval.low)} to {value(whole.interval.high)})" if whole.interval else ""
    line = f"{two} agree: units F1 {value(whole.f1)}{between}, "
    if whole.chance:
        line += f"verdicts {value(whole.chance.raw)} equal (κ {value(whole.chance.kappa)}), "
    line += f"recall differs by {value(whole.differs)}."
    if 2 * whole.largest > whole.units:
        line += (
            f" One sample has {whole.largest:,} of the {whole.units:,} units compared; "
            f"the mean F1 of samples is {value(whole.mean_f1)}."
        )
    if machine.f1 is not None and machine.differs is not None:
        line += f" Machine and reviewer: F1 {value(machine.f1)}, recall {value(machine.differs)}."
    return line


def _figures(found: Agreement) -> list[str]:
    alone = found.units - found.linked
    counted = (
        f"{found.linked:,} that both have ({found.boundary:,} with another boundary, {found.label:,} with "
        f"another label), {alone:,} that only one has"
    )
    empty = []
    if found.both_empty or found.one_empty:
        empty = [
            f"no units: both people found none {many(found.both_empty, 'time')} (F1 leaves these out), "
            f"only one of the two found none {many(found.one_empty, 'time')}"
        ]
    if found.few:
        return [f"units: {counted}", *empty]
    chance = found.chance
    verdicts = "–" if chance is None else (
        f"κ {number(chance.kappa)}, AC1 {number(chance.ac1)}, {number(chance.raw)} equal of {chance.n:,}"
    )  # fmt: skip
    unsure = f", without {found.unsure:,} of which somebody is unsure" if found.unsure else ""
    return [
        f"units: F1 {_with_ends(found.f1, found.interval)}, strict {number(found.strict_f1)}, "
        f"mean of samples {number(found.mean_f1)}; {counted}",
        f"verdicts on units that both have: {verdicts}{unsure}",
        f"recall differs by {_with_ends(found.differs, found.differs_interval)} on average",
        f"α of the labels of words: {number(found.alpha)}",
        *empty,
    ]


def _with_ends(figure: float | None, ends: Interval | None) -> str:
    if figure is None:
        return UNDEFINED
    return f"{number(figure)} {interval(ends) or '(one group: no interval)'}"


def _row(part: Agreement) -> tuple[str, ...]:
    if part.few:
        return (f"{part.samples:,}", *[UNDEFINED] * 7)
    chance = part.chance
    return (
        f"{part.samples:,}", number(part.f1), interval(part.interval), number(part.strict_f1),
        number(chance.kappa if chance else None), number(chance.ac1 if chance else None),
        number(part.differs), number(part.alpha),
    )  # fmt: skip
