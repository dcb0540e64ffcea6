"""Whether judges of the same units agree: tables, κ with AC1 next to it, rates, α."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum, sqrt

from workbench.comparing.intervals import Interval, wilson, wilson_by_group


@dataclass(frozen=True)
class Chance:
    """Agreement beyond chance of two judges: κ (Cohen 1960) and AC1 (Gwet 2008) with standard errors.

    `raw` is the share of equal verdicts. A figure is None where it is undefined: κ when chance alone would
    agree always, a standard error then too.
    """

    n: int
    raw: float
    kappa: float | None
    kappa_se: float | None
    ac1: float | None
    ac1_se: float | None


@dataclass(frozen=True)
class Rate:
    """hits of n with Wilson's interval; `value` None without any.

    `groups` have (hits, n) of every group whose units are not independent: then the interval is by group.
    """

    hits: int
    n: int
    groups: tuple[tuple[int, int], ...] = field(default=(), repr=False, compare=False)

    @property
    def value(self) -> float | None:
        """hits / n."""
        return self.hits / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's, 95 %; None without units, and below ten groups."""
        return wilson_by_group(self.groups) if self.groups or not self.n else wilson(self.hits, self.n)


@dataclass(frozen=True)
class Verdicts:
    """The 2 × 2 table of found and missing: first the person, then the machine.

    `human_unsure` units are in no cell. `parts` are the tables of the groups, whose units are dependent.
    """

    both_found: int
    only_human: int
    only_machine: int
    both_missing: int
    human_unsure: int = 0
    parts: tuple[Verdicts, ...] = field(default=(), repr=False, compare=False)

    def _rate(self, cells: Callable[[Verdicts], tuple[int, int]]) -> Rate:
        """The share of the first of two counts in both of them, of all units and of those of each group."""
        (hits, others), *groups = map(cells, (self, *self.parts))
        return Rate(hits, hits + others, tuple((own, own + rest) for own, rest in groups))

    @property
    def n(self) -> int:
        """Units in the table."""
        return self.both_found + self.only_human + self.only_machine + self.both_missing

    @property
    def table(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Rows: found and missing by the person; columns: by the machine."""
        return (self.both_found, self.only_human), (self.only_machine, self.both_missing)

    @property
    def tpr(self) -> Rate:
        """Of those found by the person, found by the machine."""
        return self._rate(lambda table: (table.both_found, table.only_human))

    @property
    def tnr(self) -> Rate:
        """Of those missing by the person, missing by the machine."""
        return self._rate(lambda table: (table.both_missing, table.only_machine))

    @property
    def ppv(self) -> Rate:
        """Of those found by the machine, found by the person."""
        return self._rate(lambda table: (table.both_found, table.only_machine))

    @property
    def npv(self) -> Rate:
        """Of those missing by the machine, missing by the person."""
        return self._rate(lambda table: (table.both_missing, table.only_human))

    @property
    def raw(self) -> Rate:
        """Equal verdicts."""
        return self._rate(
            lambda table: (table.both_found + table.both_missing, table.only_human + table.only_machine)
        )

    @property
    def specific(self) -> tuple[float | None, float | None]:
        """Agreement on found and on missing: 2a / (2a + b + c), the F1 of either verdict."""
        apart = self.only_human + self.only_machine
        found, missing = (
            2 * agreed / (2 * agreed + apart) if agreed or apart else None
            for agreed in (self.both_found, self.both_missing)
        )
        return found, missing


def tabulate(pairs: Iterable[tuple[str | None, str | None]]) -> Verdicts:
    """Count (person, machine) verdicts; a unit that the person is unsure of is counted apart.

    A machine that does not say found has not found it.
    """
    cells: Counter[tuple[bool, bool]] = Counter()
    unsure = 0
    for human, machine in pairs:
        if human in ("found", "missing"):
            cells[human == "found", machine == "found"] += 1
        else:
            unsure += 1
    return Verdicts(cells[True, True], cells[True, False], cells[False, True], cells[False, False], unsure)


def tabulate_by_group(pairs: Iterable[tuple[str | None, str | None]], groups: Iterable[Hashable]) -> Verdicts:
    """The same with the table of each group, one name a pair."""
    pairs = list(pairs)
    of: dict[Hashable, list[tuple[str | None, str | None]]] = {}
    for pair, group in zip(pairs, groups, strict=True):
        of.setdefault(group, []).append(pair)
    return replace(tabulate(pairs), parts=tuple(tabulate(own) for own in of.values()))


def beyond_chance(table: Sequence[Sequence[int]]) -> Chance:
    """κ and AC1 of a square table of counts, with their large-sample standard errors.

    κ: (po − pe)/(1 − pe), SE by Fleiss, Cohen and Everitt (1969). AC1: pe = Σ p (1 − p) / (q − 1) with p the
    mean of both margins, SE by Gwet (2008) with n − 1.
    """
    import numpy as np  # the app opens a dataset without it

    counts = np.array(table)
    n, others = int(counts.sum()), len(counts) - 1
    if not n:
        return Chance(0, 0.0, None, None, None, None)
    p = counts / n
    rows, columns, equal = p.sum(axis=1), p.sum(axis=0), p.diagonal()
    raw, chance = float(equal.sum()), float(rows @ columns)
    kappa = kappa_se = ac1_se = None
    if chance < 1:
        kappa = (raw - chance) / (1 - chance)
        first = equal @ (1 - (rows + columns) * (1 - kappa)) ** 2
        second = ((p - np.diag(equal)) * (columns[:, None] + rows) ** 2).sum()
        third = (kappa - chance * (1 - kappa)) ** 2
        kappa_se = sqrt(max(0.0, first + (1 - kappa) ** 2 * second - third) / n) / (1 - chance)
    shares = (rows + columns) / 2
    chance = float(shares @ (1 - shares)) / others
    ac1 = (raw - chance) / (1 - chance)
    if n > 1:
        cells = (p * (1 - (shares[:, None] + shares) / 2) ** 2).sum() / others**2
        variance = raw * (1 - raw) - 4 * (1 - ac1) * (equal @ (1 - shares) / others - raw * chance)
        variance += 4 * (1 - ac1) ** 2 * (cells - chance**2)
        ac1_se = sqrt(max(0.0, variance) / (n - 1)) / (1 - chance)
    return Chance(n, raw, kappa, kappa_se, ac1, ac1_se)


def sign_test(first: int, second: int) -> float:
    """The exact two-sided p that either of two is ahead equally often, from how often each is ahead."""
    from scipy.special import bdtr

    n = first + second
    return min(1.0, 2 * float(bdtr(min(first, second), n, 0.5))) if n else 1.0


@dataclass(frozen=True)
class Overlap:
    """Units of two assessments: `linked` pairs, `automatic` and `verified` units in all."""

    linked: int
    automatic: int
    verified: int

    @property
    def precision(self) -> float | None:
        """linked / automatic."""
        return self.linked / self.automatic if self.automatic else None

    @property
    def recall(self) -> float | None:
        """linked / verified."""
        return self.linked / self.verified if self.verified else None

    @property
    def f1(self) -> float | None:
        """2 · linked / (automatic + verified)."""
        every = self.automatic + self.verified
        return 2 * self.linked / every if every else None


@dataclass(frozen=True)
class Overlaps:
    """The same over many samples: counts summed (micro), and the mean F1 of samples (macro).

    Two empty sets of a sample agree: 1 in the mean (Hripcsak, Rothschild 2005).
    """

    micro: Overlap
    macro_f1: float | None


def overlaps(samples: Sequence[Overlap]) -> Overlaps:
    """Micro and macro agreement on units."""
    micro = Overlap(
        sum(overlap.linked for overlap in samples),
        sum(overlap.automatic for overlap in samples),
        sum(overlap.verified for overlap in samples),
    )
    each = [1.0 if overlap.f1 is None else overlap.f1 for overlap in samples]
    return Overlaps(micro, sum(each) / len(each) if each else None)


def by_label(rows: Iterable[tuple[str | None, str | None]]) -> Mapping[str, Overlap]:
    """Precision and recall of each label, from (automatic label, verified label) of every unit or pair.

    A unit without a partner has None on the other side. A pair agrees only under an equal label.
    """
    linked: dict[str, list[int]] = {}

    def at(label: str) -> list[int]:
        return linked.setdefault(label, [0, 0, 0])

    for automatic, verified in rows:
        if automatic is not None:
            at(automatic)[1] += 1
        if verified is not None:
            at(verified)[2] += 1
            at(verified)[0] += automatic == verified
    return {label: Overlap(*counts) for label, counts in sorted(linked.items())}


def alpha(items: Iterable[Sequence[Hashable]]) -> float | None:
    """α over items, each with the values that its judges gave (Krippendorff 2011); None where all are equal.

    Values are equal or not, without an order. An item with fewer than two values stays out.
    """
    judged = [Counter(item) for item in items if len(item) > 1]
    pooled: Counter[Hashable] = Counter()
    for counts in judged:
        pooled.update(counts)
    n = pooled.total()
    if len(pooled) < 2:
        return None
    observed = fsum(_unequal(counts) / (counts.total() - 1) for counts in judged) / n
    return 1 - observed / (_unequal(pooled) / (n * (n - 1)))


def _unequal(counts: Counter[Hashable]) -> int:
    """How many ordered pairs of entries have different values."""
    return counts.total() ** 2 - sum(count**2 for count in counts.values())
