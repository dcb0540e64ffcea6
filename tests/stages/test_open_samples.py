"""What the figures say while annotators differ: ranges, and nothing that is called known."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.rows import gold, proposal, sample
from workbench.comparing import words
from workbench.formats.policy import to_toml
from workbench.reports.compare import figures_text
from workbench.stages.export import ExportOptions, export
from workbench.stages.figures import figures
from workbench.stages.policy import change_policy
from workbench.text.figures import number as shown

CITIES = ("Agra", "Boston", "Cairo", "Delhi", "Essen", "Fargo", "Ghent", "Hanoi")


def rows(count: int, annotators: int, *, differ: float, seed: int = 5) -> list[dict[str, Any]]:
    """Samples of four cities with gold of several annotators; each flips a verdict with that chance."""
    chance = random.Random(seed)
    made = []
    for number in range(count):
        cities = chance.sample(CITIES, 4)
        there = [city for city in cities if chance.random() < 0.5]
        proposed = [city for city in cities if chance.random() < 0.8] or cities[:1]

        def verdict(city: str, there: list[str] = there) -> str:
            return "found" if (city in there) != (chance.random() < differ) else "missing"

        row = sample(
            f"s{number:03}", f"In {number} there are {', '.join(cities)}.",
            f"They saw {' and '.join(there)}." if there else "They saw nothing.",
            proposal=proposal(proposed, there, proposer="claude"),
            gold=[gold({c: verdict(c) for c in cities}, f"annotator {n}") for n in range(annotators)],
        )  # fmt: skip
        made.append(row)
    return made


def ends_of(made: list[dict[str, Any]]) -> tuple[float, float, int]:
    """The mean of all samples at the annotators' lowest and highest recalls, and how many differ; by hand."""
    lows, highs, differing = [], [], 0
    for row in made:
        said = [[unit["verdict"] for unit in one["entities"]] for one in row["gold"]]
        recalls = [one.count("found") / len(one) for one in said]
        lows.append(min(recalls))
        highs.append(max(recalls))
        differing += len({tuple(one) for one in said}) > 1
    return sum(lows) / len(lows), sum(highs) / len(highs), differing


def test_five_annotators_who_differ_leave_a_range_and_nothing_known(bench: Any) -> None:
    made = rows(200, 5, differ=0.02)
    low, high, differing = ends_of(made)
    assert 20 < differing < 180
    bench.load(made, gold="require", blind=0.0)

    found: Any = figures(bench.store, bench.info())
    text = figures_text(found)

    assert (200, 200 - differing, differing) == (found.estimate.total, found.estimate.n, found.estimate.open)
    assert "range" == found.estimate.method
    assert (low, high) == pytest.approx((found.estimate.reach.low, found.estimate.reach.high))
    assert "known" not in text.replace("(not known how fast)", "")
    line = next(line for line in text.splitlines() if line.startswith("  verified, all 200"))
    wanted = f"between {shown(low)} and {shown(high)}"
    assert ["verified,", "all", "200", *wanted.split()] == line.split()[:7]
    assert line.endswith(f"{200 - differing} settled, {differing} open; the mean is of 200")
    assert {} == found.estimated, "causes of the settled samples are not those of all"


def test_fewer_than_ten_settled_samples_give_counts_and_the_range_of_the_open_ones(bench: Any) -> None:
    made = rows(40, 5, differ=0.3)
    low, high, differing = ends_of(made)
    assert 40 - differing < 10
    bench.load(made, gold="require", blind=0.0)

    found: Any = figures(bench.store, bench.info()).estimate
    text = "\n".join(fact.line for fact in words.estimate_facts(found))

    assert (None, None, None) == (found.point, found.bias, found.corpus)
    assert "counts only" in found.refusal or "nothing is settled" == found.refusal
    assert (low, high) == pytest.approx((found.reach.low, found.reach.high))
    assert f"{40 - differing} settled, {differing} open; the mean is of 40" in text
    assert "known" not in text


def test_nine_samples_that_are_all_verified_are_counts_alone(bench: Any) -> None:
    bench.load(rows(9, 1, differ=0), gold="require", blind=0.0)

    found = figures(bench.store, bench.info()).estimate

    assert "9 verified samples, fewer than 10" == found.refusal
    assert found.point is None


def test_unsure_units_make_the_verified_mean_a_range(bench: Any) -> None:
    made = rows(20, 1, differ=0)
    for row in made[:12]:
        row["gold"][0]["entities"][0]["verdict"] = "unsure"
    bench.load(made, gold="require", blind=0.0)

    found: Any = figures(bench.store, bench.info())
    facts = {fact.name: fact for fact in words.estimate_facts(found.estimate)}

    assert ("range", 12) == (found.estimate.method, found.estimate.unsure)
    assert 12 / 80 == pytest.approx(found.estimate.reach.width)
    assert "20 settled (12 with unsure units); the mean is of 20" == facts["verified, all 20"].note
    assert facts["verified, all 20"].value.startswith("between ")


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
    text = to_toml(bench.info().policy)
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
