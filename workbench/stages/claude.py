"""A model proposes: a run's set-up, what it would cost, whether text may leave, the run, and how it ended.

And the runs of a dataset as a person sees them: what each cost and failed on, and which is current.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from decimal import Decimal
from pathlib import Path

from workbench.errors import InputError, UsageError, WorkbenchError, disk_errors
from workbench.model import JsonObject, Kind, Policy, text_hash
from workbench.proposing import CLAUDE, MODEL_PROPOSERS, OPENAI
from workbench.proposing.claude.answers import CAUSES, NO_TOKENS, Task, Usage
from workbench.proposing.claude.asks import AskedModel, Setup, read_part
from workbench.proposing.claude.call import check_key, check_model
from workbench.proposing.claude.clients import address, cloud_of_claude, connect, host
from workbench.proposing.claude.cost import (
    Budget,
    Forecast,
    Prices,
    assumed_thinking,
    cost,
    default_prices,
    forecast,
    read_prices,
)
from workbench.proposing.claude.prompt import default_prompt, examples_text, read_prompt
from workbench.proposing.claude.run import Limits, RunProgress, Summary, Terms
from workbench.settings import written_text
from workbench.stages.claude_book import UNSENT, Book, propose_missing
from workbench.stages.examples import choose_examples
from workbench.stages.people import check
from workbench.store import runs
from workbench.store.datasets import DatasetInfo, count_samples, dataset_info, set_dataset
from workbench.store.engine import Store
from workbench.store.runs import MadeBy, RunInfo
from workbench.text.figures import many

__all__ = ["Limits", "RunProgress", "check_key", "dataset_info"]

MAX_COST = Decimal(5)
"""Dollars that one start may cost, unless a person says another sum."""
BATCH_SECONDS = 600.0
"""For one request of a batch run: a batch of 64 MB takes a while to send."""
TASK_OF: Mapping[Kind, Task] = {"entity": "entities", "statement": "statements"}


@dataclass(frozen=True)
class ModelOptions(AskedModel):
    """What a person may say of a run. `prompt` and `prices` are files.

    `examples` is how many verified samples the prompt shows. `batch`: at half the price, in hours at most.
    `retry`: ask failed samples again.
    """

    prompt: Path | None = None
    prices: Path | None = None
    examples: int = 0
    batch: bool = False
    retry: bool = False


def setup_of(store: Store, info: DatasetInfo, options: ModelOptions) -> Setup:
    """The set-up of a run. Raises InputError and UsageError for a prompt file that cannot be used.

    Raises UsageError for examples when no verified sample can be shown, or the prompt has no place for them.
    """
    if options.batch and (options.proposer != CLAUDE or cloud_of_claude()):
        raise UsageError("--batch: only Anthropic's own service takes batches; leave it out")
    setup = set_up(options, info.policy)
    if not options.examples:
        return setup
    tasks = [TASK_OF[kind] for kind in info.policy.kinds]
    if not any(setup.prompt.shows_examples(task) for task in tasks):
        raise UsageError(
            f"the prompt has no {{{{examples}}}} in {' or '.join(tasks)}: add it, or leave --examples out"
        )
    examples = choose_examples(store, info, options.examples)
    if not examples:
        raise UsageError(
            "no verified sample can be an example yet (samples to review without suggestions never are): "
            "review some first, or leave --examples out"
        )
    return replace(setup, examples=examples)


def set_up(options: ModelOptions, policy: Policy) -> Setup:
    """The set-up of a run without examples. Raises as `setup_of`."""
    prompt = default_prompt()
    if options.prompt is not None:
        prompt = read_prompt(_text(options.prompt), str(options.prompt))
    asked = {field.name: getattr(options, field.name) for field in fields(AskedModel)}
    if options.proposer == OPENAI:
        asked["base_url"] = address(OPENAI, options.base_url)
    return Setup(**asked, labels=policy.label_names(), guidelines=policy.guidelines, prompt=prompt)


def prices_of(options: ModelOptions) -> Prices:
    """The packaged prices, under those of the person's file."""
    if options.prices is None:
        return default_prices()
    return read_prices(_text(options.prices), str(options.prices), default_prices())


def made_by(setup: Setup, kinds: tuple[Kind, ...]) -> MadeBy:
    """What a run stores of its set-up."""
    shown: JsonObject = {}
    if setup.examples:  # whose gold a run saw: its figures leave those samples and their groups out
        names = ("id", "group", "reference_hash")
        shown["examples"] = [{name: getattr(seen, name) for name in names} for seen in setup.examples]
        texts = (examples_text(task, setup.examples) for task in TASK_OF.values())
        shown["examples_sha256"] = text_hash(*texts)
    parameters = {
        "source": setup.proposer,
        "prompt_sha256": setup.prompt.sha256,
        "prompt": list(setup.prompt.sections),
        "effort": setup.effort,
        "max_tokens": setup.max_tokens,
        "labels": list(setup.labels),
        **({"base_url": setup.base_url} if setup.base_url else {}),
        "guidelines": setup.guidelines,
        "kinds": list(kinds),
        **shown,
    }
    return setup.proposer, setup.model, parameters


def _text(path: Path) -> str:
    with disk_errors(InputError, str(path)):
        return written_text(path)


EXTERNAL = ("ask", "allow", "never")


@dataclass(frozen=True, kw_only=True)
class ModelPlan(Forecast):
    """What a run will do before it does anything. `run` is empty for one that does not exist yet.

    `cost` in dollars, None for a model without a price; `prices_of` is the day the prices were true.
    `thinking_tokens` are part of `output_tokens`. `host` names the proxy too, if there is one.
    `failed` counts samples that an earlier start could not propose and that are left alone. `examples` are
    the ids of the verified samples that the prompt shows.
    """

    run: str
    model: str
    samples: int
    already: int
    failed: int
    prices_of: str
    host: str
    external: str
    examples: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def volume(self) -> str:
        """How much would be sent, and where to."""
        return f"{self.samples:,} samples ({self.input_tokens:,} tokens, estimated) to {self.host}"


@dataclass(frozen=True)
class ModelReport:
    """How a run stands now. `failures` counts by kind, with the advice that goes with it.

    In the references of `bare` samples it found nothing. `stopped` says why something was left, empty when
    all is proposed or failed. `progress` is of this start.
    """

    run: str
    model: str
    proposed: int
    already: int
    failed: int
    left: int
    failures: Mapping[str, int]
    advice: Mapping[str, str]
    progress: RunProgress
    stopped: str
    bare: int
    notes: tuple[str, ...]


class DroppedError(WorkbenchError):
    """A second Ctrl-C dropped the calls under way."""


def plan_run(store: Store, info: DatasetInfo, options: ModelOptions) -> ModelPlan:
    """What the run would send and cost, estimated without sending anything. Raises for an unusable prompt."""
    setup, prices = setup_of(store, info, options), prices_of(options)
    run = runs.found_run(store, info, made_by(setup, info.policy.kinds))
    run_id = run.id if run else 0
    sent = _at_service(store, run_id, options)
    book = Book.of_run(store, info, setup, run_id, retry=options.retry)
    thinking, counted = _thinking(store, info, setup)
    # Every stored list of statements: small next to the texts they were made of
    stored = {key: read_part("statements", part) for key, part in runs.answers_to(store, "statements")}
    sends: Forecast = forecast(
        (entry.sample for window in book.windows() for entry in window),
        setup, info.policy.kinds, runs.all_keys(store) | book.failed.keys() | sent, {**stored, **book.failed},
        prices=prices, alone=book.alone, thinking=thinking, batch=options.batch,
    )  # fmt: skip
    unproposed = runs.count_unproposed(store, info.id, run_id)
    return ModelPlan(
        run=run.name if run else "",
        model=setup.model,
        samples=len(book.ids),
        already=count_samples(store, info.id) - unproposed,
        failed=unproposed - len(book.ids),
        **asdict(sends),
        prices_of=prices.dated.isoformat(),
        host=host(setup.proposer, setup.base_url),
        external=info.external,
        examples=tuple(example.id for example in setup.examples),
        notes=tuple(_notes(setup, options, sends, counted=counted, sent=len(sent))),
    )


def _at_service(store: Store, run_id: int, options: ModelOptions) -> set[str]:
    """The keys of what batches of an earlier start hold, which are paid.

    Raises UsageError for a start without batches: it would ask, and pay, all of them again.
    """
    batches = runs.open_batches(store, run_id)
    if batches and not options.batch:
        raise UsageError(
            f"{many(len(batches), 'batch', 'batches')} of this run may be at the service, and paid: "
            "start it with --batch, which fetches what is done"
        )
    named = (batch for batch in batches if not batch.id.startswith(UNSENT))
    return {key for batch in named for _, keys, _ in batch.asks for key in keys}


def _thinking(store: Store, info: DatasetInfo, setup: Setup) -> tuple[int, bool]:
    """Tokens that a call thinks: the mean of the newest run of this model and effort, else an assumption.

    Also whether they were counted.
    """
    for run in reversed(runs.list_runs(store, info.id)):
        if run.model == setup.model and run.parameters.get("effort", "") == setup.effort:
            counted = [
                usage["thinking"] for usage, _, _ in runs.paid(store, run.id) if usage and "thinking" in usage
            ]
            if counted:
                return round(sum(counted) / len(counted)), True
    return assumed_thinking(setup.effort), False


def _notes(
    setup: Setup, options: ModelOptions, sends: Forecast | None = None, *, counted: bool = True, sent: int = 0
) -> Iterator[str]:
    """What a person should know of a set-up and, before it is paid, of what it sends."""
    if len(setup.examples) != options.examples:
        yield (
            f"asked for {options.examples} examples, there are {len(setup.examples)}: verified samples, "
            "but none to review without suggestions, one of each group"
        )
    if sent:
        yield f"{many(sent, 'text')} went in a batch before, and are fetched, not sent again"
    if setup.proposer == OPENAI and not counted:
        yield (
            f"thinking is assumed to take {assumed_thinking(setup.effort):,} tokens a call, and a model may "
            "think more; once it has answered here, the mean of its answers is taken"
        )
    if sends is not None and sends.cut:
        yield (
            f"{sends.cut:,} calls carry texts of up to {sends.longest:,} tokens: an answer may need more "
            f"than {setup.max_tokens:,} tokens (--max-tokens); one that is cut off fails and is paid"
        )


def keep_external(store: Store, info: DatasetInfo, external: str, annotator: str) -> DatasetInfo:
    """Keep whether this dataset's text may leave the machine: `ask`, `allow` or `never`."""
    check(store, annotator, "say what may leave the machine")
    if external not in EXTERNAL:
        raise UsageError(f"--external: got {external!r}, expected {', '.join(EXTERNAL)}")
    set_dataset(store, info.id, external=external)
    return replace(info, external=external)


def check_allowed(plan: ModelPlan) -> None:
    """What must never leave does not, whatever a person says just now. Raises UsageError."""
    if plan.samples and plan.external == "never":
        raise UsageError(
            f"this dataset must not leave the machine (--external never): would send {plan.volume}; "
            "change that with --external ask"
        )


def propose_by_model(
    store: Store,
    info: DatasetInfo,
    options: ModelOptions,
    *,
    annotator: str,
    limits: Limits,
    on_progress: Callable[[RunProgress], None] = lambda _: None,
    stop: threading.Event | None = None,
) -> ModelReport:
    """Propose what the run of these options lacks.

    The run becomes the dataset's current one where there is none, or once it has come to every sample and
    failed on at most half of them; a retry leaves a newer run in use. Of a batch run, batches that an
    earlier start sent are fetched first. Ctrl-C, or another thread by `stop`, ends it softly: what is under
    way is waited for; a second Ctrl-C drops that too and raises DroppedError. A killed run goes on where it
    stopped: no stored answer is asked for again, calls under way at the kill are. Raises AccessError for a
    key or model that cannot be used, BusyError when nobody answers, UsageError while another process asks
    for the same run.
    """
    check(store, annotator, "propose for everybody")
    stopped = stop or threading.Event()
    setup, prices = setup_of(store, info, options), prices_of(options)

    async def going() -> ModelReport:
        seconds = BATCH_SECONDS if options.batch else limits.call_seconds
        with _stopping(stopped) as stop:  # before a client is half built when Ctrl-C comes
            async with connect(seconds, setup.proposer, setup.base_url) as client:
                notes = await check_model(client, setup)
                run = runs.run_of(store, info, made_by(setup, info.policy.kinds))
                with store.claimed(run.id) as free:
                    if not free:  # each would pay for what the other is asking
                        raise UsageError(f"another process is asking for {run.name}: wait until it has ended")
                    _at_service(store, run.id, options)
                    book = Book.of_run(store, info, setup, run.id, retry=options.retry, gently=limits.gently)
                    thinking, _ = _thinking(store, info, setup)
                    budget = Budget(limits.max_cost, prices, setup, thinking, batch=options.batch)
                    before = set(book.alone)
                    terms = Terms(limits, budget, stop, on_progress)
                    summary = await propose_missing(book, client, terms, batch=options.batch)
        if split := len(book.again - before):
            them = many(split, "text was", "texts were")
            notes += (f"{them} asked again one by one, because the call that they shared failed",)
        notes = (*_notes(setup, options), *notes, *summary.notes)
        report = _report(store, info, run, summary, notes)
        held = report.already + report.proposed
        newest = not options.retry or info.run_id is None or run.id > info.run_id
        if held and (info.run_id is None or (newest and not report.left and held >= report.failed)):
            set_dataset(store, info.id, run_id=run.id)
        return report

    try:
        return asyncio.run(going())
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise DroppedError(
            "stopped: the calls under way were dropped and may have been paid; every answer that came is "
            "stored, and the next start asks only for the rest"
        ) from None


def _report(
    store: Store, info: DatasetInfo, before: RunInfo, summary: Summary, notes: tuple[str, ...]
) -> ModelReport:
    """How the run stands after a start that ended as `summary` says."""
    run = runs.find_run(store, info.id, before.name)
    proposed, unproposed = run.n_proposals - before.n_proposals, runs.count_unproposed(store, info.id, run.id)
    failures = runs.failure_kinds(store, run.id)
    return ModelReport(
        run=run.name,
        model=run.model,
        proposed=proposed,
        already=count_samples(store, info.id) - unproposed - proposed,
        failed=run.failed,
        left=max(0, unproposed - run.failed),
        failures=failures,
        advice={kind: advice(kind) for kind in failures if kind in CAUSES},
        progress=summary.progress,
        stopped=summary.stopped,
        bare=runs.count_bare(store, info.id, run.id),
        notes=notes,
    )


@contextmanager
def _stopping(stopped: threading.Event) -> Iterator[asyncio.Event]:
    """An event that the first signal sets, or another thread by `stopped` within .1 seconds.

    A second Ctrl-C or SIGTERM cancels the task; a terminal that closes sends SIGHUP twice, under nohup it
    counts for nothing. Without signals (Windows, another thread) only `stopped` counts.
    """
    stop, loop, task = asyncio.Event(), asyncio.get_running_loop(), asyncio.current_task()

    def pressed() -> None:
        if stop.is_set() and task is not None:
            task.cancel()
        stop.set()

    async def watch() -> None:
        while not stopped.is_set():
            await asyncio.sleep(0.1)
        stop.set()

    signals = {signal.SIGINT: pressed, signal.SIGTERM: pressed}
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signals[signal.SIGHUP] = stop.set
    with suppress(NotImplementedError, RuntimeError, ValueError):
        for number, called in signals.items():
            loop.add_signal_handler(number, called)
    watching = loop.create_task(watch())
    try:
        yield stop
    finally:
        watching.cancel()
        with suppress(NotImplementedError, RuntimeError, ValueError):
            for number in signals:
                loop.remove_signal_handler(number)


@dataclass(frozen=True)
class RunCost:
    """What the calls of a run came to; `cost` in dollars, None for a model without a price."""

    calls: int
    usage: Usage
    cost: Decimal | None


@dataclass(frozen=True)
class RunSummary(RunInfo):
    """One run of a dataset. `failures` counts by kind, `left` the samples that it did not come to.

    `paid` is None for one that asked nobody.
    """

    failures: Mapping[str, int]
    left: int
    current: bool
    paid: RunCost | None


@dataclass(frozen=True)
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
            failures=runs.failure_kinds(store, run.id) if run.failed else {},
            left=max(0, total - run.n_proposals - run.failed),
            current=run.id == now.run_id,
            paid=_paid(store, run),
        )
        for run in reversed(runs.present_runs(store, info.id))
    ]


def failures(store: Store, info: DatasetInfo, name: str) -> list[FailedSample]:
    """The samples that a run could not speak of, in queue order. Raises NotFoundError for an unknown run."""
    run = runs.find_run(store, info.id, name)
    return [FailedSample(*row, advice(row[2])) for row in runs.failures_of(store, run.id)]


def known_models() -> list[str]:
    """The models that have a price, the default one first."""
    return sorted(default_prices().models, key=lambda model: (model != ModelOptions().model, model))


def advice(kind: str) -> str:
    """What a person can do about a failure of that kind; empty for one that nobody knows."""
    return CAUSES[kind].advice if kind in CAUSES else ""


def make_current(store: Store, info: DatasetInfo, name: str, annotator: str) -> DatasetInfo:
    """Let every opening and every score go by this run; verified samples stay as they are."""
    check(store, annotator, "choose the run")
    run = runs.find_run(store, info.id, name)
    set_dataset(store, info.id, run_id=run.id)
    return dataset_info(store, info.id)


def options_again(store: Store, info: DatasetInfo, name: str) -> ModelOptions:
    """The options that go on with a run of a model.

    Raises UsageError for a run of another proposer, and for one whose set-up is not to be had from here:
    another prompt file; labels, guidelines or the examples' gold changed since.
    """
    run = runs.find_run(store, info.id, name)
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
    again = runs.found_run(store, info, made_by(setup_of(store, info, options), info.policy.kinds))
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
    for tokens, batch, answered in runs.paid(store, run.id):
        number += 1
        priced = priced and (tokens is not None or not answered)
        if tokens:
            usage = Usage(**tokens)
            used += usage
            total += cost(prices, run.model, usage, batch=batch) or 0
    return RunCost(number, used, total if priced else None)
