"""What is printed about a calibration: what it rests on, the choice against what is in use, the curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from workbench.comparing.intervals import FEWEST
from workbench.text.figures import many, number, signed, table
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.comparing.calibration import Calibrated, Measured, Point
    from workbench.comparing.intervals import Interval
    from workbench.comparing.learning import PolicyChange
    from workbench.stages.calibrate import CalibrateReport, Gathered, Look
    from workbench.store.tables import CalibrationRow

NAMES = {"bias": "zero bias of recall", "f1": "the F1 of verdicts"}


def report_text(report: CalibrateReport) -> str:
    """The whole report of `calibrate`."""
    gathered = report.gathered
    proposed = [advice(report.look), "", *change_lines(report.look), ""]
    if report.look.found is None:
        return clean("\n".join([*proposed, f"the match threshold: {report.look.why}"]))
    found = report.found
    lines = [*head_lines(report.look.info.name, gathered, found), "", *proposed]
    lines += [*choice_lines(found), "", *verdict_lines(found), ""]
    means = [f"{number(report.means[at])} at {at}" for at in (found.threshold_now, found.threshold)]
    lines += [f"automatic mean of the {many(report.defined, 'sample')} with units: {', '.join(means)}", ""]
    lines += [*curve_lines(found), "", *probability_lines(found), "", *holdout_lines(report)]
    name, end = (
        report.saved,
        "nothing is saved: --save NAME keeps this, --use NAME makes a saved one the dataset's",
    )
    lines.append(f"saved as {name}; workbench calibrate --use {name} makes it the dataset's" if name else end)
    return clean("\n".join(lines).rstrip())


def head_lines(dataset: str, gathered: Gathered, found: Calibrated) -> list[str]:
    """What the calibration rests on and what it leaves out."""
    lines = [
        f"{dataset} · {gathered.scorer} · run {gathered.run.name} · {found.samples:,} verified samples in "
        f"{found.groups:,} groups · {found.pairs:,} judged units, {found.found:,} found"
    ]
    out = gathered.left_out
    parts = [
        (found.undefined, "undefined (no units on one side)"),
        (out["unresolved"], "unresolved"),
        (out["excluded"], "not counted"),
        (out["seen"], "shown to the run's prompt, with their groups"),
        (out["uncounted"], "without a proposal"),
        (out["late"], "come after the plan"),
        (gathered.holdout, "in the holdout"),
    ]
    left = [f"{count:,} {why}" for count, why in parts if count]
    if left:
        lines.append(f"  samples left out: {', '.join(left)}")
    lines.append(
        f"  units left out: {found.unsure:,} unsure; {gathered.invented:,} suggested and rejected, "
        f"{gathered.missed:,} added by people; no threshold changes those"
    )
    if gathered.assisted:
        lines.append(
            f"  {gathered.assisted:,} of {len(gathered.cases):,} samples were reviewed with suggestions in "
            "view, and people keep what they see. Reviews without suggestions avoid that"
        )
    if gathered.alone:
        lines.append(
            f"  weights are mixed: {gathered.alone:,} verified samples outside the plan's order "
            "count for themselves only, the others for all samples they were drawn from"
        )
    return lines


def advice(look: Look) -> str:
    """Whether to change anything, in one sentence."""
    found, change = look.found, look.change
    take = change and f"{change.words} (workbench policy edit --take {look.changes.index(change) + 1})"
    if change is not None and change.better:
        return f"What to do: {take}, then calibrate again."
    if found is not None and found.better and found.threshold != found.threshold_now:
        return f"What to do: use match threshold {found.threshold} (--save NAME --use NAME)."
    if change is not None and change.gain.value > 0:
        return f"What to do: review more, or try this: {take}."
    if found is None or found.better is None:
        return f"What to do: review more. From {FEWEST} groups of samples on, this shows what is better."
    return "What to do: change nothing. No threshold and no policy is better than what is in use."


def change_lines(look: Look) -> list[str]:
    """The changes of the policy that reviews ask for, and what each does to the typical error."""
    if not look.changes:
        return ["policy: your reviews ask for no change"]
    lines = ["changes of the policy that your reviews ask for:"]
    for place, one in enumerate(look.changes, start=1):
        lines += [f"  {place}  {one.words}: {change_text(one)}", f"     {support_text(one)}"]
    return lines


def support_text(one: PolicyChange) -> str:
    """What people decided: `people kept 16 of 17 person, 0 of 12 date`."""
    if one.what != "labels":
        found, judged = one.support[one.what]
        return f"people found {found:,} of {judged:,} such names"
    return (
        f"people kept {', '.join(f'{some:,} of {of:,} {name}' for name, (some, of) in one.support.items())}"
    )


def change_text(one: PolicyChange) -> str:
    """What a change does: `typical error .281 → .133 (−.148 [−.190, −.105] …): better`."""
    ends = one.gain.interval and type(one.gain.interval)(-one.gain.interval.high, -one.gain.interval.low)
    moved = f"typical error {number(one.before)} → {number(one.after)}"
    if ends is None:
        said = "no better" if one.better is False else f"a suggestion from {many(one.samples, 'sample')}"
        return f"{moved}, cross-validated: {'better' if one.better else said}"
    said = "better" if one.better else "no better"
    if one.better is None:
        said = f"a suggestion, for one value for every sample has {number(one.constant)}"
    return f"{moved} ({signed(-one.gain.value)}{_ends(ends)}, 95 %, cross-validated, by group): {said}"


def choice_lines(found: Calibrated) -> list[str]:
    """The threshold in use, the chosen one and the correction, each on samples that had no say in it."""
    rows = [
        _measured(f"{found.threshold_now} in use", found.present),
        _measured(f"chosen on other groups: {_spread(found)}", found.chosen),
        _measured(f"{found.threshold_now}, corrected on other groups", found.corrected),
        ["one value for every sample", "–", "–", number(found.constant), "–"],
    ]
    return table(["match threshold", "bias", "95 % by group", "|Δ|", "F1"], rows, right=True)


def verdict_lines(found: Calibrated) -> list[str]:
    """Better, no better or too early to say; and how steady the choice is."""
    gain, how = gain_text(found), how_sure(found)
    now, chosen = found.threshold_now, found.threshold
    if now == chosen:
        lines = [f"{now}, the threshold in use, is the best for {NAMES[found.objective]}{no_use(found)}"]
    elif found.better is None:
        lines = [f"too early to say whether {chosen} is better than {now}: {gain} ({how})"]
    elif found.better:
        lines = [f"{chosen} is better than {now}: {gain} ({how})"]
    else:
        lines = [f"keep {now}: {chosen} is {no_better(found)}: {gain} ({how})"]
    if found.trivial is not None:
        lines.append(f"  calling every unit found: F1 {number(found.trivial)}")
    if found.constant < min(found.present.mae, found.chosen.mae):
        lines.append("  one value for every sample errs by less: the score tells little of a single sample")
    lines.append(
        f"  chosen for {NAMES[found.objective]}; without each of {len(found.folds)} folds: {_spread(found)}"
    )
    return lines


def no_use(found: Calibrated) -> str:
    """What is added to a threshold that is the best, where calling every unit found is as good."""
    if found.trivial is None or found.chosen.f1 is None or found.chosen.f1 > found.trivial:
        return ""
    return ", but no better than calling every unit found"


def no_better(found: Calibrated) -> str:
    """What a choice that is no better was held against: the threshold in use, or calling every unit found."""
    beats = found.gain.interval is not None and found.gain.interval.low > 0
    return f"no better than {'calling every unit found' if beats else found.threshold_now}"


def how_sure(found: Calibrated) -> str:
    """What a gain rests on."""
    if found.better is None:
        return "cross-validated, fewer than ten groups"
    if found.gain.interval is not None:
        return "95 %, cross-validated, by group"
    same = "the same in every group" if found.better else "few groups change"
    return f"cross-validated, {same}"


def gain_text(found: Calibrated) -> str:
    """What the choice changes: `|bias| −.020 [−.048, +.028]`, `F1 +.013 [...]`."""
    gain = found.gain
    if found.objective == "bias":  # a smaller bias is the gain
        ends = gain.interval and type(gain.interval)(-gain.interval.high, -gain.interval.low)
        return f"|bias| changes by {signed(-gain.value)}{_ends(ends)}"
    return f"F1 {signed(gain.value)}{_ends(gain.interval)}"


def curve_lines(found: Calibrated) -> list[str]:
    """Every fifth threshold, the one in use and the chosen one, on all verified samples."""
    shown = sorted({*range(60, 101, 5), found.threshold, found.threshold_now})
    rows = [[_mark(found, at), *point_cells(found.curve[at])] for at in shown]
    title = (
        f"curve on the verified samples (verified mean {number(found.verified)}; as judged: the automatic "
        "units under people's verdicts):"
    )
    head = ["threshold", "automatic", "as judged", "bias", "|Δ|", "accuracy", "F1", "TPR", "TNR"]
    return [title, *table(head, rows, right=True)]


def probability_lines(found: Calibrated) -> list[str]:
    """How likely a match is right, and the similarities that are worth a look."""
    kind = "isotonic" if found.model.kind == "isotonic" else "Platt"
    judged = found.reliability
    rows = [
        [
            "no near name"
            if one.high < 60
            else f"{one.low}–{one.high}"
            if one.low < one.high
            else str(one.low),
            f"{one.pairs:,}",
            number(one.predicted, 2),
            number(one.found, 2),
        ]
        for one in judged.bins
    ]
    lines = [
        f"probability of a match ({kind}, cross-validated): Brier {number(judged.brier)}, "
        f"log loss {number(judged.log_loss)}",
        *table(["similarity", "units", "predicted", "found"], rows, right=True),
    ]
    if found.band is None:
        return [*lines, "no similarity is in doubt (probability .2 to .8)"]
    low, high = found.band
    return [*lines, f"worth a look: similarities {low}–{high} (probability .2 to .8)"]


def holdout_lines(report: CalibrateReport) -> list[str]:
    """What the samples kept back say, and how often they were looked at."""
    held, before = report.holdout, report.look.openings
    if held is None:
        if before:
            return [f"the holdout was opened {times(before)} before", ""]
        return []
    found = report.found
    rows = [
        _measured(f"{found.threshold_now} in use", held.present),
        _measured(f"{found.threshold} chosen", held.chosen),
    ]
    again = (
        f"opened {times(before)} before: what was learned from it then makes this look too good"
        if before
        else "opened for the first time; this is written down"
    )
    head = ["match threshold", "bias", "95 % by group", "|Δ|", "F1"]
    return [f"holdout: {held.samples:,} verified samples, {again}", *table(head, rows, right=True), ""]


def used_text(name: str, threshold: int) -> str:
    """What a dataset goes by now."""
    if not name:
        return f"no calibration is in use; match threshold {threshold}"
    return clean(
        f"{name} is in use: match threshold {threshold}, doubtful units by its probability; figures of the "
        "samples it saw are cross-fitted"
    )


def list_text(saved: Sequence[CalibrationRow], used: str) -> str:
    """The calibrations of a dataset."""
    if not saved:
        return "no calibration is saved yet: workbench calibrate --save NAME"
    rows = [
        [
            f"{one.name}{' (in use)' if one.name == used else ''}",
            str(one.document["scorer"]),
            str(one.document["threshold"]),
            str(one.document["objective"]),
            str(one.document["samples"]),
            str(one.document["created_at"])[:10],
        ]
        for one in saved
    ]
    head = ["name", "scorer", "threshold", "objective", "samples", "saved"]
    return clean("\n".join(table(head, rows, right=True)))


def report_document(report: CalibrateReport) -> dict[str, Any]:
    """The report as JSON: the document of `calibration.json` and what stands around it."""
    return {
        **report.document,
        "policy_changes": [asdict(one) | {"words": one.words} for one in report.look.changes],
        "saved": report.saved,
        "in_use": report.look.info.calibration,
        "left_out": {**report.gathered.left_out, "holdout": report.gathered.holdout},
        "units": {"invented": report.gathered.invented, "missed": report.gathered.missed},
        "alone": report.gathered.alone,
        "assisted": report.gathered.assisted,
        "automatic_mean": {str(at): mean for at, mean in report.means.items()},
        "holdout_opened_before": report.look.openings,
    }


def point_cells(point: Point) -> list[str]:
    """The figures of one threshold."""
    return [
        number(point.automatic), number(point.overlay), signed(point.bias), number(point.mae),
        number(point.accuracy), number(point.f1), number(point.tpr), number(point.tnr),
    ]  # fmt: skip


def times(count: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _measured(name: str, one: Measured) -> list[str]:
    return [
        name,
        signed(one.bias.value),
        _ends(one.bias.interval).strip() or "–",
        number(one.mae),
        number(one.f1),
    ]


def _ends(ends: Interval | None) -> str:
    return "" if ends is None else f" [{signed(ends.low)}, {signed(ends.high)}]"


def _spread(found: Calibrated) -> str:
    if len(set(found.folds)) == 1:
        return f"always {found.folds[0]}"
    return f"{min(found.folds)} to {max(found.folds)}"


def _mark(found: Calibrated, at: int) -> str:
    if at == found.threshold:
        return f"{at} chosen" if at != found.threshold_now else f"{at} in use, chosen"
    return f"{at} in use" if at == found.threshold_now else str(at)
