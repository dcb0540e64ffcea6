"""What there is to filter by, with counts, for the completion and the facets of the queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.matching.units import policy_label
from workbench.model import Policy
from workbench.store import datasets, queue, queue_values, queue_views
from workbench.store import facets as facet_store
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.facets import Survey
from workbench.text.query import META, Query, Term
from workbench.text.safe import clean

LOOKED_AT = 5_000
"""Samples that are looked at; of a larger dataset these are a random part, and counts are scaled up."""

LONG = 60
"""Characters of a value above which it is not offered."""

FEW = 50
"""A field with more different values than this is typed, not chosen."""


@dataclass(frozen=True, slots=True)
class Facets:
    """The values of every field that occur, with counts (None: not counted); the most frequent first.

    `estimated` names the fields whose counts are scaled up from a random part.
    """

    values: Mapping[str, Sequence[tuple[str, int | None]]]
    estimated: frozenset[str]


def facets(store: Store, dataset_id: int, annotator: str) -> Facets:
    """Look at a dataset as one annotator may see it."""
    info = datasets.dataset_info(store, dataset_id)
    seen = facet_store.survey(store, info, annotator, LOOKED_AT)
    surveyed = _surveyed(seen, info.policy)
    values: dict[str, Sequence[tuple[str, int | None]]] = {
        "state": _states(store, info, annotator),
        "is": _marks(store, info, annotator, seen),
        **surveyed,
        "by": facet_store.annotators(store, info),
        "flag": facet_store.flags(store, info, annotator, FEW),
    }
    estimated = {*surveyed, "is:blind"} if seen.seen < seen.total else set()
    typable = {
        name: [one for one in found if is_typable(one[0])]
        for name, found in values.items()
        if is_typable(name)
    }
    return Facets(typable, frozenset(estimated))


def is_typable(value: str) -> bool:
    """Whether a value can stand in a line of text as it is: short, printable, nothing hidden in it."""
    return 0 < len(value) <= LONG and value.isprintable() and clean(value) == value


def _states(store: Store, info: DatasetInfo, annotator: str) -> list[tuple[str, int | None]]:
    done = queue.progress(store, info.id, annotator, info.kinds)
    decided = {name: getattr(done, name) for name in ("started", "verified", "excluded", "skipped")}
    return [("todo", done.total - sum(decided.values())), *decided.items()]


def _marks(store: Store, info: DatasetInfo, annotator: str, seen: Survey) -> list[tuple[str, int | None]]:
    def number(mark: str) -> int:
        query = Query((Term("is", (mark,)),))
        return len(queue_views.view_ids(store, info, annotator, query, "file", {}))

    counts: dict[str, int | None] = {
        mark: number(mark) for mark in ("flagged", "rematch", "stale", "offplan")
    }
    counts["blind"] = _scaled(seen.blind, seen)
    counts["fast"] = len(queue_values.fast_ids(store, info, annotator))
    return [(mark, counts.get(mark)) for mark in ("flagged", "blind", "rematch", "stale", "offplan", "fast")]


def _surveyed(seen: Survey, policy: Policy) -> dict[str, list[tuple[str, int | None]]]:
    labels: Counter[str] = Counter()
    for said, number in seen.labels.items():
        labels.update(dict.fromkeys({policy_label(label, policy)[0] for label in said}, number))
    del labels[""]
    counted = {"label": labels, "lang": seen.languages, "group": seen.groups}
    counted |= {
        f"{META}{key}": values for key, values in seen.meta.items() if not set(key) & set(' \t\n:"<>=,')
    }
    return {
        name: [(value, _scaled(number, seen)) for value, number in values.most_common()]
        for name, values in counted.items()
        if 0 < len(values) <= FEW
    }


def _scaled(number: int, seen: Survey) -> int:
    """The count in the whole dataset, to two digits where it is an estimate."""
    if seen.seen >= seen.total or not number:
        return number
    whole = number * seen.total / seen.seen
    digits = len(str(int(whole))) - 2
    return int(round(whole, -digits)) if digits > 0 else round(whole)
