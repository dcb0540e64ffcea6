"""What a run will send before it sends anything: requests and tokens, estimated or partly counted."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from workbench.model import Kind, Sample
from workbench.proposing.claude_answers import schema
from workbench.proposing.claude_asks import Ask, Setup, body, plan, plan_verdicts, statements_key, system
from workbench.proposing.claude_errors import failure_of
from workbench.proposing.claude_money import Prices, cost
from workbench.proposing.claude_prompt import Task
from workbench.proposing.claude_results import Failure, Part, Usage
from workbench.proposing.claude_tokens import estimate
from workbench.text.sentences import sentences

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run will send. `counted` says how many requests the service counted; 0: all is estimated."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    counted: int = 0

    def cost(self, prices: Prices, model: str, *, batch: bool = False) -> Decimal | None:
        """About what it costs, without the cache; None for a model without a price."""
        usage = Usage(input=self.input_tokens, output=self.output_tokens)
        return cost(prices, model, usage, batch=batch, calls=max(1, self.requests))


def estimated_input(setup: Setup, ask: Ask) -> int:
    """Tokens of a request: estimated, mostly too many."""
    shape = json.dumps(schema(ask.task, setup.labels), separators=(",", ":"))
    return estimate(system(setup, ask.task)) + estimate(shape) + ask.tokens


def forecast(
    samples: Iterable[Sample],
    setup: Setup,
    kinds: Sequence[Kind],
    known: Container[str] = frozenset(),
    results: Mapping[str, Part | Failure] | None = None,
    *,
    ratio: float = 1.0,
    counted: int = 0,
) -> Forecast:
    """What `plan` and then `plan_verdicts` will send for the samples; nothing is sent.

    Sentences stand in for statements that are not known yet. `ratio` corrects the estimate by what the
    service counted on `counted` of the requests.
    """
    requests = sent = answered = 0

    def add(asks: Iterable[Ask]) -> None:
        nonlocal requests, sent, answered
        for ask in asks:
            requests += 1
            sent += estimated_input(setup, ask)
            answered += _estimated_output(ask)

    def passing() -> Iterator[Sample]:
        for sample in samples:
            if "statement" in kinds:
                add(plan_verdicts([sample], setup, _stand_in(sample, setup, results or {}), known))
            yield sample

    add(plan(passing(), setup, kinds, known))
    return Forecast(requests, round(sent * ratio), round(answered * ratio), counted)


def _stand_in(
    sample: Sample, setup: Setup, results: Mapping[str, Part | Failure]
) -> dict[str, Part | Failure]:
    key = statements_key(setup, sample)
    said = results.get(key)
    listed = tuple(sample.reference[one.start : one.end] for one in sentences(sample.reference))
    return {key: listed if said is None else said}


# Measured on 50 samples each of four datasets with the rule proposer's entities: .45 to .95 of the text.
_OUTPUT_SHARE: Mapping[Task, float] = {"entities": 0.7, "statements": 1.3, "verdicts": 0.0}
_OUTPUT_PER_VERDICT = 60


def _estimated_output(ask: Ask) -> int:
    if ask.task == "verdicts":
        return _OUTPUT_PER_VERDICT * ask.count
    texts = sum(estimate(piece.text) for piece in ask.pieces if piece.role == "text")
    return round(_OUTPUT_SHARE[ask.task] * texts) + 10 * ask.count


async def count_input(client: AsyncAnthropic, setup: Setup, asks: Sequence[Ask]) -> float:
    """What the service counts of the asks, over what is estimated of them: costs nothing, sends the texts.

    Raises our error when it does not answer.
    """
    counted = 0
    for ask in asks:
        request = body(setup, ask)
        del request["max_tokens"]
        try:
            counted += (await client.messages.count_tokens(**request)).input_tokens
        except Exception as error:
            failure = failure_of(error)
            if failure is None:
                raise
            raise failure.error() from error
    estimated = sum(estimated_input(setup, ask) for ask in asks)
    return counted / estimated if estimated else 1.0
