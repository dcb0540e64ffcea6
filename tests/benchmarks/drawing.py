"""How often the interval for a corpus holds that is drawn from its scores, and how wide it is.

The scores are those of a corpus of 1,000,000 samples with known truth: the populations of `coverage`. Samples
are drawn as `workbench draw` draws them and estimated as `workbench compare` does. The bar is .93.

    python -m tests.benchmarks.drawing [--rows 1000000] [--runs 1000] [--n 400]
"""

from __future__ import annotations

import time
from collections import Counter

import numpy as np

from tests.benchmarks.coverage import LEAST, POPULATIONS, Rows, defined, holds, share, true_mean
from tests.benchmarks.harness import options as options_of
from workbench.comparing.estimates import Estimate, estimate
from workbench.comparing.estimators import Population, Reached
from workbench.comparing.plans import allocate, strata_of

BATCH = 100_000
Drawn = tuple[str, int]


class Corpus:
    """The values of a corpus by stratum, worked out once."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        each, inside, times = np.unique(rows.automatic, return_inverse=True, return_counts=True)
        counts = Counter(dict(zip(defined(each), times.tolist(), strict=True)))
        named = strata_of(counts)
        self.values = [(value, named[value], n) for value, n in counts.items()]
        self.names = sorted(set(named.values()))
        places = np.array([self.names.index(named[value]) for value in defined(each)])[inside]
        self.inside = [
            [np.flatnonzero(places[at : at + BATCH] == number) + at for at in range(0, len(places), BATCH)]
            for number in range(len(self.names))
        ]
        self.sizes = {name: sum(map(len, self.inside[number])) for number, name in enumerate(self.names)}

    def drawn(self, n: int, seed: int) -> list[Drawn]:
        """The sample of one draw, part by part, as from many files."""
        u = np.random.default_rng([seed, 0]).random(len(self.rows.verified))
        found: list[Drawn] = []
        for number, (name, taken) in enumerate(allocate(self.sizes, n).items()):
            kept: list[tuple[float, int]] = []
            for part in self.inside[number]:
                lowest = part[np.argsort(u[part])[:taken]]
                kept = sorted([*kept, *zip(u[lowest].tolist(), lowest.tolist(), strict=True)])[:taken]
            found += [(name, place) for _, place in kept]
        return found

    def estimated(self, drawn: list[Drawn], n: int) -> Estimate:
        places = [place for _, place in drawn]
        automatic, verified = defined(self.rows.automatic[places]), defined(self.rows.verified[places])
        reached = [
            Reached(auto, value, 0.5, name)
            for auto, value, (name, _) in zip(automatic, verified, drawn, strict=True)
        ]
        by_strata = len(self.names) > 1
        return estimate(
            Population(
                [value for value, _, _ in self.values],
                [name for _, name, _ in self.values] if by_strata else [],
                [times for _, _, times in self.values],
            ),
            reached,
            design="stratified" if by_strata else "simple",
            planned=n,
            at_planned=True,
        )


def main() -> int:
    options = options_of(__doc__, rows=1_000_000, runs=1_000, n=400)
    print(f"{options.rows:,} samples, {options.runs:,} draws of {options.n}, in turn from each population")
    print("population     strata  runs   held  width   mean error")
    every: list[bool] = []
    start = time.process_time()
    for place, (name, make) in enumerate(POPULATIONS.items()):
        rng = np.random.default_rng([place, options.rows])
        corpus = Corpus(make(rng, options.rows)._replace(groups=None))
        truth = true_mean(corpus.rows)
        held, widths, errors = [], [], []
        for run in range(place, options.runs, len(POPULATIONS)):
            found = corpus.estimated(corpus.drawn(options.n, run), options.n)
            held.append(holds(found.corpus, truth))
            widths.append(found.corpus.width if found.corpus else float("nan"))
            errors.append((found.point or 0.0) - truth)
        print(
            f"{name:<14} {len(corpus.names):>6} {len(held):>5}  {share(held):.3f}  {np.mean(widths):.3f}"
            f"  {np.mean(errors):+.4f} ± {np.std(errors) / len(errors) ** 0.5:.4f}",
            flush=True,
        )
        every += held
    took = time.process_time() - start
    print(f"{len(every):,} draws: held in {share(every):.3f} (bar {LEAST}), {took:.0f} s of CPU")
    return int(share(every) < LEAST)


if __name__ == "__main__":
    raise SystemExit(main())
