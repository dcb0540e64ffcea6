"""The queue of a dataset whose file came with a column of scores: that column is what a row compares."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tests.rows import naming
from workbench.comparing.answer_words import in_short
from workbench.comparing.explained import reasons
from workbench.model import Imported
from workbench.reports.units import first_of
from workbench.stages import editing, queue, queue_values
from workbench.stages.review import Opened, act
from workbench.stages.why import explain
from workbench.store.datasets import set_dataset
from workbench.tui.view import outcome
from workbench.tui.widgets.cause_list import reasons_line, totals

COLUMN = "context_entity_recall"
ROWS = [
    naming("low", ["Rome", "Oslo"], ["Rome", "Oslo"], scores={COLUMN: 0.25}),
    naming("third", ["Rome", "Oslo", "Bern"], ["Rome"], scores={COLUMN: 0.3333, "faithfulness": 0.9}),
    naming("high", ["Rome", "Oslo"], ["Rome"], scores={COLUMN: 0.9}),
    naming("without", ["Rome", "Oslo"], ["Rome"]),
    naming("open", ["Rome", "Oslo"], ["Rome"], scores={COLUMN: 0.7}),
]


def test_a_blind_sample_that_is_not_decided_shows_no_number_even_when_all_others_do(bench: Any) -> None:
    bench.load(ROWS, blind=1.0)
    set_dataset(bench.store, bench.info().id, show_auto="always")

    every = queue_values.queue_ids(bench.store, bench.info(), "ann")
    rows = queue.queue_rows(bench.store, bench.info(), "ann", every).values()
    assert [None] * 5 == [one.automatic for one in rows]


def accept(bench: Any, key: str, *toggled: str) -> Opened:
    after: Opened = bench.verify(key, toggle=toggled)
    assert ": yours" in outcome(after, editing.accept(after, "entity"), 100)
    return after


@pytest.fixture
def cities(bench: Any) -> Any:
    bench.load(
        [
            naming("low", ["Rome", "Oslo"], ["Rome"], scores={COLUMN: 0.1}),
            naming("third", ["Rome", "Oslo", "Bern"], ["Rome"], scores={COLUMN: 0.3333}),
            naming("own", ["Rome"], ["Rome"], scores={COLUMN: 0.2, "my_recall (entity)": 0.7}),
        ]
    )
    return bench


def test_after_the_decision_the_number_of_the_file_comes_first_and_has_reasons(cities: Any) -> None:
    assert () == cities.open("low").automatic
    after = accept(cities, "low", "Oslo")
    first: Any = first_of(after.automatic, "entity")
    gap = after.causes["entity"]

    assert (COLUMN, Imported(Fraction(1, 10))) == (first.scorer, first.tally)
    assert Fraction(1, 10) - 1 == gap.delta
    assert gap.delta == sum(share for _, _, share in reasons(gap))
    assert "recount −.50: 1 name found without evidence; untraced −.40" == reasons_line(gap, "entity", 80)
    assert "recount −.50, untraced −.40" == reasons_line(gap, "entity", 45)
    assert "recount −.50, …" == reasons_line(gap, "entity", 25)
    assert "" == reasons_line(replace(gap, delta=Fraction(0)), "entity", 100)
    counted = replace(gap, rows=tuple(row for row in gap.rows if row.cause != "untraced"))
    cancel = reasons_line(replace(counted, delta=Fraction(1, 10**9)), "entity", 100)
    assert "these cancel: 1 name found without evidence" == cancel


def test_the_line_after_an_accept_sets_yours_against_the_verified_value(cities: Any) -> None:
    opened = cities.open("low")
    edit = editing.accept(opened, "entity")

    assert ": yours .10 · verified 1/2 .50 · −.40: untraced" == outcome(
        act(cities.store, opened, edit), edit, 100
    )


def test_rounding_in_the_file_is_no_reason(cities: Any) -> None:
    after = accept(cities, "third")
    why = explain(cities.store, cities.id("third"), "ann", kind="entity")

    assert [] == reasons(after.causes["entity"])
    assert "both sides agree in every unit" == totals(why)
    assert sum(one.share or 0 for one in why.rows) == why.delta


@pytest.mark.parametrize(("written", "cause"), [(0.33, "untraced"), (0.34, "untraced"), (0.3333, "rounding")])
def test_reasons_go_by_the_digits_of_the_whole_column(bench: Any, written: float, cause: str) -> None:
    names = ["Rome", "Oslo", "Bern"]
    bench.load([naming(str(one), names, ["Rome"], scores={COLUMN: one}) for one in {written, 0.6667}])
    after = accept(bench, str(written))
    why = explain(bench.store, after.sample_id, "ann", kind="entity")

    found = after.causes["entity"], bench.open(str(written)).causes["entity"], why
    assert [cause] * 3 == [row.cause for one in found for row in one.rows if row.cause]


def test_why_opens_with_the_column_of_which_a_person_gave_the_kind(cities: Any) -> None:
    accept(cities, "own")
    why = explain(cities.store, cities.id("own"), "ann", kind="entity")

    assert ("my_recall (entity)", "0.7") == (why.scorer, why.digits)


def test_a_statement_that_is_supported_has_no_other_form() -> None:
    assert "2 statements supported after all" == in_short("another form", 2, "statement")
    assert "2 names not recognised" == in_short("another form", 2, "entity")
