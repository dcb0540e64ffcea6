"""What one call to Claude came to: an answer, or a failure of a closed set of kinds with what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, NamedTuple, get_args

from workbench.errors import AccessError, AnswerError, BusyError, DeclinedError, ProposalError
from workbench.model import ProposedEntity

FailureKind = Literal[
    "no key",
    "key refused",
    "not allowed",
    "not paid",
    "unknown model",
    "rate limited",
    "overloaded",
    "server error",
    "timeout",
    "connection",
    "not a message",
    "refused",
    "too long",
    "bad request",
    "cut off",
    "unfinished",
    "not json",
    "schema",
    "expired",
    "canceled",
]


class Cause(NamedTuple):
    """What a kind of failure means: our error, whether one more try may help, and what a person can do."""

    error: type[ProposalError]
    again: bool
    advice: str


_SINGLE = "review the sample by hand, or leave the text out"
_LATER = "run again: only what is missing is asked"
CAUSES: Mapping[FailureKind, Cause] = {
    "no key": Cause(AccessError, False, "set ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN or ANTHROPIC_PROFILE"),
    "key refused": Cause(AccessError, False, "check ANTHROPIC_API_KEY: the service does not know this key"),
    "not allowed": Cause(AccessError, False, "this key may not do that: use another key or another model"),
    "not paid": Cause(AccessError, False, "add credit or raise the spend limit of the account"),
    "unknown model": Cause(AccessError, False, "name a model that the service has (--model)"),
    "rate limited": Cause(BusyError, True, _LATER),
    "overloaded": Cause(BusyError, True, _LATER),
    "server error": Cause(BusyError, True, _LATER),
    "timeout": Cause(BusyError, True, f"{_LATER}, or allow more time per call"),
    "connection": Cause(BusyError, True, f"check the network and ANTHROPIC_BASE_URL, then {_LATER}"),
    "not a message": Cause(BusyError, True, "check ANTHROPIC_BASE_URL: something else answers there"),
    "refused": Cause(DeclinedError, False, _SINGLE),
    "too long": Cause(DeclinedError, False, "shorten the text or name a model with a larger context window"),
    "bad request": Cause(DeclinedError, False, "read what the service says; the model may lack a parameter"),
    "cut off": Cause(AnswerError, False, "raise --max-tokens, then retry the failed samples"),
    "unfinished": Cause(AnswerError, False, "retry the failed samples"),
    "not json": Cause(AnswerError, False, "retry the failed samples; name a model with structured outputs"),
    "schema": Cause(AnswerError, False, "retry the failed samples; name a model with structured outputs"),
    "expired": Cause(BusyError, False, "the batch ran out of its 24 hours: retry the failed samples"),
    "canceled": Cause(BusyError, False, "the batch was canceled: retry the failed samples"),
}
"""`again` holds for calls that are not paid: those are repeated by themselves, all others only on demand."""

KINDS_OF_FAILURE: tuple[FailureKind, ...] = get_args(FailureKind)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call or of many. `input` is neither written to nor read from the cache."""

    input: int = 0
    output: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    cache_read: int = 0
    thinking: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Usage)))

    @property
    def prompt(self) -> int:
        """All tokens sent."""
        return self.input + self.cache_write_5m + self.cache_write_1h + self.cache_read


NO_TOKENS = Usage()


class Judged(NamedTuple):
    """The verdict on one statement; `context` counts from 0."""

    verdict: str
    context: int | None
    quote: str | None
    reason: str


Part = tuple[ProposedEntity, ...] | tuple[str, ...] | tuple[Judged, ...]
"""What an answer says of one payment key: entities of a text, statements, or a verdict per statement."""


SPLIT: frozenset[FailureKind] = frozenset(
    ("refused", "too long", "bad request", "cut off", "unfinished", "not json", "schema")
)
"""What one text of several may have caused: each of them is then asked by itself."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer: one part per payment key of the ask, in their order; None for a text left out.

    `usage` is None when the service named none: it was paid, and nobody knows how much.
    """

    parts: tuple[Part | None, ...]
    usage: Usage | None
    model: str
    request_id: str
    stop_reason: str
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Failure:
    """A call without a usable answer. `usage` is None when the service named none: most likely unpaid."""

    kind: FailureKind
    detail: str = ""
    usage: Usage | None = None
    model: str = ""
    request_id: str = ""
    stop_reason: str = ""
    attempts: int = 1

    @property
    def message(self) -> str:
        """The kind, what the service said, and what to do."""
        said = f" ({self.detail})" if self.detail else ""
        return f"{self.kind}{said}: {CAUSES[self.kind].advice}"

    @property
    def stops(self) -> bool:
        """Whether every other call would fail the same way."""
        return CAUSES[self.kind].error is AccessError

    def error(self) -> ProposalError:
        """Our error with the message."""
        return CAUSES[self.kind].error(self.message)


Result = Answer | Failure
