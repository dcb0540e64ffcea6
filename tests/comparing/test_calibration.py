"""Calibration against counting by hand: curves, choosing, cross-validation, correction, and its document."""

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings, strategies as st

from workbench.comparing import calibration, curve as thresholds
from workbench.comparing.calibration import Calibrated, FitCase, TooFewError, calibrate, document_of, isotonic
from workbench.comparing.correction import Calibration, Corrected, Learned, Line, calibration_of
from workbench.comparing.curve import FOUND, MISSING, UNLINKED, UNSURE
from workbench.comparing.intervals import Interval

unit = st.tuples(
    st.sampled_from([0, 60, 70, 82, 85, 90, 100]), st.sampled_from([UNLINKED, FOUND, MISSING, UNSURE])
)
sample = st.tuples(st.integers(0, 3), st.lists(unit, min_size=1, max_size=4), st.integers(0, 4))


def case(place: int, given: tuple[int, list[tuple[int, int]], int]) -> FitCase:
    group, units, quarters = given
    similarities, human = (bytes(side) for side in zip(*units, strict=True))
    return FitCase(f"s{place:02}", f"g{group}", similarities, human, quarters / 4)


def pairs_of(cases: Iterable[FitCase]) -> list[tuple[int, int]]:
    """The similarity and the verdict of every unit."""
    return [pair for one in cases for pair in zip(one.similarities, one.human, strict=True)]


def by_hand_f1(cases: list[FitCase], cut: float) -> float:
    units = pairs_of(cases)
    tp = sum(value >= cut and said == FOUND for value, said in units)
    fp = sum(value >= cut and said == MISSING for value, said in units)
    fn = sum(value < cut and said == FOUND for value, said in units)
    return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else math.nan


def by_hand_bias(cases: list[FitCase], cut: float) -> float:
    found = [sum(value >= cut for value in one.similarities) / len(one.similarities) for one in cases]
    return sum(one - (case.recall or 0) for one, case in zip(found, cases, strict=True)) / len(cases)


def dataset(number: int = 40, seed: int = 1) -> list[FitCase]:
    """Two documents a group; a near name is found more often the nearer it is."""
    chance = np.random.default_rng(seed)
    cases = []
    for place in range(number):
        values = chance.choice([0, 65, 75, 82, 90, 100], size=4, p=[0.3, 0.1, 0.1, 0.2, 0.1, 0.2])
        rates = {0: 0.05, 65: 0.1, 75: 0.5, 82: 0.8, 90: 0.9, 100: 1.0}
        found = [bool(chance.random() < rates[int(value)]) for value in values]
        human = bytes(FOUND if one else MISSING for one in found)
        cases.append(FitCase(f"s{place:03}", f"g{place // 2}", bytes(values.tolist()), human, sum(found) / 4))
    return cases


@settings(deadline=None)
@given(st.lists(sample, min_size=10, max_size=16), st.sampled_from(["bias", "f1"]))
def test_no_cut_beats_the_chosen_one_nor_has_a_fold_a_say(given_samples: Any, objective: Any) -> None:
    cases = [case(place, one) for place, one in enumerate(given_samples)]
    try:
        found = calibrate(cases, now=85, objective=objective, seed=0)
    except TooFewError:
        reject()

    def quality(cut: float) -> float:
        return by_hand_f1(cases, cut) if objective == "f1" else -abs(by_hand_bias(cases, cut))

    values = {value for one in cases for value in one.similarities if value >= 60}
    assert max(map(quality, values)) == pytest.approx(quality(found.threshold), abs=1e-12)
    held = [by_hand_bias([one], found.folds[found.fold_of[one.id]]) for one in cases]
    assert sum(held) / len(held) == pytest.approx(found.chosen.bias.value, abs=1e-12)
    for one in cases:
        fold = {other.group for other in cases if found.fold_of[other.id] == found.fold_of[one.id]}
        assert {one.group} == fold


@pytest.mark.parametrize("seed", range(12))
def test_verdicts_that_have_nothing_to_do_with_similarity_make_no_threshold_better(seed: int) -> None:
    """Calling every unit found wins the F1 then, and a low threshold comes near to it."""
    chance = np.random.default_rng(seed)
    cases = []
    for place in range(60):
        values = chance.choice([65, 75, 82, 90, 100], size=5)
        found = chance.random(5) < 0.6
        human = bytes(FOUND if one else MISSING for one in found)
        cases.append(FitCase(f"s{place:03}", f"g{place}", bytes(values.tolist()), human, found.mean()))

    fitted = calibrate(cases, now=85, objective="f1", seed=seed)

    assert fitted.better is False
    assert by_hand_f1(cases, 0) == pytest.approx(fitted.trivial)


def test_a_threshold_that_tells_found_from_missing_is_better_by_f1() -> None:
    fitted = calibrate(dataset(80), now=100, objective="f1", seed=0)

    assert fitted.better is True
    assert calibrate(dataset(80), now=100, objective="bias", seed=0).trivial is None


def test_a_fold_has_no_say_in_its_own_threshold() -> None:
    """One odd document cannot talk its own threshold into being good."""
    cases = [FitCase(f"s{n}", f"g{n}", bytes([82, 100]), bytes([MISSING, FOUND]), 0.5) for n in range(12)]
    odd = FitCase("odd", "odd", bytes([70, 70, 70, 70]), bytes([FOUND] * 4), 1.0)

    found = calibrate([*cases, odd], now=75, objective="f1", seed=0)

    assert 91 == found.folds[found.fold_of["odd"]]


def test_from_fifty_groups_on_there_are_five_folds_and_groups_stay_whole() -> None:
    cases = dataset(120)

    found = calibrate(cases, now=85, objective="bias", seed=3)

    assert 5 == len(found.folds)
    assert dict.fromkeys(range(5), 24) == Counter(found.fold_of.values())
    for one in cases:
        assert 1 == len({found.fold_of[other.id] for other in cases if other.group == one.group})


def test_the_order_of_samples_changes_nothing() -> None:
    cases = dataset()

    one, other = (calibrate(some, now=85, objective="bias", seed=1) for some in (cases, cases[::-1]))
    assert one == other


def test_the_curve_counts_as_by_hand() -> None:
    cases = dataset()

    curve = calibrate(cases, now=85, objective="bias", seed=1).curve

    for at in (60, 76, 85, 100):
        units = pairs_of(cases)
        right = sum((value >= at) == (said == FOUND) for value, said in units)
        found = [value for value, said in units if said == FOUND]
        missing = [value for value, said in units if said == MISSING]
        assert curve[at].bias == pytest.approx(by_hand_bias(cases, at), abs=1e-12)
        assert curve[at].f1 == pytest.approx(by_hand_f1(cases, at), abs=1e-12)
        assert curve[at].accuracy == pytest.approx(right / len(units), abs=1e-12)
        assert curve[at].tpr == pytest.approx(sum(value >= at for value in found) / len(found), abs=1e-12)
        assert curve[at].tnr == pytest.approx(sum(value < at for value in missing) / len(missing), abs=1e-12)
        off = [abs(by_hand_bias([one], at)) for one in cases]
        assert curve[at].mae == pytest.approx(sum(off) / len(off), abs=1e-12)
    assert [curve[60].bias] * 60 == [point.bias for point in curve[:60]]


def test_weights_stand_for_copies() -> None:
    """A sample of weight 3 counts as three of weight 1."""
    cases = dataset(30)
    heavy = [replace(one, weight=3.0 if one.id == "s004" else 1.0) for one in cases]
    copies = [*cases, *(replace(cases[4], id=f"s004{x}") for x in "ab")]

    one = calibrate(heavy, now=85, objective="bias", seed=1)
    other = calibrate(copies, now=85, objective="bias", seed=1)

    assert one.threshold == other.threshold
    assert one.chosen.bias.value == pytest.approx(other.chosen.bias.value, abs=1e-12)
    assert one.curve[80].f1 == pytest.approx(other.curve[80].f1, abs=1e-12)
    assert one.lines[85].slope == pytest.approx(other.lines[85].slope, abs=1e-9)


@pytest.mark.parametrize("undefined", [0, 4])
def test_below_ten_groups_there_are_no_intervals_and_no_verdict(undefined: int) -> None:
    """Groups of samples without a verified recall are none that a bias is measured on, and no folds."""
    more = [FitCase(f"u{n}", f"u{n}", bytes([90, 70]), bytes(2), None) for n in range(undefined)]
    found = calibrate([*dataset(16), *more], now=85, objective="bias", seed=1)

    line = found.lines[85]
    assert (8, 8, None) == (found.groups, len(found.folds), found.better)
    assert (None, None) == (found.gain.interval, found.present.bias.interval)
    assert (None, None) == (line.covariance, line.correct_mean(0.5, 10).interval)


def test_samples_without_an_error_give_no_interval_of_width_0() -> None:
    line = Line(0.0, 1.0, (0.0, 0.0, 0.0), None, 0.0, 2.2, 24, 12)
    few = replace(line, covariance=None, samples=18, groups=9)

    for one, why in ((line, "nothing differed"), (few, "too few verified")):
        assert [f"0.50 [{why}]"] * 2 == [str(one.correct_mean(0.5, 4)), str(one.correct(0.5, 4))]


def test_no_interval_has_no_width_and_few_changes_are_no_gain() -> None:
    """All groups alike: no interval, but better; three of twenty change: no interval, and no better."""
    names, said = [f"{n}" for n in range(20)], bytes([FOUND, FOUND, MISSING])
    alike = [FitCase(f"s{n}", f"g{n}", bytes([82, 100, 0]), said, 2 / 3) for n in names]
    said = bytes([MISSING, FOUND, MISSING])
    equal = [FitCase(f"s{n}", f"g{n}", bytes([70, 100, 0]), said, 1 / 3) for n in names]

    sure = calibrate(alike, now=85, objective="bias", seed=1)
    unsure = calibrate([*alike[:3], *equal[3:]], now=85, objective="bias", seed=1)

    assert 1 / 3 == pytest.approx(sure.gain.value)
    assert (None, True) == (sure.gain.interval, sure.better)
    assert (None, False) == (unsure.gain.interval, unsure.better)
    assert None is sure.present.bias.interval
    both = (alike[0], replace(equal[0], id="other", recall=0.0))
    halves = [replace(half, id=f"{n} {half.id}", group=n) for n in names for half in both]
    assert None is calibrate(halves, now=85, objective="bias", seed=1).present.bias.interval


def test_what_cannot_be_tried_on_another_group_is_refused() -> None:
    one_group = [replace(one, group="g") for one in dataset(20)]
    all_found = [replace(one, human=bytes([FOUND] * 4), recall=1.0) for one in dataset(20)]

    with pytest.raises(TooFewError, match="all verified samples are of one group"):
        calibrate(one_group, now=85, objective="bias", seed=1)
    with pytest.raises(TooFewError, match="80 judged units, 80 of them found"):
        calibrate(all_found, now=85, objective="bias", seed=1)
    with pytest.raises(TooFewError, match="8 verified samples"):
        calibrate(dataset(8), now=85, objective="bias", seed=1)
    with pytest.raises(TooFewError, match=r"^1 verified sample with units"):
        calibrate(dataset(1), now=85, objective="bias", seed=1)


@pytest.mark.parametrize("objective", ["bias", "f1"])
def test_names_that_are_like_nothing_in_the_contexts_give_no_threshold(objective: Any) -> None:
    """A person found some of them nevertheless: the contexts are in another language."""
    cases = [replace(one, similarities=bytes(4)) for one in dataset(20)]
    with pytest.raises(TooFewError, match="no unit is like anything in the contexts"):
        calibrate(cases, now=85, objective=objective, seed=1)


def test_undefined_samples_are_counted_and_their_units_still_judged() -> None:
    undefined = FitCase("empty", "e", b"", b"", 0.5), FitCase("none", "n", bytes([90]), bytes([FOUND]), None)

    table = calibration.table_of([*dataset(20), *undefined])

    assert (20, 2, 81) == (len(table.verified), table.undefined, len(table.scores))


def test_a_correction_has_no_bias_where_it_was_fitted_and_its_interval_holds_new_samples() -> None:
    line = calibrate(dataset(400, seed=2), now=95, objective="bias", seed=1).lines[95]
    fresh = dataset(400, seed=9)
    recalls = [sum(value >= 95 for value in one.similarities) / 4 for one in fresh]
    truth = [one.recall or 0.0 for one in fresh]

    corrected: Any = [line.correct(score, 4).interval for score in recalls]
    mean: Any = line.correct_mean(sum(recalls) / 400, 400)

    inside = sum(one.low <= so <= one.high for one, so in zip(corrected, truth, strict=True))
    assert abs(sum(recalls) / 400 - sum(truth) / 400) > 0.15
    assert sum(truth) / 400 == pytest.approx(mean.value, abs=0.03)
    assert mean.interval.low <= sum(truth) / 400 <= mean.interval.high
    assert 0.92 <= inside / 400 <= 0.99


def test_the_covariance_of_a_line_is_the_sandwich_by_group() -> None:
    """(X'X)⁻¹ Σ s s' (X'X)⁻¹ · 20 / 19, where s sums what is left times x over the two samples of a group."""
    cases = dataset()
    x = np.array([[1.0, sum(value >= 85 for value in one.similarities) / 4] for one in cases])
    y = np.array([one.recall for one in cases], dtype=float)
    bread = np.linalg.inv(x.T @ x)
    sums = (x * (y - x @ bread @ x.T @ y)[:, None]).reshape(20, 2, 2).sum(axis=1)
    (a, both), (_, b) = bread @ sums.T @ sums @ bread * 20 / 19

    line = calibrate(cases, now=85, objective="bias", seed=1).lines[85]
    assert (a, b, both) == pytest.approx(line.covariance)


def test_an_interval_lies_around_the_value_that_is_given_and_not_around_one_above_1() -> None:
    """The spread was measured on values from 0 to 1: .5 + 1 · 1 is 1, give or take .2 / √4."""
    line = Line(0.5, 1.0, (0.0002, 0.0001, -0.0001), 0.2, 0.0, 2.0, 40, 40)

    one: Any = line.correct(1.0, 4)
    mean: Any = line.correct_mean(1.0, 9)
    assert pytest.approx((1.0, 0.9, 1.0)) == (one.value, one.interval.low, one.interval.high)
    assert pytest.approx((1.0, 0.98, 1.0)) == (mean.value, mean.interval.low, mean.interval.high)


@pytest.mark.parametrize(
    ("score", "units"),
    [
        (1.2, 4), (-0.1, 4), (0.5, 0), (math.nan, 3), (None, 3), ("0.5", 3), (True, 3), (0.5, None),
        (0.5, 2.5), (0.5, math.inf), (0.5, math.nan), (0.5, 3), (0.34, 4),
    ],
)  # fmt: skip
def test_no_score_is_not_corrected(score: Any, units: Any) -> None:
    line = calibrate(dataset(), now=85, objective="bias", seed=1).lines[85]

    with pytest.raises(ValueError, match="a recall from 0 to 1 of whole units"):
        line.correct(score, units)
    assert line.correct(0.67, 3)  # of who has rounded it


def test_a_thousand_pairs_make_it_isotonic_and_probabilities_rise() -> None:
    few, many = (calibrate(dataset(number), now=85, objective="bias", seed=1).model for number in (40, 300))

    assert ("platt", "isotonic") == (few.kind, many.kind)
    for model in (few, many):
        values = [model.probability(at) for at in (0, *range(60, 101))]
        assert values == sorted(values)
        assert all(0 <= value <= 1 for value in values)
    assert 0.8 == pytest.approx(many.probability(82), abs=0.08)
    assert 0.05 == pytest.approx(many.probability(0), abs=0.03)


def test_the_figures_of_an_isotonic_model_are_those_of_isotonic_models() -> None:
    """Of 1,200 pairs each fold leaves fewer than a thousand."""
    cases = dataset(300)
    found = calibrate(cases, now=85, objective="bias", seed=1)

    squares = []
    for fold in set(found.fold_of.values()):
        rest, held = (
            pairs_of(one for one in cases if (found.fold_of[one.id] == fold) == inside)
            for inside in (False, True)
        )
        near = [(float(at), float(said == FOUND)) for at, said in rest if at]
        at, so = (np.array(one) for one in zip(*near, strict=True))
        curve = dict(zip(*(side.tolist() for side in isotonic(at, so, np.ones(len(at)))), strict=True))
        far = [said == FOUND for at, said in rest if not at]
        curve[0] = min((sum(far) + 1) / (len(far) + 2), *curve.values())
        squares += [(curve[at] - (said == FOUND)) ** 2 for at, said in held]

    assert ("isotonic", 1200) == (found.model.kind, len(squares))
    assert sum(squares) / len(squares) == pytest.approx(found.reliability.brier, abs=1e-12)


def test_reliability_is_counted_by_hand() -> None:
    scores, positive = np.array([0.0, 82.0, 84.0, 100.0]), np.array([0.0, 1.0, 0.0, 1.0])

    found = calibration.reliability(np.array([0.1, 0.6, 0.8, 1.0]), scores, positive, np.ones(4))

    assert (0.01 + 0.16 + 0.64 + 0) / 4 == pytest.approx(found.brier, abs=1e-12)
    losses = [-math.log(0.9), -math.log(0.6), -math.log(0.2), -math.log(0.999)]
    assert sum(losses) / 4 == pytest.approx(found.log_loss, abs=1e-12)
    assert [(0, 59, 1, 0.1, 0.0), (80, 84, 2, 0.7, 0.5), (100, 100, 1, 1.0, 1.0)] == [
        (one.low, one.high, one.pairs, round(one.predicted, 9), one.found) for one in found.bins
    ]


def test_units_without_a_near_name_have_a_rate_of_their_own() -> None:
    scores = np.array([0.0] * 8 + [70.0] * 4 + [100.0] * 4)
    positive = np.array([0.0] * 8 + [0.0, 1.0, 0.0, 1.0] + [1.0] * 4)

    model = calibration.fit(scores, positive, np.ones(16))

    assert 0.1 == pytest.approx(model.none)  # (0 + 1) / (8 + 2)
    assert [model.none] * 8 == calibration.predict(model, scores[:8]).tolist()
    assert model.probability(70) < model.probability(100)


def test_the_band_is_where_a_verdict_may_be_wrong() -> None:
    probabilities = [0.5] * 60 + [0.1] * 10 + [0.3] * 15 + [0.9] * 16

    assert (70, 84) == calibration.band(probabilities, 60)
    assert None is calibration.band([0.1] * 101, 60)


def test_a_calibration_survives_its_document() -> None:
    found = calibrate(dataset(), now=85, objective="f1", seed=4)

    kept = written(found, Learned("s000", None, "h", 0))

    assert (found.threshold, found.model, found.band) == (kept.threshold, kept.model, kept.band)
    assert (found.folds, found.lines) == (kept.gold.fold_thresholds, kept.corrections)
    assert (Learned("s000", None, "h", 0),) == kept.gold.samples


def written(found: Calibrated, *learned: Learned) -> Calibration:
    """A calibration as it comes back from its document."""
    names = {"name": "may", "scorer": "linked", "matcher": "m", "data_sha256": "x"}
    document = document_of(found, learned, **names, holdout=None)
    return calibration_of(json.loads(json.dumps(document)))


def known() -> Calibration:
    return written(calibrate(dataset(), now=85, objective="bias", seed=1))


@pytest.mark.parametrize(
    "scores",
    [[math.nan], [0.5, math.nan], [1.5], [-3.0], [0.5, "0.5"], [True], [math.inf], [], [None], None, 0.5],
)
def test_a_mean_of_what_is_no_score_is_not_corrected(scores: Any) -> None:
    with pytest.raises(ValueError, match=r"recalls? from 0 to 1"):
        known().correct_mean(scores, match_threshold=85)


def test_a_mean_takes_undefined_scores_and_numbers_of_numpy() -> None:
    one = known().correct_mean([0.5, None, 1, 0.75], match_threshold=85)

    assert one == known().correct_mean(np.array([0.5, 1.0, 0.75]), match_threshold=85)
    numpy: Any = np.float64(0.5), np.int64(4)
    assert known().correct(0.5, 4, match_threshold=85) == known().correct(*numpy, match_threshold=85)


@pytest.mark.parametrize("similarity", [None, 182, -1, 100.1, math.nan, math.inf, "82", True, 0.8])
def test_no_similarity_has_no_probability(similarity: Any) -> None:
    with pytest.raises(ValueError, match="a number from 0 to 100"):
        known().probability(similarity)


def test_a_corrected_value_says_whether_it_has_an_interval() -> None:
    assert "0.58 [0.31, 0.85]" == str(Corrected(0.58, Interval(0.31, 0.85)))
    assert "0.58 [too few verified]" == str(Corrected(0.58, None))


def test_equal_scores_are_pooled_before_the_fit() -> None:
    values, found = isotonic(np.array([80.0, 80.0, 90.0]), np.array([1.0, 0.0, 1.0]), np.ones(3))

    assert [80.0, 90.0] == values.tolist()
    assert [0.5, 1.0] == found.tolist()


unit_similarities = st.lists(st.lists(st.integers(0, 100), max_size=6), max_size=8)


@given(unit_similarities, st.integers(60, 100))
def test_a_curve_counts_as_by_hand_and_a_higher_threshold_never_finds_more(samples: Any, at: int) -> None:
    known = thresholds.vectors([bytes(units) for units in samples])
    expected = [sum(value >= at for value in units) / len(units) if units else None for units in samples]
    defined = [value for value in expected if value is not None]

    curve = thresholds.mean_curve(known)

    assert expected == [
        None if math.isnan(value) else value for value in thresholds.recalls_at(known, at).tolist()
    ]
    if defined:
        assert sum(defined) / len(defined) == pytest.approx(float(curve[at]), abs=1e-12)
        assert (np.diff(curve) <= 1e-12).all()
    else:
        assert np.isnan(curve).all()


one_byte = st.sampled_from([0, 60, 69, 82, 85, 100])
samples = st.lists(st.lists(one_byte, max_size=5), max_size=8)


@given(samples, st.integers(0, 100), st.integers(0, 100))
def test_a_move_counts_as_by_hand(given_samples: list[list[int]], now: int, to: int) -> None:
    prepared = thresholds.moves([bytes(one) for one in given_samples], now)

    found = thresholds.move_to(prepared, to)

    def counts(threshold: int) -> list[int]:
        return [sum(value >= max(threshold, 60) for value in one) for one in given_samples if one]

    before, after = counts(now), counts(to)
    sizes = [len(one) for one in given_samples if one]
    assert (to, len(sizes)) == (found.threshold, found.defined)
    assert abs(sum(after) - sum(before)) == found.flipped
    pairs = list(zip(before, after, strict=True))
    assert sum(new > old for old, new in pairs) == found.risen
    assert sum(new < old for old, new in pairs) == found.fallen
    if sizes:
        expected = sum(count / size for count, size in zip(after, sizes, strict=True)) / len(sizes)
        assert expected == pytest.approx(found.mean, abs=1e-12)
    else:
        assert None is found.mean
