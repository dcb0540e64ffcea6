"""Disputes: everything of a dataset that disagrees, most moving first, and what became of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import NamedTuple

from workbench.comparing.disputes import (
    HIDDEN,
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
from workbench.scoring.names import CALIBRATED, kind_of
from workbench.stages.dispute_cases import Case, Pair, check_scorers, gather
from workbench.stages.dispute_report import Dispute, Report
from workbench.stages.gold_seen import seen_ids
from workbench.stages.progress import Progress, silent
from workbench.stages.recompute import recompute
from workbench.stages.review import act_on, open_sample
from workbench.store import disputes as stored
from workbench.store import journal
from workbench.store.datasets import DatasetInfo, count_samples
from workbench.store.disputes import Kept, Key
from workbench.store.engine import Store
from workbench.store.prefixes import in_order
from workbench.store.runs import chosen_run, list_runs
from workbench.store.samples import questions_of_hashes, sample_ids
from workbench.text.safe import HASH, is_hash

__all__ = ["SORTS", "STATES", "Dispute", "Report", "State"]


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
    check_scorers(store, info, scorers)
    with store.snapshot():
        chosen = chosen_run(store, info, run)
        states = stored.states(store, info.id)
        seen = seen_ids(store, info)
        turns = _Turns(store, info)
        rows: list[tuple[Place, Case, _Found]] = []
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


def _place(case: Case, one: _Found, turns: _Turns) -> Place:
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
