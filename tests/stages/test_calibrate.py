"""Calibrating a dataset: which gold counts, what is chosen, kept and used, and whose gold it saw."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import accepted, do
from tests.lists import cases, from_cases
from tests.rows import gold, naming
from workbench import calibration
from workbench.api import ContextEntityRecall
from workbench.errors import ExportError, InputError, NotFoundError
from workbench.model import Evidence, Policy
from workbench.reports.calibrate import report_text, verdict_lines
from workbench.stages import calibrate as stage, disputes, editing, plan
from workbench.stages.answer import answer
from workbench.stages.compare import compare_against
from workbench.stages.examples import seen_ids
from workbench.stages.figures import figures
from workbench.stages.plan import Wish
from workbench.stages.policy import change_policy, to_toml
from workbench.stages.recompute import keep_threshold, score_dataset
from workbench.stages.why import explain
from workbench.store.calibrations import similarities
from workbench.store.datasets import DatasetInfo

NEAR = {"Johann Strauss": "Johan Straus", "Saint Petersburg": "Petersberg", "Kathmandu": "Katmandu"}
"""Names with what the contexts have in their place: 82, 69 and 86 alike."""


def row(key: str, verdicts: dict[str, str], *, group: str | None = None, reference: str = "") -> Any:
    """A sample whose contexts have Rome, never Oslo, and the other names as in NEAR."""
    inside = [NEAR.get(name, name) for name in verdicts if name != "Oslo"]
    made = naming(key, verdicts, inside, also=f" {key}", gold=gold(verdicts))
    return made | {"user_input": f"question {reference or key}"} | ({"group": group} if group else {})


LOW = {"Johann Strauss": "found", "Saint Petersburg": "missing", "Rome": "found", "Oslo": "missing"}
"""At 85 one of four is found; people find two, and 82 is enough for that."""

HIGH = LOW | {"Johann Strauss": "missing"}
"""At 85 as people say."""


def bare(key: str, verdicts: dict[str, str], **more: Any) -> Any:
    """Such a sample without gold."""
    made = row(key, verdicts, **more)
    del made["gold"]
    return made


def load(bench: Any, verdicts: dict[str, str], number: int = 12, **more: Any) -> None:
    bench.load([row(f"s{place:02}", verdicts) for place in range(number)], gold="given", blind=0.0, **more)


def fit(bench: Any, dataset: str | None = None, **options: Any) -> Any:
    return stage.calibrate(bench.store, bench.info(dataset), annotator="ann", **options)


def in_use(bench: Any) -> DatasetInfo:
    """A dataset that is calibrated and uses that."""
    load(bench, LOW)
    fit(bench, save="may")
    return stage.use(bench.store, bench.info(), "may", "ann")


def test_the_best_f1_is_called_no_better_than_that_of_calling_every_unit_found(bench: Any) -> None:
    load(bench, HIGH)
    found = fit(bench, objective="f1").found
    as_good = replace(found, trivial=found.chosen.f1)

    best = "85, the threshold in use, has the highest F1"
    assert f"{best}, but no better than calling every unit found" == verdict_lines(as_good)[0]
    undefined = replace(as_good, chosen=replace(as_good.chosen, f1=None))
    assert [best, best] == [verdict_lines(one)[0] for one in (undefined, replace(found, trivial=None))]


def test_a_unit_that_a_person_changed_keeps_its_verdict_by_lineage(bench: Any) -> None:
    """What a person renames is still the automatic unit. Without a plan every sample weighs the same."""
    load(bench, LOW, 11)
    bench.load([bare("own", LOW)])
    bench.verify("own", toggle=["Rome"])

    report = fit(bench)

    human = next(one.human for one in report.gathered.cases if one.id == "own")
    assert [2, 2, 2, 2] == list(human)
    assert (0, 0) == (report.gathered.invented, report.gathered.missed)
    assert ({1.0}, 0) == ({one.weight for one in report.gathered.cases}, report.gathered.alone)


def test_the_threshold_before_a_calibration_is_not_called_the_one_in_use(bench: Any) -> None:
    """Fitted anew while one is in use, the question is still whether it is better than without any."""
    in_use(bench)
    look = fit(bench)
    assert (76, 85) == (look.found.threshold, look.found.threshold_now)

    for chosen, better, advised, said in cases(
        __file__, "what to do with the threshold before a calibration"
    )[1:]:
        text = report_text(replace(look, found=replace(look.found, threshold=chosen, better=better)))

        assert f"What to do: {advised}" in text
        assert f"\n{said}" in text
        assert re.search("\n85 before may +−.250", text)
        assert re.search("\n76 in use" + (", chosen" if chosen == 76 else " ") + " +.500", text)
        assert "85 in use" not in text


def test_what_a_calibration_saw_is_scored_at_thresholds_chosen_without_it(bench: Any) -> None:
    """Samples that share a group or a reference with one it saw are treated as that one."""
    rows = [row(f"s{place:02}", LOW if place < 11 else HIGH, group=f"g{place:02}") for place in range(12)]
    bench.load(rows, gold="given", blind=0.0)
    fit(bench, save="may")
    bench.load([bare("kin", LOW, group="g03"), bare("twin", LOW, reference="s04"), bare("far", LOW)])
    info = stage.use(bench.store, bench.info(), "may", "ann")

    fitted = stage.cross_fitted(bench.store, info)

    assert 12 == fitted.samples
    assert {f"s{place:02}" for place in range(12)} | {"kin", "twin"} == fitted.thresholds.keys()
    assert fitted.thresholds.keys() == seen_ids(bench.store, info)
    assert fitted.thresholds["s03"] == fitted.thresholds["kin"]
    assert fitted.thresholds["s04"] == fitted.thresholds["twin"]
    assert set(fitted.thresholds.values()) <= set(fitted.folds)
    assert "far" not in fitted.thresholds


def half_and_half(bench: Any) -> Any:
    """Six samples that ask for 76 and six for more: without a LOW one 91 is chosen, without a HIGH one 76.

    `far` is verified too, after the calibration was fitted; nothing is in a plan.
    """
    rows = [row(f"s{place:02}", LOW if place < 6 else HIGH, group=f"g{place:02}") for place in range(12)]
    bench.load(rows, gold="given", blind=0.0)
    fit(bench, save="may")
    bench.load([row("far", LOW)], gold="given")
    return stage.use(bench.store, bench.info(), "may", "ann")


def test_what_no_calibration_saw_counts_with_its_mean_over_the_folds(bench: Any) -> None:
    """Seen samples at the threshold of their fold: .25 for LOW at 85, .5 for HIGH at 76; `far` between."""
    info = half_and_half(bench)
    found = figures(bench.store, info)

    assert {85: 6, 76: 6} == Counter(stage.cross_fitted(bench.store, info).folds)
    assert (6 * 0.25 + 6 * 0.5 + 0.375) / 13 == pytest.approx(found.estimate.automatic.value)
    assert (7 * 0.5 + 6 * 0.25) / 13 == pytest.approx(found.estimate.point), "all are verified: it is known"
    by_id = {one.id: one.automatic for one in found.rows}
    assert (0.25, 0.5, 0.25) == (by_id["s00"], by_id["s06"], by_id["far"])
    assert "with their mean over the folds" in found.notes[0]
    beside = {one.scorer: one.automatic for one in found.beside}
    assert (6 * 0.25 + 6 * 0.5 + 0.25) / 13 == pytest.approx(beside["linked"])


def test_every_place_gives_the_error_of_a_calibrated_scorer_over_the_folds(bench: Any) -> None:
    """`compare`, its next step and `--against`: .25, where it is .13 at the threshold that these chose."""
    info = half_and_half(bench)
    found, stats = answer(bench.store, info, "ann", scorer="linked")
    held = compare_against(bench.store, info, "ann", scorer="linked", against="ragas", since=None)
    errors = {one.scorer: one.mae for one in stats.beside}
    (step,) = (step for step in found.steps if step.what == "scorer")

    assert [0.25, 0.25, 0.25] == [stats.paired.mae, errors["linked"], step.before]
    assert [errors["linked"], errors["ragas"]] == [one.value for one in held.errors]
    assert (6 * 0.25 + 6 * 0.5 + 0.25) / 13 == pytest.approx(held.means[0].value)


def test_values_at_the_calibrated_threshold_say_that_they_are_not_cross_fitted(bench: Any) -> None:
    """Figures are; a single sample and the list of disputes are not."""
    info = in_use(bench)
    bench.load([row("far", HIGH)], gold="given")
    whys = {key: explain(bench.store, bench.id(key), "ann", kind="entity") for key in ("s00", "far")}
    listed = disputes.disputes(bench.store, info, "ann", between="ragas~verified").disputes

    assert ("may", "") == (whys["s00"].fitted_by, whys["far"].fitted_by)
    assert {("far", "linked~verified", False)} == {
        (one.id, one.between, one.fitted) for one in listed if one.between == "linked~verified"
    }
    assert not any(one.fitted for one in listed if one.between == "ragas~verified")
    info = keep_threshold(bench.store, info, 90, "ann")  # by hand, which ends the use
    assert ("", 90) == (info.calibration, info.threshold)
    assert stage.UNCALIBRATED == stage.cross_fitted(bench.store, info)


def test_the_prefix_of_a_plan_weighs_by_its_chance_and_others_stand_for_themselves(bench: Any) -> None:
    """A plan draws 4 of 30 and one is reviewed: it stands for 30; gold of a file behind it for itself."""
    with_gold = [row(f"s{place:02}", LOW) for place in range(12)]
    bench.load([*with_gold, *(bare(f"n{n:02}", LOW) for n in range(18))], gold="given", blind=0.0)
    info = bench.info()
    plan.make(bench.store, info, plan.draft(bench.store, info, Wish(4), "ann"))
    bench.change("UPDATE sample SET rank = (1 + (key = 'n01')) / 1e9 WHERE key IN ('n00', 'n01')")
    bench.verify("n00")

    report = fit(bench)

    weights = {one.id: one.weight for one in report.gathered.cases}
    assert 13 == len(weights) == pytest.approx(sum(weights.values()))
    assert 30 == pytest.approx(weights["n00"] / weights["s00"])
    assert 12 == report.gathered.alone
    assert "samples weigh 1 / their chance in the plan, 12 outside the plan's order 1;" in report_text(report)


def test_the_file_gives_a_pipeline_all_that_the_database_has(bench: Any) -> None:
    load(bench, LOW)
    path = bench.folder / "calibration.json"
    report = fit(bench, save="may", out=path)

    found = calibration.load(path)

    assert (76, "linked", "may") == (found.threshold, found.scorer, found.name)
    assert [report.found.model.probability(at) for at in range(101)] == [
        found.probability(at) for at in range(101)
    ]
    assert {f"s{place:02}" for place in range(12)} == {one.id for one in found.gold.samples}
    assert 0.5 == pytest.approx(found.correct(0.25, 4, match_threshold=85).value)
    assert found == calibration.load(bench.folder)
    with pytest.raises(ExportError, match="--force"):
        fit(bench, out=path)
    with pytest.raises(ValueError, match="no correction for scores at match threshold 50; there is: 76, 85"):
        found.correct(0.25, 4, match_threshold=50)


def test_a_metric_with_the_file_counts_by_the_policy_that_it_was_made_under(bench: Any) -> None:
    load(bench, LOW)
    change_policy(bench.store, bench.info(), to_toml(bench.info().policy).replace('"other"', '"city"'), "ann")
    path = bench.folder / "calibration.json"
    fit(bench, out=path)

    own = ContextEntityRecall(calibration=path)

    assert ("city", Policy().guidelines) == (own.policy.label_names()[-1], own.policy.guidelines)
    assert Policy() == ContextEntityRecall(calibration=path, policy=Policy()).policy


@from_cases
def test_a_file_that_is_no_calibration_says_what_is_off(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=said):
        calibration.load(path)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"n": ' + "9" * 5_000 + "}"], ids=["deep", "long"])
def test_a_file_that_json_does_not_hold_is_no_calibration(tmp_path: Path, text: str) -> None:
    test_a_file_that_is_no_calibration_says_what_is_off(tmp_path, text, "not JSON")


def test_a_calibration_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no such file"):
        calibration.load(tmp_path / "none.json")


def test_every_field_that_is_read_is_checked(bench: Any) -> None:
    load(bench, LOW)
    document = dict(fit(bench).document)
    path = bench.folder / "bad.json"

    def refused(broken: str, said: str) -> None:
        path.write_text(broken, "utf-8")
        with pytest.raises(InputError, match=rf"bad\.json: not a calibration: {said}"):
            calibration.load(path)

    for field in ("threshold", "scorer", "model", "band", "corrections"):
        refused(json.dumps(document | {field: [None]}), field)
        refused(json.dumps({key: document[key] for key in document if key != field}), field)
    document["model"] = {**document["model"], "none": "RATE"}
    for rate, said in (
        ('"nan"', "model.none"), ("1e999", "not JSON compliant"),
        ("1.5", "a probability lies between 0 and 1"),
    ):  # fmt: skip
        refused(json.dumps(document).replace('"RATE"', rate), f".*{said}")


def test_the_same_gold_in_another_order_gives_the_same_calibration(bench: Any, tmp_path: Any) -> None:
    load(bench, LOW, 14)
    rows = [row(f"s{place:02}", LOW) for place in reversed(range(14))]
    bench.load(rows, gold="given", dataset="again", blind=0.0)

    one = fit(bench, "data").document
    other = fit(bench, "again").document

    differ = {"dataset", "created_at"}
    assert {name: one[name] for name in one if name not in differ} == {
        name: other[name] for name in other if name not in differ
    }


def test_an_alias_proves_nothing_in_the_sample_that_taught_it_nor_in_its_group(bench: Any) -> None:
    """Their similarities stay what the matcher alone says."""
    groups = {"one": "g", "kin": "g", "two": "h"}
    bench.load([naming(key, ["Yamuna"], ["Jumna"], group=group) for key, group in groups.items()])
    run = stage.needed_run(bench.store, bench.info())
    seen = []
    for edits in ((), (do(0, editing.same_thing, Evidence(0, 0, 5)), accepted())):
        bench.act("one", *edits)
        score_dataset(bench.store, bench.info())
        found = similarities(bench.store, run.id, "linked")
        seen.append([found[bench.id(key)] for key in groups])

    assert [[bytes([0])] * 3, [bytes([0]), bytes([0]), bytes([96])]] == seen
