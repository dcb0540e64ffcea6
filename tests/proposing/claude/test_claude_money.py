"""What calls cost, by a table that a file can override, and what a run will send."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.lists import from_cases
from workbench.errors import InputError
from workbench.model import Kind, Sample
from workbench.proposing.claude import cost as costs
from workbench.proposing.claude.answers import AskAnswer, Failure, Usage
from workbench.proposing.claude.asks import Setup, estimate, plan
from workbench.proposing.claude.cost import Budget, Likely, cost, default_prices, read_prices


def forecast(samples: Any, setup: Setup, *, kinds: Sequence[Kind] = ("entity",), **more: Any) -> Any:
    """A live run's of names, whose calls do not think, unless said; no statements are known."""
    known, prices = more.pop("known", ()), default_prices()
    more = {"alone": (), "thinking": 0, "batch": False, "prices": prices, **more}
    return costs.forecast(samples, setup, kinds, known, {}, **more)


MINE = """
dated = 2027-01-01
batch = 0.25
[my-model]
input = 1
output = 2
cache_write = 3
cache_read = 5
"""


def test_every_sort_of_token_has_its_price() -> None:
    usage = Usage(input=1_000_000, output=100_000, cache_write=10_000, cache_read=100_000)

    total = Decimal("2") + 1 + Decimal("0.025") + Decimal("0.01")
    assert total == cost(default_prices(), "claude-sonnet-5-5", usage)


def test_a_batch_costs_half_and_a_dated_model_what_its_name_does() -> None:
    prices, usage = default_prices(), Usage(input=1_000_000)

    assert Decimal(1) == cost(prices, "claude-haiku-4-5-20251001", usage)
    assert Decimal("0.5") == cost(prices, "claude-haiku-4-5", usage, batch=True)


def test_a_long_prompt_has_its_own_price() -> None:
    prices, model = default_prices(), "claude-haiku-5-5"

    assert Decimal("0.01") == cost(prices, model, Usage(input=100_000))
    assert Decimal("0.0500005") == cost(prices, model, Usage(input=100_001))


def test_an_unknown_model_costs_an_unknown_amount_not_nothing() -> None:
    assert cost(default_prices(), "claude-fable-5-2", Usage(input=1)) is None


def test_every_packaged_price_has_the_usual_proportions() -> None:
    """Guards against a slip of the pen: output is five times the input, cache writes 1.25 times."""
    for price in default_prices().models.values():
        rates, once = price.rates, price.rates["input"]
        assert (5 * once, Decimal("1.25") * once) == (rates["output"], rates["cache_write"])
        assert rates["cache_read"] <= once / 10


def test_a_file_adds_models_and_replaces_whole_entries() -> None:
    prices = read_prices(MINE, "mine.toml", default_prices())

    assert (date(2027, 1, 1), Decimal("0.25")) == (prices.dated, prices.batch)
    assert Decimal(1) == cost(prices, "my-model", Usage(input=1_000_000))
    assert Decimal("0.01") == cost(prices, "claude-haiku-5-5", Usage(input=100_000))


def test_tokens_of_the_cache_cost_what_others_do_where_a_file_names_no_price_for_them() -> None:
    prices = read_prices("[plain]\ninput = 1\noutput = 2", "mine.toml", default_prices())

    assert Decimal(3) == cost(prices, "plain", Usage(1_000_000, 0, 1_000_000, 1_000_000))


def test_a_file_may_leave_the_date_and_the_discount_as_they_are() -> None:
    text = MINE.replace("dated = 2027-01-01\nbatch = 0.25\n", "")

    assert default_prices().dated == read_prices(text, "mine.toml", default_prices()).dated


@from_cases
def test_a_price_file_that_is_off_is_refused_by_name_and_place(old: str, new: str, says: str) -> None:
    new = new.replace("<5,000 digits>", "9" * 5_000).replace("<9,000 brackets>", "[" * 9_000)
    text = MINE.replace(old, new)
    assert text != MINE
    with pytest.raises(InputError) as caught:
        read_prices(text, "mine.toml")

    assert says in str(caught.value)


@from_cases
def test_tokens_are_estimated_by_script(text: str, least: int, most: int) -> None:
    assert least <= estimate(text) <= most


def test_a_forecast_counts_the_calls_and_their_tokens_without_sending_any(setup: Setup, taj: Sample) -> None:
    asks = list(plan([taj], setup, ("entity",)))

    told = forecast([taj], setup)

    wanted = (len(asks), sum(costs.estimated_input(setup, ask) for ask in asks))
    assert wanted == (told.requests, told.input_tokens)
    assert told.output_tokens > 0


def test_a_forecast_knows_what_is_paid_and_puts_sentences_for_statements(setup: Setup, taj: Sample) -> None:
    paid = {key for ask in plan([taj], setup, ("entity",)) for key in ask.keys}

    told = forecast([taj], setup, kinds=("entity", "statement"), known=paid)

    assert 2 == told.requests  # the statements of the reference, and the verdicts on its two sentences
    assert costs.Forecast() == forecast([taj], setup, known=paid)


def long_and_short() -> list[Sample]:
    """Two references of some 150,000 tokens, and eight of some 3,000."""
    sizes = [150_000] * 2 + [3_000] * 8
    return [Sample(str(n), "q?", f"Town{n}. " + "abc" * size, ()) for n, size in enumerate(sizes)]


def test_a_forecast_prices_every_call_by_its_own_length() -> None:
    """Two long calls among eight short ones are paid at the long price, whatever the mean prompt is."""
    prices, setup = default_prices(), Setup(effort=None)
    told = forecast(long_and_short(), setup)

    asks = list(plan(long_and_short(), setup, ("entity",)))
    assert told.cost == sum(cost(prices, setup.model, costs.expected(setup, ask, 0)) or 0 for ask in asks)
    assert Decimal("0.15") < told.cost < Decimal("0.25")
    assert told.cost == 2 * forecast(long_and_short(), setup, batch=True).cost
    assert forecast(long_and_short(), Setup(model="someone-elses")).cost is None


def test_a_forecast_has_the_thinking_of_calls_and_no_answer_over_the_limit(setup: Setup, taj: Sample) -> None:
    plain, told = forecast([taj], setup), forecast([taj], setup, thinking=500)

    assert 500 * plain.requests == told.output_tokens - plain.output_tokens == told.thinking_tokens
    long = forecast(long_and_short(), setup, thinking=500)
    assert (2, 150_003) == (long.cut, long.longest)
    assert long.output_tokens < 2 * setup.max_tokens + 8 * 4_000
    assert (0, 500) == (costs.assumed_thinking(None), costs.assumed_thinking("low"))


def budget(limit: str) -> tuple[Budget, Likely]:
    """A budget, and a call that likely costs a tenth of a dollar and a dollar at most."""
    made = Budget(Decimal(limit), read_prices(MINE, "mine.toml"), Setup(model="my-model"), 0)
    return made, Likely(Decimal("0.1"), Decimal(1))


def ended(tokens: int | None) -> AskAnswer:
    return AskAnswer(((),), None if tokens is None else Usage(input=tokens), "m")


def test_a_call_waits_while_those_under_way_may_spend_the_rest() -> None:
    """At their longest three calls fit at once; more of them, one by one, as long as the likely cost fits."""
    money, call = budget("3.5")
    for _ in range(3):
        assert "yes" == money.room(call)
        money.start(call)

    assert "wait" == money.room(call)
    for _ in range(3):
        money.end(call, ended(100_000))
    assert Decimal("0.3") == money.spent
    assert "yes" == money.room(call)


def test_no_call_starts_that_would_exceed_the_limit_as_calls_have_cost_so_far() -> None:
    """A first call ten times as dear as foretold: the second would be so too."""
    money, call = budget("1.9")
    money.start(call)
    money.end(call, ended(1_000_000))

    assert "no" == money.room(call)
    said = "--max-cost $1.9: $1.0000 spent, the next call would cost about $1.0"
    assert money.why_not(call).startswith(said)
    assert "yes" == budget("0.1")[0].room(call)
    assert "no" == budget("0.09")[0].room(call)


def test_nine_calls_cheaper_than_foretold_prove_nothing_and_ten_do() -> None:
    """Each costs a tenth of what was likely: ten times as many fit, once that is known."""
    money, call = budget("0.15")
    said = []
    for _ in range(10):
        money.start(call)
        money.end(call, ended(10_000))
        said.append(money.room(call))

    assert ["yes"] * 5 + ["no"] * 4 + ["yes"] == said


def test_an_answer_that_names_no_tokens_counts_with_what_was_likely() -> None:
    money, call = budget("1")
    money.start(call)
    money.end(call, ended(None))
    money.start(call)
    money.end(call, Failure("overloaded"))

    assert Decimal("0.1") == money.spent


def test_the_same_setup_with_more_tokens_costs_the_same_to_ask(setup: Setup, taj: Sample) -> None:
    assert forecast([taj], setup) == forecast([taj], replace(setup, max_tokens=99_000))
