"""The first answer: what it says without a review, and how it grows with every one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import accepted
from tests.rows import met
from workbench.comparing.answer import Answer, Effect, Step
from workbench.comparing.answer_words import differs, effect_rows, headline, notes, step
from workbench.comparing.explained import What
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
def test_the_answer_fits_the_screen_with_its_next_step(
    bench: Any, reviews: int, size: tuple[int, int, int], inside: str
) -> None:
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


def test_the_shown_parts_add_up_to_the_shown_difference(twelve: Any) -> None:
    apart = (0.046, 0.046, 0.046, -0.004, -0.001)
    names: tuple[What, ...] = ("another form", "left out", "unsure", "rounding", "should not count")
    effects = tuple(Effect(what, 1, 1, share) for what, share in zip(names, apart, strict=True))
    shown = [round(100 * share) for _, _, share in effect_rows(replace(twelve, effects=effects))]

    assert 13 == round(100 * sum(apart)) == sum(shown)
    assert ([4, 5, 5], [-1]) == (sorted(shown[:3]), shown[3:])


def test_a_score_is_called_too_low_only_where_the_interval_of_the_bias_leaves_out_0(twelve: Any) -> None:
    wide = replace(twelve.estimate, point=0.31, low=0.02, high=0.89, bias=-0.09, sure=False)
    narrow = replace(twelve.estimate, point=0.36, low=0.28, high=0.44, bias=-0.14, sure=True)

    assert (
        "Based on 12 reviewed samples, the true mean is about .31 (95 % range .02 to .89). "
        "12 samples with both values cannot tell whether your score is too low or too high."
    ) in said(replace(twelve, estimate=wide))
    for bias, rest in ((-0.09, " 12 samples with both values cannot tell "), (0.0, "")):
        held = replace(wide, counted=0.31 + bias, bias=bias, undefined=8)
        over = f"Over the samples that count your score averages about {f'{held.counted:.2f}'[1:]}."
        assert over + rest in said(replace(twelve, estimate=held)), "the mean of all would not fit"
    assert (
        "Based on 12 reviewed samples, the true mean is about .36 (95 % range .28 to .44). "
        "Your score is about .14 too low."
    ) in said(replace(twelve, estimate=narrow))


def test_the_means_of_the_reviewed_samples_are_no_true_mean(twelve: Any) -> None:
    found = replace(twelve, score_reviewed=0.246, verified=0.337)
    assert "The estimate for all 30 samples allows for how these were drawn." in differs(found)
    point = (found.score.value or 0.0) + 0.091
    found = replace(found, estimate=replace(found.estimate, point=point))

    assert (
        "In the 12 reviewed samples your score averages .25 and the reviewed value .34. "
        "The causes are those of a recount by exact names. "
        "The estimate corrects the mean of all 30 samples by this difference: .50 → .59."
    ) == differs(found)
    assert "averages .244 and the reviewed value .335." in differs(
        replace(found, score_reviewed=0.244, verified=0.335)
    )


def test_what_the_file_does_not_explain_is_no_cause(twelve: Any) -> None:
    effects = (Effect("another form", 2, 2, -0.06), Effect("untraced", 0, 3, -0.03))
    text = said(replace(twelve, effects=effects))

    recount = "in the 12 reviewed samples: 2 names in the contexts that a recount by exact names did not"
    assert f"Likely cause {recount} recognise" in text
    assert "(−.06)." in text
    assert (
        "−.03 (3 samples) is untraced: the file has the score, but not the names that your "
        "metric counted (save the traces: docs/formats.md)." in text
    )
    assert text.count("untraced") == 1
    turned = (Effect("another form", 2, 2, -0.02), Effect("untraced", 0, 3, -0.06))
    for traced in (False, True):
        text = said(replace(twelve, effects=turned, traced=traced))
        assert text.index("−.06 of the difference (3 samples) is untraced") < text.index("Smaller cause in")
    against = (Effect("untraced", 0, 3, 0.3), Effect("left out", 1, 1, -0.07), Effect("unsure", 1, 1, 0.01))
    text = said(replace(twelve, effects=against))
    assert "cause" not in text  # .07 the other way is the largest
    assert "Smaller effect in the 12 reviewed samples: 1 name of the reference" in text
    assert "+.30 of the difference (3 samples) is untraced" in text
    assert "Everything else together: +.01." in text
    only = said(replace(twelve, effects=against[:1]))
    assert "+.30 of the difference (3 samples) is untraced" in only
    cancelled = (Effect("another form", 2, 2, -0.12), Effect("untraced", 0, 6, 0.03))
    assert "+.03 (6 samples) is untraced" in said(replace(twelve, effects=cancelled))
    nothing = (Effect("another form", 2, 2, -0.12), Effect("untraced", 0, 6, 0.001))
    assert "Everything else together: .00, with 6 samples whose score is untraced." in said(
        replace(twelve, effects=nothing)
    )


def test_a_cause_has_the_direction_of_a_bias_that_is_sure(twelve: Any) -> None:
    effects = (
        Effect("untraced", 0, 12, 0.05),
        Effect("should not count", 5, 4, -0.04),
        Effect("counted wrongly", 1, 1, 0.02),
        Effect("left out", 1, 1, -0.02),
    )
    turned = (Effect("counted wrongly", 2, 2, 0.05), Effect("should not count", 5, 4, -0.04))
    for bias, sure, shown in ((-0.008, False, effects), (-0.2, True, effects), (-0.2, True, turned)):
        estimate = replace(twelve.estimate, bias=bias, sure=sure)
        text = said(replace(twelve, effects=shown, estimate=estimate))
        assert "cause" not in text
        assert f"{'Smaller' if shown is effects else 'Largest'} effects in the 12 reviewed samples: " in text
        assert "5 names extracted by mistake (−.04)" in text
    text = said(replace(twelve, effects=turned, estimate=replace(twelve.estimate, bias=0.2, sure=True)))
    assert "Main cause in the 12 reviewed samples: 2 names counted" in text


@pytest.mark.parametrize(("share", "true", "off"), [(0.025, ".98", ".02"), (0.075, ".92", ".08")])
def test_half_a_hundredth_is_rounded_alike_everywhere(twelve: Any, share: float, true: str, off: str) -> None:
    whole = replace(
        twelve.estimate, point=1 - share, complete=True, reached=True, low=None, counted=1.0, bias=share
    )
    effects = (Effect("counted wrongly", 1, 1, share), Effect("left out", 1, 1, 1e-17))
    shown = replace(
        twelve, estimate=whole, effects=effects, score=replace(twelve.score, value=1.0),
        score_reviewed=1.0, verified=1 - share - 1e-16,
    )  # fmt: skip

    assert f"the true mean is {true}. Your score is about {off} too high" in said(shown)
    assert f"averages 1.00 and the reviewed value {true}." in differs(shown)
    assert said(shown).endswith(f"(+{off}).")
    assert [float(off)] == [row[-1] for row in effect_rows(shown)]


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


def test_steps_in_the_file_that_do_not_give_its_score_are_named_so(twelve: Any) -> None:
    found = replace(twelve, effects=(Effect("untraced", 0, 12, -0.1),))
    found = replace(found, estimate=replace(found.estimate, bias=-0.1))

    assert "the file has the score, but not the names that your metric counted" in said(found)
    assert "untraced: nothing in the file tells why" == effect_rows(found)[0][0]
    traced = replace(found, traced=True)
    assert (
        "−.10 of the difference (12 samples) is untraced: no step that the file records tells why."
        in said(traced)
    )
    assert "untraced: nothing in the file tells why" == effect_rows(traced)[0][0]


def test_a_known_mean_with_few_scores_says_that_they_are_too_few(twelve: Any) -> None:
    known = replace(twelve.estimate, complete=True, reached=True, low=None, high=None, bias=None)
    found = replace(twelve, compared=8, estimate=known)

    assert "8 samples with both values cannot tell whether your score is too low or too high." in said(found)


def test_a_known_range_is_no_correction_of_the_mean(twelve: Any) -> None:
    known = replace(twelve, estimate=replace(twelve.estimate, reached=True, low=0.4, high=0.6))

    assert "The estimate" in differs(twelve)
    assert "The estimate" not in differs(known)


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
