"""Disputes: everything of a dataset that disagrees, most moving first, and what became of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import itemgetter
from typing import NamedTuple

from workbench.comparing.disputes import (
    SORTS,
    STATES,
    Apart,
    Place,
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
from workbench.scoring.names import EXTERNAL_KINDS, SCORERS
from workbench.stages.dispute_cases import Case, Pair, check_scorers, chosen_run, gather
from workbench.stages.review import act_on, open_sample
from workbench.store import disputes as stored
from workbench.store import journal
from workbench.store.datasets import DatasetInfo
from workbench.store.disputes import Kept, Key
from workbench.store.engine import Store

__all__ = ["SORTS", "STATES", "Kept", "Key", "Sort", "State"]


class Dispute(NamedTuple):
    """One sample of which two values differ, or that a person flagged. `rank`: its place in the whole list.

    `first` and `second` are the values of the two that `between` names, `delta` their difference and `moves`
    how much settling it would move the figure; all four are None while `hidden`, and where there is none.
    `says`: the words of a flag, what each annotator counts. `was`: the state it had until a value changed.
    `explained_by`: both sides can be set beside each other; without it the sample is opened to be audited.
    `kept`: what was said of it as it is kept, None for nothing.
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

    `closed`: blind samples that this annotator did not decide; they are left out. `counts`: how many there
    are of each state, sort and between, for a key that counts 100,000 of them again is slow.
    """

    dataset: str
    run: str
    threshold: int
    disputes: tuple[Dispute, ...]
    betweens: Mapping[str, int]
    closed: int
    counts: Counter[tuple[State, Sort, str]]

    @property
    def states(self) -> dict[State, int]:
        """How many there are in each state."""
        return {state: self.number(state) for state in STATES}

    def number(self, state: str, between: str = "") -> int:
        """How many `chosen` gives."""
        return sum(
            number
            for (own, sort, name), number in self.counts.items()
            if state in ("all", own) and between in ("", name, sort)
        )

    def chosen(self, state: str, between: str = "") -> tuple[Dispute, ...]:
        """Those in a state ("all" for every) between some, named as `linked~verified` or by their sort."""
        return tuple(one for one in self.disputes if in_view(one, state, between))


def in_view(one: Dispute, state: str, between: str) -> bool:
    """Whether a dispute is in a state ("all" for every) between some ("" for everybody)."""
    return state in ("all", one.state) and between in ("", one.between, one.sort)


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


def disputes(
    store: Store, info: DatasetInfo, annotator: str, *, scorers: Sequence[str] = (), run: str | None = None,
    everyone: bool = False,
) -> Report:  # fmt: skip
    """The disputes as this annotator may see them; from what is counted, so `count` comes before.

    `everyone`: for a report, which shows what anybody decided; a screen hides what others did until the
    annotator decided too.

    Raises UsageError for an unknown scorer, NotFoundError for an unknown run.
    """
    check_scorers(store, info, scorers)
    with store.reading():
        chosen = chosen_run(store, info, run)
        states = stored.states(store, info.id)
        rows: list[tuple[Place, Case, _Found]] = []
        betweens: Counter[str] = Counter()
        closed: set[int] = set()
        for kind in info.kinds:
            case = gather(store, info, annotator, kind, chosen, scorers, everyone=everyone)
            betweens.update({pair.between: 0 for pair in case.pairs})
            closed |= case.closed & case.places.keys()
            first = kind == info.kinds[0]
            rows += [
                (place(one.moves, case.places[one.sample_id].key, one.between), case, one)
                for one in _found(store, case, annotator, flags=first)
            ]
    rows.sort(key=itemgetter(0))
    ordered = tuple(_dispute(case, one, states, rank) for rank, (_, case, one) in enumerate(rows, start=1))
    betweens.update(one.between for one in ordered)
    counts = Counter((one.state, one.sort, one.between) for one in ordered)
    return Report(
        info.name, chosen.name if chosen else "", info.threshold, ordered, dict(betweens), len(closed), counts
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
        moves = None if delta is None else -delta * _weight(case, number, len(case.reviewed))
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


def _dispute(case: Case, one: _Found, states: Mapping[Key, Kept], rank: int) -> Dispute:
    """The dispute with its state, without what may not be seen yet."""
    hidden = one.sort != "flag" and case.hides(one.sample_id, one.sort)
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


def put_back(store: Store, dispute: Dispute, kept: Kept | None) -> Dispute:
    """Take the change of state that made it this dispute back to what was kept before.

    Raises ConflictError when somebody said something of it since, StoreError.
    """
    stored.put_state(store, dispute.key, kept, expected=dispute.kept)
    return _standing(dispute, kept)


def with_one(report: Report, now: Dispute) -> Report:
    """The report with one dispute as it is now. Raises LookupError when another stands in its place."""
    place = now.rank - 1
    old = report.disputes[place]
    if old.key != now.key:
        raise LookupError(f"{now.key} is not number {now.rank}")
    counts = report.counts.copy()
    counts[old.state, old.sort, old.between] -= 1
    counts[now.state, now.sort, now.between] += 1
    disputes = (*report.disputes[:place], now, *report.disputes[now.rank :])
    return replace(report, disputes=disputes, counts=counts)


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
    return tuple(name for name in sorted(named([between])) if name in SCORERS or name in EXTERNAL_KINDS)


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
