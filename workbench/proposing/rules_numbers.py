"""Numbers, amounts and quantities."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.proposing.spans import Found

_NUMBER = re.compile(r"(?<![\w.,])\d[\d.,]*(?<=\d)(?![\w])")


def numbers(text: str, lang: str) -> Iterator[Found]:
    """Every number of the text."""
    for found in _NUMBER.finditer(text):
        yield Found(found.start(), found.end(), "number")
