"""Claimed stretches of a text and how several finders share one text without partial overlaps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple


class Found(NamedTuple):
    """A stretch of a text that a finder proposes, in code points, with a label of the default policy."""

    start: int
    end: int
    label: str


class Claims:
    """Disjoint stretches in text order: the first finder to claim a stretch keeps it."""

    def __init__(self) -> None:
        self._items: list[Found] = []

    def add(self, found: Iterable[Found]) -> None:
        """Keep each stretch that overlaps nothing kept before it.

        A whole layer is merged in one sort: inserting one by one is quadratic on a 1 MB text.
        """
        kept = self._items
        fresh: list[Found] = []
        last_end = 0
        for item in sorted(found):
            if item.start < last_end or item.end <= item.start or self.overlaps(item.start, item.end):
                continue
            fresh.append(item)
            last_end = item.end
        self._items = sorted([*kept, *fresh])

    def overlaps(self, start: int, end: int) -> bool:
        """Whether any kept stretch shares a character with `start`–`end`."""
        at = bisect_left(self._items, (end, -1, ""))
        return at > 0 and self._items[at - 1].end > start

    def items(self) -> list[Found]:
        """All kept stretches, in text order."""
        return list(self._items)
