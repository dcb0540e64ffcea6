"""The passages of the contexts that are most like a text."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.model import Evidence
from workbench.text.normalise import key
from workbench.text.sentences import sentences


def nearest(text: str, contexts: Sequence[str], n: int = 3) -> list[Evidence]:
    """The n passages most like the text, best first."""
    wanted = set(key(text).split())
    scored = []
    for index, context in enumerate(contexts):
        for span in sentences(context):
            words = set(key(context[span.start : span.end]).split())
            if shared := len(wanted & words):
                scored.append((-shared / len(wanted), index, span.start, span.end))
    return [Evidence(index, start, end) for _, index, start, end in sorted(scored)[:n]]
