"""Runs as a person sees them: what each cost and failed on, and which is current."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal

from workbench.errors import UsageError
from workbench.proposing.claude.answers import CAUSES, NO_TOKENS, Usage
from workbench.proposing.claude.asks import MODEL_PROPOSERS
from workbench.proposing.claude.cost import cost, default_prices
from workbench.proposing.claude.run import RunProgress
from workbench.stages.claude import ModelOptions, made_by, setup_of
from workbench.stages.people import check
from workbench.stages.propose import found_run
from workbench.store import runs as run_store
from workbench.store.datasets import DatasetInfo, count_samples, dataset_info, set_dataset
from workbench.store.engine import Store
from workbench.store.runs import RunInfo

__all__ = ["RunProgress"]


@dataclass(frozen=True, slots=True)
class RunCost:
    """What the calls of a run came to; `cost` in dollars, None for a model without a price."""

    calls: int
    usage: Usage
    cost: Decimal | None


@dataclass(frozen=True, slots=True)
class RunSummary(RunInfo):
    """One run of a dataset. `failures` counts by kind, `left` the samples that it did not come to.

    `paid` is None for one that asked nobody.
    """

    failures: Mapping[str, int]
    left: int
    current: bool
    paid: RunCost | None


@dataclass(frozen=True, slots=True)
class FailedSample:
    """A sample that a run could not speak of: the kind of failure, what was said, and what to do."""

    sample_id: int
    id: str
    kind: str
    message: str
    question: str
    advice: str


def list_runs(store: Store, info: DatasetInfo) -> list[RunSummary]:
    """The runs of a dataset, newest first."""
    now, total = dataset_info(store, info.id), count_samples(store, info.id)
    return [
        RunSummary(
            **asdict(run),
            failures=run_store.failure_kinds(store, run.id) if run.failed else {},
            left=max(0, total - run.n_proposals - run.failed),
            current=run.id == now.run_id,
            paid=_paid(store, run),
        )
        for run in reversed(run_store.list_runs(store, info.id))
    ]


def failures(store: Store, info: DatasetInfo, name: str) -> list[FailedSample]:
    """The samples that a run could not speak of, in queue order. Raises NotFoundError for an unknown run."""
    run = run_store.find_run(store, info.id, name)
    return [FailedSample(*row, advice(row[2])) for row in run_store.failures_of(store, run.id)]


def known_models() -> list[str]:
    """The models that have a price, the default one first."""
    return sorted(default_prices().models, key=lambda model: (model != ModelOptions().model, model))


def advice(kind: str) -> str:
    """What a person can do about a failure of that kind; empty for one that nobody knows."""
    return CAUSES[kind].advice if kind in CAUSES else ""


def make_current(store: Store, info: DatasetInfo, name: str, annotator: str) -> DatasetInfo:
    """Let every opening and every score go by this run; verified samples stay as they are."""
    check(store, annotator, "choose the run")
    run = run_store.find_run(store, info.id, name)
    set_dataset(store, info.id, run_id=run.id)
    return dataset_info(store, info.id)


def options_again(store: Store, info: DatasetInfo, name: str) -> ModelOptions:
    """The options that go on with a run of a model.

    Raises UsageError for a run of another proposer, and for one whose set-up is not to be had from here:
    another prompt file; labels, guidelines or the examples' gold changed since.
    """
    run = run_store.find_run(store, info.id, name)
    if run.source not in MODEL_PROPOSERS:
        raise UsageError(f"{name} came from no service: there is nothing to ask again")
    parameters = run.parameters
    options = ModelOptions(
        model=run.model,
        effort=parameters["effort"],
        max_tokens=parameters["max_tokens"],
        examples=len(parameters.get("examples", [])),
        proposer=run.source,
        base_url=parameters.get("base_url", ""),
    )
    again = found_run(store, info, made_by(setup_of(store, info, options), info.policy.kinds))
    if again is None or again.id != run.id:
        raise UsageError(f"{name} was made with another prompt, other labels or guidelines than now")
    return options


def _paid(store: Store, run: RunInfo) -> RunCost | None:
    """What a run of a model cost by the packaged prices; None for another one.

    An answer that names no tokens makes the cost unknown.
    """
    if run.source not in MODEL_PROPOSERS:
        return None
    prices, total, used, number = default_prices(), Decimal(0), NO_TOKENS, 0
    priced = prices.of(run.model) is not None
    for tokens, batch, answered in run_store.paid(store, run.id):
        number += 1
        priced = priced and (tokens is not None or not answered)
        if tokens:
            usage = Usage(**tokens)
            used += usage
            total += cost(prices, run.model, usage, batch=batch) or 0
    return RunCost(number, used, total if priced else None)
