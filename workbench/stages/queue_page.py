"""A page of the queue as the database knows it. Nothing here loads the matcher: the first rows are early."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from workbench.matching import MATCHER
from workbench.model import Imported, Tally
from workbench.scoring.names import DEFAULT_SCORER
from workbench.store import queue
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.queue import PageRow
from workbench.text.query import Query


def needs_values(query: Query) -> bool:
    """Whether a query asks for values of decided samples."""
    return bool(query.by_value) or "disputed" in query.marks


LEAST = Fraction(1, 2000)
"""Half of the third digit: a number of a file that differs by less is the verified value, rounded."""


def page_of(
    store: Store, info: DatasetInfo, annotator: str, ids: Sequence[int], column: str = ""
) -> list[PageRow]:
    """What the database knows of some samples, with the scorer that is called automatic.

    Where a `column` of the file stands in its place, with its numbers.
    """
    return queue.page(
        store, info.id, ids, annotator, info.kinds,
        scorer=DEFAULT_SCORER[info.kinds[0]], run_id=info.run_id, matcher=MATCHER, threshold=info.threshold,
        column=column,
    )  # fmt: skip


def delta_of(automatic: Tally | Imported | None, verified: Tally | None) -> Fraction | None:
    """Automatic − verified; None while one of them is not there or undefined."""
    if automatic is None or verified is None or automatic.recall is None or verified.recall is None:
        return None
    delta = automatic.recall - verified.recall
    return Fraction(0) if isinstance(automatic, Imported) and abs(delta) < LEAST else delta
