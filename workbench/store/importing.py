"""Taking records into a dataset, a chunk in one transaction: what is new is added, nothing is overwritten."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from workbench.errors import PurgedError, RowError
from workbench.model import KINDS, Match, Record, Sample
from workbench.reviewing.edits import Dispose, Edit, Put
from workbench.reviewing.fold import carry, fold
from workbench.store.engine import Store, insert_many
from workbench.store.intake import Extras, Intake, Stored, add_extras
from workbench.store.journal import append_edits, events_of
from workbench.store.plans import LATE_RANK, has_plan, kept_back
from workbench.store.purge import purged_among
from workbench.store.samples import draw, sample_of
from workbench.store.scores import forget_scores
from workbench.store.tables import METADATA, ReviewRow, SampleRow

Outcome = Literal["new", "unchanged", "extended", "updated"]


def add_chunk(
    store: Store, intake: Intake, records: Sequence[Record], *, dry: bool = False
) -> list[Outcome | RowError]:
    """Store a chunk of records with distinct keys; says for each what happened to it.

    A record that is refused (RowError) changes nothing; the others go in together. With `dry` nothing
    is kept, and `intake` may name runs that do not exist: use it once.
    """
    hashed = [(record, record.sample.content_hash) for record in records]
    with store.writing() as session:
        intake.planned = has_plan(session, intake.dataset_id)  # one may have been made since the last chunk
        keys = [record.sample.id or content for record, content in hashed]
        purged = purged_among(session, intake.dataset_id, keys, [content for _, content in hashed])
        inserted = intake.empty and not purged and _insert_all(session, intake, hashed, keys)
        known = {} if inserted else _known(session, intake.dataset_id, keys)
        stored = Stored(session, intake, [row.id for row in known.values() if row.id is not None])
        fresh: list[dict[str, Any]] = []
        outcomes: list[Outcome | RowError] = []
        extras: list[tuple[int, Extras]] = []
        for number, ((record, content), key) in enumerate(zip(hashed, keys, strict=True)):
            row = known.get(key)
            if key in purged or content in purged:
                outcomes.append(PurgedError(key, purged.get(key) or purged[content]))
                continue
            if row is None:
                if not inserted:
                    fresh.append(_new_row(intake, record, key, content))
                outcomes.append("new")
            else:
                same = content == row.content_hash
                of_file = _of_file(intake, row)
                refusal = stored.refuse(record, row.id or 0, of_file=of_file) if same else None
                if not same and not record.contexts_given and row.retrieved_contexts:
                    expected = "its contexts: a row without any does not take away those that are stored"
                    refusal = RowError("retrieved_contexts", f"nothing for id {key!r}", expected)
                outcomes.append(refusal or _meet(session, intake, row, record.sample, content, of_file))
                if not same:
                    stored.forget_scores(row.id or 0)
            if not isinstance(outcomes[-1], RowError) and (
                record.proposal is not None or record.scores or (record.gold and intake.gold != "ignore")
            ):
                extras.append((number, Extras(key, content, record)))
        _insert(session, intake, fresh)
        if extras:
            added = add_extras(session, intake, stored, [extra for _, extra in extras])
            for (number, _), new in zip(extras, added, strict=True):
                if new and outcomes[number] == "unchanged":
                    outcomes[number] = "extended"
        if dry:
            session.rollback()
        return outcomes


def _insert_all(
    session: Session, intake: Intake, hashed: Sequence[tuple[Record, str]], keys: Sequence[str]
) -> bool:
    """Take a chunk for new without looking its keys up, which costs a tenth of an import.

    False, and nothing written, when a key was there already: then every chunk from here on is looked up.
    """
    pairs = zip(hashed, keys, strict=True)
    rows = [_new_row(intake, record, key, content) for (record, content), key in pairs]
    try:
        with session.begin_nested():
            _insert(session, intake, rows)
    except IntegrityError:
        intake.empty = False
        return False
    return True


def _insert(session: Session, intake: Intake, rows: list[dict[str, Any]]) -> None:
    """Store new samples; those that come after the plan outside of it.

    A group or reference of the holdout keeps its new samples with it: nothing stands on both sides.
    """
    if intake.planned and rows:
        groups = {row["group_key"] for row in rows if row["group_key"] is not None}
        back = kept_back(session, intake.dataset_id, groups, {row["reference_hash"] for row in rows})
        for row in rows:
            row |= {
                "rank": LATE_RANK + row["u"],
                "size": 0.0,
                "holdout": row["group_key"] in back.groups or row["reference_hash"] in back.references,
            }
    insert_many(session, METADATA.tables["sample"], rows)
    intake.late += len(rows) if intake.planned else 0


def _known(session: Session, dataset_id: int, keys: Sequence[str]) -> dict[str, SampleRow]:
    rows = session.exec(
        select(SampleRow).where(SampleRow.dataset_id == dataset_id, col(SampleRow.key).in_(keys))
    )
    return {row.key: row for row in rows}


def _new_row(intake: Intake, record: Record, key: str, content: str) -> dict[str, Any]:
    sample = record.sample
    u, blind_u = draw(intake.seed, key)
    if record.u is not None:  # it keeps the place it had in another database
        u = record.u
    return {
        "dataset_id": intake.dataset_id,
        "key": key,
        "user_input": sample.user_input,
        "reference": sample.reference,
        "retrieved_contexts": sample.retrieved_contexts,
        "response": sample.response,
        "alternatives": list(sample.alternatives) or None,
        "group_key": sample.group,
        "meta": dict(sample.meta) or None,
        "reference_hash": sample.reference_hash,
        "content_hash": content,
        "u": u,
        "blind_u": blind_u,
        "rank": u,
        "size": 1.0,
        "stratum": "",
        "holdout": False,
    }


def _of_file(intake: Intake, row: SampleRow) -> bool:
    """Whether an earlier row of the same file brought or updated a sample; remembers that one did."""
    number = row.id or 0
    if number > intake.before or number in intake.met:
        return True
    if intake.update:
        intake.met.add(number)
    return False


def _meet(
    session: Session, intake: Intake, row: SampleRow, sample: Sample, content: str, of_file: bool
) -> Outcome | RowError:
    """A record whose id is there already: add what is missing, refuse what differs unless told to update.

    Another text than an earlier row of the file has is refused in any case: it would take that one's place.
    """
    given = {
        "response": sample.response,
        "group_key": sample.group,
        "alternatives": list(sample.alternatives) or None,
        "meta": {**(row.meta or {}), **sample.meta} or None,  # a key that the row does not name stays
    }
    differing = [name for name, value in given.items() if value is not None and value != getattr(row, name)]
    clashing = [name for name in differing if name != "meta" and getattr(row, name) is not None]
    clashing += [
        f"meta.{key}" for key, value in (row.meta or {}).items() if sample.meta.get(key, value) != value
    ]
    if content != row.content_hash:
        clashing = [_changed_text(row, sample), *clashing]
    if of_file and content != row.content_hash:
        return RowError("id", f"{row.key!r} again, with another text", "one text for each id")
    if clashing and not intake.update:
        where = "of an earlier row of the file" if of_file else "stored before (--update replaces it)"
        return _clash(clashing[0], row.key, where)
    if content != row.content_hash:
        refusal = _replace_text(session, intake, row, sample, content)
        if refusal is not None:
            return refusal
    for name in differing:
        setattr(row, name, given[name])
    if content != row.content_hash or clashing:
        row.content_hash = content
        return "updated"
    return "extended" if differing else "unchanged"


def _clash(field: str, name: str, where: str) -> RowError:
    """The error of a row that says something else for an id than what stands there already."""
    field = "group" if field == "group_key" else field
    thing = {"group": "group", "alternatives": "alternatives"}.get(field, "text")
    if field.startswith("meta."):
        thing = "value"
    other = "other" if thing == "alternatives" else "another"
    return RowError(field, f"{other} {thing} for id {name!r}", f"the {thing} {where}")


def _changed_text(row: SampleRow, sample: Sample) -> str:
    if row.user_input != sample.user_input:
        return "user_input"
    return "reference" if row.reference != sample.reference else "retrieved_contexts"


def _replace_text(
    session: Session, intake: Intake, row: SampleRow, sample: Sample, content: str
) -> RowError | None:
    reviews = session.exec(select(ReviewRow).where(ReviewRow.sample_id == row.id)).all()
    changed = _changed_text(row, sample)
    if changed != "retrieved_contexts" and reviews:
        return RowError(
            changed,
            f"another text for id {row.key!r}, which is reviewed",
            "a new id: gold belongs to its text",
        )
    assert row.id is not None
    before = list(row.retrieved_contexts)
    row.user_input = sample.user_input
    row.reference = sample.reference
    row.reference_hash = sample.reference_hash
    row.retrieved_contexts = list(sample.retrieved_contexts)
    session.flush()
    forget_scores(session, row.id)
    for review in reviews:
        _make_stale(session, intake, review, row, before)
    return None


def _make_stale(
    session: Session, intake: Intake, review: ReviewRow, row: SampleRow, before: Sequence[str]
) -> None:
    """Keep the units of a review whose contexts changed; its verdicts must be decided again."""
    assert review.id is not None
    state = fold(events_of(session, review.id))
    edits: list[Edit] = []
    for kind in KINDS:
        kind_state = state.of(kind)
        units = kind_state.assessment.units
        if units:
            # what does not count loses its verdict too: it may be restored, with evidence in the old text
            aside = (replace(unit, match=Match()) for unit in units if not unit.counted)
            edits.append(Put("match", kind, (*carry(units, before, row.retrieved_contexts), *aside)))
        if kind_state.disposition == "excluded":  # a decision about the reference, which stands
            edits.append(Dispose("excluded", (kind,), reason=kind_state.reason))
        else:  # written without units too: acts before it, also undone ones, quote the old text
            edits.append(Dispose("todo", (kind,), reason="contexts changed"))
    append_edits(session, review, partial(sample_of, row), [(intake.action, edit) for edit in edits])


def keys_of_text(store: Store, intake: Intake, samples: Collection[Sample]) -> dict[str, list[str]]:
    """The ids of the samples of each text that the dataset held before the import, by content hash."""
    if intake.empty or not samples:
        return {}
    found: dict[str, list[str]] = {}
    with store.reading() as session:
        query = select(SampleRow.content_hash, SampleRow.key).where(
            SampleRow.dataset_id == intake.dataset_id,
            col(SampleRow.reference_hash).in_({sample.reference_hash for sample in samples}),  # has an index
            col(SampleRow.content_hash).in_({sample.content_hash for sample in samples}),
            col(SampleRow.id) <= intake.before,
        )
        for content, key in session.exec(query.order_by(col(SampleRow.id))):
            found.setdefault(content, []).append(key)
    return found


def distinct(records: Iterable[Record]) -> list[list[Record]]:
    """Cut a run of records so that no piece holds one key twice."""
    pieces: list[list[Record]] = [[]]
    seen: set[str] = set()
    for record in records:
        key = record.sample.id or record.sample.content_hash
        if key in seen:
            pieces.append([])
            seen.clear()
        seen.add(key)
        pieces[-1].append(record)
    return pieces
