"""The queue: which samples a view holds and in which order, what a row shows, what comes next."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from workbench.model import KINDS, Kind, Tally
from workbench.scoring.names import SCORERS, headline, kind_of, runs_of
from workbench.stages import midnight
from workbench.stages.people import check, settles
from workbench.store import assignments, journal, plans, queue, scores
from workbench.store.assignments import Held, of_others
from workbench.store.datasets import DatasetInfo, dataset_info
from workbench.store.engine import Store
from workbench.store.gold import settled_of, several, unresolved
from workbench.store.queue import Pace, Progress, QueueRow, count_undoubted, pace
from workbench.store.runs import RunInfo
from workbench.store.samples import chunked
from workbench.text.query import META, Facet, Facets, Query, Term
from workbench.text.safe import clean

__all__ = ["Pace", "Progress", "QueueRow", "count_undoubted", "pace"]


def headline_scorer(store: Store, info: DatasetInfo) -> str:
    """The scorer or imported column of a dataset that a report begins with.

    Scores of the current run have to be counted before. Of a drawn corpus it is a scorer: columns have values
    of the drawn samples only.
    """
    there = scores.external_columns(store, info.id)
    able = able_scorers(store, info)
    drawn = plans.plan_of(store, info.id)
    return headline((), able, drawn.kind) if drawn and drawn.corpus else headline(there, able, info.kinds[0])


def named(name: str, columns: Collection[str]) -> str:
    """The column that a person means: of several runs the newest; the end with its kind may be left out.

    That end stands for one of which nobody knew what it counts when it came.
    """
    metrics = (name, *(f"{name} ({kind})" for kind in KINDS))
    runs = [run for metric in metrics for run in runs_of(metric, columns)]
    return name if not runs or (name in columns and kind_of(name)) else runs[-1]


def under(info: DatasetInfo, run: RunInfo | None) -> DatasetInfo:
    """The dataset with another run in the place of its current one."""
    return replace(info, run_id=run.id, run=run.name) if run else info


def able_scorers(store: Store, info: DatasetInfo) -> list[str]:
    """The scorers that could count the run of a dataset; it has to be counted at the threshold before."""
    run_id, threshold = info.run_id, info.threshold
    return [
        name for name in SCORERS if run_id is not None and scores.can_count(store, run_id, threshold, name)
    ]


def scored_by(store: Store, info: DatasetInfo, name: str) -> dict[int, float | None]:
    """What a scorer counted of the run of a dataset at its threshold, or the numbers of a column, by sample.

    None where it found no units.
    """
    if name not in SCORERS:
        digits = scores.external_digits(store, info.id, name)
        return {number: float(written) for number, written in digits.items()}
    return {} if info.run_id is None else scores.values(store, info.run_id, info.threshold, name)


Count = Callable[[Store, DatasetInfo, Sequence[int]], Mapping[int, Tally]]


@dataclass(frozen=True)
class First:
    """What a queue shows first: the next sample to decide, those around it and their rows."""

    at: int | None
    ids: array[int]
    rows: dict[int, QueueRow]


def progress(store: Store, info: DatasetInfo, annotator: str) -> Progress:
    """Where the samples of a dataset stand for one annotator, and how far its assignments are."""
    standing = queue.progress(store, info, annotator)
    if not info.overlap:
        return standing
    today = assignments.decided_since(store, info, annotator, midnight())
    team = assignments.team(store, info)
    people = team.people if team else ()
    others = assignments.held_by_others(store, info.id, annotator)
    own = next((person.part for person in people if person.name == annotator), None)
    return replace(standing, team=team, today=today, others=others, own=own)


def planned(store: Store, dataset_id: int, kind: Kind | None = None) -> tuple[int, int] | None:
    """How many of the planned samples are complete, and how many are planned; None without a plan.

    `kind` is that of the plan unless given: then those that are still to be settled count too.
    """
    with store.snapshot():
        plan = plans.plan_of(store, dataset_id)
        if plan is None:
            return None
        ids = plans.in_order(store, dataset_id, plan.planned_n)
        done = plans.done(store, dataset_id, kind or plan.kind, ids)
        unresolved = sum(one.status == "unresolved" for one in done.values()) if kind is None else 0
        return len(done) - unresolved, plan.planned_n


def standing(store: Store, info: DatasetInfo, annotator: str) -> tuple[Progress, tuple[int, int] | None]:
    """Where the samples stand for one annotator, and how far the plan is."""
    return progress(store, info, annotator), planned(store, info.id)


def next_sample(store: Store, info: DatasetInfo, annotator: str, after: int | None = None) -> int | None:
    """The next sample to decide after a sample, None when done; with assignments what a person holds."""
    if info.overlap:
        return assignments.held(store, info.id, annotator)
    return queue.next_sample(store, info, annotator, after)


def take_next(store: Store, dataset_id: int, annotator: str) -> int | None:
    """With assignments hold the next sample for a person who holds none.

    When none is free, name one that they verified under an older policy; None when nothing is left, and
    without assignments. Raises UsageError for who may not review any more.
    """
    info = dataset_info(store, dataset_id)
    if not info.overlap:
        return None
    check(store, annotator, "review")
    number = assignments.claim(store, info, annotator)
    return queue.next_stale(store, info, annotator) if number is None else number


def first(store: Store, info: DatasetInfo, annotator: str, before: int, after: int) -> First:
    """The samples around the next one to decide, in random order; the dataset's size costs nothing.

    Nothing is counted for these rows.
    """
    at = next_sample(store, info, annotator)
    if at is None and info.overlap:
        at = assignments.free_for(store, info.id, annotator)
    ids = queue.ids_around(store, info.id, at, before, after)
    return First(at, ids, queue_rows(store, info, annotator, ids))


def queue_rows(
    store: Store, info: DatasetInfo, annotator: str, ids: Sequence[int], count: Count | None = None
) -> dict[int, QueueRow]:
    """The rows of some samples; `count` gives the automatic values that `score` has not counted.

    Automatic values stay hidden until a sample is decided (`show_auto`), and what another person verified
    until this one has decided too; gold that came with a file is no one's secret.
    """
    column = scores.imported_column(store, info.id, info.kinds[0])
    rows = {row.sample_id: row for row in queue.page(store, info, annotator, ids, column)}
    seen = {
        number
        for number, row in rows.items()
        if row.decided or (info.show_auto == "always" and not row.blind)
    }
    uncounted = [number for number in seen if rows[number].automatic is None and not column]
    late = count(store, info, uncounted) if count and uncounted else {}
    may_settle = settles(store, annotator)  # who may not is not told before their own decision
    asked = [number for number, row in rows.items() if may_settle or row.decided]
    differ = several(store, info, ids=asked) if asked else ()
    open_ones = to_settle(store, info, annotator, differ) if differ else ()
    return {
        number: replace(
            row,
            automatic=(row.automatic or late.get(number)) if number in seen else None,
            differs=number in open_ones,
            settles=may_settle,
        )
        for number, row in rows.items()
    }


def to_settle(store: Store, info: DatasetInfo, person: str, ids: Sequence[int]) -> set[int]:
    """Those of some samples that people differ in, and which nobody, this person too, has still to decide."""
    held = assignments.waiting(store, ids) if info.overlap else set()
    return unresolved(store, ids, info.kinds).keys() - held - journal.begun_by(store, ids, person)


def settling(store: Store, info: DatasetInfo, person: str) -> tuple[int, int]:
    """How many samples a person has settled, and how many are left for them."""
    with store.snapshot():
        left = sum(len(to_settle(store, info, person, some)) for some in chunked(several(store, info)))
        return settled_of(store, info.id, person), left


def next_to_settle(
    store: Store, info: DatasetInfo, person: str, after: int | None = None,
    within: Collection[int] | None = None,
) -> int | None:  # fmt: skip
    """The next sample to settle after one, from the start again once; None when there is none.

    Not those that somebody has still to decide, this person too. Raises UsageError for who may not settle.
    """
    check(store, person, "settle what others differ in")
    with store.snapshot():
        for some in chunked(several(store, info, after)):
            wanted = [number for number in some if number != after and (within is None or number in within)]
            open_ones = to_settle(store, info, person, wanted)
            sample_id = next((number for number in wanted if number in open_ones), None)
            if sample_id is not None:
                return sample_id
    return None


def held_by(store: Store, sample_id: int, annotator: str) -> tuple[Held, ...]:
    """The places that others hold at a sample where a person has none."""
    return of_others(assignments.places(store, [sample_id]).get(sample_id, ()), annotator)


def decided_too(store: Store, sample_id: int, annotator: str) -> str:
    """`bo decided this too`, for a person whose place somebody else had taken meanwhile; else nothing."""
    held = [slot for slot in assignments.places(store, [sample_id]).get(sample_id, ()) if slot is not None]
    late = any(slot.extra and slot.annotator == annotator for slot in held)
    others = [slot.annotator for slot in held if slot.done and slot.annotator != annotator]
    return f"{' and '.join(others)} decided this too" if late and others else ""


def next_of(
    store: Store, info: DatasetInfo, annotator: str, ids: Sequence[int], after: int | None, *, decided: bool
) -> int | None:
    """The sample after one in a view; None at its end.

    In a view of decided samples (`decided`) the very next one, else the next one to decide, from the start
    again once. Where `ids` does not hold `after` it begins at the start.
    """
    try:
        start = 0 if after is None else ids.index(after) + 1
    except ValueError:
        start = 0
    if decided:
        return ids[start] if start < len(ids) else None
    for some in chain(chunked(ids[start:]), chunked(ids[:start])):
        wanted = queue.to_decide(store, info, annotator, some)
        sample_id = next((number for number in some if number in wanted and number != after), None)
        if sample_id is not None:
            return sample_id
    return None


LOOKED_AT = 5_000
"""Samples that are looked at, a random part of a larger dataset; there the values are not counted."""

LONG = 60
"""Characters of a value above which it is not offered."""

FEW = 50
"""A field with more different values than this is typed, not chosen."""


def facets(store: Store, info: DatasetInfo, annotator: str) -> Facets:
    """The values of every field that occur as one annotator may see them, the most frequent first.

    Each with how many samples have it; None: not counted.
    """
    whole, seen = queue.survey(store, info, annotator, LOOKED_AT)
    labels: Counter[str] = Counter()
    for label_set, number in seen.pop("label", Counter()).items():
        labels.update(dict.fromkeys(label_set, number))
    del labels[""]
    blind = seen.pop("blind").total() if whole else None
    surveyed = {
        name: [(value, number if whole else None) for value, number in _in_any_case(values).most_common()]
        for name, values in {"label": labels, **seen}.items()
        if 0 < len(values) <= FEW and not set(name.removeprefix(META)) & set(' \t\n:"<>=,')
    }
    done = queue.progress(store, info, annotator)
    decided = {"started": done.started, "verified": done.standing}
    decided |= {"excluded": done.excluded + done.blank, "skipped": done.skipped}
    fields: dict[str, Facet] = {
        "state": [("todo", done.total + done.blank - sum(decided.values())), *decided.items()],
        "is": _marks(store, info, annotator, blind),
        **surveyed,
        "by": queue.annotators(store, info),
    }
    return {
        name: [value for value in values if is_typable(value[0])]
        for name, values in fields.items()
        if is_typable(name)
    }


def _in_any_case(values: Counter[str]) -> Counter[str]:
    """Values that a search takes for one, under the most frequent form."""
    forms: dict[str, str] = {}
    numbers: Counter[str] = Counter()
    for value, number in values.most_common():
        numbers[forms.setdefault(value.lower(), value)] += number
    return numbers


def is_typable(value: str) -> bool:
    """Whether a value can stand in a line of text as it is: short, printable, nothing hidden in it."""
    return 0 < len(value) <= LONG and value.isprintable() and clean(value) == value


def _marks(store: Store, info: DatasetInfo, annotator: str, blind: int | None) -> Facet:
    def number(mark: str) -> int:
        query = Query((Term("is", (mark,)),))
        return len(queue.view_ids(store, info, annotator, query, "file", {}))

    fast = len(queue.fast_ids(store, info, annotator))
    counted = [(mark, number(mark)) for mark in ("rematch", "stale", "offplan")]
    return [("flagged", number("flagged")), ("blind", blind), *counted, ("fast", fast)]
