"""Workbench in a notebook or a test: the two recalls, by the names of ragas and deepeval.

>>> from workbench.api import ContextEntityRecall
>>> metric = ContextEntityRecall(threshold=0.6)
>>> metric.measure({
...     "user_input": "Who designed the tower in Paris?",
...     "reference": "Gustave Eiffel designed the tower in Paris in 1889.",
...     "retrieved_contexts": ["The tower in Paris was completed in 1889."],
... })
0.6666666666666666
>>> metric.is_successful()
True
>>> print(metric.reason)
2 of 3 entities are in the contexts. Missing: Gustave Eiffel.

A sample may be a mapping with the names of ragas or deepeval, a ragas SingleTurnSample, a deepeval
LLMTestCase or a Workbench Sample. A mapping may carry a `proposal`; else `proposer` makes one.

>>> metric.measure({"user_input": "?", "reference": "So be it.", "retrieved_contexts": []}) is None
True
>>> metric.is_successful()
False
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING

from workbench.comparing.intervals import Mean, mean
from workbench.errors import UsageError
from workbench.matching import MATCHER
from workbench.model import Assessment, Kind, Policy, Tally, count
from workbench.scoring.names import SCORERS
from workbench.scoring.scorers import value_of
from workbench.stages import measure

if TYPE_CHECKING:
    from workbench.comparing.calibration import Calibration
    from workbench.comparing.correction import Corrected

__all__ = ["ContextEntityRecall", "ContextualRecall", "DatasetScore"]


@dataclass(frozen=True, slots=True)
class DatasetScore:
    """Scores of several samples in their order, None where undefined, and their mean."""

    scores: tuple[float | None, ...]
    mean: Mean


class _Recall:
    """What both metrics share. After a measurement: `score`, `reason`, `success`, `tally`, `assessment`.

    With a calibration also `corrected`: what verification would make of the score, with its interval.
    """

    kind: Kind
    usual: str

    def __init__(
        self,
        threshold: float | None = 0.5,
        strict_mode: bool = False,
        include_reason: bool = True,
        async_mode: bool = True,
        *,
        scorer: str | None = None,
        match_threshold: int | None = None,
        proposer: str = "rules",
        policy: Policy | None = None,
        calibration: Calibration | str | PathLike[str] | None = None,
    ) -> None:
        known = _loaded(calibration)
        if known is not None and (scorer is not None or match_threshold is not None):
            raise UsageError("a calibration names scorer and match threshold: leave those out, or it")
        if known is not None:
            known.check(MATCHER)
            scorer, match_threshold = known.scorer, known.threshold
        self.scorer = scorer or self.usual
        self.match_threshold = 85 if match_threshold is None else match_threshold
        if SCORERS.get(self.scorer) != self.kind:
            names = ", ".join(name for name, kind in SCORERS.items() if kind == self.kind)
            raise UsageError(f"scorer {scorer!r} does not count this; there is: {names}")
        if threshold is not None and not 0 <= threshold <= 1:
            raise UsageError(f"threshold {threshold}: the pass mark is a number from 0 to 1, or None")
        if not 0 <= self.match_threshold <= 100:
            raise UsageError(f"match_threshold {match_threshold}: a similarity from 0 to 100")
        self.threshold = 1.0 if strict_mode else threshold
        self.strict_mode = strict_mode
        self.include_reason = include_reason
        self.async_mode = async_mode
        self.proposer = proposer
        self.policy = policy or Policy()
        self.calibration = known
        self.corrected: Corrected | None = None
        self.assessment: Assessment | None = None
        self.tally: Tally = Tally(0, 0)
        self.score: float | None = None
        self.reason: str | None = None
        self.success: bool | None = None

    def measure(self, sample: object) -> float | None:
        """The score of one sample, None when it has no units; the details are kept on the metric.

        Raises RowError for a sample that lacks a field or has one of another type, ProposalError when its
        proposal does not hold what is counted.
        """
        return self._keep(self._assess(sample))

    async def a_measure(self, sample: object) -> float | None:
        """`measure` next to the event loop; the details kept are those of the sample that was done last."""
        return self._keep(await asyncio.to_thread(self._assess, sample))

    async def single_turn_ascore(self, sample: object) -> float | None:
        """`a_measure` under ragas's name."""
        return await self.a_measure(sample)

    def score_dataset(self, samples: Iterable[object]) -> DatasetScore:
        """The scores of many samples; the mean is over the defined ones and says how many those are."""
        scores = tuple(self.measure(sample) for sample in samples)
        return DatasetScore(scores, mean(scores))

    def is_successful(self) -> bool | None:
        """Whether the last score reached the threshold; undefined never does; None without a threshold."""
        return self.success

    def _assess(self, sample: object) -> Assessment | None:
        return measure.assess(
            measure.record_of(sample),
            self.scorer,
            proposer=self.proposer,
            policy=self.policy,
            match_threshold=self.match_threshold,
        )

    def _keep(self, assessment: Assessment | None) -> float | None:
        tally = count(assessment.units) if assessment else Tally(0, 0)
        score = value_of(self.scorer, tally)
        if self.strict_mode and score is not None:
            score = 1.0 if tally.found == tally.units else 0.0
        self.assessment, self.tally, self.score = assessment, tally, score
        self.success = self._passed(tally)
        self.reason = self._explain(assessment, tally) if self.include_reason else None
        self.corrected = None
        if self.calibration is not None and tally.recall is not None:
            self.corrected = self.calibration.correct(float(tally.recall), tally.units)
        return score

    def _passed(self, tally: Tally) -> bool | None:
        """The exact recall is held against the threshold: ragas's 1e-8 must not fail a perfect sample."""
        if self.threshold is None:
            return None
        return tally.recall is not None and tally.recall >= Fraction(str(self.threshold))

    def _explain(self, assessment: Assessment | None, tally: Tally) -> str:
        """The reason, from the same rows as the score, so that the two cannot contradict each other."""
        plural = "entities" if self.kind == "entity" else "statements"
        if assessment is None or not tally.units:
            return f"The reference has no {plural}: the score is undefined."
        said = "are in the contexts" if self.kind == "entity" else "are supported by the contexts"
        text = f"{tally.found} of {tally.units} {plural} {said}."
        missing = [u.text for u in assessment.units if u.counted and u.match.verdict == "missing"]
        return f"{text} Missing: {'; '.join(missing)}." if missing else text


class ContextEntityRecall(_Recall):
    """Entities of the reference that the contexts mention, over all entities of the reference.

    `threshold` is the pass mark (None: no verdict), `strict_mode` passes only a perfect sample and scores
    every other one 0. `scorer` is `linked` (default), `presence`, `ragas` or `ragas_legacy`;
    `match_threshold` the similarity (0-100) from which two names match. A `calibration` (a file, an export
    folder or what `workbench.calibration.load` gave) stands for both. `async_mode` is taken for deepeval's
    sake: nothing here waits for a network.
    """

    kind: Kind = "entity"
    usual = "linked"


class ContextualRecall(_Recall):
    """Statements of the reference that the contexts support, over all statements (deepeval's formula).

    Parameters as in `ContextEntityRecall`. The verdicts are those of the sample's proposal, else of the
    proposer; `rules` decides by token overlap, an honest baseline and no judge.

    >>> ContextualRecall().measure({
    ...     "input": "What if these shoes don't fit?",
    ...     "expected_output": "You are eligible for a 30 day full refund at no extra cost.",
    ...     "retrieval_context": ["All customers are eligible for a 30 day full refund at no extra cost."],
    ... })
    1.0
    """

    kind: Kind = "statement"
    usual = "contextual_recall"


def _loaded(calibration: Calibration | str | PathLike[str] | None) -> Calibration | None:
    """A calibration as it is, or that of a file; numpy is imported only when there is one."""
    if isinstance(calibration, (str, PathLike)):
        from workbench.calibration import load

        return load(calibration)
    return calibration
