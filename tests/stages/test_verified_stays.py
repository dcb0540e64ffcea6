"""What a person verified stays byte for byte, whatever the machines do afterwards."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import accepted, do
from workbench import reports
from workbench.formats.policy import to_toml
from workbench.stages import editing
from workbench.stages.policy import change_policy
from workbench.stages.propose import propose
from workbench.stages.recompute import score_dataset
from workbench.store.scores import load_scores

DEMO = Path(__file__).parents[2] / "workbench" / "demo_data" / "demo.jsonl"


@pytest.fixture
def reviewed(demo: Any) -> Any:
    """The packaged demo with two more samples verified by hand, each edited before and after the accept."""
    for key in ("taj-high", "eiffel-ru"):
        demo.act(key, do(0, editing.toggle), accepted(), do(1, editing.relabel, "other"))
    return demo


def score_document(bench: Any, threshold: int | None = None) -> dict[str, Any]:
    report = score_dataset(bench.store, bench.info("demo"), threshold=threshold)
    document: dict[str, Any] = json.loads(json.dumps(reports.score_document(report)))
    return document


def verified_document(bench: Any) -> str:
    """All that reports say of verified values, as text."""
    document = score_document(bench)
    names = "id", "verified", "unresolved", "excluded"
    samples = [[one[name] for name in names] for one in document["samples"]]
    means = {name: mean for name, mean in document["means"].items() if name.startswith("verified")}
    return json.dumps([samples, means])


def a_new_run(bench: Any) -> None:
    report = propose(bench.store, bench.info("demo"), "rules", annotator="ann")
    assert report.proposed == 50


def another_threshold(bench: Any) -> None:
    before = score_document(bench)
    after = score_document(bench, threshold=60)
    assert before["samples"] != after["samples"]


def a_re_import(bench: Any) -> None:
    assert bench.load(DEMO, dataset="demo", gold="given").unchanged == 50


def an_update_with_the_same_text(bench: Any) -> None:
    assert bench.load(DEMO, dataset="demo", gold="given", update=True).unchanged == 50


def another_policy(bench: Any) -> None:
    text = to_toml(bench.info("demo").policy).replace('nested = "missing"', 'nested = "found"')
    text = text.replace('3 = "organisation"', '3 = "club"').replace('"3" = "organisation"', '"3" = "club"')
    report = change_policy(bench.store, bench.info("demo"), text, "bo")
    assert (report.version, report.changed, bench.info("demo").policy.nested) == (2, True, "found")
    assert {"taj-high", "eiffel-ru"} <= set(report.stale)


CHANGES = (a_new_run, another_threshold, a_re_import, an_update_with_the_same_text, another_policy)


def test_verified_samples_are_unchanged_by_each_change_and_a_restart(reviewed: Any) -> None:
    """Journal, heads, every gold row with its id and document, and every verified figure of the reports."""
    tables, document = reviewed.tables("review", "review_event", "gold_unit"), verified_document(reviewed)
    shown = {key: reviewed.open(key).state for key in ("taj-high", "eiffel-ru")}

    for change in CHANGES:
        change(reviewed)
        reviewed.reopen()

        assert reviewed.tables("review", "review_event", "gold_unit") == tables, change
        assert verified_document(reviewed) == document, change
        assert {key: reviewed.open(key).state for key in shown} == shown, change


def test_another_threshold_leaves_the_stored_scores_of_the_first(reviewed: Any) -> None:
    """Scores are kept by run, matcher and threshold: going back counts nothing anew."""

    info = reviewed.info("demo")
    score_dataset(reviewed.store, info)
    before = load_scores(reviewed.store, info.run_id, 85)

    score_dataset(reviewed.store, info, threshold=70)

    assert load_scores(reviewed.store, info.run_id, 85) == before
    assert info.threshold == reviewed.info("demo").threshold == 85
    stored = reviewed.tables("score")
    score_dataset(reviewed.store, info)
    assert reviewed.tables("score") == stored
