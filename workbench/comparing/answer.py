"""The first answer about a dataset: what its score reads, what is probably true, why, and what to do next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from workbench.comparing.estimates import MORE, Estimate
from workbench.comparing.explained import What, what_of
from workbench.comparing.figures import Counts, Row
from workbench.comparing.intervals import FEWEST, Mean
from workbench.comparing.triage import Clue, Suspicion
from workbench.model import Kind, Span, Verdict

SHOWN = 5
"""Suspicious samples that are shown at once."""
WORST = 3
"""Samples that are shown as those with the largest effect."""
REVIEW_ALL = 60
"""Samples below which reviewing all of them is the next step: the answer is then complete, no estimate."""

BETTER = 0.02
"""By how much the mean error of another scorer has to be smaller to recommend it."""
SECONDS: dict[Kind, float] = {"entity": 12.0, "statement": 30.0}
"""What a review takes, by guess, until some are measured."""

LeftOut = Literal["excluded", "no units", "no score", "not in order", "holdout", "seen"]
"""Why a decided sample is not among those that figures rest on."""
NO_UNITS: tuple[What, ...] = ("untraced", "rounding", "too high", "too low")
"""Effects of which no unit can be named."""


@dataclass(frozen=True)
class Told:
    """A sample that the answer shows, with its text; `name` is what a list calls it."""

    sample_id: int
    id: str
    name: str
    question: str
    reference: str


@dataclass(frozen=True)
class Suspect(Told):
    """A sample whose score looks wrong."""

    suspicion: Suspicion


@dataclass(frozen=True)
class Effect:
    """One reason why the score differs from the verified values: `share` of the mean difference.

    The shares of all effects add up to the mean difference. `units` is 0 where no unit can be named.
    """

    what: What
    units: int
    samples: int
    share: float


@dataclass(frozen=True)
class Worst(Told):
    """A reviewed sample with a large difference; `clues` are the units that it comes from, as verified.

    `marks`: where the counted units stand in the reference, with their verified verdicts.
    """

    marks: tuple[tuple[Span, Verdict], ...]
    score: float
    verified: float
    clues: tuple[Clue, ...]


@dataclass(frozen=True)
class Estimated:
    """The true mean of the `total` samples with a score. `complete`: all are settled: it is no estimate.

    `low` and `high` are the 95 % interval, or where every sample was `reached` the range that `open` samples
    and units that somebody is unsure of (in `unsure` samples) leave. `bias` is by how much the score is too
    high where a sample has both values; None where open ones decide its sign. `sure`: its interval does not
    include 0, so that its sign is known. `excluded` samples are not counted, `undefined` ones have no units.
    `counted` is the mean score of the samples that are not so: minus the bias it is the point.
    """

    total: int
    n: int
    excluded: int
    undefined: int
    point: float
    low: float | None
    high: float | None
    complete: bool
    reached: bool
    open: int
    unsure: int
    counted: float | None
    bias: float | None
    sure: bool

    @property
    def out(self) -> int:
        """How many samples are no part of the mean."""
        return self.excluded + self.undefined


@dataclass(frozen=True)
class Step:
    """What to do next. `samples` to review, of some by several people, are so many `reviews` and take one
    person about `minutes`; a `scorer` changes the mean error.

    So does the change of the policy that `calibrate` lists as `number`, here as an order; `sure` where it is
    better, or where reviews count one by one: behind a plan only all of them do. `before` and `after` are
    that error, or half of the interval for the true mean.
    """

    what: Literal["fast", "check", "random", "plan", "extend", "all", "settle", "scorer", "policy", "send"]
    samples: int = 0
    reviews: int = 0
    minutes: int = 0
    scorer: str = ""
    before: float = 0.0
    after: float = 0.0
    number: int = 0
    order: str = ""
    sure: bool = True


@dataclass(frozen=True)
class Triage:
    """What looks wrong among the samples `looked` at. `shown` are open, the surest first.

    `reasons`: how many of the `suspicious` there are by their `look`. `checked` are reviewed by now; of these
    the score of `confirmed` was wrong by more than .1. `bare` have no suggested names, which a score of names
    is held against.
    """

    looked: int
    bare: int
    suspicious: int
    reasons: Mapping[str, int]
    checked: int
    confirmed: int
    shown: tuple[Suspect, ...]


@dataclass(frozen=True)
class Answer:
    """The answer about one dataset and its headline score, as far as the reviews go.

    `imported`: the score came with the file; `others`: other recalls that did. `possible` samples have both
    values or can still get them. `recount` is the mean share of names that the text contains, over the same
    samples, None for statements. `reviewed` samples are verified,
    `in_order` of them in random order, `picked` by hand and `further` on in that order; on `unresolved` ones
    reviewers differ. `refusal` says why a file's gold gives no estimate.
    `score_reviewed` and `verified` are the means of the `compared` samples, which have both values: with an
    estimate those that it rests on, else all; None where they would show what the viewer may not see, which
    is of `yours` samples, to be decided first.
    `left_out` says how many decided samples are not among these, and why. `traced`: the file records steps of
    the score. `measured`: the minutes of the steps rest on reviews.
    `assisted`: reviewed with suggestions in sight; of the samples reviewed `here`, not imported or settled,
    `fast` ones took less than a second. `chosen`: the samples in order were not drawn. `sent`: for readers
    who have no Workbench, so without commands. `blank`: samples beside the `total`, which have a blank
    reference.
    """

    dataset: str
    total: int
    kind: Kind
    reviews: tuple[Kind, ...]
    scorer: str
    imported: bool
    others: tuple[str, ...]
    proposer: str
    score: Mean
    possible: int
    recount: float | None
    triage: Triage
    reviewed: int
    unresolved: int
    excluded: int
    in_order: int
    picked: int
    further: int
    refusal: str
    compared: int
    left_out: Mapping[LeftOut, int]
    traced: bool
    score_reviewed: float | None
    verified: float | None
    estimate: Estimated | None
    effects: tuple[Effect, ...]
    worst: tuple[Worst, ...]
    steps: tuple[Step, ...]
    measured: bool
    withheld: int
    assisted: bool
    fast: int
    here: int
    chosen: bool = False
    sent: bool = False
    blank: int = 0
    yours: int = 0

    @property
    def done(self) -> bool:
        """Whether every sample is reviewed and settled."""
        return self.reviewed + self.excluded == self.total


def estimated(estimate: Estimate) -> Estimated | None:
    """The estimate as the answer gives it, or None."""
    if estimate.refusal or estimate.point is None:
        return None
    whole = estimate.complete
    ends = estimate.reach if whole else estimate.corpus
    settled = whole and not estimate.open and estimate.reach is None
    low, high = (ends.low, ends.high) if ends is not None and not settled else (None, None)
    off = estimate.bias_interval
    sure = settled or (off is not None and off.low * off.high > 0)
    bias = None if whole and off is not None and not sure else estimate.bias
    return Estimated(
        estimate.total, estimate.n, estimate.excluded, estimate.undefined, estimate.point, low, high,
        settled, whole, estimate.open, estimate.unsure, estimate.counted, bias, sure,
    )  # fmt: skip


def left_out(reviewed: int, samples: Counts, rows: Iterable[Row], used: int) -> dict[LeftOut, int]:
    """Why decided samples are not compared: `rows` are those with an automatic value or a column, `used` of
    them in the figures."""
    known = list(rows)
    no_units = sum(row.verified is None for row in known)
    both = sum(row.delta is not None for row in known)
    counts: dict[LeftOut, int] = {
        "excluded": samples.excluded,
        "no units": no_units,
        "no score": reviewed - both - no_units,
        "not in order": both - used,
        "holdout": samples.holdout,
        "seen": samples.seen,
    }
    return {why: count for why, count in counts.items() if count}


def effects(rows: Iterable[Row]) -> tuple[Effect, ...]:
    """Why a score differs from the verified values, the largest effect first; they add up to the mean Δ.

    Where no sample has a cause with units, the number came alone: then only its direction is known.
    """
    known = [row for row in rows if row.delta is not None]
    traced = any(share.cause not in ("untraced", "rounding") for row in known for share in row.shares)
    units: Counter[What] = Counter()
    shares: dict[What, Fraction] = defaultdict(Fraction)
    samples: dict[What, set[int]] = defaultdict(set)
    for row in known:
        for share in row.shares:
            if share.share is None:
                continue
            what = what_of(share.cause, share.part)
            if what == "untraced" and not traced:
                what = "too high" if share.share > 0 else "too low"
            units[what] += 0 if what in NO_UNITS else share.units
            shares[what] += share.share
            samples[what] |= {row.sample_id} if share.share else set()
    listed = [
        Effect(what, units[what], len(samples[what]), float(share / len(known)))
        for what, share in shares.items()
    ]
    return tuple(sorted(listed, key=lambda effect: -abs(effect.share)))


def steps(
    counts: Counts, whole: Estimate, estimate: Estimated | None, *,
    total: int, left: int, shown: int, planned: bool, of_plan: int, ahead: int, seconds: float,
    reviews: Callable[[int], int], error: float | None, rivals: Mapping[str, float], change: Step | None,
) -> tuple[Step, ...]:  # fmt: skip
    """What to do next, in this order. `left` of `total` samples are not decided, `shown` of them look wrong.
    `planned`: a plan is complete, so that only a longer one changes the estimate; `of_plan` are left of one
    that is not. After `ahead` reviews more half of its interval is likely to be as the `whole` says. So many
    samples need so many `reviews`, and one takes `seconds`.

    `error` is the mean error of the score, `rivals` has those of other scorers over the same samples, where
    the reviews can judge them: who accepted the suggestions of a scorer cannot tell that it is better.
    `change` is the step to another policy, if reviews ask for one.
    """

    def review(what: Literal["random", "plan", "extend", "all"], samples: int) -> Step:
        number = reviews(samples)
        return Step(what, samples, number, max(1, round(number * seconds / 60)))

    actions = []
    if counts.fast:
        actions.append(Step("fast", counts.fast))
    if counts.unresolved:
        actions.append(Step("settle", counts.unresolved))
    if change is not None:
        actions.append(change)
    check = Step("check", shown, shown, max(1, round(shown * seconds / 60)))
    if shown and left and estimate is None:
        actions.append(check)
    need = FEWEST - whole.n
    if left and total < REVIEW_ALL and not of_plan:
        if not estimate and whole.n and 0 < need < left / 2:
            actions.append(review("random", need))
        actions.append(replace(review("all", left), sure=not planned))
    elif left:
        wanted = min(left, need if not estimate and need > 0 else ahead or MORE)
        wanted = min(wanted, of_plan or wanted)
        step = review("extend" if planned else "plan" if wanted == of_plan else "random", wanted)
        if whole.soon is not None and estimate and estimate.low is not None and estimate.high is not None:
            step = replace(step, before=(estimate.high - estimate.low) / 2, after=whole.soon)
        actions.append(step)
    if shown and left and estimate is not None:
        actions.append(check)
    best = min(rivals, key=lambda name: rivals[name], default="")
    if error is not None and best and error - rivals[best] > BETTER:
        actions.append(Step("scorer", scorer=best, before=error, after=rivals[best]))
    if estimate is not None or (total and not left):
        actions.append(Step("send"))
    return tuple(actions)
