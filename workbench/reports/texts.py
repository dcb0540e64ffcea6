"""Reports as plain text: aligned tables and sentences, every data string safe to show; the gate for CI."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

from workbench.comparing.words import paired_facts, unlisted
from workbench.errors import ExportError, disk_errors
from workbench.model import KINDS, PLURAL, RESOLVED, Alias, Kind, Tally
from workbench.reports import columns_of, page, table
from workbench.reports.answer import code
from workbench.reports.team import people_text, team_text, training_text
from workbench.scoring.names import SCORERS, column_kind, scorer_in_full, scorer_name
from workbench.text.cells import QUESTION, in_table, short
from workbench.text.figures import and_more, delta, many, number, telling, told, value
from workbench.text.query import quoted
from workbench.text.safe import clean, flat, name_of

if TYPE_CHECKING:
    from workbench.comparing.figures import Figures
    from workbench.comparing.intervals import Mean
    from workbench.comparing.paired import Paired, Retrievers
    from workbench.scoring.scorers import ScoreGate
    from workbench.stages.corpus import CorpusReport
    from workbench.stages.policy import PolicyReport
    from workbench.stages.propose import ProposeReport
    from workbench.stages.recompute import Scored, ScoreReport
    from workbench.stages.upkeep import DatabaseStatus


SHOWN_ROWS = 200
SHOWN_REJECTS = 5
COUNTS = {
    "ragas": "names equal to a name of the contexts", "ragas_legacy": "these, each as often as it is there",
    "linked": "names that a name of the contexts matches", "presence": "names that a context contains",
    "contextual_recall": "those that the proposal calls found",
}  # fmt: skip
"""What each scorer counts."""
NO_UNITS = "the reference has no units"
VERIFIED = {f"verified_{kind}": f"verified {PLURAL[kind]}" for kind in KINDS}


def counting(names: Iterable[str]) -> list[str]:
    """What scorers count, below the table that names them."""
    counts = "; ".join(f"{scorer_in_full(name)}: {COUNTS[name]}" for name in names if name in COUNTS)
    return [counts] if counts else []


def propose_text(report: ProposeReport) -> str:
    """What a run holds now."""
    parts = {
        f"{report.proposed:,} proposed": True,
        f"{report.already:,} were there already": report.already,
        f"{many(report.without, 'sample has', 'samples have')} none in this run": report.without,
    }
    message = f"{report.run}: {', '.join(told(parts))}"
    if report.current != report.run:
        message += f"\nthe suggestions in use stay {report.current}; "
        return clean(f"{message}{_switch(report.run)} uses {report.run} instead")
    message += "; these are the suggestions in use"
    if report.before and report.before != report.run:
        message += f", {instead_text(report.before)}"
    return clean(message)


def corpus_text(report: CorpusReport) -> str:
    """What `score-files` did: the rows, what was put aside, the mean of each scorer, and what failed."""
    before = f", {report.done_before:,} of them by an earlier run" if report.done_before else ""
    done = report.partitions - len(report.failed)
    lines = [f"{report.out}: {many(report.rows, 'row')} of {many(done, 'file')} scored{before}"]
    if report.rejected:
        named = ", ".join(map(str, report.rejects[:SHOWN_REJECTS]))
        more = ", …" if report.rejects[SHOWN_REJECTS:] else ""
        what = many(report.rejected, "row was put aside", "rows were put aside, each")
        lines.append(f"  {what} with the reason: {named}{more}")
    rows = [
        [name, number(mean), f"{defined:,}", f"{report.rows - defined:,}"]
        for name, (mean, defined) in report.means.items()
    ]
    lines += ["", *table(("scorer", "mean", "rows", "without units"), rows, right=True)] if rows else []
    for path, why in report.failed.items():
        lines += ["", f"not scored: {why}" if why.startswith(str(path)) else f"{path}: not scored: {why}"]
    if report.failed:
        end = "it scores what is missing. Other options, as --map, need another folder for --out."
        lines.append(f"Put that right and run the command again: {end}")
    return page(lines)


def instead_text(before: str) -> str:
    """Which run was the current one, and the command that goes back to it."""
    return clean(f"in the place of {before} (back: {_switch(before)})")


def stay_text(used: str, run: str) -> str:
    """Which run stays the current one, and the command that uses the other all the same."""
    return clean(f"the suggestions in use stay those of {used}; to use those of {run}: {_switch(run)}")


def _switch(run: str) -> str:
    """The command that makes a run the current one, whoever proposed it."""
    return f"workbench propose --run {run}"


def policy_changes_text(report: PolicyReport) -> str:
    """What a change of the policy means."""
    if not report.changed:
        return f"the policy is as it was: version {report.version}"
    lines = [f"policy version {report.version} is current: {', '.join(report.changes)}"]
    if report.removed:
        gone, found = ", ".join(report.removed), " or ".join(f"label:{quoted(one)}" for one in report.removed)
        lines.append(f"suggestions labelled {gone} open as other; verified units keep it: search {found}")
    if report.stale:
        shown, more = ", ".join(short(key, 1000) for key in report.stale[:3]), len(report.stale) - 3
        number = many(len(report.stale), "sample was", "samples were")
        rest = f" and {more:,} more" if more > 0 else ""
        lines.append(f"{number} verified under an older policy: {shown}{rest}")
        lines.append("their units and verdicts stay; each comes again, at the end of its reviewer's queue")
    lines.append(
        f"back: workbench policy show --version {report.version - 1} > policy.toml, then "
        "workbench policy edit --file policy.toml"
    )
    return page(lines)


def aliases_text(aliases: Sequence[Alias]) -> str:
    """Which names people said are of one thing, with where, who and when."""
    if not aliases:
        return "no aliases; = in a review says that a name and words of a context are of the same thing"
    return page(
        f"{alias.text} = {alias.other} · {alias.sample} · "
        f"{'settled' if alias.annotator == RESOLVED else alias.annotator} · {alias.day}"
        for alias in aliases
    )


def status_text(report: DatabaseStatus) -> str:
    """Datasets, runs and progress."""
    lines = [report.url]
    if not report.datasets:
        lines.append("no dataset yet: workbench import FILE brings one in")
    for dataset in report.datasets:
        done = dataset.progress
        kinds = ", ".join(f"{PLURAL[kind]} {number:,}" for kind, number in done.kinds.items())
        of = "" if kinds else "of them "
        unresolved = f", {dataset.unresolved:,} {of}unresolved" if dataset.unresolved else ""
        blank = f" and {done.blank:,} with a blank reference" if done.blank else ""
        lines.append(
            f"{dataset.info.name}: {many(done.total, 'sample')}{blank}, "
            f"{done.verified:,} verified {'in both kinds ' if kinds else ''}by at least one person"
            f"{f' ({kinds})' if kinds else ''}{unresolved}; "
            f"by you: {done.mine:,} verified, {done.excluded:,} not counted, {done.skipped:,} skipped, "
            f"{done.started:,} started, {done.flagged:,} flagged"
        )
        lines.append(
            f"  policy {dataset.info.policy.version} ({', '.join(dataset.info.kinds)}), "
            f"match threshold {dataset.info.threshold}, {many(dataset.blind, 'sample')} to be reviewed "
            "without suggestions"
        )
        if dataset.team is not None:
            lines.append(indent(team_text(dataset.team), "  "))
        if dataset.training is not None:
            lines.append(indent(training_text(dataset.training).rstrip(), "  "))
        for run in dataset.runs:
            mark = " (current)" if run.name == dataset.info.run else ""
            model = f" · {run.model}" if run.model else ""
            lines.append(f"  {run.name}{mark}: {many(run.n_proposals, 'proposal')}{model}")
    if report.people:
        lines.append(people_text(report.people))
    return page(lines)


def score_text(report: ScoreReport) -> str:
    """Every sample's values by kind, and the means."""
    every = report.samples
    excluded = sum(bool(row.excluded) for row in every)
    unresolved = sum(bool(row.unresolved) and not row.excluded for row in every)
    verified = sum(bool(row.verified) and not row.unresolved and not row.excluded for row in every)
    blank = sum(row.blank for row in every)
    named = f"run {report.run}" if report.run else "no run yet"
    chosen = f" by calibration {report.calibration}" if report.calibration else ""
    lines = [
        f"{report.dataset} · {named} · match threshold {report.threshold}{chosen} · "
        f"{many(len(every) - blank, 'sample')}{f' and {blank:,} with a blank reference' if blank else ''}: "
        f"{verified:,} verified, "
        f"{excluded:,} not counted by at least one person, {unresolved:,} unresolved",
        "",
    ]
    for kind in KINDS:
        lines += _kind_table(kind, every, report.withheld)
    lines += [*_mean_lines(report.means), *seen_lines(report)]
    hidden = sum(not row.hidden.isdisjoint(row.verified) and row.id not in report.withheld for row in every)
    run = f"the run {report.run}" if report.run else "the suggestions in use"
    of = f"of {many(len(every), 'sample')}"
    some = many(report.unproposed, f"{of} has", f"{of} have")
    left = {
        f"{many(len(report.withheld), 'sample')} that you are yet to review without suggestions: "
        "their values are in the means only": report.withheld,
        f"{many(hidden, 'sample')} that others verified and you are yet to decide: "
        "what is verified is in a mean only, where that does not show it": hidden,
        f"{some} no proposal in {run}: workbench propose --proposer rules": report.unproposed,
    }
    return page([*lines, *told(left)])


def gate_text(gate: ScoreGate, names: Mapping[str, str], quote: Callable[[str], str] = flat) -> str:
    """Passed or failed, by what, and which samples are below or undefined.

    `names` are those of the samples that may be named; the others are counted, unless it is by what others
    decided.
    """
    what = VERIFIED.get(gate.metric) or scorer_in_full(gate.metric)
    said = f"{'passed' if gate.passed else 'failed'}: {what}"
    mark, undefined = gate.threshold, f"({len(gate.undefined)} undefined)"
    low = "not perfect"
    if gate.value is None:
        lines = [f"{said}: no sample has a value"]
    elif gate.strict:
        perfect = many(gate.n, "sample is perfect", "samples are perfect")
        lines = [f"{said}: {gate.n - len(gate.below):,} of {perfect} {undefined}"]
    else:
        digits = telling(gate.value, mark, 4, reached=gate.passed)
        mean = f"mean {number(gate.value, digits)} over {many(gate.n, 'sample')} {undefined}"
        lines = [f"{said} {mean} against {number(mark, digits)}"]
        low = f"below {number(mark, digits)}"
    if gate.unscored:
        some = many(gate.unscored, "sample has", "samples have")
        lines.append(f"  {some} no value yet: {gate.step}")
    if gate.note:
        lines.append(f"  {gate.note}")
    below = () if gate.passed else gate.below  # of a mean that passes no sample has failed
    for state, ids, why in ((low, below, ""), ("undefined", gate.undefined, f" ({NO_UNITS})")):
        named = [names[name] for name in ids if name in names]
        lines += [f"  {state}: {quote(name)}{why}" for name in named[:20]]
        lines += and_more(len(named) - 20, start="  ")
        if (hidden := len(ids) - len(named)) and gate.metric not in VERIFIED:
            lines.append(f"  {state}: {many(hidden, 'sample')} that you are yet to decide")
    return page(lines)


def samples_text(figures: Figures) -> str:
    """The verified samples with the automatic value, Δ and its main cause."""
    whole = not columns_of(sys.stdout)
    rows = [
        [
            in_table(row.id, row.question, 0 if whole else QUESTION),
            value(row.automatic),
            value(row.verified),
            delta(row.delta),
            row.cause,
        ]
        for row in figures.rows
    ]
    head = ["sample", scorer_name(figures.scorer), "verified", "Δ", "main cause"]
    left_out = [unlisted(figures.unlisted)] if figures.unlisted else []
    return "\n".join([*table(head, rows[:SHOWN_ROWS], whole=whole), *_more(len(rows)), *left_out])


def _more(rows: int) -> list[str]:
    return and_more(rows - SHOWN_ROWS, "; --json has every sample")


def retrievers_text(by: str, report: Retrievers) -> str:
    """Your score by retriever; paired retrievers: tallies by reference, means, and the units that flipped."""
    own = [[name, value(score.value), str(score.n)] for name, score in report.scores.items() if score.n]
    lines = table([by, scorer_name(report.scorer), "samples"], own) if own else []
    if own and (none := ", ".join(name for name, score in report.scores.items() if not score.n)):
        lines.append(f"no mean under {none}: fewer than two samples have this score; --scorer names another")
    lines += [""] if own else []
    if not report.pairs:
        none = f"no reference is verified under two values of {by} yet: review samples of two first"
        if not report.able:
            none = f"no reference has samples under two values of {by}: import the same under another value"
        lines.append(none)
        return page([*lines, *_aside(report)])
    rows = [
        [
            " · ".join(dict.fromkeys(name_of(id_, pair.question) for id_ in pair.ids.values())),
            *(_tally_cell(pair.tallies.get(name)) for name in report.names),
            str(len(pair.flips)),
        ]
        for pair in report.pairs
    ]
    lines += table(["verified", *report.names, "flipped"], rows)
    lines += ["flipped: units found under one of these and not under another", ""]
    for contrast in report.contrasts:
        tallies, (ours, theirs) = map(_tally_cell, contrast.tallies), contrast.scores
        lines += [
            f"{contrast.first} against {contrast.second}, over {many(contrast.delta.n, 'reference')} "
            f"(units {' against '.join(tallies)}; {contrast.delta.undefined} undefined):",
            f"  verified recall {' against '.join(map(value, contrast.recalls))}, "
            f"Δ {_apart(contrast.paired, contrast.delta.value)}",
        ]
        if ours is not None and theirs is not None:
            name, apart = scorer_name(report.scorer), _apart(contrast.scored, ours - theirs)
            lines.append(f"  {name} {value(ours)} against {value(theirs)}, Δ {apart}")
            if contrast.off.bias is not None:
                lines.append(f"  this Δ of {name} is off by {_apart(contrast.off, None)}")
        if contrast.first_only or contrast.second_only:
            lines.append(
                f"  flipped units, found {contrast.first_only:,} under {contrast.first} only, "
                f"{contrast.second_only:,} under {contrast.second} only"
            )
        if contrast.p is not None:
            what = "reference" if all(pair.group is None for pair in report.pairs) else "group"
            more, less = (many(ahead, what) for ahead in contrast.ahead)
            lines.append(
                f"  higher under {contrast.first} in {more}, under {contrast.second} in {less}: "
                f"sign test p {number(contrast.p)}"
            )
        if contrast.paired.bias is None:
            lines.append("  fewer than ten references: no interval of the difference")
    return page([*lines, *_aside(report)])


def _apart(paired: Paired, mean: float | None) -> str:
    """A mean difference, with its interval from ten pairs on."""
    if paired.bias is None:
        return f"{delta(mean)}, n = {paired.n}"
    fact = paired_facts(paired)[0]
    return f"{fact.value}{' ' if fact.note.startswith('[') else ', '}{fact.note}"


def _aside(report: Retrievers) -> list[str]:
    """What stands in no pair, and why."""
    alone = many(report.unpaired, "reference that is", "references that are")
    due = f"; {report.due:,} of them may be paired: is:rematch in the queue (/)" if report.due else ""
    several, hidden = many(report.repeated, "reference"), many(report.withheld, "verified sample")
    aside = {
        f"left out: {alone} verified under one value only{due}": report.unpaired,
        f"{several} with several samples of one value: the first counts": report.repeated,
        f"left out: {hidden} that you are yet to decide": report.withheld,
    }
    return told(aside)


def _tally_cell(tally: Tally | None) -> str:
    """`4/6 .67`; empty where nothing was counted."""
    if tally is None:
        return ""
    return "undefined" if tally.recall is None else f"{tally.found}/{tally.units} {value(tally.recall)}"


def _kind_table(kind: Kind, everything: Sequence[Scored], withheld: Collection[str]) -> list[str]:
    """A line per sample: automatic values of one kind, the external one, and verified.

    Nothing of the `withheld` ones, and nothing verified where whoever asked may not see it.
    """
    rows = [
        row
        for row in everything
        if kind in row.verified or any(SCORERS[name] == kind for name in row.automatic)
    ]
    if not rows:
        return []
    names = counted = [
        name for name, of in SCORERS.items() if of == kind and any(name in row.automatic for row in rows)
    ]
    both = [[row.automatic.get(name) for name in ("ragas", "ragas_legacy")] for row in everything]
    if all((score and score.tally) == (other and other.tally) for score, other in both):
        names = [name for name in names if name != "ragas_legacy"]  # the same column twice says nothing
    columns = sorted({name for row in rows for name in row.external if column_kind(name) == kind})
    listed, whole = [], not columns_of(sys.stdout)
    for row in rows[:SHOWN_ROWS]:
        name = in_table(row.id, row.question, 0 if whole else QUESTION)
        if row.id in withheld:
            cells = ["hidden"] * (len(names) + len(columns))
        else:
            cells = [value(row.external[c][0]) if c in row.external else "" for c in columns]
            scores = map(row.automatic.get, names)
            cells += [_tally_cell(score.tally) if score else "" for score in scores]
        listed.append([name, *cells, _verified_cell(row, kind)])
    head = [PLURAL[kind], *columns, *map(scorer_name, names), "verified"]
    return [*table(head, listed, whole=whole), *_more(len(rows)), *counting(counted), ""]


def _verified_cell(row: Scored, kind: Kind) -> str:
    states = {
        "blank reference": row.blank,
        "not counted": kind in row.excluded,
        "hidden": kind in row.hidden & row.verified.keys(),
        "unresolved": kind in row.unresolved,
    }
    return [*told(states), _tally_cell(row.verified.get(kind))][0]


def _mean_lines(means: Mapping[str, Mean]) -> list[str]:
    named = {VERIFIED.get(name) or scorer_name(name): mean for name, mean in means.items()}
    width = max(map(len, named), default=0)
    return [
        f"mean {name.ljust(width)}  {number(one.value)}  {many(one.n, 'sample')}, {one.undefined:,} undefined"
        for name, one in named.items()
    ]


def seen_lines(report: ScoreReport) -> list[str]:
    """What the automatic figures leave out because the run was shown its gold."""
    if not report.seen.examples:
        return []
    number = len(report.seen.examples)
    return [
        f"left out of automatic figures: {many(number, 'sample')} that "
        f"{'was an example' if number == 1 else 'were examples'} of this run, with their groups: "
        f"{len(report.seen.related):,}"
    ]


_NO_XML = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd", **dict.fromkeys(range(0x1FFFE, 0x110000, 0x10000), "\ufffd")}


def gate_markdown(gate: ScoreGate, names: Mapping[str, str]) -> str:
    """The text of a gate; names of samples are code, so that nothing in them is read as markup."""
    first, *rest = gate_text(gate, names, code).splitlines()
    return "\n".join([f"**{first}**", "", *(f"- {line.strip()}" for line in rest)]).rstrip()


def write_junit(path: Path, gate: ScoreGate, names: Mapping[str, str]) -> None:
    """One test for the mean, with `strict` one for each of its two conditions and a failed one for each
    sample that is not perfect; a skipped one for each undefined sample. `names` as in `gate_text`.

    Raises ExportError when the file cannot be written.
    """
    from xml.etree.ElementTree import Element, SubElement, tostring

    def test(name: str, failed: str) -> Element:
        case = SubElement(suite, "testcase", name=name, classname=f"workbench.{gate.metric}", time="0")
        if failed:
            first = failed.partition("\n")[0]
            SubElement(case, "failure", message=first, type="recall").text = failed
        return case

    text = _plain(gate_text(gate, names))
    below = [names[name] for name in gate.below if name in names] if gate.strict else []
    undefined = [names[name] for name in gate.undefined if name in names]
    checks = {f"the mean recall is at least {gate.threshold}": gate.passed}
    if gate.strict:
        perfect = gate.n > 0 and not gate.below
        checks = {"every sample is perfect": perfect, "every sample has a value": not gate.unscored}
    suite = Element(
        "testsuite",
        name=f"workbench.{gate.metric}",
        tests=str(len(checks) + len(below) + len(undefined)),
        failures=str([*checks.values()].count(False) + len(below)),
        errors="0",
        skipped=str(len(undefined)),
        time="0",
        timestamp=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
        hostname="localhost",
    )
    SubElement(suite, "properties")
    for mark, passed in checks.items():
        test(mark, "" if passed else text)
    for name in below:
        test(_plain(flat(name)), "not every unit is found")
    for name in undefined:
        SubElement(test(_plain(flat(name)), ""), "skipped", message=NO_UNITS)
    SubElement(suite, "system-out").text = text
    SubElement(suite, "system-err")
    with disk_errors(ExportError, f"--junit {path}"):
        path.write_bytes(tostring(suite, encoding="utf-8", xml_declaration=True))


def _plain(text: str) -> str:
    """Text that XML 1.0 can hold and that steers no terminal which prints it."""
    return clean(text).translate(_NO_XML)
