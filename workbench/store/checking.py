"""What must hold of the rows of a database, checked on one snapshot; nothing is changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import Row, Select, Table, and_, exists, false, func, not_, select
from sqlmodel import Session

from workbench.errors import SpanError, StoreError
from workbench.model import KINDS, Tally
from workbench.reviewing.documents import edit_of, proposal_of
from workbench.reviewing.fold import fold, gold_units
from workbench.store import assignments
from workbench.store.database import FAILURES, UNREADABLE, self_check
from workbench.store.datasets import list_datasets
from workbench.store.engine import Store
from workbench.store.gold import gold_rows
from workbench.store.journal import projected
from workbench.store.samples import CHUNK, sample_of
from workbench.store.tables import (
    CALIBRATION,
    CALL,
    COLUMN,
    DATASET,
    EVENT,
    EXTERNAL,
    METADATA,
    PLAN,
    POLICY,
    PURGED,
    REVIEW,
    RUN,
    SAMPLE,
    UNIT,
    PolicyRow,
    Review,
    among,
)

UNREAD = (*FAILURES, *UNREADABLE)
LETTERS = {"hash": 32, "sha256": 64}
EPSILON = 1e-6
"""By how much a score may differ from the recall of its counts: ragas divides by slightly more."""


def check(store: Store, progress: Callable[[int], None]) -> Iterator[str]:
    """Yield a line for each row that breaks a rule; `progress` gets the number of rows read."""
    done = 0
    with store.snapshot() as session:
        yield from self_check(session.connection())
        calls = set(session.scalars(select(CALL.id)))
        for table in METADATA.sorted_tables:
            for key in sorted(table.foreign_keys, key=lambda foreign: foreign.parent.name):
                parent = key.column.table.alias("parent").c
                alone = select(key.parent, *table.primary_key).where(~exists().where(parent.id == key.parent))
                for number, *own in session.execute(alone):
                    yield f"{_name(table, own)}: {key.column.table.name} {number} is not there"
            for name, row in _rows(session, table):
                try:
                    yield from (f"{name}: {what}" for what in _wrong(table, row, calls))
                except UNREAD:
                    yield f"{name}: cannot be read"
                done += 1
                progress(done)
        reviews = session.scalars(select(REVIEW.id).order_by(REVIEW.id)).all()
        for start in range(0, len(reviews), CHUNK):
            yield from _reviews(session, reviews[start : start + CHUNK])
        rules = [*_rules()]
        with suppress(StoreError):  # a dataset that cannot be read was named above
            rules += (rule for info in list_datasets(store) for rule in assignments.rules(info))
        for query, sentence in rules:
            try:
                yield from [sentence.format(*row) for row in session.execute(query)]
            except UNREAD:
                yield f"not checked, for a row that cannot be read: {sentence.replace('{}', '…')}"


def _rows(session: Session, table: Table) -> Iterator[tuple[str, Row[Any] | None]]:
    """All rows with their names, one by one from where some cannot be read; None for one that cannot."""
    keys = table.primary_key.columns
    query = select(table).order_by(*keys)
    read = 0
    try:
        for row in session.execute(query, execution_options={"yield_per": CHUNK}):
            read += 1
            yield _name(table, [row._mapping[key] for key in keys]), row
    except UNREAD:
        for named in session.execute(select(*keys).order_by(*keys).offset(read)).all():
            own = (key == value for key, value in zip(keys, named, strict=True))
            try:
                yield _name(table, named), session.execute(select(table).where(*own)).one()
            except UNREAD:
                yield _name(table, named), None


def _name(table: Table, key: Sequence[Any]) -> str:
    return " ".join(map(str, (table.name, *key)))


def _wrong(table: Table, row: Row[Any] | None, calls: set[int]) -> Iterator[str]:
    """What cannot be, as far as the row alone shows it."""
    if row is None:
        yield "cannot be read"
        return
    for column in table.c:
        letters = LETTERS.get(column.name.rpartition("_")[2])
        if letters and not re.fullmatch(f"[0-9a-f]{{{letters}}}", row._mapping[column]):
            yield f"{column.name} is no hash"
    match table.name:
        case "sample":
            sample = sample_of(row)
            if (sample.reference_hash, sample.content_hash) != (row.reference_hash, row.content_hash):
                yield f"the text of {row.key} has another hash than it was stored with"
        case "session":
            if not re.fullmatch("[0-9a-f]{64}", row.key):
                yield "key is no hash"
        case "review_event":
            edit_of(row.op, row.data)
        case "proposal":
            proposal_of(row.document)
            for number in {*(row.calls or ())} - calls:
                yield f"call {number} is not there"
        case "external_score":
            if float(row.digits) != row.value:
                yield f"{row.digits} is stored as {row.value}"
        case "score":
            recall = Tally(row.found, row.missing, row.unsure).recall
            far = recall is not None and row.value is not None and abs(row.value - recall) > EPSILON
            if far or (recall is None) != (row.value is None):
                yield f"{row.value} is not the recall of its counts"


def _reviews(session: Session, numbers: Sequence[int]) -> Iterator[str]:
    """Check some reviews, one by one where something of all at once cannot be read."""

    def of(name: str, column: Any) -> dict[int, list[Row[Any]]]:
        rows: dict[int, list[Row[Any]]] = {number: [] for number in numbers}
        table = METADATA.tables[name]
        for row in session.execute(select(table).where(among(column, numbers)).order_by(table.c.id)):
            rows[row.review_id if "review_id" in table.c else row.id].append(row)
        return rows

    try:
        heads, events = of("review", REVIEW.id), of("review_event", EVENT.review_id)
        units = of("gold_unit", UNIT.review_id)
        texts = select(*SAMPLE).where(SAMPLE.id == REVIEW.sample_id, among(REVIEW.id, numbers))
        samples = {row.id: row for row in session.execute(texts)}
        lines = [
            f"review {number} ({samples[head.sample_id].key}, {head.annotator}): {what}"
            for number in numbers
            for head in heads[number]
            for what in _review(head, events[number], units[number], samples)
        ]
    except UNREAD:
        if len(numbers) == 1:
            yield f"review {numbers[0]}: something that belongs to it cannot be read or is not there"
        else:
            for number in numbers:
                yield from _reviews(session, [number])
    else:
        yield from lines


def _review(
    head: Row[Any], events: Sequence[Row[Any]], units: Sequence[Row[Any]], samples: dict[int, Row[Any]]
) -> Iterator[str]:
    """Whether the journal is whole, and the rows of the review and of its gold are what it folds to."""
    seqs = [event.seq for event in events]
    if seqs != [*range(head.seq + 1)]:
        gone = sorted({*range(head.seq + 1)} - {*seqs})
        yield (
            f"its journal lacks {', '.join(map(str, gone))}" if gone else "its journal is longer than it says"
        )
        return
    state = fold([(event.action, edit_of(event.op, event.data)) for event in events])
    folded = projected(Review._make(head), state)
    for name, value in head._mapping.items():
        if getattr(folded, name) != value:
            yield f"{name} is {value!r}, its journal says {getattr(folded, name)!r}"
    expected: list[dict[str, Any]] = []
    for kind in KINDS:
        if state.of(kind).disposition == "verified":
            try:
                verified = gold_units(state.of(kind).assessment.units)
                expected += gold_rows(verified, sample_of(samples[head.sample_id]), folded)
            except SpanError as error:
                yield str(error)
    there = {(unit.kind, unit.position): unit for unit in units}
    for row in expected:
        unit = there.pop((row["kind"], row["position"]), None)
        if unit is None:
            yield f"its {row['kind']} {row['text']!r} is not in gold_unit"
        elif json.loads(json.dumps(row)) != {name: unit._mapping[name] for name in row}:
            yield f"gold_unit {unit.id} is not what its journal says"
    yield from (f"gold_unit {unit.id} is none of its verified units" for unit in there.values())


def _rules() -> Iterator[tuple[Select[Any], str]]:
    """Queries for rows that others name and no key of the database keeps there, and what to say of each."""
    policies = select(DATASET.name).outerjoin(PolicyRow, POLICY.dataset_id == DATASET.id)
    version, gapless = DATASET.policy_version, func.count(POLICY.id) == func.max(POLICY.version)
    whole = func.coalesce(and_(gapless, func.max(POLICY.version) == version), false())
    own = policies.group_by(DATASET.id, DATASET.name, version)
    yield own.having(not_(whole)), "dataset {}: a version of its policy is not there"
    for what, column, other in (
        ("run", DATASET.run_id, RUN),
        ("calibration", DATASET.calibration_id, CALIBRATION),
    ):
        gone = column.is_not(None), ~exists().where(other.id == column)
        yield select(DATASET.name, column).where(*gone), f"dataset {{}}: {what} {{}} is not there"
    known = exists().where(COLUMN.dataset_id == SAMPLE.dataset_id, COLUMN.column == EXTERNAL.column)
    numbers = select(SAMPLE.dataset_id, EXTERNAL.column).where(EXTERNAL.sample_id == SAMPLE.id, ~known)
    yield numbers.distinct(), "score_column {} {}: is not there"
    unplanned = SAMPLE.holdout, ~exists().where(PLAN.dataset_id == SAMPLE.dataset_id)
    held = select(SAMPLE.dataset_id).where(*unplanned).distinct()
    yield held, "dataset {}: samples are kept back, and their plan is not there"
    again = PURGED.dataset_id == SAMPLE.dataset_id, PURGED.key == SAMPLE.key
    yield select(PURGED.id, SAMPLE.key).where(*again), "purged {}: the sample {} is there"
