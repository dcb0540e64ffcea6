"""Calibrating an automatic recall against verified samples: threshold, match probability, correction.

Whatever is said of a choice is said out of fold: by documents (groups) that did not make it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import ceil, log, sqrt
from typing import Any

import numpy as np

from workbench.comparing import curve
from workbench.comparing.correction import SCHEMA, VERSION, Learned, Line, Model
from workbench.comparing.curve import FOUND, MISSING, UNSURE, Floats, Ints, Objective, Sums, Vectors
from workbench.comparing.intervals import FEWEST, LEVEL, Interval, around, t_quantile
from workbench.matching import FLOOR
from workbench.model import FoundIf, JsonObject
from workbench.text.figures import many

FEW_CHANGES = 5
"""Differences other than 0 below which no interval is given: it would be too narrow, or have no width."""

_EQUAL = 1e-12


@dataclass(frozen=True)
class FitCase:
    """A verified sample as calibration sees it.

    `similarities` and `human` have a byte for each automatic unit; `human` is UNLINKED where no verified unit
    is linked to it. `recall` is the verified one, None when undefined. `weight`: 1 / inclusion probability.
    `labels`: those of the units. `loose`: the units, by place, that a rule of the policy decides, with the
    similarity that they have where it counts them.
    """

    id: str
    group: str
    similarities: bytes
    human: bytes
    recall: float | None
    weight: float = 1.0
    labels: tuple[str, ...] = ()
    loose: Mapping[int, tuple[FoundIf, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Point:
    """One threshold on all cases: means over samples, verdicts over judged units; None where undefined.

    `tpr` and `tnr`: of the units that people found (did not find), the share that the machine did (did
    not).
    """

    threshold: int
    automatic: float
    bias: float
    mae: float
    accuracy: float | None
    f1: float | None
    tpr: float | None
    tnr: float | None


@dataclass(frozen=True)
class Figure:
    """A figure with its 95 % interval; None below ten groups, and where nearly all differences are 0."""

    value: float
    interval: Interval | None = None


@dataclass(frozen=True)
class Measured:
    """What one way of scoring does on samples that had no say in it."""

    bias: Figure
    mae: float
    f1: float | None


@dataclass(frozen=True)
class Calibrated:
    """What verified samples say of a scorer under an objective.

    `folds` are the thresholds chosen without each fold, `fold_of` the fold of every case by id, without those
    of groups in which no case has a recall on both sides. `chosen` is out of fold, `present` at
    `threshold_now` (the one in use, or the one before the calibration in use), `corrected` the line's values
    out of fold at that one.
    `gain`: how much better the chosen one is (F1, or size of the bias); `better` None
    where there are too few groups to say. `trivial`, for F1 only, is the F1 of calling every unit found: the
    better of the two rules without a threshold, for calling all missing has an F1 of 0. A choice that is not
    better than that one too is no better. `constant` is the |Δ| of one value for every sample, the median
    of the other folds. `lines` are corrections by match threshold.
    """

    objective: Objective
    threshold: int
    threshold_now: int
    samples: int
    undefined: int
    groups: int
    pairs: int
    found: int
    unsure: int
    folds: tuple[int, ...]
    fold_of: Mapping[str, int]
    curve: tuple[Point, ...]
    verified: float
    chosen: Measured
    present: Measured
    corrected: Measured
    gain: Figure
    better: bool | None
    trivial: float | None
    constant: float
    model: Model
    reliability: Reliability
    band: tuple[int, int] | None
    lines: Mapping[int, Line]
    seed: int


@dataclass(frozen=True)
class Table:
    """The cases as arrays: those with both recalls by sample, judged units by unit.

    The groups with such cases count from 0.
    """

    known: Vectors
    verified: Floats
    weights: Floats
    groups: Ints
    number: Mapping[str, int]
    scores: Floats
    positive: Floats
    pair_weights: Floats
    pair_groups: Ints
    undefined: int
    unsure: int


class TooFewError(ValueError):
    """Not enough verified samples, groups or judged units; the message says how many there are."""


def table_of(cases: Sequence[FitCase]) -> Table:
    """The cases with a recall on both sides or a judged unit, ordered by id: their order cannot matter."""
    measured = (one for one in cases if one.similarities and (one.recall is not None or any(one.human)))
    ordered = sorted(measured, key=lambda case: case.id)
    number = {name: index for index, name in enumerate(sorted({case.group for case in ordered}))}
    weights = np.array([case.weight for case in ordered], dtype=np.float64)
    groups = np.array([number[case.group] for case in ordered], dtype=np.int64)
    defined = [at for at, case in enumerate(ordered) if case.recall is not None]
    every = curve.vectors([case.similarities for case in ordered])
    human = np.frombuffer(b"".join(case.human for case in ordered), dtype=np.uint8)
    judged = (human == FOUND) | (human == MISSING)
    of = np.repeat(np.arange(len(ordered)), every.sizes)[judged]
    return Table(
        known=curve.vectors([ordered[at].similarities for at in defined]),
        verified=np.array([ordered[at].recall for at in defined], dtype=np.float64),
        weights=weights[defined],
        groups=groups[defined],
        number=number,
        scores=every.similarity[judged].astype(np.float64),
        positive=(human[judged] == FOUND).astype(np.float64),
        pair_weights=weights[of],
        pair_groups=groups[of],
        undefined=len(cases) - len(defined),
        unsure=int(np.count_nonzero(human == UNSURE)),
    )


def calibrate(cases: Sequence[FitCase], *, now: int, objective: Objective, seed: int = 0) -> Calibrated:
    """Choose a threshold, fit a probability and a correction, and measure all of it out of fold.

    `now` is the match threshold without a calibration. Raises TooFewError below ten verified samples with
    units on both sides, below two groups, without judged units of both verdicts, or without any likeness.
    """
    table = table_of(cases)
    _check(table)
    sums = _sums(table, objective)
    folds = curve.draw_folds(len(table.number), seed)
    validation = curve.validate(sums, objective, folds)
    cut = max(now, FLOOR)
    present = curve.at_threshold(sums, cut)
    # another number between the same two similarities is no other choice
    chosen, *limits = (
        now if np.array_equal(curve.at_threshold(sums, int(at)), present) else int(at)
        for at in (validation.threshold, *validation.folds)
    )
    counted = np.unique(table.groups if objective == "bias" else table.pair_groups)  # of others nothing is
    by_group = validation.by_group[:, counted]
    thresholds, fold = np.maximum(limits, FLOOR), folds[table.groups]
    gain, better = gain_of(by_group, present[:, counted], objective, seed)
    trivial = None
    if objective == "f1":
        all_found = curve.at_threshold(sums, 0)
        trivial = float(curve.figure(all_found.sum(axis=1), objective))
        better = better and gain_of(by_group, all_found[:, counted], objective, seed)[1]
    line, corrected = _line(table, now, folds)
    model, judged = _probabilities(table, folds)
    # Every sample's recall at its own threshold
    recalls = np.empty(len(table.verified))
    for limit in np.unique(thresholds[fold]):
        inside = thresholds[fold] == limit
        recalls[inside] = curve.recalls_at(table.known, int(limit))[inside]
    constant = abs(medians(table.verified, table.weights, fold) - table.verified)
    total = table.weights.sum()
    return Calibrated(
        objective=objective,
        threshold=chosen,
        threshold_now=now,
        samples=len(table.verified),
        undefined=table.undefined,
        groups=len(np.unique(table.groups)),
        pairs=len(table.scores),
        found=int(table.positive.sum()),
        unsure=table.unsure,
        folds=tuple(limits),
        fold_of={
            case.id: int(folds[table.number[case.group]]) for case in cases if case.group in table.number
        },
        curve=curve_of(table),
        verified=float(table.weights @ table.verified / total),
        chosen=_measured(table, recalls, _verdicts(table, thresholds[folds[table.pair_groups]])[1]),
        present=_measured(table, curve.recalls_at(table.known, now), _verdicts(table, cut)[1]),
        corrected=_measured(table, corrected, None),
        gain=gain,
        better=better,
        trivial=trivial,
        constant=float(table.weights @ constant / total),
        model=model,
        reliability=judged,
        band=band([model.probability(at) for at in range(101)], FLOOR),
        lines={now: line, chosen: line if chosen == now else _line(table, chosen, folds)[0]},
        seed=seed,
    )


def measure(cases: Sequence[FitCase], threshold: int) -> Measured:
    """One threshold on some verified samples that had no say in it. Raises TooFewError below ten."""
    table = table_of(cases)
    _check_number(table)
    f1 = _verdicts(table, max(threshold, FLOOR))[1]
    return _measured(table, curve.recalls_at(table.known, threshold), f1)


def curve_of(table: Table) -> tuple[Point, ...]:
    """Every threshold from 0 to 100; below 60, where no link is kept, all are as at 60."""
    share = table.weights / table.weights.sum()
    points = []
    for at in range(FLOOR, 101):
        recalls = curve.recalls_at(table.known, at)
        off = recalls - table.verified
        mean, bias, mae = (float(share @ values) for values in (recalls, off, np.abs(off)))
        points.append(Point(at, mean, bias, mae, *_verdicts(table, at)))
    return (*(replace(points[0], threshold=at) for at in range(FLOOR)), *points)


def _check(table: Table) -> None:
    _check_number(table)
    judged = len(table.scores)
    if len(set(table.groups.tolist())) < 2:
        raise TooFewError("all verified samples are of one group; two are needed to try a choice on another")
    hits = int(table.positive.sum())
    if not 0 < hits < judged:
        raise TooFewError(
            f"{judged} judged units, {hits} of them found: both verdicts are needed to choose a threshold"
        )


def _check_number(table: Table) -> None:
    number = len(table.verified)
    if number < FEWEST:
        known = many(number, "verified sample")
        raise TooFewError(f"{known} with units on both sides, fewer than {FEWEST}")


def _sums(table: Table, objective: Objective) -> Sums:
    """The sums of an objective over similarities; no near name (0) is never a cut. Raises TooFewError."""
    number = len(table.number)
    if objective == "f1":
        found = table.pair_weights * table.positive
        counted = [found, table.pair_weights - found]
        fixed = [curve.by_number(table.pair_groups, found, number)]
        sums = curve.sums_of(table.scores, table.pair_groups, number, counted, fixed)
    else:
        known = table.known
        of = np.repeat(np.arange(len(known.sizes)), known.sizes)
        counted = [known.weights * table.weights[of]]
        fixed = [
            curve.by_number(table.groups, weights, number)
            for weights in (table.weights * table.verified, table.weights)
        ]
        scores = known.similarity.astype(np.float64)
        sums = curve.sums_of(scores, table.groups[of], number, counted, fixed)
    there = sums.there & (sums.values >= FLOOR)
    if not there.any():
        raise TooFewError("no unit is like anything in the contexts, so there is no threshold to choose")
    return replace(sums, there=there)


def gain_of(chosen: Floats, present: Floats, objective: Objective, seed: int) -> tuple[Figure, bool | None]:
    """How much better the chosen thresholds are out of fold, by a bootstrap over groups.

    No interval below ten groups, where fewer than five groups change (no better then), and where every
    group changes alike: a bootstrap of equal values has no width, and a sign test is sure of ten.
    """
    ends = (curve.quality(parts.sum(axis=1), objective) for parts in (chosen, present))
    first, second = (float(end) for end in ends)
    gain = first - second
    if chosen.shape[1] < FEWEST:
        return Figure(gain), None
    changed = int((np.abs(chosen - present) > _EQUAL).any(axis=0).sum())
    if changed < FEW_CHANGES:
        return Figure(gain), False
    chosen_quality, quality = curve.resampled((chosen, present), objective, seed)
    low, high = (float(end) for end in np.nanquantile(chosen_quality - quality, [0.025, 0.975]))
    if high - low < _EQUAL:
        return Figure(gain), gain > _EQUAL
    return Figure(gain, Interval(low, high)), low > 0


def _measured(table: Table, recalls: Floats, f1: float | None) -> Measured:
    off = recalls - table.verified
    share = table.weights / table.weights.sum()
    return Measured(_bias(off, table.weights, table.groups), float(share @ np.abs(off)), f1)


def _bias(off: Floats, weights: Floats, groups: Ints) -> Figure:
    """The weighted mean with its interval by group: V = G/(G-1) Σ (Σ w (d - mean))² / W², t(G-1)."""
    total = weights.sum()
    value = float(weights @ off / total)
    by_group = np.bincount(groups, weights * (off - value))
    number = len(np.unique(groups))
    if np.ptp(off) < _EQUAL or number < FEWEST or np.count_nonzero(np.abs(off) > _EQUAL) < FEW_CHANGES:
        return Figure(value)
    variance = number / (number - 1) * float(by_group @ by_group) / total**2
    return Figure(value, around(value, sqrt(variance), number - 1) if variance > _EQUAL**2 else None)


def _verdicts(
    table: Table, cuts: Floats | int
) -> tuple[float | None, float | None, float | None, float | None]:
    """Accuracy, F1, TPR and TNR over judged units, weighted; None where undefined."""
    predicted, so = table.scores >= cuts, table.positive > 0
    tp, fp, fn, tn = (
        float(table.pair_weights[cell].sum())
        for cell in (predicted & so, predicted & ~so, ~predicted & so, ~predicted & ~so)
    )
    shares = ((tp + tn, fp + fn), (2 * tp, fp + fn), (tp, fn), (tn, fp))
    accuracy, f1, tpr, tnr = (part / (part + rest) if part + rest else None for part, rest in shares)
    return accuracy, f1, tpr, tnr


def medians(verified: Floats, weights: Floats, folds: Ints) -> Floats:
    """For every sample the weighted median of the verified values of the other folds: the one value with the
    least weighted error, a guess without any scorer."""
    guesses = np.zeros(len(verified))
    for fold in np.unique(folds):
        values, shares = verified[folds != fold], weights[folds != fold]
        if len(values):
            order = np.argsort(values)
            sums = shares[order].cumsum()
            middle = [np.searchsorted(sums, sums[-1] / 2, side) for side in ("left", "right")]
            guesses[folds == fold] = values[order][middle].mean()
    return guesses


def _line(table: Table, threshold: int, folds: Ints) -> tuple[Line, Floats]:
    recalls = curve.recalls_at(table.known, threshold)
    return fit_line(recalls, table.verified, table.known.sizes, table.groups, table.weights, folds)


def _probabilities(table: Table, folds: Ints) -> tuple[Model, Reliability]:
    """The model of all pairs, and how well models of the other folds predict."""
    scores, positive, weights = table.scores, table.positive, table.pair_weights
    of = folds[table.pair_groups]
    predicted = np.empty(len(scores))
    for fold in np.unique(of):
        inside = of == fold
        rest = ~inside if (~inside).any() else inside
        fitted = fit(scores[rest], positive[rest], weights[rest], len(scores))
        predicted[inside] = predict(fitted, scores[inside])
    judged = reliability(predicted, scores, positive, weights)
    return fit(scores, positive, weights), judged


def document_of(
    calibration: Calibrated, learned: Sequence[Learned], *, data_sha256: str, holdout: Any, **head: Any
) -> JsonObject:
    """The document of a calibration, `head` first: its name, dataset, run. Equal input gives equal bytes."""
    fit = asdict(calibration)
    del fit["fold_of"]
    return {
        "schema": SCHEMA,
        "version": VERSION,
        **head,
        "threshold_before": fit.pop("threshold_now"),
        "corrections": {str(at): line for at, line in sorted(fit.pop("lines").items())},
        "gold": {
            "sha256": data_sha256,
            "fold_thresholds": fit.pop("folds"),
            "samples": [asdict(sample) for sample in learned],
        },
        **fit,
        "probabilities": [round(calibration.model.probability(at), 6) for at in range(101)],
        "holdout": holdout,
    }


def gold_hash(cases: Sequence[FitCase]) -> str:
    """A SHA-256 over all that a calibration was fitted on."""
    digest = hashlib.sha256()
    for case in sorted(cases, key=lambda case: case.id):
        head = f"{case.id}\0{case.group}\0{case.recall!r}\0{case.weight!r}\0{len(case.similarities)}\0"
        digest.update(head.encode("utf-8", "surrogatepass") + case.similarities + case.human)
    return digest.hexdigest()


def fit_line(
    automatic: Floats, verified: Floats, units: Ints, groups: Ints, weights: Floats, folds: Ints
) -> tuple[Line, Floats]:
    """The line of some samples, and the values corrected by lines of the other folds.

    `groups` numbers from 0, `folds` is by group. Where all automatic values are equal the line is a shift.
    The spread is the conformal quantile of |error| · √units out of fold (Papadopoulos, Gammerman and Vovk
    2008), the covariance the sandwich by group (Liang and Zeger 1986) with G/(G − 1).
    """
    intercept, slope = _least_squares(automatic, verified, weights)
    held = np.empty(len(automatic))
    for fold in np.unique(folds[groups]):
        inside = folds[groups] == fold
        rest = ~inside if (~inside).any() else inside
        a, b = _least_squares(automatic[rest], verified[rest], weights[rest])
        held[inside] = a + b * automatic[inside]
    held = np.clip(held, 0, 1)
    number, count = len(automatic), len(np.unique(groups))
    error = np.sort(np.abs(held - verified) * np.sqrt(units))
    rank = ceil((number + 1) * LEVEL)
    covariance, quantile = None, 0.0
    if count >= 10:
        covariance = _sandwich(automatic, verified - intercept - slope * automatic, groups, weights)
        quantile = t_quantile(count - 1)
    line = Line(
        intercept=intercept,
        slope=slope,
        covariance=covariance,
        spread=float(error[rank - 1]) if rank <= number and error[rank - 1] > 1e-9 else None,
        residual=float(weights @ (held - verified) ** 2 / weights.sum()),
        quantile=quantile,
        samples=number,
        groups=count,
    )
    return line, held


def _least_squares(x: Floats, y: Floats, w: Floats) -> tuple[float, float]:
    mean_x, mean_y = float(w @ x / w.sum()), float(w @ y / w.sum())
    around = x - mean_x
    square = float(w @ around**2)
    if square < 1e-12:
        return mean_y - mean_x, 1.0
    slope = float(w @ (around * (y - mean_y))) / square
    return mean_y - slope * mean_x, slope


def _sandwich(x: Floats, error: Floats, groups: Ints, w: Floats) -> tuple[float, float, float] | None:
    """(var intercept, var slope, covariance); None where all x are equal."""
    design = np.column_stack([np.ones(len(x)), x])
    inner = (design * w[:, None]).T @ design
    if np.linalg.cond(inner) > 1e12:
        return None
    scores = design * (w * error)[:, None]
    count = int(groups.max()) + 1
    summed = np.stack([np.bincount(groups, scores[:, k], minlength=count) for k in range(2)])
    bread = np.linalg.inv(inner)
    there = len(np.unique(groups))
    covariance = bread @ (summed @ summed.T) @ bread * there / (there - 1)
    return float(covariance[0, 0]), float(covariance[1, 1]), float(covariance[0, 1])


ENOUGH = 1_000
"""Pairs from which the isotonic model is fitted; below it overfits, and a sigmoid is fitted."""

BAND = (0.2, 0.8)
"""Between these a verdict is worth a look: one in five is wrong or more."""

_SURE = 0.001  # the log loss of a step model that says 0 or 1 would be infinite
_EDGES = (60, 70, 75, 80, 85, 90, 95, 100)  # of the rows of a reliability table, after "no near name"


@dataclass(frozen=True)
class ReliabilityBin:
    """The pairs with similarities from `low` to `high`: how many, what was said of them and what is so."""

    low: int
    high: int
    pairs: int
    predicted: float
    found: float


@dataclass(frozen=True)
class Reliability:
    """Brier score, log loss (probabilities kept .001 from 0 and 1) and the table behind them."""

    brier: float
    log_loss: float
    bins: tuple[ReliabilityBin, ...]


def fit(scores: Floats, positive: Floats, weights: Floats, pairs: int = 0) -> Model:
    """The model that so many pairs allow. Raises ValueError without pairs.

    `pairs`: how many the whole fit has, where these are those of some folds; it decides the kind of model.
    The rate of units without a near name is smoothed as Platt's targets are, and never above the others.
    """
    if not len(scores):
        raise ValueError("no pairs to fit")
    near = scores > 0
    hits, missing = (float(weights[~near] @ outcome[~near]) for outcome in (positive, 1 - positive))
    none = (hits + 1) / (hits + missing + 2)
    if not near.any():
        return Model("platt", none, 0.0, -log(none / (1 - none)))
    rest = scores[near], positive[near], weights[near]
    if max(pairs, len(scores)) < ENOUGH:
        a, b = platt(*rest)
        hits, total = float(rest[2] @ rest[1]), float(rest[2].sum())
        level = log((total - hits + 1) / (hits + 1))  # a level sigmoid, where likeness says nothing
        model = Model("platt", none, min(a, 0.0), b if a < 0 else level)
    else:
        xs, ys = isotonic(*rest)
        model = Model("isotonic", none, 0.0, 0.0, tuple(xs.tolist()), tuple(ys.tolist()))
    return replace(model, none=min(none, model.probability(float(rest[0].min()))))


def isotonic(scores: Floats, positive: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The distinct scores and the best rising values at them, equal scores pooled first."""
    from scipy.optimize import isotonic_regression

    values, where = np.unique(scores, return_inverse=True)
    weight = np.bincount(where, weights)
    means = np.bincount(where, weights * positive) / weight
    return values, np.asarray(isotonic_regression(means, weights=weight).x, dtype=np.float64)


def platt(scores: Floats, positive: Floats, w: Floats) -> tuple[float, float]:
    """(a, b) of p = 1 / (1 + exp(a s + b)), with Platt's targets (P + 1)/(P + 2) and 1/(M + 2).

    Newton steps with a line search on the log loss (Lin, Lin and Weng 2007).
    """
    plus, minus = float(w @ positive), float(w @ (1 - positive))
    target = np.where(positive > 0, (plus + 1) / (plus + 2), 1 / (minus + 2))
    scale = float(np.abs(scores).max()) or 1.0  # similarities to 100 make the Hessian ill-conditioned
    design = np.column_stack([scores / scale, np.ones(len(scores))])
    point = np.array([0.0, np.log((minus + 1) / (plus + 1))])

    def loss(at: Floats) -> float:
        z = design @ at
        return float(w @ (target * z + np.logaddexp(0, -z)))

    value = loss(point)
    for _ in range(100):
        p = 1 / (1 + np.exp(design @ point))
        slope = design.T @ (w * (target - p))
        if np.abs(slope).max() < 1e-10:
            break
        bend = (design * (w * p * (1 - p))[:, None]).T @ design + 1e-12 * np.eye(2)
        step, size = np.linalg.solve(bend, slope), 1.0
        while size > 1e-10 and loss(point - size * step) > value + 1e-15:
            size /= 2
        point = point - size * step
        value = loss(point)
    return float(point[0] / scale), float(point[1])


def predict(model: Model, scores: Floats) -> Floats:
    """The probabilities of many similarities."""
    values, where = np.unique(scores, return_inverse=True)
    return np.array([model.probability(value) for value in values.tolist()])[where]


def reliability(predicted: Floats, scores: Floats, positive: Floats, weights: Floats) -> Reliability:
    """How far probabilities are from what people said; counts are of pairs, means are weighted."""
    clipped = np.clip(predicted, _SURE, 1 - _SURE)
    loss = -(positive * np.log(clipped) + (1 - positive) * np.log(1 - clipped))
    total = weights.sum()
    edges = np.array([0, *_EDGES])
    row = np.searchsorted(edges, scores, side="right") - 1
    bins = []
    for index in range(len(edges)):
        inside = row == index
        if inside.any():
            share = weights[inside] / weights[inside].sum()
            high = 100 if index == len(edges) - 1 else int(edges[index + 1]) - 1
            forecast, so = float(share @ predicted[inside]), float(share @ positive[inside])
            bins.append(ReliabilityBin(int(edges[index]), high, int(inside.sum()), forecast, so))
    brier = float(weights @ (predicted - positive) ** 2 / total)
    return Reliability(brier, float(weights @ loss / total), tuple(bins))


def band(probabilities: Sequence[float], low: int) -> tuple[int, int] | None:
    """The first and last whole similarity from `low` on whose probability lies in `BAND`; None without one.

    `probabilities` are those of similarities 0 to 100. 0 stands for no near name and is never in a band.
    """
    inside = [at for at in range(low, 101) if BAND[0] <= probabilities[at] <= BAND[1]]
    return (inside[0], inside[-1]) if inside else None
