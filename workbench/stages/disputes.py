"""Disputes: values of a sample that differ, in the order of what settling them moves, and their states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from functools import partial
from typing import NamedTuple

from workbench.comparing.disputes import (
    AUTOMATIC,
    HIDDEN,
    SORTS,
    STATES,
    Apart,
    DisputePlace,
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
from workbench.matching import MATCHER
from workbench.model import Kind
from workbench.scoring.names import CALIBRATED, RECOUNT, SCORERS, column_kind, first_scorer, kind_of
from workbench.stages.examples import seen_by, seen_ids
from workbench.stages.plan import prefix
from workbench.stages.progress import Progress, silent
from workbench.stages.queue import able_scorers, check_scorer, imported_column
from workbench.stages.recompute import recompute
from workbench.stages.review import act_on, open_sample
from workbench.store import disputes as stored
from workbench.store import journal, plans, runs, scores
from workbench.store.datasets import DatasetInfo, count_samples
from workbench.store.disputes import Head, Kept, Key
from workbench.store.engine import Store
from workbench.store.plans import in_order
from workbench.store.reviewed import Reviewed, reviewed
from workbench.store.runs import RunInfo, chosen_run, list_runs
from workbench.store.samples import questions_of_hashes, sample_ids
from workbench.store.scores import Member
from workbench.text.safe import HASH, is_hash

__all__ = ["SORTS", "STATES", "Dispute", "Report", "State"]

Recalls = Mapping[int, float]
SHOWN_BESIDE: Mapping[Kind, tuple[str, ...]] = {"entity": ("ragas",), "statement": ()}
"""The scorer that is always held against the first one: the metric that people report."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two columns of recalls that are held against each other. `figure`: they stand in the estimate."""

    sort: Sort
    between: str
    first: Recalls
    second: Recalls
    figure: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of a dataset. `places` are its samples without the holdout, late and excluded ones.

    `gold` are verified recalls, `unresolved` samples whose annotators differ. `closed`: blind samples that
    this annotator did not decide: nothing of them is shown. `everyone`: it is for a report, which shows what
    anybody decided; a screen shows what this annotator did. `after`: automatic values show after a decision
    only. `mine`: this annotator's disposition by sample. `weights` in the estimate, `otherwise` of
    every other sample; both None without a plan. `lead` is the column of the file that reports are about.
    """

    kind: Kind
    places: Mapping[int, Member]
    reviewed: Mapping[int, Reviewed]
    gold: Recalls
    unresolved: tuple[int, ...]
    closed: frozenset[int]
    everyone: bool
    after: bool
    mine: Mapping[int, str]
    heads: tuple[Head, ...]
    automatic: Recalls
    weights: Mapping[int, float] | None
    otherwise: float | None
    pairs: tuple[Pair, ...]
    lead: str = ""

    def hides(self, sample_id: int, sort: Sort) -> bool:
        """Whether the values of a dispute are hidden: this annotator is yet to decide its sample."""
        if self.sees(sample_id):
            return False
        if sort in AUTOMATIC:
            return self.after and not (self.everyone and sample_id in self.reviewed)
        return not self.everyone

    def sees(self, sample_id: int) -> bool:
        """Whether there is a verified side that this annotator may see beside the automatic one."""
        mine = self.mine.get(sample_id, "todo")
        known = self.reviewed.get(sample_id)
        given = known is not None and known.origin in ("imported", "adjudicated")
        return mine == "verified" or (mine == "todo" and given)


def gather(
    store: Store, info: DatasetInfo, annotator: str, kind: Kind, run: RunInfo | None,
    scorers: Sequence[str], *, everyone: bool,
) -> Case:  # fmt: skip
    """Everything about one kind, as this annotator may see it."""
    heads = stored.heads(store, info.id, kind)
    excluded = {one.sample_id for one in heads if one.disposition == "excluded"}
    places = {n: place for n, place in scores.population(store, info.id).items() if n not in excluded}
    known = {n: one for n, one in reviewed(store, info.id, kind).items() if n in places}
    mine = {one.sample_id: one.disposition for one in heads if one.annotator == annotator}
    blind = stored.blind_ids(store, info) if info.blind_share else set()
    gold = {
        n: float(one.tally.recall) for n, one in known.items() if one.tally and one.tally.recall is not None
    }
    first = _first(store, info, run, kind)
    automatic = _column(store, info, run, first, places) if first else {}
    lead = imported_column(store, info, kind)
    weights, otherwise = _weights(store, info, run, kind, places)
    return Case(
        kind=kind,
        places=places,
        reviewed=known,
        gold=gold,
        unresolved=tuple(n for n, one in known.items() if one.origin == "unresolved"),
        closed=frozenset(n for n in blind if mine.get(n) != "verified"),
        everyone=everyone,
        after=info.show_auto != "always",
        mine=mine,
        heads=tuple(one for one in heads if one.sample_id in places),
        automatic=automatic,
        weights=weights,
        otherwise=otherwise,
        pairs=tuple(_pairs(store, info, kind, run, first, automatic, gold, scorers, places, lead)),
        lead=lead,
    )


def _first(store: Store, info: DatasetInfo, run: RunInfo | None, kind: Kind) -> str | None:
    """The scorer that is called automatic: the first that could count this run."""
    return first_scorer(able_scorers(store, run.id if run else None, info.threshold), kind)


def _column(
    store: Store, info: DatasetInfo, run: RunInfo | None, name: str, places: Mapping[int, Member]
) -> dict[int, float]:
    if name not in SCORERS:
        found: Mapping[int, float | None] = dict(scores.external_values(store, info.id, name))
    elif run is None:
        return {}
    else:
        found = scores.values(store, run.id, MATCHER, info.threshold, name)
    return {number: value for number, value in found.items() if value is not None and number in places}


def _pairs(
    store: Store, info: DatasetInfo, kind: Kind, run: RunInfo | None, first: str | None,
    automatic: Recalls, gold: Recalls, scorers: Sequence[str], places: Mapping[int, Member],
    lead: str,
) -> Iterable[Pair]:  # fmt: skip
    """All pairs of columns, those with the verified values first."""
    asked = dict.fromkeys((lead, *scorers) if lead else scorers)
    mine = [name for name in asked if kind_of(name) == kind]
    beside = {name: _column(store, info, run, name, places) for name in (*SHOWN_BESIDE[kind], *mine)}
    if first is not None:
        yield Pair("verified", f"{first}~verified", automatic, gold, figure=True)
    for name in mine:
        if name != first:
            yield Pair("verified", f"{name}~verified", beside[name], gold, figure=True)
    for name, column in beside.items():
        if first is not None and name != first and (name != lead or name in scorers):
            yield Pair("scorers", f"{name}~{first}", column, automatic)
    yield from _traced(store, info, kind, run, places)
    if run is None or first is None:
        return
    for other in runs.list_runs(store, info.id):
        if other.id != run.id:
            yield from _between_runs(store, info, (run, other), first, places)


def _traced(
    store: Store, info: DatasetInfo, kind: Kind, run: RunInfo | None, places: Mapping[int, Member]
) -> Iterable[Pair]:
    """Columns of the file beside what is counted from the traces that came with it."""
    names = [name for name in scores.external_columns(store, info.id) if column_kind(name) == kind]
    if not names:
        return
    recorded = [one for one in runs.list_runs(store, info.id) if one.source == "recorded"]
    if run is not None and run.source == "recorded":
        recorded = [run]
    for traces in recorded[-1:]:
        again = _column(store, info, traces, RECOUNT[kind], places)
        for name in names:
            column = _column(store, info, None, name, places)
            yield Pair("column", f"{name}~{RECOUNT[kind]}", column, again)


def _between_runs(
    store: Store, info: DatasetInfo, both: tuple[RunInfo, RunInfo], first: str, places: Mapping[int, Member]
) -> Iterable[Pair]:
    """Two runs under a scorer that could count both; named in one order whichever is the current one."""
    kind = SCORERS[first]
    one, other = sorted(both, key=lambda run: run.name)
    mine, theirs = (able_scorers(store, run.id, info.threshold) for run in both)
    name = first_scorer([name for name in mine if name in theirs], kind)
    if name is not None:
        first_run, second_run = (_column(store, info, run, name, places) for run in (one, other))
        yield Pair("runs", f"run:{one.name}~run:{other.name}", first_run, second_run)


def _weights(
    store: Store, info: DatasetInfo, run: RunInfo | None, kind: Kind, places: Mapping[int, Member]
) -> tuple[Mapping[int, float] | None, float | None]:
    """What a sample weighs in the estimate: 1 / (N π) in the prefix of a plan, 1 / N beyond it.

    What the run was shown as an example stands in no figure of it, so it weighs nothing.
    """
    seen = seen_by(store, info, run).related
    weights = {number: 0.0 for number, place in places.items() if place.key in seen} if seen else {}
    if plans.plan_of(store, info.id) is None:
        return weights or None, None
    begun = prefix(store, info, kind)
    chances = {row.sample_id: 1 / (begun.population * row.pi) for row in begun.rows}
    return chances | weights, 1 / begun.population if begun.population else 0.0


class Dispute(NamedTuple):
    """One sample of which two values differ, or that a person flagged. `rank`: its place in the whole list.

    `first` and `second` are the values of the two that `between` names, `delta` their difference and `moves`
    how much settling it would move the figure; all four are None while `hidden`, and where there is none.
    `says`: the words of a flag, what each annotator counts. `was`: the state it had until a value changed.
    `explained_by`: both sides can be set beside each other; without it the sample is opened to be audited.
    `kept`: what was said of it as it is kept, None for nothing. `fitted`: a calibration chose the scorer's
    threshold with this sample's gold in sight, and these values are not cross-fitted.
    """

    rank: int
    sample_id: int
    id: str
    kind: Kind
    sort: Sort
    between: str
    first: float | None
    second: float | None
    delta: float | None
    moves: float | None
    hidden: bool
    says: str
    state: State
    was: State
    note: str
    annotator: str
    at: datetime | None
    explained_by: bool
    stamp: str
    kept: Kept | None = None
    question: str = ""
    fitted: bool = False

    @property
    def key(self) -> Key:
        """What its state is kept under."""
        return Key(self.sample_id, self.kind, self.between)

    @property
    def scorer(self) -> str | None:
        """The scorer it is about, None where it is about something else."""
        return next((name for name in self.between.split("~") if name in SCORERS), None)

    @property
    def stands(self) -> str:
        """Its state in words: what is called fixed and is still in the list differs all the same."""
        return "fixed, still differs" if self.state == "fixed" else self.state


@dataclass(frozen=True, slots=True)
class Report:
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
        counts = Counter(one.state for one in self.disputes)
        return {state: counts[state] for state in STATES}

    def chosen(self, state: str, between: str = "") -> tuple[Dispute, ...]:
        """Those in a state ("all" for every) between some, named as `linked~verified` or by their sort."""
        return tuple(
            one
            for one in self.disputes
            if state in ("all", one.state) and between in ("", one.between, one.sort)
        )


class _Found(NamedTuple):
    """A dispute before the list is in order."""

    sample_id: int
    sort: Sort
    between: str
    first: float | None
    second: float | None
    delta: float | None
    moves: float | None
    says: str
    stamp: str


def count(store: Store, info: DatasetInfo, run: str | None = None, progress: Progress = silent) -> None:
    """Count the run and those it is held against, at the dataset's match threshold."""
    chosen = chosen_run(store, info, run)
    if chosen is None:
        return
    for one in (chosen, *(one for one in list_runs(store, info.id) if one.id != chosen.id)):
        recompute(store, info, one.id, info.threshold, progress)


def disputes(
    store: Store, info: DatasetInfo, annotator: str, *, scorers: Sequence[str] = (), run: str | None = None,
    everyone: bool = False,
) -> Report:  # fmt: skip
    """The disputes as this annotator may see them; from what is counted, so `count` comes before.

    `everyone`: for a report, which shows what anybody decided; a screen hides what others did until the
    annotator decided too.

    Raises UsageError for an unknown scorer, NotFoundError for an unknown run.
    """
    for name in scorers:
        check_scorer(store, info, name)
    with store.snapshot():
        chosen = chosen_run(store, info, run)
        states = stored.states(store, info.id)
        seen = seen_ids(store, info)
        turns = _Turns(store, info)
        rows: list[tuple[DisputePlace, Case, _Found]] = []
        betweens: Counter[str] = Counter()
        closed: set[int] = set()
        given: set[int] = set()
        for kind in info.kinds:
            case = gather(store, info, annotator, kind, chosen, scorers, everyone=everyone)
            betweens.update({pair.between: 0 for pair in case.pairs})
            closed |= case.closed & case.places.keys()
            imported = {n for n, one in case.reviewed.items() if one.origin == "imported"}
            given |= imported & case.closed
            first = kind == info.kinds[0]
            rows += [
                (_place(case, one, turns), case, one) for one in _found(store, case, annotator, flags=first)
            ]
    leads = {f"{case.lead}~verified" for _, case, _ in rows if case.lead}
    rows.sort(key=lambda row: (row[0].rest == HIDDEN, row[2].between not in leads, row[0]))
    questions = questions_of_hashes(store, info.id)
    ordered = tuple(
        _dispute(case, one, states, rank, seen, questions)
        for rank, (_, case, one) in enumerate(rows, start=1)
    )
    betweens.update(one.between for one in ordered)
    return Report(
        dataset=info.name,
        run=chosen.name if chosen else "",
        threshold=info.threshold,
        disputes=ordered,
        betweens=dict(betweens),
        closed=len(closed),
        given=len(given),
        calibration=info.calibration,
    )


def _found(store: Store, case: Case, annotator: str, *, flags: bool) -> Iterator[_Found]:
    """Everything of one kind that disagrees; samples that this annotator must decide blind are left out."""
    for pair in case.pairs:
        for one in _apart(case, pair):
            if one.sample_id not in case.closed:
                says = stamp(one.first, one.second)
                yield _Found(one.sample_id, pair.sort, pair.between, *one[1:], says="", stamp=says)
    yield from _annotators(store, case)
    if flags:
        yield from _flags(case, annotator)


def _apart(case: Case, pair: Pair) -> list[Apart]:
    if not pair.figure:
        return apart(pair.first, pair.second)
    return apart(pair.first, pair.second, case.weights, case.otherwise)


def _weight(case: Case, sample_id: int, n: int) -> float:
    otherwise = 1 / n if case.otherwise is None else case.otherwise
    return (case.weights or {}).get(sample_id, otherwise)


def _annotators(store: Store, case: Case) -> Iterator[_Found]:
    """The samples whose annotators verified different things, by what each of them counts."""
    numbers = [number for number in case.unresolved if number not in case.closed]
    for number, said in stored.said_of(store, numbers, case.kind).items():
        values = sorted(one.recall for one in said if one.recall is not None)
        low, high = (values[0], values[-1]) if len(values) > 1 else (None, None)
        delta = None if low is None or high is None else low - high
        moves = None if delta is None else abs(delta) * _weight(case, number, len(case.reviewed))
        counts = ", ".join(f"{one.found}/{one.units}" for one in said)
        says = ", ".join(f"{one.annotator} {one.found}/{one.units}" for one in said)
        yield _Found(number, "annotators", "annotators", low, high, delta, moves, says, worded(counts))


def _flags(case: Case, annotator: str) -> Iterator[_Found]:
    """Flagged samples: one's own flags, and those of others where their decisions may be seen.

    They stand where the difference of the automatic and the verified value puts them.
    """
    reasons: dict[int, dict[str, str]] = {}
    for one in case.heads:
        own = one.annotator == annotator
        known = case.sees(one.sample_id) or (case.everyone and one.disposition == "verified")
        if one.flag and (own or (known and one.sample_id not in case.closed)):
            reasons.setdefault(one.sample_id, {})[one.annotator] = one.flag
    both = len(case.automatic.keys() & case.gold.keys())
    for number, said in reasons.items():
        ours, theirs = case.automatic.get(number), case.gold.get(number)
        delta = None if ours is None or theirs is None else ours - theirs
        if delta is None or number in case.closed or case.hides(number, "flag"):
            ours = theirs = delta = None
        moves = None if delta is None else abs(delta) * _weight(case, number, both)
        says = "; ".join(f"{name}: {reason}" for name, reason in said.items())
        of = worded("; ".join(said.values()))
        yield _Found(number, "flag", "flag", ours, theirs, delta, moves, says, of)


class _Turns:
    """The place of each sample in the review order; read when the first hidden dispute asks for it."""

    def __init__(self, store: Store, info: DatasetInfo) -> None:
        self._read = partial(_in_order, store, info.id)
        self._known: dict[int, int] = {}

    def of(self, sample_id: int) -> int:
        """Its place, from 0."""
        if not self._known:
            self._known = {number: turn for turn, number in enumerate(self._read())}
        return self._known[sample_id]


def _in_order(store: Store, dataset_id: int) -> Sequence[int]:
    return in_order(store, dataset_id, count_samples(store, dataset_id))


def _place(case: Case, one: _Found, turns: _Turns) -> DisputePlace:
    turn = turns.of(one.sample_id) if _hides(case, one) else None
    return place(one.moves, case.places[one.sample_id].key, one.between, turn)


def _hides(case: Case, one: _Found) -> bool:
    """Whether its values may not be seen yet; a flag is without them then, and its words show."""
    return one.sort != "flag" and case.hides(one.sample_id, one.sort)


def _dispute(
    case: Case,
    one: _Found,
    states: Mapping[Key, Kept],
    rank: int,
    seen: Collection[str],
    questions: Mapping[int, str],
) -> Dispute:
    """The dispute with its state, without what may not be seen yet."""
    hidden = _hides(case, one)
    found = Dispute(
        rank=rank,
        sample_id=one.sample_id,
        id=case.places[one.sample_id].key,
        kind=case.kind,
        sort=one.sort,
        between=one.between,
        first=None if hidden else one.first,
        second=None if hidden else one.second,
        delta=None if hidden else one.delta,
        moves=None if hidden else one.moves,
        hidden=hidden,
        says="" if hidden else one.says,
        state="open",
        was="open",
        note="",
        annotator="",
        at=None,
        explained_by=case.sees(one.sample_id),
        stamp=one.stamp,
        fitted=one.sort == "verified"
        and case.places[one.sample_id].key in seen
        and not {*CALIBRATED}.isdisjoint(one.between.split("~")),
        question=questions.get(one.sample_id, ""),
    )
    kept = states.get(found.key)
    return found if kept is None else _standing(found, kept)


def _standing(one: Dispute, kept: Kept | None) -> Dispute:
    """The dispute with what is said of it."""
    if kept is None:
        return one._replace(state="open", was="open", note="", annotator="", at=None, kept=None)
    state, note = standing(kept.state, kept.note, one.stamp)
    return one._replace(
        state=state, was=kept.state, note=note, annotator=kept.annotator, at=kept.at, kept=kept
    )


def set_state(store: Store, dispute: Dispute, state: State, note: str, annotator: str) -> Dispute:
    """Say where a dispute stands; returns it as it is now.

    Raises ConflictError when somebody said something of it since it was read, StoreError.
    """
    said = stamped(note, dispute.stamp)
    return _standing(
        dispute, stored.save_state(store, dispute.key, state, said, annotator, expected=dispute.kept)
    )


def the_sample(store: Store, info: DatasetInfo, sample: str) -> str:
    """The id of a sample that is given whole or, of a hash, by a beginning that only one has.

    Raises NotFoundError for an id that no sample has; it names those most like it.
    """
    known = sample_ids(store, info.id)
    if sample in known:
        return sample
    begin = [one for one in known if is_hash(one) and one.startswith(sample)] if len(sample) >= HASH else []
    if len(begin) == 1:
        return begin[0]
    near = " or ".join(map(repr, get_close_matches(sample, known, n=2)))
    hint = f"did you mean {near}?" if near else "workbench disputes --state all lists the ids"
    raise NotFoundError(f"{info.name} has no sample {sample!r}; {hint}")


def find(report: Report, sample: str, between: str, kind: Kind | None = None) -> Dispute:
    """The dispute of a sample between some. Raises NotFoundError that lists what the sample has."""
    of_sample = [one for one in report.disputes if one.id == sample]
    found = [one for one in of_sample if one.between == between and kind in (None, one.kind)]
    if len(found) > 1:
        raise UsageError(f"{between} is in dispute in {' and '.join(one.kind for one in found)}: give --kind")
    if found:
        return found[0]
    if not of_sample:
        raise NotFoundError(f"nothing of sample {sample!r} is in dispute")
    there = ", ".join(dict.fromkeys(one.between for one in of_sample))
    raise NotFoundError(f"no dispute {between!r} of sample {sample!r}; there is: {there}")


def scorers_of(between: str) -> tuple[str, ...]:
    """The scorers and columns that a dispute has to be asked for by name."""
    return tuple(name for name in sorted(named([between])) if kind_of(name))


def check_between(report: Report, between: str) -> None:
    """Raises UsageError for a name that nothing here is called."""
    if between and between not in SORTS and between not in report.betweens:
        there = ", ".join((*SORTS, *report.betweens))
        raise UsageError(f"nothing is between {between!r}; there is: {there}")


def audit(store: Store, sample_id: int, annotator: str) -> None:
    """Begin a review in which the automatic values show before it is decided; its journal says so.

    A review that was begun without them says so from here on; one that is blind stays so. Raises
    ConflictError when another window was first.
    """
    opened = open_sample(store, sample_id, annotator, off_plan=True)
    if opened.blind or opened.opening.auto_shown:
        return
    shown = replace(opened.opening, auto_shown=True)
    if opened.state.seq < 0:
        journal.record(store, act_on(replace(opened, opening=shown)), annotator)
        return
    again = replace(opened.reopening or replace(shown, assessments=()), auto_shown=True)
    journal.record(store, act_on(replace(opened, reopening=again)), annotator)
