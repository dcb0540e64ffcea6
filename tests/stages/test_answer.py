"""The first answer: what it says without a review, and how it grows with every one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workbench.comparing.answer import Answer, Effect
from workbench.comparing.answer_words import effect_rows, notes
from workbench.comparing.reasons import What
from workbench.errors import UsageError
from workbench.model import Kind
from workbench.stages import disputes, editing
from workbench.stages.answer import answer
from workbench.stages.propose import propose
from workbench.stages.review import act
from workbench.store.datasets import set_dataset
from workbench.texts_answer import answer_text

CITIES = ("Agra", "Boston", "Cairo", "Delhi", "Essen", "Fargo")


def row(number: int, column: str, score: float, *, hidden: bool = False, **more: Any) -> dict[str, Any]:
    """Two people and a city, all in the text; `hidden`: the people by their last names only."""
    city = CITIES[number % len(CITIES)]
    people = ("Walther", "Meyer") if hidden else ("Anna Walther", "Karl Meyer")
    return {
        "id": f"s{number:02}",
        "user_input": f"Who met in {city}?",
        "reference": f"Anna Walther and Karl Meyer met in {city}.",
        "retrieved_contexts": [f"In {city} it rained when {people[0]} came. Later {people[1]} came too."],
        "scores": {column: score},
        **more,
    }


def loaded(bench: Any, column: str, count: int, *, score: float = 0.0, hidden: bool = True) -> None:
    rows = [row(n, column, score if n % 2 else 1.0, hidden=hidden and bool(n % 2)) for n in range(count)]
    bench.load(rows, blind=0.0)
    propose(bench.store, bench.info(), "rules", annotator="ann")


def now(bench: Any, **options: Any) -> Answer:
    return answer(bench.store, bench.info(), "ann", **options)[0]


def in_order(bench: Any) -> list[str]:
    return [key for (key,) in bench.query("SELECT key FROM sample ORDER BY rank")]


def accept(bench: Any, key: str, kind: Kind = "entity", *, turn: str = "") -> None:
    """Accept a sample as it is suggested; `turn`: but turn the verdicts that it names."""
    opened = bench.open(key, "ann")
    for unit in opened.state.of(kind).assessment.units:
        if unit.match.verdict not in turn.split():
            continue
        opened = act(bench.store, opened, editing.toggle(opened, unit))
    act(bench.store, opened, editing.accept(opened, kind))


def what(found: Answer) -> list[str]:
    return [one.what for one in found.steps]


def test_without_a_review_it_gives_the_score_the_recount_and_what_looks_wrong(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 12)
    found = now(bench)

    assert ("context_entity_recall", True, 12) == (found.scorer, found.imported, found.total)
    assert (0.5, 1.0) == (found.score.value, found.recount)
    assert (12, 6, 6, 5) == (
        found.triage.looked, found.triage.suspicious, found.triage.another_form, len(found.triage.shown),
    )  # fmt: skip
    clue = found.triage.shown[0].suspicion.clues[0]
    assert clue.quote is not None
    assert ("Anna Walther", "Walther") == (clue.text, clue.quote.hit)
    assert None is found.estimate
    assert ["check", "all"] == what(found)


def test_samples_picked_from_the_list_give_counts_and_no_estimate(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 30)
    before = now(bench)
    for one in before.triage.shown:
        disputes.audit(bench.store, one.sample_id, "ann")
        accept(bench, one.id)
    found = now(bench)

    assert [5, 5] == [found.reviewed, found.triage.checked]
    assert 5 == found.triage.confirmed
    assert None is found.estimate
    assert not {one.id for one in before.triage.shown} & {one.id for one in found.triage.shown}
    opened = bench.open(before.triage.shown[0].id, "ann")
    assert opened.opening.off_plan
    assert opened.opening.auto_shown


def test_twelve_samples_picked_by_hand_are_no_estimate_either(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 30)
    for key in in_order(bench)[15:27]:
        accept(bench, key)
    found = now(bench)

    assert (12, 0) == (found.reviewed, found.in_order)
    assert None is found.estimate


def test_ten_reviews_in_random_order_give_an_estimate_whose_effects_add_up(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 30)
    order = in_order(bench)
    for key in order[:9]:
        accept(bench, key, turn="missing")
    assert None is now(bench).estimate

    accept(bench, order[9], turn="found missing")
    found = now(bench)
    assert found.estimate is not None
    assert (10, False) == (found.estimate.n, found.estimate.complete)
    assert found.estimate.low is not None
    assert found.estimate.high is not None
    assert found.estimate.low <= found.estimate.point <= found.estimate.high
    assert found.score_reviewed is not None
    assert found.verified is not None
    difference = found.score_reviewed - found.verified
    assert difference == pytest.approx(sum(one.share for one in found.effects), abs=1e-12)
    assert "untraced" in {one.what for one in found.effects}
    assert {one.what for one in found.effects} & {"another form", "not extracted"}


def test_with_every_sample_reviewed_the_answer_is_complete(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 12)
    for key in in_order(bench):
        accept(bench, key)
    found = now(bench)

    assert found.estimate is not None
    assert (True, None, None) == (found.estimate.complete, found.estimate.low, found.estimate.high)
    assert ["send"] == what(found)


def test_with_a_sample_skipped_the_answer_is_not_complete(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 12)
    *most, last = in_order(bench)
    for key in most:
        accept(bench, key)
    opened = bench.open(last, "ann")
    act(bench.store, opened, editing.skip(opened))
    found = now(bench)

    assert found.estimate is not None
    assert (False, 1) == (found.estimate.complete, found.estimate.open)


def test_a_scorer_is_not_recommended_for_agreeing_with_who_accepted_its_suggestions(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 12)
    for key in in_order(bench):
        accept(bench, key)
    found = now(bench)

    assert found.assisted
    assert "scorer" not in what(found)


def test_a_column_of_statements_is_reviewed_as_statements_and_not_recounted(bench: Any) -> None:
    loaded(bench, "context_recall", 12)
    found = now(bench)
    assert ("statement",) == bench.info().kinds
    assert ("context_recall", "statement", None) == (found.scorer, found.kind, found.recount)

    for number, key in enumerate(in_order(bench)):
        accept(bench, key, "statement", turn="" if number else "found missing")
    found = now(bench)
    assert found.estimate is not None
    assert {one.what for one in found.effects} <= {"too high", "too low"}


def test_a_score_without_contexts_looks_wrong(bench: Any) -> None:
    rows = [row(n, "context_recall", 1.0) for n in range(4)]
    rows[2]["retrieved_contexts"] = []
    bench.load(rows, blind=0.0)
    propose(bench.store, bench.info(), "rules", annotator="ann")

    assert [("s02", "no contexts")] == [(one.id, one.suspicion.signal) for one in now(bench).triage.shown]


def test_blind_samples_are_in_no_list(bench: Any) -> None:
    bench.load([row(n, "context_entity_recall", 0.0, hidden=True) for n in range(20)], blind=1.0)
    propose(bench.store, bench.info(), "rules", annotator="ann")
    found = now(bench)

    assert (20, 0, ()) == (found.withheld, found.triage.looked, found.triage.shown)
    assert 0.0 == found.score.value


def test_a_scorer_by_name_beats_the_setting_and_that_the_column(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 4)

    assert "linked" == now(bench, usual="linked").scorer
    assert "presence" == now(bench, usual="linked", scorer="presence").scorer
    assert "context_entity_recall" == now(bench, usual="not_here").scorer
    with pytest.raises(UsageError, match="unknown scorer 'not_here'"):
        now(bench, scorer="not_here")


def test_without_a_column_exact_names_are_the_score(bench: Any) -> None:
    rows = [row(n, "faithfulness", 1.0) for n in range(4)]
    bench.load(rows, blind=0.0)
    propose(bench.store, bench.info(), "rules", annotator="ann")
    found = now(bench)

    assert ("ragas", False, ("entity",)) == (found.scorer, found.imported, bench.info().kinds)


def test_a_dataset_without_any_proposal_still_answers(bench: Any) -> None:
    bench.load([row(n, "context_entity_recall", 0.5) for n in range(3)], blind=0.0)
    set_dataset(bench.store, bench.info().id, run_id=None)

    assert (0.5, None) == (now(bench).score.value, now(bench).recount)


def test_samples_picked_because_they_look_wrong_are_in_no_cause_of_an_estimate(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 30)
    order = in_order(bench)
    for key in order[15:]:
        accept(bench, key, turn="missing")
    for key in order[:10]:
        accept(bench, key, turn="missing")
    found = now(bench)

    assert (25, 10, 10) == (found.reviewed, found.in_order, found.compared)
    assert 10 >= max(one.samples for one in found.effects)


@pytest.mark.parametrize(("reviews", "inside"), [(0, "  1  Who met in "), (12, "Why? Over 12 reviewed")])
def test_the_answer_fits_the_screen_with_its_headline_and_next_step(
    bench: Any, reviews: int, inside: str
) -> None:
    loaded(bench, "context_entity_recall", 80)
    for key in in_order(bench)[:reviews]:
        accept(bench, key, turn="missing")
    found = now(bench)

    lines = answer_text(found, width=80, height=24).split("\n")
    assert 21 >= len(lines)
    assert 80 >= max(map(len, lines))
    assert [True, True, True] == [
        any(lead in line for line in lines)
        for lead in ("Your context_entity_recall is .50", inside, "Next: ")
    ]
    assert len(lines) < len(answer_text(found, width=80).split("\n"))


def test_the_shown_parts_add_up_to_the_shown_difference(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 30)
    for key in in_order(bench)[:13]:
        accept(bench, key, turn="missing")
    found = now(bench)
    apart = (0.046, 0.046, 0.046, -0.004, -0.001)
    names: tuple[What, ...] = ("another form", "left out", "unsure", "rounding", "should not count")
    effects = tuple(Effect(what, 1, 1, share) for what, share in zip(names, apart, strict=True))
    shown = [round(100 * share) for _, _, share in effect_rows(replace(found, effects=effects))]

    assert 13 == round(100 * sum(apart)) == sum(shown)
    assert ([4, 5, 5], [-1]) == (sorted(shown[:3]), shown[3:])


def test_the_answer_says_which_reviewed_samples_it_leaves_out(bench: Any) -> None:
    rows = [row(n, "context_entity_recall", 0.0) for n in range(30)]
    bench.load(rows, blind=0.0)
    propose(bench.store, bench.info(), "rules", annotator="ann")
    order = in_order(bench)
    for key in [*order[:10], order[20]]:
        accept(bench, key)
    opened = bench.open(order[10], "ann")
    for unit in opened.state.of("entity").assessment.units:
        opened = act(bench.store, opened, editing.reject(opened, unit))
    act(bench.store, opened, editing.accept(opened, "entity"))

    found = now(bench)
    assert (12, 10) == (found.reviewed, found.compared)
    assert {"no units": 1, "not in order": 1} == found.left_out
    assert (
        "Not among the 10 samples compared here: 1 reviewed, but without a name to count; "
        "1 reviewed, but picked by hand or ahead of the random order." in notes(found)
    )
