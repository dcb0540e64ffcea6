"""Calibrating an automatic recall against verified samples: threshold, match probability, correction.

Whatever is said of a choice is said out of fold: by documents (groups) that did not make it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import sqrt
from typing import Any, Literal

import numpy as np

from workbench.comparing import correction, curve
from workbench.comparing.correction import Corrected, Line, Model, Reliability, is_recall
from workbench.comparing.curve import FOUND, MISSING, UNSURE, Floats, Ints, Objective, Sums, Vectors
from workbench.comparing.intervals import FEWEST, Interval, around
from workbench.errors import UsageError
from workbench.matching import FLOOR, no_similarity
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
        band=correction.band([model.probability(at) for at in range(101)], FLOOR),
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
    return correction.fit_line(recalls, table.verified, table.known.sizes, table.groups, table.weights, folds)


def _probabilities(table: Table, folds: Ints) -> tuple[Model, Reliability]:
    """The model of all pairs, and how well models of the other folds predict."""
    scores, positive, weights = table.scores, table.positive, table.pair_weights
    of = folds[table.pair_groups]
    predicted = np.empty(len(scores))
    for fold in np.unique(of):
        inside = of == fold
        rest = ~inside if (~inside).any() else inside
        fitted = correction.fit(scores[rest], positive[rest], weights[rest], len(scores))
        predicted[inside] = correction.predict(fitted, scores[inside])
    judged = correction.reliability(predicted, scores, positive, weights)
    return correction.fit(scores, positive, weights), judged


SCHEMA = "workbench/calibration"
VERSION = 1


@dataclass(frozen=True)
class Learned:
    """A sample whose gold a calibration saw, and the fold that chose a threshold without it."""

    id: str
    group: str | None
    reference_hash: str
    fold: int


@dataclass(frozen=True)
class LearnedGold:
    """The gold that a calibration saw, and the thresholds chosen without each fold of it."""

    samples: tuple[Learned, ...]
    fold_thresholds: tuple[int, ...]


@dataclass(frozen=True)
class Calibration:
    """What a scorer's verified samples taught: a match threshold, a probability and corrections.

    `corrections` are by the match threshold of the scores. `document` is all that was written.
    """

    name: str
    scorer: Literal["linked", "presence"]
    matcher: str
    objective: str
    threshold: int
    threshold_before: int
    model: Model
    band: tuple[int, int] | None
    corrections: Mapping[int, Line]
    gold: LearnedGold
    document: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        chosen = (self.threshold, self.threshold_before, *(self.band or ()), *self.gold.fold_thresholds)
        for at in (*chosen, *self.corrections):
            if not 0 <= at <= 100:
                raise ValueError(f"got {at}, expected a similarity from 0 to 100")

    def check(self, matcher: str) -> None:
        """Raise UsageError when similarities of this matcher are not those it was fitted on."""
        if self.matcher != matcher:
            raise UsageError(
                f"calibration {self.name or 'without a name'} was fitted on the matcher {self.matcher}, "
                f"and this is {matcher}: the same similarity means something else; calibrate again"
            )

    def probability(self, similarity: float) -> float:
        """How likely a person finds a unit whose best match is that alike (0-100; 0: no near name).

        Raises ValueError for what is no similarity.
        """
        of_all = similarity == 1 and not isinstance(similarity, bool)  # who asks for all asks for 1 too
        if not of_all and (expected := no_similarity(similarity)):
            raise ValueError(f"similarity {similarity!r}: {expected}")
        return self.model.probability(similarity)

    def correct(self, score: float, n_units: int, *, match_threshold: int) -> Corrected:
        """One sample's recall as verification would put it, with a 95 % interval for its verified value.

        `match_threshold` is the one the score was counted at. Raises ValueError for one that no correction
        was fitted at, and for a score outside 0-1, without units, or that so many units cannot have.
        """
        return self._line(match_threshold).correct(score, n_units)

    def correct_mean(self, scores: Iterable[float | None], *, match_threshold: int) -> Corrected:
        """The mean of new samples' recalls, corrected, with its 95 % interval; None stands for undefined.

        It takes scores of `scorer`, our own, never those of ragas, deepeval or another tool, all counted at
        `match_threshold`. Raises ValueError as `correct`, naming the first score that is none, and without a
        defined score.
        """
        if not isinstance(scores, Iterable):
            raise ValueError(f"scores: got {type(scores).__name__}, expected a list of recalls from 0 to 1")
        defined = [score for score in scores if score is not None]
        for score in defined:
            if not is_recall(score):
                raise ValueError(f"score {score!r}: a recall from 0 to 1, or None where it is undefined")
        if not defined:
            raise ValueError("no defined score to correct: at least one recall from 0 to 1")
        return self._line(match_threshold).correct_mean(sum(defined) / len(defined), len(defined))

    def _line(self, at: int) -> Line:
        if at not in self.corrections:
            known = ", ".join(map(str, sorted(self.corrections)))
            raise ValueError(f"no correction for scores at match threshold {at}; there is: {known}")
        return self.corrections[at]


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


def calibration_of(document: Mapping[str, Any]) -> Calibration:
    """The calibration of a document. Raises ValueError that names the first field that is off."""
    if document.get("schema") != SCHEMA:
        raise ValueError(f"schema: got {document.get('schema')!r}, expected {SCHEMA!r}")
    if document.get("version") != VERSION:
        raise ValueError(
            f"version: got {document.get('version')!r}, this Workbench reads {VERSION}: upgrade it, or "
            "calibrate again"
        )
    from pydantic import TypeAdapter, ValidationError

    try:
        # strictly, or "nan" would be a number; an infinite one (1e999) is no JSON
        text = json.dumps(document, allow_nan=False)
        return replace(TypeAdapter(Calibration).validate_json(text, strict=True), document=document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "thresholds"
        raise ValueError(f"{where}: missing, or not what a calibration has there ({first['msg']})") from error


def gold_hash(cases: Sequence[FitCase]) -> str:
    """A SHA-256 over all that a calibration was fitted on."""
    digest = hashlib.sha256()
    for case in sorted(cases, key=lambda case: case.id):
        head = f"{case.id}\0{case.group}\0{case.recall!r}\0{case.weight!r}\0{len(case.similarities)}\0"
        digest.update(head.encode("utf-8", "surrogatepass") + case.similarities + case.human)
    return digest.hexdigest()
