"""Why the values of all verified samples differ: worked out once, kept, worked out anew when gold moves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from workbench.comparing.causes import precision_of
from workbench.comparing.explained import Explained, explained
from workbench.comparing.links import descends
from workbench.errors import StoreError
from workbench.matching import MATCHER
from workbench.model import Assessment, Kind
from workbench.scoring.names import SCORERS, kind_of
from workbench.stages.progress import Progress, silent
from workbench.stages.sides import automatic_sides, compared, imported_side
from workbench.store import columns, journal
from workbench.store import explained as kept
from workbench.store import gold as gold_store
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.explained import Key, Reviewed
from workbench.store.samples import CHUNK, Stored, load_samples

__all__ = ["Explained", "Reviewed"]


@dataclass(frozen=True, slots=True)
class Known:
    """The verified samples of a kind, and those of them that a scorer could count, with the reasons."""

    reviewed: Mapping[int, Reviewed]
    explained: Mapping[int, Explained]


def explain_all(
    store: Store, info: DatasetInfo, run_id: int | None, scorer: str, threshold: int,
    *, reviewed: Mapping[int, Reviewed] | None = None, only: Collection[int] | None = None,
    progress: Progress = silent,
) -> Known:  # fmt: skip
    """Explain every verified sample under a run and a scorer or an imported column.

    It takes 4 ms for each sample whose gold or text is new.

    Unresolved samples have no gold to be compared with. Without a proposal there is only a column to compare;
    without a run nothing is kept.
    `reviewed`: the verified samples, where they are read already; `only` some of them are explained.
    """
    kind = kind_of(scorer)
    assert kind is not None  # the caller checked the name
    written = {} if scorer in SCORERS else columns.external_digits(store, info.id, scorer)
    within = precision_of(written.values())
    if reviewed is None:
        reviewed = kept.reviewed(store, info.id, kind, info.policy.version)
    if only is not None:
        reviewed = {number: one for number, one in reviewed.items() if number in only}
    stamps = {
        number: f"{one.stamp}.{written[number]}.{within}" if number in written else one.stamp
        for number, one in reviewed.items()
    }
    at = None if run_id is None else Key(run_id, scorer, MATCHER, threshold)
    before = {} if at is None else kept.load_explained(store, info.id, at)
    found = {
        number: before[number][1]
        for number in reviewed
        if number in before and before[number][0] == stamps[number]
    }
    due = [one for number, one in reviewed.items() if number not in found and one.review_id is not None]
    if run_id is None:
        due = [one for one in due if one.sample_id in written]
    for start in range(0, len(due), CHUNK):
        fresh = _explain(
            store, info, run_id, scorer, threshold, kind, due[start : start + CHUNK], written, within
        )
        found |= fresh
        rows = {number: (stamps[number], one) for number, one in fresh.items()}
        if at is not None:
            with suppress(StoreError):  # a database that takes no writing: it is worked out again next time
                kept.save_explained(store, at, rows)
        progress(min(start + CHUNK, len(due)))
    return Known(reviewed, found)


def _explain(
    store: Store,
    info: DatasetInfo,
    run_id: int | None,
    scorer: str,
    threshold: int,
    kind: Kind,
    due: Sequence[Reviewed],
    written: Mapping[int, str],
    within: float,
) -> dict[int, Explained]:
    of = {one.sample_id: one for one in due}
    gold = gold_store.load_some(store, list(of), kind)
    found = {}
    for stored in load_samples(store, list(of), run_id):
        verified, based = _verified(store, of[stored.sample_id], stored, kind, gold)
        if verified is None:
            continue
        digits = written.get(stored.sample_id)
        automatic = automatic_sides(info, stored, threshold, scorer).get(scorer)
        if digits is not None:
            gap = imported_side(info, stored, scorer, digits, within, verified, based)
        elif automatic is not None:
            gap = compared(info, stored, scorer, automatic, verified, based)
        else:
            continue
        found[stored.sample_id] = explained(gap)
    return found


def _verified(
    store: Store, one: Reviewed, stored: Stored, kind: Kind, gold: Mapping[int, gold_store.Gold]
) -> tuple[Assessment | None, bool]:
    """The gold of a sample, and whether its units came out of this proposal with their ids."""
    if one.origin == "reviewed":
        review = journal.load_review(store, one.sample_id, one.annotator)
        if review is not None and review.state.opened is not None:
            own = review.state.of(kind)
            return own.assessment, descends(review.state.opened, own, stored.proposal_id)
    known = gold.get(one.sample_id)
    return (known.assessment if known else None), False
