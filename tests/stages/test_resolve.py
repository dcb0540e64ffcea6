"""Settling what people differ in: who may, what is side by side, what is stored, and what stands then."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import pytest
from sqlalchemy import event

from tests.conftest import do, unit_of
from tests.rows import proposal, sample
from workbench.errors import ConflictError, InputError, UsageError
from workbench.model import KINDS, RESOLVED, letter
from workbench.reports.team import letters_text
from workbench.reports.units import settled_value
from workbench.reviewing.edits import Accept, Dispose
from workbench.stages import editing, intents
from workbench.stages.agree import agree
from workbench.stages.people import add_person
from workbench.stages.queue import next_to_settle
from workbench.stages.queue_values import unresolved_ids
from workbench.stages.recompute import score_dataset
from workbench.stages.resolve import open_resolution, saw, take, take_rest
from workbench.stages.review import Opened, act
from workbench.stages.why import explain
from workbench.store.checking import check
from workbench.store.engine import Store, open_store
from workbench.store.gold import settler
from workbench.store.people import Person

CITIES = ["Paris", "Rome", "Oslo"]
OPEN = {"Paris": "found", "Rome": None, "Oslo": None}
"""What stands of a sample before anything is settled."""


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


def shown(opened: Opened) -> dict[str, Any]:
    """Each unit as it stands: its verdict, `out` when it is none, None while it is open."""
    units = opened.state.entity.assessment.units
    return {one.text: "out" if one.rejected else one.match.verdict for one in units}


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


def test_as_many_people_as_there_are_can_differ(trip: Any) -> None:
    for number in range(28):
        trip.verify("t0", f"p{number}", reject=["Rome"] if number else [])
    opened = settles(trip)
    alone = side_of(opened, "p0")
    taken = take(opened, unit_of(opened, "Rome"), 27 - (alone == 27)).units[0]

    assert ["A", "I", "J", "Z", "AA", "AB", "BA"] == [letter(side) for side in (0, 8, 9, 25, 26, 27, 52)]
    assert taken.rejected
    assert {letter(side) for side in range(28)} - {letter(alone)} == {*opened.over.of(taken).letters(taken)}
    theirs = take(opened, unit_of(opened, "Rome"), alone).units[0]
    assert () == opened.over.of(taken).letters(editing.unsure(opened, theirs).units[0])
    with pytest.raises(InputError, match="there is no AC here: A to AB"):
        take(opened, taken, 28)
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
    assert {"Paris": "found", "Rome": "missing", "Oslo": "unsure"} == shown(settles(trip))


def test_names_that_were_shown_are_stored_and_undo_keeps_that(trip: Any) -> None:
    """Half a resolution is there after a restart."""
    differ(trip)
    opened = took(trip, settles(trip), "Rome", "bob")
    seen: Any = saw(trip.store, opened, named=True).over
    assert seen.named
    trip.reopen()
    assert {"Paris": "found", "Rome": "out", "Oslo": None} == shown(settles(trip))

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


def test_who_may_settle_no_more_changes_nothing_that_is_open(trip: Any) -> None:
    trip.people(cy="owner", bob="adjudicator", ada="annotator")
    differ(trip)
    opened = settles(trip, "bob")
    add_person(trip.store, "cy", Person("bob", "annotator", False, False))
    with pytest.raises(UsageError, match="bob is an annotator and may not"):
        took(trip, opened, "Rome", "ada")


def test_undo_says_where_it_was_and_whether_that_was_settled(trip: Any) -> None:
    differ(trip)
    settled(trip)
    trip.verify("t1", "cy")
    own, moved = trip.undo("cy"), trip.undo("cy")

    assert (trip.id("t1"), False) == (own.sample_id, own.resolves)
    assert (trip.id("t0"), Accept, True) == (moved.sample_id, type(moved.edit), moved.resolves)


def test_the_next_one_to_settle_is_one_of_a_view(trip: Any) -> None:
    for number in range(3):
        differ(trip, f"t{number}")
    first, _, last = unresolved_ids(trip.store, trip.info(), "cy")
    assert last == next_to_settle(trip.store, trip.info(), "cy", first, within={last})


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
