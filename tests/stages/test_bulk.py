"""Counting on several cores gives what one core gives, in the same order."""

from __future__ import annotations

from typing import Any

from workbench.model import Policy
from workbench.stages import bulk
from workbench.store.samples import each_sample


def test_processes_count_what_one_process_counts(demo: Any) -> None:
    """Three chunks are enough to start the pool; samples without a proposal are left out of both."""
    info = demo.info()
    stored = list(each_sample(demo.store, info.id, info.run_id))
    bare = list(each_sample(demo.store, info.id, None))[:3]
    chunks = [stored[:20], [*bare, *stored[20:35]], stored[35:]]

    alone = [bulk.count_chunk(bulk._work(chunk), Policy()) for chunk in chunks]

    assert list(bulk.count_all(iter(chunks), Policy())) == alone
    assert [len(one) for one in alone] == [20, 15, 15]
