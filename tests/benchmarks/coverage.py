"""Whether the intervals of a corpus estimate cover as often as they say: a simulation on real values.

    python tests/benchmarks/coverage.py DATA [RUNS]

DATA is a folder with `native/redocred_dev.jsonl` and `native/claude_redocred_dev.jsonl`: people's verdicts on
the entities of Wikipedia references. Every row is a pair of recalls: the verified one and an automatic one.

    rules      500 rows, proposed by the rules: `linked`
    claude     105 rows, as a Claude model proposed: `ragas`
    rare       `rules`, but a row keeps its automatic value with a chance of .1 only, else it is exact
    clustered  `rules` in 60 groups of five that are alike: the rows are put in order of their difference, a
               group draws a place in it and five rows within 12 places of it (the ends are joined)

A run draws a corpus of 300 rows with replacement (seed: the run's number), reviews the first n of a plan and
estimates. `corpus` is how often the interval holds the mean verified recall of those 300, `process` how often
the other one holds the mean of all rows; `width` is the corpus interval's, `bias` the mean error. After ± is
the Monte-Carlo standard error. An interval where fewer than five samples differ is an exact bound, wider on
purpose: `bounds` is the share of runs with one, and coverage may then be above 97 %.
Then: how often an interval misses in at least one of many looks; what a scorer fitted on the verified
samples says of itself, and five folds of it. Exit 1 when something is out of bounds by more than two
Monte-Carlo errors. Default: 500 runs, which take a minute.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.comparing.correction import isotonic
from workbench.comparing.estimates import Estimate, estimate
from workbench.comparing.estimators import Reached
from workbench.comparing.intervals import Interval
from workbench.comparing.plans import allocate, stratified_ranks
from workbench.matching.units import language_of
from workbench.model import Policy, count
from workbench.proposing import rules
from workbench.scoring.scorers import assess_all
from workbench.stages import measure

CORPUS = 300
PLANNED = (20, 50, 100)
LOOKS = range(10, 61, 5)
NOMINAL = Interval(0.93, 0.97)
Floats = NDArray[np.float64]


class Rows(NamedTuple):
    """One entry a sample."""

    verified: Floats
    automatic: Floats
    groups: list[str] | None = None


class Plan(NamedTuple):
    """The first n samples of an order and what the estimate must know of it."""

    first: list[int]
    chances: list[float]
    strata: list[str]


def read(path: Path, scorer: str) -> Rows:
    """Recalls of every row with units; the gold is counted as it stands in the file."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        gold = [unit["verdict"] for unit in row.pop("gold")["entities"]]
        record = measure.record_of(row)
        proposal = record.proposal or rules.propose(
            record.sample, language_of(record.sample, Policy()) or None
        )
        said = assess_all(record.sample, proposal, Policy(), threshold=85, evidence=False)
        recall = count(said[scorer].units).recall
        if gold and recall is not None:
            found.append((gold.count("found") / len(gold), float(recall)))
    verified, automatic = np.array(found).T
    return Rows(verified, automatic)


def rare(rows: Rows) -> Rows:
    """The same verified values; a tenth of the automatic ones err."""
    kept = np.random.default_rng(0).random(len(rows.verified)) < 0.1
    return rows._replace(automatic=np.where(kept, rows.automatic, rows.verified))


def drawn_from(rows: Rows, rng: np.random.Generator) -> Rows:
    """A corpus of rows drawn one by one with replacement."""
    place = rng.integers(0, len(rows.verified), CORPUS)
    return Rows(rows.verified[place], rows.automatic[place])


def clustered_from(rows: Rows, rng: np.random.Generator) -> Rows:
    """A corpus of 60 groups of five whose differences are alike; every row is as likely as any other."""
    order = np.argsort(rows.verified - rows.automatic, kind="stable")
    centres = np.repeat(rng.integers(0, len(order), CORPUS // 5), 5)
    place = order[(centres + rng.integers(-12, 13, CORPUS)) % len(order)]
    names = [f"g{number // 5}" for number in range(CORPUS)]
    return Rows(rows.verified[place], rows.automatic[place], names)


def simple(corpus: Rows, n: int, rng: np.random.Generator) -> Plan:
    """The first n by chance."""
    return Plan(rng.permutation(CORPUS)[:n].tolist(), [n / CORPUS] * CORPUS, [])


def stratified(corpus: Rows, n: int, rng: np.random.Generator) -> Plan:
    """Thirds by the automatic value, with their shares of n."""
    third = np.argsort(np.argsort(corpus.automatic, kind="stable")) * 3 // CORPUS
    strata = [str(one) for one in third.tolist()]
    sizes = Counter(strata)
    given = allocate(sizes, n)
    ranks = stratified_ranks(rng.random(CORPUS).tolist(), strata, given)
    return Plan(np.argsort(ranks)[:n].tolist(), [given[name] / sizes[name] for name in strata], strata)


PLANS: dict[str, Callable[[Rows, int, np.random.Generator], Plan]] = {
    "simple": simple,
    "stratified": stratified,
}


def samples(corpus: Rows, plan: Plan) -> list[Reached]:
    groups: Sequence[str | None] = corpus.groups or [None] * CORPUS
    strata = plan.strata or [""] * CORPUS
    f, y = corpus.automatic.tolist(), corpus.verified.tolist()
    return [Reached(f[i], y[i], plan.chances[i], strata[i], groups[i]) for i in plan.first]


def estimated(corpus: Rows, design: str, plan: Plan, **more: object) -> Estimate:
    given: dict[str, object] = {"planned": len(plan.first), "at_planned": True} | more
    return estimate(
        corpus.automatic.tolist(),
        samples(corpus, plan),
        design=design,  # type: ignore[arg-type]
        strata=plan.strata,
        **given,  # type: ignore[arg-type]
    )


def holds(interval: Interval | None, truth: float) -> bool:
    return interval is not None and interval.low <= truth <= interval.high


def share(hits: Sequence[bool]) -> str:
    """A share with its Monte-Carlo standard error."""
    p = float(np.mean(hits)) if hits else float("nan")
    return f"{p:.3f} ±{sqrt(p * (1 - p) / max(len(hits), 1)):.3f}"


def coverage(name: str, rows: Rows, make: Callable[..., Rows], runs: int) -> Iterator[str]:
    """One line a plan and n; yields what is out of bounds."""
    process = float(rows.verified.mean())
    for design, draw in PLANS.items():
        for n in PLANNED:
            corpus_hits, process_hits, errors, naive, widths = [], [], [], [], []
            bounds = 0
            for run in range(runs):
                rng = np.random.default_rng([run, n, len(design)])
                corpus = make(rows, rng)
                plan = draw(corpus, n, rng)
                found = estimated(corpus, design, plan)
                truth = float(corpus.verified.mean())
                assert found.point is not None
                assert found.corpus is not None
                errors.append(found.point - truth)
                d = corpus.verified[plan.first] - corpus.automatic[plan.first]
                naive.append(float(corpus.automatic.mean() + d.mean()) - truth)
                widths.append(found.corpus.width)
                bounds += found.bound is not None
                corpus_hits.append(holds(found.corpus, truth))
                if found.generalising is not None:
                    process_hits.append(holds(found.generalising, process))
            mean, se = float(np.mean(errors)), float(np.std(errors)) / sqrt(runs)
            print(
                f"{name:<10}{design:<11}{n:>4}  {share(corpus_hits)}  {share(process_hits)}"
                f"  {np.mean(widths):.3f}  {mean:+.4f} ±{se:.4f}  {np.mean(naive):+.4f}  {bounds / runs:.2f}"
            )
            yield from judged(f"{name} {design} n={n}", corpus_hits, process_hits, bounds / runs)


def judged(what: str, corpus: Sequence[bool], process: Sequence[bool], bounds: float) -> Iterator[str]:
    """What lies outside 93 to 97 % by more than two Monte-Carlo errors; exact bounds may be wider."""
    for target, hits in (("corpus", corpus), ("process", process)):
        p = float(np.mean(hits))
        slack = 2 * sqrt(0.95 * 0.05 / len(hits))
        if p < NOMINAL.low - slack or (p > NOMINAL.high + slack and bounds < 0.01):
            yield f"{what}: {target} coverage {p:.3f}"


def at_any_look(rows: Rows, runs: int) -> Iterator[str]:
    """How often an interval missed at least once, looked at every fifth sample from 10 to the planned 60."""
    missed: dict[bool, list[bool]] = {False: [], True: []}
    for run in range(runs // 2):
        rng = np.random.default_rng([run, 77])
        corpus = drawn_from(rows, rng)
        order = rng.permutation(CORPUS).tolist()
        truth = float(corpus.verified.mean())
        plans = [Plan(order[:n], [n / CORPUS] * CORPUS, []) for n in LOOKS]
        for fixed, runs_missed in missed.items():
            found = (estimated(corpus, "simple", p, planned=LOOKS[-1], at_planned=fixed) for p in plans)
            runs_missed.append(any(not holds(one.corpus, truth) for one in found))
    print("\nany miss in 11 looks   confidence sequence  t interval")
    print(f"rules     simple       {share(missed[False])}         {share(missed[True])}")
    often = float(np.mean(missed[False]))
    if often > 0.05 + 2 * sqrt(0.05 * 0.95 / len(missed[False])):
        yield f"the confidence sequence missed in {often:.3f} of the runs"


def fitted(corpus: Rows, on: NDArray[np.int64]) -> Floats:
    """Every automatic value corrected by an isotonic curve through the verified samples `on`."""
    x, y = corpus.automatic[on], corpus.verified[on]
    values, curve = isotonic(x, y, np.ones(len(x)))
    found: Floats = np.interp(corpus.automatic, values, curve)
    return found


def own_gold(rows: Rows, runs: int) -> Iterator[str]:
    """A scorer fitted on 40 verified samples and judged on them, beside five folds that did not see them."""
    errors: dict[str, list[float]] = {"own gold": [], "cross-fitted": []}
    hits: dict[str, list[bool]] = {"own gold": [], "cross-fitted": []}
    for run in range(runs):
        rng = np.random.default_rng([run, 5])
        corpus = drawn_from(rows, rng)
        plan = simple(corpus, 40, rng)
        first, truth = np.array(plan.first), float(corpus.verified.mean())
        left = np.setdiff1d(np.arange(CORPUS), first)
        own = fitted(corpus, first)
        real = float(np.abs(own - corpus.verified)[left].mean())
        folds = [fitted(corpus, np.delete(first, np.s_[k::5])) for k in range(5)]
        crossed = np.array([folds[place % 5][i] for place, i in enumerate(plan.first)])
        for name, all_, mine in (
            ("own gold", own, own[first]),
            ("cross-fitted", np.mean(folds, axis=0), crossed),
        ):
            verified = corpus.verified[first]
            drawn = [
                Reached(f, y, 40 / CORPUS) for f, y in zip(mine.tolist(), verified.tolist(), strict=True)
            ]
            found = estimate(all_.tolist(), drawn, design="simple", planned=40, at_planned=True)
            errors[name].append(float(np.abs(mine - verified).mean()) - real)
            hits[name].append(holds(found.corpus, truth))
    print("\na scorer fitted on 40      error of its MAE    corpus coverage")
    for name in errors:
        mean, se = float(np.mean(errors[name])), float(np.std(errors[name])) / sqrt(runs)
        print(f"rules     {name:<15}{mean:+.4f} ±{se:.4f}     {share(hits[name])}")
    yield from judged("cross-fitted", hits["cross-fitted"], hits["cross-fitted"], 0.0)
    if abs(np.mean(errors["cross-fitted"])) > abs(np.mean(errors["own gold"])) / 2:
        yield "cross-fitting did not halve the error of the MAE"


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        return 2
    data, runs = Path(sys.argv[1]) / "native", int(sys.argv[2]) if len(sys.argv) == 3 else 500
    start = time.perf_counter()
    rules = read(data / "redocred_dev.jsonl", "linked")
    claude = read(data / "claude_redocred_dev.jsonl", "ragas")
    print(f"read in {time.perf_counter() - start:.0f} s; {runs} runs")
    print("rows      plan          n  corpus        process       width  bias             unweighted  bounds")
    wrong = []
    for name, rows, make in (
        ("rules", rules, drawn_from),
        ("claude", claude, drawn_from),
        ("rare", rare(rules), drawn_from),
        ("clustered", rules, clustered_from),
    ):
        wrong += list(coverage(name, rows, make, runs))
    wrong += [*at_any_look(rules, runs), *own_gold(rules, runs)]
    for line in wrong:
        print(f"✗ {line}")
    print(f"{time.perf_counter() - start:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
