"""What a calibration taught, for those who only use it: corrected scores, and how likely a match is right.

Without numpy, which only the fit of `calibration` needs.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import exp, sqrt
from typing import Any, Literal

from workbench.comparing.intervals import FEWEST, Interval
from workbench.errors import UsageError
from workbench.model import is_real


@dataclass(frozen=True)
class Corrected:
    """A corrected value with its 95 % interval; None where too few samples were seen for one, or enough that
    are `alike`: none was off, or all have one score.
    """

    value: float
    interval: Interval | None
    alike: bool = False

    def __str__(self) -> str:
        if self.interval is None:
            return f"{self.value:.2f} [{'nothing differed' if self.alike else 'too few verified'}]"
        return f"{self.value:.2f} [{self.interval.low:.2f}, {self.interval.high:.2f}]"


ROUNDED = 0.0051
"""How far a score may be from found / units: who has rounded it kept two places."""
FOR_SPREAD = 19
"""Samples of which one is as far off as 95 % of new ones at most."""


@dataclass(frozen=True)
class Line:
    """verified ≈ intercept + slope · automatic, for scores at one match threshold.

    `covariance` is of (intercept, slope), summed by group; None below ten groups. `spread`: 95 % of the
    samples lay within spread / √units of the line that was fitted without them; None below `FOR_SPREAD`, and
    where it would be 0. `residual` is their mean square error, `quantile` Student's t for groups − 1, 0
    without a covariance.
    """

    intercept: float
    slope: float
    covariance: tuple[float, float, float] | None
    spread: float | None
    residual: float
    quantile: float
    samples: int
    groups: int

    def correct(self, score: float, units: int) -> Corrected:
        """One sample's score. The interval is for the verified value of such a sample, not for its mean.

        Raises ValueError for a score outside 0-1, without units, or that so many units cannot have.
        """
        known = is_recall(score) and is_real(units) and units >= 1 and units % 1 == 0
        if not known or abs(score - round(score * units) / units) > ROUNDED:
            raise ValueError(f"score {score!r} of {units!r} units: a recall from 0 to 1 of whole units")
        off = None if self.spread is None else self.spread / sqrt(units)
        return self._corrected(score, off, enough=self.samples >= FOR_SPREAD)

    def correct_mean(self, mean: float, samples: int) -> Corrected:
        """The mean of that many new scores. The interval holds for samples like those that were verified."""
        if self.covariance is None or samples < 1:
            return self._corrected(mean, None, enough=self.groups >= FEWEST)
        a, b, both = self.covariance
        variance = a + 2 * mean * both + mean**2 * b + self.residual / samples
        off = self.quantile * sqrt(max(variance, 0.0))
        return self._corrected(mean, off if off > 1e-9 else None, enough=True)

    def _corrected(self, score: float, off: float | None, *, enough: bool) -> Corrected:
        value = min(1.0, max(0.0, self.intercept + self.slope * score))  # `spread` is about this one
        if off is None:  # of samples without an error nothing tells its width
            return Corrected(value, None, alike=enough)
        return Corrected(value, Interval(value - off, value + off).clipped())


def is_recall(value: Any) -> bool:
    """Whether a value is a recall: a number from 0 to 1, with what the rounding of a sum adds."""
    return is_real(value) and 0 <= value <= 1.0000001


@dataclass(frozen=True)
class Model:
    """The probability that a person finds a unit, by the similarity (0-100) of its best match.

    `none` is that of a unit without a near name, similarity 0, which is no small likeness but none at all:
    with those in the fit a sigmoid said .85 where .96 was so. `platt`: 1 / (1 + exp(a s + b)). `isotonic`:
    straight lines between the points (`similarities`, `probabilities`), level outside.
    """

    kind: Literal["platt", "isotonic"]
    none: float
    a: float = 0.0
    b: float = 0.0
    similarities: tuple[float, ...] = ()
    probabilities: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.kind == "isotonic" and not 0 < len(self.similarities) == len(self.probabilities):
            raise ValueError("an isotonic model has a probability for each of its similarities")
        if not all(0 <= value <= 1 for value in (self.none, *self.probabilities)):
            raise ValueError("a probability lies between 0 and 1")

    def probability(self, similarity: float) -> float:
        """The probability at one similarity."""
        if similarity <= 0:
            return self.none
        if self.kind == "platt":
            # 1 / (1 + e^z) without overflow
            z = self.a * similarity + self.b
            return 1 / (1 + exp(z)) if z < 0 else exp(-z) / (1 + exp(-z))
        xs, ys = self.similarities, self.probabilities
        index = bisect_left(xs, similarity)
        if index == 0 or index == len(xs):
            return ys[min(index, len(ys) - 1)]
        share = (similarity - xs[index - 1]) / (xs[index] - xs[index - 1])
        return ys[index - 1] + share * (ys[index] - ys[index - 1])


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
        if not is_real(similarity) or not (similarity == 0 or 1 <= similarity <= 100):
            raise ValueError(f"similarity {similarity!r}: a number from 0 to 100, not a share")
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
