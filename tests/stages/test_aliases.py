"""Two names of one thing, as a person taught: where that counts, where it never does, how it goes away."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlmodel import select

from tests.conftest import Bench, accepted, do
from tests.rows import naming
from workbench.errors import InputError, UsageError
from workbench.model import RESOLVED, Evidence, Match
from workbench.stages import calibrate, policy, queue, queue_values, upkeep
from workbench.stages.editing import best_evidence, same_thing, toggle
from workbench.stages.export import ExportOptions, export
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


def first(bench: Bench, key: str) -> Match:
    """The match that the first unit of a sample opens with."""
    return bench.open(key).state.entity.assessment.units[0].match


def recalls(bench: Bench) -> dict[str, dict[str, float | None]]:
    """What `linked` and `presence` count now, by sample."""
    report = score_dataset(bench.store, bench.info())
    return {
        row.id: {name: row.automatic[name].value for name in ("linked", "presence")} for row in report.samples
    }


def test_an_alias_counts_both_ways_in_other_samples_and_never_in_those_it_came_from(bench: Bench) -> None:
    """Its own sample and its group are what it was learned from. The text alone decides for `presence`."""
    before = recalls(bench)
    teach(bench)

    assert {"linked": 0.5, "presence": 0.5} == before["one"]
    assert {"linked": 0.0, "presence": 0.0} == before["two"] == before["back"] == before["kin"]
    both = {"linked": 1.0, "presence": 1.0}
    assert before | {"two": both, "back": both, "text": both | {"linked": 0.0}} == recalls(bench)
    for match in (first(bench, "two"), first(bench, "back")):
        assert ("found", "alias", 96) == (match.verdict, match.rule, match.similarity)
    assert ["missing"] * 2 == [first(bench, key).verdict for key in ("kin", "text")]
    opened = bench.open("text")
    (unit,) = opened.state.entity.assessment.units
    assert (("JUMNA", "found"),) == tuple(
        (opened.sample.retrieved_contexts[place.context][place.start : place.end], put.match.verdict)
        for put in toggle(opened, unit).units
        for place in best_evidence(opened, unit)
    )


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


def test_a_verified_sample_never_changes(bench: Bench) -> None:
    bench.verify("two")
    before = bench.tables("gold_unit")
    teach(bench)
    recalls(bench)

    assert before["gold_unit"] == [
        row for row in bench.tables("gold_unit")["gold_unit"] if row in before["gold_unit"]
    ]
    assert "missing" == first(bench, "two").verdict


@pytest.mark.databases
def test_an_alias_counts_once_its_sample_is_accepted_and_undo_takes_it_back(bench: Bench) -> None:
    """Scores at every threshold follow it, there and back."""
    before = recalls(bench), score_dataset(bench.store, bench.info(), threshold=90).means["linked"]
    teach(bench, done=False)
    assert ((), before[0]) == (bench.info().aliases, recalls(bench))

    bench.verify("one")
    (alias,) = bench.info().aliases
    assert ("Yamuna", "Jumna", "one", "ann") == (alias.text, alias.other, alias.sample, alias.annotator)
    assert before[0] != recalls(bench)
    assert before[1] != score_dataset(bench.store, bench.info(), threshold=90).means["linked"]

    bench.undo()
    now = recalls(bench), score_dataset(bench.store, bench.info(), threshold=90).means["linked"]
    assert ((), before) == (bench.info().aliases, now)


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
def test_an_alias_leaves_with_its_gold_and_comes_back(bench: Bench) -> None:
    teach(bench)
    out = bench.folder / "out"
    export(bench.store, bench.info(), out, ExportOptions(formats=("native",), names=True), annotator="ann")
    (file,) = out.rglob("samples.jsonl")
    (known,) = bench.info().aliases
    bench.load(file, dataset="again", gold="given")

    assert (replace(known, day=""),) == tuple(replace(one, day="") for one in bench.info("again").aliases)


def test_a_person_takes_back_their_own_aliases_of_a_name(bench: Bench) -> None:
    teach(bench)

    with pytest.raises(UsageError, match="'Jumna' was taught by ann: each person takes back their own"):
        policy.forget_alias(bench.store, bench.info(), "Jumna", "bob")
    with pytest.raises(UsageError, match="no alias has the name 'Agra'"):
        policy.forget_alias(bench.store, bench.info(), "Agra", "ann")
    settled = replace(bench.info(), aliases=(replace(bench.info().aliases[0], annotator=RESOLVED),))
    with pytest.raises(UsageError, match="'Jumna' was taught in Resolve"):
        policy.forget_alias(bench.store, settled, "Jumna", "ann")
    assert (1, ()) == (policy.forget_alias(bench.store, bench.info(), "Jumna", "ann"), bench.info().aliases)
    assert ("found", "verified") == (first(bench, "one").verdict, bench.open("one").state.entity.disposition)
    bench.undo()
    assert 1 == len(bench.info().aliases)


def test_a_purge_removes_the_aliases_of_its_sample(bench: Bench) -> None:
    """They quote its text."""
    teach(bench)
    plan = upkeep.plan_purge(bench.store, bench.info(), ["one"])
    upkeep.purge(bench.store, bench.info(), plan, "ann")

    assert ((), []) == (bench.info().aliases, bench.query("SELECT id FROM gold_unit WHERE alias IS NOT NULL"))


@pytest.mark.databases
def test_a_copy_has_them_and_the_doctor_holds_them_against_the_journal(bench: Bench) -> None:
    teach(bench)
    recalls(bench)
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
