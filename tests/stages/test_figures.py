"""The figures of a dataset, read back from a real database after real reviews."""

import operator
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from tests.conftest import FIXTURES, accepted, do
from tests.rows import gold as verdicts, proposal, sample
from workbench.comparing.causes import CAUSES
from workbench.comparing.figures import Figures
from workbench.comparing.words import estimate_facts, no_cause_lines
from workbench.formats.policy import to_toml
from workbench.model import Span
from workbench.reviewing.edits import Edit
from workbench.stages import editing
from workbench.stages.figures import figures, listing
from workbench.stages.plan import Wish, draft, make
from workbench.stages.policy import change_policy
from workbench.stages.propose import propose
from workbench.stages.review import Opened
from workbench.store.datasets import set_dataset
from workbench.store.queue import shown_ids

NAMES = ("Agra", "Boston", "Cairo", "Delhi", "Essen", "Fargo", "Ghent", "Hanoi")


def add_in(opened: Opened) -> Edit:
    """The word "In", with which every reference begins, is a name too."""
    return editing.add_span(opened, "entity", Span(0, 2), "other")


def rows(count: int, *, gold: bool, seed: int = 3, **more: Any) -> list[dict[str, Any]]:
    """Samples of three cities, some of them in the context, with proposals and gold that err at random."""
    chance = random.Random(seed)
    made = []
    for number in range(count):
        cities = chance.sample(NAMES, 3)
        there = [city for city in cities if chance.random() < 0.5]
        proposed = [city for city in cities if chance.random() < 0.8] or cities[:1]
        named = [[city for city in there if chance.random() < 0.7]]
        row = sample(
            f"s{number:03}", f"In {number} there are {', '.join(cities)}.",
            f"They saw {' and '.join(there)}." if there else "They saw nothing.",
            proposal=proposal(proposed, *named, proposer="claude"), **more,
        )  # fmt: skip
        if gold:
            row["gold"] = verdicts({city: ("missing", "found")[city in there] for city in cities}, "corpus")
        made.append(row)
    return made


def now(bench: Any, **asked: Any) -> Any:
    """The figures as they are."""
    return figures(bench.store, bench.info(), **asked)


def test_causes_add_up_to_the_bias_and_the_means_are_those_of_the_samples(bench: Any) -> None:
    bench.load(rows(40, gold=True), gold="require", blind=0.0)
    found = now(bench)

    assert 40 == found.counts.imported == found.counts.total == found.paired.n
    assert "known" == found.estimate.method
    deltas = [row.delta for row in found.rows if row.delta is not None]
    assert 40 == len(deltas)
    assert sum(deltas) / 40 == pytest.approx(found.paired.bias, abs=1e-12)
    assert float(sum(one.share for one in found.causes)) == pytest.approx(found.paired.bias, abs=1e-12)
    assert {one.cause for one in found.causes} <= set(CAUSES)
    assert len(found.causes) > 1
    linked = next(one for one in found.beside if one.scorer == "linked")
    assert 40 == linked.n
    assert linked.delta == pytest.approx(found.paired.bias, abs=1e-12)


def test_labels_of_a_cause_take_it_apart_exactly(bench: Any) -> None:
    bench.load(rows(30, gold=True), gold="require", blind=0.0)
    found = now(bench)
    by_label = [one.share for causes in found.by_label.values() for one in causes]
    assert sum(one.share for one in found.causes) == sum(by_label)


def test_a_prefix_of_the_random_order_estimates_all_samples(bench: Any) -> None:
    bench.load(rows(60, gold=False), blind=0.0, seed=3)
    for number, key in enumerate(bench.in_order[:20]):
        units = bench.open(key).state.entity.assessment.units
        edit = "reject" if number % 2 and len(units) > 1 else "toggle"  # without a unit it would not count
        bench.verify(key, **{edit: [units[0].text] if number % 3 else []})
    found: Any = now(bench)

    assert (60, 20, 20) == (found.estimate.total, found.estimate.n, found.prefix)
    assert "simple" == found.design
    assert not found.estimate.refusal
    assert found.estimate.method == "at any look"
    assert found.estimate.corpus.low <= found.estimate.point <= found.estimate.corpus.high
    assert found.assisted
    assert len(found.causes) > 1
    assert {one.cause for one in found.causes} == set(found.estimated)
    points = [one.point for one in found.estimated.values() if one.point is not None]
    assert sum(points) == pytest.approx(found.estimate.bias, abs=1e-9)
    assert 20 == found.arms.assisted.n


def test_bias_and_causes_are_of_the_same_samples_where_some_have_no_gold_units(bench: Any) -> None:
    made = rows(30, gold=True)
    made[4]["gold"]["entities"] = []
    bench.load(made, gold="require", blind=0.0)
    found = now(bench)

    assert (29, 1) == (found.estimate.n, found.estimate.undefined)
    assert float(sum(one.share for one in found.causes)) == pytest.approx(found.estimate.bias, abs=1e-12)
    facts = {fact.name: fact for fact in estimate_facts(found.estimate)}
    assert "with verified units" == facts["automatic, those counted"].note
    assert found.estimate.bias == pytest.approx(found.estimate.counted - (found.estimate.point or 0))


def test_gold_of_a_file_does_not_count_where_somebody_excluded_the_sample(bench: Any) -> None:
    bench.load([*rows(12, gold=True), *rows(30, gold=False)[12:]], gold="given", blind=0.0, seed=3)
    last = [key for key in bench.in_order if key < "s012"][-1]  # one without gold comes before it
    bench.act(last, editing.exclude("broken"), who="bo")
    found = now(bench)

    assert ("imported", 11, 11) == (found.estimate.design, found.estimate.n, found.paired.n)


def test_a_label_that_the_policy_does_not_count_is_known_of_exact_names(bench: Any) -> None:
    """ragas counts every name, so its table of labels has them all."""
    bench.load(rows(20, gold=True), gold="given", blind=0.0)
    text = to_toml(bench.info().policy).replace("counted_labels = []", 'counted_labels = ["person"]')
    before = now(bench, scorer="ragas")
    change_policy(bench.store, bench.info(), text, "ann")

    after = now(bench, scorer="ragas")
    assert before.labels == after.labels
    assert before.causes == after.causes


def test_blind_and_assisted_reviews_stand_apart(bench: Any) -> None:
    bench.load(rows(30, gold=False), blind=0.0)
    order = bench.in_order
    for key in order[:12]:
        bench.verify(key)
    set_dataset(bench.store, bench.info().id, blind_share=1.0)
    for key in order[12:24]:
        bench.act(key, add_in, accepted())
    for key in order[24:26]:
        bench.verify(key)
    found = now(bench)
    arms: Any = found.arms

    assert (12, 12, 12) == (arms.blind.n, arms.blind.bias.n, arms.assisted.n), "two have no units"
    assert 1.0 == arms.assisted.units.f1
    assert arms.blind.units.f1 < 1
    assert arms.difference is not None

    for key in order[12:24]:  # what the machine says can be seen now
        bench.act(key, do(0, editing.toggle))
    later = now(bench)
    assert arms.blind.bias == later.arms.blind.bias
    assert later.arms.blind.units is None
    assert found.paired.bias != later.paired.bias


def test_an_imported_column_is_held_against_gold_and_counted_again(bench: Any) -> None:
    made = rows(12, gold=True)
    for number, row in enumerate(made):
        row["scores"] = {"context_entity_recall": number / 20}
    bench.load(made, gold="require", blind=0.0)
    found: Any = now(bench, scorer="context_entity_recall")

    assert [number / 20 for number in range(12)] == [row.automatic for row in found.rows]
    assert 12 == found.reproducible.n
    exact = [Fraction(str(number / 20)) for number in range(12)]
    verified = [Fraction(str(row.verified)).limit_denominator(1000) for row in found.rows]
    delta = sum(exact, Fraction(0)) / 12 - sum(verified, Fraction(0)) / 12
    assert "untraced" in [one.cause for one in found.causes]
    assert delta == sum((one.share for one in found.causes), Fraction(0))


def test_units_that_a_recount_without_any_lacks_are_counted_as_those_of_a_scorer(bench: Any) -> None:
    """A proposal of no names leaves all verified ones out: a column's table of labels has them too."""
    made = rows(12, gold=True)
    for number, row in enumerate(made):
        row["scores"] = {"context_entity_recall": 0.5}
        if number < 3:
            row["proposal"] = proposal([], [], proposer="claude")
    bench.load(made, gold="require", blind=0.0)
    column, linked = (now(bench, scorer=name) for name in ("context_entity_recall", "linked"))

    assert linked.units.micro.verified == sum(len(row["gold"]["entities"]) for row in made)
    assert (linked.units, linked.strict, linked.labels) == (column.units, column.strict, column.labels)
    assert ["untraced"] == [share.cause for share in column.rows[0].shares]


def test_a_column_of_statements_beside_rules_is_not_traced_to_overlap_of_words(bench: Any) -> None:
    made = rows(3, gold=False)
    for row in made:
        claim = {"text": row["reference"], "verdict": "found"}
        row |= {"gold": {"annotator": "ana", "statements": [claim]}, "scores": {"context_recall": 0.25}}
        row.pop("proposal", None)
    bench.load(made, gold="require", blind=0.0)
    propose(bench.store, bench.info(), "rules", annotator="ann")
    found = now(bench, scorer="context_recall")

    assert [("untraced", Fraction(-3, 4))] == [(one.cause, one.share) for one in found.causes]


@pytest.mark.parametrize("run", [True, False])
def test_a_column_that_nothing_counts_again_is_rounded_or_untraced(bench: Any, run: bool) -> None:
    """.66 is two thirds cut off; 1 is another number, and the file does not say why."""
    made = two_of_three([1.0, *[0.66] * 11])
    bench.load(made, gold="require", blind=0.0)
    if run:
        propose(bench.store, bench.info(), "rules", annotator="ann")
    found = now(bench, scorer="context_recall")

    assert run == bool(found.run)
    assert 11 == found.paired.equal.hits
    untraced, rounding = sorted(found.causes, key=lambda one: -one.share)
    assert ("untraced", 1, Fraction(1, 3) / 12) == (untraced.cause, untraced.units, untraced.share)
    off = (Fraction(66, 100) - Fraction(2, 3)) * 11 / 12
    assert ("rounding", 11, off) == (rounding.cause, rounding.units, rounding.share)
    assert {(1.0, 2 / 3), (0.66, 2 / 3)} == {(row.automatic, row.verified) for row in found.rows}
    assert (0, None) == (found.units.micro.verified, found.units.macro_f1)


def test_a_column_is_as_exact_as_its_row_with_the_most_digits(bench: Any) -> None:
    """.66 is two thirds at two digits; next to .6667 it is another number."""
    made = two_of_three([0.66, 0.6667])
    bench.load(made[:1], gold="require", blind=0.0)
    propose(bench.store, bench.info(), "rules", annotator="ann")
    before = now(bench, scorer="context_recall")
    bench.load(made, gold="require", blind=0.0)
    after = now(bench, scorer="context_recall")

    assert ["rounding"] == [one.cause for one in before.causes]
    assert {"s000": "untraced", "s001": ""} == {row.id: row.cause for row in after.rows}


def two_of_three(scores: Sequence[float]) -> list[dict[str, Any]]:
    """Samples without a proposal and these scores; gold found two of the three statements of each."""
    made = rows(len(scores), gold=False)
    for row, score in zip(made, scores, strict=True):
        verdicts = ("found", "found", "missing")
        claims = [{"text": f"Claim {n}.", "verdict": verdict} for n, verdict in enumerate(verdicts)]
        row |= {"gold": {"annotator": "ana", "statements": claims}, "scores": {"context_recall": score}}
        row.pop("proposal")
    return made


def test_an_imported_column_whose_verdicts_came_too_has_their_causes(bench: Any) -> None:
    """deepeval's own judge gave 2/3; a person finds the second statement missing, and only that differs."""
    bench.load(FIXTURES / "formats" / "deepeval_4_3_latest_run_full.json", blind=0.0)
    info = bench.info()
    change_policy(bench.store, info, to_toml(info.policy).replace('["entity"]', '["statement"]'), "ann")
    judged = [key for (key,) in bench.query("SELECT key FROM sample ORDER BY id")][:3]
    for key in judged:
        bench.verify(key, kind="statement", toggle=[1] if key == judged[0] else [])

    found = now(bench, scorer="Contextual Recall")
    assert {judged[0]: 1 / 3, judged[1]: 0.0, judged[2]: 0.0} == {
        row.id: pytest.approx(row.delta, abs=1e-12) for row in found.rows
    }
    assert [("false match", 1), ("rounding", 2)] == [(one.cause, one.units) for one in found.causes]
    assert {"contextual_recall": 2, "Contextual Recall": 2} == {one.scorer: one.equal for one in found.beside}


def test_an_imported_column_agrees_at_the_precision_of_its_file(bench: Any) -> None:
    """.333 is a third rounded, and .666 two thirds cut off; .34 and 1 are other numbers."""
    made = rows(12, gold=True)
    for row, number in zip(made, [0.333, 0.666, 0.34, 1, 0.333] * 3, strict=False):
        row["scores"] = {"context_entity_recall": number}
        verdicts = ["found", "missing", "missing"] if number != 0.666 else ["found", "found", "missing"]
        for unit, verdict in zip(row["gold"]["entities"], verdicts, strict=True):
            unit["verdict"] = verdict
    bench.load(made, gold="require", blind=0.0)
    found = now(bench, scorer="context_entity_recall")
    short = next(one for one in found.beside if one.scorer == "context_entity_recall")

    assert (8, 8) == (found.paired.equal.hits, short.equal)
    assert 8 == sum(row.delta == 0 for row in found.rows)


RAGAS_AND_ROUNDED: tuple[Callable[[int, int], float], ...] = (
    lambda found, names: found / (names + 1e-8),
    lambda found, names: round(found / names, 2),
    lambda found, names: round(found / names, 4),
    lambda found, names: round(found / names, 10),
)


def test_what_lies_below_the_precision_of_a_file_gives_the_interval_of_equal_values(bench: Any) -> None:
    """ragas divides by the number of names + 1e-8, a file rounds: that shows no spread of the differences."""
    exact = accepted_in_order(bench, "exact", operator.truediv)
    assert ["equal: 20 of 20 samples"] == no_cause_lines(exact)  # its names came too
    for number, written in enumerate(RAGAS_AND_ROUNDED):
        found = accepted_in_order(bench, f"written{number}", written)

        assert (20, 20) == (exact.paired.equal.hits, found.paired.equal.hits)
        assert "at any look" == exact.estimate.method == found.estimate.method
        for kind in ("corpus", "bias_interval"):
            one, other = getattr(exact.estimate, kind), getattr(found.estimate, kind)
            assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.01)
        assert (None, None) == (found.paired.bias_interval, found.paired.limits)


def accepted_in_order(bench: Any, name: str, written: Callable[[int, int], float]) -> Figures:
    """120 samples whose column counts what was proposed; the first 20 of the order are accepted as it is."""
    made = rows(120, gold=False)
    for row in made:
        given = row["proposal"]
        named = {one["text"] for one in given["reference_entities"]}
        there = set(given["context_entities"][0])
        row["scores"] = {"context_entity_recall": written(len(named & there), len(named))}
    bench.load(made, f"{name}.jsonl", blind=0.0)
    query = "SELECT key FROM sample WHERE dataset_id = ? ORDER BY rank LIMIT 20"
    for (key,) in bench.query(query, bench.info(name).id):
        bench.verify(key, dataset=name)
    return figures(bench.store, bench.info(name), scorer="context_entity_recall")


def test_before_the_plan_ends_one_interval_of_the_bias_is_shown(bench: Any) -> None:
    """The other one is for the planned number alone; at it both stand."""
    bench.load(rows(60, gold=False), blind=0.0)
    info = bench.info()
    make(bench.store, info, draft(bench.store, info, Wish(n=24), "ann"))
    for number, key in enumerate(bench.in_order[:24]):
        bench.verify(key, toggle=[0] if number % 2 else [], fast=number < 3)
        if number == 19:
            before: Any = now(bench)
    after = now(bench)

    assert before.estimate.bias_interval is not None
    assert before.without_fast is not None
    for short in (before.paired, before.without_fast):
        assert (True, None) == (short.early, short.bias_interval)
    assert before.arms.assisted.bias.interval is None
    assert (False, True) == (after.paired.early, after.paired.bias_interval is not None)


def test_a_list_says_nothing_of_what_its_viewer_is_yet_to_decide(bench: Any) -> None:
    bench.load(rows(30, gold=False), blind=0.0)
    order = bench.in_order
    for number, key in enumerate(order[:14]):
        bench.verify(key, toggle=[0] if number == 1 else [], fast=number == 2)
    bench.verify(order[0], "bob")

    found = now(bench)
    anns, bobs = (
        listing(found, partial(shown_ids, bench.store, bench.info(), viewer)) for viewer in ("ann", "bob")
    )
    assert set(order[:14]) == {row.id for row in anns.rows}
    assert [order[0]] == [row.id for row in bobs.rows]
    assert 14 == bobs.paired.n
    assert any("13 verified samples are not listed" in note for note in bobs.notes)
    assert anns.without_fast is not None
    assert order[1] == (anns.without_fast.largest or "?")[0]
    assert bobs.without_fast is None, "next to the mean of all it would tell that of the fast one"


def test_figures_of_few_samples_are_for_who_may_see_all_of_them(bench: Any) -> None:
    """Of nine samples the causes, labels and means would tell what each of them is."""
    bench.load(rows(30, gold=False), blind=0.0)
    for key in bench.in_order[:9]:
        bench.verify(key, toggle=[0])
    bench.verify(bench.in_order[0], "bob", toggle=[0])

    found = now(bench)
    anns, bobs = (
        listing(found, partial(shown_ids, bench.store, bench.info(), viewer)) for viewer in ("ann", "bob")
    )
    assert found == anns
    for seen, one in ((True, anns), (False, bobs)):
        assert seen == bool(one.causes) == bool(one.labels) == bool(one.beside)
        assert seen == bool(one.verdicts.n) == bool(one.paired.equal.n)
        assert seen == (one.estimate.verified.value is not None)
        assert seen == (one.arms.assisted.bias is not None)
    told = "dataset run scorer kind threshold calibration counts design planned_n prefix rows notes unlisted"
    kept = {name: getattr(bobs, name) for name in (*told.split(), "estimate", "paired", "arms")}
    assert Figures(**kept) == bobs, "no other field says anything"
    assert "8 of the 9 verified samples are yours to decide first" == bobs.estimate.refusal
