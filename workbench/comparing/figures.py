"""What the figures of a dataset are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from workbench.comparing.agreement import Chance, Overlap, Overlaps, Verdicts, overlaps
from workbench.comparing.estimates import Estimate
from workbench.comparing.estimators import EQUAL
from workbench.comparing.explained import CauseTotal, Explained, Share
from workbench.comparing.intervals import Interval
from workbench.comparing.paired import MeanOf, Paired, mean_of, two_arms
from workbench.model import Kind

BLIND_ENOUGH = 30
"""Blind reviews from which figures say more than "assisted gold"."""


@dataclass(frozen=True, slots=True)
class Row:
    """One verified sample under the scorer: what pictures draw and lists lead to.

    `automatic` and `verified` are recalls, `delta` their difference; None where undefined. `shares` says
    what it is made of. `shown` is how the sample was reviewed: assisted, blind or import; `fast`: accepted
    in under a second. `exact` are both values as fractions, an imported one as its decimal is written.
    `question` is the beginning of its question where its id is a hash.
    """

    sample_id: int
    id: str
    group: str | None
    automatic: float | None
    verified: float | None
    delta: float | None
    cause: str
    shares: tuple[Share, ...] = ()
    language: str = ""
    shown: str = ""
    fast: bool = False
    exact: tuple[Fraction | None, Fraction | None] = (None, None)
    question: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many samples stand where. `total` are those that the estimate is for, without `holdout` and `late`
    ones and those with a `blank` reference.

    `imported`, `reviewed`, `adjudicated` and `unresolved` are verified samples by the origin of their gold.
    `seen`: left out, because the run was shown their gold. `fast`: accepted under a second.
    """

    total: int
    holdout: int
    late: int
    imported: int
    reviewed: int
    adjudicated: int
    unresolved: int
    excluded: int
    skipped: int
    undefined: int
    failed: int
    unproposed: int
    seen: int
    fast: int
    blank: int = 0


@dataclass(frozen=True, slots=True)
class Arm:
    """The samples reviewed in one way, blind or assisted, that have both values: bias, how well units were
    proposed."""

    n: int
    bias: MeanOf | None
    units: Overlap | None


@dataclass(frozen=True, slots=True)
class Arms:
    """The blind arm beside the assisted one; the difference of their biases with its interval.

    A difference below `detectable` could go unseen.
    """

    blind: Arm
    assisted: Arm
    difference: float | None
    interval: Interval | None
    detectable: float | None = None


def arms(rows: Sequence[Row], explained: Mapping[int, Explained], *, early: bool) -> Arms:
    """Blind and assisted reviews apart; imported gold is of neither arm. `early`: without intervals."""
    by_shown = {}
    for shown in ("blind", "assisted"):
        known = [(row, row.delta) for row in rows if row.shown == shown and row.delta is not None]
        bias = mean_of([delta for _, delta in known], [row.group for row, _ in known]) if known else None
        judged = [explained[row.sample_id] for row, _ in known if row.sample_id in explained]
        by_shown[shown] = Arm(
            len(known),
            replace(bias, interval=None) if early and bias else bias,
            overlaps([sample.overlap(strict=False) for sample in judged]).micro if judged else None,
        )
    blind, assisted = by_shown["blind"], by_shown["assisted"]
    if blind.bias is None or assisted.bias is None:
        return Arms(blind, assisted, None, None)
    apart, interval, seen = two_arms(blind.bias, assisted.bias)
    return Arms(blind, assisted, apart, None if early else interval, seen)


@dataclass(frozen=True, slots=True)
class Beside:
    """Another scorer, or an imported column, over the samples that are verified in its kind.

    `automatic` and `verified` are means over the same `n` samples, `delta` their difference, `mae` the mean
    absolute one, all None below ten; `undefined` samples have no value on one side. `equal` samples agree
    exactly.
    """

    scorer: str
    kind: Kind
    n: int
    undefined: int
    automatic: float | None
    verified: float | None
    delta: float | None
    mae: float | None
    equal: int


NO_VERDICTS, NO_OVERLAPS = Verdicts(0, 0, 0, 0), overlaps([])


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Everything about one scorer over one dataset.

    `estimate` is for all samples, `paired` over all verified ones whichever way they were chosen. `causes`
    are totals over those, `by_label` and `by_language` the same cut up; `estimated` are their net shares for
    all samples, empty where there is no estimate. `units` says how proposed and verified units overlap
    where linked ones are the same, `strict` where those equal letter for letter are. `beside` has every
    scorer in short; `counted` has by kind the samples that it counts. `sums` are both values added up over
    the samples that have both, listed or not, None where they would show what the `unlisted` ones are, which
    the reader is yet to decide.
    The first `prefix` samples of the order are complete. What rests on verified values says nothing by
    default: so it is withheld from a reader whom it would tell what others decided.
    """

    dataset: str
    run: str
    scorer: str
    kind: Kind
    threshold: int
    calibration: str
    counts: Counts
    design: str
    planned_n: int | None
    prefix: int
    estimate: Estimate
    paired: Paired
    without_fast: Paired | None = None
    arms: Arms
    verdicts: Verdicts = NO_VERDICTS
    chance: Chance | None = None
    units: Overlaps = NO_OVERLAPS
    strict: Overlaps = NO_OVERLAPS
    labels: Mapping[str, tuple[Overlap, int]] = field(default_factory=dict)
    causes: tuple[CauseTotal, ...] = ()
    estimated: Mapping[str, Estimate] = field(default_factory=dict)
    by_label: Mapping[str, tuple[CauseTotal, ...]] = field(default_factory=dict)
    by_language: Mapping[str, tuple[CauseTotal, ...]] = field(default_factory=dict)
    reproducible: Paired | None = None
    beside: tuple[Beside, ...] = ()
    counted: Mapping[Kind, Mapping[str, frozenset[int]]] = field(default_factory=dict)
    sums: tuple[Fraction | None, Fraction | None] = (None, None)
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    unlisted: int = 0

    @property
    def assisted(self) -> bool:
        """Whether the gold was made with proposals in sight, too little of it blind to tell what that did."""
        return self.arms.assisted.n > 0 and self.arms.blind.n < BLIND_ENOUGH


STEPS = 10
"""Bins of a difference of 1."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Samples with `low` < Δ ≤ `high` above 0, `low` ≤ Δ < `high` below; both ends 0: the equal ones."""

    low: float
    high: float
    samples: tuple[Row, ...]

    @property
    def equal(self) -> bool:
        """Whether it is the bin of equal samples."""
        return self.low == self.high


def bins(rows: Iterable[Row]) -> list[Bin]:
    """The differences in steps of .1 from the lowest to the highest that occurs, 0 among them."""
    filled: dict[int, list[Row]] = {}
    for row in rows:
        if row.delta is not None:
            filled.setdefault(_place(row.delta), []).append(row)
    if not filled:
        return []
    places = range(min(*filled, 0), max(*filled, 0) + 1)
    return [Bin(*_ends(step), tuple(filled.get(step, ()))) for step in places]


def _place(delta: float) -> int:
    """0 for equal ones, ±1 for up to a step, ±2 for up to two; a step's end belongs to it."""
    if abs(delta) < EQUAL:
        return 0
    steps = int(abs(delta) * STEPS - 1e-9) + 1
    return steps if delta > 0 else -steps


def _ends(step: int) -> tuple[float, float]:
    if not step:
        return 0.0, 0.0
    near, far = (abs(step) - 1) / STEPS, abs(step) / STEPS
    return (near, far) if step > 0 else (-far, -near)
