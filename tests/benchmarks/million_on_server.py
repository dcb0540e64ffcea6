"""A million samples on PostgreSQL: hold the next one, find the next one, read a page while the ids stream.

    python -m tests.benchmarks.million_on_server [--samples 1000000] [--times 50]

Half of the samples are decided. Milliseconds on the wall, the median and the slowest twentieth, and the
median of the processor time of the program and of the server. A private server is made and filled.
"""

import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

from sqlalchemy import text

from tests.benchmarks import team
from tests.benchmarks.harness import options
from tests.benchmarks.many_samples import multiply
from tests.postgres import running
from workbench.stages import queue
from workbench.stages.queue_values import queue_ids
from workbench.store.assignments import claim
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store, open_store
from workbench.tui.screens.queue import ABOVE, BELOW

FIRST = 1000
"""Samples that are imported; the others are copies of them."""


def fill(store: Store, samples: int) -> None:
    """So many samples with a place each; sixteen people decided every second one."""
    with tempfile.TemporaryDirectory() as folder:
        team.make(store, Path(folder), FIRST, 0)
    decided = "SELECT id, dataset_id, 'p' || (id / 2) % 16 AS who FROM sample WHERE id % 2 = 0"
    with store.writing() as session:
        multiply(session.connection(), samples // FIRST - 1, sample="1 = 1")
        for statement in (
            "INSERT INTO review (dataset_id, sample_id, annotator, origin, policy_version, shown, seq, "
            "entity, statement, flag, updated_at, off_plan) SELECT dataset_id, id, who, 'reviewed', 1, "
            f"'assisted', 1, 'verified', 'todo', '', now(), false FROM ({decided}) d",
            "INSERT INTO assignment (dataset_id, sample_id, slot, rank, annotator, done, extra) "
            "SELECT s.dataset_id, s.id, 1, s.rank, r.annotator, r.id IS NOT NULL, false FROM sample s "
            "LEFT JOIN review r ON r.sample_id = s.id",
            "UPDATE dataset SET overlap = 1",
        ):
            session.execute(text(statement))
    team.analyzed(store, "VACUUM ANALYZE")


def timed(store: Store, times: int, work: Callable[[int], object]) -> str:
    """What some work takes, done so many times."""
    walls, spent, own, pid = [], [], [], team.of_server(store)
    for number in range(times):
        begun, before, here = time.perf_counter(), team.processor(pid), time.process_time()
        work(number)
        walls.append(1000 * (time.perf_counter() - begun))
        spent.append(1000 * (team.processor(pid) - before))
        own.append(1000 * (time.process_time() - here))
    slow = quantiles(walls, n=20)[-1]
    cpu = f"{median(own):.1f} ms of processor time here, {median(spent):.1f} of the server"
    return f"{median(walls):.1f} ms, slowest twentieth {slow:.1f}; {cpu}"


def page(store: Store) -> None:
    """What the queue shows first."""
    with store.snapshot():
        queue.first(store, find_dataset(store, None), "ada", ABOVE, BELOW)


def main() -> None:
    given = options(__doc__, samples=1_000_000, times=50)
    with running() as server, server.database() as url, closing(open_store(url)) as store:
        begun = time.monotonic()
        fill(store, given.samples)
        print(f"{given.samples:,} samples made in {time.monotonic() - begun:.0f} s")
        info = find_dataset(store, None)
        page(store)
        works: dict[str, Callable[[int], object]] = {
            "claim": lambda number: claim(store, info, f"q{number}"),
            "next, held": lambda _: queue.next_sample(store, info, "q1"),
            "next, no assignments": lambda _: queue.next_sample(store, replace(info, overlap=0), "q1"),
            "first page": lambda _: page(store),
        }
        for name, work in works.items():
            print(f"{name}: {timed(store, given.times, work)}")
        walls: list[float] = []
        begun = time.perf_counter()
        reading = threading.Thread(target=queue_ids, args=(store, info, "ada"))
        reading.start()
        while reading.is_alive():
            one = time.perf_counter()
            page(store)
            walls.append(1000 * (time.perf_counter() - one))
        took = time.perf_counter() - begun
        meanwhile = f"{len(walls)}, {median(walls):.1f} ms, most {max(walls):.1f}"
        print(f"all ids: {took:.1f} s; pages meanwhile: {meanwhile}")


if __name__ == "__main__":
    main()
