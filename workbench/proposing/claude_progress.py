"""What a run did so far, as plain values: counted up call by call, read by screens and reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from workbench.proposing.claude_money import Prices, cost
from workbench.proposing.claude_results import NO_TOKENS, Answer, Failure, FailureKind, Result, Usage

_WINDOW = 10.0  # seconds over which the shown rate is smoothed


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a run. Times in seconds; `rate` is results per second of late, `pace` what may start.

    `cost` is None for a model without a price, and when `unmetered` answers named no tokens. While `waiting`
    is above 0 no call starts, and `why` says so. `requests` counts everything sent, `refused` those that met
    a rate limit.
    """

    answered: int = 0
    failed: int = 0
    in_flight: int = 0
    total: int | None = None
    requests: int = 0
    refused: int = 0
    retries: int = 0
    seconds: float = 0.0
    rate: float = 0.0
    pace: float = 0.0
    eta: float | None = None
    waiting: float = 0.0
    why: str = ""
    usage: Usage = NO_TOKENS
    cost: Decimal | None = Decimal(0)
    unmetered: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended. `stopped` is empty when every ask has its result, else why some have none.

    `failure` is the one that made going on useless: nothing more was asked after it. `notes` are for a
    person to read.
    """

    progress: Progress
    failures: Mapping[FailureKind, int]
    stopped: str = ""
    failure: Failure | None = None
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Meter:
    """Counts what happens to the asks of a run."""

    model: str
    prices: Prices
    total: int | None
    began: float
    batch: bool = False
    answered: int = 0
    requests: int = 0
    refused: int = 0
    retries: int = 0
    usage: Usage = NO_TOKENS
    cost: Decimal | None = Decimal(0)
    unmetered: int = 0
    failures: Counter[FailureKind] = field(default_factory=Counter)
    _seen: int = 0
    _seen_at: float = -1.0
    _rate: float = 0.0

    def paid(self, result: Result) -> None:
        """A call came back: with tokens, unpaid, or with an answer that names no tokens."""
        usage = result.usage
        if usage is None:
            self.unmetered += isinstance(result, Answer)
            return
        self.usage += usage
        price = cost(self.prices, self.model, usage, batch=self.batch)
        self.cost = None if price is None or self.cost is None else self.cost + price

    def settled(self, result: Result) -> None:
        """An ask has its result."""
        if isinstance(result, Answer):
            self.answered += 1
        else:
            self.failures[result.kind] += 1

    def read(self, now: float, *, in_flight: int, pace: float, waiting: float, why: str) -> Progress:
        """The moment as plain values; the rate is smoothed over the readings."""
        done = self.answered + self.failures.total()
        since = now - max(self._seen_at, self.began)
        if since > 0.2:
            fresh = (done - self._seen) / since
            share = min(1.0, since / min(_WINDOW, now - self.began))
            self._rate += share * (fresh - self._rate)
            self._seen, self._seen_at = done, now
        left = None if self.total is None else max(0, self.total - done)
        return Progress(
            answered=self.answered,
            failed=self.failures.total(),
            in_flight=in_flight,
            total=self.total,
            requests=self.requests,
            refused=self.refused,
            retries=self.retries,
            seconds=now - self.began,
            rate=self._rate,
            pace=pace,
            eta=left / self._rate if left is not None and self._rate > 0 else None,
            waiting=max(0.0, waiting),
            why=why if waiting > 0 else "",
            usage=self.usage,
            cost=None if self.unmetered else self.cost,
            unmetered=self.unmetered,
        )
