"""Calibrated on some verified samples, measured on others: is the threshold, or the correction, any better?

DATA are native rows with gold. Where rows carry recorded proposals those are scored, else the rules propose.
The gold is imported as verified, groups (else references) are split at random, the smaller part chooses, the
other part is measured: bias and mean |Δ| at the threshold in use, at the chosen one, and of the scores at the
threshold in use after the line; the mean over many splits, for a single one may be lucky.

    python -m tests.quality.calibrating DATA [--fit 150] [--splits 50]
"""

import statistics
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.harness import options as options_of
from workbench.comparing.calibration import Calibrated, FitCase, calibrate
from workbench.comparing.curve import OBJECTIVES
from workbench.scoring.names import CALIBRATED
from workbench.stages.calibrate import gather
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.propose import propose
from workbench.stages.recompute import recompute
from workbench.store.datasets import dataset_info, find_dataset
from workbench.store.engine import Store, open_store
from workbench.store.runs import find_run, list_runs

NOW = 85
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Errors:
    """Automatic − verified of the test samples, one way of scoring."""

    off: Floats

    @property
    def bias(self) -> float:
        return float(self.off.mean())

    @property
    def mae(self) -> float:
        return float(np.abs(self.off).mean())


@contextmanager
def loaded(data: Path) -> Iterator[Store]:
    """A database of rows with their gold, and a run."""
    with tempfile.TemporaryDirectory() as folder, closing(open_store(f"{folder}/quality.db")) as store:
        options = ImportOptions(gold="require", blind=0.0, seed=1)
        import_file(store, data, options, annotator="corpus")
        info = find_dataset(store, None)
        recorded = bool(list_runs(store, info.id))
        propose(store, info, "recorded" if recorded else "rules", annotator="corpus")
        yield store


def cases_of(store: Store, scorer: str) -> tuple[str, tuple[FitCase, ...]]:
    """The run and every verified sample under it that has a recall on both sides."""
    info = dataset_info(store, find_dataset(store, None).id)
    run = find_run(store, info.id, info.run)
    recompute(store, info)
    found = gather(store, info, run, scorer)
    return run.name, tuple(one for one in found.cases if one.recall is not None and one.similarities)


def split(cases: Sequence[FitCase], fit: int, seed: int) -> tuple[list[FitCase], list[FitCase]]:
    """About `fit` samples in whole groups, and the others."""
    sizes = Counter(one.group for one in cases)
    order = np.random.default_rng(seed).permutation(sorted(sizes)).tolist()
    before = accumulate((sizes[group] for group in order), initial=0)
    chosen = {group for group, taken in zip(order, before, strict=False) if taken < fit}
    return [one for one in cases if one.group in chosen], [one for one in cases if one.group not in chosen]


def recall(one: FitCase, threshold: int) -> float:
    """The automatic recall of a sample."""
    return sum(value >= max(threshold, 60) for value in one.similarities) / len(one.similarities)


def tried(found: Calibrated, test: Sequence[FitCase]) -> list[Errors]:
    """The test samples in use, at the chosen threshold, and corrected by the line."""
    now, line = [recall(one, NOW) for one in test], found.lines[NOW]
    sizes = [len(one.similarities) for one in test]
    corrected = [line.correct(*one).value for one in zip(now, sizes, strict=True)]
    truth = np.array([one.recall for one in test], dtype=np.float64)
    values = (now, [recall(one, found.threshold) for one in test], corrected)
    return [Errors(np.array(own) - truth) for own in values]


def main() -> None:
    options = options_of(__doc__, data=Path, fit=150, splits=50)
    with loaded(options.data) as store:
        for scorer in CALIBRATED:
            run, cases = cases_of(store, scorer)
            print(f"{options.data.name} · {run} · {scorer}: fitted on about {options.fit} of {len(cases)}")
            over_splits(cases, options.fit, options.splits)


def over_splits(cases: Sequence[FitCase], fit: int, splits: int) -> None:
    """Means over many splits, so that no lucky one is reported."""
    for objective in OBJECTIVES:
        rows, words = [], []
        for seed in range(splits):
            some, test = split(cases, fit, seed)
            rows.append(tried(calibrate(some, now=NOW, objective=objective, seed=seed), test))
        for place, name in enumerate(("in use", "chosen", "corrected")):
            bias = statistics.mean(abs(row[place].bias) for row in rows)
            mae = statistics.mean(row[place].mae for row in rows)
            words.append(f"{name} |bias| {bias:.3f} |Δ| {mae:.3f}")
        less = sum(abs(row[1].bias) < abs(row[0].bias) for row in rows)
        print(f" {splits} splits for {objective}: {'; '.join(words)}; chosen has less bias in {less}")


if __name__ == "__main__":
    main()
