"""Disputes: values of a sample that differ, in the order of what settling them moves, and their states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from workbench.comparing import disputes as pure
from workbench.errors import UsageError
from workbench.model import Kind, Progress, count, silent
from workbench.scoring.names import CALIBRATED, DEFAULT_SCORER, RECOUNT, column_kind, first_scorer, kind_of
from workbench.stages.calibrate import cross_fitted
from workbench.stages.examples import seen_ids
from workbench.stages.figures import Scope, scope, weights as weights_of
from workbench.stages.people import check, may_see
from workbench.stages.queue import able_scorers, scored_by, under
from workbench.stages.recompute import counts, recompute
from workbench.stages.review import act, open_sample, opened_anew
from workbench.store import disputes as stored, plans, runs, scores
from workbench.store.datasets import DatasetInfo, blind_ids, count_samples
from workbench.store.engine import Store
from workbench.store.gold import Reviewed, reviewed, verified_by
from workbench.store.runs import RunInfo
from workbench.store.samples import questions_of_hashes
from workbench.store.scores import Member
from workbench.text.safe import whole

Recalls = Mapping[int, float]
SHOWN_BESIDE: Mapping[Kind, tuple[str, ...]] = {"entity": ("ragas",), "statement": ()}
"""The scorer that is always held against the first one: the metric that people report."""


class ColumnPair(NamedTuple):
    """Two columns of recalls that are held against each other."""

    sort: pure.Sort
    between: str
    first: Recalls
    second: Recalls


@dataclass(frozen=True)
class DisputeCase:
    """One kind of a dataset under a run, as one annotator may see it.

    `places` are the samples without the holdout, late and excluded ones. `first`: the scorer that stands for
    the kind. `closed`: blind samples that this annotator did not decide or settle: nothing of them is shown.
    `seen`: samples whose verified values may be shown. `at`: what the figures of its first scorer are about.
    """

    first: str | None
    places: Mapping[int, Member]
    reviewed: Mapping[int, Reviewed]
    heads: tuple[stored.ReviewHead, ...]
    closed: frozenset[int]
    seen: Collection[int]
    at: Scope

    @property
    def unseen(self) -> Set[int]:
        """Verified samples that this annotator may not see: no dispute of them is listed or counted."""
        return self.reviewed.keys() - self.seen - self.closed

    @property
    def gold(self) -> Recalls:
        """The verified recalls."""
        return {
            n: float(sample.tally.recall)
            for n, sample in self.reviewed.items()
            if sample.tally and sample.tally.recall is not None
        }

    def column(self, name: str | None, run: RunInfo | None) -> Recalls:
        """What a scorer counted of a run, or the numbers of a column."""
        values = scored_by(self.at.store, under(self.at.info, run), name) if name else {}
        return {n: value for n, value in values.items() if value is not None and n in self.places}

    def weights(self, name: str) -> dict[int, float]:
        """What samples weigh in the figures of a scorer or a column, where that is not the same for each."""
        planned = weights_of(replace(self.at, name=name), self.reviewed) if self.at.begun.planned_n else {}
        return {**planned, **dict.fromkeys(self.places.keys() - self.at.places.keys(), 0.0)}

    def dispute(
        self, sample_id: int, sort: pure.Sort, between: str, values: pure.Values | None, says: str, of: str
    ) -> Dispute:  # fmt: skip
        """A dispute. Two automatic values may be `hidden` until the annotator's own review (`show_auto`)."""
        hidden = sort in pure.AUTOMATIC and self.at.info.show_auto != "always" and sample_id not in self.seen
        first, second, delta, moves = (None,) * 4 if hidden or values is None else values
        key, kind = self.places[sample_id].key, self.at.kind
        return Dispute(sample_id, key, kind, sort, between, first, second, delta, moves, says, of, hidden)


def gather(
    store: Store, info: DatasetInfo, annotator: str, kind: Kind, run: RunInfo | None, *, on_screen: bool
) -> DisputeCase:
    """Everything about one kind, as this annotator may see it."""
    heads = stored.heads(store, info.id, kind)
    excluded = {head.sample_id for head in heads if head.disposition == "excluded"}
    places = {n: member for n, member in scores.population(store, info.id).items() if n not in excluded}
    known = {n: sample for n, sample in reviewed(store, info.id, kind).items() if n in places}
    blind = blind_ids(store, info) if info.blind_share else set()
    seen = may_see(store, info, annotator, kind, on_screen=on_screen)
    first = first_scorer(able_scorers(store, info), kind)
    return DisputeCase(
        first=first,
        places=places,
        reviewed=known,
        heads=tuple(head for head in heads if head.sample_id in places),
        closed=frozenset(blind - seen),
        seen=seen & known.keys(),
        at=scope(store, info, run, first or DEFAULT_SCORER[kind], kind, cross_fitted(store, info)),
    )


def _pairs(case: DisputeCase, scorers: Collection[str]) -> Iterator[ColumnPair]:
    """All pairs of columns, those with the verified values first."""
    store, info, kind, run = case.at.store, case.at.info, case.at.kind, case.at.run
    first, gold = case.first, case.gold
    automatic = case.column(first, run)
    lead = scores.imported_column(store, info.id, kind)
    mine = dict.fromkeys(name for name in (lead, *scorers) if name != first and kind_of(name) == kind)
    beside = {name: case.column(name, run) for name in (*SHOWN_BESIDE[kind], *mine) if name != first}
    if first is not None:
        yield ColumnPair("verified", f"{first}~verified", automatic, gold)
    for name in mine:
        yield ColumnPair("verified", f"{name}~verified", beside[name], gold)
    for name, column in beside.items():
        if first is not None and (name != lead or name in scorers):
            yield ColumnPair("scorers", f"{name}~{first}", column, automatic)
    others = runs.list_runs(store, info.id)
    columns = [name for name in scores.external_columns(store, info.id) if column_kind(name) == kind]
    recorded = [other for other in others if other.source == "recorded"]
    if run is not None and run.source == "recorded":
        recorded = [run]
    for traces in recorded[-1:] if columns else ():  # what is counted from traces that came with columns
        again = case.column(RECOUNT[kind], traces)
        for name in columns:
            yield ColumnPair("column", f"{name}~{RECOUNT[kind]}", case.column(name, None), again)
    if run is not None and first is not None:
        for other in others:
            if other.id != run.id:
                yield from _between_runs(case, run, other)


def _between_runs(case: DisputeCase, *both: RunInfo) -> Iterable[ColumnPair]:
    """Two runs under a scorer that could count both; named in one order whichever is the current one."""
    first, second = sorted(both, key=lambda run: run.name)
    mine, theirs = (able_scorers(case.at.store, under(case.at.info, run)) for run in both)
    between = f"run:{first.name}~run:{second.name}"
    if (scorer := first_scorer([name for name in mine if name in theirs], case.at.kind)) is not None:
        yield ColumnPair("runs", between, case.column(scorer, first), case.column(scorer, second))


class Dispute(NamedTuple):
    """One sample of which two values differ, or that a person flagged. `rank`: its place in the whole list.

    `first` and `second` are the values of the two that `between` names, `delta` their difference and `moves`
    how much settling it would move the figure; all four are None while `hidden`, and where there is none.
    `says`: the words of a flag, what each annotator counts. `was`: the state it had until a value changed.
    `fitted`: a calibration chose the scorer's threshold with this sample's gold in sight, and these values
    are not cross-fitted. `lead`: of the score that came with the file, which stand first.
    """

    sample_id: int
    id: str
    kind: Kind
    sort: pure.Sort
    between: str
    first: float | None
    second: float | None
    delta: float | None
    moves: float | None
    says: str
    stamp: str
    hidden: bool = False
    rank: int = 0
    state: pure.State = "open"
    was: pure.State = "open"
    note: str = ""
    annotator: str = ""
    at: datetime | None = None
    question: str = ""
    fitted: bool = False
    lead: bool = False
    kept: stored.Kept | None = None

    @property
    def key(self) -> stored.Key:
        """What its state is kept under."""
        return stored.Key(self.sample_id, self.kind, self.between)

    @property
    def stands(self) -> str:
        """Its state in words: what is called fixed and is still in the list differs all the same."""
        return "fixed, still differs" if self.state == "fixed" else self.state

    def with_state(self, record: stored.Kept | None) -> Dispute:
        """The same with what somebody said of it."""
        if record is None:
            return self
        state, note = pure.standing(record.state, record.note, self.stamp)
        return self._replace(
            state=state, was=record.state, note=note, annotator=record.annotator, at=record.at, kept=record
        )


@dataclass(frozen=True)
class DisputeReport:
    """The disputes of a dataset in their order. `betweens`: how many there are between whom.

    `unseen`: samples whose verified values this annotator may not see; they count in no dispute with these.
    `closed`: blind samples that this annotator did not decide or settle, `given` of them with gold of a file;
    they are left out. `calibration` is in use and saw the gold of those that are `fitted`.
    """

    dataset: str
    run: str
    threshold: int
    disputes: tuple[Dispute, ...]
    betweens: Mapping[str, int]
    unseen: Collection[int]
    closed: int
    given: int = 0
    calibration: str = ""

    def hidden(self, chosen: Iterable[Dispute]) -> Set[int]:
        """The samples of which, with the chosen disputes, something waits for this annotator's own review."""
        return {*self.unseen, *(dispute.sample_id for dispute in chosen if dispute.hidden)}

    @property
    def states(self) -> dict[pure.State, int]:
        """How many there are in each state."""
        counts = Counter(dispute.state for dispute in self.disputes)
        return {state: counts[state] for state in pure.STATES}

    def chosen(self, state: str, between: str = "") -> tuple[Dispute, ...]:
        """Those in a state ("all" for every) between some, named as `linked~verified` or by their sort.

        Raises UsageError for a name that nothing here is called.
        """
        if between and between not in pure.SORTS and between not in self.betweens:
            there = ", ".join(dict.fromkeys((*pure.SORTS, *self.betweens)))
            raise UsageError(f"nothing is between {between!r}; there is: {there}")
        return tuple(
            dispute
            for dispute in self.disputes
            if state in ("all", dispute.state) and between in ("", dispute.between, dispute.sort)
        )


def disputes(
    store: Store, info: DatasetInfo, annotator: str, *, between: str = "", on_screen: bool = False,
    progress: Progress = silent,
) -> DisputeReport:  # fmt: skip
    """What disagrees under a run and those it is held against, as this annotator may see it.

    `may_see` says which verified values show. The scorers and columns that `between` names are held against
    the others too. Raises UsageError for an unknown scorer.
    """
    columns = scores.external_columns(store, info.id)
    scorers = [counts(name, columns)[0] for name in sorted(pure.named([between])) if kind_of(name)]
    run = runs.current_run(store, info)
    for each in runs.list_runs(store, info.id) if run else ():
        recompute(store, under(info, each), progress)
    with store.snapshot():
        disagreements: list[Dispute] = []
        betweens: Counter[str] = Counter()
        unseen: set[int] = set()
        closed: set[int] = set()
        given: set[int] = set()
        for kind in info.kinds:
            case = gather(store, info, annotator, kind, run, on_screen=on_screen)
            unseen |= case.unseen
            closed |= case.closed & case.places.keys()
            given |= {n for n, sample in case.reviewed.items() if sample.origin == "imported"} & case.closed
            for pair in _pairs(case, scorers):
                betweens[pair.between] = 0
                disagreements += _of_pair(case, pair)
            disagreements += _annotators(case)
            disagreements += _flags(case, annotator) if kind == info.kinds[0] else ()
        ranked = _ranked(store, info, disagreements)
    betweens.update(dispute.between for dispute in ranked)
    return DisputeReport(
        dataset=info.name,
        run=info.run,
        threshold=info.threshold,
        disputes=ranked,
        betweens=dict(betweens),
        unseen=unseen,
        closed=len(closed),
        given=len(given),
        calibration=info.calibration,
    )


def _ranked(store: Store, info: DatasetInfo, disagreements: Sequence[Dispute]) -> tuple[Dispute, ...]:
    """The disputes in order with their ranks, their states and what else is known of their samples."""
    order = plans.in_order(store, info.id, count_samples(store, info.id))
    turns = {number: turn for turn, number in enumerate(order)}
    leads = {f"{scores.imported_column(store, info.id, kind)}~verified" for kind in info.kinds}
    states = stored.states(store, info.id)
    seen = seen_ids(store, info)
    questions = questions_of_hashes(store, info.id)

    def key(dispute: Dispute) -> tuple[object, ...]:
        turn = turns[dispute.sample_id] if dispute.hidden else None
        by_effect = pure.place(dispute.moves, dispute.id, dispute.between, turn)
        return dispute.hidden, dispute.between not in leads, by_effect

    return tuple(
        dispute._replace(
            lead=dispute.between in leads,
            rank=rank,
            question=questions.get(dispute.sample_id, ""),
            fitted=dispute.sort == "verified"
            and dispute.id in seen
            and not {*CALIBRATED}.isdisjoint(dispute.between.split("~")),
        ).with_state(states.get(dispute.key))
        for rank, dispute in enumerate(sorted(disagreements, key=key), start=1)
    )


def _of_pair(case: DisputeCase, pair: ColumnPair) -> Iterator[Dispute]:
    """The samples on which two columns differ; what this annotator may not know of is left out."""
    weighted = case.weights(pair.between.removesuffix("~verified")) if pair.sort == "verified" else None
    left_out = case.closed if pair.sort in pure.AUTOMATIC else case.closed | case.unseen
    for number, values in pure.apart(pair.first, pair.second, weighted).items():
        if number not in left_out:
            yield case.dispute(number, pair.sort, pair.between, values, "", pure.stamp(*values[:2]))


def _annotators(case: DisputeCase) -> Iterator[Dispute]:
    """The samples whose annotators verified different things, by what each of them counts."""
    open_ones = [n for n, sample in case.reviewed.items() if sample.origin == "unresolved" and n in case.seen]
    weights = case.weights(case.at.name) if open_ones else {}
    for number, reviews in verified_by(case.at.store, open_ones, case.at.kind).items():
        tallies = [(review.annotator, count(review.assessment.units)) for review in reviews]
        recalls = sorted(float(tally.recall) for _, tally in tallies if tally.recall is not None)
        values = None
        if len(recalls) > 1:
            values = pure.held_apart(recalls[0], recalls[-1], weights.get(number, 1 / len(case.reviewed)))
        of = pure.worded(", ".join(f"{tally.found}/{tally.units}" for _, tally in tallies))
        says = ", ".join(f"{name} {tally.found}/{tally.units}" for name, tally in tallies)
        yield case.dispute(number, "annotators", "annotators", values, says, of)


def _flags(case: DisputeCase, annotator: str) -> Iterator[Dispute]:
    """Flagged samples: one's own flags, and those of others once the values of the sample may be shown.

    They stand where the difference of the value that leads and the verified one puts them.
    """
    flagged: dict[int, list[stored.ReviewHead]] = {}
    for head in case.heads:
        if head.flag:
            flagged.setdefault(head.sample_id, []).append(head)
    at = case.at
    lead = scores.imported_column(at.store, at.info.id, at.kind) or case.first
    automatic, gold = case.column(lead, at.run), case.gold
    both = len(automatic.keys() & gold.keys())
    weights = case.weights(lead or case.at.name) if flagged else {}
    for number, heads in flagged.items():
        known = number in case.seen and number not in case.closed
        shown = [head for head in heads if head.annotator == annotator or known]
        if not shown:
            continue
        values = None
        if known and number in automatic and number in gold:
            values = pure.held_apart(automatic[number], gold[number], weights.get(number, 1 / both))
        says = "; ".join(f"{head.annotator}: {head.flag}" for head in shown)
        of = pure.worded("; ".join(head.flag for head in heads))  # the same whoever looks
        yield case.dispute(number, "flag", "flag", values, says, of)


def set_state(store: Store, dispute: Dispute, state: pure.State, note: str, annotator: str) -> Dispute:
    """Say where a dispute stands; returns it as it is now.

    Raises ConflictError when somebody said something of it since it was read, StoreError.
    """
    record = stored.Kept(state, pure.stamped(whole(note), dispute.stamp), annotator, datetime.now(UTC))
    put_back(store, dispute, dispute._replace(kept=record), annotator)
    return dispute.with_state(record)


def put_back(store: Store, dispute: Dispute, before: Dispute, annotator: str) -> None:
    """Keep the state that a dispute had `before`: as it was said, of what and by whom. As `set_state`."""
    check(store, annotator, "settle disagreements")
    stored.save_state(store, dispute.key, before.kept, expected=dispute.kept)


def audit(store: Store, sample_id: int, annotator: str) -> None:
    """Begin a review in which the automatic values show before it is decided; its journal says so.

    A review that was begun without them says so from here on; one that is blind stays so. Raises
    ConflictError when another window was first, UsageError for who may not review any more.
    """
    check(store, annotator, "review")
    opened = open_sample(store, sample_id, annotator, off_plan=True)
    if not (opened.blind or opened.opening.auto_shown):
        act(store, opened_anew(opened, replace(opened.opening, auto_shown=True)))
