"""The reasons for a difference in the words of the answer. Nothing here loads numpy: a review needs it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from workbench.text.figures import many

if TYPE_CHECKING:
    from workbench.comparing.causes import Difference
    from workbench.model import Kind

What = Literal[
    "another form", "not extracted", "counted wrongly", "should not count", "left out", "cut differently",
    "unsure", "untraced", "rounding", "too high", "too low",
]  # fmt: skip

_WHAT: dict[str, What] = {
    "missed match": "another form", "false match": "counted wrongly", "invented unit": "should not count",
    "duplicate": "should not count", "missed unit": "left out", "granularity": "cut differently",
    "unsure": "unsure", "untraced": "untraced", "rounding": "rounding",
}  # fmt: skip
_NOT_EXTRACTED = ("context extraction", "unattributed")
LEAST = Fraction(1, 2000)
"""Effects without units below this do not show."""
UNITS: dict[Kind, str] = {"entity": "name", "statement": "statement"}
IN_SHORT: dict[What, tuple[str, str]] = {
    "another form": ("unit", "in another form"),
    "not extracted": ("unit", "not extracted from the contexts"),
    "counted wrongly": ("unit", "counted wrongly"),
    "should not count": ("unit", "that should not count"),
    "left out": ("unit", "left out"),
    "cut differently": ("unit", "cut differently"),
    "unsure": ("unit", "that you are unsure of"),
    "untraced": ("", "another extraction or judge"),
    "rounding": ("", "rounding in the file"),
}
"""The reasons for the difference of one sample, where there is a line for all of them."""


def what_of(cause: str, part: str) -> What:
    """The kind of reason that a cause is, as the answer names it."""
    return "not extracted" if part in _NOT_EXTRACTED else _WHAT[cause]


def shows(cause: str, share: Fraction | None) -> bool:
    """Whether a cause is worth a line: a number of the file that is rounded needs none."""
    return cause != "rounding" or share is None or abs(share) >= LEAST


def reasons(found: Difference) -> list[tuple[What, int, Fraction]]:
    """Why one sample differs: each reason with its units and its share, the largest share first."""
    units: dict[What, int] = {}
    shares: dict[What, Fraction] = {}
    for row in found.rows:
        if row.cause and row.share is not None:
            what = what_of(row.cause, row.part)
            units[what] = units.get(what, 0) + 1
            shares[what] = shares.get(what, Fraction(0)) + row.share
    shown = [(what, units[what], share) for what, share in shares.items() if abs(share) >= LEAST]
    return sorted(shown, key=lambda one: -abs(one[2]))


def in_short(what: What, units: int, kind: Kind) -> str:
    """`3 names in another form`; a statement that the contexts support has no other form."""
    if kind == "statement" and what == "another form":
        return f"{many(units, 'statement')} supported after all"
    unit, words = IN_SHORT[what]
    return f"{many(units, UNITS[kind])} {words}" if unit else words
