"""A calibration as it is kept: the JSON document of `calibration.json` and of the database, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from workbench.comparing.calibration import Calibrated, Case, Measured
from workbench.comparing.correction import Corrected, Line, Model, is_recall, is_similarity
from workbench.errors import UsageError

SCHEMA = "workbench/calibration"
VERSION = 1

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Learned:
    """A sample whose gold a calibration saw, and the fold that chose a threshold without it."""

    id: str
    group: str | None
    reference_hash: str
    fold: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a scorer's verified samples taught: a match threshold, a probability and a correction.

    `folds` are the thresholds chosen without each fold of `gold`. `document` is all that was written.
    """

    name: str
    scorer: str
    matcher: str
    objective: str
    threshold: int
    threshold_before: int
    model: Model
    band: tuple[int, int] | None
    lines: Mapping[int, Line]
    gold: tuple[Learned, ...]
    folds: tuple[int, ...]
    document: Mapping[str, Any]

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
        if not is_similarity(similarity):
            raise ValueError(f"similarity {similarity!r}: a number from 0 to 100")
        return self.model.probability(similarity)

    def correct(self, score: float, n_units: int, *, match_threshold: int | None = None) -> Corrected:
        """One sample's recall as verification would put it, with a 95 % interval for its verified value.

        `match_threshold` is the one the score was made with, the calibrated one by default. Raises ValueError
        for one that no correction was fitted at, and for a score outside 0-1 or without units.
        """
        return self._line(match_threshold).correct(score, n_units)

    def correct_mean(
        self, scores: Sequence[float | None], *, match_threshold: int | None = None
    ) -> Corrected:
        """The mean of new samples' recalls, corrected, with its 95 % interval; None stands for undefined.

        Raises ValueError as `correct`, naming the first score that is none, and without a defined score.
        """
        defined = [score for score in scores if score is not None]
        for score in defined:
            if not is_recall(score):
                raise ValueError(f"score {score!r}: a recall from 0 to 1, or None where it is undefined")
        if not defined:
            raise ValueError("no defined score to correct: at least one recall from 0 to 1")
        return self._line(match_threshold).correct_mean(sum(defined) / len(defined), len(defined))

    def _line(self, match_threshold: int | None) -> Line:
        at = self.threshold if match_threshold is None else match_threshold
        if at not in self.lines:
            known = ", ".join(map(str, sorted(self.lines)))
            raise ValueError(f"no correction for scores at match threshold {at}; there is: {known}")
        return self.lines[at]


def document_of(
    found: Calibrated,
    *,
    name: str,
    dataset: str,
    run: str,
    scorer: str,
    matcher: str,
    policy_version: int,
    created_at: str,
    learned: Sequence[Learned],
    data_sha256: str,
    holdout: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The document of a calibration; equal input gives equal bytes."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "name": name,
        "dataset": dataset,
        "run": run,
        "scorer": scorer,
        "matcher": matcher,
        "policy_version": policy_version,
        "created_at": created_at,
        "objective": found.objective,
        "seed": found.seed,
        "threshold": found.threshold,
        "threshold_before": found.threshold_now,
        "better": found.better,
        "counts": {
            "samples": found.samples,
            "undefined": found.undefined,
            "groups": found.groups,
            "pairs": found.pairs,
            "pairs_found": found.found,
            "pairs_unsure": found.unsure,
        },
        "figures": {
            "verified_mean": found.verified,
            "out_of_fold": measured_document(found.chosen),
            "threshold_before": measured_document(found.present),
            "corrected_out_of_fold": measured_document(found.corrected),
            "gain": asdict(found.gain),
            **({} if found.trivial is None else {"f1_all_found": found.trivial}),
        },
        "curve": [asdict(point) for point in found.curve],
        "model": asdict(found.model),
        "probabilities": [round(found.model.probability(at), 6) for at in range(101)],
        "reliability": asdict(found.reliability),
        "band": found.band,
        "corrections": {str(at): asdict(line) for at, line in sorted(found.lines.items())},
        "gold": {
            "sha256": data_sha256,
            "fold_thresholds": list(found.folds),
            "samples": [asdict(one) for one in learned],
        },
        "holdout": holdout,
    }


def measured_document(one: Measured) -> dict[str, Any]:
    """Bias with its interval, mean absolute error and F1."""
    return asdict(one)


def calibration_of(document: Mapping[str, Any]) -> Calibration:
    """The calibration of a document. Raises ValueError that names the first field that is off."""
    if document.get("schema") != SCHEMA:
        raise ValueError(f"schema: got {document.get('schema')!r}, expected {SCHEMA!r}")
    if document.get("version") != VERSION:
        raise ValueError(
            f"version: got {document.get('version')!r}, this Workbench reads {VERSION}: upgrade it, or "
            "calibrate again"
        )
    gold = _field("gold", lambda: document["gold"])
    return Calibration(
        name=_field("name", lambda: str(document["name"])),
        scorer=_field("scorer", lambda: _one_of(document["scorer"], ("linked", "presence"))),
        matcher=_field("matcher", lambda: str(document["matcher"])),
        objective=_field("objective", lambda: str(document["objective"])),
        threshold=_field("threshold", lambda: _similarity(document["threshold"])),
        threshold_before=_field("threshold_before", lambda: _similarity(document["threshold_before"])),
        model=_field("model", lambda: _model(document["model"])),
        band=_field("band", lambda: _band(document["band"])),
        lines=_field("corrections", lambda: _lines(document["corrections"])),
        gold=_field("gold.samples", lambda: tuple(Learned(**one) for one in gold["samples"])),
        folds=_field("gold.fold_thresholds", lambda: tuple(map(_similarity, gold["fold_thresholds"]))),
        document=document,
    )


def gold_hash(cases: Sequence[Case]) -> str:
    """A SHA-256 over all that a calibration was fitted on."""
    digest = hashlib.sha256()
    for one in sorted(cases, key=lambda one: one.id):
        head = f"{one.id}\0{one.group}\0{one.recall!r}\0{one.weight!r}\0{len(one.similarities)}\0"
        digest.update(head.encode("utf-8", "surrogatepass") + one.similarities + one.human)
    return digest.hexdigest()


def _field(name: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ValueError(f"{name}: missing, or not what a calibration has there ({error})") from error


def _one_of(value: Any, known: tuple[str, ...]) -> str:
    if value not in known:
        raise ValueError(f"got {value!r}, expected {' or '.join(known)}")
    return str(value)


def _similarity(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= 100:
        raise ValueError(f"got {value!r}, expected a whole number from 0 to 100")
    return value


def _model(value: Mapping[str, Any]) -> Model:
    kind = _one_of(value["kind"], ("platt", "isotonic"))
    xs, ys = (tuple(float(x) for x in value[name]) for name in ("similarities", "probabilities"))
    if kind == "isotonic" and (not xs or len(xs) != len(ys)):
        raise ValueError("an isotonic model has a probability for each of its similarities")
    none = float(value["none"])
    if kind == "isotonic":
        return Model("isotonic", none, similarities=xs, probabilities=ys)
    return Model("platt", none, float(value["a"]), float(value["b"]))


def _band(value: Any) -> tuple[int, int] | None:
    return None if value is None else (_similarity(value[0]), _similarity(value[1]))


def _lines(value: Mapping[str, Any]) -> dict[int, Line]:
    return {_similarity(int(at)): _line(line) for at, line in value.items()}


def _line(value: Mapping[str, Any]) -> Line:
    covariance, spread = value["covariance"], value["spread"]
    a, b, both = (None, None, None) if covariance is None else map(float, covariance)
    return Line(
        intercept=float(value["intercept"]),
        slope=float(value["slope"]),
        covariance=None if a is None or b is None or both is None else (a, b, both),
        spread=None if spread is None else float(spread),
        residual=float(value["residual"]),
        quantile=float(value["quantile"]),
        samples=int(value["samples"]),
        groups=int(value["groups"]),
    )
