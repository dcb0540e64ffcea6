"""Which reference names are mentioned in the contexts: a layered matcher that names its reasons."""

from numbers import Real

MATCHER = "layered-10"
"""Stored with every score: another version may score the same names differently."""

FLOOR = 60
"""Links below are not worth a look; one byte a reference name serves every threshold above."""


def no_similarity(value: object) -> str:
    """What a value would have to be to be a similarity; empty where it is one.

    A share is none: nobody means .85 of 100, and names as little alike as 1 are never linked.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 100:
        return "a number from 0 to 100"
    return (
        f"a number from 0 to 100, not a share; did you mean {100 * float(value):g}?"
        if 0 < float(value) <= 1
        else ""
    )
