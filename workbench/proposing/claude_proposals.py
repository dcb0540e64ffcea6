"""From the results of asks to proposals, and how parts of answers are written down and read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from workbench.model import Kind, Proposal, ProposedEntity, ProposedStatement, Sample
from workbench.proposing.claude_asks import Setup, entities_key, statements_key, verdicts_key
from workbench.proposing.claude_prompt import Task
from workbench.proposing.claude_results import Failure, Judged, Part

PROPOSER = "claude"
NO_CONTEXTS = "absent: there are no contexts"

Results = Mapping[str, Part | Failure]
"""What is known by payment key."""


def assemble(
    sample: Sample, setup: Setup, kinds: Sequence[Kind], results: Results
) -> Proposal | Failure | None:
    """The proposal for a sample, or the failure that prevents it; None while something was not asked yet.

    A sample is never proposed in part: one failed text fails it. Entities stand in text order, those that
    their text does not have last; everything else is as said.
    """
    listed: list[tuple[ProposedEntity, ...]] = []
    texts = (sample.reference, *sample.retrieved_contexts) if "entity" in kinds else ()
    for text in texts:
        part = results.get(entities_key(setup, text)) if text.strip() else ()
        if part is None or isinstance(part, Failure):
            return part
        listed.append(_in_text_order(cast("tuple[ProposedEntity, ...]", part), text))
    statements: tuple[ProposedStatement, ...] | None = None
    if "statement" in kinds:
        judged = _statements(sample, setup, results)
        if judged is None or isinstance(judged, Failure):
            return judged
        statements = judged
    return Proposal(
        proposer=PROPOSER,
        model=setup.model,
        reference_entities=listed[0] if listed else None,
        context_entities=tuple(listed[1:]) if listed else None,
        statements=statements,
    )


def _in_text_order(entities: Sequence[ProposedEntity], text: str) -> tuple[ProposedEntity, ...]:
    """By first place; the answer lists them by label."""
    places = {entity.text: text.find(entity.text) for entity in entities}
    return tuple(sorted(entities, key=lambda one: places[one.text] if places[one.text] >= 0 else len(text)))


def _statements(
    sample: Sample, setup: Setup, results: Results
) -> tuple[ProposedStatement, ...] | Failure | None:
    said = results.get(statements_key(setup, sample)) if sample.reference.strip() else ()
    if said is None or isinstance(said, Failure):
        return said
    listed = [str(one) for one in said]
    if not any(one.strip() for one in sample.retrieved_contexts):
        return tuple(ProposedStatement(one, "missing", reason=NO_CONTEXTS) for one in listed)
    judged = results.get(verdicts_key(setup, sample, listed)) if listed else ()
    if judged is None or isinstance(judged, Failure):
        return judged
    contexts = len(sample.retrieved_contexts)
    return tuple(
        ProposedStatement(
            text,
            verdict=one.verdict,
            context=one.context if one.context is not None and 0 <= one.context < contexts else None,
            quote=one.quote,
            reason=one.reason,
        )
        for text, one in zip(listed, cast("tuple[Judged, ...]", judged), strict=True)
    )


def part_document(part: Part) -> list[Any]:
    """A part as JSON values: [text, label] per entity, a string per statement, [verdict, …] per verdict."""
    return [[one.text, one.label] if isinstance(one, ProposedEntity) else one for one in part]


def read_part(task: Task, document: Sequence[Any]) -> Part:
    """A part from its document, equal to the one written."""
    if task == "entities":
        return tuple(ProposedEntity(text, label) for text, label in document)
    if task == "statements":
        return tuple(str(one) for one in document)
    return tuple(Judged(*one) for one in document)
