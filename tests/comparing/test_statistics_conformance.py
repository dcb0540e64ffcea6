"""Every known answer of the statistics that Workbench gives, to its stated digits, by its own functions."""

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

from tests.comparing.test_taj_mahal import corners
from tests.lists import cases
from workbench.comparing import agreement, calibration, curve, intervals, paired as pairing
from workbench.comparing.bounds import Part
from workbench.comparing.causes import Difference, LinkCounts, difference
from workbench.comparing.correction import Model
from workbench.comparing.estimators import Population, Reached, difference as difference_of_means
from workbench.comparing.paired import Pair, Paired, paired
from workbench.model import Assessment, Match, ProposedEntity, Unit, count
from workbench.scoring.scorers import exact_strings, value_of

FIXTURE = Path(__file__).parents[2] / "fixtures" / "statistics.json"
CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for case in json.loads(FIXTURE.read_text("utf-8"))["cases"]
}
NO_PART = {
    *("ppi.mean.lam1", "ppi.mean.lam0", "ppi.mean.plusplus", "ppi.mean.weighted", "ppi.effective_n"),
    *("ppi.no_free_lunch", "active.ht_difference", "survey.ht.thompson", "cer.micro_macro"),
    *("rank.kendall", "rogan_gladen.judgy", "set.masi", "gamma.disorder", "ner.muc", "ner.spans"),
    *("boot.exact_n3", "boot.bca_law"),
}
"""Answers of formulas that Workbench does not have: no code of it could get them wrong."""

_, *LISTED = cases(__file__, "figures of known answers that we do not have")
NOT_OURS = {name: set(figures.split()) for name, figures in LISTED}
"""Such as what a library says where there is nothing to say: 0.0 of no entities, an interval of width 0."""

Said = Mapping[str, Any]
REPLAYS: dict[str, Callable[[Any], Said]] = {}


def replays(*names: str) -> Callable[[Callable[[Any], Said]], Callable[[Any], Said]]:
    def keep(function: Callable[[Any], Said]) -> Callable[[Any], Said]:
        REPLAYS.update(dict.fromkeys(names, function))
        return function

    return keep


def column(values: Any) -> pairing.Floats:
    return np.array(values, dtype=float)


def ends(interval: Any) -> list[float]:
    return [interval.low, interval.high]


def test_every_case_is_replayed_once() -> None:
    assert set(CASES) == set(REPLAYS) | NO_PART
    assert set() == set(REPLAYS) & NO_PART


@pytest.mark.parametrize("name", sorted(set(CASES) - NO_PART))
def test_a_known_answer(name: str) -> None:
    case = CASES[name]

    said = REPLAYS[name](case["inputs"])

    wanted = {key: value for key, value in case["expected"].items() if key not in NOT_OURS.get(name, ())}
    assert set(wanted) == set(said)
    for key, expected in wanted.items():
        close(f"{name}: {key}", expected, said[key], case["abs_tol"])


def close(what: str, expected: Any, actual: Any, within: float) -> None:
    """Numbers within the tolerance, all else equal; containers entry by entry."""
    if isinstance(expected, dict):
        assert set(expected) == set(actual), what
        for key in expected:
            close(f"{what}.{key}", expected[key], actual[key], within)
    elif isinstance(expected, list):
        assert len(expected) == len(actual), what
        for one, other in zip(expected, actual, strict=True):
            close(what, one, other, within)
    elif isinstance(expected, float) or isinstance(actual, float):
        assert expected == pytest.approx(actual, abs=max(within, 1e-15), rel=0), what
    else:
        assert expected == actual, what


# Recall.


@replays("cer.taj_mahal.1", "cer.taj_mahal.2", "cer.duplicates", "cer.empty_reference")
def recall(inputs: Any) -> Said:
    names, in_contexts = ([ProposedEntity(name) for name in inputs[side]] for side in ("RE", "RCE"))
    tally, legacy = (
        count(exact_strings(names, [in_contexts], source).units) for source in ("ragas", "ragas_legacy")
    )
    exact, compatible = tally.recall, value_of("ragas", tally)
    if exact is None:
        return {"value": value_of("ragas", tally)}
    if len(set(inputs["RE"])) < len(inputs["RE"]):
        return {"set_based": float(exact), "ragas_legacy_list_denominator": value_of("ragas", legacy)}
    said = {"recall": f"{tally.found}/{tally.units}", "value": float(exact), "ragas_0_4_3": compatible}
    if exact == Fraction(2, 3):
        said["ragas_doc"] = int(1000 * exact) / 1000  # its page cuts the digits
    return said


# Pairs.


def pairs_of(inputs: Any) -> Paired:
    both = zip(inputs["x"], inputs["y"], strict=True)
    return paired([Pair(str(place), one, other) for place, (one, other) in enumerate(both)])


@replays("ba.pefr")
def bland_altman(inputs: Any) -> Said:
    found = pairs_of(inputs)
    bias, sd = round(found.bias or 0, 1), round(found.sd or 0, 1)
    return {
        "bias": found.bias,
        "sd": found.sd,
        "loa_196": ends(found.limits),
        "loa_2sd_rounded_paper": [round(bias - 2 * sd, 1), round(bias + 2 * sd, 1)],
        "bias_ci95_t": ends(found.bias_interval),
    }


@replays("ba_ccc.reps")
def bias(inputs: Any) -> Said:
    found = pairs_of(inputs)
    return {"bias": found.bias, "bias_ci95": ends(found.bias_interval)}


@replays("ccc.pefr")
def correlations(inputs: Any) -> Said:
    found = pairs_of(inputs)
    return {"pearson": found.pearson, "spearman": found.spearman}


@replays("rank.spearman")
def spearman(inputs: Any) -> Said:
    return {"rho": pairing.spearman(column(inputs["x"]), column(inputs["y"]))}


# Verdicts and sets.


@replays("kappa.textbook", "kappa.paradox")
def kappa(inputs: Any) -> Said:
    found = agreement.beyond_chance(inputs["table"])
    said = {"kappa": found.kappa, "gwet_ac1": found.ac1}
    if found.kappa is not None and found.kappa > 0:
        return said | {"se": found.kappa_se, "gwet_ac1_se": found.ac1_se}
    return said


@replays("kappa.judge")
def judge(inputs: Any) -> Said:
    (a, b), (c, d) = inputs["table_human_x_judge"]
    table = agreement.Verdicts(a, b, c, d)
    passed = agreement.Rate(inputs["judge_only_pass"], inputs["judge_only_n"])
    chance = agreement.beyond_chance(table.table)
    return {
        "tpr": table.tpr.value,
        "tpr_wilson95": ends(table.tpr.interval),
        "tnr": table.tnr.value,
        "tnr_wilson95": ends(table.tnr.interval),
        "raw_agreement": table.raw.value,
        "kappa": chance.kappa,
        "kappa_full": chance.kappa,
        "raw_pass": passed.value,
        "raw_pass_wilson95": ends(passed.interval),
    }


@replays("mcnemar.exact")
def mcnemar(inputs: Any) -> Said:
    return {"p": agreement.sign_test(inputs["b"], inputs["c"])}


@replays("alpha.krippendorff")
def krippendorff(inputs: Any) -> Said:
    given = zip(*inputs["reliability_data"], strict=True)
    return {"nominal": agreement.alpha([[one for one in item if one is not None] for item in given])}


@replays("set.alpha_entities")
def entity_sets(inputs: Any) -> Said:
    sets = [(frozenset(inputs["a"][name]), frozenset(inputs["b"][name])) for name in inputs["a"]]
    f1 = agreement.overlaps([agreement.Overlap(len(a & b), len(a), len(b)) for a, b in sets])
    return {"micro_f1": f1.micro.f1, "macro_f1": f1.macro_f1}


@replays("set.kappa_to_f1")
def kappa_to_f1(inputs: Any) -> Said:
    cells = inputs["a_both"], inputs["b_only1"], inputs["c_only2"]
    tables = [agreement.Verdicts(*cells, negatives) for negatives in inputs["negatives"]]
    kappas = [agreement.beyond_chance(one.table).kappa for one in tables]
    return {"kappa": kappas, "f1": tables[0].specific[0]}


# Estimates.


def standard_error(parts: Sequence[Part]) -> float:
    """sqrt(Σ (N_h / N)² (1 − n_h / N_h) s_h² / n_h) of a mean by strata (Cochran 1977)."""
    total = sum(one.size for one in parts)
    shares = [(one.size / total, len(one.values), one.open / one.size, one.values) for one in parts]
    return sqrt(sum(part**2 * left * float(values.var(ddof=1)) / n for part, n, left, values in shares))


@replays("survey.difference.devore_berk")
def audit(inputs: Any) -> Said:
    book, audited = inputs["book"], inputs["audited"]
    total: int = inputs["N"]
    rest = (inputs["book_total"] - sum(book)) / (total - len(book))
    chance = len(book) / total

    def estimated(automatic: list[float], shown: list[float]) -> float:
        drawn = [Reached(f, y, chance) for f, y in zip(shown, audited, strict=True)]
        return total * difference_of_means(Population(automatic), drawn).point

    return {
        "mean_per_unit": estimated([0.0] * total, [0.0] * len(book)),
        "difference": estimated([*book, *[rest] * (total - len(book))], book),
    }


@replays("fpc.difference")
def finite_corpus(inputs: Any) -> Said:
    y, f, rest = inputs["Y"], inputs["F_labelled"], inputs["F_unlabelled"]
    chance = len(y) / (len(y) + len(rest))
    drawn = [Reached(a, b, chance) for a, b in zip(f, y, strict=True)]
    found = difference_of_means(Population([*f, *rest]), drawn)
    d = [b - a for a, b in zip(f, y, strict=True)]
    return {
        "point": found.point,
        "se": standard_error(found.parts),
        "ci95_t": ends(intervals.around(found.point, standard_error(found.parts), len(y) - 1)),
        "mean_F_all": found.point - mean(d),
        "mean_d": mean(d),
        "s_d": stdev(d),
    }


@replays("strat.difference")
def stratified(inputs: Any) -> Said:
    automatic: list[float] = []
    strata: list[str] = []
    drawn = []
    for name, one in enumerate(inputs["strata"]):
        automatic += [one["f_mean"]] * one["N"]
        strata += [str(name)] * one["N"]
        chance = len(one["d"]) / one["N"]
        drawn += [Reached(one["f_mean"], one["f_mean"] + d, chance, str(name)) for d in one["d"]]
    found = difference_of_means(Population(automatic, strata), drawn)
    return {"point": found.point, "se": standard_error(found.parts)}


@replays("boot.degenerate")
def degenerate(inputs: Any) -> Said:
    d = inputs["d"]
    found = paired([Pair(str(i), one, 0.0) for i, one in enumerate(d * 2)])
    flagged = found.bias_interval is None and found.may_differ == intervals.at_most(0, 2 * len(d))
    return {
        "require": "flag as degenerate; show rule of three" if flagged else "",
        "upper95_discordant_rate": {str(n): intervals.at_most(0, n) for n in (10, 20, 50, 100)},
    }


@replays("calib.brier_logloss")
def brier(inputs: Any) -> Said:
    p, y = column(inputs["p"]), column(inputs["y"])
    found = calibration.reliability(p, p, y, np.ones(len(p)))
    return {"brier": found.brier, "logloss": found.log_loss}


@replays("iso.pava", "iso.weighted")
def rising(inputs: Any) -> Said:
    y = column(inputs["y"])
    fitted = calibration.isotonic(column(range(len(y))), y, column(inputs.get("w", [1] * len(y))))[1]
    return {"x": fitted.tolist()}


@replays("platt.sigmoid")
def platt(inputs: Any) -> Said:
    scores, positive = column(inputs["f"]), (np.array(inputs["y"]) > 0).astype(float)
    a, b = calibration.platt(scores, positive, np.ones(len(scores)))
    shift = 10.0  # a model reads a score of 0 as "no near name"; the case has negative ones
    model = Model("platt", 0.0, a, b - a * shift)
    return {"A": a, "B": b, "prob": [model.probability(s + shift) for s in scores.tolist()]}


@replays("threshold.group_cv")
def chosen_by_others(inputs: Any) -> Said:
    groups, scores, positive = zip(*inputs["rows"], strict=True)
    names, y = sorted(set(groups)), column(positive)
    number = np.array([names.index(one) for one in groups])
    by_group = curve.by_number(number, y, len(names))
    sums = curve.sums_of(column(scores), number, len(names), [y, 1 - y], [by_group])
    found = curve.validate(sums, "f1", curve.draw_folds(len(names), 0), whole=False)
    (tp, fp, positives), every = found.by_group.sum(axis=1), curve.at_threshold(sums, found.threshold)
    return {
        "full_threshold": found.threshold,
        "full_f1": float(curve.figure(every.sum(axis=1), "f1")),
        "fold_thresholds": dict(zip(names, found.folds, strict=True)),
        "oof_f1": float(curve.figure(np.array([tp, fp, positives]), "f1")),
        "oof_counts": [tp, fp, positives - tp],
    }


# Causes.


@replays(*(name for name in CASES if name.startswith("decomp.")))
def decomposed(inputs: Any) -> Said:
    def side(names: list[str], verdicts: Mapping[str, int]) -> Assessment:
        units = [Unit(n, "entity", n, match=Match("found" if verdicts[n] else "missing")) for n in names]
        return Assessment("entity", "test", tuple(units))

    automatic = side(inputs["auto_entities"], inputs["auto_verdict"])
    verified = side(inputs["gold_entities"], inputs["human_verdict"])
    found = difference(automatic, verified, based=True)
    counts = {cause: sum(row.cause == cause for row in found.rows) for cause in SHARES}
    links = [row for row in found.rows if row.rule]
    linked = {row.automatic.text: row.verified.text for row in links if row.automatic and row.verified}
    assert linked == inputs["links"]
    alone = [row for row in found.rows if not row.rule]
    both = sum(is_found(row.automatic) and is_found(row.verified) for row in links)
    invented = counts["invented unit"], sum(is_found(row.automatic) for row in alone)
    lacking = counts["missed unit"], sum(is_found(row.verified) for row in alone)
    matches = counts["false match"], counts["missed match"]
    four: Any = corners(LinkCounts(len(links), both, *matches, *invented, *lacking))
    parts = {cause: part(found, cause) for cause in SHARES}
    exact: dict[str, Any] = {
        "S_auto_auto": four.own,
        "S_autoE_humanM": four.verdicts,
        "S_goldE_autoM": four.units,
        "S_gold_human": four.both,
        "total": found.delta,
        "extraction": parts["invented unit"] + parts["missed unit"],
        "matching": parts["false match"] + parts["missed match"],
        "interaction": four.interaction,
    } | {name: parts[cause] for cause, name in SHARES.items()}
    said = {name: {"fraction": str(value), "value": float(value)} for name, value in exact.items()}
    return said | {
        "n_linked": len(links),
        "n_spurious": counts["invented unit"],
        "n_missed": counts["missed unit"],
        "n_false_match": counts["false match"],
        "n_missed_match": counts["missed match"],
    }


SHARES = {
    "invented unit": "extraction_spurious",
    "missed unit": "extraction_missed",
    "false match": "matching_false",
    "missed match": "matching_missed",
}


def is_found(unit: Unit | None) -> bool:
    return unit is not None and unit.match.verdict == "found"


def part(found: Difference, cause: str) -> Fraction:
    return sum((row.share or Fraction(0) for row in found.rows if row.cause == cause), Fraction(0))
