"""Values and causes of decided samples, and the views of the queue that ask for them.

Importing this module loads the matcher.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from workbench.comparing.disputes import disputed
from workbench.errors import StoreError, UsageError
from workbench.model import Tally
from workbench.scoring.names import DEFAULT_SCORER, INSTEAD, first_scorer
from workbench.stages.people import settles
from workbench.stages.queue import queue_rows
from workbench.stages.recompute import match_samples, save_counted
from workbench.stages.sides import against, numbers_of, verified_side
from workbench.store import queue, scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.gold import several, unresolved
from workbench.store.journal import load_reviews
from workbench.store.queue import QueueRow, Values
from workbench.store.queue_conditions import Picked
from workbench.store.samples import chunked, load_samples
from workbench.store.scores import CountedChunk
from workbench.text.query import EVERYTHING, Order, Query, Term, parse

if TYPE_CHECKING:
    from workbench.stages.desk import Desk


def needs_values(query: Query) -> bool:
    """Whether a query asks for values of decided samples."""
    return bool(query.by_value) or "disputed" in query.marks


def queue_ids(
    store: Store, info: DatasetInfo, annotator: str, query: Query = EVERYTHING, order: Order = "u"
) -> array[int]:
    """The samples of a view, eight bytes each.

    By Δ those that have one come first, the largest first, then the others in random order.
    """
    values = decided_values(store, info, annotator) if order == "delta" or needs_values(query) else {}
    picked = picked_by(store, info, annotator, query, values)
    column = scores.imported_column(store, info.id, info.kinds[0]) if query.by_value else ""
    ids = queue.view_ids(store, info, annotator, query, order, picked, column)
    if order != "delta":
        return ids
    sizes = {number: abs(value.delta) for number, value in values.items() if value.delta is not None}
    first = sorted((number for number in ids if number in sizes), key=lambda number: -sizes[number])
    return array("q", [*first, *(number for number in ids if number not in sizes)])


def searched(store: Store, info: DatasetInfo, annotator: str, text: str) -> array[int]:
    """The samples that a search finds. Raises UsageError for one that cannot be read."""
    query = parse(text)
    if not isinstance(query, Query):
        raise UsageError(f"{text}: {query}")
    return queue_ids(store, info, annotator, query)


def picked_by(
    store: Store, info: DatasetInfo, annotator: str, query: Query, values: Mapping[int, Values]
) -> Picked:
    """The decided samples that fit what a query asks beside the database."""
    picked: dict[Term | str, Sequence[int]] = {}
    causes: dict[int, str] = {}
    if any(term.field == "cause" for term in query.by_value):
        for some in chunked([number for number, value in values.items() if value.delta]):
            causes |= main_causes(store, info, annotator, some)
    for term in query.by_value:
        if term.field == "cause":  # the main cause has a word of the term in it
            words = [word.lower() for word in term.values]
            picked[term] = [
                number
                for number, cause in causes.items()
                if any(word in cause for word in words) != term.negated
            ]
        else:  # a sample without the value fits neither the term nor its minus
            picked[term] = [
                number
                for number, pair in values.items()
                if (value := _value(term, pair)) is not None and term.compares(value) != term.negated
            ]
    if "disputed" in query.marks:
        picked["disputed"] = [
            number
            for number, value in values.items()
            if value.unresolved or (value.delta is not None and disputed(value.delta))
        ]
    if "unresolved" in query.marks:
        picked["unresolved"] = unresolved_ids(store, info, annotator)
    if "fast" in query.marks:
        picked["fast"] = queue.fast_ids(store, info, annotator)
    return picked


def unresolved_ids(store: Store, info: DatasetInfo, annotator: str) -> list[int]:
    """The samples on which people differ so that there is no gold, in queue order.

    Who may not settle them sees those that they decided.
    """
    ids = several(store, info)
    if not settles(store, annotator):
        own = set[int]().union(*(scores.decided_by(store, info.id, kind, annotator) for kind in info.kinds))
        ids = array("q", (number for number in ids if number in own))
    open_ones = unresolved(store, ids, info.kinds)
    return [number for number in ids if number in open_ones]


def decided_values(store: Store, info: DatasetInfo, annotator: str) -> dict[int, Values]:
    """The values of all decided samples; what `score` has not counted is counted now."""
    column = scores.imported_column(store, info.id, info.kinds[0])
    values = queue.stored_values(store, info, annotator, column)
    if column:
        return values
    late = count_now(store, info, queue.uncounted_ids(store, info, annotator))
    return values | {
        number: values[number]._replace(automatic=late[number]) for number in values.keys() & late.keys()
    }


def count_now(store: Store, info: DatasetInfo, ids: Sequence[int]) -> dict[int, Tally]:
    """The automatic tallies of samples that `score` has not counted yet; writes nothing."""
    if info.run_id is None:
        return {}
    by_sample = {}
    for some in chunked(ids):
        for number, counted in count_some(store, info, some).scores.items():
            tallies = {score.scorer: score.tally for score in counted}
            if name := first_scorer(tallies, info.kinds[0]):
                by_sample[number] = tallies[name]
    return by_sample


def uncounted(store: Store, info: DatasetInfo, annotator: str) -> list[Sequence[int]]:
    """The decided samples that `score` has not counted, in chunks."""
    if info.run_id is None or scores.imported_column(store, info.id, info.kinds[0]):
        return []  # what the file brought is shown: nothing has to be counted for it
    return list(chunked(queue.uncounted_ids(store, info, annotator)))


async def rows(desk: Desk, ids: Sequence[int]) -> dict[int, QueueRow]:
    """The rows of some samples of a desk; automatic values that `score` has not counted are counted now."""
    info = (await desk.fresh()).info
    return await desk.store.read(queue_rows, info, desk.annotator, ids, count_now)


async def kept_ids(desk: Desk, query: Query, order: Order) -> array[int]:
    """The samples of a view; automatic values that it asks for and `score` has not counted are kept first."""
    store, info, annotator = desk.store, (await desk.fresh()).info, desk.annotator
    if order == "delta" or needs_values(query):
        await _keep_counted(store, info, annotator)
    return await store.read(queue_ids, info, annotator, query, order)


async def _keep_counted(store: Store, info: DatasetInfo, annotator: str) -> None:
    """Chunk by chunk beside the writer thread, so that no decision waits for it."""
    for chunk in await store.read(uncounted, info, annotator):
        counted = await store.read(count_some, info, chunk)
        try:
            await store.write(save_counted, counted)
        except StoreError:  # a database that takes no score: a view counts them for itself
            return


def count_some(store: Store, info: DatasetInfo, ids: Sequence[int]) -> CountedChunk:
    """Count some samples under the current run; writes nothing."""
    return match_samples(info, load_samples(store, ids, info.run_id))


def _value(term: Term, values: Values) -> Fraction | None:
    if term.field == "delta":
        return None if values.delta is None else abs(values.delta)
    counted = values.automatic if term.field == "auto" else values.verified
    return counted.recall if counted else None


def main_causes(store: Store, info: DatasetInfo, annotator: str, ids: Sequence[int]) -> dict[int, str]:
    """The main cause of Δ of those decided samples that have one; about 5 ms each."""
    kind = info.kinds[0]
    column = scores.imported_column(store, info.id, kind)
    written = numbers_of(store, info, column)
    rows = queue.page(store, info, annotator, ids, column)
    gold = {row.sample_id: row.gold for row in rows if row.decided and row.gold}
    causes = {}
    own = [number for number, standing in gold.items() if standing.origin != "adjudicated"]
    reviews = load_reviews(store, dict.fromkeys(own, annotator))
    for stored in load_samples(store, list(gold), info.run_id):
        number = stored.sample_id
        verified = verified_side(stored, kind, reviews.get(number), gold[number])
        usual = DEFAULT_SCORER[kind]
        if stored.proposal is not None and stored.proposal.context_entities is None:
            usual = INSTEAD.get(usual, usual)
        if verified is None or (column and number not in written):
            continue
        gap = against(info, stored, column or usual, written.get(number), verified)
        if gap is not None and gap.delta and gap.totals[0].cause != "rounding":
            causes[number] = str(gap.totals[0].cause)
    return causes
