"""The first answer: what it says without a review, and how it grows with every one."""

import re
from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import accepted
from tests.lists import from_cases
from tests.rows import met
from workbench.comparing.answer import Answer, Effect, Step
from workbench.comparing.answer_words import differs, effect_rows, headline, notes, step
from workbench.errors import UsageError
from workbench.model import Effort, Kind
from workbench.reports.answer import MORE, answer_text
from workbench.stages import disputes, plan
from workbench.stages.answer import answer
from workbench.stages.figures import precision
from workbench.stages.propose import propose
from workbench.stages.review import act, open_sample
from workbench.tui.widgets.compare_lists import nothing_yet


def row(number: int, column: str, score: float, *, hidden: bool = False, **more: Any) -> dict[str, Any]:
    """Two people and a city, of which several samples have the same text; a column with a score."""
    made = met(number, hidden=hidden)
    return made | {"user_input": f"Who met {number % 6}?", "scores": {column: score}} | more


def loaded(bench: Any, column: str, count: int) -> None:
    load(bench, [row(n, column, float(n % 2 == 0), hidden=bool(n % 2)) for n in range(count)])


def load(bench: Any, rows: list[dict[str, Any]], **options: Any) -> None:
    """Rows, and what rules propose for them; in a fixed order: rows with one text share what is verified."""
    bench.load(rows, **{"blind": 0.0, "seed": 3} | options)
    propose(bench.store, bench.info(), "rules", annotator="ann")


def now(bench: Any, **options: Any) -> Any:
    return answer(bench.store, bench.info(), "ann", **options)[0]


def accept(bench: Any, key: str, kind: Kind = "entity", *, turn: str = "") -> None:
    """Accept a sample as it is suggested; `turn`: but turn the verdicts that it names."""
    units = bench.open(key).state.of(kind).assessment.units
    turned = [place for place, unit in enumerate(units) if unit.match.verdict in turn.split()]
    bench.verify(key, kind=kind, toggle=turned)


def what(found: Answer) -> list[str]:
    return [one.what for one in found.steps]


def test_samples_picked_from_the_list_give_counts_and_no_estimate(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 30)
    before = now(bench)
    for one in before.triage.shown:
        disputes.audit(bench.store, one.sample_id, "ann")
        opened = open_sample(bench.store, one.sample_id, "ann", off_plan=True)
        act(bench.store, opened, accepted()(opened))
    found = now(bench)

    assert [5, 5] == [found.reviewed, found.triage.checked]
    assert 5 == found.triage.confirmed
    assert None is found.estimate
    assert not {one.id for one in before.triage.shown} & {one.id for one in found.triage.shown}
    opened = bench.open(before.triage.shown[0].id, "ann")
    assert opened.opening.off_plan
    assert opened.opening.auto_shown


def test_before_every_stratum_is_reached_the_score_is_that_of_all_samples(bench: Any) -> None:
    """The first reviews of a plan may all be of one stratum, and the others have a score all the same.

    From ten reviews on there is no estimate without the stratum: it says nothing of it.
    """
    groups = ["big" if n < 58 else "small" for n in range(60)]
    rows = [row(n, "context_entity_recall", n % 2 * 1.0, group=groups[n]) for n in range(60)]
    load(bench, rows, seed=2)  # of some seeds the tenth review is of the small stratum
    wish = plan.Wish(40, "stratified", "group", blind=0.0)
    plan.make(bench.store, bench.info(), plan.draft(bench.store, bench.info(), wish, "ann"))
    names = bench.in_order
    reached = next(at for at, name in enumerate(names) if groups[int(name[1:])] == "small")
    for key in names[:1]:
        accept(bench, key)
    assert headline(now(bench), str)[0] == "Your context_entity_recall is .50."

    assert reached >= 10
    for key in names[1:reached]:
        accept(bench, key)
    found = now(bench)

    assert headline(found, str)[0] == "Your context_entity_recall is .50."
    assert found.estimate is None
    assert headline(found, str)[-1].endswith("No estimate: stratum 'small' has no verified sample.")
    with pytest.raises(UsageError, match="nothing to go by: stratum 'small' has no verified sample"):
        precision(bench.store, bench.info(), 0.05)
    accept(bench, names[reached])
    assert now(bench).estimate is not None
    assert 60 == precision(bench.store, bench.info(), 0.05).population


def test_a_column_of_statements_is_reviewed_as_statements_and_not_recounted(bench: Any) -> None:
    loaded(bench, "context_recall", 12)
    found = now(bench)
    assert ("statement",) == bench.info().kinds
    assert ("context_recall", "statement", None) == (found.scorer, found.kind, found.recount)

    for number, key in enumerate(bench.in_order):
        accept(bench, key, "statement", turn="" if number else "found missing")
    found = now(bench)
    assert found.estimate is not None
    assert {one.what for one in found.effects} <= {"too high", "too low"}


@pytest.mark.parametrize("size", [(80, 24, 3), (120, 30, 3), (60, 18, 4)])
@pytest.mark.parametrize(("reviews", "inside"), [(0, "Nobody has reviewed a sample yet"), (12, "Next: ")])
def test_the_answer_fits_with_its_next_step(bench: Any, reviews: int, size: Any, inside: str) -> None:
    """Above the lines of its prompt. In a short terminal the head may scroll away, the score may not."""
    loaded(bench, "context_entity_recall", 80)
    for key in bench.in_order[:reviews]:
        accept(bench, key, turn="missing")
    found = now(bench)

    width, height, prompt = size
    text = answer_text(found, width=width, height=height)
    lines = text.split("\n")
    in_sight = "\n".join(lines[-(height - prompt) :])
    assert width >= max(map(len, lines))
    for lead in ("Your context_entity_recall is .50", inside, "Next: "):
        assert lead in in_sight
    assert (height < 20) == (lines[-1] == MORE)
    assert (height < 20) or height - prompt >= len(lines)
    assert len(lines) < len(answer_text(found, width=width).split("\n"))


@pytest.fixture(scope="module")
def twelve(made_once: Any) -> Any:
    """The answer after twelve reviews of thirty, with people in another form: nothing can change it."""
    found: list[Any] = []

    def fill(bench: Any) -> None:
        loaded(bench, "context_entity_recall", 30)
        for key in bench.in_order[:12]:
            accept(bench, key, turn="missing")
        found.append(now(bench))

    made_once(fill)
    return found[0]


def said(found: Answer) -> str:
    return " ".join(headline(found, str))


@pytest.mark.parametrize(("compared", "few"), [(12, ". That is a hint: 12 are few."), (40, ".")])
def test_another_scorer_is_named_with_its_samples(twelve: Any, compared: int, few: str) -> None:
    other = Step("scorer", scorer="linked", before=0.25, after=0.1)
    said = step(other, replace(twelve, compared=compared))
    assert f"its typical error on the same {compared} reviewed samples is .10 instead of .25{few}" in said


def test_behind_a_plan_the_last_reviews_count_together(twelve: Any) -> None:
    rest = Step("all", 18, 4, sure=False)
    assert "For some of them: workbench plan --more N." in step(rest, twelve)
    assert "--more" not in step(replace(rest, sure=True), twelve)


def changed(found: Any, effects: list[Any], values: dict[str, Any]) -> Any:
    """The answer with other effects and values, also inside of its estimate and score."""
    inside = {name: replace(getattr(found, name), **v) for name, v in values.items() if isinstance(v, dict)}
    return replace(found, effects=tuple(Effect(*one) for one in effects) or found.effects, **values | inside)


@from_cases
def test_what_is_said_of_reviews(twelve: Any, effects: Any, values: Any, told: str, never: str) -> None:
    """Of the score and what it is too high or too low by; `=` of both means of these samples."""
    found = changed(twelve, effects, values)
    text = f"= {differs(found)}" if told.startswith("= ") else said(found)

    assert told == (told if re.fullmatch(re.escape(told).replace("…", ".*"), text) else text)
    assert not never or never not in text


@from_cases
def test_the_shown_parts_add_up_to_the_shown_difference(twelve: Any, effects: Any, parts: Any) -> None:
    """Under the same names where the file records the steps."""
    untraced, traced = (effect_rows(changed(twelve, effects, {"traced": one})) for one in (False, True))
    assert untraced == traced
    assert parts == [[name, share] for name, _, share in untraced]


def test_reviews_of_less_than_a_second_set_no_pace(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 30)
    order = bench.in_order
    for place, key in enumerate(order[:14]):
        rushed = place < 10
        bench.act(key, accepted(fast=rushed), effort=Effort(0.3 if rushed else 30.0, 1))
    assert not now(bench).measured

    bench.act(order[14], accepted(), effort=Effort(30.0, 1))
    found = now(bench)
    assert found.measured
    assert [(15, 8), (5, 2)] == [(one.samples, one.minutes) for one in found.steps if one.minutes]


def test_a_guessed_time_is_called_a_guess_once_and_a_suspect_names_the_other_form(bench: Any) -> None:
    loaded(bench, "context_entity_recall", 80)
    found = now(bench)
    lines = answer_text(found, width=100, height=24).split("\n")

    assert [1, 0] == [step(one, found).count("a guess") for one in found.steps]
    assert 5 == sum("rough check 1.00 · “Anna Walther” → “Walther”" in line for line in lines)


def test_samples_kept_for_review_without_suggestions_are_told_where_others_are_counted(bench: Any) -> None:
    load(bench, [row(n, "context_entity_recall", 0.0, hidden=True) for n in range(40)], blind=0.3)
    found = now(bench)

    kept, shown = found.withheld, 40 - found.withheld
    assert kept > 1
    assert (
        f"{shown} of the {shown} samples shown ({kept} more wait for a review without suggestions) have a "
        "score that looks wrong"
    ) in said(found)
    assert not [one for one in notes(found, str) if "without suggestions" in one]


def test_the_values_of_one_sample_are_no_means_for_who_did_not_decide_it(bench: Any) -> None:
    """One of two is unresolved; the value of the other is in no sentence for a third."""
    load(bench, [row(number, "context_entity_recall", 0.0, hidden=True) for number in range(12)])
    first, second, *_ = bench.in_order
    accept(bench, first, turn="missing")
    accept(bench, second)
    bench.verify(second, "bob", reject=[0])

    for who, seen in (("eve", False), ("ann", True)):
        found, figures = answer(bench.store, bench.info(), who, on_screen=True)
        assert seen == ("and the reviewed value" in " ".join(answer_text(found).split()))
        assert (seen, seen, 1) == (bool(found.worst or found.effects), bool(figures.rows), found.compared)
        if not seen:
            empty = nothing_yet(figures, ())
            assert "1 verified sample is not listed: you are yet to decide it" in empty
            assert "Nothing is verified" not in empty
            assert "hidden until you decide it" in " ".join(answer_text(found).split())
            assert "the queue is in random order" in empty
            assert "the queue is in the order of the plan" in nothing_yet(replace(figures, planned_n=5), ())
