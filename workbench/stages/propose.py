"""Proposing: run a proposer over what it has not spoken of yet, and make its run the current one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.errors import NotFoundError, UsageError
from workbench.matching.units import language_of
from workbench.model import Progress, silent
from workbench.proposing import MODEL_PROPOSERS, rules
from workbench.reviewing.documents import proposal_document
from workbench.stages.people import check
from workbench.store import runs, samples
from workbench.store.datasets import DatasetInfo, count_samples, set_dataset
from workbench.store.engine import Store

CHUNK = 200
PROPOSERS = ("rules", "recorded")


@dataclass(frozen=True)
class ProposeReport:
    """What a run holds now. `current` is the dataset's current run now, `before` the one before it."""

    run: str
    proposed: int
    already: int
    without: int
    current: str
    before: str


def propose(
    store: Store,
    info: DatasetInfo,
    proposer: str,
    *,
    annotator: str,
    run: str | None = None,
    keep: bool = False,
    progress: Progress = silent,
) -> ProposeReport:
    """Propose units for every sample that the run lacks; a killed run goes on where it stopped.

    The run becomes the dataset's current one; with `keep` only where there is none yet, so that nobody loses
    the run that scores and screens stand on without having asked for it.

    `rules` needs no key and no network. `recorded` makes a run that came with a file the current one
    (`run` names it, else the newest). Raises UsageError for an unknown proposer, NotFoundError for a run
    that is not there.
    """
    check(store, annotator, "propose for everybody")
    if proposer == "rules":
        return _rules(store, info, progress, keep=keep)
    if proposer == "recorded":
        recorded = [each for each in runs.list_runs(store, info.id) if each.source == "recorded"]
        if run is None and not recorded:
            raise NotFoundError("no recorded proposals: the file brought none; try --proposer rules")
        chosen = runs.find_run(store, info.id, run) if run is not None else recorded[-1]
        set_dataset(store, info.id, run_id=chosen.id)
        without = runs.count_unproposed(store, info.id, chosen.id)
        proposed = count_samples(store, info.id) - without
        return ProposeReport(chosen.name, 0, proposed, without, chosen.name, info.run)
    raise UsageError(f"unknown proposer {proposer!r}; there is: {', '.join((*PROPOSERS, *MODEL_PROPOSERS))}")


def _rules(store: Store, info: DatasetInfo, progress: Progress, *, keep: bool) -> ProposeReport:
    # an export of ours names its proposer rules too, and another source
    run = runs.run_of(store, info, ("rules", rules.MODEL, {"source": "rules"}))
    keep = keep and info.run_id is not None
    if not keep:
        set_dataset(store, info.id, run_id=run.id)
    pending: list[dict[str, Any]] = []
    proposed = already = 0
    for stored in samples.each_sample(store, info.id, run.id):
        progress(proposed + already)
        if stored.proposal is not None:
            already += 1
            continue
        proposal = rules.propose(stored.sample, language_of(stored.sample, info.policy) or None)
        pending.append(
            {
                "run_id": run.id,
                "sample_id": stored.sample_id,
                "content_hash": stored.sample.content_hash,
                "document": proposal_document(proposal),
            }
        )
        proposed += 1
        if len(pending) == CHUNK:
            runs.add_results(store, pending, ())
            pending = []
    runs.add_results(store, pending, ())
    return ProposeReport(run.name, proposed, already, 0, info.run if keep else run.name, info.run)
