"""What an open review, its lines and the queue say of why a sample's automatic value is another."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, get_args

import pytest

from tests.conftest import Bench, accepted, do
from tests.rows import gold, naming
from workbench.comparing.answer_words import in_short
from workbench.comparing.causes import CAUSES, Part
from workbench.comparing.explained import reasons
from workbench.errors import InputError
from workbench.model import Imported, Span
from workbench.reports.units import _SENTENCES, first_of
from workbench.stages import editing, queue, queue_values
from workbench.stages.review import Opened, act
from workbench.stages.why import _FIXES, Why, explain
from workbench.store.datasets import set_dataset
from workbench.store.samples import sample_ids
from workbench.tui.view import outcome, unit_lines
from workbench.tui.widgets.cause_list import reasons_line, totals


def why(bench: Any, key: str, **more: Any) -> Why:
    return explain(bench.store, bench.id(key), "ann", kind="entity", **more)


def test_the_review_itself_says_the_causes(bench: Any) -> None:
    bench.load([naming("taj", ["Agra", "Yamuna"], ["Agra"])])
    opened = bench.act("taj", do("Yamuna", editing.reject))
    assert dict(opened.causes) == {}
    opened = bench.act("taj", accepted())
    said = [(one.cause, one.units, one.share) for one in opened.causes["entity"].totals]
    assert said == [("invented unit", 1, Fraction(-1, 2))]
    assert opened.causes["entity"].delta == why(bench, "taj").delta


def test_an_exact_name_has_its_places_in_the_reference_and_the_contexts(bench: Any) -> None:
    bench.load([naming("taj", ["Yamuna", "Agra"], ["Oslo", "Agra"])])
    bench.act("taj", accepted())
    (agra,) = (one.automatic for one in why(bench, "taj", scorer="ragas").rows[1:])
    assert agra is not None
    assert agra.spans == (Span(8, 12),)
    assert [(one.context, one.start) for one in agra.match.evidence] == [(0, 6)]


def test_the_demo_is_explained_sample_by_sample(demo: Any) -> None:
    """Whatever is verified there sums up, for every scorer."""
    explained = 0
    for key in sample_ids(demo.store, demo.info().id):
        try:
            scorers = why(demo, key).scorers
        except InputError:
            continue
        for scorer in scorers:
            found = why(demo, key, scorer=scorer)
            if found.delta is not None:
                assert sum((one.share or Fraction(0) for one in found.rows), Fraction(0)) == found.delta
                explained += 1
    assert explained


def verdict_of(opened: Opened, place: int) -> str:
    """What is said of the verdict on a unit."""
    lines = unit_lines(opened.state.entity.assessment.units[place], opened)
    return next(line for line in lines if line.startswith("missing"))


def test_a_verdict_of_a_file_is_called_imported_until_the_person_changes_it(bench: Bench) -> None:
    said = gold(dict.fromkeys(("Agra", "Yamuna"), "missing"), "ann")
    bench.load([naming("taj", ["Agra", "Yamuna"], [], gold=said)], gold="require")
    assert "missing, imported" == verdict_of(bench.open("taj"), 0)
    opened = bench.act("taj", do(0, editing.next_reason))
    assert "missing: absent, your decision" == verdict_of(opened, 0)
    assert "missing, imported" == verdict_of(opened, 1)
    assert "missing, your decision" == verdict_of(bench.act("taj", accepted()), 1)


@pytest.mark.parametrize("listed", [_FIXES, _SENTENCES])
def test_what_is_said_of_causes_is_listed_under_their_names(listed: dict[str, str]) -> None:
    """The lists are text files: a name that no cause has would never be read."""
    names = {f"{cause} {part}".strip() for cause in CAUSES for part in get_args(Part)}
    assert listed.keys() <= names | {"claim partial", "claim contradicted", "same", "unicode"}


def test_every_cause_has_a_sentence() -> None:
    """Alone, or with each of its parts."""
    assert all(any(key.startswith(cause) for key in _SENTENCES) for cause in CAUSES)


COLUMN = "context_entity_recall"


def test_a_blind_sample_that_is_not_decided_shows_no_number_even_when_all_others_do(bench: Any) -> None:
    bench.load([naming(key, ["Rome"], ["Rome"], scores={COLUMN: 0.5}) for key in "abcde"], blind=1.0)
    set_dataset(bench.store, bench.info().id, show_auto="always")

    every = queue_values.queue_ids(bench.store, bench.info(), "ann")
    rows = queue.queue_rows(bench.store, bench.info(), "ann", every, queue_values.count_now).values()
    assert [None] * 5 == [one.automatic for one in rows]


def accept(bench: Any, key: str, *toggled: str) -> Opened:
    after: Opened = bench.verify(key, toggle=toggled)
    assert ": yours" in outcome(after, editing.accept(after, "entity"), 100)
    return after


@pytest.fixture
def cities(bench: Any) -> Any:
    low = naming("low", ["Rome", "Oslo"], ["Rome"], scores={COLUMN: 0.1})
    bench.load([low, naming("third", ["Rome", "Oslo", "Bern"], ["Rome"], scores={COLUMN: 0.3333})])
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
    assert [] == reasons(after.causes["entity"])
    assert "both sides agree in every unit" == totals(why(cities, "third"))


@pytest.mark.parametrize(("written", "cause"), [(0.33, "untraced"), (0.34, "untraced"), (0.3333, "rounding")])
def test_reasons_go_by_the_digits_of_the_whole_column(bench: Any, written: float, cause: str) -> None:
    names = ["Rome", "Oslo", "Bern"]
    bench.load([naming(str(one), names, ["Rome"], scores={COLUMN: one}) for one in {written, 0.6667}])
    after = accept(bench, str(written))

    found = after.causes["entity"], bench.open(str(written)).causes["entity"], why(bench, str(written))
    assert [cause] * 3 == [row.cause for one in found for row in one.rows if row.cause]


def test_a_statement_that_is_supported_has_no_other_form() -> None:
    assert "2 statements supported after all" == in_short("another form", 2, "statement")
    assert "2 names not recognised" == in_short("another form", 2, "entity")
