"""Attribution by token overlap: which context sentence carries a statement, and is it enough?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from workbench.model import ProposedStatement
from workbench.proposing.lexicon_function import EVERY
from workbench.text.normalise import key
from workbench.text.sentences import sentences
from workbench.text.tokens import tokens

FOUND = 0.6


class Passage(NamedTuple):
    """One sentence of one context with the content tokens it holds."""

    context: int
    text: str
    keys: frozenset[str]


def content(text: str, lang: str | None) -> list[str]:
    """The normalised tokens of a text that are not function words, in order."""
    found = (key(token.text, lang or "") for token in tokens(text))
    return [one for one in found if one and one not in EVERY]


def passages(contexts: Sequence[str], lang: str | None = None) -> tuple[Passage, ...]:
    """Every sentence of every context, ready to be compared."""
    return tuple(
        Passage(
            number, context[span.start : span.end], frozenset(content(context[span.start : span.end], lang))
        )
        for number, context in enumerate(contexts)
        for span in sentences(context)
    )


def attribute(statement: str, contexts: Sequence[str], lang: str | None = None) -> ProposedStatement:
    """Judge one statement against the contexts: found when enough of its content words stand there."""
    return judge(statement, passages(contexts, lang), lang)


def judge(statement: str, where: Sequence[Passage], lang: str | None = None) -> ProposedStatement:
    """As `attribute`, with the passages prepared once for many statements."""
    wanted = set(content(statement, lang))
    best: Passage | None = None
    best_share = 0.0
    for passage in where:
        share = len(wanted & passage.keys) / len(wanted) if wanted else 0.0
        if share > best_share:
            best, best_share = passage, share
    if best is None:
        return ProposedStatement(statement, "missing", reason="no content word stands in the contexts")
    verdict = "found" if best_share >= FOUND else "missing"
    return ProposedStatement(statement, verdict, best.context, best.text, f"{best_share:.0%} of its words")
