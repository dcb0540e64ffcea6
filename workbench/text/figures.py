"""How figures are written wherever a person reads them: numbers, signs and plurals.

No leading zero, a true minus, `–` for what is undefined.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial

UNDEFINED = "–"


def rounded(value: Fraction | float, digits: int) -> Decimal:
    """A value at some digits, half to even: .975 and .025 become .98 and .02, which still add up to 1.

    Digits behind the ninth decide nothing: they depend on the order in which numbers were added.
    """
    return round(Decimal(str(round(float(value), 9))), digits)


def number(value: Fraction | float | None, digits: int = 3) -> str:
    """`.207`, `1.000`, `−.157`; a dash for what is undefined."""
    if value is None or value != value:
        return UNDEFINED
    at_digits = rounded(value, digits)
    text = f"{abs(at_digits):f}"
    minus = "−" if at_digits < 0 else ""
    return minus + (text[1:] if text.startswith("0.") else text)


def signed(value: Fraction | float | None, digits: int = 3) -> str:
    """`+.157`, `−.157`, `.000`."""
    text = number(value, digits)
    return f"+{text}" if value is not None and rounded(value, digits) > 0 else text


def telling(value: Fraction | float, mark: float, digits: int, *, reached: bool) -> int:
    """How many digits of a value, at least so many, tell whether it has `reached` a mark."""
    return next((at for at in range(digits, 10) if (float(rounded(value, at)) >= mark) == reached), 9)


value = partial(number, digits=2)
"""A recall with two digits: `.67`, `1.00`."""

delta = partial(signed, digits=2)
"""A difference with two digits: `+.17`, `−.17`, `.00`."""


def many(count: int, word: str, more: str = "") -> str:
    """`1 sample`, `2,000 samples`; `more` where an s is not enough."""
    return f"{count:,} {word if count == 1 else more or word + 's'}"


def told(texts: Mapping[str, object]) -> list[str]:
    """Those of some texts that there is a reason for, which stands at each."""
    return [text for text, reason in texts.items() if reason]


def and_more(count: int, after: str = "", start: str = "") -> list[str]:
    """`… and 3 more`, a line about those that are not listed; none where all are."""
    return [f"{start}… and {count:,} more{after}"] if count > 0 else []
