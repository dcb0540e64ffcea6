"""Retrievers over the same references: verified recall side by side, and the units that flipped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from workbench.comparing.agreement import mcnemar
from workbench.comparing.intervals import Mean, mean, summed
from workbench.comparing.paired import Pair as TwoValues
from workbench.comparing.paired import Paired, paired
from workbench.model import Assessment, Tally, count
from workbench.reviewing.gold import place_of


@dataclass(frozen=True, slots=True)
class RetrieverSample:
    """One verified sample of one retriever."""

    id: str
    reference_hash: str
    retriever: str
    assessment: Assessment
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Flip:
    """A unit whose verdict differs between retrievers: the verdict under each."""

    text: str
    verdicts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ReferencePair:
    """One reference verified under several retrievers: sample ids and tallies by retriever."""

    reference_hash: str
    group: str | None
    ids: Mapping[str, str]
    tallies: Mapping[str, Tally]
    flips: tuple[Flip, ...]


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two retrievers over the references verified under both.

    `recalls` are means over the same `delta.n` references, `delta` the mean of first − second, `tallies`
    the summed counts; references without units under one of the two are `delta.undefined`. `paired` sets the
    recalls of the first beside those of the second. `first_only` units are found under the first and missing
    under the second, `second_only` the other way; `p` is McNemar's exact one, None without a flip.
    """

    first: str
    second: str
    recalls: tuple[float | None, float | None]
    tallies: tuple[Tally, Tally]
    delta: Mean
    paired: Paired
    first_only: int
    second_only: int
    p: float | None


@dataclass(frozen=True, slots=True)
class Retrievers:
    """References verified under several retrievers, and every two retrievers that share some.

    `means` are over the pairs that have the retriever, so only `contrasts` set two of them side by side.
    `unpaired` counts references verified under a single retriever, `repeated` those with several samples
    of one retriever: only the first is paired.
    """

    names: tuple[str, ...]
    pairs: tuple[ReferencePair, ...]
    means: Mapping[str, Mean]
    contrasts: tuple[Contrast, ...]
    unpaired: int
    repeated: int


def compare_retrievers(samples: Iterable[RetrieverSample]) -> Retrievers:
    """Pair verified samples by reference; a reference counts when at least two retrievers have it."""
    by_reference: dict[str, dict[str, RetrieverSample]] = {}
    names: dict[str, None] = {}
    repeated: set[str] = set()
    for sample in samples:
        names.setdefault(sample.retriever)
        row = by_reference.setdefault(sample.reference_hash, {})
        if sample.retriever in row:
            repeated.add(sample.reference_hash)
        row.setdefault(sample.retriever, sample)
    shared = [row for row in by_reference.values() if len(row) > 1]
    ordered = tuple(sorted({name for row in shared for name in row} or names))
    pairs = tuple(_pair(row) for row in shared)
    means = {
        name: mean(pair.tallies[name].recall for pair in pairs if name in pair.tallies) for name in ordered
    }
    contrasts = [_contrast(first, second, pairs) for first, second in combinations(ordered, 2)]
    return Retrievers(
        names=ordered,
        pairs=pairs,
        means=means,
        contrasts=tuple(one for one in contrasts if one is not None),
        unpaired=len(by_reference) - len(shared),
        repeated=len(repeated),
    )


def _contrast(first: str, second: str, pairs: Iterable[ReferencePair]) -> Contrast | None:
    """The two over the pairs that have both; None when there is none."""
    both = [pair for pair in pairs if first in pair.tallies and second in pair.tallies]
    if not both:
        return None
    recalls = [
        (pair, one, other)
        for pair in both
        if (one := pair.tallies[first].recall) is not None
        and (other := pair.tallies[second].recall) is not None
    ]
    differences = mean(one - other for _, one, other in recalls)
    flipped = [(flip.verdicts.get(first), flip.verdicts.get(second)) for pair in both for flip in pair.flips]
    first_only, second_only = flipped.count(("found", "missing")), flipped.count(("missing", "found"))
    return Contrast(
        first,
        second,
        (mean(one for _, one, _ in recalls).value, mean(other for _, _, other in recalls).value),
        (summed(pair.tallies[first] for pair in both), summed(pair.tallies[second] for pair in both)),
        Mean(differences.value, differences.n, len(both) - len(recalls)),
        paired([TwoValues(pair.ids[first], float(a), float(b), pair.group) for pair, a, b in recalls]),
        first_only,
        second_only,
        mcnemar(first_only, second_only) if first_only + second_only else None,
    )


def _pair(row: Mapping[str, RetrieverSample]) -> ReferencePair:
    names = tuple(sorted(row))
    verdicts: dict[tuple[object, ...], dict[str, str]] = {}
    for name in names:
        for unit in row[name].assessment.units:
            if unit.counted:
                verdicts.setdefault(place_of(unit), {})[name] = unit.match.verdict or "unsure"
    flips = tuple(
        Flip(str(place[0]), said)
        for place, said in verdicts.items()
        if len(said) == len(names) and len(set(said.values())) > 1
    )
    return ReferencePair(
        reference_hash=row[names[0]].reference_hash,
        group=row[names[0]].group,
        ids={name: row[name].id for name in names},
        tallies={name: count(row[name].assessment.units) for name in names},
        flips=flips,
    )
