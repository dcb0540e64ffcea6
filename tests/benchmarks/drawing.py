"""How often the interval for a corpus holds that is drawn from its scores, and how wide it is.

The scores are those of a corpus of 1,000,000 samples with known truth: the populations of `coverage`. Samples
are drawn as `workbench draw` draws them and estimated as `workbench compare` does. The bar is .93.

    python -m tests.benchmarks.drawing [--rows 1000000] [--runs 1000] [--n 400]
"""

import time
from collections import Counter

import numpy as np

from tests.benchmarks.coverage import LEAST, POPULATIONS, Rows, defined, holds, share, true_mean
from tests.benchmarks.harness import options as options_of
from workbench.comparing.estimates import Design, Estimate, estimate
from workbench.comparing.estimators import Population, Reached
from workbench.comparing.plans import allocate, strata_of


class Corpus:
    """The values of a corpus by stratum, worked out once."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        each, inside, times = np.unique(rows.automatic, return_inverse=True, return_counts=True)
        self.values, self.times = defined(each), times.tolist()
        named = strata_of(Counter(dict(zip(self.values, self.times, strict=True))))
        self.strata = np.array([named[value] for value in self.values])
        self.places = {
            name: np.flatnonzero((self.strata == name)[inside]) for name in sorted({*named.values()})
        }

    def estimated(self, n: int, seed: int) -> Estimate:
        """What is estimated of one draw: of each stratum the samples with the lowest numbers."""
        u = np.random.default_rng([seed, 0]).random(len(self.rows.verified))
        reached: list[Reached] = []
        for name, taken in allocate({name: len(own) for name, own in self.places.items()}, n).items():
            own = self.places[name]
            lowest = own[np.argsort(u[own])[:taken]]
            pairs = zip(
                defined(self.rows.automatic[lowest]), defined(self.rows.verified[lowest]), strict=True
            )
            reached += [Reached(automatic, verified, 0.5, name) for automatic, verified in pairs]
        several = len(self.places) > 1
        population = Population(self.values, self.strata.tolist() if several else [], self.times)
        design: Design = "stratified" if several else "simple"
        return estimate(population, reached, design=design, planned=n, at_planned=True)


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
        runs = range(place, options.runs, len(POPULATIONS))
        found = [corpus.estimated(options.n, run) for run in runs]
        held = [holds(one.corpus, truth) for one in found]
        widths = [one.corpus.width if one.corpus else float("nan") for one in found]
        errors = [(one.point or 0.0) - truth for one in found]
        print(
            f"{name:<14} {len(corpus.places):>6} {len(held):>5}  {share(held):.3f}  {np.mean(widths):.3f}"
            f"  {np.mean(errors):+.4f} ± {np.std(errors) / len(errors) ** 0.5:.4f}",
            flush=True,
        )
        every += held
    took = time.process_time() - start
    print(f"{len(every):,} draws: held in {share(every):.3f} (bar {LEAST}), {took:.0f} s of CPU")
    return int(share(every) < LEAST)


if __name__ == "__main__":
    raise SystemExit(main())
