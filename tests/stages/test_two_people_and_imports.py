"""What two people see of each other, what undo does not pass, and what a review opens with."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import accepted, do, unit_of
from tests.rows import naming
from workbench.model import Evidence, Match, Tally, count
from workbench.stages import editing
from workbench.stages.queue import queue_rows
from workbench.stages.review import act_on
from workbench.store import journal


@pytest.mark.databases
def test_undo_of_one_act_in_two_samples_leaves_the_one_whose_text_was_replaced_since(bench: Any) -> None:
    bench.load([naming(key, ["Paris", "Rome"], ["Paris"]) for key in ("a", "b")])
    opened = [bench.open(key) for key in ("a", "b")]
    acts = [act_on(one, do("Rome", editing.reject)(one)) for one in opened]
    journal.record(bench.store, acts, "ann")
    bench.load([naming("a", ["Paris", "Rome"], [])], update=True)
    before = bench.review("a").state

    moved = bench.undo()

    assert (bench.id("b"), 1) == (moved.sample_id, moved.samples)
    assert before == bench.review("a").state
    assert [False, False] == [unit.rejected for unit in bench.open("b").state.entity.assessment.units]


def test_a_missing_unit_says_why(bench: Any) -> None:
    """Each press gives the next reason; a found unit becomes missing first."""
    bench.load([naming("a", ["Paris"], ["Paris"])])
    said = []
    for _ in range(5):
        unit = unit_of(bench.act("a", do(0, editing.next_reason)), 0)
        said.append((unit.match.verdict, unit.match.reason, unit.match.rule))

    reasons = ("absent", "partial", "contradicted", "other entity", "absent")
    assert [("missing", reason, "human") for reason in reasons] == said
    assert "absent" == editing.reason_after(unit.matched(Match("found", "partial")))


def test_the_second_retriever_opens_with_the_verified_units(demo: Any) -> None:
    """Not with a proposal: edits made once are not made twice. It is marked as re-match only."""
    assert not demo.open("taj-high").rematch
    demo.act("taj-high", do("1631", editing.reject), do(0, editing.relabel, "work"), accepted())

    second = demo.open("taj-low")

    assert second.rematch
    assert second.opening.rematch
    assert second.state.entity.disposition == "todo"
    units = second.state.entity.assessment.units
    places, people = dict.fromkeys(("Yamuna", "Agra"), "place"), ("Shah Jahan", "Mumtaz Mahal")
    assert {"Taj Mahal": "work"} | places | dict.fromkeys(people, "person") == {
        u.text: u.label for u in units
    }
    assert {unit.origin for unit in units} == {"carried"}
    rows = queue_rows(demo.store, demo.info(), "ann", [demo.id("taj-low"), demo.id("france")])
    assert [row.rematch for row in rows.values()] == [True, False]
    demo.act("taj-high", editing.exclude("broken"), who="bo")  # its reference may be the reason
    assert not demo.open("taj-low", "cy").rematch


def test_verdicts_are_made_anew_where_no_context_is_byte_identical(demo: Any) -> None:
    """taj-low shares no context with taj-high: every match is the machine's on the new contexts."""
    units = demo.open("taj-high").state.entity.assessment.units
    missing = [place for place, unit in enumerate(units) if unit.match.verdict == "missing"]
    done = demo.verify("taj-high", toggle=missing)
    assert count(done.state.entity.assessment.units) == Tally(6, 0)

    second = demo.open("taj-low")

    assert count(second.state.entity.assessment.units) == Tally(1, 5)
    assert "carried" not in {unit.match.rule for unit in second.state.entity.assessment.units}


def test_a_verdict_is_carried_where_its_context_is_byte_identical(bench: Any) -> None:
    """Found with its evidence at the new place; the rest is matched on the new contexts."""
    base = {"user_input": "Who?", "reference": "Ann met Bob in Rome."}
    named = {"proposer": "p", "reference_entities": ["Ann", "Bob", "Rome"]}
    bench.load([
        {**base, "id": "one", "retrieved_contexts": ["Ann came.", "He too."],
         "proposal": {**named, "context_entities": [["Ann"], []]}},
        {**base, "id": "two", "retrieved_contexts": ["Rome is old.", "He too.", "Ann came!"],
         "proposal": {**named, "context_entities": [["Rome"], [], ["Ann"]]}},
    ])  # fmt: skip
    he = (Evidence(1, 0, 2),)  # "He" means Bob: only a person knows
    bench.act("one", do("Bob", editing.set_evidence, he), accepted())

    units = {unit.text: unit.match for unit in bench.open("two").state.entity.assessment.units}

    assert ("found", "carried", he) == (units["Bob"].verdict, units["Bob"].rule, units["Bob"].evidence)
    ann = units["Ann"]
    assert ("found", "equal", (Evidence(2, 0, 3),)) == (ann.verdict, ann.rule, ann.evidence)
    assert ("found", "equal") == (units["Rome"].verdict, units["Rome"].rule)
