"""Who proposes where no run is kept: Claude, a model object of ragas or deepeval, or a function."""

from __future__ import annotations

import asyncio
import inspect
import json
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from workbench.errors import AccessError, ProposalError, UsageError
from workbench.formats.readers.gold import proposals_of
from workbench.formats.rows import Notes
from workbench.model import Kind, Policy, Proposal, Sample
from workbench.proposing import CLAUDE, OPENAI
from workbench.proposing.claude.answers import (
    ANSWERS,
    TASKS,
    AskAnswer,
    Failure,
    Part,
    Result,
    Task,
    UnusableError,
    read_answer,
    schema,
)
from workbench.proposing.claude.asks import (
    Ask,
    Results,
    Setup,
    asked_alone,
    assemble,
    plan,
    plan_verdicts,
    read_part,
    system,
)
from workbench.proposing.claude.call import check_key
from workbench.proposing.claude.clients import connect
from workbench.proposing.claude.cost import Budget, assumed_thinking, default_prices
from workbench.proposing.claude.prompt import Prompt, fenced, read_prompt
from workbench.proposing.claude.run import Limits, LiveRun, OnResult, Terms
from workbench.stages.claude import ModelOptions, made_by, set_up, setup_of
from workbench.stages.claude_book import Book
from workbench.stages.measure import Claude, Proposer
from workbench.store import runs
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store, open_store

Planned = Callable[[Container[str], Container[str]], Iterable[Ask]]
"""The asks for what is not known yet, each of some texts by itself."""
Template = Mapping[str, str]
"""Texts that replace the sections of a prompt: entities, statements, verdicts."""

AT_ONCE = 16
"""Calls of a model of the user, or of a function, that are under way together."""


class OwnProposer(Proposer):
    """A function of the user: a Sample in, a Proposal or its JSON object out, now or awaited."""

    def __init__(self, function: Callable[[Sample], Any]) -> None:
        super().__init__("own")
        self._function = function

    async def propose(self, samples: Sequence[Sample], _kind: Kind) -> list[Proposal]:
        """A proposal for each sample. Raises what the function raises, ProposalError for what is none."""
        slots, loop = asyncio.Semaphore(AT_ONCE), asyncio.get_running_loop()
        threads = ThreadPoolExecutor(AT_ONCE)

        async def one(sample: Sample) -> Proposal:
            async with slots:
                given = await loop.run_in_executor(threads, self._function, sample)
                return self._read(await given if inspect.isawaitable(given) else given, sample)

        try:
            return await asyncio.gather(*map(one, samples))
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    def _read(self, given: Any, sample: Sample) -> Proposal:
        if isinstance(given, Proposal):
            return given
        named = {"proposer": self.name, **given} if isinstance(given, dict) else given
        read = proposals_of(named, sample.reference, sample.retrieved_contexts, Notes())
        if not read:
            raise ProposalError(
                f"sample {sample.id}: the proposer returned {type(given).__name__}, expected a Proposal or "
                "an object with reference_entities, context_entities or statements"
            )
        return read[0]


class AnsweringProposer(Proposer):
    """Proposals from the answers of a model. A text that several samples have is asked about once."""

    def __init__(self, setup: Setup, name: str, policy: Policy | None = None) -> None:
        super().__init__(name, policy)
        self._setup = setup
        self._answers: dict[str, Part] = {}
        self._waiting: dict[tuple[object, str], asyncio.Future[Part | Failure]] = {}

    async def propose(self, samples: Sequence[Sample], kind: Kind) -> list[Proposal]:
        """A proposal for each sample. Raises the ProposalError of the first that could not be proposed."""
        results = await self._settled(lambda known, alone: plan(samples, self._setup, (kind,), known, alone))
        if kind == "statement":
            first = results
            results = first | await self._settled(
                lambda known, _alone: plan_verdicts(samples, self._setup, first, known)
            )
        proposals = []
        for sample in samples:
            made = assemble(sample, self._setup, (kind,), results)
            if isinstance(made, Failure):
                raise made.error()
            assert made is not None, "every ask has its result"
            proposals.append(replace(made, proposer=self.name))
        return proposals

    async def _settled(self, planned: Planned) -> Results:
        """The results of all keys of a plan; what is known, or under way on this loop, is not asked again."""
        loop = asyncio.get_running_loop()
        needed = {key for ask in planned((), ()) for key in ask.keys}
        if missing := needed - self._answers.keys():
            self._answers |= await asyncio.to_thread(self.stored, missing)
        others = {key: self._waiting[loop, key] for key in needed if (loop, key) in self._waiting}
        known = self._answers.keys() | others.keys()
        fresh: dict[str, asyncio.Future[Part | Failure]] = {
            key: loop.create_future() for key in needed - known
        }
        self._waiting |= {(loop, key): future for key, future in fresh.items()}
        spoiled: set[str] = set()

        async def on_result(ask: Ask, result: Result) -> None:
            left = asked_alone(ask, result)
            spoiled.update(left)
            parts = [result] * len(ask.keys) if isinstance(result, Failure) else result.parts
            for key, part in zip(ask.keys, parts, strict=True):
                if key not in left and part is not None:
                    fresh[key].set_result(part)

        def steps() -> Iterator[Iterable[Ask]]:
            yield planned(known, ())
            while spoiled:
                alone = set(spoiled)
                spoiled.clear()
                yield planned(known | fresh.keys() - alone, alone)

        try:
            if fresh:
                await self.send(steps(), on_result)
        finally:
            for key, future in fresh.items():
                del self._waiting[loop, key]
                if not future.done():
                    future.set_result(Failure("unfinished", "the call that asked for it was given up"))
        results = {key: await future for key, future in (fresh | others).items()}
        self._answers |= {key: part for key, part in results.items() if not isinstance(part, Failure)}
        return {key: self._answers[key] for key in needed & self._answers.keys()} | results

    def stored(self, _keys: set[str]) -> dict[str, Part]:
        """The answers that were paid for earlier."""
        return {}

    @abstractmethod
    async def send(self, steps: Iterator[Iterable[Ask]], on_result: OnResult) -> None:
        """Ask step by step, and hand every result over."""


class ServiceJudge(AnsweringProposer):
    """Claude, or another service, by its options: its answers are stored in the database that these name."""

    def __init__(self, options: Claude, template: Template, policy: Policy) -> None:
        self._options = options
        names = ("proposer", "base_url", "model", "effort", "max_tokens", "examples")
        asked = ModelOptions(
            **{name: getattr(options, name) for name in names},
            prompt=None if options.prompt is None else Path(options.prompt),
        )
        own = None
        with self._opened() as store:
            if store is not None:
                info = find_dataset(store, options.dataset)
                if info.external == "never":
                    raise UsageError(f"dataset {info.name!r} must not leave the machine (--external never)")
                own, setup = info.policy, setup_of(store, info, asked)
            elif options.examples:
                raise UsageError("examples are verified samples of a database: name it (database=…)")
            else:
                setup = set_up(asked, policy)
        super().__init__(replace(setup, prompt=replaced(setup.prompt, template)), options.proposer, own)
        self.model = options.model
        self.spent = Decimal(0)
        """Dollars for the calls so far, by the packaged prices."""

    def _opened(self) -> AbstractContextManager[Store | None]:
        path = self._options.database
        return nullcontext() if path is None else closing(open_store(str(path), create=False))

    def stored(self, keys: set[str]) -> dict[str, Part]:
        """The answers in the database of the options."""
        with self._opened() as store:
            answers = runs.answers(store, keys) if store is not None else {}
        return {key: read_part(cast("Task", answer.task), answer.document) for key, answer in answers.items()}

    async def send(self, steps: Iterator[Iterable[Ask]], on_result: OnResult) -> None:
        """Live calls at a learned rate; raises what makes going on useless, and AccessError at the limit."""
        service = self._setup.proposer, self._setup.base_url
        check_key(*service)
        most = self._options.max_cost
        left = None if most is None else max(Decimal(0), Decimal(str(most)) - self.spent)
        thinking = assumed_thinking(self._setup.effort)
        limits = Limits()
        with self._opened() as store:
            book: Book | None = None
            if store is not None:  # under the run of this set-up, so that `propose` finds it paid
                info = find_dataset(store, self._options.dataset)
                run = runs.run_of(store, info, made_by(self._setup, info.policy.kinds))
                book = Book(store, run.id, (), self._setup, info.policy.kinds)

            async def kept(ask: Ask, result: Result) -> None:
                if book is not None:
                    await book.save(ask, result)
                await on_result(ask, result)

            async with connect(limits.call_seconds, *service) as client:
                budget = Budget(left, default_prices(), self._setup, thinking)
                terms = Terms(limits, budget, asyncio.Event())
                summary = await LiveRun(client, self._setup, kept, terms).all(steps)
        self.spent += summary.progress.cost or 0
        if summary.failure is not None:
            raise summary.failure.error()
        if summary.stopped:
            spent = summary.stopped.replace("--max-cost $", "max_cost ").partition(";")[0]
            raise AccessError(f"{spent}: raise max_cost to go on")


class ModelJudge(AnsweringProposer):
    """A model object of ragas or deepeval, with its own key, address and retries."""

    def __init__(self, model: object, template: Template, policy: Policy) -> None:
        self._reply = _REPLIES[_base_of(model)]
        self._llm: Any = model
        self.model = _model_name(model)
        setup = Setup(self.model, None, labels=policy.label_names(), guidelines=policy.guidelines)
        super().__init__(replace(setup, prompt=replaced(setup.prompt, template)), self.model)

    async def send(self, steps: Iterator[Iterable[Ask]], on_result: OnResult) -> None:
        """Ask `AT_ONCE` at a time. What the model object raises is raised."""
        slots = asyncio.Semaphore(AT_ONCE)

        async def one(ask: Ask) -> None:
            async with slots:
                await on_result(ask, await self._answer(ask))

        for asks in steps:
            calls = [asyncio.ensure_future(one(ask)) for ask in asks]
            try:
                await asyncio.gather(*calls)
            finally:
                for call in calls:
                    call.cancel()

    async def _answer(self, ask: Ask) -> Result:
        shape = json.dumps(schema(ask.task, self._setup.labels))
        instruction = f"{system(self._setup, ask.task)}\nAnswer with one JSON object of this schema: {shape}"
        text = await self._reply(self._llm, f"{instruction}\n\n{fenced(ask.pieces)}", ask.task)
        try:
            # The object in a reply that may have words and fences around it
            start, end = text.find("{"), text.rfind("}")
            parts = read_answer(ask.task, text[start : end + 1] if 0 <= start < end else text, ask.count)
        except UnusableError as error:
            return Failure(error.kind, error.detail, model=self.model)
        return AskAnswer(parts, None, self.model)


def judge_of(given: Any, template: Template, policy: Policy) -> Proposer:
    """The proposer of what a person gave: `claude`, a Claude, an OpenAI, a model object, a function.

    Raises UsageError for anything else, and for a template that nobody would read.
    """
    if given == CLAUDE:
        given = Claude()
    if isinstance(given, Claude):
        if given.proposer == OPENAI and given.max_cost is not None and not default_prices().of(given.model):
            raise UsageError(f"max_cost cannot be kept: no price is known for {given.model}; leave it out")
        return ServiceJudge(given, template, policy)
    if _base_of(given):
        return ModelJudge(given, template, policy)
    if not callable(given):
        raise UsageError(
            f"unknown proposer {given!r}; there is: rules, claude, Claude(…), OpenAI(model=…, base_url=…), a "
            "model object of ragas or deepeval, a function"
        )
    if template:
        raise UsageError("template= replaces a section of a prompt: a function has none")
    return OwnProposer(given)


def replaced(prompt: Prompt, template: Template) -> Prompt:
    """The prompt with other texts in some sections. Raises InputError for a section that cannot be used."""
    if not template:
        return prompt
    sections = {task: prompt.section(task) for task in TASKS} | dict(template)
    return read_prompt("\n".join(f"=== {task} ===\n{text}" for task, text in sections.items()), "template")


async def _deepeval(llm: Any, prompt: str, task: Task) -> str:
    reply = await llm.a_generate_with_schema(prompt, schema=ANSWERS[task])
    return _text(reply[0] if isinstance(reply, tuple) else reply)  # its own models add what it cost


async def _ragas(llm: Any, prompt: str, _task: Task) -> str:
    from langchain_core.prompt_values import StringPromptValue

    reply = await llm.generate(StringPromptValue(text=prompt))
    return str(reply.generations[0][0].text)


async def _instructor(llm: Any, prompt: str, task: Task) -> str:
    if getattr(llm, "is_async", True):
        return _text(await llm.agenerate(prompt, ANSWERS[task]))
    return _text(await asyncio.to_thread(llm.generate, prompt, ANSWERS[task]))


_REPLIES: Mapping[str, Callable[[Any, str, Task], Awaitable[str]]] = {
    "DeepEvalBaseLLM": _deepeval,
    "BaseRagasLLM": _ragas,
    "InstructorBaseRagasLLM": _instructor,
}
"""The base classes whose objects can be asked, by name: none of these packages is imported to know them."""


def _base_of(model: object) -> str:
    return next((base.__name__ for base in type(model).__mro__ if base.__name__ in _REPLIES), "")


def _model_name(model: Any) -> str:
    if _base_of(model) == "DeepEvalBaseLLM":
        return str(model.get_model_name())
    inner = getattr(model, "langchain_llm", model)
    named = getattr(inner, "model", None) or getattr(inner, "model_name", None)
    return named if isinstance(named, str) else type(inner).__name__


def _text(reply: Any) -> str:
    return reply if isinstance(reply, str) else str(reply.model_dump_json())
