"""What the figures say while annotators differ: ranges, and nothing that is called known."""

import random
from typing import Any

import pytest

from tests.rows import gold, proposal, sample
from workbench.comparing import words
from workbench.reports.compare import figures_text
from workbench.stages.figures import figures
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
