"""The demo: its own dataset, from a file inside the package."""

from __future__ import annotations

from importlib.resources import as_file, files

from workbench.stages.import_ import ImportOptions, import_file
from workbench.store.datasets import DatasetInfo, count_samples, find_dataset, list_datasets
from workbench.store.engine import Store

DATASET = "demo"
SEED = 1889


def load_demo(store: Store, annotator: str) -> DatasetInfo:
    """Bring the demo's samples, proposals and gold into a database; a demo that is there already stays."""
    there = next((info for info in list_datasets(store) if info.name == DATASET), None)
    if there is not None and count_samples(store, there.id) and there.run_id is not None:
        return there  # as the person left it, and as an earlier version of this package brought it
    options = ImportOptions(dataset=DATASET, gold="given", seed=SEED, blind=0.0, kinds=("entity",))
    with as_file(files("workbench.demo_data").joinpath("demo.jsonl")) as path:
        import_file(store, path, options, annotator=annotator)
    return find_dataset(store, DATASET)
