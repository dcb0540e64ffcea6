"""The native row that our exports leave in the files of other tools, as an object named `workbench`.

What the tool's own fields say wins. Gold was decided on the question and contexts that the native row has:
where the tool has others by now, its units are a proposal, without verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from workbench.errors import RowError
from workbench.formats.exports import tables as table_exports
from workbench.formats.exports.item import Surroundings
from workbench.formats.json_lines import parse
from workbench.formats.readers import native
from workbench.formats.rows import Notes, check_depth, wrong
from workbench.model import BY, KINDS, Proposal, ProposedEntity, ProposedStatement, Record, Unit
from workbench.scoring.names import SCORERS

OBJECT = "workbench"

_DECIDED_ON = ("user_input", "retrieved_contexts")
_NEW_TEXTS = (
    "question or contexts were changed after the export: they were taken, gold came as a proposal without "
    "verdicts, scores were left out"
)

EXTERNAL = "external."
"""What begins the name of a column of `samples.csv` that holds an external score."""

_EXPORTED = frozenset(
    {
        *table_exports.sample_head(Surroundings("", (), scorers=tuple(SCORERS))),
        *(f"{kind}_{name}" for kind in KINDS for name in table_exports.UNIT_LISTS),
        *(f"{name}_recall" for name in SCORERS),
    }
).difference((*native.REQUIRED, "response", OBJECT))


class Ours(NamedTuple):
    """The record of a `workbench` object, and the spans that were written for it.

    `changed`: question or contexts are others than those that the gold was decided on.
    """

    record: Record
    written: set[tuple[Any, ...]]
    changed: bool


def record(given: Any, fields: Mapping[str, Any], notes: Notes) -> Ours:
    """The record of a `workbench` object, or of its JSON text.

    `fields` are the tool's own `user_input`, `reference`, `retrieved_contexts` and `response`, those of
    them that it has. Raises RowError for an object that is no native row, or that is of another reference.
    """
    if type(given) is str:
        given = parse(given)
    if type(given) is not dict:
        raise wrong(OBJECT, given, "a native row")
    row = {key: value for key, value in given.items() if key != "written"}
    text, kept = fields.get("reference"), row.get("reference")
    if text is not None and kept is not None and kept != text:
        raise RowError(f"{OBJECT}.reference", "another text than the row has", "the text as it was exported")
    row["reference"] = text if text is not None else kept
    if fields.get("response") is not None:
        row["response"] = fields["response"]
    other = {key: value for key, value in row.items() if key not in native.KEYS}
    new = {name: fields[name] for name in _DECIDED_ON if name in fields and fields[name] != row.get(name)}
    scores = {} if new else native.scores_of(row, notes)
    found = native.build(row, notes, scores, other)
    written = _written(given.get("written"), found)
    if not new:
        return Ours(found, written, False)
    texts = {key: value for key, value in row.items() if key not in ("gold", "proposal", "scores")}
    sample = native.build({**texts, **new}, Notes(), {}, other).sample
    proposals = (*_of_gold(found), *_of_reference(found))
    notes.counted[_NEW_TEXTS] += 1
    return Ours(Record(sample, proposals, u=found.u), written, True)


def is_exported(name: str) -> bool:
    """Whether a column of our tables says again what the native row in it says."""
    return name in _EXPORTED


def extended(found: Ours, scores: Mapping[str, str], columns: Mapping[str, Any], notes: Notes) -> Record:
    """The record with the columns that its row has besides: scores, and others for `meta`.

    They say what holds now, so that they win over what was exported. A score that is the same number keeps
    its digits. The exported scores of a row with other texts by now are left out in their columns too.
    """
    record, exported = found.record, dict(found.record.scores)
    for column, digits in scores.items():
        name = column.removeprefix(EXTERNAL)
        if name != column and found.changed:
            continue
        if name not in exported:
            notes.scores[name] += 1
        if name not in exported or float(exported[name]) != float(digits):
            exported[name] = digits
    meta = dict(record.sample.meta)
    added = {name: value for name, value in columns.items() if name not in meta or meta[name] != value}
    check_depth(added, "row")
    notes.kept.update(added.keys())
    return replace(record, sample=replace(record.sample, meta=meta | added), scores=exported)


def _of_gold(found: Record) -> Iterator[Proposal]:
    """The units of each annotator as a proposal, those that settle first."""
    for gold in sorted(found.gold, key=lambda one: not one.marks.adjudicated):
        if gold.entities is not None or gold.statements is not None:
            yield Proposal(
                OBJECT,
                f"{BY}{gold.annotator}",
                None if gold.entities is None else tuple(map(_entity, _counted(gold.entities))),
                None,
                None if gold.statements is None else tuple(map(_statement, _counted(gold.statements))),
            )


def _counted(units: tuple[Unit, ...]) -> Iterator[Unit]:
    return (unit for unit in units if unit.counted)


def _entity(unit: Unit) -> ProposedEntity:
    if not unit.spans:
        return ProposedEntity(unit.text, unit.label)
    return ProposedEntity(unit.text, unit.label, unit.spans[0].start, unit.spans[0].end)


def _statement(unit: Unit) -> ProposedStatement:
    if not unit.spans:
        return ProposedStatement(unit.text)
    return ProposedStatement(unit.text, start=unit.spans[0].start, end=unit.spans[0].end)


def _of_reference(found: Record) -> Iterator[Proposal]:
    """What was proposed of the reference; what was said of the old contexts is left out."""
    for one in found.proposals:
        if one.reference_entities is not None or one.statements is not None:
            said = one.statements
            bare = said and tuple(ProposedStatement(s.text, start=s.start, end=s.end) for s in said)
            yield replace(one, context_entities=None, statements=bare)


def _written(given: Any, found: Record) -> set[tuple[Any, ...]]:
    if given is None:
        units = (unit for gold in found.gold for unit in gold.entities or ())
        return {(span.start, span.end, unit.label) for unit in units for span in unit.spans}
    if type(given) is not list or not all(type(one) is list and len(one) == 3 for one in given):
        raise wrong(f"{OBJECT}.written", given, "a list of [start, end, label]")
    try:
        return {tuple(one) for one in given}
    except TypeError:
        span = next(one for one in given if any(type(part) in (list, dict) for part in one))
        raise wrong(f"{OBJECT}.written", span, "[start, end, label]") from None
