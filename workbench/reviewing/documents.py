"""Nouns and edits as JSON documents and back, with the key names of the native rows.

Keys with their default value are left out; reading fills them in again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from workbench.model import (
    FOUND_IF,
    Assessment,
    Disposition,
    Evidence,
    JsonObject,
    Kind,
    Label,
    Match,
    Policy,
    Proposal,
    ProposedEntity,
    ProposedStatement,
    Span,
    Unit,
)
from workbench.reviewing.edits import PUTS, Accept, Comment, Dispose, Edit, Flag, Open, Put, Redo, Undo

T = TypeVar("T")


_OF_MATCH = ("verdict", "reason", "similarity", "rule", "nested", "note", "alias")
_OF_UNIT = ("label", "origin", "rejected", "duplicate_of", "original_label", "proposed")
"""What has the same name in a match or a unit and in a document."""


def unit_document(unit: Unit) -> JsonObject:
    """One unit with its match; `start`/`end` are the principal span, `spans` the further ones."""
    match, spans = unit.match, unit.spans
    document: JsonObject = {"id": unit.id, "text": unit.text}
    if unit.label:
        document["label"] = unit.label
    if spans:
        document["start"], document["end"] = spans[0].start, spans[0].end
    if len(spans) > 1:
        document["spans"] = [{"start": span.start, "end": span.end} for span in spans[1:]]
    _say(document, match, _OF_MATCH[:2])
    if match.evidence:
        document["evidence"] = [
            {"context": e.context, "start": e.start, "end": e.end} for e in match.evidence
        ]
    _say(document, match, _OF_MATCH[2:])
    document["origin"] = unit.origin
    _say(document, unit, _OF_UNIT[2:])
    return document


def _say(document: JsonObject, noun: Match | Unit, names: Sequence[str]) -> None:
    """Give a document what a match or a unit says, in this order; defaults have no key."""
    for name in names:
        if value := getattr(noun, name):
            document[name] = value


def unit_of(document: Mapping[str, Any], kind: Kind) -> Unit:
    """The unit of a document written by `unit_document`."""

    def given(names: Sequence[str]) -> JsonObject:
        return {name: document[name] for name in names if name in document}

    principal = [document] if "start" in document else []
    spans = tuple([Span(span["start"], span["end"]) for span in (*principal, *document.get("spans", ()))])
    evidence = tuple([Evidence(**place) for place in document.get("evidence", ())])
    match = Match(evidence=evidence, **given(_OF_MATCH))
    return Unit(document["id"], kind, document["text"], spans=spans, match=match, **given(_OF_UNIT))


def assessment_document(assessment: Assessment) -> JsonObject:
    """An assessment as a document."""
    return {
        "kind": assessment.kind,
        "source": assessment.source,
        "units": [unit_document(unit) for unit in assessment.units],
    }


def assessment_of(document: Mapping[str, Any]) -> Assessment:
    """The assessment of a document written by `assessment_document`."""
    kind = document["kind"]
    return Assessment(kind, document["source"], tuple(unit_of(unit, kind) for unit in document["units"]))


def proposal_document(proposal: Proposal) -> JsonObject:
    """A proposal with the keys of a native row's `proposal`."""
    contexts = proposal.context_entities
    document = {
        "model": proposal.model or None,
        "reference_entities": _listed(proposal.reference_entities),
        "context_entities": None if contexts is None else [_listed(entities) for entities in contexts],
        "statements": _listed(proposal.statements),
    }
    said = {key: value for key, value in document.items() if value is not None}
    return {"proposer": proposal.proposer, **said}


def _listed(proposed: Iterable[ProposedEntity | ProposedStatement] | None) -> list[JsonObject] | None:
    """Proposed entities or statements; what one of them does not say has no key."""
    if proposed is None:
        return None
    said = ({name: getattr(each, name) for name in each.__slots__} for each in proposed)
    return [{n: v for n, v in one.items() if v is not None and (v or n != "label")} for one in said]


def proposal_of(document: Mapping[str, Any]) -> Proposal:
    """The proposal of a document written by `proposal_document`."""

    def read(noun: Callable[..., T], documents: list[JsonObject] | None) -> tuple[T, ...] | None:
        return None if documents is None else tuple(noun(**each) for each in documents)

    contexts = document.get("context_entities")
    return Proposal(
        document["proposer"],
        document.get("model", ""),
        read(ProposedEntity, document.get("reference_entities")),
        None if contexts is None else tuple(read(ProposedEntity, each) or () for each in contexts),
        read(ProposedStatement, document.get("statements")),
    )


def policy_document(policy: Policy) -> JsonObject:
    """A policy without its version, which the store gives."""
    return {
        "kinds": list(policy.kinds),
        "labels": {label.key: label.name for label in policy.labels},
        "counted_labels": list(policy.counted_labels),
        "nested": policy.nested,
        "partial": policy.partial,
        "language": policy.language,
        "guidelines": policy.guidelines,
        **{name: "found" for name in FOUND_IF[1:] if getattr(policy, name) == "found"},
    }


def policy_of(document: Mapping[str, Any], version: int) -> Policy:
    """The policy of a document written by `policy_document`."""
    return Policy(
        version=version,
        labels=tuple(Label(key, name) for key, name in document["labels"].items()),
        kinds=tuple(document["kinds"]),
        counted_labels=tuple(document["counted_labels"]),
        **{name: document[name] for name in ("guidelines", "nested", "partial")},
        **{name: document[name] for name in ("derived", "coarser", "language") if name in document},
    )


def edit_document(edit: Edit) -> tuple[str, JsonObject]:
    """The operation's name and its data, as the journal stores them."""
    data: JsonObject = {name: getattr(edit, name) for name in edit.__slots__}
    op = type(edit).__name__.lower()
    match edit:
        case Open():
            data["assessments"] = [assessment_document(assessment) for assessment in edit.assessments]
        case Accept():
            data["assessment"] = assessment_document(edit.assessment)
        case Put():
            op, data["units"] = data.pop("what"), [unit_document(unit) for unit in edit.units]
        case Dispose():
            op, data["kinds"] = data.pop("disposition"), list(edit.kinds)
            if not edit.replaced:
                del data["replaced"]
    return op, data


_DISPOSED: tuple[Disposition, ...] = ("todo", "skipped", "excluded")
_PLAIN: Mapping[str, Callable[..., Edit]] = {"flag": Flag, "comment": Comment, "undo": Undo, "redo": Redo}


def edit_of(op: str, data: Mapping[str, Any]) -> Edit:
    """The edit of a journal row.

    Raises ValueError for an operation this version does not know.
    """
    if op == "open":
        return Open(**{**data, "assessments": tuple(map(assessment_of, data["assessments"]))})
    if op == "accept":
        return Accept(**{**data, "assessment": assessment_of(data["assessment"])})
    if op in PUTS:
        kind = data["kind"]
        return Put(op, kind, tuple(unit_of(unit, kind) for unit in data["units"]))
    if op in _DISPOSED:
        return Dispose(op, **{**data, "kinds": tuple(data["kinds"])})
    if op in _PLAIN:
        return _PLAIN[op](**data)
    raise ValueError(f"unknown operation {op!r} in the journal")
