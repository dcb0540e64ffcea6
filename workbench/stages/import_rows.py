"""The rows of a file on their way in: what an option asks of them, what an earlier row said, their chunks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from workbench.errors import PurgedError, RowError
from workbench.formats.readers.gold import gold_problem
from workbench.formats.rows import FileRow
from workbench.model import BY, Proposal, Record
from workbench.reviewing.gold import gold_units
from workbench.stages.export_items import pseudonyms
from workbench.store import exports
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.importing import GoldRule, Intake, Outcome, keys_of_text

CHUNK = 2_000  # rows in one transaction: 5,000 hold 18 MB more, and save a fiftieth of the time
CHUNK_UNITS = 8_000  # units in one transaction: 40,000 hold 90 MB more and are no faster
CHUNK_TEXT = 2 << 20  # characters in one transaction: twice as many hold 8 MB more and are no faster


def without_purged(row: FileRow, gone: Mapping[str, str]) -> FileRow:
    """A row of a purged sample as the bad row that it is, also where something else is off with it.

    `gone`: ids and hashes with the day, see `purged_names`.
    """
    if not gone:
        return row
    names: list[Any] = [_id_of(row.raw)]
    if row.record is not None:
        names = [row.record.sample.id, row.record.sample.content_hash]
    day = next((gone[name] for name in names if isinstance(name, str) and name in gone), None)
    if day is None:
        return row
    error = PurgedError(names[0] or names[1], day)
    error.line = row.line
    return replace(row, record=None, error=error)


def _id_of(raw: str) -> Any:
    """The id of a row that could not be read; None without one."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value.get("id") if type(value) is dict else None


def with_gold(row: FileRow, gold: GoldRule) -> FileRow:
    """With `require`, a row without gold is a bad row."""
    if gold == "require" and row.record is not None and not row.record.gold:
        sample = row.record.sample
        if "gold" in sample.meta:  # where a gold of another shape was put
            error = gold_problem(sample.meta["gold"], sample.reference, sample.retrieved_contexts)
        else:
            error = RowError(
                "gold", "nothing", "the gold that --gold stores; --gold-if-given lets rows without in"
            )
        error.line = row.line
        return replace(row, record=None, error=error)
    return row


def own_names(store: Store, info: DatasetInfo) -> dict[str, str]:
    """The annotators of a dataset by the pseudonyms under which its exports name them."""
    if not exports.has_salt(store, info.id):
        return {}
    naming = pseudonyms(exports.salt_of(store, info.id))
    people = exports.annotators(store, info.id).keys() | exports.marked_by(store, info.id)
    return {naming(name): name for name in people}


def with_names(row: FileRow, names: Mapping[str, str]) -> FileRow:
    """A row that comes back from an export, its annotators under their own names: what they said is there
    already, and nobody agrees with a pseudonym of theirs."""
    record = row.record
    if not names or record is None or not (record.gold or record.proposal):
        return row
    gold = tuple(replace(one, annotator=names.get(one.annotator, one.annotator)) for one in record.gold)
    if len({one.annotator for one in gold}) < len(gold):
        twice = RowError("gold", "one annotator's name and pseudonym", "one record for each annotator")
        twice.line = row.line
        return replace(row, record=None, error=twice)
    said = [_by_name(one, names) for one in (record.proposal, *record.others) if one is not None]
    record = replace(record, gold=gold, proposal=said[0] if said else None, others=tuple(said[1:]))
    return replace(row, record=record)


def _by_name(proposal: Proposal, names: Mapping[str, str]) -> Proposal:
    name = proposal.model.removeprefix(BY) if proposal.model.startswith(BY) else ""
    return replace(proposal, model=f"{BY}{names[name]}") if name in names else proposal


def for_samples_of_text(store: Store, intake: Intake, rows: list[FileRow]) -> Iterator[FileRow]:
    """The rows, those without an id for the samples with the same question, reference and contexts.

    Such a row comes once for each of these samples. Without one it stays as it is: a new sample.
    """
    nameless = {
        row.record.sample.content_hash: row.record.sample
        for row in rows
        if row.record is not None and row.record.sample.id in ("", row.record.sample.content_hash)
    }
    keys = keys_of_text(store, intake, nameless.values())
    for row in rows:
        record = row.record
        names = keys.get(record.sample.id or record.sample.content_hash, ()) if record is not None else ()
        if record is None or not names or names == [record.sample.content_hash]:
            yield row
            continue
        intake.by_text += 1
        if len(names) > 1:
            intake.shared += 1
            intake.sharing += len(names)
        for name in names:
            yield replace(row, record=replace(record, sample=replace(record.sample, id=name)))


def chunks(rows: Iterator[FileRow]) -> Iterator[list[FileRow]]:
    """The rows in lists that go in whole, each with at most so many rows, units and so much text."""
    chunk: list[FileRow] = []
    units = size = 0
    for row in rows:
        chunk.append(row)
        size += len(row.raw)
        if row.record is not None and (row.record.gold or row.record.proposal):
            units += _units(row.record)
        if len(chunk) == CHUNK or units >= CHUNK_UNITS or size >= CHUNK_TEXT:
            yield chunk
            chunk, units, size = [], 0, 0
    if chunk:
        yield chunk


def _units(record: Record) -> int:
    """How many units and proposed entities a record has."""
    units = sum(len(gold.entities or ()) + len(gold.statements or ()) for gold in record.gold)
    for proposal in (record.proposal, *record.others):
        if proposal is not None:
            units += len(proposal.reference_entities or ()) + len(proposal.statements or ())
            units += sum(map(len, proposal.context_entities or ()))
    return units


def after_earlier(
    row: FileRow,
    outcome: Outcome | RowError,
    said: dict[tuple[str, str], int],
    gold: GoldRule,
    *,
    update: bool,
) -> Outcome | RowError:
    """What becomes of a row behind the rows before it, where `outcome` is what becomes of it alone.

    `said` remembers a hash for each id and field, so that a large file needs no memory for its texts. A
    row may add what the earlier one does not name, and another proposal goes into a run of its own. With
    `update` it may say anything but another text.
    """
    record = row.record
    assert record is not None
    content = record.sample.content_hash
    name = record.sample.id or content
    again, more = (name, "text") in said, False
    for field, value in _fields(record, content, gold):
        digest = hash(value)
        more = more or (name, field) not in said
        if update and field != "text":
            said[name, field] = digest
        elif said.setdefault((name, field), digest) != digest:
            what = "text" if field == "text" else field
            return RowError("id", f"{name!r} again, with another {what}", f"one {what} for each id")
    if not again or outcome == "unchanged" or isinstance(outcome, RowError):
        return outcome
    return "extended" if more else "unchanged"  # the earlier row brings what this one says too


def _fields(record: Record, content: str, gold: GoldRule) -> Iterator[tuple[str, str]]:
    """What a record says by field, as text to be compared; a field that it does not name is left out."""
    sample = record.sample
    yield "text", content
    given = {"response": sample.response, "group": sample.group, "alternatives": sample.alternatives or None}
    yield from ((field, repr(value)) for field, value in given.items() if value is not None)
    yield from (
        (f"meta.{key}", json.dumps(value, sort_keys=True, default=repr)) for key, value in sample.meta.items()
    )
    yield from ((f"scores.{column}", digits) for column, digits in record.scores.items())
    # one more proposal contradicts nothing, so that what it says stands in the name
    for proposal in (record.proposal, *record.others):
        if proposal is not None:
            yield f"proposal {hash(proposal)}", ""
    for one in record.gold if gold != "ignore" else ():
        for kind, units in (("entities", one.entities), ("statements", one.statements)):
            if units is not None:  # what gold says: units, labels, places, verdicts, in any order
                said = sorted(
                    repr((u.text, u.label, u.spans[:1], u.match.verdict)) for u in gold_units(units)
                )
                yield f"gold of {one.annotator} ({kind})", repr(said)
