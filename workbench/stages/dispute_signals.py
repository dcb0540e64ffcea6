"""What points at samples where verdicts may be wrong, before anybody looked at them."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.comparing.plans import deviation
from workbench.errors import UsageError
from workbench.matching.version import MATCHER
from workbench.scoring.names import DEFAULT_SCORER, INSTEAD, SCORERS, column_kind
from workbench.stages import queue_values
from workbench.stages.progress import Progress, silent
from workbench.stages.queue_values import CountedChunk
from workbench.stages.recompute import recompute
from workbench.store import plans, scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.samples import CHUNK


def count(store: Store, info: DatasetInfo, progress: Progress = silent) -> None:
    """Match the samples that are not matched yet; signals come from what is counted."""
    if info.run_id is not None:
        recompute(store, info, info.run_id, info.threshold, progress)


def signals(store: Store, info: DatasetInfo, scorer: str = "") -> tuple[str, dict[int, float]]:
    """The scorer that the signal is of, and by sample how much may be wrong; without a value it has none.

    Of the default scorer of entities how far its wrong verdicts are likely to move the recall, of another
    one or of an external column how far it is from the default. Raises UsageError where there is none.
    """
    kind = info.kinds[0]
    first = DEFAULT_SCORER[kind]
    name = scorer or first
    if info.run_id is None:
        raise UsageError("nothing was proposed yet, so nothing is disputed: workbench propose")
    if name == first and kind == "entity":
        found = plans.doubts(store, info.id, info.run_id, MATCHER)
        return name, {number: deviation(doubt, units) for number, (doubt, units) in found.items()}
    external = scores.load_external(store, info.id)
    columns = sorted({column for one in external.values() for column in one})
    if name == first:
        mine = [column for column in columns if column_kind(column) == kind]
        if len(mine) != 1:
            raise UsageError(
                "the dispute of statements is how far two numbers are apart: name the other one with "
                f"--scorer ({', '.join(columns) or 'no column came with the file'})"
            )
        name = mine[0]
    known = [one for one, of in SCORERS.items() if of == kind]
    if name not in (*known, *columns):
        raise UsageError(f"unknown scorer {name!r}; there is: {', '.join((*known, *columns))}")
    counted = scores.load_scores(store, info.id, info.run_id, MATCHER, info.threshold)
    apart: dict[int, float] = {}
    for number, one in counted.items():
        base = one.get(first) or one.get(INSTEAD.get(first, first))
        other = external.get(number, {}).get(name, (None,))[0] if name in columns else None
        if name not in columns and name in one:
            other = one[name].value
        if base is not None and base.value is not None and other is not None:
            apart[number] = abs(base.value - other)
    return name, apart


def uncounted(store: Store, info: DatasetInfo) -> list[Sequence[int]]:
    """The samples that are not matched yet, in chunks; `count` does the same work all at once."""
    if info.run_id is None:
        return []
    missing = plans.uncounted_ids(store, info.id, info.run_id, MATCHER)
    return [missing[start : start + CHUNK] for start in range(0, len(missing), CHUNK)]


def count_chunk(store: Store, info: DatasetInfo, ids: Sequence[int]) -> CountedChunk:
    """Match some samples; nothing is written."""
    return queue_values.count_chunk(store, info, ids)


def keep_counted(store: Store, chunk: CountedChunk) -> None:
    """Keep what was counted. Raises StoreError."""
    queue_values.keep_counted(store, chunk)
