"""What has to be known to read the figures of a dataset, next to the assumptions of the estimate."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.comparing.means import FEWEST
from workbench.comparing.paired import Pair
from workbench.scoring.names import CALIBRATED
from workbench.stages.calibrate import CrossFit
from workbench.stages.plan import Prefix
from workbench.store import calibrations
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store


def notes_of(
    store: Store, info: DatasetInfo, fitted: CrossFit, name: str, threshold: int, begun: Prefix,
    pairs: Sequence[Pair],
) -> tuple[str, ...]:  # fmt: skip
    """The notes on a scorer's figures: whose gold chose its threshold, the plan's end, unequal chances."""
    return (*_calibrated(store, info, fitted, name, threshold), *_behind(begun), *_unequal(begun, pairs))


def _behind(begun: Prefix) -> list[str]:
    if begun.planned_n is None or not begun.at_planned_n or not begun.beyond:
        return []
    number = f"{begun.beyond:,} more samples are" if begun.beyond > 1 else "1 more sample is"
    return [f"The plan is reached: {number} reviewed behind it and not in the estimate."]


def _calibrated(
    store: Store, info: DatasetInfo, fitted: CrossFit, name: str, threshold: int
) -> tuple[str, ...]:
    """Whose gold chose the threshold, and what was done about it."""
    if name not in CALIBRATED:
        return ()
    if fitted.thresholds and threshold == info.threshold:
        at = ", ".join(map(str, sorted(set(fitted.folds))))
        return (
            f"Calibration {info.calibration} saw the verified units of {len(fitted.seen.examples)} samples: "
            f"these and what belongs to them are scored at the threshold found without them ({at}), "
            "all others count in the estimate with their mean over the folds.",
        )
    for one in calibrations.list_calibrations(store, info.id):
        chose, before = one.document["threshold"], one.document["threshold_before"]
        if chose == threshold != before:
            return (
                f"Match threshold {threshold} is the one that calibration {one.name} chose from the verified "
                f"units of {one.document['counts']['samples']} samples, but it is set by hand: nothing here "
                f"is cross-fitted, so it looks too good. workbench calibrate --use {one.name} corrects that.",
            )
    return ()


def _unequal(begun: Prefix, pairs: Sequence[Pair]) -> list[str]:
    """Paired values weigh each sample alike, which unequal chances to be drawn make another question."""
    if len(pairs) < FEWEST or len({round(row.pi, 9) for row in begun.rows}) < 2:
        return []
    return [
        "Samples were drawn with unequal chances. The mean verified so far, paired bias, limits, MAE, "
        "causes, κ and the P, R and F1 of units weigh each verified sample alike: they describe these "
        "samples only. What is estimated for all weighs them."
    ]
