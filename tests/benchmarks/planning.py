"""Making plans of many samples, and reading the prefix; in a ratio to reading every sample's row once.

    python tests/benchmarks/planning.py [SAMPLES]

Every sample has 500 characters of text and a doubt; 1,000 are reviewed before the prefix is read. Prints
medians of interleaved rounds; the floor is one `SELECT` over the columns that a plan looks at.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.matching import MATCHER
from workbench.model import Policy
from workbench.stages import plan
from workbench.stages.plan import Wish, prefix
from workbench.store import plans
from workbench.store.datasets import DatasetInfo, create_dataset, dataset_info, set_dataset
from workbench.store.engine import Store, open_store
from workbench.store.runs import create_run
from workbench.store.samples import draw
from workbench.store.tables import METADATA, CountedRow, SampleRow

ROUNDS = 5
REVIEWED = 1_000


def fill(store: Store, n: int) -> DatasetInfo:
    """A dataset of n samples in 5,000 groups and three languages, every fourth doubtful."""
    dataset = create_dataset(store, "many", seed=1, policy=Policy(), annotator="ann")
    run = create_run(store, dataset, "p", "", {}, "ann")
    set_dataset(store, dataset, run_id=run)
    samples: list[dict[str, Any]] = []
    counted: list[dict[str, Any]] = []
    for number in range(n):
        u, blind_u = draw(1, f"s{number}")
        samples.append(
            {
                "id": number + 1, "dataset_id": dataset, "key": f"s{number}", "user_input": "q" * 100,
                "reference": "r" * 200, "retrieved_contexts": ["c" * 200], "group_key": f"g{number % 5_000}",
                "meta": {"lang": ("en", "de", "ru")[number % 3]}, "reference_hash": f"r{number}",
                "content_hash": f"c{number}", "u": u, "blind_u": blind_u, "rank": u, "size": 1.0,
                "stratum": "", "holdout": False,
            }
        )  # fmt: skip
        counted.append(
            {
                "sample_id": number + 1, "run_id": run, "matcher": MATCHER, "linked": b"\x64" * 5,
                "presence": b"\x64" * 5, "tallies": {}, "doubt": 0.1 if number % 4 else 1.1,
            }
        )  # fmt: skip
    store.insert(SampleRow, samples)
    store.insert(CountedRow, counted)
    return dataset_info(store, dataset)


def review(store: Store, info: DatasetInfo) -> None:
    """Heads of reviews for the first samples of the order."""
    heads = [
        {
            "dataset_id": info.id, "sample_id": number, "annotator": "ann", "origin": "reviewed",
            "policy_version": 1, "shown": "assisted", "seq": 1, "entity": "verified", "statement": "todo",
            "flag": "", "updated_at": datetime.now(UTC), "off_plan": False,
        }
        for number in plans.in_order(store, info.id, REVIEWED)
    ]  # fmt: skip
    with store.writing() as session:
        session.execute(METADATA.tables["review"].insert(), heads)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder, "many.db")))
        info = fill(store, n)

        def make(wish: Wish) -> Callable[[], object]:
            return lambda: plan.make(store, info, plan.draft(store, info, wish, "ann"))

        works = {
            "every row read": lambda: plans.candidates(store, info.id),
            "simple": make(Wish(60)),
            "by strata, a fifth kept back": make(Wish(60, "stratified", "group", holdout=0.2)),
            "stratified": make(Wish(60, "stratified", "meta.lang")),
        }
        seconds: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(ROUNDS):
            for name, work in works.items():
                seconds[name].append(timed(work))
        review(store, info)
        seconds["prefix of 1,000"] = [timed(lambda: prefix(store, info, "entity")) for _ in range(ROUNDS)]
        floor = statistics.median(seconds["every row read"])
        print(f"{n:,} samples, medians of {ROUNDS} interleaved rounds")
        for name, taken in seconds.items():
            middle = statistics.median(taken)
            print(f"  {name:<28} {middle:7.3f} s  {middle / floor:6.2f} × every row read")
        store.close()


if __name__ == "__main__":
    main()
