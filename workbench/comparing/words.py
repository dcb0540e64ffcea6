"""The figures of a dataset in words: one wording for the command line, the screen and the report.

Nothing here rounds to nothing: three digits, no leading zero, a true minus; `–` is undefined. Below ten
samples counts are given and no figures. Ids and labels are as the data has them: whoever shows them makes
them safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from workbench.comparing.intervals import BADGE, FEWEST, Interval
from workbench.scoring.names import RECOUNT, SCORERS, scorer_name
from workbench.text.figures import UNDEFINED, many, number, signed
from workbench.text.lists import pairs, sections
from workbench.text.safe import name_of

if TYPE_CHECKING:
    from workbench.comparing.agreement import Chance, Overlap, Overlaps, Rate, Verdicts
    from workbench.comparing.answer import Estimated
    from workbench.comparing.estimates import Estimate
    from workbench.comparing.explained import CauseTotal
    from workbench.comparing.figures import Arms, Counts, Figures, Row
    from workbench.comparing.paired import MeanOf, Paired

ASSISTED = (
    "The reviewers saw the program's suggestions, which may have influenced the verdicts. Fewer "
    f"than {BADGE} reviews were without them, too few to measure that."
)
CHOSEN = "The reviewed samples were chosen for this demo, not drawn: the estimate acts as if they had been."
"""In the place of how they were drawn."""
KNOWN = "known: every sample was reached"
MEAN_DELTA = "mean Δ"
"""The bias of the samples that have both values; `bias, all 50` is that of the estimate."""
PARTS, LEFT_OUT = (pairs(sections(__name__)[name]) for name in ("parts", "left out"))
"""What the units of a cause are, in the words of the answer: for the table of causes and for Why."""
UNTRACED = "This column came as numbers only, so its errors cannot be traced to units."
WHOLE = ("untraced", "rounding")
"""Causes that are about the number of a file as a whole: no unit has them."""
LABEL_HEAD = ("label", "verified", "proposed", "matched", "same label", "P", "R", "F1")


class Fact(NamedTuple):
    """A figure: what it is, its value, and what belongs to it (an interval, an n); a value may be empty."""

    name: str
    value: str
    note: str = ""

    @property
    def line(self) -> str:
        """`mean Δ: −.157 [−.192, −.121]`."""
        return f"{self.name}: " + " ".join(part for part in (self.value, self.note) if part)


# Numbers.


def interval(ends: Interval | None) -> str:
    """`[.316, .412]`; empty without one."""
    return "" if ends is None else f"[{number(ends.low)}, {number(ends.high)}]"


def share_fact(name: str, part: Rate, note: str = "") -> Fact:
    """`found is right .852, 156 of 183 [.794, .897]`; only counts below ten, no interval below ten groups."""
    counted = f"{part.hits:,} of {part.n:,}"
    if part.n < FEWEST:
        return Fact(name, counted)
    ends = interval(part.interval) or f"(no interval: fewer than {FEWEST} groups)"
    return Fact(name, number(part.value), f"{counted} {ends} {note}".rstrip())


# How many.


def headline(counts: Counts) -> str:
    """`60 of 5,000 samples verified, 2 more unresolved`."""
    more = f", {counts.unresolved:,} more unresolved" if counts.unresolved else ""
    return f"{verified_samples(counts):,} of {many(counts.total, 'sample')} verified{more}"


def unlisted(samples: int) -> str:
    """How many verified samples a list leaves out for its reader, and why."""
    some = many(samples, "verified sample is", "verified samples are")
    return f"{some} not listed: you are yet to decide {'it' if samples == 1 else 'them'}."


def yours_first(samples: int, of: int) -> str:
    """Why figures of so many verified samples are withheld: they would show what others decided of these."""
    are = "is" if samples == 1 else "are"
    return f"{samples:,} of the {many(of, 'verified sample')} {are} yours to decide first"


def older_policy(older: int, of: int, version: int) -> str:
    """How many samples have units of an older policy than `version`, which the automatic values are of."""
    some = f"Verified under an older policy, with its units: {older:,} of {many(of, 'sample')}"
    return f"{some}; the automatic values are of policy version {version}."


def verified_samples(counts: Counts) -> int:
    """Samples with gold, whichever way it came."""
    return counts.imported + counts.reviewed + counts.adjudicated


def count_lines(counts: Counts) -> list[str]:
    """Where the gold comes from, then what is left out of the figures and why."""
    gold = _listed(
        (counts.reviewed, "reviewed"),
        (counts.adjudicated, "adjudicated"),
        (counts.imported, "imported (not known how fast)"),
    )
    out = _listed(*((getattr(counts, name), what) for name, what in LEFT_OUT.items()))
    fast = _listed((counts.fast, f"of {counts.reviewed:,} reviewed here accepted in under a second"))
    named = (("verified", gold), ("samples", out), ("fast", fast))
    return [f"{name}: {listed}" for name, listed in named if listed]


def _listed(*parts: tuple[int, str]) -> str:
    return ", ".join(f"{count:,} {what}" for count, what in parts if count)


# The estimate.


def estimate_label(estimate: Estimate) -> str:
    """`estimated for all 5,000`, or `verified, all 105` where every sample was reached.

    Both are of `those counted` where samples are no part of the mean, and so is the bias.
    """
    return f"{'verified,' if estimate.complete else 'estimated for'} {samples_of(estimate)}"


def samples_of(estimate: Estimate) -> str:
    """The samples that an estimate is about: `all 5,000`, `the 43 scored`, or `those counted` of these."""
    some = not estimate.refusal and (estimate.undefined or estimate.excluded)
    return "those counted" if some else _scored_samples(estimate)


def _scored_samples(estimate: Estimate) -> str:
    some = estimate.automatic.n and estimate.automatic.undefined
    return f"the {estimate.total:,} scored" if some else f"all {estimate.total:,}"


def samples_with_causes(figures: Figures) -> str:
    """What has causes: `13 of the 14 verified samples`, `the 14 verified samples, 1 not in the estimate`."""
    n, estimate = figures.causes[0].n, figures.estimate
    some = f"{n:,} of " if n < verified_samples(figures.counts) else ""
    beyond = n - estimate.n if estimate.point is not None else 0
    verified = many(verified_samples(figures.counts), "verified sample")
    return f"{some}the {verified}{f', {beyond:,} not in the estimate' if beyond > 0 else ''}"


def estimate_facts(estimate: Estimate, *, assisted: bool = False) -> list[Fact]:
    """The corpus means: automatic, verified so far, estimated for all with both intervals, the bias.

    `assisted` labels the estimate by the gold that it rests on.
    """
    automatic, lacking = number(estimate.automatic.value), estimate.automatic.undefined
    without = many(lacking, "has no score", "have no score") if estimate.automatic.n and lacking else ""
    facts = [Fact(f"automatic, {_scored_samples(estimate)}", automatic, without)]
    if not estimate.refusal and estimate.bias is not None and (estimate.undefined or estimate.excluded):
        known = estimate.complete and not estimate.open
        counted = "with verified units" if known else "estimated: those with verified units"
        facts.append(Fact("automatic, those counted", number(estimate.counted), counted))
    if not estimate.complete or estimate.open:
        facts += _so_far(estimate)
    label = estimate_label(estimate)
    if estimate.complete and estimate.reach is not None:
        note = f"{settled(estimate)}; the mean is of {estimate.n + estimate.open:,}"
        facts.append(Fact(label, between(estimate.reach), note))
    elif estimate.refusal:
        facts.append(Fact(label, UNDEFINED, "no estimate"))
    else:
        notes = [KNOWN if estimate.complete else "", "reviewers saw the suggestions" if assisted else ""]
        facts.append(Fact(label, number(estimate.point), ", ".join(filter(None, notes))))
        if estimate.reach is not None:
            note = "the mean, if these have their lowest or highest value"
            facts.append(Fact("open and unsure samples", interval(estimate.reach), note))
    return facts if estimate.refusal else [*facts, *_intervals(estimate)]


def _intervals(estimate: Estimate) -> list[Fact]:
    """What the estimate holds for, the bias, and how much the automatic values help."""
    facts = []
    if not estimate.complete:
        when = "whenever you look" if estimate.method == "at any look" else estimate.method
        facts.append(Fact("these samples", interval(estimate.corpus) or UNDEFINED, f"95 % {when}"))
    by_group = f", by group ({estimate.groups:,})" if estimate.groups is not None else ""
    general = interval(estimate.generalising)
    facts.append(Fact("new samples", general or UNDEFINED, f"95 %, like these{by_group}"))
    bias, off = signed(estimate.bias), estimate.bias_interval
    if estimate.method == "range" and off is not None:
        facts.append(Fact(f"bias, {samples_of(estimate)}", between(off, signed)))
    else:
        facts.append(Fact(f"bias, {samples_of(estimate)}", bias, "" if estimate.complete else interval(off)))
    if estimate.correlation is not None and estimate.corpus is not None and estimate.gold_only is not None:
        wide, alone = (number(ends.width, 2) for ends in (estimate.corpus, estimate.gold_only))
        note = f"interval {wide} wide, without it {alone}"
        facts.append(Fact("correlation", number(estimate.correlation), note))
    return facts


def between(ends: Interval, show: Callable[[float], str] = number) -> str:
    """`between .316 and .412`."""
    return f"between {show(ends.low)} and {show(ends.high)}"


def settled(estimate: Estimate | Estimated) -> str:
    """`185 settled (3 with unsure units), 15 open, 2 not counted`: the mean is of the first two."""
    unsure = f" ({estimate.unsure:,} with unsure units)" if estimate.unsure else ""
    rest = _listed(
        (estimate.open, "open"), (estimate.excluded, "not counted"), (estimate.undefined, "without units")
    )
    return ", ".join(filter(None, (f"{estimate.n:,} settled{unsure}", rest)))


def _so_far(estimate: Estimate) -> list[Fact]:
    """Of a random prefix; gold that was chosen in another way is no part of it and has no such mean."""
    if estimate.design in ("imported", "hand"):
        return []
    unsure = ", unsure units as not found" if estimate.unsure else ""
    few = f", fewer than {FEWEST}" if 0 < estimate.n < FEWEST else ""
    return [Fact("verified so far", number(estimate.verified.value), f"n = {estimate.n:,}{few}{unsure}")]


def same_facts(rows: Iterable[Row], paired: Paired) -> list[Fact]:
    """Both means of the samples that have both values, and their mean Δ; nothing below ten."""
    both = [
        (row.automatic, row.verified)
        for row in rows
        if row.automatic is not None and row.verified is not None
    ]
    if len(both) < FEWEST or paired.bias is None:
        return []
    ours, theirs = fsum(value for value, _ in both) / len(both), fsum(value for _, value in both) / len(both)
    these = f"these {len(both):,}"
    return [
        Fact(f"automatic, {these}", number(ours)),
        Fact(f"verified, {these}", number(theirs)),
        _bias(paired),
    ]


def estimate_notes(estimate: Estimate, *, assisted: bool) -> list[str]:
    """What must be known to read the estimate: why there is none, how it was drawn, what the gold is."""
    mean = f"No estimate of the mean of {samples_of(estimate)} samples"
    lines = [f"{mean}: {estimate.refusal}."] if estimate.refusal else []
    return [*lines, *estimate.assumptions, *([ASSISTED] if assisted and estimate.n else [])]


def notes(figures: Figures) -> list[str]:
    """What must be known to read the estimate and the figures next to it."""
    paired, lines = figures.paired, estimate_notes(figures.estimate, assisted=figures.assisted)
    if figures.estimate.refusal and paired.bias is not None and not paired.headline:
        lines.append(f"{paired.n:,} samples, fewer than {BADGE}: read with caution.")
    if lacking := verified_samples(figures.counts) - paired.n if paired.n else 0:
        verified = many(verified_samples(figures.counts), "verified sample")
        lines.append(f"Without a score, or units to count, and in no figure: {lacking:,} of the {verified}.")
    if figures.verdicts.n and any(total.cause == "untraced" for total in figures.causes):
        recount = counter(figures)
        lines.append(
            f"Your score is not what the {recount} gives: the units of the causes are those of the recount."
        )
    return [*lines, *figures.notes, *reproducible_lines(figures.reproducible)]


def counter(figures: Figures) -> str:
    """Whose verdicts are compared with those of people: those of a recount where a file has none."""
    return "machine" if figures.scorer in SCORERS else f"recount ({scorer_name(RECOUNT[figures.kind])})"


# Paired values.


def paired_facts(paired: Paired, rows: Iterable[Row] = ()) -> list[Fact]:
    """How automatic and verified values of the same samples differ; counts alone below ten.

    `rows` give a sample without an id of its own the name of its question.
    """
    equal = [share_fact("equal", paired.equal)] if paired.equal.n == paired.n else []
    worst = paired.largest
    name = next((name_of(row.id, row.question) for row in rows if worst and row.id == worst[0]), "")
    largest = (
        [Fact("largest Δ", signed(worst[1]), name or worst[0])] if worst and abs(worst[1]) > 1e-12 else []
    )
    if paired.bias is None:
        return [Fact("n", f"{paired.n:,}", counts_only(paired.n)), *equal, *largest]
    facts = [_bias(paired), *_limits(paired), Fact("MAE", number(paired.mae), f"RMSE {number(paired.rmse)}")]
    facts += [*equal, *largest]
    ranks = f"Pearson {number(paired.pearson)}"
    caution = "" if paired.headline else f", n < {BADGE}"
    return [*facts, Fact("Spearman", number(paired.spearman), ranks + caution)]


def counts_only(n: int) -> str:
    """The words that stand in place of figures of `n` samples: too few, or withheld from their reader."""
    return f"fewer than {FEWEST}: counts only" if n < FEWEST else "withheld: see above"


def _bias(paired: Paired) -> Fact:
    if paired.bias_interval is not None:
        groups = f" by group ({paired.groups:,})" if paired.groups is not None else ""
        note = f"{interval(paired.bias_interval)} 95 %{groups}"
    elif paired.may_differ is not None:
        how = "differ" if 2 * paired.equal.hits > paired.n else "differ otherwise"
        note = f"at most {paired.may_differ:.1%} may {how} (95 %)"
    elif paired.early:
        note = "no interval: no plan is complete"
    elif (paired.groups or 0) >= FEWEST:
        note = "no interval: all groups are alike"
    else:
        note = f"no interval: {paired.groups or 0:,} groups, fewer than {FEWEST}"
    return Fact(MEAN_DELTA, signed(paired.bias), f"{note}, n = {paired.n:,}")


def _limits(paired: Paired) -> list[Fact]:
    limits, counted = (
        "" if ends is None else f"{signed(ends.low)} to {signed(ends.high)}"
        for ends in (paired.limits, paired.quantiles)
    )
    facts = [Fact("sd", number(paired.sd), f"limits of agreement {limits}")] if limits else []
    return [*facts, Fact("95 % of Δ", counted, "as counted")] if counted else facts


# Causes.


def cause_gross(total: CauseTotal) -> str:
    """`79 units in 61 samples`, and what raised and what lowered where nets cancel."""
    counts = f"{many(total.units, 'unit')} in {many(total.samples, 'sample')}"
    if total.cause in WHOLE:
        counts = many(total.samples, "sample")
    if total.n >= FEWEST and total.raised and total.lowered:
        counts += f" ({signed(total.raised)} {signed(total.lowered)})"
    return counts


def cause_parts(total: CauseTotal) -> str:
    """`77 not recognised, 2 not extracted`; empty where nothing more is known."""
    named = ((part.units, PARTS.get(f"{total.cause} {part.part}".strip(), part.part)) for part in total.parts)
    return ", ".join(f"{units:,} {part}" for units, part in named if part)


def cause_share(total: CauseTotal) -> str:
    """Its net share of the mean Δ; a dash below ten samples."""
    return signed(total.share) if total.n >= FEWEST else UNDEFINED


def cause_line(total: CauseTotal) -> str:
    """`missed match −.150: 79 units in 61 samples; 77 not recognised`."""
    parts = cause_parts(total)
    net = f" {cause_share(total)}" if total.n >= FEWEST else ""
    return f"{total.cause}{net}: {cause_gross(total)}" + (f"; {parts}" if parts else "")


def cause_estimate(estimate: Estimate | None) -> str:
    """`for all 5,000: −.116 [−.150, −.082]`; empty where it is not estimated, or known."""
    if estimate is None or estimate.point is None or estimate.complete:
        return ""
    return f"for {samples_of(estimate)}: {signed(estimate.point)} {interval(estimate.corpus)}".rstrip()


def no_cause_lines(figures: Figures) -> list[str]:
    """What stands in the place of causes: how many samples agree, and that numbers alone have no units."""
    equal = figures.paired.equal
    if not equal.n:
        return []
    lines = [f"equal: {equal.hits:,} of {many(equal.n, 'sample')}"]
    return lines if figures.scorer in SCORERS or figures.reproducible else [*lines, UNTRACED]


# Units and verdicts.


def verdict_facts(verdicts: Verdicts, chance: Chance | None) -> list[Fact]:
    """Found and missing by person and machine: agreement, κ next to AC1, rates with intervals."""
    unsure = f"{verdicts.human_unsure:,} unsure in no cell" if verdicts.human_unsure else "per verdict"
    facts = [Fact("units of both", f"{verdicts.n:,}", unsure)]
    if verdicts.n < FEWEST or chance is None:
        agree = f"{verdicts.raw.hits:,} of {verdicts.n:,}"
        return [*facts, Fact("agree", agree, f"fewer than {FEWEST}: counts only")]
    return [
        *facts,
        share_fact("agree", verdicts.raw),
        Fact("agree on found, on missing", ", ".join(map(number, verdicts.specific))),
        Fact("κ", number(chance.kappa), _se(chance.kappa_se)),
        Fact("AC1", number(chance.ac1), _se(chance.ac1_se)),
        share_fact("right if found", verdicts.tpr, "sensitivity, TPR"),
        share_fact("right if missing", verdicts.tnr, "specificity, TNR"),
        share_fact("found is right", verdicts.ppv, "precision, PPV"),
        share_fact("missing is right", verdicts.npv, "NPV"),
    ]


def _se(value: float | None) -> str:
    if value is None or number(value) == ".000":
        return ""
    return f"standard error {number(value)} if units were independent"


def unit_facts(linked: Overlaps, strict: Overlaps) -> list[Fact]:
    """How proposed units cover verified ones, matched and letter for letter."""
    return [_units("matched", linked), _units("letter for letter", strict)]


def _units(name: str, overlaps: Overlaps) -> Fact:
    overlap = overlaps.micro
    counted = f"{overlap.linked:,} of {overlap.automatic:,} proposed, {overlap.verified:,} verified"
    if min(overlap.automatic, overlap.verified) < FEWEST:
        return Fact(name, UNDEFINED, f"{counted}; fewer than {FEWEST}: counts only")
    rates = f"P {number(overlap.precision)}  R {number(overlap.recall)}  F1 {number(overlap.f1)}"
    return Fact(name, rates, f"{counted}; mean F1 {number(overlaps.macro_f1)}")


def label_rows(labels: Mapping[str, tuple[Overlap, int]]) -> list[tuple[str, ...]]:
    """A row a label under `LABEL_HEAD`, the most frequent first; no rates of fewer than ten units."""
    rows = []
    for name, (same, matched) in sorted(labels.items(), key=lambda row: (-row[1][0].verified, row[0])):
        few = max(same.verified, same.automatic) < FEWEST
        counts = (f"{count:,}" for count in (same.verified, same.automatic, matched, same.linked))
        rates = (UNDEFINED if few else number(rate) for rate in (same.precision, same.recall, same.f1))
        rows.append((name or "no label", *counts, *rates))
    return rows


# Arms and fast accepts.


def arms_facts(arms: Arms, whole: Paired, without_fast: Paired | None, counts: Counts) -> list[Fact]:
    """Reviews without and with suggestions, the difference of their mean Δ, that without fast accepts."""
    facts = [
        Fact(f"{name} suggestions", f"{arm.n:,}", _arm(arm.n, arm.bias, arm.units))
        for name, arm in (("without", arms.blind), ("with", arms.assisted))
        if arm.n
    ]
    if arms.difference is not None and min(arms.blind.n, arms.assisted.n) >= FEWEST:
        ends = interval(arms.interval) or "no interval"
        facts.append(Fact(f"{MEAN_DELTA}, without − with", signed(arms.difference), ends))
    if arms.detectable is not None:
        facts.append(
            Fact("smallest influence", number(arms.detectable), "that would be seen in 8 of 10 cases")
        )
    if counts.reviewed:  # of decisions that came with a file it is not known
        note = f"in under a second, of {counts.reviewed:,} reviewed here"
        facts.append(Fact("fast accepts", f"{counts.fast:,}", note))
    if without_fast is not None:
        note = f"n = {without_fast.n:,}; with the fast ones {signed(whole.bias)}"
        facts.append(Fact(f"{MEAN_DELTA} without fast", signed(without_fast.bias), note))
    return facts


def _arm(n: int, bias: MeanOf | None, units: Overlap | None) -> str:
    if n < FEWEST or bias is None:
        return counts_only(n)
    ends = interval(bias.interval) if bias.se else "all alike, no interval"
    text = f"{MEAN_DELTA} {signed(bias.mean)} {ends}".rstrip()
    return text if units is None else f"{text}, units F1 {number(units.f1)}"


def reproducible_lines(paired: Paired | None) -> list[str]:
    """How far an imported column can be counted again from the traces that came with it."""
    if paired is None:
        return []
    again = f"{paired.equal.hits:,} of {many(paired.n, 'sample')}"
    line = f"counted again from its traces: {again} give the same value"
    if paired.bias is not None and paired.equal.hits < paired.n:
        line += f"; mean difference {signed(paired.bias)}, which no cause explains"
    return [line]
