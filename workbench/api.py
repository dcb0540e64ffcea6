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
import getpass
import os
import sys
import threading
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from numbers import Integral
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.calibration import load, policy_of
from workbench.comparing.correction import Calibration, Corrected
from workbench.comparing.intervals import Mean, mean
from workbench.errors import UsageError
from workbench.matching import MATCHER
from workbench.model import PLURAL, Assessment, Kind, Policy, Proposal, Record, Sample, Tally, Unit, count
from workbench.proposing import rules
from workbench.scoring.names import SCORERS
from workbench.scoring.scorers import value_of
from workbench.stages import measure
from workbench.stages.measure import Claude, OpenAI
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.stages.import_ import ImportReport

__all__ = [
    "Claude",
    "ContextEntityRecall",
    "ContextualRecall",
    "DatasetScore",
    "OpenAI",
    "Proposal",
    "Sample",
    "import_frame",
]

R = TypeVar("R")


@dataclass(frozen=True)
class DatasetScore:
    """Scores of several samples in their order, None where undefined, and their mean.

    With a calibration: `corrected`, each as verification would put it, and `corrected_mean`, both with their
    95 % interval. Without one these are None, `corrected` for each sample.
    """

    scores: tuple[float | None, ...]
    mean: Mean
    corrected: tuple[Corrected | None, ...]
    corrected_mean: Corrected | None


@dataclass(frozen=True)
class Measurement:
    """What one sample came to; the metric keeps the newest under the same names."""

    score: float | None
    success: bool | None
    reason: str | None
    tally: Tally
    assessment: Assessment | None
    corrected: Corrected | None
    verbose_logs: str


class _Recall:
    """What both metrics share. After a measurement: `score`, `reason`, `success`, `tally`, `assessment`.

    With a calibration also `corrected`: what verification would make of the recall, with its 95 % interval.
    """

    kind: Kind
    usual: str

    def __init__(
        self,
        threshold: float | None = 0.5,
        strict_mode: bool = False,
        include_reason: bool = True,
        async_mode: bool = True,
        verbose_mode: bool = False,
        *,
        scorer: str | None = None,
        match_threshold: int | None = None,
        proposer: object = "rules",
        template: Mapping[str, str] | None = None,
        policy: Policy | None = None,
        calibration: Calibration | str | PathLike[str] | None = None,
    ) -> None:
        if calibration is not None:
            if not isinstance(calibration, Calibration):
                calibration = load(calibration)
            calibration.check(MATCHER)
            policy = policy or policy_of(calibration)
            named = calibration.scorer, calibration.threshold
            if SCORERS[named[0]] != self.kind:
                raise UsageError(f"this calibration is of {named[0]}, which counts no {PLURAL[self.kind]}")
            if scorer not in (None, named[0]) or match_threshold not in (None, named[1]):
                raise UsageError("a calibration names scorer and match threshold: leave those out, or it")
            scorer, match_threshold = named
        self.scorer = scorer or self.usual
        self.match_threshold = 85 if match_threshold is None else match_threshold
        if not (isinstance(self.scorer, str) and SCORERS.get(self.scorer) == self.kind):
            names = ", ".join(name for name, kind in SCORERS.items() if kind == self.kind)
            raise UsageError(f"scorer {scorer!r} does not count this; there is: {names}")
        if not (threshold is None or measure.is_share(threshold)):
            raise UsageError(f"threshold {threshold!r}: the pass mark is a number from 0 to 1, or None")
        switches = {"strict_mode": strict_mode, "include_reason": include_reason, "async_mode": async_mode}
        for name, value in {**switches, "verbose_mode": verbose_mode}.items():
            if not isinstance(value, bool):
                raise UsageError(f"{name} {value!r}: True or False")
        measure.check_counting(Policy() if policy is None else policy, self.match_threshold)
        self.threshold = 1.0 if strict_mode else threshold
        self.strict_mode = strict_mode
        self.include_reason = include_reason
        self.async_mode = async_mode
        self.verbose_mode = verbose_mode
        # deepeval copies a metric by these attributes, so a copy gets the same proposer, not another one.
        self.proposer = _proposer_of(proposer, template or {}, policy or Policy())
        self.template: Mapping[str, str] | None = None
        self.evaluation_model: str | None = self.proposer.name
        self.policy = policy or self.proposer.policy or Policy()
        self.calibration = calibration
        self._keep(Measurement(None, None, None, Tally(0, 0), None, None, ""))

    def measure(self, sample: object) -> float | None:
        """The score of one sample, None when it has no units; the details are kept on the metric.

        Raises RowError for a sample that lacks a field or has one of another type, UsageError for what is no
        sample, ProposalError when its proposal does not hold what is counted, or the proposer could not make
        one.
        """
        return self._keep(wait(self.measured(sample)))

    async def a_measure(self, sample: object) -> float | None:
        """`measure` next to the event loop; the details kept are those of the sample that was done last."""
        return self._keep(await self.measured(sample))

    single_turn_ascore = a_measure
    """`a_measure` under ragas's name."""

    def score_dataset(self, samples: Iterable[object]) -> DatasetScore:
        """The scores of many samples; the mean is over the defined ones and says how many those are.

        `samples` may be a DataFrame of pandas or polars. A RowError names the sample by its number, counted
        from 1. With `async_mode` the proposer is asked for all of them at once.
        """
        records = measure.records_of(samples)
        together = [records] if self.async_mode else [[record] for record in records]
        measured = [done for some in together for done in wait(self._measured(some))]
        scores = tuple(map(self._keep, measured))
        recalls = [float(done.tally.recall) for done in measured if done.tally.recall is not None]
        corrected = None
        if self.calibration is not None and recalls:
            corrected = self.calibration.correct_mean(recalls, match_threshold=self.match_threshold)
        return DatasetScore(scores, mean(scores), tuple(done.corrected for done in measured), corrected)

    def is_successful(self) -> bool | None:
        """Whether the last score reached the threshold; undefined never does; None without a threshold."""
        return self.success

    async def measured(self, sample: object) -> Measurement:
        """What a sample comes to; nothing is kept on the metric."""
        (done,) = await self._measured([measure.record_of(sample)])
        return done

    async def _measured(self, records: Sequence[Record]) -> list[Measurement]:
        proposals = await measure.proposals_for(records, self.proposer, self.kind)
        return await asyncio.to_thread(
            lambda: [self._count(*pair) for pair in zip(records, proposals, strict=True)]
        )

    def _count(self, record: Record, proposal: Proposal | None) -> Measurement:
        assessment = measure.assess(
            record, proposal, self.scorer, policy=self.policy, match_threshold=self.match_threshold
        )
        tally = count(assessment.units) if assessment else Tally(0, 0)
        score, recall = value_of(self.scorer, tally), tally.recall
        if self.strict_mode and score is not None:
            score = float(tally.found == tally.units)
        reason = self._explain(assessment, tally)
        success, corrected = None, None
        if self.threshold is not None:  # the exact recall: ragas's 1e-8 must not fail a perfect sample
            success = recall is not None and recall >= Fraction(str(self.threshold))
        if self.calibration is not None and recall is not None:
            at = self.match_threshold
            corrected = self.calibration.correct(float(recall), tally.units, match_threshold=at)
            reason += f" Verified, the recall would be about {corrected}."
        return Measurement(
            score=score,
            success=success,
            reason=reason if self.include_reason else None,
            tally=tally,
            assessment=assessment,
            corrected=corrected,
            verbose_logs=clean(self._steps(assessment, score, reason)),
        )

    def _keep(self, done: Measurement) -> float | None:
        self.assessment, self.tally, self.score = done.assessment, done.tally, done.score
        self.success, self.reason, self.corrected = done.success, done.reason, done.corrected
        self.verbose_logs = done.verbose_logs
        if self.verbose_mode and done.verbose_logs:
            sys.stdout.write(done.verbose_logs + "\n")
        return done.score

    def _explain(self, assessment: Assessment | None, tally: Tally) -> str:
        """The reason, from the same rows as the score, so that the two cannot contradict each other."""
        plural = PLURAL[self.kind]
        if assessment is None or not tally.units:
            return f"The reference has no {plural}: the score is undefined."
        phrase = "are in the contexts" if self.kind == "entity" else "are supported by the contexts"
        text = f"{tally.found} of {tally.units} {plural} {phrase}."
        missing = [u.text for u in assessment.units if u.counted and u.match.verdict == "missing"]
        if self.kind == "statement":
            missing = [sentence.removesuffix(".") for sentence in missing]
        return f"{text} Missing: {'; '.join(missing).removesuffix('.')}." if missing else text

    def _steps(self, assessment: Assessment | None, score: float | None, reason: str) -> str:
        """What `verbose_mode` prints: who proposed, each unit with its verdict, the score and its reason."""
        units = [_line(unit) for unit in assessment.units] if assessment else []
        head = f"{type(self).__name__} · {assessment.source if assessment else self.scorer}"
        return "\n".join([head, *units, f"Score: {score}", f"Reason: {reason}"])


def _proposer_of(given: object, template: Mapping[str, str], policy: Policy) -> measure.Proposer:
    """The proposer of what a person gave. Raises UsageError for what is none, and for an unread template."""
    if isinstance(given, measure.Proposer):
        return given
    if not (isinstance(given, str) and given == rules.PROPOSER):
        from workbench.stages.judges import judge_of  # with the store

        return judge_of(given, template, policy)
    if template:
        raise UsageError("template= replaces a section of a prompt: rules have none")
    return measure.RulesProposer(rules.PROPOSER, policy)


def _line(unit: Unit) -> str:
    match = unit.match
    verdict = match.verdict if unit.counted else "not counted"
    why = [match.rule or "", match.note, f"duplicate of {unit.duplicate_of}" if unit.duplicate_of else ""]
    told = "; ".join(reason for reason in why if reason)
    return f"  {verdict}: {unit.text}" + (f" ({told})" if told else "")


class ContextEntityRecall(_Recall):
    """Entities of the reference that the contexts mention, over all entities of the reference.

    `threshold` is the pass mark (None: no verdict), `strict_mode` passes only a perfect sample and scores
    every other one 0. `scorer` is `linked` (default), `presence`, `ragas` or `ragas_legacy`;
    `match_threshold` the similarity from which two names match, a whole number from 60 to 100. A
    `calibration` (a file, an export folder or what `workbench.calibration.load` gave) stands for both, and
    for `policy`, the labels and rules that say what counts, unless you give one.

    `proposer` names the units of samples that bring no proposal: `rules` (no key, no network), `claude` or a
    `Claude(…)`, an `OpenAI(…)`, your own model object of ragas or deepeval, or a function that takes a Sample
    and returns a Proposal or its JSON object, now or awaited. `template` replaces sections of the prompt
    (`entities`, `statements`, `verdicts`). `verbose_mode` prints each unit with its verdict. `async_mode`
    asks for all samples of `score_dataset` at once, else for one after the other.
    """

    kind: Kind = "entity"
    usual = "linked"


class ContextualRecall(_Recall):
    """Statements of the reference that the contexts support, over all statements (deepeval's formula).

    Parameters as in `ContextEntityRecall`. The verdicts are those of the sample's proposal, else of the
    proposer; `rules` decides by token overlap: a baseline, no judge.

    >>> ContextualRecall().measure({
    ...     "input": "What if these shoes don't fit?",
    ...     "expected_output": "You are eligible for a 30 day full refund at no extra cost.",
    ...     "retrieval_context": ["All customers are eligible for a 30 day full refund at no extra cost."],
    ... })
    1.0
    """

    kind: Kind = "statement"
    usual = "contextual_recall"


def import_frame(
    frame: Any,
    dataset: str,
    *,
    database: str | PathLike[str] = "workbench.db",
    fields: Mapping[str, str] | Sequence[str] = (),
    external: Mapping[str, str] | Sequence[str] = (),
    update: bool = False,
) -> ImportReport:
    """Bring a DataFrame of pandas or polars, or a list of dictionaries, into a dataset of a database.

    A DataFrame is read as a CSV file with the same cells. `fields` say which column a field has:
    `{"reference": "gold_answer"}`, or `["reference=gold_answer"]`, where contexts may have several columns.
    `external` says what a column of scores counts (`{"our_recall": "entity"}`). The report names what became
    of every column, and rows by their number, counted from 1.
    """
    from workbench.stages import import_

    if not isinstance(dataset, str) or not dataset.strip():
        raise UsageError(f"dataset {dataset!r}: give a name")
    if not isinstance(database, (str, PathLike)):
        raise UsageError(f"database {database!r}: give the path of a file, or a URL")
    options = import_.ImportOptions(
        dataset=dataset, fields=_pairs("fields", fields), external=_pairs("external", external), update=update
    )
    return import_.import_frame(fspath(database), frame, options, annotator=getpass.getuser())


def _pairs(parameter: str, given: Any) -> Sequence[str]:
    """NAME=VALUE of a mapping, of a list, or of one text. Raises UsageError for anything else."""
    pairs = [given] if isinstance(given, str) else given
    if isinstance(given, Mapping):  # a column of a DataFrame may have a number for a name
        items = given.items()
        pairs = [f"{name}={value}" if isinstance(value, str | Integral) else value for name, value in items]
    if not isinstance(pairs, Sequence) or not all(isinstance(pair, str) for pair in pairs):
        raise UsageError(f"{parameter} {given!r}: give a mapping of names, or a list of texts NAME=VALUE")
    return pairs


def wait(work: Coroutine[Any, Any, R]) -> R:
    """The result of a coroutine, also inside a running event loop, such as a notebook's.

    All run on one loop, in a thread of its own: a model's connections live as long as their loop. Ctrl-C ends
    the work too, so that nothing more is asked and paid for.
    """
    running = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return running.result()
    finally:
        running.cancel()  # nothing, where it is done


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="workbench", daemon=True).start()
    return loop


if hasattr(os, "register_at_fork"):  # a forked process has the loop, but not its thread
    os.register_at_fork(after_in_child=_loop.cache_clear)
