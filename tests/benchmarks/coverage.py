"""Whether the intervals of a corpus estimate hold as often as they say, on populations that try them.

    python -m tests.benchmarks.coverage [--runs 200] [--data DATA]

A cell is a population, N samples, n planned reviews and a plan: by score, as `workbench plan` makes it, and
for 1,000 samples a simple one too. Each of its runs (200 by default, half as many of the largest N) draws an
order of review and asks `estimate`, the function behind every screen and report, for its interval at the
planned n. Every quarter of the runs has another population.

    few units      1 to 3 units, a fifth of the found ones missed, a tenth of the others counted
    zero inflated  nine in ten exact, the others wrong by the whole value, all on one side
    skew           3 % lose everything (automatic 0), the rest slightly off, 4 to 12 units
    weak           the automatic value says nothing about the verified one
    clusters       ten samples a document; a quarter of the documents fail together
    adverse        4 % err where nothing points at them: in the middle of the scale, and are 0 in truth
    lumps          (ours) all are off by the same .02, but 2.5 % that score 1 and are 0 in truth
    hidden         (ours) half score 0, and one in twenty of these is 1 in truth
    flips          (ours) 4 % are too low and 4 % too high by all that there is, the others exact
    no score       few units, and 15 % have no automatic value, whatever their verified one
    low, no score  skew, and 15 % have no automatic value, mostly those with low verified ones
    no units       skew, and 15 % have no verified value, mostly those with low automatic ones

The mean that counts is that of the samples with both values.

held   how often the interval held the mean of the N samples, and its mean width
none   the share of runs without an interval
t      the t interval of the same draws: how often it held, and its width
best   the narrowest that held in 93 % of the runs: the t interval, the one without automatic values, or the
       one that knows the true spread, which nobody does; – where none held
looks  how often an interval missed at least once, looked at after every review from 10 to n − 1, and its
       width at n/2

Then, for new samples: how often that interval held the mean of the process, each run with its own corpus.

Exit 1 where `held` is below .93, `none` above .2 or `looks` above .05, each by more than two Monte-Carlo
errors. With DATA (a folder with `native/redocred_dev.jsonl` and `native/claude_redocred_dev.jsonl`, people's
verdicts on the entities of Wikipedia references) the same on real recalls.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from math import log, sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.harness import options
from tests.quality.labelled import rows_of
from workbench.comparing.bounds import Part, bets
from workbench.comparing.estimates import Design, Estimate, estimate
from workbench.comparing.estimators import Population, Reached
from workbench.comparing.intervals import LEVEL, Interval, t_quantile
from workbench.comparing.plans import allocate, by_score, stratified_ranks
from workbench.matching.units import language_of
from workbench.model import Matching, Policy, count
from workbench.proposing import rules
from workbench.scoring.scorers import assess_all
from workbench.stages import measure

SIZES = (200, 1_000, 20_000)
PLANNED = (30, 60, 150)
FIRST_LOOK = 10
LEAST, MOST_NONE, MOST_LOOKS = 0.93, 0.2, 0.05
Floats = NDArray[np.float64]
Rng = np.random.Generator


class Rows(NamedTuple):
    """One entry a sample, nan without a value."""

    automatic: Floats
    verified: Floats
    groups: list[str] | None = None


class Plan(NamedTuple):
    """The first n samples of an order and the strata of all, empty without any."""

    first: list[int]
    strata: list[str]


# Populations.


def _shares(rng: Rng, units: NDArray[np.int64], chance: float | Floats) -> Floats:
    found: Floats = rng.binomial(units, chance) / units
    return found


def few_units(rng: Rng, total: int) -> Rows:
    units = rng.integers(1, 4, total)
    found = rng.binomial(units, 0.6)
    counted = rng.binomial(found, 0.8) + rng.binomial(units - found, 0.1)
    return Rows(counted / units, found / units)


def zero_inflated(rng: Rng, total: int) -> Rows:
    verified = _shares(rng, rng.integers(4, 13, total), 0.7)
    return Rows(np.where(rng.random(total) < 0.1, 0.0, verified), verified)


def skew(rng: Rng, total: int) -> Rows:
    units = rng.integers(4, 13, total)
    found = np.maximum(rng.binomial(units, 0.8), 1)
    counted = np.clip(found - (rng.random(total) < 0.15) + (rng.random(total) < 0.1), 0, units)
    return Rows(np.where(rng.random(total) < 0.03, 0, counted) / units, found / units)


def weak(rng: Rng, total: int) -> Rows:
    units = rng.integers(4, 13, total)
    return Rows(_shares(rng, units, rng.random(total)), _shares(rng, units, rng.beta(8, 3, total)))


def clusters(rng: Rng, total: int) -> Rows:
    document = np.arange(total) // 10
    units = rng.integers(4, 13, total)
    found = rng.binomial(units, 0.8)
    failed = (rng.random(document[-1] + 1) < 0.25)[document]
    counted = np.where(failed, rng.binomial(found, 0.4), found)
    return Rows(counted / units, found / units, [f"d{number}" for number in document.tolist()])


def adverse(rng: Rng, total: int) -> Rows:
    verified = _shares(rng, rng.integers(4, 13, total), 0.75)
    wrong = rng.random(total) < 0.04
    return Rows(np.where(wrong, 0.7, verified), np.where(wrong, 0.0, verified))


def lumps(rng: Rng, total: int) -> Rows:
    automatic = np.maximum(_shares(rng, rng.integers(4, 13, total), 0.8) - 0.02, 0)
    wrong = rng.random(total) < 0.025
    return Rows(np.where(wrong, 1.0, automatic), np.where(wrong, 0.0, automatic + 0.02))


def hidden(rng: Rng, total: int) -> Rows:
    automatic = np.where(rng.random(total) < 0.5, 0.0, _shares(rng, rng.integers(4, 13, total), 0.9))
    wrong = (automatic == 0) & (rng.random(total) < 0.05)
    return Rows(automatic, np.where(wrong, 1.0, automatic))


def flips(rng: Rng, total: int) -> Rows:
    automatic = _shares(rng, rng.integers(4, 13, total), 0.5)
    drawn = rng.random(total)
    return Rows(automatic, np.where(drawn < 0.04, 1.0, np.where(drawn > 0.96, 0.0, automatic)))


UNDEFINED = 0.15


def no_score(rng: Rng, total: int) -> Rows:
    rows = few_units(rng, total)
    return rows._replace(automatic=np.where(rng.random(total) < UNDEFINED, np.nan, rows.automatic))


def low_no_score(rng: Rng, total: int) -> Rows:
    rows = skew(rng, total)
    return rows._replace(automatic=_without(rng, rows.automatic, rows.verified))


def no_units(rng: Rng, total: int) -> Rows:
    rows = skew(rng, total)
    return rows._replace(verified=_without(rng, rows.verified, rows.automatic))


def _without(rng: Rng, values: Floats, by: Floats) -> Floats:
    """`UNDEFINED` of the values become nan, each the more likely the lower its entry of `by` is."""
    chance = (1 - by) ** 2 + 0.02
    chance *= UNDEFINED / chance.mean()
    found: Floats = np.where(rng.random(len(by)) < chance, np.nan, values)
    return found


Make = Callable[[Rng, int], Rows]
POPULATIONS: dict[str, Make] = {
    make.__name__.replace("_", " "): make
    for make in (few_units, zero_inflated, skew, weak, clusters, adverse, lumps, hidden, flips)
} | {"no score": no_score, "low, no score": low_no_score, "no units": no_units}


# Plans and what is estimated by them.


def defined(values: Floats) -> list[float | None]:
    """None in the place of nan."""
    return [None if np.isnan(value) else value for value in values.tolist()]


def scored(rows: Rows, plan: Plan) -> tuple[Rows, Plan]:
    """What is left where the samples without an automatic value had never been there."""
    known = ~np.isnan(rows.automatic)
    if known.all():
        return rows, plan
    place = np.cumsum(known) - 1
    groups = rows.groups and [one for one, there in zip(rows.groups, known, strict=True) if there]
    strata = [one for one, there in zip(plan.strata, known, strict=False) if there]
    first = [int(place[one]) for one in plan.first if known[one]]
    return Rows(rows.automatic[known], rows.verified[known], groups), Plan(first, strata)


def strata_of(rows: Rows, design: str) -> list[str]:
    names = by_score(defined(rows.automatic)) if design == "by score" else []
    return names if len(set(names)) > 1 else []


def drawn(total: int, strata: list[str], n: int, rng: Rng) -> Plan:
    """The first n of a simple plan, or of one by strata."""
    if not strata:
        return Plan(rng.permutation(total)[:n].tolist(), [])
    given = allocate(Counter(strata), n)
    ranks = stratified_ranks(rng.random(total).tolist(), strata, given)
    return Plan(np.argsort(ranks)[:n].tolist(), strata)


def estimated(rows: Rows, plan: Plan, n: int, *, at_planned: bool = True) -> Estimate:
    """What is shown after the first n reviews."""
    f, y = defined(rows.automatic), defined(rows.verified)
    strata = plan.strata or [""] * len(f)
    groups: Sequence[str | None] = rows.groups or [None] * len(f)
    reached = [Reached(f[i], y[i], 0.5, strata[i], groups[i]) for i in plan.first[:n]]
    population, planned = Population(f, plan.strata), len(plan.first)
    design: Design = "stratified" if plan.strata else "simple"
    return estimate(population, reached, design=design, planned=planned, at_planned=at_planned)


def true_mean(rows: Rows) -> float:
    """The mean verified value of the samples with both values."""
    return float(np.nanmean(rows.verified[~np.isnan(rows.automatic)]))


def holds(interval: Interval | None, truth: float) -> bool:
    return interval is not None and interval.low - 1e-9 <= truth <= interval.high + 1e-9


def peers(rows: Rows, plan: Plan) -> dict[str, Interval]:
    """t intervals of the same draws, by strata with Satterthwaite's degrees of freedom."""
    if np.isnan(rows.verified).any():
        return {}
    rows, plan = scored(rows, plan)
    total, first = len(rows.verified), np.array(plan.first)
    names = np.array(plan.strata or [""] * total)
    found = {}
    for peer, f in (("t", rows.automatic), ("gold alone", np.zeros(total)), ("oracle", rows.automatic)):
        d = rows.verified - f
        point, parts = float(f.mean()), []
        for name in np.unique(names):
            inside = names == name
            mine = d[first[inside[first]]]
            n, size = len(mine), int(inside.sum())
            if not n:
                return {}
            point += size / total * float(mine.mean())
            spread = float(d[inside].var() if peer == "oracle" else mine.var(ddof=1) if n > 1 else d.var())
            parts.append(((size / total) ** 2 * (1 - n / size) * spread / n, max(n - 1, 1)))
        variance = sum(one for one, _ in parts)
        df = variance**2 / sum(one**2 / k for one, k in parts) if variance else 1.0
        half = (1.96 if peer == "oracle" else t_quantile(df)) * sqrt(variance)
        found[peer] = Interval(point - half, point + half)
    return found


def missed_a_look(rows: Rows, plan: Plan, truth: float) -> bool:
    """Whether an interval before the planned n missed, looked at after every review from 10 on.

    It can only miss where the bets against the true means of all strata have won 20 times their stake, so
    `estimate` is asked there only, and at two looks more, where it must not have missed. Where verified
    values are undefined, their share is estimated too: there it is asked at every fifth look.
    """
    rows, plan = scored(rows, plan)
    if np.isnan(rows.verified).any():
        looks = (estimated(rows, plan, n, at_planned=False) for n in range(FIRST_LOOK, len(plan.first), 5))
        return any(not one.refusal and not holds(one.corpus, truth) for one in looks)
    names = np.array(plan.strata or [""] * len(rows.verified))
    order, d = np.array(plan.first), rows.verified - rows.automatic
    won = np.zeros(len(order))
    for name in np.unique(names):
        inside = names == name
        drawn_here = inside[order]
        values, f = d[order[drawn_here]], rows.automatic[inside]
        open_ = np.zeros(int(inside.sum()) - len(values))
        ends = Interval(min(0.0, -float(f.max())), max(0.0, 1 - float(f.min())))
        part = Part(values, open_, open_, ends, np.ones(len(open_)))
        stakes = bets(part, np.array([d[inside].mean()])).cumsum(axis=2)
        after = np.r_[0.0, np.logaddexp.reduce(stakes)[0] - log(len(stakes))]
        won += after[np.cumsum(drawn_here)]
    crossed = {n for n in range(FIRST_LOOK, len(order)) if won[n - 1] >= -log(1 - LEVEL) - 1e-6}
    for n in sorted(crossed | {FIRST_LOOK, len(order) // 2}):
        seen = estimated(rows, plan, n, at_planned=False)
        if not seen.refusal and not holds(seen.corpus, truth):
            assert n in crossed, (n, seen.corpus, truth)
            return True
    return False


# Cells.


@dataclass
class Held:
    """Whether each of some intervals held, and their widths; None is no interval."""

    hits: list[bool] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)

    def note(self, interval: Interval | None, truth: float) -> None:
        if interval is not None:
            self.hits.append(holds(interval, truth))
            self.widths.append(interval.width)

    @property
    def share(self) -> float:
        return share(self.hits)

    @property
    def width(self) -> float:
        return float(np.mean(self.widths)) if self.widths else float("nan")

    def short_of(self, what: str) -> Iterator[str]:
        """That it held too seldom, by more than two Monte-Carlo errors."""
        if self.share < LEAST - 2 * sqrt(LEAST * (1 - LEAST) / max(1, len(self.hits))):
            yield f"{what}: held in {self.share:.3f}"


def share(hits: Sequence[bool]) -> float:
    return float(np.mean(hits)) if hits else float("nan")


def cell(name: str, make: Make, total: int, n: int, design: str, runs: int) -> Iterator[str]:
    """One line; yields what is out of bounds."""
    ours, early = Held(), Held()
    looked: list[bool] = []
    others: defaultdict[str, Held] = defaultdict(Held)
    for run in range(runs):
        if run % max(1, runs // 4) == 0:
            rows = make(np.random.default_rng([run, total, len(name)]), total)
            strata, truth = strata_of(rows, design), true_mean(rows)
        plan = drawn(total, strata, n, np.random.default_rng([run, n, total, 7]))
        ours.note(estimated(rows, plan, n).corpus, truth)
        for peer, ends in peers(rows, plan).items():
            others[peer].note(ends, truth)
        if run % 2 == 0:
            looked.append(missed_a_look(rows, plan, truth))
            early.note(estimated(rows, plan, n // 2, at_planned=False).corpus, truth)
    none = 1 - len(ours.hits) / runs
    best = min((f"{one.width:.3f}" for one in others.values() if one.share >= LEAST), default="–")
    t = others["t"]
    line = f"{name:<14}{design:<11}{total:>6,}{n:>5}  {ours.share:.3f} {ours.width:.3f}  {none:>4.2f}"
    line += f"  {t.share:.3f} {t.width:.3f}  {best:>5}  {share(looked):.3f} {early.width:.3f}"
    print(line, flush=True)
    what = f"{name}, {design}, N = {total:,}, n = {n}"
    yield from ours.short_of(what)
    if none > MOST_NONE:
        yield f"{what}: no interval in {none:.2f} of the runs"
    if share(looked) > MOST_LOOKS + 2 * sqrt(MOST_LOOKS * (1 - MOST_LOOKS) / len(looked)):
        yield f"{what}: a look missed in {share(looked):.3f}"


def new_samples(name: str, make: Make, total: int, n: int, runs: int) -> Iterator[str]:
    """One line; yields what is out of bounds."""
    process, found = true_mean(make(np.random.default_rng(1), 400_000)), Held()
    for run in range(runs):
        rng = np.random.default_rng([run, total, n])
        rows = make(rng, total)
        found.note(estimated(rows, drawn(total, [], n, rng), n).generalising, process)
    print(f"{name:<14}{total:>6,}{n:>5}  {found.share:.3f} {found.width:.3f}", flush=True)
    yield from found.short_of(f"{name}, new samples, N = {total:,}, n = {n}")


HEAD = (
    "population    plan            N    n  held  width  none  t     width   best  looks width\n"
    "                                                                             (at n/2)"
)


# Real recalls.


def read(path: Path, scorer: str) -> Rows:
    """Recalls of every row with units; the gold is counted as it stands in the file."""
    found = []
    for row in rows_of(path):
        gold = [unit["verdict"] for unit in row.pop("gold")["entities"]]
        record = measure.record_of(row)
        language = language_of(record.sample, Policy()) or None
        proposal = record.proposal or rules.propose(record.sample, language)
        said = assess_all(record.sample, proposal, Matching(Policy(), 85), evidence=False)
        recall = count(said[scorer].units).recall
        if gold and recall is not None:
            found.append((float(recall), gold.count("found") / len(gold)))
    automatic, verified = np.array(found).T
    return Rows(automatic, verified)


def drawn_from(rows: Rows, rng: Rng, total: int) -> Rows:
    """A corpus of rows drawn one by one with replacement."""
    place = rng.integers(0, len(rows.verified), total)
    return Rows(rows.automatic[place], rows.verified[place])


REAL = {"rules": ("redocred_dev", "linked"), "claude": ("claude_redocred_dev", "ragas")}


def main() -> int:
    given = options(__doc__, runs=200, data="")
    runs, start = given.runs, time.perf_counter()
    print(f"{runs} runs a cell\n{HEAD}")
    wrong: list[str] = []
    for (name, make), total, n in product(POPULATIONS.items(), SIZES, PLANNED):
        for design in ("by score", "simple") if total == 1_000 else ("by score",):
            wrong += cell(name, make, total, n, design, runs // (1 + (total > 10_000)))
    print("\nnew samples        N    n  held  width")
    for (name, make), (total, n) in product(POPULATIONS.items(), ((200, 60), (200, 150), (1_000, 150))):
        wrong += new_samples(name, make, total, n, runs)
    for name, (file, scorer) in REAL.items() if given.data else ():
        rows = read(Path(given.data, "native", f"{file}.jsonl"), scorer)
        for n in PLANNED:
            wrong += cell(name, partial(drawn_from, rows), 1_000, n, "by score", runs)
    for line in wrong:
        print(f"✗ {line}")
    print(f"{time.perf_counter() - start:.0f} s")
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
