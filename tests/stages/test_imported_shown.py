"""What a review and Why say of a sample whose score came with the file."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.rows import naming
from workbench.comparing.explained import in_short, reasons
from workbench.model import Imported
from workbench.stages import editing
from workbench.stages.review import Opened, act
from workbench.stages.why import explain
from workbench.tui.view import outcome
from workbench.tui.why_text import reasons_line, totals
from workbench.tui.widgets.tallies import first_of

COLUMN = "context_entity_recall"


def accept(bench: Any, key: str, *toggled: str) -> Opened:
    opened = bench.open(key)
    for text in toggled:
        unit = next(one for one in opened.state.entity.assessment.units if one.text == text)
        opened = act(bench.store, opened, editing.toggle(opened, unit))
    edit = editing.accept(opened, "entity")
    after = act(bench.store, opened, edit)
    assert ": yours" in outcome(after, edit)
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


def test_nothing_of_the_number_shows_before_the_decision(cities: Any) -> None:
    assert () == cities.open("low").automatic


def test_after_the_decision_the_number_of_the_file_comes_first_and_has_reasons(cities: Any) -> None:
    after = accept(cities, "low", "Oslo")
    first = first_of(after.automatic, "entity")
    assert first is not None
    gap = after.causes["entity"]

    assert (COLUMN, Imported(Fraction(1, 10))) == (first.scorer, first.tally)
    assert Fraction(1, 10) - 1 == gap.delta
    assert gap.delta == sum(share for _, _, share in reasons(gap))
    assert "1 name not extracted from the contexts, another extraction or judge" == reasons_line(
        gap, "entity", 80
    )
    assert "1 name not extracted from the contexts, …" == reasons_line(gap, "entity", 50)


def test_the_line_after_an_accept_sets_yours_against_the_verified_value(cities: Any) -> None:
    opened = cities.open("low")
    edit = editing.accept(opened, "entity")

    assert ": yours .10 · true 1/2 .50 · −.40: another extraction or judge" == outcome(
        act(cities.store, opened, edit), edit
    )


def test_rounding_in_the_file_is_no_reason(cities: Any) -> None:
    after = accept(cities, "third")
    why = explain(cities.store, cities.id("third"), "ann", kind="entity")

    assert [] == reasons(after.causes["entity"])
    assert "both sides agree in every unit" == totals(why)
    assert sum(one.row.share or 0 for one in why.rows) == why.delta


def test_why_opens_with_the_column_of_which_a_person_gave_the_kind(cities: Any) -> None:
    accept(cities, "own")
    why = explain(cities.store, cities.id("own"), "ann", kind="entity")

    assert ("my_recall (entity)", "0.7") == (why.scorer, why.imported)


def test_a_statement_that_is_supported_has_no_other_form() -> None:
    assert "2 statements supported after all" == in_short("another form", 2, "statement")
    assert "2 names in another form" == in_short("another form", 2, "entity")
