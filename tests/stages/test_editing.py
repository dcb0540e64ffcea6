"""What a key means: an open sample and a unit give an edit; nothing is written until it is committed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import accepted, add_text, do
from tests.quality.verdicts import after, changed as changed_by_themselves
from tests.rows import proposal, sample, units
from workbench.model import Evidence, Match, Span, Unit
from workbench.reviewing.edits import Dispose, Flag, Put
from workbench.stages import editing
from workbench.stages.export import export
from workbench.stages.propose import propose
from workbench.stages.review import Opened, act
from workbench.store.samples import sample_ids

REFERENCE = "Ann met Bob in Rome; Ann left Rome."
PROPOSAL = {
    "proposer": "p",
    "reference_entities": [{"text": "Ann", "label": "captain"}, "Bob", "Atlantis", "Ann"],
    "context_entities": [["Bob"], ["Rome"]],
    "statements": [{"text": "Ann met Bob in Rome;", "verdict": "missing"}, {"text": "Ann left."}],
}
ROW = sample("a", REFERENCE, "Bob.", "In Rome, Ann waited for Ann.", proposal=PROPOSAL)


@pytest.fixture
def opened(bench: Any) -> Opened:
    assert bench.load([ROW], kinds=("entity", "statement")).new == 1
    one: Opened = bench.open("a")
    return one


def unit(opened: Opened, name: str) -> Unit:
    return next(one for one in opened.state.entity.assessment.units if one.id == name)


def changed(edit: Put) -> Unit:
    (one,) = edit.units
    return one


def test_what_a_review_starts_from(opened: Opened) -> None:
    """Grounded, labelled by the policy, deduplicated, matched; the proposer's own label is kept."""
    ann, bob, atlantis, again = opened.state.entity.assessment.units

    assert (ann.text, ann.label, ann.original_label) == ("Ann", "other", "captain")
    assert ann.spans == (Span(0, 3), Span(21, 24))
    assert (bob.match.verdict, bob.match.evidence) == ("found", (Evidence(0, 0, 3),))
    assert (atlantis.spans, atlantis.match.verdict) == ((), "missing")
    assert (again.duplicate_of, again.counted) == (ann.id, False)


def test_reject_and_restore(opened: Opened) -> None:
    """The same key; only the flag changes."""
    bob = unit(opened, "p2")

    once = editing.reject(opened, bob)

    assert (once.what, changed(once)) == ("reject", replace(bob, rejected=True))
    twice = editing.reject(opened, changed(once))
    assert (twice.what, changed(twice)) == ("restore", bob)


def test_relabel(opened: Opened) -> None:
    """A person's label replaces the proposer's word for it."""
    edit = editing.relabel(opened, unit(opened, "p1"), "person")

    assert changed(edit) == replace(unit(opened, "p1"), label="person", original_label="")


def test_toggle_finds_the_best_place(opened: Opened) -> None:
    """missing → found with every place where the name stands; found → missing, absent; again the places."""
    ann = unit(opened, "p1")
    assert ann.match.verdict == "missing"

    found = changed(editing.toggle(opened, ann))
    missing = changed(editing.toggle(opened, found))

    assert (found.match.verdict, found.match.rule) == ("found", "human")
    assert found.match.evidence == (Evidence(1, 9, 12), Evidence(1, 24, 27))
    assert (missing.match.verdict, missing.match.reason, missing.match.evidence) == ("missing", "absent", ())
    assert changed(editing.toggle(opened, missing)).match == found.match


def test_unsure_keeps_the_evidence(opened: Opened) -> None:
    """What was looked at stays to look at."""
    bob = unit(opened, "p2")

    edit = editing.unsure(opened, bob)

    assert (changed(edit).match.verdict, changed(edit).match.evidence) == ("unsure", bob.match.evidence)


def test_moving_a_span_moves_the_text(opened: Opened) -> None:
    """An entity reads what stands there and is matched as such; a mention is not listed twice."""
    ann = unit(opened, "p1")

    wider, second = editing.set_span(opened, ann, Span(0, 7)), editing.set_span(opened, ann, Span(21, 24))

    assert (changed(wider).text, changed(wider).spans) == ("Ann met", (Span(0, 7),))
    by_rule = replace(ann, match=Match("found", rule="equal", similarity=100))
    wider = editing.set_span(opened, by_rule, Span(0, 7))
    assert (changed(wider).match.verdict, changed(wider).match.evidence) == ("missing", ())
    sure = replace(ann, match=Match("found", rule="human"))
    assert changed(editing.set_span(opened, sure, Span(0, 7))).match == sure.match
    assert changed(second).spans == (Span(21, 24),)
    statement = opened.state.statement.assessment.units[0]
    moved = changed(editing.set_span(opened, statement, Span(0, 11)))
    assert (moved.text, moved.spans) == (statement.text, (Span(0, 11),))


def test_an_untouched_unit_keeps_its_verdict(demo: Any) -> None:
    """One matcher: matched again, or moved a token out and back, a unit is as the sample was opened."""
    found = changed_by_themselves(demo.open(key) for key in sample_ids(demo.store, demo.info().id))

    assert ([], []) == (found.matched, found.moved)
    assert found.units > 200


LEYES = units(["Leyes"], "person")
PEOPLE = sample(
    "p",
    "Ion was a Romanian poet; Leyes was born there.",
    "He lived in Romania and wrote Romanian poems for Leyes.",
    proposal={**proposal((), ["Romania", *LEYES]), "reference_entities": ["Romanian", *LEYES]},
)


def test_an_edge_that_moves_is_matched_as_the_sample_was_opened(bench: Any) -> None:
    """The text has "Romanian" itself; the linked names decided that it is missing, and still do."""
    bench.load([PEOPLE])
    opened = bench.open("p")
    romanian = unit(opened, "p1")
    assert ("missing", "perhaps Romania") == (romanian.match.verdict, romanian.match.note)
    assert "" == changed(editing.toggle(opened, romanian)).match.note

    wider = changed(editing.set_span(opened, romanian, Span(10, 23)))
    back = changed(editing.set_span(opened, wider, Span(10, 18)))

    assert ("Romanian poet", "missing") == (wider.text, wider.match.verdict)
    assert romanian == back


@pytest.mark.parametrize("given", ["decided", "carried", "imported", "verified"])
def test_an_edge_or_a_label_never_changes_a_verdict_that_a_person_gave(bench: Any, given: str) -> None:
    """Decided here, carried from another retriever, in gold that was imported, or by verifying the sample."""
    bench.load([PEOPLE])
    opened = bench.open("p")
    leyes = unit(opened, "p2")
    if given == "decided":
        leyes = changed(editing.toggle(opened, changed(editing.toggle(opened, leyes))))
    elif given == "carried":
        leyes = replace(leyes, match=replace(leyes.match, rule="carried"))
    elif given == "imported":
        leyes = replace(leyes, origin="imported")
    else:
        opened = act(bench.store, opened, editing.accept(opened, "entity"))

    wider = changed(editing.set_span(opened, leyes, Span(25, 34)))

    assert ("Leyes was", leyes.match) == (wider.text, wider.match)
    assert leyes.match == changed(editing.relabel(opened, leyes, "place")).match


def test_an_edit_is_matched_by_the_proposal_that_was_shown(bench: Any) -> None:
    """Another run is current by now; the review is still the one that was opened."""
    bench.load([PEOPLE])
    begun = act(bench.store, bench.open("p"), Flag("later"))
    propose(bench.store, bench.info(), "rules", annotator="ann", run="other")
    opened = bench.open("p")
    assert opened.stored.proposal_id != begun.stored.proposal_id

    assert unit(begun, "p1").match == editing.matched(opened, unit(opened, "p1"))[0].match
    bench.reopen()
    moved = act(bench.store, bench.open("p"), editing.set_span(opened, unit(opened, "p1"), Span(10, 23)))
    assert opened.base == moved.base == begun.stored.proposal


def test_a_name_of_a_context_finds_one_unit_only_also_after_an_edit(opened: Opened) -> None:
    """Added, split or moved, a unit competes for it with all the others that count."""
    again = changed(add_text(opened, "entity", "met Bob in"))
    assert ("missing", "found") == (again.match.verdict, unit(opened, "p2").match.verdict)

    rejected = replace(unit(opened, "p2"), rejected=True)
    free = after(opened, Put("reject", "entity", (rejected,)))

    assert "found" == changed(editing.set_span(free, unit(free, "p1"), Span(8, 11))).match.verdict


def test_a_new_unit_from_text_or_from_a_place(opened: Opened) -> None:
    """All its mentions, matched as the others were, under an id of its own."""
    rome = changed(add_text(opened, "entity", "Rome", "place"))

    assert (rome.id, rome.text, rome.label, rome.origin) == ("h1", "Rome", "place", "human")
    assert rome.spans == (Span(15, 19), Span(30, 34))
    assert (rome.match.verdict, rome.match.evidence) == ("found", (Evidence(1, 3, 7),))
    left = changed(editing.add_span(opened, "entity", Span(25, 29)))
    assert (left.text, left.match.verdict, left.match.reason) == ("left", "missing", "absent")


@pytest.mark.parametrize("blind", [False, True])
def test_an_added_name_that_no_proposer_named_is_found_where_the_text_has_it(bench: Any, blind: bool) -> None:
    """Also after its edge moved; not inside another word, and never where the sample is blind."""
    contexts = ("In Bolivia it rains.", "The Seine is in Parisian books.")
    named = proposal(["Bolivia"], units(["Bolivia"]), units(["Bolivia"]))
    bench.load([sample("one", "Bolivia, the Seine, Paris.", *contexts, proposal=named)], blind=float(blind))
    opened = bench.open("one")

    seine, paris = (changed(add_text(opened, "entity", name)).match for name in ("Seine", "Paris"))
    moved = changed(editing.set_span(opened, changed(add_text(opened, "entity", "the Seine")), Span(13, 18)))

    said = [(one.verdict, one.evidence) for one in (seine, paris, moved.match)]
    there = ("found", (Evidence(1, 4, 9),))
    assert ([(None, ())] * 3 if blind else [there, ("missing", ()), there]) == said


def test_new_units_have_new_ids(bench: Any, opened: Opened) -> None:
    """Also after one was rejected: an id is never used again."""
    first = act(bench.store, opened, add_text(opened, "entity", "Rome"))
    gone = act(bench.store, first, editing.reject(first, first.state.entity.assessment.units[-1]))

    assert changed(add_text(gone, "entity", "left")).id == "h2"


def test_accept_says_who_verified(opened: Opened) -> None:
    """Open statements become unsure; the doubts were named before."""
    assert editing.doubts(opened, "entity") == [
        "1 name is not in the reference",
        "1 name is missing but in a context",
    ]
    assert editing.doubts(opened, "statement") == ["1 statement is undecided"]

    edit = editing.accept(opened, "statement", fast=True)

    assert (edit.assessment.source, edit.fast) == ("verified by ann", True)
    assert [one.match.verdict for one in edit.assessment.units] == ["missing", "unsure"]


def test_doubts_count_what_counts(opened: Opened) -> None:
    """A rejected unit is no doubt."""
    unsure = replace(unit(opened, "p2"), match=Match("unsure"))
    units = (unsure, replace(unit(opened, "p3"), rejected=True))
    half = replace(opened.state.entity, assessment=replace(opened.state.entity.assessment, units=units))

    assert editing.doubts(replace(opened, state=replace(opened.state, entity=half)), "entity") == [
        "1 name is unsure"
    ]


def test_a_name_that_a_context_has_in_a_longer_one_is_a_doubt_until_a_person_says_missing(bench: Any) -> None:
    """Name matching says missing; an accept that nobody looked at would make that gold."""
    row = {
        "id": "one", "user_input": "Who?", "reference": "Globex paid.",
        "retrieved_contexts": ["Globexia sold to Globex Energy, which paid."],
        "proposal": {
            "proposer": "p", "reference_entities": ["Globex"], "context_entities": [["Globex Energy"]],
        },
    }  # fmt: skip
    bench.load([row])
    opened = bench.open("one")
    found = unit(opened, "p1")
    contexts = opened.sample.retrieved_contexts

    assert ("missing", ["1 name is missing but in a context"], True, 0) == (
        found.match.verdict, editing.doubts(opened, "entity"), editing.doubtful(found, contexts),
        editing.least_certain((replace(found, match=Match("missing", similarity=99)), found), contexts),
    )  # fmt: skip
    assert [] == editing.doubts(act(bench.store, opened, editing.judge(found, "missing")), "entity")


def test_skip_leaves_what_is_verified(bench: Any, opened: Opened) -> None:
    """Only the open kinds are put off; excluding takes both out, with a reason."""
    done = act(bench.store, opened, editing.accept(opened, "entity"))

    assert editing.skip(done) == Dispose("skipped", ("statement",))
    assert editing.skip(opened) == Dispose("skipped", ("entity", "statement"))
    assert editing.exclude("broken") == Dispose("excluded", ("entity", "statement"), "broken")


def test_reviewed_samples_leave_and_come_back(bench: Any, opened: Opened, tmp_path: Any) -> None:
    """Edited, rejected, unsure and ungrounded units: export, import, export gives the same bytes."""
    act(bench.store, opened, add_text(opened, "entity", "Rome", "place"))
    last = len(opened.state.entity.assessment.units)
    edits = do(1, editing.unsure), do(0, editing.set_span, Span(0, 7)), accepted(), accepted("statement")
    bench.act("a", *edits, do(last, editing.reject))

    export(bench.store, bench.info(), tmp_path / "one", annotator="ann")
    report = bench.load(tmp_path / "one" / "samples.jsonl", dataset="back", gold="given")
    export(bench.store, bench.info("back"), tmp_path / "two", annotator="ann")

    assert (report.new, report.rejected) == (1, 0)
    one, other = ((tmp_path / name / "samples.jsonl").read_bytes() for name in ("one", "two"))
    assert one == other
    gold = "SELECT kind, verdict, text FROM gold_unit WHERE dataset_id = ? ORDER BY kind, position"
    tallies = [bench.query(gold, bench.info(name).id) for name in ("data", "back")]
    assert tallies[0] == tallies[1]


def test_a_name_that_is_there_in_another_form_is_known(bench: Any) -> None:
    """Inflected or shortened; not what does not count, another name, or one inside a longer name."""
    reference = "Большой театр в Москве. Труппа Большого театра велика. Москва рада."
    inside = "Сборная Москвы по шахматам"
    for name, text, names in (("ru", reference, ("Большой театр", "Москве")), ("in", inside, (inside,))):
        named = [{"text": one, "label": "organisation" if " " in one else "place"} for one in names]
        bench.load([sample(name, text, proposal={"proposer": "p", "reference_entities": named})])

    def other(name: str, at: Opened) -> str:
        start = at.sample.reference.index(name)
        return editing.other_form(at, Span(start, start + len(name)))

    opened = bench.open("ru")
    found = [other(name, opened) for name in ("Большого театра", "Москва", "Труппа")]
    assert ["Большой театр", "Москве", ""] == found
    gone = after(opened, editing.reject(opened, unit(opened, "p2")))
    assert "" == other("Москва", gone)
    assert "" == other("Москвы", bench.open("in"))
