"""The page of a comparison, and retrievers compared over the same references."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from workbench.comparing.answer import Answer
from workbench.comparing.figures import Figures
from workbench.comparing.retrievers import Retrievers, RetrieverSample, compare_retrievers
from workbench.errors import UsageError
from workbench.model import Sample
from workbench.store import gold as gold_store
from workbench.store import plans, samples
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.queue import annotators
from workbench.store.reviewed import reviewed


def write_html(
    store: Store, info: DatasetInfo, path: Path, answer: Answer, found: Figures, *, text: bool, force: bool
) -> None:
    """Write an answer and its figures as one page to send, without `text` of the samples if so wished.

    Raises ExportError for a file that is there, or a full disk.
    """
    from workbench.formats.report import write_report

    reviewers = [name for name, _ in annotators(store, info)]
    decided = reviewed(store, info.id, found.kind).values()
    own = {one.annotator for one in decided if one.shown != "import"}
    brought = {one.annotator for one in decided if one.shown == "import"} - own
    day = datetime.now().astimezone().date()
    write_report(path, answer, found, reviewers=reviewers, brought=brought, day=day, text=text, force=force)


def compare_by(store: Store, info: DatasetInfo, by: str) -> Retrievers:
    """Pair verified samples with the same reference by a key of `meta` (`meta.retriever`), or `group`.

    Excluded samples and those of the holdout stay out.

    Raises UsageError when the key is of another form or no sample has it.
    """
    kind = info.kinds[0]
    gold = gold_store.load_gold(store, info.id, kind)
    left_out = gold_store.load_excluded(store, info.id, kind) | plans.holdout_ids(store, info.id)
    judged = []
    seen = False
    for stored in samples.each_sample(store, info.id):
        name = _value_of(stored.sample, by)
        seen = seen or name is not None
        one = gold.get(stored.sample_id)
        if name is None or stored.sample_id in left_out:
            continue
        if one is not None and one.assessment is not None:
            sample = stored.sample
            judged.append(
                RetrieverSample(sample.id, sample.reference_hash, name, one.assessment, sample.group)
            )
    if not seen:
        raise UsageError(f"no sample has {by!r}; name a key of meta, as in --by meta.retriever")
    return compare_retrievers(judged)


def _value_of(sample: Sample, by: str) -> str | None:
    if by == "group":
        return sample.group
    if not by.startswith("meta."):
        raise UsageError(f"--by {by!r}: name a key of meta (--by meta.retriever) or group")
    value: Any = sample.meta
    for part in by.removeprefix("meta.").split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return None if value is None else str(value)
