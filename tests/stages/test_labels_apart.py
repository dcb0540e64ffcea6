"""People who differ only in labels agree: verdicts decide, and the labels leave as disputed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.rows import gold, proposal, sample
from workbench.stages.export import ExportOptions, export
from workbench.stages.figures import figures
from workbench.stages.policy import change_policy, policy_text


def row(number: int, *labels: str) -> dict[str, Any]:
    """A sample whose one name, found for everybody, has a label from each annotator."""
    said = [gold({"Paris": "found"}, f"a{place}", label) for place, label in enumerate(labels)]
    proposed = proposal(["Paris"], ["Paris"])
    return sample(f"s{number:02}", f"Paris, {number}.", "Paris.", proposal=proposed, gold=said)


def settled(bench: Any) -> tuple[int, int]:
    """How many samples the figures count as unresolved, and how many have gold."""
    found = figures(bench.store, bench.info())
    return found.counts.unresolved, found.paired.n


def written(bench: Any, folder: Path) -> list[dict[str, Any]]:
    export(bench.store, bench.info("data"), folder, ExportOptions(names=True), annotator="ann")
    return [json.loads(line) for line in (folder / "samples.jsonl").read_text("utf-8").splitlines()]


def test_a_label_alone_opens_no_sample(bench: Any) -> None:
    bench.load([row(n, "place", "person" if n < 3 else "place") for n in range(12)], gold="require")

    assert (0, 12) == settled(bench)


def test_a_label_that_the_policy_does_not_count_opens_its_sample(bench: Any) -> None:
    bench.load([row(n, "place", "person" if n < 3 else "place") for n in range(12)], gold="require")
    text = policy_text(bench.info())
    assert "counted_labels = []" in text
    counted = text.replace("counted_labels = []", 'counted_labels = ["place"]')
    change_policy(bench.store, bench.info(), counted, "ann")

    assert (3, 9) == settled(bench)


def test_another_label_of_the_same_annotator_is_still_other_gold(bench: Any) -> None:
    """Two people may differ in a label; a file may not change one silently."""
    bench.load([row(1, "place")], gold="require")
    report = bench.load([row(1, "person")], gold="require")

    assert "other gold of annotator 'a0'" in report.errors[0]


def test_an_export_marks_the_labels_that_differ_and_comes_back_equal(bench: Any, tmp_path: Path) -> None:
    bench.load([row(1, "place", "person"), row(2, "place", "place")], gold="require")
    first, second = written(bench, tmp_path / "out")

    assert [True, True] == [one["entities"][0].get("label_disputed") for one in first["gold"]]
    assert [None, None] == [one["entities"][0].get("label_disputed") for one in second["gold"]]
    assert ["place", "person"] == [one["entities"][0]["label"] for one in first["gold"]]

    report = bench.load(tmp_path / "out" / "samples.jsonl", gold="require", dataset="again")
    assert [] == [note for note in report.notes if "label_disputed" in note]
    again = tmp_path / "again"
    export(bench.store, bench.info("again"), again, ExportOptions(names=True), annotator="ann")
    before, after = (folder / "samples.jsonl" for folder in (tmp_path / "out", again))
    assert before.read_bytes() == after.read_bytes()
