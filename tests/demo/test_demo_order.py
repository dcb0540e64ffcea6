"""The demo's order: its gold is a plan that was carried out, and the next samples are easy to judge."""

from __future__ import annotations

from tests.conftest import Bench
from workbench.stages.plan import prefix
from workbench.stages.queue import queue_ids
from workbench.store.datasets import find_dataset
from workbench.store.samples import sample_ids


def test_the_gold_of_the_demo_is_the_whole_beginning_of_its_order(demo: Bench) -> None:
    """So it has the chance of a simple plan, and the comparison has an estimate."""
    begun = prefix(demo.store, find_dataset(demo.store, "demo"), "entity")

    assert {"verified": 13} == begun.counts
    assert ("simple", True, 0) == (begun.design, begun.at_planned_n, begun.beyond)
    assert {13 / 50} == {row.pi for row in begun.rows}


def test_the_first_samples_to_review_are_english(demo: Bench) -> None:
    """A newcomer judges them without help; none is empty, and no two have the same reference."""
    info = find_dataset(demo.store, "demo")
    names = {number: name for name, number in sample_ids(demo.store, info.id).items()}
    order = [names[number] for number in queue_ids(demo.store, info, "ann")]

    assert ["www", "mona-lisa", "eiffel-en", "bolt-bm25", "python", "france"] == order[13:19]
