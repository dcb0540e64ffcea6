"""Settling what people differ in: who may, what is side by side, what is stored, and what stands then."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import pytest
from sqlalchemy import event

from tests.conftest import do, unit_of
from tests.rows import proposal, sample
from workbench.errors import ConflictError, InputError, UsageError
from workbench.model import KINDS, RESOLVED, letter
from workbench.reports.compare import diff_text
from workbench.reports.team import letters_text
from workbench.reports.units import settled_value
from workbench.reviewing.edits import Accept, Dispose
from workbench.stages import editing, intents, queue
from workbench.stages.agree import agree
from workbench.stages.compare import diff
from workbench.stages.disputes import disputes
from workbench.stages.export import ExportOptions, export
from workbench.stages.figures import figures
from workbench.stages.people import add_person
from workbench.stages.queue import next_to_settle
from workbench.stages.queue_values import queue_ids, unresolved_ids
from workbench.stages.recompute import score_dataset
from workbench.stages.resolve import open_resolution, saw, take, take_rest
from workbench.stages.review import Opened, act
from workbench.stages.team import assign
from workbench.stages.upkeep import status
from workbench.stages.why import explain
from workbench.store.checking import check
from workbench.store.datasets import set_dataset
from workbench.store.engine import Store, open_store
from workbench.store.gold import load_gold, settled_by, settler
from workbench.store.people import Person
from workbench.store.tables import REVIEW
from workbench.text.query import Query, Term

CITIES = ["Paris", "Rome", "Oslo"]
OPEN = {"Paris": "found", "Rome": None, "Oslo": None}
"""What stands of a sample before anything is settled."""

UNRESOLVED = Query((Term("is", ("unresolved",)),))


@pytest.fixture
def trip(bench: Any) -> Any:
    """Three samples of three cities each; only Paris is in the contexts."""
    text, named = "She went from Paris to Rome and on to Oslo.", proposal(CITIES, ["Paris"])
    bench.load([sample(f"t{number}", text, "Paris only.", proposal=named) for number in range(3)], blind=0)
    score_dataset(bench.store, bench.info())
    return bench


def differ(bench: Any, key: str = "t0") -> None:
    """ada has all three, bob has no Rome and finds Oslo."""
    bench.verify(key, "ada")
    bench.verify(key, "bob", reject=["Rome"], toggle=["Oslo"])


def settles(bench: Any, who: str = "cy", key: str = "t0") -> Any:
    return open_resolution(bench.store, bench.id(key), who, bench.info().id)


def side_of(opened: Any, name: str) -> Any:
    return opened.over.people["entity"].index(name)


def whole(bench: Any) -> None:
    assert [] == list(check(bench.store, lambda _done: None))


def took(bench: Any, opened: Any, text: str, name: str) -> Any:
    return act(bench.store, opened, take(opened, unit_of(opened, text), side_of(opened, name)))


def settled(bench: Any, who: str = "cy", key: str = "t0", name: str = "ada") -> Opened:
    """All as one person has it."""
    opened = settles(bench, who, key)
    opened = act(bench.store, opened, take_rest(opened, "entity", side_of(opened, name)))
    return act(bench.store, opened, editing.accept(opened, "entity"))


def stands(bench: Any, key: str = "t0") -> tuple[str, dict[str, str | None] | None]:
    """The origin of a sample's gold, and its units with their verdicts."""
    found = load_gold(bench.store, bench.info().id, "entity")[bench.id(key)]
    if found.assessment is None:
        return found.origin, None
    return found.origin, {one.text: one.match.verdict for one in found.assessment.units}


def shown(opened: Opened) -> dict[str, Any]:
    """Each unit as it stands: its verdict, `out` when it is none, None while it is open."""
    units = opened.state.entity.assessment.units
    return {one.text: "out" if one.rejected else one.match.verdict for one in units}


def test_what_all_have_is_there_and_what_they_differ_in_is_open_under_letters(trip: Any) -> None:
    differ(trip)
    opened = settles(trip)
    over = opened.over
    sided = {one.shown.text: one for one in over.units["entity"]}

    assert OPEN == shown(opened)
    assert {"Paris": True, "Rome": False, "Oslo": False} == {text: one.agreed for text, one in sided.items()}
    assert {"ada", "bob"} == {*over.people["entity"]}
    assert sided["Rome"].sides[side_of(opened, "bob")] is None
    assert ["Rome", "Oslo"] == [one.text for one in over.open(opened.state.entity.assessment.units)]
    assert None is trip.review("t0", RESOLVED)  # looking writes nothing


def test_the_letters_do_not_follow_the_names(trip: Any) -> None:
    """Who is A on one sample may be B on the next, and stays what they are when it is opened again."""
    keys = [f"x{number}" for number in range(6)]  # by the id: the first of them give both orders
    trip.load([sample(key, f"Paris {key}.", "Rome.", proposal=proposal(["Paris"], [])) for key in keys])
    for key in keys:
        trip.verify(key, "ada")
        trip.verify(key, "bob", reject=["Paris"])
    first, again = ([settles(trip, key=key).over.people["entity"] for key in keys] for _ in range(2))

    assert first == again
    assert {"ada", "bob"} == {people[0] for people in first}


def test_who_settles_a_blind_sample_sees_its_values_and_others_do_not(trip: Any) -> None:
    """Before they settle it they do not either."""
    differ(trip)
    set_dataset(trip.store, trip.info().id, blind_share=1.0)
    before = seen_by(trip, "cy")
    settled(trip)

    assert [(False, 3, 3), (True, 2, 2), (False, 3, 3)] == [before, seen_by(trip, "cy"), seen_by(trip, "dee")]
    trip.undo("cy")
    assert before == seen_by(trip, "cy")


def seen_by(bench: Any, who: str) -> tuple[bool, int, int]:
    """Whether the queue shows the values of t0; the samples that disputes and scores keep from a person."""
    info = bench.info()
    row = queue.queue_rows(bench.store, info, who, [bench.id("t0")])[bench.id("t0")]
    report = score_dataset(bench.store, info, viewer=who)
    return row.decided, disputes(bench.store, info, who).closed, len(report.withheld)


def test_the_own_review_of_who_settles_stays(trip: Any) -> None:
    differ(trip)
    settled(trip, "ada", name="bob")

    own = trip.review("t0", "ada").state.entity.assessment.units
    assert ["Paris", "Rome", "Oslo"] == [one.text for one in own if one.counted]
    assert ("adjudicated", {"Paris": "found", "Oslo": "found"}) == stands(trip)


def test_a_third_way_counts_too_and_0_takes_neither(trip: Any) -> None:
    differ(trip)
    opened = settles(trip)
    opened = act(trip.store, opened, take(opened, unit_of(opened, "Rome"), -1))
    opened = act(trip.store, opened, editing.unsure(opened, unit_of(opened, "Oslo")))
    over: Any = opened.over
    rome, oslo = (over.of(unit).letters(unit) for unit in opened.state.entity.assessment.units[1:])
    assert (("AB"[side_of(opened, "bob")],), ()) == (rome, oslo)
    act(trip.store, opened, editing.accept(opened, "entity"))

    assert ("adjudicated", {"Paris": "found", "Oslo": "unsure"}) == stands(trip)


def test_three_people_stand_side_by_side(trip: Any) -> None:
    """Two of whom may have the same; one who has nothing differs from both."""
    trip.verify("t0", "ada")
    for name in ("bob", "eve"):
        trip.verify("t0", name, reject=["Rome"])
    opened = took(trip, settles(trip), "Rome", "eve")
    rome = unit_of(opened, "Rome")
    sided = opened.over.of(rome)

    assert 3 == len(sided.sides)
    assert {"ABC"[side_of(opened, name)] for name in ("bob", "eve")} == {*sided.letters(rome)}
    with pytest.raises(InputError, match="there is no D here: A to C"):
        take(opened, rome, 3)


def test_as_many_people_as_there_are_can_differ(trip: Any) -> None:
    for number in range(28):
        trip.verify("t0", f"p{number}", reject=["Rome"] if number else [])
    opened = settles(trip)
    alone = side_of(opened, "p0")
    taken = take(opened, unit_of(opened, "Rome"), 27 - (alone == 27)).units[0]

    assert ["A", "I", "J", "Z", "AA", "AB", "BA"] == [letter(side) for side in (0, 8, 9, 25, 26, 27, 52)]
    assert taken.rejected
    assert {letter(side) for side in range(28)} - {letter(alone)} == {*opened.over.of(taken).letters(taken)}
    names = letters_text(opened, "entity").split(" · ")
    assert {f"{letter(side_of(opened, f'p{number}'))} p{number}" for number in range(28)} == {*names}


@pytest.mark.databases
def test_a_second_adjudicator_is_told_and_sees_what_the_first_did(trip: Any) -> None:
    differ(trip)
    first, second = settles(trip), settles(trip, "dee")
    took(trip, first, "Rome", "bob")

    with pytest.raises(ConflictError, match="t0 was changed by cy meanwhile"):
        took(trip, second, "Oslo", "ada")
    again = settles(trip, "dee")
    assert {"Paris": "found", "Rome": "out", "Oslo": None} == shown(again)
    took(trip, again, "Oslo", "ada")
    assert 1 == trip.query("SELECT count(*) FROM review WHERE annotator = ?", RESOLVED)[0][0]


@pytest.mark.databases
def test_two_who_begin_at_the_same_time_store_one_resolution(trip: Any) -> None:
    """Both saw none and write its first row: one of them is told."""
    differ(trip)
    other, begin = open_store(trip.store.url), Barrier(2)
    dees = open_resolution(other, trip.id("t0"), "dee", trip.info().id)

    def begin_one(store: Store, opened: Opened, side: int) -> str:
        begin.wait()
        try:
            act(store, opened, take_rest(opened, "entity", side))
        except ConflictError:
            return "told"
        return "stored"

    with ThreadPoolExecutor(2) as pool:
        ends = pool.map(begin_one, (trip.store, other), (settles(trip), dees), (0, 1))
        assert ["stored", "told"] == sorted(ends)
    other.close()
    assert [(1,)] == trip.query("SELECT count(*) FROM review WHERE annotator = ?", RESOLVED)
    whole(trip)


@pytest.mark.databases
def test_on_a_server_nobody_changes_or_begins_a_review_while_a_resolution_is_being_stored(trip: Any) -> None:
    if not trip.on_server:  # whose writers wait for each other anyway
        return
    differ(trip)
    opened = settles(trip)
    row_of_a_new_review = f"SELECT id FROM sample WHERE id = {trip.id('t0')} FOR KEY SHARE NOWAIT"
    with trip.store.writing():
        took(trip, opened, "Rome", "ada")
        for held in ("SELECT id FROM review WHERE annotator = 'bob' FOR UPDATE NOWAIT", row_of_a_new_review):
            with pytest.raises(Exception, match="could not obtain lock"):
                trip.query(held)


@pytest.mark.databases
def test_a_review_that_changes_meanwhile_is_noticed_and_what_was_settled_stays(trip: Any) -> None:
    differ(trip)
    opened = took(trip, settles(trip), "Rome", "ada")
    trip.act("t0", do("Oslo", editing.unsure), who="bob")  # an edit after the accept stands at once

    with pytest.raises(ConflictError, match="a review of t0 was changed meanwhile"):
        took(trip, opened, "Oslo", "bob")
    again = settles(trip)
    assert {"Paris": "found", "Rome": "missing", "Oslo": None} == shown(again)
    again = took(trip, again, "Oslo", "bob")
    act(trip.store, again, editing.accept(again, "entity"))
    assert ("adjudicated", {"Paris": "found", "Rome": "missing", "Oslo": "unsure"}) == stands(trip)


def test_people_who_agree_by_now_leave_nothing_to_settle(trip: Any) -> None:
    differ(trip)
    opened = settles(trip)
    trip.undo("bob")

    with pytest.raises(ConflictError):
        took(trip, opened, "Rome", "ada")
    with pytest.raises(InputError, match="nothing to settle"):
        settles(trip)


@pytest.mark.databases
def test_undo_goes_by_person_and_survives_a_restart(trip: Any) -> None:
    differ(trip)
    settled(trip)
    trip.verify("t1", "cy")
    trip.reopen()

    own, moved = trip.undo("cy"), trip.undo("cy")
    assert (trip.id("t1"), False) == (own.sample_id, own.resolves)
    assert (trip.id("t0"), Accept, True) == (moved.sample_id, type(moved.edit), moved.resolves)
    assert ("unresolved", None) == stands(trip)
    assert {"Paris": "found", "Rome": "missing", "Oslo": "missing"} == shown(settles(trip))
    trip.undo("cy")
    assert OPEN == shown(settles(trip))
    for _ in range(2):
        trip.redo("cy")
    assert ("adjudicated", {"Paris": "found", "Rome": "missing", "Oslo": "missing"}) == stands(trip)
    assert None is trip.undo("dee")
    whole(trip)


def test_undo_and_redo_pass_over_what_a_person_may_not_change_any_more(trip: Any) -> None:
    differ(trip)
    trip.verify("t1", "cy")
    took(trip, settles(trip), "Rome", "ada")
    took(trip, settles(trip, "dee"), "Rome", "bob")
    stood = shown(settles(trip))

    for moved in (trip.undo("cy"), trip.redo("cy")):  # past what dee settled since
        assert (trip.id("t1"), Accept) == (moved.sample_id, type(moved.edit))
    trip.people(ann="owner", dee="annotator")
    trip.verify("t2", "dee")
    assert trip.id("t2") == trip.undo("dee").sample_id
    with pytest.raises(UsageError, match="dee is an annotator and may not settle"):
        trip.undo("dee")
    assert stood == shown(settles(trip, "ann"))


def test_names_that_were_shown_are_stored_and_undo_keeps_that(trip: Any) -> None:
    """Half a resolution is there after a restart."""
    differ(trip)
    opened = took(trip, settles(trip), "Rome", "bob")
    seen: Any = saw(trip.store, opened, named=True).over
    assert seen.named
    trip.reopen()
    assert {"Paris": "found", "Rome": "out", "Oslo": None} == shown(settles(trip))
    assert ("unresolved", None) == stands(trip)

    assert "take" == trip.undo("cy").edit.what
    again = settles(trip)
    assert again.over.named
    assert OPEN == shown(again)
    first = saw(trip.store, settles(trip, "dee"), named=True)
    assert first.state.seq == again.state.seq  # it is stored once


def test_what_was_seen_before_is_opened_without_the_writer(trip: Any) -> None:
    """A write that takes long keeps nobody from going on."""
    differ(trip)
    opened = saw(trip.store, settles(trip))
    free = Event()
    trip.store.writer.submit(free.wait, 600)

    try:
        again = asyncio.run(asyncio.wait_for(intents.noted(trip.store, opened), 300))
    finally:
        free.set()

    assert opened is again


def test_only_who_may_settle_does(trip: Any) -> None:
    """Who may not finds what they decided."""
    trip.people(cy="owner", ada="annotator", eve="annotator", bob="adjudicator")
    differ(trip)
    opened = settles(trip, "bob")
    found = [len(queue_ids(trip.store, trip.info(), who, UNRESOLVED)) for who in ("cy", "ada", "eve")]

    assert [1, 1, 0] == found
    with pytest.raises(UsageError, match="ada is an annotator and may not settle what others differ in"):
        settles(trip, "ada")
    with pytest.raises(UsageError, match="ada is an annotator and may not"):
        next_to_settle(trip.store, trip.info(), "ada")
    add_person(trip.store, "cy", Person("bob", "annotator", False, False))
    with pytest.raises(UsageError, match="bob is an annotator and may not"):
        took(trip, opened, "Rome", "ada")


def test_nobody_has_the_reserved_name(trip: Any) -> None:
    with pytest.raises(UsageError, match="=resolved is not a person"):
        add_person(trip.store, "cy", Person(RESOLVED, "annotator", False, False))
    refused = trip.load([{**sample("u", "Paris.", "Rome."), "gold": {"annotator": RESOLVED, "entities": []}}])
    assert [] == trip.query("SELECT id FROM review WHERE annotator = ?", RESOLVED)
    assert "gold.annotator" in str(refused.errors[0])


@pytest.mark.databases
def test_it_is_offered_when_all_places_are_decided(trip: Any) -> None:
    assign(trip.store, trip.info(), "cy", 3, 1.0, None)
    differ(trip)

    assert None is next_to_settle(trip.store, trip.info(), "cy")
    with pytest.raises(InputError, match="somebody has still to decide"):
        settles(trip)
    trip.verify("t0", "eve")
    assert trip.id("t0") == next_to_settle(trip.store, trip.info(), "cy")
    before = trip.query("SELECT sample_id, annotator, done FROM assignment ORDER BY id")
    settled(trip)
    assert before == trip.query("SELECT sample_id, annotator, done FROM assignment ORDER BY id")


@pytest.mark.databases
def test_the_next_one_follows_and_the_queue_finds_them(trip: Any) -> None:
    for number in range(3):
        differ(trip, f"t{number}")
    info = trip.info()
    ids = unresolved_ids(trip.store, info, "cy")
    walk = [next_to_settle(trip.store, info, "cy", after) for after in ids]

    assert [*ids[1:], ids[0]] == walk
    assert ids == list(queue_ids(trip.store, info, "cy", UNRESOLVED))
    assert ids[2] == next_to_settle(trip.store, info, "cy", ids[0], within={ids[2]})
    settled(trip, key="t1")
    left = [number for number in ids if number != trip.id("t1")]
    assert left == list(queue_ids(trip.store, info, "cy", UNRESOLVED))
    row = queue.queue_rows(trip.store, info, "cy", [trip.id("t1")])[trip.id("t1")]
    assert ("ada", "bob", "settled") == row.annotators
    both = Query((*UNRESOLVED.terms, Term("id", ("t1",))))
    assert [] == list(queue_ids(trip.store, info, "cy", both))


@pytest.mark.databases
def test_a_row_says_that_people_differ_to_who_can_settle_it_now(trip: Any) -> None:
    """Not to who may not, and not where somebody excluded the sample or has still to decide it."""

    def marked(who: str) -> list[str]:
        ids = [trip.id(f"t{number}") for number in range(3)]
        rows = queue.queue_rows(trip.store, trip.info(), who, ids)
        return [row.key for row in rows.values() if row.differs]

    for number in range(3):
        differ(trip, f"t{number}")
    trip.act("t1", editing.exclude("broken"), who="eve")
    assert ["t0", "t2"] == marked("cy")
    trip.act("t2", do(0, editing.reject), who="cy")
    assert ["t0"] == marked("cy")
    trip.people(cy="owner", dan="annotator")
    assert (["t0"], []) == (marked("cy"), marked("dan"))
    settled(trip)
    assert [] == marked("cy")


@pytest.mark.databases
def test_figures_disputes_status_and_diff_follow(trip: Any, tmp_path: Any) -> None:
    differ(trip)
    info, disputed = trip.info(), Query((Term("is", ("disputed",)),))

    def stand() -> tuple[Any, ...]:
        counts = figures(trip.store, info).counts
        sorts = [one.sort for one in disputes(trip.store, info, "ada").disputes]
        own = queue_ids(trip.store, info, "ada", disputed)
        verified = status(trip.store, "cy").datasets[0].progress.verified
        return counts.adjudicated, counts.unresolved, "annotators" in sorts, trip.id("t0") in own, verified

    before = stand()
    export(trip.store, info, tmp_path / "before", ExportOptions(names=True), annotator="cy")
    settled(trip)

    assert (0, 1, True, True, 1) == before
    assert (1, 0, False, False, 1) == stand()
    changed = diff(trip.store, None, str(tmp_path / "before"), "now")
    assert [("settled", ("unresolved", "verified"))] == [(one.what, one.stood) for one in changed.changes]
    assert "settled by cy" in diff_text(changed, 10)
    export(trip.store, info, tmp_path / "after", ExportOptions(names=True), annotator="cy")
    of_files = diff(None, None, str(tmp_path / "before"), str(tmp_path / "after"))
    assert ({"cy": 1}, ("cy",)) == (of_files.by, of_files.changes[0].by)


def exported(bench: Any, folder: Any, **options: Any) -> Any:
    """The file of samples of an export, and the gold of the first one in it."""
    export(bench.store, bench.info(), folder, ExportOptions(**options), annotator="cy")
    (path,) = folder.rglob("samples.jsonl")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return path, next(row["gold"] for row in rows if row["id"] == "t0")


def test_an_export_names_who_settled_under_a_pseudonym_and_comes_back(trip: Any, tmp_path: Any) -> None:
    differ(trip)
    settled(trip)

    _, named = exported(trip, tmp_path / "names", names=True)
    assert ["ada", "bob", RESOLVED] == [one["annotator"] for one in named]
    assert ("cy", True) == (named[2]["by"], named[2]["adjudicated"])
    path, plain = exported(trip, tmp_path / "plain")
    assert plain[2]["by"].startswith("annotator-")
    assert RESOLVED == plain[2]["annotator"]
    assert "cy" not in {one["annotator"] for one in plain}
    again = trip.load(path, dataset="again", gold="given")
    assert (3, ()) == (again.gold_reviews, again.errors)
    who = "SELECT DISTINCT e.annotator FROM review_event e JOIN review r ON r.id = e.review_id"
    settled_again = f"{who} WHERE r.dataset_id = ? AND r.annotator = ?"
    assert [(plain[2]["by"],)] == trip.query(settled_again, trip.info("again").id, RESOLVED)


@pytest.mark.parametrize("leave", [do(0, editing.toggle), editing.skip], ids=["begun", "skipped"])
def test_nobody_sees_the_others_values_while_their_own_review_is_not_finished(trip: Any, leave: Any) -> None:
    trip.act("t0", leave, who="cy")
    differ(trip)

    assert None is next_to_settle(trip.store, trip.info(), "cy")
    with pytest.raises(InputError, match="your own review of this sample is not finished: verify or exclude"):
        settles(trip)
    trip.verify("t0", "cy")
    assert trip.id("t0") == next_to_settle(trip.store, trip.info(), "cy")
    settles(trip)


def test_a_resolution_under_way_hides_nothing_from_those_who_decided(trip: Any) -> None:
    """It is begun as a review is, but nobody's own; leaving the sample out settles it too."""
    differ(trip)
    opened = took(trip, settles(trip), "Rome", "ada")

    assert [("started",)] == trip.query("SELECT entity FROM review WHERE annotator = ?", RESOLVED)
    assert ["bob"] == [review.annotator for review in trip.open("t0", "ada").others["entity"]]
    act(trip.store, opened, editing.exclude("broken"))
    assert [] == unresolved_ids(trip.store, trip.info(), "cy")


@pytest.mark.databases
def test_what_a_person_decides_after_resolve_showed_them_the_others_is_no_agreement(trip: Any) -> None:
    differ(trip)
    trip.verify("t0", "dee")
    opened: Any = saw(trip.store, settles(trip))
    assert (opened.over.seen, 0) == (True, opened.state.seq)
    assert settles(trip).over == opened.over  # it is stored once
    saw(trip.store, settles(trip, "dee"))  # who decided before saw nothing too early
    assert 0 == settles(trip).state.seq
    trip.verify("t0", "cy")

    found = agree(trip.store, trip.info(), "ann")
    assert ("ada", "bob", "dee") == found.people
    assert {"made after the others' values were shown in Resolve": 1} == found.left_out
    whole(trip)


def value_of(opened: Opened) -> str:
    return settled_value(opened, "entity") if "entity" in opened.settled else ""


def test_what_is_settled_shows_where_what_others_verified_may_be_seen(trip: Any) -> None:
    """Not while somebody is at the sample, and never of one that is kept back: after an accept neither."""
    differ(trip)
    settled(trip, name="bob")
    assert "settled as bob has it: 1.00 · you had .33" == value_of(trip.open("t0", "ada"))
    eve = trip.act("t0", Dispose("skipped", ("entity",)), who="eve")
    again = trip.open("t0", "ada")
    after = act(trip.store, again, editing.accept(again, "entity"))
    assert ["", "", ()] == [value_of(again), value_of(after), after.others["entity"]]

    act(trip.store, eve, editing.accept(eve, "entity"))
    again = trip.open("t0", "ada")
    after = act(trip.store, again, editing.accept(again, "entity"))
    assert ["settled as bob has it: 1.00 · you had .33"] * 2 == [value_of(again), value_of(after)]

    trip.change("UPDATE sample SET holdout = 1")
    kept = trip.open("t0", "ada")
    assert [{}, {}] == [kept.settled, kept.others]
    why = explain(trip.store, kept.sample_id, "ada", kind="entity")
    assert ("", 3) == (why.whose, why.verified.units)


def test_whose_the_settled_units_are_is_asked_of_units_and_verdicts_as_they_are_now(trip: Any) -> None:
    """A label is no other verdict; who changes a unit afterwards has it so no more."""
    differ(trip)
    settled(trip, name="bob")
    assert "settled as you have it: 1.00" == value_of(trip.open("t0", "bob"))
    opened = trip.act("t0", do("Paris", editing.relabel, "organisation"), who="bob")
    assert "settled as you have it: 1.00" == value_of(opened)
    assert "settled as bob has it: 1.00 · you had .33" == value_of(trip.open("t0", "ada"))
    opened = trip.act("t0", do("Paris", editing.toggle), who="bob")
    assert "settled: 1.00 · you had .50" == value_of(opened) == value_of(trip.open("t0", "bob"))


def test_an_accept_asks_whether_a_sample_is_settled_in_its_own_transaction(trip: Any) -> None:
    begun: list[object] = []
    opened = trip.open("t0", "ada")
    event.listen(trip.store.engine, "begin", begun.append)
    act(trip.store, opened, editing.accept(opened, "entity"))
    assert 1 == len(begun)


@pytest.mark.databases
def test_who_settled_one_kind_is_not_who_settled_the_other(bench: Any) -> None:
    claims = [{"text": text, "verdict": "yes"} for text in ("She left.", "She came.")]
    row = sample("t0", "She went from Paris to Rome.", "Paris only.")
    bench.load([row | {"proposal": proposal(CITIES[:2], ["Paris"], statements=claims)}], blind=0, kinds=KINDS)
    for kind in KINDS:
        bench.verify("t0", "ada", kind=kind)
        bench.verify("t0", "bob", kind=kind, reject=[0])
    for name, kind in (("cy", "entity"), ("dee", "statement")):
        opened = settles(bench, name)
        opened = act(bench.store, opened, take_rest(opened, kind, opened.over.people[kind].index("bob")))
        act(bench.store, opened, editing.accept(opened, kind))

    assert ["cy", "dee"] == [settler(bench.store, bench.id("t0"), kind) for kind in KINDS]
    assert ["cy", "dee"] == [bench.open("t0", "ada").settled[kind].by for kind in KINDS]


@pytest.mark.databases
def test_who_settled_a_sample_is_whose_last_act_stands(trip: Any, tmp_path: Any) -> None:
    """Not who settled it anew and took that back; a change after the accept needs no second one."""
    differ(trip)
    settled(trip)
    opened = took(trip, settles(trip, "dee"), "Rome", "bob")
    act(trip.store, opened, editing.accept(opened, "entity"))

    def by() -> str:
        return settler(trip.store, trip.id("t0"), "entity")

    trip.undo("dee")
    assert "dee" == by()  # the unit that dee took stands
    trip.undo("dee")
    assert "cy" == by()
    assert {"cy"} == {*settled_by(trip.store, REVIEW.annotator == RESOLVED).values()}
    changed = settles(trip, "eve")
    act(trip.store, changed, editing.toggle(changed, unit_of(changed, "Oslo")))
    assert "eve" == by()
    assert "decided by eve" == explain(trip.store, trip.id("t0"), "ada", kind="entity").whose
    assert "eve" == exported(trip, tmp_path / "eve", names=True)[1][2]["by"]
    trip.undo("eve")
    assert "cy" == by()
