"""What the queue's queries cost, each against a bare sqlite3 statement that does the same scan.

    python -m tests.benchmarks.queue_views [--samples 100000] [--rounds 5]

Both in the same run. Prints medians of CPU seconds, the median of their ratios, and how many samples were
found. A view's bare statement reads the same rows and brings the same ids; a page's reads the columns that
are shown.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import time
from collections.abc import Callable
from contextlib import closing

from tests.benchmarks.many_samples import database
from workbench.stages import queue
from workbench.stages.queue_values import facets
from workbench.store.datasets import DatasetInfo, find_dataset
from workbench.store.engine import Store, open_store
from workbench.text.query import Query, parse

ANNOTATOR = "ann"
TEXT = "user_input LIKE '%{0}%' OR reference LIKE '%{0}%' OR key LIKE '%{0}%'"
BARE = {
    "": "SELECT id FROM sample ORDER BY rank",
    "state:todo": "SELECT id FROM sample WHERE id NOT IN (SELECT sample_id FROM review) ORDER BY rank",
    "state:verified": "SELECT id FROM sample WHERE id IN (SELECT sample_id FROM review) ORDER BY rank",
    "names": f"SELECT id FROM sample WHERE {TEXT.format('names')} ORDER BY rank",
    '"stand in text 77"': f"SELECT id FROM sample WHERE {TEXT.format('stand in text 77')} ORDER BY rank",
    "слово": f"SELECT id FROM sample WHERE {TEXT.format('слово')} ORDER BY rank",
    "id:999": "SELECT id FROM sample WHERE key LIKE '%999%' ORDER BY rank",
    "lang:ru": "SELECT id FROM sample WHERE json_extract(meta, '$.lang') = 'ru' ORDER BY rank",
    "label:date": (
        "SELECT id FROM sample WHERE id IN (SELECT sample_id FROM proposal "
        "WHERE json_extract(document, '$.reference_entities') LIKE '%\"label\":\"date\"%') ORDER BY rank"
    ),
    "delta>0.2": (
        "SELECT sample_id, found FROM score WHERE scorer = 'linked' "
        "AND sample_id IN (SELECT sample_id FROM review)"
    ),
}
ORDERS: dict[queue.Order, str] = {
    "file": "SELECT id FROM sample ORDER BY id",
    "delta": BARE["delta>0.2"],
    "doubt": "SELECT sample.id FROM sample JOIN counted ON sample_id = sample.id ORDER BY doubt DESC",
}


def cpu(work: Callable[[], object]) -> tuple[float, object]:
    """CPU seconds of a call, and what it brought."""
    before = time.process_time()
    found = work()
    return time.process_time() - before, found


def measured(store: Store, raw: sqlite3.Connection) -> list[tuple[str, Callable[[], object], str]]:
    """Every measured call with its name and its bare statement."""
    info = find_dataset(store, None)
    calls: list[tuple[str, Callable[[], object], str]] = []
    for text, bare in BARE.items():
        query = parse(text)
        assert isinstance(query, Query)
        calls.append((text or "all samples", lambda query=query: _ids(store, info, query, "u"), bare))  # type: ignore[misc]
    for order, bare in ORDERS.items():
        calls.append((f"order {order}", lambda order=order: _ids(store, info, Query(), order), bare))  # type: ignore[misc]
    page = [number for (number,) in raw.execute("SELECT id FROM sample ORDER BY rank LIMIT 100")]
    shown = (
        f"SELECT key, substr(reference, 1, 200), blind_u FROM sample WHERE id IN ({','.join(map(str, page))})"
    )
    calls.append(("a page of 100 rows", lambda: queue.queue_rows(store, info, ANNOTATOR, page), shown))
    first = "SELECT id FROM sample WHERE id NOT IN (SELECT sample_id FROM review) ORDER BY rank LIMIT 1"
    calls.append(("next sample", lambda: queue.next_sample(store, info, ANNOTATOR), first))
    counts = "SELECT count(*), (SELECT count(*) FROM review) FROM sample"
    calls.append(("progress", lambda: queue.progress(store, info, ANNOTATOR), counts))
    few = "SELECT meta, group_key, document FROM sample JOIN proposal ON sample_id = sample.id LIMIT 5000"
    calls.append(("facets", lambda: facets(store, info, ANNOTATOR), few))
    return calls


def _ids(store: Store, info: DatasetInfo, query: Query, order: queue.Order) -> int:
    return len(queue.queue_ids(store, info, ANNOTATOR, query, order))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()

    path = database(options.samples)
    store = open_store(str(path))
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA cache_size=-32000")
        print(f"{options.samples:,} samples, {options.rounds} rounds, CPU seconds")
        for name, work, bare in measured(store, raw):
            ours, floor, ratios = [], [], []
            for _ in range(options.rounds):
                mine, found = cpu(work)
                theirs, _ = cpu(lambda: raw.execute(bare).fetchall())  # noqa: B023
                ours.append(mine)
                floor.append(theirs)
                ratios.append(mine / max(theirs, 1e-6))
            number = f"{found:>9,}" if isinstance(found, int) else " " * 9
            print(
                f"{name:<22} {number} {statistics.median(ours):8.4f}  bare {statistics.median(floor):8.4f}"
                f"  ratio {statistics.median(ratios):6.1f}"
            )
    store.close()


if __name__ == "__main__":
    main()
