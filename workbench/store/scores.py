"""Automatic values, what they were counted from, the numbers of files, and whole columns of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Literal, NamedTuple

from sqlalchemy import ColumnElement, and_, exists, func, literal, select, true

from workbench.matching import MATCHER
from workbench.model import Kind, Score, Tally
from workbench.scoring.doubt import Counted, Judge, doubt
from workbench.scoring.names import column_of, day_of, metric_of, runs_of
from workbench.store.engine import Store
from workbench.store.samples import chunked, counted_in
from workbench.store.tables import (
    CALIBRATION,
    COLUMN,
    COUNTED,
    DATASET,
    DECIDED,
    DISPUTE,
    EXTERNAL,
    HOLDOUT_RANK,
    METADATA,
    REVIEW,
    SAMPLE,
    SCORE,
    CountedRow,
    DisputeRow,
    ExternalScoreRow,
    ScoreColumnRow,
    ScoreRow,
    among,
    samples_of,
)


def load_scores(
    store: Store, run_id: int, threshold: int, ids: Sequence[int] | None = None
) -> dict[int, dict[str, Score]]:
    """The stored scores of a run under one threshold, of all samples or some, by sample and scorer."""
    query = select(
        SCORE.sample_id, SCORE.scorer, SCORE.found, SCORE.missing, SCORE.unsure, SCORE.value
    ).where(scored_at(run_id, threshold), true() if ids is None else among(SCORE.sample_id, ids))
    scores: dict[int, dict[str, Score]] = {}
    ordered = query.order_by(SCORE.sample_id, SCORE.scorer)
    for sample_id, scorer, found, missing, unsure, value in store.rows(ordered):
        scores.setdefault(sample_id, {})[scorer] = Score(scorer, Tally(found, missing, unsure), value)
    return scores


class CountedChunk(NamedTuple):
    """What some samples were counted to under a run and a match threshold.

    `counted` has of each the hash of its text and what is kept of it; `policy_version` and `taught` (the
    aliases) tell too what was counted. `scores` follow from it.
    """

    run_id: int
    threshold: int
    policy_version: int
    taught: str
    counted: Mapping[int, tuple[str, Counted]]
    scores: Mapping[int, Sequence[Score]]


def save_counted(store: Store, chunk: CountedChunk) -> None:
    """Keep what some samples were counted from, and their scores at one threshold, in one transaction.

    Scores with the same key are replaced. A sample whose text or policy was replaced meanwhile is left out.
    Raises StoreError.
    """
    if not chunk.counted:
        return
    with store.writing() as session:
        there = select(SAMPLE.id, SAMPLE.content_hash, SAMPLE.dataset_id).where(
            among(SAMPLE.id, chunk.counted),
            DATASET.id == SAMPLE.dataset_id,
            DATASET.policy_version == chunk.policy_version,
        )
        present = {
            number: dataset
            for number, content, dataset in session.execute(there)
            if chunk.counted[number][0] == content
        }
        if not present:
            return
        judge = judge_of(store, next(iter(present.values())))
        of_run = {"run_id": chunk.run_id, "matcher": MATCHER}
        counted_there = among(COUNTED.sample_id, present), *counted_in(chunk.run_id)
        older = store.column(select(COUNTED.sample_id).where(*counted_there, COUNTED.taught != chunk.taught))
        if older:  # their scores at other thresholds are as old
            for table, own in (("counted", COUNTED), ("score", SCORE)):
                gone = among(own.sample_id, older), own.run_id == chunk.run_id, own.matcher == MATCHER
                store.delete(METADATA.tables[table], *gone)
        lacking = present.keys() - store.column(select(COUNTED.sample_id).where(*counted_there))
        fresh = [
            {
                "sample_id": number,
                **of_run,
                "linked": counted.similarities.get("linked"),
                "presence": counted.similarities.get("presence"),
                "tallies": {name: [tally.found, tally.missing] for name, tally in counted.fixed.items()},
                "taught": chunk.taught,
                "doubt": doubt(counted, judge),
            }
            for number, (_, counted) in chunk.counted.items()
            if number in lacking
        ]
        store.insert(CountedRow, fresh)
        store.delete(ScoreRow, among(SCORE.sample_id, present), scored_at(chunk.run_id, chunk.threshold))
        rows = [
            {
                "sample_id": number,
                **of_run,
                "threshold": chunk.threshold,
                "scorer": score.scorer,
                "found": score.tally.found,
                "missing": score.tally.missing,
                "unsure": score.tally.unsure,
                "value": score.value,
            }
            for number in present
            for score in chunk.scores[number]
        ]
        store.insert(ScoreRow, rows)


def each_counted(
    store: Store, dataset_id: int, run_id: int, threshold: int
) -> Iterator[dict[int, tuple[str, Counted]]]:
    """What the samples without a score at a match threshold were counted from, a thousand at a time.

    Each with the hash of its text.
    """
    of_run = counted_in(run_id)
    scored = exists().where(SCORE.sample_id == SAMPLE.id, scored_at(run_id, threshold))
    wanted = samples_of(dataset_id, COUNTED.sample_id == SAMPLE.id, *of_run)
    ids = store.numbers(wanted.where(~scored).order_by(SAMPLE.id))
    for some in chunked(ids):
        query = select(CountedRow, SAMPLE.content_hash).where(
            among(SAMPLE.id, some), COUNTED.sample_id == SAMPLE.id, *of_run
        )
        with store.reading():
            rows = {row.sample_id: (content, counted_of(row)) for row, content in store.rows(query)}
        yield rows


def load_external(store: Store, dataset_id: int) -> dict[int, dict[str, tuple[float, str]]]:
    """The external scores of a dataset: by sample and column, the value and its digits."""
    columns = EXTERNAL.sample_id, EXTERNAL.column, EXTERNAL.value, EXTERNAL.digits
    query = select(*columns).where(SAMPLE.id == EXTERNAL.sample_id, SAMPLE.dataset_id == dataset_id)
    external: dict[int, dict[str, tuple[float, str]]] = {}
    for number, column, value, digits in store.rows(query.order_by(EXTERNAL.column)):
        external.setdefault(number, {})[column] = value, digits
    return external


def forget_scores(store: Store, samples: ColumnElement[bool], *, external: bool) -> None:
    """Drop what some samples were counted to; with `external` also what files said of them."""
    with store.writing():
        for name in ("score", "counted", *(("external_score",) if external else ())):
            table = METADATA.tables[name]
            store.delete(table, table.c.sample_id.in_(select(SAMPLE.id).where(samples)))


def counted_of(row: CountedRow) -> Counted:
    """What a row says a sample was counted from."""
    near = {"linked": row.linked, "presence": row.presence}
    return Counted(
        {name: values for name, values in near.items() if values is not None},
        {name: Tally(*numbers) for name, numbers in row.tallies.items()},
    )


def scored_at(run_id: int | None, threshold: int) -> ColumnElement[bool]:
    """Whether a score is of a run under this matcher and a match threshold."""
    return and_(SCORE.run_id == run_id, SCORE.matcher == MATCHER, SCORE.threshold == threshold)


def judge_of(store: Store, dataset_id: int) -> Judge | None:
    """What a dataset's calibration says of similarities, None without one."""
    used = CALIBRATION.id == DATASET.calibration_id, DATASET.id == dataset_id
    with store.reading():
        document = store.value(select(CALIBRATION.document).where(*used))
        if document is None:
            return None
        return Judge(document["scorer"], document["threshold"], tuple(document["probabilities"]))


class Member(NamedTuple):
    """A sample of the population that figures stand for: neither held back nor come after the plan."""

    key: str
    group: str | None
    stratum: str


def population(store: Store, dataset_id: int, only: Iterable[int] | None = None) -> dict[int, Member]:
    """The samples that a dataset's estimate is for, in file order; with `only` those of some samples."""
    query = select(SAMPLE.id, SAMPLE.key, SAMPLE.group_key, SAMPLE.stratum).where(
        SAMPLE.dataset_id == dataset_id if only is None else among(SAMPLE.id, only),
        SAMPLE.rank < HOLDOUT_RANK,
    )
    return {number: Member(*row) for number, *row in store.rows(query.order_by(SAMPLE.id))}


def members(store: Store, dataset_id: int, *, strata: bool) -> dict[int, str]:
    """The same samples with their strata, or "" for each: then an index tells them and no row is read."""
    query = select(SAMPLE.id, SAMPLE.stratum if strata else literal("")).where(
        SAMPLE.dataset_id == dataset_id, SAMPLE.rank < HOLDOUT_RANK
    )
    return dict(store.rows(query.order_by(SAMPLE.rank, SAMPLE.id)))


def values(store: Store, run_id: int, threshold: int, scorer: str) -> dict[int, float | None]:
    """One scorer's exact recalls of all samples that it could count; None where it found no units."""
    query = select(SCORE.sample_id, SCORE.found, SCORE.found + SCORE.missing + SCORE.unsure).where(
        scored_at(run_id, threshold), SCORE.scorer == scorer
    )
    return {number: found / units if units else None for number, found, units in store.rows(query)}


def can_count(store: Store, run_id: int, threshold: int, scorer: str) -> bool:
    """Whether a scorer could count anything of a run."""
    counted = scored_at(run_id, threshold), SCORE.scorer == scorer
    return store.has(SCORE.sample_id, *counted)


def external_columns(store: Store, dataset_id: int) -> dict[str, datetime]:
    """The columns of numbers that came with files, by name, and when each came."""
    query = select(COLUMN.column, COLUMN.at).where(COLUMN.dataset_id == dataset_id)
    return dict(store.rows(query.order_by(COLUMN.column)))


def imported_column(store: Store, dataset_id: int, kind: Kind) -> str:
    """The column of the file that stands for a kind on every screen; "" where the file has none."""
    return column_of(external_columns(store, dataset_id), kind)


def external_digits(store: Store, dataset_id: int, column: str) -> dict[int, str]:
    """The numbers of a column as the file wrote them, such as ".1428", by sample."""
    query = select(EXTERNAL.sample_id, EXTERNAL.digits).where(
        SAMPLE.id == EXTERNAL.sample_id, SAMPLE.dataset_id == dataset_id, EXTERNAL.column == column
    )
    return dict(store.rows(query))


def external_of(store: Store, sample_ids: Sequence[int]) -> dict[int, dict[str, str]]:
    """The numbers that files gave some samples, by column, as written; each sample is there."""
    written: dict[int, dict[str, str]] = {number: {} for number in sample_ids}
    for number, column, digits in store.rows(_WRITTEN, samples=[*sample_ids]):
        written[number][column] = digits
    return written


_WRITTEN = (
    select(EXTERNAL.sample_id, EXTERNAL.column, EXTERNAL.digits)
    .where(among(EXTERNAL.sample_id, "samples"))
    .order_by(EXTERNAL.column)
)


def skipped(store: Store, dataset_id: int, kind: Kind) -> set[int]:
    """The samples that somebody skipped and nobody decided."""
    of_dataset, state = REVIEW.dataset_id == dataset_id, REVIEW[kind]
    decided = select(REVIEW.sample_id).where(of_dataset, state.in_(DECIDED))
    return store.ids(REVIEW.sample_id, of_dataset, state == "skipped", REVIEW.sample_id.not_in(decided))


def decided_by(store: Store, dataset_id: int, kind: Kind, annotator: str) -> set[int]:
    """The samples that this annotator verified or excluded."""
    own = REVIEW.dataset_id == dataset_id, REVIEW.annotator == annotator
    return store.ids(REVIEW.sample_id, *own, REVIEW[kind].in_(DECIDED))


class Settled(NamedTuple):
    """Where the numbers of a column of the file went: to an earlier run of its metric that has the same
    (`joined`), which got so many values more, or to a run of their own next to the earlier (`apart`)."""

    column: str
    run: str
    how: Literal["", "joined", "apart"] = ""
    added: int = 0


@dataclass(slots=True)
class ScoreColumns:
    """Where the columns of numbers of a file go in a dataset.

    `known` were there before, with when they came; `days` are those that an export names, on which its
    columns came. `into` says where those of the file are kept, `begun` which of these are new, `shares` which
    earlier runs of the metric have a number of the same sample, and `differs` which have another one.
    `repaired`: the file has rows that contradicted their file, so that they belong to the run that it began.
    """

    dataset_id: int
    update: bool
    known: Mapping[str, datetime]
    days: Mapping[str, datetime]
    into: dict[str, str] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    shares: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    differs: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    repaired: bool = False

    def runs(self, column: str) -> list[str]:
        """The earlier runs of the metric of a column, the newest last."""
        return runs_of(metric_of(column), self.known)

    def place(self, column: str) -> str:
        """Where the numbers of a column of the file go: next to the runs of the metric that are there.

        With `update` or `repaired` they go to the run that the column names, else to the newest.
        """
        if column not in self.into:
            metric, runs = metric_of(column), self.runs(column)
            # the first run will be named after its day
            first = _dated(metric, self.known[metric]) if metric in runs else ""
            name = column
            if runs and (self.update or self.repaired):
                name = runs[-1] if column == metric else metric if column == first else column
            elif runs:
                taken = {*self.known, *self.into.values(), first}
                day = _dated(metric, self._came(column))
                names = (day if number == 1 else f"{day}.{number}" for number in count(1))
                name = next(name for name in names if name not in taken)
            self.into[column] = name
        return self.into[column]

    def begin(self, store: Store, column: str) -> None:
        """Note the first number of a column of the file, where it is kept as a new one."""
        name = self.place(column)
        if name not in self.begun and name not in self.runs(column):
            self.begun.add(name)
            row = {"dataset_id": self.dataset_id, "column": name, "at": self._came(column)}
            store.insert(ScoreColumnRow, [row])

    def _came(self, column: str) -> datetime:
        """When the numbers of a column came first: as its export or its name says, else now."""
        with suppress(ValueError):  # no day in its name, or one that no calendar has
            named = datetime.fromisoformat(f"{day_of(column)}T12:00:00+00:00")
            return self.days.get(column, named)
        return self.days.get(column) or datetime.now(UTC)

    def settle(self, store: Store) -> list[Settled]:
        """Let numbers that agree with an earlier run of their metric join it; the others are their own run.

        The first run of a metric that has a second one is named after its day too, also where somebody said
        something of its disputes.
        """
        settled: list[Settled] = []
        began = {name: at.replace(tzinfo=UTC) for name, at in self.known.items()}
        with store.writing():
            for column, name in self.into.items():
                metric, runs = metric_of(column), self.runs(column)
                if not runs or name in runs:
                    settled.append(Settled(column, name))
                    continue
                if run := self._goes_on(store, column, runs):
                    settled.append(Settled(column, run, "joined", self._join(store, name, run)))
                    if not day_of(run):  # else its name says when it came
                        began[run] = min(self._came(column), began[run])
                        store.update(ScoreColumnRow, *self._is_column(run), at=began[run])
                else:
                    settled.append(Settled(column, name, "apart"))
                if metric in runs and (not run or len(runs) > 1):
                    first = _dated(metric, began[metric])
                    self._rename(store, metric, first)
                    settled = [each._replace(run=first) if each.run == metric else each for each in settled]
        return settled

    def _goes_on(self, store: Store, column: str, runs: Sequence[str]) -> str:
        """The run that numbers of a column go on with; "" for none, so that no judge gets those of another.

        It has no other number of a sample: the one that the file names, else the newest that has equal ones.
        First numbers of samples go to the newest run that has all samples of the others.
        """
        same = [run for run in runs if run not in self.differs[column]]
        if column in same:
            return column
        if self.shares[column]:
            return ([run for run in same if run in self.shares[column]] or same or [""])[-1]
        have = {run: store.ids(EXTERNAL.sample_id, *self._numbers(run)) for run in runs}
        every = set().union(*have.values())
        return next((run for run in reversed(runs) if have[run] == every), "")

    def _is_column(self, name: str) -> tuple[ColumnElement[bool], ...]:
        return COLUMN.dataset_id == self.dataset_id, COLUMN.column == name

    def _numbers(self, name: str) -> tuple[ColumnElement[bool], ...]:
        return EXTERNAL.column == name, EXTERNAL.sample_id.in_(samples_of(self.dataset_id))

    def _join(self, store: Store, name: str, run: str) -> int:
        """Put the numbers of a column into an earlier run; how many it did not have."""
        there = select(EXTERNAL.sample_id).where(*self._numbers(run))
        own = EXTERNAL.column == name, EXTERNAL.sample_id.in_(there)
        store.delete(ExternalScoreRow, *own)
        store.delete(ScoreColumnRow, *self._is_column(name))
        return store.update(ExternalScoreRow, *self._numbers(name), column=run)

    def _rename(self, store: Store, metric: str, first: str) -> None:
        """Name the only run of a metric after its day, also in what was said of its disputes."""
        store.update(ScoreColumnRow, *self._is_column(metric), column=first)
        between = DISPUTE.between.startswith(f"{metric}~", autoescape=True)
        disputes = between, DISPUTE.sample_id.in_(samples_of(self.dataset_id))
        rest = func.substr(DISPUTE.between, len(metric) + 1)
        store.update(DisputeRow, *disputes, between=first + rest)
        store.update(ExternalScoreRow, *self._numbers(metric), column=first)


def _dated(metric: str, at: datetime) -> str:
    """The name of a run of a metric, `x@2026-11-23`, by the day on which it came."""
    return f"{metric}@{at.replace(tzinfo=UTC).astimezone():%Y-%m-%d}"
