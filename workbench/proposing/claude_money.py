"""What calls cost, by a dated price table that a file can override."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Any

from workbench.errors import InputError
from workbench.proposing.claude_results import Usage

_MILLION = Decimal(1_000_000)
_DATED_NAME = re.compile(r"-\d{8}$")
_RATES = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens of each sort; `long` holds for calls with a prompt above its limit."""

    input: Decimal
    output: Decimal
    cache_write_5m: Decimal
    cache_write_1h: Decimal
    cache_read: Decimal
    above: int = 0
    long: Price | None = None


@dataclass(frozen=True, slots=True)
class Prices:
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
    text = resources.files("workbench.proposing").joinpath("prompts/prices.toml").read_text("utf-8")
    return read_prices(text, "the packaged prices")


def read_prices(text: str, name: str, base: Prices | None = None) -> Prices:
    """A table from TOML, over `base` when given. Raises InputError that opens with `name` and the place."""
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: not TOML: {error}") from error
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
    rates = [_amount(entry.get(rate), f"{where}.{rate}") for rate in _RATES]
    long = _price(entry["long"], f"{where}.long") if "long" in entry else None
    above = entry.get("above", 0)
    if not isinstance(above, int):
        raise InputError(f"{where}.above: got {above!r}, expected a number of tokens")
    first, second, third, fourth, fifth = rates
    return Price(first, second, third, fourth, fifth, above, long)


def _amount(value: Any, where: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or value < 0:
        raise InputError(f"{where}: got {value!r}, expected a number like 2.50")
    return Decimal(value)


def cost(prices: Prices, model: str, usage: Usage, *, batch: bool = False) -> Decimal | None:
    """Dollars for the tokens of one call; None without a price: unknown, not free."""
    price = prices.of(model)
    if price is None:
        return None
    if price.long is not None and usage.prompt > price.long.above:
        price = price.long
    total = sum((getattr(usage, rate) * getattr(price, rate) for rate in _RATES), Decimal(0)) / _MILLION
    return total * prices.batch if batch else total
