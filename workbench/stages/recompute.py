"""Scoring: count what is not counted yet, and put automatic, verified and external values side by side."""

from __future__ import annotations

import os
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain, islice
from multiprocessing import get_context

from workbench.comparing.intervals import FEWEST, Mean, mean
from workbench.errors import UsageError
from workbench.formats.columns import no_recall
from workbench.formats.exports.folder import check_outside
from workbench.model import KINDS, Kind, Matching, Progress, Score, Tally, silent
from workbench.scoring.doubt import Counted
from workbench.scoring.names import DEFAULT_SCORER, SCORERS, column_kind, kind_of, scorer_in_full
from workbench.scoring.scorers import ScoreGate, counted, gate, value_of
from workbench.stages import begin_worker
from workbench.stages.examples import NOTHING, Seen, seen_by
from workbench.stages.people import check, few_hidden, may_see
from workbench.stages.plan import Prefix, prefix
from workbench.stages.queue import named
from workbench.store import gold as gold_store, plans, runs, samples, scores
from workbench.store.calibrations import use_calibration
from workbench.store.datasets import DatasetInfo, blind_ids, dataset_info
from workbench.store.engine import Store
from workbench.store.queue import shown_ids
from workbench.store.samples import Stored
from workbench.store.scores import CountedChunk, save_counted
from workbench.text.figures import many

__all__ = ["check_outside", "save_counted"]

FEW = 3
"""Chunks of a thousand below which starting processes costs more than it saves.

2,000 samples of 1 kB take 1.4 s of processor time in this process, 3.1 s in two (each imports the matcher).
"""

Batch = dict[int, tuple[str, Counted]]
"""What samples were counted from, with the hash of the text that each had when it was read."""


def count_all(chunks: Iterable[Sequence[Stored]], matching: Matching) -> Iterator[Batch]:
    """Count every chunk of stored samples; samples without a proposal are left out."""
    waiting = iter(chunks)
    first = list(islice(waiting, FEW))
    cores = os.cpu_count() or 1
    if len(first) < FEW or cores == 1:
        for chunk in chain(first, waiting):
            yield count_chunk(chunk, matching)
        return
    # spawn: forking a process that has a writer thread and open database handles is not safe
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn"), initializer=begin_worker) as pool:
        running: deque[Future[Batch]] = deque()
        for chunk in chain(first, waiting):
            running.append(pool.submit(count_chunk, chunk, matching))
            if len(running) > cores + 1:  # a bounded queue keeps memory flat
                yield running.popleft().result()
        while running:
            yield running.popleft().result()


def count_chunk(chunk: Sequence[Stored], matching: Matching) -> Batch:
    """Count some samples; runs in a worker process."""
    return {
        one.sample_id: (one.sample.content_hash, counted(one.sample, one.proposal, matching))
        for one in chunk
        if one.proposal is not None
    }


@dataclass(frozen=True)
class Scored:
    """One sample with every value there is for it. `verified` lacks a kind that is not verified.

    Of the kinds that are `hidden` whoever asked may not see what is verified.
    Of a `blank` reference every recall is undefined, also one that the file has.
    """

    id: str
    automatic: Mapping[str, Score]
    verified: Mapping[Kind, Tally]
    external: Mapping[str, tuple[float, str]]
    unresolved: frozenset[Kind]
    excluded: frozenset[Kind]
    question: str = ""
    hidden: frozenset[Kind] = frozenset()
    blank: bool = False


@dataclass(frozen=True)
class ScoreReport:
    """A dataset's values. `run` is "" when nothing has been proposed yet.

    `unproposed`: samples without a proposal in it.
    `seen`: the samples that the run's prompt showed, and those related to them; no automatic mean has them.
    A mean of verified values that would show what whoever asked may not see has no value.
    `calibration` chose the threshold; "" for none. `withheld`: blind samples that whoever asked is yet to
    decide; of these no report shows anything.
    """

    dataset: str
    run: str
    threshold: int
    samples: tuple[Scored, ...]
    means: Mapping[str, Mean]
    unproposed: int
    seen: Seen = NOTHING
    calibration: str = ""
    withheld: frozenset[str] = frozenset()

    def nameable(self, metric: str) -> list[Scored]:
        """The samples of which whoever asked may see the value of a metric of a gate."""
        listed = [row for row in self.samples if row.id not in self.withheld]
        return [row for row in listed if metric not in {f"verified_{kind}" for kind in row.hidden}]


def recompute(store: Store, info: DatasetInfo, progress: Progress = silent) -> int:
    """Match what this matcher has not matched yet, count what has no score at the dataset's threshold.

    Proposals are read; nothing is proposed and no model is called. Another threshold matches nothing
    anew, and without a run there is nothing to match. Samples whose text or policy is replaced meanwhile
    stay uncounted until the next time. Returns how many samples were matched.
    """
    if info.run_id is None:
        return 0
    done = 0
    uncounted = samples.each_uncounted(store, info.id, info.run_id, info.taught)
    for batch in count_all(uncounted, info.matching):
        save_counted(store, _scored_chunk(info, batch))
        done += len(batch)
        progress(done)
    for batch in scores.each_counted(store, info.id, info.run_id, info.threshold):
        save_counted(store, _scored_chunk(info, batch))
    return done


def match_samples(info: DatasetInfo, loaded: Sequence[Stored]) -> CountedChunk:
    """Match some samples once, for every threshold, and score them at the dataset's own; writes nothing."""
    return _scored_chunk(info, count_chunk(loaded, info.matching))


def _scored_chunk(info: DatasetInfo, batch: Batch) -> CountedChunk:
    run_id, threshold = info.run_id, info.threshold
    assert run_id is not None  # its proposals were counted
    of_samples = {
        number: [
            Score(name, tally, value_of(name, tally)) for name, tally in source.tallies(threshold).items()
        ]
        for number, (_, source) in batch.items()
    }
    return CountedChunk(run_id, threshold, info.policy.version, info.taught, batch, of_samples)


def keep_threshold(store: Store, info: DatasetInfo, threshold: int, annotator: str) -> DatasetInfo:
    """Make a match threshold the dataset's own; a calibration that chose another one is no longer in use.

    What was verified does not change.
    """
    check(store, annotator, "change the match threshold")
    calibration_id = info.calibration_id if threshold == info.threshold else None
    use_calibration(store, info.id, calibration_id, threshold)
    return replace(dataset_info(store, info.id), run_id=info.run_id, run=info.run)


def score_dataset(
    store: Store,
    info: DatasetInfo,
    *,
    threshold: int | None = None,
    viewer: str | None = None,
    progress: Progress = silent,
) -> ScoreReport:
    """Bring the scores up to date and report them, for the eyes of `viewer`."""
    run_id = info.run_id
    limit = info.threshold if threshold is None else threshold
    automatic: dict[int, dict[str, Score]] = {}
    if run_id is not None:
        recompute(store, replace(info, threshold=limit), progress)
        automatic = scores.load_scores(store, run_id, limit)
    rows = _scored(store, info, automatic, viewer)
    seen = seen_by(store, info, runs.current_run(store, info))
    return ScoreReport(
        dataset=info.name,
        run=info.run,
        threshold=limit,
        samples=rows,
        means=_means(rows, seen.related),
        unproposed=runs.count_unproposed(store, info.id, run_id),
        seen=seen,
        calibration=info.calibration if limit == info.threshold else "",
        withheld=frozenset() if viewer is None else withheld_from(store, info, viewer),
    )


def withheld_from(store: Store, info: DatasetInfo, viewer: str) -> frozenset[str]:
    """The blind samples that this person is yet to decide in any kind of units, and did not settle."""
    if not info.blind_share:
        return frozenset()
    decided = set.intersection(*(shown_ids(store, info, viewer, kind) for kind in info.kinds))
    left = blind_ids(store, info) - decided - plans.holdout_ids(store, info.id)
    return frozenset(key for key, number in samples.sample_ids(store, info.id).items() if number in left)


def known(asked: str, columns: Collection[str]) -> str:
    """The scorer or column that a person means. Raises UsageError that lists all for an unknown one."""
    name, there = named(asked, columns), (*SCORERS, *columns)
    if name not in there:
        raise UsageError(f"unknown scorer {name!r}; there is: {', '.join(map(scorer_in_full, there))}")
    return name


def counts(asked: str, columns: Collection[str]) -> tuple[str, Kind]:
    """The scorer or column that a person means, and what it counts. Raises UsageError where nobody knows."""
    name = named(asked, columns)
    kind = kind_of(name) if name in (*SCORERS, *columns) else None
    if kind is None:
        known(asked, [column for column in columns if column == name or not no_recall(column)])
        if no_recall(name):
            recalls = ", ".join(filter(kind_of, columns))
            raise UsageError(f"{asked!r} is no recall; columns of recall: {recalls or 'none'}")
        option = f"--external {asked}=entity (scores.{asked}=entity where it stands in scores)"
        raise UsageError(f"we do not know what {asked!r} counts: import it with {option}")
    return name, kind


def gate_of(
    store: Store, info: DatasetInfo, report: ScoreReport, *,
    metric: str | None, source: str, threshold: float, strict: bool,
) -> ScoreGate:  # fmt: skip
    """Hold a report against a pass mark: the values of a scorer or an imported column, or the verified ones.

    Raises UsageError for an unknown metric or source, and where the mean of verified values is withheld.
    Excluded samples stay out, and of a scorer's values those that the run has seen; a sample that has no such
    value (no proposal; not in the column; not verified or unresolved) is counted as unscored. `note` says
    when few or picked samples are verified: their mean tells nothing of the unscored ones.
    """
    name = metric or DEFAULT_SCORER[info.kinds[0]]
    name, kind = counts(name, scores.external_columns(store, info.id))
    if source not in ("automatic", "verified"):
        raise UsageError(f"unknown source {source!r}; there is: automatic, verified")
    automatic = source == "automatic"
    whole = report.means.get(f"verified_{kind}")
    if not automatic and whole and whole.n and whole.value is None:
        raise UsageError("the mean would show what others decided of samples that are yours to decide")
    recalls: list[tuple[str, Fraction | None]] = []
    unscored = unresolved = 0
    for row in report.samples:
        if kind in row.excluded or (automatic and name in SCORERS and row.id in report.seen.related):
            continue
        score = row.automatic.get(name)
        tally = row.verified.get(kind) if not automatic else score and score.tally
        if tally or row.blank:
            recalls.append((row.id, tally.recall if tally and not row.blank else None))
        elif automatic and name in row.external:
            recalls.append((row.id, Fraction(row.external[name][1])))
        else:
            unscored += 1
            unresolved += kind in row.unresolved
    held = partial(gate, recalls=recalls, threshold=threshold, strict=strict, unscored=unscored)
    if automatic:
        return held(name, step=_step(report, name))
    differ = f", then J: people differ on {unresolved:,} of them (unresolved)" if unresolved else ""
    reviewed = held(f"verified_{kind}", step=f"workbench review{differ}")
    return replace(reviewed, note=_doubt(reviewed, recalls, prefix(store, info, kind)))


def _doubt(reviewed: ScoreGate, recalls: Iterable[tuple[str, object]], begun: Prefix) -> str:
    """Why a mean of reviewed samples tells nothing of those that are not; empty where it does."""
    if not (reviewed.unscored and reviewed.n) or reviewed.strict:
        return ""
    if reviewed.n < FEWEST:
        return f"fewer than {FEWEST} verified samples say nothing of the others"
    drawn = {row.member.key for row in begun.rows}
    picked = sum(recall is not None and name not in drawn for name, recall in recalls)
    some = many(picked, "verified sample was", "verified samples were")
    return f"{some} picked, not reviewed in turn: compare leaves them out of its estimate" if picked else ""


def _step(report: ScoreReport, name: str) -> str:
    """How samples without a value of a scorer or a column get one."""
    if name not in SCORERS:
        return "the metric failed there, or workbench import FILE adds it"
    able = ", ".join({other: None for row in report.samples for other in row.automatic})
    if report.unproposed or not able:
        return "workbench propose --proposer rules"
    return f"{name} cannot count these proposals; --metric can be {able}"


def _scored(
    store: Store, info: DatasetInfo, automatic: Mapping[int, Mapping[str, Score]], viewer: str | None
) -> tuple[Scored, ...]:
    gold = {kind: gold_store.load_gold(store, info.id, kind) for kind in KINDS}
    excluded = {kind: gold_store.load_excluded(store, info.id, kind) for kind in KINDS}
    external = scores.load_external(store, info.id)
    seen = {} if viewer is None else {kind: may_see(store, info, viewer, kind) for kind in KINDS}
    blank = plans.blank_ids(store, info.id)
    held = plans.holdout_ids(store, info.id)  # nobody looks at these in passing: an opening is counted
    questions = samples.questions_of_hashes(store, info.id)
    return tuple(
        Scored(
            id=key,
            automatic=automatic.get(number, {}),
            verified={kind: tally for kind, tally in tallies.items() if tally is not None},
            external=external.get(number, {}),
            unresolved=frozenset(kind for kind, tally in tallies.items() if tally is None),
            excluded=frozenset(kind for kind in KINDS if number in excluded[kind]),
            question=questions.get(number, ""),
            hidden=frozenset(kind for kind in seen if number not in seen[kind]),
            blank=number in blank,
        )
        for key, number in samples.sample_ids(store, info.id).items()
        if number not in held
        for tallies in [{kind: gold[kind][number].tally for kind in KINDS if number in gold[kind]}]
    )


def _means(rows: tuple[Scored, ...], seen: Collection[str]) -> dict[str, Mean]:
    """Means over the samples that are not excluded; automatic ones without those that the run has seen."""
    values: dict[str, list[float | Fraction | None]] = defaultdict(list)
    for row in rows:
        for name, score in row.automatic.items():
            if SCORERS.get(name) not in row.excluded and row.id not in seen:
                values[name].append(None if row.blank else score.value)
        for name, (number, _) in row.external.items():
            counted = column_kind(name)
            if counted and counted not in row.excluded:
                values[name].append(None if row.blank else number)
        for kind, tally in row.verified.items():
            if kind not in row.excluded:
                values[f"verified_{kind}"].append(None if row.blank else tally.recall)
    columns = sorted({name for row in rows for name in row.external})
    names = (*SCORERS, *columns, *(f"verified_{kind}" for kind in KINDS))
    means = {name: mean(values[name]) for name in names if name in values}
    for kind in KINDS:
        known = [row for row in rows if kind in row.verified.keys() - row.excluded]
        if few_hidden([row.id for row in known], {row.id for row in known if kind not in row.hidden}):
            means[f"verified_{kind}"] = replace(means[f"verified_{kind}"], value=None)
    return means
