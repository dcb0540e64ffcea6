"""A page of the queue as the database knows it. Nothing here loads the matcher: the first rows are early."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from workbench.matching.version import MATCHER
from workbench.model import Tally
from workbench.scoring.names import DEFAULT_SCORER
from workbench.store import queue
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.queue import PageRow
from workbench.text.query import Query


def needs_values(query: Query) -> bool:
    """Whether a query asks for values of decided samples."""
    return bool(query.by_value) or "disputed" in query.marks


def page_of(store: Store, info: DatasetInfo, annotator: str, ids: Sequence[int]) -> list[PageRow]:
    """What the database knows of some samples, with the scorer that is called automatic."""
    return queue.page(
        store, info.id, ids, annotator, info.kinds,
        scorer=DEFAULT_SCORER[info.kinds[0]], run_id=info.run_id, matcher=MATCHER, threshold=info.threshold,
    )  # fmt: skip


def delta_of(automatic: Tally | None, verified: Tally | None) -> Fraction | None:
    """Automatic − verified; None while one of them is not there or undefined."""
    if automatic is None or verified is None or automatic.recall is None or verified.recall is None:
        return None
    return automatic.recall - verified.recall
