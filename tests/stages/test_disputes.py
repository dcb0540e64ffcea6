"""Disputes of a real database: what is listed for whom, what it would move, and what becomes of it."""

import json
from functools import partial
from typing import Any

import pytest

from tests.conftest import do
from tests.rows import gold, naming
from workbench.errors import ConflictError
from workbench.reviewing.edits import Flag
from workbench.stages import disputes, editing, plan
from workbench.stages.agree import AgreeReport, agree
from workbench.stages.disputes import Dispute, DisputeReport
from workbench.stages.figures import figures
from workbench.stages.plan import Wish
from workbench.stages.recompute import score_dataset
from workbench.store.datasets import set_dataset
from workbench.store.scores import load_scores

NAMES = ["Rome", "Oslo", "Bern", "Riga", "Kyiv"]


def row(name: str, found: int = 3, *, near: bool = False, **more: Any) -> dict[str, Any]:
    """Five cities of which the contexts name the first ones; `near`: one of them under another spelling."""
    reference = ["Kathmandu", *NAMES[1:]] if near else NAMES
    retrieved = ["Katmandu" if one == "Kathmandu" else one for one in reference[:found]]
    return naming(name, reference, retrieved, **more)


def verify(bench: Any, key: str, toggled: int = 0, who: str = "ann") -> None:
    """Accept a sample with the last units turned round: each moves the verified value by .2."""
    bench.verify(key, who, toggle=range(5 - toggled, 5))


def read(bench: Any, who: str = "ann", **more: Any) -> DisputeReport:
    return disputes.disputes(bench.store, bench.info(), who, **more)


def listed(report: DisputeReport) -> list[tuple[str, str]]:
    return [(one.id, one.between) for one in report.disputes]


def only(report: DisputeReport) -> Dispute:
    (one,) = report.disputes
    return one


# What is listed.


# What is given away to nobody.


def test_a_screen_shows_what_others_verified_to_those_who_decided_it(bench: Any) -> None:
    """Also where they differ: neither values nor names with counts. The command shows it to all."""
    bench.load([row("a")])
    verify(bench, "a", 2, "bob")
    told, verified = only(read(bench)), read(bench, on_screen=True)
    verify(bench, "a", 0, "cat")
    differ, own = read(bench, on_screen=True), only(read(bench, "bob", on_screen=True))

    assert (False, 1.0) == (told.hidden, told.second)
    for hidden in (verified, differ):
        assert ((), 1) == (hidden.disputes, len(hidden.unseen))
    assert ("annotators", False, 1.0) == (own.between, own.hidden, own.second)


# What it would move under a plan.


@pytest.mark.parametrize(
    "wish", [Wish(21, blind=0.0), Wish(21, "stratified", "group", blind=0.0)], ids=["simple", "strata"]
)
def test_settling_a_dispute_moves_the_estimate_by_just_that(bench: Any, wish: Wish) -> None:
    """Where some samples have no score and some no units, and some were reviewed behind the plan."""
    score: dict[str, Any] = {"scores": {"context_entity_recall": 0.2}}
    bench.load([row(f"s{n}", group="ab"[n % 4 > 0], **(score if n % 3 else {})) for n in range(36)], seed=2)
    plan.make(bench.store, bench.info(), plan.draft(bench.store, bench.info(), wish, "ann"))
    order = bench.in_order
    for place, key in enumerate(order[:24]):
        bench.verify(key, **({"toggle": range(5 - place % 2, 5)} if place % 5 else {"reject": range(5)}))

    def point(scorer: str) -> Any:
        return figures(bench.store, bench.info(), scorer=scorer).estimate.point

    def moved(one: Dispute, stood: float, by: float) -> Any:
        """Whether the estimate moved by what the dispute says, for a value that changed by so much."""
        now = point(one.between.removesuffix("~verified"))
        return pytest.approx(by * (one.moves or 0) / abs(one.delta or 0)) == abs(now - stood) > 0

    column = "context_entity_recall"
    disputed = [one for one in read(bench).disputes if one.sort == "verified" and one.id in order[:21]]
    for scorer in (column, "linked"):
        some = [one for one in disputed if one.between == f"{scorer}~verified"][::3]
        assert len(some) > 1
        for one in some:
            stood = point(scorer)
            bench.act(one.id, do(-1, editing.toggle))
            assert moved(one, stood, 0.2)
    of_column = [one for one in read(bench).disputes if one.between == f"{column}~verified"]
    behind = [one for one in of_column if one.id in order[21:]]
    assert behind  # of these the estimate has the automatic value alone
    for one in behind:
        stood = point(column)
        change = f"SET value = 0.3, digits = '0.3' WHERE sample_id = {one.sample_id}"
        bench.change(f"UPDATE external_score {change}")
        assert moved(one, stood, 0.1)


# States.


@pytest.mark.databases
def test_whoever_has_not_seen_what_another_said_takes_nothing_of_it_away(bench: Any) -> None:
    bench.load([row("a")])
    verify(bench, "a", 1)
    one = only(read(bench))
    anns = disputes.set_state(bench.store, one, "fixed", "", "ann")
    with pytest.raises(ConflictError, match=r"^ann called it fixed meanwhile; look at it again$"):
        disputes.set_state(bench.store, one, "explained", "unseen", "bob")
    disputes.set_state(bench.store, only(read(bench)), "explained", "seen", "bob")
    bobs = bench.tables("dispute")

    with pytest.raises(ConflictError, match=r"^bob called it explained meanwhile; look at it again$"):
        disputes.set_state(bench.store, anns, "open", "", "ann")

    assert bobs == bench.tables("dispute")


@pytest.mark.databases
def test_of_two_who_say_something_at_the_same_time_the_second_is_told(bench: Any) -> None:
    bench.load([naming("s1", ["Rome"], ["Rome"])])
    bench.act("s1", Flag("odd"))

    for state in ("explained", "fixed"):  # the first of a dispute, then another one
        one = only(read(bench))
        say = partial(disputes.set_state, dispute=one, note="")
        bobs, anns = partial(say, state=state, annotator="bob"), partial(say, state="open", annotator="ann")
        with pytest.raises(ConflictError, match=f"bob called it {state} meanwhile"):
            bench.meanwhile(bobs, anns)
        assert ("bob", state) == (only(read(bench)).annotator, only(read(bench)).state)


def test_a_state_over_flags_holds_for_who_sees_other_flags_too(bench: Any) -> None:
    """bob, who has not decided, sees his own flag alone; ann sees both, and so does the command."""
    bench.load([row("a")])
    verify(bench, "a")
    for name, reason in (("ann", "odd"), ("bob", "wrong date")):
        bench.act("a", Flag(reason), who=name)
    own = only(read(bench, "bob", on_screen=True))
    assert "bob: wrong date" == own.says
    disputes.set_state(bench.store, own, "fixed", "", "bob")

    for who, on_screen in (("ann", True), ("ann", False), ("bob", True), ("bob", False)):
        now = only(read(bench, who, on_screen=on_screen))
        assert ("fixed", "fixed") == (now.state, now.was)


# The audit.


def journal(bench: Any, key: str, who: str = "ann") -> list[tuple[Any, ...]]:
    rows = bench.query(
        "SELECT e.op, e.data, r.off_plan FROM review_event e "
        "JOIN review r ON r.id = e.review_id WHERE r.sample_id = ? AND r.annotator = ? ORDER BY e.seq",
        bench.id(key), who,
    )  # fmt: skip
    return [(op, json.loads(data).get("auto_shown"), off_plan) for op, data, off_plan in rows]


def test_an_audit_shows_the_automatic_values_and_the_journal_says_so(bench: Any) -> None:
    """At once, decided or not; it is nothing that undo takes back, and asking again writes nothing."""
    bench.load([row("near", near=True)])
    assert () == bench.open("near").automatic

    disputes.audit(bench.store, bench.id("near"), "ann")
    disputes.audit(bench.store, bench.id("near"), "ann")

    assert {"linked", "ragas"} <= {one.scorer for one in bench.open("near").automatic}
    assert [("open", 1, 1)] == journal(bench, "near")
    assert bench.undo() is None
    assert () == bench.open("near", "bob").automatic
    assert only(read(bench)).hidden  # the list says nothing before the decision, audited or not


def test_an_audit_of_a_review_that_was_begun_says_so_from_there_on(bench: Any) -> None:
    """What was done stays; undo still takes back the last act of the person."""
    bench.load([row("near", near=True)])
    opened = bench.open("near")
    bench.act("near", do(4, editing.reject))

    disputes.audit(bench.store, bench.id("near"), "ann")

    again = bench.open("near")
    assert [("open", 0, 0), ("reject", None, 0), ("open", 1, 0)] == journal(bench, "near")
    assert again.automatic
    assert again.opening.assessments == opened.opening.assessments  # units keep where they came from
    assert again.state.entity.assessment.units[4].rejected
    bench.undo()
    assert not bench.open("near").state.entity.assessment.units[4].rejected
    assert bench.open("near").automatic


def test_a_blind_sample_stays_blind_in_an_audit(bench: Any) -> None:
    bench.load([row("near", near=True)])
    set_dataset(bench.store, bench.info().id, blind_share=1.0)

    disputes.audit(bench.store, bench.id("near"), "ann")

    assert () == bench.open("near").automatic
    assert [] == journal(bench, "near")


@pytest.mark.databases
def test_the_scores_of_a_sample_have_one_order_on_every_database(bench: Any) -> None:
    bench.load([row("a"), row("b")])
    score_dataset(bench.store, bench.info())
    info = bench.info()

    orders = [list(scores) for scores in load_scores(bench.store, info.run_id, info.threshold).values()]

    assert {4} == set(map(len, orders))
    assert [sorted(names) for names in orders] == orders


# Which decisions of people are not independent, where no command can say so.


AGAIN = "decided again after the others' work could be seen"


@pytest.fixture
def cities(bench: Any) -> Any:
    bench.load([naming("a", ["Rome", "Oslo"], ["Rome"]), naming("b", ["Bern", "Riga"], ["Bern"])], blind=0)
    return bench


def report(bench: Any) -> AgreeReport:
    return agree(bench.store, bench.info(), "ann")


@pytest.mark.databases
def test_a_clock_that_was_set_back_does_not_make_a_decision_independent(cities: Any) -> None:
    """Nor does that of a colleague's machine: what counts is the order in which the acts were stored."""
    cities.verify("a", "ada")
    cities.verify("a", "bo")
    cities.undo("bo")
    cities.verify("a", "bo", reject=["Oslo"])
    last = "(SELECT max(id) FROM review_event)"
    cities.change(f"UPDATE review_event SET at = '2020-01-01 00:00:00.000000' WHERE id = {last}")

    assert {AGAIN: 1} == report(cities).left_out


@pytest.mark.databases
def test_imported_and_adjudicated_work_does_not_count(cities: Any) -> None:
    named = naming("a", ["Rome", "Oslo"], ["Rome"], gold=gold({"Rome": "found"}, "eve"))
    cities.load([named], gold=True)
    cities.verify("b", "ada")
    cities.act("b", do(1, editing.reject), who="cy")
    cities.verify("b", "bo")
    cities.change("UPDATE review SET origin = 'adjudicated' WHERE annotator = 'bo'")
    cities.verify("a", "ada")
    cities.verify("b", "cy")  # begun before it was settled, and decided behind

    found = report(cities)
    assert (0, 1) == (found.whole.samples, found.left_out[AGAIN])
