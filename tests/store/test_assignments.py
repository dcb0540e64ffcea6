"""Who reviews which sample: places, claims, leases, what undo and late work make of them, many at once."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from tests.benchmarks import team as crowd
from tests.lists import from_cases
from tests.rows import naming
from workbench.model import RESOLVED
from workbench.stages import editing, queue, review, team
from workbench.stages.desk import open_desk
from workbench.stages.plan import Wish, draft, make
from workbench.stages.review import act
from workbench.stages.upkeep import doctor
from workbench.store import assignments, journal
from workbench.store.engine import open_store

pytestmark = pytest.mark.databases


def rows(n: int) -> list[dict[str, Any]]:
    return [naming(f"s{k}", ["Paris", "Rome"], ["Paris"], also=f" {k}") for k in range(n)]


@pytest.fixture
def four(bench: Any) -> Any:
    """Four samples with two places each, in the order of the file."""
    bench.load(rows(4), blind=0)
    team.assign(bench.store, bench.info(), "ann", 2, None, None)
    return bench


def held(bench: Any, who: str) -> Any:
    """The id of the sample that a person is to decide: taken where they hold none."""
    info = bench.info()
    number = queue.next_sample(bench.store, info, who) or queue.take_next(bench.store, info.id, who)
    return next((key for key, one in bench_ids(bench).items() if one == number), None)


def bench_ids(bench: Any) -> dict[str, int]:
    return dict(bench.query("SELECT key, id FROM sample"))


def state(bench: Any) -> Any:
    """Where the assignments stand."""
    return team.team(bench.store, bench.info(), "ada")


def test_a_sample_that_several_others_hold_is_held_once_and_not_where_one_has_a_place(four: Any) -> None:
    first = held(four, "ada")
    assert first == held(four, "bo")
    other = "s3" if first != "s3" else "s2"
    team.give(four.store, four.info(), "ann", "cy", f"id:{other}")

    def others(who: str) -> int:
        return queue.progress(four.store, four.info(), who).others

    assert (2, 1, 1) == (others("dee"), others("ada"), others("cy"))


def test_an_accept_holds_the_next_sample_in_the_same_change(four: Any) -> None:
    first = held(four, "ada")
    with four.asked() as sent:
        four.verify(first, "ada")

    assert 1 == len(four.query("SELECT id FROM assignment WHERE annotator = 'ada' AND NOT done"))
    if not four.on_server:  # whose driver begins by itself
        assert 1 == [one for one, _ in sent].count("BEGIN IMMEDIATE")


def test_everybody_decides_every_sample_of_the_overlap_once(four: Any) -> None:
    done: dict[str, list[str]] = {"ada": [], "bo": [], "cy": []}
    for turn in range(20):
        who = ("ada", "bo", "cy")[turn % 3]
        key = held(four, who)
        if key is not None:
            four.verify(key, who)
            done[who].append(key)

    assert 8 == sum(map(len, done.values()))
    assert all(len(keys) == len(set(keys)) for keys in done.values())
    places = "SELECT count(DISTINCT sample_id), sum(slot) / 3 FROM assignment WHERE done"
    assert [(4, 4)] == four.query(places)
    assert (4, 4) == (state(four).complete, state(four).samples)


def test_who_settles_a_sample_is_not_told_who_holds_a_place_there(four: Any) -> None:
    number = four.id(held(four, "ada"))
    desk = open_desk(four.store, None, "cy")

    told = [asyncio.run(one.held(number)) for one in (desk, replace(desk, resolves=True))]

    assert [["ada"], []] == [[place.annotator for place in each] for each in told]


@pytest.mark.parametrize(("share", "two"), [(1.0, 60), (0.3, None), (0.0, 0)])
def test_the_share_has_so_many_places_and_the_others_one(bench: Any, share: float, two: int | None) -> None:
    bench.load(rows(60), blind=0)
    team.assign(bench.store, bench.info(), "ann", 2, share, None)
    drawn = bench.query("SELECT count(*) FROM sample WHERE blind_u < ?", share)[0][0]

    assert [(60 + (drawn if two is None else two),)] == bench.query("SELECT count(*) FROM assignment")
    team.assign(bench.store, bench.info(), "ann", 1, None, None)
    assert [(60,)] == bench.query("SELECT count(*) FROM assignment")
    team.assign(bench.store, bench.info(), "ann", 0, None, None)
    assert [(0,)] == bench.query("SELECT count(*) FROM assignment")


def test_blind_samples_and_the_holdout_have_all_places_whatever_the_share(bench: Any) -> None:
    bench.load([{**row, "group": f"g{n % 10}"} for n, row in enumerate(rows(60))], blind=0.25)
    team.assign(bench.store, bench.info(), "ann", 3, 0.0, None)
    info = bench.info()
    make(bench.store, info, draft(bench.store, info, Wish(20, "simple", "", 0.2, 0.25), "ann"))
    wanted = "SELECT count(*) FROM sample WHERE holdout OR blind_u < (SELECT blind_share FROM dataset)"
    several = bench.query(wanted)[0][0]

    assert several > 12
    assert [(60 + 2 * several,)] == bench.query("SELECT count(*) FROM assignment")
    ranks = "SELECT count(*) FROM assignment a JOIN sample s ON s.id = a.sample_id WHERE a.rank <> s.rank"
    assert [(0,)] == bench.query(ranks)


def test_with_assignments_the_last_sample_of_a_person_is_not_called_the_last_of_all(four: Any) -> None:
    for key in bench_ids(four):
        four.verify(key, "ada")

    assert None is held(four, "ada")
    assert "no sample is left for you" == open_desk(four.store, None, "ada").nothing_left
    assert (0, 4) == (state(four).complete, state(four).samples)


def test_what_nobody_has_reviewed_alone_takes_no_place(four: Any) -> None:
    """A review that settles what people differ in is nobody's own."""
    opened = four.open("s0", RESOLVED)
    journal.record(four.store, [review.act_on(opened, editing.accept(opened, "entity"))], RESOLVED)
    team.assign(four.store, four.info(), "ann", 2, None, None)

    assert [] == wrong(four)
    assert RESOLVED not in {one.name for one in state(four).people}


def test_two_windows_of_one_person_hold_one_sample(four: Any) -> None:
    info = four.info()
    stores = [open_store(four.store.url) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda store: assignments.claim(store, info, "ada"), stores))
    for store in stores:
        store.close()

    taken = four.query("SELECT sample_id FROM assignment WHERE annotator = 'ada'")
    assert set(found) <= {number for (number,) in taken}


def test_without_assignments_a_single_user_sends_what_they_always_sent(bench: Any) -> None:
    """No statement is about places; whether there are people who may do it is asked once an act."""
    bench.load(rows(3), blind=0)
    opened = bench.open("s0")
    with bench.asked() as sent:
        act(bench.store, opened, editing.accept(opened, "entity"))
        queue.next_sample(bench.store, bench.info(), "ann", bench.id("s0"))
        journal.undo(bench.store, bench.info().id, "ann")

    assert [] == [one for one, _ in sent if "assignment" in one]
    assert 1 == len([one for one, _ in sent if "person" in one])
    assert [(0,)] == bench.query("SELECT count(*) FROM assignment")


def wrong(bench: Any) -> list[str]:
    """What `doctor` finds, without the numbers of rows: their order is random."""
    found = doctor(bench.store, lambda _done: None).found
    return [re.sub(r"^(assignment|review) \d+:", r"\1:", line) for line in found]


@from_cases
def test_doctor_names_places_that_samples_and_reviews_contradict(four: Any, damage: str, lines: Any) -> None:
    four.verify("s0", "ann")  # who holds another one from now on
    assert [] == wrong(four)

    with four.store.writing() as session:
        session.execute(text(damage))

    assert lines == wrong(four)


def test_three_people_at_once_decide_every_sample_as_often_as_it_is_wanted(bench: Any) -> None:
    """About half of the samples have two places, the others one."""
    crowd.make(bench.store, bench.folder, 10, 2)
    team.assign(bench.store, bench.info(), "ann", 2, 0.5, None)
    wanted = bench.query("SELECT sample_id, count(*) FROM assignment GROUP BY sample_id ORDER BY sample_id")

    found = crowd.load(bench.store.engine.url.render_as_string(hide_password=False), 3, 600)

    crowd.check(bench.store, found, 2)
    decided = bench.query("SELECT sample_id, count(*) FROM review GROUP BY sample_id ORDER BY sample_id")
    assert {1, 2} == {number for _, number in wanted}
    assert wanted == decided
    assert 0 == crowd.claimed(bench.store)
