"""Native JSON Lines: one sample an object, with the proposal, gold and scores that came with it.

Our exports leave the native row in the files of other tools, as an object named `workbench`. What the tool's
own fields say wins. Gold was decided on the question and contexts that the native row has: where the tool has
others by now, its units are a proposal, without verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from workbench.errors import RowError
from workbench.formats import columns
from workbench.formats.columns import REQUIRED, is_number
from workbench.formats.exports import tables as table_exports
from workbench.formats.exports.item import Surroundings
from workbench.formats.json_lines import RawRow, parse
from workbench.formats.readers.gold import gold_of, other_shape, proposals_of
from workbench.formats.rows import (
    CONTEXTS_LIMIT,
    OBJECT,
    FileRow,
    Notes,
    as_object,
    check_depth,
    excerpt,
    refused,
    rest_of,
    strings,
    wrong,
)
from workbench.model import (
    BY,
    KINDS,
    GoldRecord,
    JsonObject,
    Proposal,
    ProposedEntity,
    ProposedStatement,
    Record,
    Sample,
    Unit,
    text_hash,
)
from workbench.scoring.names import SCORERS

ONLY_HERE = frozenset({"id", "meta", "group", "alternatives", "proposal", "gold", "scores", "u"})
KEYS = frozenset({*REQUIRED, "response", *ONLY_HERE, "_error"})  # `_error`: a fixed row of a rejected file

_PLAIN = frozenset({*REQUIRED, "id", "response", "group", "meta"})

MULTI_TURN = ("user_input", "a list of messages", "a string: multi-turn samples are not scored by recall")
"""The error for a conversation in place of a question."""

Build = Callable[[JsonObject, Notes], Record]
"""Makes a record of an object whose keys `--map` and `--external` may have renamed already. A reader renames
its own keys and ends in `ragas.record_of`, which takes scores by their names."""


def rows(given: Iterator[RawRow], path: Path, notes: Notes, build: Build) -> Iterator[FileRow]:
    """The rows of a stream of objects; `build` makes the record of each."""
    own = notes.of_row()
    for row in given:
        own.line, own.item = row.line, row.item
        record, error = None, row.error
        if row.value is not None:
            try:
                value = columns.listed(row.value)
                if columns.scores_alone(value):  # then with the texts of the sample that has its id
                    if (texts := notes.texts_of(str(value["id"]))) is None:
                        expected = "the id of a sample in the dataset, or the row's question and reference"
                        raise wrong("id", value["id"], expected)
                    value = {**value, **texts}
                record = build(value, own)
            except (RowError, RecursionError) as failure:
                error = failure
            notes.take(own, good=record is not None)
        placed = None if error is None else refused(error, path, row.line, row.item)
        yield FileRow(path, row.line, record, placed, row.raw, row.item)


def record_of(row: JsonObject, notes: Notes) -> Record:
    """The record of a native row. Unknown keys go to `meta`, columns of known metrics to the scores."""
    if _PLAIN.issuperset(row):
        return Record(
            _sample(row, notes), contexts_given=_has(row, "retrieved_contexts"), named=_has(row, "id")
        )
    scores = scores_of(row, notes)
    other = rest_of(row, KEYS)
    read = {key: columns.number_cell(value, key) for key, value in other.items() if columns.is_metric(key)}
    metrics = {key: value for key, value in read.items() if value is None or is_number(value)}
    return build(row, notes, scores | _digits(metrics, notes), rest_of(other, metrics))


def build(row: JsonObject, notes: Notes, scores: dict[str, str], other: JsonObject) -> Record:
    """The record of a row with native keys. Raises RowError.

    `scores` were read by the caller; `other` holds what has no place of its own and goes to `meta`.
    """
    sample = _sample(row, notes)
    for name, value in other.items():
        notes.keep(name, value, metric=columns.is_metric(name) and not is_number(value))
        if is_number(value):
            notes.numbers[name] += 1
        if (share := columns.share_of(value)) is not None:
            notes.shares[name, 0 < share < 1] += 1
    proposals: tuple[Proposal, ...] = ()
    gold: tuple[GoldRecord, ...] = ()
    if (given := row.get("proposal")) is not None:
        suggestions = proposals_of(given, sample.reference, sample.retrieved_contexts, notes)
        if suggestions is None:
            other = {**other, "proposal": given}
            notes.seen["proposal"] += 1
        proposals = suggestions or ()
    if (given := row.get("gold")) is not None:
        records = gold_of(given, sample.reference, sample.retrieved_contexts, notes)
        if records is None:
            other = {**other, "gold": given}
            notes.example("gold", str(other_shape(given)))
        gold = records or ()
    u = row.get("u")
    if u is not None and (not is_number(u) or not 0 <= u < 1):
        raise wrong("u", u, "a number from 0 to below 1")
    if other:
        check_depth(other, "row")
        clashes = {key: value for key, value in other.items() if key in sample.meta}
        meta = {**sample.meta, **other, **sample.meta}
        if clashes:  # a name that `meta` has already
            extra = "_extra"
            while extra in meta:
                extra += "_"
            meta[extra] = clashes
        sample = replace(sample, meta=meta)
    number = None if u is None else float(u)
    given = _has(row, "retrieved_contexts")
    return Record(sample, proposals, gold, scores, number, given, _has(row, "id"))


def _has(row: JsonObject, name: str) -> bool:
    return row.get(name) not in (None, "")


def _sample(row: JsonObject, notes: Notes) -> Sample:
    """The sample of a row; every row passes here, so it asks as little as it can."""
    get = row.get
    question, reference, contexts = get("user_input"), get("reference"), get("retrieved_contexts")
    if contexts is None:
        contexts = []
    if type(question) is not str or type(reference) is not str or type(contexts) is not list:
        raise _incomplete(row)
    if dict in map(type, contexts):
        contexts = columns.context_texts(contexts, notes)
    strings(contexts, "retrieved_contexts")
    if not reference or reference.isspace():
        notes.counted["blank reference, so that there is nothing to verify"] += 1
    if len(contexts) > CONTEXTS_LIMIT:
        raise RowError("retrieved_contexts", f"{len(contexts):,} contexts", f"at most {CONTEXTS_LIMIT:,}")
    name, response, group, meta = get("id"), get("response"), get("group"), get("meta")
    if type(name) is not str or not name:
        name = _name(name, "id") or text_hash(question, reference, *contexts)
    if response is not None and type(response) is not str:
        raise wrong("response", response, "a string")
    if group == "" or (group is not None and type(group) is not str):
        group = _name(group, "group")
    if meta is None:
        meta = {}
    elif type(meta) is not dict:
        raise wrong("meta", meta, "an object")
    for value in meta.values():
        if type(value) is dict or type(value) is list:
            check_depth(value, "meta")
    alternatives = _alternatives(row["alternatives"], notes) if "alternatives" in row else ()
    return Sample(name, question, reference, tuple(contexts), response, group, meta, alternatives)


def _incomplete(row: JsonObject) -> RowError:
    """Which of the required fields is missing or of the wrong type."""
    for field in REQUIRED:
        value = row.get(field)
        expected = "a list of strings" if field == "retrieved_contexts" else "a string"
        if value is None and field != "retrieved_contexts":
            others = rest_of(row, {*KEYS, *columns.FIELD_OF})
            named = columns.likely_column(field, others) or "COLUMN or COLUMN.KEY"
            return RowError(field, "nothing", f"{expected} (missing); --map {field}={named} names it")
        if field == "user_input" and type(value) is list:
            return RowError(*MULTI_TURN)
        if type(value) is not (list if field == "retrieved_contexts" else str):
            return wrong(field, value, expected)
    raise AssertionError("every required field is there")


def _name(value: Any, field: str) -> str | None:
    """An id or group: a string, or an integer as one; empty is as good as none."""
    if value is None or value == "":
        return None
    if type(value) is str or (type(value) is int and value.bit_length() < 1_000):
        return str(value)
    raise wrong(field, value, "a string")


def _alternatives(value: Any, notes: Notes) -> tuple[str, ...]:
    if value is not None and type(value) is not list:
        raise wrong("alternatives", value, "a list of strings")
    notes.seen["alternatives"] += bool(value)
    return tuple(strings(value or [], "alternatives"))


def scores_of(row: JsonObject, notes: Notes) -> dict[str, str]:
    """`scores` of a row with the digits of the file; null and NaN are no score. Raises RowError."""
    if row.get("scores") is None:
        return {}
    given = as_object(row["scores"], "scores", "an object of numbers")
    read = {name: columns.number_cell(value, name) for name, value in given.items()}
    for name, number in read.items():
        if number is not None and not is_number(number):
            raise wrong(f"scores.{excerpt(name)}", number, "a number or null")
    return _digits(read, notes)


def _digits(given: JsonObject, notes: Notes) -> dict[str, str]:
    """The scores that are there with the digits of the file; the others are noted."""
    there = {name: number for name, number in given.items() if number is not None}
    notes.failed.update(columns.kept_as(name, given) for name in given.keys() - there.keys())
    return columns.number_texts(there, given)


_DECIDED_ON = ("user_input", "retrieved_contexts")
_NEW_TEXTS = (
    "question or contexts were changed after the export: they were taken, gold came as a proposal without "
    "verdicts, scores were left out"
)

EXTERNAL = "external."
"""What begins the name of a column of `samples.csv` that holds an external score."""

_EXPORTED = frozenset(
    {
        *table_exports.sample_head(Surroundings("", ())),
        *(f"{kind}_{name}" for kind in KINDS for name in table_exports.UNIT_LISTS),
        *(f"{name}_recall" for name in SCORERS),
    }
).difference((*REQUIRED, "response", OBJECT))


class Ours(NamedTuple):
    """The record of a `workbench` object, and the spans that were written for it.

    `changed`: question or contexts are others than those that the gold was decided on.
    """

    record: Record
    written: set[tuple[Any, ...]]
    changed: bool


def record(given: Any, fields: JsonObject, notes: Notes) -> Ours:
    """The record of a `workbench` object, or of its JSON text.

    `fields` are the tool's own `user_input`, `reference`, `retrieved_contexts` and `response`, those of
    them that it has. Raises RowError for an object that is no native row, or that is of another reference.
    """
    if type(given) is str:
        given = parse(given)
    if type(given) is not dict:
        raise wrong(OBJECT, given, "a native row")
    row = rest_of(given, {"written"})
    text, reference = fields.get("reference"), row.get("reference")
    if text is not None and reference is not None and reference != text:
        raise RowError(f"{OBJECT}.reference", "another text than the row has", "the text as it was exported")
    row["reference"] = text if text is not None else reference
    if fields.get("response") is not None:
        row["response"] = fields["response"]
    other = rest_of(row, KEYS)
    new = {name: fields[name] for name in _DECIDED_ON if name in fields and fields[name] != row.get(name)}
    scores = {} if new else scores_of(row, notes)
    source = build(row, notes, scores, other)
    written = _written(given.get("written"), source)
    if not new:
        return Ours(source, written, False)
    texts = rest_of(row, ("gold", "proposal", "scores"))
    sample = build({**texts, **new}, Notes(), {}, other).sample
    proposals = (*_of_gold(source), *_of_reference(source))
    notes.counted[_NEW_TEXTS] += 1
    return Ours(Record(sample, proposals, u=source.u, named=source.named), written, True)


def is_exported(name: str) -> bool:
    """Whether a column of our tables says again what the native row in it says."""
    return name in _EXPORTED


def extended(ours: Ours, scores: Mapping[str, str], columns: JsonObject, notes: Notes) -> Record:
    """The record with the columns that its row has besides: scores, and others for `meta`.

    They say what holds now, so that they win over what was exported. A score that is the same number keeps
    its digits. The exported scores of a row with other texts by now are left out in their columns too.
    """
    record, exported = ours.record, dict(ours.record.scores)
    for column, digits in scores.items():
        name = column.removeprefix(EXTERNAL)
        if name != column and ours.changed:
            continue
        if name not in exported or float(exported[name]) != float(digits):
            exported[name] = digits
    meta = dict(record.sample.meta)
    added = {name: value for name, value in columns.items() if name not in meta or meta[name] != value}
    check_depth(added, "row")
    notes.kept.update(added.keys())
    return replace(record, sample=replace(record.sample, meta=meta | added), scores=exported)


def _of_gold(source: Record) -> Iterator[Proposal]:
    """The units of each annotator as a proposal, those that settle first."""
    for gold in sorted(source.gold, key=lambda annotation: not annotation.marks.adjudicated):
        if not gold.units:
            continue
        entities, statements = gold.entities, gold.statements
        yield Proposal(
            OBJECT,
            f"{BY}{gold.annotator}",
            None
            if entities is None
            else tuple(ProposedEntity(u.text, u.label, *u.ends) for u in entities if u.counted),
            None,
            None if statements is None else tuple(_statement(u) for u in statements if u.counted),
        )


def _statement(unit: Unit) -> ProposedStatement:
    start, end = unit.ends
    return ProposedStatement(unit.text, start=start, end=end)


def _of_reference(source: Record) -> Iterator[Proposal]:
    """What was proposed of the reference; what was said of the old contexts is left out."""
    for proposal in source.proposals:
        if proposal.reference_entities is not None or proposal.statements is not None:
            statements = proposal.statements
            bare = statements and tuple(
                ProposedStatement(s.text, start=s.start, end=s.end) for s in statements
            )
            yield replace(proposal, context_entities=None, statements=bare)


def _written(given: Any, source: Record) -> set[tuple[Any, ...]]:
    if given is None:
        units = (unit for gold in source.gold for unit in gold.entities or ())
        return {(span.start, span.end, unit.label) for unit in units for span in unit.spans}
    try:
        if not all(type(unit) is list for unit in (given, *given)):
            raise TypeError
        return {(start, end, label) for start, end, label in given}
    except (TypeError, ValueError):
        raise wrong(f"{OBJECT}.written", given, "a list of [start, end, label]") from None
