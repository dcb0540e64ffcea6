"""Whether people who review the same samples agree: on units, on verdicts, on the recall that follows.

Only decisions that were made independently are compared, two at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, sqrt

from workbench.comparing.agreement import Chance, Overlap, alpha, beyond_chance, by_label, overlaps, tabulate
from workbench.comparing.intervals import FEWEST, Interval, around, wilson
from workbench.comparing.links import covered, links
from workbench.model import Assessment, count, recall_of
from workbench.text.tokens import Token


@dataclass(frozen=True)
class Decided:
    """What one person decided of one sample, before they saw what others had; `week` as `2026-W07`.

    `group` is a number where no document was named.
    """

    sample: str
    group: str | int
    person: str
    week: str
    assessment: Assessment

    @property
    def recall(self) -> float | None:
        """The recall of their units; None without any."""
        return recall_of(count(self.assessment.units))


@dataclass(frozen=True)
class Couple:
    """Two people's decisions on one sample.

    `linked` units are one and the same for the matcher; of these `strict` have one place and one label,
    `boundary` another place, `label` another label. `verdicts` are those of linked units, `labels` those of
    all units, None where the other person has no such unit.
    """

    first: Decided
    second: Decided
    linked: Overlap
    strict: int
    boundary: int
    label: int
    verdicts: tuple[tuple[str | None, str | None], ...]
    labels: tuple[tuple[str | None, str | None], ...]

    @property
    def empty(self) -> int:
        """How many of the two found no units: two agree that there is nothing, of which no F1 is counted."""
        return (not self.linked.automatic) + (not self.linked.verified)


def pair(first: Decided, second: Decided, lang: str | None = None) -> Couple:
    """Hold two decisions against each other."""
    both, ours, theirs = links(first.assessment, second.assessment, based=False, lang=lang)
    moved = [covered(each.automatic) != covered(each.verified) for each in both]
    labels = [(each.automatic.label, each.verified.label) for each in both]
    renamed = [mine != yours for mine, yours in labels]
    verdicts = [(each.automatic.match.verdict, each.verified.match.verdict) for each in both]
    alone = [(unit.label, None) for unit in ours]
    others = [(None, unit.label) for unit in theirs]
    return Couple(
        first, second, Overlap(len(both), len(both) + len(ours), len(both) + len(theirs)),
        [*zip(moved, renamed, strict=True)].count((False, False)), sum(moved), sum(renamed),
        tuple(verdicts), (*labels, *alone, *others),
    )  # fmt: skip


@dataclass(frozen=True)
class Agreement:
    """How far people agree, over pairs of decisions. Below ten samples there are counts and no figures.

    `linked` and `strict` are units that both have, by the matcher, and with one place and one label, of all
    that the `first` and the `second` of each two have: summed over all pairs, of which the sample with most
    units brings `largest`. `differing` linked units have two verdicts. `mean_f1` is the mean of the linked F1
    of each sample, `interval` that of the pooled one, by document.
    `chance` is about verdicts of linked units, without the `unsure` ones. `differs` is the mean difference of
    the recalls. `alpha` is Krippendorff's, of the label of every word of the references. Where both found
    nothing (`both_empty`) there is nothing to count.
    """

    samples: int
    pairs: int
    both_empty: int
    one_empty: int
    groups: int
    linked: int
    first: int
    second: int
    strict: int
    boundary: int
    label: int
    unsure: int
    differing: int
    largest: int
    mean_f1: float | None = None
    interval: Interval | None = None
    chance: Chance | None = None
    differs: float | None = None
    differs_interval: Interval | None = None
    alpha: float | None = None

    @property
    def few(self) -> bool:
        """Whether there are too few samples for figures."""
        return self.samples < FEWEST

    @property
    def units(self) -> int:
        """What is compared: units that both of a pair have, and those that only one has."""
        return self.first + self.second - self.linked

    @property
    def f1(self) -> float | None:
        """Of linked units."""
        return 2 * self.linked / self._units if self._units else None

    @property
    def strict_f1(self) -> float | None:
        """Of units with one place and one label."""
        return 2 * self.strict / self._units if self._units else None

    @property
    def _units(self) -> int:
        """The units of both; 0 where there are too few samples for figures."""
        return 0 if self.few else self.first + self.second


Words = Mapping[str, Sequence[Token]]
"""The words of each sample's reference."""


def agreement(pairs: Sequence[Couple], words: Words) -> Agreement:
    """The figures of some pairs."""
    couples: dict[str, list[Couple]] = defaultdict(list)
    for couple in pairs:
        couples[couple.first.sample].append(couple)
    each = [overlaps([couple.linked for couple in own]).micro for own in couples.values()]
    sizes = [one.automatic + one.verified - one.linked for one in each]
    verdicts = tabulate(each for couple in pairs for each in couple.verdicts if "unsure" not in each)
    unsure = sum("unsure" in each for couple in pairs for each in couple.verdicts)
    empty = [couple.empty for couple in pairs]
    units = overlaps([couple.linked for couple in pairs]).micro
    figures = Agreement(
        len(couples), len(pairs), empty.count(2), empty.count(1), len({each.first.group for each in pairs}),
        units.linked, units.automatic, units.verified, sum(couple.strict for couple in pairs),
        sum(couple.boundary for couple in pairs), sum(couple.label for couple in pairs), unsure,
        sum(one != other for couple in pairs for one, other in couple.verdicts), max(sizes, default=0),
    )  # fmt: skip
    if figures.few:
        return figures
    shares = [
        (couple.first.group, 2 * couple.linked.linked, couple.linked.automatic + couple.linked.verified)
        for couple in pairs
    ]
    apart = [
        (couple.first.group, abs(ours - theirs), 1)
        for couple in pairs
        if (ours := couple.first.recall) is not None and (theirs := couple.second.recall) is not None
    ]
    # Krippendorff's α of the label that each person gave each word of a reference, none included
    items: list[tuple[str, ...]] = []
    for sample, of_sample in couples.items():
        people = {each.person: each.assessment for two in of_sample for each in (two.first, two.second)}
        sides = [tuple(people)]
        if len(of_sample) < len(people) * (len(people) - 1) / 2:  # one person against the others
            sides = [(couple.first.person, couple.second.person) for couple in of_sample]
        marks = {person: _marks(assessment, words[sample]) for person, assessment in people.items()}
        for side in sides:
            items += zip(*(marks[person] for person in side), strict=True)
    return replace(
        figures,
        mean_f1=overlaps([one for one, size in zip(each, sizes, strict=True) if size]).macro_f1,
        interval=ratio_interval(shares),
        chance=beyond_chance(verdicts.table) if verdicts.n else None,
        differs=fsum(size for _, size, _ in apart) / len(apart) if apart else None,
        differs_interval=ratio_interval(apart),
        alpha=alpha(items),
    )


def ratio_interval(parts: Iterable[tuple[Hashable, float, float]]) -> Interval | None:
    """The interval of Σ part / Σ whole over (document, part, whole); documents are what was drawn.

    Linearised (Cochran 1977, section 6.3), t with one degree of freedom less than documents. Where documents
    do not differ, as where all or nothing agrees, it is Wilson's, each of them one observation. None of one.
    """
    totals: dict[Hashable, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for group, part, whole in parts:
        totals[group][0] += part
        totals[group][1] += whole
    held = [(part, whole) for part, whole in totals.values() if whole]
    n, every = len(held), fsum(whole for _, whole in held)
    if n < 2:
        return None
    ratio = fsum(part for part, _ in held) / every
    squares = fsum((part - ratio * whole) ** 2 for part, whole in held)
    if squares < 1e-12:
        return wilson(ratio * n, n)
    return around(ratio, sqrt(squares * n / (n - 1)) / every, n - 1).clipped()


def _marks(assessment: Assessment, words: Sequence[Token]) -> list[str]:
    """The label of the unit that covers each word; the word "unit" for one without, "" for none."""
    spans = [
        (span.start, span.end, unit.label or "unit")
        for unit in assessment.units if unit.counted for span in unit.spans
    ]  # fmt: skip
    return [next((label for start, end, label in spans if start <= word.start < end), "") for word in words]


@dataclass(frozen=True)
class LabelAgreement:
    """Units of a label that two people have in all, and pairs of units that both have under it.

    `f1` is None below ten samples, and below ten units.
    """

    units: int
    both: int
    f1: float | None


def of_labels(pairs: Sequence[Couple]) -> dict[str, LabelAgreement]:
    """How far people agree on each label, the least agreed first."""
    few = len({couple.first.sample for couple in pairs}) < FEWEST
    every = by_label(row for couple in pairs for row in couple.labels)
    labels = {}
    for name, overlap in sorted(every.items(), key=lambda each: (each[1].f1, each[0])):
        units = overlap.automatic + overlap.verified
        labels[name] = LabelAgreement(units, overlap.linked, None if few or units < FEWEST else overlap.f1)
    return labels
