"""Verified samples as a dataset's figures need them, and the explanations that were worked out before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import delete, func, not_, select

from workbench.comparing.explained import VERSION, Explained, explained_document, explained_of
from workbench.model import VERDICTS, Kind, Tally, named_language
from workbench.store.engine import Store
from workbench.store.gold import load_some
from workbench.store.tables import EXPLAINED, REVIEW, SAMPLE, UNIT, ExplainedRow, among
from workbench.text.safe import BEGINNING, is_hash


class Key(NamedTuple):
    """Under what a sample was explained."""

    run_id: int
    scorer: str
    matcher: str
    threshold: int


class Reviewed(NamedTuple):
    """A sample that somebody verified, and whose gold it is.

    `origin` is "unresolved" where several differ. `review_id` is of the review that the gold came from and
    `tally` what it counts, both None where it is unresolved. `shown`: assisted, blind or import. `stamp`
    changes with text, policy and gold. `ends` are the lowest and the highest recall of the annotators of an
    unresolved sample: 0 and 1 where one of them has no units.
    """

    sample_id: int
    key: str
    group: str | None
    language: str
    origin: str
    shown: str
    off_plan: bool
    review_id: int | None
    annotator: str
    stamp: str
    tally: Tally | None = None
    ends: tuple[float, float] | None = None
    question: str = ""


def reviewed(store: Store, dataset_id: int, kind: Kind, policy: int) -> dict[int, Reviewed]:
    """Every sample with a verified review of that kind, excluded ones too; holdouts are left out.

    `policy` is the version that whoever asks works with.
    """
    query = (
        select(
            SAMPLE.id, SAMPLE.key, SAMPLE.group_key, SAMPLE.meta, SAMPLE.content_hash,
            REVIEW.id, REVIEW.seq, REVIEW.origin, REVIEW.shown, REVIEW.off_plan, REVIEW.annotator,
            func.substr(SAMPLE.user_input, 1, BEGINNING),
        )
        .where(
            REVIEW.dataset_id == dataset_id,
            REVIEW[kind] == "verified",
            SAMPLE.id == REVIEW.sample_id,
            not_(SAMPLE.holdout),
        )
        .order_by(SAMPLE.id, REVIEW.id)
    )  # fmt: skip
    with store.reading():
        counts = _counts(store, dataset_id, kind)
        each: dict[int, list[Reviewed]] = {}
        for row in store.rows(query):
            review = _reviewed(row, kind, policy, counts)
            each.setdefault(review.sample_id, []).append(review)
        gold = load_some(store, [number for number, reviews in each.items() if len(reviews) > 1], kind)
    return {
        number: _resolved(reviews, gold[number].origin) if number in gold else reviews[0]
        for number, reviews in each.items()
    }


def _ends(each: Iterable[Tally]) -> tuple[float, float]:
    known = [tally.interval for tally in each]
    ends = [interval for interval in known if interval is not None]
    if len(ends) < len(known):
        return 0.0, 1.0
    return float(min(low for low, _ in ends)), float(max(high for _, high in ends))


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


def _reviewed(row: Any, kind: Kind, policy: int, counts: Mapping[int, Sequence[int]]) -> Reviewed:
    number, key, group, meta, content, review, seq, origin, shown, off_plan, annotator, question = row
    language = named_language(meta or {})
    stamp = f"{VERSION}.{kind}.{policy}.{content[:16]}.{language}.{review}.{seq}"
    return Reviewed(
        number, key, group, language, origin, shown, bool(off_plan), review, annotator, stamp,
        Tally(*counts.get(review, (0, 0, 0))), question=question if is_hash(key) else "",
    )  # fmt: skip


def _resolved(reviews: Sequence[Reviewed], origin: str) -> Reviewed:
    """Several reviews of one sample: the one whose gold stands, marked unresolved where none does."""
    of_origin = [review for review in reviews if review.origin == origin]
    chosen = of_origin[-1] if origin == "adjudicated" and of_origin else reviews[0]
    chosen = chosen._replace(stamp="+".join(review.stamp for review in reviews))
    if origin != "unresolved":
        return chosen
    ends = _ends(review.tally for review in reviews if review.tally is not None)
    return chosen._replace(origin=origin, review_id=None, tally=None, ends=ends)


def load_explained(store: Store, dataset_id: int, at: Key) -> dict[int, tuple[str, Explained]]:
    """What was worked out before, by sample, with the stamp it holds for."""
    query = select(EXPLAINED.sample_id, EXPLAINED.stamp, EXPLAINED.document).where(
        SAMPLE.id == EXPLAINED.sample_id, SAMPLE.dataset_id == dataset_id, *_at(at)
    )
    with store.reading():
        rows = store.rows(query)
        return {number: (stamp, explained_of(document)) for number, stamp, document in rows}


def save_explained(store: Store, at: Key, rows: Mapping[int, tuple[str, Explained]]) -> None:
    """Keep what was worked out, in one transaction; what was there of these samples is replaced."""
    if not rows:
        return
    with store.writing() as session:
        session.execute(delete(ExplainedRow).where(among(EXPLAINED.sample_id, rows), *_at(at)))
        documents = [
            {"sample_id": n, **at._asdict(), "stamp": stamp, "document": explained_document(one)}
            for n, (stamp, one) in rows.items()
        ]
        store.insert(ExplainedRow, documents)


def _at(at: Key) -> tuple[Any, ...]:
    return tuple(EXPLAINED[name] == value for name, value in at._asdict().items())
