"""The ids of samples on the screen: cut the same way everywhere, so that one can be matched with another."""

from __future__ import annotations

import re

from workbench.tui.cells import cut_front, fit, width
from workbench.tui.safe import flat

_HASH = re.compile("[0-9a-f]{24,}")
HASH = 8
"""Letters shown of an id that is a hash: enough to tell a million apart nearly always."""

LEAST = 8
"""Cells that an id keeps in a sentence, however long the rest is."""


def short(key: str, size: int) -> str:
    """An id in at most `size` cells: a hash by its beginning, another one by its end, where ids differ."""
    key = flat(key)
    if _HASH.fullmatch(key):
        return key[: min(HASH, max(size, 0))]
    if width(key) <= size:
        return key
    head = fit(key, size // 3 + 1).removesuffix("…").rstrip()
    return head + cut_front(key, size - width(head))


def told_of(key: str, said: str, size: int) -> str:
    """An id and what is said of it, on a line of `size` cells: the id gives way first."""
    return f"{short(key, max(LEAST, size - 1 - width(said)))} {said}"
