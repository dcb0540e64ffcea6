"""The queue: which samples a view holds and in which order, what a row shows, what comes next."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, get_args

from workbench.errors import UsageError
from workbench.model import KINDS, Disposition, Imported, Kind, Tally
from workbench.scoring.names import DEFAULT_SCORER, SCORERS, column_kind, headline, kind_of
from workbench.store import queue, scores
from workbench.store.datasets import DatasetInfo, dataset_info
from workbench.store.engine import Store
from workbench.store.queue import Pace, PageRow, Progress
from workbench.store.samples import CHUNK
from workbench.text.query import Query

# `queue_values` loads the matcher (a tenth of a second): only what asks for values of samples imports it.
if TYPE_CHECKING:
    from workbench.store.queue import Values

__all__ = ["Pace", "Progress", "needs_values"]


def imported_column(store: Store, info: DatasetInfo, kind: Kind) -> str:
    """The column of the file that stands for a kind on every screen; "" where the file has none."""
    there = [name for name in scores.external_columns(store, info.id) if column_kind(name) == kind]
    return headline(there, (), kind) if there else ""


def headline_scorer(store: Store, info: DatasetInfo, asked: str | None = None, usual: str = "") -> str:
    """The scorer or imported column of a dataset that a report begins with.

    `asked` names it, for this report; `usual` is a person's setting, which holds where the dataset has it.
    Scores of the current run have to be counted before. Raises UsageError when there is no such scorer.
    """
    there = scores.external_columns(store, info.id)
    if asked is not None and kind_of(asked) is None:  # a person gave the kind when importing the column
        asked = next((name for kind in KINDS if (name := f"{asked} ({kind})") in there), asked)
    if asked is not None:
        check_scorer(store, info, asked)
        return asked
    able = able_scorers(store, info.run_id, info.threshold)
    if usual and (usual in able or (usual in there and kind_of(usual))):
        return usual
    return headline(there, able, info.kinds[0])


def able_scorers(store: Store, run_id: int | None, threshold: int) -> list[str]:
    """The scorers that could count a run; it has to be counted at that threshold before."""
    return [
        name for name in SCORERS if run_id is not None and scores.can_count(store, run_id, threshold, name)
    ]


def check_scorer(store: Store, info: DatasetInfo, name: str) -> Kind:
    """What a scorer or column counts. Raises UsageError for one that is not there or of an unknown kind."""
    there = (*SCORERS, *scores.external_columns(store, info.id))
    if name not in there:
        raise UsageError(f"unknown scorer {name!r}; there is: {', '.join(there)}")
    kind = kind_of(name)
    if kind is None:
        raise UsageError(f"nobody said what {name!r} counts: import it with --external {name}=entity")
    return kind


def needs_values(query: Query) -> bool:
    """Whether a query asks for values of decided samples."""
    return bool(query.by_value) or "disputed" in query.marks


LEAST = Fraction(1, 2000)
"""Half of the third digit: a number of a file that differs by less is the verified value, rounded."""


def delta_of(automatic: Tally | Imported | None, verified: Tally | None) -> Fraction | None:
    """Automatic − verified; None while one of them is not there or undefined."""
    if automatic is None or verified is None or automatic.recall is None or verified.recall is None:
        return None
    delta = automatic.recall - verified.recall
    return Fraction(0) if isinstance(automatic, Imported) and abs(delta) < LEAST else delta


Order = Literal["u", "doubt", "delta", "file"]
ORDERS: tuple[Order, ...] = get_args(Order)
"""Random, the most doubtful first, the largest Δ first, as in the file."""

EVERYTHING = Query()


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the queue. `automatic` is None while there is none or while it is hidden.

    `scorer` is the column of the file where it has one: then `automatic` is a number of that column.
    """

    sample_id: int
    key: str
    disposition: Disposition
    flag: str
    blind: bool
    rematch: bool
    reference: str
    scorer: str
    automatic: Tally | Imported | None
    verified: Tally | None
    delta: Fraction | None
    annotators: tuple[str, ...]
    stale: bool = False
    off_plan: bool = False
    question: str = ""


@dataclass(frozen=True, slots=True)
class First:
    """What a queue shows first: the next sample to decide, those around it and their rows."""

    at: int | None
    ids: array[int]
    rows: dict[int, QueueRow]


def queue_ids(
    store: Store, dataset_id: int, annotator: str, query: Query = EVERYTHING, order: Order = "u"
) -> array[int]:
    """The samples of a view, eight bytes each.

    By Δ those that have one come first, the largest first, then the others in random order.
    """
    info = dataset_info(store, dataset_id)
    if order == "delta" or query.by_value or query.marks & {"disputed", "fast"}:
        from workbench.stages.queue_values import picked_by, values_of

        values = values_of(store, info, annotator) if order == "delta" or needs_values(query) else {}
        picked = picked_by(store, info, annotator, query, values)
    else:
        values, picked = {}, {}
    column = imported_column(store, info, info.kinds[0]) if query.by_value else ""
    within: queue.Order = "u" if order == "delta" else order
    ids = queue.view_ids(store, info, annotator, query, within, picked, column)
    return _by_delta(ids, values) if order == "delta" else ids


def first(store: Store, dataset_id: int, annotator: str, before: int, after: int) -> First:
    """The samples around the next one to decide, in random order; the dataset's size costs nothing."""
    at = next_sample(store, dataset_id, annotator)
    ids = queue.ids_around(store, dataset_id, at, before, after)
    return First(at, ids, queue_rows(store, dataset_id, annotator, ids))


def queue_rows(store: Store, dataset_id: int, annotator: str, ids: Sequence[int]) -> dict[int, QueueRow]:
    """The rows of some samples.

    Automatic values stay hidden until a sample is decided (`show_auto`), and what another person verified
    until this one has decided too; gold that came with a file is no one's secret.
    """
    info = dataset_info(store, dataset_id)
    column = imported_column(store, info, info.kinds[0])
    scorer = column or DEFAULT_SCORER[info.kinds[0]]
    rows = queue.page(store, info, annotator, ids, column)
    open_rows = info.show_auto == "always"
    seen = {row.sample_id for row in rows if row.decided or (open_rows and not row.blind)}
    uncounted = [
        row.sample_id for row in rows if row.automatic is None and row.sample_id in seen and not column
    ]
    late: Mapping[int, Tally] = {}
    if uncounted:
        from workbench.stages.queue_values import count_now

        late = count_now(store, info, uncounted)
    return {row.sample_id: _row(row, scorer, row.sample_id in seen, late) for row in rows}


def progress(store: Store, dataset_id: int, annotator: str) -> Progress:
    """Where the dataset stands for this annotator."""
    return queue.progress(store, dataset_id, annotator, dataset_info(store, dataset_id).kinds)


def pace(store: Store, dataset_id: int, annotator: str, without: Collection[int] = ()) -> Pace | None:
    """What a decided sample took this annotator, but those of `without`; None where none was measured."""
    return queue.pace(store, dataset_id, annotator, dataset_info(store, dataset_id).kinds, without)


def next_sample(store: Store, dataset_id: int, annotator: str, after: int | None = None) -> int | None:
    """The next sample to decide in queue order, from the start again once; None when all are decided.

    Samples that were verified under an older policy come after the undecided ones.
    """
    return queue.next_sample(store, dataset_info(store, dataset_id), annotator, after)


def next_of(
    store: Store, dataset_id: int, annotator: str, ids: Sequence[int], after: int | None, *, decided: bool
) -> int | None:
    """The sample after one in a view; None at its end.

    In a view of decided samples (`decided`) the very next one, else the next one to decide, from the start
    again once. Where `ids` does not hold `after` it begins at the start.
    """
    try:
        place = 0 if after is None else ids.index(after) + 1
    except ValueError:
        place = 0
    if decided:
        return ids[place] if place < len(ids) else None
    info = dataset_info(store, dataset_id)
    for start, end in ((place, len(ids)), (0, place)):
        for first in range(start, end, CHUNK):
            chunk = list(ids[first : min(first + CHUNK, end)])
            wanted = queue.to_decide(store, info, annotator, chunk)
            for number in chunk:
                if number in wanted and number != after:
                    return number
    return None


def count_undoubted(store: Store, dataset_id: int) -> int:
    """How many samples have no doubt to be ordered by."""
    return queue.count_uncounted(store, dataset_info(store, dataset_id))


def _row(row: PageRow, scorer: str, seen: bool, late: Mapping[int, Tally]) -> QueueRow:
    automatic: Tally | Imported | None = row.automatic or late.get(row.sample_id)
    automatic = automatic if seen else None
    verified = row.gold.tally if row.gold and row.decided else None
    return QueueRow(
        sample_id=row.sample_id,
        key=row.key,
        disposition=row.disposition,
        flag=row.flag,
        blind=row.blind,
        rematch=row.rematch,
        reference=row.reference,
        scorer=scorer,
        automatic=automatic,
        verified=verified,
        delta=delta_of(automatic, verified),
        annotators=row.gold.annotators if row.gold else (),
        stale=row.stale,
        off_plan=row.off_plan,
        question=row.question,
    )


def _by_delta(ids: array[int], values: Mapping[int, Values]) -> array[int]:
    deltas = {number: delta_of(one.automatic, one.verified) for number, one in values.items()}
    sizes = {number: abs(delta) for number, delta in deltas.items() if delta is not None}
    first = sorted((number for number in ids if number in sizes), key=lambda number: -sizes[number])
    return array("q", [*first]) + array("q", (number for number in ids if number not in sizes))
