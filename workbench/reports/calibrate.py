"""What is printed about a calibration: what it rests on, the choice against none, the curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from workbench.comparing.intervals import FEWEST, Interval
from workbench.comparing.words import older_policy
from workbench.model import JsonObject
from workbench.reports import page, table
from workbench.scoring.names import scorer_in_full
from workbench.text.figures import many, number, signed
from workbench.text.lists import pairs, sections
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.comparing.calibration import Calibrated, Figure, Measured, ReliabilityBin
    from workbench.comparing.learning import PolicyChange
    from workbench.stages.calibrate import Look
    from workbench.store.datasets import DatasetInfo
    from workbench.store.tables import CalibrationRow

MEASURES = ["match threshold", "bias", "95 % by group", "typical error", "F1"]
_SAID = sections(__name__)
MEAN = _SAID["figures"].strip().splitlines()
NEXT, ADVICE = pairs(_SAID["next"]), pairs(_SAID["advice"])
"""What to do by `decision`: on the screen and in the report."""
LEFT_OUT = pairs(_SAID["left out"])
"""What stands behind the number of samples that are left out, by why."""
BEST = {"bias": "smallest bias", "f1": "highest F1"}
"""In what the chosen threshold is the best; in other figures it may be worse."""
NAMES = {"bias": "zero bias of recall", "f1": "the F1 of verdicts"}


def report_text(report: Look, *, used: bool = False) -> str:
    """The whole report of `calibrate`; `used`: what it saves is put in use at once."""
    calibration = report.found
    blocks = [[f"What to do: {what_next(report, ADVICE)}"], change_lines(report)]
    if calibration is None:
        return _page(*blocks, [f"the match threshold: {report.why}"])
    # The threshold without a calibration, the chosen one and the correction, each on samples that had no say
    rows = [
        _measured(f"{calibration.threshold_now} {which(report)}", calibration.present),
        _measured(f"chosen on other groups: {_spread(calibration)}", calibration.chosen),
        _measured(f"{calibration.threshold_now}, corrected on other groups", calibration.corrected),
        ["one value for every sample", "–", "–", number(calibration.constant), "–"],
    ]
    means = ", ".join(f"{number(mean)} at {at}" for at, mean in report.means.items())
    saved = "not in the database: --save NAME keeps it there"
    if name := report.name:
        better = not used and is_better(calibration)  # what is no better is not worth a word how to use it
        saved = f"saved as {name}" + (f"; workbench calibrate --use {name} puts it in use" if better else "")
    return _page(
        head_lines(report, calibration),
        *blocks,
        [*table(MEASURES, rows, right=True, whole=True), *MEAN],
        verdict_lines(calibration, which(report)),
        [f"automatic mean of the {many(report.defined, 'sample')} with units: {means}"],
        curve_lines(report, calibration),
        probability_lines(calibration),
        holdout_lines(report),
        [saved],
    )


def _page(*blocks: Sequence[str]) -> str:
    """Some blocks of lines as one text, an empty line between them."""
    return page([line for block in blocks if block for line in (*block, "")][:-1])


def head_lines(report: Look, calibration: Calibrated) -> list[str]:
    """What the calibration rests on and what it leaves out."""
    info, gathered = report.info, report.gathered
    lines = [
        f"{info.name} · {scorer_in_full(gathered.scorer)} · run {gathered.run.name} · "
        f"{calibration.samples:,} verified samples in {calibration.groups:,} groups · "
        f"{calibration.pairs:,} judged units, {calibration.found:,} found"
    ]
    out = {"undefined": calibration.undefined, **gathered.left_out, "holdout": gathered.holdout}
    left = [f"{out[why]:,} {words}" for why, words in LEFT_OUT.items() if out[why]]
    if left:
        lines.append(f"  samples left out: {', '.join(left)}")
    lines.append(
        f"  units left out: {calibration.unsure:,} unsure; {gathered.invented:,} suggested and rejected, "
        f"{gathered.missed:,} added by people; no threshold changes those"
    )
    if gathered.assisted:
        some = f"{gathered.assisted:,} of {len(gathered.cases):,} samples"
        lines.append(f"  {some} were reviewed with suggestions in view, and people keep what they see")
    if gathered.older:
        lines.append(f"  {older_policy(gathered.older, len(gathered.cases), info.policy.version)}")
    if gathered.weighted:
        alone = f", {gathered.alone:,} outside the plan's order 1" if gathered.alone else ""
        lines.append(
            f"  samples weigh 1 / their chance in the plan{alone}; in compare and score each weighs the same"
        )
    return lines


def which(look: Look) -> str:
    """What the threshold is that a fit is compared with: `in use`, or `before may` while may is in use."""
    return "in use" if look.now == look.moves.now else f"before {look.info.calibration}"


Decision = Literal["policy", "use", "keep", "back", "suits", "none", "early"]


def decision(look: Look) -> Decision:
    """What to do with the threshold, the same on the screen and in the report.

    A policy that is better comes first: it decides which units a threshold is chosen on.
    """
    fit, now = look.found, look.moves.now
    if look.change is not None and look.change.better:
        return "policy"
    if fit is None or fit.better is None:
        return "early"
    if is_better(fit):
        return "use" if fit.threshold != now else "keep"
    if now != look.now:
        return "back"
    return "suits" if fit.threshold == now else "none"


def what_next(look: Look, said: Mapping[str, str] = NEXT) -> str:
    """What to do, in one sentence; of a line of the screen, or in the words of `said`."""
    fit, change = look.found, look.change
    do: str = decision(look)
    take = change and f"{change.words} (workbench policy edit --take {look.changes.index(change) + 1})"
    if change is not None and do in ("suits", "none", "early") and "try" in said:
        do = "try"
    return said[do].format(
        take=take, more=look.more, chosen=fit and fit.threshold, now=look.moves.now, before=look.now,
        which=which(look), fewest=FEWEST,
    )  # fmt: skip


def change_lines(look: Look) -> list[str]:
    """The changes of the policy that reviews ask for, and what each does to the typical error."""
    if not look.changes:
        return ["policy: your reviews ask for no change"]
    lines = ["changes of the policy, tried on your reviews:"]
    for index, change in enumerate(look.changes, start=1):
        lines += [f"  {index}  {change.words}: {change_text(change)}", f"     {support_text(change)}"]
    return lines


def support_text(change: PolicyChange) -> str:
    """What people decided: `people kept 16 of 17 person, 0 of 12 date`."""
    if change.what != "labels":
        found, judged = change.support[change.what]
        return f"people found {found:,} of {judged:,} such names"
    counts = (f"{some:,} of {of:,} {name}" for name, (some, of) in change.support.items())
    return f"people kept {', '.join(counts)}"


def change_text(change: PolicyChange) -> str:
    """What a change does: `typical error .281 → .133 (−.148 [−.190, −.105] …): better`."""
    moved = f"typical error {number(change.before)} → {number(change.after)}"
    verdict = "better" if change.better else "not clearly better"
    if change.gain.interval is None:
        if change.better is None:
            verdict = f"a suggestion from {many(change.samples, 'sample')}"
        return f"{moved}, cross-validated: {verdict}"
    if change.better is None:
        verdict = f"a suggestion, for one value for every sample has {number(change.constant)}"
    return f"{moved} ({_fall(change.gain)}, 95 %, cross-validated, by group): {verdict}"


def verdict_lines(calibration: Calibrated, before: str = "in use") -> list[str]:
    """Better, not clearly better or too early to say; and how steady the choice is."""
    gain = f"{gain_text(calibration)} ({how_sure(calibration)})"
    lines = [found_text(calibration, gain, f", the threshold {before},")[1]]
    if calibration.trivial is not None:
        lines.append(f"  calling every unit found: F1 {number(calibration.trivial)}")
    if calibration.constant < min(calibration.present.mae, calibration.chosen.mae):
        lines.append("  one value for every sample errs by less: the score tells little of a single sample")
    return [*lines, f"  chosen for {NAMES[calibration.objective]}; {without_folds(calibration)}"]


def found_text(calibration: Calibrated, gain: str, which: str = "") -> tuple[str, str]:
    """What a fit says of its choice, with the `gain` in words, and a sign for it: ✓ clear, = not clear, ·.

    `which` says what the threshold is that it is compared with.
    """
    now, chosen = calibration.threshold_now, calibration.threshold
    if now == chosen:
        return "✓", f"{now}{which} has the {BEST[calibration.objective]}{_no_use(calibration)}"
    if calibration.better is None:
        return "·", f"too early to say whether {chosen} is better than {now}: {gain}"
    if is_better(calibration):
        return "✓", f"{chosen} is better than {now}: {gain}"
    return "=", f"{chosen} is {_no_better(calibration)}: {gain}"


def without_folds(calibration: Calibrated) -> str:
    """What would be chosen without each fold."""
    return f"without each of {len(calibration.folds)} folds: {_spread(calibration)}"


def is_better(calibration: Calibrated) -> bool:
    """Whether the chosen threshold is better than `threshold_now` beyond chance, by a gain that shows."""
    shows = number(calibration.gain.value) != number(0.0)
    return bool(calibration.better) and shows and calibration.threshold != calibration.threshold_now


def _no_use(calibration: Calibrated) -> str:
    """What is added to a threshold that is the best, where calling every unit found is as good."""
    f1, trivial = calibration.chosen.f1, calibration.trivial
    if f1 is None or trivial is None or f1 > trivial:
        return ""
    return ", but no better than calling every unit found"


def _no_better(calibration: Calibrated) -> str:
    """What a choice is not clearly better than: `threshold_now`, or calling every unit found."""
    gain = calibration.gain.interval
    beats = not calibration.better and gain is not None and gain.low > 0
    return f"not clearly better than {'calling every unit found' if beats else calibration.threshold_now}"


def how_sure(calibration: Calibrated) -> str:
    """What a gain rests on."""
    if calibration.better is None:
        return "cross-validated, fewer than ten groups"
    if calibration.gain.interval is not None:
        return "95 %, cross-validated, by group"
    same = "the same in every group" if calibration.better else "few groups change"
    return f"cross-validated, {same}"


def gain_text(calibration: Calibrated) -> str:
    """What the choice changes: `|bias| −.020 [−.048, +.028]`, `F1 +.013 [...]`."""
    gain = calibration.gain
    if calibration.objective == "bias":  # a smaller bias is the gain
        return f"|bias| changes by {_fall(gain)}"
    return f"F1 {signed(gain.value)}{_ends(gain.interval)}"


def curve_lines(look: Look, calibration: Calibrated) -> list[str]:
    """Every fifth threshold, those in use and before it and the best one, on all verified samples."""
    marks = {look.now: which(look), look.moves.now: "in use"}
    marks[calibration.threshold] = ", ".join(filter(None, (marks.get(calibration.threshold), "chosen")))
    rows = []
    for at in sorted({*range(60, 101, 5), *marks}):
        point = calibration.curve[at]
        rest = map(number, (point.mae, point.accuracy, point.f1, point.tpr, point.tnr))
        name = f"{at} {marks.get(at, '')}".strip()
        rows.append([name, number(point.automatic), signed(point.bias), *rest])
    title = f"curve on the verified samples (verified mean {number(calibration.verified)}):"
    head = ["threshold", "automatic", "bias", "typical error", "right", "F1", "if found", "if missing"]
    means = "right: share of the units judged right; if found, if missing: of those so to a person (TPR, TNR)"
    return [title, *table(head, rows, right=True), means]


def probability_lines(calibration: Calibrated) -> list[str]:
    """How likely a match is right, and the similarities that are worth a look."""
    rows = [
        [_near(bucket), f"{bucket.pairs:,}", *(number(one, 2) for one in _told(bucket))]
        for bucket in calibration.reliability.bins
    ]
    lines = [
        "probability of a match (cross-validated)",
        *table(["similarity", "units", "predicted", "found"], rows, right=True),
        "predicted: the chance that a person finds such a unit; found: how often one did",
    ]
    if calibration.band is None:
        return [*lines, "no similarity is in doubt (probability .2 to .8)"]
    low, high = calibration.band
    return [*lines, f"worth a look: similarities {low}–{high} (probability .2 to .8)"]


def _told(bucket: ReliabilityBin) -> tuple[float | None, float | None]:
    """Its probability and its share; neither of a few units, which tell of themselves alone."""
    return (None, None) if bucket.pairs < FEWEST else (bucket.predicted, bucket.found)


def _near(bucket: ReliabilityBin) -> str:
    if bucket.high < 60:
        return "no near name"
    return str(bucket.low) if bucket.low == bucket.high else f"{bucket.low}–{bucket.high}"


def holdout_lines(report: Look) -> list[str]:
    """What the samples kept back say, and how often they were looked at."""
    held, before = report.holdout, report.openings
    if held is None:
        return [f"the holdout was opened {times(before)} before"] if before else []
    calibration = report.found
    assert calibration is not None  # only a fit opens it
    rows = [
        _measured(f"{calibration.threshold_now} {which(report)}", held.present),
        _measured(f"{calibration.threshold} chosen", held.chosen),
    ]
    again = "opened for the first time; this is written down"
    if before:
        again = f"opened {times(before)} before: what was learned from it then makes this look too good"
    return [f"holdout: {held.samples:,} verified samples, {again}", *table(MEASURES, rows, right=True)]


def used_text(info: DatasetInfo, saved: Sequence[CalibrationRow]) -> str:
    """What a dataset goes by now, and whether that is known to be better."""
    used = next((row.document for row in saved if row.name == info.calibration), None)
    if used is None:
        return f"no calibration is in use; match threshold {info.threshold}"
    text = (
        f"{info.calibration} is in use: match threshold {info.threshold}, doubtful units by its probability; "
        "figures score each sample that it saw at a threshold chosen without it"
    )
    if not used["better"] and used["threshold"] != used["threshold_before"]:
        than = f"{info.threshold} is not clearly better than {used['threshold_before']}"
        text += f"\nBut {than}: workbench calibrate --use none goes back"
    return clean(text)


def report_document(report: Look) -> JsonObject:
    """The report as JSON: the document of `calibration.json` and what stands around it."""
    gathered = report.gathered
    return {
        **report.document,
        "policy_changes": [asdict(change) | {"words": change.words} for change in report.changes],
        "saved": report.name,
        "in_use": report.info.calibration,
        "left_out": {**gathered.left_out, "holdout": gathered.holdout},
        "units": {"invented": gathered.invented, "missed": gathered.missed},
        "alone": gathered.alone,
        "assisted": gathered.assisted,
        "older": gathered.older,
        "automatic_mean": {str(at): mean for at, mean in report.means.items()},
        "holdout_opened_before": report.openings,
    }


def times(count: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _measured(name: str, measure: Measured) -> list[str]:
    bias = measure.bias
    ends = _ends(bias.interval).strip() or "–"
    return [name, signed(bias.value), ends, number(measure.mae), number(measure.f1)]


def _fall(gain: Figure) -> str:
    """What a gain takes away: `−.020 [−.048, +.028]`."""
    ends = gain.interval
    return signed(-gain.value) + _ends(ends and Interval(-ends.high, -ends.low))


def _ends(ends: Interval | None) -> str:
    return "" if ends is None else f" [{signed(ends.low)}, {signed(ends.high)}]"


def _spread(calibration: Calibrated) -> str:
    if len(set(calibration.folds)) == 1:
        return f"always {calibration.folds[0]}"
    return f"{min(calibration.folds)} to {max(calibration.folds)}"
