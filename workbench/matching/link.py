"""One-to-one links between the names of a reference and the names of its contexts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz, process

from workbench.matching import FLOOR
from workbench.matching.analysis import Analysed, analyse
from workbench.matching.names import Name, compare


class NameLink(NamedTuple):
    """The candidate a reference name is linked to, how alike they are and which layer said so."""

    candidate: int
    similarity: int
    rule: str


class _Candidates(NamedTuple):
    """Candidates with everything that finds the few worth comparing; `rows` fills as names are asked for."""

    names: tuple[Name, ...]
    analysed: tuple[Analysed, ...]
    by_trait: dict[str, list[int]]
    spellings: tuple[str, ...]
    rows: dict[Name, tuple[NameLink, ...]]


def best(
    references: Sequence[Name], candidates: Sequence[Name], *, lang: str | None = None
) -> list[NameLink | None]:
    """The one-to-one links of similarity 60 or more, one for each reference name, None without one.

    Pairs are taken best first; among equals the names decide, never their places, so another order of
    either side changes nothing but the indices. The links at a threshold are those of this list that
    reach it, for every threshold: a greedy walk at a higher one is the beginning of this one. 75–85
    is the band of suggestions.
    """
    if not references or not candidates:
        return [None] * len(references)
    known = _candidates(tuple(candidates), lang)
    pairs: list[tuple[int, Name, Name, int, NameLink]] = []
    for i, name in enumerate(references):
        row = known.rows.get(name)
        if row is None:
            row = known.rows[name] = _row(name, known, lang)
        pairs.extend((-near.similarity, name, known.names[near.candidate], i, near) for near in row)
    links: list[NameLink | None] = [None] * len(references)
    taken: set[int] = set()
    for _, _, _, i, near in sorted(pairs):
        if links[i] is None and near.candidate not in taken:
            links[i] = near
            taken.add(near.candidate)
    return links


def link(
    references: Sequence[Name],
    candidates: Sequence[Name],
    *,
    threshold: int = 85,
    lang: str | None = None,
) -> list[NameLink | None]:
    """The links of `best` that reach the threshold, one for each reference name, None without one."""
    return [
        found if found is not None and found.similarity >= threshold else None
        for found in best(references, candidates, lang=lang)
    ]


@lru_cache(maxsize=256)
def _candidates(names: tuple[Name, ...], lang: str | None) -> _Candidates:
    """The candidates of a sample, taken apart and indexed; kept for the next edit of its reference."""
    analysed = tuple(analyse(name.text, name.label, lang) for name in names)
    by_trait: dict[str, list[int]] = defaultdict(list)
    for index, one in enumerate(analysed):
        for trait in one.traits:
            by_trait[trait].append(index)
    return _Candidates(names, analysed, by_trait, tuple(one.spelling for one in analysed), {})


def _row(name: Name, known: _Candidates, lang: str | None) -> tuple[NameLink, ...]:
    """The candidates near a reference name.

    Comparing is 10 µs, so only those are compared that share a word, an acronym or six tenths of
    their letters: about one in thirty.
    """
    one = analyse(name.text, name.label, lang)
    indices = {index for trait in one.traits for index in known.by_trait.get(trait, ())}
    if one.tokens:
        indices.update(
            index
            for _, _, index in process.extract(
                one.spelling, known.spellings, scorer=fuzz.ratio, score_cutoff=FLOOR, limit=None
            )
        )
    row = []
    for index in indices:
        score, rule = compare(one, known.analysed[index])
        if score >= FLOOR:
            row.append(NameLink(index, score, rule))
    return tuple(row)
