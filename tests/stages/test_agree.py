"""Which decisions of people are not independent, where no command can say so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import do
from tests.rows import gold, naming
from workbench.stages import editing
from workbench.stages.agree import AgreeReport, agree

AGAIN = "decided again after the others' work could be seen"


@pytest.fixture
def cities(bench: Any) -> Any:
    bench.load([naming("a", ["Rome", "Oslo"], ["Rome"]), naming("b", ["Bern", "Riga"], ["Bern"])], blind=0)
    return bench


def report(bench: Any) -> AgreeReport:
    return agree(bench.store, bench.info(), "ann")


@pytest.mark.databases
def test_a_clock_that_was_set_back_does_not_make_a_decision_independent(cities: Any) -> None:
    """Nor does that of a colleague's machine: what counts is the order in which the acts were stored."""
    cities.verify("a", "ada")
    cities.verify("a", "bo")
    cities.undo("bo")
    cities.verify("a", "bo", reject=["Oslo"])
    last = "(SELECT max(id) FROM review_event)"
    cities.change(f"UPDATE review_event SET at = '2020-01-01 00:00:00.000000' WHERE id = {last}")

    assert {AGAIN: 1} == report(cities).left_out


@pytest.mark.databases
def test_imported_and_adjudicated_work_does_not_count(cities: Any) -> None:
    named = naming("a", ["Rome", "Oslo"], ["Rome"], gold=gold({"Rome": "found"}, "eve"))
    cities.load([named], gold=True)
    cities.verify("b", "ada")
    cities.act("b", do(1, editing.reject), who="cy")
    cities.verify("b", "bo")
    cities.change("UPDATE review SET origin = 'adjudicated' WHERE annotator = 'bo'")
    cities.verify("a", "ada")
    cities.verify("b", "cy")  # begun before it was settled, and decided behind

    found = report(cities)
    assert (0, 1) == (found.whole.samples, found.left_out[AGAIN])
