"""Two names of one thing, as a person taught: where that counts, where it never does, how it goes away."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlmodel import select

from tests.conftest import Bench, accepted, do
from tests.rows import naming
from workbench.errors import InputError, UsageError
from workbench.model import RESOLVED, Evidence
from workbench.stages import calibrate, policy, queue, queue_values, upkeep
from workbench.stages.editing import best_evidence, same_thing, toggle
from workbench.stages.figures import figures
from workbench.stages.recompute import score_dataset
from workbench.store.calibrations import similarities
from workbench.store.copying import copy_into
from workbench.store.datasets import find_dataset, set_dataset
from workbench.store.engine import open_store
from workbench.store.tables import GoldUnitRow, SampleRow
from workbench.text.query import Query, parse

ROWS = [
    naming("one", ["Yamuna", "Agra"], ["Jumna", "Agra"], group="g"),
    naming("kin", ["Yamuna"], ["Jumna"], group="g"),
    naming("two", ["the Yamuna"], ["Jumna"], group="h"),
    naming("back", ["Jumna"], ["Yamuna"], group="i"),
    naming("text", ["Yamuna"], ["Agra"], also=" The JUMNA's water.", group="j"),
]
JUMNA = Evidence(0, 0, 5)


@pytest.fixture
def bench(bench: Bench, on: str) -> Bench:
    """A database with the samples."""
    bench.load(ROWS)
    return bench


def teach(bench: Bench, key: str = "one", *, done: bool = True) -> None:
    """Say in a sample that Yamuna and Jumna are one, and accept it."""
    bench.act(key, do(0, same_thing, JUMNA), *([accepted()] if done else []))


def test_a_name_in_the_text_is_found_by_its_other_name(bench: Bench) -> None:
    teach(bench)
    opened = bench.open("text")
    (unit,) = opened.state.entity.assessment.units
    (put,), (place,) = toggle(opened, unit).units, best_evidence(opened, unit)

    assert "found" == put.match.verdict
    assert "JUMNA" == opened.sample.retrieved_contexts[place.context][place.start : place.end]


def test_what_was_taught_in_resolve_is_taken_back_there(bench: Bench) -> None:
    teach(bench)
    settled = replace(bench.info(), aliases=(replace(bench.info().aliases[0], annotator=RESOLVED),))
    with pytest.raises(UsageError, match="'Jumna' was taught in Resolve"):
        policy.forget_alias(bench.store, settled, "Jumna", "ann")


def test_calibration_never_sees_an_alias_in_the_sample_that_taught_it(bench: Bench) -> None:
    """Its similarities stay what the matcher alone says, so the alias cannot prove itself."""
    run = calibrate.needed_run(bench.store, bench.info())
    score_dataset(bench.store, bench.info())
    before = similarities(bench.store, run.id, "linked")
    teach(bench)
    score_dataset(bench.store, bench.info())
    after = similarities(bench.store, run.id, "linked")

    own, other = bench.id("one"), bench.id("two")
    assert (before[own], before[bench.id("kin")]) == (after[own], after[bench.id("kin")])
    assert (bytes([0]), bytes([96])) == (before[other], after[other])


@pytest.mark.databases
def test_the_queue_counts_with_the_aliases_of_now(bench: Bench) -> None:
    """Also a sample that was scored before: as the search and the report have it."""
    bench.verify("two")
    score_dataset(bench.store, bench.info())
    teach(bench)
    number = bench.id("two")

    set_dataset(bench.store, bench.info().id, show_auto="always")
    info = bench.info()
    asked = parse("auto<1 two")
    assert isinstance(asked, Query)
    assert [] == [*queue_values.queue_ids(bench.store, info, "bob", asked)]
    assert 1 == queue.queue_rows(bench.store, info, "ann", [number])[number].delta
    assert 1 == queue_values.decided_values(bench.store, info, "ann")[number].delta
    assert [1.0] == [row.delta for row in figures(bench.store, info).rows if row.id == "two"]


@pytest.mark.parametrize(
    ("unit", "place", "why"),
    [
        (0, Evidence(0, 5, 7), "', ' is no name"),
        (0, Evidence(0, 0, 99), "this place lies outside the contexts"),
    ],
)
def test_only_another_name_is_an_alias(bench: Bench, unit: int, place: Evidence, why: str) -> None:
    """The name itself is evidence of its unit alone."""
    opened = bench.open("one")
    units = opened.state.entity.assessment.units
    (agra,) = same_thing(opened, units[1], Evidence(0, 7, 11)).units

    assert ("found", "human", False) == (agra.match.verdict, agra.match.rule, agra.match.alias)
    with pytest.raises(InputError) as refused:
        same_thing(opened, units[unit], place)
    assert why == str(refused.value)


def test_a_passage_is_no_other_name_and_the_refusal_says_why(bench: Bench) -> None:
    opened = bench.open("one")
    long = replace(opened, sample=replace(opened.sample, retrieved_contexts=("long " * 30,)))
    with pytest.raises(InputError, match="too long for another name: it and the unit have 100 letters"):
        same_thing(long, opened.state.entity.assessment.units[0], Evidence(0, 0, 149))


@pytest.mark.databases
def test_nothing_is_learned_from_a_sample_that_is_kept_back(bench: Bench) -> None:
    """Also not from gold that came with a file before the holdout was drawn."""
    teach(bench)
    opened = bench.open("one")
    kept = replace(opened, stored=replace(opened.stored, holdout=True))

    with pytest.raises(InputError, match="kept back"):
        same_thing(kept, kept.state.entity.assessment.units[0], JUMNA)
    with bench.store.writing() as session:
        session.get_one(SampleRow, bench.id("one")).holdout = True
    assert () == bench.info().aliases


@pytest.mark.databases
def test_a_copy_has_them_and_the_doctor_holds_them_against_the_journal(bench: Bench) -> None:
    teach(bench)
    score_dataset(bench.store, bench.info())
    url = str(bench.folder / "copy.db")
    copy_into(bench.store, url, None, lambda _done: None)
    other = open_store(url)

    assert bench.info().aliases == find_dataset(other, None).aliases
    assert [] == list(upkeep.doctor(other, lambda _done: None).found)
    with other.writing() as session:
        (unit,) = [row for row in session.exec(select(GoldUnitRow)) if row.alias]
        unit.alias = "Ganges"
    assert [f"gold_unit {unit.id} is not what its journal says"] == [
        line.partition(": ")[2] for line in upkeep.doctor(other, lambda _done: None).found
    ]
    other.close()
