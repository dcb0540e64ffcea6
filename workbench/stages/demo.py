"""The demo: its own dataset, from a file inside the package."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import as_file, files

from workbench.stages import planning
from workbench.stages.import_ import ImportOptions, import_file
from workbench.store import plans
from workbench.store.datasets import DatasetInfo, count_samples, find_dataset, list_datasets
from workbench.store.engine import Store
from workbench.store.prefixes import done

DATASET = "demo"
SEED = 357816
"""Chosen so that the first samples to review are in English, and easy to judge."""


def load_demo(store: Store, annotator: str) -> DatasetInfo:
    """Bring the demo's samples, proposals and gold into a database; a demo that is there already stays."""
    there = next((info for info in list_datasets(store) if info.name == DATASET), None)
    if there is not None and count_samples(store, there.id) and there.run_id is not None:
        return there  # as the person left it, and as an earlier version of this package brought it
    options = ImportOptions(dataset=DATASET, gold="given", seed=SEED, blind=0.0, kinds=("entity",))
    with as_file(files("workbench.demo_data").joinpath("demo.jsonl")) as path:
        import_file(store, path, options, annotator=annotator)
    info = find_dataset(store, DATASET)
    _plan(store, info, annotator)
    return info


def _plan(store: Store, info: DatasetInfo, annotator: str) -> None:
    """Plan the samples that have gold, as if they had been drawn: the demo shows a plan that was carried out.

    They come first, the others behind them in the random order.
    """
    given = done(store, info.id, "entity")
    draft = planning.draft(store, info, planning.Wish(n=len(given)), annotator)
    order = sorted(plans.candidates(store, info.id), key=lambda one: (one.sample_id not in given, one.u))
    ranks = {one.sample_id: place / len(order) for place, one in enumerate(order)}
    drawn = tuple(plans.Drawn(number, rank, "", holdout=False) for number, rank in ranks.items())
    planning.make(store, info, replace(draft, drawn=drawn))
