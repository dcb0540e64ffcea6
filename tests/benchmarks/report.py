"""`workbench compare` over 100,000 samples of which 1,000 were reviewed in queue order.

Three times as a process: the first works out why each reviewed sample differs, the others find that kept.
Beside it a floor in the same run: a bare Python process that reads the same columns from the same file and
adds them up. The bar is 5 s.

    python -m tests.benchmarks.report [SAMPLES] [REVIEWED]
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.many_samples import database, environment
from tests.benchmarks.pty_app import installed
from workbench.stages import editing, queue, review
from workbench.stages.recompute import score_dataset
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store

FLOOR = """
import sqlite3, sys
raw = sqlite3.connect(sys.argv[1])
recall = {n: f / (f + m + u) for n, f, m, u in raw.execute(
    "SELECT sample_id, found, missing, unsure FROM score WHERE scorer = 'linked'") if f + m + u}
places = {n: (key, group) for n, key, group in raw.execute("SELECT id, key, group_key FROM sample")}
gold = dict(raw.execute("SELECT sample_id, avg(verdict = 'found') FROM gold_unit GROUP BY sample_id"))
print(sum(recall[n] for n in places) / len(places), sum(recall[n] - gold[n] for n in gold) / len(gold))
"""


def reviewed(path: Path, number: int) -> None:
    """Accept the first samples of the queue, with every third unit rejected."""
    store = open_store(str(path))
    try:
        info = find_dataset(store, None)
        score_dataset(store, info)
        for step in range(number):
            following = queue.next_sample(store, info, "ann")
            assert following is not None
            opened = review.open_sample(store, following, "ann")
            units = opened.state.entity.assessment.units
            if step % 3 == 0 and units:
                opened = review.act(store, opened, editing.reject(opened, units[0]))
            review.act(store, opened, editing.accept(opened, "entity"))
    finally:
        store.close()


def seconds(command: list[str]) -> float:
    """How long a process takes."""
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment())
    return time.perf_counter() - begun


def main(samples: int = 100_000, number: int = 1_000) -> None:
    """Print the seconds and their ratio to the floor."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "samples.db")
        shutil.copy(database(samples), copy)
        reviewed(copy, number)
        report = [installed(), "--db", str(copy), "compare", "--full"]
        floor = [sys.executable, "-c", FLOOR, str(copy)]
        first = seconds(report)
        pairs = [(seconds(report), seconds(floor)) for _ in range(3)]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"{samples:,} samples, {number:,} reviewed: first {first:.2f} s, then {ours:.2f} s (bar 5)")
    print(f"reading and adding up the same columns: {theirs:.2f} s, ratio {ours / theirs:.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
