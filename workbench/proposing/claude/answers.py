"""What a call comes to: an answer that is read and checked, or one of a closed set of failures."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from workbench.errors import AccessError, AnswerError, BusyError, DeclinedError, ProposalError
from workbench.model import JsonObject, ProposedEntity

Task = Literal["entities", "statements", "verdicts"]
TASKS: tuple[Task, ...] = get_args(Task)

FailureKind = str
"""A key of `CAUSES`."""


class Cause(NamedTuple):
    """What a kind of failure means, and what services say when they mean it: see failures.toml."""

    error: type[ProposalError]
    advice: str
    again: bool = False
    split: bool = False
    classes: Sequence[str] = ()
    codes: Sequence[str] = ()
    statuses: Sequence[int] = ()
    types: Sequence[str] = ()


def _causes() -> dict[FailureKind, Cause]:
    errors = {error.__name__: error for error in (AccessError, AnswerError, BusyError, DeclinedError)}
    table = resources.files("workbench.proposing.claude").joinpath("failures.toml").read_text("utf-8")
    return {
        kind: Cause(**{**entry, "error": errors[entry["error"]]})
        for kind, entry in tomllib.loads(table).items()
    }


CAUSES: Mapping[FailureKind, Cause] = _causes()
SPLIT = frozenset(kind for kind, cause in CAUSES.items() if cause.split)


@dataclass(frozen=True)
class Usage:
    """Tokens of one call or of many. `input` is neither written to nor read from the cache."""

    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0
    thinking: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(Usage)))

    @property
    def prompt(self) -> int:
        """All tokens sent."""
        return self.input + self.cache_write + self.cache_read


NO_TOKENS = Usage()


class JudgedStatement(NamedTuple):
    """The verdict on one statement; `context` counts from 0."""

    verdict: str
    context: int | None
    quote: str | None
    reason: str


Part = tuple[ProposedEntity, ...] | tuple[str, ...] | tuple[JudgedStatement, ...]
"""What an answer says of one payment key: entities of a text, statements, or a verdict per statement."""


@dataclass(frozen=True)
class AskAnswer:
    """A complete answer: one part per payment key of the ask, in their order; None for a text left out.

    `usage` is None when the service named none: it was paid, and nobody knows how much.
    """

    parts: tuple[Part | None, ...]
    usage: Usage | None
    model: str


@dataclass(frozen=True)
class Failure:
    """A call without a usable answer. `usage` is None when the service named none: most likely unpaid."""

    kind: FailureKind
    detail: str = ""
    usage: Usage | None = None
    model: str = ""

    @property
    def message(self) -> str:
        """The kind, what the service said, and what to do."""
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.kind}{detail}: {CAUSES[self.kind].advice}"

    @property
    def stops(self) -> bool:
        """Whether every other call would fail the same way."""
        return CAUSES[self.kind].error is AccessError

    def error(self) -> ProposalError:
        """Our error with the message."""
        return CAUSES[self.kind].error(self.message)


Result = AskAnswer | Failure


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Group(_Strict):
    """Entities of one label: naming the label once takes a third less than naming it with every entity."""

    label: str
    names: list[str]


class Entities(_Strict):
    """The entities of one numbered text."""

    text: int
    entities: list[Group]

    def part(self) -> tuple[ProposedEntity, ...]:
        """The entities, blank ones left out."""
        named = ((name, group.label) for group in self.entities for name in group.names if name.strip())
        return tuple(ProposedEntity(_storable(name), _storable(label)) for name, label in named)


class Statements(_Strict):
    """The statements of one numbered text."""

    text: int
    statements: list[str]

    def part(self) -> tuple[str, ...]:
        """The statements, blank ones left out."""
        return tuple(_storable(statement) for statement in self.statements if statement.strip())


class Support(_Strict):
    """The verdict on one numbered statement, after its evidence, so that it follows from that."""

    statement: int
    context: int | None
    quote: str | None
    reason: str
    verdict: Literal["found", "partial", "contradicted", "absent"]

    def judged(self) -> JudgedStatement:
        """The verdict in the proposers' words, with the kind of missing before the reason."""
        supported, reason = self.verdict == "found", _storable(self.reason)
        return JudgedStatement(
            "found" if supported else "missing",
            None if self.context is None else self.context - 1,
            _storable(self.quote) if self.quote and self.quote.strip() else None,
            reason if supported else f"{self.verdict}: {reason}",
        )


class EntitiesAnswer(_Strict):
    """The entities of every text asked about."""

    texts: list[Entities]


class StatementsAnswer(_Strict):
    """The statements of every text asked about."""

    texts: list[Statements]


class VerdictsAnswer(_Strict):
    """A verdict on every statement asked about."""

    verdicts: list[Support]


class UnusableError(Exception):
    """The text of an answer is not what was asked for; the call makes it a failure."""

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


ANSWERS: Mapping[Task, type[BaseModel]] = {
    "entities": EntitiesAnswer,
    "statements": StatementsAnswer,
    "verdicts": VerdictsAnswer,
}


@cache
def schema(task: Task, labels: tuple[str, ...]) -> JsonObject:
    """The JSON schema of a task's answer, with the labels as the only allowed ones.

    It is already what the SDK's `transform_schema` makes of it. Titles and references are resolved, which
    takes a third off the tokens that it costs in every call.
    """
    made = ANSWERS[task].model_json_schema()
    plain: JsonObject = _plain(made, made.get("$defs", {}))
    if task == "entities" and labels:
        group = plain["properties"]["texts"]["items"]["properties"]["entities"]["items"]
        group["properties"]["label"] = {"enum": list(labels)}
    return plain


def _plain(node: Any, definitions: JsonObject) -> Any:
    """A schema without titles, descriptions and references; an enumeration needs no type."""
    if isinstance(node, list):
        return [_plain(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _plain(definitions[node["$ref"].removeprefix("#/$defs/")], definitions)
    left_out = {"title", "description", "$defs"} | ({"type"} if "enum" in node else set())
    return {key: _plain(value, definitions) for key, value in node.items() if key not in left_out}


def read_answer(task: Task, text: str, count: int) -> tuple[Part | None, ...]:
    """The parts of an answer: one per text asked about, or one with a verdict for each of `count` statements.

    Labels outside the schema, quotes that stand nowhere and repeated names are kept as they are; blank ones
    are not. A text that the answer leaves out is None. Raises UnusableError when the text is no JSON, has
    another shape, answers no text, or has a number that was not asked about or that appears twice:
    then no number can be trusted.
    """
    answer: Any = _read(ANSWERS[task], text)
    if task == "verdicts":
        _check([support.statement for support in answer.verdicts], count, "statement", all_of_them=True)
        supports: list[Support] = sorted(answer.verdicts, key=lambda support: support.statement)
        return (tuple(support.judged() for support in supports),)
    _check([answered.text for answered in answer.texts], count, "text")
    parts: dict[int, Part] = {answered.text: answered.part() for answered in answer.texts}
    return tuple(parts.get(number) for number in range(1, count + 1))


def _read(model: type[BaseModel], text: str) -> BaseModel:
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        if first["type"] == "json_invalid":
            raise UnusableError("not json", first["msg"]) from None
        where = ".".join(str(step) for step in first["loc"])
        raise UnusableError("schema", f"{where}: {first['msg']}" if where else first["msg"]) from None


def _check(numbers: Sequence[int], count: int, what: str, *, all_of_them: bool = False) -> None:
    least, answered = (count if all_of_them else 1), set(numbers)
    if not least <= len(answered) == len(numbers) or not answered <= set(range(1, count + 1)):
        raise UnusableError(
            "schema", f"it should answer {what} 1 to {count} once each, and answers {sorted(numbers)}"
        )


def _storable(text: str) -> str:
    if "\0" in text:  # the one character that no stored text may hold
        raise UnusableError("schema", "it contains a NUL character")
    return text
