"""Where a quote stands in a text."""

from __future__ import annotations

import re

from workbench.model import Span


def ground(quote: str, text: str) -> tuple[Span, ...]:
    """All places where a text has a quote."""
    quote = quote.strip()
    if not quote:
        return ()
    spans = [Span(m.start(), m.end()) for m in re.finditer(re.escape(quote), text)]
    if not spans:
        pattern = r"\s+".join(map(re.escape, quote.split()))
        spans = [Span(m.start(), m.end()) for m in re.finditer(pattern, text, re.IGNORECASE)]
    bounded = [
        s
        for s in spans
        if not (s.start and text[s.start - 1].isalnum() and text[s.start].isalnum())
        and not (s.end < len(text) and text[s.end].isalnum() and text[s.end - 1].isalnum())
    ]
    return tuple(bounded or spans)
