"""The plan of a dataset: made before the first verdict, followed by the queue, and how far it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import do
from tests.rows import gold, naming
from workbench.errors import ConflictError, UsageError
from workbench.model import KINDS
from workbench.reviewing.edits import Accept, Dispose, Flag
from workbench.stages import editing, plan, queue
from workbench.stages.export import ExportOptions, export
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.plan import Draft, Prefix, Wish, prefix, report
from workbench.stages.queue_values import facets
from workbench.stages.review import act, open_sample
from workbench.store import plans, samples
from workbench.store.datasets import count_blind
from workbench.text.query import Query, parse

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
    return [names[number] for number in queue.queue_ids(bench.store, bench.info(), annotator)]


def decide(bench: Any, key: str, how: str = "verified", who: str = "ann", *, off_plan: bool = False) -> None:
    """Verify, exclude or skip a sample, or verify it with a unit turned round ("differently")."""
    opened = open_sample(bench.store, bench.id(key), who, off_plan=off_plan)
    if how == "differently":
        unit = opened.state.entity.assessment.units[0]
        opened = act(bench.store, opened, editing.toggle(opened, unit))
    edit: Accept | Dispose = editing.accept(opened, "entity")
    if how == "excluded":
        edit = editing.exclude("broken")
    elif how == "skipped":
        edit = editing.skip(opened)
    act(bench.store, opened, edit)


def found(bench: Any, **options: Any) -> Prefix:
    return prefix(bench.store, bench.info(), "entity", **options)


def states(one: Prefix) -> list[tuple[str, str]]:
    return [(row.key, row.status) for row in one.rows]


# The order.


def test_the_queue_follows_the_plan(bench: Any) -> None:
    """By strata: of any four samples in a row the small group has one."""
    bench.load([row(number, group="small" if number % 4 == 0 else "big") for number in range(200)], seed=3)
    before = order(bench)

    make(bench, 40, design="stratified", by="group")

    after = order(bench)
    assert sorted(after) == sorted(before)
    assert after != before
    assert sum(int(key[1:]) % 4 == 0 for key in after[:40]) == 10
    assert bench.in_order == after
    assert queue.next_sample(bench.store, bench.info(), "ann") == bench.id(after[0])


def test_a_simple_plan_keeps_the_random_order_also_when_it_is_dropped(bench: Any) -> None:
    bench.load(rows(50))
    before = order(bench)

    make(bench, 20)
    assert order(bench) == before
    plan.drop(bench.store, bench.info(), "ann")
    assert order(bench) == before


def test_strata_keep_their_shares_in_every_prefix(bench: Any) -> None:
    """30, 20 and 10 samples; after 12 reviews 6, 4 and 2, each with the probability of its stratum."""
    groups = ["a"] * 30 + ["b"] * 20 + ["c"] * 10
    bench.load([row(number, meta={"lang": group}) for number, group in enumerate(groups)])
    drafted = make(bench, 24, design="stratified", by="meta.lang")
    for key in order(bench)[:12]:
        decide(bench, key)

    one = found(bench)

    assert dict(drafted.strata) == {"a": (30, 12), "b": (20, 8), "c": (10, 4)}
    taken = {name: sum(row.stratum == name for row in one.rows) for name in "abc"}
    assert taken == {"a": 6, "b": 4, "c": 2}
    assert {(row.stratum, row.pi) for row in one.rows} == {("a", 0.2), ("b", 0.2), ("c", 0.2)}


@pytest.mark.parametrize("design", ["", "simple", "stratified"])
def test_what_exports_know_of_the_prefix_is_what_its_rows_say(bench: Any, design: str) -> None:
    """The chance of any sample that could be drawn; nothing before the first."""
    bench.load([row(number, group="big" if number < 36 else "small") for number in range(40)])
    if design:
        make(bench, 20, design=design, by="group" if design == "stratified" else "")
    assert found(bench).chance("big") is None
    for key in order(bench)[:9]:
        decide(bench, key)
    decide(bench, order(bench)[-1], off_plan=True)

    one = found(bench)

    assert (9, 9, 1, 40) == (len(one.rows), one.n, one.beyond, one.population)
    assert [row.pi for row in one.rows] == [one.chance(row.stratum) for row in one.rows]
    chances = {row.stratum: row.pi for row in one.rows}
    expected = chances.get("big") if design == "stratified" else 9 / 40
    assert expected == one.chance("big")


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


def test_strata_of_what_no_sample_has_are_refused(bench: Any) -> None:
    """A word misspelt in the option, most likely."""
    bench.load(rows(2, meta={"lang": "en"}))

    with pytest.raises(UsageError, match=r"no sample has meta\.langage"):
        make(bench, 2, design="stratified", by="meta.langage")
    with pytest.raises(UsageError, match=r"every sample has the same meta\.lang:"):
        make(bench, 2, design="stratified", by="meta.lang")


@pytest.mark.databases
def test_strata_of_numbers_truths_and_nothing(bench: Any) -> None:
    """Any value of meta will do; a key called group is no group; samples without it are one stratum."""
    values: list[Any] = [{"group": value} for value in (1, 2.5, True, "x", ["a"])]
    values.append({})
    bench.load([row(number, group="g", meta=values[number % 6] | {"k": number}) for number in range(36)])

    drafted = make(bench, 18, design="stratified", by="meta.group")

    assert sorted(drafted.strata) == ["", "1", "2.5", '["a"]', "true", "x"]
    assert sum(planned for _, planned in drafted.strata.values()) == 18
    assert bench.query("SELECT count(*) FROM sample WHERE stratum = ''") == [(6,)]


# When it can be made.


@pytest.mark.parametrize("how", ["verified", "excluded"])
@pytest.mark.parametrize(
    ("undone", "why", "decided"),
    [
        (False, "1 sample is verified or not counted already", 1),
        (True, "verdicts were seen: 1 sample was verified or set aside", 0),
    ],
    ids=["stands", "undone"],
)
def test_a_plan_is_refused_after_the_first_verdict(
    bench: Any, undone: bool, why: str, decided: int, how: str
) -> None:
    """Also after one that was undone: it was seen. The refusal changes nothing."""
    bench.load(rows(30))
    make(bench, 12)
    drafted = plan.draft(bench.store, bench.info(), Wish(5), "ann")
    decide(bench, "s003", how, "bob")
    if undone:
        bench.undo("bob")
    tables = bench.tables("sample", "plan", "dataset")

    for attempt in (lambda: plan.make(bench.store, bench.info(), drafted),
                    lambda: plan.draft(bench.store, bench.info(), Wish(5), "ann"),
                    lambda: plan.drop(bench.store, bench.info(), "ann")):  # fmt: skip
        with pytest.raises(UsageError, match=why):
            attempt()
    assert bench.tables("sample", "plan", "dataset") == tables
    now: Any = report(bench.store, bench.info())
    assert (12, decided) == (now.planned_n, now.decided)


def test_a_skip_and_a_flag_decide_nothing(bench: Any) -> None:
    """Until the first verdict a plan may be replaced."""
    bench.load(rows(30))
    make(bench, 10)
    decide(bench, "s001", "skipped")
    bench.undo()
    decide(bench, "s001", "skipped")
    bench.act("s002", Flag("odd"))

    make(bench, 12)

    assert report(bench.store, bench.info()).planned_n == 12


def test_gold_of_a_file_is_no_verdict_of_the_plan_and_said(bench: Any) -> None:
    bench.load([*rows(10), row(16, gold=gold({"Rome": "found"}))], gold="given")
    drafted = make(bench, 5)

    now: Any = report(bench.store, bench.info())
    assert (1, 1, 0) == (drafted.imported, now.imported, now.decided)


def test_samples_that_came_since_the_draft_make_it_void(bench: Any) -> None:
    bench.load(rows(10))
    drafted = plan.draft(bench.store, bench.info(), Wish(5), "ann")
    bench.load(rows(12), "data.jsonl")

    with pytest.raises(ConflictError, match="make the plan again"):
        plan.make(bench.store, bench.info(), drafted)
    assert plans.plan_of(bench.store, bench.info().id) is None


IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"n": 11}, "11 reviews of 10 samples cannot be planned"),
    ({"n": 1}, "at least 2"),
    ({"n": 5, "design": "best"}, "no design 'best'; there is: simple, stratified"),
    ({"n": 5, "design": "stratified"}, "strata come from a field"),
    ({"n": 5, "by": "group"}, "strata come from a field"),
    ({"n": 5, "design": "stratified", "by": "label"}, "no field 'label'"),
    ({"n": 5, "design": "stratified", "by": "meta."}, "name a key"),
    ({"n": 5, "design": "stratified", "by": "meta.no"}, "nothing to stratify by"),
    ({"n": 5, "holdout": 1.0}, "less than 1"),
    ({"n": 9, "holdout": 0.2}, "9 reviews of 8 samples outside the holdout"),
    ({"n": 2, "holdout": 0.9}, "2 reviews of 1 sample outside the holdout"),
    ({"n": 5, "blind": 2.0}, "--blind is a share"),
]


def test_a_wish_that_cannot_be_fulfilled_says_why(bench: Any) -> None:
    bench.load([row(number) | {"reference": f"Rome, Oslo. {number}"} for number in range(10)])

    for wish, why in IMPOSSIBLE:
        with pytest.raises(UsageError, match=why):
            make(bench, **wish)
        assert bench.query("SELECT count(*) FROM plan") == [(0,)], why


# The holdout and the blind arm.


def test_a_holdout_is_whole_groups_reviewed_blind_after_the_plan(bench: Any) -> None:
    """No group and no reference on both sides; nothing of it is shown, and it comes last."""
    bench.load([row(number, group=f"g{number % 20}") for number in range(100)], blind=0.0)
    drafted = make(bench, 30, holdout=0.2)

    kept = {key for (key,) in bench.query("SELECT key FROM sample WHERE holdout")}
    assert drafted.holdout == len(kept) == found(bench).holdout
    assert 15 <= len(kept) <= 25
    assert drafted.plan.population == 100 - len(kept) == found(bench).population
    for column in ("group_key", "reference_hash"):
        sides = bench.query(f"SELECT {column} FROM sample GROUP BY 1 HAVING count(DISTINCT holdout) > 1")
        assert sides == []
    assert set(order(bench)[-len(kept) :]) == kept
    one = sorted(kept)[0]
    opened = bench.open(one)
    assert opened.blind
    assert opened.state.entity.assessment.units == ()
    shown = queue.queue_rows(bench.store, bench.info(), "ann", [bench.id(one)])[bench.id(one)]
    assert shown.blind
    assert {bench.id(key) for key in kept} == plans.holdout_ids(bench.store, bench.info().id)


@pytest.mark.databases
def test_a_sample_of_the_holdout_is_blind_wherever_that_is_asked(bench: Any) -> None:
    """Search, facets, labels and the doubtful order treat it as the blind arm; no example is made of it."""
    bench.load([row(number, group=f"g{number}") for number in range(20)], blind=0.0)
    make(bench, 5, holdout=0.2)
    kept = [key for (key,) in bench.query("SELECT key FROM sample WHERE holdout ORDER BY rank")]
    info = bench.info()
    numbers = [bench.id(key) for key in kept]

    def search(text: str, by: Any = "file") -> list[int]:
        query = parse(text)
        assert isinstance(query, Query)
        return list(queue.queue_ids(bench.store, info, "ann", query, by))

    assert sorted(search("is:blind")) == sorted(numbers)
    assert len(search("label:place")) == 16
    assert search("", "doubt")[-4:] == numbers
    assert dict(facets(bench.store, info, "ann")["is"])["blind"] == 4
    assert count_blind(bench.store, info.id) == 4
    loaded = samples.load_samples(bench.store, numbers, info.run_id)
    assert [one.blind for one in loaded] == [True] * 4


def test_the_same_reference_never_stands_on_both_sides(bench: Any) -> None:
    """Two retrievers over the same questions, without groups: both samples of one go together."""
    bench.load([row(number) | {"reference": f"Rome, Oslo. {number}"} for number in range(30)])
    twins = [row(number) | {"id": f"t{number}", "reference": f"Rome, Oslo. {number}"} for number in range(30)]
    bench.load(twins, "data.jsonl")
    make(bench, 10, holdout=0.3)

    sides = bench.query("SELECT reference_hash FROM sample GROUP BY 1 HAVING count(DISTINCT holdout) > 1")
    assert sides == []
    assert bench.query("SELECT count(*) FROM sample WHERE holdout") == [(18,)]


def test_one_group_of_all_cannot_be_kept_back(bench: Any) -> None:
    bench.load(rows(10, group="only"))

    with pytest.raises(UsageError, match="takes whole groups"):
        make(bench, 5, holdout=0.2)


def test_the_blind_arm_is_raised_to_thirty_reviews_and_lowered_again_by_dropping(bench: Any) -> None:
    """From .1 to .5 at 60 reviews; replacing the plan starts from what was before any plan."""
    bench.load(rows(120))

    drafted = make(bench, 60)
    assert (drafted.blind_before, drafted.blind_share) == (0.1, 0.5)
    assert bench.info().blind_share == 0.5
    drafted = make(bench, 40)
    assert (drafted.blind_before, drafted.blind_share, bench.info().blind_share) == (0.1, 0.1, 0.1)
    assert any("too few to tell" in note for note in drafted.notes)
    drafted = make(bench, 60, blind=0.2)
    assert bench.info().blind_share == 0.2
    assert drafted.notes == (
        "12 reviews without suggestions are expected, too few to tell what suggestions do (30 are enough)",
    )
    plan.drop(bench.store, bench.info(), "ann")
    assert bench.info().blind_share == 0.1


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


@pytest.mark.databases
def test_samples_imported_after_the_plan_stay_outside_of_it(bench: Any) -> None:
    """They come last, weigh nothing and are said; those of a holdout's group go with it."""
    bench.load([row(number, group=f"g{number % 10}") for number in range(40)])
    population = make(bench, 10, holdout=0.2).plan.population
    before = order(bench)
    (back,) = bench.query("SELECT group_key FROM sample WHERE holdout LIMIT 1")[0]
    late = [row(100, group="new"), row(101, group=back), row(102) | {"user_input": "question 1"}]
    bench.load([*rows(3), *late], "data.jsonl", update=True)

    assert order(bench)[:40] == before
    assert sorted(order(bench)[40:]) == ["s100", "s101", "s102"]
    stored = bench.query("SELECT size, holdout FROM sample WHERE key >= 's100' ORDER BY key")
    assert ([0.0, 0.0, 0.0], [0, 1]) == ([size for size, _ in stored], [kept for _, kept in stored[:2]])
    assert bench.open("s101").blind
    assert found(bench).late == 3
    assert found(bench).population == report(bench.store, bench.info()).population == population
    for key in before[:2]:
        decide(bench, key)
    decide(bench, "s100")
    assert len(found(bench).rows) == 2


# The prefix.


def test_a_prefix_holds_verified_excluded_skipped_and_unresolved_samples(bench: Any) -> None:
    """It ends before the first that is open; what is behind waits."""
    bench.load(rows(20))
    assert (found(bench).rows, found(bench).n) == ((), 0)
    keys = order(bench)
    for key, how in zip(keys, ("verified", "excluded", "skipped", "verified"), strict=False):
        decide(bench, key, how)
    decide(bench, keys[3], "differently", "bob")
    decide(bench, keys[5])

    one = found(bench)

    expected = [(keys[0], "verified"), (keys[1], "excluded"), (keys[2], "skipped"), (keys[3], "unresolved")]
    assert states(one) == expected
    assert [row.pi for row in one.rows] == [0.2] * 4
    assert (one.population, one.beyond, one.planned_n, one.at_planned_n) == (20, 1, None, False)
    decide(bench, keys[4])
    assert len(found(bench).rows) == 6


def test_a_skip_counts_once_everyone_who_touched_the_sample_skipped_it(bench: Any) -> None:
    """Begun by another it is open again; a flag is no touch; verified by another it is verified."""
    bench.load(rows(10))
    key, other = order(bench)[:2]
    decide(bench, key, "skipped")
    bench.act(key, Flag("odd"), who="bob")
    assert states(found(bench)) == [(key, "skipped")]
    bench.act(key, do(0, editing.reject), who="bob")
    assert states(found(bench)) == []
    decide(bench, key, "verified", "bob")
    decide(bench, other, "skipped")
    assert states(found(bench)) == [(key, "verified"), (other, "skipped")]


def test_two_who_agree_are_one_verdict_and_an_exclusion_by_one_excludes(bench: Any) -> None:
    bench.load(rows(10))
    first, second = order(bench)[:2]
    for who in ("ann", "bob"):
        decide(bench, first, "verified", who)
    decide(bench, second, "verified")
    decide(bench, second, "excluded", "bob")

    assert states(found(bench)) == [(first, "verified"), (second, "excluded")]


def test_hand_picked_reviews_count_when_one_in_its_turn_stands_behind_them(bench: Any) -> None:
    """Alone they are no sample of anything; at the end they wait."""
    bench.load(rows(20))
    keys = order(bench)
    for key in keys[:3]:
        decide(bench, key, off_plan=True)
    assert (states(found(bench)), found(bench).beyond) == ([], 3)

    decide(bench, keys[3])
    assert (len(found(bench).rows), found(bench).beyond) == (4, 0)
    decide(bench, keys[4], off_plan=True)
    assert (len(found(bench).rows), found(bench).beyond) == (4, 1)
    decide(bench, keys[5])
    assert (len(found(bench).rows), found(bench).beyond) == (6, 0)


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


@pytest.mark.databases
def test_an_export_that_comes_back_has_the_prefix_that_left(bench: Any, tmp_path: Path) -> None:
    """Its rows say where a sample stood (`u`), that a person saw it here (`shown`), and what was picked."""
    bench.load(rows(20))
    keys = order(bench)
    for place in (0, 1, 2, 3, 4, 9):
        decide(bench, keys[place], off_plan=place in (1, 4))
    left = found(bench)
    export(bench.store, bench.info(), tmp_path / "out", ExportOptions(), annotator="ann")
    back = ImportOptions(dataset="back", gold="given")

    import_file(bench.store, tmp_path / "out", back, annotator="ann")

    came = prefix(bench.store, bench.info("back"), "entity")
    assert (states(left), left.beyond) == (states(came), came.beyond)
    assert keys[:4] == [row.key for row in came.rows]


@pytest.mark.databases
def test_imported_gold_alone_makes_a_prefix_only_when_it_covers_everything(bench: Any) -> None:
    rome = {"gold": gold({"Rome": "found"})}
    some = [row(number) | {"reference": "Rome."} | (rome if number % 2 else {}) for number in range(10)]
    bench.load(some, gold="given")
    assert states(found(bench)) == []
    assert found(bench).beyond == 5
    bench.load([one | rome for one in some], "data.jsonl", gold="given")

    one = found(bench)
    assert (10, 10) == (one.n, one.population)
    assert [("imported", 1.0)] * 10 == [(row.origin, row.pi) for row in one.rows]


def test_a_report_says_where_the_plan_stands(bench: Any) -> None:
    bench.load(rows(40))
    make(bench, 10)
    keys = order(bench)
    for key in (keys[0], keys[1], keys[5]):
        decide(bench, key)

    one: Any = report(bench.store, bench.info())

    assert (one.done, one.planned_n, one.prefix, one.beyond, one.next) == (3, 10, 2, 1, keys[2])
    assert one.counts == {"verified": 2}
    assert (one.population, one.decided, one.late, one.holdout) == (40, 3, 0, 0)
    assert one.plan.annotator == "ann"


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


def scored(number: int) -> dict[str, Any]:
    return row(number, context_entity_recall=0.9 if number % 4 else 0.1)


def test_without_a_design_low_and_high_scores_are_strata(bench: Any) -> None:
    """A quarter of the samples score .1: every beginning has its quarter of them."""
    bench.load([scored(number) for number in range(80)])
    drafted = make(bench, 40, design="")
    assert "stratified" == drafted.plan.design
    assert {"score below 0.5": (20, 10), "score 0.5 or more": (60, 30)} == dict(drafted.strata)
    assert 3 == sum(int(key[1:]) % 4 == 0 for key in order(bench)[:12])


@pytest.mark.parametrize(
    ("low", "n", "why"),
    [
        (0.9, 10, "10 samples that score below 0.5 and 10 that score 0.5 or more"),
        (0.1, 3, "at least 4 reviews"),
    ],
    ids=["scores on one side alone", "few reviews"],
)
def test_where_parts_by_score_need_more_a_plan_is_simple_and_says_why(
    bench: Any, low: float, n: int, why: str
) -> None:
    bench.load([row(k, context_entity_recall=0.9 if k % 4 else low) for k in range(80)])
    drafted = make(bench, n, design="")
    assert "simple" == drafted.plan.design
    assert f"simple random, because parts by score need {why}" == drafted.notes[0]


@pytest.mark.databases
def test_a_plan_gets_longer_in_its_order_after_reviews(bench: Any) -> None:
    bench.load([scored(number) for number in range(80)])
    make(bench, 12, design="")
    before = order(bench)
    for key in before[:12]:
        decide(bench, key)
    assert report(bench.store, bench.info()).complete

    plan.extend(bench.store, bench.info(), 8, "ann")

    longer = report(bench.store, bench.info())
    assert (20, 12, False) == (longer.planned_n, longer.done, longer.complete)
    assert {"score below 0.5": (20, 5), "score 0.5 or more": (60, 15)} == {
        one.name: (one.samples, one.planned) for one in longer.strata
    }
    assert before == order(bench)
    for key in before[12:20]:
        decide(bench, key)
    assert found(bench).at_planned_n


@pytest.mark.parametrize(("planned", "why"), [(0, "no plan to extend"), (10, "10 samples left")])
def test_a_plan_that_cannot_get_longer_says_why(bench: Any, planned: int, why: str) -> None:
    bench.load(rows(20))
    if planned:
        make(bench, planned)
    with pytest.raises(UsageError, match=why):
        plan.extend(bench.store, bench.info(), 11, "ann")
