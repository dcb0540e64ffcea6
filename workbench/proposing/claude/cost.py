"""What calls cost, by a dated price table: of one call, of a whole run, and against a limit."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple

from workbench.errors import InputError
from workbench.model import Kind, Sample
from workbench.proposing.claude.answers import NO_TOKENS, Failure, Result, Task, Usage, schema
from workbench.proposing.claude.asks import (
    Ask,
    Results,
    Setup,
    estimate,
    plan,
    plan_verdicts,
    statements_key,
    system,
)
from workbench.settings import toml_table
from workbench.text.tokens import sentences

_MILLION = Decimal(1_000_000)
_DATED_NAME = re.compile(r"-\d{8}$")
_RATES = ("input", "output", "cache_write", "cache_read")


class Price(NamedTuple):
    """Dollars per million tokens of each sort; `long` holds for calls with a prompt above its limit."""

    rates: Mapping[str, Decimal]
    above: int = 0
    long: Price | None = None


class Prices(NamedTuple):
    """A price table, the day it was true, and what a batch costs of the live price."""

    dated: date
    batch: Decimal
    models: Mapping[str, Price]

    def of(self, model: str) -> Price | None:
        """The price of a model, also of one named with its date; None for an unknown one."""
        return self.models.get(model) or self.models.get(_DATED_NAME.sub("", model))


@cache
def default_prices() -> Prices:
    """The packaged table."""
    text = resources.files("workbench.proposing.claude").joinpath("prices.toml").read_text("utf-8")
    return read_prices(text, "the packaged prices")


def read_prices(text: str, name: str, base: Prices | None = None) -> Prices:
    """A table from TOML, over `base` when given. Raises InputError that opens with `name` and the place."""
    try:
        document = toml_table(text, Decimal)
    except ValueError as error:
        raise InputError(f"{name}: {error}") from error
    dated = document.pop("dated", base.dated if base else None)
    batch = document.pop("batch", base.batch if base else None)
    if not isinstance(dated, date):
        raise InputError(f"{name}: dated: got {dated!r}, expected a day like 2026-10-24")
    models = {model: _price(entry, f"{name}: {model}") for model, entry in document.items()}
    return Prices(dated, _amount(batch, f"{name}: batch"), {**(base.models if base else {}), **models})


def _price(entry: Any, where: str) -> Price:
    if not isinstance(entry, dict):
        raise InputError(f"{where}: got {entry!r}, expected a table with {', '.join(_RATES)}")
    unknown = sorted(set(entry) - {*_RATES, "above", "long"})
    if unknown:
        raise InputError(f"{where}: unknown {unknown[0]!r}; there is: {', '.join(_RATES)}, long")
    usual = {rate: entry.get("input") for rate in ("cache_write", "cache_read")}
    rates = {rate: _amount((usual | entry).get(rate), f"{where}.{rate}") for rate in _RATES}
    long = _price(entry["long"], f"{where}.long") if "long" in entry else None
    above = entry.get("above", 0)
    if not isinstance(above, int):
        raise InputError(f"{where}.above: got {above!r}, expected a number of tokens")
    return Price(rates, above, long)


def _amount(value: Any, where: str) -> Decimal:
    number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    if not number or not Decimal(value).is_finite() or value < 0:
        raise InputError(f"{where}: got {value!r}, expected a number like 2.50")
    return Decimal(value)


def cost(prices: Prices, model: str, usage: Usage, *, batch: bool = False) -> Decimal | None:
    """Dollars for the tokens of one call; None without a price: unknown, not free."""
    price = prices.of(model)
    if price is None:
        return None
    if price.long is not None and usage.prompt > price.long.above:
        price = price.long
    total = sum((getattr(usage, rate) * each for rate, each in price.rates.items()), Decimal(0)) / _MILLION
    return total * prices.batch if batch else total


@dataclass(frozen=True)
class Forecast:
    """What a run will send, all of it estimated.

    `thinking_tokens` are part of `output_tokens`. `cost` is the sum over the calls, each by the price for
    its own length, without the cache; None for a model without a price. `cut` counts the calls whose answer
    is likely longer than `max_tokens`; `longest` is the longest of their texts, in tokens.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    thinking_tokens: int = 0
    cost: Decimal | None = Decimal(0)
    cut: int = 0
    longest: int = 0


def estimated_input(setup: Setup, ask: Ask) -> int:
    """Tokens of a request: estimated, mostly too many."""
    shape = json.dumps(schema(ask.task, setup.labels), separators=(",", ":"))
    return estimate(system(setup, ask.task)) + estimate(shape) + ask.tokens


# Assumed, because the service says it of no model: what a call thinks at each effort. Once a run of the same
# model and effort has calls, their mean takes the place of this.
_THINKING: Mapping[str | None, int] = {None: 0, "low": 500, "medium": 1_000}
_MORE_THINKING = 2_000


def assumed_thinking(effort: str | None) -> int:
    """Tokens that a call thinks at some effort, as long as none was counted; models without effort do not."""
    return _THINKING.get(effort, _MORE_THINKING)


def expected(setup: Setup, ask: Ask, thinking: int) -> Usage:
    """What a call will likely take. `max_tokens` ends its answer, with the thinking."""
    answered = min(setup.max_tokens, _estimated_output(ask) + thinking)
    return Usage(input=estimated_input(setup, ask), output=answered, thinking=min(answered, thinking))


def forecast(
    samples: Iterable[Sample],
    setup: Setup,
    kinds: Sequence[Kind],
    known: Container[str],
    results: Results,
    *,
    prices: Prices,
    alone: Container[str],
    thinking: int,
    batch: bool,
) -> Forecast:
    """What `plan` and then `plan_verdicts` will send for the samples; nothing is sent.

    Sentences stand in for statements that are not known yet. `thinking` tokens are added to every call.
    """
    requests = cut = longest = 0
    tokens, dollars = NO_TOKENS, Decimal(0)

    def add(asks: Iterable[Ask]) -> None:
        nonlocal requests, tokens, dollars, cut, longest
        for ask in asks:
            requests += 1
            usage = expected(setup, ask, thinking)
            tokens += usage
            dollars += cost(prices, setup.model, usage, batch=batch) or 0
            if _estimated_output(ask) > setup.max_tokens:
                cut += 1
                longest = max(longest, *(estimate(piece.text) for piece in ask.pieces))

    def passing() -> Iterator[Sample]:
        for sample in samples:
            if "statement" in kinds:
                key, reference = statements_key(setup, sample), sample.reference
                answered = results.get(key)
                if answered is None:
                    answered = tuple(span.of(reference) for span in sentences(reference))
                add(plan_verdicts([sample], setup, {key: answered}, known))
            yield sample

    add(plan(passing(), setup, kinds, known, alone))
    priced = dollars if prices.of(setup.model) is not None else None
    return Forecast(requests, tokens.input, tokens.output, tokens.thinking, priced, cut, longest)


class Likely(NamedTuple):
    """Dollars that one call likely costs, and that it costs when its answer is as long as it may be."""

    cost: Decimal
    most: Decimal


_NONE = Decimal(0)
NOTHING = Likely(_NONE, _NONE)


class Budget:
    """What a run used and spent, and may spend. A call that is under way counts with what it likely costs.

    The forecast is corrected by what calls cost so far. Calls run at once as long as there is money for all
    of them at their longest; after that one by one. So the limit is exceeded at most by what one call costs
    more than was likely.
    """

    def __init__(
        self, limit: Decimal | None, prices: Prices, setup: Setup, thinking: int, *, batch: bool = False
    ) -> None:
        self._priced = prices.of(setup.model) is not None
        self.limit = limit if self._priced else None
        self.usage, self.spent = NO_TOKENS, _NONE
        self.unmetered = 0
        """Answers that named no tokens."""
        self._prices, self._setup, self._thinking, self._batch = prices, setup, thinking, batch
        self._held = NOTHING
        self._calls, self._counted, self._foretold = 0, _NONE, _NONE

    def likely(self, ask: Ask) -> Likely:
        """What a call costs."""
        if self.limit is None:
            return NOTHING
        usage = expected(self._setup, ask, self._thinking)
        longest = Usage(input=usage.input, output=self._setup.max_tokens)
        return Likely(self._price(usage), self._price(longest))

    def room(self, call: Likely) -> Literal["yes", "wait", "no"]:
        """Whether a call may start: now, perhaps when one under way has ended, or not at all."""
        if self.limit is None:
            return "yes"
        if self.spent + self._factor() * (self._held.cost + call.cost) > self.limit:
            return "wait" if self._held.cost else "no"
        at_once = self._batch or self.spent + self._held.most + call.most <= self.limit
        return "yes" if at_once or not self._held.cost else "wait"

    def start(self, call: Likely) -> None:
        """A call is under way."""
        self._held = Likely(self._held.cost + call.cost, self._held.most + call.most)

    def end(self, call: Likely, result: Result) -> None:
        """A call has ended. An answer that names no tokens counts with what was likely."""
        self._held = Likely(self._held.cost - call.cost, self._held.most - call.most)
        if result.usage is not None:
            paid = self._price(result.usage)
            self.usage += result.usage
            self.spent += paid
            self._calls += 1
            self._counted += paid
            self._foretold += call.cost
        elif not isinstance(result, Failure):
            self.unmetered += 1
            self.spent += self._factor() * call.cost

    @property
    def cost(self) -> Decimal | None:
        """Dollars spent; None for a model without a price, and when an answer named no tokens."""
        return self.spent if self._priced and not self.unmetered else None

    def why_not(self, call: Likely) -> str:
        """That the limit ends the run, with the figures."""
        return (
            f"--max-cost ${self.limit:f}: ${self.spent:.4f} spent, the next call would cost about "
            f"${self._factor() * call.cost:.4f}; raise it and run again: only what is missing is asked"
        )

    def _factor(self) -> Decimal:
        """What calls cost over what was foretold of them; a few cheap ones prove nothing."""
        if not self._foretold:
            return Decimal(1)
        factor = self._counted / self._foretold
        return factor if self._calls >= _ENOUGH else max(Decimal(1), factor)

    def _price(self, usage: Usage) -> Decimal:
        return cost(self._prices, self._setup.model, usage, batch=self._batch) or _NONE


_ENOUGH = 10  # calls that show that the forecast is too high


# Measured on 50 samples each of four datasets with the rule proposer's entities: .45 to .95 of the text.
_OUTPUT_SHARE: Mapping[Task, float] = {"entities": 0.7, "statements": 1.3, "verdicts": 0.0}
_OUTPUT_PER_VERDICT = 60


def _estimated_output(ask: Ask) -> int:
    if ask.task == "verdicts":
        return _OUTPUT_PER_VERDICT * ask.count
    texts = sum(estimate(piece.text) for piece in ask.pieces if piece.role == "text")
    return round(_OUTPUT_SHARE[ask.task] * texts) + 10 * ask.count
