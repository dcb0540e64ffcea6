"""Nouns and edits as JSON documents and back, with the key names of the native rows.

Keys with their default value are left out; reading fills them in again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workbench.model import (
    FOUND_IF,
    Assessment,
    Evidence,
    Label,
    Match,
    Policy,
    Proposal,
    ProposedEntity,
    ProposedStatement,
    Span,
    Unit,
)
from workbench.reviewing.edits import Accept, Comment, Dispose, Edit, Flag, Open, Put, Redo, Undo

Document = dict[str, Any]


def unit_document(unit: Unit) -> Document:
    """One unit with its match; `start`/`end` are the principal span, `spans` the further ones."""
    # Key by key: a loop over pairs takes 3 times as long, and an import makes two of these for every unit.
    match, spans = unit.match, unit.spans
    document: Document = {"id": unit.id, "text": unit.text}
    if unit.label:
        document["label"] = unit.label
    if spans:
        document["start"], document["end"] = spans[0].start, spans[0].end
        if len(spans) > 1:
            document["spans"] = [{"start": span.start, "end": span.end} for span in spans[1:]]
    if match.verdict:
        document["verdict"] = match.verdict
    if match.reason:
        document["reason"] = match.reason
    if match.evidence:
        document["evidence"] = [
            {"context": e.context, "start": e.start, "end": e.end} for e in match.evidence
        ]
    if match.similarity:
        document["similarity"] = match.similarity
    if match.rule:
        document["rule"] = match.rule
    if match.nested:
        document["nested"] = match.nested
    if match.note:
        document["note"] = match.note
    if match.alias:
        document["alias"] = True
    document["origin"] = unit.origin
    if unit.rejected:
        document["rejected"] = unit.rejected
    if unit.duplicate_of:
        document["duplicate_of"] = unit.duplicate_of
    if unit.original_label:
        document["original_label"] = unit.original_label
    if unit.proposed:
        document["proposed"] = unit.proposed
    return document


def unit_of(document: Mapping[str, Any], kind: str) -> Unit:
    """The unit of a document written by `unit_document`."""
    get = document.get
    start = get("start")
    spans: tuple[Span, ...] = () if start is None else (Span(start, document["end"]),)
    if "spans" in document:
        spans += tuple(Span(span["start"], span["end"]) for span in document["spans"])
    evidence = tuple([Evidence(e["context"], e["start"], e["end"]) for e in get("evidence", ())])
    return Unit(
        document["id"],
        "entity" if kind == "entity" else "statement",
        document["text"],
        get("label", ""),
        spans,
        Match(
            get("verdict"), get("reason"), evidence, get("similarity", 0), get("rule", ""),
            get("nested", False), get("note", ""), get("alias", False),
        ),
        get("origin", "proposed"),
        get("rejected", False),
        get("duplicate_of", ""),
        get("original_label", ""),
        get("proposed", ""),
    )  # fmt: skip


def assessment_document(assessment: Assessment) -> Document:
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


def proposal_document(proposal: Proposal) -> Document:
    """A proposal with the keys of a native row's `proposal`."""
    document: Document = {"proposer": proposal.proposer}
    if proposal.model:
        document["model"] = proposal.model
    if proposal.reference_entities is not None:
        document["reference_entities"] = [proposed_document(entity) for entity in proposal.reference_entities]
    if proposal.context_entities is not None:
        document["context_entities"] = [
            [proposed_document(entity) for entity in entities] for entities in proposal.context_entities
        ]
    if proposal.statements is not None:
        document["statements"] = [proposed_document(statement) for statement in proposal.statements]
    return document


def proposal_of(document: Mapping[str, Any]) -> Proposal:
    """The proposal of a document written by `proposal_document`."""
    entities = document.get("reference_entities")
    contexts = document.get("context_entities")
    statements = document.get("statements")
    return Proposal(
        proposer=document["proposer"],
        model=document.get("model", ""),
        reference_entities=None if entities is None else tuple(ProposedEntity(**e) for e in entities),
        context_entities=None
        if contexts is None
        else tuple(tuple(ProposedEntity(**e) for e in context) for context in contexts),
        statements=None if statements is None else tuple(ProposedStatement(**s) for s in statements),
    )


def proposed_document(proposed: ProposedEntity | ProposedStatement) -> Document:
    """A proposed entity or statement; what it does not say has no key."""
    values = ((name, getattr(proposed, name)) for name in proposed.__slots__)
    return {name: value for name, value in values if value is not None and (value or name != "label")}


def policy_document(policy: Policy) -> Document:
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
        guidelines=document["guidelines"],
        kinds=tuple(document["kinds"]),
        counted_labels=tuple(document["counted_labels"]),
        nested=document["nested"],
        derived=document.get("derived", "missing"),
        coarser=document.get("coarser", "missing"),
        partial=document["partial"],
        language=document.get("language", ""),
    )


def edit_document(edit: Edit) -> tuple[str, Document]:
    """The operation's name and its data, as the journal stores them."""
    data: Document = {name: getattr(edit, name) for name in edit.__slots__}
    match edit:
        case Open():
            shown = [assessment_document(assessment) for assessment in edit.assessments]
            return "open", {**data, "assessments": shown}
        case Put():
            return edit.what, {"kind": edit.kind, "units": [unit_document(unit) for unit in edit.units]}
        case Accept():
            return "accept", {**data, "assessment": assessment_document(edit.assessment)}
        case Dispose():
            replaced = {"replaced": edit.replaced} if edit.replaced else {}
            return edit.disposition, {"kinds": list(edit.kinds), "reason": edit.reason, **replaced}
    return type(edit).__name__.lower(), data


_PLAIN: Mapping[str, Callable[..., Edit]] = {"flag": Flag, "comment": Comment, "undo": Undo, "redo": Redo}


def edit_of(op: str, data: Mapping[str, Any]) -> Edit:
    """The edit of a journal row.

    Raises ValueError for an operation this version does not know.
    """
    match op:
        case "open":
            assessments = tuple(assessment_of(assessment) for assessment in data["assessments"])
            return Open(**{**data, "assessments": assessments})
        case "add" | "reject" | "restore" | "relabel" | "boundary" | "match" | "merge" | "split" | "take":
            units = tuple(unit_of(unit, data["kind"]) for unit in data["units"])
            return Put(op, data["kind"], units)
        case "accept":
            return Accept(**{**data, "assessment": assessment_of(data["assessment"])})
        case "todo" | "skipped" | "excluded":
            return Dispose(op, tuple(data["kinds"]), data["reason"], data.get("replaced", ""))
    if op in _PLAIN:
        return _PLAIN[op](**data)
    raise ValueError(f"unknown operation {op!r} in the journal")
