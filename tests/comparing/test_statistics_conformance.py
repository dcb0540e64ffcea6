"""Every known answer of the statistics, to its stated digits, by the product's functions and beside them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from statistics import mean, pstdev, stdev
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.comparing import known_formulas as known
from tests.comparing.known_formulas import Marked, Scheme, bca, count_spans, span_f1
from tests.comparing.test_taj_mahal import corners
from workbench.comparing import agreement, intervals
from workbench.comparing import paired as pairing
from workbench.comparing.causes import Difference, LinkCounts, difference
from workbench.comparing.correction import reliability
from workbench.comparing.estimators import Population, Reached
from workbench.comparing.estimators import difference as difference_of_means
from workbench.comparing.paired import Pair, paired
from workbench.model import Assessment, Match, ProposedEntity, Unit, count
from workbench.scoring.scorers import exact_strings, value_of

FIXTURE = Path(__file__).parents[2] / "fixtures" / "statistics.json"
CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for case in json.loads(FIXTURE.read_text("utf-8"))["cases"]
}
ELSEWHERE = {"iso.pava", "iso.weighted", "platt.sigmoid", "threshold.group_cv"}
"""Replayed with the calibration."""

NO_PART = {
    *("ppi.mean.lam1", "ppi.mean.lam0", "ppi.mean.plusplus", "ppi.mean.weighted", "ppi.effective_n"),
    "active.ht_difference",
}
"""Answers of estimators that Workbench does not have: tuned weights, unequal chances within a stratum."""

NOT_OURS = {("cer.empty_reference", "ragas_legacy"), ("boot.degenerate", "percentile")}
"""What a library says where there is nothing to say: 0.0 of no entities, an interval of width 0."""

Said = Mapping[str, Any]
REPLAYS: dict[str, Callable[[Any], Said]] = {}


def replays(*names: str) -> Callable[[Callable[[Any], Said]], Callable[[Any], Said]]:
    def keep(function: Callable[[Any], Said]) -> Callable[[Any], Said]:
        REPLAYS.update(dict.fromkeys(names, function))
        return function

    return keep


def column(values: list[float]) -> pairing.Floats:
    return np.array(values, dtype=float)


def ends(interval: intervals.Interval | None) -> list[float]:
    assert interval is not None
    return [interval.low, interval.high]


def test_every_case_is_replayed_once() -> None:
    assert set(CASES) == set(REPLAYS) | ELSEWHERE | NO_PART
    assert set() == set(REPLAYS) & (ELSEWHERE | NO_PART)


@pytest.mark.parametrize("name", sorted(set(CASES) - ELSEWHERE - NO_PART))
def test_a_known_answer(name: str) -> None:
    case = CASES[name]

    said = REPLAYS[name](case["inputs"])

    wanted = {key: value for key, value in case["expected"].items() if (name, key) not in NOT_OURS}
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


@replays("cer.micro_macro")
def micro_macro(inputs: Any) -> Said:
    micro, error, macro = known.micro_macro(inputs["matched"], inputs["total"])
    return {"macro": macro, "micro": micro, "micro_se_linearised": error}


# Pairs.


@replays("ba.pefr")
def bland_altman(inputs: Any) -> Said:
    x, y = inputs["x"], inputs["y"]
    found: Any = paired([Pair(str(i), a, b) for i, (a, b) in enumerate(zip(x, y, strict=True))])
    assert found.bias is not None
    assert found.sd is not None
    assert found.bias_interval is not None
    bias, sd = round(found.bias, 1), round(found.sd, 1)
    _, lower, _ = known.limits(column(x) - column(y), 0.95, 0.95)
    return {
        "bias": found.bias,
        "sd": found.sd,
        "loa_196": [found.limits.low, found.limits.high],
        "loa_2sd_rounded_paper": [round(bias - 2 * sd, 1), round(bias + 2 * sd, 1)],
        "bias_ci95_t": ends(found.bias_interval),
        "se_loa": lower.width / 2 / intervals.t_quantile(len(x) - 1),
    }


@replays("ba_ccc.reps")
def limits_and_concordance(inputs: Any) -> Said:
    x, y = column(inputs["x"]), column(inputs["y"])
    limits, lower, upper = known.limits(x - y, inputs["agree_level"], 0.9)
    whole = paired([Pair(str(i), a, b) for i, (a, b) in enumerate(zip(x, y, strict=True))])
    value, interval = known.concordance(x, y)
    return {
        "bias": whole.bias,
        "bias_ci95": ends(whole.bias_interval),
        "lower_loa": limits.low,
        "lower_loa_ci90": ends(lower),
        "upper_loa": limits.high,
        "upper_loa_ci90": ends(upper),
        "ccc": value,
        "ccc_ci95": ends(interval),
        "ccc_full": value,
        "ccc_ci95_full": ends(interval),
    }


@replays("ccc.pefr")
def concordance(inputs: Any) -> Said:
    x, y = column(inputs["x"]), column(inputs["y"])
    value, interval = known.concordance(x, y)
    n, apart = len(x), float(x.mean() - y.mean())
    by_n = float(x.var() + y.var())  # moments by n − 1 shrink the squared difference of means beside them
    return {
        "ccc": value,
        "ci95": ends(interval),
        "ccc_n_minus_1": value * (by_n + apart**2) / (by_n + apart**2 * (n - 1) / n),
        "pearson": pairing.pearson(x, y),
        "spearman": pairing.spearman(x, y),
        "kendall_tau_b": stats.kendalltau(x, y).statistic,
    }


@replays("rank.spearman")
def spearman(inputs: Any) -> Said:
    return {"rho": pairing.spearman(column(inputs["x"]), column(inputs["y"]))}


@replays("rank.kendall")
def kendall(inputs: Any) -> Said:
    found = stats.kendalltau(inputs["x"], inputs["y"], method="asymptotic")
    return {"tau": found.statistic, "p": found.pvalue}


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
    # the table's first verdict is fail, the share is of passes
    corrected, _ = known.rogan_gladen(passed, table.tnr, table.tpr)
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
        "corrected_pass": corrected,
        "corrected_pass_full": corrected,
    }


@replays("rogan_gladen.judgy")
def judgy(inputs: Any) -> Said:
    words = {1: "found", 0: "missing"}
    labels, predictions = inputs["test_labels"], inputs["test_preds"]
    table = agreement.tabulate((words[a], words[b]) for a, b in zip(labels, predictions, strict=True))
    rest = inputs["unlabeled_preds"]
    theta, interval = known.rogan_gladen(agreement.Rate(sum(rest), len(rest)), table.tpr, table.tnr)
    return {"theta": theta, "ci_is_uninformative": ends(interval)}


@replays("mcnemar.exact")
def mcnemar(inputs: Any) -> Said:
    return {"p": agreement.sign_test(inputs["b"], inputs["c"])}


@replays("alpha.krippendorff")
def krippendorff(inputs: Any) -> Said:
    items = [
        [value for value in item if value is not None]
        for item in zip(*inputs["reliability_data"], strict=True)
    ]
    return {"nominal": agreement.alpha(items), "interval": known.alpha(items, known.interval).value}


@replays("set.masi")
def masi(inputs: Any) -> Said:
    sets = [(frozenset(a), frozenset(b)) for a, b in inputs["pairs"]]
    return {"masi": [known.masi(*two) for two in sets], "jaccard": [known.jaccard(*two) for two in sets]}


@replays("set.alpha_entities")
def entity_sets(inputs: Any) -> Said:
    sets = [(frozenset(inputs["a"][name]), frozenset(inputs["b"][name])) for name in inputs["a"]]
    by_jaccard, by_masi = known.alpha(sets, known.jaccard), known.alpha(sets, known.masi)
    f1 = agreement.overlaps([agreement.Overlap(len(a & b), len(a), len(b)) for a, b in sets])
    return {
        "alpha_jaccard": by_jaccard.value,
        "Do_jaccard": by_jaccard.observed,
        "De_jaccard": by_jaccard.expected,
        "alpha_masi": by_masi.value,
        "Do_masi": by_masi.observed,
        "micro_f1": f1.micro.f1,
        "macro_f1": f1.macro_f1,
    }


@replays("set.kappa_to_f1")
def kappa_to_f1(inputs: Any) -> Said:
    cells = inputs["a_both"], inputs["b_only1"], inputs["c_only2"]
    tables = [agreement.Verdicts(*cells, negatives) for negatives in inputs["negatives"]]
    return {
        "kappa": [agreement.beyond_chance(one.table).kappa for one in tables],
        "f1": tables[0].specific[0],
    }


@replays("gamma.disorder")
def disorder(inputs: Any) -> Said:
    names, matrix = inputs["categories_sorted"], inputs["matrix"]
    empty: float = inputs["delta_empty"]
    weight: float = inputs["alpha"]

    def distance(one: tuple[int, int, str], other: tuple[int, int, str]) -> float:
        length = one[1] - one[0] + other[1] - other[0]
        place = ((abs(one[0] - other[0]) + abs(one[1] - other[1])) / length) ** 2
        kind: float = matrix[names.index(one[2])][names.index(other[2])]
        return (weight * place + kind) * empty

    units = [None if unit[1] is None else tuple(unit[1:]) for unit in inputs["units"]]
    return {"disorder": known.disorder(units, distance, empty)}


def spans_of(tags: list[str]) -> list[Marked]:
    found: list[Marked] = []
    for place, tag in enumerate(tags):
        if tag.startswith("B-"):
            found.append(Marked(place, place, tag[2:]))
        elif tag.startswith("I-"):
            found[-1] = found[-1]._replace(end=place)
    return found


def counted(texts: list[tuple[list[Marked], list[Marked]]], scheme: Scheme) -> Counter[str]:
    return sum((count_spans(gold, found, scheme) for gold, found in texts), Counter[str]())


@replays("ner.muc")
def muc(inputs: Any) -> Said:
    texts = [(spans_of(a), spans_of(b)) for a, b in zip(inputs["true"], inputs["pred"], strict=True)]
    strict = counted(texts, "strict")
    return {
        "ent_type_f1": span_f1(counted(texts, "type")),
        "exact_f1": span_f1(counted(texts, "exact")),
        "partial_f1": span_f1(counted(texts, "partial")),
        "strict_f1": span_f1(strict),
        "strict_correct": strict["correct"],
        "strict_incorrect": strict["incorrect"],
    }


@replays("ner.spans")
def spans(inputs: Any) -> Said:
    texts = [([Marked(*one) for one in inputs["true"]], [Marked(*one) for one in inputs["pred"]])]
    strict = counted(texts, "strict")
    return {
        "strict_f1": span_f1(strict),
        "partial_f1": span_f1(counted(texts, "partial")),
        "ent_type_f1": span_f1(counted(texts, "type")),
        "strict": {name: strict[name] for name in ("correct", "incorrect", "missed", "spurious")},
    }


# Estimates.


@replays("survey.difference.devore_berk")
def audit(inputs: Any) -> Said:
    book, audited = inputs["book"], inputs["audited"]
    total: int = inputs["N"]
    rest = (inputs["book_total"] - sum(book)) / (total - len(book))
    values = [*book, *[rest] * (total - len(book))]
    chance = len(book) / total
    ratio = known.micro_macro(audited, book)[0]

    def estimated(automatic: list[float], shown: list[float]) -> float:
        drawn = [Reached(f, y, chance) for f, y in zip(shown, audited, strict=True)]
        return total * difference_of_means(Population(automatic), drawn).point

    return {
        "mean_per_unit": estimated([0.0] * total, [0.0] * len(book)),
        "difference": estimated(values, book),
        "ratio": inputs["book_total"] * ratio,
    }


@replays("survey.ht.thompson")
def thompson(inputs: Any) -> Said:
    y, p, n = inputs["y"], inputs["draw_p"], inputs["n_draws"]
    chances = [1 - (1 - one) ** n for one in p]
    joint = [
        [a + b - (1 - (1 - one - other) ** n) for b, other in zip(chances, p, strict=True)]
        for a, one in zip(chances, p, strict=True)
    ]
    by_draws = known.hansen_hurwitz(y, p)
    return {
        "pi": chances,
        "total": known.horvitz_thompson(y, chances),
        "pij": [joint[0][1], joint[0][2], joint[1][2]],
        "variance": known.horvitz_thompson_variance(y, chances, joint),
        "hansen_hurwitz": by_draws[0],
        "hansen_hurwitz_var": by_draws[1],
    }


@replays("ppi.no_free_lunch")
def no_free_lunch(inputs: Any) -> Said:
    return {"min_rho": [known.least_correlation(n) for n in inputs["n"]]}


@replays("fpc.difference")
def finite_corpus(inputs: Any) -> Said:
    y, f, rest = inputs["Y"], inputs["F_labelled"], inputs["F_unlabelled"]
    chance = len(y) / (len(y) + len(rest))
    drawn = [Reached(a, b, chance) for a, b in zip(f, y, strict=True)]
    found = difference_of_means(Population([*f, *rest]), drawn)
    d = [b - a for a, b in zip(f, y, strict=True)]
    return {
        "point": found.point,
        "se": known.standard_error(found.parts),
        "ci95_t": ends(intervals.around(found.point, known.standard_error(found.parts), len(y) - 1)),
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
    return {"point": found.point, "se": known.standard_error(found.parts)}


# Bootstrap.


@replays("boot.exact_n3")
def exhaustive(inputs: Any) -> Said:
    d = inputs["d"]
    means = [mean(drawn) for drawn in product(d, repeat=len(d))]
    return {
        "n": len(means),
        "mean": mean(means),
        "sd": pstdev(means),
        "min": min(means),
        "max": max(means),
        "p_le_0": sum(one <= 1e-15 for one in means) / len(means),
    }


@replays("boot.bca_law")
def law_schools(inputs: Any) -> Said:
    x, y = column(inputs["lsat"]), column(inputs["gpa"])

    def correlations(a: pairing.Floats, b: pairing.Floats, axis: int = -1) -> pairing.Floats:
        a, b = a - a.mean(axis=axis, keepdims=True), b - b.mean(axis=axis, keepdims=True)
        found: pairing.Floats = (a * b).sum(axis) / np.sqrt((a**2).sum(axis) * (b**2).sum(axis))
        return found

    found = bca((x, y), correlations, seed=1, resamples=20_000, level=0.9)
    assert found is not None
    return {"r": pairing.pearson(x, y), "bca90_scipy_seed1_20000": ends(found), "paper": ends(found)}


@replays("boot.degenerate")
def degenerate(inputs: Any) -> Said:
    d = inputs["d"]
    found = paired([Pair(str(i), one, 0.0) for i, one in enumerate(d * 2)])
    flagged = found.bias_interval is None and found.may_differ == intervals.at_most(0, 2 * len(d))
    return {
        "bca": bca((column(d),), np.mean, seed=1),
        "require": "flag as degenerate; show rule of three" if flagged else "",
        "upper95_discordant_rate": {str(n): intervals.at_most(0, n) for n in (10, 20, 50, 100)},
    }


@replays("calib.brier_logloss")
def brier(inputs: Any) -> Said:
    p, y = column(inputs["p"]), column(inputs["y"])
    found = reliability(p, p, y, np.ones(len(p)))
    return {"brier": found.brier, "logloss": found.log_loss}


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
    four: Any = corners(
        LinkCounts(
            links=len(links),
            both=sum(is_found(row.automatic) and is_found(row.verified) for row in links),
            false=counts["false match"],
            missed=counts["missed match"],
            invented=counts["invented unit"],
            invented_found=sum(is_found(row.automatic) for row in alone),
            lacking=counts["missed unit"],
            lacking_found=sum(is_found(row.verified) for row in alone),
        )
    )
    assert found.delta is not None
    parts = {cause: part(found, cause) for cause in SHARES}
    exact = {
        "S_auto_auto": four.own,
        "S_autoE_humanM": four.verdicts,
        "S_goldE_autoM": four.units,
        "S_gold_human": four.both,
        "total": found.delta,
        "extraction": parts["invented unit"] + parts["missed unit"],
        "matching": parts["false match"] + parts["missed match"],
        "interaction": four.interaction,
    } | {name: parts[cause] for cause, name in SHARES.items()}
    said: dict[str, Any] = {
        name: {"fraction": str(value), "value": float(value)} for name, value in exact.items()
    }
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
