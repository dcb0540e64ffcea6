"""Retrievers over the same references: verified recall side by side, and the units that flipped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.comparing.means import Mean, mean
from workbench.model import Assessment, Tally, Unit, count


@dataclass(frozen=True, slots=True)
class Judged:
    """One verified sample of one retriever."""

    id: str
    reference_hash: str
    retriever: str
    assessment: Assessment


@dataclass(frozen=True, slots=True)
class Flip:
    """A unit whose verdict differs between retrievers: the verdict under each."""

    text: str
    verdicts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Pair:
    """One reference verified under several retrievers: sample ids and tallies by retriever."""

    reference_hash: str
    ids: Mapping[str, str]
    tallies: Mapping[str, Tally]
    flips: tuple[Flip, ...]


@dataclass(frozen=True, slots=True)
class Retrievers:
    """Paired figures: `means` over the references verified under every retriever.

    `repeated` counts references with several samples of one retriever: only the first is paired.
    """

    names: tuple[str, ...]
    pairs: tuple[Pair, ...]
    means: Mapping[str, Mean]
    unpaired: int
    repeated: int


def compare_retrievers(samples: Iterable[Judged]) -> Retrievers:
    """Pair verified samples by reference; a reference counts when every retriever has it."""
    by_reference: dict[str, dict[str, Judged]] = {}
    names: dict[str, None] = {}
    repeated: set[str] = set()
    for sample in samples:
        names.setdefault(sample.retriever)
        row = by_reference.setdefault(sample.reference_hash, {})
        if sample.retriever in row:
            repeated.add(sample.reference_hash)
        row.setdefault(sample.retriever, sample)
    ordered = tuple(sorted(names))
    whole = [row for row in by_reference.values() if len(row) == len(ordered)]
    pairs = tuple(_pair(row, ordered) for row in whole)
    means = {name: mean(pair.tallies[name].recall for pair in pairs) for name in ordered}
    return Retrievers(ordered, pairs, means, len(by_reference) - len(whole), len(repeated))


def _pair(row: Mapping[str, Judged], names: tuple[str, ...]) -> Pair:
    verdicts: dict[tuple[object, ...], dict[str, str]] = {}
    for name in names:
        for unit in row[name].assessment.units:
            if unit.counted:
                verdicts.setdefault(_place(unit), {})[name] = unit.match.verdict or "unsure"
    flips = tuple(
        Flip(str(place[0]), said)
        for place, said in verdicts.items()
        if len(said) == len(names) and len(set(said.values())) > 1
    )
    return Pair(
        reference_hash=row[names[0]].reference_hash,
        ids={name: row[name].id for name in names},
        tallies={name: count(row[name].assessment.units) for name in names},
        flips=flips,
    )


def _place(unit: Unit) -> tuple[object, ...]:
    return (unit.text, unit.spans[:1])
