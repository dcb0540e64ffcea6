"""Counting what disputes are found in: every run that values are taken from, at one match threshold."""

from __future__ import annotations

from workbench.matching.version import MATCHER
from workbench.scoring.scorers import counted
from workbench.stages import queue_values
from workbench.stages.progress import Progress, silent
from workbench.stages.queue_values import CountedChunk
from workbench.stages.recompute import recompute
from workbench.store import runs, samples, scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store


def count(store: Store, info: DatasetInfo, run: str | None = None, progress: Progress = silent) -> None:
    """Count the run and those it is held against, at the dataset's match threshold."""
    chosen = runs.chosen_run(store, info, run)
    if chosen is None:
        return
    for one in (chosen, *(one for one in runs.list_runs(store, info.id) if one.id != chosen.id)):
        recompute(store, info, one.id, info.threshold, progress)


def next_uncounted(
    store: Store, info: DatasetInfo, known: frozenset[int] = frozenset()
) -> CountedChunk | None:
    """Match the next samples that some run speaks of and that have no score; None when all have.

    `known`: runs that are left out, for their samples do not stay counted. Writes nothing.
    """
    for run in runs.list_runs(store, info.id):
        if run.id in known:
            continue
        uncounted = next(samples.each_uncounted(store, info.id, run.id, MATCHER), None)
        if uncounted:
            found = {
                one.sample_id: counted(one.sample, one.proposal, info.policy)
                for one in uncounted
                if one.proposal is not None
            }
            hashes = {one.sample_id: one.sample.content_hash for one in uncounted}
            return CountedChunk(run.id, info.threshold, info.policy.version, found, hashes)
        scoreless = next(
            scores.each_counted(store, info.id, run.id, MATCHER, without_score_at=info.threshold), None
        )
        if scoreless:
            known_as = {number: content for number, (content, _) in scoreless.items()}
            again = {number: one for number, (_, one) in scoreless.items()}
            return CountedChunk(run.id, info.threshold, info.policy.version, again, known_as)
    return None


def keep_counted(store: Store, chunk: CountedChunk) -> None:
    """Keep what was counted. Raises StoreError."""
    queue_values.keep_counted(store, chunk)
