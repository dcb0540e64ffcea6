"""How many tokens a text is: estimated without the service, for packing and for what-if figures."""

from __future__ import annotations

import re

# Code points per token. The vendor gives 1.8 tokens per English word for all models since Opus 4.7, which is
# 3.3; other alphabets are cut finer, and an ideograph is about one token.
_LATIN, _ALPHABET, _IDEOGRAPH = 3.0, 1.8, 0.9
_NOT_LATIN = re.compile(r"[^\x00-\u024f\u2010-\u2027]+")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003134f]+")


def estimate(text: str) -> int:
    """A token count by script, rounded up; an estimate on the high side, and to be called one."""
    other = sum(found.end() - found.start() for found in _NOT_LATIN.finditer(text))
    ideographs = sum(found.end() - found.start() for found in _IDEOGRAPHS.finditer(text)) if other else 0
    latin = len(text) - other
    return round(latin / _LATIN + (other - ideographs) / _ALPHABET + ideographs / _IDEOGRAPH + 0.5)
