"""Values and causes of decided samples, and what there is to filter the queue by."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from workbench.comparing.disputes import disputed
from workbench.model import Tally
from workbench.scoring.names import DEFAULT_SCORER, INSTEAD, first_scorer
from workbench.stages.people import settles
from workbench.stages.recompute import match_samples
from workbench.stages.sides import against, numbers_of, verified_side
from workbench.store import queue, scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.gold import several, unresolved
from workbench.store.journal import load_reviews
from workbench.store.queue import Values
from workbench.store.queue_conditions import Picked
from workbench.store.samples import chunked, load_samples
from workbench.store.scores import CountedChunk
from workbench.text.query import META, Facet, Facets, Query, Term
from workbench.text.safe import clean


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
    decided = {name: getattr(done, name) for name in ("started", "verified", "excluded", "skipped")}
    fields: dict[str, Facet] = {
        "state": [("todo", done.total - sum(decided.values())), *decided.items()],
        "is": _marks(store, info, annotator, blind),
        **surveyed,
        "by": queue.annotators(store, info),
        "flag": queue.flags(store, info, annotator, FEW),
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
