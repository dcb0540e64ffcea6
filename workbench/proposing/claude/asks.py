"""Asks: the calls that samples need, each text in one of them, and the proposals that answers make."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, cast

from workbench.model import (
    DEFAULT_LABELS,
    Example,
    Kind,
    Proposal,
    ProposedEntity,
    ProposedStatement,
    Sample,
    text_hash,
)
from workbench.proposing import CLAUDE
from workbench.proposing.claude.answers import SPLIT, Failure, JudgedStatement, Part, Result, Task, schema
from workbench.proposing.claude.prompt import FencedText, Prompt, default_prompt, examples_text, render

# Code points per token. The vendor gives 1.8 tokens per English word for all models since Opus 4.7, which is
# 3.3; other alphabets are cut finer, and an ideograph is about one token.
_LATIN, _ALPHABET, _IDEOGRAPH = 3.0, 1.8, 0.9
_NOT_LATIN = re.compile(r"[^\x00-\u024f\u2010-\u2027]+")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003134f]+")


def estimate(text: str) -> int:
    """A token count by script, rounded up; an estimate on the high side, and to be called one."""
    other = sum(match.end() - match.start() for match in _NOT_LATIN.finditer(text))
    ideographs = sum(match.end() - match.start() for match in _IDEOGRAPHS.finditer(text)) if other else 0
    latin = len(text) - other
    return round(latin / _LATIN + (other - ideographs) / _ALPHABET + ideographs / _IDEOGRAPH + 0.5)


DEFAULT_MODEL = "claude-haiku-5-5"
# Texts of several samples share a call: instructions and schema are some 300 tokens, a tenth of a full pack.
# Larger packs save little, and one refusal or cut answer costs more.
PACK_TOKENS = 3000
PACK_TEXTS = 10


@dataclass(frozen=True)
class AskedModel:
    """Which model is asked, and how. `effort` None sends none (older models know none).

    `max_tokens` bounds an answer with its thinking; a complete answer does not depend on it. `base_url` names
    another address than the usual one of the `proposer`: the same name may be another model there.
    """

    model: str = DEFAULT_MODEL
    effort: str | None = "low"
    max_tokens: int = 16_000
    proposer: str = CLAUDE
    base_url: str = ""


@dataclass(frozen=True)
class Setup(AskedModel):
    """How a run asks: everything besides the texts that an answer depends on."""

    labels: tuple[str, ...] = tuple(label.name for label in DEFAULT_LABELS)
    guidelines: str = ""
    prompt: Prompt = field(default_factory=default_prompt)
    examples: tuple[Example, ...] = ()


class AskItem(NamedTuple):
    """What one payment key stands for: its texts, by role."""

    key: str
    pieces: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Ask:
    """One payable call: the payment keys that its answer has parts for, and the fenced pieces to send.

    `count` is how many numbers the answer must have: texts, or statements to judge. An ask whose `pieces`
    are lost (a batch of an earlier start) cannot be sent, but its answer can be read.
    """

    task: Task
    keys: tuple[str, ...]
    count: int
    pieces: tuple[FencedText, ...] = ()

    @property
    def id(self) -> str:
        """32 hex digits: equal for the same keys. A batch's `custom_id`."""
        return text_hash(self.task, *self.keys)

    @property
    def tokens(self) -> int:
        """An estimate of what the pieces take, with their tags, at least."""
        return sum(estimate(piece.text) + 16 for piece in self.pieces)


@lru_cache(maxsize=64)
def system(setup: Setup, task: Task) -> str:
    """The system text of a task: the part of the prompt that is the same in every call."""
    examples = examples_text(task, setup.examples)
    return render(setup.prompt, task, setup.labels, setup.guidelines, examples)


@lru_cache(maxsize=64)
def _mark(setup: Setup, task: Task) -> str:
    shape = json.dumps(schema(task, setup.labels), sort_keys=True)
    where = () if setup.proposer == CLAUDE else (setup.proposer, setup.base_url)
    return text_hash(task, setup.model, setup.effort or "", system(setup, task), shape, *where)


def payment_key(setup: Setup, task: Task, *texts: str) -> str:
    """What an answer is stored under: its texts with the model, effort, prompt, labels and schema."""
    return text_hash(_mark(setup, task), *texts)


def statements_key(setup: Setup, sample: Sample) -> str:
    """The key of a reference's statements: of no context, so that every retriever is judged by the same."""
    return payment_key(setup, "statements", sample.user_input, sample.reference)


def verdicts_key(setup: Setup, sample: Sample, statements: Sequence[str]) -> str:
    """The key of the verdicts on statements by a sample's contexts."""
    return payment_key(setup, "verdicts", str(len(statements)), *statements, *sample.retrieved_contexts)


def plan(
    samples: Iterable[Sample],
    setup: Setup,
    kinds: Sequence[Kind],
    known: Container[str] = frozenset(),
    alone: Container[str] = frozenset(),
) -> Iterator[Ask]:
    """The calls that the samples still need for entities and statements, lazily, every key once.

    Keys in `known` are not asked, those in `alone` share no call. Other texts share calls, but a reference
    never shares one with contexts: its answer cannot depend on what was retrieved. Blank texts cost
    nothing. Verdicts need the statements first: see `plan_verdicts`.
    """
    seen: set[bytes] = set()
    references, contexts, statements = _Pack("entities"), _Pack("entities"), _Pack("statements")

    def into(pack: _Pack, item: AskItem) -> Iterator[Ask]:
        digest = bytes.fromhex(item.key)
        if digest not in seen and item.key not in known and item.pieces[-1][1].strip():
            seen.add(digest)
            yield from (pack.ask([item]),) if item.key in alone else pack.add(item)

    for sample in samples:
        if "entity" in kinds:
            texts = [
                (references, sample.reference),
                *((contexts, text) for text in sample.retrieved_contexts),
            ]
            for pack, text in texts:
                yield from into(pack, AskItem(payment_key(setup, "entities", text), (("text", text),)))
        if "statement" in kinds:
            pieces = (("question", sample.user_input), ("text", sample.reference))
            yield from into(statements, AskItem(statements_key(setup, sample), pieces))
    for pack in (references, contexts, statements):
        yield from pack.rest()


def plan_verdicts(
    samples: Iterable[Sample],
    setup: Setup,
    results: Mapping[str, Part | Failure],
    known: Container[str] = frozenset(),
) -> Iterator[Ask]:
    """The calls for verdicts on statements that are there, one per sample with statements and contexts."""
    seen: set[str] = set()
    for sample in samples:
        answered = results.get(statements_key(setup, sample))
        contexts = [
            (number, text) for number, text in enumerate(sample.retrieved_contexts, 1) if text.strip()
        ]
        if answered is None or isinstance(answered, Failure) or not answered or not contexts:
            continue
        listed = [str(statement) for statement in answered]
        key = verdicts_key(setup, sample, listed)
        if key in seen or key in known:
            continue
        seen.add(key)
        statements = (
            FencedText("statement", number, statement) for number, statement in enumerate(listed, 1)
        )
        passages = (FencedText("context", number, text) for number, text in contexts)
        yield Ask("verdicts", (key,), len(listed), (*passages, *statements))


def asked_alone(ask: Ask, result: Result) -> tuple[str, ...]:
    """The keys that a result settles nothing about, so that each is asked next by itself.

    All of a pack that failed for what may be the fault of one text, and those that an answer leaves out.
    """
    if isinstance(result, Failure):
        return ask.keys if result.kind in SPLIT and len(ask.keys) > 1 else ()
    return tuple(key for key, part in zip(ask.keys, result.parts, strict=True) if part is None)


class _Pack:
    """Items that will share a call, full at PACK_TOKENS or PACK_TEXTS."""

    def __init__(self, task: Task) -> None:
        self._task: Task = task
        self._items: list[AskItem] = []
        self._tokens = 0

    def add(self, item: AskItem) -> Iterator[Ask]:
        """Take an item; the ask of those before it when it does not fit with them."""
        tokens = sum(estimate(text) for _, text in item.pieces)
        if self._items and (len(self._items) >= PACK_TEXTS or self._tokens + tokens > PACK_TOKENS):
            yield from self.rest()
        self._items.append(item)
        self._tokens += tokens

    def rest(self) -> Iterator[Ask]:
        """The ask of what waits, if anything does."""
        if self._items:
            yield self.ask(self._items)
        self._items, self._tokens = [], 0

    def ask(self, items: Sequence[AskItem]) -> Ask:
        """One call for some items."""
        numbered = enumerate(items, 1)
        pieces = tuple(FencedText(role, n, text) for n, item in numbered for role, text in item.pieces)
        return Ask(self._task, tuple(item.key for item in items), len(items), pieces)


NO_CONTEXTS = "absent: there are no contexts"

Results = dict[str, Part | Failure]
"""What is known by payment key."""


def assemble(
    sample: Sample, setup: Setup, kinds: Sequence[Kind], results: Results
) -> Proposal | Failure | None:
    """The proposal for a sample, or the failure that prevents it; None while something was not asked yet.

    A sample is never proposed in part: one failed text fails it. Entities stand in text order, those that
    their text does not have last; everything else stays as answered.
    """
    listed: list[tuple[ProposedEntity, ...]] = []
    texts = (sample.reference, *sample.retrieved_contexts) if "entity" in kinds else ()
    for text in texts:
        part = results.get(payment_key(setup, "entities", text)) if text.strip() else ()
        if part is None or isinstance(part, Failure):
            return part
        entities = cast("tuple[ProposedEntity, ...]", part)
        places = {entity.text: text.find(entity.text) for entity in entities}  # -1 for those that come last
        ordered = sorted(entities, key=lambda entity: (places[entity.text] < 0, places[entity.text]))
        listed.append(tuple(ordered))
    statements: tuple[ProposedStatement, ...] | None = None
    if "statement" in kinds:
        judged = _statements(sample, setup, results)
        if judged is None or isinstance(judged, Failure):
            return judged
        statements = judged
    return Proposal(
        proposer=setup.proposer,
        model=setup.model,
        reference_entities=listed[0] if listed else None,
        context_entities=tuple(listed[1:]) if listed else None,
        statements=statements,
    )


def _statements(
    sample: Sample, setup: Setup, results: Results
) -> tuple[ProposedStatement, ...] | Failure | None:
    answered = () if sample.blank else results.get(statements_key(setup, sample))
    if answered is None or isinstance(answered, Failure):
        return answered
    listed = [str(statement) for statement in answered]
    if not any(context.strip() for context in sample.retrieved_contexts):
        return tuple(ProposedStatement(statement, "missing", reason=NO_CONTEXTS) for statement in listed)
    judged = results.get(verdicts_key(setup, sample, listed)) if listed else ()
    if judged is None or isinstance(judged, Failure):
        return judged
    contexts = range(len(sample.retrieved_contexts))
    return tuple(
        ProposedStatement(
            text,
            verdict=judgement.verdict,
            context=judgement.context if judgement.context in contexts else None,
            quote=judgement.quote,
            reason=judgement.reason,
        )
        for text, judgement in zip(listed, cast("tuple[JudgedStatement, ...]", judged), strict=True)
    )


def part_document(part: Part) -> list[Any]:
    """A part as JSON values: [text, label] per entity, a string per statement, [verdict, …] per verdict."""
    return [[item.text, item.label] if isinstance(item, ProposedEntity) else item for item in part]


def read_part(task: Task, document: Sequence[Any]) -> Part:
    """A part from its document, equal to the one written."""
    if task == "entities":
        return tuple(ProposedEntity(text, label) for text, label in document)
    if task == "statements":
        return tuple(str(statement) for statement in document)
    return tuple(JudgedStatement(*verdict) for verdict in document)
