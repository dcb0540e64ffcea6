"""What a few reviews teach about the policy, measured on the samples that were not reviewed.

DATA are native rows with gold and recorded proposals. In each split some samples are reviewed (their gold is
seen), `calibrate` proposes changes from them alone, and the others are scored anew under the first that is
better or a suggestion. `proposed`: the share of the splits with one. `error`: the mean |automatic − verified|
of the others, before and after, splits without a proposal among them. `promised, kept`: the gain that was
shown, and the one on the others.

Then the same with gold that says nothing, at ten and twenty reviews: how often is a change called better?
`recalls`: every sample has the verified recall of another one. `samples`: and the decisions on its units are
drawn from all decisions. `units`: the labels of all units are dealt out anew.

    python -m tests.quality.learning DATA [--splits 200] [--runs 1000] [--scorer linked]
"""

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np

from tests.benchmarks.harness import options as options_of
from tests.quality.calibrating import NOW, cases_of, loaded
from workbench.comparing.calibration import FitCase
from workbench.comparing.learning import PolicyChange, policy_changes
from workbench.model import Policy
from workbench.scoring.scorers import score
from workbench.stages.sides import automatic_sides
from workbench.store.datasets import dataset_info, find_dataset
from workbench.store.engine import Store
from workbench.store.samples import each_sample

REVIEWS = (5, 10, 20)
Errors = Callable[[Policy], dict[str, float]]


def errors_of(store: Store, scorer: str, cases: Sequence[FitCase]) -> Errors:
    """How far a policy's automatic recall is from the verified one, by sample, scored as the program does."""
    info = dataset_info(store, find_dataset(store, None).id)
    verified = {one.id: one.recall for one in cases}
    stored = [one for one in each_sample(store, info.id, info.run_id) if one.sample.id in verified]

    @cache
    def errors(policy: Policy) -> dict[str, float]:
        found = {}
        for one in stored:
            sides = automatic_sides(replace(info, policy=policy, threshold=NOW), one, scorer)
            automatic, truth = score(scorer, sides[scorer]).value or 0.0, verified[one.sample.id] or 0.0
            found[one.sample.id] = abs(automatic - truth)
        return found

    return errors


def splits(cases: Sequence[FitCase], reviews: int, number: int) -> Iterator[list[FitCase]]:
    """Samples drawn at random, `number` times."""
    for seed in range(number):
        order = np.random.default_rng(seed).permutation(len(cases))
        yield [cases[place] for place in order[:reviews]]


def taken(found: Sequence[PolicyChange]) -> PolicyChange | None:
    """What a person would take: the first that is better, or that is not yet known to be no better."""
    return next((one for one in found if one.better is not False), None)


def measured(cases: Sequence[FitCase], reviews: int, number: int, errors: Errors) -> str:
    """One row: how often something is proposed, and the error of the other samples."""
    policy, proposed = Policy(), 0
    before: list[float] = []
    after: list[float] = []
    promised = []
    for some in splits(cases, reviews, number):
        seen = {one.id for one in some}
        change = taken(policy_changes(some, policy, NOW))
        proposed += change is not None
        for values, one in ((before, policy), (after, change.policy if change else policy)):
            values.append(statistics.mean(off for id_, off in errors(one).items() if id_ not in seen))
        if change is not None:
            promised.append((change.gain.value, before[-1] - after[-1]))
    gain = [statistics.mean(one) for one in zip(*promised, strict=True)] if promised else [0.0, 0.0]
    error = f"{statistics.mean(before):.3f} → {statistics.mean(after):.3f}"
    worse = sum(one > other for one, other in zip(after, before, strict=True))
    return f"{reviews:>7}  {proposed / number:>8.3f}  {error}  {gain[0]:+.3f}  {gain[1]:+.3f}  {worse:>5}"


def shuffled(cases: Sequence[FitCase], how: str, seed: int) -> list[FitCase]:
    """The cases with gold that says nothing of their labels."""
    rng = np.random.default_rng(seed)
    said = iter(rng.permutation([said for one in cases for said in one.human]).tolist())
    labels = iter(rng.permutation([label for one in cases for label in one.labels]).tolist())
    recalls = rng.permutation([one.recall or 0.0 for one in cases]).tolist()
    if how == "units":
        return [replace(one, labels=tuple(islice(labels, len(one.labels)))) for one in cases]
    found = [replace(one, recall=recall) for one, recall in zip(cases, recalls, strict=True)]
    if how == "samples":
        found = [replace(one, human=bytes(islice(said, len(one.human)))) for one in found]
    return found


def called_better(cases: Sequence[FitCase], how: str, reviews: int, runs: int) -> float:
    """The share of the runs in which some change is called better."""
    better = 0
    for seed, some in enumerate(splits(cases, reviews, runs)):
        changes = policy_changes(shuffled(some, how, seed), Policy(), NOW)
        better += any(one.better for one in changes)
    return better / runs


def main() -> None:
    options = options_of(__doc__, data=Path, splits=200, runs=1000, scorer="linked")
    with loaded(options.data) as store:
        run, cases = cases_of(store, options.scorer)
        print(
            f"{options.data.name} · {run} · {options.scorer} · {len(cases)} samples · {options.splits} splits"
        )
        print("reviews  proposed  error          promised, kept  worse")
        errors = errors_of(store, options.scorer, cases)
        for reviews in REVIEWS:
            print(measured(cases, reviews, options.splits, errors))
    print(f"called better with gold that says nothing, {options.runs:,} runs")
    for how in ("recalls", "samples", "units"):
        rates = {reviews: called_better(cases, how, reviews, options.runs) for reviews in REVIEWS[1:]}
        print(f"  {how}: {', '.join(f'{rate:.3f} after {reviews}' for reviews, rate in rates.items())}")


if __name__ == "__main__":
    main()
