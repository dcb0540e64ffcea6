"""The plan of a dataset: made before the first verdict, followed by the queue, and how far it is."""

from collections import Counter
from typing import Any

import pytest

from tests.rows import city, naming
from workbench.errors import ConflictError
from workbench.model import KINDS, Unit
from workbench.stages import editing, plan
from workbench.stages.figures import figures
from workbench.stages.plan import Draft, Prefix, Wish, prefix, report
from workbench.stages.queue_values import queue_ids
from workbench.stages.review import Opened, act, open_sample
from workbench.store import plans

NAMES = ["Rome", "Oslo", "Bern", "Riga", "Kyiv", "Lima", "Cairo", "Quito"]


def row(number: int, **more: Any) -> dict[str, Any]:
    """A sample of two cities."""
    names = [NAMES[number % 8], NAMES[(number + 3) % 8]]
    return naming(f"s{number:03}", names, names, **more)


def rows(n: int, **more: Any) -> list[dict[str, Any]]:
    return [row(number, **more) for number in range(n)]


def make(bench: Any, n: int, **wish: Any) -> Draft:
    """Make a plan as the command does."""
    info = bench.info()
    drafted = plan.draft(bench.store, info, Wish(n, **wish), "ann")
    plan.make(bench.store, info, drafted)
    return drafted


def order(bench: Any, annotator: str = "ann") -> list[str]:
    """The queue as a person sees it."""
    names = dict(bench.query("SELECT id, key FROM sample"))
    return [names[number] for number in queue_ids(bench.store, bench.info(), annotator)]


def decide(bench: Any, key: str, *, off_plan: bool = False) -> None:
    """Verify a sample, in its turn or picked by hand."""
    opened = open_sample(bench.store, bench.id(key), "ann", off_plan=off_plan)
    act(bench.store, opened, editing.accept(opened, "entity"))


def found(bench: Any, **options: Any) -> Prefix:
    return prefix(bench.store, bench.info(), "entity", **options)


def states(one: Prefix) -> list[tuple[str, str]]:
    return [(row.member.key, row.done.status) for row in one.rows]


@pytest.mark.databases
def test_of_two_who_plan_more_at_the_same_time_one_is_told(bench: Any, monkeypatch: Any) -> None:
    """The second would write its end over that of the first, whose reviews nobody would be asked for."""
    bench.load(rows(40))
    make(bench, 20)
    extend_plan = plans.extend_plan

    def after_another(*args: Any) -> None:
        monkeypatch.setattr(plans, "extend_plan", extend_plan)
        plan.extend(bench.store, bench.info(), 5, "bo")
        extend_plan(*args)

    monkeypatch.setattr(plans, "extend_plan", after_another)
    with pytest.raises(ConflictError, match="the plan was changed meanwhile"):
        plan.extend(bench.store, bench.info(), 3, "ann")

    assert 25 == report(bench.store, bench.info()).planned_n


# When it can be made.


def test_samples_that_came_since_the_draft_make_it_void(bench: Any) -> None:
    bench.load(rows(10))
    drafted = plan.draft(bench.store, bench.info(), Wish(5), "ann")
    bench.load(rows(12), "data.jsonl")

    with pytest.raises(ConflictError, match="make the plan again"):
        plan.make(bench.store, bench.info(), drafted)
    assert plans.plan_of(bench.store, bench.info().id) is None


def test_looks_at_the_holdout_are_counted(bench: Any) -> None:
    from datetime import UTC, datetime

    bench.load(rows(20))
    info = bench.info()
    at = datetime(2026, 11, 21, tzinfo=UTC)

    assert plans.note_opening(bench.store, info.id, "calibration test", "ann", at) == 1
    assert plans.note_opening(bench.store, info.id, "final figure", "bob", at) == 2
    assert [(one.purpose, one.annotator) for one in report(bench.store, info).openings] == [
        ("calibration test", "ann"), ("final figure", "bob"),
    ]  # fmt: skip


# After the plan.


# The prefix.


@pytest.mark.databases
def test_a_sample_that_only_a_mass_edit_touched_is_picked_by_whoever_opens_it_by_hand(bench: Any) -> None:
    """An edit of all samples shows none of them: whoever opens one next says how it was reached."""
    bench.load([city(number) for number in range(40)], blind=0.0)
    keys = order(bench)

    def named(opened: Opened, name: str) -> list[Unit]:
        return [unit for unit in opened.units("entity") if unit.text == name]

    edited = set[str]()
    for name in [unit.text for unit in bench.open(keys[-1]).units("entity")]:
        last = bench.open(keys[-1])
        last = act(bench.store, last, editing.reject(last, *named(last, name)))
        others = editing.places(bench.store, last, editing.decision_on(last, *named(last, name)))
        editing.apply(bench.store, "ann", others)
        edited |= {place.key for place in others}
    touched = [key for key in keys[12:] if key in edited]
    for place, key in enumerate(keys[:12]):
        bench.verify(key, toggle=[place % 2])
    before = figures(bench.store, bench.info())
    upto = keys.index(touched[-1])
    for key in keys[12 : upto + 1]:
        decide(bench, key, off_plan=True)

    after = figures(bench.store, bench.info())
    assert (12, 12) == (before.prefix, after.prefix)
    assert (before.estimate.point, before.estimate.corpus) == (after.estimate.point, after.estimate.corpus)

    decide(bench, keys[upto + 1])  # also where a mass edit touched it
    whole = figures(bench.store, bench.info())
    assert (upto + 2, 0) == (whole.prefix, found(bench).beyond)
    marked = "SELECT key FROM review JOIN sample ON sample.id = sample_id WHERE off_plan ORDER BY rank"
    assert [(key,) for key in keys[12 : upto + 1]] == bench.query(marked)


def test_the_planned_end_and_the_last_sample_are_ends_whoever_chose_them(bench: Any) -> None:
    """A number that was fixed before is no one's choice."""
    bench.load(rows(8))
    make(bench, 4)
    keys = order(bench)
    for key in keys[:5]:
        decide(bench, key, off_plan=True)
    assert len(found(bench).rows) == 4
    assert found(bench).at_planned_n
    decide(bench, keys[5])
    assert len(found(bench).rows) == 6
    cut = found(bench, cut=True)
    assert (len(cut.rows), cut.at_planned_n, {row.pi for row in cut.rows}) == (4, True, {0.5})
    for key in keys[6:]:
        decide(bench, key, off_plan=True)

    for one in (found(bench), found(bench, cut=True)):
        assert (len(one.rows), one.n == one.population, {row.pi for row in one.rows}) == (8, True, {1.0})


def test_a_report_reads_nothing_twice(bench: Any) -> None:
    bench.load(rows(10))
    make(bench, 4)
    decide(bench, order(bench)[0])
    info = bench.info()
    with bench.asked() as asked:
        report(bench.store, info)

    assert [] == [one for one, times in Counter(asked).items() if times > 1]


def test_of_a_second_kind_the_prefix_is_its_own(bench: Any) -> None:
    """The same order, other verdicts."""
    bench.load(rows(10))
    decide(bench, order(bench)[0])

    found = [prefix(bench.store, bench.info(), kind).rows for kind in KINDS]
    assert [1, 0] == list(map(len, found))


def test_the_statements_do_not_grow_with_the_samples(bench: Any) -> None:
    """A draft, the plan, and a prefix over it: as many for 300 samples as for 30."""
    counts: list[list[str]] = []
    for n, name in ((30, "small"), (300, "large")):
        bench.load([row(k, group=str(k % 2)) for k in range(n)], f"{name}.jsonl", dataset=name, blind=0.1)
        info = bench.info(name)
        wish = Wish(20, "stratified", "group")
        with bench.asked() as asked:
            plan.make(bench.store, info, plan.draft(bench.store, info, wish, "ann"))
            prefix(bench.store, info, "entity")
        sent = [text for text, _ in asked if not text.startswith(("BEGIN", "PRAGMA"))]
        counts.append([" ".join(text.split()) for text in sent])

    assert counts[0] == counts[1]
    assert len(counts[0]) < 25


# By score, and longer.
