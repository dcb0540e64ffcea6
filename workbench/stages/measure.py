"""Measuring samples that are in no database: what the Python API calls."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from workbench.errors import ProposalError, UsageError
from workbench.formats import columns
from workbench.formats.readers import ragas
from workbench.formats.rows import Notes, missing
from workbench.matching.units import language_of
from workbench.model import Assessment, Kind, Policy, Proposal, Record, Sample
from workbench.scoring.scorers import assess_all


@dataclass(frozen=True, slots=True)
class Claude:
    """How Claude is asked, as by `workbench propose --proposer claude`.

    `prompt` is a prompt file. With a `database` (and its `dataset`, if it has several) what was paid for
    there is not asked again, new answers are stored there, its policy holds, and `examples` verified samples
    are shown in the prompt. `max_cost` is in dollars, for all samples together; None: without a limit.
    """

    model: str = "claude-haiku-5-5"
    effort: str | None = "low"
    max_tokens: int = 16_000
    prompt: Path | None = None
    examples: int = 0
    database: str | PathLike[str] | None = None
    dataset: str | None = None
    max_cost: float | None = 5.0


class Proposer(Protocol):
    """Who names the units of samples. `policy` is its own, if it has one; `name` is shown with each score."""

    @property
    def name(self) -> str: ...

    @property
    def policy(self) -> Policy | None: ...

    async def propose(self, samples: Sequence[Sample], kind: Kind, /) -> list[Proposal]:
        """A proposal for each sample, with the units of a kind at least."""
        ...


class RulesProposer:
    """The rules: no key, no network."""

    name = "rules"

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    async def propose(self, samples: Sequence[Sample], _kind: Kind) -> list[Proposal]:
        """A proposal for each sample."""
        return await asyncio.to_thread(self._propose, samples)

    def _propose(self, samples: Sequence[Sample]) -> list[Proposal]:
        from workbench.proposing import rules

        return [rules.propose(sample, language_of(sample, self.policy) or None) for sample in samples]


def proposer_of(given: Any, template: Mapping[str, str] | None, policy: Policy) -> Proposer:
    """The proposer of what a person gave: `rules`, `claude`, a Claude, a model object, a function.

    Raises UsageError for anything else, and for a template that nobody would read.
    """
    if isinstance(given, RulesProposer):
        return given
    if isinstance(given, str) and given == "rules":
        if template:
            raise UsageError("template= replaces a section of a prompt: rules have none")
        return RulesProposer(policy)
    from workbench.stages.judges import judge_of

    return judge_of(given, template or {}, policy)


def rows_of(samples: Any) -> Iterable[object]:
    """The samples one by one. The rows of a pandas DataFrame come without their empty cells."""
    if not (hasattr(samples, "columns") and hasattr(samples, "to_dict")):
        given: Iterable[object] = samples
        return given
    rows = samples.to_dict("records")
    return [{str(name): _cell(name, cell) for name, cell in row.items() if not _empty(cell)} for row in rows]


def record_of(row: object) -> Record:
    """A sample from what people have: a Sample or Record, a mapping, or an object with named fields.

    Names of ragas (`user_input`, `retrieved_contexts`, …) and deepeval (`input`, `retrieval_context`, …) are
    both read; a context may be a text or a Document of LangChain. Raises RowError that names the field.
    """
    if isinstance(row, Record):
        return row
    if isinstance(row, Sample):
        return Record(row)
    fields: dict[str, Any] = dict(row) if isinstance(row, Mapping) else _fields_of(row)
    fields = {name: _plain(name, value) for name, value in fields.items() if value is not None}
    record = ragas.record_of(fields, Notes())
    if not record.contexts_given:
        raise missing("retrieved_contexts", "a list of strings")
    return record


async def proposals_for(records: Sequence[Record], proposer: Proposer, kind: Kind) -> list[Proposal | None]:
    """The proposal of each record: its own, else one of `proposer`; None for a blank reference."""
    needed = [one for one in records if one.proposal is None and one.sample.reference.strip()]
    made = iter(await proposer.propose([one.sample for one in needed], kind) if needed else ())
    return [None if not one.sample.reference.strip() else one.proposal or next(made) for one in records]


def assess(
    record: Record, proposal: Proposal | None, scorer: str, *, policy: Policy, match_threshold: int
) -> Assessment | None:
    """The assessment of one scorer; None without a proposal: the reference is blank, nothing can be counted.

    Raises ProposalError when the proposal was not asked for what the scorer counts.
    """
    if proposal is None:
        return None
    found = assess_all(record.sample, proposal, policy, threshold=match_threshold, only=scorer)
    if scorer not in found:
        raise ProposalError(
            f"the proposal holds nothing that {scorer} can count; leave it out or complete it"
        )
    return replace(found[scorer], source=f"{scorer} · {proposal.proposer}")


def _plain(name: str, value: Any) -> Any:
    """A value as a file would have it: a Document of LangChain is its text."""
    if columns.FIELD_OF.get(name) != "retrieved_contexts" or not isinstance(value, list | tuple):
        return value
    return [getattr(context, "page_content", context) for context in value]


def _empty(cell: Any) -> bool:
    return (
        cell is None
        or type(cell).__name__ in ("NAType", "NaTType")
        or (isinstance(cell, float) and cell != cell)
    )


def _cell(name: object, cell: Any) -> Any:
    """A cell as JSON would have it: a value or an array of numpy, a list that a CSV file holds as text."""
    if isinstance(cell, str):
        return columns.list_cell(cell, str(name)) if name in columns.LIST_CELLS else cell
    return cell.tolist() if hasattr(cell, "tolist") else cell


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
