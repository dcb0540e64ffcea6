"""Every figure of a dataset as plain text; two scorers, two versions of the gold, and disputes."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from workbench.comparing import words
from workbench.comparing.intervals import FEWEST
from workbench.model import RESOLVED, JsonObject
from workbench.reports import columns_of, page, table
from workbench.reports.texts import counting
from workbench.reports.units import effect
from workbench.scoring.names import SCORERS, scorer_in_full, scorer_name
from workbench.text.cells import cut, cut_middle, in_table
from workbench.text.figures import UNDEFINED, and_more, delta, many, number, signed, value
from workbench.text.safe import flat, name_of

if TYPE_CHECKING:
    from workbench.comparing.figures import Figures
    from workbench.comparing.versions import Against, GoldDiff, MeanChange, SampleChange
    from workbench.stages.disputes import Dispute, DisputeReport


FEW = f"–: fewer than {FEWEST} of these"
MOVED = 10
"""Samples that are listed of two scorers."""


def figures_text(figures: Figures, room: int = 0) -> str:
    """Every figure: how much is verified, the estimate, why it differs; then the rest.

    `room`: the cells of a line, for the names in a table; 0 cuts none of them to fit.
    """
    lines = _head(figures)
    if not figures.counts.total:
        return page([*lines, "no samples: workbench import FILE brings some in"])
    if not figures.run:
        lines.append("nothing is proposed yet: workbench propose, or import FILE with proposals")
    if not words.verified_samples(figures.counts):
        besides = " besides what this run was shown" if figures.counts.seen else ""
        what = "settled: annotators differ everywhere" if figures.counts.unresolved else "verified yet"
        lines.append(f"nothing is {what}{besides}: workbench review, or import FILE --gold")
    lines += ["", *_facts(words.estimate_facts(figures.estimate, assisted=figures.assisted))]
    lines += [f"  {note}" for note in words.notes(figures)]
    causes = _causes(figures)
    lines += ["", *causes] if causes else []
    if figures.beside and words.verified_samples(figures.counts):
        lines += ["", "all scorers, over the samples that are verified:", *_beside(figures, room)]
    return page([*lines, *_rest(figures)])


def _head(figures: Figures) -> list[str]:
    run = f"run {figures.run}" if figures.run else "no run yet"
    by = f" by calibration {figures.calibration}" if figures.calibration else ""
    scorer = scorer_in_full(figures.scorer)
    first = f"{figures.dataset} · {scorer} · {run} · match threshold {figures.threshold}{by}"
    return [first, words.headline(figures.counts), *words.count_lines(figures.counts)]


def _causes(figures: Figures) -> list[str]:
    if not figures.causes:
        return words.no_cause_lines(figures)
    bias = "" if figures.paired.bias is None else f" (they add up to {signed(figures.paired.bias)})"
    lines = [f"why they differ{bias}, over {words.samples_with_causes(figures)}:"]
    for cause in figures.causes:
        lines.append(f"  {words.cause_line(cause)}")
        whole = words.cause_estimate(figures.estimated.get(cause.cause))
        lines += [f"    {whole}"] if whole else []
    return lines


def _beside(figures: Figures, room: int) -> list[str]:
    head = ["scorer", "n", "undefined", "automatic", "verified", "Δ", "|Δ|", "equal"]
    rows = []
    for scorer in figures.beside:
        means = [number(scorer.automatic), number(scorer.verified), signed(scorer.delta), number(scorer.mae)]
        means = means if scorer.n >= FEWEST else ["–"] * len(means)
        counts = [f"{scorer.n:,}", f"{scorer.undefined:,}"]
        rows.append([scorer_name(scorer.scorer), *counts, *means, f"{scorer.equal:,}"])
    few = {scorer.n < FEWEST for scorer in figures.beside}
    return [
        *table(head, rows, room=room),
        *([FEW] if len(few) > 1 else []),
        *counting(scorer.scorer for scorer in figures.beside),
    ]


def _rest(figures: Figures) -> list[str]:
    paired = _facts(words.paired_facts(figures.paired, figures.rows))
    lines = ["", "paired, over the samples that are verified:", *paired]
    if figures.verdicts.n:
        lines += ["", f"verdicts of the {words.counter(figures)} on matched units:"]
        lines += _facts(words.verdict_facts(figures.verdicts, figures.chance))
    if figures.labels:
        lines += ["", "units:", *_facts(words.unit_facts(figures.units, figures.strict))]
        rows = words.label_rows(figures.labels)
        lines += ["", *table(list(words.LABEL_HEAD), [list(row) for row in rows])]
        lines += [FEW] if 0 < sum(UNDEFINED in row for row in rows) < len(rows) else []
    arms = figures.arms
    if arms.blind.n or arms.assisted.n:
        facts = words.arms_facts(arms, figures.paired, figures.without_fast, figures.counts)
        lines += ["", "how they were reviewed:", *_facts(facts)]
    for word, totals in (("label", figures.by_label), ("language", figures.by_language)):
        if totals:
            lines += ["", f"causes by {word}:"]
            for name, causes in totals.items():
                lines += [f"  {name}", *(f"    {words.cause_line(cause)}" for cause in causes)]
    return lines


def _facts(facts: Sequence[words.Fact]) -> list[str]:
    """Aligned: name, value, and what belongs to it, which is never cut."""
    return [f"  {line}" for line in table(("", "", ""), facts, whole=True)[1:]]


def against_text(comparison: Against) -> str:
    """Two scorers on the same samples: both means, how far they are apart, and what moved most."""
    n = comparison.paired.n
    lines = [f"{comparison.dataset} · {many(n, 'sample')} with both values"]
    names = (scorer_in_full(comparison.first), scorer_in_full(comparison.second))
    sides = zip(("first", "second"), names, comparison.days, comparison.means, comparison.errors, strict=True)
    rows = [
        [word, f"{name} ({day})" if day and day not in name else name, f"mean {value(mean.value)}",
         f"error {value(error.value)}" if error.n else ""]
        for word, name, day, mean, error in sides
    ]  # fmt: skip
    lines += [f"  {line}" for line in table(("", "", "", ""), rows)[1:]]
    if comparison.errors[0].n:
        over = many(comparison.errors[0].n, "verified sample")
        lines.append(f"error: the mean distance to the verified value, over {over}")
    if n:
        apart = (comparison.means[0].value or 0.0) - (comparison.means[1].value or 0.0)
        ends = comparison.paired.bias_interval
        sure = "" if ends is None else f" (95 % {signed(ends.low, 2)} to {signed(ends.high, 2)})"
        equal = f"{comparison.paired.equal.hits:,} equal"
        counts = f"{comparison.higher:,} higher, {comparison.lower:,} lower, {equal}"
        lines.append(f"first − second: {signed(apart, 2)}{sure}; {counts}")
    for name, of, only in zip(names, (comparison.first, comparison.second), comparison.only, strict=True):
        if not n and not only:
            way = ": workbench propose" if of in SCORERS else ""
            lines.append(f"no sample has a value of {name}{way}")
    if comparison.only != (0, 0):
        lines.append(
            f"with one value only: {comparison.only[0]:,} of the first, {comparison.only[1]:,} of the second"
        )
    if comparison.moved:
        rows = [
            [
                name_of(sample.id, sample.question),
                value(sample.first),
                value(sample.second),
                signed((sample.first or 0.0) - (sample.second or 0.0), 2),
                value(sample.verified) if sample.verified is not None else "",
            ]
            for sample in comparison.moved[:MOVED]
        ]
        lines += ["", *table(["sample", "first", "second", "Δ", "verified"], rows, right=True)]
        lines += and_more(len(comparison.moved) - MOVED, "; --json has every one")
    if comparison.hidden:
        lines.append(
            f"{many(comparison.hidden, 'sample')} that you are yet to review without suggestions: not listed"
        )
    return page(lines)


MEANS = {"verified_entity": "verified, names", "verified_statement": "verified, statements"}
UNITS = 8
"""Units of a sample that are listed."""


NAME = 48
"""Cells that a sample is named by."""


def diff_text(diff: GoldDiff, limit: int) -> str:
    """How the means moved, who changed what, and the first of the changed samples."""
    lines = [f"{diff.dataset}: {diff.first} → {diff.second} · {many(diff.both, 'sample')} in both"]
    apart = {"gone": diff.gone, "purged": diff.purged, "new": diff.new, "with another text": diff.texts}
    for what, those in apart.items():
        if those:
            more = ", …" if len(those) > 3 else ""
            named = ", ".join(_named(sample.id, sample.question) for sample in those[:3])
            lines.append(f"{many(len(those), 'sample')} {what}: {named}{more}")
    if diff.changes and not diff.named:
        lines.append(
            "who changed what is left out: the two versions name people by pseudonyms of different databases"
        )
    moved = [*diff.verified, *diff.columns]
    if moved:
        lines += ["", *table(["mean", "before", "after", "of samples in both"], [*map(_mean_change, moved)])]
    if any(side.n and side.value is None for one in diff.verified for side in (one.before, one.after)):
        lines.append("–: it would show what others decided of samples that are yours to decide")
    lines.append("")
    number = len({change.id for change in diff.changes}) + diff.hidden
    by = f"; by annotator: {_people(diff.by)}" if diff.by else ""
    lines.append(f"{many(number, 'sample')} changed{by}" if number else "no verified unit changed")
    lines += [line for change in diff.changes[:limit] for line in _sample_change(change)]
    lines += and_more(len(diff.changes) - limit, ": --limit")
    if diff.hidden:
        lines.append(f"  not listed: {many(diff.hidden, 'sample')} that you are yet to decide")
    return page(lines)


def _people(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{_who(name)} {number:,}" for name, number in numbers.items())


def _who(name: str) -> str:
    return "an adjudicator" if name == RESOLVED else flat(name)


def _named(id_: str, question: str) -> str:
    return cut(flat(name_of(id_, question)), NAME)


def _mean_change(change: MeanChange) -> list[str]:
    old, new = change.both
    sides = [
        f"{value(side.value)}  n {side.n:,}" if side.n else UNDEFINED
        for side in (change.before, change.after)
    ]
    moved = ""
    if old.value is not None and new.value is not None:
        moved = f"{value(old.value)} → {value(new.value)}  {signed(new.value - old.value, 2)}  n {old.n:,}"
    return [MEANS.get(change.name, change.name), *sides, moved]


def _sample_change(change: SampleChange) -> Iterator[str]:
    kind = "" if change.kind == "entity" else " (statements)"
    before, after = (
        "undefined" if stood == "verified" and recall is None else value(recall)
        for stood, recall in zip(change.stood, (change.before, change.after), strict=True)
    )
    by = f" by {', '.join(map(_who, change.by))}" if change.by else ""
    by = " by an import" if change.what == "another text" else by
    yield f"  {_named(change.id, change.question)}  {before} → {after}  {change.what}{kind}{by}"
    for unit in change.units[:UNITS]:
        changed = f"{unit.before} → {unit.after}" if unit.before and unit.after else f"new, {unit.after}"
        label = f" ({flat(unit.label)})" if unit.label else ""
        yield f"    {flat(unit.text)}{label}: {flat(changed) if unit.after else 'taken out'}"
    yield from and_more(len(change.units) - UNITS, start="    ")


ROW, VALUES = 80, 26
"""Cells of a row of `disputes` outside a terminal, and of its values."""
LEAST_ID, LEAST_BETWEEN = 11, 7
"""Cells that a sample and `between` have also in a narrow terminal, whose rows are wrapped."""


EFFECT = "effect: how far it moves the mean; against verified: − too low, + too high"


def disputes_text(report: DisputeReport, chosen: Sequence[Dispute], limit: int, between: str) -> str:
    """How many there are and in what state, then the first of the chosen ones, the largest effect first.

    Hidden ones are counted and not listed, unless `between` asks for them.
    """
    listed = [dispute for dispute in chosen if between or not dispute.hidden]
    sides = {side for dispute in listed[:limit] for side in dispute.between.split("~")}
    columns = {dispute.between.removesuffix("~verified") for dispute in listed[:limit] if dispute.lead}
    yours = columns if len(columns) == 1 else set()
    known = [f"yours: {flat(column)}" for column in yours]
    known += [f"{name}: {scorer_name(name)}" for name in SCORERS if name in sides]
    lines = [
        _disputes_head(report),
        *([", ".join(known)] if known else []),
        *([EFFECT] if any(not one.hidden for one in listed) else []),
        *_table(listed[:limit], yours),
    ]
    if report.disputes and not chosen:
        lines.append("none of them fits --state and --between")
    lines += and_more(len(listed) - limit, ": --limit")
    shown = {one.sample_id for one in chosen if not one.hidden}
    if hidden := report.hidden(chosen) - shown:
        lines.append(f"hidden until your own review (workbench review): {many(len(hidden), 'sample')}")
    if any(dispute.fitted for dispute in listed[:limit]):
        number = len({dispute.sample_id for dispute in report.disputes if dispute.fitted})
        lines.append(
            f"calibration {report.calibration} chose the threshold from {many(number, 'sample')} of "
            "these, so they look too good; workbench compare scores each at one chosen without it"
        )
    if report.closed:
        given = f" ({report.given:,} with gold of a file, which reviews nothing)" if report.given else ""
        lines.append(f"{many(report.closed, 'blind sample')} that you did not review{given}: left out")
    return page(lines)


def _disputes_head(report: DisputeReport) -> str:
    if not report.disputes:
        return f"{report.dataset}: nothing is in dispute"
    states = ", ".join(f"{number:,} {state}" for state, number in report.states.items() if number)
    run = f" · {report.run}" if report.run else ""
    samples = len({dispute.sample_id for dispute in report.disputes})
    on = f" on {many(samples, 'sample')}" if samples < len(report.disputes) else ""
    return f"{report.dataset}{run}: {many(len(report.disputes), 'disagreement')}{on}, {states}"


def _table(chosen: Sequence[Dispute], yours: Collection[str]) -> list[str]:
    if not chosen:
        return []
    states = max(5, *(len(dispute.state) for dispute in chosen))
    # two spaces before `between` and before the state
    both = max(LEAST_ID + LEAST_BETWEEN, (columns_of(sys.stdout) or ROW) - VALUES - states - 4)
    sides = (dispute.between.split("~") for dispute in chosen)
    betweens = [flat("~".join("yours" if side in yours else side for side in each)) for each in sides]
    wide = min(both - LEAST_ID, max(LEAST_BETWEEN, *map(cell_len, betweens)))
    names = [in_table(dispute.id, dispute.question, both - wide) for dispute in chosen]
    size = max(6, *map(cell_len, names))
    values = f"{'first':>6}{'second':>7}{'Δ':>6}{'effect':>7}"
    lines = [f"{'sample':<{size}}  {'between':<{wide}}{values}  state"]
    rows = zip((chosen[0], *chosen), chosen, names, betweens, strict=False)
    for before, dispute, name, between in rows:
        if before.lead and not (dispute.lead or dispute.hidden):
            lines.append("other disagreements:")
        values = f"{value(dispute.first):>6}{value(dispute.second):>7}"
        values += f"{delta(dispute.delta):>6} {effect(dispute) or UNDEFINED:>6}"
        values = f"{' hidden':<{VALUES}}" if dispute.hidden else values
        who = set_cell_size(cut_middle(between, wide), wide)
        lines.append(f"{set_cell_size(name, size)}  {who}{values}  {dispute.state}")
        rest = dispute.stands.removeprefix(dispute.state).removeprefix(", ")
        lines += [f"    {text}" for text in ([rest] if rest else []) + remarks(dispute)]
    return lines


def remarks(dispute: Dispute) -> list[str]:
    """What was said of a dispute: the flag or the counts, then the note of its state."""
    lines = [flat(dispute.says)] if dispute.says else []
    if dispute.state != dispute.was:
        lines.append(f"was {dispute.was}, its values changed since: {flat(dispute.note)}".removesuffix(": "))
    elif dispute.note:
        lines.append(f"{flat(dispute.annotator)}: {flat(dispute.note)}")
    return lines


def disputes_document(report: DisputeReport, chosen: Sequence[Dispute], limit: int) -> JsonObject:
    """The JSON document of `disputes`."""
    inner = ("sample_id", "stamp", "kept", "lead")
    return {
        "dataset": report.dataset,
        "run": report.run,
        "match_threshold": report.threshold,
        "total": len(report.disputes),
        "states": dict(report.states),
        "between": dict(report.betweens),
        "chosen": len(chosen),
        "hidden_samples": len(report.hidden(chosen)),
        "blind_not_decided": report.closed,
        "calibration": report.calibration,
        "disputes": [
            {name: value for name, value in dispute._asdict().items() if name not in inner}
            for dispute in chosen[:limit]
        ],
    }
