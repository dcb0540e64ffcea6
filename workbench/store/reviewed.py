"""Verified samples as a dataset's figures need them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import func, not_, select, true

from workbench.model import VERDICTS, Kind, Tally, named_language
from workbench.store.engine import Store
from workbench.store.gold import load_some
from workbench.store.tables import REVIEW, SAMPLE, UNIT
from workbench.text.safe import BEGINNING, is_hash


class Reviewed(NamedTuple):
    """A sample that somebody verified, and whose gold it is.

    `origin` is "unresolved" where several differ. `review_id` is of the review that the gold came from and
    `tally` what it counts, both None where it is unresolved. `shown`: assisted, blind or import. `ends` are
    the lowest and the highest recall of the annotators of an unresolved sample: 0 and 1 where one of them has
    no units.
    """

    sample_id: int
    key: str
    group: str | None
    language: str
    origin: str
    shown: str
    review_id: int | None
    annotator: str
    tally: Tally | None = None
    ends: tuple[float, float] | None = None
    question: str = ""


def reviewed(store: Store, dataset_id: int, kind: Kind, *, holdout: bool = False) -> dict[int, Reviewed]:
    """Every sample with a verified review of that kind, excluded ones too; of the holdout where asked for."""
    query = (
        select(
            SAMPLE.id, SAMPLE.key, SAMPLE.group_key, SAMPLE.meta, REVIEW.id, REVIEW.origin, REVIEW.shown,
            REVIEW.annotator, func.substr(SAMPLE.user_input, 1, BEGINNING),
        )
        .where(
            REVIEW.dataset_id == dataset_id,
            REVIEW[kind] == "verified",
            SAMPLE.id == REVIEW.sample_id,
            true() if holdout else not_(SAMPLE.holdout),
        )
        .order_by(SAMPLE.id, REVIEW.id)
    )  # fmt: skip
    each: dict[int, list[Reviewed]] = {}
    with store.reading():
        counts = _counts(store, dataset_id, kind)
        for number, key, group, meta, review, origin, shown, annotator, question in store.rows(query):
            tally = Tally(*counts.get(review, (0, 0, 0)))
            language = named_language(meta or {})
            one = Reviewed(number, key, group, language, origin, shown, review, annotator, tally)
            each.setdefault(number, []).append(one._replace(question=question) if is_hash(key) else one)
        gold = load_some(store, [number for number, reviews in each.items() if len(reviews) > 1], kind)
    return {
        number: _resolved(reviews, gold[number].origin) if number in gold else reviews[0]
        for number, reviews in each.items()
    }


def _counts(store: Store, dataset_id: int, kind: Kind) -> dict[int, list[int]]:
    """Found, missing and unsure units of every verified review."""
    query = (
        select(UNIT.review_id, UNIT.verdict, func.count())
        .where(UNIT.dataset_id == dataset_id, UNIT.kind == kind)
        .group_by(UNIT.review_id, UNIT.verdict)
    )
    counts: dict[int, list[int]] = {}
    for review_id, verdict, number in store.rows(query):
        counts.setdefault(review_id, [0, 0, 0])[VERDICTS.index(verdict)] = number
    return counts


def _resolved(reviews: Sequence[Reviewed], origin: str) -> Reviewed:
    """Several reviews of one sample: the one whose gold stands, marked unresolved where none does."""
    of_origin = [review for review in reviews if review.origin == origin]
    chosen = of_origin[-1] if origin == "adjudicated" and of_origin else reviews[0]
    if origin != "unresolved":
        return chosen
    ends = _ends(review.tally for review in reviews if review.tally is not None)
    return chosen._replace(origin=origin, review_id=None, tally=None, ends=ends)


def _ends(each: Iterable[Tally]) -> tuple[float, float]:
    known = [tally.interval for tally in each]
    ends = [interval for interval in known if interval is not None]
    if len(ends) < len(known):
        return 0.0, 1.0
    return float(min(low for low, _ in ends)), float(max(high for _, high in ends))
