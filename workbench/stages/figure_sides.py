"""The automatic side of a dataset's figures, and estimates from the prefix of its order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.comparing.causes import precision_of
from workbench.comparing.estimates import Design, Estimate, estimate
from workbench.comparing.estimators import EQUAL, Drawn
from workbench.comparing.explained import CauseTotal, Explained
from workbench.comparing.plans import DESIGNS
from workbench.matching import MATCHER
from workbench.model import Tally
from workbench.scoring.names import CALIBRATED, RECOUNT, SCORERS, column_kind
from workbench.stages.calibrate import CrossFit
from workbench.stages.plan import Prefix
from workbench.stages.progress import Progress
from workbench.stages.sides import Known, Reviewed, explain_all
from workbench.store import scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.runs import RunInfo

OPEN = ("skipped", "unresolved")
"""Samples of the prefix that have no gold yet."""


@dataclass(frozen=True, slots=True)
class Side:
    """The automatic side: values of all samples, exact recalls of verified ones, and what explains them.

    `of_all` are the values that the estimate for all samples rests on: those of `values`, but for a
    calibrated dataset. Values less than `within` apart are equal.
    """

    values: Mapping[int, float | None]
    of_all: Mapping[int, float | None]
    explained: Mapping[int, Explained]
    reviewed: Mapping[int, Reviewed]
    recomputed: Mapping[int, float | None]
    within: float = EQUAL


def whole(begun: Prefix, places: Mapping[int, str], side: Side, excluded: set[int]) -> Estimate:
    """The mean of all samples of the population from the prefix of its order."""
    drawn = []
    for row in begun.rows:
        if row.sample_id not in places:
            continue
        ours = side.of_all.get(row.sample_id)
        theirs = side.reviewed.get(row.sample_id)
        value = low = high = None
        if row.status in OPEN:
            low, high = (theirs and theirs.ends) or (0.0, 1.0)
        elif row.status == "verified" and theirs is not None and theirs.tally is not None:
            value = recall_of(theirs.tally)
            ends = theirs.tally.interval
            if ends is not None and ends[0] != ends[1]:
                low, high = float(ends[0]), float(ends[1])
        out = row.status == "excluded" or row.sample_id in excluded
        value = None if out else value
        drawn.append(Drawn(ours, value, row.pi, row.stratum, row.group, low, high, out))
    design: Design = begun.design if begun.design in DESIGNS else "hand"
    standing = [one for one in side.reviewed.values() if one.sample_id in places and one.tally is not None]
    if not drawn and standing:
        design = "imported" if all(one.origin == "imported" for one in standing) else "hand"
        drawn = [
            Drawn(side.of_all.get(one.sample_id), verified_value(side, one.sample_id), None)
            for one in standing
        ]
    kept = [number for number, stratum in places.items() if stratum not in begun.unreached]
    return estimate(
        [side.of_all.get(number) for number in kept],
        drawn,
        design=design,
        strata=_strata(begun, places),
        planned=begun.planned_n,
        at_planned=begun.at_planned_n,
        within=side.within,
    )


def _strata(begun: Prefix, places: Mapping[int, str]) -> list[str]:
    """The stratum of every sample that the prefix stands for; nothing where the design has none."""
    if begun.design != "stratified":
        return []
    return [stratum for stratum in places.values() if stratum not in begun.unreached]


def by_cause(
    begun: Prefix,
    of_all: Estimate,
    causes: Sequence[CauseTotal],
    places: Mapping[int, str],
    side: Side,
    excluded: set[int],
) -> dict[str, Estimate]:
    """The net share of each cause for all samples: the estimator of the whole, with parts of Δ for values."""
    if of_all.refusal or of_all.point is None or (of_all.complete and of_all.open):
        return {}
    rows = [row for row in begun.rows if row.sample_id in places and row.status not in OPEN]
    strata = _strata(begun, places)
    kept = [number for number, stratum in places.items() if stratum not in begun.unreached]
    found: dict[str, Estimate] = {}
    for cause in causes:
        drawn = [
            Drawn(
                None if side.values.get(row.sample_id) is None else 0.0,
                _part(side.explained.get(row.sample_id), cause.cause, row.sample_id in excluded),
                row.pi,
                row.stratum,
                row.group,
                excluded=row.sample_id in excluded,
            )
            for row in rows
        ]
        found[cause.cause] = estimate(
            [None if side.values.get(number) is None else 0.0 for number in kept],
            drawn,
            design=of_all.design,
            strata=strata,
            planned=begun.planned_n,
            at_planned=begun.at_planned_n,
            limits=None,
            within=side.within if cause.cause == "untraced" else EQUAL,  # the others are counted exactly
        )
    return found


def _part(one: Explained | None, cause: str, excluded: bool) -> float | None:
    """The net share of a cause in one sample; None where Δ is undefined or does not count."""
    if one is None or excluded or one.delta is None:
        return None
    return float(sum(share.share or 0 for share in one.shares if share.cause == cause))


def verified_value(side: Side, number: int) -> float | None:
    tally = side.reviewed[number].tally
    return None if tally is None else recall_of(tally)


def recall_of(tally: Tally) -> float | None:
    return tally.found / tally.units if tally.units else None


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
            again = scores.values(store, run.id, MATCHER, threshold, RECOUNT[kind])
        values: Recalls = dict(scores.external_values(store, info.id, name))
        within = precision_of(scores.external_digits(store, info.id, name).values())
        return Side(values, values, known.explained, known.reviewed, again, within)
    if number is None:
        return Side({}, {}, known.explained, known.reviewed, {})
    values = scores.values(store, number, MATCHER, threshold, name)
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
    numbers = {one.key: number for number, one in scores.population(store, info.id).items()}
    return {numbers[key]: limit for key, limit in fitted.thresholds.items() if key in numbers}


def crossed(
    store: Store, run_id: int, name: str, own: Mapping[int, int], values: Recalls
) -> dict[int, float | None]:
    """The values, in the place of those that were fitted on their own gold the ones of their folds."""
    found = dict(values)
    for limit, numbers in _by_threshold(own).items():
        others = scores.values(store, run_id, MATCHER, limit, name)
        found |= {number: others[number] for number in numbers if number in others}
    return found


def _of_all(
    store: Store, run_id: int, name: str, own: Mapping[int, int], folds: tuple[int, ...], values: Recalls
) -> dict[int, float | None]:
    """What the estimate for all samples rests on: what nobody's fit saw counts with its mean over the folds.

    Else seen samples would be scored by one function and the others by another, and the estimate would be off
    by what lies between them (Zrnic, Candès 2024, "Cross-prediction-powered inference").
    """
    columns_of = {limit: scores.values(store, run_id, MATCHER, limit, name) for limit in set(folds)}
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
