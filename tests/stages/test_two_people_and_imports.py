"""What two people see of each other, what undo does not pass, and what a review opens with."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import accepted, add_text, do, unit_of
from tests.rows import proposal, sample
from workbench.errors import InputError
from workbench.model import Evidence, Match, Tally, count
from workbench.reviewing.edits import Flag
from workbench.stages import desk, editing
from workbench.stages.propose import propose
from workbench.stages.queue import queue_rows
from workbench.stages.queue_values import queue_ids
from workbench.stages.review import act_on
from workbench.store import journal

ENTITIES = ["Paris", "Rome"]


def row(name: str, contexts: list[str], **more: Any) -> dict[str, Any]:
    return sample(name, "She went from Paris to Rome.", *contexts, user_input="Where?", **more)


def proposed(contexts: list[str]) -> dict[str, Any]:
    found = [[name for name in ENTITIES if name in context] for context in contexts]
    return {**proposal((), *found), "reference_entities": ENTITIES}


PARIS = ["Paris only."]


@pytest.fixture
def siblings(bench: Any) -> Any:
    """Two samples of one reference and one context; only Paris is in it."""
    bench.load([row(name, PARIS, proposal=proposed(PARIS)) for name in ("a", "b")])
    return bench


def texts(opened: Any) -> list[str]:
    return [unit.text for unit in opened.state.entity.assessment.units if not unit.rejected]


def test_another_persons_verdicts_are_hidden_until_one_has_decided(siblings: Any) -> None:
    """Neither the sample, nor its sibling, nor the queue shows them."""
    siblings.verify("a", "ada", reject=["Rome"])
    siblings.verify("b", "ada")  # begins with the units of a

    opened = siblings.open("a", "bob")
    ids = queue_ids(siblings.store, siblings.info(), "bob")
    queued = {one.key: one for one in queue_rows(siblings.store, siblings.info(), "bob", ids).values()}

    assert ["Paris", "Rome"] == texts(opened)
    assert not opened.rematch
    assert (None, None, None) == (queued["a"].automatic, queued["a"].verified, queued["a"].delta)
    assert ("ada",) == queued["a"].annotators

    siblings.verify("a", "bob", reject=["Rome"])
    after = queue_rows(siblings.store, siblings.info(), "bob", ids)
    assert {one.key: one.verified for one in after.values()}["a"] is not None


def test_gold_that_differs_is_carried_to_no_sibling(siblings: Any) -> None:
    siblings.verify("a", "ada")
    siblings.verify("a", "bob", reject=["Rome"])

    assert not siblings.open("b", "cleo").rematch
    assert ["Paris"] == texts(siblings.open("b", "bob"))


def test_gold_of_a_sample_that_somebody_excludes_is_carried_to_no_sibling(siblings: Any) -> None:
    siblings.verify("a", "ada", reject=["Rome"])
    assert ["Paris"] == texts(siblings.open("b", "cleo"))

    siblings.act("a", editing.exclude("the reference is wrong"), who="bob")

    assert ["Paris", "Rome"] == texts(siblings.open("b", "cleo"))


def test_a_sample_flagged_before_anything_was_proposed_shows_the_proposal_later(bench: Any) -> None:
    bench.load([row("a", ["Paris."])])
    bench.act("a", Flag("look"))
    propose(bench.store, bench.info(), "rules", annotator="ann")

    opened = bench.open("a")
    assert ["Paris", "Rome"] == texts(opened)
    assert opened.state.flag == "look"

    bench.verify("a")
    kept = bench.open("a")
    assert ("verified", ["Paris", "Rome"]) == (kept.state.entity.disposition, texts(kept))
    assert kept.state.flag == "look"


def test_undo_and_redo_stop_at_an_import_that_replaced_the_text(bench: Any) -> None:
    """Acts of before, undone ones too, quote the old contexts."""
    contexts = ["Paris is here."]
    bench.load([row("a", contexts, proposal=proposed(contexts))])
    bench.verify("a", "ann", reject=["Rome"])
    dataset = bench.info().id
    desk.undo(bench.store, dataset, "ann")

    bench.load([row("a", ["nothing at all, no names."])], update=True)

    assert desk.redo(bench.store, dataset, "ann") is None
    assert desk.undo(bench.store, dataset, "ann") is None
    state = bench.open("a").state.entity
    assert state.disposition != "verified"
    assert all(not unit.match.evidence for unit in state.assessment.units)


@pytest.mark.databases
def test_undo_of_one_act_in_two_samples_leaves_the_one_whose_text_was_replaced_since(siblings: Any) -> None:
    opened = [siblings.open(key) for key in ("a", "b")]
    acts = [act_on(one, do("Rome", editing.reject)(one)) for one in opened]
    journal.record(siblings.store, acts, "ann")
    siblings.load([row("a", ["nothing at all, no names."])], update=True)
    before = siblings.review("a").state

    moved = siblings.undo()

    assert (siblings.id("b"), 1) == (moved.sample_id, moved.samples)
    assert before == siblings.review("a").state
    assert ["Paris", "Rome"] == texts(siblings.open("b"))


def test_undo_passes_over_gold_that_was_imported_later(bench: Any) -> None:
    bench.load([row("a", ["Paris."], proposal=proposed(["Paris."]))])
    bench.verify("a", "ann")
    gold = {"annotator": "ann", "entities": [{"text": "Paris", "verdict": "found"}]}

    bench.load([row("a", ["Paris."], gold=gold)], gold="given", update=True)

    assert bench.undo() is None
    assert ["Paris"] == texts(bench.open("a"))


def test_imported_gold_that_its_annotator_accepts_again_is_reviewed(bench: Any) -> None:
    gold = {"annotator": "ann", "entities": [{"text": "Paris", "verdict": "found"}]}
    bench.load([row("a", ["Paris."], gold=gold)], gold="given")
    assert [("imported",)] == bench.query("SELECT origin FROM review")

    bench.verify("a", "ann")

    assert [("reviewed",)] == bench.query("SELECT origin FROM review")


def test_a_decided_sample_cannot_be_left_for_later(bench: Any) -> None:
    bench.load([row("a", ["Paris."], proposal=proposed(["Paris."]))])
    bench.verify("a", "ann")

    with pytest.raises(InputError, match="decided"):
        editing.skip(bench.open("a", "ann"))


def test_a_name_is_one_unit_and_a_restored_duplicate_counts(bench: Any) -> None:
    proposal = {"proposer": "p", "reference_entities": ["Paris", "PARIS"], "context_entities": [["Paris"]]}
    bench.load([row("a", ["Paris."], proposal=proposal)])
    opened = bench.open("a")
    with pytest.raises(InputError, match="is in the list and counts once"):
        add_text(opened, "entity", "Paris")

    opened = bench.act("a", do(1, editing.reject))

    assert [True, True] == [unit.counted for unit in opened.state.entity.assessment.units]


def test_a_missing_unit_says_why(bench: Any) -> None:
    """Each press gives the next reason; a found unit becomes missing first."""
    bench.load([row("a", ["Paris."], proposal=proposed(["Paris."]))])
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


def test_a_blind_sample_opens_without_the_siblings_units(bench: Any) -> None:
    """The blind arm measures what a person finds alone."""
    base = {"user_input": "Who?", "reference": "Ann met Bob.", "retrieved_contexts": ["Ann."]}
    gold = {"annotator": "gina", "entities": [{"text": "Ann", "verdict": "found"}]}
    bench.load([{**base, "id": "one", "gold": gold}, {**base, "id": "two", "retrieved_contexts": ["Bob."]}],
               gold="given", blind=1.0)  # fmt: skip

    opened = bench.open("two")

    assert (opened.blind, opened.rematch, opened.state.entity.assessment.units) == (True, False, ())


@pytest.mark.parametrize(
    ("blind", "out", "shows"), [(0.0, False, True), (1.0, False, False), (0.0, True, False)]
)
def test_values_of_the_file_show_unless_blind_or_excluded(
    bench: Any, blind: float, out: bool, shows: bool
) -> None:
    gold = {"annotator": "gina", "entities": [{"text": "Ann", "verdict": "found"}]}
    row = {"id": "a", "user_input": "q", "reference": "Ann", "retrieved_contexts": ["Ann"], "gold": gold}
    bench.load([{**row, "context_entity_recall": 0.5}], gold="given", blind=blind)
    if out:
        bench.act("a", editing.exclude("broken"), who="bo")
    opened = bench.open("a", "cy")

    assert [shows, shows] == [bool(opened.automatic), "entity" in opened.standing]
