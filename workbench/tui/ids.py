"""The names of samples on the screen: cut the same way everywhere, so that they can be matched."""

from __future__ import annotations

from workbench.text.safe import HASH, is_hash
from workbench.tui.cells import cut, cut_front, fit, width
from workbench.tui.safe import flat

LEAST = 8
"""Cells that an id keeps in a sentence, however long the rest is."""
QUESTION = 32
"""Cells that a question takes in a sentence at most."""


def short(key: str, size: int, question: str = "") -> str:
    """An id in at most `size` cells, cut before its end, where ids differ.

    In the place of a hash stands the beginning of the question, or of the hash where there is none.
    """
    key, question = flat(key), flat(question).strip()
    if is_hash(key):
        return cut(question, size) if question else key[: min(HASH, max(size, 0))]
    if width(key) <= size:
        return key
    head = fit(key, size // 3 + 1).removesuffix("…").rstrip()
    return head + cut_front(key, size - width(head))


def told_of(key: str, said: str, size: int, question: str = "") -> str:
    """A sample and a message about it, on a line of `size` cells: the name is cut first."""
    room = max(LEAST, size - 1 - width(said))
    return f"{short(key, min(room, QUESTION) if is_hash(key) else room, question)} {said}"
