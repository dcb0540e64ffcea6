"""Verified samples as a dataset's figures need them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy
from sqlalchemy import func
from sqlmodel import Session, col

from workbench.model import VERDICTS, Kind, Tally
from workbench.store.engine import Store
from workbench.store.gold import gold_of
from workbench.store.samples import CHUNK
from workbench.store.tables import GoldUnitRow, ReviewRow, SampleRow, state_of
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


def reviewed(store: Store, dataset_id: int, kind: Kind) -> dict[int, Reviewed]:
    """Every sample with a verified review of that kind, excluded ones too; holdouts are left out."""
    state = state_of(kind)
    query = (
        sqlalchemy.select(
            col(SampleRow.id), col(SampleRow.key), col(SampleRow.group_key), col(SampleRow.meta),
            col(ReviewRow.id), col(ReviewRow.origin), col(ReviewRow.shown), col(ReviewRow.annotator),
            func.substr(col(SampleRow.user_input), 1, BEGINNING),
        )
        .join(SampleRow, col(SampleRow.id) == ReviewRow.sample_id)
        .where(col(ReviewRow.dataset_id) == dataset_id, state == "verified", ~col(SampleRow.holdout))
        .order_by(col(SampleRow.id), col(ReviewRow.id))
    )  # fmt: skip
    found: dict[int, Reviewed] = {}
    several: dict[int, list[Reviewed]] = {}
    with store.reading() as session:
        for row in session.execute(query):
            one = _reviewed(row)
            if one.sample_id in found:
                several.setdefault(one.sample_id, [found[one.sample_id]]).append(one)
            else:
                found[one.sample_id] = one
        ids = list(several)
        for start in range(0, len(ids), CHUNK):
            for number, gold in gold_of(session, ids[start : start + CHUNK], kind).items():
                found[number] = _resolved(several[number], gold.origin)
        counts = _counts(session, dataset_id, kind)

    def tally(one: Reviewed) -> Tally:
        return Tally(*counts.get(one.review_id or 0, (0, 0, 0)))

    return {
        number: one._replace(tally=tally(one))
        if one.review_id
        else one._replace(ends=_ends(map(tally, several[number])))
        for number, one in found.items()
    }


def _ends(each: Iterable[Tally]) -> tuple[float, float]:
    known = [one.interval for one in each]
    ends = [one for one in known if one is not None]
    if len(ends) < len(known):
        return 0.0, 1.0
    return float(min(low for low, _ in ends)), float(max(high for _, high in ends))


def _counts(session: Session, dataset_id: int, kind: Kind) -> dict[int, list[int]]:
    """Found, missing and unsure units of every verified review."""
    query = (
        sqlalchemy.select(col(GoldUnitRow.review_id), col(GoldUnitRow.verdict), func.count())
        .where(col(GoldUnitRow.dataset_id) == dataset_id, col(GoldUnitRow.kind) == kind)
        .group_by(col(GoldUnitRow.review_id), col(GoldUnitRow.verdict))
    )
    found: dict[int, list[int]] = {}
    for review_id, verdict, number in session.execute(query):
        found.setdefault(review_id, [0, 0, 0])[VERDICTS.index(verdict)] = int(number)
    return found


def _reviewed(row: Any) -> Reviewed:
    number, key, group, meta, review, origin, shown, annotator, question = row
    named = next((meta[n] for n in ("language", "lang") if isinstance((meta or {}).get(n), str)), "")
    language = named.split("-")[0].lower()
    return Reviewed(
        number, key, group, language, origin, shown, review, annotator,
        question=question if is_hash(key) else "",
    )  # fmt: skip


def _resolved(reviews: Sequence[Reviewed], origin: str) -> Reviewed:
    """Several reviews of one sample: the one whose gold stands, marked unresolved where none does."""
    of_origin = [one for one in reviews if one.origin == origin]
    chosen = of_origin[-1] if origin == "adjudicated" and of_origin else reviews[0]
    return chosen._replace(origin=origin, review_id=None) if origin == "unresolved" else chosen
