"""Disputes: values of a sample that differ, in the order of what settling them moves, and their states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import NamedTuple

from workbench.comparing.disputes import (
    AUTOMATIC,
    SORTS,
    STATES,
    Sort,
    State,
    apart,
    named,
    place,
    stamp,
    stamped,
    standing,
    worded,
)
from workbench.errors import NotFoundError, UsageError
from workbench.model import Kind
from workbench.scoring.names import CALIBRATED, RECOUNT, column_kind, first_scorer, kind_of
from workbench.stages import Progress, silent
from workbench.stages.examples import seen_by, seen_ids
from workbench.stages.people import check
from workbench.stages.plan import prefix
from workbench.stages.queue import able_scorers, counts, imported_column, scored_by
from workbench.stages.recompute import recompute
from workbench.stages.review import act_on, open_sample
from workbench.store import disputes as stored
from workbench.store import journal, plans, runs, scores
from workbench.store.datasets import DatasetInfo, count_samples
from workbench.store.engine import Store
from workbench.store.gold import Reviewed, reviewed
from workbench.store.queue import shown_ids
from workbench.store.runs import RunInfo
from workbench.store.samples import questions_of_hashes, sample_ids
from workbench.store.scores import Member
from workbench.text.safe import HASH, HASHED, whole

Recalls = Mapping[int, float]
SHOWN_BESIDE: Mapping[Kind, tuple[str, ...]] = {"entity": ("ragas",), "statement": ()}
"""The scorer that is always held against the first one: the metric that people report."""


class KindOfRun(NamedTuple):
    """What is compared: one kind of a dataset under a run, in the samples that count."""

    store: Store
    info: DatasetInfo
    kind: Kind
    run: RunInfo | None
    places: Mapping[int, Member]

    def column(self, name: str, run: RunInfo | None) -> dict[int, float]:
        """What a scorer counted of a run, or the numbers of a column."""
        values = scored_by(self.store, self.info, run.id if run else None, name)
        return {n: value for n, value in values.items() if value is not None and n in self.places}


class ColumnPair(NamedTuple):
    """Two columns of recalls that are held against each other. `figure`: they stand in the estimate."""

    sort: Sort
    between: str
    first: Recalls
    second: Recalls
    figure: bool = False


@dataclass(frozen=True, slots=True)
class DisputeCase:
    """One kind of a dataset. `places` are its samples without the holdout, late and excluded ones.

    `gold` are verified recalls. `closed`: blind samples that this annotator did not decide: nothing of them
    is shown. `seen`: samples whose values may be shown; `after`: two automatic ones too in these only.
    `weights` in the estimate, `otherwise` of every other sample; both None without a plan.
    """

    kind: Kind
    places: Mapping[int, Member]
    reviewed: Mapping[int, Reviewed]
    gold: Recalls
    closed: frozenset[int]
    seen: Collection[int]
    after: bool
    heads: tuple[stored.ReviewHead, ...]
    automatic: Recalls
    weights: Mapping[int, float] | None
    otherwise: float | None
    pairs: tuple[ColumnPair, ...]

    def hides(self, sample_id: int, sort: Sort) -> bool:
        """Whether the values of a dispute are hidden; two automatic ones may always show (`show_auto`)."""
        return sample_id not in self.seen and (self.after or sort not in AUTOMATIC)

    def weight(self, sample_id: int, n: int) -> float:
        """What a sample weighs in a figure of `n` samples."""
        return (self.weights or {}).get(sample_id, 1 / n if self.otherwise is None else self.otherwise)


def gather(
    store: Store, info: DatasetInfo, annotator: str, kind: Kind, run: RunInfo | None,
    scorers: Sequence[str], *, on_screen: bool = False,
) -> DisputeCase:  # fmt: skip
    """Everything about one kind, as this annotator may see it."""
    heads = stored.heads(store, info.id, kind)
    excluded = {head.sample_id for head in heads if head.disposition == "excluded"}
    places = {n: member for n, member in scores.population(store, info.id).items() if n not in excluded}
    known = {n: sample for n, sample in reviewed(store, info.id, kind).items() if n in places}
    mine = {
        head.sample_id for head in heads if head.annotator == annotator and head.disposition == "verified"
    }
    blind = stored.blind_ids(store, info) if info.blind_share else set()
    seen: Collection[int] = known.keys()
    if on_screen:  # what people differ in shows to those who decided it
        differ = {n for n, sample in known.items() if sample.origin == "unresolved"}
        seen = shown_ids(store, info, annotator, kind) - (differ - mine)
    gold = {
        n: float(sample.tally.recall)
        for n, sample in known.items()
        if sample.tally and sample.tally.recall is not None
    }
    first = first_scorer(able_scorers(store, run.id if run else None, info.threshold), kind)
    at = KindOfRun(store, info, kind, run, places)
    automatic = at.column(first, run) if first else {}
    weights, otherwise = _weights(at)
    return DisputeCase(
        kind=kind,
        places=places,
        reviewed=known,
        gold=gold,
        closed=frozenset(blind - mine),
        seen=seen,
        after=info.show_auto != "always",
        heads=tuple(head for head in heads if head.sample_id in places),
        automatic=automatic,
        weights=weights,
        otherwise=otherwise,
        pairs=tuple(_pairs(at, first, automatic, gold, scorers)),
    )


def _pairs(
    at: KindOfRun, first: str | None, automatic: Recalls, gold: Recalls, scorers: Sequence[str]
) -> Iterable[ColumnPair]:
    """All pairs of columns, those with the verified values first."""
    lead = imported_column(at.store, at.info, at.kind)
    asked = dict.fromkeys((lead, *scorers) if lead else scorers)
    mine = [name for name in asked if kind_of(name) == at.kind]
    beside = {name: at.column(name, at.run) for name in (*SHOWN_BESIDE[at.kind], *mine)}
    if first is not None:
        yield ColumnPair("verified", f"{first}~verified", automatic, gold, figure=True)
    for name in mine:
        if name != first:
            yield ColumnPair("verified", f"{name}~verified", beside[name], gold, figure=True)
    for name, column in beside.items():
        if first is not None and name != first and (name != lead or name in scorers):
            yield ColumnPair("scorers", f"{name}~{first}", column, automatic)
    yield from _traced(at)
    if at.run is None or first is None:
        return
    for other in runs.list_runs(at.store, at.info.id):
        if other.id != at.run.id:
            yield from _between_runs(at, (at.run, other))


def _traced(at: KindOfRun) -> Iterable[ColumnPair]:
    """Columns of the file beside what is counted from the traces that came with it."""
    columns = scores.external_columns(at.store, at.info.id)
    names = [name for name in columns if column_kind(name) == at.kind]
    if not names:
        return
    recorded = [run for run in runs.list_runs(at.store, at.info.id) if run.source == "recorded"]
    if at.run is not None and at.run.source == "recorded":
        recorded = [at.run]
    for traces in recorded[-1:]:
        again = at.column(RECOUNT[at.kind], traces)
        for name in names:
            yield ColumnPair("column", f"{name}~{RECOUNT[at.kind]}", at.column(name, None), again)


def _between_runs(at: KindOfRun, both: tuple[RunInfo, RunInfo]) -> Iterable[ColumnPair]:
    """Two runs under a scorer that could count both; named in one order whichever is the current one."""
    info, other = sorted(both, key=lambda run: run.name)
    mine, theirs = (able_scorers(at.store, run.id, at.info.threshold) for run in both)
    name = first_scorer([name for name in mine if name in theirs], at.kind)
    if name is not None:
        between = f"run:{info.name}~run:{other.name}"
        yield ColumnPair("runs", between, at.column(name, info), at.column(name, other))


def _weights(at: KindOfRun) -> tuple[Mapping[int, float] | None, float | None]:
    """What a sample weighs in the estimate: 1 / (N π) in the prefix of a plan, 1 / N beyond it.

    What the run was shown as an example stands in no figure of it, so it weighs nothing.
    """
    seen = seen_by(at.store, at.info, at.run).related
    weights = {number: 0.0 for number, member in at.places.items() if member.key in seen} if seen else {}
    if plans.plan_of(at.store, at.info.id) is None:
        return weights or None, None
    begun = prefix(at.store, at.info, at.kind)
    chances = {row.sample_id: 1 / (begun.population * row.pi) for row in begun.rows}
    return chances | weights, 1 / begun.population if begun.population else 0.0


class Dispute(NamedTuple):
    """One sample of which two values differ, or that a person flagged. `rank`: its place in the whole list.

    `first` and `second` are the values of the two that `between` names, `delta` their difference and `moves`
    how much settling it would move the figure; all four are None while `hidden`, and where there is none.
    `says`: the words of a flag, what each annotator counts. `was`: the state it had until a value changed.
    `fitted`: a calibration chose the scorer's threshold with this sample's gold in sight, and these values
    are not cross-fitted.
    """

    sample_id: int
    id: str
    kind: Kind
    sort: Sort
    between: str
    first: float | None
    second: float | None
    delta: float | None
    moves: float | None
    says: str
    stamp: str
    hidden: bool = False
    rank: int = 0
    state: State = "open"
    was: State = "open"
    note: str = ""
    annotator: str = ""
    at: datetime | None = None
    question: str = ""
    fitted: bool = False
    kept: stored.Kept | None = None

    @property
    def key(self) -> stored.Key:
        """What its state is kept under."""
        return stored.Key(self.sample_id, self.kind, self.between)

    @property
    def stands(self) -> str:
        """Its state in words: what is called fixed and is still in the list differs all the same."""
        return "fixed, still differs" if self.state == "fixed" else self.state

    def shown(self, case: DisputeCase) -> Dispute:
        """The same, without its values and the words that have them where the annotator may not see them."""
        if not case.hides(self.sample_id, self.sort):
            return self
        return self._replace(first=None, second=None, delta=None, moves=None, says="", hidden=True)

    def with_state(self, record: stored.Kept | None) -> Dispute:
        """The same with what somebody said of it."""
        if record is None:
            return self
        state, note = standing(record.state, record.note, self.stamp)
        return self._replace(
            state=state, was=record.state, note=note, annotator=record.annotator, at=record.at, kept=record
        )


@dataclass(frozen=True, slots=True)
class DisputeReport:
    """The disputes of a dataset in their order. `betweens`: how many there are between whom.

    `closed`: blind samples that this annotator did not decide, `given` of them with gold of a file; they are
    left out. `calibration` is in use and saw the gold of those that are `fitted`.
    """

    dataset: str
    run: str
    threshold: int
    disputes: tuple[Dispute, ...]
    betweens: Mapping[str, int]
    closed: int
    given: int = 0
    calibration: str = ""

    @property
    def states(self) -> dict[State, int]:
        """How many there are in each state."""
        counts = Counter(dispute.state for dispute in self.disputes)
        return {state: counts[state] for state in STATES}

    def chosen(self, state: str, between: str = "") -> tuple[Dispute, ...]:
        """Those in a state ("all" for every) between some, named as `linked~verified` or by their sort."""
        return tuple(
            dispute
            for dispute in self.disputes
            if state in ("all", dispute.state) and between in ("", dispute.between, dispute.sort)
        )


def disputes(
    store: Store, info: DatasetInfo, annotator: str, *, scorers: Sequence[str] = (), between: str = "",
    run: str | None = None, on_screen: bool = False, progress: Progress = silent,
) -> DisputeReport:  # fmt: skip
    """What disagrees under a run and those it is held against, as this annotator may see it.

    A report shows values of every sample that anybody decided; `on_screen` they show where those of the queue
    do. The scorers and columns that `between` names are asked for too. Raises UsageError for an unknown
    scorer, NotFoundError for an unknown run.
    """
    asked = dict.fromkeys((*scorers, *(name for name in sorted(named([between])) if kind_of(name))))
    columns = scores.external_columns(store, info.id)
    scorers = [counts(name, columns)[0] for name in asked]
    chosen = runs.chosen_run(store, info, run)
    for run_info in runs.list_runs(store, info.id) if chosen else ():
        recompute(store, info, run_info.id, info.threshold, progress)
    with store.snapshot():
        disagreements: list[Dispute] = []
        betweens: Counter[str] = Counter()
        closed: set[int] = set()
        given: set[int] = set()
        for kind in info.kinds:
            case = gather(store, info, annotator, kind, chosen, scorers, on_screen=on_screen)
            betweens.update({pair.between: 0 for pair in case.pairs})
            closed |= case.closed & case.places.keys()
            given |= {n for n, sample in case.reviewed.items() if sample.origin == "imported"} & case.closed
            disagreements += _of_pairs(case)
            disagreements += _annotators(store, case)
            disagreements += _flags(case, annotator) if kind == info.kinds[0] else ()
        ranked = _ranked(store, info, disagreements)
    betweens.update(dispute.between for dispute in ranked)
    return DisputeReport(
        dataset=info.name,
        run=chosen.name if chosen else "",
        threshold=info.threshold,
        disputes=ranked,
        betweens=dict(betweens),
        closed=len(closed),
        given=len(given),
        calibration=info.calibration,
    )


def _ranked(store: Store, info: DatasetInfo, disagreements: Sequence[Dispute]) -> tuple[Dispute, ...]:
    """The disputes in order with their ranks, their states and what else is known of their samples."""
    order = plans.in_order(store, info.id, count_samples(store, info.id))
    turns = {number: turn for turn, number in enumerate(order)}
    leads = {f"{lead}~verified" for kind in info.kinds if (lead := imported_column(store, info, kind))}
    states = stored.states(store, info.id)
    seen = seen_ids(store, info)
    questions = questions_of_hashes(store, info.id)

    def key(dispute: Dispute) -> tuple[object, ...]:
        turn = turns[dispute.sample_id] if dispute.hidden else None
        return (
            dispute.hidden,
            dispute.between not in leads,
            place(dispute.moves, dispute.id, dispute.between, turn),
        )

    return tuple(
        dispute._replace(
            rank=rank,
            question=questions.get(dispute.sample_id, ""),
            fitted=dispute.sort == "verified"
            and dispute.id in seen
            and not {*CALIBRATED}.isdisjoint(dispute.between.split("~")),
        ).with_state(states.get(dispute.key))
        for rank, dispute in enumerate(sorted(disagreements, key=key), start=1)
    )


def _of_pairs(case: DisputeCase) -> Iterator[Dispute]:
    """The samples on which two columns differ; those that this annotator must decide blind are left out."""
    for sort, between, ours, theirs, figure in case.pairs:
        weighted = (case.weights, case.otherwise) if figure else (None, None)
        for number, first, second, delta, moves in apart(ours, theirs, *weighted):
            if number not in case.closed:
                dispute = Dispute(
                    number, case.places[number].key, case.kind, sort, between, first, second, delta, moves,
                    "", stamp(first, second),
                )  # fmt: skip
                yield dispute.shown(case)


def _annotators(store: Store, case: DisputeCase) -> Iterator[Dispute]:
    """The samples whose annotators verified different things, by what each of them counts."""
    open_ones = [
        n for n, sample in case.reviewed.items() if sample.origin == "unresolved" and n not in case.closed
    ]
    for number, tallies in stored.said_of(store, open_ones, case.kind).items():
        values = sorted(tally.recall for tally in tallies if tally.recall is not None)
        low, high = (values[0], values[-1]) if len(values) > 1 else (None, None)
        delta = None if low is None or high is None else low - high
        moves = None if delta is None else abs(delta) * case.weight(number, len(case.reviewed))
        counts = ", ".join(f"{tally.found}/{tally.units}" for tally in tallies)
        says = ", ".join(f"{tally.annotator} {tally.found}/{tally.units}" for tally in tallies)
        dispute = Dispute(
            number, case.places[number].key, case.kind, "annotators", "annotators", low, high, delta, moves,
            says, worded(counts),
        )  # fmt: skip
        yield dispute.shown(case)


def _flags(case: DisputeCase, annotator: str) -> Iterator[Dispute]:
    """Flagged samples: one's own flags, and those of others once the values of the sample may be shown.

    They stand where the difference of the automatic and the verified value puts them.
    """
    flagged: dict[int, list[stored.ReviewHead]] = {}
    for head in case.heads:
        if head.flag:
            flagged.setdefault(head.sample_id, []).append(head)
    both = len(case.automatic.keys() & case.gold.keys())
    for number, heads in flagged.items():
        known = number in case.seen and number not in case.closed
        shown = [head for head in heads if head.annotator == annotator or known]
        if not shown:
            continue
        ours, theirs = case.automatic.get(number), case.gold.get(number)
        delta = None if ours is None or theirs is None else ours - theirs
        if delta is None or not known:
            ours = theirs = delta = None
        moves = None if delta is None else abs(delta) * case.weight(number, both)
        says = "; ".join(f"{head.annotator}: {head.flag}" for head in shown)
        of = worded("; ".join(head.flag for head in heads))  # the same whoever looks
        key = case.places[number].key
        yield Dispute(number, key, case.kind, "flag", "flag", ours, theirs, delta, moves, says, of)


def set_state(store: Store, dispute: Dispute, state: State, note: str, annotator: str) -> Dispute:
    """Say where a dispute stands; returns it as it is now.

    Raises ConflictError when somebody said something of it since it was read, StoreError.
    """
    check(store, annotator, "settle disagreements")
    record = stored.Kept(state, stamped(whole(note), dispute.stamp), annotator, datetime.now(UTC))
    stored.save_state(store, dispute.key, record, expected=dispute.kept)
    return dispute.with_state(record)


def put_back(store: Store, dispute: Dispute, before: Dispute, annotator: str) -> None:
    """Keep the state that a dispute had `before`: as it was said, of what and by whom. As `set_state`."""
    check(store, annotator, "settle disagreements")
    stored.save_state(store, dispute.key, before.kept, expected=dispute.kept)


def the_sample(store: Store, info: DatasetInfo, sample: str) -> str:
    """The id of a sample that is given whole or, where it is long, by a beginning that only one has.

    Raises NotFoundError for an id that no sample has; it names those most like it.
    """
    known = sample_ids(store, info.id)
    if sample in known:
        return sample
    long = (key for key in known if len(sample) >= HASH and len(key) >= HASHED)
    begin = [key for key in long if key.startswith(sample)]
    if len(begin) == 1:
        return begin[0]
    near = " or ".join(map(repr, get_close_matches(sample, known, n=2)))
    hint = f"did you mean {near}?" if near else "workbench disputes --state all lists the ids"
    raise NotFoundError(f"{info.name} has no sample {sample!r}; {hint}")


def find(report: DisputeReport, sample: str, between: str, kind: Kind | None = None) -> Dispute:
    """The dispute of a sample between some. Raises NotFoundError that lists what the sample has."""
    of_sample = [dispute for dispute in report.disputes if dispute.id == sample]
    matches = [
        dispute for dispute in of_sample if dispute.between == between and kind in (None, dispute.kind)
    ]
    if len(matches) > 1:
        raise UsageError(
            f"{between} is in dispute in {' and '.join(dispute.kind for dispute in matches)}: give --kind"
        )
    if matches:
        return matches[0]
    if not of_sample:
        raise NotFoundError(f"nothing of sample {sample!r} is in dispute")
    there = ", ".join(dict.fromkeys(dispute.between for dispute in of_sample))
    raise NotFoundError(f"no dispute {between!r} of sample {sample!r}; there is: {there}")


def check_between(report: DisputeReport, between: str) -> None:
    """Raises UsageError for a name that nothing here is called."""
    if between and between not in SORTS and between not in report.betweens:
        there = ", ".join((*SORTS, *report.betweens))
        raise UsageError(f"nothing is between {between!r}; there is: {there}")


def audit(store: Store, sample_id: int, annotator: str) -> None:
    """Begin a review in which the automatic values show before it is decided; its journal says so.

    A review that was begun without them says so from here on; one that is blind stays so. Raises
    ConflictError when another window was first, UsageError for who may not review any more.
    """
    check(store, annotator, "review")
    opened = open_sample(store, sample_id, annotator, off_plan=True)
    if opened.blind or opened.opening.auto_shown:
        return
    shown = replace(opened.opening, auto_shown=True)
    if opened.state.seq < 0:
        journal.record(store, [act_on(replace(opened, opening=shown))], annotator)
        return
    again = replace(opened.reopening or replace(shown, assessments=()), auto_shown=True)
    journal.record(store, [act_on(replace(opened, reopening=again))], annotator)
