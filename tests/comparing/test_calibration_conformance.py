"""Known answers for isotonic regression, Platt scaling and the threshold chosen by groups."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.comparing import curve as thresholds
from workbench.comparing.correction import Model, isotonic, platt

CASES = json.loads(Path(__file__).parents[2].joinpath("fixtures", "statistics.json").read_text("utf-8"))


def case(name: str) -> dict[str, Any]:
    return next(one for one in CASES["cases"] if one["id"] == name)


@pytest.mark.parametrize("name", ["iso.pava", "iso.weighted"])
def test_isotonic_regression(name: str) -> None:
    one = case(name)
    y = np.array(one["inputs"]["y"], dtype=float)
    w = np.array(one["inputs"].get("w", [1] * len(y)), dtype=float)

    found = isotonic(np.arange(len(y), dtype=float), y, w)[1]

    assert one["expected"]["x"] == pytest.approx(found.tolist(), abs=one["abs_tol"])


def test_equal_scores_are_pooled_before_the_fit() -> None:
    values, found = isotonic(np.array([80.0, 80.0, 90.0]), np.array([1.0, 0.0, 1.0]), np.ones(3))

    assert [80.0, 90.0] == values.tolist()
    assert [0.5, 1.0] == found.tolist()


def test_platt_scaling() -> None:
    one = case("platt.sigmoid")
    scores = np.array(one["inputs"]["f"], dtype=float)

    a, b = platt(scores, (np.array(one["inputs"]["y"]) > 0).astype(float))
    shift = 10.0  # a model reads a score of 0 as "no near name"; the case has negative ones
    model = Model("platt", 0.0, a, b - a * shift)

    expected, within = one["expected"], one["abs_tol"]
    assert expected["A"] == pytest.approx(a, abs=within)
    assert expected["B"] == pytest.approx(b, abs=within)
    assert expected["prob"] == pytest.approx(
        [model.probability(s + shift) for s in scores.tolist()], abs=within
    )


def test_threshold_by_groups_that_did_not_choose_it() -> None:
    one = case("threshold.group_cv")
    rows = one["inputs"]["rows"]
    names = sorted({row[0] for row in rows})
    groups = np.array([names.index(row[0]) for row in rows])
    scores, positive = (np.array([float(row[place]) for row in rows]) for place in (1, 2))
    sums = thresholds.sums_of_pairs(scores, positive, groups, np.ones(len(rows)))

    found = thresholds.validate(sums, "f1", thresholds.draw_folds(len(names), 0), whole=False)
    everything = thresholds.at_threshold(sums, found.threshold).sum(axis=1)
    held = found.by_group.sum(axis=1)

    expected, within = one["expected"], one["abs_tol"]
    assert expected["full_threshold"] == pytest.approx(found.threshold, abs=within)
    assert expected["full_f1"] == pytest.approx(float(thresholds.figure(everything, "f1")), abs=within)
    assert list(expected["fold_thresholds"].values()) == pytest.approx(found.folds, abs=within)
    assert expected["oof_f1"] == pytest.approx(float(thresholds.figure(held, "f1")), abs=within)
    tp, fp, positives = held.tolist()
    assert expected["oof_counts"] == [tp, fp, positives - tp]
