"""What the stages cost over many samples, each against the least work that brings the same.

    python -m tests.benchmarks.calls [--samples 100000] [--reviewed 1000] [--rounds 5]

A floor is a bare sqlite3 statement that does the same scan, or a bare set or numpy pass over the same values.
Samples are reviewed in queue order, with the first unit of every third rejected, before the figures are
counted; the first count works out why each reviewed sample differs, the others find that kept.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import numpy as np

from tests.benchmarks.harness import Work, compared, cpu_seconds, options
from tests.benchmarks.many_samples import database
from workbench import model
from workbench.comparing.curve import mean_curve, move_to, moves, vectors
from workbench.model import Proposal, ProposedEntity
from workbench.scoring.scorers import exact_strings
from workbench.stages import editing, plan, queue, review
from workbench.stages.figures import figures
from workbench.stages.queue import facets, queue_rows
from workbench.stages.queue_values import count_now, queue_ids
from workbench.store import plans, queue as stored
from workbench.store.datasets import DatasetInfo, find_dataset
from workbench.store.engine import Store, open_store
from workbench.text.query import Order, Query, parse

ANNOTATOR = "ann"
REVIEWED = "(SELECT sample_id FROM review)"
TEXT = "SELECT id FROM sample WHERE user_input LIKE '%{0}%' OR reference LIKE '%{0}%' OR key LIKE '%{0}%'"
VIEWS = {
    "": "SELECT id FROM sample ORDER BY rank",
    "state:todo": f"SELECT id FROM sample WHERE id NOT IN {REVIEWED} ORDER BY rank",
    "state:verified": f"SELECT id FROM sample WHERE id IN {REVIEWED} ORDER BY rank",
    "names": f"{TEXT.format('names')} ORDER BY rank",
    '"stand in text 77"': f"{TEXT.format('stand in text 77')} ORDER BY rank",
    "слово": f"{TEXT.format('слово')} ORDER BY rank",
    "id:999": "SELECT id FROM sample WHERE key LIKE '%999%' ORDER BY rank",
    "lang:ru": "SELECT id FROM sample WHERE json_extract(meta, '$.lang') = 'ru' ORDER BY rank",
    "label:date": (
        "SELECT id FROM sample WHERE id IN (SELECT sample_id FROM proposal "
        "WHERE json_extract(document, '$.reference_entities') LIKE '%\"label\":\"date\"%') ORDER BY rank"
    ),
    "delta>0.2": f"SELECT sample_id, found FROM score WHERE scorer = 'linked' AND sample_id IN {REVIEWED}",
}
ORDERS: dict[Order, str] = {
    "file": "SELECT id FROM sample ORDER BY id",
    "delta": VIEWS["delta>0.2"],
    "doubt": "SELECT sample.id FROM sample JOIN counted ON sample_id = sample.id ORDER BY doubt DESC",
}
Bare = Callable[[str], Work]
Call = tuple[str, Work, Work]


def views(store: Store, info: DatasetInfo, bare: Bare) -> Iterator[Call]:
    """Every view, a page of one, and what stands around it."""

    def ids(query: Query, order: Order) -> Work:
        return lambda: queue_ids(store, info, ANNOTATOR, query, order)

    for text, sql in VIEWS.items():
        query = parse(text)
        assert isinstance(query, Query)
        yield text or "all samples", ids(query, "u"), bare(sql)
    for order, sql in ORDERS.items():
        yield f"order {order}", ids(Query(), order), bare(sql)
    page = list(queue_ids(store, info, ANNOTATOR))[:100]
    shown = ", ".join(map(str, page))
    columns = "SELECT key, substr(reference, 1, 200), blind_u FROM sample"
    some = "SELECT meta, group_key, document FROM sample JOIN proposal ON sample_id = sample.id LIMIT 5000"
    own = store, info, ANNOTATOR
    yield (
        "a page of 100 rows",
        lambda: queue_rows(*own, page, count_now),
        bare(f"{columns} WHERE id IN ({shown})"),
    )
    yield "next sample", lambda: queue.next_sample(*own), bare(VIEWS["state:todo"])
    counts = "SELECT count(*), (SELECT count(*) FROM review) FROM sample"
    yield "progress", lambda: stored.progress(*own), bare(counts)
    yield "facets", lambda: facets(*own), bare(some)


def planned(store: Store, info: DatasetInfo) -> Iterator[Call]:
    """Drafts of plans, and the prefix, against every row read once."""

    def floor() -> object:
        return plans.candidates(store, info.id)

    def draft(wish: plan.Wish) -> Work:
        return lambda: plan.draft(store, info, wish, ANNOTATOR)

    yield "a simple plan", draft(plan.Wish(500)), floor
    yield "by groups, a fifth kept back", draft(plan.Wish(500, "stratified", "group", holdout=0.2)), floor
    yield "the prefix", lambda: plan.prefix(store, info, "entity"), floor


def counting(samples: int) -> Iterator[Call]:
    """Counting of names, curves, and a move of the threshold, without a store."""
    chance = np.random.default_rng(5)

    def entities(size: int) -> tuple[ProposedEntity, ...]:
        return tuple(ProposedEntity(f"Name {one}") for one in chance.choice(400, size, replace=False))

    proposals = [Proposal("x", "", entities(13), (entities(20), entities(15))) for _ in range(2_000)]
    named = [(one.reference_entities or (), sum(one.context_entities or (), ())) for one in proposals]
    names = [[{one.text for one in side} for side in sides] for sides in named]
    similar = [chance.integers(0, 101, 13, dtype=np.uint8).tobytes() for _ in range(2_000)]
    known = vectors(similar * (samples // 2_000))
    prepared = moves(similar * (samples // 2_000), 85)
    thresholds = count()

    def scored() -> None:
        for one in proposals:
            listed, contexts = one.reference_entities or (), one.context_entities or ()
            model.count(exact_strings(listed, contexts, "ragas").units)

    def numpy_pass() -> object:
        given = prepared.given
        return np.add.reduceat((given.similarity >= 75).astype(np.int64), given.starts[:-1])

    yield "2,000 counted by ragas", scored, lambda: [a & b for a, b in names]
    yield "curve", lambda: mean_curve(known), known.similarity.copy
    yield "a move of the threshold", lambda: move_to(prepared, 61 + next(thresholds) % 40), numpy_pass


def accept_first(store: Store, info: DatasetInfo, number: int) -> None:
    """Accept the first samples of the queue, with the first unit of every third rejected."""
    for step in range(number):
        following = queue.next_sample(store, info, ANNOTATOR)
        assert following is not None
        opened = review.open_sample(store, following, ANNOTATOR)
        units = opened.state.entity.assessment.units
        if step % 3 == 0 and units:
            opened = review.act(store, opened, editing.reject(opened, units[0]))
        review.act(store, opened, editing.accept(opened, "entity"))


def main() -> None:
    given = options(__doc__, samples=100_000, reviewed=1_000, rounds=5)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(shutil.copy(database(given.samples), folder))
        store = open_store(str(path))
        with closing(sqlite3.connect(path)) as raw:
            raw.execute("PRAGMA cache_size=-32000")

            def bare(sql: str) -> Work:
                return lambda: raw.execute(sql).fetchall()

            info = find_dataset(store, None)
            print(f"{given.samples:,} samples, medians of {given.rounds} rounds, CPU seconds")
            compared(views(store, info, bare), given.rounds)
            compared(counting(given.samples), given.rounds)
            compared(planned(store, info), given.rounds)
            accept_first(store, info, given.reviewed)
            first = cpu_seconds(lambda: figures(store, find_dataset(store, None)))
            print(f"figures of {given.reviewed:,} reviewed: the first time {first:.2f} s (bar 5)")
            columns = bare("SELECT sample_id, tallies FROM counted JOIN sample ON sample.id = sample_id")
            works = [("figures", lambda: figures(store, find_dataset(store, None)), columns)]
            compared(works, given.rounds)
        store.close()


if __name__ == "__main__":
    main()
