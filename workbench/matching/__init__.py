"""Which reference names are mentioned in the contexts: a layered matcher that names its reasons."""

from typing import Any

from workbench.model import is_real

MATCHER = "layered-13"
"""Stored with every score: another version may score the same names differently."""

FLOOR = 60
"""Links below are not worth a look; one byte a reference name serves every threshold above."""


def no_threshold(value: Any) -> str:
    """What a value would have to be to be a match threshold; empty where it is one.

    A share is none, and below `FLOOR` nothing changes.
    """
    number = value if is_real(value) else 0
    return "" if FLOOR <= number <= 100 and not number % 1 else f"a whole number from {FLOOR} to 100"
