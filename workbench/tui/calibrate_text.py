"""The wording of the Calibrate screen: the numbers beside the picture, the finding below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.reports.calibrate import NAMES, gain_text, how_sure, no_better, times
from workbench.text.figures import number, signed
from workbench.tui.widgets.bars import DIM, Part

if TYPE_CHECKING:
    from workbench.comparing.calibration import Calibrated
    from workbench.comparing.curve import MovedCurve
    from workbench.stages.calibrate import Look

LABEL = 12

Line = list[Part]


def panel(look: Look, moved: MovedCurve) -> list[Line]:
    """The numbers of one threshold: all samples, the verified ones, what flips."""
    at, now = moved.threshold, look.moves.now
    lines: list[Line] = [
        [("match threshold ", DIM), (str(at), "bold $accent"), ("" if at != now else "  in use", DIM)],
        [("", "")],
        [(f"all {moved.defined:,} samples", "bold")],
        _row("automatic", number(moved.mean)),
    ]
    if look.found is not None:
        lines += [[("", "")], *_verified(look.found, at)]
    lines += [[("", "")]]
    if at == now:
        return [*lines, [("this threshold is in use", DIM)]]
    return [
        *lines,
        [(f"against {now}", "bold")],
        _row("units", f"{moved.flipped:,} flip"),
        _row("samples", f"{moved.risen:,} up, {moved.fallen:,} down"),
    ]


def finding(look: Look) -> list[Line]:
    """What the fit says, in three lines; without one what is missing."""
    found = look.found
    if found is None:
        return [[("! ", "$warning"), (look.why, "")], [("", "")], [("", "")]]
    best, now, gain = found.threshold, found.threshold_now, gain_text(found)
    if best == now:
        said: Line = [("✓ ", "$success"), (f"{now} is the best for {NAMES[found.objective]}", "")]
    elif found.better is None:
        said = [("· ", ""), (f"{best} seems best: {gain}", "")]
    elif found.better:
        said = [("✓ ", "$success"), (f"{best} is better than {now}: {gain}", "")]
    else:
        said = [("= ", "$warning"), (f"{best} is {no_better(found)}: {gain}", "")]
    folds = sorted(set(found.folds))
    rest = (
        f"without a fold: always {folds[0]}"
        if len(folds) == 1
        else f"without a fold: {folds[0]} to {folds[-1]}"
    )
    if look.gathered.assisted:
        rest += f"; {look.gathered.assisted:,} reviewed with proposals in view"
    if look.openings:
        rest += f"; holdout opened {times(look.openings)}"
    sure = f"for {NAMES[found.objective]}, {how_sure(found).removeprefix('95 %, ')}"
    return [said, [("  ", ""), (sure, DIM)], [("  ", ""), (rest, DIM)]]


def legend(look: Look, *, wide: bool) -> Line:
    """What the lines of the picture are, and the signs on the slider."""
    if look.found is None:
        return [("── ", "$accent"), ("automatic mean, all samples", DIM)]
    return [
        ("── ", "$accent"), ("automatic  ", DIM), ("┄┄ ", "$success"), ("verified  ", DIM),
        ("·· ", "$secondary"), ("as judged  ", DIM), ("◆ ", ""), ("best", DIM),
        ("  ┊ ", "") if wide else ("", ""), ("in use", DIM) if wide else ("", ""),
    ]  # fmt: skip


def _verified(found: Calibrated, at: int) -> list[Line]:
    point = found.curve[at]
    return [
        [(f"{found.samples:,} verified", "bold"), (f"  {found.groups:,} groups", DIM)],
        _row("automatic", number(point.automatic)),
        _row("verified", number(found.verified)),
        _row("bias", signed(point.bias).strip(), strong=True),
        _row("|Δ|", number(point.mae)),
        _row("right, F1", f"{number(point.accuracy)}, {number(point.f1)}"),
        _row("TPR, TNR", f"{number(point.tpr)}, {number(point.tnr)}"),
    ]


def _row(name: str, value: str, *, strong: bool = False) -> Line:
    return [(name.ljust(LABEL), DIM), (value, "bold" if strong else "")]
