"""Measuring one sample that is in no database: what the Python API calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from typing import Any

from workbench.errors import ProposalError, UsageError
from workbench.formats.readers import ragas
from workbench.formats.rows import Notes, missing
from workbench.matching.units import language_of
from workbench.model import Assessment, Policy, Proposal, Record, Sample
from workbench.scoring.names import SCORERS
from workbench.scoring.scorers import assess_all


def record_of(row: object) -> Record:
    """A sample from what people have: a Sample or Record, a mapping, or an object with named fields.

    Names of ragas (`user_input`, `retrieved_contexts`, …) and deepeval (`input`, `retrieval_context`, …) are
    both read. Raises RowError that names the field.
    """
    if isinstance(row, Record):
        return row
    if isinstance(row, Sample):
        return Record(row)
    if isinstance(row, Mapping):
        fields: dict[str, Any] = dict(row)
    else:
        fields = _fields_of(row)
    fields = {name: value for name, value in fields.items() if value is not None}
    record = ragas.record_of(fields, Notes())
    if not record.contexts_given:
        raise missing("retrieved_contexts", "a list of strings")
    return record


def assess(
    record: Record, scorer: str, *, proposer: str, policy: Policy, match_threshold: int
) -> Assessment | None:
    """The assessment of one scorer; None when the reference is blank, so nothing can be counted.

    Without a proposal of its own the record gets one from `proposer`. Raises UsageError for an unknown
    scorer or proposer, ProposalError when the proposal was not asked for what the scorer counts.
    """
    if scorer not in SCORERS:
        raise UsageError(f"unknown scorer {scorer!r}; there is: {', '.join(SCORERS)}")
    if not record.sample.reference.strip():
        return None
    proposal = record.proposal or propose(record.sample, proposer, policy)
    found = assess_all(record.sample, proposal, policy, threshold=match_threshold)
    if scorer not in found:
        raise ProposalError(
            f"the proposal holds nothing that {scorer} can count; leave it out or complete it"
        )
    return replace(found[scorer], source=f"{scorer} · {proposal.proposer}")


def propose(sample: Sample, proposer: str, policy: Policy) -> Proposal:
    """A proposal for one sample. Raises UsageError for an unknown proposer."""
    if proposer != "rules":
        raise UsageError(f"unknown proposer {proposer!r}; there is: rules")
    from workbench.proposing import rules

    return rules.propose(sample, language_of(sample, policy) or None)


def _fields_of(row: object) -> dict[str, Any]:
    if is_dataclass(row) or not hasattr(row, "model_dump"):
        names = [name for name in dir(row) if not name.startswith("_")]
        return {name: getattr(row, name) for name in names if name in _READ}
    return dict(row.model_dump())


_READ = frozenset(
    ("id", "user_input", "reference", "retrieved_contexts", "response", "meta", "group", "alternatives",
     "input", "expected_output", "retrieval_context", "actual_output",
     "question", "ground_truth", "ground_truths", "contexts", "answer")
)  # fmt: skip
"""Fields read from an object without `model_dump`, such as deepeval's LLMTestCase."""
