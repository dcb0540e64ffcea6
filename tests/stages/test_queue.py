"""The queue by what was decided: values that stay hidden, orders, what comes next, causes and facets."""

import asyncio
import time
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Self

import pytest

from tests.conftest import accepted, do
from tests.rows import gold as verdicts, naming, sample
from workbench import stages
from workbench.model import Effort
from workbench.reviewing.edits import Flag
from workbench.stages import editing, queue, queue_values
from workbench.stages.desk import open_desk
from workbench.stages.queue import facets
from workbench.stages.recompute import save_counted, score_dataset
from workbench.stages.review import act, open_sample
from workbench.store.assignments import decided_since
from workbench.text.query import Order, Query, parse

ROWS = [
    naming("all", ["Rome", "Oslo"], ["Rome", "Oslo"]),
    naming("half", ["Rome", "Oslo"], ["Rome"]),
    naming("near", ["Rome", "Oslo", "Bern"], ["Romes", "Oslo"]),
    naming("none", ["Rome", "Oslo"], []),
    naming("empty", [], []),
]


@pytest.fixture
def cities(bench: Any) -> Any:
    bench.load(ROWS)
    return bench


def ids(bench: Any, text: str = "", order: Any = "file", annotator: str = "ann") -> list[str]:
    query = parse(text)
    assert isinstance(query, Query), query
    names = dict(bench.query("SELECT id, key FROM sample"))
    return [
        names[number] for number in queue_values.queue_ids(bench.store, bench.info(), annotator, query, order)
    ]


def exclude(bench: Any, key: str, who: str = "ann") -> None:
    bench.act(key, editing.exclude("broken"), who=who)


@pytest.mark.parametrize(("text", "order"), [("", "delta"), ("delta>0.4", "u"), ("is:disputed", "u")])
def test_a_view_by_values_keeps_what_it_counts(cities: Any, text: str, order: Order) -> None:
    cities.verify("all", toggle=("Rome",))
    desk = open_desk(cities.store, None, "ann")
    query = parse(text)
    assert isinstance(query, Query)
    chosen: tuple[tuple[Query, Order, int], ...] = ((Query(()), "u", 1), (query, order, 0))
    for asked, ordered, left in chosen:
        asyncio.run(queue_values.kept_ids(desk, asked, ordered))
        assert left == len(queue_values.uncounted(cities.store, cities.info(), "ann"))


@pytest.mark.databases
def test_how_many_samples_the_doubtful_order_leaves_out(cities: Any) -> None:
    """Counting is what `score` does."""
    assert queue.count_undoubted(cities.store, cities.info(), "ann") == 5
    score_dataset(cities.store, cities.info())
    cities.load([sample("late", "r")], dataset="data")
    assert queue.count_undoubted(cities.store, cities.info(), "ann") == 1


@pytest.mark.databases
def test_decided_samples_are_counted_once_and_for_all(cities: Any) -> None:
    """A view by value keeps what it counted; the values are those of `score`."""
    cities.verify("all", toggle=("Rome",))
    info = cities.info()
    before = ids(cities, "delta>0.4")
    for chunk in queue_values.uncounted(cities.store, info, "ann"):
        save_counted(cities.store, queue_values.count_some(cities.store, info, chunk))
    kept = cities.query("SELECT scorer, found, missing FROM score ORDER BY scorer")
    assert cities.query("SELECT count(*) FROM score WHERE sample_id != ?", cities.id("all")) == [(0,)]

    assert ids(cities, "delta>0.4") == before == ["all"]
    score_dataset(cities.store, cities.info())
    after = "SELECT scorer, found, missing FROM score WHERE sample_id = ? ORDER BY scorer"
    assert cities.query(after, cities.id("all")) == kept


@pytest.mark.databases
def test_the_next_of_a_view(cities: Any) -> None:
    """To decide: after the present one, then from the start once. Of decided ones: the very next."""
    view = queue_values.queue_ids(cities.store, cities.info(), "ann", order="file")
    cities.verify("half")

    def after(key: str | None, *, decided: bool = False) -> str | None:
        number = None if key is None else cities.id(key)
        found = queue.next_of(cities.store, cities.info(), "ann", view, number, decided=decided)
        return None if found is None else str(dict(cities.query("SELECT id, key FROM sample"))[found])

    assert after(None) == "all"
    assert after("all") == "near"
    assert after("empty") == "all"
    assert after("all", decided=True) == "half"
    assert after("empty", decided=True) is None
    for key in ("all", "near", "none"):
        cities.verify(key)
    assert after("empty") is None
    assert after("all") == "empty"
    at = cities.id("empty")
    assert queue.next_of(cities.store, cities.info(), "ann", view[:2], at, decided=False) is None


@pytest.mark.databases
def test_the_first_samples_are_those_around_the_next_undecided_one(bench: Any) -> None:
    """In queue order, with their rows, without reading the view."""
    bench.load([naming(f"s{n}", ["Rome"], []) for n in range(30)])
    every = queue_values.queue_ids(bench.store, bench.info(), "ann")
    for number in every[:10]:
        opened = open_sample(bench.store, number, "ann")
        act(bench.store, opened, editing.skip(opened))

    found = queue.first(bench.store, bench.info(), "ann", 4, 8)

    assert found.at == every[10]
    assert found.ids == every[6:18]
    assert list(found.rows) == found.ids.tolist()
    for number in every[10:]:
        opened = open_sample(bench.store, number, "ann")
        act(bench.store, opened, editing.skip(opened))
    done = queue.first(bench.store, bench.info(), "ann", 4, 8)
    assert (done.at, done.ids) == (None, every[:12])


@pytest.mark.databases
def test_the_pace_is_the_median_of_what_decided_samples_took(cities: Any) -> None:
    """The acts of one sample add up; another's and undecided ones do not count. Today begins at midnight."""
    began = datetime.now(UTC)
    assert queue.pace(cities.store, cities.info(), "ann") is None
    for key, efforts in (("all", [(4.0, 2), (6.0, 1)]), ("half", [(20.0, 1)]), ("near", [(12.0, 5)])):
        for effort in efforts[1:]:
            cities.act(key, do(0, editing.toggle), effort=Effort(*effort))
        cities.act(key, accepted(), effort=Effort(*efforts[0]))
    cities.act("none", accepted(), who="bob", effort=Effort(500.0, 99))
    cities.act("empty", accepted(), effort=Effort(0.3, 1))

    pace = queue.pace(cities.store, cities.info(), "ann", began)
    later = queue.pace(cities.store, cities.info(), "ann", datetime.now(UTC) + timedelta(hours=1))

    assert queue.Pace(12.0, 3, 3, today=4, hurried=1) == pace, "what takes less than a second is no measure"
    assert queue.Pace(12.0, 3, 3, today=0, hurried=1) == later


@pytest.mark.databases
def test_today_are_the_decisions_of_today(cities: Any) -> None:
    """Neither a flag on a sample that was decided before, nor what came with a file."""
    cities.act("all", accepted(), effort=Effort(4.0, 2))
    began = datetime.now(UTC)
    cities.act("all", Flag("odd"), effort=Effort(1.0, 1))
    given = verdicts({"Rome": "found"}, "ann") | {"effort": {"seconds": 9.0, "presses": 3}}
    cities.load([naming("given", ["Rome"], ["Rome"], gold=given)], gold="given", dataset="data")
    for today in (0, 1):
        if today:
            cities.act("half", accepted(), effort=Effort(4.0, 2))
        pace: Any = queue.pace(cities.store, cities.info(), "ann", began)
        assert (2 + today, today) == (pace.samples, pace.today)
        assert today == decided_since(cities.store, cities.info(), "ann", began)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process cannot be set here")
def test_today_begins_at_midnight_where_the_clocks_change(monkeypatch: pytest.MonkeyPatch) -> None:
    class Noon(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls(2026, 3, 29, 12, tzinfo=tz)

    monkeypatch.setattr(stages, "datetime", Noon)
    with monkeypatch.context() as zone:
        zone.setenv("TZ", "Europe/Berlin")
        time.tzset()
        found = stages.midnight()
    time.tzset()

    assert datetime(2026, 3, 28, 23, tzinfo=UTC) == found


@pytest.mark.databases
def test_facets_of_a_large_dataset_are_of_a_random_part_and_not_counted(bench: Any, monkeypatch: Any) -> None:
    """States are always counted."""
    bench.load([naming(f"s{n}", ["Rome"], [], meta={"topic": f"t{n % 2}"}) for n in range(300)], blind=0.0)
    monkeypatch.setattr(queue, "LOOKED_AT", 40)

    found = facets(bench.store, bench.info(), "ann")

    assert dict(found["state"])["todo"] == 300
    assert dict(found["label"]) == {"place": None}
    assert dict(found["meta.topic"]) == {"t0": None, "t1": None}
    assert dict(found["is"])["blind"] is None
