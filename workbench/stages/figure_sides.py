"""The automatic side of a dataset's figures; cross-fitted where a calibration saw the gold beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from workbench.comparing.causes import precision_of
from workbench.comparing.explained import Explained
from workbench.matching import MATCHER
from workbench.scoring.names import CALIBRATED, RECOUNT, SCORERS, column_kind
from workbench.stages.calibrate import CrossFit
from workbench.stages.explained import Known, explain_all
from workbench.stages.figure_estimates import Side
from workbench.stages.progress import Progress
from workbench.store import columns
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.runs import RunInfo

Recalls = Mapping[int, float | None]


def side_of(
    store: Store, info: DatasetInfo, run: RunInfo | None, name: str, threshold: int, fitted: CrossFit,
    progress: Progress,
) -> Side:  # fmt: skip
    """What a scorer or an imported column says, and what explains it beside the gold."""
    number = run.id if run else None
    known = explain_all(store, info, number, name, threshold, progress=progress)
    if name not in SCORERS:
        again: Recalls = {}
        kind = column_kind(name)
        if kind is not None and run is not None and run.proposer != "rules":
            again = columns.values(store, run.id, MATCHER, threshold, RECOUNT[kind])
        values: Recalls = dict(columns.external_values(store, info.id, name))
        within = precision_of(columns.external_digits(store, info.id, name).values())
        return Side(values, values, known.explained, known.reviewed, again, within)
    if number is None:
        return Side({}, {}, known.explained, known.reviewed, {})
    values = columns.values(store, number, MATCHER, threshold, name)
    own = own_thresholds(store, info, name, threshold, fitted)
    if not own:
        return Side(values, values, known.explained, known.reviewed, {})
    return Side(
        crossed(store, number, name, own, values),
        _of_all(store, number, name, own, fitted.folds, values),
        _explained(store, info, number, name, own, threshold, known),
        known.reviewed,
        {},
    )


def own_thresholds(
    store: Store, info: DatasetInfo, name: str, threshold: int, fitted: CrossFit
) -> dict[int, int]:
    """The threshold of every sample that the calibration saw; nothing for a scorer that it does not set."""
    if not fitted.thresholds or threshold != info.threshold or name not in CALIBRATED:
        return {}
    numbers = {one.key: number for number, one in columns.population(store, info.id).items()}
    return {numbers[key]: limit for key, limit in fitted.thresholds.items() if key in numbers}


def crossed(
    store: Store, run_id: int, name: str, own: Mapping[int, int], values: Recalls
) -> dict[int, float | None]:
    """The values, in the place of those that were fitted on their own gold the ones of their folds."""
    found = dict(values)
    for limit, numbers in _by_threshold(own).items():
        others = columns.values(store, run_id, MATCHER, limit, name)
        found |= {number: others[number] for number in numbers if number in others}
    return found


def _of_all(
    store: Store, run_id: int, name: str, own: Mapping[int, int], folds: tuple[int, ...], values: Recalls
) -> dict[int, float | None]:
    """What the estimate for all samples rests on: what nobody's fit saw counts with its mean over the folds.

    Else seen samples would be scored by one function and the others by another, and the estimate would be off
    by what lies between them (Zrnic, Candès 2024, "Cross-prediction-powered inference").
    """
    columns_of = {limit: columns.values(store, run_id, MATCHER, limit, name) for limit in set(folds)}
    often = Counter(folds)
    found: dict[int, float | None] = {}
    for number in values:
        if number in own:
            found[number] = columns_of[own[number]].get(number)
            continue
        each = [(columns_of[limit].get(number), times) for limit, times in often.items()]
        known = [(value, times) for value, times in each if value is not None]
        found[number] = sum(v * times for v, times in known) / len(folds) if len(known) == len(each) else None
    return found


def _explained(
    store: Store, info: DatasetInfo, run_id: int, name: str, own: Mapping[int, int], threshold: int,
    known: Known,
) -> dict[int, Explained]:  # fmt: skip
    """The explanations, those of seen samples at the threshold of their fold."""
    found = dict(known.explained)
    for limit, numbers in _by_threshold(own).items():
        mine = found.keys() & numbers
        if limit != threshold and mine:
            found |= explain_all(
                store, info, run_id, name, limit, reviewed=known.reviewed, only=mine
            ).explained
    return found


def _by_threshold(own: Mapping[int, int]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for number, limit in own.items():
        found[limit].add(number)
    return found
