"""Which samples are kept back: whole families at random, so that nothing stands on both sides."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence


def families(groups: Sequence[str | None], references: Sequence[str]) -> list[list[int]]:
    """The places of samples that belong together: by group, and by the hash of their reference.

    A reference that stands in two groups joins them.
    """
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        parent.setdefault(name, name)
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for group, reference in zip(groups, references, strict=True):
        if group is not None:
            first, second = sorted((root(f"g{group}"), root(f"r{reference}")))
            parent[second] = first
    found: dict[str, list[int]] = defaultdict(list)
    for place, reference in enumerate(references):
        found[root(f"r{reference}")].append(place)
    return list(found.values())


def keep_back(kin: Sequence[Sequence[int]], keys: Sequence[str], share: float, seed: int) -> set[int]:
    """The places of about `share` of the samples, whole families in an order drawn by the seed.

    A family that would lead further away from the share is passed over. Empty where all of them are.
    """
    wanted = share * len(keys)
    kept: set[int] = set()
    for family in sorted(kin, key=lambda one: _drawn(seed, min(keys[place] for place in one))):
        after = len(kept) + len(family)
        if after - wanted <= wanted - len(kept):
            kept.update(family)
    return kept


def _drawn(seed: int, name: str) -> bytes:
    return hashlib.blake2b(f"{seed}:holdout:{name}".encode(), digest_size=8).digest()
