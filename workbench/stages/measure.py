"""Measuring samples that are in no database: what the Python API calls."""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from workbench.errors import ProposalError, RowError, UsageError
from workbench.formats import columns
from workbench.formats.readers import ragas
from workbench.formats.rows import Notes, wrong
from workbench.formats.tables import as_python, given_rows, is_frame, plain
from workbench.matching import no_threshold
from workbench.matching.units import language_of
from workbench.model import Assessment, JsonObject, Kind, Matching, Policy, Proposal, Record, Sample, is_real
from workbench.proposing import rules
from workbench.scoring.scorers import assess_all


@dataclass(frozen=True)
class Claude:
    """How Claude is asked, as by `workbench propose --proposer claude`.

    `prompt` is a prompt file, `base_url` another address of the service. With a `database` (and its
    `dataset`, if it has several) what was paid for there is not asked again, new answers are stored there,
    its policy holds, and `examples` verified samples are shown in the prompt. `max_cost` is in dollars, for
    all samples together; None: without a limit.
    """

    proposer: ClassVar[str] = "claude"
    model: str = "claude-haiku-5-5"
    effort: str | None = "low"
    max_tokens: int = 16_000
    prompt: Path | None = None
    examples: int = 0
    database: str | PathLike[str] | None = None
    dataset: str | None = None
    max_cost: float | None = 5.0
    base_url: str = ""


@dataclass(frozen=True, kw_only=True)
class OpenAI(Claude):
    """How OpenAI, or a service with its interface, is asked, as by `workbench propose --proposer openai`.

    `base_url` is the address of the service, with /v1; OPENAI_API_KEY holds the key. The others are those of
    `Claude`. `max_cost` needs a model whose price is known.
    """

    proposer: ClassVar[str] = "openai"
    model: str
    effort: str | None = None
    max_cost: float | None = None


class Proposer(ABC):
    """Who names the units of samples. `policy` is its own, if it has one; `name` is shown with each score."""

    def __init__(self, name: str, policy: Policy | None = None) -> None:
        self.name, self.policy = name, policy

    @abstractmethod
    async def propose(self, samples: Sequence[Sample], kind: Kind, /) -> list[Proposal]:
        """A proposal for each sample, with the units of a kind at least. Raises ProposalError."""


class RulesProposer(Proposer):
    """The rules: no key, no network."""

    policy: Policy

    async def propose(self, samples: Sequence[Sample], _kind: Kind) -> list[Proposal]:
        """A proposal for each sample."""
        return await asyncio.to_thread(
            lambda: [rules.propose(sample, language_of(sample, self.policy) or None) for sample in samples]
        )


SAMPLE = (
    "a mapping with user_input, reference and retrieved_contexts, a Sample, a SingleTurnSample of ragas or "
    "an LLMTestCase of deepeval"
)


def records_of(samples: Any) -> list[Record]:
    """The samples of a DataFrame or a list. The RowError of one names its number, counted from 1, and its id.

    Raises UsageError for what is neither.
    """
    records = []
    rows = given_rows(samples, f"score_dataset takes a DataFrame or a list of samples, each {SAMPLE}")
    for number, row in enumerate(rows, 1):
        try:
            records.append(record_of(row))
        except RowError as error:
            name = row.get("id") if isinstance(row, Mapping) else getattr(row, "id", None)
            error.path, error.item = "samples" if name is None else f"samples (id {name})", number
            raise
        except UsageError as error:
            raise UsageError(f"samples: item {number}: {error}") from None
    return records


def rows_of(batch: Any) -> list[JsonObject]:
    """The rows of a record batch or a table. Raises UsageError for what is neither, InputError for a column
    that appears twice, or has values that Python cannot hold."""
    if not (hasattr(batch, "to_pylist") and hasattr(batch, "schema")):
        raise UsageError(f"batch.score takes a RecordBatch or a Table of pyarrow; got {type(batch).__name__}")
    return as_python(batch, "the batch")


def record_of(row: object) -> Record:
    """A sample from what people have: a Sample or Record, a mapping, or an object with named fields.

    Names of ragas (`user_input`, `retrieved_contexts`, …) and deepeval (`input`, `retrieval_context`, …) are
    both read; a context may be a text or a Document of LangChain. Raises RowError that names the field, and
    UsageError for what is no sample.
    """
    if isinstance(row, Record):
        return row
    if isinstance(row, Sample):
        return Record(row)
    given: Mapping[str, Any] = {} if is_frame(row) else row if isinstance(row, Mapping) else _fields_of(row)
    if not given and not isinstance(row, Mapping):
        many = "; score_dataset takes many samples" if is_frame(row) or isinstance(row, list) else ""
        raise UsageError(f"measure takes one sample: {SAMPLE}; got {type(row).__name__}{many}")
    fields = {name: value for name, value in plain(given).items() if value is not None}
    there = {columns.FIELD_OF.get(name, name) for name in fields}
    for field in columns.REQUIRED:
        if field not in there:
            names = [name for name in columns.NAMES[field] if name in _READ]
            expected = "a list of strings" if field == "retrieved_contexts" else "a string"
            raise wrong(field, None, f"{expected} as {' or '.join(names)} (missing)")
    try:
        return ragas.record_of(columns.listed(fields), Notes())
    except RowError as error:
        error.expected = error.expected.partition(" (--map ")[0]  # there is no file whose columns have names
        raise


async def proposals_for(records: Sequence[Record], proposer: Proposer, kind: Kind) -> list[Proposal | None]:
    """The proposal of each record: its own, else one of `proposer`; None for a blank reference."""
    needed = [record.sample for record in records if record.proposal is None and not record.sample.blank]
    try:
        made = iter(await proposer.propose(needed, kind) if needed else ())
    except ProposalError as error:  # it names options of the command line, which are parameters here
        error.args = tuple(
            _OPTION.sub(lambda option: option[1].replace("-", "_"), str(part)) for part in error.args
        )
        raise
    return [None if record.sample.blank else record.proposal or next(made) for record in records]


_OPTION = re.compile(r"--([a-z][a-z-]+)")


def assess(
    record: Record, proposal: Proposal | None, scorer: str, *, policy: Policy, match_threshold: int
) -> Assessment | None:
    """The assessment of one scorer; None without a proposal: the reference is blank, nothing can be counted.

    Raises ProposalError when the proposal was not asked for what the scorer counts.
    """
    if proposal is None:
        return None
    assessments = assess_all(record.sample, proposal, Matching(policy, match_threshold), only=(scorer,))
    if scorer not in assessments:
        raise ProposalError(
            f"sample {record.sample.id}: the proposal holds nothing that {scorer} can count; leave it out or "
            "complete it"
        )
    return replace(assessments[scorer], source=f"{scorer} · {proposal.proposer}")


def is_share(value: Any) -> bool:
    """Whether a parameter is a number, also one of numpy, from 0 to 1."""
    return is_real(value) and 0 <= value <= 1


def check_counting(policy: object, match_threshold: object) -> None:
    """Raises UsageError for what is no policy, and for no match threshold."""
    if not isinstance(policy, Policy):
        raise UsageError(f"policy {policy!r}: a Policy of workbench.model is expected")
    if expected := no_threshold(match_threshold):
        raise UsageError(f"match_threshold {match_threshold!r}: {expected}")


def _fields_of(row: Any) -> JsonObject:
    if hasattr(row, "to_dict") and hasattr(row, "index"):  # a row of a DataFrame
        return dict(row.to_dict())
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
