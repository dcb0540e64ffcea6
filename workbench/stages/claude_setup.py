"""How a run of Claude is set up from a dataset's policy and a person's options, and found again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from workbench.errors import InputError, NotFoundError, UsageError
from workbench.model import Kind
from workbench.proposing.claude.answers import Task
from workbench.proposing.claude.asks import DEFAULT_MODEL, PROPOSER, Setup
from workbench.proposing.claude.cost import Prices, default_prices, read_prices
from workbench.proposing.claude.prompt import Example, Prompt, default_prompt, examples_hash, read_prompt
from workbench.stages.examples import choose_examples
from workbench.store import runs
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.runs import RunInfo

MAX_COST = Decimal(5)
"""Dollars that one start may cost, unless a person says another sum."""
TASK_OF: Mapping[Kind, Task] = {"entity": "entities", "statement": "statements"}


@dataclass(frozen=True, slots=True)
class ClaudeOptions:
    """What a person may say of a run. `effort` None asks without; `prompt` and `prices` are files.

    `examples` is how many verified samples the prompt shows. `batch`: at half the price, in hours at most.
    `retry`: ask failed samples again.
    """

    model: str = DEFAULT_MODEL
    effort: str | None = "low"
    max_tokens: int = 16_000
    prompt: Path | None = None
    prices: Path | None = None
    examples: int = 0
    batch: bool = False
    retry: bool = False


def setup_of(store: Store, info: DatasetInfo, options: ClaudeOptions) -> Setup:
    """The set-up of a run. Raises NotFoundError and InputError for a prompt file that cannot be used.

    Raises UsageError for examples when no verified sample can be shown, or the prompt has no place for them.
    """
    prompt = default_prompt()
    if options.prompt is not None:
        prompt = read_prompt(_text(options.prompt), str(options.prompt))
    return Setup(
        model=options.model,
        effort=options.effort,
        max_tokens=options.max_tokens,
        labels=info.policy.label_names(),
        guidelines=info.policy.guidelines,
        prompt=prompt,
        examples=_examples(store, info, options.examples, prompt) if options.examples else (),
    )


def _examples(store: Store, info: DatasetInfo, number: int, prompt: Prompt) -> tuple[Example, ...]:
    tasks = [TASK_OF[kind] for kind in info.policy.kinds]
    if not any(prompt.shows_examples(task) for task in tasks):
        raise UsageError(
            f"the prompt has no {{{{examples}}}} in {' or '.join(tasks)}: add it, or leave --examples out"
        )
    examples = choose_examples(store, info, number)
    if not examples:
        raise UsageError(
            "no verified sample can be an example yet (samples to review without suggestions never are): "
            "review some first, or leave --examples out"
        )
    return examples


def prices_of(options: ClaudeOptions) -> Prices:
    """The packaged prices, under those of the person's file."""
    if options.prices is None:
        return default_prices()
    return read_prices(_text(options.prices), str(options.prices), default_prices())


def parameters(setup: Setup, kinds: tuple[Kind, ...]) -> dict[str, Any]:
    """What a run stores of its set-up; two runs with equal ones are one."""
    return {
        "source": PROPOSER,
        "prompt_sha256": setup.prompt.sha256,
        "prompt": list(setup.prompt.sections),
        "effort": setup.effort,
        "max_tokens": setup.max_tokens,
        "labels": list(setup.labels),
        "guidelines": setup.guidelines,
        "kinds": list(kinds),
        **(_shown(setup.examples) if setup.examples else {}),
    }


def _shown(examples: tuple[Example, ...]) -> dict[str, Any]:
    """Whose gold a run saw: its figures leave those samples and their groups out."""
    return {
        "examples": [
            {"id": example.id, "group": example.group, "reference_hash": example.reference_hash}
            for example in examples
        ],
        "examples_sha256": examples_hash(examples),
    }


def found_run(store: Store, info: DatasetInfo, setup: Setup) -> RunInfo | None:
    """The run of this set-up; None when there is none yet."""
    wanted = parameters(setup, info.policy.kinds)
    for run in reversed(runs.list_runs(store, info.id)):
        if run.proposer == PROPOSER and run.model == setup.model and run.parameters == wanted:
            return run
    return None


def run_of(store: Store, info: DatasetInfo, setup: Setup, annotator: str) -> RunInfo:
    """The run of this set-up: the one that there is, else a new one."""
    known = found_run(store, info, setup)
    if known is not None:
        return known
    wanted = parameters(setup, info.policy.kinds)
    runs.create_run(store, info.id, PROPOSER, setup.model, wanted, annotator)
    return runs.list_runs(store, info.id)[-1]


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        raise NotFoundError(f"no such file: {path}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
